/* The layout of the clock, which stays on the device: element numbers of its reals and of its
 * integers. Included by the kernels and by the host side. */
#define SHALLOW_TIME 0        /* time of the state, and the part of it that was rounded off */
#define SHALLOW_TIME_REST 1
#define SHALLOW_DT 2          /* length of the next step */
#define SHALLOW_LIVE 3        /* 1: there is a next step; 0: at the end, steps change nothing */
#define SHALLOW_END 4         /* where the run ends, and its rest */
#define SHALLOW_END_REST 5
#define SHALLOW_VALUE 6       /* 4 sides x 2: the boundary's value at the step's begin and end */
#define SHALLOW_DEPTH 14      /* 4 sides x 2: the critical depth of a discharge */
#define SHALLOW_BLOCK_DT 22   /* the length that steps share, before the run's end cuts it */
#define SHALLOW_OUTSIDE 32    /* of each cell at the western, eastern, southern, northern edge: the
                               * u +- 2c that comes in where it is open (shallow_common.h), or */
#define SHALLOW_COPIED (1 << 30) /* the cell is copied; minus that: it was dry at the start */

#define SHALLOW_SLOT 0        /* steps since the batch began */
#define SHALLOW_STEPS 1       /* steps since the run began */
#define SHALLOW_FAILED 2      /* steps of the batch up to one whose next had a wrong length; 0 */
#define SHALLOW_REFRESHED 3   /* lengths that were set anew before their time */
#define SHALLOW_TABLES 4      /* 4 sides x 2: first point and number of points of its hydrograph */
#define SHALLOW_TALLY_INTS 16

#define SHALLOW_OPEN 0
#define SHALLOW_WALL 1
#define SHALLOW_LEVEL 2
#define SHALLOW_DISCHARGE 3
#define SHALLOW_WAVE 4

#define SHALLOW_LAX_FRIEDRICHS 0
#define SHALLOW_HLLC 1

/* Lax-Friedrichs: what an item of a GPU takes of a row of h; it has as many cells as fit in. */
#ifndef SHALLOW_LF_BYTES
#define SHALLOW_LF_BYTES 16
#endif
