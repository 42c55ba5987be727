/* fused.c - how many recorded launches of each kernel a device carries out at once. Its backend
 * tells the number for each sequence; it is kept for profiles and results, and written to the
 * log. */
#include "core/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static trmi_fused_launches *entry_of(trm_device *device, const char *program, const char *kernel)
{
  for (size_t i = 0; i < device->fused_count; i++)
    if (strcmp(device->fused[i].kernel, kernel) == 0 &&
        strcmp(device->fused[i].program, program) == 0)
      return &device->fused[i];
  trmi_fused_launches *grown = realloc(device->fused,
                                       (device->fused_count + 1) * sizeof *device->fused);
  if (!grown) return NULL;
  device->fused = grown;
  trmi_fused_launches *added = &grown[device->fused_count++];
  *added = (trmi_fused_launches){ .launches = 0 };
  snprintf(added->program, sizeof added->program, "%s", program);
  snprintf(added->kernel, sizeof added->kernel, "%s", kernel);
  return added;
}

void trmi_fused_note(trm_device *device, const trm_program *program, const trm_command *launch,
                     int launches, const char *why)
{
  trmi_fused_launches *entry = entry_of(device, program->name, launch->declaration->name);
  if (!entry || launches <= entry->launches) return;
  entry->launches = launches;
  snprintf(entry->reason, sizeof entry->reason, "%s", launches > 1 ? "" : why ? why : "");
  trmi_log(TRM_LOG_INFO, "kernel %s, %d x %d cells: %d recorded step%s a %s%s%s", entry->kernel,
           launch->extent.nx, launch->extent.ny, launches, launches > 1 ? "s" : "",
           device->info.is_host ? "pass over memory" : "launch", *entry->reason ? ": " : "",
           entry->reason);
}

void trmi_fused_record(trm_device *device, const trm_sequence *sequence)
{
  if (device->domain) return; /* core/domain/passes.c does, at the first replay */
  for (size_t i = 0; i < sequence->count; i++) {
    const trm_command *command = &sequence->commands[i];
    const char *why = "the backend does not tell";
    int launches = 1;
    if (command->kind != TRM_COMMAND_LAUNCH) continue;
    if (!sequence->handle)
      why = TRMI_FUSED_PLAIN;
    else if (device->table->sequence_fused)
      launches = device->table->sequence_fused(device->handle, sequence->handle, i, &why);
    trmi_fused_note(device, sequence->kept[i].program, command, launches, why);
  }
}

size_t trmi_device_fused(const trm_device *device, const trmi_fused_launches **list)
{
  *list = device ? device->fused : NULL;
  return device ? device->fused_count : 0;
}
