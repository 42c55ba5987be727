/* nvrtc.c - a fake NVRTC 12.4: its "CUBIN" is the source behind an ELF header's first bytes, so a
 * test can read what the compiler was given. A source with the word `nonsense` does not compile. */
#include "backend-cuda/driver_api.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define DECLARE(name, result, parameters) EXPORT result name parameters;
TRM_CUDA_NVRTC_FUNCTIONS(DECLARE)

struct _nvrtcProgram { char *source, options[512]; };

enum { HEADER = 64 };
static const char complaint[] = "text.k(1): error: nonsense is undefined\n";

const char *nvrtcGetErrorString(nvrtc_result result)
{
  return result ? "NVRTC_ERROR_COMPILATION" : "NVRTC_SUCCESS";
}

nvrtc_result nvrtcVersion(int *major, int *minor) { *major = 12; *minor = 4; return 0; }
nvrtc_result nvrtcGetNumSupportedArchs(int *count) { *count = 3; return 0; }

nvrtc_result nvrtcGetSupportedArchs(int *archs)
{
  memcpy(archs, (const int[]){70, 80, 90}, 3 * sizeof *archs);
  return 0;
}

nvrtc_result nvrtcCreateProgram(nvrtc_program *program, const char *source, const char *name,
                                int header_count, const char *const *headers,
                                const char *const *include_names)
{
  (void)name;
  (void)headers;
  (void)include_names;
  if (header_count) return 3;
  *program = calloc(1, sizeof **program);
  (*program)->source = strdup(source);
  return 0;
}

nvrtc_result nvrtcDestroyProgram(nvrtc_program *program)
{
  free((*program)->source);
  free(*program);
  *program = NULL;
  return 0;
}

nvrtc_result nvrtcCompileProgram(nvrtc_program program, int option_count,
                                 const char *const *options)
{
  for (int i = 0; i < option_count; i++) {
    strncat(program->options, options[i], 60);
    strcat(program->options, " ");
  }
  return strstr(program->source, "nonsense") ? 6 : 0;
}

static int failed(nvrtc_program program) { return strstr(program->source, "nonsense") != NULL; }

nvrtc_result nvrtcGetProgramLogSize(nvrtc_program program, size_t *bytes)
{
  *bytes = failed(program) ? sizeof complaint : 1;
  return 0;
}

nvrtc_result nvrtcGetProgramLog(nvrtc_program program, char *log)
{
  strcpy(log, failed(program) ? complaint : "");
  return 0;
}

nvrtc_result nvrtcGetCUBINSize(nvrtc_program program, size_t *bytes)
{
  *bytes = HEADER + strlen(program->options) + strlen(program->source) + 1;
  return 0;
}

nvrtc_result nvrtcGetCUBIN(nvrtc_program program, char *cubin)
{
  memset(cubin, 0, HEADER);
  memcpy(cubin, "\177ELF", 4);
  strcpy(cubin + HEADER, program->options);
  strcat(cubin + HEADER, program->source);
  return 0;
}

nvrtc_result nvrtcGetPTXSize(nvrtc_program program, size_t *bytes)
{
  return nvrtcGetCUBINSize(program, bytes);
}

nvrtc_result nvrtcGetPTX(nvrtc_program program, char *ptx) { return nvrtcGetCUBIN(program, ptx); }
