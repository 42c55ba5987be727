/* box.c - the life of a flow, its memory, and the declarations that flows share (box.h). */
#include "solvers/lbm/box.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "core/sharing.h"
#include "io/bristol.h"

const double lbm_weight[D2Q9] = { 4.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0,
                                  1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0 };

/* ---- life ------------------------------------------------------------------ */

void lbm_box_destroy(trm_solver **solver)
{
  if (!solver || !*solver) return;
  lbm_box *box = (lbm_box *)*solver;
  trm_framework_stepper_clear(&box->stepper);
  if (box->flow->release) box->flow->release(box);
  trm_reduction_destroy(&box->fold);
  trm_framework_release(box->memory, LBM_BUFFERS);
  trm_framework_program_destroy(&box->program);
  free(box);
  *solver = NULL;
}

trm_status lbm_box_create(const lbm_flow *flow, trm_device *device, const trm_config *config,
                          const trm_solver_options *run, trm_solver **out)
{
  lbm_box *box = calloc(1, flow->bytes);
  if (!box) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  trm_solver *solver = &box->base;
  solver->type = &trm_solver_lbm;
  solver->device = device;
  box->flow = flow;
  if (!flow->export_files) box->base.unexported = "its lbm.flow is not driven";
  box->real_type = trm_real_type(run->precision);
  box->nx = (int)trm_config_integer(config, "grid.nx");
  box->ny = (int)trm_config_integer(config, "grid.ny");
  box->omega = trm_config_real(config, "lbm.omega");
  box->reynolds_dim = trm_config_real(config, "lbm.reynolds_dim");
  box->step_time = 1.0;
  const trm_status status = (int64_t)box->nx * box->ny > INT_MAX ? lbm_too_large(box, config)
                                                                 : flow->set_up(box, config, run);
  if (status == TRM_OK) *out = solver;
  else lbm_box_destroy(&solver);
  return status;
}

/* The derived fields lie in the lattice that the next step overwrites. */
static void place_fields(lbm_box *box)
{
  for (size_t i = 0; i + 1 < box->base.field_count; i++)
    box->fields[i].buffer = box->lattice[i == 0 ? box->current : !box->current];
}

trm_status lbm_box_advance(trm_solver *solver, uint64_t max_steps, double t_end, int sync_state,
                           uint64_t *done)
{
  lbm_box *box = (lbm_box *)solver;
  const uint64_t most = max_steps < LBM_BATCH_LIMIT ? max_steps : LBM_BATCH_LIMIT;
  const uint64_t count = trm_framework_steps_until(solver->step, box->step_time, t_end, most);
  TRM_TRY(trm_framework_check_end(t_end));
  if (count > 0) TRM_TRY(box->flow->steps(box, count, sync_state));
  solver->step += count;
  solver->time = trm_framework_time_of(solver->step, box->step_time, t_end);
  place_fields(box);
  *done = count;
  return TRM_OK;
}

trm_status lbm_box_restore(trm_solver *solver, uint64_t step, double time)
{
  lbm_box *box = (lbm_box *)solver;
  solver->step = step;
  solver->time = time;
  return box->flow->restore ? box->flow->restore(box) : TRM_OK;
}

/* ---- memory ---------------------------------------------------------------- */

trm_status lbm_too_large(const lbm_box *box, const trm_config *config)
{
  return TRM_FAIL(INPUT, "%s: a grid of %d x %d cells is too large: a population must stay below "
                  "2^31 elements; make nx or ny smaller", trm_config_origin(config, "grid.nx"),
                  box->nx, box->ny);
}

trm_status lbm_lay_out(lbm_box *box, const trm_config *config)
{
  const trm_device *device = box->base.device;
  const size_t nx = (size_t)box->nx, ny = (size_t)box->ny;
  TRM_TRY(trm_layout_rows(device, box->real_type, nx, ny, 1, D2Q9, &box->layout));
  TRM_TRY(trm_layout_rows(device, TRM_TYPE_U8, nx, ny, 1, 1, &box->solid_layout));
  TRM_TRY(trm_layout_rows(device, TRM_TYPE_I32, (nx + 31) / 32, ny, 1, 1, &box->walls_layout));
  return box->layout.component > INT_MAX || box->solid_layout.elements > INT_MAX
           ? lbm_too_large(box, config) : TRM_OK;
}

int lbm_slots(size_t step_bytes, size_t most)
{
  int slots = LBM_SLOTS;
  while (slots > 2 && (size_t)slots * step_bytes > most) slots /= 2;
  return slots;
}

trm_status lbm_create_buffers(lbm_box *box)
{
  char what[64];
  snprintf(what, sizeof what, "a grid of %d x %d cells", box->nx, box->ny);
  return trm_framework_create_buffers(box->base.device, box->memory, LBM_BUFFERS, what);
}

trm_status lbm_share_walls(const lbm_box *box)
{
  trm_by_rows rows = { .type = TRM_TYPE_I32, .nx = ((size_t)box->nx + 31) / 32,
                       .ny = (size_t)box->ny, .nz = 1, .components = 1,
                       .layout = box->walls_layout };
  TRM_TRY(trm_buffer_rows(box->walls, &rows));
  rows.type = TRM_TYPE_U8;
  rows.nx = (size_t)box->nx;
  rows.layout = box->solid_layout;
  return trm_buffer_rows(box->solid, &rows);
}

trm_status lbm_share_lattice(const lbm_box *box, trm_buffer *buffer, int is_repeated)
{
  const trm_by_rows rows = { .type = box->real_type, .nx = (size_t)box->nx, .ny = (size_t)box->ny,
                             .nz = 1, .components = D2Q9, .layout = box->layout,
                             .is_repeated = is_repeated };
  return trm_buffer_rows(buffer, &rows);
}

trm_status lbm_share_lattices(const lbm_box *box, int is_repeated)
{
  for (int i = 0; i < 2; i++) TRM_TRY(lbm_share_lattice(box, box->lattice[i], is_repeated));
  return TRM_OK;
}

/* A cell is solid where the obstacle's cell at its centre is, or one whose centre lies in it: a
 * thin wall stays closed in a coarser grid. */
static void scale(const uint8_t *from, size_t fx, size_t fy, uint8_t *to, size_t nx, size_t ny)
{
  for (size_t y = 0; y < ny; y++)
    for (size_t x = 0; x < nx; x++)
      to[y * nx + x] = from[(2 * y + 1) * fy / (2 * ny) * fx + (2 * x + 1) * fx / (2 * nx)];
  for (size_t y = 0; y < fy; y++)
    for (size_t x = 0; x < fx; x++)
      to[(2 * y + 1) * ny / (2 * fy) * nx + (2 * x + 1) * nx / (2 * fx)] |= from[y * fx + x];
}

trm_status lbm_read_obstacles(const trm_config *config, size_t nx, size_t ny, uint8_t *solid,
                              size_t *blocked)
{
  const char *path = trm_config_string(config, "lbm.obstacles");
  const char *grid = trm_config_string(config, "lbm.obstacles_grid");
  int64_t of[2];
  static const trm_option_need need = { "lbm.obstacles_grid", "lbm.obstacles", NULL };
  *blocked = 0;
  TRM_TRY(trm_config_check_needs(config, &need, 1));
  if (!*path) return TRM_OK;
  if (!*grid) return trm_bristol_read_obstacles(path, nx, ny, solid, blocked);
  const int is_shape = trm_shape(grid, of, 2) == 2 && of[0] > 0 && of[1] > 0 &&
                       of[0] < 1000000 && of[1] < 1000000;
  const size_t fx = is_shape ? (size_t)of[0] : 0, fy = is_shape ? (size_t)of[1] : 0;
  if (!is_shape)
    return TRM_FAIL(INPUT, "%s: lbm.obstacles_grid = \"%s\" is not a grid; write its cells along x "
                    "and y, such as 128x128", trm_config_origin(config, "lbm.obstacles_grid"),
                    grid);
  uint8_t *mask = calloc(fx * fy, 1);
  if (!mask) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the obstacles of '%s'", path);
  const trm_status status = trm_bristol_read_obstacles(path, fx, fy, mask, blocked);
  if (status == TRM_OK) scale(mask, fx, fy, solid, nx, ny);
  free(mask);
  TRM_TRY(status);
  *blocked = 0;
  for (size_t i = 0; i < nx * ny; i++) *blocked += solid[i];
  return *blocked < nx * ny ? TRM_OK
         : TRM_FAIL(INPUT, "%s: scaled from %s to %zu x %zu, the obstacles leave no fluid cell; "
                    "give the grid more cells", path, grid, nx, ny);
}

/* Some rows at once; columns beside the cells stay zeros. */
trm_status lbm_upload_solid(lbm_box *box, const uint8_t *mask)
{
  enum { ROWS = 64 };
  const trm_layout *bytes = &box->solid_layout, *words = &box->walls_layout;
  const size_t nx = (size_t)box->nx, ny = (size_t)box->ny, size = sizeof(uint32_t);
  uint32_t *walls = malloc(ROWS * words->row * size);
  uint8_t *solid = calloc(ROWS, bytes->row);
  trm_status status = TRM_OK;
  if (!solid || !walls) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the mask of solid cells");
  for (size_t y = 0, rows; y < ny && status == TRM_OK; y += rows) {
    rows = ny - y < ROWS ? ny - y : ROWS;
    if (!trm_buffer_takes(box->solid, bytes->first + y * bytes->row, rows * bytes->row)) continue;
    memset(walls, 0, ROWS * words->row * size);
    for (size_t r = 0; r < rows; r++) {
      uint32_t *row = walls + r * words->row;
      memcpy(solid + r * bytes->row, mask + (y + r) * nx, nx);
      for (size_t x = 0; x < nx; x++)
        row[x / 32] |= (uint32_t)(mask[(y + r) * nx + x] != 0) << x % 32;
    }
    status = trm_buffer_write(box->solid, bytes->first + y * bytes->row,
                              (rows - 1) * bytes->row + nx, solid);
    if (status == TRM_OK)
      status = trm_buffer_write(box->walls, (words->first + y * words->row) * size,
                                ((rows - 1) * words->row + (nx + 31) / 32) * size, walls);
  }
  free(walls);
  free(solid);
  return status;
}

/* ---- declarations ---------------------------------------------------------- */

trm_field *lbm_declare(lbm_box *box, const char *name, int components, int component,
                       const char *help)
{
  trm_field *field = &box->fields[box->base.field_count++];
  *field = (trm_field){ .name = name, .unit = "lattice", .help = help, .type = box->real_type,
                        .components = components, .nx = (size_t)box->nx, .ny = (size_t)box->ny,
                        .nz = 1, .layout = box->layout };
  field->layout.first += (size_t)component * box->layout.component;
  return field;
}

void lbm_declare_box(lbm_box *box)
{
  trm_field *solid = lbm_declare(box, "solid", 1, 0, "1 where the cell is solid");
  solid->unit = "1";
  solid->type = TRM_TYPE_U8;
  solid->buffer = box->solid;
  solid->layout = box->solid_layout;
  place_fields(box);
  box->base.fields = box->fields;
  box->base.cells = (double)box->nx * box->ny;
  box->base.batch_limit = LBM_BATCH_LIMIT;
  box->base.program = trm_program_describe(box->program.program);
}
