/* session_fields.c - a field of a run is read, and its values are looked at. */
#include "run/session.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "run/measure/clock.h"
#include "run/divergence.h"
#include "solvers/field.h"

/* So many values at once, for the vectors of any machine. */
enum { LANES = 32 };

static int are_finite_f32(const float *values, size_t count, float factor)
{
  uint32_t bits[LANES], all = 0;
  float scaled[LANES];
  for (size_t k = 0; k < count; k++) scaled[k] = values[k] * factor;
  for (size_t k = count; k < LANES; k++) scaled[k] = 0;
  memcpy(bits, scaled, sizeof bits);
  /* an exponent that is all ones overflows when its lowest bit is added */
  for (size_t k = 0; k < LANES; k++) all |= ((bits[k] & 0x7f800000) + 0x00800000) & 0x80000000;
  return all == 0;
}

static int are_finite_f64(const double *values, size_t count, double factor)
{
  uint64_t bits[LANES], all = 0;
  double scaled[LANES];
  for (size_t k = 0; k < count; k++) scaled[k] = values[k] * factor;
  for (size_t k = count; k < LANES; k++) scaled[k] = 0;
  memcpy(bits, scaled, sizeof bits);
  for (size_t k = 0; k < LANES; k++)
    all |= ((bits[k] & 0x7ff0000000000000) + 0x0010000000000000) & 0x8000000000000000;
  return all == 0;
}

static int are_finite(trm_type type, const void *values, size_t count, double scale)
{
  int all = type == TRM_TYPE_F64 || type == TRM_TYPE_F32;
  if (!all) return 1;
  for (size_t i = 0; i < count && all; i += LANES) {
    const size_t left = count - i, some = left < LANES ? left : LANES;
    if (type == TRM_TYPE_F64) {
      const double *f64 = (const double *)values + i;
      all = some == LANES ? are_finite_f64(f64, LANES, scale) : are_finite_f64(f64, some, scale);
    } else {
      const float *f32 = (const float *)values + i, factor = (float)scale;
      all = some == LANES ? are_finite_f32(f32, LANES, factor) : are_finite_f32(f32, some, factor);
    }
  }
  return all;
}

typedef struct look {
  const trm_field *field;
  int is_finite;               /* every value is */
} look;

static trm_status check_field(void *user, const void *values, size_t count)
{
  look *l = user;
  const double scale = l->field->scale != 0 ? l->field->scale : 1;
  l->is_finite &= are_finite(l->field->type, values, count, scale);
  return TRM_OK;
}

/* bad: the first field of the state with a value that is not finite, or NULL. Several threads look
 * at one field; all name the same one. */
static void check_state(void *user, const trm_field *field, const void *values, size_t count)
{
  _Atomic(const trm_field *) *bad = user;
  if (!atomic_load(bad) && !are_finite(field->type, values, count, 1)) atomic_store(bad, field);
}

int session_are_finite(trm_type type, const void *values, size_t count)
{
  return are_finite(type, values, count, 1);
}

trm_status session_print(const session *run, char fingerprint[33])
{
  _Atomic(const trm_field *) found = NULL;
  TRM_TRY(trmi_fingerprint_shown(run->solver, check_state, &found, fingerprint));
  const trm_field *bad = atomic_load(&found);
  return bad ? divergence_find(run->solver, bad, 0, run->steps_done) : TRM_OK;
}

trm_status session_fingerprint(session *run)
{
  char text[sizeof run->fingerprint];
  TRM_TRY(session_print(run, text));
  memcpy(run->fingerprint, text, sizeof text);
  return TRM_OK;
}

trm_status session_check(session *run, size_t index)
{
  const trm_field *field = &run->solver->fields[index];
  const double begin = clock_now();
  look l = {field, 1};
  TRM_TRY(trm_field_require_whole(field, "an output"));
  if (field->type == TRM_TYPE_F32 || field->type == TRM_TYPE_F64)
    TRM_TRY(trmi_field_walk_stored(field, check_field, &l));
  run->times.transfers += clock_now() - begin;
  return l.is_finite ? TRM_OK
                     : divergence_find(run->solver, field, 0, run->steps_done);
}

trm_status session_read(session *run, size_t index, trm_array *array)
{
  const trm_field *field = &run->solver->fields[index];
  size_t elements, bytes;
  TRM_TRY(trm_field_elements(field, &elements));
  TRM_TRY(trm_field_require_whole(field, "an output"));
  TRM_TRY(trm_size_mul(elements, trm_type_size(field->type), field->name, &bytes));
  void *data = malloc(bytes);
  if (!data)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for field '%s' (%zu bytes)", field->name, bytes);
  const double begin = clock_now();
  trm_status status = trm_field_read(field, data);
  run->times.transfers += clock_now() - begin;
  const trm_array read = {field->name, field->unit, field->type, field->components,
                          field->nx, field->ny, field->nz, data};
  if (status == TRM_OK) status = divergence_check(run->solver, field, &read, run->steps_done);
  if (status != TRM_OK) {
    free(data);
    return status;
  }
  *array = read;
  return TRM_OK;
}

/* Layer z of component c: a row of the plane, or all of it (axis 2). room: of a layer, for axis
 * 0. */
static trm_status read_layer(const trm_field *field, int axis, size_t at, size_t c, size_t z,
                             unsigned char *room, unsigned char *out)
{
  const size_t nx = field->nx, ny = field->ny, size = trm_type_size(field->type);
  if (axis == 2) return trm_field_read_part(field, c, at * ny * nx, ny * nx, out);
  if (axis == 1) return trm_field_read_part(field, c, (z * ny + at) * nx, nx, out);
  TRM_TRY(trm_field_read_part(field, c, z * ny * nx, ny * nx, room));
  for (size_t y = 0; y < ny; y++) memcpy(out + y * size, room + (y * nx + at) * size, size);
  return TRM_OK;
}

trm_status session_read_plane(session *run, size_t index, int axis, size_t at, trm_array *array)
{
  const trm_field *field = &run->solver->fields[index];
  const size_t size = trm_type_size(field->type), layer = field->nx * field->ny * size;
  const size_t nx = axis == 0 ? field->ny : field->nx, ny = axis == 2 ? field->ny : field->nz;
  const size_t layers = axis == 2 ? 1 : field->nz, row = nx * ny / layers * size;
  const size_t components = (size_t)field->components;
  TRM_TRY(session_check(run, index));
  unsigned char *data = malloc(components * layers * row), *room = malloc(axis == 0 ? layer : 1);
  trm_status status = data && room ? TRM_OK
                      : TRM_FAIL(NO_HOST_MEMORY, "no memory for a plane of field '%s'",
                                 field->name);
  const double begin = clock_now();
  for (size_t i = 0; i < components * layers && status == TRM_OK; i++)
    status = read_layer(field, axis, at, i / layers, i % layers, room, data + i * row);
  run->times.transfers += clock_now() - begin;
  free(room);
  if (status != TRM_OK) free(data);
  else *array = (trm_array){field->name, field->unit, field->type, field->components, nx, ny, 1,
                            data};
  return status;
}

trm_status session_has_values(const session *run, size_t index, int *has)
{
  const trm_solver *solver = run->solver;
  union { double f64; float f32; } time = { 1 };
  *has = 1;
  if (!(solver->fields[index].flags & TRM_FIELD_MEAN)) return TRM_OK;
  for (size_t i = 0; i < solver->field_count; i++) {
    const trm_field *field = &solver->fields[i];
    if (strcmp(field->name, "averaged_time") != 0) continue;
    TRM_TRY(trm_field_read(field, &time));
    *has = (field->type == TRM_TYPE_F64 ? time.f64 : (double)time.f32) > 0;
  }
  return TRM_OK;
}
