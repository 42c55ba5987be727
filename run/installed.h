/* installed.h - the cases that are installed with the program, each a folder with a case.conf. */
#ifndef TRIREME_RUN_INSTALLED_H
#define TRIREME_RUN_INSTALLED_H

#include "core/trireme.h"

enum { INSTALLED_LINE = 240 };

typedef struct installed_cases {
  char folder[1024];         /* TRIREME_CASES, else the folder of the installation */
  char **names;              /* in order of the alphabet; owned */
  size_t count;              /* 0 where the folder is not there */
} installed_cases;

trm_status installed_list(installed_cases *out);
void installed_clear(installed_cases *cases);
/* The folder of the case of that name, malloc'd, to be freed by the caller; NULL: no such case. */
char *installed_find(const char *name);
/* The first sentence of the comment at the beginning of the case; "" where it has none. */
void installed_line(const installed_cases *cases, size_t index, char text[INSTALLED_LINE]);

#endif
