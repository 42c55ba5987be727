/* progress.h - the progress of a run: a bar on a terminal, else one line a minute, on stderr. */
#ifndef TRIREME_CLI_PROGRESS_H
#define TRIREME_CLI_PROGRESS_H

#include "run/session.h"

typedef struct progress {
  const char *label;         /* "lbm on openmp" */
  double begin, shown;       /* seconds on the program's clock */
  uint64_t steps;
  int on_terminal, drawn;    /* characters of the line that stands there */
} progress;

void progress_begin(progress *bar, const char *label, uint64_t steps);
/* A session_hooks's progress: user is a progress. */
void progress_update(void *user, const session *run);
/* Clears the bar, so that the next line starts clean. */
void progress_end(progress *bar);

#endif
