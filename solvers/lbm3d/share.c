/* share.c - declarations for several devices that share a flow by rows: its buffers by rows; and
 * the lists of cells and links beside boundaries, and of cells of probes. The lists are in parts of
 * planes. Each device has the parts of its own planes, and memory for these alone. */
#include "solvers/lbm3d/lbm3d.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists ----------------------------------------------------------------------- */

int lbm3d_has_gpu(const lbm3d_solver *flow)
{
  const trm_device *device = flow->base.device;
  const size_t count = trm_device_parts(device, 0, NULL);
  size_t hosts = 0, all = 0;
  if (count == 0) return !trm_device_describe(device)->is_host;
  return trm_framework_count_hosts(device, &hosts, &all) != TRM_OK || hosts < all;
}

int lbm3d_is_listed(const lbm3d_solver *flow) { return flow->is_stored || lbm3d_has_gpu(flow); }

static size_t rows_of(const lbm3d_solver *flow)
{
  return (size_t)flow->scene.n[1] * (size_t)flow->scene.n[2];
}

static size_t items_of(const lbm3d_solver *flow, int list)
{
  const size_t items[LBM3D_LISTS] = { flow->marks.count, flow->marks.link_count,
                                      flow->shear.count, flow->probes.cells };
  return items[list];
}

/* Probes have a list each, one behind the other. */
static size_t lists_of(const lbm3d_solver *flow, int list)
{
  return list == LBM3D_PROBED_CELLS ? flow->probes.count : 1;
}

/* Items of each row, to starts[row + 1]: those of the cells from `first` to `end` - 1. */
static void count_items(const lbm3d_solver *flow, int list, size_t first, size_t end,
                        size_t *starts)
{
  const lbm3d_marks *marks = &flow->marks;
  for (size_t i = first; i < end; i++) {
    const int32_t site = list == LBM3D_PROBED_CELLS ? flow->probes.list[2 * i]
                         : list == LBM3D_WALL_CELLS ? flow->shear.sites[3 * i] : marks->sites[i];
    starts[(size_t)site / (size_t)flow->scene.n[0] + 1] +=
      list == LBM3D_LINKS ? (size_t)marks->mark_entries[2 * i + 1] & 255 : 1;
  }
}

/* starts[row + 1]: the items of a row that the part made; then those before the next row, from
 * `first` on. */
static trm_status add_up(const lbm3d_solver *flow, trm_status status, size_t first, size_t *starts)
{
  const size_t rows = rows_of(flow), ny = (size_t)flow->scene.n[1];
  const size_t block = ny * (size_t)flow->scene.block;
  TRM_TRY(trm_device_complete_rows(flow->scene.device, status, starts + 1, rows, block,
                                   sizeof *starts));
  starts[0] = first;
  for (size_t row = 0; row < rows; row++) starts[row + 1] += starts[row];
  return TRM_OK;
}

/* As trm_by_rows.starts. */
static trm_status find_starts(const lbm3d_solver *flow, int list, size_t **out)
{
  const size_t rows = rows_of(flow), lists = lists_of(flow, list);
  size_t *starts = calloc(lists * (rows + 1), sizeof *starts);
  trm_status status = starts ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu rows", rows);
  for (size_t i = 0; i < lists; i++) {
    const lbm3d_probe *probe = &flow->probes.all[i];
    const size_t first = list == LBM3D_PROBED_CELLS ? probe->first : 0;
    const size_t *own = list == LBM3D_PROBED_CELLS ? probe->own
                        : list == LBM3D_WALL_CELLS ? flow->shear.own : flow->marks.own;
    size_t *one = starts ? starts + i * (rows + 1) : NULL;
    if (status == TRM_OK) count_items(flow, list, first + own[0], first + own[1], one);
    status = add_up(flow, status, first, one);
    if (status != TRM_OK) break; /* so it is on all parts */
  }
  if (status == TRM_OK) *out = starts;
  else free(starts);
  return status;
}

/* ---- lists in parts -------------------------------------------------------------- */

/* Parts of at most out->width items, none of two planes or two lists. NULL words: counts them. */
static void cut(const lbm3d_solver *flow, const size_t *starts, size_t lists, lbm3d_spans *out)
{
  const size_t ny = (size_t)flow->scene.n[1], rows = rows_of(flow);
  size_t count = 0, z = 0;
  for (; z < (size_t)flow->scene.n[2]; z++) {
    out->parts[z] = count;
    for (size_t i = 0; i < lists; i++) {
      const size_t *plane = starts + i * (rows + 1) + z * ny, last = plane[ny];
      for (size_t first = plane[0]; first < last; first += out->width, count++) {
        if (!out->words) continue;
        out->words[2 * count] = (int32_t)first;
        out->words[2 * count + 1] = (int32_t)(first + out->width < last ? first + out->width
                                                                        : last);
      }
    }
  }
  out->parts[z] = out->count = count;
}

static trm_status make_parts(const lbm3d_solver *flow, int list, size_t *starts, lbm3d_spans *out)
{
  enum { WIDTH = 1024, MOST = 1 << 15 };
  const size_t lists = lists_of(flow, list);
  out->width = WIDTH;
  while (items_of(flow, list) / out->width > MOST) out->width *= 2;
  out->parts = calloc((size_t)flow->scene.n[2] + 1, sizeof *out->parts);
  if (out->parts) {
    cut(flow, starts, lists, out);
    out->words = malloc((2 * out->count + 1) * sizeof *out->words);
  }
  if (out->words) cut(flow, starts, lists, out);
  free(starts);
  return out->words ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for parts of a list");
}

/* On one device the list is one part. A launch has 2^16 rows at most on some. */
static trm_status make_spans(const lbm3d_solver *flow, int list, lbm3d_spans *out)
{
  const size_t all = items_of(flow, list);
  size_t *starts = NULL;
  if (all == 0) return TRM_OK;
  if (trm_device_parts(flow->base.device, 0, NULL) > 0) {
    TRM_TRY(find_starts(flow, list, &starts));
    return make_parts(flow, list, starts, out);
  }
  out->width = all;
  out->count = 1;
  out->words = calloc(2, sizeof *out->words);
  if (!out->words) return TRM_FAIL(NO_HOST_MEMORY, "no memory for parts of a list");
  out->words[1] = (int32_t)all;
  return TRM_OK;
}

trm_status lbm3d_spans_create(lbm3d_solver *flow)
{
  const int first = flow->marks.link_count > 0 && lbm3d_is_listed(flow) ? 0 : LBM3D_WALL_CELLS;
  for (int i = first; i < LBM3D_LISTS; i++) TRM_TRY(make_spans(flow, i, &flow->spans[i]));
  return TRM_OK;
}

void lbm3d_spans_free(lbm3d_spans *spans)
{
  free(spans->words);
  free(spans->parts);
  *spans = (lbm3d_spans){ 0 };
}

trm_status lbm3d_launch_list(lbm3d_solver *flow, int kernel, int list, trm_sharing how,
                             trm_buffer *const *buffers, size_t count)
{
  const lbm3d_spans *spans = &flow->spans[list];
  const trm_extent items = { (int)spans->width, (int)spans->count, 1, 0 };
  how.each = 2;
  how.counts = (uint32_t)count;
  return lbm3d_launch_shared(flow, kernel, items, &how, buffers, count);
}

/* ---- buffers by rows --------------------------------------------------------------- */

/* The places of a patch in each row that the part made: they lie in the order of their cells. */
static void count_places(const lbm3d_solver *flow, const lbm3d_patch *patch, size_t *starts)
{
  const lbm3d_marks *marks = &flow->marks;
  for (size_t cell = marks->own[0]; cell < marks->own[1]; cell++) {
    const size_t row = (size_t)marks->sites[cell] / (size_t)flow->scene.n[0];
    const int first = marks->mark_entries[2 * cell];
    const int count = marks->mark_entries[2 * cell + 1] & 255;
    for (int link = first; link < first + count; link++) {
      const int32_t place = marks->ways[2 * link + 1];
      const int is_first = (marks->ways[2 * link] & WAY_FIRST) != 0;
      if (is_first && place >= 0 && (size_t)place - patch->first < patch->count) starts[row + 1]++;
    }
  }
}

static trm_status share_part(const lbm3d_solver *flow)
{
  const size_t rows = (size_t)flow->scene.n[1] * (size_t)flow->scene.n[2];
  const size_t lists = flow->marks.patch_count, places = flow->marks.place_count;
  size_t *starts = calloc((lists + 1) * (rows + 1), sizeof *starts);
  trm_status status = starts ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for rows of forces");
  for (size_t i = 0; i < lists && status == TRM_OK; i++) {
    const lbm3d_patch *patch = &flow->marks.patches[i];
    count_places(flow, patch, starts + i * (rows + 1));
    status = add_up(flow, status, patch->first, starts + i * (rows + 1));
  }
  const trm_by_rows by_rows = { .type = flow->real_type, .nx = 1, .ny = (size_t)flow->scene.n[1],
                                .nz = (size_t)flow->scene.n[2],
                                .components = flow->slots * (places ? flow->marks.values : 1),
                                .layout = { .component = places }, .is_output = 1,
                                .lists = lists ? lists : 1, .starts = starts,
                                .block = lbm3d_planes(flow) };
  if (status == TRM_OK) status = trm_buffer_rows(flow->part, &by_rows);
  free(starts);
  return status;
}

/* Whether no value that counts is read across the sides at bottom and top, so that their planes are
 * not fetched from one end to the other. Links correct the populations that a fluid cell pulls from
 * beyond them. On a host, a solid cell pulls too. In place, what leaves through a side lies at the
 * other end. */
static int is_bounded(const lbm3d_solver *flow)
{
  const lbm3d_scene *scene = &flow->scene;
  if (scene->sides[4].kind == SIDE_PERIODIC || flow->in_place) return 0;
  return !scene->is_end_solid[0] && !scene->is_end_solid[1];
}

/* A plane's parts are those of its first row. */
static trm_status share_spans(const lbm3d_solver *flow, int list)
{
  const size_t ny = (size_t)flow->scene.n[1], nz = (size_t)flow->scene.n[2];
  if (flow->spans[list].count == 0) return TRM_OK;
  size_t *starts = calloc(ny * nz + 1, sizeof *starts);
  if (!starts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the rows of parts");
  for (size_t row = 1; row <= ny * nz; row++)
    starts[row] = 2 * flow->spans[list].parts[(row + ny - 1) / ny];
  const trm_by_rows by_rows = { .type = TRM_TYPE_I32, .nx = 1, .ny = ny, .nz = nz,
                                .components = 1, .lists = 1, .starts = starts,
                                .block = lbm3d_planes(flow) };
  const trm_status status = trm_buffer_rows(flow->parts[list], &by_rows);
  free(starts);
  return status;
}

/* A buffer with `each` values of each item. */
typedef struct listed {
  trm_buffer *buffer;
  trm_type type;
  size_t each, components;
  int is_output;
} listed;

static trm_status share_listed(const lbm3d_solver *flow, int list, const size_t *starts,
                               const listed *one, size_t *room)
{
  const size_t lists = lists_of(flow, list), count = lists * (rows_of(flow) + 1);
  if (!one->buffer) return TRM_OK;
  for (size_t i = 0; i < count; i++) room[i] = one->each * starts[i];
  const trm_by_rows by_rows = { .type = one->type, .nx = 1, .ny = (size_t)flow->scene.n[1],
                                .nz = (size_t)flow->scene.n[2],
                                .components = one->components,
                                .layout = { .component = items_of(flow, list) },
                                .is_output = one->is_output, .lists = lists, .starts = room,
                                .block = lbm3d_planes(flow),
                                .is_bounded = is_bounded(flow) };
  return trm_buffer_rows(one->buffer, &by_rows);
}

/* Each device has what belongs to its own rows. The populations that came through links stay in
 * whole: they never leave their device, so that nothing says which of them are fresh. */
static trm_status share_list(const lbm3d_solver *flow, int list)
{
  enum { MOST = 2 };
  const trm_type real_type = flow->real_type, word = TRM_TYPE_I32;
  const listed all[LBM3D_LISTS][MOST] = {
    { { flow->mark_entries, word, 2, 1, 0 } },
    { { flow->ways, word, 2, 1, 0 }, { flow->links, real_type, 4, 1, 0 } },
    { { flow->shear_sites, word, 3, 1, 0 }, { flow->shear_parts, real_type, 5, 1, 0 } },
    { { flow->probe_cells, word, 2, 1, 0 },
      { flow->probed, real_type, 1, flow->slots * LBM3D_PROBED, 1 } } };
  size_t *starts = NULL, *room;
  if (items_of(flow, list) == 0) return TRM_OK;
  TRM_TRY(find_starts(flow, list, &starts));
  room = calloc(lists_of(flow, list) * (rows_of(flow) + 1), sizeof *room);
  trm_status status = room ? share_spans(flow, list)
                      : TRM_FAIL(NO_HOST_MEMORY, "no memory for the rows of a list");
  for (int i = 0; i < MOST && status == TRM_OK; i++)
    status = share_listed(flow, list, starts, &all[list][i], room);
  free(room);
  free(starts);
  return status;
}

/* The sites of marked cells, then the sites of links. */
static trm_status share_sites(const lbm3d_solver *flow)
{
  const size_t rows = rows_of(flow);
  size_t *of[] = { NULL, NULL }, *starts = calloc(2 * (rows + 1), sizeof *starts);
  trm_status status = starts ? find_starts(flow, LBM3D_MARKS, &of[0])
                      : TRM_FAIL(NO_HOST_MEMORY, "no memory for the rows of a list");
  if (status == TRM_OK) status = find_starts(flow, LBM3D_LINKS, &of[1]);
  for (size_t i = 0; i <= rows && status == TRM_OK; i++) {
    starts[i] = of[0][i];
    starts[rows + 1 + i] = flow->marks.count + of[1][i];
  }
  const trm_by_rows by_rows = { .type = TRM_TYPE_I32, .nx = 1, .ny = (size_t)flow->scene.n[1],
                                .nz = (size_t)flow->scene.n[2], .components = 1, .lists = 2,
                                .starts = starts, .is_bounded = is_bounded(flow) };
  if (status == TRM_OK) status = trm_buffer_rows(flow->sites, &by_rows);
  free(of[0]);
  free(of[1]);
  free(starts);
  return status;
}

/* Bits of rows: walls, their ranks, solid cells. */
static trm_status share_marks(const lbm3d_solver *flow)
{
  const size_t nx = (size_t)flow->scene.n[0], ny = (size_t)flow->scene.n[1];
  trm_by_rows rows = { .type = TRM_TYPE_I32, .nx = (nx + 31) / 32, .ny = ny,
                       .nz = (size_t)flow->scene.n[2], .components = 3,
                       .layout = flow->marks_layout, .is_bounded = is_bounded(flow) };
  if (flow->marked) TRM_TRY(trm_buffer_rows(flow->marked, &rows));
  rows.type = TRM_TYPE_U8;
  rows.nx = nx;
  rows.components = 1;
  rows.layout = flow->solid_layout;
  return flow->solid ? trm_buffer_rows(flow->solid, &rows) : TRM_OK;
}

/* Of moments a leaf is of 16 planes. */
static trm_status share_leaves(const lbm3d_solver *flow, trm_buffer *buffer)
{
  const int *n = flow->scene.n;
  return flow->is_moments
           ? lbm3d_moments_share_leaves(flow, buffer)
           : trm_framework_leaves_by_rows(buffer, flow->real_type, n[0], n[1], n[2], flow->slots);
}

/* Of stored populations each device shows its own rows. */
static trm_status share_shown(const lbm3d_solver *flow)
{
  const int *n = flow->scene.n;
  const trm_by_rows rows = { .type = flow->real_type, .nx = (size_t)n[0], .ny = (size_t)n[1],
                             .nz = (size_t)n[2], .components = 1, .layout = flow->shown_layout,
                             .is_bounded = is_bounded(flow) };
  return flow->shown ? trm_buffer_rows(flow->shown, &rows) : TRM_OK;
}

/* Planes of which devices have all or none. */
size_t lbm3d_planes(const lbm3d_solver *flow)
{
  return flow->is_moments ? (size_t)flow->moments.p.depth : 1;
}

trm_status lbm3d_share_out(const lbm3d_solver *flow)
{
  const int *n = flow->scene.n;
  trm_by_rows rows = { .type = flow->real_type, .nx = (size_t)n[0], .ny = (size_t)n[1],
                       .nz = (size_t)n[2],
                       .components = (size_t)(flow->is_moments ? LBM3D_MOMENTS
                                                               : flow->scene.velocities),
                       .layout = flow->layout, .is_bounded = is_bounded(flow),
                       .block = lbm3d_planes(flow) };
  if (flow->is_16) { /* pairs of bytes */
    rows.type = TRM_TYPE_U8;
    rows.nx *= 2;
    rows.layout.first *= 2;
    rows.layout.row *= 2;
    rows.layout.component *= 2;
  }
  if (trm_device_parts(flow->base.device, 0, NULL) == 0 || n[2] == 1) return TRM_OK;
  for (int i = 0; i < 2 - flow->in_place; i++) TRM_TRY(trm_buffer_rows(flow->lattice[i], &rows));
  TRM_TRY(share_shown(flow));
  TRM_TRY(share_leaves(flow, flow->energies));
  TRM_TRY(share_leaves(flow, flow->changes));
  TRM_TRY(lbm3d_means_share(flow));
  TRM_TRY(share_marks(flow));
  for (int i = 0; i < LBM3D_LISTS; i++) TRM_TRY(share_list(flow, i));
  if (flow->sites) TRM_TRY(share_sites(flow));
  return share_part(flow);
}
