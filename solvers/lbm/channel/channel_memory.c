/* channel_memory.c - buffers of a flow between boundaries and what is put into them at the
 * start. */
#include "solvers/lbm/channel/channel.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t real_size(const channel_solver *flow)
{
  return trm_type_size(trm_real_type(flow->precision));
}

/* ---- sizes ------------------------------------------------------------------- */

static trm_status too_large(const channel_solver *flow, const trm_config *config)
{
  return TRM_FAIL(INPUT, "%s: a grid of %d x %d cells is too large: a population must stay below "
                  "2^31 elements; make nx or ny smaller", trm_config_origin(config, "grid.nx"),
                  flow->nx, flow->ny);
}

static trm_status check_room(const channel_solver *flow, const channel_marks *marks)
{
  char what[64];
  const uint64_t reals = (flow->is_split ? 4u : 2u) * (uint64_t)flow->layout.elements +
                         (uint64_t)flow->slots * 2 * marks->count +
                         CHANNEL_LINK_REALS * marks->count +
                         (uint64_t)flow->series_used * (CHANNEL_BATCH + CHANNEL_WINDOW);
  snprintf(what, sizeof what, "a grid of %d x %d cells", flow->nx, flow->ny);
  return trm_device_require(flow->base.device,
                            reals * real_size(flow) + flow->flags_layout.elements +
                              3 * flow->marks_layout.elements * sizeof(uint32_t), what);
}

trm_status channel_size_up(channel_solver *flow, const trm_config *config,
                           const channel_marks *marks)
{
  const trm_device *device = flow->base.device;
  const size_t nx = (size_t)flow->nx, ny = (size_t)flow->ny, words = (nx + 31) / 32;
  TRM_TRY(trm_layout_rows(device, trm_real_type(flow->precision), nx, ny, 1, LBM_POPULATIONS,
                          &flow->layout));
  TRM_TRY(trm_layout_rows(device, TRM_TYPE_U8, nx, ny, 1, 1, &flow->flags_layout));
  TRM_TRY(trm_layout_rows(device, TRM_TYPE_I32, words, ny, 1, 1, &flow->walls_layout));
  TRM_TRY(trm_layout_rows(device, TRM_TYPE_I32, words, ny, 1, 2, &flow->marks_layout));
  if (flow->layout.component > INT_MAX || flow->marks_layout.elements > INT_MAX ||
      marks->count > INT_MAX / CHANNEL_LINK_REALS)
    return too_large(flow, config);
  /* The forces that wait stay below 16 MiB. */
  const size_t step_bytes = (2 * marks->count + 1) * real_size(flow);
  for (flow->slots = CHANNEL_SLOTS;
       flow->slots > 2 && (size_t)flow->slots * step_bytes > (size_t)16 << 20;)
    flow->slots /= 2;
  if ((size_t)flow->slots * 2 * marks->count > INT_MAX) return too_large(flow, config);
  flow->marks = (int)marks->count;
  return check_room(flow, marks);
}

/* ---- buffers ------------------------------------------------------------------- */

static trm_status zeroed(const channel_solver *flow, size_t bytes, const char *name,
                         trm_buffer **out)
{
  const uint32_t nothing = 0;
  TRM_TRY(trm_buffer_create(flow->base.device, bytes, name, out));
  return trm_buffer_fill(*out, 0, bytes, &nothing, sizeof nothing);
}

static trm_status upload(const channel_solver *flow, const void *values, size_t bytes,
                         const char *name, trm_buffer **out)
{
  TRM_TRY(trm_buffer_create(flow->base.device, bytes, name, out));
  return trm_buffer_write(*out, 0, bytes, values);
}

/* Doubles as the run's reals. */
static trm_status upload_reals(const channel_solver *flow, const double *values, size_t count,
                               const char *name, trm_buffer **out)
{
  if (flow->precision == TRM_F64) return upload(flow, values, count * sizeof *values, name, out);
  float *rounded = malloc(count * sizeof *rounded);
  if (!rounded) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu values of %s", count, name);
  for (size_t i = 0; i < count; i++) rounded[i] = (float)values[i];
  const trm_status status = upload(flow, rounded, count * sizeof *rounded, name, out);
  free(rounded);
  return status;
}

/* Solid cells as bytes, for the field, and as bits. */
static trm_status upload_solid(channel_solver *flow, const channel_scene *scene)
{
  const trm_layout *bytes = &flow->flags_layout, *words = &flow->walls_layout;
  const size_t nx = (size_t)flow->nx;
  uint8_t *flags = calloc(bytes->elements, sizeof *flags);
  uint32_t *walls = calloc(words->elements, sizeof *walls);
  trm_status status = TRM_OK;
  if (!flags || !walls) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the mask of solid cells");
  for (size_t y = 0; y < (size_t)flow->ny && status == TRM_OK; y++) {
    uint32_t *row = walls + words->first + y * words->row;
    memcpy(flags + bytes->first + y * bytes->row, scene->solid + y * nx, nx);
    for (size_t x = 0; x < nx; x++) row[x / 32] |= (uint32_t)scene->solid[y * nx + x] << x % 32;
  }
  if (status == TRM_OK) status = upload(flow, flags, bytes->elements, "solid", &flow->flags);
  if (status == TRM_OK)
    status = upload(flow, walls, words->elements * sizeof *walls, "walls", &flow->walls);
  free(walls);
  free(flags);
  return status;
}

static trm_status upload_marks(channel_solver *flow, const channel_marks *marks)
{
  const trm_layout *layout = &flow->marks_layout;
  const size_t row_words = ((size_t)flow->nx + 31) / 32;
  uint32_t *words = calloc(layout->elements, sizeof *words);
  if (!words) return TRM_FAIL(NO_HOST_MEMORY, "no memory for marks");
  for (size_t y = 0; y < (size_t)flow->ny; y++) {
    uint32_t *row = words + layout->first + y * layout->row;
    memcpy(row, marks->bits + y * row_words, row_words * sizeof *row);
    memcpy(row + layout->component, marks->ranks + y * row_words, row_words * sizeof *row);
  }
  const trm_status status = upload(flow, words, layout->elements * sizeof *words, "marks",
                                   &flow->marked);
  free(words);
  TRM_TRY(status);
  TRM_TRY(upload(flow, marks->notes, (marks->count + 1) * sizeof *marks->notes, "notes of marks",
                 &flow->notes));
  if (!marks->links) return TRM_OK;
  return upload_reals(flow, marks->links, CHANNEL_LINK_REALS * marks->count + 1, "links",
                      &flow->links);
}

static trm_status upload_inlet(channel_solver *flow, const channel_scene *scene)
{
  double *speeds = calloc((size_t)flow->ny, sizeof *speeds);
  if (!speeds) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the inflow");
  for (int y = 0; y < flow->ny; y++) speeds[y] = channel_inflow(scene, y + 0.5, y);
  const trm_status status = upload_reals(flow, speeds, (size_t)flow->ny, "inflow", &flow->inlet);
  free(speeds);
  return status;
}

trm_status channel_allocate(channel_solver *flow, const channel_scene *scene,
                            const channel_marks *marks)
{
  const size_t size = real_size(flow), lattice = flow->layout.elements * size;
  const size_t series = (size_t)flow->series_used;
  TRM_TRY(zeroed(flow, lattice, "lattice 0", &flow->lattice[0]));
  TRM_TRY(zeroed(flow, lattice, "lattice 1", &flow->lattice[1]));
  if (flow->is_split) {
    TRM_TRY(zeroed(flow, lattice, "equilibrium", &flow->feq));
    TRM_TRY(zeroed(flow, lattice, "velocity and density", &flow->macro));
  }
  TRM_TRY(zeroed(flow, ((size_t)flow->slots * 2 * marks->count + 1) * size, "forces", &flow->part));
  TRM_TRY(zeroed(flow, series * CHANNEL_WINDOW * size, "window of the series", &flow->window));
  TRM_TRY(zeroed(flow, series * CHANNEL_BATCH * size, "series", &flow->values));
  TRM_TRY(zeroed(flow, SHED_VALUES * size, "statistics", &flow->statistics));
  TRM_TRY(upload_solid(flow, scene));
  TRM_TRY(upload_marks(flow, marks));
  if (flow->is_geneva) TRM_TRY(upload_inlet(flow, scene));
  if (!flow->has_forces) return TRM_OK;
  return trm_reduction_create(flow->base.device, TRM_SUM, flow->precision, marks->count,
                              (size_t)flow->slots, &flow->fold);
}

/* ---- the state -------------------------------------------------------------------- */

static void put(const channel_solver *flow, void *to, size_t at, double value)
{
  if (flow->precision == TRM_F64) ((double *)to)[at] = value;
  else ((float *)to)[at] = (float)value;
}

trm_status channel_set_state(channel_solver *flow, const double *values)
{
  const trm_layout *layout = &flow->layout;
  const size_t nx = (size_t)flow->nx, ny = (size_t)flow->ny, size = real_size(flow);
  const int ghosts = trm_device_describe(flow->base.device)->ghost_columns;
  void *state = calloc(layout->elements, size);
  if (!state) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the first state");
  for (size_t k = 0; k < LBM_POPULATIONS; k++)
    for (size_t y = 0; y < ny; y++) {
      const double *row = values + (k * ny + y) * nx;
      const size_t first = layout->first + k * layout->component + y * layout->row;
      for (size_t x = 0; x < nx; x++) put(flow, state, first + x, row[x]);
      if (ghosts) {
        put(flow, state, first - 1, row[nx - 1]);
        put(flow, state, first + nx, row[0]);
      }
    }
  const trm_status status = trm_buffer_write(flow->lattice[0], 0, layout->elements * size, state);
  free(state);
  return status;
}
