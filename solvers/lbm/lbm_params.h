/* Parameters of the D2Q9 kernels, in the kernels' own precision (`real`); lattice units. */
typedef struct lbm_params {
  real keep;            /* 1 - omega */
  real omega_axis;      /* omega / 18: omega times half the weight of populations 1-4 */
  real omega_diagonal;  /* omega / 72: of populations 5-8 */
  real accel_axis;      /* density * accel / 9: moved from population 3 to 1 */
  real accel_diagonal;  /* density * accel / 36: moved from 6, 7 to 8, 5 */
  real rest_pressure;   /* density / 3: shown in solid cells */
  int first, row, component; /* layout of the populations, in elements */
  int solid_first, solid_row; /* layout of the solid flags, in bytes */
  int walls_first, walls_row; /* layout of the same flags as bits, in words of 32 */
  int accelerated_row;  /* the row that the next step's acceleration is fused into; -1: none */
  int part;             /* where this step's partial sums begin */
  int unused;           /* an even number of these: no padding at the end */
} lbm_params;
