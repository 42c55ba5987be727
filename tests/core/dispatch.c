/* dispatch.c - the program and the fields of the dispatch tests. */
#include "tests/core/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "core/modules.h"

TRM_DECLARE_MODULES(dispatch);
extern const char trm_text_dispatch[];

const trm_program_source dispatch_source = {
  .name = "dispatch", .file = "tests/core/dispatch.k", .text = trm_text_dispatch,
  .modules = TRM_MODULES(dispatch)
};

/* Makes cell (x, y) the value 1 + x + y * nx, and everything around the cells zero. */
static float *values(const dispatch_field *field, float factor)
{
  float *all = calloc(field->layout.elements, sizeof *all);
  assert_non_null(all);
  for (size_t y = 0; y < DISPATCH_NY; y++)
    for (size_t x = 0; x < DISPATCH_NX; x++)
      all[field->layout.first + y * field->layout.row + x] =
          factor * (float)(1 + x + y * DISPATCH_NX);
  return all;
}

void dispatch_open(trm_device *device, dispatch_field *field)
{
  const trm_program_options options = { .precision = TRM_F32, .math = TRM_STRICT };
  memset(field, 0, sizeof *field);
  field->device = device;
  TEST_OK(trm_layout_rows(device, TRM_TYPE_F32, DISPATCH_NX, DISPATCH_NY, 1, 1, &field->layout));
  TEST_OK(trm_program_create(device, &dispatch_source, &options, &field->program));
  TEST_OK(trm_program_kernel(field->program, "dispatch_scale", &field->scale));
  TEST_OK(trm_program_kernel(field->program, "dispatch_add", &field->add));
  const size_t bytes = field->layout.elements * sizeof(float);
  TEST_OK(trm_buffer_create(device, bytes, "f", &field->f));
  TEST_OK(trm_buffer_create(device, bytes, "g", &field->g));
  float *start = values(field, 1.0f);
  const float zero = 0.0f;
  TEST_OK(trm_buffer_write(field->f, 0, bytes, start));
  TEST_OK(trm_buffer_fill(field->g, 0, bytes, &zero, sizeof zero));
  free(start);
  field->extent = (trm_extent){ DISPATCH_NX, DISPATCH_NY, 1, 0 };
  field->params.first = (int64_t)field->layout.first;
  field->params.row = (int64_t)field->layout.row;
  field->params.factor = 3.0f;
}

void dispatch_close(dispatch_field *field)
{
  trm_buffer_destroy(&field->f);
  trm_buffer_destroy(&field->g);
  trm_program_destroy(&field->program);
}

trm_status dispatch_scale(const dispatch_field *field, trm_buffer *from, trm_buffer *to,
                          float factor)
{
  dispatch_params params = field->params;
  trm_buffer *const buffers[] = { from, to };
  params.factor = factor;
  return trm_kernel_launch(field->scale, &field->extent, &params, sizeof params, buffers, 2);
}

void dispatch_expect(const dispatch_field *field, trm_buffer *buffer, float factor)
{
  const size_t count = field->layout.elements;
  float *expected = values(field, factor), *found = calloc(count, sizeof *found);
  assert_non_null(found);
  TEST_OK(trm_buffer_read(buffer, 0, count * sizeof *found, found));
  for (size_t y = 0; y < DISPATCH_NY; y++) {
    const size_t begin = field->layout.first + y * field->layout.row;
    TEST_SAME_BITS(found + begin, expected + begin, DISPATCH_NX, TRM_TYPE_F32);
  }
  free(expected);
  free(found);
}
