/* Parameters of the tree kernels, in the kernels' own precision (`real`). */
typedef struct tree_params {
  real eps2;            /* softening length squared */
  real per_theta;       /* opening radius over the longest side of a node */
  int bodies;           /* N */
  int stride;           /* elements between components of bodies and sums */
  int words;            /* of a key: each has ten bits of every coordinate */
  int first, count;     /* the level of nodes that is made */
  int padded;           /* its count rounded up to whole families */
  int below_count;      /* of the level under it */
  int leaves, blocks;   /* the first leaf, the first node of 32 bodies */
  int above;            /* levels above those */
  int in_order;         /* the walk's sums keep the order of the curve: tree_scatter undoes it */
} tree_params;
