/* lumen.c - checks that a flow is possible where a case wants one: openings that exist on this
 * grid, an outlet for fixed inflows, a drive. Also counts the cells across a duct at its narrowest
 * place. Else the run is refused. */
#include "solvers/lbm3d/lbm3d.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

static lbm3d_kind kind_of(const lbm3d_scene *scene, int patch)
{
  if (patch < LBM3D_SIDES) return scene->sides[patch].kind;
  return patch == LBM3D_SIDES ? SIDE_WALL : scene->openings[patch - LBM3D_SIDES - 1].kind;
}

static int is_open(lbm3d_kind kind) { return kind == SIDE_INFLOW || kind == SIDE_OUTFLOW; }

/* ---- what goes in and out ------------------------------------------------------- */

/* An opening that no cell of the fluid lies beside. */
static trm_status check_openings(const trm_config *config, const lbm3d_scene *scene,
                                 const lbm3d_marks *marks)
{
  for (size_t i = 0; i < scene->stl.patch_count; i++) {
    const int id = LBM3D_SIDES + 1 + (int)i;
    size_t at = 0;
    while (at < marks->patch_count && marks->patches[at].id != id) at++;
    if (is_open(scene->openings[i].kind) && at == marks->patch_count)
      return TRM_FAIL(INPUT, "%s: no cell of the fluid lies beside the opening '%s' of %s: the "
                      "grid does not resolve it; make bodies.stl_cell, %g now, smaller",
                      trm_config_origin(config, "bodies.stl"), scene->stl.names[i],
                      trm_config_string(config, "bodies.stl"), scene->surface_cell);
  }
  return TRM_OK;
}

/* Where the case has its inflows. */
static const char *origin_of_inflows(const trm_config *config, const lbm3d_scene *scene)
{
  static const char *const keys[LBM3D_SIDES] = { "boundary.west", "boundary.east",
                                                 "boundary.south", "boundary.north",
                                                 "boundary.bottom", "boundary.top" };
  int side = 0;
  while (side < LBM3D_SIDES && scene->sides[side].kind != SIDE_INFLOW) side++;
  return trm_config_origin(config, side < LBM3D_SIDES ? keys[side] : "lbm.patches");
}

/* Fixed inflows alone must sum up to nothing; a density somewhere lets out what they bring. */
static trm_status check_inflows(const trm_config *config, const lbm3d_scene *scene,
                                const lbm3d_marks *marks)
{
  double net = 0, all = 0;
  for (size_t i = 0; i < marks->patch_count; i++) {
    const lbm3d_patch *patch = &marks->patches[i];
    const lbm3d_kind kind = kind_of(scene, patch->id);
    if (kind == SIDE_OUTFLOW) return TRM_OK;
    if (kind != SIDE_INFLOW) continue;
    net += patch->given;
    all += patch->given_sizes;
  }
  if (fabs(net) <= 1e-9 * all) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: the inflows together bring %g of mass a step into a closed box and "
                  "nothing lets it out: the pressure would %s without end; give one opening a "
                  "density or a pressure instead, or make one side an outflow",
                  origin_of_inflows(config, scene), net, net > 0 ? "rise" : "fall");
}

/* In a duct that nothing drives all rests for ever. */
static trm_status check_drive(const trm_config *config, const lbm3d_scene *scene)
{
  static const char *const starts[] = { "initial.velocity_x", "initial.velocity_y",
                                        "initial.velocity_z",
                                        "initial.density" };
  double low = INFINITY, high = -INFINITY;
  int open = 0;
  if (scene->is_forced) return TRM_OK;
  for (int i = 0; i < 4; i++)
    if (*trm_config_string(config, starts[i])) return TRM_OK;
  for (size_t i = 0; i < scene->stl.patch_count; i++) {
    const lbm3d_opening *one = &scene->openings[i];
    if (!is_open(one->kind)) continue;
    open++;
    if (one->kind == SIDE_INFLOW) return TRM_OK;
    low = fmin(low, one->density);
    high = fmax(high, one->density);
  }
  if (high > low) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: nothing can flow in %s: %s; give two openings different densities or "
                  "pressures in lbm.patches, or one of two an inflow, or set body_force",
                  trm_config_origin(config, open ? "lbm.patches" : "bodies.stl"),
                  trm_config_string(config, "bodies.stl"),
                  open == 0 ? "it has no opening" : open == 1 ? "it has one opening only"
                  : "all its openings have the same density");
}

/* ---- cells across ---------------------------------------------------------------- */

enum { DIRECTIONS = 13 };      /* 1, 3, 5 ... 25: one of each opposite pair */

typedef struct passages {
  const lbm3d_scene *scene;
  uint16_t *width;             /* of each cell: the least way through it from wall to wall */
  uint32_t *parent;            /* union of cells; UINT32_MAX: not yet in */
  uint32_t *open;              /* of a root: the openings that its cells lie beside */
  uint32_t *next, *first;      /* cells by width: a list each */
} passages;

static int is_fluid_at(const lbm3d_scene *scene, const int at[3], size_t *cell)
{
  for (int i = 0; i < 3; i++)
    if (at[i] < 0 || at[i] >= scene->n[i]) return 0;
  *cell = ((size_t)at[2] * (size_t)scene->n[1] + (size_t)at[1]) * (size_t)scene->n[0] +
          (size_t)at[0];
  return !scene->solid[*cell];
}

/* Ways along e that begin at `at`: their length goes to all their cells. */
static void measure(passages *p, const int at[3], const int e[3])
{
  const double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
  int here[] = { at[0], at[1], at[2] };
  size_t cell, count = 0;
  for (; is_fluid_at(p->scene, here, &cell); count++)
    for (int i = 0; i < 3; i++) here[i] += e[i];
  const long wide = lround((double)count * length);
  while (count-- > 0) {
    for (int i = 0; i < 3; i++) here[i] -= e[i];
    (void)is_fluid_at(p->scene, here, &cell);
    if (wide < p->width[cell]) p->width[cell] = (uint16_t)wide;
  }
}

static void measure_all(passages *p)
{
  const int *n = p->scene->n;
  for (int d = 0; d < DIRECTIONS; d++) {
    const int k = 1 + 2 * d, e[] = { lbm3d_ex[k], lbm3d_ey[k], lbm3d_ez[k] };
    for (int z = 0; z < n[2]; z++)
      for (int y = 0; y < n[1]; y++)
        for (int x = 0; x < n[0]; x++) {
          const int at[] = { x, y, z }, before[] = { x - e[0], y - e[1], z - e[2] };
          size_t cell;
          if (is_fluid_at(p->scene, at, &cell) && !is_fluid_at(p->scene, before, &cell))
            measure(p, at, e);
        }
  }
}

static uint32_t root_of(passages *p, uint32_t cell)
{
  while (p->parent[cell] != cell) {
    p->parent[cell] = p->parent[p->parent[cell]];
    cell = p->parent[cell];
  }
  return cell;
}

/* A cell comes in and joins those beside it; returns the openings that are joined then. */
static uint32_t join(passages *p, uint32_t cell)
{
  const int nx = p->scene->n[0], ny = p->scene->n[1];
  const int at[] = { (int)(cell % (uint32_t)nx), (int)(cell / (uint32_t)nx % (uint32_t)ny),
                     (int)(cell / (uint32_t)nx / (uint32_t)ny) };
  uint32_t root = cell;
  p->parent[cell] = cell;
  for (int k = 1; k <= 6; k++) {
    const int beside[] = { at[0] + lbm3d_ex[k], at[1] + lbm3d_ey[k], at[2] + lbm3d_ez[k] };
    size_t other;
    if (!is_fluid_at(p->scene, beside, &other) || p->parent[other] == UINT32_MAX) continue;
    const uint32_t its = root_of(p, (uint32_t)other);
    if (its == root) continue;
    p->parent[root] = its;
    p->open[its] |= p->open[root];
    root = its;
  }
  return p->open[root] & (p->open[root] - 1) ? p->open[root] : 0;
}

/* The widest cells come in first: the width at which the last opening is joined to another. 0: one
 * never is, which is left in `alone`. */
static int narrowest(passages *p, uint32_t openings, uint32_t *alone)
{
  *alone = openings;
  for (int width = UINT16_MAX - 1; width > 0; width--)
    for (uint32_t cell = p->first[width]; cell != UINT32_MAX; cell = p->next[cell]) {
      *alone &= ~join(p, cell);
      if (!*alone) return width;
    }
  return 0;
}

static void prepare(passages *p, const lbm3d_marks *marks, size_t cells, uint32_t *openings)
{
  for (size_t i = 0; i <= UINT16_MAX; i++) p->first[i] = UINT32_MAX;
  for (size_t i = 0; i < cells; i++) {
    p->width[i] = UINT16_MAX - 1;
    p->parent[i] = UINT32_MAX;
  }
  for (size_t i = 0; i < marks->count; i++)
    for (int link = marks->mark_entries[2 * i]; link < marks->mark_entries[2 * i] +
         (marks->mark_entries[2 * i + 1] & 255); link++) {
      const int32_t place = marks->ways[2 * link + 1];
      for (size_t j = 0; j < marks->patch_count && place >= 0; j++) {
        const lbm3d_patch *patch = &marks->patches[j];
        if ((size_t)place - patch->first < patch->count && patch->id > LBM3D_SIDES &&
            is_open(kind_of(p->scene, patch->id)))
          p->open[marks->sites[i]] |= (uint32_t)1 << (patch->id - LBM3D_SIDES - 1);
      }
      *openings |= p->open[marks->sites[i]];
    }
  measure_all(p);
  for (size_t i = 0; i < cells; i++) {
    if (p->scene->solid[i]) continue;
    p->next[i] = p->first[p->width[i]];
    p->first[p->width[i]] = (uint32_t)i;
  }
}

static trm_status check_across(const trm_config *config, const lbm3d_scene *scene, int across,
                               uint32_t alone)
{
  const char *origin = trm_config_origin(config, "bodies.stl");
  const char *path = trm_config_string(config, "bodies.stl");
  size_t patch = 0;
  while (alone && !(alone >> patch & 1)) patch++;
  if (alone)
    return TRM_FAIL(INPUT, "%s: on this grid no fluid joins the opening '%s' of %s to another: a "
                    "passage is less than one cell across; make bodies.stl_cell, %g now, smaller",
                    origin, scene->stl.names[patch], path, scene->surface_cell);
  if (across < LBM3D_ACROSS)
    return TRM_FAIL(INPUT, "%s: the grid does not resolve %s: the widest way between its openings "
                    "is %d cells across where it is narrowest, and %d are needed; make "
                    "bodies.stl_cell %.3g, %g now, and the grid as much finer", origin, path,
                    across, LBM3D_ACROSS, scene->surface_cell * across / LBM3D_ACROSS,
                    scene->surface_cell);
  return TRM_OK;
}

static trm_status measure_across(const trm_config *config, lbm3d_scene *scene,
                                 const lbm3d_marks *marks)
{
  const size_t cells = (size_t)scene->n[0] * (size_t)scene->n[1] * (size_t)scene->n[2];
  passages p = { .scene = scene };
  uint32_t openings = 0, alone = 0;
  TRM_TRY(trmi_memory_require("the widths of passages", cells * (3 * sizeof *p.parent + 2)));
  p.width = malloc(cells * sizeof *p.width);
  p.parent = malloc(cells * sizeof *p.parent);
  p.next = malloc(cells * sizeof *p.next);
  p.open = calloc(cells, sizeof *p.open);
  p.first = malloc((UINT16_MAX + 1) * sizeof *p.first);
  const int has_room = p.width && p.parent && p.next && p.open && p.first;
  if (has_room) {
    prepare(&p, marks, cells, &openings);
    if (openings & (openings - 1)) scene->across = narrowest(&p, openings, &alone);
  }
  free(p.width);
  free(p.parent);
  free(p.next);
  free(p.open);
  free(p.first);
  if (!has_room) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the widths of passages");
  return openings & (openings - 1) ? check_across(config, scene, scene->across, alone) : TRM_OK;
}

trm_status lbm3d_lumen_check(const trm_config *config, lbm3d_scene *scene,
                             const lbm3d_marks *marks)
{
  TRM_TRY(check_openings(config, scene, marks));
  TRM_TRY(check_inflows(config, scene, marks));
  if (scene->stl.count == 0 || strcmp(trm_config_string(config, "lbm.fluid"), "inside") != 0)
    return TRM_OK;
  TRM_TRY(check_drive(config, scene));
  return measure_across(config, scene, marks);
}
