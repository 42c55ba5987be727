/* scene.c - what stands where in a flow in three dimensions: sides, their velocities, bodies; and
 * the cases that cannot be run. */
#include "solvers/lbm3d/lbm3d.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "io/file.h"

const int lbm3d_ex[D3Q27] = D3_EX, lbm3d_ey[D3Q27] = D3_EY, lbm3d_ez[D3Q27] = D3_EZ;
const char *const lbm3d_side_names[LBM3D_SIDES] = { "west", "east", "south", "north", "bottom",
                                                    "top" };
static const char *const coordinates[] = { "x", "y", "z", "nx", "ny", "nz" };

double lbm3d_weight(int velocities, int k)
{
  const int length = lbm3d_ex[k] * lbm3d_ex[k] + lbm3d_ey[k] * lbm3d_ey[k] +
                     lbm3d_ez[k] * lbm3d_ez[k];
  static const double of_19[] = { 1.0 / 3.0, 1.0 / 18.0, 1.0 / 36.0, 0.0 };
  static const double of_27[] = { 8.0 / 27.0, 2.0 / 27.0, 1.0 / 54.0, 1.0 / 216.0 };
  return velocities == D3Q27 ? of_27[length] : of_19[length];
}

/* ---- planes ------------------------------------------------------------------ */

void lbm3d_scene_share(lbm3d_scene *scene, trm_device *device, int block)
{
  size_t first = 0, count = (size_t)scene->n[2];
  scene->device = device;
  scene->block = block;
  if (scene->n[2] > 1) /* a single plane is no part's */
    trm_device_made_rows(device, (size_t)scene->n[2], (size_t)block, &first, &count);
  scene->own[0] = (int)first;
  scene->own[1] = (int)(first + count);
}

trm_status lbm3d_complete_planes(const lbm3d_scene *scene, trm_status own, void *values,
                                 size_t bytes)
{
  return trm_device_complete_rows(scene->device, own, values, (size_t)scene->n[2],
                                  (size_t)scene->block, bytes);
}

int lbm3d_is_near_own(const lbm3d_scene *scene, int z, int beside)
{
  const int count = scene->own[1] - scene->own[0], n = scene->n[2];
  const int behind = (z - (scene->own[0] - beside) % n + 2 * n) % n;
  return count + 2 * beside >= n || behind < count + 2 * beside;
}

/* ---- sides ------------------------------------------------------------------- */

static double value_at(const lbm3d_scene *scene, const trm_formula *formula, const double at[3])
{
  const int *n = scene->n, level = scene->level;
  const double values[] = { at[0], at[1], at[2], n[0] >> level, n[1] >> level, n[2] >> level };
  return formula ? trm_formula_value(formula, values) : 0.0;
}

void lbm3d_side_velocity(const lbm3d_scene *scene, int side, const double at[3], double u[3])
{
  for (int i = 0; i < 3; i++) u[i] = value_at(scene, scene->sides[side].velocity[i], at);
}

/* Whether an edge between two moving walls goes through a place of one of them, across an axis:
 * along that axis neither pushes there. A wall takes back at one end of such an axis the push that
 * it gives through its links at the other end. At an edge the deciding wall has only one of the two
 * links. */
static int is_at_edge(const lbm3d_scene *scene, int side, int axis, const double at[3])
{
  const int n = scene->n[axis] >> scene->level;
  const int end = at[axis] <= 0.0 ? 2 * axis : at[axis] >= n ? 2 * axis + 1 : -1;
  return axis != side / 2 && end >= 0 && scene->sides[side].kind == SIDE_MOVING &&
         scene->sides[end].kind == SIDE_MOVING;
}

void lbm3d_side_slip(const lbm3d_scene *scene, int side, const double at[3], double u[3])
{
  lbm3d_side_velocity(scene, side, at, u);
  for (int i = 0; i < 3; i++)
    if (is_at_edge(scene, side, i, at)) u[i] = 0.0;
}

double lbm3d_side_density(const lbm3d_scene *scene, int side)
{
  return scene->sides[side].kind == SIDE_INFLOW && scene->is_own ? 1.0 : scene->density;
}

static void middle_of(const lbm3d_scene *scene, int side, double at[3])
{
  for (int i = 0; i < 3; i++) at[i] = 0.5 * scene->n[i];
  at[side / 2] = side % 2 ? scene->n[side / 2] : 0.0;
}

double lbm3d_fastest(const lbm3d_scene *scene)
{
  double most = 0.0;
  for (int side = 0; side < LBM3D_SIDES; side++) {
    double at[3], u[3];
    middle_of(scene, side, at);
    lbm3d_side_velocity(scene, side, at, u);
    most = fmax(most, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
  }
  return most;
}

/* Three formulas between semicolons. */
static trm_status read_velocity(const trm_config *config, const char *key, trm_formula *out[3])
{
  const char *origin = trm_config_origin(config, key);
  char *text = strdup(trm_config_string(config, key)), *rest = text;
  trm_status status = text ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for %s", key);
  int parts = 0;
  for (char *one = text; status == TRM_OK && one && parts < 3; one = rest) {
    rest = strchr(one, ';');
    if (rest) *rest++ = '\0';
    status = trm_formula_create(one, coordinates, 6, origin, &out[parts++]);
  }
  if (status == TRM_OK && (parts != 3 || rest))
    status = TRM_FAIL(INPUT, "%s: %s = \"%s\" is no velocity; give its parts along x, y and z, "
                      "'0.1; 0; 0'", origin, key, trm_config_string(config, key));
  free(text);
  return status;
}

static trm_status read_side(const trm_config *config, lbm3d_scene *scene, int i)
{
  static const char *const kinds[] = { "periodic", "outflow", "moving", "inflow", "wall" };
  lbm3d_side *side = &scene->sides[i];
  char key[40], velocity[48];
  snprintf(key, sizeof key, "boundary.%s", lbm3d_side_names[i]);
  snprintf(velocity, sizeof velocity, "boundary.%s_velocity", lbm3d_side_names[i]);
  const char *kind = trm_config_string(config, key);
  for (int k = 0; k < 5; k++)
    if (strcmp(kind, kinds[k]) == 0) side->kind = (lbm3d_kind)k;
  side->density = 1.0;
  const int moves = side->kind == SIDE_MOVING || side->kind == SIDE_INFLOW;
  if (moves != (*trm_config_string(config, velocity) != '\0'))
    return moves ? TRM_FAIL(INPUT, "%s: %s = \"%s\" needs a velocity: set %s = \"0.1; 0; 0\", say",
                            trm_config_origin(config, key), key, kind, velocity)
                 : TRM_FAIL(INPUT, "%s: %s belongs to a side that is \"moving\" or \"inflow\", and "
                            "%s is \"%s\"; leave it out", trm_config_origin(config, velocity),
                            velocity, key, kind);
  if (!moves) return TRM_OK;
  TRM_TRY(read_velocity(config, velocity, side->velocity));
  return lbm3d_check_side(config, velocity, scene, i);
}

static trm_status read_sides(const trm_config *config, lbm3d_scene *scene)
{
  for (int i = 0; i < LBM3D_SIDES; i++) TRM_TRY(read_side(config, scene, i));
  for (int i = 0; i < LBM3D_SIDES; i += 2) {
    const lbm3d_kind a = scene->sides[i].kind, b = scene->sides[i + 1].kind;
    if ((a == SIDE_PERIODIC) == (b == SIDE_PERIODIC)) continue;
    char key[32];
    snprintf(key, sizeof key, "boundary.%s", lbm3d_side_names[a == SIDE_PERIODIC ? i : i + 1]);
    return TRM_FAIL(INPUT, "%s: %s is \"periodic\" and the side opposite, %s, is not; make both "
                    "periodic, or none", trm_config_origin(config, key), key,
                    lbm3d_side_names[a == SIDE_PERIODIC ? i + 1 : i]);
  }
  return TRM_OK;
}

/* ---- bodies ------------------------------------------------------------------ */

static trm_status parse_shape(const char *text, const char *origin, lbm3d_shape *out)
{
  const trm_words sphere = trm_words_read(text, "sphere # # # #");
  const trm_words box = trm_words_read(text, "box # # # # # #");
  const double *v = sphere.used ? sphere.number : box.number;
  *out = (lbm3d_shape){ 0 };
  if (sphere.used && !text[sphere.used] && v[3] > 0) {
    memcpy(out->at, v, sizeof out->at);
    out->radius = v[3];
    return TRM_OK;
  }
  if (box.used && !text[box.used] && v[3] > v[0] && v[4] > v[1] && v[5] > v[2]) {
    out->is_box = 1;
    memcpy(out->at, v, sizeof out->at);
    memcpy(out->to, v + 3, sizeof out->to);
    return TRM_OK;
  }
  return TRM_FAIL(INPUT, "%s: '%s' in bodies.shapes is no body; write 'sphere X Y Z RADIUS' or "
                  "'box X0 Y0 Z0 X1 Y1 Z1', in cells, and ';' between bodies", origin, text);
}

static trm_status parse_shapes(const trm_config *config, lbm3d_scene *scene)
{
  const char *origin = trm_config_origin(config, "bodies.shapes");
  char *text = strdup(trm_config_string(config, "bodies.shapes")), *rest = NULL;
  trm_status status = text ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for shapes");
  for (char *one = text ? strtok_r(text, ";", &rest) : NULL; one && status == TRM_OK;
       one = strtok_r(NULL, ";", &rest)) {
    if (scene->shape_count == LBM3D_SHAPES)
      status = TRM_FAIL(INPUT, "%s: more than %d bodies; leave some out", origin, LBM3D_SHAPES);
    else status = parse_shape(one, origin, &scene->shapes[scene->shape_count]);
    if (status == TRM_OK) scene->shape_count++;
  }
  free(text);
  return status;
}

/* The middle of a shape along an axis, and how far it reaches from there. */
static double middle_along(const lbm3d_shape *shape, int axis, double *reach)
{
  *reach = shape->is_box ? 0.5 * (shape->to[axis] - shape->at[axis]) : shape->radius;
  return shape->is_box ? shape->at[axis] + *reach : shape->at[axis];
}

/* A body goes on across periodic sides: it stands there once each period. A box as long as the
 * period has no ends. off: periods from the image whose middle is nearest. */
static lbm3d_shape image_of(const lbm3d_scene *scene, const lbm3d_shape *shape, const double at[3],
                            const int off[3])
{
  lbm3d_shape image = *shape;
  for (int a = 0; a < 3; a++) {
    const double n = scene->n[a];
    double reach;
    if (scene->sides[2 * a].kind != SIDE_PERIODIC) continue;
    const double by = n * (floor((at[a] - middle_along(shape, a, &reach)) / n + 0.5) + off[a]);
    const int is_endless = shape->is_box && 2.0 * reach >= n;
    image.at[a] = is_endless ? at[a] - 2.0 * n : image.at[a] + by;
    image.to[a] = is_endless ? at[a] + 2.0 * n : image.to[a] + by;
  }
  return image;
}

lbm3d_shape lbm3d_shape_beside(const lbm3d_scene *scene, const lbm3d_shape *shape,
                               const double at[3])
{
  return image_of(scene, shape, at, (const int[]){ 0, 0, 0 });
}

static int is_inside(const lbm3d_scene *scene, const lbm3d_shape *one, const double at[3])
{
  const lbm3d_shape image = lbm3d_shape_beside(scene, one, at), *shape = &image;
  double r2 = 0;
  for (int i = 0; i < 3; i++) {
    const double by = at[i] - shape->at[i];
    if (shape->is_box && (at[i] < shape->at[i] || at[i] >= shape->to[i])) return 0;
    r2 += by * by;
  }
  return shape->is_box || r2 < shape->radius * shape->radius;
}

/* Where the way enters: the larger of the smaller roots of the quadratic, or of the slabs. */
static double distance_to(const lbm3d_shape *shape, const double from[3], const double by[3])
{
  double a = 0, b = 0, c = -shape->radius * shape->radius, enter = 0, leave = 1;
  for (int i = 0; i < 3; i++) {
    const double off = from[i] - shape->at[i];
    a += by[i] * by[i];
    b += by[i] * off;
    c += off * off;
    if (!shape->is_box) continue;
    if (by[i] == 0.0 && (off < 0 || from[i] >= shape->to[i])) return 2;
    if (by[i] == 0.0) continue;
    const double s = -off / by[i], t = (shape->to[i] - from[i]) / by[i];
    enter = fmax(enter, fmin(s, t));
    leave = fmin(leave, fmax(s, t));
  }
  if (shape->is_box) return enter <= leave ? enter : 2;
  const double root = b * b - a * c;
  if (root < 0) return 2;
  const double t = (-b - sqrt(root)) / a;
  return t >= 0 && t <= 1 ? t : 2;
}

/* Whether some of it lies within a link of a place, so that a link may meet it. */
static int is_within_link(const lbm3d_shape *shape, const double at[3])
{
  for (int a = 0; a < 3; a++) {
    double reach;
    const double middle = middle_along(shape, a, &reach);
    if (fabs(at[a] - middle) > reach + 1.0 + 1e-9) return 0;
  }
  return 1;
}

double lbm3d_shape_distance(const lbm3d_scene *scene, const double from[3], const double by[3])
{
  double nearest = 2;
  int last[3]; /* an image beside the nearest one may be met before it */
  for (int a = 0; a < 3; a++) last[a] = scene->sides[2 * a].kind == SIDE_PERIODIC;
  for (size_t i = 0; i < scene->shape_count; i++)
    for (int z = -last[2]; z <= last[2]; z++)
      for (int y = -last[1]; y <= last[1]; y++)
        for (int x = -last[0]; x <= last[0]; x++) {
          const lbm3d_shape image = image_of(scene, &scene->shapes[i], from,
                                             (const int[]){ x, y, z });
          if (is_within_link(&image, from)) nearest = fmin(nearest, distance_to(&image, from, by));
        }
  return nearest;
}

double lbm3d_shape_wall(const lbm3d_scene *scene, const double at[3])
{
  double nearest = INFINITY;
  for (size_t s = 0; s < scene->shape_count; s++) {
    const lbm3d_shape image = lbm3d_shape_beside(scene, &scene->shapes[s], at), *shape = &image;
    double r2 = 0, outside = 0, inside = INFINITY;
    for (int i = 0; i < 3; i++) {
      const double low = at[i] - shape->at[i], high = shape->to[i] - at[i];
      r2 += low * low;
      outside += pow(fmax(fmax(-low, -high), 0), 2);
      inside = fmin(inside, fmin(low, high));
    }
    nearest = fmin(nearest, !shape->is_box ? fabs(sqrt(r2) - shape->radius)
                            : outside > 0 ? sqrt(outside) : inside);
  }
  return nearest;
}

static trm_status make_solid(lbm3d_scene *scene)
{
  const size_t plane = (size_t)scene->n[0] * (size_t)scene->n[1];
  const size_t cells = plane * (size_t)scene->n[2];
  /* A surface is filled in whole on each part: it is measured from end to end. */
  const size_t own = scene->stl.count > 0
                     ? cells : plane * (size_t)(scene->own[1] - scene->own[0] + 2 * LBM3D_ASIDE);
  TRM_TRY(trmi_memory_require("the mask of solid cells", own < cells ? own : cells));
  scene->solid_count = 0;
  scene->solid = calloc(cells, 1);
  if (scene->solid) return TRM_OK;
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the mask of solid cells");
}

/* Whether a layer of cells may have some of a shape in it. */
static int may_reach(const lbm3d_scene *scene, const lbm3d_shape *shape, int axis, int layer)
{
  const int is_periodic = scene->sides[2 * axis].kind == SIDE_PERIODIC;
  double reach, off = fabs(layer + 0.5 - middle_along(shape, axis, &reach));
  if (is_periodic) off = fabs(remainder(off, scene->n[axis]));
  return off <= reach + 1.0;
}

/* Facts of a plane of solid cells. */
typedef struct solid_plane {
  int32_t count;
  uint8_t holds[LBM3D_SHAPES];
} solid_plane;

static void fill_plane(const lbm3d_scene *scene, size_t number, int z, solid_plane *plane)
{
  const lbm3d_shape *shape = &scene->shapes[number];
  const int *n = scene->n;
  for (int y = 0; y < n[1] && may_reach(scene, shape, 2, z); y++)
    for (int x = 0; x < n[0] && may_reach(scene, shape, 1, y); x++) {
      const double at[] = { x + 0.5, y + 0.5, z + 0.5 };
      uint8_t *cell = scene->solid + ((size_t)z * (size_t)n[1] + (size_t)y) * (size_t)n[0] + x;
      if (!may_reach(scene, shape, 0, x) || !is_inside(scene, shape, at)) continue;
      plane->holds[number] = 1;
      plane->count += !*cell;
      *cell = 1;
    }
}

static void add_planes(lbm3d_scene *scene, const solid_plane *planes)
{
  const int last = scene->n[2] - 1;
  for (int z = 0; z <= last; z++) {
    scene->solid_count += (size_t)planes[z].count;
    for (size_t i = 0; i < scene->shape_count; i++) scene->holds[i] |= planes[z].holds[i];
  }
  scene->is_end_solid[0] = planes[0].count > 0;
  scene->is_end_solid[1] = planes[last].count > 0;
}

static trm_status fill_shapes(lbm3d_scene *scene)
{
  solid_plane *planes = calloc((size_t)scene->n[2], sizeof *planes);
  trm_status status = planes ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for planes of bodies");
  for (int z = 0; z < scene->n[2] && planes; z++)
    for (size_t i = 0; i < scene->shape_count && lbm3d_is_near_own(scene, z, LBM3D_ASIDE); i++)
      fill_plane(scene, i, z, &planes[z]);
  status = lbm3d_complete_planes(scene, status, planes, sizeof *planes);
  if (status == TRM_OK) add_planes(scene, planes);
  free(planes);
  return status;
}

static trm_status fill_surface(const trm_config *config, lbm3d_scene *scene)
{
  const size_t plane = (size_t)scene->n[0] * (size_t)scene->n[1];
  TRM_TRY(lbm3d_surface_fill(config, scene));
  for (int i = 0; i < 2; i++)
    scene->is_end_solid[i] =
      memchr(scene->solid + (i ? plane * (size_t)(scene->n[2] - 1) : 0), 1, plane) != NULL;
  return TRM_OK;
}

static trm_status fill_mask(const trm_config *config, lbm3d_scene *scene)
{
  if (scene->shape_count == 0 && scene->stl.count == 0) return TRM_OK;
  TRM_TRY(make_solid(scene));
  return scene->stl.count > 0 ? fill_surface(config, scene) : fill_shapes(scene);
}

void lbm3d_shapes_hold(const lbm3d_scene *scene, const int cell[3], uint8_t holds[LBM3D_SHAPES])
{
  const double at[] = { cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5 };
  for (size_t i = 0; i < scene->shape_count; i++)
    holds[i] |= (uint8_t)(!holds[i] && is_inside(scene, &scene->shapes[i], at));
}

/* By its number, and as it is written. */
static trm_status refuse_shape(const trm_config *config, size_t number, const char *why)
{
  const char *origin = trm_config_origin(config, "bodies.shapes");
  const char *text = trm_config_string(config, "bodies.shapes");
  for (size_t i = 0; i < number; i++) text += strcspn(text, ";") + 1;
  text += strspn(text, " ");
  return TRM_FAIL(INPUT, "%s: body %zu of bodies.shapes, '%.*s', %s", origin, number + 1,
                  (int)strcspn(text, ";"), text, why);
}

trm_status lbm3d_shapes_check(const trm_config *config, const lbm3d_scene *scene)
{
  for (size_t i = 0; i < scene->shape_count; i++) {
    for (int a = 0; a < 3; a++) {
      double reach;
      const double middle = middle_along(&scene->shapes[i], a, &reach);
      if (middle + reach <= 0.0 || middle - reach >= scene->n[a])
        return refuse_shape(config, i, "stands outside the box; move it into it");
    }
    if (!scene->holds[i])
      return refuse_shape(config, i, "holds no cell's centre, so that the grid would not have it; "
                          "make it thicker than a cell, or the grid finer");
  }
  return TRM_OK;
}

static trm_status fill_solid(const trm_config *config, lbm3d_scene *scene, int is_of_levels)
{
  const int *n = scene->n;
  TRM_TRY(lbm3d_surface_create(config, scene));
  TRM_TRY(fill_mask(config, scene));
  if (!scene->solid) return TRM_OK;
  if (!is_of_levels) TRM_TRY(lbm3d_shapes_check(config, scene));
  if (!is_of_levels && scene->part_count > 0)
    TRM_TRY(lbm3d_surface_hold(scene, NULL, NULL, scene->part_holds));
  if (!is_of_levels) TRM_TRY(lbm3d_surface_check(config, scene));
  const char *key = scene->stl.count > 0 ? "bodies.stl" : "bodies.shapes";
  const char *origin = trm_config_origin(config, key);
  if (scene->solid_count == (size_t)n[0] * (size_t)n[1] * (size_t)n[2])
    return TRM_FAIL(INPUT, "%s: %s leaves no fluid cell; make it smaller, or the grid finer",
                    origin, key);
  return TRM_OK;
}

/* ---- all of it ------------------------------------------------------------------ */

trm_status lbm3d_scene_create(const trm_config *config, int is_of_levels, lbm3d_scene *scene)
{
  scene->density = 1.0;
  scene->is_interpolated = strcmp(trm_config_string(config, "lbm.bounce_back"),
                                  "interpolated") == 0;
  TRM_TRY(read_sides(config, scene));
  TRM_TRY(parse_shapes(config, scene));
  return fill_solid(config, scene, is_of_levels);
}

/* ---- on levels ------------------------------------------------------------------- */

trm_status lbm3d_scene_at_level(const trm_config *config, const lbm3d_scene *scene, int level,
                                lbm3d_scene *out)
{
  const double finer = ldexp(1.0, level);
  const size_t numbers = 9 * scene->stl.count;
  *out = *scene;
  out->solid = NULL;
  out->level = level;
  out->viscosity *= finer;
  for (int a = 0; a < 3; a++) out->n[a] <<= level;
  lbm3d_scene_share(out, NULL, 1);
  for (size_t s = 0; s < out->shape_count; s++) {
    out->shapes[s].radius *= finer;
    for (int a = 0; a < 3; a++) {
      out->shapes[s].at[a] *= finer;
      out->shapes[s].to[a] *= finer;
    }
  }
  out->stl.corners = malloc((numbers + 1) * sizeof *out->stl.corners);
  if (!out->stl.corners) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a surface's triangles");
  for (size_t i = 0; i < numbers; i++) out->stl.corners[i] = finer * scene->stl.corners[i];
  return fill_mask(config, out);
}

void lbm3d_scene_leave_level(lbm3d_scene *scene)
{
  free(scene->stl.corners);
  free(scene->solid);
  scene->stl.corners = NULL;
  scene->solid = NULL;
}

void lbm3d_scene_free(lbm3d_scene *scene)
{
  for (int side = 0; side < LBM3D_SIDES; side++)
    for (int i = 0; i < 3; i++) trm_formula_destroy(&scene->sides[side].velocity[i]);
  trm_stl_free(&scene->stl);
  free(scene->near_first);
  free(scene->near);
  free(scene->part_of);
  free(scene->part_holds);
  free(scene->solid);
  *scene = (lbm3d_scene){ 0 };
}
