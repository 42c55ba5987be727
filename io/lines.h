/* lines.h - a text file line by line, with numbers for messages; blank lines are passed over. */
#ifndef TRIREME_LINES_H
#define TRIREME_LINES_H

#include "core/trireme.h"

typedef struct trmi_lines {
  const char *path;
  char *text, *next;
  char *line;                  /* without its end and without blanks on either side */
  int number;                  /* of the line, from 1 */
} trmi_lines;

/* Blanks that may stand between the parts of a line; a carriage return is one. */
extern const char trmi_blanks[];

trm_status trmi_lines_open(const char *path, size_t limit, trmi_lines *out);
void trmi_lines_close(trmi_lines *lines);

/* The next line that is not blank; 0 at the end. */
int trmi_lines_next(trmi_lines *lines);

/* No fewer than the lines that are left. */
size_t trmi_lines_count(const trmi_lines *lines);

#endif
