/* harness.h - one test text, run on every backend, printed as TAP.
 *
 * A test program is a list of cases. A host case runs once; a device case runs once a backend, as
 * `name[openmp]`, with a device that the harness has opened. Cases use cmocka's assertions and the
 * ones below. A complete program:
 *
 *     #include "tests/harness.h"
 *
 *     static void an_empty_name_is_refused(void)
 *     {
 *       trm_device *device = NULL;
 *       TEST_FAILS(trm_device_open(test_context(), "", NULL, &device),
 *                  TRM_ERROR_NOT_FOUND, "openmp");
 *     }
 *
 *     static void a_fill_is_read_back(trm_device *device)
 *     {
 *       trm_buffer *buffer = NULL;
 *       TEST_OK(trm_buffer_create(device, 64, "cells", &buffer));
 *       ...
 *       assert_memory_equal(bytes, expected, 64);
 *       trm_buffer_destroy(&buffer);
 *     }
 *
 *     int main(int argc, char **argv)
 *     {
 *       static const test_case cases[] = {
 *         TEST_HOST(an_empty_name_is_refused),
 *         TEST_DEVICE(a_fill_is_read_back),
 *       };
 *       return TEST_RUN(argc, argv, cases);
 *     }
 *
 * and in tests/local.mk
 *
 *     test_programs += tests/core/buffer
 *
 * A backend that is not ready makes its cases SKIP with the reason, or fail when it is listed in
 * TRIREME_REQUIRE (`make check TRIREME_REQUIRE="openmp opencl"`). A backend from outside is tested
 * by its name there and its folder in TRIREME_BACKEND_PATH, which is searched after the build's
 * own. `tests/run buffer [PART-OF-A-NAME]` runs a program by hand; TRIREME_TEST_BACKENDS
 * ("openmp opencl cuda") narrows the backends, and TRIREME_TEST_SECONDS (600) is how long a case
 * may take before the program is given up.
 * Environment of each program under make check: TRIREME_BACKEND_PATH (the build's plugins),
 * TRIREME_CACHE_DIR and POCL_CACHE_DIR (private), srcdir (the folder of tests/data is
 * "$srcdir/tests/data"). */
#ifndef TRIREME_TESTS_HARNESS_H
#define TRIREME_TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/trireme.h"

typedef void test_host_fn(void);
typedef void test_device_fn(trm_device *device);

typedef struct test_case {
  const char *name;
  test_host_fn *host;       /* one of the two is set */
  test_device_fn *device;
} test_case;

#define TEST_HOST(function) { #function, function, NULL }
#define TEST_DEVICE(function) { #function, NULL, function }

/* The body of main. */
#define TEST_RUN(argc, argv, cases) \
  test_run((argc), (argv), (cases), sizeof(cases) / sizeof *(cases))
int test_run(int argc, char **argv, const test_case *cases, size_t count);

/* ---- inside a case --------------------------------------------------------- */

/* The call succeeds; otherwise the case fails with the recorded error's text. */
#define TEST_OK(call) test_ok((call), #call, __FILE__, __LINE__)

/* The call fails with this status and its message contains `part` (NULL: any message). */
#define TEST_FAILS(call, status, part) \
  test_fails((call), (status), (part), #call, __FILE__, __LINE__)

/* Defined where a sanitizer is built in: it has an allocator of its own, and takes its time. */
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SANITIZED 1
#endif

/* Ends the case as skipped; printf arguments give the reason. */
#define TEST_SKIP(...) test_skip(__VA_ARGS__)

/* Equal to a relative tolerance: |a - b| <= tolerance * max(|a|, |b|). NaN never is. */
#define TEST_CLOSE(a, b, tolerance) \
  test_close((double)(a), (double)(b), (tolerance), #a, __FILE__, __LINE__)

/* Every element has the same bits; the message names the first that differs, as numbers. */
#define TEST_SAME_BITS(a, b, count, type) \
  test_same_bits((a), (b), (count), (type), #a, __FILE__, __LINE__)

/* Skips the case unless the long tests run (`make check-long`): first line of a case that takes
 * more than a few seconds. */
void test_is_long(void);

/* Whether they run: for a case that has a long form. */
int test_runs_long(void);

/* Skips a case of physics or accuracy on other backends than the first that is ready, unless the
 * long tests run: other cases say that its bits are theirs (same_fields.c). */
void test_is_long_elsewhere(trm_device *device);

/* Whether a case is to spare the device programs: a driver of a processor, which compiles each one
 * for seconds, unless the long tests run. A host has its kernels; a GPU is asked for all. */
int test_spares(trm_device *device);

/* Skips a case on such a device, unless the long tests run. Its claim follows from the bits of the
 * host: same_fields.c and the tests of known bits hold every device to them. */
void test_is_spared(trm_device *device);

/* Whether the case `which` of several is to run in this precision: a device that is spared is asked
 * for f32 in even cases and f64 in odd ones. */
int test_takes(trm_device *device, size_t which, trm_precision precision);

/* Skips a long case on other backends than one: the last with a GPU, else the first that is ready;
 * and the same on a processor, where the case would take hours. */
void test_is_long_once(trm_device *device);
void test_is_for_a_gpu(trm_device *device);

/* Skips the case on a device without double precision. */
void test_needs_f64(trm_device *device);

/* The program's context, made on first use; closed by the harness. */
trm_context *test_context(void);

/* "openmp": the backend that a device case runs on. */
const char *test_backend(trm_device *device);

/* Another device of the same backend as `device`, or of a named one, with options; the case
 * closes it. Skips the case (or fails it, when required) if the backend is not ready. */
trm_device *test_open(const char *backend, const trm_device_options *options);

/* Nonzero where this build and this processor have that set of host instances (TRIREME_ISA). */
int test_has_isa(const char *isa);

/* Whether TRIREME_REQUIRE has this word: what is missing fails the case then. */
int test_is_required(const char *word);

/* tests/data/NAME in the source tree; kept until the next call. */
const char *test_data(const char *name);

/* The value is the one that tests/data/fingerprints.csv has under this name, on every backend.
 * `tests/run --bless TEST` writes there what the test finds. */
void test_is_known(const char *value, const char *name, ...) __attribute__((format(printf, 2, 3)));

/* An empty folder of this program's own in the build tree, removed at its end. */
const char *test_folder(void);

void test_ok(trm_status status, const char *call, const char *file, int line);
void test_fails(trm_status status, trm_status expected, const char *part, const char *call,
                const char *file, int line);
void test_close(double a, double b, double tolerance, const char *text, const char *file, int line);
void test_same_bits(const void *a, const void *b, size_t count, trm_type type, const char *text,
                    const char *file, int line);
/* A line of remark in the report, of a case that passes too. */
void test_remark(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void test_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
