/* implementations.h - a solver's implementations: ways to carry out the same case, each better in
 * one respect than the one before, with the same bits in strict arithmetic. Only `trireme study
 * --ladder` uses it, which times the implementations and prices what each saves (docs/study.md). */
#ifndef TRIREME_IMPLEMENTATIONS_H
#define TRIREME_IMPLEMENTATIONS_H

#include "solvers/solver.h"

/* What the change is meant to save; 0: something else. */
enum {
  TRM_SAVES_TRANSFERS = 1, TRM_SAVES_LAUNCHES = 2, TRM_SAVES_BYTES = 4, TRM_SAVES_SERIAL = 8,
  TRM_SAVES_DIVERGENCE = 16, TRM_SAVES_PASSES = 32,
  TRM_FEWER_BITS = 64,         /* saves nothing: numbers are stored in fewer bits. Those with it
                                * have the same result, another one than those without */
  TRM_OTHER_METHOD = 128,      /* likewise, of implementations whose keys change the method */
  TRM_OTHER_SUMS = 256         /* saves nothing: series are summed in another order. The state has
                                * the same bits, series only those of other implementations with
                                * it */
};

typedef struct trm_implementation {
  const char *name;            /* "resident": a word */
  const char *settings;        /* the keys that make it: "lbm.implementation=best "
                                                         "run.wavefront=1" */
  const char *changes;         /* against the one before: "the lattice stays on the device" */
  unsigned saves;              /* TRM_SAVES_xxx */
} trm_implementation;

/* What a step costs beside its kernels' traffic. */
typedef struct trm_burden {
  double serial_values;        /* values that one item adds one after the other, a step */
  double groups;               /* of 32 neighbouring cells, in the kernels that branch by cell */
  double divergent_groups;     /* those of them whose cells take different paths */
} trm_burden;

typedef struct trm_implementations {
  const trm_implementation *list; /* lowest first */
  size_t count;
  /* (optional) Of a solver as create made it; *out comes as zeros. */
  void (*burden)(const trm_solver *solver, trm_burden *out);
} trm_implementations;

#endif
