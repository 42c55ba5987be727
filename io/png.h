/* png.h - pictures as PNG files, by libpng. */
#ifndef TRIREME_PNG_H
#define TRIREME_PNG_H

#include "io/picture.h"

/* TRM_ERROR_UNSUPPORTED when built without libpng. */
TRM_API trm_status trm_png_write(const char *path, const trm_picture *picture);

/* 1 when pictures can be written. */
TRM_API int trm_png_available(void);

#endif
