/* cuda_compile.c - what NVRTC says: where a mistake is, and nothing of a text without one.
 * cuda_ptx.c has our own texts. */
#include "tests/backend-cuda/nvrtc_texts.h"

#include <stdlib.h>
#include <string.h>

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
                          form & 2 ? TRM_FAST : TRM_STRICT, NULL, 0, 0};
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
    TEST_HOST(a_text_that_uses_little_of_the_dialect_has_no_warning),
    TEST_HOST(a_mistake_is_reported_with_our_file_and_line),
  };
  return TEST_RUN(argc, argv, cases);
}
