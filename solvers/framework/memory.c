/* memory.c - a list of buffers, and their values before the first step. */
#include <config.h>

#include "core/host_work.h"
#include "core/sharing.h"
#include "solvers/framework/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list -------------------------------------------------------------- */

trm_status trm_framework_bytes(const trm_framework_buffer *list, size_t count, uint64_t *bytes)
{
  size_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    size_t one;
    TRM_TRY(trm_size_mul(list[i].count, trm_type_size(list[i].type), list[i].name, &one));
    TRM_TRY(trm_size_add(sum, one, list[i].name, &sum));
  }
  *bytes = sum;
  return TRM_OK;
}

static int is_real(trm_type type) { return type == TRM_TYPE_F32 || type == TRM_TYPE_F64; }

static trm_status make(trm_device *device, const trm_framework_buffer *one)
{
  const size_t bytes = one->count * trm_type_size(one->type);
  const uint64_t nothing = 0;
  if (one->count == 0) return TRM_OK;
  TRM_TRY(trm_buffer_create(device, bytes, one->name, one->buffer));
  return one->is_zero ? trm_buffer_fill(*one->buffer, 0, bytes, &nothing, bytes / one->count)
                      : TRM_OK;
}

trm_status trm_framework_write_first(const trm_framework_buffer *list, size_t count)
{
  for (const trm_framework_buffer *one = list; one < list + count; one++) {
    if (one->count == 0 || one->is_zero || !one->first) continue;
    TRM_TRY(is_real(one->type)
              ? trm_framework_write_reals(*one->buffer, one->type, 0, one->first, one->count)
              : trm_buffer_write(*one->buffer, 0, one->count * trm_type_size(one->type),
                                 one->first));
  }
  return TRM_OK;
}

static trm_status make_all(trm_device *device, const trm_framework_buffer *list, size_t count,
                           const char *what)
{
  uint64_t bytes;
  TRM_TRY(trm_framework_bytes(list, count, &bytes));
  TRM_TRY(trm_device_require(device, bytes, what));
  for (size_t i = 0; i < count; i++) TRM_TRY(make(device, &list[i]));
  return TRM_OK;
}

trm_status trm_framework_create_buffers(trm_device *device, const trm_framework_buffer *list,
                                  size_t count, const char *what)
{
  return trm_device_agree(device, make_all(device, list, count, what));
}

trm_status trm_framework_allocate(trm_device *device, const trm_framework_buffer *list,
                                  size_t count, const char *what)
{
  TRM_TRY(trm_framework_create_buffers(device, list, count, what));
  return trm_framework_write_first(list, count);
}

void trm_framework_release(const trm_framework_buffer *list, size_t count)
{
  while (count-- > 0) trm_buffer_destroy(list[count].buffer);
}

/* ---- several devices --------------------------------------------------------- */

trm_status trm_framework_by_rows(trm_buffer *buffer, const trm_framework_shape *shape)
{
  const trm_by_rows rows = { .type = shape->type, .nx = (size_t)shape->nx, .ny = (size_t)shape->ny,
                             .nz = (size_t)shape->nz, .components = (size_t)shape->components,
                             .layout = shape->layout };
  return trm_buffer_rows(buffer, &rows);
}

trm_status trm_framework_leaves_by_rows(trm_buffer *buffer, trm_type type, int nx, int ny, int nz,
                                        size_t slots)
{
  const size_t each = ((size_t)nx + 31) / 32, all = each * (size_t)ny * (size_t)nz;
  const trm_by_rows rows = { .type = type, .nx = each, .ny = (size_t)ny, .nz = (size_t)nz,
                             .components = slots, .is_output = 1,
                             .layout = { .row = each, .component = all, .elements = slots * all } };
  return trm_buffer_rows(buffer, &rows);
}

trm_status trm_framework_count_hosts(const trm_device *device, size_t *hosts, size_t *all)
{
  const size_t count = trm_device_parts(device, 0, NULL);
  trm_device_part *parts = calloc(count + 1, sizeof *parts);
  if (!parts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu devices", count);
  *hosts = 0;
  *all = trm_device_parts(device, count, parts);
  for (size_t i = 0; i < count; i++) *hosts += parts[i].info->is_host != 0;
  free(parts);
  return TRM_OK;
}

void trm_framework_name_several(const trm_device *device, trm_framework_several *out)
{
  trm_device_part first = { .node = "" };
  (void)trm_device_parts(device, 1, &first);
  snprintf(out->named, sizeof out->named, "%s were named", trm_device_describe(device)->name);
  out->cure = first.node[0] ? "start it without mpirun" : "name one";
}

/* ---- reals ------------------------------------------------------------------- */

/* Doubles to be rounded to floats; a part is some tens of microseconds. */
enum { PART = 1 << 14 };
typedef struct rounding { const double *from; float *to; size_t count; } rounding;

static trm_status round_part(void *user, size_t i, int thread)
{
  const rounding *r = user;
  const size_t end = (i + 1) * PART < r->count ? (i + 1) * PART : r->count;
  (void)thread;
  for (size_t k = i * PART; k < end; k++) r->to[k] = (float)r->from[k];
  return TRM_OK;
}

/* Some megabytes of them at once. */
trm_status trm_framework_write_reals(trm_buffer *to, trm_type type, size_t at, const double *values,
                                     size_t count)
{
  enum { MOST = 64 * PART };
  const size_t size = trm_type_size(type);
  trm_status status = TRM_OK;
  if (type == TRM_TYPE_F64) return trm_buffer_write(to, at * size, count * size, values);
  float *rounded = malloc((count < MOST ? count : MOST) * size);
  if (!rounded) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu values", count);
  for (size_t done = 0, some; done < count && status == TRM_OK; done += some) {
    some = count - done < MOST ? count - done : MOST;
    if (!trm_buffer_takes(to, (at + done) * size, some * size)) continue;
    rounding all = { values + done, rounded, some };
    status = trm_device_host_each(trm_buffer_device(to), (some + PART - 1) / PART, round_part,
                                  &all);
    if (status == TRM_OK)
      status = trm_buffer_write(to, (at + done) * size, some * size, rounded);
  }
  free(rounded);
  return status;
}

/* The floats are widened where they lie, the last one first. */
trm_status trm_framework_read_reals(trm_buffer *from, trm_type type, size_t at, double *values,
                                    size_t count)
{
  const size_t size = trm_type_size(type);
  TRM_TRY(trm_buffer_read(from, at * size, count * size, values));
  for (size_t i = type == TRM_TYPE_F32 ? count : 0; i-- > 0;) {
    float value;
    memcpy(&value, (const unsigned char *)values + i * size, size);
    values[i] = (double)value;
  }
  return TRM_OK;
}

/* ---- the first state --------------------------------------------------------- */

static void put(trm_type type, void *to, size_t at, const double *values, size_t count)
{
  if (type == TRM_TYPE_F64) memcpy((double *)to + at, values, count * sizeof *values);
  else if (type == TRM_TYPE_F32)
    for (size_t i = 0; i < count; i++) ((float *)to)[at + i] = (float)values[i];
  else
    for (size_t i = 0; i < count; i++) ((uint8_t *)to)[at + i] = values[i] != 0.0;
}

/* A row of cells at element `first`, and its ghosts. */
static void put_row(const trm_framework_shape *shape, const double *row, size_t first, void *to)
{
  const size_t ghosts = shape->layout.ghosts, nx = (size_t)shape->nx;
  put(shape->type, to, first, row, nx);
  for (size_t g = 0; g < ghosts; g++) {
    put(shape->type, to, first - 1 - g, &row[nx - 1 - g % nx], 1);
    put(shape->type, to, first + nx + g, &row[g % nx], 1);
  }
}

/* The values of a row, that of cell `at`: those that lie somewhere, or in `room`. */
typedef const double *row_source(const void *user, trm_framework_cell at, double *room);

/* The rows of a component go through some of the host's memory, of which there may be little beside
 * the buffers: `values` has room for `most` of them with their ghosts, and zeros between. */
static trm_status upload_component(trm_buffer *to, const trm_framework_shape *shape,
                                   row_source *source, const void *user, int component,
                                   double *room, void *values, size_t most)
{
  const trm_layout *l = &shape->layout;
  const size_t ny = (size_t)shape->ny, all = ny * (size_t)shape->nz;
  const size_t size = trm_type_size(shape->type), width = (size_t)shape->nx + 2 * l->ghosts;
  const size_t first = l->first + (size_t)component * l->component - l->ghosts;
  for (size_t row = 0, rows; row < all; row += rows) {
    rows = all - row < most ? all - row : most;
    if (!trm_buffer_takes(to, (first + row * l->row) * size, rows * l->row * size)) continue;
    for (size_t r = 0; r < rows; r++) {
      if (!trm_buffer_takes(to, (first + (row + r) * l->row) * size, width * size)) continue;
      const trm_framework_cell at = { component, 0, (int)((row + r) % ny), (int)((row + r) / ny) };
      put_row(shape, source(user, at, room), r * l->row + l->ghosts, values);
    }
    TRM_TRY(trm_buffer_write(to, (first + row * l->row) * size,
                             ((rows - 1) * l->row + width) * size, values));
  }
  return TRM_OK;
}

static trm_status upload_rows(trm_buffer *to, const trm_framework_shape *shape, row_source *source,
                              const void *user)
{
  enum { PART_BYTES = 1 << 20 };
  const size_t size = trm_type_size(shape->type), ghosts = shape->layout.ghosts;
  const size_t width = (size_t)shape->nx + 2 * ghosts;
  const size_t row = shape->layout.row > width ? shape->layout.row : width;
  const size_t all = (size_t)shape->ny * (size_t)shape->nz;
  const size_t some = row * size < PART_BYTES ? PART_BYTES / (row * size) : 1;
  const size_t most = some < all ? some : all;
  const uint64_t nothing = 0;
  size_t bytes;
  TRM_TRY(trm_size_mul(shape->layout.elements, size, "a field", &bytes));
  TRM_TRY(trm_buffer_fill(to, 0, bytes, &nothing, size));
  void *values = calloc(most * row, size);
  double *room = malloc((size_t)shape->nx * sizeof *room);
  trm_status status = TRM_OK;
  if (!values || !room)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu rows of a first state", most);
  for (int c = 0; c < shape->components && status == TRM_OK; c++)
    status = upload_component(to, shape, source, user, c, room, values, most);
  free(room);
  free(values);
  return status;
}

typedef struct function {
  const trm_framework_shape *shape;
  trm_framework_value_fn *value;
  const void *user;
} function;

static const double *function_row(const void *user, trm_framework_cell at, double *room)
{
  const function *f = user;
  for (at.x = 0; at.x < f->shape->nx; at.x++) room[at.x] = f->value(f->user, at);
  return room;
}

trm_status trm_framework_upload(trm_buffer *to, const trm_framework_shape *shape,
                                trm_framework_value_fn *value, const void *user)
{
  const function f = { shape, value, user };
  return upload_rows(to, shape, function_row, &f);
}

typedef struct arrays { const trm_framework_shape *shape; const double *const *components; } arrays;

static const double *array_row(const void *user, trm_framework_cell at, double *room)
{
  const arrays *a = user;
  const size_t row = (size_t)at.z * (size_t)a->shape->ny + (size_t)at.y;
  (void)room;
  return a->components[at.component] + row * (size_t)a->shape->nx;
}

trm_status trm_framework_upload_arrays(trm_buffer *to, const trm_framework_shape *shape,
                                       const double *const *components)
{
  const arrays a = { shape, components };
  return upload_rows(to, shape, array_row, &a);
}
