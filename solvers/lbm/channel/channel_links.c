/* channel_links.c - the cells beside a boundary, and the rule for each population that comes
 * through it. */
#include "solvers/lbm/channel/channel.h"

#include <math.h>
#include <stdlib.h>

#include "core/sharing.h"

const int channel_ex[D2Q9] = D2Q9_EX, channel_ey[D2Q9] = D2Q9_EY;

/* A population's way into its cell: what kind of boundary it comes through, and the four factors of
 * channel.k. */
typedef struct link {
  int is_boundary, is_obstacle, is_outflow, is_copy, is_own;
  double factor[4];
} link;

static const double LEAST_PART = 1e-3; /* of a link: a wall on a cell's centre */

static int is_solid(const channel_scene *scene, int x, int y)
{
  return scene->solid[(size_t)y * (size_t)scene->nx + (size_t)x];
}

static int wrapped(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

/* The deciding side among the sides that a link crosses, at a corner two: a wall before an inflow
 * before a moving wall before an outflow. SIDE_PERIODIC: it crosses no side. */
static channel_side crossed(const channel_scene *scene, int x, int y)
{
  static const int rank[] = { [SIDE_PERIODIC] = 0, [SIDE_COPY] = 1, [SIDE_OUTFLOW] = 2,
                              [SIDE_MOVING] = 3, [SIDE_INFLOW] = 4, [SIDE_WALL] = 5 };
  channel_side along = SIDE_PERIODIC, across = SIDE_PERIODIC;
  if (x < 0) along = scene->west;
  if (x >= scene->nx) along = scene->east;
  if (y < 0) across = scene->south;
  if (y >= scene->ny) across = scene->north;
  return rank[along] >= rank[across] ? along : across;
}

/* Half-way bounce-back from a wall that gives that momentum along x (Ladd 1994). */
static void bounce(link *out, int k, double momentum)
{
  out->factor[0] = 1.0;
  out->factor[3] = 6.0 * lbm_weight[k] * channel_ex[k] * momentum;
}

/* Bouzidi, Firdaouss and Lallemand 2001, linear: the wall at `part` of the way to the solid
 * cell. */
static void interpolate(link *out, double part)
{
  if (part < 0.5) {
    out->factor[0] = 2.0 * part;
    out->factor[1] = 1.0 - 2.0 * part;
  } else {
    out->factor[0] = 1.0 / (2.0 * part);
    out->factor[2] = (2.0 * part - 1.0) / (2.0 * part);
  }
}

static int is_fluid_inside(const channel_scene *scene, int x, int y)
{
  if ((x < 0 || x >= scene->nx) && scene->west != SIDE_PERIODIC) return 0;
  if ((y < 0 || y >= scene->ny) && scene->south != SIDE_PERIODIC) return 0;
  return !is_solid(scene, wrapped(x, scene->nx), wrapped(y, scene->ny));
}

/* Population k of fluid cell (x, y). */
static link find_link(const channel_scene *scene, int x, int y, int k)
{
  const int from_x = x - channel_ex[k], from_y = y - channel_ey[k];
  const channel_side side = crossed(scene, from_x, from_y);
  link out = { .is_boundary = side != SIDE_PERIODIC };
  if (side == SIDE_WALL) bounce(&out, k, 0.0);
  if (side == SIDE_MOVING) bounce(&out, k, scene->wall_speed * scene->density);
  out.is_own = side == SIDE_INFLOW && scene->is_own;
  if (side == SIDE_INFLOW)
    bounce(&out, k, (scene->is_own ? 1.0 : scene->density) *
                    channel_inflow(scene, y + 0.5 - 0.5 * channel_ey[k], y - 0.5 * channel_ey[k]));
  if (side == SIDE_OUTFLOW) {
    out.is_outflow = 1;
    out.factor[0] = -1.0;
    out.factor[3] = 2.0 * lbm_weight[k];
  }
  out.is_copy = side == SIDE_COPY;
  if (side != SIDE_PERIODIC) return out;
  if (!is_solid(scene, wrapped(from_x, scene->nx), wrapped(from_y, scene->ny))) return out;
  out.is_boundary = out.is_obstacle = 1;
  out.factor[0] = 1.0;
  if (!scene->is_interpolated) return out;
  const double part = shapes_distance(&scene->shapes, x + 0.5, y + 0.5, -channel_ex[k],
                                      -channel_ey[k]);
  const int has_behind = is_fluid_inside(scene, x + channel_ex[k], y + channel_ey[k]);
  if (part < 1.0 && (has_behind || part >= 0.5)) {
    out.factor[0] = 0.0;
    interpolate(&out, fmax(part, LEAST_PART));
  }
  return out;
}

/* ---- marks --------------------------------------------------------------------- */

/* The Geneva study: the obstacle's cells send back what they got; those that get it from the fluid
 * feel a force. */
static int32_t flags_geneva(const channel_scene *scene, int x, int y)
{
  int32_t flags = x == 0 ? MARK_INFLOW : 0;
  if (!is_solid(scene, x, y)) return flags;
  for (int k = 1; k < D2Q9; k++)
    if (!is_solid(scene, wrapped(x - channel_ex[k], scene->nx),
                  wrapped(y - channel_ey[k], scene->ny)))
      flags |= 1 << (k - 1);
  return flags;
}

static int32_t flags_channel(const channel_scene *scene, int x, int y, link links[D2Q9])
{
  int32_t flags = 0;
  for (int k = 1; k < D2Q9; k++) {
    links[k] = (link){ 0 };
    if (is_solid(scene, x, y)) {
      if (!is_solid(scene, wrapped(x - channel_ex[k], scene->nx),
                    wrapped(y - channel_ey[k], scene->ny)))
        flags |= MARK_SOLID;
      continue;
    }
    links[k] = find_link(scene, x, y, k);
    if (links[k].is_boundary) flags |= 1 << (k - 1);
    if (links[k].is_obstacle) flags |= 1 << (k - 1 + MARK_FORCE);
    if (links[k].is_outflow) flags |= MARK_OUTFLOW;
    if (links[k].is_copy) flags |= MARK_COPY;
    if (links[k].is_own) flags |= MARK_INFLOW;
  }
  return flags;
}

static int32_t flags_of(const channel_scene *scene, int x, int y, link links[D2Q9])
{
  int32_t flags = scene->is_geneva ? flags_geneva(scene, x, y) : flags_channel(scene, x, y, links);
  for (int i = 0; i < scene->probe_count; i++)
    if (scene->probe[i][0] == x && scene->probe[i][1] == y) flags |= (i + 1) << MARK_PROBE;
  return flags;
}

static int has_probe(const channel_scene *scene, int y)
{
  for (int i = 0; i < scene->probe_count; i++)
    if (scene->probe[i][1] == y) return 1;
  return 0;
}

/* Most cells have no mark: neither they nor a cell beside them is solid. x and y are not at a
 * side. */
static int is_plain(const channel_scene *scene, int x, int y)
{
  const size_t nx = (size_t)scene->nx;
  const uint8_t *from = scene->solid + (size_t)(y - 1) * nx + (size_t)x - 1;
  int solid = 0;
  for (size_t i = 0; i < 3; i++) solid |= from[i] | from[nx + i] | from[2 * nx + i];
  return !solid;
}

/* The marks of a row, to count or to fill. Returns their number. i: of marks before the row. */
static size_t mark_row(const channel_scene *scene, int y, channel_marks *out, size_t i, int fill)
{
  const size_t words = ((size_t)scene->nx + 31) / 32, first = i;
  const int is_inner = y > 0 && y < scene->ny - 1 && !has_probe(scene, y);
  for (int x = 0; x < scene->nx; x++) {
    const size_t word = (size_t)y * words + (size_t)x / 32;
    if (fill && x % 32 == 0) out->ranks[word] = (uint32_t)i;
    if (is_inner && x > 0 && x < scene->nx - 1 && is_plain(scene, x, y)) continue;
    link links[D2Q9] = { { 0 } };
    const int32_t flags = flags_of(scene, x, y, links);
    if (flags == 0) continue;
    if (fill) {
      out->bits[word] |= (uint32_t)1 << x % 32;
      out->mark_flags[i] = flags;
      for (size_t k = 1; out->links && k < D2Q9; k++)
        for (size_t j = 0; j < 4; j++)
          out->links[CHANNEL_LINK_REALS * i + 4 * (k - 1) + j] = links[k].factor[j];
    }
    i++;
  }
  return i - first;
}

/* The rows that a part marks. */
typedef struct made_rows {
  size_t first, count;
} made_rows;

/* Each part counts the marks of its own rows. */
static trm_status count_marks(trm_device *device, const channel_scene *scene, made_rows own,
                              channel_marks *out)
{
  const size_t ny = (size_t)scene->ny;
  out->starts = calloc(ny + 1, sizeof *out->starts);
  trm_status status = out->starts ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu rows", ny);
  for (size_t y = own.first; y < own.first + own.count && out->starts; y++)
    out->starts[y + 1] = mark_row(scene, (int)y, out, 0, 0);
  TRM_TRY(trm_device_complete_rows(device, status, out->starts + 1, ny, 1, sizeof *out->starts));
  for (size_t y = 0; y < ny; y++) out->starts[y + 1] += out->starts[y];
  out->count = out->starts[ny];
  return TRM_OK;
}

static trm_status make_room(const channel_scene *scene, channel_marks *out)
{
  const size_t words = ((size_t)scene->nx + 31) / 32 * (size_t)scene->ny;
  size_t reals;
  TRM_TRY(trm_size_mul(out->count, CHANNEL_LINK_REALS, "links of marked cells", &reals));
  out->bits = calloc(words, sizeof *out->bits);
  out->ranks = calloc(words, sizeof *out->ranks);
  out->mark_flags = calloc(out->count + 1, sizeof *out->mark_flags);
  if (!scene->is_geneva) out->links = calloc(reals + 1, sizeof *out->links);
  if (out->bits && out->ranks && out->mark_flags && (scene->is_geneva || out->links))
    return TRM_OK;
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells beside a boundary", out->count);
}

trm_status channel_marks_create(trm_device *device, const channel_scene *scene,
                                channel_marks *out)
{
  made_rows own;
  trm_device_made_rows(device, (size_t)scene->ny, 1, &own.first, &own.count);
  trm_status status = count_marks(device, scene, own, out);
  if (status == TRM_OK) status = make_room(scene, out);
  if (status != TRM_OK) channel_marks_free(out);
  for (size_t y = own.first; y < own.first + own.count && status == TRM_OK; y++)
    (void)mark_row(scene, (int)y, out, out->starts[y], 1);
  return status;
}

void channel_marks_free(channel_marks *marks)
{
  free(marks->starts);
  free(marks->bits);
  free(marks->ranks);
  free(marks->mark_flags);
  free(marks->links);
  *marks = (channel_marks){ 0 };
}
