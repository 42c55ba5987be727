/* study.h - many runs of one case, each verified, timed in turns, explained and kept as it comes.
 *
 * A study is rows: a case on a device. Along a ladder (implementations.h) a row is an
 * implementation, and its gain over the one before is taken apart. In a sweep a row is a
 * combination of the values of --vary and --sizes. Each row first runs a few steps, which warm up.
 * They are compared with the first row that must have the same result. Then the rows of a group
 * take turns. Every result is written to study.json at once: an interrupted study continues where
 * it stopped. A row that fails says why, and the others go on. */
#ifndef TRIREME_CLI_STUDY_H
#define TRIREME_CLI_STUDY_H

#include "cli/compare/candidate.h"
#include "run/measure/roofs.h"
#include "run/measure/conditions.h"
#include "run/results.h"
#include "solvers/implementations.h"

/* A row is verified for that many steps, or for as many as take that many seconds, if fewer. */
enum { STUDY_ROWS = 1024, STUDY_RUNS = 64, STUDY_VERIFIED_STEPS = 100, STUDY_VERIFIED_SECONDS = 5 };

typedef enum row_status { ROW_OPEN, ROW_FINISHED, ROW_FAILED } row_status;

/* A step's cost, from the row's own runs and declarations. */
typedef struct row_cost {
  double launches, replayed;   /* commands a step, copies and fills too; recorded launches */
  double written, read;        /* bytes between host and device */
  double transfers;            /* how many of them */
  double bytes;                /* of memory, by the declared traffic */
  double at_once;              /* recorded launches of the step's kernel that go together */
  char alone[160];             /* why that is 1 */
  double apart;                /* 1: no launch begins before its predecessor's end */
  double items, lanes;         /* of a row group on a GPU, idle lanes with them; 0: it has none */
  double resident;             /* at most this part of a unit's items; 0: as many as fit */
  trm_burden burden;           /* declared */
} row_cost;

typedef struct study_row {
  candidate who;               /* its reference: the first row that it must agree with */
  const trm_implementation *implementation; /* NULL in a sweep */
  size_t group;                /* rows of a group take turns */
  size_t before;               /* ladder: the implementation before; itself: none */
  const char *family;          /* of a retraced report: rows of one family must agree; or NULL */
  double tolerance;            /* of a row with bits of its own: the largest difference from row
                                * `near`, as a part of the largest value; 0: none is demanded */
  size_t near;
  uint64_t near_steps;         /* after so many steps, or those of its verification if these are
                                * fewer */
  double apart, own_apart;     /* measured; of two runs of the row itself, if its bits vary; NaN */
  char apart_in[64];           /* the field of the state in which it is so far apart */
  row_status status;
  char error[512];             /* why it failed */
  char series[33];             /* after the verified steps, as the benchmark's fingerprint */
  char timed_print[33];
  double verified_rate;
  uint64_t verified_steps, steps; /* of a verified and of a timed run */
  double start_seconds;        /* of the verified run, before and after its loop */
  row_cost cost;
} study_row;

typedef struct study {
  const arguments *args;
  variation *variations;       /* a size and an implementation each */
  size_t variation_count;
  char **sizes;                /* NULL-terminated, or NULL */
  study_row *rows;
  size_t row_count, group_count;
  candidate_devices devices;
  device_roofs *roofs;         /* one a group: measured cost of launches, transfers, serial sums */
  results out;
  size_t runs;
  double seconds;              /* that a timed run is to take */
  double until;                /* run.for, on the clock; 0: never */
  conditions_clock clock;      /* of the start of the runs */
  json_t *host;                /* owned; the machine, and other processes' load on it while rows
                                * ran */
  char *question;              /* what was asked: a study of another one is not continued */
  int is_ladder, stopped;
  json_t *finished;            /* owned: study.json, if nothing is open in this study */
  json_t *halvings;            /* owned; of a retraced report: by how much each table is smaller */
  json_t *kernels;             /* owned; of a retraced report: a row's profiles, by its name */
} study;

/* A finished study is not opened again (unless by --again): `finished` is all there is of it.
 *
 * study.c: reads every case and lists the rows. Refused before anything runs: an unknown key; a
 * value out of range; a size without a case; a solver without a ladder. Close it in any case. */
trm_status study_open(study *out, const arguments *args);
/* The parts of study_open, for rows from elsewhere: read options, add each row, open the results.
 * The results of an interrupted study of this kind are read too. */
trm_status study_begin(study *out, const arguments *args);
trm_status study_add_row(study *all, const study_row *row);
trm_status study_prepare(study *all, const char *kind);
void study_close(study *all);
const trm_device_info *row_device(const study *all, const study_row *row);
/* The nearest implementation before it that was timed, or NULL. */
const study_row *row_before(const study *all, const study_row *row);
/* The first row that had to have the same result and got one: perhaps the row itself. */
const study_row *row_reference(const study *all, const study_row *row);
int row_agrees(const study *all, const study_row *row);
int row_varies(const study_row *row); /* TRM_VARYING_BITS: its bits are compared with no others */
/* 1: a difference was measured that is larger than allowed, from its neighbour or from itself. */
int row_is_too_far(const study_row *row);

/* study_cases.c: --sizes; and a variation for each size and implementation. plain: the case as it
 * stands. */
trm_status study_read_sizes(study *all, const char *text);
/* The command line's case; where it lacks a key of size, that has the first size. Clear it in any
 * case. */
trm_status study_plain_case(const study *all, run_case *out);
trm_status study_read_cases(study *all, const run_case *plain);
/* Adds a setting for each "KEY=VALUE" of a list, which it cuts up; `to` has room for them. */
trm_status study_add_settings(arguments *to, char *list, char *origin);
/* The command must not set a key that an implementation or a size sets (nor vary it, which
 * variation_create refuses). One of the two values would be dropped, and the name of the row would
 * be wrong. `given`: the settings of the command line, which stand before those of sizes and
 * implementations. */
trm_status study_check_own(const arguments *args, size_t given, const trm_config *config);

/* How long it will take, said before it runs, where that is more than some seconds. */
void study_say_estimate(const study *all);

/* study_run.c: the runs. A failure of a row is kept in it; only what stops all is returned. */
trm_status study_run(study *all);

/* study_json.c: study.json, and the results that an earlier one of the same question holds. */
json_t *study_json(const study *all);
trm_status study_save(const study *all);
trm_status study_resume(study *all, const char *folder);
/* The study.json of a folder; *out is NULL if it has no such file. */
trm_status study_document(const char *folder, json_t **out);

/* ---- study_why.c: where an implementation's gain comes from -------------------------------- */

enum { WHY_SAVINGS = 6, WHY_PARTS = 9 };

typedef struct why_part {
  const char *what;            /* "bytes", "launches", "transfers", "serial", "divergence",
                                  "passes"; "overlap", "lanes", "residency" */
  char text[240];              /* "6 to 3 launches a step" */
  const char *how;             /* "measured" or "declared": the counts; "bound": the text tells the
                                * most that the part explains */
  double seconds;              /* saved a step at the device's roofs; NaN: not priced */
} why_part;

typedef struct why {
  why_part parts[WHY_PARTS];   /* those that differ */
  size_t count;
  double saved;                /* seconds a step; negative: slower */
  double rest;                 /* saved less the priced parts */
} why;

why study_explain(const study_row *before, const study_row *after, const device_roofs *roofs,
                  int is_host);

#endif
