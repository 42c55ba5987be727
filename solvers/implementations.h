/* implementations.h - a solver's implementations: ways to carry out the same case. Each way is
 * better in one respect than the way before, with the same bits in strict arithmetic. Only
 * `trireme study --ladder` uses it: it times the implementations and states the price of each
 * saving (docs/study.md). */
#ifndef TRIREME_IMPLEMENTATIONS_H
#define TRIREME_IMPLEMENTATIONS_H

#include "solvers/solver.h"

/* The cost that the change is meant to save; 0: another kind of change. */
enum {
  TRM_SAVES_TRANSFERS = 1, TRM_SAVES_LAUNCHES = 2, TRM_SAVES_BYTES = 4, TRM_SAVES_SERIAL = 8,
  TRM_SAVES_DIVERGENCE = 16, TRM_SAVES_PASSES = 32,
  TRM_FEWER_BITS = 64,         /* saves nothing: numbers are stored in fewer bits. Implementations
                                * with this flag agree in their result, and differ from those
                                * without it */
  TRM_OTHER_METHOD = 128,      /* saves nothing: keys change the method. Implementations with this
                                * flag agree in their result, and differ from those without it */
  TRM_OTHER_SUMS = 256,        /* saves nothing: series are summed in another order. The state has
                                * the same bits as with other implementations; the series have the
                                * same bits as with others that have this flag */
  TRM_VARYING_BITS = 512       /* saves nothing: values are summed in any order, so that no two runs
                                * have the same bits, and nobody compares them */
};

typedef struct trm_implementation {
  const char *name;            /* "resident": a word */
  const char *settings;        /* the keys that make it: "lbm.implementation=best "
                                                         "run.wavefront=1" */
  const char *changes;         /* against the one before: "the lattice stays on the device" */
  unsigned saves;              /* TRM_SAVES_xxx */
} trm_implementation;

/* Costs of a step beside its kernels' traffic. */
typedef struct trm_burden {
  double serial_values;        /* values of a step that one item adds one after the other */
  double groups;               /* of 32 neighbouring cells, in the kernels that branch by cell */
  double divergent_groups;     /* groups whose cells take different paths */
} trm_burden;

typedef struct trm_implementations {
  const trm_implementation *list; /* lowest first */
  size_t count;
  /* (optional) The burden of a solver in the state after create; *out is zero before the call. */
  void (*burden)(const trm_solver *solver, trm_burden *out);
} trm_implementations;

#endif
