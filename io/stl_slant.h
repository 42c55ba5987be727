/* stl_slant.h - boxes aslant: turned as the triangles lie that they hold. A box along the axes
 * about a long triangle aslant is thick, and all of a fan's lie in one another; these are thin. */
#ifndef TRIREME_STL_SLANT_H
#define TRIREME_STL_SLANT_H

#include <stddef.h>

typedef struct trmi_slant { double axis[3][3], low[3], high[3]; } trmi_slant;

/* The box is wider than its triangles by more than rounding. normals, corners: of `count`
 * triangles, 3 and 9 numbers, `stride` numbers from one triangle to the next. low, high: the box
 * along the axes. far: the largest coordinate of all. Returns 0 if the oblique box is not much
 * smaller than that box, and so useless. */
int trmi_slant_about(const double *corners, const double *normals, size_t stride, size_t count,
                     const double low[3], const double high[3], double far, trmi_slant *out);

/* A lower bound for the square of the distance between a place and the box's triangles. */
double trmi_slant_square(const trmi_slant *slant, const double at[3]);

/* Whether the ray comes into it before `end` times `by`. */
int trmi_slant_meets(const trmi_slant *slant, const double from[3], const double by[3], double end);

#endif
