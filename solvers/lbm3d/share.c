/* share.c - declarations for several devices that share a flow by rows: its buffers by rows; and
 * the lists of cells and links beside boundaries. The lists are in parts of planes, and each device
 * has the parts of its own planes. */
#include "solvers/lbm3d/lbm3d.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists in parts -------------------------------------------------------------- */

int lbm3d_has_gpu(const lbm3d_solver *flow)
{
  const trm_device *device = flow->base.device;
  const size_t count = trm_device_parts(device, 0, NULL);
  size_t hosts = 0, all = 0;
  if (count == 0) return !trm_device_describe(device)->is_host;
  return trm_framework_count_hosts(device, &hosts, &all) != TRM_OK || hosts < all;
}

int lbm3d_is_listed(const lbm3d_solver *flow) { return flow->is_stored || lbm3d_has_gpu(flow); }

/* Items of each plane, to ends[z + 1]. */
static void count_planes(const lbm3d_solver *flow, int of_links, size_t *ends)
{
  const lbm3d_marks *marks = &flow->marks;
  const size_t plane = (size_t)flow->scene.n[0] * (size_t)flow->scene.n[1];
  for (size_t i = 0; i < marks->count; i++)
    ends[(size_t)marks->sites[i] / plane + 1] +=
      of_links ? (size_t)marks->mark_entries[2 * i + 1] & 255 : 1;
  for (int z = 0; z < flow->scene.n[2]; z++) ends[z + 1] += ends[z];
}

/* Parts of at most `width` items, none of two planes; parts[z]: the first of plane z. NULL words:
 * counts them. */
static size_t cut(const lbm3d_solver *flow, const size_t *ends, size_t width, int32_t *words,
                  size_t *parts)
{
  size_t count = 0;
  for (int z = 0; z < flow->scene.n[2]; z++) {
    parts[z] = count;
    for (size_t first = ends[z]; first < ends[z + 1]; first += width, count++) {
      const size_t end = first + width < ends[z + 1] ? first + width : ends[z + 1];
      if (!words) continue;
      words[2 * count] = (int32_t)first;
      words[2 * count + 1] = (int32_t)end;
    }
  }
  parts[flow->scene.n[2]] = count;
  return count;
}

/* On one device the list is one part. A launch has 2^16 rows at most on some. */
static trm_status make_spans(const lbm3d_solver *flow, int of_links, lbm3d_spans *out)
{
  enum { WIDTH = 1024, MOST = 1 << 15 };
  const size_t planes = (size_t)flow->scene.n[2];
  const size_t all = of_links ? flow->marks.link_count : flow->marks.count;
  const int is_shared = trm_device_parts(flow->base.device, 0, NULL) > 0 && planes > 1;
  size_t *ends = calloc(planes + 1, sizeof *ends);
  out->parts = calloc(planes + 1, sizeof *out->parts);
  out->width = is_shared ? WIDTH : all;
  while (all / out->width > MOST) out->width *= 2;
  if (ends && out->parts) {
    if (is_shared) count_planes(flow, of_links, ends);
    else ends[planes] = all;
    out->count = cut(flow, ends, out->width, NULL, out->parts);
    out->words = malloc((2 * out->count + 1) * sizeof *out->words);
  }
  if (out->words) (void)cut(flow, ends, out->width, out->words, out->parts);
  free(ends);
  return out->words ? TRM_OK
         : TRM_FAIL(NO_HOST_MEMORY, "no memory for parts of %zu cells beside a boundary", all);
}

trm_status lbm3d_spans_create(lbm3d_solver *flow)
{
  if (flow->marks.link_count == 0 || !lbm3d_is_listed(flow)) return TRM_OK;
  TRM_TRY(make_spans(flow, 0, &flow->mark_spans));
  return make_spans(flow, 1, &flow->link_spans);
}

void lbm3d_spans_free(lbm3d_spans *spans)
{
  free(spans->words);
  free(spans->parts);
  *spans = (lbm3d_spans){ 0 };
}

/* ---- buffers by rows --------------------------------------------------------------- */

/* The row of a place: places of a patch lie in the order of their cells. */
static void count_places(const lbm3d_solver *flow, size_t *starts)
{
  const lbm3d_marks *marks = &flow->marks;
  const size_t rows = (size_t)flow->scene.n[1] * (size_t)flow->scene.n[2];
  for (size_t i = 0; i < marks->patch_count; i++) {
    const lbm3d_patch *patch = &marks->patches[i];
    size_t *list = starts + i * (rows + 1);
    for (size_t cell = 0; cell < marks->count; cell++) {
      const size_t row = (size_t)marks->sites[cell] / (size_t)flow->scene.n[0];
      const int first = marks->mark_entries[2 * cell];
      const int count = marks->mark_entries[2 * cell + 1] & 255;
      for (int link = first; link < first + count; link++) {
        const int32_t place = marks->ways[2 * link + 1];
        const int is_first = (marks->ways[2 * link] & WAY_FIRST) != 0;
        if (is_first && place >= 0 && (size_t)place - patch->first < patch->count) list[row + 1]++;
      }
    }
    list[0] = patch->first;
    for (size_t row = 0; row < rows; row++) list[row + 1] += list[row];
  }
}

static trm_status share_part(const lbm3d_solver *flow)
{
  const size_t rows = (size_t)flow->scene.n[1] * (size_t)flow->scene.n[2];
  const size_t lists = flow->marks.patch_count, places = flow->marks.place_count;
  size_t *starts = calloc((lists + 1) * (rows + 1), sizeof *starts);
  if (!starts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the rows of forces");
  count_places(flow, starts);
  const trm_by_rows by_rows = { .type = flow->real_type, .nx = 1, .ny = (size_t)flow->scene.n[1],
                                .nz = (size_t)flow->scene.n[2],
                                .components = flow->slots * (places ? flow->marks.values : 1),
                                .layout = { .component = places }, .is_output = 1,
                                .lists = lists ? lists : 1, .starts = starts,
                                .block = lbm3d_planes(flow) };
  const trm_status status = trm_buffer_rows(flow->part, &by_rows);
  free(starts);
  return status;
}

/* A plane's parts are those of its first row. */
static trm_status share_spans(const lbm3d_solver *flow, trm_buffer *buffer,
                              const lbm3d_spans *spans)
{
  const size_t ny = (size_t)flow->scene.n[1], nz = (size_t)flow->scene.n[2];
  size_t *starts = calloc(ny * nz + 1, sizeof *starts);
  if (!starts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the rows of parts");
  for (size_t row = 1; row <= ny * nz; row++)
    starts[row] = 2 * spans->parts[(row + ny - 1) / ny];
  const trm_by_rows by_rows = { .type = TRM_TYPE_I32, .nx = 1, .ny = ny, .nz = nz,
                                .components = 1, .lists = 1, .starts = starts };
  const trm_status status = trm_buffer_rows(buffer, &by_rows);
  free(starts);
  return status;
}

/* Whether no value that counts is read across the sides at bottom and top, so that their planes are
 * not fetched from one end to the other. Links correct the populations that a fluid cell pulls from
 * beyond them. On a host, a solid cell pulls too. */
static int is_bounded(const lbm3d_scene *scene)
{
  const size_t plane = (size_t)scene->n[0] * (size_t)scene->n[1];
  const size_t last = plane * ((size_t)scene->n[2] - 1);
  if (scene->sides[4].kind == SIDE_PERIODIC) return 0;
  return !scene->solid || (!memchr(scene->solid, 1, plane) &&
                           !memchr(scene->solid + last, 1, plane));
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
                             .is_bounded = is_bounded(&flow->scene) };
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
                       .layout = flow->layout, .is_bounded = is_bounded(&flow->scene),
                       .block = lbm3d_planes(flow) };
  if (flow->is_16) { /* pairs of bytes */
    rows.type = TRM_TYPE_U8;
    rows.nx *= 2;
    rows.layout.first *= 2;
    rows.layout.row *= 2;
    rows.layout.component *= 2;
  }
  if (trm_device_parts(flow->base.device, 0, NULL) == 0 || n[2] == 1) return TRM_OK;
  for (int i = 0; i < 2; i++) TRM_TRY(trm_buffer_rows(flow->lattice[i], &rows));
  TRM_TRY(share_shown(flow));
  TRM_TRY(share_leaves(flow, flow->energies));
  TRM_TRY(share_leaves(flow, flow->changes));
  TRM_TRY(lbm3d_means_share(flow));
  if (flow->sites) {
    TRM_TRY(share_spans(flow, flow->mark_parts, &flow->mark_spans));
    TRM_TRY(share_spans(flow, flow->link_parts, &flow->link_spans));
  }
  return share_part(flow);
}
