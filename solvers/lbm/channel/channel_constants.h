/* channel_constants.h - numbers that the kernels of cylinder.k and channel.k
 * share with the host. */
#ifndef TRIREME_LBM_CHANNEL_CONSTANTS_H
#define TRIREME_LBM_CHANNEL_CONSTANTS_H

/* The bits of a cell's mark. Bit k - 1: population k comes through a boundary; bit 7 + k: the force
 * on that boundary counts. Then follow the bits below; from bit MARK_PROBE on, the probe's number
 * and 1. */
enum {
  MARK_FORCE = 8,
  MARK_SOLID = 1 << 16,
  MARK_INFLOW = 1 << 17,   /* of the Geneva study; of a channel: pushes with the cell's density */
  MARK_OUTFLOW = 1 << 18,  /* a given density, by anti-bounce-back */
  MARK_COPY = 1 << 19,     /* populations from the east are the cell's own of the step before */
  MARK_PROBE = 20,
  CHANNEL_WINDOW = 128     /* steps between two collections of the series, at most */
};

/* Values of channel_shed for lift and drag, from the start of the statistics on; `since` counts the
 * steps from there, so that it is exact. Crossings: the first and the last one of the latest
 * regular periods, each as a step and a fraction of a step. */
enum {
  SHED_SINCE, SHED_LIFT, SHED_FIRST, SHED_FIRST_PART, SHED_LAST, SHED_LAST_PART, SHED_CROSSINGS,
  SHED_SHORTEST, SHED_LONGEST, /* of these periods */
  SHED_DRAG_SUM, SHED_DRAG_LOST, SHED_DRAG_MAX, SHED_DRAG_MIN, SHED_LIFT_MAX, SHED_LIFT_MIN,
  SHED_VALUES,
  SHED_PERIODS = 5         /* regular periods needed for a period and a Strouhal number */
};

#endif
