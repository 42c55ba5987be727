/* course.c - the EPFL course's files, in and out. Its ring of ghost cells is not part of the grid
 * here. Reading leaves it out, and writing makes it by copying the first inner cells. */
#include "solvers/shallow/shallow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/epfl.h"
#include "io/file.h"

/* Gravity in km/h^2, the course's own number. */
static const char course_gravity[] = "127267.2";

trm_status shallow_configure(trm_config *config, size_t count, const char *const *files)
{
  if (count != 1)
    return TRM_FAIL(INPUT, "shallow takes one folder or the beginning of the course's files (as in "
                    "`trireme run shallow Data_nx201_500km_T0.2`), not %zu", count);
  char *prefix = NULL, number[32];
  trm_epfl_case about;
  TRM_TRY(trm_epfl_find(files[0], &prefix, &about));
  trm_status status = trm_config_set(config, "shallow.course", prefix, files[0]);
  free(prefix);
  TRM_TRY(status);
  snprintf(number, sizeof number, "%.17g", about.end_time);
  TRM_TRY(trm_config_set(config, "run.end_time", number, files[0]));
  TRM_TRY(trm_config_set(config, "run.precision", "f64", files[0]));
  TRM_TRY(trm_config_set(config, "shallow.scheme", "lax-friedrichs", files[0]));
  return trm_config_set(config, "shallow.gravity", course_gravity, files[0]);
}

/* ---- in -------------------------------------------------------------------- */

/* The ring may hold anything; the cells within it not. */
static trm_status check_inner(const char *prefix, const char *name, size_t nx, const double *ring)
{
  const int is_depth = strcmp(name, "h") == 0;
  for (size_t x = 1; x + 1 < nx; x++)
    for (size_t y = 1; y + 1 < nx; y++) {
      const double value = ring[y * nx + x];
      if (isfinite(value) && !(is_depth && value < 0)) continue;
      return TRM_FAIL(INPUT, "%s_%s.bin: value (%zu, %zu), at byte %zu, is %g; %s", prefix, name, x,
                      y, (x * nx + y) * sizeof value, value,
                      is_depth ? "a depth is a number and not negative: write 0 where there is no "
                                 "water"
                               : "the course's files have a number in every cell");
    }
  return TRM_OK;
}

static trm_status read_inner(const char *prefix, const char *name, size_t nx, double *ring,
                             double **out)
{
  TRM_TRY(trm_epfl_read(prefix, name, nx, ring));
  TRM_TRY(check_inner(prefix, name, nx, ring));
  const size_t n = nx - 2;
  double *values = malloc(n * n * sizeof *values);
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu x %zu cells", n, n);
  for (size_t y = 0; y < n; y++)
    memcpy(values + y * n, ring + (y + 1) * nx + 1, n * sizeof *values);
  *out = values;
  return TRM_OK;
}

trm_status shallow_course_scene(const char *path, shallow_scene *out)
{
  static const char *const names[] = { "h", "hu", "hv", "Zdx", "Zdy" };
  char *prefix = NULL;
  trm_epfl_case about;
  TRM_TRY(trm_epfl_find(path, &prefix, &about));
  double *ring = malloc(about.nx * about.nx * sizeof *ring);
  trm_status status = TRM_OK;
  if (!ring)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu x %zu values", about.nx, about.nx);
  out->nx = out->ny = (int)about.nx - 2;
  out->dx = out->dy = about.size / (double)about.nx;
  out->x0 = out->y0 = out->dx;
  for (int i = 0; i < 5 && status == TRM_OK; i++)
    status = read_inner(prefix, names[i], about.nx, ring, &out->course[i]);
  free(ring);
  free(prefix);
  return status;
}

/* ---- out ------------------------------------------------------------------- */

static double value_of(const void *values, trm_type type, size_t i)
{
  return type == TRM_TYPE_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

/* A field of n x n cells and the ring around them. */
static trm_status write_field(const trm_field *field, const char *path)
{
  const size_t n = field->nx, nx = n + 2;
  void *cells = malloc(n * n * trm_type_size(field->type));
  double *ring = malloc(nx * nx * sizeof *ring);
  trm_status status = TRM_OK;
  if (!cells || !ring) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the field %s", field->name);
  if (status == TRM_OK) status = trm_field_read(field, cells);
  for (size_t y = 0; y < nx && status == TRM_OK; y++)
    for (size_t x = 0; x < nx; x++) {
      const size_t cx = x == 0 ? 0 : x > n ? n - 1 : x - 1, cy = y == 0 ? 0 : y > n ? n - 1 : y - 1;
      ring[y * nx + x] = value_of(cells, field->type, cy * n + cx);
    }
  if (status == TRM_OK) status = trm_epfl_write(path, nx, ring);
  free(ring);
  free(cells);
  return status;
}

trm_status shallow_export(trm_solver *solver, const char *folder, double *const *series,
                          size_t step_count)
{
  const shallow_solver *swe = (const shallow_solver *)solver;
  (void)series;
  (void)step_count;
  for (int i = 0; i < 3; i++) {
    char name[512], *path = NULL;
    snprintf(name, sizeof name, "Solution%s_%s.bin", swe->course, solver->fields[i].name);
    TRM_TRY(trm_path_join(folder, name, &path));
    const trm_status status = write_field(&solver->fields[i], path);
    free(path);
    TRM_TRY(status);
  }
  return TRM_OK;
}
