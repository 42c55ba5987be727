/* run_parts.h - the struct of a run, for the three files of libtrireme-run. It is opened and
 * advanced by run.c and read by run_values.c; run_results.c writes its results. */
#ifndef TRIREME_RUN_RUN_PARTS_H
#define TRIREME_RUN_RUN_PARTS_H

#include "run/measure/conditions.h"
#include "run/keep.h"
#include "run/results.h"
#include "run/resume.h"
#include "run/run.h"
#include "run/tuned.h"
#include "core/point.h"

#include <sys/types.h>

struct trm_run {
  pid_t process;                 /* the process that opened it */
  run_case chosen;
  run_log log;
  trm_context *context;
  trm_device *device;
  struct run_parts *parts;   /* run/parts.h; NULL: one device */
  session session;
  atomic_int interrupted;
  void (*progress)(void *user, const trm_run *run);
  void *progress_user;
  double start;                  /* when it was opened, on the clock */
  char tuned[TUNED_LINE];
  trm_run_info info;
  trm_run_field *fields;
  trm_run_series *series;
  int is_observed, is_finished;  /* since the last advance */
  int has_warned;                /* run_warn has been called */
  trm_status failed;             /* status of a failed advance: the run cannot go on */
  char failure[sizeof ((trm_error *)0)->text];

  results out;                   /* folder NULL: none chosen */
  keeper keep;
  results_mark *marks;           /* the folders that have its results */
  size_t mark_count;
  energy_meter meter, judged;    /* judged: copy for the report */
  conditions_clock clock;
  profile *profile;
  profile_table table;
  device_roofs roof;
  char roof_missing[sizeof ((trm_error *)0)->text];
  report about;
  char *json;                    /* text of the last report, while it is valid; or NULL */
};

/* run.c: refuses a run that is NULL or belongs to another process, and an argument that is NULL.
 * name: name of the argument, or NULL. */
trm_status run_check(const trm_run *run, const char *function, const void *argument,
                     const char *name);
/* Warns about the settings, once: when results are kept, or at the first step. A run that is
 * refused then shows the refusal alone. */
void run_warn(trm_run *run);
/* Repeats an earlier failure. */
trm_status run_repeat_failure(const trm_run *run);

/* run_values.c: computes results and fingerprint of the present state. */
trm_status run_finish(trm_run *run);

/* run_results.c: the hooks series, output and frame of a session_hooks; forgets the last report. */
trm_status run_tell_series(void *user, const session *at);
trm_status run_write_output(void *user, session *at);
trm_status run_write_frame(void *user, session *at);
void run_drop_report(trm_run *run);

#endif
