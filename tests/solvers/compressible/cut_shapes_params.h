typedef struct cut_shapes_params {
  int count;             /* cells */
  int planes;            /* of each, in the list; those of normal 0 and c > 0 cut nothing */
} cut_shapes_params;
