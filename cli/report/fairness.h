/* fairness.h - the answers of a report's section Fairness, given by several files. */
#ifndef TRIREME_CLI_FAIRNESS_H
#define TRIREME_CLI_FAIRNESS_H

#include "cli/report/sections.h"

enum { FAIRNESS_TEXT = 600 };

/* Where answers go: a page, or nowhere (only counted). A statement that holds for several files or
 * runs is made once. */
typedef struct answers {
  page *out;
  size_t warnings;
  char (*given)[FAIRNESS_TEXT]; /* owned */
  size_t count;
} answers;

void answer(answers *to, page_mark mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* fairness_machine.c: virtual machines, sockets, time that a host took. */
void fairness_ask_machine(answers *to, const json_t *host);
/* fairness_whole.c: whole runs beside the loop; whether a side has tuned values. */
void fairness_ask_whole(answers *to, const report_data *all);
void fairness_ask_tuned(answers *to, const report_data *all);
void fairness_ask_node(answers *to, const report_data *all);
/* fairness_known.c: other code for the same work on a processor. */
void fairness_ask_known(answers *to, const report_data *all);

#endif
