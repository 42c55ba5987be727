/* load.c - a case's bodies: from their generator or file into host memory, and to the device. */
#include "solvers/nbody/nbody.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounds values as the device will store them: two positions may become equal. */
static void round_bodies(const nbody_solver *nbody, nbody_bodies *bodies)
{
  if (nbody->precision == TRM_F64) return;
  for (int c = 0; c < 7; c++)
    for (size_t i = 0; i < bodies->count; i++)
      bodies->value[c][i] = (double)(float)bodies->value[c][i];
}

/* The side of the picture: twice the farthest coordinate from the middle, plus a tenth. */
static void choose_span(nbody_solver *nbody, const nbody_bodies *bodies)
{
  double farthest = 0.0;
  for (int c = 0; c < 2; c++)
    for (size_t i = 0; i < bodies->count; i++)
      farthest = fmax(farthest, fabs(bodies->value[nbody->picture_axes[c]][i]));
  if (nbody->picture_span == 0.0) nbody->picture_span = farthest > 0.0 ? 2.2 * farthest : 2.0;
}

/* How far from their middle and how fast bodies are, or may become as they fall. */
static void find_scales(nbody_solver *nbody, const nbody_bodies *bodies)
{
  double squares = 0.0, kinetic = 0.0, middle[3] = {0.0, 0.0, 0.0};
  double *const *value = bodies->value;
  for (int a = 0; a < 3; a++) {
    for (size_t i = 0; i < bodies->count; i++) middle[a] += value[6][i] * value[a][i];
    middle[a] /= nbody->total_mass;
    for (size_t i = 0; i < bodies->count; i++) {
      const double off = value[a][i] - middle[a];
      squares += value[6][i] * off * off;
      kinetic += value[6][i] * value[3 + a][i] * value[3 + a][i];
    }
  }
  nbody->extent = sqrt(squares / nbody->total_mass);
  nbody->rms_speed = sqrt(kinetic / nbody->total_mass);
  if (nbody->extent > 0.0)
    nbody->rms_speed = fmax(nbody->rms_speed,
                            sqrt(nbody->gravity * nbody->total_mass / nbody->extent));
}

const char *nbody_bodies_origin(const trm_config *config)
{
  return trm_config_choice(config, "nbody.initial") == NBODY_FILE
             ? trm_config_string(config, "nbody.file") : trm_config_origin(config, "nbody.initial");
}

/* The order of the sum depends on N alone: up to 64 segments, as many as give a large GPU some
 * million (target, segment) pairs, each of whole tiles. */
static void cut_segments(nbody_solver *nbody)
{
  int wanted = 1;
  while (wanted < 64 && (int64_t)nbody->count * wanted < 1 << 20) wanted *= 2;
  const int least = (nbody->count + wanted - 1) / wanted;
  nbody->length = (least + NBODY_TILE - 1) / NBODY_TILE * NBODY_TILE;
  nbody->segments = (nbody->count + nbody->length - 1) / nbody->length;
}

trm_status nbody_load(nbody_solver *nbody, const trm_config *config, nbody_bodies *bodies)
{
  const char *file = trm_config_string(config, "nbody.file");
  if (trm_config_choice(config, "nbody.initial") != NBODY_FILE) {
    /* before minutes of random numbers: the least that so many bodies need */
    nbody->count = nbody->stride = (int)nbody_generated(config);
    nbody->rows = nbody->slots = 1;
    TRM_TRY(nbody_check_room(nbody));
    TRM_TRY(nbody_generate(config, nbody->gravity, bodies));
  } else {
    if (!*file)
      return TRM_FAIL(INPUT, "%s: nbody.initial = \"file\" needs nbody.file; name the bodies' file",
                      trm_config_origin(config, "nbody.initial"));
    TRM_TRY(nbody_read(file, trm_config_string(config, "nbody.masses"), bodies));
  }
  if (bodies->count > 0) nbody_bodies_centre(bodies);
  for (int c = 0; c < 3; c++) {
    nbody->middle[c] = bodies->middle[c];
    nbody->is_moved |= bodies->middle[c] != 0.0;
  }
  round_bodies(nbody, bodies);
  TRM_TRY(nbody_bodies_check(bodies, nbody->softening, nbody_bodies_origin(config)));
  if (bodies->count > 1u << 29)
    return TRM_FAIL(INPUT, "%s: %zu bodies are too many; at most 2^29", nbody_bodies_origin(config),
                    bodies->count);
  nbody->count = (int)bodies->count;
  for (size_t i = 0; i < bodies->count; i++) nbody->total_mass += bodies->value[6][i];
  find_scales(nbody, bodies);
  choose_span(nbody, bodies);
  cut_segments(nbody);
  return TRM_OK;
}

/* Writes row `row` of a buffer from host values; elements from N on are zeros: they are computed
 * beside the others, and nothing reads them. */
static trm_status upload(const nbody_solver *nbody, trm_buffer *buffer, size_t row,
                         const double *values, double factor)
{
  const size_t stride = (size_t)nbody->stride, n = (size_t)nbody->count;
  double *line = malloc(stride * sizeof *line);
  if (!line) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bodies", stride);
  for (size_t i = 0; i < stride; i++) line[i] = i < n ? values[i] * factor : 0.0;
  const trm_status status = trm_framework_write_reals(buffer, trm_real_type(nbody->precision),
                                                      row * stride, line, stride);
  free(line);
  return status;
}

trm_status nbody_upload(nbody_solver *nbody, const nbody_bodies *bodies)
{
  for (size_t c = 0; c < 3; c++) {
    TRM_TRY(upload(nbody, nbody->bodies, c, bodies->value[c], 1.0));
    TRM_TRY(upload(nbody, nbody->motion, c, bodies->value[3 + c], 1.0));
  }
  TRM_TRY(upload(nbody, nbody->bodies, 3, bodies->value[6], nbody->gravity));
  return upload(nbody, nbody->mass, 0, bodies->value[6], 1.0);
}
