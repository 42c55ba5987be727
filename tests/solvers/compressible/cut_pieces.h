/* cut_pieces.h - the gas of cells by inclusion and exclusion, in long double: an independent answer
 * for bodies of any shape. A body that one of its places sees all of is a union of tetrahedra, one
 * for each facet. Two bodies have the volume of both less that of all pairs of tetrahedra. */
#ifndef TRIREME_TEST_CUT_PIECES_H
#define TRIREME_TEST_CUT_PIECES_H

#include "tests/solvers/compressible/cut_step.h"

/* The gas of a cell, as a part in fv_volumes_leaf.h: at the begin, at the end, or on an upper face.
 * On a face it is the mean opening over the step. from: for each mover, the place in its frame that
 * sees all of it. At most two bodies may share a place. turns: openings are means of both ends. */
void cut_gas_of(const mover *movers, int count, const double from[][3], int cell, int part,
                int turns, long double gas[4]);

#endif
