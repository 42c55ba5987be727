/* program.c - building a program, and launches with parameters in doubles. */
#include <config.h>

#include "core/sharing.h"
#include "solvers/framework/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static trm_status read_params(const trm_framework_recipe *recipe, trm_framework_params *out)
{
  TRM_TRY(trm_framework_params_read(recipe->source->text, recipe->params, out));
  if (out->bytes[TRM_F64] == recipe->params_bytes) return TRM_OK;
  return TRM_FAIL(INVALID, "struct %s is %zu bytes in %s and %zu on the host; include the kernels' "
                  "header", recipe->params, out->bytes[TRM_F64], recipe->source->file,
                  recipe->params_bytes);
}

/* Gives source a new text, which program->text keeps: the defines and its old text. */
static trm_status join_text(const char *defines, trm_framework_program *program,
                            trm_program_source *source)
{
  static const char form[] = "%s#line 1 \"%s\"\n%s";
  const size_t bytes = sizeof form + strlen(defines) + strlen(source->file) +
                       strlen(source->text);
  program->text = malloc(bytes);
  if (!program->text) return TRM_FAIL(NO_HOST_MEMORY, "%s: out of host memory", source->file);
  snprintf(program->text, bytes, form, defines, source->file, source->text);
  source->text = program->text;
  return TRM_OK;
}

trm_status trm_framework_program_create(trm_device *device, const trm_framework_recipe *recipe,
                                        const trm_solver_options *run, trm_framework_program *out)
{
  return trm_framework_program_create_with(device, recipe, NULL, run, out);
}

static trm_status make(trm_device *device, const trm_framework_recipe *recipe, const char *defines,
                       const trm_solver_options *run, trm_framework_program *out)
{
  const trm_program_options how = { run->precision, run->math, recipe->variant, run->row_group_x,
                                    run->row_group_y, run->group };
  *out = (trm_framework_program){ .precision = run->precision };
  trm_program_source source = *recipe->source;
  TRM_TRY(read_params(recipe, &out->params));
  if (defines) TRM_TRY(join_text(defines, out, &source));
  TRM_TRY(trm_program_create(device, &source, &how, &out->program));
  for (int i = 0; recipe->kernels[i]; i++) {
    if (i == TRM_FRAMEWORK_KERNELS)
      return TRM_FAIL(INVALID, "%s: more than %d kernels of one program", recipe->source->file, i);
    TRM_TRY(trm_program_kernel(out->program, recipe->kernels[i], &out->kernels[i]));
  }
  return TRM_OK;
}

trm_status trm_framework_program_create_with(trm_device *device, const trm_framework_recipe *recipe,
                                             const char *defines, const trm_solver_options *run,
                                             trm_framework_program *out)
{
  return trm_device_agree(device, make(device, recipe, defines, run, out));
}

void trm_framework_program_destroy(trm_framework_program *program)
{
  trm_program_destroy(&program->program);
  free(program->text);
  program->text = NULL;
}

trm_status trm_framework_program_launch(const trm_framework_program *program, int kernel, int nx,
                                        int ny, const void *params, trm_buffer *const *buffers,
                                        size_t count)
{
  const trm_extent cells = { nx, ny, 1, 0 };
  unsigned char packed[TRM_MAX_PARAM_BYTES];
  trm_framework_params_pack(&program->params, program->precision, params, packed);
  return trm_kernel_launch(program->kernels[kernel], &cells, packed,
                           program->params.bytes[program->precision], buffers, count);
}

trm_status trm_framework_program_launch_row(const trm_framework_program *program, int kernel,
                                            int nx, int row, const void *params,
                                            trm_buffer *const *buffers, size_t count)
{
  const trm_extent cells = { nx, 1, 1, 0 };
  unsigned char packed[TRM_MAX_PARAM_BYTES];
  trm_framework_params_pack(&program->params, program->precision, params, packed);
  return trm_kernel_launch_row(program->kernels[kernel], &cells, row, packed,
                               program->params.bytes[program->precision], buffers, count);
}

trm_status trm_framework_program_launch_groups(const trm_framework_program *program, int kernel,
                                               int nx, int ny, int each, uint32_t whole,
                                               const void *params, trm_buffer *const *buffers,
                                               size_t count)
{
  const trm_extent groups = { nx, ny, 1, 0 };
  unsigned char packed[TRM_MAX_PARAM_BYTES];
  trm_framework_params_pack(&program->params, program->precision, params, packed);
  return trm_kernel_launch_groups(program->kernels[kernel], &groups, each, whole, packed,
                                  program->params.bytes[program->precision], buffers, count);
}

trm_status trm_framework_program_launch_shared(const trm_framework_program *program, int kernel,
                                               int nx, const trm_sharing *sharing,
                                               const void *params, trm_buffer *const *buffers,
                                               size_t count)
{
  const trm_extent groups = { nx, 1, 1, 0 };
  unsigned char packed[TRM_MAX_PARAM_BYTES];
  trm_framework_params_pack(&program->params, program->precision, params, packed);
  return trm_kernel_launch_shared(program->kernels[kernel], &groups, sharing, packed,
                                  program->params.bytes[program->precision], buffers, count);
}
