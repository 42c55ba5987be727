/* rung.h - the rungs of the ladder, after the attempts of the Bristol course's report, one after
 * the other: from lattices that travel each step to one kernel without branches. lbm.variant picks
 * a rung; "best" is the solver's own kernel (lbm.k), which stands above them all.
 *
 * Every rung computes a cell in the same order and sums the speeds in the same order, so strict
 * runs have the same bits on each of them. */
#ifndef TRIREME_LBM_RUNG_H
#define TRIREME_LBM_RUNG_H

#include "solvers/ladder.h"
#include "solvers/lbm/driven/lbm.h"

/* The choices of lbm.variant, and the ladder that they make. */
#define LBM_VARIANTS \
  "best|bristol-copied|bristol-resident|bristol-fused|bristol-swapped|bristol-arrays|" \
  "bristol-tree|bristol-selects|fused|split" /* the last two: of lbm.flow = "geneva" (channel.c) */
enum { RUNG_TRAFFIC = 7 };
extern const trm_ladder lbm_ladder;

/* The properties of a variant other than "best". */
typedef struct rung_form {
  const char *name;
  const char *kernel;          /* of the whole step; NULL: a kernel for each function */
  int is_structs;              /* array of structures */
  int travels;                 /* the lattice goes to the device and back each step */
  int copies_back;             /* the new lattice is copied onto the old one, not swapped with it */
  int is_serial;               /* one item sums the speeds */
  int branches;                /* walls and fluid take different paths */
} rung_form;

struct lbm_rung {
  const rung_form *form;
  trm_kit_program program;
  trm_buffer *structs[2];      /* array of structures */
  trm_buffer *speeds;          /* a cell's; where one item sums them */
  trm_kit_buffer memory[3];
  void *host;                  /* the lattice between two steps, where it travels */
  size_t lattice_bytes;
  int holds;                   /* structs[0] has the state, lattice[] does not */
  trm_traffic traffic[RUNG_TRAFFIC];
  trm_burden burden;
};

/* Memory, programs and kernels of the variant beside those of every run; NULL in *out for
 * "best". */
trm_status lbm_rung_create(const lbm_solver *lbm, const trm_config *config,
                           const trm_solver_options *run, struct lbm_rung **out);
void lbm_rung_destroy(struct lbm_rung **rung);

/* Traffic and the other costs of a step, in place of those of lbm.k. */
trm_status lbm_rung_declare(lbm_solver *lbm);

/* count steps; with settle nonzero lattice[current] holds the state afterwards. */
trm_status lbm_rung_steps(lbm_solver *lbm, uint64_t count, int settle);

#endif
