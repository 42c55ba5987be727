/* Parameters of the kernels. The indices are the framework's. */
typedef struct exercise_params {
  trm_index populations_first, populations_row, populations_component;
  trm_index relaxed_first, relaxed_row, relaxed_component;
  trm_index density_first, density_row, velocity_first, velocity_row, velocity_component;
  trm_index solid_first, solid_row;
  real omega, inflow; /* relaxation; velocity of the inflow, cells a step */
} exercise_params;
