/* links.c - the cells beside a boundary, and the rule for each population that comes through it. */
#include "solvers/lbm3d/lbm3d.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

/* A population's way into its cell through a boundary, as lbm3d_links.h takes it. */
typedef struct way {
  int bits, patch;             /* patch -1: nothing is summed */
  double factor[4];
} way;

static const double LEAST_PART = 1e-3; /* of a link: a wall on a cell's centre */

static int wrapped(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

static size_t cell_at(const lbm3d_scene *scene, int x, int y, int z)
{
  return ((size_t)z * (size_t)scene->n[1] + (size_t)y) * (size_t)scene->n[0] + (size_t)x;
}

static int is_solid(const lbm3d_scene *scene, const int at[3])
{
  if (!scene->solid) return 0;
  return scene->solid[cell_at(scene, wrapped(at[0], scene->n[0]), wrapped(at[1], scene->n[1]),
                              wrapped(at[2], scene->n[2]))];
}

/* The deciding side among the sides that a link crosses, at an edge several: a wall before an
 * inflow before a moving wall before an outflow. -1: it crosses no side. */
static int crossed(const lbm3d_scene *scene, const int from[3])
{
  int side = -1;
  for (int i = 0; i < 3; i++) {
    const int one = from[i] < 0 ? 2 * i : from[i] >= scene->n[i] ? 2 * i + 1 : -1;
    if (one < 0 || scene->sides[one].kind == SIDE_PERIODIC) continue;
    if (side < 0 || scene->sides[one].kind > scene->sides[side].kind) side = one;
  }
  return side;
}

/* Half-way bounce-back from a wall with that velocity and density (Ladd 1994). */
static void bounce(const lbm3d_scene *scene, int k, const double u[3], double density, way *out)
{
  out->factor[0] = 1.0;
  out->factor[3] = density * lbm3d_push(scene, k, u);
}

static int is_fluid(const lbm3d_scene *scene, const int at[3], const int by[3])
{
  const int cell[] = { at[0] + by[0], at[1] + by[1], at[2] + by[2] };
  return !is_solid(scene, cell) && crossed(scene, cell) < 0;
}

static int has_behind(const lbm3d_scene *scene, const int at[3], int k)
{
  return is_fluid(scene, at, (const int[]){ lbm3d_ex[k], lbm3d_ey[k], lbm3d_ez[k] });
}

/* A given density, in an opening across that axis. Where the flow crosses it, shear acts in its
 * plane. The momentum's slope along the link, in the middle between x and x - e, is taken from the
 * cell beside x in that plane. Next to a wall it is taken from the cell behind. */
static void let_out(const lbm3d_scene *scene, const int at[3], int k, double density, int axis,
                    way *out)
{
  const double weight = lbm3d_weight(scene->velocities, k);
  const int e[] = { lbm3d_ex[k], lbm3d_ey[k], lbm3d_ez[k] };
  int aside[] = { -e[0], -e[1], -e[2] };
  aside[axis] = 0;
  const int is_beside = e[axis] != 0 && is_fluid(scene, at, aside);
  for (int i = 0; i < 3 && !is_beside; i++) aside[i] = e[i];
  const double sign = is_beside ? -1.0 : is_fluid(scene, at, aside) ? 1.0 : 0.0;
  out->bits |= WAY_OUTFLOW | WAY_ASIDE(aside[0], aside[1], aside[2]);
  out->factor[0] = 0.0;
  out->factor[1] = sign * 18.0 * weight * scene->viscosity;
  out->factor[2] = 2.0 * weight;
  out->factor[3] = density - 1.0;
}

static void cross_side(const lbm3d_scene *scene, int side, const int at[3], int k, way *out)
{
  const lbm3d_side *s = &scene->sides[side];
  double wall[] = { at[0] + 0.5 - 0.5 * lbm3d_ex[k], at[1] + 0.5 - 0.5 * lbm3d_ey[k],
                    at[2] + 0.5 - 0.5 * lbm3d_ez[k] };
  double u[3];
  for (int a = 0; a < 3; a++) wall[a] = ldexp(wall[a], -scene->level);
  lbm3d_side_slip(scene, side, wall, u);
  if (s->kind == SIDE_OUTFLOW) let_out(scene, at, k, s->density, side / 2, out);
  else bounce(scene, k, u, lbm3d_side_density(scene, side), out);
  if (s->kind == SIDE_INFLOW && scene->is_own) out->bits |= WAY_OWN;
  if (s->kind != SIDE_OUTFLOW && s->kind != SIDE_INFLOW) return;
  out->bits |= WAY_FLUX;
  out->patch = side;
}

/* Bouzidi, Firdaouss and Lallemand 2001, linear: the wall at `part` of the way to the solid
 * cell. */
static void interpolate(double part, double factor[4])
{
  const int is_near = part < 0.5;
  factor[0] = is_near ? 2.0 * part : 1.0 / (2.0 * part);
  factor[1] = is_near ? 1.0 - 2.0 * part : 0.0;
  factor[2] = is_near ? 0.0 : (2.0 * part - 1.0) / (2.0 * part);
}

static void hit_body(const lbm3d_scene *scene, const int at[3], int k, way *out)
{
  const double from[] = { at[0] + 0.5, at[1] + 0.5, at[2] + 0.5 };
  const double by[] = { -lbm3d_ex[k], -lbm3d_ey[k], -lbm3d_ez[k] };
  int surface_patch = 0;
  const double part = scene->stl.count > 0
    ? lbm3d_surface_distance(scene, at, by, &surface_patch) : lbm3d_shape_distance(scene, from, by);
  const lbm3d_opening *opening = &scene->openings[surface_patch];
  out->patch = LBM3D_SIDES + (scene->stl.count > 0) * (1 + surface_patch);
  bounce(scene, k, opening->velocity, scene->is_own ? 1.0 : scene->density, out);
  if (scene->stl.count > 0 && opening->kind != SIDE_WALL) {
    if (opening->kind == SIDE_OUTFLOW)
      let_out(scene, at, k, opening->density, opening->axis, out);
    else if (scene->is_own) out->bits |= WAY_OWN;
    out->bits |= WAY_FLUX;
    return;
  }
  if (!scene->is_interpolated) return;
  if (!(part <= 1.0 && (part >= 0.5 || has_behind(scene, at, k)))) return;
  interpolate(fmax(part, LEAST_PART), out->factor);
  out->bits |= WAY_BENT;
}

/* Population k of a fluid cell; 0: it comes through no boundary. */
static int find_link(const lbm3d_scene *scene, const int at[3], int k, way *out)
{
  const int from[] = { at[0] - lbm3d_ex[k], at[1] - lbm3d_ey[k], at[2] - lbm3d_ez[k] };
  const int side = crossed(scene, from);
  *out = (way){ .bits = k, .patch = -1 };
  if (side >= 0) cross_side(scene, side, at, k, out);
  else if (is_solid(scene, from)) hit_body(scene, at, k, out);
  else return 0;
  return 1;
}

/* Whether the population at rest takes part. It pays the excess that the links bring, and the parts
 * of it that 16 bits cannot store. */
static int needs_rest(const lbm3d_scene *scene, const way *one)
{
  const int is_sent_back = !(one->bits & WAY_OUTFLOW) && one->factor[3] == 0.0;
  return (one->bits & WAY_BENT) || (scene->is_rounded && !is_sent_back);
}

/* The links of a cell, those of one patch beside each other; last, where it takes part, the
 * population at rest. */
static int find_links(const lbm3d_scene *scene, const int at[3], way ways[D3Q27])
{
  way found[D3Q27];
  int count = 0, sorted = 0, rest = 0;
  for (int k = 1; k < scene->velocities; k++) count += find_link(scene, at, k, &found[count]);
  for (int patch = -1; sorted < count; patch++)
    for (int i = 0; i < count; i++)
      if (found[i].patch == patch) ways[sorted++] = found[i];
  for (int i = 0; i < count; i++) rest |= needs_rest(scene, &ways[i]);
  if (rest) ways[count++] = (way){ .bits = 0, .patch = -1 };
  return count;
}

/* ---- sides without lists -------------------------------------------------------- */

/* The axes, among those that are not periodic, across which the population comes. */
static int crossed_axes(const lbm3d_scene *scene, const int at[3], int k)
{
  const int from[] = { at[0] - lbm3d_ex[k], at[1] - lbm3d_ey[k], at[2] - lbm3d_ez[k] };
  int found = 0;
  for (int i = 0; i < 3; i++)
    if ((from[i] < 0 || from[i] >= scene->n[i]) && scene->sides[2 * i].kind != SIDE_PERIODIC)
      found |= 1 << i;
  return found;
}

/* Half-way bounce-back at sides, whose push scene.given holds completely. Counts such links; 0: the
 * cell needs a list. */
static int count_of_sides(const lbm3d_scene *scene, const int at[3], const way *ways, int count,
                          lbm3d_marks *out)
{
  int found = 0, more = 0;
  if (!scene->given) return 0;
  for (int i = 0; i < count; i++) {
    const double *factor = ways[i].factor;
    const int k = ways[i].bits & 255, axes = crossed_axes(scene, at, k);
    if (k == 0) continue;
    if (ways[i].bits != k || ways[i].patch >= 0 || axes == 0 || factor[0] != 1.0 ||
        factor[1] != 0.0 || factor[2] != 0.0 || factor[3] != scene->given[8 * k + axes])
      return 0;
    more |= factor[3] != 0.0;
    found++;
  }
  out->side_links += (size_t)found;
  out->side_rests += (size_t)more;
  if (more) out->rest_links += (size_t)found;
  return found > 0;
}

/* ---- marks --------------------------------------------------------------------- */

static int is_inner(const lbm3d_scene *scene, int x, int y, int z)
{
  return x > 0 && y > 0 && z > 0 && x < scene->n[0] - 1 && y < scene->n[1] - 1 &&
         z < scene->n[2] - 1;
}

/* For a solid cell: whether a population streams to it from the fluid. */
static int is_beside_fluid(const lbm3d_scene *scene, const int at[3])
{
  for (int k = 1; k < scene->velocities; k++) {
    const int from[] = { at[0] - lbm3d_ex[k], at[1] - lbm3d_ey[k], at[2] - lbm3d_ez[k] };
    if (!is_solid(scene, from)) return 1;
  }
  return 0;
}

static int32_t source_of(const lbm3d_scene *scene, const int at[3], int k)
{
  return (int32_t)cell_at(scene, wrapped(at[0] - lbm3d_ex[k], scene->n[0]),
                          wrapped(at[1] - lbm3d_ey[k], scene->n[1]),
                          wrapped(at[2] - lbm3d_ez[k], scene->n[2]));
}

static void count_cell(const way *ways, int count, size_t places[LBM3D_PATCHES])
{
  for (int i = 0; i < count; i++)
    if (ways[i].patch >= 0 && (i == 0 || ways[i].patch != ways[i - 1].patch))
      places[ways[i].patch]++;
}

static void fill_cell(lbm3d_marks *out, size_t mark, const way *ways, int count,
                      size_t next_place[LBM3D_PATCHES])
{
  int last = -1, entry = count;
  size_t place = 0;
  for (int i = 0; i < count; i++) {
    const size_t link = out->link_count + (size_t)i;
    int bits = ways[i].bits;
    if (ways[i].patch >= 0 && ways[i].patch != last) {
      bits |= WAY_FIRST;
      place = next_place[ways[i].patch]++;
    }
    if (bits & WAY_FLUX) entry |= MARK_SAMPLE;
    last = ways[i].patch;
    out->ways[2 * link] = bits;
    out->ways[2 * link + 1] = last >= 0 ? (int32_t)place : -1;
    memcpy(out->links + 4 * link, ways[i].factor, sizeof ways[i].factor);
  }
  out->mark_entries[2 * mark] = (int32_t)out->link_count;
  out->mark_entries[2 * mark + 1] = entry;
}

/* Which rows have a solid cell, of planes that the part has. */
static void find_solid_rows(const lbm3d_scene *scene, uint8_t *rows)
{
  const size_t nx = (size_t)scene->n[0], ny = (size_t)scene->n[1];
  const int most = scene->own[1] - scene->own[0] + 2, n = scene->n[2];
  for (int i = 0; i < most && i < n && scene->solid; i++) {
    const size_t first = (size_t)((scene->own[0] - 1 + i + n) % n) * ny;
    for (size_t row = first; row < first + ny; row++)
      rows[row] = memchr(scene->solid + row * nx, 1, nx) != NULL;
  }
}

/* Whether one of a row and the eight about it, with those beyond a side, has. */
static int is_near_solid(const lbm3d_scene *scene, const uint8_t *rows, int y, int z)
{
  int found = 0;
  for (int i = 0; i < 9; i++)
    found |= rows[(size_t)wrapped(z + i / 3 - 1, scene->n[2]) * (size_t)scene->n[1] +
                  (size_t)wrapped(y + i % 3 - 1, scene->n[1])];
  return found;
}

/* Marks and links of a plane, and places of each patch there. */
typedef struct plane_sum {
  size_t marks, links, side_links, side_rests, rest_links;
  size_t places[LBM3D_PATCHES];
  double given[LBM3D_PATCHES], given_sizes[LBM3D_PATCHES];
} plane_sum;

static void add_given(const way *ways, int count, plane_sum *sum)
{
  for (int i = 0; i < count; i++) {
    if (ways[i].patch < 0) continue;
    sum->given[ways[i].patch] += ways[i].factor[3];
    sum->given_sizes[ways[i].patch] += fabs(ways[i].factor[3]);
  }
}

/* Whether a cell is the first or last one along an axis whose sides are no periodic ones. */
static int is_at_side(const lbm3d_scene *scene, int axis, int at)
{
  return (at == 0 || at == scene->n[axis] - 1) && scene->sides[2 * axis].kind != SIDE_PERIODIC;
}

/* The last cell before the next one to look at, in a row whose inner cells have no link: the row's
 * last cell, or the first one of 32. */
static int pass_over(const lbm3d_scene *scene, int x, int fill)
{
  const int last = scene->n[0] - 2, end = fill && (x | 31) < last ? x | 31 : last;
  return end > x ? end : x;
}

/* Twice through the part's planes: to count, and to fill from mark *marked and out->link_count on.
 * sum: NULL where it fills. */
static void mark_row(const lbm3d_scene *scene, const uint8_t *rows, lbm3d_marks *out, int y, int z,
                     plane_sum *sum, size_t *marked, size_t places[LBM3D_PATCHES])
{
  const int nx = scene->n[0], fill = !sum, has_solid = is_near_solid(scene, rows, y, z);
  const size_t words = ((size_t)nx + 31) / 32;
  const size_t row = (size_t)z * (size_t)scene->n[1] + (size_t)y;
  const int is_plain = !has_solid && !is_at_side(scene, 1, y) && !is_at_side(scene, 2, z);
  for (int x = 0; x < nx; x++) {
    const int at[] = { x, y, z };
    const size_t word = row * words + (size_t)x / 32;
    if (fill && x % 32 == 0) out->ranks[word] = (uint32_t)*marked;
    if (is_plain && !is_at_side(scene, 0, x)) {
      x = pass_over(scene, x, fill);
      continue;
    }
    if (!has_solid && is_inner(scene, x, y, z)) continue;
    const int solid = is_solid(scene, at);
    way ways[D3Q27];
    const int count = solid ? 0 : find_links(scene, at, ways);
    const int of_sides = count_of_sides(scene, at, ways, count, out);
    if (fill && solid) out->solids[word] |= (uint32_t)1 << x % 32;
    if (solid ? !scene->is_forced && !is_beside_fluid(scene, at) : count == 0 || of_sides)
      continue;
    if (fill) out->sites[*marked] = (int32_t)cell_at(scene, x, y, z);
    if (fill && solid) {
      out->bits[word] |= (uint32_t)1 << x % 32;
      out->mark_entries[2 * *marked + 1] = MARK_SOLID;
    } else if (fill) {
      out->bits[word] |= (uint32_t)1 << x % 32;
      fill_cell(out, *marked, ways, count, places);
      for (int i = 0; i < count; i++)
        out->sites[out->count + out->link_count + (size_t)i] =
          source_of(scene, at, ways[i].bits & 255);
    } else {
      count_cell(ways, count, places);
      add_given(ways, count, sum);
    }
    out->link_count += (size_t)count;
    ++*marked;
  }
}

static void count_plane(const lbm3d_scene *scene, const uint8_t *rows, int z, plane_sum *sum)
{
  lbm3d_marks found = { 0 };
  for (int y = 0; y < scene->n[1]; y++)
    mark_row(scene, rows, &found, y, z, sum, &sum->marks, sum->places);
  sum->links = found.link_count;
  sum->side_links = found.side_links;
  sum->side_rests = found.side_rests;
  sum->rest_links = found.rest_links;
}

static void add_planes(const plane_sum *planes, int first, int end, plane_sum *out)
{
  for (const plane_sum *one = planes + first; one < planes + end; one++) {
    out->marks += one->marks;
    out->links += one->links;
    out->side_links += one->side_links;
    out->side_rests += one->side_rests;
    out->rest_links += one->rest_links;
    for (int i = 0; i < LBM3D_PATCHES; i++) {
      out->places[i] += one->places[i];
      out->given[i] += one->given[i];
      out->given_sizes[i] += one->given_sizes[i];
    }
  }
}

static void fill_planes(const lbm3d_scene *scene, const uint8_t *rows, const plane_sum *before,
                        lbm3d_marks *out, size_t places[LBM3D_PATCHES])
{
  const lbm3d_marks all = *out;
  size_t marked = before->marks;
  out->own[0] = marked;
  out->link_count = before->links;
  for (int i = 0; i < LBM3D_PATCHES; i++) places[i] += before->places[i];
  for (int z = scene->own[0]; z < scene->own[1]; z++)
    for (int y = 0; y < scene->n[1]; y++)
      mark_row(scene, rows, out, y, z, NULL, &marked, places);
  out->own[1] = marked;
  out->link_count = all.link_count;
  out->side_links = all.side_links;
  out->side_rests = all.side_rests;
  out->rest_links = all.rest_links;
}

void lbm3d_marks_patch(lbm3d_marks *marks, lbm3d_patch patch)
{
  const size_t values = patch.is_body ? LBM3D_FORCES : LBM3D_VALUES;
  if (patch.values == 0) patch.values = values;
  patch.first = marks->place_count;
  marks->patches[marks->patch_count++] = patch;
  marks->place_count += patch.count;
  if (marks->values < values) marks->values = values;
}

/* The places of each patch lie together; from then on places[patch] is the next free one. */
static void share_places(const lbm3d_scene *scene, lbm3d_marks *out, size_t places[LBM3D_PATCHES])
{
  for (int i = 0; i < LBM3D_PATCHES; i++) {
    const size_t count = places[i];
    places[i] = out->place_count;
    if (count == 0) continue;
    const int of_surface = i - LBM3D_SIDES - 1;
    const char *name = i < LBM3D_SIDES ? lbm3d_side_names[i]
                       : of_surface < 0 ? "" : scene->stl.names[of_surface];
    const int is_wall = i == LBM3D_SIDES ||
                        (of_surface >= 0 && scene->openings[of_surface].kind == SIDE_WALL);
    lbm3d_marks_patch(out, (lbm3d_patch){ .name = name, .id = i, .is_body = is_wall, .count = count,
                                          .area = (double)count });
  }
}

/* words: of the grid's bits. */
static trm_status make_lists(lbm3d_marks *marks, size_t words)
{
  if (marks->link_count > INT_MAX / 4)
    return TRM_FAIL(INPUT, "%zu links through boundaries are too many: there may be 2^29; make the "
                    "grid coarser", marks->link_count);
  TRM_TRY(trmi_memory_require("the links through boundaries",
                              words * 3 * sizeof *marks->bits +
                                marks->count * 2 * sizeof *marks->mark_entries +
                                marks->link_count * (2 * sizeof *marks->ways +
                                                     4 * sizeof *marks->links)));
  marks->bits = calloc(words + 1, sizeof *marks->bits);
  marks->ranks = calloc(words + 1, sizeof *marks->ranks);
  marks->solids = calloc(words + 1, sizeof *marks->solids);
  marks->mark_entries = calloc(2 * marks->count + 1, sizeof *marks->mark_entries);
  marks->ways = calloc(2 * marks->link_count + 1, sizeof *marks->ways);
  marks->links = calloc(4 * marks->link_count + 1, sizeof *marks->links);
  marks->sites = calloc(marks->count + marks->link_count + 1, sizeof *marks->sites);
  if (marks->bits && marks->ranks && marks->solids && marks->mark_entries && marks->ways &&
      marks->links && marks->sites)
    return TRM_OK;
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells beside a boundary", marks->count);
}

/* Takes the sums over all planes, and makes the patches. */
static void take_sum(const lbm3d_scene *scene, const plane_sum *all, lbm3d_marks *out,
                     size_t places[LBM3D_PATCHES])
{
  out->count = all->marks;
  out->link_count = all->links;
  out->side_links = all->side_links;
  out->side_rests = all->side_rests;
  out->rest_links = all->rest_links;
  memcpy(places, all->places, sizeof all->places);
  share_places(scene, out, places);
  for (size_t i = 0; i < out->patch_count; i++) {
    out->patches[i].given = all->given[out->patches[i].id];
    out->patches[i].given_sizes = all->given_sizes[out->patches[i].id];
  }
}

static trm_status make_marks(const lbm3d_scene *scene, uint8_t *rows, plane_sum *planes,
                             lbm3d_marks *out)
{
  const size_t words = ((size_t)scene->n[0] + 31) / 32 * (size_t)scene->n[1] * (size_t)scene->n[2];
  size_t places[LBM3D_PATCHES] = { 0 };
  plane_sum all = { 0 }, before = { 0 };
  trm_status status = rows && planes ? TRM_OK
                      : TRM_FAIL(NO_HOST_MEMORY, "no memory for rows with solid cells");
  if (status == TRM_OK) find_solid_rows(scene, rows);
  for (int z = scene->own[0]; z < scene->own[1] && status == TRM_OK; z++)
    count_plane(scene, rows, z, &planes[z]);
  TRM_TRY(lbm3d_complete_planes(scene, status, planes, sizeof *planes));
  add_planes(planes, 0, scene->n[2], &all);
  add_planes(planes, 0, scene->own[0], &before);
  take_sum(scene, &all, out, places);
  TRM_TRY(make_lists(out, words));
  fill_planes(scene, rows, &before, out, places);
  return TRM_OK;
}

trm_status lbm3d_marks_create(const lbm3d_scene *scene, lbm3d_marks *out)
{
  uint8_t *rows = calloc((size_t)scene->n[1] * (size_t)scene->n[2], 1);
  plane_sum *planes = calloc((size_t)scene->n[2], sizeof *planes);
  lbm3d_marks marks = { 0 };
  const trm_status status = make_marks(scene, rows, planes, &marks);
  free(rows);
  free(planes);
  if (status == TRM_OK) *out = marks;
  else lbm3d_marks_free(&marks);
  return status;
}

/* ---- of blocks ------------------------------------------------------------------ */

void lbm3d_marks_cell(const lbm3d_scene *scene, const int at[3], int32_t site, int fill,
                      lbm3d_marks *out, size_t places[LBM3D_PATCHES])
{
  way all[D3Q27], ways[D3Q27];
  const int found = find_links(scene, at, all);
  int count = 0;
  for (int i = 0; i < found; i++)
    if (all[i].patch >= LBM3D_SIDES || (all[i].bits & 255) == 0) ways[count++] = all[i];
  if (count == 0) return;
  if (fill) fill_cell(out, out->count, ways, count, places);
  else count_cell(ways, count, places);
  if (fill) out->sites[out->count] = site;
  out->link_count += (size_t)count;
  out->count++;
}

trm_status lbm3d_marks_make(const lbm3d_scene *scene, lbm3d_marks *out,
                            size_t places[LBM3D_PATCHES])
{
  share_places(scene, out, places);
  TRM_TRY(make_lists(out, 0));
  out->count = out->link_count = 0;
  return TRM_OK;
}

void lbm3d_marks_leave(lbm3d_marks *marks)
{
  free(marks->bits);
  free(marks->ranks);
  free(marks->solids);
  free(marks->mark_entries);
  free(marks->ways);
  free(marks->links);
  free(marks->sites);
  marks->bits = marks->ranks = marks->solids = NULL;
  marks->mark_entries = marks->ways = marks->sites = NULL;
  marks->links = NULL;
}

void lbm3d_marks_free(lbm3d_marks *marks)
{
  lbm3d_marks_leave(marks);
  *marks = (lbm3d_marks){ 0 };
}
