/* Parameters of the kernels that sort, sum up and compact; offsets and counts in elements. */
typedef struct sort_params {
  trm_index first, row;   /* where the first array begins; from one of its rows to the next */
  trm_index to_first, to_row; /* the same of the last array */
  trm_index number;       /* compact: place of the count of kept numbers */
  int count;              /* values */
  int word, shift;        /* the digit that a pass of the sort looks at: row, and lowest bit */
  int groups;             /* tiles of the sort */
  int starts;             /* scan: 1: each chunk begins with the sum of the chunks before it;
                           * pack_pieces: 1: from the second place of a row to the first */
  int unused;
} sort_params;
