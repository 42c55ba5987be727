/* apng.h - a moving picture as a PNG file that browsers play (APNG), written through libpng.
 *
 * W3C's PNG, third edition (2025): an acTL chunk gives the number of frames. An fcTL chunk stands
 * before each frame, and all frames but the first have their data in fdAT chunks. Programs that
 * know nothing of these show the first frame. Colours are those of a palette, at most 255. Only the
 * changed rectangle of a frame is kept, and in it only changed pixels. */
#ifndef TRIREME_APNG_H
#define TRIREME_APNG_H

#include "io/image.h"

typedef struct trm_apng trm_apng;

/* Begins a file of so many frames of width x height pixels, of which `second` are shown a second. A
 * pixel gets the nearest colour of the palette (1 to 255 triples). TRM_ERROR_UNSUPPORTED when built
 * without libpng. */
TRM_API trm_status trm_apng_create(const char *path, size_t width, size_t height, size_t frames,
                                   unsigned second, const uint8_t (*palette)[3], size_t colours,
                                   trm_apng **out);

/* The next frame; the image has the size of the file. */
TRM_API trm_status trm_apng_add(trm_apng *apng, const trmi_image *frame);

/* After as many frames as were promised: the file appears under its name. Frees in any case. cure:
 * as trm_file_commit_new has it. */
TRM_API trm_status trm_apng_commit(trm_apng **apng, const char *cure);
/* Gives the file up. Accepts NULL. */
TRM_API void trm_apng_discard(trm_apng **apng);

#endif
