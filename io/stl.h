/* stl.h - surfaces of triangles, as computer-aided design and medical imaging hand them on: STL,
 * text or binary. */
#ifndef TRIREME_STL_H
#define TRIREME_STL_H

#include "core/trireme.h"

enum { TRM_STL_PATCHES = 16, TRM_STL_NAME = 32 };

/* Triangle i has corners[9 i ...], x, y, z of each, in the file's unit, and belongs to patch[i]. A
 * patch is a solid of a text file, by its name: the first word, with _ for all but letters and
 * digits; several of one name are one. A binary file is one patch, "surface". */
typedef struct trm_stl {
  size_t count, flat;          /* behind these, so many without area: of them but edges matter */
  double *corners;
  uint8_t *patch;
  size_t patch_count;
  char names[TRM_STL_PATCHES][TRM_STL_NAME];
  int is_binary;
  double low[3], high[3];      /* the box around it */
} trm_stl;

/* TRM_ERROR_INPUT for a file that is neither form of STL, has no triangles, is cut short, or has a
 * corner that is no number. Also for solids of one name that differ in the rest of their lines.
 * Triangles without area are left out, except those whose corners differ (`flat`). The caller owns
 * the surface, and frees it by trm_stl_free. */
TRM_API trm_status trm_stl_read(const char *path, trm_stl *out);
TRM_API void trm_stl_free(trm_stl *surface);

/* TRM_ERROR_INPUT if the surface does not enclose a volume: an edge lacks a partner in the opposite
 * sense (open, or triangles of opposite orientation), or the whole surface is inside out. path: for
 * messages. */
TRM_API trm_status trm_stl_check_closed(const trm_stl *surface, const char *path);

/* TRM_ERROR_INPUT where two triangles cut each other deeper than a millionth of the surface's
 * extent, or share a part of a plane. The inside is undefined then. */
TRM_API trm_status trm_stl_check_crossing(const trm_stl *surface, const char *path);

/* The patch of that name; TRM_ERROR_INPUT if it does not exist, with the names of all patches.
 * path: for messages. */
TRM_API trm_status trm_stl_find(const trm_stl *surface, const char *name, const char *path,
                                size_t *patch);

/* Keeps only the triangles of one patch of a surface; TRM_ERROR_INPUT if no patch has that name.
 * path: for messages. */
TRM_API trm_status trm_stl_choose(trm_stl *surface, const char *name, const char *path);

/* Leaves out triangles narrower than a millionth of their length, which rounding has turned any
 * way: what they are beside is as near to all places. TRM_ERROR_INPUT if none is left. */
TRM_API trm_status trm_stl_leave_narrow(trm_stl *surface, const char *path);

/* Distances from a closed surface, which stays as it is as long as the tree is there. */
typedef struct trm_stl_tree trm_stl_tree;
TRM_API trm_status trm_stl_tree_create(const trm_stl *surface, trm_stl_tree **out);
TRM_API void trm_stl_tree_destroy(trm_stl_tree **tree);
/* Distance from the surface, positive outside. cursor: NULL, or zeros before the first place, and
 * afterwards the result for the last place. If the next place lies nearby, the same bits are found
 * sooner. */
typedef struct trm_stl_cursor { double at[3], distance; size_t facet; int is_any; } trm_stl_cursor;
TRM_API double trm_stl_distance(const trm_stl_tree *tree, const double at[3],
                                trm_stl_cursor *cursor);
/* The tree as numbers, for kernels that compute distances as trm_stl_distance does: TRM_STL_NODE
 * numbers for each node: its box's least and largest corner; the first facet, and the number of
 * facets, 0 for a divided node; the node of its second part (its first part is the next node). Then
 * TRM_STL_FACET numbers for each facet: corners, normal, square of the normal, 1 if it points into
 * the volume. Returns the number of nodes; *count: of numbers. to: NULL, or room for these. */
enum { TRM_STL_NODE = 9, TRM_STL_FACET = 14 };
TRM_API size_t trm_stl_tree_list(const trm_stl_tree *tree, double *to, size_t *count);
/* The nearest triangle that the ray from a place meets, and how many times `by` away it is, if less
 * than `most`; else INFINITY, and *triangle stays. */
TRM_API double trm_stl_first(const trm_stl_tree *tree, const double from[3], const double by[3],
                             double most, size_t *triangle);
/* Where the line through `from` meets a triangle's nine numbers, in lengths of `by`; INFINITY:
 * nowhere (Moeller and Trumbore 1997). */
TRM_API double trm_stl_meet(const double *triangle, const double from[3], const double by[3]);

#endif
