/* comparison.h - the same case on several devices, or with several values of its keys, several
 * times in turn, and how far the results agree.
 *
 * A candidate is one case of a variation on one device. Its reference is the first candidate of its
 * family (vary.h): both must agree. The first candidate of a further family is compared with the
 * first of all, to show by how much its keys change the result; nothing is demanded there. Fields
 * and series of a reference's first run are kept in host memory until the last has been compared
 * with them. Later runs must repeat the first run's fingerprint. Candidates take turns, so that a
 * machine that slows down slows them all. One that diverges keeps its line, which says so, and has
 * no result; the others go on. */
#ifndef TRIREME_CLI_COMPARISON_H
#define TRIREME_CLI_COMPARISON_H

#include "cli/compare/candidate.h"
#include "run/measure/roofs.h"
#include "io/difference.h"

enum { CANDIDATE_LIMIT = 256, GROWTH_LIMIT = 20 };

/* A series' difference after some step. */
typedef struct growth_point { uint64_t step; double absolute, scaled; } growth_point;

/* One field or series against the reference's. */
typedef struct field_difference {
  char name[64];
  int is_series;
  char missing[128];           /* why it could not be compared; "" where it was */
  int is_mixed;                /* f32 against f64: compared as f64, units in the last place mean
                                * nothing */
  trm_difference difference;
  int agrees;                  /* strict: every bit; fast: within the tolerance */
  trm_spread *spread;        /* owned; fields whose bits differ: how the differences lie; or NULL */
  growth_point growth[GROWTH_LIMIT]; /* series: after 1, 10, 100, ... steps, and the last */
  size_t growth_count;
} field_difference;

/* Fields and series in host memory, owned with their data. */
typedef struct kept_array {
  char name[64];
  int is_series;
  double terms;                /* trm_series.terms */
  trm_array array;
} kept_array;
typedef struct kept_run { kept_array *arrays; size_t count; } kept_run;

typedef struct comparison_row {
  candidate who;
  int is_checked;              /* 1: it must agree with its reference */
  int has_result;              /* 1: of its first run the result was taken */
  size_t users;                /* candidates whose reference it is, and that have not run yet */
  kept_run kept;               /* while there are any */
  double tolerance;            /* fast: largest difference allowed, relative to the largest value */
  char diverged[320];          /* the message of a run whose values ceased to be finite; else "" */
  field_difference *differences; /* none for the first candidate */
  size_t difference_count;
  char series[33];             /* a hash of the first run's series, which later ones repeat; "" */
  int row_group_x, row_group_y, from_cache;
  device_roofs roof;
  node_taken node;             /* by the whole machine in its runs of this command */
} comparison_row;

typedef struct comparison {
  const variation *cases;
  comparison_row *rows;
  size_t count, runs;
  candidate_devices devices;
  const char *folder;          /* of the results; NULL: nothing is kept */
  node_meter node;             /* the whole machine */
  char *question;              /* owned; what was asked: another comparison is not continued */
  int is_tuned;                /* each candidate has the values that `trireme tune` keeps for it */
  double until;                /* run.for, on the clock; 0: never */
  const char *repeat;          /* the command that does it again, or NULL */
  json_t *host;                /* owned; the machine, and other processes' load on it meanwhile */
  struct bisection *bisections; /* of --bisect, in the order of the candidates that differ */
  size_t bisection_count;
} comparison;

/* Opens the devices of the list before anything runs; one that is not ready fails all. `on` NULL:
 * without axes every device of every ready backend, with them each case's own (run.backend). Close
 * it in any case. */
trm_status comparison_open(comparison *out, trm_context *context, const variation *cases,
                           const char *on, size_t runs);

/* Where there are axes: sets every candidate up once, so that what a solver refuses is refused
 * before the first run. */
trm_status comparison_try(comparison *all);
/* TRM_ERROR_DIVERGED only where every candidate did. */
trm_status comparison_run(comparison *all);
void comparison_close(comparison *all);

/* comparison_bisect.c: after the runs, where those that must agree do not (bisection.h). */
trm_status comparison_bisect(comparison *all);
void comparison_print_bisections(const comparison *all);

/* 1: it repeats itself and, where it is checked, agrees with its reference: in fields, series and
 * fingerprint (strict), or in fields and series within the tolerance (fast). */
int comparison_row_agrees(const comparison *all, size_t index);
int comparison_agrees(const comparison *all);
size_t comparison_diverged(const comparison *all); /* how many candidates did */
/* Whether another value of a varied key changes the result. */
int comparison_has_families(const comparison *all);

const trm_device_info *comparison_row_device(const comparison *all, const comparison_row *one);
/* To the speed of the first that did not diverge, in the same rounds. */
sample comparison_row_ratio(const comparison *all, const comparison_row *one, interval *out);
/* A fraction of the roof, for the speed by the solver's count; NaN where unknown. */
double comparison_row_roof_share(const comparison_row *one);

/* The compare.json of a finished comparison of the same question in that folder, the caller's;
 * NULL: there is none. One of another question is refused. */
trm_status comparison_finished(const char *folder, const char *question, json_t **out);
/* comparison_rows.c: the runs so far, kept in the folder after each; taken up again, where it has
 * some (*is_again), before the first; and removed. */
trm_status comparison_save(const comparison *all);
trm_status comparison_take_up(comparison *all, const char *folder, int *is_again);
void comparison_forget(const comparison *all);
/* A candidate whose run diverged has no result; is_first: nor had it one before. */
trm_status comparison_give_up(comparison *all, comparison_row *one, int is_first);

/* comparison_difference.c: the first run of candidate `index`, compared with its reference's, and
 * kept where others are compared with it. */
trm_status comparison_take_result(comparison *all, size_t index, session *run);
/* Fields and series of a run. kept_run_apart compares the state of another run with them. *apart:
 * the largest |a - b| of a field of the state, by the largest value of all fields of its unit. It
 * is infinite where one of a pair is not finite. NaN: they have no such field in common. in: that
 * field. */
trm_status kept_run_take(session *run, kept_run *out);
trm_status kept_run_apart(const kept_run *kept, session *run, double *apart, char in[64]);
void kept_run_free(kept_run *kept);

/* comparison_json.c: the caller's; NULL without memory. */
json_t *comparison_json(const comparison *all);

#endif
