/* Parameters of the kernels of @name@, in the kernels' own precision (`real`). Larger members first
 * and an even number of the others, so that every compiler lays them out alike. */
typedef struct @name@_params {
  trm_index first, row;      /* layout of the temperature, in elements */
  trm_index part;            /* where the step's partial sums begin, in elements */
  trm_index squares;         /* and from there, those of the squares */
  real rate_x, rate_y;       /* diffusivity * dt / side^2 of a cell, along x and y */
  real beyond_scale, beyond_shift; /* a cell c of the edge finds c * scale + shift beyond it */
  int has_edge;              /* 0: the plate is periodic */
  int last_row;              /* ny - 1 */
} @name@_params;
