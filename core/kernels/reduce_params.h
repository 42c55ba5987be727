/* Parameters of the reduction kernels; offsets and counts in elements. */
typedef struct reduce_params {
  trm_index count;        /* values in a row */
  trm_index from_first;   /* where row 0 begins */
  trm_index from_row;     /* from one row to the next */
  trm_index to_first;     /* chunk c of row r writes to[to_first + r * chunks + c] */
  int chunks;             /* chunks in a row: a group each */
  int rows;               /* whose chunks c are groups one after another */
} reduce_params;
