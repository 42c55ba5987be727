/* Parameters of the kernels of @name@, in the kernels' own precision (`real`). Larger members first
 * and an even number of the others, so that every compiler lays them out alike. */
typedef struct @name@_params {
  trm_index temperature_first, temperature_row; /* layout of the field; the framework's */
  trm_index leaves;          /* where the leaves of this step begin; the framework's */
  real rate_x, rate_y;       /* diffusivity * dt / side^2 of a cell, along x and y */
  real beyond_scale, beyond_shift; /* a cell c of the edge finds c * scale + shift beyond it */
  int has_edge;              /* 0: the plate is periodic */
  int unused;
} @name@_params;
