/* view_picture.h - a field of a run, reduced to the room on a page or a terminal. */
#ifndef TRIREME_CLI_VIEW_PICTURE_H
#define TRIREME_CLI_VIEW_PICTURE_H

#include "run/session.h"
#include "io/colours.h"

enum { VIEW_LEVELS = 253, VIEW_NONE = 253, VIEW_WRONG = 254, VIEW_SOLID = 255 };

/* The range of the colours; without one it is that of the values. */
typedef struct view_range {
  int is_given;
  double low, high;
} view_range;

typedef struct view_picture {
  const trm_field *field;
  float *values;               /* width * height, the southern row first; the caller's to free */
  size_t width, height;
  double low, high;
  double middle;               /* the part from low to high that has the middle colour */
  trm_colours colours;
  int logarithmic;
} view_picture;

/* The field of that name, else the first that pictures show, else any. The state must be
 * synchronised and observed. Values are means over whole blocks of cells, at most `most_width` by
 * `most_height`. TRM_ERROR_NOT_FOUND where the solver has no field for pictures; after an error
 * there are no values. */
trm_status view_take_picture(session *run, const char *name, const view_range *range,
                             size_t most_width, size_t most_height, view_picture *out);

/* 0 to VIEW_LEVELS - 1 from the low to the high end, the middle one at p->middle; or VIEW_NONE,
 * VIEW_WRONG, VIEW_SOLID. */
uint8_t view_level(const view_picture *p, double value);

#endif
