/* share.c - the solver on several devices: how its buffers are cut, and the gauges. */
#include "solvers/shallow/shallow.h"

#include <stdlib.h>

enum { REACH = 2 };            /* rows that a block reads of those beside it */

int shallow_is_shared(const shallow_solver *swe)
{
  return trm_device_parts(swe->base.device, 0, NULL) > 0;
}

/* No kernel reads rows beside a row that it writes, in the same launch. */
static trm_by_rows by_rows(const shallow_solver *swe, trm_type type, size_t components,
                           const trm_layout *layout)
{
  return (trm_by_rows){ .type = type, .nx = (size_t)swe->p.nx, .ny = (size_t)swe->p.ny, .nz = 1,
                        .components = components, .layout = *layout, .is_output = 1,
                        .block = (size_t)swe->p.rows, .reach = REACH, .is_bounded = 1 };
}

/* each: values of a row, as leaves are for 32 cells. */
static trm_status share_values(const shallow_solver *swe, trm_buffer *buffer, size_t each,
                               size_t rows, size_t block, size_t slots)
{
  const trm_layout layout = { .row = each, .component = each * rows };
  trm_by_rows leaves = by_rows(swe, swe->real_type, slots, &layout);
  leaves.nx = each;
  leaves.ny = rows;
  leaves.block = block;
  return trm_buffer_rows(buffer, &leaves);
}

/* ---- hosts and GPUs together ------------------------------------------------- */

trm_status shallow_find_kinds(shallow_solver *swe)
{
  size_t hosts, all;
  TRM_TRY(trm_framework_count_hosts(swe->base.device, &hosts, &all));
  swe->is_mixed = hosts > 0 && hosts < all;
  return TRM_OK;
}

/* Ghost columns of a state are no copies of cells, so they move with the row, as cells would. */
static trm_by_rows state_rows(const shallow_solver *swe)
{
  trm_layout layout = swe->layout;
  const size_t ghosts = swe->is_mixed ? layout.ghosts : 0;
  layout.first -= ghosts;
  layout.ghosts -= ghosts;
  trm_by_rows rows = by_rows(swe, swe->real_type, 4, &layout);
  rows.nx += 2 * ghosts;
  return rows;
}

/* Of HLLC's bed ghost columns are no copies of cells either; rows beyond the edges all devices
 * have. */
static trm_by_rows bed_rows(const shallow_solver *swe)
{
  const int is_hllc = swe->p.scheme == SHALLOW_HLLC;
  const size_t beyond = is_hllc ? SHALLOW_BEYOND : 0;
  trm_layout layout = swe->bed_layout;
  layout.first -= beyond;
  layout.ghosts = 0;
  trm_by_rows rows = by_rows(swe, swe->real_type, is_hllc ? 1 : 3, &layout);
  rows.nx += 2 * beyond;
  return rows;
}

trm_status shallow_launch_ghosts(shallow_solver *swe, int which, int time)
{
  if (!swe->is_mixed) return TRM_OK;
  swe->p.ghost_time = time;
  return SHALLOW_LAUNCH(swe, GHOSTS, 4, swe->p.ny, swe->state[which], swe->bed, swe->clock);
}

/* ---- gauges ---------------------------------------------------------------- */

/* The place of gauge i in the order of rows. */
static size_t place_of(const shallow_solver *swe, int i)
{
  size_t before = 0;
  for (int j = 0; j < swe->p.gauges; j++) {
    const int rows = swe->gauges[j].y - swe->gauges[i].y;
    before += rows < 0 || (rows == 0 && j < i);
  }
  return before;
}

static trm_status write_gauges(const shallow_solver *swe)
{
  int32_t cells[2 * SHALLOW_GAUGES], places[2 * SHALLOW_GAUGES];
  double beds[SHALLOW_GAUGES];
  const size_t bytes = 2 * (size_t)swe->p.gauges * sizeof cells[0];
  for (int i = 0; i < swe->p.gauges; i++) {
    const size_t x = (size_t)swe->gauges[i].x, y = (size_t)swe->gauges[i].y;
    const size_t at = place_of(swe, i);
    cells[2 * i] = cells[2 * i + 1] = (int32_t)at;
    beds[at] = swe->gauges[i].z;
    places[2 * at] = (int32_t)y;
    places[2 * at + 1] = (int32_t)(swe->layout.first + y * swe->layout.row + x);
  }
  TRM_TRY(trm_framework_write_reals(swe->gauge_beds, swe->real_type, 0, beds,
                                    (size_t)swe->p.gauges));
  TRM_TRY(trm_buffer_write(swe->gauge_cells, 0, bytes, cells));
  return trm_buffer_write(swe->gauge_places, 0, bytes, places);
}

static trm_status share_gauges(const shallow_solver *swe)
{
  const size_t rows = (size_t)swe->p.ny;
  const trm_layout layout = { 0 };
  trm_by_rows depths = by_rows(swe, swe->real_type, 1, &layout);
  if (swe->p.gauges == 0) return TRM_OK;
  size_t *starts = calloc(rows + 1, sizeof *starts);
  if (!starts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the rows of gauges");
  for (int i = 0; i < swe->p.gauges; i++) starts[swe->gauges[i].y + 1]++;
  for (size_t y = 0; y < rows; y++) starts[y + 1] += starts[y];
  depths.nx = 1;
  depths.lists = 1;
  depths.starts = starts;
  trm_status status = trm_buffer_rows(swe->gauge_depths, &depths);
  free(starts);
  if (status == TRM_OK) status = write_gauges(swe);
  return status;
}

trm_status shallow_launch_gauges(shallow_solver *swe)
{
  if (swe->p.gauges == 0) return TRM_OK;
  return SHALLOW_LAUNCH(swe, GAUGE, swe->p.gauges, swe->p.ny, swe->state[swe->current],
                        swe->gauge_places, swe->gauge_depths);
}

/* ---- the cut ---------------------------------------------------------------- */

trm_status shallow_share_out(const shallow_solver *swe)
{
  const size_t nx = (size_t)swe->p.nx, ny = (size_t)swe->p.ny, block = (size_t)swe->p.rows;
  const size_t width = (size_t)shallow_width(swe), blocks = (size_t)shallow_blocks(swe);
  const trm_by_rows land = by_rows(swe, TRM_TYPE_U8, 1, &swe->land_layout);
  const trm_by_rows maps = by_rows(swe, swe->real_type, 4, &swe->layout);
  const trm_by_rows state = state_rows(swe), bed = bed_rows(swe);
  const int is_blocked = swe->p.every > 1;
  if (!shallow_is_shared(swe)) return TRM_OK;
  TRM_TRY(share_gauges(swe));
  TRM_TRY(share_values(swe, swe->start_part, (nx + 31) / 32, ny, block, 1));
  if (is_blocked)
    TRM_TRY(share_values(swe, swe->part, (nx + 31) / 32, ny, block, (size_t)swe->p.every));
  else {
    TRM_TRY(share_values(swe, swe->part, (width + 31) / 32, blocks, 0, 1));
    TRM_TRY(share_values(swe, swe->peaks, shallow_chunks(swe), blocks, 0, 1));
  }
  TRM_TRY(trm_buffer_rows(swe->land, &land));
  TRM_TRY(trm_buffer_rows(swe->bed, &bed));
  if (swe->p.scheme == SHALLOW_HLLC) TRM_TRY(shallow_share_book(swe));
  if (swe->has_maps) TRM_TRY(trm_buffer_rows(swe->maps, &maps));
  if (is_blocked) TRM_TRY(trm_buffer_rows(swe->begin_state, &state));
  for (int i = 0; i < 2; i++) TRM_TRY(trm_buffer_rows(swe->state[i], &state));
  return TRM_OK;
}
