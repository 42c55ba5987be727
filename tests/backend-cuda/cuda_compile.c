/* cuda_compile.c - NVRTC makes a CUBIN of every kernel text, and says where a mistake is. */
#include "tests/backend-cuda/nvrtc_texts.h"

#include <stdlib.h>
#include <string.h>

static trm_precision wanted;

static void make_cubin(const instance *i)
{
  size_t bytes;
  if (i->precision != wanted) return;
  char *cubin = compile(i, (cuda_target){ARCH, 0}, &bytes);
  assert_true(bytes > 64);
  assert_memory_equal(cubin, "\177ELF", 4);
  free(cubin);
}

/* A case a precision, since each case has a limit of time. Fast in f64 where the tests are long:
 * what is fast shows in f32, and what is f64 in strict. */
static void make_cubins(trm_precision precision)
{
  wanted = precision;
  each_text(TRM_STRICT, PLAIN, make_cubin);
  if (precision == TRM_F32 || test_runs_long()) each_text(TRM_FAST, PLAIN, make_cubin);
}

static void every_text_in_f32_becomes_a_cubin_without_a_warning(void) { make_cubins(TRM_F32); }
static void every_text_in_f64_becomes_a_cubin_without_a_warning(void) { make_cubins(TRM_F64); }

/* The cases of cuda_ptx.c compile every variant as far as PTX; ptxas takes much longer with it. */
static void make_cubins_of_variants(trm_precision precision)
{
  test_is_long();
  wanted = precision;
  each_text(TRM_STRICT, VARIANTS, make_cubin);
}

static void every_variant_in_f32_becomes_a_cubin(void) { make_cubins_of_variants(TRM_F32); }
static void every_variant_in_f64_becomes_a_cubin(void) { make_cubins_of_variants(TRM_F64); }

/* What the dialect defines and a text leaves unused is nobody's mistake. NVRTC keeps silent about
 * other files than the text's own, so the dialect is made a part of it. */
static void a_text_that_uses_little_of_the_dialect_has_no_warning(void)
{
  static const char *const texts[] = {
    "",
    "TRM_ROW_KERNEL1(fill, 0, trm_extent, TRM_RW(real) to)\n"
    "{\n  TRM_ROW(y);\n  TRM_CELLS(x) { to[y * TRM_NX + x] = R(1.0); }\n}\n",
    "TRM_GROUP_KERNEL1(fill, TRM_NO_SHARED, trm_extent, TRM_RW(real) to)\n"
    "{\n  TRM_ITEMS(t) { to[t] = R(1.0); }\n}\n",
  };
  need_nvrtc();
  for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
    for (int form = 0; form < 4; form++) {
      const size_t dialect = strlen(trm_text_kernel_header);
      size_t bytes;
      char *whole = malloc(dialect + strlen(texts[t]) + 1);
      const instance i = {"little.k", whole, "", "", form & 1 ? TRM_F64 : TRM_F32,
                          form & 2 ? TRM_FAST : TRM_STRICT};
      assert_non_null(whole);
      memcpy(whole, trm_text_kernel_header, dialect);
      strcpy(whole + dialect, texts[t]);
      free(compile(&i, (cuda_target){ARCH, 1}, &bytes));
      free(whole);
    }
}

static void a_mistake_is_reported_with_our_file_and_line(void)
{
  size_t bytes;
  void *image = NULL;
  const trm_build build = {.name = "broken", .dialect_file = "core/kernel.h",
                           .dialect = trm_text_kernel_header, .file = "solvers/broken/broken.k",
                           .text = "\n\nint f(void) { return undeclared_name; }\n",
                           .defines = "#define TRM_F64_KERNEL 0\n#define TRM_STRICT_KERNEL 1\n"
                                      "#define TRM_ROW_GX 128\n#define TRM_ROW_GY 1\n"
                                      "#define TRM_GROUP 256\n"};
  need_nvrtc();
  TEST_FAILS(cuda_compile(&build, (cuda_target){ARCH, 0}, NULL, NULL, &image, &bytes),
             TRM_ERROR_BUILD, "solvers/broken/broken.k(3)");
  TEST_FAILS(cuda_compile(&build, (cuda_target){ARCH, 0}, NULL, NULL, &image, &bytes),
             TRM_ERROR_BUILD, "undeclared_name");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(every_text_in_f32_becomes_a_cubin_without_a_warning),
    TEST_HOST(every_text_in_f64_becomes_a_cubin_without_a_warning),
    TEST_HOST(every_variant_in_f32_becomes_a_cubin),
    TEST_HOST(every_variant_in_f64_becomes_a_cubin),
    TEST_HOST(a_text_that_uses_little_of_the_dialect_has_no_warning),
    TEST_HOST(a_mistake_is_reported_with_our_file_and_line),
  };
  return TEST_RUN(argc, argv, cases);
}
