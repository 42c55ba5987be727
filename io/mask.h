/* mask.h - a picture as a mask of cells. */
#ifndef TRIREME_MASK_H
#define TRIREME_MASK_H

#include "core/trireme.h"

/* Sets solid[y * nx + x] to 1 where the PNG picture is dark (below half of white; transparent
 * pixels count as white). The picture's top row is y = ny - 1. Other cells keep their value. A
 * picture of another size is TRM_ERROR_INPUT unless scale is nonzero: then each cell takes the
 * pixel at its centre. TRM_ERROR_UNSUPPORTED when built without libpng. */
TRM_API trm_status trm_mask_read(const char *path, size_t nx, size_t ny, int scale, uint8_t *solid);

#endif
