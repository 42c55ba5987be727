/* implementation.h - the implementations of the ladder, after the attempts of the Bristol course's
 * report: from lattices that travel each step to one kernel without branches.
 *
 * lbm.implementation names a form of a step, and one key for each property of a form changes that
 * property alone; "best" is the solver's own kernel (lbm.k), which stands above them all. Every
 * form computes a cell in the same order and sums the speeds in the same order, so strict runs have
 * the same bits. */
#ifndef TRIREME_LBM_IMPLEMENTATION_H
#define TRIREME_LBM_IMPLEMENTATION_H

#include "solvers/implementations.h"
#include "solvers/lbm/driven/lbm.h"

/* The choices of lbm.implementation, and the list that they make. */
#define LBM_VARIANTS \
  "best|bristol-copied|bristol-resident|bristol-fused|bristol-swapped|bristol-arrays|" \
  "bristol-tree|bristol-selects|fused|split" /* the last two: of lbm.flow = "geneva" (channel.c) */

/* The keys of a form's properties; `named`: as lbm.implementation has it. */
#define LBM_FORM_KEY(key, choices, help) \
  { key, TRM_OPTION_STRING, "", "named", NAN, NAN, TRM_OPTION_SAME_RESULT, "named|" choices, help }
#define LBM_FORM_KEYS \
  LBM_FORM_KEY("lbm.transfer", "run|step", \
               "of the ladder: the lattice goes to the device and back once a run, " \
               "or in each step"), \
  LBM_FORM_KEY("lbm.split", "false|true", \
               "of the ladder: true: a kernel for each function of the course's program"), \
  LBM_FORM_KEY("lbm.back", "swap|command|kernel|waits", \
               "of the ladder: how the new lattice replaces the old: both swapped, a copy " \
               "command, a kernel with an item a cell, a copy command that the host waits for"), \
  LBM_FORM_KEY("lbm.layout", "arrays|structs", \
               "of the ladder: an array for each population, or a cell's populations side " \
               "by side"), \
  LBM_FORM_KEY("lbm.walls", "branch|select|mask", \
               "of the ladder: walls take another path, values are selected, or multiplied " \
               "by 0, 1"), \
  LBM_FORM_KEY("lbm.sum", "item|group|tree", \
               "of the ladder: who adds the speeds: one item, the first item of each group, " \
               "or all items in trees"), \
  LBM_FORM_KEY("lbm.fold", "device|host", \
               "of the ladder: where the sums of group or tree are added up")

/* The values of those keys, in the order of their choices. */
enum { LBM_EACH_RUN, LBM_EACH_STEP };
enum { LBM_FUSED, LBM_SPLIT };
enum { LBM_SWAP, LBM_COMMAND, LBM_KERNEL, LBM_WAITS };
enum { LBM_ARRAYS, LBM_STRUCTS };
enum { LBM_BRANCH, LBM_SELECT, LBM_MASK };
enum { LBM_ITEM, LBM_GROUP, LBM_TREE };
enum { LBM_DEVICE, LBM_HOST };

enum { IMPL_TRAFFIC = 10 };
extern const trm_implementations lbm_implementations;

/* The properties of an implementation other than "best". */
typedef struct implementation_form {
  const char *name;            /* of lbm.implementation */
  int transfer, split, back, layout, walls, sum, fold;
} implementation_form;

/* The names of a form's kernels that depend on layout and walls. */
typedef struct implementation_names {
  char accelerate[48], propagate[48], copy[48], rebound[48], collide[48], speed[48], step[48];
} implementation_names;

struct lbm_implementation {
  implementation_form form;
  implementation_names names;
  trm_framework_program program;
  trm_buffer *structs[2];      /* array of structures */
  trm_buffer *speeds;          /* a cell's; where items store no leaves */
  trm_framework_buffer memory[3];
  void *host;                  /* the lattice between two steps, where it travels */
  void *leaves, *sums;         /* where the host adds: a step's leaves, a batch's sums */
  size_t lattice_bytes;
  int stores_values;           /* the kernels store a value a cell, not leaves */
  int holds;                   /* structs[0] has the state, lattice[] does not */
  trm_traffic traffic[IMPL_TRAFFIC];
  trm_burden burden;
};

/* form.c: the form that the case asks for; *is_best if none. */
trm_status lbm_form_read(const trm_config *config, implementation_form *out, int *is_best);

/* leaves.c: the sum of `count` leaves of f32 or f64, in the order of a trm_reduction; changes the
 * leaves. */
void lbm_add_leaves(trm_type type, void *leaves, size_t count, void *sum);

/* Memory, programs and kernels of the implementation beside those of every run; NULL in *out for
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
