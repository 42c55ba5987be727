/* cuda_probe.c - every state of the CUDA backend's probe with its sentence, against a fake driver
 * and compiler (tests/fake). No GPU is needed; tests/backend-cuda/cuda_states.sh asks the program
 * the same. */
#include "tests/fake/rig.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void expect_state(trm_backend_state state, const char *reason, const char *cure)
{
  trm_probe probe;
  table()->probe(&probe);
  assert_string_equal(trm_backend_state_text(probe.state), trm_backend_state_text(state));
  if (!strstr(probe.reason, reason)) fail_msg("reason: %s", probe.reason);
  if (!strstr(probe.cure, cure)) fail_msg("cure: %s", probe.cure);
}

static void a_machine_without_a_driver_says_so(void)
{
  if (fake) TEST_SKIP("the fake driver is already loaded");
  void *real = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (real) {
    dlclose(real);
    TEST_SKIP("this machine has a CUDA driver");
  }
  expect_state(TRM_BACKEND_NO_DRIVER, "libcuda.so.1: cannot open shared object file",
               "install NVIDIA's driver");
}

static void a_healthy_machine_is_ready(void)
{
  trm_probe probe;
  trm_device_info info;
  use_fake();
  table()->probe(&probe);
  assert_int_equal(probe.state, TRM_BACKEND_READY);
  assert_int_equal(probe.device_count, 2);
  assert_string_equal(probe.reason, "");
  assert_non_null(strstr(probe.version, "CUDA driver 12.4"));
  assert_non_null(strstr(probe.version, "NVRTC 12.4"));
  TEST_OK(table()->describe(1, &info));
  assert_string_equal(info.name, "Fake GPU 1");
  assert_int_equal(info.index, 1);
  assert_int_equal(info.compute_units, 132);
  assert_int_equal(info.memory_bytes, 64u << 20);
  assert_non_null(strstr(info.compiler, "sm_90"));
}

static void a_machine_without_a_gpu_says_so(void)
{
  use_fake();
  fake->init_result = CU_NO_DEVICE;
  expect_state(TRM_BACKEND_NO_DEVICE,
               "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)", "CUDA_VISIBLE_DEVICES");
  use_fake();
  fake->device_count = 0;
  expect_state(TRM_BACKEND_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "nvidia-smi");
}

static void an_old_driver_is_named_with_what_is_needed(void)
{
  use_fake();
  fake->version = 11040;
  expect_state(TRM_BACKEND_DRIVER_TOO_OLD, "the driver is for CUDA 11.4; CUDA 11.8", "520");
}

static void a_driver_older_than_the_compiler_is_told_apart(void)
{
  use_fake();
  fake->version = 11080;
  expect_state(TRM_BACKEND_DRIVER_TOO_OLD, "NVRTC found is 12.4", "TRIREME_NVRTC");
}

static void the_toolkits_stub_library_is_recognised(void)
{
  use_fake();
  fake->init_result = CU_STUB_LIBRARY;
  expect_state(TRM_BACKEND_NO_DRIVER, "CUDA_ERROR_STUB_LIBRARY", "LD_LIBRARY_PATH");
}

static void a_driver_half_updated_asks_for_a_restart(void)
{
  use_fake();
  fake->init_result = CU_SYSTEM_DRIVER_MISMATCH;
  expect_state(TRM_BACKEND_BROKEN, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "restart the machine");
  fake->init_result = CU_UNKNOWN;
  expect_state(TRM_BACKEND_BROKEN, "CUDA_ERROR_UNKNOWN", "nvidia-uvm");
}

static void a_missing_compiler_is_a_missing_library(void)
{
  use_fake();
  setenv("TRIREME_NVRTC", "/nowhere/libnvrtc.so", 1);
  expect_state(TRM_BACKEND_MISSING_LIBRARY, "/nowhere/libnvrtc.so: cannot open", "TRIREME_NVRTC");
  setenv("TRIREME_NVRTC", "libnvrtc.so", 1);
  expect_state(TRM_BACKEND_MISSING_LIBRARY, "is not an absolute path", "TRIREME_NVRTC");
  setenv("TRIREME_NVRTC", FAKE_FOLDER "/libcuda.so.1", 1);
  expect_state(TRM_BACKEND_MISSING_LIBRARY, "has no function nvrtc", "TRIREME_NVRTC");
}

static void another_abi_is_refused(void)
{
  assert_null(trm_backend_cuda(TRM_BACKEND_ABI + 1, &fake_services));
  assert_non_null(strstr(trm_error_last()->text, "ABI"));
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_machine_without_a_driver_says_so),
    TEST_HOST(a_healthy_machine_is_ready),
    TEST_HOST(a_machine_without_a_gpu_says_so),
    TEST_HOST(an_old_driver_is_named_with_what_is_needed),
    TEST_HOST(a_driver_older_than_the_compiler_is_told_apart),
    TEST_HOST(the_toolkits_stub_library_is_recognised),
    TEST_HOST(a_driver_half_updated_asks_for_a_restart),
    TEST_HOST(a_missing_compiler_is_a_missing_library),
    TEST_HOST(another_abi_is_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
