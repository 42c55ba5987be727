/* kept_launch_repeat.c - a kept command on a device: its program comes from its solver, which is
 * set up and makes no step; its buffers are filled with what was kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/bisect/kept_launch.h"
#include "cli/run/session.h"

/* ---- which side -------------------------------------------------------------------- */

/* A GPU's kernels select at the ends of a row, so they do not mind the ghost columns of a host's
 * buffers; a host's need them. */
int kept_launch_side(const kept_launch *kept, const trm_device_info *device, int from)
{
  for (int exact = 1; exact >= 0; exact--)
    for (int s = from; s < 2; s++) {
      const trm_device_info *of = &kept->sides[s].device;
      const int is_same =
          of->is_host == device->is_host && of->ghost_columns == device->ghost_columns;
      if (exact ? is_same : of->is_host && !device->is_host) return s;
    }
  return 2;
}

/* ---- the program -------------------------------------------------------------------- */

enum { PROGRAM_LIMIT = 64 };

typedef struct met_programs {
  trm_program *list[PROGRAM_LIMIT];
  size_t count;
} met_programs;

static trm_status on_program(void *user, trm_program *created)
{
  met_programs *met = user;
  if (met->count < PROGRAM_LIMIT) met->list[met->count++] = created;
  return TRM_OK;
}

static trm_status find_kernel(const kept_side *side, const met_programs *met, trm_kernel **out)
{
  for (size_t i = 0; i < met->count; i++) {
    const trm_program_info *info = trm_program_describe(met->list[i]);
    if (strcmp(trmi_program_name(met->list[i]), side->program) != 0 ||
        strcmp(info->variant, side->variant) != 0)
      continue;
    if (info->group != side->group)
      return TRM_FAIL(UNSUPPORTED, "the launch counts groups of %d items, and here the program "
                      "'%s' has groups of %d; repeat it on the device of the other side",
                      side->group, side->program, info->group);
    return trm_program_kernel(met->list[i], side->kernel, out);
  }
  return TRM_FAIL(NOT_FOUND, "the solver '%s' builds no program '%s'%s%s when it is set up; repeat "
                  "the launch with the version of the solver that kept it", side->chosen.type->name,
                  side->program, side->variant[0] ? " of variant " : "", side->variant);
}

/* ---- the command ---------------------------------------------------------------------- */

static trm_status carry_out(const kept_side *side, const met_programs *met, trm_buffer **buffers)
{
  const trm_command *c = &side->command;
  trm_kernel *kernel = NULL;
  switch (c->kind) {
  case TRM_COMMAND_LAUNCH:
    TRM_TRY(find_kernel(side, met, &kernel));
    return trm_kernel_launch(kernel, &c->extent, c->params, c->param_bytes, buffers,
                             c->buffer_count);
  case TRM_COMMAND_COPY:
    if (c->buffer_count != 2) break;
    return trm_buffer_copy(buffers[0], c->offset, buffers[1], c->source_offset, c->bytes);
  case TRM_COMMAND_FILL:
    return trm_buffer_fill(buffers[0], c->offset, c->bytes, c->pattern, c->pattern_bytes);
  }
  return TRM_FAIL(INPUT, "the kept copy has %u buffers; make the folder again with 'trireme "
                  "compare ... --bisect'", c->buffer_count);
}

static trm_status upload(const kept_side *side, trm_device *device, trm_buffer **buffers)
{
  for (uint32_t i = 0; i < side->command.buffer_count; i++) {
    const kept_data *data = &side->buffers[i];
    for (uint32_t k = 0; k < i && side->command.kind != TRM_COMMAND_LAUNCH; k++)
      if (strcmp(side->buffers[k].name, data->name) == 0) buffers[i] = buffers[k]; /* within one */
    if (buffers[i]) continue;
    TRM_TRY(trm_buffer_create(device, data->bytes, data->name, &buffers[i]));
    TRM_TRY(trm_buffer_write(buffers[i], 0, data->bytes, data->before));
  }
  return TRM_OK;
}

static trm_status download(const kept_side *side, trm_buffer **buffers, unsigned char **after)
{
  for (uint32_t i = 0; i < side->command.buffer_count; i++) {
    if (!side->buffers[i].after) continue;
    after[i] = malloc(side->buffers[i].bytes);
    if (!after[i]) return TRM_FAIL(NO_HOST_MEMORY, "no memory for what a launch wrote");
    TRM_TRY(trm_buffer_read(buffers[i], 0, side->buffers[i].bytes, after[i]));
  }
  return TRM_OK;
}

trm_status kept_launch_repeat(const kept_launch *kept, int side_index, trm_device *device,
                              unsigned char *after[TRM_MAX_BUFFERS])
{
  const kept_side *side = &kept->sides[side_index];
  run_case chosen = side->chosen;
  met_programs met = {.count = 0};
  const trmi_watch watch = {.user = &met, .program = on_program};
  trm_buffer *buffers[TRM_MAX_BUFFERS] = {NULL};
  session run;
  if (!trm_device_describe(device)->is_host && side->group) chosen.settings.solver.group =
      side->group;
  trmi_device_watch(device, &watch);
  trm_status status = session_begin(&run, &chosen, device, NULL);
  trmi_device_watch(device, NULL);
  if (status == TRM_OK) status = upload(side, device, buffers);
  if (status == TRM_OK) status = carry_out(side, &met, buffers);
  if (status == TRM_OK) status = trm_device_finish(device);
  if (status == TRM_OK) status = download(side, buffers, after);
  for (uint32_t i = TRM_MAX_BUFFERS; i-- > 0;) {
    for (uint32_t k = 0; k < i; k++) if (buffers[k] == buffers[i]) buffers[i] = NULL;
    trm_buffer_destroy(&buffers[i]);
  }
  session_end(&run);
  return status;
}
