/* candidate.h - the candidates of a comparison or a study. Each is a case of a variation on a
 * device, with the benchmark that its runs make. The devices are each opened once. */
#ifndef TRIREME_CLI_CANDIDATE_H
#define TRIREME_CLI_CANDIDATE_H

#include "cli/compare/candidate_keep.h"
#include "cli/compare/vary.h"
#include "run/measure/benchmark.h"

typedef struct candidate_device {
  char spec[128];              /* as asked for: "opencl:1" */
  trm_device_options options;
  const char *origin;          /* who asked for it */
  int is_several;              /* each run opens the devices, and closes them (parts_are_named) */
  trm_device *device;          /* NULL: several, or closed after a failure */
  trm_device_info info;        /* of when it was first opened */
  energy_meter meter;          /* opened with it; its copies meter the runs */
} candidate_device;

typedef struct candidate_devices {
  trm_context *context;
  candidate_device *list;
  size_t count;
} candidate_devices;

void candidate_devices_close(candidate_devices *all);

typedef struct candidate {
  const run_case *chosen;      /* of the variation, or its own */
  run_case *own;               /* owned; with tuned values; or NULL */
  const variation *cases;
  size_t case_index;
  const char *size, *implementation;     /* of --sizes; of a ladder; or NULL */
  size_t device;               /* of the list */
  size_t reference;            /* the candidate that it is compared with; itself: none */
  benchmark benchmark;
} candidate;

/* Case number `index` on the device of that name: opened, where none of that name is with the same
 * options. `origin` says who asked; NULL: the case. */
trm_status candidate_create(const variation *cases, size_t index, const char *on,
                            const char *origin, candidate_devices *devices, candidate *out);

void candidate_clear(candidate *one);

/* Gives it the values that `trireme tune` keeps for its case on its device, if any. It then has a
 * case of its own, and a device with the options of that case. */
trm_status candidate_tune(candidate *one, candidate_devices *devices, const arguments *args);

/* "resident on openmp, size 128, threads=2": for messages. */
void candidate_say(const candidate *one, char *text, size_t bytes);

/* {"run.precision": "f64"}: the value of each varied key. */
json_t *candidate_values(const candidate *one);

/* session_begin on a device of the list, or on several. */
trm_status candidate_open(session *run, const run_case *chosen, const candidate_devices *all,
                          size_t device, const session_hooks *hooks);
/* session_begin, in the middle of the work; it may take minutes. An interrupt in the meantime ends
 * the program, with the line of process_catch_early. */
trm_status candidate_begin(session *run, const run_case *chosen, trm_device *device,
                           const session_hooks *hooks);
trm_status candidate_begin_on(session *run, const run_case *chosen, const candidate_devices *all,
                              size_t device, const session_hooks *hooks);

/* From now on the line at a signal says that the same command continues with this folder. */
void candidate_catch_signals(const char *folder);

/* A run of a candidate. */
typedef struct candidate_order {
  const char *what;            /* as it is shown */
  uint64_t steps;
  energy_meter *meter;         /* NULL: it is not metered */
  const candidate_place *place; /* where it keeps its state, and goes on; NULL: nowhere */
  int keeps_end;               /* candidate_keep_end's is_wanted */
} candidate_order;

/* Steps of the case: begun, carried out and finished. `shortened` is the session's case, and lives
 * as long. End the session in any case. */
trm_status candidate_run(const candidate *one, const candidate_devices *devices,
                         const candidate_order *order, run_case *shortened, session *run);

/* Whether `trireme tune` keeps values for a case like this on this device, and whether the case has
 * them; a comparison takes them with --tuned alone. */
void candidate_take_tuned(candidate *one, const candidate_devices *devices, const session *run);

/* The options of a command line that determine its question; malloc'd, or NULL. */
char *candidate_question(const char *kind, const arguments *args, size_t runs, double seconds);

/* A hash of all values of a run's series so far. */
void candidate_print_series(const session *run, char text[33]);

/* A document for a folder of benchmarks of this case: case, solver, precision, arithmetic, keys,
 * roles, conditions, build, command; what is particular is added to it. */
json_t *candidate_document(const char *kind, const candidate *first, json_t *host);

#endif
