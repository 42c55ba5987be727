/* surface.c - a closed surface of triangles in the box: which cells lie inside, and where a link
 * meets it. Places are in cells; everything in doubles, on the host. */
#include "solvers/lbm3d/lbm3d.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "io/file.h"

/* ---- where it stands --------------------------------------------------------- */

/* In five digits, no less: what is said to be enough is. */
static double round_up(double value)
{
  const double unit = pow(10, floor(log10(value)) - 4);
  return ceil(value / unit) * unit;
}

/* From the file's unit to cells: so large that it fits with two cells around, or as the key says;
 * in the middle of the box. */
static trm_status place(const trm_config *config, lbm3d_scene *scene)
{
  trm_stl *stl = &scene->stl;
  const char *path = trm_config_string(config, "bodies.stl");
  double cell = trm_config_real(config, "bodies.stl_cell"), needed = 0, shift[3];
  for (int i = 0; i < 3; i++)
    needed = fmax(needed, (stl->high[i] - stl->low[i]) / (scene->n[i] - 4));
  for (int i = 0; i < 3; i++)
    if (scene->n[i] < 6)
      return TRM_FAIL(INPUT, "%s: %d x %d x %d cells leave no room for a surface with two cells "
                      "around; make the grid finer", trm_config_origin(config, "grid.nx"),
                      scene->n[0], scene->n[1], scene->n[2]);
  if (cell == 0.0) cell = needed;
  if (!(cell >= needed * (1 - 1e-9)))
    return TRM_FAIL(INPUT, "%s: %s is %g x %g x %g in its own unit and does not fit into %d x %d x "
                    "%d cells of bodies.stl_cell = %g with two cells around; cells of %.5g "
                    "would do: set bodies.stl_cell in the file's unit (a number in mm is 1000 "
                    "times the number in m), or make the grid larger",
                    trm_config_origin(config, "bodies.stl"), path, stl->high[0] - stl->low[0],
                    stl->high[1] - stl->low[1], stl->high[2] - stl->low[2], scene->n[0],
                    scene->n[1], scene->n[2], cell, round_up(needed));
  for (int i = 0; i < 3; i++)
    shift[i] = 0.5 * scene->n[i] - 0.5 * (stl->high[i] + stl->low[i]) / cell;
  for (size_t i = 0; i < 9 * stl->count; i++)
    stl->corners[i] = stl->corners[i] / cell + shift[i % 3];
  scene->surface_cell = cell;
  return TRM_OK;
}

/* ---- its patches ------------------------------------------------------------- */

/* The axis along which the most of a patch's area faces. */
static int axis_of(const trm_stl *stl, size_t patch)
{
  double area[3] = { 0 };
  for (size_t i = 0; i < stl->count; i++) {
    const double *v = stl->corners + 9 * i;
    for (int a = 0; a < 3 && stl->patch[i] == patch; a++) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      area[a] += (v[3 + b] - v[b]) * (v[6 + c] - v[c]) - (v[3 + c] - v[c]) * (v[6 + b] - v[b]);
    }
  }
  const int yz = fabs(area[1]) >= fabs(area[2]) ? 1 : 2;
  return fabs(area[0]) >= fabs(area[yz]) ? 0 : yz;
}

static trm_status read_patch(const trm_config *config, lbm3d_scene *scene, const char *text)
{
  const char *origin = trm_config_origin(config, "lbm.patches");
  char name[TRM_STL_NAME], where[1024];
  size_t patch;
  const trm_words comes = trm_words_read(text, "@ inflow # # #");
  const trm_words presses = trm_words_read(text, "@ pressure #");
  const trm_words dense = trm_words_read(text, "@ density #");
  const trm_words *read = comes.used ? &comes : presses.used ? &presses : &dense;
  lbm3d_opening opening = { SIDE_OUTFLOW, { 0 }, 1.0, 0.0, 0 };
  if (!read->used || text[read->used] || !trm_words_take(read, 0, name, sizeof name) ||
      (dense.used && !(dense.number[0] > 0)))
    return TRM_FAIL(INPUT, "%s: '%s' in lbm.patches is no opening; write 'NAME inflow U V W', "
                    "'NAME density RHO' or 'NAME pressure P', and ';' between openings", origin,
                    text);
  if (comes.used) {
    const double *v = comes.number;
    opening.kind = SIDE_INFLOW;
    memcpy(opening.velocity, v, sizeof opening.velocity);
    if (!(sqrt((v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * 3) <= LBM3D_MACH))
      return TRM_FAIL(INPUT, "%s: the inflow '%s' in lbm.patches is faster than Mach %g, up to "
                      "which the method holds; make it smaller", origin, text, LBM3D_MACH);
  }
  if (presses.used) opening.pressure = presses.number[0]; /* its density follows from the units */
  if (dense.used) opening.density = dense.number[0];
  snprintf(where, sizeof where, "%s: %s", origin, trm_config_string(config, "bodies.stl"));
  TRM_TRY(trm_stl_find(&scene->stl, name, where, &patch));
  if (scene->openings[patch].kind != SIDE_WALL)
    return TRM_FAIL(INPUT, "%s: lbm.patches names '%s' twice; leave one of the two out, or name "
                    "another opening", origin, name);
  opening.axis = axis_of(&scene->stl, patch);
  scene->openings[patch] = opening;
  return TRM_OK;
}

static trm_status read_patches(const trm_config *config, lbm3d_scene *scene)
{
  char *text = strdup(trm_config_string(config, "lbm.patches")), *rest = NULL;
  trm_status status = text ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for patches");
  for (int i = 0; i < TRM_STL_PATCHES; i++) scene->openings[i].kind = SIDE_WALL;
  for (char *one = text ? strtok_r(text, ";", &rest) : NULL; one && status == TRM_OK;
       one = strtok_r(NULL, ";", &rest))
    status = read_patch(config, scene, one);
  free(text);
  return status;
}

/* ---- inside ------------------------------------------------------------------ */

/* Rows of cells run along x through their middles. They are shifted by less than matters, so that
 * no row meets an edge. Then rounding does not decide the side of a wall on which a middle lies. */
static const double ASIDE_X = 1.37e-7, ASIDE_Y = 1.03e-7, ASIDE_Z = 1.71e-7;

/* For a link. NEAR_CENTRE: within this distance a wall counts as on a cell's centre, and the shift
 * decides its side. SAME_PLACE: within this distance two crossings count as the same place. */
static const double NEAR_CENTRE = 1e-6, SAME_PLACE = 1e-9;

/* Where the row (y, z) meets the triangle; 0: nowhere. */
static int meets(const double *v, double y, double z, double *x)
{
  double w[3], sum = 0;
  for (int i = 0; i < 3; i++) {
    const double *a = v + 3 * ((i + 1) % 3), *b = v + 3 * ((i + 2) % 3);
    w[i] = (a[1] - y) * (b[2] - z) - (a[2] - z) * (b[1] - y);
    sum += w[i];
  }
  if (!((w[0] > 0 && w[1] > 0 && w[2] > 0) || (w[0] < 0 && w[1] < 0 && w[2] < 0))) return 0;
  *x = (w[0] * v[0] + w[1] * v[3] + w[2] * v[6]) / sum;
  return 1;
}

static void bounds(const double *v, int axis, int n, int *first, int *last)
{
  const double low = fmin(v[axis], fmin(v[3 + axis], v[6 + axis]));
  const double high = fmax(v[axis], fmax(v[3 + axis], v[6 + axis]));
  *first = (int)fmax(0, floor(low) - 1);
  *last = (int)fmin(n - 1, floor(high) + 1);
}

/* Turns the cells of a row east of x to the other side. */
static void toggle_east(uint8_t *row, int nx, double x)
{
  for (int i = (int)fmax(0, ceil(x - 0.5 - ASIDE_X)); i < nx; i++) row[i] ^= 1;
}

/* A box of cells: whether the centre of each is inside of a surface. */
typedef struct part_cells { int first[3], n[3]; uint8_t *is_in; } part_cells;

/* A triangle turns the cells east of it to the other side. n: of the grid. */
static void fill_cells(const double *v, const int n[3], const part_cells *cells)
{
  const int *first = cells->first;
  int y0, y1, z0, z1;
  bounds(v, 1, n[1], &y0, &y1);
  bounds(v, 2, n[2], &z0, &z1);
  for (int z = z0; z <= z1; z++)
    for (int y = y0; y <= y1; y++) {
      const size_t row = (size_t)(z - first[2]) * (size_t)cells->n[1] + (size_t)(y - first[1]);
      double x;
      if (meets(v, y + 0.5 + ASIDE_Y, z + 0.5 + ASIDE_Z, &x))
        toggle_east(cells->is_in + (size_t)cells->n[0] * row, cells->n[0], x - first[0]);
    }
}

trm_status lbm3d_surface_fill(const trm_config *config, lbm3d_scene *scene)
{
  const int *n = scene->n, is_lumen = strcmp(trm_config_string(config, "lbm.fluid"), "inside") == 0;
  const size_t nx = (size_t)n[0];
  const part_cells all = { .n = { n[0], n[1], n[2] }, .is_in = scene->solid };
  for (size_t i = 0; i < scene->stl.count; i++) fill_cells(scene->stl.corners + 9 * i, n, &all);
  const size_t rows = (size_t)n[1] * (size_t)n[2];
  for (size_t row = 0; row < rows; row++) /* east of the surface all is outside */
    if (scene->solid[row * nx + nx - 1])
      return TRM_FAIL(INPUT, "%s: the row y = %zu, z = %zu of the grid enters %s and does not "
                      "leave it: it meets an edge; change bodies.stl_cell a little",
                      trm_config_origin(config, "bodies.stl"), row % (size_t)n[1],
                      row / (size_t)n[1], trm_config_string(config, "bodies.stl"));
  for (size_t i = 0; i < rows * nx; i++) {
    scene->solid[i] ^= (uint8_t)is_lumen;
    scene->solid_count += scene->solid[i];
  }
  return TRM_OK;
}

/* ---- parts that do not touch -------------------------------------------------- */

typedef struct corner { double at[3]; uint32_t triangle; } corner;

static int compare_corners(const void *a, const void *b)
{
  const double *one = ((const corner *)a)->at, *other = ((const corner *)b)->at;
  for (int i = 0; i < 3; i++)
    if (one[i] != other[i]) return one[i] < other[i] ? -1 : 1;
  return 0;
}

static uint32_t first_of(uint32_t *parent, uint32_t triangle)
{
  while (parent[triangle] != triangle) {
    parent[triangle] = parent[parent[triangle]];
    triangle = parent[triangle];
  }
  return triangle;
}

/* Triangles with a corner in common are of one part; a part's number is its first triangle's, and
 * then how many begin before that. */
static void find_parts(corner *corners, size_t count, uint32_t *parent, uint32_t *part_count)
{
  for (size_t i = 0; i < count; i++) parent[i] = (uint32_t)i;
  qsort(corners, 3 * count, sizeof *corners, compare_corners);
  for (size_t i = 1; i < 3 * count; i++) {
    if (compare_corners(&corners[i - 1], &corners[i]) != 0) continue;
    const uint32_t a = first_of(parent, corners[i - 1].triangle);
    const uint32_t b = first_of(parent, corners[i].triangle);
    parent[a > b ? a : b] = a > b ? b : a;
  }
  for (size_t i = 0; i < count; i++) parent[i] = first_of(parent, (uint32_t)i);
  *part_count = 0;
  for (size_t i = 0; i < count; i++) /* the first comes before the others */
    parent[i] = parent[i] == i ? (*part_count)++ : parent[parent[i]];
}

static trm_status part(lbm3d_scene *scene)
{
  const size_t count = scene->stl.count;
  TRM_TRY(trmi_memory_require("the corners of a surface", 2 * 3 * count * sizeof(corner)));
  corner *corners = malloc(3 * count * sizeof *corners);
  scene->part_of = malloc(count * sizeof *scene->part_of);
  scene->part_holds = calloc(count, 1);
  const int has_room = corners && scene->part_of && scene->part_holds;
  for (size_t i = 0; i < 3 * count && has_room; i++) {
    memcpy(corners[i].at, scene->stl.corners + 3 * i, sizeof corners[i].at);
    corners[i].triangle = (uint32_t)(i / 3);
  }
  if (has_room) find_parts(corners, count, scene->part_of, &scene->part_count);
  free(corners);
  return has_room ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for the parts of a surface");
}

/* Triangles in the order of their parts: those of part i are list[first[i]] to
 * list[first[i + 1] - 1]. */
typedef struct part_list { size_t *first; uint32_t *list; } part_list;

static trm_status sort_parts(const lbm3d_scene *scene, part_list *out)
{
  const size_t count = scene->stl.count;
  out->first = calloc(scene->part_count + 2, sizeof *out->first);
  out->list = malloc(count * sizeof *out->list);
  if (!out->first || !out->list) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a surface's parts");
  for (size_t i = 0; i < count; i++) out->first[scene->part_of[i] + 2]++;
  for (size_t i = 0; i < scene->part_count; i++) out->first[i + 2] += out->first[i + 1];
  for (size_t i = 0; i < count; i++) out->list[out->first[scene->part_of[i] + 1]++] = (uint32_t)i;
  return TRM_OK;
}

static trm_status make_cells(const lbm3d_scene *scene, const uint32_t *list, size_t count,
                             part_cells *out)
{
  size_t cells = 1;
  for (int a = 0; a < 3; a++) {
    int least = scene->n[a], most = -1;
    for (size_t i = 0; i < count; i++) {
      int low, high;
      bounds(scene->stl.corners + 9 * (size_t)list[i], a, scene->n[a], &low, &high);
      least = low < least ? low : least;
      most = high > most ? high : most;
    }
    out->first[a] = least;
    out->n[a] = most - least + 1;
    cells *= (size_t)out->n[a];
  }
  TRM_TRY(trmi_memory_require("the cells of a part of a surface", cells));
  out->is_in = calloc(cells, 1);
  return out->is_in ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for a surface's parts");
}

static int holds_any(const part_cells *cells,
                     int (*has)(const void *user, const int cell[3]), const void *user)
{
  const uint8_t *is_in = cells->is_in;
  for (int z = 0; z < cells->n[2]; z++)
    for (int y = 0; y < cells->n[1]; y++)
      for (int x = 0; x < cells->n[0]; x++) {
        const int cell[] = { cells->first[0] + x, cells->first[1] + y, cells->first[2] + z };
        if (*is_in++ && (!has || has(user, cell))) return 1;
      }
  return 0;
}

trm_status lbm3d_surface_hold(const lbm3d_scene *scene,
                              int (*has)(const void *user, const int cell[3]), const void *user,
                              uint8_t *holds)
{
  part_list parts = { 0 };
  trm_status status = sort_parts(scene, &parts);
  for (size_t i = 0; i < scene->part_count && status == TRM_OK; i++) {
    part_cells cells = { 0 };
    const uint32_t *list = parts.list + parts.first[i];
    const size_t count = parts.first[i + 1] - parts.first[i];
    if (holds[i]) continue;
    status = make_cells(scene, list, count, &cells);
    for (size_t j = 0; j < count && status == TRM_OK; j++)
      fill_cells(scene->stl.corners + 9 * (size_t)list[j], scene->n, &cells);
    if (status == TRM_OK) holds[i] = (uint8_t)holds_any(&cells, has, user);
    free(cells.is_in);
  }
  free(parts.first);
  free(parts.list);
  return status;
}

trm_status lbm3d_surface_check(const trm_config *config, const lbm3d_scene *scene)
{
  size_t i = 0;
  for (uint32_t number = 0; number < scene->part_count; number++) {
    while (scene->part_of[i] != number) i++;
    if (scene->part_holds[number]) continue;
    const double *v = scene->stl.corners + 9 * i;
    return TRM_FAIL(INPUT, "%s: a part of %s that touches no other, in solid '%s' at cell (%.4g, "
                    "%.4g, %.4g), holds no cell's centre, so that the grid would not have it; make "
                    "bodies.stl_cell, %g now, smaller and the grid finer, or leave the part out",
                    trm_config_origin(config, "bodies.stl"),
                    trm_config_string(config, "bodies.stl"),
                    scene->stl.names[scene->stl.patch[i]], v[0], v[1], v[2], scene->surface_cell);
  }
  return TRM_OK;
}

/* ---- links ------------------------------------------------------------------- */

/* The triangles near each cell: those of cell c are near[first[c]] to near[first[c + 1] - 1]. */
static trm_status sort_triangles(lbm3d_scene *scene)
{
  const int *n = scene->n;
  const size_t cells = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
  TRM_TRY(trmi_memory_require("the number of triangles near each cell",
                              cells * sizeof *scene->near_first));
  scene->near_first = calloc(cells + 2, sizeof *scene->near_first);
  if (!scene->near_first) return TRM_FAIL(NO_HOST_MEMORY, "no memory to sort triangles");
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < scene->stl.count; i++) {
      int low[3], high[3];
      for (int axis = 0; axis < 3; axis++)
        bounds(scene->stl.corners + 9 * i, axis, n[axis], &low[axis], &high[axis]);
      for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
          for (int x = low[0]; x <= high[0]; x++) {
            const size_t c = ((size_t)z * (size_t)n[1] + (size_t)y) * (size_t)n[0] + (size_t)x;
            if (pass) scene->near[scene->near_first[c + 1]++] = (uint32_t)i;
            else scene->near_first[c + 2]++;
          }
    }
    if (pass) break;
    for (size_t c = 0; c < cells; c++) scene->near_first[c + 2] += scene->near_first[c + 1];
    TRM_TRY(trmi_memory_require("the triangles near each cell",
                                scene->near_first[cells + 1] * sizeof *scene->near));
    scene->near = malloc((scene->near_first[cells + 1] + 1) * sizeof *scene->near);
    if (!scene->near) return TRM_FAIL(NO_HOST_MEMORY, "no memory to sort triangles");
  }
  return TRM_OK;
}

/* 2: not met. */
static double meet(const double *v, const double from[3], const double by[3])
{
  const double at = trm_stl_meet(v, from, by);
  return at >= -NEAR_CENTRE && at <= 1 + NEAR_CENTRE ? fmin(fmax(at, 0), 1) : 2;
}

size_t lbm3d_near_of(const lbm3d_scene *scene, const int cell[3])
{
  size_t number = 0;
  for (int a = 2; a >= 0; a--)
    number = number * (size_t)(scene->n[a] >> scene->level) + (size_t)(cell[a] >> scene->level);
  return number;
}

/* At an edge between two patches: a wall before an inflow before what lets flow out. */
static int comes_before(const lbm3d_scene *scene, int one, int other)
{
  const lbm3d_kind own = scene->openings[one].kind, kind = scene->openings[other].kind;
  return own != kind ? own > kind : one < other;
}

double lbm3d_surface_distance(const lbm3d_scene *scene, const int cell[3], const double by[3],
                              int *patch)
{
  const double from[] = { cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5 };
  const size_t c = lbm3d_near_of(scene, cell);
  double nearest = 2;
  for (size_t i = scene->near_first[c]; i < scene->near_first[c + 1]; i++) {
    const double at = meet(scene->stl.corners + 9 * (size_t)scene->near[i], from, by);
    const int own = scene->stl.patch[scene->near[i]];
    if (at > 1 || at > nearest + SAME_PLACE) continue;
    if (at < nearest - SAME_PLACE || comes_before(scene, own, *patch)) *patch = own;
    nearest = fmin(nearest, at);
  }
  return nearest;
}

/* ---- all of it ------------------------------------------------------------------ */

trm_status lbm3d_surface_create(const trm_config *config, lbm3d_scene *scene)
{
  const char *path = trm_config_string(config, "bodies.stl");
  static const char *const of_it[] = { "lbm.patches", "bodies.stl_cell", "lbm.fluid" };
  for (size_t i = 0; i < sizeof of_it / sizeof of_it[0] && !*path; i++)
    if (trm_config_is_given(config, of_it[i]))
      return TRM_FAIL(INPUT, "%s: %s belongs to a surface; set bodies.stl to its STL file",
                      trm_config_origin(config, of_it[i]), of_it[i]);
  if (!*path && scene->shape_count == 0 && trm_config_is_asked(config, "lbm.bounce_back"))
    return TRM_FAIL(INPUT, "%s: lbm.bounce_back is for walls of bodies, and this case has no body; "
                    "set bodies.shapes or bodies.stl, or leave it out",
                    trm_config_origin(config, "lbm.bounce_back"));
  if (!*path) return TRM_OK;
  if (scene->shape_count > 0)
    return TRM_FAIL(INPUT, "%s: there are bodies.shapes as well as bodies.stl; leave one out",
                    trm_config_origin(config, "bodies.shapes"));
  TRM_TRY(trm_stl_read(path, &scene->stl));
  TRM_TRY(trm_stl_check_closed(&scene->stl, path));
  TRM_TRY(trm_stl_check_crossing(&scene->stl, path));
  TRM_TRY(place(config, scene));
  TRM_TRY(read_patches(config, scene));
  TRM_TRY(part(scene));
  return sort_triangles(scene);
}
