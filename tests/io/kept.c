/* kept.c - writes and looks at small checkpoints. */
#include "tests/io/kept.h"

#include <string.h>

static float value(uint64_t step, size_t component, size_t row, size_t x)
{
  return (float)(step * 1000 + component * 100 + row * 10 + x);
}

static double series_value(size_t i, size_t step) { return (double)(step * 2 + i) / 3; }

static trm_status write_array(trm_checkpoint *to, uint64_t step, int parts)
{
  static const trm_checkpoint_array array = {"cells", TRM_TYPE_F32, KEPT_COMPONENTS, KEPT_ROWS,
                                             KEPT_NX};
  const size_t rows = KEPT_ROWS / (size_t)parts;
  for (size_t first = 0; first < KEPT_ROWS; first += rows) {
    TRM_TRY(trm_checkpoint_part(to, &array, first, rows));
    for (size_t c = 0; c < KEPT_COMPONENTS; c++)
      for (size_t row = first; row < first + rows; row++) {
        float line[KEPT_NX];
        for (size_t x = 0; x < KEPT_NX; x++) line[x] = value(step, c, row, x);
        TRM_TRY(trm_checkpoint_write(to, line, sizeof line));
      }
    TRM_TRY(trm_checkpoint_end(to));
  }
  return TRM_OK;
}

static trm_status write_all(trm_checkpoint **to, uint64_t step, int parts,
                            trm_checkpoint_past *past)
{
  static double values[KEPT_SERIES][KEPT_MOST];
  double *const list[KEPT_SERIES] = {values[0], values[1]};
  for (size_t i = 0; i < KEPT_SERIES; i++)
    for (size_t s = 0; s < step; s++) values[i][s] = series_value(i, s);
  TRM_TRY(write_array(*to, step, parts));
  TRM_TRY(trm_checkpoint_text(*to, "case.conf", "solver = \"none\";\n"));
  TRM_TRY(trm_checkpoint_series(*to, past, list, KEPT_SERIES));
  json_t *manifest = json_object();
  const trm_status status = trm_checkpoint_commit(to, manifest);
  trm_checkpoint_follow(past, status == TRM_OK ? manifest : NULL);
  json_decref(manifest);
  return status;
}

trm_status kept_write(const char *folder, uint64_t step, int parts, trm_checkpoint_past *past)
{
  trm_checkpoint *to = NULL;
  TRM_TRY(trm_checkpoint_begin(folder, step, (double)step / 3, &to));
  const trm_status status = write_all(&to, step, parts, past);
  trm_checkpoint_drop(&to);
  return status;
}

void kept_assert(const trm_found *found)
{
  const uint64_t step = found->manifest.step;
  const trm_manifest_array *array = trm_checkpoint_array_of(found, "cells");
  float rows[KEPT_ROWS][KEPT_NX];
  double values[KEPT_MOST];
  assert_non_null(array);
  assert_true(found->manifest.time == (double)step / 3);
  for (size_t c = 0; c < KEPT_COMPONENTS; c++)
    for (size_t first = 0; first < KEPT_ROWS; first++) {
      const size_t count = KEPT_ROWS - first;
      TEST_OK(trm_checkpoint_rows(found, array, c, first, count, rows));
      for (size_t r = 0; r < count; r++)
        for (size_t x = 0; x < KEPT_NX; x++)
          assert_true(rows[r][x] == value(step, c, first + r, x));
    }
  for (size_t i = 0; i < KEPT_SERIES; i++) {
    TEST_OK(trm_checkpoint_values(found, i, values));
    for (size_t s = 0; s < step; s++) assert_true(values[s] == series_value(i, s));
  }
}
