/* driver.h - libcuda and NVRTC as this plugin found them, and the messages about their failures.
 *
 * Both are opened at run time, by soname through the loader (TRIREME_NVRTC may name a file), and
 * never closed. This file finds out what is missing; probe.c turns it into reason and cure. */
#ifndef TRM_CUDA_DRIVER_H
#define TRM_CUDA_DRIVER_H

#include "backend-cuda/driver_api.h"
#include "core/backend.h"

typedef struct cuda_driver {
#define TRM_CUDA_POINTER(name, parameters) cu_result (*name) parameters;
  TRM_CUDA_DRIVER_FUNCTIONS(TRM_CUDA_POINTER)
#undef TRM_CUDA_POINTER
} cuda_driver;

typedef struct cuda_nvrtc {
#define TRM_CUDA_POINTER(name, result, parameters) result (*name) parameters;
  TRM_CUDA_NVRTC_FUNCTIONS(TRM_CUDA_POINTER)
#undef TRM_CUDA_POINTER
} cuda_nvrtc;

/* Results of probing; constant afterwards. The driver's version is 1000 * major + 10 * minor. */
typedef struct cuda_platform {
  int driver_version;
  char driver_release[32];         /* "580.95.05", of the kernel module; "" unknown */
  int nvrtc_major, nvrtc_minor;
  char nvrtc_file[512];            /* where the loader found it */
  unsigned long long nvrtc_bytes;  /* size of that file: tells updates of one version apart */
  int arch_count, archs[128];      /* what NVRTC compiles for, ascending: 75, 80, ... */
} cuda_platform;

extern const trm_services *cuda_services;
extern cuda_driver cu;
extern cuda_nvrtc nvrtc;
extern cuda_platform cuda_found;

#define CUDA_FAIL(name, ...) \
  cuda_services->fail(TRM_ERROR_##name, __FILE__, __LINE__, __VA_ARGS__)
#define CUDA_LOG(level, ...) cuda_services->log(TRM_LOG_##level, __VA_ARGS__)

/* Opens libcuda.so.1. NULL on success, else why not: the loader's words, or a missing function. An
 * old driver lacks functions and still tells its *version (0: it does not): look at that first. */
const char *cuda_driver_open(int *version);

/* Opens NVRTC: TRIREME_NVRTC, else the newest soname whose code a driver of this major version can
 * run, else any. NULL on success, else why not. */
const char *cuda_nvrtc_open(int driver_version);

/* "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)"; text belongs to the caller. */
const char *cuda_result_text(cu_result result, char *text, size_t bytes);

#endif
