/* tree.h - a tree of parts. Rows that many parts send to one part go along it, and rows that one
 * part sends to all others. So a part has one message more where there are twice as many parts.
 *
 * Parts are counted from the root on, going on at part 0. The parent of number v has v without its
 * lowest bit. So the numbers of a part and of all below it follow each other. */
#ifndef TRIREME_DOMAIN_TREE_H
#define TRIREME_DOMAIN_TREE_H

#include "core/domain/plan.h"

typedef enum domain_route { DOMAIN_STRAIGHT, DOMAIN_GATHERED, DOMAIN_SPREAD } domain_route;

/* The trees of a launch. */
typedef struct domain_trees {
  size_t parts;
  int gathers, spreads;         /* whether there is such a tree */
  size_t gathered_to, spread_from;
  size_t same;                  /* pieces that go to each of the others */
  domain_piece pieces[4];
} domain_trees;

/* From the pieces of a launch: a part that gets rows of many others, a part that sends the same
 * rows to all others. Nothing goes along a tree if several parts do so, or the others are few. */
trm_status domain_trees_find(const domain_piece *pieces, size_t count, size_t parts,
                             domain_trees *out);
domain_route domain_trees_route(const domain_trees *trees, const domain_piece *piece);

/* A part's number from the root on, and the part of a number. */
size_t domain_tree_number(size_t root, size_t parts, size_t part);
size_t domain_tree_part(size_t root, size_t parts, size_t number);
size_t domain_tree_parent(size_t number); /* of no root */
/* The number behind those of a part and of all below it. Its children are number + 1, + 2, + 4 and
 * so on, less than this. */
size_t domain_tree_end(size_t number, size_t parts);

#endif
