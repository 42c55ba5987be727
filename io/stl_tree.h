/* stl_tree.h - the tree of boxes about a surface's triangles, for the files that look into it. */
#ifndef TRIREME_STL_TREE_H
#define TRIREME_STL_TREE_H

#include "io/stl.h"
#include "io/stl_slant.h"

/* slant: 0, or which of `slants`, from 1, is about its triangles too. */
typedef struct node {
  double low[3], high[3];
  size_t first, count;         /* of `facets`; count 0: parted */
  size_t second;               /* number of its second part; the first follows it */
  size_t slant;
} node;

/* A triangle with its normal, whose length is twice its area, and the square of that. */
typedef struct facet {
  double v[9], normal[3], square;
  size_t triangle;             /* its number in the surface */
  int faces_in;                /* its normal points inwards */
} facet;

struct trm_stl_tree {
  const trm_stl *surface;
  size_t *order;               /* of triangles, as the nodes have them */
  facet *facets;               /* in that order */
  node *nodes;
  trmi_slant *slants;
  size_t node_count, slant_count;
  int is_long;                 /* triangles are long, side by side: slants of many */
};

/* Finds of each triangle whether its normal points into what the surface encloses. */
trm_status trmi_stl_find_sides(trm_stl_tree *tree);

/* By rays: how often these leave or enter. */
int trmi_stl_is_inside(const trm_stl_tree *tree, const double at[3]);

static inline double trmi_dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double trmi_less(double a, double b) { return a < b ? a : b; }
static inline double trmi_more(double a, double b) { return a > b ? a : b; }

#endif
