/* geometry_launch.c - the kernels of fv_geometry.k and the order in which they make a step's lists
 * (geometry.h). */
#include "solvers/compressible/cutcells/geometry_parts.h"

#include <string.h>

extern const char trm_text_fv_geometry[];
TRM_DECLARE_MODULES(fv_geometry);
static const trm_program_source source = {
  "fv_geometry", "solvers/compressible/kernels/fv_geometry.k", trm_text_fv_geometry,
  TRM_MODULES(fv_geometry) };

enum { SAMPLE, CORNERS, KINDS, SCAN, CHUNKS, CELLS, CUT, CLAIMS, OWNERS, CHOICES, CHOOSE, LEADS,
       MASTERS, LINK, CHAIN, CHAINED, WEIGH, BESIDE, CLOSE, UNITS, SIGHTS, OTHERS, BLOCKS, FACES,
       JOINS, WALLS, ORDERS, TURNS, COVERED, OWN, ASK, FILL, REST, CALLED, SETTLE, LEVEL, COUNT,
       ENTRIES, GIFTS, SHARE, HOLD, PACES, ROUND, RENUMBER, KERNELS };

static const char *const names[KERNELS + 1] = {
  "fv_geometry_sample", "fv_geometry_corners", "fv_geometry_kinds", "fv_geometry_scan",
  "fv_geometry_chunks", "fv_geometry_cells", "fv_geometry_cut", "fv_geometry_claims",
  "fv_geometry_owners", "fv_geometry_choices", "fv_geometry_choose", "fv_geometry_leads",
  "fv_geometry_masters", "fv_geometry_link", "fv_geometry_chain", "fv_geometry_chained",
  "fv_geometry_weigh", "fv_geometry_beside", "fv_geometry_close", "fv_geometry_units",
  "fv_geometry_sights", "fv_geometry_others", "fv_geometry_blocks", "fv_geometry_faces",
  "fv_geometry_joins", "fv_geometry_walls", "fv_geometry_orders", "fv_geometry_turns",
  "fv_geometry_covered", "fv_geometry_own", "fv_geometry_ask", "fv_geometry_fill",
  "fv_geometry_rest", "fv_geometry_called", "fv_geometry_settle", "fv_geometry_level",
  "fv_geometry_count", "fv_geometry_entries", "fv_geometry_gifts", "fv_geometry_share",
  "fv_geometry_hold", "fv_geometry_paces", "fv_geometry_round", "fv_geometry_renumber", NULL };

trm_status fv_build_geometry(fv_solver *fv, const trm_solver_options *run)
{
  const trm_framework_recipe recipe = { &source, fv->n[2] == 1 ? "flat" : NULL,
                                  "fv_geometry_params", sizeof(fv_geometry_params), names };
  trm_solver_options how = *run;
  if (!fv->geometry.is_on) return TRM_OK;
  how.precision = TRM_F64;
  how.math = TRM_STRICT;
  if (run->group == 0 && !trm_device_describe(fv->base.device)->is_host)
    how.group = FV_CUT_GROUP;
  TRM_TRY(trm_framework_program_create(fv->base.device, &recipe, &how, &fv->geometry.program));
  TRM_TRY(fv_find_leaves(fv, &fv->geometry.leaves));
  fv->geometry.grid = fv->blocks.version + 1;
  return fv_make_arrays(fv);
}

/* Reals that are made in double precision, and their buffers. */
enum { SIZES, VOLUMES, RATES, CENTRES, PARTS, OFFS, HELD, PLACES };

#define LAUNCH(kernel, groups, ...) \
  TRM_TRY(TRM_FRAMEWORK_LAUNCH(&g->program, kernel, groups, 1, &g->p, __VA_ARGS__))

static trm_buffer *real_list(const fv_solver *fv, int number)
{
  trm_buffer *const own[FV_ROUNDINGS] = { fv->walls.sizes, fv->walls.volumes, fv->walls.dt_ratios,
    fv->walls.centres, fv->walls.parts, fv->walls.offs, fv->walls.held, fv->walls.places };
  return fv->real_type == TRM_TYPE_F64 ? own[number] : fv->geometry.exact[number];
}

static int leaf_parts(const fv_solver *fv) { return (int)(fv->block / FV_CUT_GROUP); }

/* Groups for so many parts of leaves: enough to keep a device busy, and not many more, since to
 * begin a group takes time too. */
static int share_out(fv_geometry *g, int parts)
{
  enum { BUSY = 5000, MOST = 8 };
  const int each = (parts + BUSY - 1) / BUSY;
  g->p.each = each < 1 ? 1 : each > MOST ? MOST : each;
  return (parts + g->p.each - 1) / g->p.each;
}

/* Counts become numbers of the first, and totals: so many of parts of leaves (what -1) or of
 * groups, of which there are `items` at most. */
static trm_status scan(fv_geometry *g, int what, int items, int total, int columns)
{
  const int all[3] = { what, total, columns };
  memcpy(g->p.scan, all, sizeof all);
  LAUNCH(SCAN, fv_groups_of((size_t)items), g->ints);
  LAUNCH(CHUNKS, columns, g->ints);
  return TRM_OK;
}

/* Of so many parts of leaves and groups of units at once. */
static trm_status scan_both(fv_geometry *g, int parts, int units)
{
  const int all[6] = { -1, FV_TOTAL_OTHERS, 2, FV_TOTAL_UNITS, FV_TOTAL_FACES, 3 };
  memcpy(g->p.scan, all, sizeof all);
  LAUNCH(SCAN, fv_groups_of((size_t)parts) + fv_groups_of((size_t)units), g->ints);
  LAUNCH(CHUNKS, 5, g->ints);
  return TRM_OK;
}

static trm_status launch_records(fv_solver *fv)
{
  fv_geometry *g = &fv->geometry;
  trm_buffer *near = fv->near, *ints = g->ints, *reals = g->reals;
  const int parts = (int)g->leaves.nears * leaf_parts(fv), records = fv_groups_of(g->most_records);
  const int corners = (int)g->leaves.nears * fv_groups_of(fv_corners_of_leaf(fv));
  g->p.round = g->is_sampled;
  if (g->surfaces > 0)
    LAUNCH(SAMPLE, (int)g->surfaces * corners, g->bodies, ints, reals);
  g->is_sampled = 1;
  LAUNCH(CORNERS, share_out(g, corners), g->bodies, ints, reals);
  LAUNCH(KINDS, share_out(g, parts), ints, reals);
  TRM_TRY(scan(g, -1, parts, FV_TOTAL_CUTS, 1));
  LAUNCH(CELLS, share_out(g, parts), ints);
  LAUNCH(CUT, records, g->bodies, ints, reals);
  if (g->p.bodies > 1) {
    LAUNCH(CLAIMS, g->p.bodies * records, g->bodies, ints, reals);
    LAUNCH(OWNERS, records, g->bodies, ints, reals);
  }
  LAUNCH(CHOICES, records, near, ints, reals);
  for (g->p.round = 0; g->p.round < FV_CHOICES; g->p.round++)
    LAUNCH(CHOOSE, records, near, ints, reals);
  LAUNCH(LEADS, records, near, ints, reals);
  TRM_TRY(scan(g, FV_TOTAL_CUTS, records, FV_TOTAL_MASTERS, 1));
  LAUNCH(MASTERS, records, near, ints, reals);
  LAUNCH(LINK, records, near, ints, reals);
  for (g->p.round = 1; g->p.round <= FV_CHAIN_ROUNDS; g->p.round++)
    LAUNCH(CHAIN, records, near, ints, reals);
  LAUNCH(CHAINED, records, near, ints, reals);
  LAUNCH(WEIGH, records, near, ints, reals);
  return TRM_OK;
}

static trm_status launch_lists(fv_solver *fv)
{
  fv_geometry *g = &fv->geometry;
  trm_buffer *near = fv->near, *ints = g->ints, *reals = g->reals, *spots = fv->walls.cell_of_unit;
  trm_buffer *sizes = real_list(fv, SIZES);
  const int nears = (int)g->leaves.nears, parts = nears * leaf_parts(fv);
  const int all_parts = (nears + (int)g->leaves.solids) * leaf_parts(fv);
  const int records = fv_groups_of(g->most_records), units = fv_groups_of(g->most_units);
  const int sloped = fv_groups_of(g->most_sloped);
  LAUNCH(BESIDE, share_out(g, parts), near, ints, reals);
  LAUNCH(CLOSE, share_out(g, parts), near, ints, reals);
  TRM_TRY(scan(g, -1, parts, FV_TOTAL_UNITS, 1));
  LAUNCH(UNITS, share_out(g, parts), spots, ints);
  LAUNCH(SIGHTS, units, near, spots, ints, reals);
  LAUNCH(OTHERS, nears, near, ints, reals);
  TRM_TRY(scan_both(g, parts, units));
  LAUNCH(BLOCKS, share_out(g, all_parts), near, spots, fv->walls.numbers, fv->walls.marks,
         fv->walls.pieces, ints, reals);
  LAUNCH(FACES, units, near, spots, fv->walls.faces, sizes, ints, reals);
  LAUNCH(JOINS, units, near, spots, fv->walls.units, fv->walls.joins, real_list(fv, VOLUMES), ints,
         reals);
  LAUNCH(WALLS, records, g->bodies, near, fv->walls.faces, sizes, real_list(fv, PLACES),
         fv->walls.members, real_list(fv, CENTRES), ints, reals);
  LAUNCH(ORDERS, sloped > g->p.turn_groups ? sloped : g->p.turn_groups, g->bodies, near, spots,
         fv->walls.stencil_slots, fv->walls.renewed, ints, reals);
  TRM_TRY(scan(g, FV_TOTAL_SLOPED, sloped, FV_TOTAL_TURNS, FV_COUNTS));
  LAUNCH(TURNS, sloped, g->bodies, near, spots, fv->walls.stencil_slots, ints, reals);
  return TRM_OK;
}

static trm_status launch_heirs(fv_solver *fv)
{
  fv_geometry *g = &fv->geometry;
  trm_buffer *near = fv->near, *ints = g->ints, *reals = g->reals, *spots = fv->walls.cell_of_unit;
  trm_buffer *volumes = real_list(fv, VOLUMES), *parts = real_list(fv, PARTS);
  const int cells = (int)g->leaves.nears * leaf_parts(fv), units = fv_groups_of(g->most_units);
  const int all_cells = cells + (int)g->leaves.solids * leaf_parts(fv);
  LAUNCH(COVERED, share_out(g, cells), near, ints, reals);
  LAUNCH(OWN, units, g->bodies, near, spots, volumes, real_list(fv, SIZES), ints, reals);
  LAUNCH(ASK, units, near, spots, ints, reals);
  LAUNCH(FILL, units, near, spots, ints, reals);
  for (g->p.round = 0; g->p.round < FV_REST_ROUNDS; g->p.round++) {
    LAUNCH(REST, units, near, spots, ints, reals);
    LAUNCH(CALLED, units, near, spots, ints, reals);
    LAUNCH(SETTLE, units, near, spots, ints, reals);
  }
  LAUNCH(LEVEL, units, ints, reals);
  LAUNCH(COUNT, units, ints, reals);
  TRM_TRY(scan(g, FV_TOTAL_UNITS, units, FV_TOTAL_FROMS, 1));
  LAUNCH(ENTRIES, units, near, spots, fv->walls.firsts, fv->walls.froms, parts, ints, reals);
  LAUNCH(GIFTS, units, near, spots, fv->walls.froms, parts, ints, reals);
  LAUNCH(SHARE, units, near, fv->walls.firsts, fv->walls.froms, parts, fv->walls.tilts,
         real_list(fv, OFFS), volumes, ints, reals);
  LAUNCH(HOLD, share_out(g, all_cells), near, volumes, fv->walls.numbers,
         real_list(fv, HELD), ints, reals);
  LAUNCH(PACES, units, near, fv->walls.units, fv->walls.joins, fv->walls.faces,
         real_list(fv, SIZES), real_list(fv, RATES), ints, reals);
  return TRM_OK;
}

/* All that there is room for. */
static trm_status launch_roundings(fv_solver *fv)
{
  fv_geometry *g = &fv->geometry;
  trm_buffer *const to[FV_ROUNDINGS] = { fv->walls.sizes, fv->walls.volumes, fv->walls.dt_ratios,
    fv->walls.centres, fv->walls.parts, fv->walls.offs, fv->walls.held, fv->walls.places };
  for (int i = 0; i < FV_ROUNDINGS && fv->real_type == TRM_TYPE_F32; i++) {
    g->p.each = (int)g->most_exact[i];
    LAUNCH(ROUND, (int)((g->most_exact[i] + FV_ROUNDED - 1) / FV_ROUNDED), g->exact[i], to[i]);
  }
  return TRM_OK;
}

/* The first state of all that is summed up, then all in order. */
trm_status fv_launch_lists(fv_solver *fv)
{
  static const int32_t none[FV_TOTALS] = { 0 };
  TRM_TRY(fv_write_ints(&fv->geometry, 0, none, FV_TOTALS));
  TRM_TRY(launch_records(fv));
  TRM_TRY(launch_lists(fv));
  TRM_TRY(launch_heirs(fv));
  return launch_roundings(fv);
}

trm_status fv_launch_renumber(fv_solver *fv)
{
  fv_geometry *g = &fv->geometry;
  const size_t cells = g->leaves.nears * fv->block, now = (size_t)g->p.now;
  const size_t kind = (size_t)g->p.cell + FV_CELL_KIND * (size_t)g->p.cells;
  const size_t held = (size_t)g->p.cell_real + FV_CELL_HELD * (size_t)g->p.cells;
  const size_t stride = (size_t)g->p.cells, whole = sizeof(int32_t), exact = sizeof(double);
  LAUNCH(RENUMBER, (int)g->leaves.nears, g->ints, g->reals);
  TRM_TRY(trm_buffer_copy(g->ints, (kind + now * stride) * whole, g->ints,
                          (kind + !now * stride) * whole, cells * whole));
  return trm_buffer_copy(g->reals, (held + now * stride) * exact, g->reals,
                         (held + !now * stride) * exact, cells * exact);
}
