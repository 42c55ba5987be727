/* tree.c - see tree.h. */
#include "core/domain/tree.h"
#include "core/internal.h"

#include <stdlib.h>

enum { FEW = 8 };               /* so many other parts are reached one by one */

/* ---- numbers -------------------------------------------------------------------- */

size_t domain_tree_number(size_t root, size_t parts, size_t part)
{
  return (part + parts - root) % parts;
}

size_t domain_tree_part(size_t root, size_t parts, size_t number)
{
  return (number + root) % parts;
}

size_t domain_tree_parent(size_t number) { return number & (number - 1); }

size_t domain_tree_end(size_t number, size_t parts)
{
  const size_t lowest = number & (~number + 1);
  return number == 0 || number + lowest > parts ? parts : number + lowest;
}

/* ---- pieces --------------------------------------------------------------------- */

static int is_same(const domain_piece *a, const domain_piece *b)
{
  return a->buffer == b->buffer && a->list == b->list && a->row == b->row &&
         a->count == b->count && a->slab == b->slab;
}

/* Parts that a part sends to, or gets from, each once; FEW + 1 of them at most. */
typedef struct peers {
  size_t count, list[FEW + 1];
} peers;

static void add_peer(peers *of, size_t peer)
{
  for (size_t i = 0; i < of->count; i++)
    if (of->list[i] == peer) return;
  if (of->count <= FEW) of->list[of->count++] = peer;
}

/* The one part with more than FEW peers; SIZE_MAX: none, or several. */
static size_t find_one(const peers *of, size_t parts)
{
  size_t found = SIZE_MAX;
  for (size_t m = 0; m < parts; m++) {
    if (of[m].count <= FEW) continue;
    if (found != SIZE_MAX) return SIZE_MAX;
    found = m;
  }
  return found;
}

static void find_peers(const domain_piece *pieces, size_t count, peers *gets, peers *gives)
{
  for (const domain_piece *one = pieces; one < pieces + count; one++) {
    if (one->from == one->to) continue;
    add_peer(&gets[one->to], one->from);
    add_peer(&gives[one->from], one->to);
  }
}

/* How many parts get a piece of these rows from the part. */
static size_t count_targets(const domain_piece *pieces, size_t count, const domain_piece *like)
{
  size_t targets = 0;
  for (size_t i = 0; i < count; i++)
    targets += pieces[i].from == like->from && pieces[i].to != like->from &&
               is_same(&pieces[i], like);
  return targets;
}

/* The pieces that one of the others gets, as all others do. Neighbours of the root get more. */
static void find_same(const domain_piece *pieces, size_t count, domain_trees *out)
{
  const size_t other = (out->spread_from + out->parts / 2) % out->parts;
  const size_t most = sizeof out->pieces / sizeof *out->pieces;
  for (size_t i = 0; i < count && out->same < most; i++)
    if (pieces[i].from == out->spread_from && pieces[i].to == other &&
        count_targets(pieces, count, &pieces[i]) == out->parts - 1)
      out->pieces[out->same++] = pieces[i];
  out->spreads = out->same > 0;
}

trm_status domain_trees_find(const domain_piece *pieces, size_t count, size_t parts,
                             domain_trees *out)
{
  *out = (domain_trees){ .parts = parts };
  if (parts <= FEW + 1 || count <= FEW) return TRM_OK;
  peers *gets = calloc(2 * parts, sizeof *gets), *gives = gets + parts;
  if (!gets) return TRM_FAIL(NO_HOST_MEMORY, "no memory for rows of %zu parts", parts);
  find_peers(pieces, count, gets, gives);
  out->gathered_to = find_one(gets, parts);
  out->gathers = out->gathered_to != SIZE_MAX;
  out->spread_from = find_one(gives, parts);
  if (out->spread_from != SIZE_MAX) find_same(pieces, count, out);
  free(gets);
  return TRM_OK;
}

domain_route domain_trees_route(const domain_trees *trees, const domain_piece *piece)
{
  if (piece->from == piece->to) return DOMAIN_STRAIGHT;
  for (size_t i = 0; trees->spreads && i < trees->same; i++)
    if (piece->from == trees->spread_from && is_same(piece, &trees->pieces[i]))
      return DOMAIN_SPREAD;
  return trees->gathers && piece->to == trees->gathered_to ? DOMAIN_GATHERED : DOMAIN_STRAIGHT;
}
