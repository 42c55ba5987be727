/* scene.c - grid, bed and water at the start of a run, from files or formulas. */
#include "solvers/shallow/scene.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "io/grid.h"
#include "io/formula.h"

enum { FEWEST_CELLS = 3 };

static trm_status cells_of(const shallow_scene *scene, const char *what, double **out)
{
  const size_t cells = (size_t)scene->nx * (size_t)scene->ny;
  *out = calloc(cells, sizeof **out);
  return *out ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells of %s", cells, what);
}

/* ---- grids ----------------------------------------------------------------- */

/* A number of cells or a side: the case's when it is set, else the file's; both must agree. */
static trm_status agree(const trm_config *config, const char *key, double set, double file,
                        const char *path, double *out)
{
  if (set == 0.0 && file == 0.0)
    return TRM_FAIL(INPUT, "%s is not set and there is no bed file to take it from; set one of "
                    "them", key);
  if (set != 0.0 && file != 0.0 && fabs(set - file) > 1e-9 * fabs(set))
    return TRM_FAIL(INPUT, "%s: %s is %.12g, and %.12g in %s; leave it out",
                    trm_config_origin(config, key), key, set, file, path);
  *out = set != 0.0 ? set : file;
  return TRM_OK;
}

static trm_status set_grid(const trm_config *config, const trm_grid *bed, const char *path,
                           shallow_scene *out)
{
  double nx, ny;
  TRM_TRY(agree(config, "grid.nx", (double)trm_config_integer(config, "grid.nx"), (double)bed->nx,
                path, &nx));
  TRM_TRY(agree(config, "grid.ny", (double)trm_config_integer(config, "grid.ny"), (double)bed->ny,
                path, &ny));
  TRM_TRY(agree(config, "grid.dx", trm_config_real(config, "grid.dx"), bed->dx, path, &out->dx));
  out->dy = trm_config_real(config, "grid.dy");
  if (bed->dy > 0) TRM_TRY(agree(config, "grid.dy", out->dy, bed->dy, path, &out->dy));
  if (out->dy == 0.0) out->dy = out->dx;
  if (nx < FEWEST_CELLS || ny < FEWEST_CELLS || nx * ny > (double)INT_MAX)
    return TRM_FAIL(INPUT, "%s: a grid of %.0f x %.0f cells: each side needs at least %d, and all "
                    "together at most 2^31; %s",
                    bed->values ? path : trm_config_origin(config, nx < FEWEST_CELLS ? "grid.nx"
                                                                                   : "grid.ny"),
                    nx, ny, FEWEST_CELLS,
                    bed->values ? "give another file"
                    : nx < FEWEST_CELLS || ny < FEWEST_CELLS ? "set grid.nx and grid.ny"
                                                             : "make grid.nx or grid.ny smaller");
  out->nx = (int)nx;
  out->ny = (int)ny;
  out->x0 = bed->values ? bed->x0 : trm_config_real(config, "grid.x0");
  out->y0 = bed->values ? bed->y0 : trm_config_real(config, "grid.y0");
  return TRM_OK;
}

static size_t first_hole(const trm_grid *grid)
{
  size_t i = 0;
  while (!isnan(grid->values[i])) i++;
  return i;
}

/* Cells without a value get shallow.fill, or are refused. */
static trm_status fill_holes(const trm_config *config, const char *path, trm_grid *bed)
{
  const char *text = trm_config_string(config, "shallow.fill");
  char *end;
  const double fill = trm_number(text, &end);
  if (bed->missing == 0) return TRM_OK;
  if (!*text)
    return TRM_FAIL(INPUT, "%s: %zu cells have no value, the first is (%zu, %zu); set shallow.fill "
                    "to the height that they get", path, bed->missing, first_hole(bed) % bed->nx,
                    first_hole(bed) / bed->nx);
  if (*end || !isfinite(fill))
    return TRM_FAIL(INPUT, "%s: shallow.fill = '%s' is not a height; give a number",
                    trm_config_origin(config, "shallow.fill"), text);
  for (size_t i = 0; i < bed->nx * bed->ny; i++)
    if (isnan(bed->values[i])) bed->values[i] = fill;
  return TRM_OK;
}

/* ---- formulas -------------------------------------------------------------- */

/* The columns from `first` on, `count` of them, in every row. */
static void evaluate_columns(trm_formula *formula, const shallow_scene *scene, size_t first,
                             size_t count, double *out)
{
  const double nothing = 0.0;
  double xs[TRM_FORMULA_RUN];
  for (size_t k = 0; k < count; k++) xs[k] = scene->x0 + ((double)(first + k) + 0.5) * scene->dx;
  trm_formula_place(formula, 0, xs, 0);
  for (int y = 0; y < scene->ny; y++) {
    const size_t at = (size_t)y * (size_t)scene->nx + first;
    const double y_value = scene->y0 + (y + 0.5) * scene->dy;
    trm_formula_place(formula, 1, &y_value, 1);
    trm_formula_place(formula, 2, scene->z ? scene->z + at : &nothing, !scene->z);
    trm_formula_place(formula, 3, scene->h ? scene->h + at : &nothing, !scene->h);
    trm_formula_values(formula, count, out + at);
  }
}

/* A formula of x, y, z and h at the cells' centres; out may be scene->h. */
static trm_status evaluate(const trm_config *config, const char *key, const shallow_scene *scene,
                           double *out)
{
  static const char *const names[] = { "x", "y", "z", "h" };
  const char *text = trm_config_string(config, key), *origin = trm_config_origin(config, key);
  const size_t nx = (size_t)scene->nx, cells = nx * (size_t)scene->ny;
  trm_formula *formula = NULL;
  TRM_TRY(trm_formula_create(text, names, 4, origin, &formula));
  for (size_t first = 0; first < nx; first += TRM_FORMULA_RUN)
    evaluate_columns(formula, scene, first,
                     nx - first < TRM_FORMULA_RUN ? nx - first : TRM_FORMULA_RUN, out);
  trm_formula_destroy(&formula);
  for (size_t i = 0; i < cells; i++)
    if (!isfinite(out[i]))
      return TRM_FAIL(INPUT, "%s: %s = '%s' is %g in cell (%zu, %zu), at x = %g, y = %g; it must "
                      "be finite everywhere", origin, key, text, out[i], i % nx, i / nx,
                      scene->x0 + ((double)(i % nx) + 0.5) * scene->dx,
                      scene->y0 + ((double)(i / nx) + 0.5) * scene->dy);
  return TRM_OK;
}

/* ---- water ----------------------------------------------------------------- */

/* A surface lies on the bed's own cells. */
static trm_status check_surface(const trm_grid *surface, const char *path,
                                const shallow_scene *scene)
{
  const double dy = surface->dy > 0 ? surface->dy : surface->dx;
  if (surface->nx != (size_t)scene->nx || surface->ny != (size_t)scene->ny)
    return TRM_FAIL(INPUT, "%s: %zu x %zu cells, where the bed has %d x %d; give the surface on "
                    "the bed's cells", path, surface->nx, surface->ny, scene->nx, scene->ny);
  if (fabs(surface->dx - scene->dx) > 1e-6 * scene->dx || fabs(dy - scene->dy) > 1e-6 * scene->dy)
    return TRM_FAIL(INPUT, "%s: cells of %.12g by %.12g m, where the bed's are %.12g by %.12g; "
                    "give the surface on the bed's "
                    "cells", path, surface->dx, dy, scene->dx, scene->dy);
  if (fabs(surface->x0 - scene->x0) > 0.01 * scene->dx ||
      fabs(surface->y0 - scene->y0) > 0.01 * scene->dy)
    return TRM_FAIL(INPUT, "%s: its south-western corner is (%.12g, %.12g), where the bed's is "
                    "(%.12g, %.12g); give the surface on the bed's "
                    "cells", path, surface->x0, surface->y0,
                    scene->x0, scene->y0);
  if (surface->missing)
    return TRM_FAIL(INPUT, "%s: %zu cells have no value, the first is (%zu, %zu); a surface needs "
                    "one everywhere (where it is dry, any height below the bed)", path,
                    surface->missing, first_hole(surface) % surface->nx,
                    first_hole(surface) / surface->nx);
  return TRM_OK;
}

/* The surface, and the depth. */
static trm_status read_surface(const trm_config *config, shallow_scene *scene)
{
  const size_t cells = (size_t)scene->nx * (size_t)scene->ny;
  const char *path = trm_config_string(config, "initial.surface_file");
  TRM_TRY(cells_of(scene, "the surface", &scene->level));
  if (*path) {
    trm_grid surface = { 0 };
    const char *variable = trm_config_string(config, "initial.surface_variable");
    TRM_TRY(trm_grid_read(path, variable, &surface));
    const trm_status status = check_surface(&surface, path, scene);
    if (!*scene->caution) memcpy(scene->caution, surface.caution, sizeof scene->caution);
    if (status == TRM_OK) memcpy(scene->level, surface.values, cells * sizeof *scene->level);
    trm_grid_free(&surface);
    TRM_TRY(status);
  } else TRM_TRY(evaluate(config, "initial.surface", scene, scene->level));
  TRM_TRY(cells_of(scene, "the depth", &scene->h));
  for (size_t i = 0; i < cells; i++)
    scene->h[i] = scene->level[i] > scene->z[i] ? scene->level[i] - scene->z[i] : 0.0;
  return TRM_OK;
}

/* Velocities; make_momenta multiplies them by the depth. */
static trm_status read_velocity(const trm_config *config, const char *key,
                                const shallow_scene *scene, double **out)
{
  TRM_TRY(cells_of(scene, "the momentum", out));
  if (strcmp(trm_config_string(config, key), "0") == 0) return TRM_OK; /* memory never touched */
  return evaluate(config, key, scene, *out);
}

static void make_momenta(const trm_config *config, shallow_scene *scene)
{
  static const char *const keys[] = { "initial.velocity_x", "initial.velocity_y" };
  double *const flow[] = { scene->hu, scene->hv };
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < (size_t)scene->nx * (size_t)scene->ny; i++) {
      if (strcmp(trm_config_string(config, keys[k]), "0") == 0) break; /* memory never touched */
      flow[k][i] *= scene->h[i];
    }
}

/* Central differences of the bed, with mirror images beyond the edges. */
static trm_status make_slopes(shallow_scene *scene)
{
  const int nx = scene->nx, ny = scene->ny;
  TRM_TRY(cells_of(scene, "the bed's slopes", &scene->zx));
  TRM_TRY(cells_of(scene, "the bed's slopes", &scene->zy));
  for (int y = 0; y < ny; y++)
    for (int x = 0; x < nx; x++) {
      const double *row = scene->z + (size_t)y * (size_t)nx;
      const double *south = y > 0 ? row - nx : row, *north = y < ny - 1 ? row + nx : row;
      const size_t i = (size_t)y * (size_t)nx + (size_t)x;
      scene->zx[i] = (row[x < nx - 1 ? x + 1 : x] - row[x > 0 ? x - 1 : x]) / (2.0 * scene->dx);
      scene->zy[i] = (north[x] - south[x]) / (2.0 * scene->dy);
    }
  return TRM_OK;
}

static trm_status read_case(const trm_config *config, shallow_scene *out)
{
  const char *path = trm_config_string(config, "shallow.bed");
  trm_grid bed = { 0 };
  if (*path)
    TRM_TRY(trm_grid_read(path, trm_config_string(config, "shallow.bed_variable"), &bed));
  memcpy(out->caution, bed.caution, sizeof out->caution);
  trm_status status = fill_holes(config, path, &bed);
  if (status == TRM_OK) status = set_grid(config, &bed, path, out);
  if (status == TRM_OK && bed.values) {
    out->z = bed.values;
    bed.values = NULL;
  } else if (status == TRM_OK) {
    double *z = NULL;
    status = cells_of(out, "the bed", &z);
    if (status == TRM_OK) status = evaluate(config, "shallow.bed_formula", out, z);
    out->z = z;
  }
  trm_grid_free(&bed);
  TRM_TRY(status);
  TRM_TRY(read_surface(config, out));
  TRM_TRY(read_velocity(config, "initial.velocity_x", out, &out->hu));
  return read_velocity(config, "initial.velocity_y", out, &out->hv);
}

/* ---- what cannot be run ------------------------------------------------------ */

/* The bed and the water are given once: by the course's files, by a file or by a formula. */
static trm_status check_keys(const trm_config *config)
{
  static const struct { const char *file, *other; int needs_file; } pairs[] = {
    { "shallow.course", "grid.nx", 0 }, { "shallow.course", "grid.ny", 0 },
    { "shallow.course", "grid.dx", 0 }, { "shallow.course", "grid.dy", 0 },
    { "shallow.course", "grid.x0", 0 }, { "shallow.course", "grid.y0", 0 },
    { "shallow.course", "shallow.bed", 0 }, { "shallow.course", "shallow.bed_formula", 0 },
    { "shallow.course", "initial.surface_file", 0 }, { "shallow.course", "initial.surface", 0 },
    { "shallow.course", "initial.velocity_x", 0 }, { "shallow.course", "initial.velocity_y", 0 },
    { "shallow.bed", "shallow.bed_formula", 0 }, { "shallow.bed", "grid.x0", 0 },
    { "shallow.bed", "grid.y0", 0 }, { "initial.surface_file", "initial.surface", 0 },
    { "shallow.bed", "shallow.bed_variable", 1 }, { "shallow.bed", "shallow.fill", 1 },
    { "initial.surface_file", "initial.surface_variable", 1 } };
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    const char *file = pairs[i].file, *other = pairs[i].other;
    const int has_file = *trm_config_string(config, file) != 0;
    if (has_file == pairs[i].needs_file || !trm_config_is_given(config, other)) continue;
    return TRM_FAIL(INPUT,
                    pairs[i].needs_file
                        ? "%s: %s has an effect only together with %s; give that file too"
                        : "%s: %s is already given by the file of %s; leave one out",
                    trm_config_origin(config, other), other, file);
  }
  return TRM_OK;
}

/* The flux of momentum must be a number of the run's precision. */
static trm_status check_speed(const shallow_scene *scene, const char *where, double dry,
                              double largest)
{
  const size_t nx = (size_t)scene->nx, cells = nx * (size_t)scene->ny;
  for (size_t i = 0; i < cells; i++) {
    const double flow = fmax(fabs(scene->hu[i]), fabs(scene->hv[i]));
    if (scene->h[i] <= dry || flow * (flow / scene->h[i]) < largest) continue;
    return TRM_FAIL(INPUT, "%s: the speed is %g in cell (%zu, %zu), too large for the run's "
                    "precision; make it smaller", where, flow / scene->h[i], i % nx, i / nx);
  }
  return TRM_OK;
}

static trm_status check_scene(const shallow_scene *scene, const char *where)
{
  const double *const fields[] = { scene->z, scene->h, scene->hu, scene->hv, scene->zx, scene->zy };
  static const char *const names[] = { "bed", "depth", "hu", "hv", "Zdx", "Zdy" };
  const size_t nx = (size_t)scene->nx, cells = nx * (size_t)scene->ny;
  for (size_t f = 0; f < 6; f++)
    for (size_t i = 0; fields[f] && i < cells; i++)
      if (!isfinite(fields[f][i]) || (f == 1 && fields[f][i] < 0))
        return TRM_FAIL(INPUT, "%s: the %s is %g in cell (%zu, %zu); %s", where, names[f],
                        fields[f][i], i % nx, i / nx,
                        f == 1 ? "a depth is a number and not negative" : "it must be finite");
  return TRM_OK;
}

static void stop_dry(const shallow_scene *scene, double dry)
{
  for (size_t i = 0; i < (size_t)scene->nx * (size_t)scene->ny; i++)
    if (scene->h[i] <= dry) scene->hu[i] = scene->hv[i] = 0.0;
}

trm_status shallow_scene_create(const trm_config *config, int needs_slopes, double dry,
                                double largest, int digits, shallow_scene *out)
{
  const char *course = trm_config_string(config, "shallow.course");
  TRM_TRY(check_keys(config));
  if (*course) TRM_TRY(shallow_course_scene(course, out));
  else TRM_TRY(read_case(config, out));
  if (needs_slopes && !out->zx) TRM_TRY(make_slopes(out));
  if (needs_slopes && fabs(out->dx - out->dy) > 1e-12 * out->dx)
    return TRM_FAIL(INPUT, "lax-friedrichs needs square cells; these are %g by %g", out->dx,
                    out->dy);
  const char *where = *course ? course : *trm_config_string(config, "shallow.bed")
                                           ? trm_config_string(config, "shallow.bed") : "the case";
  TRM_TRY(check_scene(out, where));
  TRM_TRY(shallow_scene_resolve(out, needs_slopes ? 0 : digits));
  if (!*course) make_momenta(config, out);
  stop_dry(out, dry);
  return check_speed(out, where, dry, largest);
}

void shallow_scene_free(shallow_scene *scene)
{
  free(scene->z);
  free(scene->h);
  free(scene->hu);
  free(scene->hv);
  free(scene->zx);
  free(scene->zy);
  free(scene->level);
  free(scene->is_flat);
  *scene = (shallow_scene){ 0 };
}
