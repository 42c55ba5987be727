/* Parameters of the kernels of lbm3d_levels.k, in their own precision (`real`); units of the
 * lattice of the launch's level. */
typedef struct lbm3d_levels_params {
  trm_index component;         /* cells of a block: from a population to the next */
  trm_index sums;              /* where this step's sums of leaves begin */
  trm_index part;              /* where this step's fluxes begin */
  trm_index places;            /* how many of them there are */
  real plus, minus;            /* relaxation rates of the parts even and odd in e */
  real force_x, force_y, force_z;
  real eddy, magic;            /* as in lbm3d_params.h */
  real share;                  /* a cell's volume, in cells of level 0 */
  real per_cell;               /* 1 / a cell's side, in cells of level 0 */
  real shear;                  /* 18 times the viscosity */
  real past;                   /* density less 1 beyond an outflow */
  real own;                    /* 1: inflows push with the cell's own density; 0: as is given */
  real density[6];             /* with which each side pushes */
  int leaves;                  /* slots below are leaves */
  int first;                   /* of the launch's entries in its list */
  int now;                     /* which of the two lattices holds the level's state */
  int begins;                  /* the first step of this level in a step of level 0 */
  int kind[6];                 /* of the sides, west to top: lbm3d_kind */
} lbm3d_levels_params;
