/* csv.c - series as comma-separated values, one row a step. */
#include <config.h>

#include "io/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The fewest digits that read back as the same float or double. */
static void shortest(double value, int single, char *text, size_t bytes)
{
  const int first = single ? 6 : 15, last = single ? 9 : 17;
  snprintf(text, bytes, "nan"); /* its sign tells nothing, and differs between processors */
  if (isnan(value)) return;
  for (int digits = first; digits <= last; digits++) {
    snprintf(text, bytes, "%.*g", digits, value);
    if (single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value) return;
  }
}

trm_status trm_csv_append(trm_file *file, uint64_t first_step, const trm_csv_column *columns,
                          size_t column_count, size_t rows)
{
  char text[40];
  for (size_t row = 0; row < rows; row++) {
    TRM_TRY(trm_file_print(file, "%llu", (unsigned long long)(first_step + row)));
    for (size_t c = 0; c < column_count; c++) {
      shortest(columns[c].values[row], columns[c].single, text, sizeof text);
      TRM_TRY(trm_file_print(file, ",%s", text));
    }
    TRM_TRY(trm_file_print(file, "\n"));
  }
  return TRM_OK;
}

static trm_status write_head(trm_file *file, const trm_csv_column *columns, size_t column_count)
{
  TRM_TRY(trm_file_print(file, "step"));
  for (size_t c = 0; c < column_count; c++) {
    const char *unit = columns[c].unit;
    if (unit && *unit) TRM_TRY(trm_file_print(file, ",%s[%s]", columns[c].name, unit));
    else TRM_TRY(trm_file_print(file, ",%s", columns[c].name));
  }
  return trm_file_print(file, "\n");
}

trm_status trm_csv_create(const char *path, const trm_csv_column *columns, size_t column_count,
                          trm_file **out)
{
  trm_file *file = NULL;
  TRM_TRY(trm_file_create(path, &file));
  trm_status status = write_head(file, columns, column_count);
  if (status == TRM_OK) status = trm_file_publish(file);
  if (status == TRM_OK) *out = file;
  else trm_file_discard(&file);
  return status;
}
