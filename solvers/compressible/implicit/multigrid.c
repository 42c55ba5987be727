/* multigrid.c - coarser grids under the one at hand, for cycles in dual time (fv_multigrid.h).
 *
 * The next coarser grid has every four (eight) leaves that are the parts of one block as that
 * block; where parts are split further they stay. Whole roots go on with that: the coarser grids'
 * roots are larger. Each is a solver object of its own, with a forest, tables, walls and state, but
 * without fields and clock: those of the finest serve all. */
#include "solvers/compressible/solver/fv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sweeps of a cycle on a grid that is not the coarsest: one before the coarser grids, the rest
 * after them. TAKEN: the fraction of their correction that is added. The scheme hardly damps
 * oscillations from cell to cell and over a few cells, which corrections bring along. With two
 * sweeps after them a cylinder's flow with compressible.chi 0.05 diverges where levels meet, with
 * all of the correction also on one level. */
enum { SWEEPS = 4 };
#define TAKEN 0.6

/* ---- which leaves there are ---------------------------------------------------------- */

/* A grid as the next coarser one sees it: its roots may be parts of that one's. */
typedef struct finer { const trm_forest *forest; int halvings; } finer;

static int is_split(const finer *grid, int level, const int32_t place[3])
{
  return level < grid->halvings ||
         trm_forest_leaf(grid->forest, level - grid->halvings, place) < 0;
}

static void part_of(const trm_forest *forest, const int32_t place[3], int i, int32_t out[3])
{
  const int32_t *side = forest->blocks.side;
  for (int a = 0; a < 3; a++)
    out[a] = side[a] == 1 ? place[a] : 2 * place[a] + (i >> a & 1);
}

/* Stays split: parts of it are. */
static int stays(const void *user, int level, const int32_t place[3])
{
  const finer *grid = user;
  int32_t part[3];
  if (!is_split(grid, level, place)) return 0;
  for (int i = 0; i < (grid->forest->blocks.side[2] == 1 ? 4 : 8); i++) {
    part_of(grid->forest, place, i, part);
    if (is_split(grid, level + 1, part)) return 1;
  }
  return 0;
}

static trm_status make_family(const finer *grid, const trm_forest *forest, int32_t **out)
{
  const size_t count = forest->blocks.count;
  const int parts = forest->blocks.side[2] == 1 ? 4 : 8;
  int32_t (*family)[FV_FAMILY_INTS] = calloc(count, sizeof *family);
  *out = (int32_t *)family;
  if (!family) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the parts of %zu blocks", count);
  for (size_t i = 0; i < count; i++) {
    const int level = forest->level[i], was = level - grid->halvings;
    const int32_t same = was < 0 ? -1 : trm_forest_leaf(grid->forest, was, forest->place[i]);
    family[i][0] = same < 0;
    family[i][1] = same;
    for (int k = 0; k < parts && same < 0; k++) {
      int32_t part[3];
      part_of(forest, forest->place[i], k, part);
      family[i][1 + k] = trm_forest_leaf(grid->forest, was + 1, part);
      if (family[i][1 + k] < 0)
        return TRM_FAIL(INVALID, "a block of level %d of a coarser grid has parts that are split",
                        level);
    }
  }
  return TRM_OK;
}

/* The leaf of this grid that contains each leaf of the finer one. */
static trm_status make_parents(const fv_solver *fine, fv_solver *fv)
{
  const size_t count = fine->forest->blocks.count;
  const int parts = fine->forest->blocks.side[2] == 1 ? 4 : 8;
  int32_t (*parent)[FV_PARENT_INTS] = calloc(count, sizeof *parent);
  fv->dual.parent = (int32_t *)parent;
  if (!parent) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the parents of %zu blocks", count);
  for (size_t i = 0; i < fv->forest->blocks.count; i++) {
    const int32_t *kin = fv->dual.parts + i * FV_FAMILY_INTS;
    for (int k = 0; k < (kin[0] ? parts : 1); k++) {
      parent[kin[1 + k]][0] = (int32_t)i;
      parent[kin[1 + k]][1] = kin[0] ? k : -1;
    }
  }
  return TRM_OK;
}

/* A part of a run has the leaves whose first finest leaf is its own. Slots of all grids ascend
 * along one curve. */
static trm_status make_rows(const fv_solver *finest, const fv_solver *fine, fv_solver *fv)
{
  const size_t count = fv->forest->blocks.count, all = finest->forest->blocks.count;
  if (!fv_is_shared(finest)) return TRM_OK;
  fv->dual.rows = malloc(count * sizeof *fv->dual.rows);
  fv->dual.leaves = malloc(all * sizeof *fv->dual.leaves);
  if (!fv->dual.rows || !fv->dual.leaves)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the parents of %zu blocks", all);
  for (size_t i = 0; i < count; i++)
    fv->dual.rows[i] = fv_row_of(fine, fv->dual.parts[i * FV_FAMILY_INTS + 1]);
  for (size_t i = 0; i < all; i++)
    fv->dual.leaves[i] = fv->dual.parent[fv_leaf_of(fine, i) * FV_PARENT_INTS];
  return TRM_OK;
}

/* ---- the grids ----------------------------------------------------------------------- */

/* How often all roots can be halved. */
static int halvings_of(const trm_forest *forest, int most)
{
  const int32_t *n = forest->blocks.roots;
  const int axes = forest->blocks.side[2] == 1 ? 2 : 3;
  int count = 0;
  for (; count < most; count++)
    for (int a = 0; a < axes; a++)
      if (n[a] >> count & 1) return count;
  return count;
}

/* The bodies in the cells of a coarser grid. */
static trm_status make_walls(const fv_solver *fine, fv_solver *coarse)
{
  if (coarse->bodies.count == 0) return TRM_OK;
  TRM_TRY(fv_make_tables(coarse, 0, 0));
  return fv_make_transfers(fine, coarse);
}

static trm_status make_coarser(const fv_solver *finest, fv_solver *fine, int halvings, int root)
{
  fv_solver *fv = calloc(1, sizeof *fv);
  if (!fv) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a coarser grid");
  fine->dual.coarser = fv;
  const finer grid = { fine->forest, halvings };
  trm_forest_shape shape = finest->forest->shape;
  fv->base.device = finest->base.device;
  fv->real_type = finest->real_type;
  fv->p = finest->p;
  fv->p.inv_h = ldexp(finest->p.inv_h, -root);
  fv->p.diffusion = ldexp(finest->p.diffusion, -2 * root);
  fv->dual.halvings = root;
  fv->p.units = fv->p.faces = fv->p.walls = 0;
  fv->block = finest->block;
  fv->h = ldexp(finest->h, root);
  fv->dual.is_on = fv->dual.is_coarse = 1;
  fv->dual.finest = finest;
  fv->bodies = finest->bodies; /* whose all is */
  fv->edges = finest->edges;   /* whose formulas are */
  fv->edges.list = fv->edges.values = NULL;
  for (int a = 0; a < 3; a++) {
    fv->origin[a] = finest->origin[a];
    fv->n[a] = shape.side[a] == 1 ? finest->n[a] : finest->n[a] >> root;
    shape.roots[a] = shape.side[a] == 1 ? shape.roots[a] : finest->forest->shape.roots[a] >> root;
  }
  shape.level = 0;
  shape.finest = root + finest->finest;
  shape.wants = stays;
  shape.user = &grid;
  TRM_TRY(trm_forest_create(&shape, &fv->forest));
  fv->forest->shape.user = NULL;
  fv_count_interfaces(fv);
  TRM_TRY(make_family(&grid, fv->forest, &fv->dual.parts));
  TRM_TRY(make_parents(fine, fv));
  return make_rows(finest, fine, fv);
}

/* Refuses a grid whose cells the bodies cannot be cut from. */
static trm_status refuse_walls(const trm_config *config, trm_status status, int asked, int made)
{
  const trm_error cause = *trm_error_last();
  if (status != TRM_ERROR_INPUT) return status;
  return trm_error_record(status, cause.file, cause.line, "%s: compressible.multigrid = %d is too "
                          "many about these bodies, take %d: in coarser grid %d %.*s",
                          trm_config_origin(config, "compressible.multigrid"), asked, made,
                          made + 1, (int)strcspn(cause.text, ";"), cause.text);
}

static int sweeps_on(const fv_solver *fv)
{
  return fv->dual.coarsest ? fv->dual.coarsest : SWEEPS;
}

/* Fine sweeps that a cycle is worth: those on every grid, and a stage for each residual. */
static double sweeps_of(const fv_solver *fv, double cells)
{
  const double share = (double)fv->p.blocks / cells, stage = 1.0 / FV_STAGES;
  const double forcing = fv->dual.is_coarse ? stage : 0;
  if (!fv->dual.coarser) return fv->dual.is_coarse ? (sweeps_on(fv) + forcing) * share : 1;
  return (SWEEPS + stage + forcing) * share + sweeps_of(fv->dual.coarser, cells);
}

/* Sweeps of the coarsest grid cost little and save cycles: by default, as many as cost one of the
 * finest. */
static int coarsest_sweeps(const trm_config *config, int finest, int coarsest)
{
  enum { MOST = 32 };
  const int asked = (int)trm_config_integer(config, "dual.coarsest"), equal = finest / coarsest;
  return asked > 0 ? asked : equal < SWEEPS ? SWEEPS : equal > MOST ? MOST : equal;
}

trm_status fv_make_grids(fv_solver *fv, const trm_config *config)
{
  const int asked = fv->dual.grids, root = halvings_of(fv->forest, asked);
  fv_solver *fine = fv;
  fv->dual.sweeps = 1;
  for (int i = 0; i < asked; i++) {
    TRM_TRY(make_coarser(fv, fine, i == 0 ? root : 0, root));
    if (fine->dual.coarser->forest->blocks.count == fine->forest->blocks.count)
      return TRM_FAIL(INPUT, "%s: compressible.multigrid = %d, but this grid has %d coarser ones: "
                      "%zu blocks cannot become fewer; take that many",
                      trm_config_origin(config, "compressible.multigrid"), asked, i,
                      fine->forest->blocks.count);
    const trm_status status = make_walls(fine, fine->dual.coarser);
    if (status != TRM_OK) return refuse_walls(config, status, asked, i);
    fine = fine->dual.coarser;
  }
  if (asked > 0) fine->dual.coarsest = coarsest_sweeps(config, fv->p.blocks, fine->p.blocks);
  if (asked > 0) fv->dual.sweeps = sweeps_of(fv, (double)fv->p.blocks);
  return TRM_OK;
}

/* ---- memory -------------------------------------------------------------------------- */

static void list_buffers(const fv_solver *fine, fv_solver *fv)
{
  const size_t finer_leaves = fine->forest->blocks.count;
  const size_t leaves = fv->forest->blocks.count, reals = leaves * fv->block * FV_VALUES;
  const trm_framework_buffer list[] = {
    { &fv->dual.before, "state from the finer grid", reals, fv->real_type, 1, NULL },
    { &fv->dual.given, "forcing", reals, fv->real_type, 1, NULL },
    { &fv->dual.rest, "residual from the finer grid", reals, fv->real_type, 1, NULL },
    { &fv->dual.family, "parts of blocks", leaves * FV_FAMILY_INTS, TRM_TYPE_I32, 0,
      fv->dual.parts },
    { &fv->dual.parents, "parents of blocks", finer_leaves * FV_PARENT_INTS, TRM_TYPE_I32, 0,
      fv->dual.parent } };
  fv->sized = fv_list_grid(fv);
  memcpy(fv->memory + fv->sized, list, sizeof list);
  fv->buffer_count = fv->sized + sizeof list / sizeof *list;
  if (!fv->cut) return;
  const fv_transfers *transfer = fv->dual.transfer;
  const trm_framework_buffer nested[] = {
    { &fv->dual.transfers, "cells at walls", 2 * transfer->count + 3, TRM_TYPE_I32, 0,
     transfer->at },
    { &fv->dual.nested, "finer cells in them", transfer->parts, TRM_TYPE_I32, 0, transfer->part },
    { &fv->dual.shares, "their gas", transfer->parts, fv->real_type, 0, transfer->share } };
  memcpy(fv->memory + fv->buffer_count, nested, sizeof nested);
  fv->buffer_count += sizeof nested / sizeof *nested;
  fv->buffer_count += fv_list_walls(fv, fv->memory + fv->buffer_count);
}

trm_status fv_count_grids(const fv_solver *fv, uint64_t *bytes)
{
  const fv_solver *fine = fv;
  for (fv_solver *coarse = fv->dual.coarser; coarse; coarse = coarse->dual.coarser) {
    uint64_t own = 0;
    list_buffers(fine, coarse);
    fine = coarse;
    TRM_TRY(trm_framework_bytes(coarse->memory, coarse->buffer_count, &own));
    *bytes += own;
  }
  return TRM_OK;
}

trm_status fv_allocate_grids(fv_solver *fv)
{
  const fv_solver *fine = fv;
  for (fv_solver *coarse = fv->dual.coarser; coarse; coarse = coarse->dual.coarser) {
    list_buffers(fine, coarse);
    fine = coarse;
    TRM_TRY(trm_framework_allocate(fv->base.device, coarse->memory, coarse->buffer_count,
                                   "a coarser grid"));
    TRM_TRY(fv_write_tables(coarse));
  }
  return TRM_OK;
}

void fv_share_grids(fv_solver *fv)
{
  for (fv_solver *coarse = fv->dual.coarser; coarse; coarse = coarse->dual.coarser) {
    memcpy(coarse->programs, fv->programs, sizeof fv->programs);
    coarse->clock = fv->clock;
    coarse->edges.codes = fv->edges.codes;
    coarse->edges.numbers = fv->edges.numbers;
  }
}

void fv_free_grids(fv_solver *fv)
{
  for (fv_solver *coarse = fv->dual.coarser; coarse;) {
    fv_solver *next = coarse->dual.coarser;
    trm_framework_release(coarse->memory, coarse->buffer_count);
    trm_forest_destroy(&coarse->forest);
    fv_cut_destroy(&coarse->cut);
    fv_free_transfers(&coarse->dual.transfer);
    free(coarse->dual.parts);
    free(coarse->dual.parent);
    free(coarse->dual.rows);
    free(coarse->dual.leaves);
    free(coarse);
    coarse = next;
  }
  fv->dual.coarser = NULL;
}

/* ---- a cycle ------------------------------------------------------------------------- */

/* Computes the residual of the state, with `given` of the states before, in place of a next
 * state. */
static trm_status launch_residual(fv_solver *fv, trm_buffer *given, trm_buffer *to)
{
  const trm_sharing leaves = fv_by_leaves(fv, 0, 1 << 0);
  fv->p.is_last = FV_RESIDUAL;
  TRM_TRY(fv_launch_ghosts(fv));
  TRM_TRY(fv_launch_walls(fv, given));
  TRM_TRY(FV_SHARE(fv, FV_STAGE, fv->p.blocks, &leaves, fv->w[fv->current], to, fv->q, fv->near,
                   fv->clock, fv->part, fv->flux, given));
  TRM_TRY(fv_launch_match(fv, to));
  if (!fv->cut) return TRM_OK;
  return FV_LAUNCH(fv, FV_CUT_REST, fv->cut->walled, fv->walls.marks, fv->walls.fresh, to,
                   fv->clock);
}

/* The coarser grid gets, as `given`, its own residual less the finer grid's mean residual. So at
 * this state it finds that mean. */
static trm_status go_down(fv_solver *fv)
{
  fv_solver *coarse = fv->dual.coarser;
  trm_buffer *rest = fv->w[!fv->current];
  const trm_sharing down = fv_by_leaves(coarse, 3, 1 << 1 | 1 << 2);
  const trm_sharing start = fv_by_leaves(coarse, 0, 0);
  TRM_TRY(launch_residual(fv, fv->dual.given, rest));
  TRM_TRY(FV_SHARE(coarse, FV_DOWN, coarse->p.blocks, &down, coarse->dual.family, fv->q, rest,
                   coarse->q, coarse->dual.before, coarse->dual.rest, fv->clock));
  if (coarse->cut && coarse->dual.transfer->count > 0)
    TRM_TRY(FV_LAUNCH(coarse, FV_CUT_DOWN,
                      ((int)coarse->dual.transfer->count + FV_CUT_GROUP - 1) / FV_CUT_GROUP,
                      coarse->dual.transfers, coarse->dual.nested, coarse->dual.shares, fv->q, rest,
                      coarse->q, coarse->dual.before, coarse->dual.rest, fv->clock));
  coarse->current = 0;
  TRM_TRY(FV_SHARE(coarse, FV_START, coarse->p.blocks, &start, coarse->q, coarse->w[0],
                   coarse->part, coarse->near));
  TRM_TRY(fv_update_walls(coarse, 1));
  return launch_residual(coarse, coarse->dual.rest, coarse->dual.given);
}

static trm_status go_up(fv_solver *fv)
{
  fv_solver *coarse = fv->dual.coarser;
  trm_buffer *change = coarse->dual.given; /* whose forcing is done */
  const trm_sharing soften = fv_by_leaves(coarse, 0, 1 << 0 | 1 << 1);
  const trm_sharing up = fv_by_leaves(fv, 4, 1 << 1 | 1 << 2);
  coarse->p.alpha = TAKEN;
  TRM_TRY(FV_SHARE(coarse, FV_SOFTEN, coarse->p.blocks, &soften, coarse->q, coarse->dual.before,
                   coarse->near, change, fv->clock));
  TRM_TRY(FV_SHARE(coarse, FV_UP, fv->p.blocks, &up, coarse->dual.parents, change,
                   coarse->dual.before, coarse->near, fv->q, fv->w[fv->current], fv->clock));
  if (!fv->cut) return TRM_OK;
  return FV_LAUNCH(fv, FV_CUT_UNITE, fv->cut->walled, fv->walls.marks, fv->walls.units, fv->q,
                   fv->w[fv->current], fv->clock);
}

/* On the coarsest grid all sweeps come in turn. */
trm_status fv_launch_v(fv_solver *fv)
{
  TRM_TRY(fv_launch_sweep(fv, !fv->dual.is_coarse));
  if (fv->dual.coarser) {
    TRM_TRY(go_down(fv));
    TRM_TRY(fv_launch_v(fv->dual.coarser));
    TRM_TRY(go_up(fv));
  }
  for (int i = 1; i < sweeps_on(fv); i++) TRM_TRY(fv_launch_sweep(fv, 0));
  return TRM_OK;
}
