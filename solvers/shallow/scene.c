/* scene.c - grid, bed and water at the start of a run, from files or formulas. */
#include "solvers/shallow/scene.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/host_work.h"
#include "core/number.h"
#include "io/grid.h"
#include "io/formula.h"

enum { FEWEST_CELLS = 3 };

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
                    bed->nx ? path : trm_config_origin(config, nx < FEWEST_CELLS ? "grid.nx"
                                                                                   : "grid.ny"),
                    nx, ny, FEWEST_CELLS,
                    bed->nx ? "give another file"
                    : nx < FEWEST_CELLS || ny < FEWEST_CELLS ? "set grid.nx and grid.ny"
                                                             : "make grid.nx or grid.ny smaller");
  out->nx = (int)nx;
  out->ny = (int)ny;
  out->x0 = bed->nx ? bed->x0 : trm_config_real(config, "grid.x0");
  out->y0 = bed->nx ? bed->y0 : trm_config_real(config, "grid.y0");
  return TRM_OK;
}

/* Cells without a value get shallow.fill, or are refused. */
static trm_status fill_holes(const trm_config *config, const char *path, trm_grid *bed,
                             double *fill)
{
  const char *text = trm_config_string(config, "shallow.fill");
  char *end;
  size_t hole = 0;
  *fill = trm_number(text, &end);
  if (bed->missing == 0) return TRM_OK;
  if (!*text) {
    TRM_TRY(trm_grid_find(bed, NAN, &hole));
    return TRM_FAIL(INPUT, "%s: %zu cells have no value, the first is (%zu, %zu); set shallow.fill "
                    "to the height that they get", path, bed->missing, hole % bed->nx,
                    hole / bed->nx);
  }
  if (*end || !isfinite(*fill))
    return TRM_FAIL(INPUT, "%s: shallow.fill = '%s' is not a height; give a number",
                    trm_config_origin(config, "shallow.fill"), text);
  return TRM_OK;
}

/* ---- formulas -------------------------------------------------------------- */

static const char *const keys[SHALLOW_GIVEN] = { "shallow.bed_formula", "initial.surface",
                                                 "initial.velocity_x", "initial.velocity_y" };

static trm_status open_formula(shallow_scene *scene, int which)
{
  static const char *const names[] = { "x", "y", "z", "h" };
  const size_t threads = (size_t)trm_device_host_threads(scene->device);
  trm_formula **all = calloc(threads, sizeof(trm_formula *));
  if (!all) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the formulas of %zu threads", threads);
  scene->formulas[which] = all;
  TRM_TRY(trm_formula_create(trm_config_string(scene->config, keys[which]), names, 4,
                             trm_config_origin(scene->config, keys[which]), &all[0]));
  for (size_t i = 1; i < threads; i++) TRM_TRY(trm_formula_copy(all[0], &all[i]));
  return TRM_OK;
}

static void close_formulas(shallow_scene *scene)
{
  const int threads = scene->device ? trm_device_host_threads(scene->device) : 0;
  for (int which = 0; which < SHALLOW_GIVEN; which++) {
    for (int i = 0; scene->formulas[which] && i < threads; i++)
      trm_formula_destroy(&scene->formulas[which][i]);
    free(scene->formulas[which]);
  }
}

/* A formula at the centres of the band's cells. A surface may depend on z, a velocity on h too. */
typedef struct evaluation {
  const shallow_scene *scene;
  int which;
  const double *z, *h;       /* NULL: it does not depend on them */
  double *out;
} evaluation;

static void evaluate_columns(const evaluation *e, trm_formula *formula, int low, int high,
                             size_t first, size_t count)
{
  const shallow_scene *scene = e->scene;
  const double nothing = 0.0;
  double xs[TRM_FORMULA_RUN];
  for (size_t k = 0; k < count; k++) xs[k] = scene->x0 + ((double)(first + k) + 0.5) * scene->dx;
  trm_formula_place(formula, 0, xs, 0);
  for (int y = low; y < high; y++) {
    const size_t at = (size_t)(y - scene->band.low) * (size_t)scene->nx + first;
    const double y_value = scene->y0 + (y + 0.5) * scene->dy;
    trm_formula_place(formula, 1, &y_value, 1);
    trm_formula_place(formula, 2, e->z ? e->z + at : &nothing, !e->z);
    trm_formula_place(formula, 3, e->h ? e->h + at : &nothing, !e->h);
    trm_formula_values(formula, count, e->out + at);
  }
}

static trm_status check_finite(const evaluation *e, int low, int high)
{
  const shallow_scene *scene = e->scene;
  const char *key = keys[e->which];
  const size_t nx = (size_t)scene->nx;
  const double *row = e->out + (size_t)(low - scene->band.low) * nx;
  for (size_t i = 0; i < (size_t)(high - low) * nx; i++) {
    if (isfinite(row[i])) continue;
    const size_t x = i % nx, y = i / nx + (size_t)low;
    return TRM_FAIL(INPUT, "%s: %s = '%s' is %g in cell (%zu, %zu), at x = %g, y = %g; it must "
                    "be finite everywhere", trm_config_origin(scene->config, key), key,
                    trm_config_string(scene->config, key), row[i], x, y,
                    scene->x0 + ((double)x + 0.5) * scene->dx,
                    scene->y0 + ((double)y + 0.5) * scene->dy);
  }
  return TRM_OK;
}

enum { TOGETHER = 16 /* rows that a thread takes at once */ };

static trm_status evaluate_rows(void *user, size_t i, int thread)
{
  const evaluation *e = user;
  const shallow_scene *scene = e->scene;
  const size_t nx = (size_t)scene->nx;
  const int low = scene->band.low + (int)i * TOGETHER, end = scene->band.high;
  const int high = end - low < TOGETHER ? end : low + TOGETHER;
  for (size_t first = 0; first < nx; first += TRM_FORMULA_RUN)
    evaluate_columns(e, scene->formulas[e->which][thread], low, high, first,
                     nx - first < TRM_FORMULA_RUN ? nx - first : TRM_FORMULA_RUN);
  return check_finite(e, low, high);
}

static trm_status evaluate(const shallow_scene *scene, int which, double *out)
{
  const shallow_band *b = &scene->band;
  evaluation e = { scene, which, which > SHALLOW_BED ? b->z : NULL,
                   which > SHALLOW_SURFACE ? b->h : NULL, out };
  const size_t parts = (size_t)(b->high - b->low + TOGETHER - 1) / TOGETHER;
  return trm_device_host_each(scene->device, parts, evaluate_rows, &e);
}

/* ---- water ----------------------------------------------------------------- */

/* A surface lies on the bed's own cells. */
static trm_status check_surface(trm_grid *surface, const char *path, const shallow_scene *scene)
{
  size_t hole = 0;
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
  if (!surface->missing) return TRM_OK;
  TRM_TRY(trm_grid_find(surface, NAN, &hole));
  return TRM_FAIL(INPUT, "%s: %zu cells have no value, the first is (%zu, %zu); a surface needs "
                  "one everywhere (where it is dry, any height below the bed)", path,
                  surface->missing, hole % surface->nx, hole / surface->nx);
}

/* In bands each walk reads the file's rows. */
static trm_status read_file(const shallow_scene *scene, const char *path, const char *variable,
                            int in_bands, trm_grid *out)
{
  const char *name = trm_config_string(scene->config, variable);
  return in_bands ? trm_grid_open(path, name, out) : trm_grid_read(path, name, out);
}

static trm_status read_surface(shallow_scene *scene, int in_bands)
{
  const char *path = trm_config_string(scene->config, "initial.surface_file");
  trm_grid *surface = &scene->given[SHALLOW_SURFACE];
  if (!*path) return open_formula(scene, SHALLOW_SURFACE);
  TRM_TRY(read_file(scene, path, "initial.surface_variable", in_bands, surface));
  if (!*scene->caution) memcpy(scene->caution, surface->caution, sizeof scene->caution);
  return check_surface(surface, path, scene);
}

/* Velocities are 0 without a formula. */
static trm_status read_velocity(shallow_scene *scene, int which)
{
  if (strcmp(trm_config_string(scene->config, keys[which]), "0") == 0) return TRM_OK;
  return open_formula(scene, which);
}

static trm_status read_case(shallow_scene *out, int in_bands)
{
  const trm_config *config = out->config;
  const char *path = trm_config_string(config, "shallow.bed");
  trm_grid *bed = &out->given[SHALLOW_BED];
  if (*path) TRM_TRY(read_file(out, path, "shallow.bed_variable", in_bands, bed));
  memcpy(out->caution, bed->caution, sizeof out->caution);
  TRM_TRY(fill_holes(config, path, bed, &out->fill));
  TRM_TRY(set_grid(config, bed, path, out));
  if (!bed->nx) TRM_TRY(open_formula(out, SHALLOW_BED));
  TRM_TRY(read_surface(out, in_bands));
  TRM_TRY(read_velocity(out, SHALLOW_SPEED_X));
  return read_velocity(out, SHALLOW_SPEED_Y);
}

/* ---- a band ----------------------------------------------------------------- */

enum { BAND_CELLS = 1 << 16, FEWEST_ROWS = 8 };

static trm_status make_band(shallow_scene *scene, int needs_slopes, int in_bands)
{
  const size_t nx = (size_t)scene->nx, ny = (size_t)scene->ny;
  shallow_band *b = &scene->band;
  double **const all[] = { &b->z, &b->h, &b->hu, &b->hv, &b->level, &b->zx, &b->zy };
  size_t rows = BAND_CELLS / nx > FEWEST_ROWS ? BAND_CELLS / nx : FEWEST_ROWS;
  if (!in_bands || rows > ny) rows = ny;
  scene->most = (int)rows;
  scene->edges = calloc(2 * (nx + ny), sizeof *scene->edges);
  trm_status status = scene->edges ? TRM_OK : TRM_ERROR_NO_HOST_MEMORY;
  for (int i = 0; i < (needs_slopes ? 7 : 5) && status == TRM_OK; i++) {
    *all[i] = calloc((rows + 2) * nx, sizeof **all[i]);
    if (!*all[i]) status = TRM_ERROR_NO_HOST_MEMORY;
  }
  return status == TRM_OK ? TRM_OK
         : TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu rows of %zu cells of a first state", rows,
                    nx);
}

static trm_status take(shallow_scene *scene, int which, double *out)
{
  const shallow_band *b = &scene->band;
  if (scene->formulas[which]) return evaluate(scene, which, out);
  return scene->given[which].nx
         ? trm_grid_rows(&scene->given[which], (size_t)b->low, (size_t)(b->high - b->low),
                         scene->fill, out) : TRM_OK;
}

/* Central differences of the bed, with mirror images beyond the edges. */
static void make_slopes(const shallow_scene *scene)
{
  const shallow_band *b = &scene->band;
  const int nx = scene->nx, ny = scene->ny;
  for (int y = b->first; y < b->end; y++)
    for (int x = 0; x < nx; x++) {
      const double *row = b->z + (size_t)(y - b->low) * (size_t)nx;
      const double *south = y > 0 ? row - nx : row, *north = y < ny - 1 ? row + nx : row;
      const size_t i = (size_t)(y - b->low) * (size_t)nx + (size_t)x;
      b->zx[i] = (row[x < nx - 1 ? x + 1 : x] - row[x > 0 ? x - 1 : x]) / (2.0 * scene->dx);
      b->zy[i] = (north[x] - south[x]) / (2.0 * scene->dy);
    }
}

static void take_course(const shallow_scene *scene)
{
  const shallow_band *b = &scene->band;
  double *const to[] = { b->h, b->hu, b->hv, b->zx, b->zy };
  const size_t nx = (size_t)scene->nx, cells = (size_t)(b->high - b->low) * nx;
  for (int i = 0; i < 5; i++)
    memcpy(to[i], scene->course[i] + (size_t)b->low * nx, cells * sizeof *to[i]);
}

static void free_given(shallow_scene *scene)
{
  for (int i = 0; i < SHALLOW_GIVEN; i++) trm_grid_free(&scene->given[i]);
}

/* Rows from `first` on as the case gives them, and a row on either side. */
static trm_status fill_band(shallow_scene *scene, int first)
{
  shallow_band *b = &scene->band;
  const int end = scene->ny - first < scene->most ? scene->ny : first + scene->most;
  const int is_whole = scene->most == scene->ny;
  if (is_whole && b->end == scene->ny) return TRM_OK; /* they are there */
  b->first = first;
  b->end = end;
  b->low = first > 0 ? first - 1 : 0;
  b->high = end < scene->ny ? end + 1 : end;
  if (*scene->course) {
    take_course(scene);
    return TRM_OK;
  }
  TRM_TRY(take(scene, SHALLOW_BED, b->z));
  TRM_TRY(take(scene, SHALLOW_SURFACE, b->level));
  for (size_t i = 0; i < (size_t)(b->high - b->low) * (size_t)scene->nx; i++)
    b->h[i] = b->level[i] > b->z[i] ? b->level[i] - b->z[i] : 0.0;
  TRM_TRY(take(scene, SHALLOW_SPEED_X, b->hu));
  TRM_TRY(take(scene, SHALLOW_SPEED_Y, b->hv));
  if (b->zx) make_slopes(scene);
  if (is_whole) free_given(scene);
  return TRM_OK;
}

static shallow_rows rows_of(const shallow_scene *scene)
{
  const shallow_band *b = &scene->band;
  const size_t at = (size_t)(b->first - b->low) * (size_t)scene->nx;
  return (shallow_rows){ b->first, b->end - b->first, b->z + at, b->h + at, b->hu + at,
                         b->hv + at, b->zx ? b->zx + at : NULL, b->zy ? b->zy + at : NULL };
}

/* Takes the cells at edges from the rows. */
static void take_edges(shallow_scene *scene, const shallow_rows *rows)
{
  const size_t nx = (size_t)scene->nx, ny = (size_t)scene->ny;
  shallow_edge *west = scene->edges, *south = west + 2 * ny;
  for (size_t y = (size_t)rows->first, i = 0; i < (size_t)rows->count * nx; y++, i += nx) {
    const double *z = rows->z + i, *h = rows->h + i, *hu = rows->hu + i, *hv = rows->hv + i;
    west[y] = (shallow_edge){ z[0], z[1], h[0], hu[0] };
    west[ny + y] = (shallow_edge){ z[nx - 1], z[nx - 2], h[nx - 1], hu[nx - 1] };
    for (size_t side = 0; side < 2; side++)
      for (size_t x = 0; x < nx; x++) {
        shallow_edge *e = &south[side * nx + x];
        if (y == (side ? ny - 1 : 0)) *e = (shallow_edge){ z[x], e->next, h[x], hv[x] };
        if (y == (side ? ny - 2 : 1)) e->next = z[x];
      }
  }
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
static trm_status check_speed(const shallow_scene *scene, const shallow_rows *rows)
{
  const size_t nx = (size_t)scene->nx, cells = nx * (size_t)rows->count;
  for (size_t i = 0; i < cells; i++) {
    const double h = rows->h[i], flow = fmax(fabs(rows->hu[i]), fabs(rows->hv[i]));
    if (h <= scene->dry || flow * (flow / h) < scene->largest) continue;
    return TRM_FAIL(INPUT, "%s: the speed is %g in cell (%zu, %zu), too large for the run's "
                    "precision; make it smaller", scene->where, flow / h, i % nx,
                    i / nx + (size_t)rows->first);
  }
  return TRM_OK;
}

static trm_status check_rows(const shallow_scene *scene, const shallow_rows *rows)
{
  const double *const fields[] = { rows->z, rows->h, rows->hu, rows->hv, rows->zx, rows->zy };
  static const char *const names[] = { "bed", "depth", "hu", "hv", "Zdx", "Zdy" };
  const size_t nx = (size_t)scene->nx, cells = nx * (size_t)rows->count;
  for (size_t f = 0; f < 6; f++)
    for (size_t i = 0; fields[f] && i < cells; i++)
      if (!isfinite(fields[f][i]) || (f == 1 && fields[f][i] < 0))
        return TRM_FAIL(INPUT, "%s: the %s is %g in cell (%zu, %zu); %s", scene->where, names[f],
                        fields[f][i], i % nx, i / nx + (size_t)rows->first,
                        f == 1 ? "a depth is a number and not negative" : "it must be finite");
  return TRM_OK;
}

/* ---- all rows ----------------------------------------------------------------- */

/* As the case gives them: refuses what cannot be run, and finds what heights are counted from. */
static trm_status look(shallow_scene *scene)
{
  scene->lowest = INFINITY;
  scene->highest = -INFINITY;
  for (int first = 0; first < scene->ny; first += scene->most) {
    TRM_TRY(fill_band(scene, first));
    const shallow_rows rows = rows_of(scene);
    const size_t cells = (size_t)rows.count * (size_t)scene->nx;
    const double *level = scene->band.level + (rows.z - scene->band.z);
    TRM_TRY(check_rows(scene, &rows));
    take_edges(scene, &rows);
    for (size_t i = 0; i < cells; i++) {
      scene->lowest = fmin(scene->lowest, rows.z[i]);
      scene->highest = fmax(scene->highest, fmax(rows.z[i], level[i]));
    }
  }
  return TRM_OK;
}

static trm_status find_lakes(shallow_scene *scene)
{
  if (!scene->lakes) return TRM_OK;
  for (int first = 0; first < scene->ny; first += scene->most) {
    TRM_TRY(fill_band(scene, first));
    TRM_TRY(shallow_find_lakes(scene));
  }
  return shallow_end_lakes(scene);
}

/* Velocities become momenta, and water that is no deeper than dry rests. */
static void make_momenta(shallow_scene *scene)
{
  const shallow_band *b = &scene->band;
  double *const flow[] = { b->hu, b->hv };
  const size_t nx = (size_t)scene->nx;
  for (int k = 0; k < 2; k++) {
    const int is_given = scene->formulas[SHALLOW_SPEED_X + k] != NULL;
    if (!is_given && !*scene->course) continue; /* memory never touched */
    for (size_t i = (size_t)(b->first - b->low) * nx; i < (size_t)(b->end - b->low) * nx; i++) {
      if (is_given) flow[k][i] *= b->h[i];
      if (b->h[i] <= scene->dry) flow[k][i] = 0.0;
    }
  }
}

/* Frees everything that only later bands would need. */
static void end_all(shallow_scene *scene)
{
  scene->is_final = 1;
  free(scene->band.level);
  scene->band.level = NULL;
  shallow_free_lakes(scene);
}

trm_status shallow_scene_walk(shallow_scene *scene, shallow_visitor *visit, void *user)
{
  for (int first = 0; first < scene->ny; first += scene->most) {
    TRM_TRY(fill_band(scene, first));
    if (!scene->is_final && !*scene->course) shallow_resolve_band(scene);
    if (!scene->is_final) make_momenta(scene);
    if (scene->most == scene->ny) end_all(scene);
    const shallow_rows rows = rows_of(scene);
    TRM_TRY(check_speed(scene, &rows));
    take_edges(scene, &rows);
    TRM_TRY(visit(user, &rows));
  }
  return TRM_OK;
}

trm_status shallow_scene_create(trm_device *device, const trm_config *config,
                                const shallow_wanted *wanted, shallow_scene *out)
{
  const char *course = trm_config_string(config, "shallow.course");
  const char *bed = trm_config_string(config, "shallow.bed");
  out->device = device;
  out->config = config;
  out->where = *course ? course : *bed ? bed : "the case";
  out->dry = wanted->dry;
  out->largest = wanted->largest;
  TRM_TRY(check_keys(config));
  if (*course) TRM_TRY(shallow_course_scene(course, out));
  else TRM_TRY(read_case(out, wanted->in_bands));
  if (wanted->needs_slopes && fabs(out->dx - out->dy) > 1e-12 * out->dx)
    return TRM_FAIL(INPUT, "lax-friedrichs needs square cells; these are %g by %g", out->dx,
                    out->dy);
  TRM_TRY(make_band(out, wanted->needs_slopes, wanted->in_bands));
  TRM_TRY(look(out));
  TRM_TRY(shallow_scene_resolve(out, wanted->needs_slopes ? 0 : wanted->digits));
  return find_lakes(out);
}

void shallow_scene_free(shallow_scene *scene)
{
  shallow_band *b = &scene->band;
  double *const all[] = { b->z, b->level, b->h, b->hu, b->hv, b->zx, b->zy };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
  close_formulas(scene);
  for (int i = 0; i < 5; i++) free(scene->course[i]);
  free_given(scene);
  shallow_free_lakes(scene);
  free(scene->is_flat);
  free(scene->edges);
  *scene = (shallow_scene){ 0 };
}
