/* Parameters of tests/cli/plant.k, in the kernels' own precision (`real`). */
typedef struct plant_params {
  trm_index first, row;      /* layout of the height, in elements */
  trm_index trace_first, trace_row, trace_component;
  real step;                 /* in which the error lies */
  real unused;
  int x, y;                  /* and its cell */
  int guilty;                /* 1: a host, 2: OpenCL, 4: CUDA */
  int place;                 /* 0: plant_move, 1: plant_trace, 2: plant_observe */
} plant_params;
