/* channel_memory.c - buffers of a flow between boundaries, and their first values. */
#include "solvers/lbm/channel/channel.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/sharing.h"

/* ---- sizes ------------------------------------------------------------------- */

static const int32_t directions[2 * D2Q9] = { 0, 0, 1, 0, 0, 1, -1, 0, 0, -1,
                                              1, 1, -1, 1, -1, -1, 1, -1 };

static void list_buffers(channel_solver *flow, const channel_marks *marks)
{
  lbm_box *box = &flow->box;
  const trm_type real_type = box->real_type;
  const size_t lattice = box->layout.elements, split = flow->is_split ? lattice : 0;
  const size_t series = (size_t)flow->series_used;
  const trm_framework_buffer list[LBM_BUFFERS] = {
    { &box->lattice[0], "lattice 0", lattice, real_type, 1, NULL },
    { &box->lattice[1], "lattice 1", lattice, real_type, 1, NULL },
    { &flow->feq, "equilibrium", split, real_type, 1, NULL },
    { &flow->macro, "velocity and density", split, real_type, 1, NULL },
    { &box->partial, "forces", (size_t)box->slots * 2 * marks->count + 1, real_type, 1, NULL },
    { &box->window, "window of the series", series * CHANNEL_WINDOW, real_type, 1, NULL },
    { &box->sums, "series", series * LBM_BATCH_LIMIT, real_type, 1, NULL },
    { &flow->statistics, "statistics", SHED_VALUES, real_type, 1, NULL },
    { &box->solid, "solid", box->solid_layout.elements, TRM_TYPE_U8, 1, NULL },
    { &box->walls, "walls", box->walls_layout.elements, TRM_TYPE_I32, 1, NULL },
    { &flow->marked, "marks", flow->marks_layout.elements, TRM_TYPE_I32, 1, NULL },
    { &flow->mark_flags, "flags of marks", marks->count + 1, TRM_TYPE_I32, 0, marks->mark_flags },
    { &flow->links, "links", marks->links ? CHANNEL_LINK_REALS * marks->count + 1 : 0, real_type,
      0, marks->links },
    { &flow->directions, "directions", flow->is_split ? 2 * D2Q9 : 0, TRM_TYPE_I32, 0,
      directions },
    { &flow->inlet, "inflow", flow->is_geneva ? (size_t)box->ny : 0, real_type, 0, NULL },
  };
  memcpy(box->memory, list, sizeof list);
}

static void fill_params(channel_solver *flow)
{
  const lbm_box *box = &flow->box;
  channel_params *p = &flow->p;
  p->first = (int)box->layout.first;
  p->row = (int)box->layout.row;
  p->component = (int)box->layout.component;
  p->flags_first = (int)box->solid_layout.first;
  p->flags_row = (int)box->solid_layout.row;
  p->walls_first = (int)box->walls_layout.first;
  p->walls_row = (int)box->walls_layout.row;
  p->marks_first = (int)flow->marks_layout.first;
  p->marks_row = (int)flow->marks_layout.row;
  p->ranks = (int)flow->marks_layout.component;
}

/* The forces that wait stay below 16 MiB. On parts of a run, all forces go to the part that folds
 * them. There they are at most an eighth of a part's lattices. */
static int choose_slots(const lbm_box *box, const channel_marks *marks)
{
  const trm_device *device = box->base.device;
  const size_t step = (2 * marks->count + 1) * trm_type_size(box->real_type);
  const size_t parts = trm_device_is_part(device) ? trm_device_parts(device, 0, NULL) : 0;
  const size_t lattice = box->layout.elements * trm_type_size(box->real_type);
  int slots = lbm_slots(step, (size_t)16 << 20);
  while (slots > 2 && 4 * parts * (size_t)slots * step > lattice) slots /= 2;
  return slots;
}

trm_status channel_size_up(channel_solver *flow, const trm_config *config,
                           const channel_marks *marks)
{
  lbm_box *box = &flow->box;
  TRM_TRY(lbm_lay_out(box, config));
  TRM_TRY(trm_layout_rows(box->base.device, TRM_TYPE_I32, ((size_t)box->nx + 31) / 32,
                          (size_t)box->ny, 1, 2, &flow->marks_layout));
  if (flow->marks_layout.elements > INT_MAX || marks->count > INT_MAX / CHANNEL_LINK_REALS)
    return lbm_too_large(box, config);
  box->slots = choose_slots(box, marks);
  if ((size_t)box->slots * 2 * marks->count > INT_MAX) return lbm_too_large(box, config);
  flow->p.marks = (int)marks->count;
  fill_params(flow);
  list_buffers(flow, marks);
  return TRM_OK;
}

/* ---- buffers ------------------------------------------------------------------- */

/* Some rows at once; words beside the cells' stay zeros. */
static trm_status upload_marks(channel_solver *flow, const channel_marks *marks)
{
  enum { ROWS = 256 };
  const trm_layout *layout = &flow->marks_layout;
  const size_t words = ((size_t)flow->box.nx + 31) / 32, ny = (size_t)flow->box.ny;
  const uint32_t *const parts[] = { marks->bits, marks->ranks };
  const size_t size = sizeof **parts;
  trm_status status = TRM_OK;
  uint32_t *some = calloc(ROWS * layout->row, size);
  if (!some) return TRM_FAIL(NO_HOST_MEMORY, "no memory for marks");
  for (size_t part = 0; part < 2; part++)
    for (size_t y = 0, rows; y < ny && status == TRM_OK; y += rows) {
      rows = ny - y < ROWS ? ny - y : ROWS;
      const size_t begin = layout->first + part * layout->component + y * layout->row;
      if (!trm_buffer_takes(flow->marked, begin * size, rows * layout->row * size)) continue;
      for (size_t r = 0; r < rows; r++)
        memcpy(some + r * layout->row, parts[part] + (y + r) * words, words * size);
      status = trm_buffer_write(flow->marked, begin * size,
                                ((rows - 1) * layout->row + words) * size, some);
    }
  free(some);
  return status;
}

static trm_status upload_inlet(channel_solver *flow, const channel_scene *scene)
{
  const size_t ny = (size_t)scene->ny;
  if (!flow->is_geneva) return TRM_OK;
  double *speeds = calloc(ny, sizeof *speeds);
  if (!speeds) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the inflow");
  for (int y = 0; y < scene->ny; y++) speeds[y] = channel_inflow(scene, y + 0.5, y);
  const trm_status status = trm_framework_write_reals(flow->inlet, flow->box.real_type, 0, speeds,
                                                      ny);
  free(speeds);
  return status;
}

trm_status channel_allocate(channel_solver *flow, const channel_scene *scene,
                            const channel_marks *marks)
{
  lbm_box *box = &flow->box;
  TRM_TRY(lbm_create_buffers(box));
  TRM_TRY(channel_share_out(flow, scene, marks));
  TRM_TRY(trm_framework_write_first(box->memory, LBM_BUFFERS));
  TRM_TRY(lbm_upload_solid(box, scene->solid));
  TRM_TRY(upload_marks(flow, marks));
  TRM_TRY(upload_inlet(flow, scene));
  if (!flow->p.has_forces) return TRM_OK;
  const trm_precision precision = box->real_type == TRM_TYPE_F64 ? TRM_F64 : TRM_F32;
  return trm_reduction_create(box->base.device, TRM_SUM, precision, marks->count,
                              (size_t)box->slots, &box->fold);
}

/* The lattice was made of zeros. */
trm_status channel_set_rows(channel_solver *flow, int first, int rows, const double *values)
{
  const lbm_box *box = &flow->box;
  trm_framework_shape grid = { box->real_type, box->nx, rows, 1, D2Q9, box->layout };
  const double *components[D2Q9];
  grid.layout.first += (size_t)first * box->layout.row;
  grid.layout.elements = 0;
  for (size_t k = 0; k < D2Q9; k++)
    components[k] = values + k * (size_t)box->nx * (size_t)rows;
  return trm_framework_upload_arrays(box->lattice[0], &grid, components);
}

trm_status channel_restore(lbm_box *box)
{
  trm_field last = box->fields[0], beyond;
  size_t bytes;
  if (!((channel_solver *)box)->is_geneva || box->layout.ghosts == 0) return TRM_OK;
  last.nx = 1;
  last.flags = 0;
  beyond = last;
  last.layout.first += (size_t)box->nx - 1;
  beyond.layout.first += (size_t)box->nx;
  TRM_TRY(trm_field_elements(&last, &bytes));
  void *column = malloc(bytes * trm_type_size(last.type));
  if (!column) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the last column");
  trm_status status = trm_field_read(&last, column);
  if (status == TRM_OK) status = trm_field_write(&beyond, column);
  free(column);
  return status;
}
