/* facets.h - the wall of a body as facets, for the cut cells to come (docs/design.md). Facets are
 * triangles with corners and planes by number. A kernel finds the facets near a cell in bins.
 *
 * Places are in the body's frame: lengths of the case from the body's place (fv_body.at), as the
 * case put it. So they do not depend on where the body is, and stay as they are when it moves.
 * Facets enclose the solid; those of a tube and of a hollow surface enclose the gas. Cylinders,
 * tubes and profiles, and all bodies in two dimensions, have ends outside of the grid.
 *
 * Sines are sums of this text: those of libm differ from one version to the next. Mirrored and
 * permuted axes mirror and permute the corners of spheres, cylinders, tubes and boxes to the last
 * bit. */
#ifndef TRIREME_FV_FACETS_H
#define TRIREME_FV_FACETS_H

#include "solvers/compressible/bodies/bodies.h"

/* Corners anticlockwise seen from the gas; plane: one number for facets of one plane and normal. */
typedef struct fv_facet { int32_t corner[3], plane; } fv_facet;

/* The bin of a place has along axis a the number floor((place - low[a]) per), but at least 0 and
 * less than bins[a]. Bin (i, j, k) is number b = (k bins[1] + j) bins[0] + i. Its facets are
 * list[first[b]] to list[first[b + 1] - 1], ascending: all facets whose box meets the bin. */
typedef struct fv_facets {
  size_t corner_count, facet_count, plane_count;
  double (*corner)[3];
  fv_facet *facet;
  double (*plane)[4];          /* normal of length 1 into the gas, and its product with the plane */
  double (*box)[6];            /* of each facet: its least and its largest coordinates */
  double low[3], per;          /* bins a length */
  int32_t bins[3], *first, *list;
} fv_facets;

/* The facets of a sphere, cylinder, tube, box or profile. No point of a facet is farther from the
 * body's wall than `sag`, and corners lie outwards as far as makes the volume the body's. A
 * profile's wall is its outline (bodies.c). ends: where bodies along z end, from the body's place,
 * if they do not end by themselves. The caller owns the facets; fv_free_facets. */
trm_status fv_facets_of_shape(const fv_body *body, double sag, const double ends[2],
                              fv_facets *out);

/* The facets of a surface in its file's units. trm_stl_check_closed and trm_stl_check_crossing
 * accepted it, and narrow triangles are still there. Corners are rounded to multiples of a power of
 * two between 2^-22 and 2^-21 of the surface's extent, so that a plane is known exactly. Corners
 * that fall together are one, and a triangle without area there is joined with its neighbour.
 * TRM_ERROR_INPUT where no facet is left, and path is for that message. */
trm_status fv_facets_of_surface(const trm_stl *surface, double scale, int is_hollow,
                                const char *path, fv_facets *out);

/* Accepts facets of zeros. */
void fv_free_facets(fv_facets *facets);

/* The volume that the facets enclose, negative where that is the gas. */
double fv_facets_volume(const fv_facets *facets);

/* Whether all corners lie inside of all planes, at most `slack` beyond (1), or all outside of all
 * (-1); 0 where neither holds. Asks all pairs if the answer is not 0. */
int fv_facets_bulge(const fv_facets *facets, double slack);

/* Where a body's place is, and the turn into its frame, row by row. */
typedef struct fv_facets_place { double at[3], turn[9]; } fv_facets_place;

/* Lists the images of a body that come within `margin` of the grid at either end of a step. They
 * are whole numbers of the grid's sides; the body itself is {0, 0, 0}. Returns how many. The grid
 * begins at 0. sides: its lengths, 0 where the body has no images: along a side that is not
 * periodic, or where the body has no ends. The margin is for the ring of cells and for corners
 * between both ends. The body is no longer than a side, and its place is in the grid. */
enum { FV_IMAGES = 27 };
int fv_facets_images(const fv_facets *facets, const fv_facets_place ends[2], const double sides[3],
                     double margin, int32_t images[FV_IMAGES][3]);

/* facets_bins.c: room for so many of each, without bins; and the bins of finished facets. */
trm_status fv_make_room(size_t corners, size_t facets, size_t planes, fv_facets *out);
trm_status fv_fill_bins(fv_facets *facets);

#endif
