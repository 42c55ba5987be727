/* Parameters of the kernels. The indices are the framework's. */
typedef struct exercise_params {
  trm_index populations_first, populations_row, populations_component;
  trm_index streamed_first, streamed_row, streamed_component;
  trm_index walls_first, walls_row;
  real omega, push; /* relaxation; what the drive moves in a step */
} exercise_params;
