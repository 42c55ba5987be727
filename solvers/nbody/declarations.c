/* declarations.c - fields, series, traffic and results of the N-body solver, with their units. */
#include "solvers/nbody/nbody.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *unit(nbody_solver *nbody, int i, const char *format, const char *a,
                        const char *b, const char *c)
{
  snprintf(nbody->units[i], sizeof nbody->units[i], format, a, b, c);
  return nbody->units[i];
}

static trm_field of_bodies(const nbody_solver *nbody, const char *name, const char *unit_name,
                           int components, trm_buffer *buffer, const char *help)
{
  const size_t stride = (size_t)nbody->stride;
  return (trm_field){.name = name, .unit = unit_name, .help = help,
                     .type = trm_real_type(nbody->precision), .components = components,
                     .nx = (size_t)nbody->count, .ny = 1, .nz = 1, .buffer = buffer,
                     .layout = {.row = stride, .component = stride, .elements = 3 * stride},
                     .flags = TRM_FIELD_STATE | TRM_FIELD_LIST};
}

static void declare_fields(nbody_solver *nbody)
{
  const char *velocity = unit(nbody, 0, "%s/%s", nbody->length_unit, nbody->time_unit, "");
  const char *acceleration = unit(nbody, 1, "%s/%s^2", nbody->length_unit, nbody->time_unit, "");
  const char *density = unit(nbody, 2, "%s/%s^2", nbody->mass_unit, nbody->length_unit, "");
  const size_t side = (size_t)nbody->picture_width, n = (size_t)nbody->count;
  trm_field *fields = nbody->fields;
  fields[0] = of_bodies(nbody, nbody->is_moved ? "from_middle" : "position", nbody->length_unit, 3,
                        nbody->bodies, nbody->is_moved ? "position of each body relative to the "
                        "bodies' middle at the start" : "x, y, z of each body");
  fields[1] = of_bodies(nbody, "velocity", velocity, 3, nbody->motion, "of each body");
  fields[2] = of_bodies(nbody, "mass", nbody->mass_unit, 1, nbody->mass, "of each body");
  fields[3] = of_bodies(nbody, "acceleration", acceleration, 3, nbody->pull,
                        "of each body, by all others");
  fields[4] = (trm_field){.name = "density", .unit = density, .type = TRM_TYPE_F32,
                          .help = "mass over area in the plane of the picture",
                          .components = 1, .nx = side, .ny = side, .nz = 1,
                          .buffer = nbody->density,
                          .in_picture = TRM_PICTURE_SHOWN | TRM_PICTURE_LOGARITHMIC,
                          .layout = {.row = side, .component = side * side,
                                     .elements = side * side}};
  nbody->base.fields = fields;
  nbody->base.field_count = 5;
  if (nbody->is_moved)
    fields[nbody->base.field_count++] = (trm_field){
      .name = "position", .unit = nbody->length_unit, .help = "x, y, z of each body",
      .type = TRM_TYPE_F64, .components = 3, .nx = n, .ny = 1, .nz = 1, .buffer = nbody->places,
      .layout = {.row = n, .component = n, .elements = 3 * n}, .flags = TRM_FIELD_LIST};
  if (strcmp(nbody->length_unit, "length") != 0) {     /* else units without names */
    nbody->base.length_unit = nbody->length_unit;
    nbody->base.time_unit = nbody->time_unit;
  }
  for (int a = 0; a < 2; a++) {       /* the density's: x and y are the picture's axes */
    nbody->base.origin[a] = nbody->middle[nbody->picture_axes[a]] - 0.5 * nbody->picture_span;
    nbody->base.spacing[a] = nbody->picture_span / nbody->picture_width;
  }
}

/* Behind the acceleration in `pull`: the potential, and the jerk of Hermite's step. */
static void declare_kept(nbody_solver *nbody)
{
  static const char *const names[] = {"potential", "jerk_x", "jerk_y", "jerk_z"};
  const size_t rows = nbody->integrator == NBODY_HERMITE ? 4 : nbody->full ? 1 : 0;
  const size_t n = (size_t)nbody->count, stride = (size_t)nbody->stride;
  const trm_type real_type = trm_real_type(nbody->precision);
  size_t count = 0;
  nbody->kept[count++] = (trm_kept){"energy_at_start", real_type, nbody->origin, 0, 1};
  for (size_t i = 0; i < rows; i++)
    nbody->kept[count++] = (trm_kept){names[i], real_type, nbody->pull, (3 + i) * stride, n};
  if (nbody->with_tree)
    nbody->kept[count++] = (trm_kept){"interactions", TRM_TYPE_I32, nbody->tree.tally, 0,
                                      (n + TREE_BLOCK - 1) / TREE_BLOCK};
  nbody->base.kept = nbody->kept;
  nbody->base.kept_count = count;
}

static void declare_series(nbody_solver *nbody)
{
  const char *l = nbody->length_unit, *m = nbody->mass_unit, *t = nbody->time_unit;
  const char *energy = unit(nbody, 3, "%s %s^2/%s^2", m, l, t);
  const char *momentum = unit(nbody, 4, "%s %s/%s", m, l, t);
  const char *spin = unit(nbody, 5, "%s %s^2/%s", m, l, t);
  const char *const names[NBODY_SERIES] = {
    "energy", "energy_drift", "kinetic", "potential", "virial_ratio", "momentum_x", "momentum_y",
    "momentum_z", "angular_momentum_x", "angular_momentum_y", "angular_momentum_z", "centre_x",
    "centre_y", "centre_z"};
  const char *const units[NBODY_SERIES] = {energy, "1", energy, energy, "1", momentum, momentum,
                                           momentum, spin, spin, spin, l, l, l};
  /* of sums that may be zero but for rounding */
  const double *middle = nbody->middle;
  const double p = nbody->total_mass * nbody->rms_speed;
  const double x = nbody->extent + fabs(middle[0]), y = nbody->extent + fabs(middle[1]);
  const double z = nbody->extent + fabs(middle[2]), r = fmax(x, fmax(y, z));
  const double terms[NBODY_SERIES] = {0.0, 1.0, 0.0, 0.0, 0.0, p, p, p, p * r, p * r, p * r, x, y,
                                      z};
  size_t count = 0;
  for (size_t i = 0; i < NBODY_SERIES; i++) {
    if (!nbody->with_energy && (i < NBODY_ENERGY_SERIES || i == 3)) continue;
    nbody->series[count++] = (trm_series){names[i], units[i], nbody->series_rows,
                                          trm_real_type(nbody->precision), 1.0,
                                          i * NBODY_BATCH_LIMIT, terms[i], 0.0};
  }
  nbody->base.series = nbody->series;
  nbody->base.series_count = count;
}

static int forces_per_step(const nbody_solver *nbody)
{
  return nbody->integrator == NBODY_YOSHIDA ? 3 : nbody->integrator == NBODY_HERMITE ? 2 : 1;
}

/* Speed is counted in interactions, but in bodies where a tree decides how many interactions there
 * are; then the result interactions_a_body gives their number. */
static void declare_work(nbody_solver *nbody)
{
  const double n = nbody->count, calls = forces_per_step(nbody);
  nbody->base.cells = (nbody->with_tree ? n : n * n) * calls;
  nbody->base.counted = nbody->with_tree ? "bodies" : NULL;
  nbody_declare_traffic(nbody, calls);
}

static void declare_results(nbody_solver *nbody)
{
  size_t count = 0;
  nbody->results[count++] = (trm_result){"bodies", "1", nbody->count};
  nbody->results[count++] = (trm_result){"time", nbody->time_unit, NAN};
  nbody->results[count++] = (trm_result){"virial_ratio", "1", NAN};
  if (nbody->with_tree) nbody->results[count++] = (trm_result){"interactions_a_body", "1", NAN};
  if (nbody->with_energy) nbody->results[count++] = (trm_result){"energy_drift", "1", NAN};
  nbody->base.results = nbody->results;
  nbody->base.result_count = count;
}

void nbody_declare(nbody_solver *nbody)
{
  declare_fields(nbody);
  declare_kept(nbody);
  declare_series(nbody);
  declare_work(nbody);
  declare_results(nbody);
  nbody->base.batch_limit = NBODY_BATCH_LIMIT;
  nbody->base.caution = nbody->caution[0] ? nbody->caution : NULL;
}
