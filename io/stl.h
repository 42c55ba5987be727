/* stl.h - surfaces of triangles, as computer-aided design and medical imaging hand them on: STL,
 * text or binary. */
#ifndef TRIREME_STL_H
#define TRIREME_STL_H

#include "core/trireme.h"

enum { TRM_STL_PATCHES = 16, TRM_STL_NAME = 32 };

/* Triangle i has corners[9 i ...], x, y, z of each, in the file's unit, and belongs to patch[i]. A
 * patch is a solid of a text file, by its name; several of one name are one. A binary file is one
 * patch, "surface". */
typedef struct trm_stl {
  size_t count;
  double *corners;
  uint8_t *patch;
  size_t patch_count;
  char names[TRM_STL_PATCHES][TRM_STL_NAME];
  double low[3], high[3];      /* the box around it */
} trm_stl;

/* Refuses as TRM_ERROR_INPUT what is neither form of STL, has no triangle, is cut short, or has a
 * corner that is no number. Triangles without area are left out. The surface is the caller's, for
 * trm_stl_free. */
TRM_API trm_status trm_stl_read(const char *path, trm_stl *out);
TRM_API void trm_stl_free(trm_stl *surface);

/* TRM_ERROR_INPUT where the surface is no boundary of a volume: an edge without a partner in the
 * opposite sense (open, or triangles turned differently), or the whole turned inside out. path: for
 * messages. */
TRM_API trm_status trm_stl_check_closed(const trm_stl *surface, const char *path);

/* TRM_ERROR_INPUT where two triangles cut each other deeper than a millionth of the surface's
 * extent, or are the same: what is inside is not said then. */
TRM_API trm_status trm_stl_check_crossing(const trm_stl *surface, const char *path);

#endif
