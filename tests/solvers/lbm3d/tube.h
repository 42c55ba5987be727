/* tube.h - a straight tube as a surface of triangles, for the tests of lbm3d. */
#ifndef TRIREME_TESTS_TUBE_H
#define TRIREME_TESTS_TUBE_H

#include <stdio.h>

/* A triangle of that solid. */
void write_facet(FILE *file, const char *solid, const double *a, const double *b, const double *c);

/* Of 96 sides, diameter 1, length `length`, that rises from the x-axis along y by the angle and
 * along z by 0.6 of it; patches wall, inlet, outlet; has_end 0: without its lid. The path is
 * static. */
const char *write_tube(double length, double angle, int has_end);

#endif
