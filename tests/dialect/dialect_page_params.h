/* Parameters of the kernels of dialect_page.k; larger members first. */
typedef struct page_params {
  trm_index first, row;      /* layout of the fields, in elements */
  trm_index solid_first, solid_row; /* layout of the flags, in bytes */
  trm_index marks_first, marks_row; /* layout of the marks, in words of 32 cells */
  trm_index ranks;           /* words from a row's marks to its ranks */
  real rate;                 /* dt * conductivity / dx^2, at most 0.25 */
  int bodies;                /* a multiple of the group */
  int rows, ny;              /* of a block, and of all; at least one */
} page_params;
