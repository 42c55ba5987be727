/* csv.h - series as comma-separated values: `step,mean_speed[lattice],...`.
 *
 * Numbers are printed with the fewest digits that give the same bits back. */
#ifndef TRIREME_CSV_H
#define TRIREME_CSV_H

#include "core/trireme.h"

typedef struct trm_csv_column {
  const char *name, *unit;     /* unit NULL or "": the name alone */
  const double *values;
  int single;                  /* nonzero: the values came from f32 and are printed as such */
} trm_csv_column;

/* Row i is step first_step + i. */
TRM_API trm_status trm_csv_write(const char *path, uint64_t first_step,
                                 const trm_csv_column *columns, size_t column_count, size_t rows);

#endif
