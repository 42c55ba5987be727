/* colours.h - the colour maps of pictures, movies and the live view.
 *
 * viridis for values of one sign, inferno (from black) for densities, and a diverging map (blue,
 * light grey, red) for values on both sides of a middle one. */
#ifndef TRIREME_COLOURS_H
#define TRIREME_COLOURS_H

#include <stdint.h>

#include "core/trireme.h"

typedef enum trm_colours {
  TRM_COLOURS_VIRIDIS, TRM_COLOURS_INFERNO, TRM_COLOURS_DIVERGING,
  TRM_COLOURS                  /* how many there are */
} trm_colours;

/* The 256 triples of red, green, blue, from the least value to the largest. */
TRM_API const uint8_t (*trm_colours_table(trm_colours map))[3];

/* The colour of t in [0, 1], clamped; the least one where t is not a number. */
TRM_API void trm_colour(trm_colours map, double t, uint8_t rgb[3]);

/* For cells that have no colour: obstacles and land, no value yet, not a finite number. */
static const uint8_t trm_colour_solid[3] = {128, 128, 128}, trm_colour_none[3] = {240, 240, 240},
                     trm_colour_wrong[3] = {255, 0, 255};

#endif
