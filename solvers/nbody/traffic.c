/* traffic.c - what the kernels of an N-body step move and compute.
 *
 * Operations are counted as carried out. The literature counts 20 for an interaction in every code;
 * figures by that count (docs/measurements.md) say so. */
#include "solvers/nbody/nbody.h"

#include <math.h>

enum { CHUNK = 4096, LANES = 255, CHILD_READ = 16 };

/* Reals and ints of 4 bytes that a kernel reads and writes a call. */
typedef struct moved { double reals, ints, reals_out, ints_out; } moved;

static void add(nbody_solver *nbody, const char *kernel, double calls, moved of, double flops)
{
  const double real_bytes = (double)trm_type_size(trm_real_type(nbody->precision));
  const double int_bytes = (double)sizeof(int32_t);
  nbody->traffic[nbody->base.traffic_count++] =
    (trm_traffic){kernel, of.reals * real_bytes + of.ints * int_bytes,
                  of.reals_out * real_bytes + of.ints_out * int_bytes, flops, calls};
}

/* A reduction of so many rows of `count` values, in chunks: it ends with one chunk a row. */
static void add_reduction(nbody_solver *nbody, const char *kernel, double calls, double rows,
                          double count, int adds)
{
  double passes = 0, taken = 0, chunks = 0;
  for (double left = count; passes == 0 || left > 1; left = ceil(left / CHUNK)) {
    taken += left;
    chunks += ceil(left / CHUNK);
    passes++;
  }
  add(nbody, kernel, calls * passes, (moved){rows * taken / passes, 0, rows * chunks / passes, 0},
      adds ? rows * (taken + LANES * chunks) / passes : 0);
}

/* Operations of 1 / sqrt: a polynomial in strict arithmetic and on a host, else the device's own
 * approximation, which f64 has on some devices only. */
static double root_operations(const nbody_solver *nbody)
{
  const int is_strict = nbody->base.program->math == TRM_STRICT ||
                        trm_device_describe(nbody->base.device)->is_host;
  if (nbody->precision == TRM_F64) return is_strict ? 20 : (double)NAN;
  return is_strict ? 12 : 1;
}

/* All pairs: bodies are read, partial sums of the acceleration (and the potential) written. f32 has
 * a polynomial for the pull itself, which is one operation less than the root and three
 * products. */
static void add_pairs(nbody_solver *nbody, double calls, double n)
{
  const double sources = nbody->count, components = nbody->full ? 4 : 3;
  const double root = root_operations(nbody), pull = root + 3 - (root == 12 ? 1 : 0);
  add(nbody, trm_kernel_name(nbody->forces.kernels[0]), calls,
      (moved){4 * sources, 0, components * nbody->rows * n, 0},
      n * sources * (15 + pull + (nbody->full ? 2 : 0)));
}

static void add_hermite(nbody_solver *nbody, double n)
{
  trm_kernel *const *forces = nbody->forces.kernels;
  const double sources = nbody->count, rows = nbody->rows;
  add(nbody, trm_kernel_name(forces[HERMITE_PREDICT]), 1, (moved){12 * n, 0, 12 * n, 0}, 30 * n);
  add(nbody, trm_kernel_name(forces[HERMITE_FORCE]), 2, (moved){7 * sources, 0, 7 * rows * n, 0},
      n * sources * (42 + root_operations(nbody)));
  add(nbody, trm_kernel_name(forces[HERMITE_FOLD]), 2, (moved){7 * rows * n, 0, 7 * n, 0},
      7 * (rows - 1) * n);
  add(nbody, trm_kernel_name(forces[HERMITE_CORRECT]), 1, (moved){18 * n, 0, 6 * n, 0}, 36 * n);
}

/* Keys, their sort, the tree from its leaves up. Which nodes act on a body is known only after the
 * walk, so what the walk reads and computes is unknown. */
static void add_tree(nbody_solver *nbody, double calls, double n)
{
  static const char *const place[] = {"sort_place2", "sort_place3", "sort_place4"};
  const nbody_tree *tree = &nbody->tree;
  trm_kernel *const *grower = tree->grower.kernels;
  const double passes = 8 * tree->words * calls;
  const double record = 1 + tree->words;
  const double digits = SORT_DIGITS * ceil(n / SORT_TILE), above = tree->levels - 1;
  double children = 0, parents = 0;
  for (int i = 1; i < tree->levels; i++) {
    children += tree->count[i - 1];
    parents += tree->count[i];
  }
  add_reduction(nbody, "reduce_min", calls, 3, n, 0);
  add_reduction(nbody, "reduce_max", calls, 3, n, 0);
  add(nbody, trm_kernel_name(grower[GROW_KEYS]), calls, (moved){3 * n, 0, 0, record * n}, 6 * n);
  add(nbody, "sort_count", passes, (moved){0, n, 0, digits}, 0);
  add(nbody, "scan_place", passes, (moved){0, digits, 0, digits}, 0);
  add(nbody, place[tree->words - 1], passes, (moved){0, record * n + digits, 0, record * n}, 0);
  add(nbody, trm_kernel_name(grower[GROW_GATHER]), calls, (moved){4 * n, n, 4 * n, 0}, 0);
  add(nbody, trm_kernel_name(grower[GROW_LEAVES]), calls,
      (moved){4 * n, 0, TREE_NODE * tree->count[0], 0}, 39 * n);
  add(nbody, trm_kernel_name(grower[GROW_LEVEL]), above * calls,
      (moved){CHILD_READ * children / above, 0, TREE_NODE * parents / above, 0},
      48 * children / above);
  add(nbody, trm_kernel_name(tree->walker.kernels[0]), calls,
      (moved){(double)NAN, 0, 4 * n, n / TREE_BLOCK}, (double)NAN);
}

/* Before the force: velocities and places by the acceleration. After it: its partial sums. */
static void add_moves(nbody_solver *nbody, double calls, double n)
{
  trm_kernel *const *moves = nbody->moves.kernels;
  const int is_explicit = nbody->integrator == NBODY_EXPLICIT;
  const int components = nbody->full || nbody->with_tree ? 4 : 3;
  const double rows = nbody->with_tree ? 1 : nbody->rows;
  add(nbody, trm_kernel_name(moves[is_explicit ? MOVE_EXPLICIT : MOVE_DRIFT]), calls,
      (moved){9 * n, 0, 6 * n, 0}, (is_explicit ? 18 : 12) * n);
  add(nbody, trm_kernel_name(moves[MOVE_KICK]), calls,
      (moved){(components * rows + 3) * n, 0, (components + 3) * n, 0},
      (6 + components * (rows - 1)) * n);
}

void nbody_declare_traffic(nbody_solver *nbody, double forces)
{
  const double n = nbody->count, slots = nbody->slots;
  nbody->base.traffic = nbody->traffic;
  if (nbody->integrator == NBODY_HERMITE) add_hermite(nbody, n);
  else {
    add_moves(nbody, forces, n);
    if (nbody->with_tree) add_tree(nbody, forces, n);
    else add_pairs(nbody, forces, n);
    if (nbody->loads == 16)
      add(nbody, "nbody_pack", forces, (moved){4 * n, 0, 4 * n, 0}, 0);
  }
  add(nbody, trm_kernel_name(nbody->moves.kernels[MOVE_MEASURE]), 1,
      (moved){11 * n, 0, NBODY_MEASURES * n, 0}, 32 * n);
  add_reduction(nbody, "reduce_sum", 1 / slots, slots * NBODY_MEASURES, nbody->count, 1);
}
