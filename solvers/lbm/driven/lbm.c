/* lbm.c - D2Q9 lattice Boltzmann: what a case may set, what a run allocates, what it declares.
 *
 * The method and its units are in README.md here, the kernels in lbm.k. Two lattices in structure
 * of arrays are swapped each step. The canonical state is post-collision and not yet
 * accelerated. */
#include "solvers/lbm/driven/rung.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules.h"
#include "io/bristol.h"
#include "solvers/lbm/channel/channel_options.h"

extern const char trm_text_lbm[];
TRM_DECLARE_MODULES(lbm);
static const trm_host_module *const modules[] = { TRM_MODULES(lbm), NULL };
static const trm_program_source source = {
  "lbm", "solvers/lbm/driven/lbm.k", trm_text_lbm, modules
};

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
  { "lbm.variant", TRM_OPTION_STRING, "", "best", NAN, NAN, TRM_OPTION_SAME_RESULT, LBM_VARIANTS,
    "how a step is carried out: best, or a rung of the ladder (README.md); the bits are the same" },
  CHANNEL_FLOW_KEYS,
  CHANNEL_BOTH_KEYS,
  CHANNEL_ONLY_KEYS,
};

/* ---- sizes ----------------------------------------------------------------- */

static trm_status too_large(const lbm_solver *lbm, const trm_config *config)
{
  return TRM_FAIL(INPUT, "%s: a grid of %d x %d cells is too large: a population must stay below "
                  "2^31 elements; make nx or ny smaller", trm_config_origin(config, "grid.nx"),
                  lbm->nx, lbm->ny);
}

/* The kernels count elements of a lattice and of the partial sums in 4-byte integers. */
static trm_status check_size(const lbm_solver *lbm, const trm_config *config)
{
  if (lbm->layout.component > INT_MAX || lbm->solid_layout.elements > INT_MAX ||
      (size_t)lbm->leaves * (size_t)lbm->slots > INT_MAX)
    return too_large(lbm, config);
  return TRM_OK;
}

static trm_status size_up(lbm_solver *lbm, const trm_config *config)
{
  const trm_device *device = lbm->base.device;
  const size_t nx = (size_t)lbm->nx, ny = (size_t)lbm->ny;
  size_t cells, leaves;
  TRM_TRY(trm_size_mul(nx, ny, "grid.nx * grid.ny", &cells));
  if (cells > INT_MAX) return too_large(lbm, config); /* before any layout overflows */
  TRM_TRY(trm_layout_rows(device, trm_real_type(lbm->precision), nx, ny, 1, LBM_POPULATIONS,
                          &lbm->layout));
  TRM_TRY(trm_layout_rows(device, TRM_TYPE_U8, nx, ny, 1, 1, &lbm->solid_layout));
  TRM_TRY(trm_layout_rows(device, TRM_TYPE_I32, (nx + 31) / 32, ny, 1, 1, &lbm->walls_layout));
  TRM_TRY(trm_size_mul((nx + 31) / 32, ny, "partial sums", &leaves));
  if (leaves > INT_MAX) lbm->leaves = INT_MAX; /* refused below, with the grid's size */
  else lbm->leaves = (int)leaves;
  /* On a device with memory of its own the partial sums stay below 16 MiB; a host runs many steps
   * as one wavefront, which ends where sums are folded. */
  const size_t step_bytes = leaves * trm_type_size(trm_real_type(lbm->precision));
  const size_t slots = trm_device_describe(device)->is_host ? INT_MAX / (leaves + 1)
                                                            : ((size_t)16 << 20) / step_bytes;
  for (lbm->slots = LBM_SLOTS; lbm->slots > 2 && (size_t)lbm->slots > slots;) lbm->slots /= 2;
  return check_size(lbm, config);
}

/* What allocate will ask for, but for the scratch of a reduction. */
static trm_status check_room(const lbm_solver *lbm)
{
  char what[64];
  const uint64_t real_bytes = trm_type_size(trm_real_type(lbm->precision));
  const uint64_t reals = 2 * (uint64_t)lbm->layout.elements +
                         (uint64_t)lbm->leaves * (uint64_t)lbm->slots + 2 * LBM_SLOTS +
                         LBM_BATCH_LIMIT;
  snprintf(what, sizeof what, "a grid of %d x %d cells", lbm->nx, lbm->ny);
  return trm_device_require(lbm->base.device,
                            reals * real_bytes + lbm->solid_layout.elements +
                                lbm->walls_layout.elements * sizeof(uint32_t), what);
}

/* ---- parameters ------------------------------------------------------------ */

#define PACK(to, type) \
  do { \
    LBM_PACK(to, type); \
    (to).rest_pressure = (type)lbm->density / (type)3.0; \
    (to).walls_first = (int)lbm->walls_layout.first; \
    (to).walls_row = (int)lbm->walls_layout.row; \
    (to).accelerated_row = accelerate ? lbm->ny - 2 : -1; \
    (to).part = slot * lbm->leaves; \
  } while (0)

void lbm_pack(const lbm_solver *lbm, int slot, int accelerate, lbm_packed *out, size_t *bytes)
{
  memset(out, 0, sizeof *out);
  if (lbm->precision == TRM_F64) {
    PACK(out->f64, double);
    *bytes = sizeof out->f64;
  } else {
    PACK(out->f32, float);
    *bytes = sizeof out->f32;
  }
}

/* ---- declarations ---------------------------------------------------------- */

/* The derived fields lie in the lattice that the next step overwrites. */
void lbm_place_fields(lbm_solver *lbm)
{
  lbm->fields[0].buffer = lbm->lattice[lbm->current];
  for (int i = 1; i <= 3; i++) lbm->fields[i].buffer = lbm->lattice[!lbm->current];
}

static trm_field field(const lbm_solver *lbm, const char *name, int components, int component,
                       const char *help)
{
  trm_field f = { .name = name, .unit = "lattice", .help = help,
                  .type = trm_real_type(lbm->precision), .components = components,
                  .nx = (size_t)lbm->nx, .ny = (size_t)lbm->ny, .nz = 1, .layout = lbm->layout };
  f.layout.first += (size_t)component * lbm->layout.component;
  return f;
}

static void declare(lbm_solver *lbm)
{
  lbm->fields[0] = field(lbm, "populations", LBM_POPULATIONS, 0,
                         "0 rest, 1 E, 2 N, 3 W, 4 S, 5 NE, 6 NW, 7 SW, 8 SE; post-collision");
  lbm->fields[0].flags = TRM_FIELD_STATE | TRM_FIELD_PERIODIC_X;
  lbm->fields[1] = field(lbm, "velocity", 2, 0, "u_x, u_y; 0 in solid cells");
  lbm->fields[2] = field(lbm, "speed", 1, 2, "|u|");
  lbm->fields[2].in_picture = 1;
  lbm->fields[3] = field(lbm, "pressure", 1, 3, "rho / 3; density / 3 in solid cells");
  lbm->fields[4] = field(lbm, "solid", 1, 0, "1 where the cell is solid");
  lbm->fields[4].unit = "1";
  lbm->fields[4].type = TRM_TYPE_U8;
  lbm->fields[4].buffer = lbm->solid;
  lbm->fields[4].layout = lbm->solid_layout;
  lbm_place_fields(lbm);
  /* lbm_step sums 1.5 times the speed */
  lbm->series[0] = (trm_series){ "mean_speed", "lattice", lbm->sums,
                                 trm_real_type(lbm->precision), 1.5 * (double)lbm->fluid_cells, 0 };
  /* Nine populations and a bit read, nine populations and a leaf's part of a sum written.
   * Operations: 18 for the moments, 50 to relax, 2 for the speed, 1 to sum it. */
  const double cells = (double)lbm->nx * lbm->ny, leaves = lbm->leaves;
  const double real_bytes = (double)trm_type_size(trm_real_type(lbm->precision));
  const double lattice = LBM_POPULATIONS * real_bytes * cells;
  lbm->traffic[0] = (trm_traffic){ "lbm_step", lattice + leaves * (double)sizeof(uint32_t),
                                   lattice + leaves * real_bytes, 71.0 * cells, 1.0 };
  lbm->results[0] = (trm_result){ "reynolds", "1", NAN };
  lbm->results[1] = (trm_result){ "mean_speed", "lattice", NAN };
  lbm->base.fields = lbm->fields;
  lbm->base.field_count = 5;
  lbm->base.series = lbm->series;
  lbm->base.series_count = 1;
  lbm->base.traffic = lbm->traffic;
  lbm->base.traffic_count = 1;
  lbm->base.results = lbm->results;
  lbm->base.result_count = 2;
  lbm->base.cells = cells;
  lbm->base.batch_limit = LBM_BATCH_LIMIT;
  lbm->base.program = trm_program_describe(lbm->program);
}

/* ---- life ------------------------------------------------------------------ */

static trm_status upload(lbm_solver *lbm, const char *name, const void *values, size_t bytes,
                         trm_buffer **out)
{
  TRM_TRY(trm_buffer_create(lbm->base.device, bytes, name, out));
  return trm_buffer_write(*out, 0, bytes, values);
}

/* mask: nx * ny bytes, x fastest. The field's bytes and the step's bits, in their layouts. */
static trm_status upload_solid(lbm_solver *lbm, const uint8_t *mask)
{
  const trm_layout *bytes = &lbm->solid_layout, *words = &lbm->walls_layout;
  const size_t nx = (size_t)lbm->nx, ny = (size_t)lbm->ny;
  uint8_t *solid = calloc(bytes->elements, sizeof *solid);
  uint32_t *walls = calloc(words->elements, sizeof *walls);
  trm_status status = TRM_OK;
  if (!solid || !walls) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the mask of solid cells");
  for (size_t y = 0; y < ny && status == TRM_OK; y++) {
    uint32_t *row = walls + words->first + y * words->row;
    memcpy(solid + bytes->first + y * bytes->row, mask + y * nx, nx);
    for (size_t x = 0; x < nx; x++) row[x / 32] |= (uint32_t)(mask[y * nx + x] != 0) << x % 32;
  }
  if (status == TRM_OK) status = upload(lbm, "solid", solid, bytes->elements, &lbm->solid);
  if (status == TRM_OK)
    status = upload(lbm, "walls", walls, words->elements * sizeof *walls, &lbm->walls);
  free(walls);
  free(solid);
  return status;
}

static trm_status load_solid(lbm_solver *lbm, const trm_config *config)
{
  const size_t nx = (size_t)lbm->nx, ny = (size_t)lbm->ny;
  const char *path = trm_config_string(config, "lbm.obstacles");
  uint8_t *mask = calloc(nx * ny, 1);
  size_t blocked = 0;
  trm_status status = TRM_OK;
  if (!mask) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the mask of solid cells");
  if (status == TRM_OK && *path)
    status = trm_bristol_read_obstacles(path, nx, ny, mask, &blocked);
  if (status == TRM_OK) status = upload_solid(lbm, mask);
  lbm->fluid_cells = nx * ny - blocked;
  free(mask);
  return status;
}

/* Every cell, solid ones too, starts at rest: population k is w_k times the density. */
static trm_status set_rest(lbm_solver *lbm)
{
  static const double weight[LBM_POPULATIONS] = { 4.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0,
    1.0 / 9.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0 };
  const size_t real_bytes = trm_type_size(trm_real_type(lbm->precision));
  const double nothing = 0.0;
  for (int i = 0; i < 2; i++)
    TRM_TRY(trm_buffer_fill(lbm->lattice[i], 0, trm_buffer_bytes(lbm->lattice[i]), &nothing,
                            real_bytes));
  /* from the first row's western ghost to the last row's eastern one */
  const size_t ghosts = lbm->layout.ghosts;
  const size_t span = ((size_t)lbm->ny - 1) * lbm->layout.row + (size_t)lbm->nx + 2 * ghosts;
  for (size_t k = 0; k < LBM_POPULATIONS; k++) {
    const double rest = lbm->density * weight[k];
    const float rest_f32 = (float)rest;
    const void *pattern = lbm->precision == TRM_F64 ? (const void *)&rest : &rest_f32;
    const size_t begin = lbm->layout.first - ghosts + k * lbm->layout.component;
    TRM_TRY(trm_buffer_fill(lbm->lattice[0], begin * real_bytes, span * real_bytes, pattern,
                            real_bytes));
  }
  return TRM_OK;
}

static trm_status allocate(lbm_solver *lbm)
{
  trm_device *device = lbm->base.device;
  const size_t real_bytes = trm_type_size(trm_real_type(lbm->precision));
  size_t bytes, partial;
  TRM_TRY(trm_size_mul(lbm->layout.elements, real_bytes, "a lattice", &bytes));
  TRM_TRY(trm_size_mul((size_t)lbm->leaves * (size_t)lbm->slots, real_bytes, "partial sums",
                       &partial));
  TRM_TRY(trm_buffer_create(device, bytes, "lattice 0", &lbm->lattice[0]));
  TRM_TRY(trm_buffer_create(device, bytes, "lattice 1", &lbm->lattice[1]));
  TRM_TRY(trm_buffer_create(device, partial, "partial sums", &lbm->partial));
  TRM_TRY(trm_buffer_create(device, 2 * LBM_SLOTS * real_bytes, "sums of a sequence",
                            &lbm->window));
  TRM_TRY(trm_buffer_create(device, LBM_BATCH_LIMIT * real_bytes, "mean speed", &lbm->sums));
  return trm_reduction_create(device, TRM_SUM, lbm->precision, (size_t)lbm->leaves,
                              (size_t)lbm->slots, &lbm->fold);
}

static trm_status build(lbm_solver *lbm, const trm_solver_options *run)
{
  const trm_program_options how = { run->precision, run->math, NULL, run->row_group_x,
                                    run->row_group_y, run->group };
  TRM_TRY(trm_program_create(lbm->base.device, &source, &how, &lbm->program));
  TRM_TRY(trm_program_kernel(lbm->program, "lbm_step", &lbm->step));
  TRM_TRY(trm_program_kernel(lbm->program, "lbm_accelerate", &lbm->accelerate));
  return trm_program_kernel(lbm->program, "lbm_observe", &lbm->observe);
}

static void destroy(trm_solver **solver)
{
  if (!solver || !*solver) return;
  lbm_solver *lbm = (lbm_solver *)*solver;
  for (int i = 0; i < LBM_SEQUENCES; i++) trm_sequence_destroy(&lbm->sequences[i]);
  lbm_rung_destroy(&lbm->rung);
  trm_reduction_destroy(&lbm->fold);
  trm_buffer_destroy(&lbm->sums);
  trm_buffer_destroy(&lbm->window);
  trm_buffer_destroy(&lbm->partial);
  trm_buffer_destroy(&lbm->walls);
  trm_buffer_destroy(&lbm->solid);
  trm_buffer_destroy(&lbm->lattice[1]);
  trm_buffer_destroy(&lbm->lattice[0]);
  trm_program_destroy(&lbm->program);
  free(lbm);
  *solver = NULL;
}

static trm_status observe(trm_solver *solver)
{
  lbm_solver *lbm = (lbm_solver *)solver;
  lbm_packed params;
  size_t bytes;
  lbm_pack(lbm, 0, 0, &params, &bytes);
  const trm_extent extent = { lbm->nx, lbm->ny, 1, 0 };
  trm_buffer *const buffers[] = { lbm->lattice[lbm->current], lbm->lattice[!lbm->current],
                                  lbm->solid };
  return trm_kernel_launch(lbm->observe, &extent, &params, bytes, buffers, 3);
}

static trm_status create(trm_device *device, const trm_config *config,
                         const trm_solver_options *run, trm_solver **out)
{
  TRM_TRY(lbm_check_keys(config));
  if (strcmp(trm_config_string(config, "lbm.flow"), "driven") != 0)
    return channel_create(device, config, run, out);
  lbm_solver *lbm = calloc(1, sizeof *lbm);
  if (!lbm) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  trm_solver *solver = &lbm->base;
  solver->type = &trm_solver_lbm;
  solver->device = device;
  lbm->precision = run->precision;
  lbm->nx = (int)trm_config_integer(config, "grid.nx");
  lbm->ny = (int)trm_config_integer(config, "grid.ny");
  lbm->density = trm_config_real(config, "lbm.density");
  lbm->accel = trm_config_real(config, "lbm.accel");
  lbm->omega = trm_config_real(config, "lbm.omega");
  lbm->reynolds_dim = trm_config_real(config, "lbm.reynolds_dim");
  trm_status status = lbm_check_omega(config, "lbm.omega", lbm->omega, lbm->precision);
  if (status == TRM_OK) status = size_up(lbm, config);
  if (status == TRM_OK) status = check_room(lbm);
  if (status == TRM_OK) status = load_solid(lbm, config);
  if (status == TRM_OK) status = allocate(lbm);
  if (status == TRM_OK) status = build(lbm, run);
  if (status == TRM_OK) status = lbm_rung_create(lbm, config, run, &lbm->rung);
  if (status == TRM_OK) status = set_rest(lbm);
  if (status != TRM_OK) {
    destroy(&solver);
    return status;
  }
  declare(lbm);
  status = lbm->rung ? lbm_rung_declare(lbm) : TRM_OK;
  if (status == TRM_OK) *out = solver;
  else destroy(&solver);
  return status;
}

/* Re = u L / nu with nu = (2 / omega - 1) / 6. */
static trm_status finish(trm_solver *solver, const double *series_last)
{
  lbm_solver *lbm = (lbm_solver *)solver;
  const double viscosity = (2.0 / lbm->omega - 1.0) / 6.0;
  lbm->results[0].value = series_last[0] * lbm->reynolds_dim / viscosity;
  lbm->results[1].value = series_last[0];
  return TRM_OK;
}

/* ---- the table, which hands flows between boundaries on to theirs ----------- */

static const trm_solver_type *other(const trm_solver *solver)
{
  return solver->type == &trm_solver_lbm ? NULL : solver->type;
}

static trm_status advance_any(trm_solver *solver, uint64_t max_steps, double t_end, int settle,
                              uint64_t *done)
{
  if (other(solver)) return solver->type->advance(solver, max_steps, t_end, settle, done);
  return lbm_advance(solver, max_steps, t_end, settle, done);
}

static trm_status observe_any(trm_solver *solver)
{
  return other(solver) ? solver->type->observe(solver) : observe(solver);
}

static trm_status finish_any(trm_solver *solver, const double *series_last)
{
  return other(solver) ? solver->type->finish(solver, series_last) : finish(solver, series_last);
}

/* The course's files are those of its own flow. */
static trm_status export_any(trm_solver *solver, const char *folder, double *const *series,
                             size_t step_count)
{
  return other(solver) ? TRM_OK : lbm_export(solver, folder, series, step_count);
}

static void destroy_any(trm_solver **solver)
{
  if (solver && *solver && other(*solver)) (*solver)->type->destroy(solver);
  else destroy(solver);
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
  .files_usage = "PARAMS OBSTACLES",
  .configure = lbm_configure,
  .create = create,
  .advance = advance_any,
  .observe = observe_any,
  .finish = finish_any,
  .export_files = export_any,
  .print = lbm_say,
  .destroy = destroy_any,
  .ladder = &lbm_ladder,
  .size_keys = "grid.nx,grid.ny",
};
