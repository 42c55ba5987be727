/* scale.h - an axis or a colour bar, linear or logarithmic, with round values along it. */
#ifndef TRIREME_SCALE_H
#define TRIREME_SCALE_H

#include <stddef.h>

typedef struct trmi_scale {
  double low, high;            /* at the ends */
  int logarithmic;
} trmi_scale;

enum { TRMI_TICKS = 40 };

typedef struct trmi_tick { double part; char label[24]; } trmi_tick; /* part: 0 low, 1 high */

/* Round values from end to end, at most `most` of them: how many. */
size_t trmi_scale_ticks(const trmi_scale *scale, size_t most, trmi_tick ticks[TRMI_TICKS]);

/* The part of the scale at which a value lies; beyond 0 and 1 where the value does. */
double trmi_scale_part(const trmi_scale *scale, double value);

#endif
