/* compile.c - NVRTC: from kernel text to a CUBIN for one architecture. Needs no device.
 *
 * The source is put together in a fixed order: the plugin's define, the program's defines, the
 * dialect, the kernels. Lines with #line make the compiler's messages name these files. */
#include "config.h"

#include "backend-cuda/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 12 };

const cuda_text cuda_read_only_text = {"#define TRM_READ_ONLY_LOADS 1\n", "", ""};

/* Strict: every operation rounded by itself, subnormals kept. */
static const char *const strict_options[] = {
  "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true",
};
static const char *const fast_options[] = {
  "--fmad=true", "--ftz=true", "--prec-div=false", "--prec-sqrt=false",
};

static int list_options(trm_math math, const char *arch, const char **list)
{
  const char *const *chosen = math == TRM_STRICT ? strict_options : fast_options;
  int count = 0;
  list[count++] = arch;
  list[count++] = "--std=c++14";
  list[count++] = "-default-device";
  for (int i = 0; i < 4; i++) list[count++] = chosen[i];
  return count;
}

static void name_arch(cuda_target target, char *text, size_t bytes)
{
  snprintf(text, bytes, "--gpu-architecture=%s_%d", target.is_ptx ? "compute" : "sm", target.arch);
}

void cuda_compile_options(trm_math math, cuda_target target, char *line, size_t bytes)
{
  const char *list[MAX_OPTIONS];
  char arch[64];
  name_arch(target, arch, sizeof arch);
  const int count = list_options(math, arch, list);
  size_t used = 0;
  line[0] = '\0';
  for (int i = 0; i < count && used < bytes; i++)
    used += (size_t)snprintf(line + used, bytes - used, "%s%s", i ? " " : "", list[i]);
}

/* The whole source, malloc'd; NULL when there is no memory. */
static char *join_source(const trm_build *build, const cuda_text *around)
{
  static const char form[] =
    "#define TRM_CUDA 1\n%s%s#line 1 \"%s\"\n%s\n#line 1 \"%s\"\n%s\n%s%s";
  static const cuda_text nothing = {"", "", ""};
  const cuda_text *more = around ? around : &nothing;
  const int bytes = snprintf(NULL, 0, form, build->defines, more->before, build->dialect_file,
                             build->dialect, build->file, build->text, more->after, more->tail);
  char *source = bytes < 0 ? NULL : malloc((size_t)bytes + 1);
  if (source)
    snprintf(source, (size_t)bytes + 1, form, build->defines, more->before, build->dialect_file,
             build->dialect, build->file, build->text, more->after, more->tail);
  return source;
}

/* The compiler's words, malloc'd, or NULL where it has none. */
static char *take_log(nvrtc_program program)
{
  size_t bytes = 0;
  if (nvrtc.nvrtcGetProgramLogSize(program, &bytes) != 0 || bytes < 2) return NULL;
  char *log = malloc(bytes);
  if (log && nvrtc.nvrtcGetProgramLog(program, log) != 0) {
    free(log);
    return NULL;
  }
  return log;
}

static trm_status fail_build(const trm_build *build, const char *call, nvrtc_result result)
{
  return CUDA_FAIL(BUILD, "%s: NVRTC %d.%d, %s: %s", build->name, cuda_found.nvrtc_major,
                   cuda_found.nvrtc_minor, call, nvrtc.nvrtcGetErrorString(result));
}

static trm_status take_image(const trm_build *build, nvrtc_program program, cuda_target target,
                             void **image, size_t *bytes)
{
  size_t size = 0;
  nvrtc_result result = target.is_ptx ? nvrtc.nvrtcGetPTXSize(program, &size)
                                      : nvrtc.nvrtcGetCUBINSize(program, &size);
  if (result != 0 || size == 0) return fail_build(build, "size of the code", result);
  char *code = malloc(size);
  if (!code)
    return CUDA_FAIL(NO_HOST_MEMORY, "%s: no host memory for %zu bytes of code", build->name, size);
  result = target.is_ptx ? nvrtc.nvrtcGetPTX(program, code) : nvrtc.nvrtcGetCUBIN(program, code);
  if (result != 0) {
    free(code);
    return fail_build(build, "reading the code", result);
  }
  *image = code;
  *bytes = size;
  return TRM_OK;
}

static trm_status compile_source(const trm_build *build, const char *source, cuda_target target,
                                 char **log, void **image, size_t *bytes)
{
  const char *options[MAX_OPTIONS];
  char arch[64];
  nvrtc_program program;
  name_arch(target, arch, sizeof arch);
  const int option_count = list_options(build->math, arch, options);
  nvrtc_result result = nvrtc.nvrtcCreateProgram(&program, source, build->file, 0, NULL, NULL);
  if (result != 0) return fail_build(build, "nvrtcCreateProgram", result);
  result = nvrtc.nvrtcCompileProgram(program, option_count, options);
  char *words = take_log(program);
  trm_status status;
  if (result != 0)
    status = CUDA_FAIL(BUILD, "%s does not compile with NVRTC %d.%d (%s; %s %s): %.640s",
                       build->name, cuda_found.nvrtc_major, cuda_found.nvrtc_minor,
                       nvrtc.nvrtcGetErrorString(result),
                       build->precision == TRM_F64 ? "f64" : "f32",
                       build->math == TRM_STRICT ? "strict" : "fast",
                       words ? words : "the compiler says nothing more");
  else
    status = take_image(build, program, target, image, bytes);
  nvrtc.nvrtcDestroyProgram(&program);
  if (status == TRM_OK && log) {
    *log = words;
    return status;
  }
  if (words && status != TRM_OK) CUDA_LOG(DEBUG, "%s", words);
  free(words);
  return status;
}

trm_status cuda_compile(const trm_build *build, cuda_target target, const cuda_text *around,
                        char **log, void **image, size_t *bytes)
{
  char *source = join_source(build, around);
  if (!source)
    return CUDA_FAIL(NO_HOST_MEMORY, "%s: no host memory for the kernel text", build->name);
  const trm_status status = compile_source(build, source, target, log, image, bytes);
  free(source);
  return status;
}
