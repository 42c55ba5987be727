/* movie.h - the frames that a run kept (run/results_frames.c), in one range of colours. */
#ifndef TRIREME_CLI_MOVIE_H
#define TRIREME_CLI_MOVIE_H

#include <jansson.h>
#include <stdint.h>

#include "io/picture.h"

typedef struct movie_frame { uint64_t step; double time; } movie_frame;

typedef struct movie {
  char *folder;                /* owned: RUN/frames */
  json_t *about;               /* owned: FIELD.json */
  char *field, *unit;          /* owned, or NULL */
  movie_frame *frames;         /* owned, in the order of their steps */
  size_t count;
  float *values;               /* owned: of one frame */
  trm_array array;             /* of these */
  trm_picture picture;         /* with the range; texts belong to `about` */
} movie;

/* Reads what the run says of the frames of `field`; NULL: of the only field that has some. `width`:
 * pixels of the cells, 0: automatic. Clear it in any case. */
trm_status movie_open(const char *run, const char *field, size_t width, movie *out);
void movie_close(movie *of);

/* Leaves out the frames before step `first` and after step `last`. */
trm_status movie_cut(movie *of, uint64_t first, uint64_t last);

/* The range of the colours: low and high; NaN: as the run's output.range, else from the 1st to the
 * 99th percentile of all frames. Looks at every frame. */
trm_status movie_choose_range(movie *of, double low, double high);

/* Frame number `index`, on an image that the caller frees. Its size may vary with its texts. */
trm_status movie_draw(movie *of, size_t index, trmi_image *image);

/* At most 255 colours that the drawn frames have, or nearly: how many. */
size_t movie_palette(const movie *of, uint8_t palette[255][3]);

#endif
