/* Parameters of the kernels. The indices are the framework's. */
typedef struct exercise_params {
  trm_index position_first, position_row, position_component;
  trm_index velocity_first, velocity_row, velocity_component, mass_first, mass_row;
  real softening2, dt; /* square of the softening length; length of a step */
  int columns, rows;   /* bodies of a row; rows */
} exercise_params;
