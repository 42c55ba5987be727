/* Parameters of the kernels. The indices are the framework's. */
typedef struct exercise_params {
  trm_index gas_first, gas_row, gas_component;
  trm_index flux_x_first, flux_x_row, flux_x_component;
  trm_index flux_y_first, flux_y_row, flux_y_component;
  real gamma, ratio_x, ratio_y, unused; /* of specific heats; dt / dx, dt / dy */
} exercise_params;
