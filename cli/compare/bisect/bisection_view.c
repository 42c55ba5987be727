/* bisection_view.c - the cells of two buffers that may lie differently in memory. */
#include "cli/compare/bisect/bisection.h"

#include <stdlib.h>
#include <string.h>

/* View number `nth`; 0 when there are no more. Layouts asked of the device come first; where the
 * buffers have none, all of their bytes if there are as many; else those of declared fields. */
static int view_of(const bisection_pair *pair, size_t nth, bisection_view *out)
{
  const trail *a = pair->trails[0], *b = pair->trails[1];
  const size_t bytes[2] = {a->buffers[pair->buffers[0]].bytes, b->buffers[pair->buffers[1]].bytes};
  for (int of_fields = 0; of_fields <= 1; of_fields++) {
    size_t met = 0;
    for (size_t i = 0; i < a->layout_count; i++)
      for (size_t k = 0; k < b->layout_count; k++) {
        const trail_layout *x = &a->layouts[i], *y = &b->layouts[k];
        if ((x->field != TRAIL_NONE) != of_fields || !trail_layouts_match(x, y) ||
            !trail_layout_fits(a, x, pair->buffers[0]) ||
            !trail_layout_fits(b, y, pair->buffers[1]) || met++ != nth)
          continue;
        *out = (bisection_view){.is_part = of_fields, .type = x->type,
                                .layout = {x->layout, y->layout}};
        memcpy(out->shape, x->shape, sizeof out->shape);
        return 1;
      }
    if (met > 0) return 0;
    if (of_fields || bytes[0] != bytes[1]) continue;
    const trm_type type = bytes[0] % trm_type_size(pair->type) == 0 ? pair->type : TRM_TYPE_U8;
    const size_t count = bytes[0] / trm_type_size(type);
    *out = (bisection_view){.is_whole = 1, .type = type, .shape = {count, 1, 1, 1}};
    for (int s = 0; s < 2; s++) out->layout[s] = (trm_layout){0, count, count, count, 0};
    return nth == 0;
  }
  return 0;
}

trm_status bisection_cells(const bisection_view *view, int side, const unsigned char *bytes,
                           trm_array *array)
{
  void *cells = NULL;
  TRM_TRY(trail_cells(view->type, view->shape, &view->layout[side], bytes, &cells));
  *array = (trm_array){"cells", "", view->type, (int)view->shape[3], view->shape[0], view->shape[1],
                       view->shape[2], cells};
  return TRM_OK;
}

/* Where both sides are as they were before, the second side gets the first one's values. */
static trm_status leave_unchanged_out(const bisection_pair *pair, const bisection_view *view,
                                      const trm_array *a, trm_array *b)
{
  trm_array old[2] = {{0}, {0}};
  const size_t size = trm_type_size(view->type);
  size_t count = 0;
  trm_status status = trm_array_elements(a, &count);
  for (int s = 0; s < 2 && status == TRM_OK; s++)
    status = bisection_cells(view, s, pair->before[s], &old[s]);
  const unsigned char *x = a->data, *p = old[0].data, *q = old[1].data;
  unsigned char *y = (unsigned char *)b->data;
  for (size_t i = 0; i < count * size && status == TRM_OK; i += size)
    if (memcmp(x + i, p + i, size) == 0 && memcmp(y + i, q + i, size) == 0)
      memcpy(y + i, x + i, size);
  free((void *)old[0].data);
  free((void *)old[1].data);
  return status;
}

trm_status bisection_arrays(const bisection_pair *pair, const bisection_view *view, trm_array *a,
                            trm_array *b)
{
  trm_array x = {0}, y = {0};
  trm_status status = bisection_cells(view, 0, pair->bytes[0], &x);
  if (status == TRM_OK) status = bisection_cells(view, 1, pair->bytes[1], &y);
  if (status == TRM_OK && pair->before[0]) status = leave_unchanged_out(pair, view, &x, &y);
  if (status == TRM_OK) {
    *a = x;
    *b = y;
    return TRM_OK;
  }
  free((void *)x.data);
  free((void *)y.data);
  return status;
}

static trm_status compare_view(const bisection_pair *pair, const bisection_view *view,
                               trm_difference *out)
{
  trm_array a, b;
  TRM_TRY(bisection_arrays(pair, view, &a, &b));
  const trm_status status = trm_difference_compute(&a, &b, out);
  free((void *)a.data);
  free((void *)b.data);
  return status;
}

/* Two layouts of one size may both fit: the buffers are equal when they are by one of them. Fields
 * are parts of a buffer: all of them must be equal. */
trm_status bisection_compare(const bisection_pair *pair, int *comparable, bisection_view *view,
                             trm_difference *difference)
{
  bisection_view tried;
  *comparable = 0;
  for (size_t nth = 0; view_of(pair, nth, &tried); nth++) {
    trm_difference found;
    TRM_TRY(compare_view(pair, &tried, &found));
    const int decides = tried.is_part ? found.differing > 0 : found.differing == 0;
    if (!*comparable || decides) {
      *view = tried;
      *difference = found;
    }
    *comparable = 1;
    if (decides) break;
  }
  return TRM_OK;
}

double bisection_value(const trm_array *array, size_t index, uint64_t *bits)
{
  const size_t size = trm_type_size(array->type);
  *bits = 0;
  memcpy(bits, (const unsigned char *)array->data + index * size, size); /* little-endian */
  return trm_array_value(array, index);
}

uint64_t bisection_ulps(const trm_array *a, const trm_array *b, size_t index)
{
  const size_t size = trm_type_size(a->type);
  trm_difference found;
  trm_array x = {"value", "", a->type, 1, 1, 1, 1, (const unsigned char *)a->data + index * size};
  trm_array y = {"value", "", b->type, 1, 1, 1, 1, (const unsigned char *)b->data + index * size};
  return trm_difference_compute(&x, &y, &found) == TRM_OK ? found.ulps : UINT64_MAX;
}
