/* Parameters of the kernels that make the lists about moving walls (fv_geometry.k), and where
 * things lie in the two arrays that they work in. Lengths are the case's, cells' places in
 * cells. */
typedef struct fv_geometry_params {
  trm_index cells;       /* that there is room for: those of leaves near walls */
  /* Where these begin, among whole numbers: */
  trm_index near_of;     /* of leaves: which of those near walls they are; -1 all gas, -2 solid */
  trm_index leaf;        /* FV_LEAF_INTS of a leaf near walls, then of those that are solid */
  trm_index counts;      /* FV_COUNTS of parts of leaves near walls */
  trm_index group_counts; /* FV_COUNTS of groups of units or of records */
  trm_index cell, record, unit; /* numbers of each: the first of all, then the next of all */
  trm_index marks;       /* of corners: which bodies they lie in, and which are near */
  /* and among reals: */
  trm_index distance;    /* of corners */
  trm_index cell_real, record_real, unit_real;
  real h, origin[3];     /* a cell's side at level 0, the grid's corner */
  real dt, small;        /* of the step; below this part of a cell a piece is merged */
  int blocks;            /* leaves of the grid */
  int records, units;    /* that there is room for */
  int most_records, most_units, most_sloped; /* that the launches of a step look at */
  int each;              /* parts of leaves that a group makes; numbers to be rounded */
  int nears, solids;     /* leaves near walls; others that are solid */
  int bodies;
  int now;               /* which of two has what the step makes; the other is the last one's */
  int round;             /* of a choice */
  int is_f32;            /* the state's precision, in which `held` is kept */
  /* What is summed up: counts of parts of leaves (scan[0] = -1), or of groups of so many things as
   * total number scan[0] says; totals from number scan[1] on; of each the first scan[2] counts.
   * Then the same for the others of the launch. */
  int scan[6];
  int rooms[4];          /* of faces, faces with sizes, joins, entries of units */
  int turn_groups, looks, weights; /* groups of turns, rows of looks and of factors */
} fv_geometry_params;
