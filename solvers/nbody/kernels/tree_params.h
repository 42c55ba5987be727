/* Parameters of the tree kernels, in the kernels' own precision (`real`). */
typedef struct tree_params {
  real eps2;            /* softening length squared */
  real per_theta;       /* 1 / theta */
  int bodies;           /* N */
  int stride;           /* elements between components of bodies, sorted bodies and sums */
  int shift, word;      /* of the digit that a pass of the sort looks at */
  int groups;           /* tiles of the sort */
  int first, count;     /* the level of nodes that is made */
  int below, below_count; /* the level under it */
  int root;             /* the one node without a parent */
} tree_params;
