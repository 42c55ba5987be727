/* Parameters of the shallow-water kernels, in the kernels' own precision
 * (`real`); the case's units. */
typedef struct shallow_params {
  real g, root_g;        /* gravity and its root */
  real inv_dx, inv_dy;
  real dx;               /* Lax-Friedrichs: side of a cell */
  real dry;              /* no deeper: no motion */
  real film;             /* Lax-Friedrichs: the depth that a cell without water is given */
  real cfl;
  real friction;         /* g n^2 with Manning's n */
  real steep, mean;      /* slope limiter: theta / 2; share of a mean difference, 1 / (2 theta) */
  real still;            /* a smaller momentum counts as 0 */
  real creep, trace;     /* hllc: a wave's least speed, and the least depth, at a face */
  real still_step;       /* the step where nothing moves */
  real still_level, arrival; /* maps: a cell is reached when its surface departs so far from it;
                              * heights are above the scene's reference */
  int first, row, component; /* layout of the state, in elements */
  int bed_first, bed_row, bed_component;
  int land_first, land_row;
  int nx, ny;            /* cells to a row, and rows; HLLC: a launch's row is a block of `rows` */
  int rows;
  int west, east, south, north; /* SHALLOW_OPEN ... */
  int stage;             /* HLLC: 0 or 1 */
  int values;            /* clock: leaf maxima to fold */
  int of_row;            /* peak: leaf maxima that share chunks: a row of a launch's, or all */
  int begins;            /* clock: no step was made, only the next dt is wanted: 1 at the start of
                            the run, 2 when its end was moved */
  int scheme;
  int gauges;
  int limit;             /* steps that a series has room for */
  int every;             /* steps that share a length, while it is short enough */
  int ahead;             /* clock: steps that were made beyond this one before anybody looked */
  int part;              /* where this step's leaf maxima lie */
  int ghost_time;        /* ghosts: 0: of the values at the step's begin; 1: at its end */
  int exact;             /* HLLC: 1: a depth has a rest, the fourth component */
  int unused;            /* an even number of integers: no padding */
} shallow_params;
