/* program.h - a program, its kernels and the struct of parameters that all of them take, for a
 * solver that writes its own table. Usable without the rest of the framework. */
#ifndef TRIREME_FRAMEWORK_PROGRAM_H
#define TRIREME_FRAMEWORK_PROGRAM_H

#include "core/modules.h"
#include "core/sharing.h"
#include "solvers/framework/params.h"
#include "solvers/solver.h"

enum { TRM_FRAMEWORK_KERNELS = 48 };

typedef struct trm_framework_program {
  trm_program *program;
  trm_precision precision;
  trm_framework_params params;
  trm_kernel *kernels[TRM_FRAMEWORK_KERNELS];
  char *text;                  /* lines before the source's text, and that text; or NULL */
} trm_framework_program;

/* Defines NAME_source for the kernels of the file, which the build embeds as NAME. */
#define TRM_FRAMEWORK_SOURCE(name_, file_) \
  extern const char trm_text_##name_[]; \
  TRM_DECLARE_MODULES(name_); \
  static const trm_program_source name_##_source = { #name_, file_, trm_text_##name_, \
                                                     TRM_MODULES(name_) }

/* The parts of a program. */
typedef struct trm_framework_recipe {
  const trm_program_source *source;
  const char *variant;         /* as in trm_program_options; NULL: none */
  const char *params;          /* the struct that every kernel takes: "heat_params" */
  size_t params_bytes;         /* its size on the host, where a real is a double */
  const char *const *kernels;  /* by their numbers in ..._program_launch; ends with NULL */
} trm_framework_recipe;

/* Builds the program for the run. After a failure, *out holds the parts made so far, for
 * trm_framework_program_destroy. */
TRM_API trm_status trm_framework_program_create(trm_device *device,
                                                const trm_framework_recipe *recipe,
                                                const trm_solver_options *run,
                                                trm_framework_program *out);
/* The same with lines such as "#define HEAT_TILE 16\n" before the text, for compilers of GPUs
 * alone. The compiler leaves out code that the run never reaches, and a form that no host needs
 * costs no instance. NULL: no lines. Where a host instance chooses by the parameters, the text has
 * an `#ifndef NAME` with that choice. */
TRM_API trm_status trm_framework_program_create_with(trm_device *device,
                                                     const trm_framework_recipe *recipe,
                                                     const char *defines,
                                                     const trm_solver_options *run,
                                                     trm_framework_program *out);
TRM_API void trm_framework_program_destroy(trm_framework_program *program);

/* Launches that kernel over nx x ny cells, or over that many groups. params: the struct with real
 * as double. */
TRM_API trm_status trm_framework_program_launch(const trm_framework_program *program, int kernel,
                                                int nx, int ny, const void *params,
                                                trm_buffer *const *buffers, size_t count);

/* Launches over row `row` of the buffers alone (trm_kernel_launch_row). */
TRM_API trm_status trm_framework_program_launch_row(const trm_framework_program *program,
                                                    int kernel, int nx, int row, const void *params,
                                                    trm_buffer *const *buffers, size_t count);

/* Launches groups that several devices share (trm_kernel_launch_groups,
 * trm_kernel_launch_shared). */
TRM_API trm_status trm_framework_program_launch_groups(const trm_framework_program *program,
                                                       int kernel, int nx, int ny, int each,
                                                       uint32_t replicated, const void *params,
                                                       trm_buffer *const *buffers, size_t count);
TRM_API trm_status trm_framework_program_launch_shared(const trm_framework_program *program,
                                                       int kernel, int nx,
                                                       const trm_sharing *sharing,
                                                       const void *params,
                                                       trm_buffer *const *buffers, size_t count);

/* trm_framework_program_launch with the buffers as arguments. */
#define TRM_FRAMEWORK_LAUNCH(program, kernel, nx, ny, params, ...) \
  trm_framework_program_launch(program, kernel, nx, ny, params, \
                               (trm_buffer *const[]){ __VA_ARGS__ }, \
                               sizeof((trm_buffer *const[]){ __VA_ARGS__ }) / sizeof(trm_buffer *))

#endif
