/* implementation.h - the ladder: the attempts of the Bristol course's report in their order, from
 * lattices that travel each step to one kernel without branches. lbm.implementation picks one.
 * "best" is the solver's own kernel (lbm.k), the end of the ladder.
 *
 * Every implementation computes a cell in the same order and sums the speeds in the same order, so
 * strict runs have the same bits on each of them. */
#ifndef TRIREME_LBM_IMPLEMENTATION_H
#define TRIREME_LBM_IMPLEMENTATION_H

#include "solvers/implementations.h"
#include "solvers/lbm/driven/lbm.h"

/* The choices of lbm.implementation, and the list that they make. */
#define LBM_VARIANTS \
  "best|bristol-copied|bristol-resident|bristol-fused|bristol-swapped|bristol-arrays|" \
  "bristol-tree|bristol-selects|fused|split" /* the last two: of lbm.flow = "geneva" (channel.c) */
enum { IMPL_TRAFFIC = 7 };
extern const trm_implementations lbm_implementations;

/* The properties of a variant other than "best". */
typedef struct implementation_form {
  const char *name;
  const char *kernel;          /* of the whole step; NULL: a kernel for each function */
  int is_structs;              /* array of structures */
  int travels;                 /* the lattice goes to the device and back each step */
  int copies_back;             /* the new lattice is copied onto the old one, not swapped with it */
  int is_serial;               /* one item sums the speeds */
  int branches;                /* walls and fluid take different paths */
} implementation_form;

struct lbm_implementation {
  const implementation_form *form;
  trm_framework_program program;
  trm_buffer *structs[2];      /* array of structures */
  trm_buffer *speeds;          /* a cell's; where one item sums them */
  trm_framework_buffer memory[3];
  void *host;                  /* the lattice between two steps, where it travels */
  size_t lattice_bytes;
  int holds;                   /* structs[0] has the state, lattice[] does not */
  trm_traffic traffic[IMPL_TRAFFIC];
  trm_burden burden;
};

/* Memory, programs and kernels of the variant beside those of every run; NULL in *out for
 * "best". */
trm_status lbm_implementation_create(const lbm_solver *lbm, const trm_config *config,
                                     const trm_solver_options *run,
                                     struct lbm_implementation **out);
void lbm_implementation_destroy(struct lbm_implementation **implementation);

/* Traffic and the other costs of a step, in place of those of lbm.k. */
trm_status lbm_implementation_declare(lbm_solver *lbm);

/* count steps; with sync_state nonzero lattice[current] holds the state afterwards. */
trm_status lbm_implementation_steps(lbm_solver *lbm, uint64_t count, int sync_state);

#endif
