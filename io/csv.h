/* csv.h - series as comma-separated values: `step,mean_speed[lattice],...`.
 *
 * Numbers are printed with the fewest digits that give the same bits back. */
#ifndef TRIREME_CSV_H
#define TRIREME_CSV_H

#include "io/file.h"

typedef struct trm_csv_column {
  const char *name, *unit;     /* unit NULL or "": the name alone */
  const double *values;
  int single;                  /* nonzero: the values came from f32 and are printed as such */
} trm_csv_column;

/* A file with its line of names, published (file.h); then so many rows from values[0] on, of which
 * the first is of step first_step. */
TRM_API trm_status trm_csv_create(const char *path, const trm_csv_column *columns,
                                  size_t column_count, trm_file **out);
TRM_API trm_status trm_csv_append(trm_file *file, uint64_t first_step,
                                  const trm_csv_column *columns, size_t column_count, size_t rows);

#endif
