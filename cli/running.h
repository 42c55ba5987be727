/* running.h - a run of the library in the program's hands: its keys, its progress on the terminal,
 * its end. */
#ifndef TRIREME_CLI_RUNNING_H
#define TRIREME_CLI_RUNNING_H

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "run/trireme-run.h"

struct terminal_view;

typedef struct running {
  trm_run *run;
  struct terminal_view *drawn; /* NULL: the terminal shows a bar */
  progress bar;
  char label[160];
} running;

/* Passes the arguments to trm_run_open, or to trm_run_resume if `is_again`; the run is at r->run. A
 * signal in the meantime ends the program; from then on it stops the run. */
trm_status running_open(running *r, const arguments *args, int is_again);

/* Where the run is not to go on: signals forget it, and it is closed. */
void running_close(running *r);

/* How the run keeps its state: on a terminal, and wherever somebody asked for checkpoints. */
void running_say_checkpoints(const running *r);

/* From a run whose folder is chosen to its results, and to the exit code. Closes it. */
exit_code running_finish(running *r, const arguments *args);

#endif
