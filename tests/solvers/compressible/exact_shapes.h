/* exact_shapes.h - what planes leave of the cube of side 1 about the origin, by whole numbers. Sums
 * and decisions about them are exact, and a fraction is rounded once, to a long double. */
#ifndef TRIREME_TESTS_EXACT_SHAPES_H
#define TRIREME_TESTS_EXACT_SHAPES_H

#include <stdint.h>

/* The plane 2 n.x = c: so c = n1 + n2 + n3 leads through a corner of the cube. */
typedef struct exact_plane { int64_t n[3], c; } exact_plane;

/* The part with 2 n.x < c: volume, and the integral of the place. By inclusion and exclusion of the
 * cube's corners. Numbers of at most 51 bits. */
void exact_cut(const exact_plane *plane, long double found[4]);

/* The part with 2 n.x < c for `count` planes, at most EXACT_PLANES. By its corners: three planes
 * meet there, and no other one cuts the place off. Numbers of at most 9 bits. */
enum { EXACT_PLANES = 12 };
void exact_cut_all(const exact_plane *planes, int count, long double found[4]);

#endif
