/* lbm3d_constants.h - numbers that kernels and host share. */
#ifndef TRIREME_LBM3D_CONSTANTS_H
#define TRIREME_LBM3D_CONSTANTS_H

/* A marked cell has two words: its first link; and the number of links, with MARK_SAMPLE if its
 * own velocity or density is needed. A solid cell has no links and MARK_SOLID. A link has two
 * words: the population with these bits, and where it adds to forces or fluxes, -1 for nowhere. */
enum {
  MARK_SAMPLE = 1 << 8,
  MARK_SOLID = 1 << 9,
  WAY_OUTFLOW = 1 << 8,        /* a given density, by anti-bounce-back */
  WAY_FLUX = 1 << 9,           /* its place is an opening's (lbm3d_sums.h) */
  WAY_FIRST = 1 << 10,         /* the first of its cell to that place */
  WAY_BENT = 1 << 17,          /* interpolated: does not bring what it took */
  WAY_OWN = 1 << 18,           /* an inflow's, which pushes with the cell's own density */
  LBM3D_FORCES = 3,            /* of a place: a force; */
  LBM3D_VALUES = 5,            /* or, of an opening, flux, density - 1 and momentum */
  LBM3D_PROBED = 4             /* of a probe's cell: velocity, density - 1; of a plane: flux, it */
};

/* A neighbour, each part -1, 0 or 1. */
#define WAY_ASIDE(x, y, z) (((x) + 1) << 11 | ((y) + 1) << 13 | ((z) + 1) << 15)
#define WAY_ASIDE_X(way) (((way) >> 11 & 3) - 1)
#define WAY_ASIDE_Y(way) (((way) >> 13 & 3) - 1)
#define WAY_ASIDE_Z(way) (((way) >> 15 & 3) - 1)

#endif
