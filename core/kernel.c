/* kernel.c - one launch: every argument is checked against the kernel's declaration, then enqueued
 * or recorded. */
#include "core/internal.h"
#include "core/sharing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *trm_kernel_name(const trm_kernel *kernel)
{
  return kernel ? kernel->declaration->name : "";
}

/* "lbm_step, lbm_fold", and the nearest of them. */
static trm_status no_such_kernel(const trm_program *program, const char *name)
{
  const trm_host_module *module = program->module;
  const size_t count = (size_t)module->kernel_count;
  char list[500] = "", nearest[128] = "";
  const char **names = malloc((count + 1) * sizeof *names);
  for (size_t i = 0; names && i < count; i++) names[i] = module->kernels[i].name;
  if (names) trmi_suggestion(name, names, count, nearest, sizeof nearest);
  free(names);
  for (size_t i = 0; i < count; i++)
    trmi_append(list, sizeof list, "%s%s", i ? ", " : "", module->kernels[i].name);
  return TRM_FAIL(NOT_FOUND, "program \"%s\" has no kernel \"%s\"%s; it has %s", program->name,
                  name, nearest, list);
}

trm_status trm_program_kernel(trm_program *program, const char *name, trm_kernel **out)
{
  if (!program) return TRM_FAIL(INVALID, "trm_program_kernel: program is NULL");
  if (!name || !out) return TRM_FAIL(INVALID, "trm_program_kernel: name or out is NULL");
  trm_device *device = program->device;
  for (int i = 0; i < program->module->kernel_count; i++) {
    trm_kernel *kernel = &program->kernels[i];
    if (strcmp(kernel->declaration->name, name) != 0) continue;
    trmi_log_to(device->context);
    if (!kernel->handle)
      TRM_TRY(device->table->kernel_get(device->handle, program->handle, kernel->declaration,
                                        &kernel->handle));
    *out = kernel;
    return TRM_OK;
  }
  return no_such_kernel(program, name);
}

static trm_status check_extent(const char *name, const trm_extent *extent)
{
  if (!extent) return TRM_FAIL(INVALID, "launch of %s: extent is NULL", name);
  if (extent->nx < 1 || extent->ny < 1 || extent->nz < 1)
    return TRM_FAIL(INVALID, "launch of %s: extent %d x %d x %d; each is 1 or more", name,
                    (int)extent->nx, (int)extent->ny, (int)extent->nz);
  if ((int64_t)extent->ny * extent->nz > INT64_MAX / extent->nx)
    return TRM_FAIL(OVERFLOW,
                    "launch of %s: extent %d x %d x %d has more points than can be counted", name,
                    (int)extent->nx, (int)extent->ny, (int)extent->nz);
  return TRM_OK;
}

static trm_status check_params(const trm_host_kernel *declaration, const void *params, size_t bytes)
{
  if (bytes != (size_t)declaration->param_bytes)
    return TRM_FAIL(INVALID,
                    "launch of %s: %zu bytes of parameters, the kernel declares %d; pass its own "
                    "parameter struct",
                    declaration->name, bytes, declaration->param_bytes);
  if (bytes && !params) return TRM_FAIL(INVALID, "launch of %s: params is NULL", declaration->name);
  return TRM_OK;
}

/* Kernels' pointers are restrict: what one argument writes no other may touch. */
static trm_status check_aliases(const trm_host_kernel *declaration, trm_buffer *const *buffers,
                                size_t i)
{
  for (size_t j = 0; j < i; j++)
    if (buffers[i] == buffers[j] &&
        (declaration->access[i] == 'w' || declaration->access[j] == 'w'))
      return TRM_FAIL(INVALID,
                      "launch of %s: buffer \"%s\" is argument %zu and argument %zu, and one of "
                      "them is written; pass different buffers",
                      declaration->name, buffers[i]->name, j, i);
  return TRM_OK;
}

static trm_status check_buffers(const trm_kernel *kernel, trm_buffer *const *buffers, size_t count)
{
  const trm_host_kernel *declaration = kernel->declaration;
  char label[256];
  if (count != (size_t)declaration->buffer_count)
    return TRM_FAIL(INVALID, "launch of %s: %zu buffers, the kernel declares %d", declaration->name,
                    count, declaration->buffer_count);
  if (count && !buffers)
    return TRM_FAIL(INVALID, "launch of %s: buffers is NULL", declaration->name);
  for (size_t i = 0; i < count; i++) {
    if (!buffers[i])
      return TRM_FAIL(INVALID, "launch of %s: buffer argument %zu is NULL", declaration->name, i);
    if (buffers[i]->device != kernel->program->device)
      return TRM_FAIL(INVALID, "launch of %s: buffer \"%s\" belongs to another device than %s",
                      declaration->name, buffers[i]->name,
                      trmi_device_label(kernel->program->device, label, sizeof label));
    TRM_TRY(check_aliases(declaration, buffers, i));
  }
  return TRM_OK;
}

static trm_status submit(trm_kernel *kernel, const trm_extent *extent, trmi_sharing sharing,
                         const void *params, size_t param_bytes, trm_buffer *const *buffers,
                         size_t buffer_count)
{
  const trm_host_kernel *declaration = kernel->declaration;
  TRM_TRY(check_extent(declaration->name, extent));
  TRM_TRY(check_params(declaration, params, param_bytes));
  TRM_TRY(check_buffers(kernel, buffers, buffer_count));
  if (!sharing.how.each && kernel->program->device->is_replicated)
    sharing.how.each = TRMI_REPLICATED;
  trm_command command = { .kind = TRM_COMMAND_LAUNCH, .kernel = kernel->handle,
                          .declaration = declaration, .extent = *extent,
                          .param_bytes = (uint32_t)param_bytes,
                          .buffer_count = (uint32_t)buffer_count, .sharing = &sharing };
  command.extent.unused = 0;
  if (param_bytes) memcpy(command.params, params, param_bytes);
  for (size_t i = 0; i < buffer_count; i++) command.buffers[i] = buffers[i]->handle;
  return trmi_device_submit(kernel->program->device, &command, buffers, buffer_count,
                            kernel->program);
}

trm_status trmi_kernel_launch_chunks(trm_kernel *kernel, const trm_extent *extent, int32_t rows,
                                     const trmi_chunks *chunks, const void *params,
                                     size_t param_bytes, trm_buffer *const *buffers,
                                     size_t buffer_count)
{
  trmi_sharing sharing = { .at_row = 0 };
  if (chunks) sharing = (trmi_sharing){ .how.each = rows, .chunks = *chunks };
  return submit(kernel, extent, sharing, params, param_bytes, buffers, buffer_count);
}

trm_status trm_kernel_launch(trm_kernel *kernel, const trm_extent *extent, const void *params,
                             size_t param_bytes, trm_buffer *const *buffers, size_t buffer_count)
{
  if (!kernel) return TRM_FAIL(INVALID, "trm_kernel_launch: kernel is NULL");
  return submit(kernel, extent, (trmi_sharing){ .at_row = 0 }, params, param_bytes, buffers,
                buffer_count);
}

trm_status trm_kernel_launch_row(trm_kernel *kernel, const trm_extent *extent, int64_t row,
                                 const void *params, size_t param_bytes,
                                 trm_buffer *const *buffers, size_t buffer_count)
{
  if (!kernel) return TRM_FAIL(INVALID, "trm_kernel_launch_row: kernel is NULL");
  if (row < 0) return TRM_FAIL(INVALID, "launch of %s: row %lld; rows count from 0",
                               kernel->declaration->name, (long long)row);
  return submit(kernel, extent, (trmi_sharing){ .at_row = row + 1 }, params, param_bytes, buffers,
                buffer_count);
}

trm_status trm_kernel_launch_groups(trm_kernel *kernel, const trm_extent *extent, int32_t each,
                                    uint32_t replicated, const void *params, size_t param_bytes,
                                    trm_buffer *const *buffers, size_t buffer_count)
{
  const trm_sharing sharing = { .each = each, .replicated = replicated };
  return trm_kernel_launch_shared(kernel, extent, &sharing, params, param_bytes, buffers,
                                  buffer_count);
}

/* A launch over a list has `counts` and `each`; a launch over rows has only `halo`, `in_place` and
 * `write_only`. */
static trm_status check_rows(const trm_host_kernel *declaration, const trm_sharing *how)
{
  const int is_list = how->counts > 0, has_lists = how->device_local || how->is_of_gpus;
  if (how->adjacent || how->replicated || how->derived || how->halo < 0 ||
      how->in_place < 0 || how->in_place > how->halo ||
      (is_list ? how->each < 1 || how->write_only : how->each || has_lists))
    return TRM_FAIL(INVALID, "launch of %s: for a row kernel over rows set only `write_only`, "
                    "`halo` and `in_place` of trm_sharing; over a list set `counts`, `each` of 1 "
                    "or more and `halo` of 0 or more, and leave `write_only` 0; `in_place` is at "
                    "most the halo", declaration->name);
  return TRM_OK;
}

static trm_status check_groups(const trm_host_kernel *declaration, const trm_sharing *how)
{
  const int are_own = how->each == TRM_EACH_ITS_OWN && !how->counts && !how->derived && !how->halo;
  if ((how->each < 0 && !are_own) || (how->each == 0 && !(how->adjacent && how->derived)))
    return TRM_FAIL(INVALID, "launch of %s: set `each` of trm_sharing to 1 or more for a group "
                    "kernel; to 0 with `adjacent` and `derived` alone, and to TRM_EACH_ITS_OWN "
                    "with `adjacent` alone", declaration->name);
  if (how->device_local || how->is_of_gpus || how->write_only || how->in_place)
    return TRM_FAIL(INVALID, "launch of %s: leave `device_local`, `is_of_gpus`, `write_only` and "
                    "`in_place` of trm_sharing 0 for a group kernel", declaration->name);
  if (how->halo < 0 || (how->halo && (how->adjacent || how->counts || how->derived)))
    return TRM_FAIL(INVALID, "launch of %s: set `halo` of trm_sharing to 0 or more for a group "
                    "kernel; with a halo leave `adjacent`, `counts` and `derived` 0",
                    declaration->name);
  return TRM_OK;
}

trm_status trm_kernel_launch_shared(trm_kernel *kernel, const trm_extent *extent,
                                    const trm_sharing *sharing, const void *params,
                                    size_t param_bytes, trm_buffer *const *buffers,
                                    size_t buffer_count)
{
  if (!kernel || !sharing)
    return TRM_FAIL(INVALID, "trm_kernel_launch_shared: kernel or sharing is NULL");
  const trm_host_kernel *declaration = kernel->declaration;
  TRM_TRY(declaration->kind == TRM_KERNEL_ROW ? check_rows(declaration, sharing)
                                              : check_groups(declaration, sharing));
  if (sharing->counts > buffer_count || sharing->derived < 0 ||
      (sharing->counts && sharing->derived))
    return TRM_FAIL(INVALID, "launch of %s: set only one of `counts` and `derived` of trm_sharing; "
                    "`counts` is a buffer from 1 to %zu, `derived` is 0 or more",
                    declaration->name, buffer_count);
  return submit(kernel, extent, (trmi_sharing){ .how = *sharing }, params, param_bytes, buffers,
                buffer_count);
}

void trmi_launch_resources(trm_device *device, const trm_command *launch,
                           trm_kernel_resources *out)
{
  *out = (trm_kernel_resources){-1, -1, -1, -1, -1, -1, ""};
  if (device->info.is_host)
    snprintf(out->reason, sizeof out->reason, "a processor's registers were assigned "
             "when the program was built");
  else if (!device->table->kernel_resources)
    snprintf(out->reason, sizeof out->reason, "the %s backend does not tell", device->table->name);
  if (device->info.is_host || !device->table->kernel_resources) return;
  trm_error kept;
  trmi_error_keep(&kept);
  trmi_log_to(device->context);
  if (device->table->kernel_resources(device->handle, launch, out) != TRM_OK)
    snprintf(out->reason, sizeof out->reason, "%.190s", trm_error_last()->text);
  trmi_error_restore(&kept);
}
