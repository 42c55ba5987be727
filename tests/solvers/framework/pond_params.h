/* pond_params.h - parameters of pond.k, the solver of the framework's tests. */
typedef struct pond_params {
  trm_index level_first, level_row, level_component; /* layouts: the framework's */
  trm_index solid_first, solid_row, age_first, age_row, twice_first, twice_row;
  trm_index leaves;
  real rate, shares[2]; // of both components
  int fold, unused;
} pond_params;
