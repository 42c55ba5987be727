/* Parameters of the rungs' kernels, in the kernels' own precision (`real`); lattice units. */
typedef struct rung_params {
  real keep;            /* 1 - omega */
  real omega_axis;      /* omega / 9: omega times the weight of populations 1-4 */
  real omega_diagonal;  /* omega / 36: of populations 5-8 */
  real accel_axis;      /* density * accel / 9: moved from population 3 to 1 */
  real accel_diagonal;  /* density * accel / 36: moved from 6, 7 to 8, 5 */
  real unused;          /* an even number of these */
  int first, row, component; /* layout of populations in structure of arrays, in elements */
  int solid_first, solid_row; /* layout of the solid flags, in bytes */
  int accelerated_row;  /* ny - 2 */
  int nx, ny;           /* cells: for the kernels that one item does */
  int at;               /* which step's sum this is, in the batch */
  int nothing;          /* an even number of these: no padding at the end */
} rung_params;
