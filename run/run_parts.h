/* run_parts.h - a run of libtrireme-run as its three files see it: run.c opens and advances it,
 * run_values.c reads it, run_results.c keeps it. */
#ifndef TRIREME_CLI_RUN_PARTS_H
#define TRIREME_CLI_RUN_PARTS_H

#include "run/measure/conditions.h"
#include "run/keep.h"
#include "run/results.h"
#include "run/resume.h"
#include "run/run.h"
#include "run/tuned.h"
#include "core/point.h"

#include <sys/types.h>

struct trm_run {
  pid_t process;                 /* that opened it */
  run_case chosen;
  run_log log;
  trm_context *context;
  trm_device *device;
  session session;
  atomic_int interrupted;
  void (*progress)(void *user, const trm_run *run);
  void *progress_user;
  double start;                  /* of the clock, when it was opened */
  char tuned[TUNED_LINE];
  trm_run_info info;
  trm_run_field *fields;
  trm_run_series *series;
  int is_observed, is_finished;  /* since the last advance */
  int has_warned;                /* run_warn */
  trm_status failed;             /* of an advance: the run cannot go on */
  char failure[sizeof ((trm_error *)0)->text];

  results out;                   /* folder NULL: none chosen */
  keeper keep;
  results_mark *marks;           /* of the folders that have its results */
  size_t mark_count;
  energy_meter meter, judged;    /* judged: as the report has it */
  conditions_clock clock;
  profile *profile;
  profile_table table;
  device_roofs roof;
  char roof_missing[sizeof ((trm_error *)0)->text];
  report about;
  char *json;                    /* of the last report, while it holds; or NULL */
};

/* run.c: refuses a run that is NULL or another process's, and an argument that is NULL; name: of
 * the argument, or NULL. */
trm_status run_check(const trm_run *run, const char *function, const void *argument,
                     const char *name);
/* Once, what the user should know of the settings: when results are kept or at the first step, so
 * that a run that is refused says the refusal alone. */
void run_warn(trm_run *run);
/* What failed before, again. */
trm_status run_repeat_failure(const trm_run *run);

/* run_values.c: results and fingerprint as they are now. */
trm_status run_finish(trm_run *run);

/* run_results.c: a session_hooks's series, output and frame; the last report, forgotten. */
trm_status run_tell_series(void *user, const session *at);
trm_status run_write_output(void *user, session *at);
trm_status run_write_frame(void *user, session *at);
void run_drop_report(trm_run *run);

#endif
