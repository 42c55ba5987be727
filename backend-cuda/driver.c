/* driver.c - opens libcuda and NVRTC and fills the tables of their functions. */
#include "config.h"

#include "backend-cuda/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const trm_services *cuda_services;
cuda_driver cu;
cuda_nvrtc nvrtc;
cuda_platform cuda_found;

static char problem[640];

typedef struct entry {
  const char *name;
  size_t offset;                   /* of the function pointer in its table */
} entry;

static const entry driver_entries[] = {
#define ENTRY(name, parameters) {#name, offsetof(cuda_driver, name)},
  TRM_CUDA_DRIVER_FUNCTIONS(ENTRY)
#undef ENTRY
};

static const entry nvrtc_entries[] = {
#define ENTRY(name, result, parameters) {#name, offsetof(cuda_nvrtc, name)},
  TRM_CUDA_NVRTC_FUNCTIONS(ENTRY)
#undef ENTRY
};

/* Fills a table; returns the first name that the library lacks, or NULL. */
static const char *resolve(void *library, const entry *entries, size_t count, void *table)
{
  const char *missing = NULL;
  for (size_t i = 0; i < count; i++) {
    void *function = dlsym(library, entries[i].name);
    if (!function && !missing) missing = entries[i].name;
    memcpy((char *)table + entries[i].offset, &function, sizeof function);
  }
  return missing;
}

static const char *loader_words(void)
{
  const char *words = dlerror();
  return words ? words : "no reason given by the loader";
}

const char *cuda_driver_open(int *version)
{
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  *version = 0;
  if (!library) {
    snprintf(problem, sizeof problem, "%s", loader_words());
    return problem;
  }
  const char *missing = resolve(library, driver_entries,
                                sizeof driver_entries / sizeof driver_entries[0], &cu);
  if (cu.cuDriverGetVersion && cu.cuDriverGetVersion(version) != CU_OK) *version = 0;
  if (!missing) return NULL;
  snprintf(problem, sizeof problem, "libcuda.so.1 has no function %s", missing);
  return problem;
}

/* The sonames of NVRTC, newest first. NVIDIA changes it with the major version since 11.2. */
static const struct soname { int major; const char *name; } sonames[] = {
  {13, "libnvrtc.so.13"}, {12, "libnvrtc.so.12"}, {11, "libnvrtc.so.11.2"},
};
enum { SONAMES = sizeof sonames / sizeof sonames[0] };

/* The compiler finds its own library of built-in functions through the loader only. Opened here by
 * its path, it is found for a compiler that TRIREME_NVRTC names outside the loader's folders. */
static void open_builtins(void)
{
  char path[sizeof cuda_found.nvrtc_file + 64];
  const char *slash = strrchr(cuda_found.nvrtc_file, '/');
  if (!slash) return;
  snprintf(path, sizeof path, "%.*s/libnvrtc-builtins.so.%d.%d",
           (int)(slash - cuda_found.nvrtc_file), cuda_found.nvrtc_file, cuda_found.nvrtc_major,
           cuda_found.nvrtc_minor);
  dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

/* Fills cuda_found from an opened NVRTC; NULL, or what is wrong with it. */
static const char *know_nvrtc(void *library, const char *name)
{
  Dl_info info;
  struct stat file;
  const char *missing = resolve(library, nvrtc_entries,
                                sizeof nvrtc_entries / sizeof nvrtc_entries[0], &nvrtc);
  if (missing) {
    snprintf(problem, sizeof problem, "%s has no function %s (NVRTC 11.2 or newer is needed)", name,
             missing);
    return problem;
  }
  int count = 0;
  if (nvrtc.nvrtcVersion(&cuda_found.nvrtc_major, &cuda_found.nvrtc_minor) != 0 ||
      nvrtc.nvrtcGetNumSupportedArchs(&count) != 0 || count < 1 ||
      count > (int)(sizeof cuda_found.archs / sizeof cuda_found.archs[0]) ||
      nvrtc.nvrtcGetSupportedArchs(cuda_found.archs) != 0) {
    snprintf(problem, sizeof problem, "%s does not tell its version and architectures", name);
    return problem;
  }
  cuda_found.arch_count = count;
  void *function;
  memcpy(&function, &nvrtc.nvrtcVersion, sizeof function);
  if (dladdr(function, &info) && info.dli_fname) {
    snprintf(cuda_found.nvrtc_file, sizeof cuda_found.nvrtc_file, "%s", info.dli_fname);
    if (stat(info.dli_fname, &file) == 0) cuda_found.nvrtc_bytes = (unsigned long long)file.st_size;
  }
  return NULL;
}

static const char *open_named(const char *path)
{
  if (path[0] != '/') {
    snprintf(problem, sizeof problem, "TRIREME_NVRTC=%s is not an absolute path", path);
    return problem;
  }
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    snprintf(problem, sizeof problem, "TRIREME_NVRTC: %s", loader_words());
    return problem;
  }
  const char *wrong = know_nvrtc(library, path);
  if (!wrong) open_builtins();
  return wrong;
}

/* Opening costs 4 ms with the file in the page cache (CUDA 13, 110 MB): only what it maps is read.
 * The compiler proper starts with the first program that is not in the cache. */
const char *cuda_nvrtc_open(int driver_version)
{
  const char *path = secure_getenv("TRIREME_NVRTC");
  if (path && *path) return open_named(path);
  const int driver_major = driver_version / 1000;
  for (int pass = 0; pass < 2; pass++)      /* second: newer than the driver; the caller says so */
    for (int i = 0; i < SONAMES; i++) {
      if ((sonames[i].major > driver_major) != (pass == 1)) continue;
      void *library = dlopen(sonames[i].name, RTLD_LAZY | RTLD_LOCAL);
      if (library) return know_nvrtc(library, sonames[i].name);
    }
  void *library = dlopen("libnvrtc.so", RTLD_LAZY | RTLD_LOCAL);
  if (library) return know_nvrtc(library, "libnvrtc.so");
  snprintf(problem, sizeof problem, "the loader finds none of libnvrtc.so.13, libnvrtc.so.12, "
           "libnvrtc.so.11.2, libnvrtc.so");
  return problem;
}

const char *cuda_result_text(cu_result result, char *text, size_t bytes)
{
  const char *name = NULL, *words = NULL;
  if (cu.cuGetErrorName) cu.cuGetErrorName(result, &name);
  if (cu.cuGetErrorString) cu.cuGetErrorString(result, &words);
#define NAME(ours, theirs, value) \
  if (!name && result == (value) && strncmp(#theirs, "CUDA_ERROR", 10) == 0) name = #theirs;
  TRM_CUDA_CONSTANTS(NAME)         /* a stub library does not even tell names */
#undef NAME
  snprintf(text, bytes, "%s%s%s%s", name ? name : "unnamed CUDA error", words ? " (" : "",
           words ? words : "", words ? ")" : "");
  return text;
}
