/* moments.c - ten moments of a cell in memory instead of its populations (lbm3d_moments.k): the
 * keys, refusals, pushes of walls, the first state, launches. */
#include "solvers/lbm3d/lbm3d.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char trm_text_lbm3d_moments[];
TRM_DECLARE_MODULES(lbm3d_moments);
static const trm_program_source source = { "lbm3d_moments", "solvers/lbm3d/kernels/lbm3d_moments.k",
                                           trm_text_lbm3d_moments,
                                           TRM_MODULES(lbm3d_moments) };

enum { CHUNK = 16,            /* planes to a leaf of the sums: MOMENTS_CHUNK of the kernels */
       LATERAL = 16,          /* populations that change columns: MOMENTS_LATERAL */
       SPREAD = 73, MEET = 30, FINISH = 56, FORCED = 92 }; /* operations of their parts, a cell */

/* ---- keys ------------------------------------------------------------------------ */

/* Shapes of a tile, as lbm3d_moments_tile.h has them: items that columns and halo need, a multiple
 * of 32. */
static const struct shape { const char *name; int x, y, items; } shapes[] = {
  { "32x2", 32, 2, 160 }, { "32x4", 32, 4, 224 }, { "32x8", 32, 8, 352 }, { "64x4", 64, 4, 416 },
  { "128x2", 128, 2, 544 }, { "32x16", 32, 16, 640 }, { "64x8", 64, 8, 672 },
  { "128x4", 128, 4, 800 } };

/* The devices of a run, one or several. */
typedef struct company {
  size_t count;
  int has_opencl;              /* among its GPUs */
  int is_even;                 /* all of a kind, with as many rows each */
  const trm_device_info *first;
} company;

static trm_status meet(const trm_device *device, company *out)
{
  const size_t count = trm_device_parts(device, 0, NULL);
  trm_device_part *parts = calloc(count + 1, sizeof *parts);
  if (!parts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu devices", count);
  if (count > 0) (void)trm_device_parts(device, count, parts);
  else parts[0] = (trm_device_part){ .info = trm_device_describe(device), .weight = 1 };
  *out = (company){ .count = count ? count : 1, .is_even = 1, .first = parts[0].info };
  for (size_t i = 0; i < out->count; i++) {
    const trm_device_info *info = parts[i].info;
    out->has_opencl |= !info->is_host && strcmp(info->backend, "opencl") == 0;
    out->is_even &= parts[i].weight == parts[0].weight &&
                    strcmp(info->backend, parts[0].info->backend) == 0;
  }
  free(parts);
  return TRM_OK;
}

/* The default on a GPU in f32 is the fastest of five tiles on an H100. By OpenCL, where NVIDIA's
 * driver gives a group 48 KiB of shared memory, it is the fastest of three on an H200. In f64,
 * which was not measured, it is the tile that 48 KiB hold. */
static const struct shape *shape_of(const lbm3d_solver *flow, const trm_config *config,
                                    const company *devices)
{
  const char *fast = devices->has_opencl ? "32x4" : "64x4";
  const char *usual = !lbm3d_has_gpu(flow) ? "64x8"
                      : flow->real_type == TRM_TYPE_F32 ? fast : "32x2";
  const char *name = trm_config_string(config, "lbm.tile");
  size_t i = 0;
  if (strcmp(name, "auto") == 0) name = usual;
  while (strcmp(shapes[i].name, name) != 0) i++;
  return &shapes[i];
}

/* Groups that a device has at once: a thread one, a multiprocessor about 1056 items. */
static long at_once(const trm_device_info *device, int items)
{
  const int units = device->compute_units > 0 ? device->compute_units : 1;
  return device->is_host ? device->threads : (long)units * (items < 1056 ? 1056 / items : 1);
}

/* A group goes through three planes more than it finishes, and all groups wait for the last ones.
 * So this is the depth with which as many groups as fit at once go through the fewest planes.
 * Several devices share blocks of this depth: the smallest depth if the devices differ. */
static int depth_of(const lbm3d_solver *flow, const trm_config *config, const company *devices,
                    int tiles, int items)
{
  const int nz = flow->scene.n[2], asked = (int)trm_config_integer(config, "lbm.tile_depth");
  const int most_deep = devices->is_even ? nz + CHUNK : CHUNK + 1;
  const long most = at_once(devices->first, items), count = (long)devices->count;
  int best = asked ? asked : CHUNK;
  long fewest = LONG_MAX;
  for (int depth = CHUNK; asked == 0 && depth < most_deep; depth += CHUNK) {
    const long blocks = (nz + depth - 1) / depth, groups = tiles * ((blocks + count - 1) / count);
    if (blocks < count) break;
    const long planes = (groups + most - 1) / most * ((depth < nz ? depth : nz) + 3);
    if (planes < fewest) best = depth;
    if (planes < fewest) fewest = planes;
  }
  return best;
}

static trm_status read_tile(lbm3d_solver *flow, const trm_config *config)
{
  moments_params *p = &flow->moments.p;
  const int *n = flow->scene.n, asked = (int)trm_config_integer(config, "lbm.tile_depth");
  company devices = { .count = 1 };
  TRM_TRY(meet(flow->base.device, &devices));
  const struct shape *shape = shape_of(flow, config, &devices);
  if (asked % CHUNK != 0)
    return TRM_FAIL(INPUT, "%s: lbm.tile_depth = %d; it is a multiple of %d, or 0 for the usual "
                    "one",
                    trm_config_origin(config, "lbm.tile_depth"), asked, CHUNK);
  p->tile_x = shape->x;
  p->tile_y = shape->y;
  flow->moments.items = shape->items;
  flow->moments.groups = (trm_extent){ (n[0] + shape->x - 1) / shape->x,
                                       (n[1] + shape->y - 1) / shape->y, 1, 0 };
  p->depth = depth_of(flow, config, &devices,
                      flow->moments.groups.nx * flow->moments.groups.ny, shape->items);
  flow->moments.groups.nz = (n[2] + p->depth - 1) / p->depth;
  return TRM_OK;
}

/* Without moments these keys would do nothing. */
static trm_status refuse_tile(const trm_config *config)
{
  static const char *const keys[] = { "lbm.tile", "lbm.tile_depth" };
  const int is_given[] = { strcmp(trm_config_string(config, keys[0]), "auto") != 0,
                           trm_config_integer(config, keys[1]) != 0 };
  for (int i = 0; i < 2; i++)
    if (is_given[i])
      return TRM_FAIL(INPUT, "%s: %s is of lbm.storage = \"moments\"; set that, or leave it out",
                      trm_config_origin(config, keys[i]), keys[i]);
  return TRM_OK;
}

static trm_status refuse(const trm_config *config, const char *key, const char *what)
{
  return TRM_FAIL(INPUT, "%s: lbm.storage = \"moments\" %s", trm_config_origin(config, key), what);
}

trm_status lbm3d_moments_read(lbm3d_solver *flow, const trm_config *config)
{
  static const struct { const char *key, *only, *what; } strings[] = {
    { "lbm.collision", "regularised", "keeps only the moments of the regularised collision; "
      "set lbm.collision = \"regularised\", or leave out lbm.storage" },
    { "lbm.lattice", "d3q19", "is of 19 velocities; set lbm.lattice = \"d3q19\", or leave out "
      "lbm.storage" },
    { "lbm.streaming", "two-lattices", "goes from one lattice into the other; leave out "
      "lbm.streaming" },
    { "lbm.rows", "plain", "has no folded rows; leave out lbm.rows" },
    { "bodies.shapes", "", "has no bodies; leave out bodies.shapes, or lbm.storage" },
    { "bodies.stl", "", "has no surfaces; leave out bodies.stl, or lbm.storage" } };
  flow->is_moments = strcmp(trm_config_string(config, "lbm.storage"), "moments") == 0;
  if (!flow->is_moments) return refuse_tile(config);
  for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
    if (strcmp(trm_config_string(config, strings[i].key), strings[i].only) != 0)
      return refuse(config, strings[i].key, strings[i].what);
  if (trm_config_real(config, "lbm.smagorinsky") > 0.0)
    return refuse(config, "lbm.smagorinsky", "has no eddies below the grid; leave out "
                  "lbm.smagorinsky, or lbm.storage");
  if (trm_config_integer(config, "grid.levels") > 0 || trm_config_boolean(config, "lbm.blocks"))
    return refuse(config, "lbm.storage", "has no blocks; leave it out, or set grid.levels = 0 and "
                  "lbm.blocks = false");
  return read_tile(flow, config);
}

/* ---- walls ----------------------------------------------------------------------- */

/* Its velocity has to be the same all over the side: there is one for each population. */
static trm_status check_side(const lbm3d_solver *flow, const trm_config *config, int side)
{
  const lbm3d_scene *scene = &flow->scene;
  const int axis = side / 2, a = (axis + 1) % 3, b = (axis + 2) % 3;
  double at[3], first[3], u[3];
  char key[32];
  at[axis] = side % 2 ? scene->n[axis] : 0.0;
  at[a] = at[b] = 0.0;
  lbm3d_side_velocity(scene, side, at, first);
  snprintf(key, sizeof key, "boundary.%s_velocity", lbm3d_side_names[side]);
  for (int i = 0; i <= 2 * scene->n[a]; i++)
    for (int j = 0; j <= 2 * scene->n[b]; j++) {
      at[a] = 0.5 * i;
      at[b] = 0.5 * j;
      lbm3d_side_velocity(scene, side, at, u);
      if (memcmp(u, first, sizeof u) != 0)
        return refuse(config, key, "moves a wall with the same velocity everywhere; write three "
                      "numbers, or leave out lbm.storage");
    }
  return TRM_OK;
}

trm_status lbm3d_moments_plan(lbm3d_solver *flow, const trm_config *config)
{
  for (int side = 0; side < LBM3D_SIDES; side++) {
    const lbm3d_kind kind = flow->scene.sides[side].kind;
    char key[32];
    snprintf(key, sizeof key, "boundary.%s", lbm3d_side_names[side]);
    if (kind == SIDE_INFLOW || kind == SIDE_OUTFLOW)
      return refuse(config, key, "has no inflows and outflows; make the side \"wall\", \"moving\" "
                    "or \"periodic\", or leave out lbm.storage");
    if (kind == SIDE_MOVING) TRM_TRY(check_side(flow, config, side));
    flow->is_bounded |= kind != SIDE_PERIODIC;
  }
  lbm3d_sides_give(&flow->scene, flow->walls);
  return TRM_OK;
}

/* ---- memory and the first state -------------------------------------------------- */

trm_status lbm3d_moments_lay_out(lbm3d_solver *flow)
{
  const int *n = flow->scene.n;
  return trm_layout_rows(flow->base.device, flow->real_type, (size_t)n[0], (size_t)n[1],
                         (size_t)n[2], LBM3D_MOMENTS, &flow->layout);
}

size_t lbm3d_moments_leaves(const lbm3d_solver *flow)
{
  const int *n = flow->scene.n;
  return ((size_t)n[0] + 31) / 32 * (size_t)n[1] * (((size_t)n[2] + CHUNK - 1) / CHUNK);
}

/* Blocks of planes as those of the state. */
trm_status lbm3d_moments_share_leaves(const lbm3d_solver *flow, trm_buffer *buffer)
{
  const int *n = flow->scene.n;
  const size_t each = ((size_t)n[0] + 31) / 32;
  const trm_by_rows rows = { .type = flow->real_type, .nx = each, .ny = (size_t)n[1],
                             .nz = ((size_t)n[2] + CHUNK - 1) / CHUNK, .components = flow->slots,
                             .layout = { .row = each, .component = flow->leaves }, .is_output = 1,
                             .block = (size_t)flow->moments.p.depth / CHUNK };
  return trm_buffer_rows(buffer, &rows);
}

/* Of populations less their weights. */
void lbm3d_moments_of(const double *f, double moments[LBM3D_MOMENTS])
{
  static const int pairs[6][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 0, 1 }, { 0, 2 }, { 1, 2 } };
  memset(moments, 0, LBM3D_MOMENTS * sizeof *moments);
  for (int k = 0; k < D3Q19; k++) {
    const int e[] = { lbm3d_ex[k], lbm3d_ey[k], lbm3d_ez[k] };
    moments[0] += f[k];
    for (int a = 0; a < 3; a++) moments[1 + a] += e[a] * f[k];
    for (int i = 0; i < 6; i++) moments[4 + i] += e[pairs[i][0]] * e[pairs[i][1]] * f[k];
  }
  for (int a = 0; a < 3; a++) moments[4 + a] -= moments[0] / 3.0;
}

/* ---- the program and launches ---------------------------------------------------- */

const char *lbm3d_moments_step_name(const lbm3d_solver *flow)
{
  return flow->scene.is_forced ? "moments_forced" : "moments_step";
}

/* Cells of an axis that groups read: their own and one on each side that is not beyond a wall. */
static double read_cells(int n, int groups, int open) { return n + 2.0 * groups - 2.0 * open; }

double lbm3d_moments_flops(const lbm3d_solver *flow)
{
  const lbm3d_params *p = &flow->p;
  const trm_extent *groups = &flow->moments.groups;
  const double x = read_cells(p->nx, groups->nx, p->open_x);
  const double y = read_cells(p->ny, groups->ny, p->open_y);
  const double z = read_cells(p->nz, groups->nz, p->open_z), finished = flow->base.cells;
  const double met = (double)p->nx * p->ny * (p->nz + 2.0 * groups->nz);
  return SPREAD * x * y * z + MEET * met + (flow->scene.is_forced ? FORCED : FINISH) * finished;
}

/* A tile that is too large for a group of the device: the compiler or the backend reports the
 * failure; this adds the key that helps. */
static trm_status tell_of_tile(const lbm3d_solver *flow, trm_status status)
{
  const moments_params *p = &flow->moments.p;
  const size_t columns = (size_t)(p->tile_x + 2) * (size_t)(p->tile_y + 2);
  const size_t inner = (size_t)p->tile_x * (size_t)p->tile_y;
  const size_t bytes = (2 * LATERAL * columns + 2 * inner) * trm_type_size(flow->real_type);
  char why[400];
  if (status != TRM_ERROR_UNSUPPORTED && status != TRM_ERROR_BUILD) return status;
  snprintf(why, sizeof why, "%.399s", trm_error_last()->text);
  if (!strstr(why, "shared") && !strstr(why, "items of a group") &&
      !strstr(why, "items to a group"))
    return status;
  return TRM_FAIL(UNSUPPORTED, "lbm.tile = \"%dx%d\" takes groups of %d items and %zu bytes of "
                  "shared memory; name a smaller one, or another device: %s", p->tile_x,
                  p->tile_y, flow->moments.items, bytes, why);
}

trm_status lbm3d_moments_set_up(lbm3d_solver *flow, const trm_solver_options *run)
{
  const char *const kernels[] = {
    [STEP] = lbm3d_moments_step_name(flow), [OBSERVE] = "moments_observe",
    [VORTICITY] = "moments_vorticity", [FETCH] = "moments_probe", [HAND] = "moments_probe",
    [PROBE] = "moments_probe", NULL };
  const trm_framework_recipe recipe = { &source, NULL, "moments_params", sizeof flow->moments.p,
                                  kernels };
  trm_solver_options how = *run;
  if (lbm3d_has_gpu(flow)) how.group = flow->moments.items;
  TRM_TRY(lbm3d_allocate(flow));
  return tell_of_tile(flow, trm_framework_program_create(flow->base.device, &recipe, &how,
                                                         &flow->program));
}

/* A block of planes has its groups one behind another, which read a plane beyond it. */
trm_status lbm3d_moments_step(lbm3d_solver *flow)
{
  const trm_extent *groups = &flow->moments.groups, all = { groups->nx * groups->ny * groups->nz,
                                                            1, 1, 0 };
  const trm_sharing by_blocks = { .each = groups->nx * groups->ny, .halo = 1 };
  trm_buffer *const buffers[] = { flow->lattice[flow->current], flow->lattice[!flow->current],
                                  flow->given, flow->energies, flow->changes };
  return lbm3d_launch_shared(flow, STEP, all, &by_blocks, buffers, 5);
}

trm_status lbm3d_moments_observe(lbm3d_solver *flow)
{
  const trm_extent cells = { flow->scene.n[0], flow->scene.n[1], flow->scene.n[2], 0 };
  trm_buffer *const buffers[] = { flow->lattice[flow->current], flow->lattice[!flow->current] };
  TRM_TRY(lbm3d_launch(flow, OBSERVE, cells, buffers, 2));
  return lbm3d_launch(flow, VORTICITY, cells, buffers + 1, 1);
}
