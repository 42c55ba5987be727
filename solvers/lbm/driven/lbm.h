/* lbm.h - the driven box's own object, shared by its files: lbm.c (options, memory, declarations),
 * steps.c, bristol.c (the course's files), implementation*.c (the implementations). */
#ifndef TRIREME_LBM_H
#define TRIREME_LBM_H

#include "solvers/lbm/box.h"
#include "solvers/lbm/driven/lbm_params.h"

enum { /* steps of a GPU: multiples of a launch's 3 and 5 */
  LBM_GPU_SLOTS = 240,       /* between two folds, where there is room: at 128^2 a fold, a copy */
  LBM_GPU_FEW = 60,          /* and the begin of a sequence take as long as 11; else, at least */
  LBM_GPU_SEQUENCE = 480,    /* of a recorded sequence */
  LBM_GPU_SHORT = 120        /* of one where fewer steps than LBM_GPU_FEW wait for a fold */
};

typedef struct lbm_solver {
  lbm_box box;               /* first, as box.h asks */
  lbm_params p;              /* of every launch, but for accelerated_row and part */
  double density;
  int leaves;                /* partial sums of a step: leaves of a row times rows */
  trm_framework_folder folder; /* of steps by box.stepper */
  struct lbm_implementation *implementation; /* of a variant other than "best", else NULL */
  int accelerated;           /* the state already has the next step's acceleration: not canonical */
  int is_last;               /* the step that is launched now leaves it out */

  char caution[900];
  trm_series series[1];
  trm_traffic traffic[1];
  trm_result results[2];
} lbm_solver;

/* The kernels of lbm.k, as they are numbered in box.program. */
enum { LBM_STEP, LBM_ACCELERATE, LBM_OBSERVE };

/* steps.c */
void lbm_driven_begin(lbm_solver *lbm);
trm_status lbm_driven_steps(lbm_box *box, uint64_t count, int sync_state);

/* reach.c: what of accel and omega the method cannot bear; mask: the solid cells. */
trm_status lbm_check_reach(lbm_solver *lbm, const trm_config *config, const uint8_t *mask);

/* bristol.c */
trm_status lbm_configure(trm_config *config, size_t count, const char *const *files);
void lbm_say(const trm_solver *solver, const trm_run_seconds *seconds, FILE *out);
trm_status lbm_export(trm_solver *solver, const char *folder, double *const *series,
                      size_t step_count);

#endif
