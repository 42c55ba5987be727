/* channel_share.c - how the buffers of a flow between boundaries lie by rows. */
#include "solvers/lbm/channel/channel.h"

#include <stdlib.h>
#include <string.h>

/* Reals that are not rows of cells: `starts` has where those of each row begin, list by list. */
static trm_status share_list(const lbm_box *box, trm_buffer *buffer, size_t components,
                             size_t component, size_t lists, const size_t *starts)
{
  const trm_by_rows rows = { .type = box->real_type, .nx = 1, .ny = (size_t)box->ny, .nz = 1,
                             .components = components, .layout = { .component = component },
                             .is_output = 1, .lists = lists, .starts = starts };
  return trm_buffer_rows(buffer, &rows);
}

/* `starts` counts marked cells, which are numbered row by row; then it counts the reals of their
 * links. */
static trm_status share_links(const channel_solver *flow, size_t *starts)
{
  const size_t ny = (size_t)flow->box.ny;
  trm_by_rows rows = { .type = TRM_TYPE_I32, .nx = 1, .ny = ny, .nz = 1, .components = 1,
                       .lists = 1, .starts = starts };
  TRM_TRY(trm_buffer_rows(flow->mark_flags, &rows));
  if (!flow->links) return TRM_OK;
  for (size_t y = 0; y <= ny; y++) starts[y] *= CHANNEL_LINK_REALS;
  rows.type = flow->box.real_type;
  return trm_buffer_rows(flow->links, &rows);
}

/* A force for each marked cell. */
static trm_status share_marked(const channel_solver *flow, const channel_marks *marks,
                               size_t *starts)
{
  const lbm_box *box = &flow->box;
  memcpy(starts, marks->starts, ((size_t)box->ny + 1) * sizeof *starts);
  TRM_TRY(share_list(box, box->partial, 2 * (size_t)box->slots, marks->count, 1, starts));
  return marks->count ? share_links(flow, starts) : TRM_OK;
}

static trm_status share_cells(const channel_solver *flow)
{
  const lbm_box *box = &flow->box;
  const trm_by_rows rows = { .type = TRM_TYPE_I32, .nx = ((size_t)box->nx + 31) / 32,
                             .ny = (size_t)box->ny, .nz = 1, .components = 2,
                             .layout = flow->marks_layout };
  TRM_TRY(trm_buffer_rows(flow->marked, &rows));
  return lbm_share_walls(box);
}

/* A probe's three series belong to its row. The sums of forces, before them, are the first
 * device's. */
static trm_status share_window(const channel_solver *flow, const channel_scene *scene,
                               size_t *starts)
{
  const size_t rows = (size_t)flow->box.ny, length = (size_t)3 * CHANNEL_WINDOW;
  const size_t lists = scene->probe_count ? (size_t)scene->probe_count : 1;
  for (size_t i = 0; i < lists; i++) {
    const size_t begin = (flow->p.has_forces ? 2 : 0) * (size_t)CHANNEL_WINDOW + i * length;
    for (size_t y = 0; y <= rows && scene->probe_count; y++)
      starts[i * (rows + 1) + y] = begin + (y > (size_t)scene->probe[i][1] ? length : 0);
  }
  if (!scene->probe_count)
    for (size_t y = 0; y <= rows; y++) starts[y] = 0;
  return share_list(&flow->box, flow->box.window, 1, 0, lists, starts);
}

/* The eight kernels work between the two lattices, and have two more arrays like them. */
static trm_status share_arrays(const channel_solver *flow)
{
  const lbm_box *box = &flow->box;
  if (flow->is_across) return TRM_OK; /* these launches are over columns */
  /* A host reads only the eastern of the Geneva study's two columns beyond a row; it repeats the
   * row's last cell. */
  TRM_TRY(lbm_share_lattices(box, flow->is_geneva));
  if (!flow->is_split) return TRM_OK;
  TRM_TRY(lbm_share_lattice(box, flow->feq, flow->is_geneva));
  return lbm_share_lattice(box, flow->macro, flow->is_geneva);
}

trm_status channel_share_out(const channel_solver *flow, const channel_scene *scene,
                             const channel_marks *marks)
{
  const lbm_box *box = &flow->box;
  size_t *starts = calloc((CHANNEL_PROBES + 1) * ((size_t)box->ny + 1), sizeof *starts);
  if (!starts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the rows of a flow");
  trm_status status = share_marked(flow, marks, starts);
  if (status == TRM_OK) status = share_window(flow, scene, starts);
  free(starts);
  if (status == TRM_OK) status = share_cells(flow);
  return status == TRM_OK ? share_arrays(flow) : status;
}
