/* cuda_temporal.c - a stepping kernel compiled for several steps a launch
 * (backend-cuda/temporal.c). */
#include "tests/backend-cuda/nvrtc_texts.h"

#include <stdlib.h>
#include <string.h>

/* What temporal.c asks of a driver while it builds: here all code has so many bytes of values that
 * do not fit in registers. */
static int spilled;
static cu_result load(cu_module *module, const void *image)
{
  (void)image;
  *module = NULL;
  return CU_OK;
}
static cu_result find(cu_function *function, cu_module module, const char *name)
{
  (void)module, (void)name;
  *function = NULL;
  return CU_OK;
}
static cu_result tell(int *value, cu_attribute attribute, cu_function function)
{
  (void)function;
  assert_int_equal(attribute, CU_FUNC_LOCAL_BYTES);
  *value = spilled;
  return CU_OK;
}
static cu_result unload(cu_module module)
{
  (void)module;
  return CU_OK;
}

/* The images of a build, whose lengths are in their heads: how many, and of which the strips are
 * the roomy ones. */
static void count_images(const unsigned char *image, size_t bytes, int *count, int *roomy)
{
  const uint64_t mark = CUDA_TEMPORAL_MARK;
  uint64_t length;
  *count = *roomy = 0;
  for (size_t at = 0; at + 16 < bytes; at += 16) {
    if (memcmp(image + at, &mark, sizeof mark) != 0) continue;
    memcpy(&length, image + at + 8, sizeof length);
    ++*count;
    if (length >> 62 & 1) ++*roomy;
  }
}

/* The lattice's step as temporal.c has it compiled: every shape becomes a CUBIN; strips that spill
 * are compiled in another shape. */
static void a_stepping_kernel_compiles_for_several_steps_a_launch(void)
{
  static const trm_stepping steps = {0, 1, 9, 4, 24, 28, 32, 1, 1};
  static const trm_host_kernel kernel = {.name = "lbm_step", .kind = TRM_KERNEL_ROW, .halo = 1,
                                         .buffer_count = 4, .access = "rwrw", .steps = &steps};
  static const trm_host_module module = {.kernel_count = 1, .kernels = &kernel};
  const cuda_kernel_text *text = cuda_kernel_texts;
  need_nvrtc();
  while (text->file && !strstr(text->file, "/lbm.k")) text++;
  assert_non_null(text->file);
  cu.cuModuleLoadData = load;
  cu.cuModuleGetFunction = find;
  cu.cuFuncGetAttribute = tell;
  cu.cuModuleUnload = unload;
  for (int f64 = 0; f64 < 2; f64++) {
    cuda_gpu gpu = {.target = {ARCH, 0}};
    const trm_build build = {
      .name = "lbm", .dialect_file = "core/kernel.h", .dialect = trm_text_kernel_header,
      .file = text->file, .text = text->text, .precision = f64 ? TRM_F64 : TRM_F32,
      .defines = f64 ? "#define TRM_F64_KERNEL 1\n#define TRM_STRICT_KERNEL 1\n"
                       "#define TRM_GROUP 64\n"
                     : "#define TRM_F64_KERNEL 0\n#define TRM_STRICT_KERNEL 1\n"
                       "#define TRM_GROUP 64\n",
      .module = &module};
    assert_int_equal(cuda_temporal_count(&gpu, &build), TRM_STEPS_SHAPES);
    for (spilled = 0; spilled <= 8; spilled += 8) {
      void *image = NULL;
      size_t bytes = 0;
      int count, roomy;
      TEST_OK(cuda_temporal_build(&gpu, &build, &image, &bytes));
      assert_true(bytes > 10000);
      count_images(image, bytes, &count, &roomy);
      assert_int_equal(count, TRM_STEPS_SHAPES);
      assert_int_equal(roomy, spilled ? 2 : 0);
      free(image);
    }
    gpu.target.arch = 75;
    assert_int_equal(cuda_temporal_count(&gpu, &build), 0);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_stepping_kernel_compiles_for_several_steps_a_launch),
  };
  return TEST_RUN(argc, argv, cases);
}
