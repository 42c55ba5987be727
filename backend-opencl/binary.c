/* binary.c - programs as bytes for core's cache, and the key of these bytes.
 *
 * The driver's binaries lie one after the other: the program's, then those of its launches of
 * several steps. Their lengths, their number and a mark come last. */
#include "opencl.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t mark = UINT64_C(0x6863726d5f6c636f);

trm_status ocl_binary_of(cl_program handle, const char *name, unsigned char **bytes, size_t *count)
{
  size_t length = 0;
  cl_int code = clGetProgramInfo(handle, CL_PROGRAM_BINARY_SIZES, sizeof length, &length, NULL);
  if (code != CL_SUCCESS) return OCL_ERROR(code, "clGetProgramInfo", name);
  if (length == 0) return OCL_FAIL(UNSUPPORTED, "program %s: the driver gives no binary", name);
  unsigned char *text = malloc(length);
  if (!text) return OCL_FAIL(NO_HOST_MEMORY, "no memory for the binary of %s", name);
  code = clGetProgramInfo(handle, CL_PROGRAM_BINARIES, sizeof text, &text, NULL);
  if (code != CL_SUCCESS) {
    free(text);
    return OCL_ERROR(code, "clGetProgramInfo", name);
  }
  *bytes = text;
  *count = length;
  return TRM_OK;
}

/* Puts `more` behind the bytes. */
static trm_status append(unsigned char **bytes, size_t *count, const void *more, size_t length,
                         const char *name)
{
  unsigned char *grown = realloc(*bytes, *count + length);
  if (!grown) return OCL_FAIL(NO_HOST_MEMORY, "no memory for the binary of %s", name);
  memcpy(grown + *count, more, length);
  *bytes = grown;
  *count += length;
  return TRM_OK;
}

static trm_status append_temporals(const ocl_program *built, unsigned char **bytes, size_t *count)
{
  uint64_t *lengths = calloc((size_t)built->temporal_count + 3, sizeof *lengths);
  if (!lengths) return OCL_FAIL(NO_HOST_MEMORY, "no memory for the binary of %s", built->name);
  trm_status status = TRM_OK;
  lengths[0] = *count;
  for (int i = 0; i < built->temporal_count && status == TRM_OK; i++) {
    unsigned char *text = NULL;
    size_t length = 0;
    if (!built->temporals[i].handle) continue;
    status = ocl_binary_of(built->temporals[i].handle, built->name, &text, &length);
    if (status == TRM_OK) status = append(bytes, count, text, length, built->name);
    lengths[i + 1] = length;
    free(text);
  }
  lengths[built->temporal_count + 1] = (uint64_t)built->temporal_count + 1;
  lengths[built->temporal_count + 2] = mark;
  if (status == TRM_OK)
    status = append(bytes, count, lengths, ((size_t)built->temporal_count + 3) * sizeof *lengths,
                    built->name);
  free(lengths);
  return status;
}

trm_status ocl_program_binary(void *device, void *program, void **bytes, size_t *count)
{
  const ocl_program *built = program;
  unsigned char *text = NULL;
  size_t length = 0;
  (void)device;
  TRM_TRY(ocl_binary_of(built->handle, built->name, &text, &length));
  if (built->temporal_count > 0) {
    const trm_status status = append_temporals(built, &text, &length);
    if (status != TRM_OK) {
      free(text);
      return status;
    }
  }
  *bytes = text;
  *count = length;
  return TRM_OK;
}

/* The binaries of the program and of its `temporals`, from the bytes that are one after the other;
 * 0 where they are not. */
static int take_apart(const unsigned char *bytes, size_t count, size_t temporals, ocl_bytes *out)
{
  uint64_t words[2], length;
  const size_t tail = (temporals + 3) * sizeof length;
  size_t at = 0;
  if (count < tail) return 0;
  memcpy(words, bytes + count - sizeof words, sizeof words);
  if (words[0] != temporals + 1 || words[1] != mark) return 0;
  for (size_t i = 0; i <= temporals; i++) {
    memcpy(&length, bytes + count - tail + i * sizeof length, sizeof length);
    if (length > count - tail - at) return 0;
    out[i] = (ocl_bytes){bytes + at, (size_t)length};
    at += (size_t)length;
  }
  return at == count - tail;
}

static trm_status load_program(ocl_device *device, const trm_build *build,
                               const ocl_bytes *binaries, int temporal_count, void **program)
{
  char options[256];
  cl_int state = CL_SUCCESS, code;
  cl_program handle =
      clCreateProgramWithBinary(device->context, 1, &device->id, &binaries->count,
                                (const unsigned char **)(uintptr_t)&binaries->bytes, &state, &code);
  if (code == CL_SUCCESS && state != CL_SUCCESS) {
    clReleaseProgram(handle);
    code = state;
  }
  if (code != CL_SUCCESS) return OCL_ERROR(code, "clCreateProgramWithBinary", build->name);
  ocl_program_options(device, build, options, sizeof options);
  code = clBuildProgram(handle, 1, &device->id, options, NULL, NULL);
  const trm_status status =
      code == CL_SUCCESS ? ocl_program_adopt(device, handle, build,
                                             temporal_count > 0 ? binaries + 1 : NULL, program)
                         : OCL_ERROR(code, "clBuildProgram", build->name);
  if (status != TRM_OK) clReleaseProgram(handle);
  return status;
}

trm_status ocl_program_load(void *device, const trm_build *build, const void *bytes, size_t count,
                            void **program)
{
  const int temporals = ocl_temporal_count(device, build);
  ocl_bytes *binaries = calloc((size_t)temporals + 1, sizeof *binaries);
  if (!binaries) return OCL_FAIL(NO_HOST_MEMORY, "no memory for program %s", build->name);
  binaries[0] = (ocl_bytes){bytes, count};
  const int is_sound = temporals == 0 || take_apart(bytes, count, (size_t)temporals, binaries);
  const trm_status status =
      is_sound ? load_program(device, build, binaries, temporals, program)
               : OCL_FAIL(BUILD, "%s: the cached code lacks that of several steps a launch",
                          build->name);
  free(binaries);
  return status;
}

trm_status ocl_program_key(void *device, const trm_build *build, char *line, size_t bytes)
{
  const ocl_device *opened = device;
  const cl_device_info words[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION,
                                  CL_DRIVER_VERSION, CL_DEVICE_OPENCL_C_VERSION};
  char text[256];
  line[0] = 0;
  ocl_platform_text(opened->platform, CL_PLATFORM_NAME, text, sizeof text);
  /* PoCL keeps each kernel that is launched; a binary has all of the program. */
  if (ocl_pocl_cache(text)) return TRM_OK;
  ocl_append(line, bytes, "%s", text);
  ocl_platform_text(opened->platform, CL_PLATFORM_VERSION, text, sizeof text);
  ocl_append(line, bytes, " | %s", text);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    ocl_device_text(opened->id, words[i], text, sizeof text);
    ocl_append(line, bytes, " | %s", text);
  }
  ocl_program_options(opened, build, text, sizeof text);
  ocl_append(line, bytes, " | %s | temporals %016llx", text,
             ocl_temporal_count(opened, build) ? (unsigned long long)ocl_temporal_key(opened) : 0);
  return TRM_OK;
}
