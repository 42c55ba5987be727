/* cut_cell.h - what a wall leaves of a cell for the gas, from distances at its corners.
 *
 * Lengths in the cell's sides, places from its least corner. Corner x + 2 y + 4 z lies at x, y, z;
 * distances are positive in the gas, and along an edge the wall lies where a straight line between
 * them is 0, so that both cells at a face find the same opening to the last bit. */
#ifndef TRIREME_FV_CUT_CELL_H
#define TRIREME_FV_CUT_CELL_H

typedef struct fv_cut {
  double volume, centroid[3];  /* of the gas */
  double open[6];              /* areas of faces, west to top, that the gas has */
  double face[6][3];           /* their centroids */
  double wall[3];              /* the wall's area times its normal out of the gas: with the open
                                * faces' it adds up to 0 exactly */
  double at[3];                /* the wall's centroid */
  double turn[3];              /* cross products of its pieces' places and areas with normals */
} fv_cut;

typedef enum fv_cut_kind {
  FV_CUT_SOLID, FV_CUT_PART, FV_CUT_WHOLE,
  FV_CUT_TORN                  /* gas in more than one part: no cell can be made of it */
} fv_cut_kind;

/* Fills `out` for FV_CUT_PART and FV_CUT_WHOLE. No distance may be 0. */
fv_cut_kind fv_cut_cell(const double distance[8], fv_cut *out);

#endif
