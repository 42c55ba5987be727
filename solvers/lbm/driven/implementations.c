/* implementations.c - the implementations and the traffic of each: the ladder of the
 * lattice-Boltzmann solver. */
#include "solvers/lbm/driven/implementation.h"

#include <stdlib.h>

/* The implementations are launched one by one, as the course's program does it; recording and
 * wavefronts come with the kernel that stands above them. */
#define PLAIN " run.plain_replay=true run.wavefront=1"

static const trm_implementation list[] = {
  { "copied", "lbm.implementation=bristol-copied" PLAIN,
    "a kernel for each function; the lattice goes to the device and back each step", 0 },
  { "resident", "lbm.implementation=bristol-resident" PLAIN, "the lattice stays on the device",
    TRM_SAVES_TRANSFERS },
  { "fused", "lbm.implementation=bristol-fused" PLAIN,
    "streaming, rebound, collision and speed in one kernel", TRM_SAVES_LAUNCHES | TRM_SAVES_BYTES },
  { "swapped", "lbm.implementation=bristol-swapped" PLAIN,
    "old and new lattice are swapped, not copied", TRM_SAVES_LAUNCHES | TRM_SAVES_BYTES },
  { "arrays", "lbm.implementation=bristol-arrays" PLAIN,
    "structure of arrays: neighbouring items read neighbouring values", 0 },
  { "tree", "lbm.implementation=bristol-tree" PLAIN, "many items sum the speeds, not one",
    TRM_SAVES_SERIAL | TRM_SAVES_BYTES },
  { "selects", "lbm.implementation=bristol-selects" PLAIN, "values are selected, no cell branches",
    TRM_SAVES_DIVERGENCE },
  { "one-kernel", "lbm.implementation=best" PLAIN,
    "walls as bits, the next step's acceleration in the same kernel, one fold for 64 steps; a host "
    "has ghost columns and vectorises",
    TRM_SAVES_LAUNCHES | TRM_SAVES_BYTES },
  { "recorded", "lbm.implementation=best run.plain_replay=false run.wavefront=1 "
                "run.steps_per_launch=1",
    "steps are recorded once and replayed", TRM_SAVES_LAUNCHES },
  { "wavefront", "lbm.implementation=best run.plain_replay=false run.wavefront=0 "
                 "run.steps_per_launch=1",
    "a host takes part of the grid through several steps while it is in the cache",
    TRM_SAVES_PASSES },
  { "several-steps",
    "lbm.implementation=best run.plain_replay=false run.wavefront=0 run.steps_per_launch=0",
    "a GPU takes a strip of the grid through several steps in one launch, the rows between them in "
    "shared memory", TRM_SAVES_PASSES },
};

static void burden(const trm_solver *solver, trm_burden *out)
{
  const lbm_solver *lbm = (const lbm_solver *)solver;
  if (lbm->box.flow == &lbm_driven && lbm->implementation) *out = lbm->implementation->burden;
}

const trm_implementations lbm_implementations = { list, sizeof list / sizeof list[0], burden };

/* ---- what a step moves ------------------------------------------------------------- */

/* Traffic of one call of a kernel: reals, and flags of a byte each. */
static void add(lbm_solver *lbm, const char *kernel, double reals, double flags, double written,
                double flops)
{
  const double real_bytes = (double)trm_type_size(lbm->box.real_type);
  lbm->implementation->traffic[lbm->box.base.traffic_count++] =
    (trm_traffic){ kernel, reals * real_bytes + flags, written * real_bytes, flops, 1.0 };
}

static void add_rare(lbm_solver *lbm, const char *kernel, double reals, double written)
{
  add(lbm, kernel, reals, 0, written, 0);
  lbm->implementation->traffic[lbm->box.base.traffic_count - 1].calls_per_step = 0;
}

/* Operations of lbm_implementations_cell.h: 18 for the moments, 50 to relax, 2 for the speed. Masks
 * add 2 products and a sum for each of so many values, and 1 - the flag. */
static double masked(const implementation_form *form, double values)
{
  return form->walls == LBM_MASK ? 3.0 * values + 1.0 : 0.0;
}

/* Four kernels. With branches, rebound loads every cell's populations and keeps those of walls, and
 * the others work on fluid alone. Where values are selected, collide also loads what rebound left
 * in walls; with masks, in every cell. written: values of speeds; additions: of these. */
static void declare_split(lbm_solver *lbm, double written, double additions)
{
  const implementation_form *form = &lbm->implementation->form;
  const implementation_names *names = &lbm->implementation->names;
  const double cells = (double)lbm->box.nx * lbm->box.ny, fluid = (double)lbm->box.fluid_cells;
  const int branches = form->walls == LBM_BRANCH;
  const double left = branches ? 0 : form->walls == LBM_MASK ? cells : cells - fluid;
  const double worked = branches ? fluid : cells;
  add(lbm, names->propagate, 9 * cells, 0, 9 * cells, 0);
  add(lbm, names->rebound, 9 * cells, cells, 9 * (branches ? cells - fluid : cells),
      masked(form, 8) * cells);
  add(lbm, names->collide, 9 * (worked + left), cells, 9 * worked,
      68 * worked + masked(form, 9) * cells);
  add(lbm, names->speed, 9 * worked, cells, written,
      20 * worked + masked(form, 1) * cells + additions);
}

static void declare_kernels(lbm_solver *lbm)
{
  const struct lbm_implementation *implementation = lbm->implementation;
  const implementation_form *form = &implementation->form;
  const implementation_names *names = &implementation->names;
  const double cells = (double)lbm->box.nx * lbm->box.ny, fluid = (double)lbm->box.fluid_cells;
  const double row = lbm->box.nx, leaves = lbm->leaves;
  const double written = implementation->stores_values ? cells : leaves;
  const double additions = implementation->stores_values ? 0 : cells;
  const double worked = form->walls == LBM_BRANCH ? fluid : cells;
  add(lbm, names->accelerate, 6 * row, row, 6 * row, 6 * row);
  if (form->split) declare_split(lbm, written, additions);
  else
    add(lbm, names->step, 9 * cells, cells, 9 * cells + written,
        70 * worked + masked(form, 10) * cells + additions);
  if (!form->split && form->back != LBM_SWAP)
    add(lbm, form->back == LBM_KERNEL ? names->copy : "copy", 9 * cells, 0, 9 * cells, 0);
  if (form->sum == LBM_ITEM) add(lbm, "impl_sum", cells, 0, 1, cells);
  else if (implementation->stores_values) add(lbm, "impl_leaves", cells, 0, leaves, cells);
  if (form->sum != LBM_ITEM && form->fold == LBM_DEVICE)
    add(lbm, "reduce_sum", leaves, 0, 1, leaves + 255); /* 256 lanes, then their sum */
  if (form->layout == LBM_STRUCTS) add_rare(lbm, "impl_pack", 9 * cells, 9 * cells);
  if (form->layout == LBM_STRUCTS) add_rare(lbm, "impl_unpack", 9 * cells, 9 * cells);
}

/* The number of values that a single item adds in sequence: all cells, or its group's cells. */
static double count_serial(const lbm_solver *lbm)
{
  const struct lbm_implementation *implementation = lbm->implementation;
  const trm_program_info *program = trm_program_describe(implementation->program.program);
  const int is_host = trm_device_describe(lbm->box.base.device)->is_host;
  if (implementation->form.sum == LBM_ITEM) return (double)lbm->box.nx * lbm->box.ny;
  if (implementation->form.sum == LBM_TREE) return 0.0;
  if (implementation->stores_values) return 32.0; /* a leaf's */
  return is_host ? 64.0 : (double)program->row_group_x * program->row_group_y;
}

/* Groups of 32 neighbouring cells of a row with walls and fluid among them. */
static trm_status count_groups(lbm_solver *lbm)
{
  const size_t nx = (size_t)lbm->box.nx, ny = (size_t)lbm->box.ny;
  trm_field *solid = &lbm->box.fields[4];
  uint8_t *mask = malloc(nx * ny);
  if (!mask) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the mask of solid cells");
  const trm_status status = trm_field_read(solid, mask);
  for (size_t y = 0; y < ny && status == TRM_OK; y++)
    for (size_t x = 0; x < nx; x += 32) {
      const size_t end = x + 32 < nx ? x + 32 : nx;
      size_t walls = 0;
      for (size_t i = x; i < end; i++) walls += mask[y * nx + i] != 0;
      lbm->implementation->burden.groups++;
      lbm->implementation->burden.divergent_groups += walls > 0 && walls < end - x;
    }
  free(mask);
  return status;
}

trm_status lbm_implementation_declare(lbm_solver *lbm)
{
  struct lbm_implementation *implementation = lbm->implementation;
  lbm->box.base.program = trm_program_describe(implementation->program.program);
  lbm->box.base.traffic = implementation->traffic;
  lbm->box.base.traffic_count = 0;
  declare_kernels(lbm);
  implementation->burden.serial_values = count_serial(lbm);
  return implementation->form.walls == LBM_BRANCH ? count_groups(lbm) : TRM_OK;
}
