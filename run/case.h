/* case.h - a case: a solver and the values of its keys.
 *
 * A case is a folder with case.conf, or a file of that form; or a solver by name, with its own
 * kinds of input files. */
#ifndef TRIREME_RUN_CASE_H
#define TRIREME_RUN_CASE_H

#include "run/settings.h"
#include "solvers/solver.h"

typedef struct run_case {
  const trm_solver_type *type;
  trm_config *config;
  run_settings settings;       /* strings belong to config */
  char name[64];               /* name of the case, for the results' folder */
  int is_from_files;           /* 1: the case consists of the solver's own files */
} run_case;

/* A value for a key of the case, and who sets it. */
typedef struct setting {
  char *key, *text, *origin;
  trm_origin_rank rank;
} setting;

typedef struct case_request {
  const char *const *operands; /* CASE, or SOLVER FILES... */
  size_t operand_count;
  const setting *settings;     /* applied in order; later settings override earlier ones of the same
                                * rank */
  size_t setting_count;
  int may_be_endless;          /* 1: a case without an end is allowed */
  trm_log_fn *log;             /* is told of former names of keys; NULL: nobody is */
  void *log_user;
} case_request;

/* Makes a case, checked and complete. Clear it in any case. */
trm_status case_create(const case_request *wanted, run_case *out);
/* case_create with further settings, which come after the request's own. */
trm_status case_create_with(const case_request *wanted, const setting *more, size_t count,
                            run_case *out);
void case_clear(run_case *chosen);
/* Whether a key says where a run takes place: run.backend, run.devices. */
int names_device(const char *key);
/* Whether the case names the grid of this key's file, so that its values are scaled to the case's
 * own grid. */
int case_scales(const run_case *chosen, const char *key);

/* Opens a device; a refusal names the option, or the line of the case, that asked for it. */
/* The solver of that name, or the solver of that case; for help about it. */
trm_status case_solver(const char *operand, const trm_solver_type **out);

/* Every key of a case of that solver, at its default; the caller destroys it. */
trm_status case_keys(const trm_solver_type *type, trm_config **out);

trm_status device_open(trm_context *context, const char *name, const trm_device_options *options,
                       const char *origin, trm_device **out);
/* Opens the device that the case names, with the precision that it asks for; case_open_on opens
 * another device. */
trm_status case_open_on(const run_case *chosen, trm_context *context, const char *name,
                        const char *origin, trm_device **out);
/* The same for a device that is to be a part's (run/parts.h). */
trm_status case_open_part(const run_case *chosen, trm_context *context, const char *name,
                          const char *origin, trm_device **out);
trm_status case_open_device(const run_case *chosen, trm_context *context, trm_device **out);

/* Finds the solver of that name, built in or a plugin; TRM_ERROR_NOT_FOUND with the nearest name,
 * or TRM_ERROR_NOT_READY with the fault of the plugin. */
trm_status solver_find(const char *name, const trm_solver_type **out);

#endif
