/* Parameters of the kernels of lbm3d_moments.k: those of lbm3d.k (lbm3d_params.h), in the same
 * places, and those of a group. */
typedef struct moments_params {
  trm_index first, row, component;  /* layout of the moments, in elements */
  trm_index marks_first, marks_row; /* not used: there are no marks */
  trm_index ranks, solids;
  trm_index leaves;                 /* where the leaves of this step begin */
  trm_index part, places;           /* not used */
  trm_index probed, probes;         /* where this step's probes begin, and their cells */
  real plus, minus;                 /* the relaxation rate; not used */
  real force_x, force_y, force_z;   /* acceleration times density, on every cell */
  real eddy, magic;                 /* not used */
  int open_x, open_y, open_z;       /* 0 where that axis is periodic */
  int marked;                       /* not used */
  int nx, ny, nz;                   /* of the grid, for launches over groups and lists */
  int unused;
  int tile_x, tile_y;               /* columns of cells of a group, along x and y */
  int depth;                        /* cells of a column: a multiple of MOMENTS_CHUNK */
} moments_params;
