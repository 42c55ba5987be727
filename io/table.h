/* table.h - a function of one number in a text file: a line for each point, its
 * place and its value. */
#ifndef TRIREME_TABLE_H
#define TRIREME_TABLE_H

#include "core/trireme.h"

typedef struct trm_table {
  double *places, *values;     /* places grow strictly */
  size_t count;
} trm_table;

/* Lines "12.5 0.04", with a blank, a comma or a semicolon between; lines that begin with # are
 * skipped. A heading before the first point names the columns, in either order, perhaps with units
 * in brackets. One column is called time, t, height or the like; any other heading is refused, and
 * so are units other than s, m and m/s. The arguments place and value name the columns in messages
 * ("a time", "a value"). Free it in any case. */
TRM_API trm_status trm_table_read(const char *path, const char *place, const char *value,
                                  trm_table *out);
TRM_API void trm_table_free(trm_table *table);

#endif
