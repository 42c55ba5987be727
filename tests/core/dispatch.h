/* dispatch.h - what the tests of the dispatch interface share: a program of three small kernels,
 * and fields to run them on. */
#ifndef TRIREME_TESTS_DISPATCH_H
#define TRIREME_TESTS_DISPATCH_H

#include "tests/harness.h"

typedef float real;
typedef int64_t trm_index;
#include "tests/core/dispatch_params.h"

/* Kernels dispatch_scale(f, g), dispatch_add(a, b, sum), dispatch_number(out); variant "twice". */
extern const trm_program_source dispatch_source;

/* A field of 97 x 5 cells on a device: f holds 1, 2, 3, ...; g holds zeros. */
enum { DISPATCH_NX = 97, DISPATCH_NY = 5 };
typedef struct dispatch_field {
  trm_device *device;
  trm_program *program;          /* f32 strict */
  trm_kernel *scale, *add;
  trm_buffer *f, *g;
  trm_layout layout;
  trm_extent extent;
  dispatch_params params;        /* factor 3 */
} dispatch_field;

void dispatch_open(trm_device *device, dispatch_field *field);
void dispatch_close(dispatch_field *field);

/* Launches dispatch_scale from one buffer to another. */
trm_status dispatch_scale(const dispatch_field *field, trm_buffer *from, trm_buffer *to,
                          float factor);
/* Cell (x, y) of a buffer holds factor * (1 + x + y * nx), for every cell. */
void dispatch_expect(const dispatch_field *field, trm_buffer *buffer, float factor);

#endif
