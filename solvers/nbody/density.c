/* density.c - the projected density: what a picture of bodies shows. And the state, read back.
 *
 * Counted on the host, at outputs only: a sum in the order of the bodies, in double precision. */
#include "solvers/nbody/nbody.h"

#include <math.h>
#include <stdlib.h>

static trm_status read_rows(const nbody_solver *nbody, trm_buffer *buffer, size_t rows,
                            double *const *to)
{
  const size_t n = (size_t)nbody->count, stride = (size_t)nbody->stride;
  const size_t size = trm_type_size(trm_real_type(nbody->precision));
  void *line = malloc(n * size);
  if (!line) return TRM_FAIL(NO_HOST_MEMORY, "no memory to read %zu bodies", n);
  trm_status status = TRM_OK;
  for (size_t r = 0; r < rows && status == TRM_OK; r++) {
    status = trm_buffer_read(buffer, r * stride * size, n * size, line);
    for (size_t i = 0; i < n && status == TRM_OK; i++)
      to[r][i] = nbody->precision == TRM_F64 ? ((const double *)line)[i]
                                             : (double)((const float *)line)[i];
  }
  free(line);
  return status;
}

trm_status nbody_read_state(const nbody_solver *nbody, nbody_bodies *out)
{
  TRM_TRY(nbody_bodies_create((size_t)nbody->count, out));
  TRM_TRY(read_rows(nbody, nbody->bodies, 3, out->value));
  TRM_TRY(read_rows(nbody, nbody->motion, 3, out->value + 3));
  return read_rows(nbody, nbody->mass, 1, out->value + 6);
}

/* The cell of a coordinate, or -1 outside the picture. */
static long cell_of(double x, double span, int side)
{
  const double at = (x / span + 0.5) * side;
  return at >= 0.0 && at < (double)side ? (long)at : -1;
}

trm_status nbody_project(nbody_solver *nbody)
{
  const int side = nbody->picture_width;
  const size_t cells = (size_t)side * (size_t)side;
  const double span = nbody->picture_span, area = (span / side) * (span / side);
  nbody_bodies bodies = {0};
  double *sum = calloc(cells, sizeof *sum);
  float *density = malloc(cells * sizeof *density);
  trm_status status = TRM_OK;
  if (!sum || !density) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the projected density");
  if (status == TRM_OK) status = nbody_read_state(nbody, &bodies);
  if (status == TRM_OK) {
    for (size_t i = 0; i < bodies.count; i++) {
      const long x = cell_of(bodies.value[nbody->picture_axes[0]][i], span, side);
      const long y = cell_of(bodies.value[nbody->picture_axes[1]][i], span, side);
      if (x >= 0 && y >= 0) sum[y * side + x] += bodies.value[6][i];
    }
    for (size_t c = 0; c < cells; c++) density[c] = (float)(sum[c] / area);
    status = trm_buffer_write(nbody->density, 0, cells * sizeof *density, density);
  }
  free(density);
  free(sum);
  nbody_bodies_free(&bodies);
  return status;
}
