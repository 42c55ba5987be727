/* lbm.c - D2Q9 lattice Boltzmann: what a case may set; of the driven box, what a run allocates and
 * declares.
 *
 * The method and its units are in README.md here, the kernels in lbm.k. Two lattices in structure
 * of arrays are swapped each step. The canonical state is post-collision and not yet
 * accelerated. */
#include "solvers/lbm/driven/implementation.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/lbm/channel/channel_options.h"

TRM_FRAMEWORK_SOURCE(lbm, "solvers/lbm/driven/lbm.k");

static const trm_option options[] = {
  { "grid.nx", TRM_OPTION_INTEGER, "cells", NULL, 3, 1 << 30, 0, NULL, "cells along x" },
  { "grid.ny", TRM_OPTION_INTEGER, "cells", NULL, 3, 1 << 30, 0, NULL,
    "cells along y; row ny-2 is accelerated" },
  { "lbm.density", TRM_OPTION_REAL, "lattice", "0.1", 0, NAN, 1, NULL, "initial density" },
  { "lbm.accel", TRM_OPTION_REAL, "lattice", "0.005", 0, NAN, 0, NULL,
    "acceleration of row ny-2: density * accel moves from west to east" },
  { "lbm.omega", TRM_OPTION_REAL, "1/step", "1.85", 0, 2, 1, NULL, "relaxation rate, 1/tau" },
  { "lbm.reynolds_dim", TRM_OPTION_REAL, "cells", "10", 0, NAN, 1, NULL,
    "length of the Reynolds number" },
  { "lbm.obstacles", TRM_OPTION_FILE, "", "", NAN, NAN, TRM_OPTION_SIZED, NULL,
    "solid cells, a line `x y 1` each; none when empty" },
  { "lbm.obstacles_grid", TRM_OPTION_STRING, "cells", "", NAN, NAN, 0, NULL,
    "grid of lbm.obstacles, such as 128x128, to scale them to the case's; empty: the same" },
  { "lbm.implementation", TRM_OPTION_STRING, "", "best", NAN, NAN, TRM_OPTION_SAME_RESULT,
    LBM_VARIANTS,
    "how a step is carried out, with the same bits: best, or one of the ladder's (README.md)" },
  LBM_FORM_KEYS,
  CHANNEL_FLOW_KEYS,
  CHANNEL_STUDY_KEYS,
  CHANNEL_BOTH_KEYS,
  CHANNEL_ONLY_KEYS,
};

/* The names of keys in the last version. */
static const trm_former_key former_keys[] = {
  { "lbm.west", "boundary.west", 0 },
  { "lbm.east", "boundary.east", 0 },
  { "lbm.south", "boundary.south", 0 },
  { "lbm.north", "boundary.north", 0 },
  { "lbm.shapes", "bodies.shapes", 0 },
  { "lbm.probes", "probes", 0 },
  { "lbm.u_formula", "initial.velocity_x", 0 },
  { "lbm.v_formula", "initial.velocity_y", 0 },
  { "lbm.rho_formula", "initial.density", 0 },
  { "lbm.force_x", "body_force", 1 },
  { "lbm.force_y", "body_force", 2 },
  { "lbm.surface", "lbm.bounce_back", 0 },
  { "lbm.variant", "lbm.implementation", 0 },
};

/* ---- memory ---------------------------------------------------------------- */

static trm_status size_up(lbm_solver *lbm, const trm_config *config)
{
  lbm_box *box = &lbm->box;
  const trm_type real_type = box->real_type;
  TRM_TRY(lbm_lay_out(box, config));
  const size_t leaves = ((size_t)box->nx + 31) / 32 * (size_t)box->ny;
  /* On a device with memory of its own the partial sums stay below 16 MiB; a host runs many steps
   * as one wavefront, which ends where sums are folded. A GPU takes 3 or 5 steps a launch. */
  const int is_host = trm_device_describe(box->base.device)->is_host;
  const size_t room = (size_t)16 << 20, rows = room / (leaves * trm_type_size(real_type));
  const int of_gpu = rows >= LBM_GPU_SLOTS ? LBM_GPU_SLOTS
                     : rows >= LBM_GPU_FEW ? (int)(rows - rows % LBM_GPU_FEW)
                     : rows > 3 ? (int)(rows - rows % 3) : 3;
  box->slots = is_host ? lbm_slots(leaves + 1, INT_MAX) : of_gpu;
  /* as many rows on a host as on a GPU, if there is room: compare --bisect needs arrays of equal
   * size */
  const int most = of_gpu > LBM_SLOTS ? of_gpu : LBM_SLOTS;
  const size_t parts = leaves * (size_t)(box->slots < LBM_GPU_FEW ? box->slots : most);
  if (parts > INT_MAX) return lbm_too_large(box, config);
  lbm->leaves = (int)leaves;
  const trm_framework_buffer list[] = {
    { &box->solid, "solid", box->solid_layout.elements, TRM_TYPE_U8, 1, NULL },
    { &box->walls, "walls", box->walls_layout.elements, TRM_TYPE_I32, 1, NULL },
    { &box->lattice[0], "lattice 0", box->layout.elements, real_type, 1, NULL },
    { &box->lattice[1], "lattice 1", box->layout.elements, real_type, 1, NULL },
    { &box->partial, "partial sums", parts, real_type, 0, NULL },
    { &box->window, "sums of a sequence", TRM_FRAMEWORK_LONGEST, real_type, 0, NULL },
    { &box->sums, "mean speed", LBM_BATCH_LIMIT, real_type, 0, NULL },
  };
  memcpy(box->memory, list, sizeof list);
  return TRM_OK;
}

/* Several devices share out the rows that a step writes. */
static trm_status share_out(const lbm_solver *lbm)
{
  const lbm_box *box = &lbm->box;
  const size_t values = trm_buffer_bytes(box->partial) / trm_type_size(box->real_type);
  TRM_TRY(lbm_share_lattices(box, 0));
  TRM_TRY(lbm_share_walls(box));
  return trm_framework_leaves_by_rows(box->partial, box->real_type, box->nx, box->ny, 1,
                                      values / (size_t)lbm->leaves);
}

static void fill_params(lbm_solver *lbm, double accel)
{
  const lbm_box *box = &lbm->box;
  const double omega = box->omega, density = lbm->density;
  lbm->p = (lbm_params){
    .keep = 1.0 - omega, .omega_axis = omega / 9.0, .omega_diagonal = omega / 36.0,
    .accel_axis = density * accel / 9.0, .accel_diagonal = density * accel / 36.0,
    .rest_pressure = box->real_type == TRM_TYPE_F64 ? density / 3.0
                                                    : (double)((float)density / 3.0f),
    .first = (int)box->layout.first, .row = (int)box->layout.row,
    .component = (int)box->layout.component, .solid_first = (int)box->solid_layout.first,
    .solid_row = (int)box->solid_layout.row, .walls_first = (int)box->walls_layout.first,
    .walls_row = (int)box->walls_layout.row, .accelerated_row = box->ny - 2, .nx = box->nx,
    .ny = box->ny };
}

static trm_status load_solid(lbm_solver *lbm, const trm_config *config)
{
  const size_t nx = (size_t)lbm->box.nx, ny = (size_t)lbm->box.ny;
  uint8_t *mask = calloc(nx * ny, 1);
  size_t blocked = 0;
  trm_status status = TRM_OK;
  if (!mask) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the mask of solid cells");
  if (status == TRM_OK) status = lbm_read_obstacles(config, nx, ny, mask, &blocked);
  if (status == TRM_OK) status = lbm_check_reach(lbm, config, mask);
  if (status == TRM_OK) status = lbm_upload_solid(&lbm->box, mask);
  lbm->box.fluid_cells = nx * ny - blocked;
  free(mask);
  return status;
}

/* Every cell, solid ones too, starts at rest: population k is w_k times the density. */
static trm_status set_rest(lbm_box *box, double density)
{
  const trm_layout *layout = &box->layout;
  const size_t real_bytes = trm_type_size(box->real_type);
  /* from the first row's western ghost to the last row's eastern one */
  const size_t span = ((size_t)box->ny - 1) * layout->row + (size_t)box->nx + 2 * layout->ghosts;
  for (size_t k = 0; k < D2Q9; k++) {
    const double rest = density * lbm_weight[k];
    const float rest_f32 = (float)rest;
    const void *pattern = box->real_type == TRM_TYPE_F64 ? (const void *)&rest : &rest_f32;
    const size_t begin = layout->first - layout->ghosts + k * layout->component;
    TRM_TRY(trm_buffer_fill(box->lattice[0], begin * real_bytes, span * real_bytes, pattern,
                            real_bytes));
  }
  return TRM_OK;
}

/* ---- declarations ---------------------------------------------------------- */

static void declare_fields(lbm_box *box)
{
  lbm_declare(box, "populations", D2Q9, 0,
              "0 rest, 1 E, 2 N, 3 W, 4 S, 5 NE, 6 NW, 7 SW, 8 SE; post-collision")->flags =
    TRM_FIELD_STATE | TRM_FIELD_PERIODIC_X;
  lbm_declare(box, "velocity", 2, 0, "u_x, u_y; 0 in solid cells");
  lbm_declare(box, "speed", 1, 2, "|u|")->in_picture = 1;
  lbm_declare(box, "pressure", 1, 3, "rho / 3; density / 3 in solid cells");
  lbm_declare_box(box);
}

static void declare(lbm_solver *lbm)
{
  lbm_box *box = &lbm->box;
  declare_fields(box);
  /* lbm_step sums 1.5 times the speed */
  lbm->series[0] = (trm_series){ "mean_speed", "lattice", box->sums, box->real_type,
                                 1.5 * (double)box->fluid_cells, 0, 0.0, 0.0 };
  /* Nine populations and a bit read, nine populations and a leaf's part of a sum written.
   * Operations: 18 for the moments, 50 to relax, 2 for the speed, 1 to sum it. */
  const double cells = box->base.cells, leaves = lbm->leaves;
  const double real_bytes = (double)trm_type_size(box->real_type);
  const double lattice = D2Q9 * real_bytes * cells;
  lbm->traffic[0] = (trm_traffic){ "lbm_step", lattice + leaves * (double)sizeof(uint32_t),
                                   lattice + leaves * real_bytes, 71.0 * cells, 1.0 };
  lbm->results[0] = (trm_result){ "reynolds", "1", NAN };
  lbm->results[1] = (trm_result){ "mean_speed", "lattice", NAN };
  box->base.series = lbm->series;
  box->base.series_count = 1;
  box->base.traffic = lbm->traffic;
  box->base.traffic_count = 1;
  box->base.results = lbm->results;
  box->base.result_count = 2;
}

/* ---- life ------------------------------------------------------------------ */

static trm_status build(lbm_box *box, const trm_solver_options *run, int is_implementation)
{
  static const char *const kernels[] = { "lbm_step", "lbm_accelerate", "lbm_observe", NULL };
  static const trm_framework_recipe recipe = { &lbm_source, NULL, "lbm_params", sizeof(lbm_params),
                                         kernels };
  /* beside a step of the ladder it makes pictures alone, in groups of the device's own shape */
  trm_solver_options own = *run;
  if (is_implementation) own.row_group_x = own.row_group_y = 0;
  return trm_framework_program_create(box->base.device, &recipe, &own, &box->program);
}

static trm_status set_up(lbm_box *box, const trm_config *config, const trm_solver_options *run)
{
  lbm_solver *lbm = (lbm_solver *)box;
  lbm->density = trm_config_real(config, "lbm.density");
  TRM_TRY(lbm_check_omega(config, "lbm.omega", box->omega, box->real_type));
  TRM_TRY(size_up(lbm, config));
  TRM_TRY(lbm_create_buffers(box));
  TRM_TRY(share_out(lbm));
  TRM_TRY(load_solid(lbm, config));
  TRM_TRY(trm_reduction_create(box->base.device, TRM_SUM, run->precision, (size_t)lbm->leaves,
                               (size_t)box->slots, &box->fold));
  fill_params(lbm, trm_config_real(config, "lbm.accel"));
  TRM_TRY(build(box, run, strcmp(trm_config_string(config, "lbm.implementation"), "best") != 0));
  TRM_TRY(lbm_implementation_create(lbm, config, run, &lbm->implementation));
  TRM_TRY(set_rest(box, lbm->density));
  declare(lbm);
  lbm_driven_begin(lbm);
  if (lbm->implementation) box->base.unkept = "its lbm.implementation is one of the ladder's";
  return lbm->implementation ? lbm_implementation_declare(lbm) : TRM_OK;
}

static void release(lbm_box *box)
{
  lbm_implementation_destroy(&((lbm_solver *)box)->implementation);
}

static trm_status observe(trm_solver *solver)
{
  lbm_box *box = (lbm_box *)solver;
  return LBM_LAUNCH(box, LBM_OBSERVE, box->nx, box->ny, &((lbm_solver *)solver)->p,
                    box->lattice[box->current], box->lattice[!box->current], box->solid);
}

/* Re = u L / nu with nu = (2 / omega - 1) / 6. */
static trm_status finish(trm_solver *solver, const double *series_last)
{
  lbm_solver *lbm = (lbm_solver *)solver;
  const double viscosity = (2.0 / lbm->box.omega - 1.0) / 6.0;
  lbm->results[0].value = series_last[0] * lbm->box.reynolds_dim / viscosity;
  lbm->results[1].value = series_last[0];
  return TRM_OK;
}

const lbm_flow lbm_driven = { sizeof(lbm_solver), set_up, lbm_driven_steps, observe, finish,
                              lbm_export, release, NULL };

/* ---- the table, which hands on to the flow ----------------------------------- */

static const lbm_flow *flow_of(const trm_solver *solver) { return ((const lbm_box *)solver)->flow; }

static trm_status create(trm_device *device, const trm_config *config,
                         const trm_solver_options *run, trm_solver **out)
{
  TRM_TRY(lbm_check_keys(config));
  const int is_driven = strcmp(trm_config_string(config, "lbm.flow"), "driven") == 0;
  return lbm_box_create(is_driven ? &lbm_driven : &lbm_channel, device, config, run, out);
}

static trm_status observe_any(trm_solver *solver) { return flow_of(solver)->observe(solver); }

static trm_status finish_any(trm_solver *solver, const double *series_last)
{
  return flow_of(solver)->finish(solver, series_last);
}

static trm_status export_any(trm_solver *solver, const char *folder, double *const *series,
                             size_t step_count)
{
  return flow_of(solver)->export_files(solver, folder, series, step_count);
}

const trm_solver_type trm_solver_lbm = {
  .abi = TRM_SOLVER_ABI,
  .bytes = sizeof(trm_solver_type),
  .name = "lbm",
  .summary = "lattice Boltzmann, D2Q9: the Bristol course's driven box, the Geneva course's "
             "cylinder, channels",
  .update_name = "lattice updates",
  .options = options,
  .option_count = sizeof options / sizeof options[0],
  .former_keys = former_keys, .former_key_count = sizeof former_keys / sizeof former_keys[0],
  .files_usage = "PARAMS OBSTACLES",
  .configure = lbm_configure,
  .create = create,
  .advance = lbm_box_advance,
  .observe = observe_any,
  .finish = finish_any,
  .export_files = export_any,
  .print = lbm_say,
  .destroy = lbm_box_destroy,
  .restore = lbm_box_restore,
  .implementations = &lbm_implementations,
  .size_keys = "grid.nx,grid.ny",
};
