/* Parameters of the kernels. The indices are the framework's. */
typedef struct exercise_params {
  trm_index water_first, water_row, water_component, speed_first, speed_row;
  trm_index leaves; /* where the leaves of this step begin */
  real gravity, half_x, half_y, unused; /* m/s2; dt / (2 dx), dt / (2 dy) */
} exercise_params;
