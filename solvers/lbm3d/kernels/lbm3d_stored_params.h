/* Parameters of the kernels of lbm3d_stored.k: those of lbm3d.k (lbm3d_params.h), in the same
 * places, and how populations are stored. */
typedef struct stored_params {
  trm_index first, row, component;  /* layout of the populations, in elements */
  trm_index marks_first, marks_row; /* layout of the marks, in words of 32 cells */
  trm_index ranks, solids;          /* words from a row's marks to its ranks and solid bits */
  trm_index leaves;                 /* where the leaves of this step begin */
  trm_index part;                   /* where this step's forces and fluxes begin */
  trm_index places;                 /* how many of each there are */
  trm_index probed, probes;         /* where this step's probes begin, and their cells */
  real plus, minus;                 /* relaxation rates of the parts even and odd in e */
  real force_x, force_y, force_z;   /* acceleration times density, on every cell */
  real eddy;                        /* 18 sqrt(2) times the square of Smagorinsky's constant */
  real magic;                       /* (1/plus - 1/2)(1/minus - 1/2); 0: minus is plus */
  int open_x, open_y, open_z;       /* 0 where that axis is periodic */
  int marked;                       /* cells; behind theirs stand the sites of the links */
  int nx, ny, nz;                   /* of the grid, for launches over lists */
  int unused;
  int shown_row;                    /* row of the component that is shown, which begins at 0 */
  int is_16, in_place, odd;         /* how populations are stored; whether the next step is odd */
  int what;                         /* which component is shown */
  int fold;                         /* cells x and x + fold lie side by side; 0: rows as they are */
  int zero;                         /* 0, which no compiler knows */
} stored_params;
