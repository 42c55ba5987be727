/* density.c - the projected density: what a picture of bodies shows. And the state, read back.
 *
 * Computed on the host, for outputs only: sums in the order of the bodies, in f64. */
#include "solvers/nbody/nbody.h"

#include <math.h>
#include <stdlib.h>

static trm_status read_rows(const nbody_solver *nbody, trm_buffer *buffer, size_t rows,
                            double *const *to)
{
  const trm_type type = trm_real_type(nbody->precision);
  for (size_t r = 0; r < rows; r++)
    TRM_TRY(trm_framework_read_reals(buffer, type, r * (size_t)nbody->stride, to[r],
                                     (size_t)nbody->count));
  return TRM_OK;
}

trm_status nbody_read_state(const nbody_solver *nbody, nbody_bodies *out)
{
  TRM_TRY(nbody_bodies_create((size_t)nbody->count, out));
  for (int c = 0; c < 3; c++) out->middle[c] = nbody->middle[c];
  TRM_TRY(read_rows(nbody, nbody->bodies, 3, out->value));
  TRM_TRY(read_rows(nbody, nbody->motion, 3, out->value + 3));
  return read_rows(nbody, nbody->mass, 1, out->value + 6);
}

/* The picture, while bodies are added to it. */
typedef struct picture { int side; double span; double *sum; } picture;

static void add_to_cell(const picture *to, long x, long y, double mass)
{
  if (x >= 0 && x < to->side && y >= 0 && y < to->side) to->sum[y * to->side + x] += mass;
}

/* A body covers the area of a cell around it, so each of four cells gets its part. */
static void add_body(const picture *to, double x, double y, double mass)
{
  const double u = (x / to->span + 0.5) * to->side - 0.5, v = (y / to->span + 0.5) * to->side - 0.5;
  if (!(u > -1.0 && u < to->side && v > -1.0 && v < to->side)) return;
  const double west = floor(u), south = floor(v), east = u - west, north = v - south;
  const long i = (long)west, j = (long)south;
  add_to_cell(to, i, j, mass * (1.0 - east) * (1.0 - north));
  add_to_cell(to, i + 1, j, mass * east * (1.0 - north));
  add_to_cell(to, i, j + 1, mass * (1.0 - east) * north);
  add_to_cell(to, i + 1, j + 1, mass * east * north);
}

/* With light_only, only bodies of at most the mean mass: stars without their halo. */
static void add_bodies(const nbody_solver *nbody, const nbody_bodies *bodies, const picture *to)
{
  /* 1e-6: the mean of equal masses may be rounded to less than each of them */
  const double mean = nbody->total_mass / (double)bodies->count * (1.0 + 1e-6);
  const double *x = bodies->value[nbody->picture_axes[0]], *mass = bodies->value[6];
  const double *y = bodies->value[nbody->picture_axes[1]];
  for (size_t i = 0; i < bodies->count; i++)
    if (!nbody->light_only || mass[i] <= mean) add_body(to, x[i], y[i], mass[i]);
}

trm_status nbody_place(nbody_solver *nbody)
{
  nbody_bodies bodies = {0};
  if (!nbody->is_moved) return TRM_OK;
  trm_status status = nbody_bodies_create((size_t)nbody->count, &bodies);
  if (status == TRM_OK) status = read_rows(nbody, nbody->bodies, 3, bodies.value);
  for (int c = 0; c < 3; c++) bodies.middle[c] = nbody->middle[c];
  if (status == TRM_OK) {
    nbody_bodies_place(&bodies);
    status = trm_buffer_write(nbody->places, 0, 3 * bodies.count * sizeof(double),
                              bodies.value[0]);
  }
  nbody_bodies_free(&bodies);
  return status;
}

trm_status nbody_project(nbody_solver *nbody)
{
  const int side = nbody->picture_width;
  const size_t cells = (size_t)side * (size_t)side;
  const double span = nbody->picture_span, area = (span / side) * (span / side);
  nbody_bodies bodies = {0};
  const picture to = {side, span, calloc(cells, sizeof *to.sum)};
  float *density = malloc(cells * sizeof *density);
  trm_status status = TRM_OK;
  if (!to.sum || !density)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the projected density");
  if (status == TRM_OK) status = nbody_read_state(nbody, &bodies);
  if (status == TRM_OK) {
    add_bodies(nbody, &bodies, &to);
    for (size_t c = 0; c < cells; c++) density[c] = (float)(to.sum[c] / area);
    status = trm_buffer_write(nbody->density, 0, cells * sizeof *density, density);
  }
  free(density);
  free(to.sum);
  nbody_bodies_free(&bodies);
  return status;
}
