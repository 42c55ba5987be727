/* together.c - how many recorded launches of each kernel a device carries out at once. Its backend
 * tells the number for each sequence; it is kept for profiles and results, and written to the
 * log. */
#include "core/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static trmi_together *entry_of(trm_device *device, const char *program, const char *kernel)
{
  for (size_t i = 0; i < device->together_count; i++)
    if (strcmp(device->together[i].kernel, kernel) == 0 &&
        strcmp(device->together[i].program, program) == 0)
      return &device->together[i];
  trmi_together *grown = realloc(device->together,
                                 (device->together_count + 1) * sizeof *device->together);
  if (!grown) return NULL;
  device->together = grown;
  trmi_together *added = &grown[device->together_count++];
  *added = (trmi_together){ .launches = 0 };
  snprintf(added->program, sizeof added->program, "%s", program);
  snprintf(added->kernel, sizeof added->kernel, "%s", kernel);
  return added;
}

static void note(trm_device *device, const trm_program *program, const trm_command *launch,
                 int launches, const char *why)
{
  trmi_together *entry = entry_of(device, program->name, launch->declaration->name);
  if (!entry || launches <= entry->launches) return;
  entry->launches = launches;
  snprintf(entry->reason, sizeof entry->reason, "%s", launches > 1 ? "" : why ? why : "");
  trmi_log(TRM_LOG_INFO, "kernel %s, %d x %d cells: %d recorded step%s a %s%s%s", entry->kernel,
           launch->extent.nx, launch->extent.ny, launches, launches > 1 ? "s" : "",
           device->info.is_host ? "pass over memory" : "launch", *entry->reason ? ": " : "",
           entry->reason);
}

void trmi_together_note(trm_device *device, const trm_sequence *sequence)
{
  for (size_t i = 0; i < sequence->count; i++) {
    const trm_command *command = &sequence->commands[i];
    const char *why = "the backend does not tell";
    int launches = 1;
    if (command->kind != TRM_COMMAND_LAUNCH) continue;
    if (device->is_crew)
      why = "several devices share each launch";
    else if (!sequence->handle)
      why = "commands are enqueued one by one (run.plain_replay, a watch)";
    else if (device->table->sequence_together)
      launches = device->table->sequence_together(device->handle, sequence->handle, i, &why);
    note(device, sequence->kept[i].program, command, launches, why);
  }
}

size_t trmi_device_together(const trm_device *device, const trmi_together **list)
{
  *list = device ? device->together : NULL;
  return device ? device->together_count : 0;
}
