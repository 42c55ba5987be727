/* collisions.h - the collisions of lbm3d, as settings. */
#ifndef TRIREME_TESTS_COLLISIONS_H
#define TRIREME_TESTS_COLLISIONS_H

static const char *const collisions[] = {
  "lbm.collision=trt", "lbm.lattice=d3q27", "lbm.collision=mrt", "lbm.collision=regularised",
  "lbm.lattice=d3q27|lbm.collision=regularised", "lbm.lattice=d3q27|lbm.collision=cumulant"};
enum { COLLISIONS = sizeof collisions / sizeof *collisions };

#endif
