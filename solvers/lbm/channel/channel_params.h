/* Parameters of the kernels of cylinder.k and channel.k, in their own precision (`real`); lattice
 * units. */
typedef struct channel_params {
  real plus, minus;           /* relaxation rates of the parts even and odd in e; omega */
  real force_x, force_y;      /* acceleration times density, on every cell */
  int first, row, component;  /* layout of the populations, in elements */
  int flags_first, flags_row; /* layout of the solid flags, in bytes */
  int walls_first, walls_row; /* layout of the same flags as bits, in words of 32 */
  int marks_first, marks_row; /* layout of the marks' bits, in words of 32 */
  int ranks;                  /* words from a word's bits to its rank */
  int marks;                  /* how many cells are marked */
  int part;                   /* where this step's forces begin */
  int moment;                 /* the step's place in the window */
  int at, count;              /* channel_collect: place in the series and steps of the window */
  int start;                  /* of those, how many come before the statistics begin; outflow: at is
                               * the last column, start the one before */
  int has_forces;             /* whether the first two series are forces */
  int open_x, open_y;         /* 0 where that axis is periodic */
} channel_params;
