/* fv_run.h - one run of the compressible solver through the contract of solvers. */
#ifndef TRIREME_TESTS_FV_RUN_H
#define TRIREME_TESTS_FV_RUN_H

#include "tests/harness.h"

#include "solvers/compressible/solver/fv.h"

typedef struct fv_run {
  trm_config *config;
  trm_solver *solver;
  uint64_t made;               /* steps of the last batch */
} fv_run;

/* sets: pairs of key and text; ends with NULL. A key "case" is a folder of cases/, first. */
fv_run fv_run_begin(trm_device *device, trm_precision precision, const char *const *sets);
/* Whether a case is to run in this precision, as test_takes has it. A device that is spared is
 * asked for f64 where the grid is flat, else for f32. same_fields.c does the same: cases share
 * programs. */
int fv_run_takes(trm_device *device, const char *const *sets, trm_precision precision);
/* The precision of a case that runs in one: f32, but for flat cases of such a device. */
trm_precision fv_run_precision(trm_device *device, const char *const *sets);
/* The case is refused with this status and a message that has this part in it. */
void fv_run_refused(trm_device *device, const char *const *sets, trm_status status,
                    const char *part);
/* To `end`, or for `steps` more steps, in batches of `batch`. */
void fv_run_advance(fv_run *run, double end, uint64_t steps, uint64_t batch);
void fv_run_end(fv_run *run);
/* The state's fingerprint is the known one: of "compressible/NAME/f32" in
 * tests/data/fingerprints.csv, or f64. */
void fv_run_is(const fv_run *run, const char *name, ...) __attribute__((format(printf, 2, 3)));
/* A run that goes on from what a checkpoint keeps of another's `first` steps has that one's bits
 * after `rest` more, and the known fingerprint of that name, if it is not NULL. */
void fv_run_resumes(trm_device *device, trm_precision precision, const char *const *sets,
                    uint64_t first, uint64_t rest, const char *name);

/* What a series has of the last step. */
double fv_run_last(const fv_run *run, const char *name);
/* A field's cells as doubles, malloc'd. */
double *fv_run_values(const fv_run *run, const char *name);
/* The largest difference from a stream of density 1 where there is gas. */
double fv_run_disturbed(const fv_run *run, double pressure, const double velocity[2]);

#endif
