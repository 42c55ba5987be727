/* cut_rows.c - lists that a map over items makes (cut_maker.h): item i has its own, however many
 * threads work. */
#include "solvers/compressible/cutcells/cut_maker.h"

#include <stdlib.h>
#include <string.h>

typedef struct work {
  fv_row_fn *function;
  void *user;
  fv_rows *rows;
} work;

static trm_status make_one(void *user, size_t i, int thread)
{
  const work *w = user;
  fv_row *to = &w->rows->thread[thread];
  const size_t first = to->count;
  TRM_TRY(w->function(w->user, i, to));
  w->rows->item[i] = (fv_section){ .thread = thread, .first = first, .count = to->count - first };
  return TRM_OK;
}

trm_status fv_rows_make(trm_device *device, size_t items, size_t bytes, fv_row_fn *function,
                        void *user, fv_rows *rows)
{
  rows->threads = trm_device_host_threads(device);
  rows->thread = calloc((size_t)rows->threads, sizeof *rows->thread);
  rows->item = malloc((items + 1) * sizeof *rows->item);
  if (!rows->thread || !rows->item)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu lists about walls", items);
  for (int i = 0; i < rows->threads; i++) rows->thread[i].bytes = bytes;
  return trm_device_host_each(device, items, make_one, &(work){ function, user, rows });
}

void fv_rows_free(fv_rows *rows)
{
  for (int i = 0; i < rows->threads && rows->thread; i++) free(rows->thread[i].of);
  free(rows->thread);
  free(rows->item);
  *rows = (fv_rows){ .threads = 0 };
}

trm_status fv_row_add(fv_row *row, const void *entries, size_t count)
{
  if (count == 0) return TRM_OK;
  TRM_TRY(fv_list_grow(&row->of, &row->room, row->count + count - 1, row->bytes));
  memcpy((char *)row->of + row->count * row->bytes, entries, count * row->bytes);
  row->count += count;
  return TRM_OK;
}

const void *fv_rows_of(const fv_rows *rows, size_t i)
{
  const fv_section *own = &rows->item[i];
  const fv_row *from = &rows->thread[own->thread];
  return own->count > 0 ? (const char *)from->of + own->first * from->bytes : NULL;
}

trm_status fv_rows_join(const fv_rows *rows, size_t items, void *array, size_t *room,
                        size_t *count)
{
  for (size_t i = 0; i < items; i++) {
    const size_t more = rows->item[i].count, bytes = rows->thread[0].bytes;
    if (more == 0) continue;
    TRM_TRY(fv_list_grow(array, room, *count + more - 1, bytes));
    memcpy(*(char **)array + *count * bytes, fv_rows_of(rows, i), more * bytes);
    *count += more;
  }
  return TRM_OK;
}
