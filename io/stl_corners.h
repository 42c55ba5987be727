/* stl_corners.h - corners of a surface by number: corners at one place have one. */
#ifndef TRIREME_STL_CORNERS_H
#define TRIREME_STL_CORNERS_H

#include "io/stl.h"

/* number: of 3 count corners, triangle by triangle; each is that of the first corner at its place.
 * 0: there is no memory, or there are more corners than numbers. */
int trmi_stl_number_corners(const trm_stl *surface, uint32_t *number);

/* Triangles of one part are joined by edges that two of them share, in opposite senses. All of a
 * part have the same side within. part: of each triangle; a part's number is that of its first
 * triangle. 0: as above. */
int trmi_stl_join(const trm_stl *surface, uint32_t *part);

#endif
