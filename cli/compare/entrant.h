/* entrant.h - the entrants of a comparison or a study. Each is a case of a variation on a device,
 * with the trial that its runs make. The devices are each opened once. */
#ifndef TRIREME_CLI_ENTRANT_H
#define TRIREME_CLI_ENTRANT_H

#include "cli/compare/entrant_keep.h"
#include "cli/compare/vary.h"
#include "run/measure/trial.h"

typedef struct trial_device {
  char spec[128];              /* as asked for: "opencl:1" */
  trm_device_options options;
  trm_device *device;          /* NULL: closed after a failure */
  trm_device_info info;        /* of when it was first opened */
  energy_meter meter;          /* opened with it; its copies meter the runs */
} trial_device;

typedef struct trial_devices {
  trm_context *context;
  trial_device *list;
  size_t count;
} trial_devices;

void trial_devices_close(trial_devices *all);

typedef struct entrant {
  const run_case *chosen;      /* of the variation */
  const variation *cases;
  size_t case_index;
  const char *size, *rung;     /* of --sizes; of a ladder; or NULL */
  size_t device;               /* of the list */
  size_t reference;            /* the entrant that it is compared with; itself: none */
  trial trial;
} entrant;

/* Case number `index` on the device of that name: opened, where none of that name is with the same
 * options. `origin` says who asked; NULL: the case. */
trm_status entrant_create(const variation *cases, size_t index, const char *on,
                          const char *origin, trial_devices *devices, entrant *out);

/* "resident on openmp, size 128, threads=2": for messages. */
void entrant_say(const entrant *one, char *text, size_t bytes);

/* {"run.precision": "f64"}: the value of each varied key. */
json_t *entrant_values(const entrant *one);

/* session_begin, in the middle of the work; it may take minutes. An interrupt in the meantime ends
 * the program, with the line of process_catch_early. */
trm_status entrant_begin(session *run, const run_case *chosen, trm_device *device,
                         const session_watch *watch);

/* From now on the line at a signal says that the same command continues with this folder. */
void entrant_catch_signals(const char *folder);

/* A run of an entrant. */
typedef struct entrant_order {
  const char *what;            /* as it is shown */
  uint64_t steps;
  energy_meter *meter;         /* NULL: it is not metered */
  const entrant_place *place;  /* where it keeps its state, and goes on; NULL: nowhere */
  int keeps_end;               /* entrant_keep_end's is_wanted */
} entrant_order;

/* Steps of the case: begun, carried out and finished. `shortened` is the session's case, and lives
 * as long. End the session in any case. */
trm_status entrant_run(const entrant *one, const trial_devices *devices,
                       const entrant_order *order, run_case *shortened, session *run);

/* The options of a command line that determine its question; malloc'd, or NULL. */
char *entrant_question(const char *kind, const arguments *args, size_t runs, double seconds);

/* A document for a folder of trials of this case: case, solver, precision, arithmetic, keys, roles,
 * conditions, build, command; what is particular is added to it. */
json_t *entrant_document(const char *kind, const entrant *first, json_t *host);

#endif
