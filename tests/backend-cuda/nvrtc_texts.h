/* nvrtc_texts.h - what the tests of NVRTC share: the compiler, and every kernel text in every
 * instance.
 *
 * No GPU is needed. NVRTC is taken from TRIREME_NVRTC, the loader's path or the toolkit that
 * configure found; where there is none the cases are skipped, or fail when TRIREME_REQUIRE names
 * "nvrtc". */
#ifndef TRIREME_TESTS_NVRTC_TEXTS_H
#define TRIREME_TESTS_NVRTC_TEXTS_H

#include "backend-cuda/device.h"
#include "backend-cuda/kernel_texts.h"
#include "tests/harness.h"

extern const char trm_text_kernel_header[];

enum { ARCH = 90 };

/* Opens NVRTC once; skips or fails the case where there is none. */
void need_nvrtc(void);

typedef struct instance {
  const char *file, *text, *dialect;
  const char *variant;
  trm_precision precision;
  trm_math math;
  const char *lines;           /* before the text; NULL: none */
  int columns, rows;           /* of a row group; 0: 128 x 1 */
} instance;

const char *describe(const instance *i);

/* A CUBIN, or PTX, and its length; fails the case where it does not compile without a warning. */
char *compile(const instance *i, cuda_target target, size_t *bytes);

/* The PTX of a text as it is, malloc'd; compiled once in a program, since NVRTC takes long. */
char *ptx_of(const instance *i);
/* Both from one compilation: the CUBIN, malloc'd, and the PTX on the way to it, which ptx_of then
 * has. */
char *cubin_of(const instance *i, size_t *bytes);

/* Calls visit for every text x precision x what in one arithmetic; at least once. */
enum { PLAIN = 1, VARIANTS = 2, ALL = 3 };
typedef void visit_fn(const instance *i);
void each_text(trm_math math, int what, visit_fn *visit);

#endif
