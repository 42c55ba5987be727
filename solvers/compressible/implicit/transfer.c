/* nests.c - the gas of a finer grid in the cells of a coarser one, where walls cut both. Walls cut
 * each grid's own cells, and a group of cells counts as one cell on either grid. */
#include "solvers/compressible/solver/fv.h"

#include <stdlib.h>

enum { PARTS = 8 };            /* finer cells of a coarser one, at most */

typedef struct nester {
  const fv_solver *fine, *coarse;
  fv_transfers *transfer;
  size_t room, part_room;
} nester;

/* The finer cells of the coarser one, with the gas in them; how many. */
static int parts_of(const nester *n, int32_t cell, int32_t part[PARTS], double gas[PARTS])
{
  const fv_solver *fine = n->fine;
  const size_t block = fine->block, leaf = (size_t)cell / block, at = (size_t)cell % block;
  const int32_t *family = n->coarse->dual.parts + leaf * FV_FAMILY_INTS;
  const int32_t *side = fine->forest->blocks.side;
  const int count = !family[0] ? 1 : side[2] == 1 ? 4 : 8;
  const int x[3] = { (int)at % side[0], (int)at / side[0] % side[1],
                     (int)at / (side[0] * side[1]) };
  for (int k = 0; k < count; k++) {
    int child = 0, to[3];
    for (int a = 0; a < 3; a++) {
      const int doubled = family[0] && side[a] > 1 ? 2 * x[a] + (k >> a & 1) : x[a];
      child |= (doubled >= side[a]) << a;
      to[a] = doubled % side[a];
    }
    const int32_t slot = family[1 + child], near = fine->cut->near[slot];
    const size_t inside = (size_t)((to[2] * side[1] + to[1]) * side[0] + to[0]);
    part[k] = (int32_t)((size_t)slot * block + inside);
    gas[k] = near < 0 ? near == -1 : fine->cut->held[(size_t)near * block + inside];
  }
  return count;
}

/* One more part, in a list that doubles. */
static trm_status add_part(nester *n, int32_t part, double gas)
{
  fv_transfers *transfer = n->transfer;
  if (transfer->parts == n->part_room) {
    const size_t room = n->part_room = 2 * n->part_room + 1024;
    int32_t *parts = realloc(transfer->part, room * sizeof *parts);
    if (parts) transfer->part = parts;
    double *shares = realloc(transfer->share, room * sizeof *shares);
    if (shares) transfer->share = shares;
    if (!parts || !shares) return TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at walls");
  }
  transfer->part[transfer->parts] = part;
  transfer->share[transfer->parts++] = gas;
  return TRM_OK;
}

static trm_status add_cell(nester *n, int32_t cell)
{
  fv_transfers *transfer = n->transfer;
  if (transfer->count == n->room) {
    const size_t room = n->room = 2 * n->room + 1024;
    int32_t *at = realloc(transfer->at, (2 * room + 3) * sizeof *at);
    if (!at) return TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at walls");
    transfer->at = at;
  }
  transfer->at[1 + 2 * transfer->count] = cell;
  transfer->at[2 + 2 * transfer->count++] = (int32_t)transfer->parts;
  return TRM_OK;
}

/* A cell with its parts, or those of all cells of its group. */
static trm_status transfer_cell(nester *n, int32_t cell, int32_t kind)
{
  const fv_cut_tables *t = n->coarse->cut;
  const size_t block = n->coarse->block, first = n->transfer->parts;
  const int32_t master = kind >= 0 ? t->record[kind].master : cell;
  int32_t record = kind < 0 ? -1 : fv_cut_kind_of(t, block, (size_t)master / block,
                                                  (size_t)master % block);
  double all = 0;
  TRM_TRY(add_cell(n, cell));
  for (int32_t member = master; kind != -2;) {
    int32_t part[PARTS];
    double gas[PARTS];
    const int count = parts_of(n, member, part, gas);
    for (int k = 0; k < count; k++) {
      if (!(gas[k] > 0)) continue;
      TRM_TRY(add_part(n, part[k], gas[k]));
      all += gas[k];
    }
    record = record < 0 ? -1 : t->record[record].next;
    if (record < 0) break;
    member = t->record[record].cell;
  }
  if (kind != -2 && !(all > 0))
    return TRM_FAIL(INPUT, "%s: a cell at a wall holds gas, and in the finer grid it has none",
                    n->coarse->bodies.said);
  for (size_t i = first; i < n->transfer->parts; i++) n->transfer->share[i] /= all;
  return TRM_OK;
}

/* Cells of which the kernel for whole ones (fv_down) would not make the right mean. */
static trm_status transfer_leaf(nester *n, size_t leaf)
{
  const fv_cut_tables *t = n->coarse->cut;
  const size_t block = n->coarse->block;
  for (size_t i = 0; i < block; i++) {
    const int32_t cell = (int32_t)(leaf * block + i), kind = fv_cut_kind_of(t, block, leaf, i);
    int32_t part[PARTS];
    double gas[PARTS];
    int is_odd = kind != -1;
    const int count = parts_of(n, cell, part, gas);
    for (int k = 0; k < count; k++) is_odd |= gas[k] < 1;
    if (is_odd) TRM_TRY(transfer_cell(n, cell, kind));
  }
  return TRM_OK;
}

trm_status fv_make_transfers(const fv_solver *fine, fv_solver *coarse)
{
  fv_transfers *transfer = coarse->dual.transfer = calloc(1, sizeof *transfer);
  if (!transfer) return TRM_FAIL(NO_HOST_MEMORY, "no memory for cells at walls");
  nester n = { fine, coarse, transfer, 0, 0 };
  for (size_t i = 0; i < coarse->forest->blocks.count; i++) TRM_TRY(transfer_leaf(&n, i));
  TRM_TRY(add_cell(&n, 0)); /* behind the last */
  transfer->at[0] = (int32_t)--transfer->count;
  return TRM_OK;
}

void fv_free_transfers(fv_transfers **transfers)
{
  fv_transfers *transfer = *transfers;
  if (!transfer) return;
  free(transfer->at);
  free(transfer->part);
  free(transfer->share);
  free(transfer);
  *transfers = NULL;
}
