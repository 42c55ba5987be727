/* installed.h - the cases that are installed with the program, each a folder with a case.conf. */
#ifndef TRIREME_CLI_INSTALLED_H
#define TRIREME_CLI_INSTALLED_H

#include "core/trireme.h"

enum { INSTALLED_LINE = 240 };

typedef struct installed_cases {
  char folder[1024];         /* TRIREME_CASES, else where they were installed */
  char **names;              /* in order of the alphabet; owned */
  size_t count;              /* 0 where the folder is not there */
} installed_cases;

trm_status installed_list(installed_cases *out);
void installed_clear(installed_cases *cases);
/* The folder of the case of that name, malloc'd and the caller's; NULL if there is none. */
char *installed_find(const char *name);
/* The first sentence of the comment that the case begins with; "" where it has none. */
void installed_line(const installed_cases *cases, size_t index, char text[INSTALLED_LINE]);

#endif
