/* command_devices.c - `trireme devices`: every device of every ready backend. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/run/json.h"
#include "cli/listing.h"
#include "cli/message.h"

static json_t *as_json(const trm_device_info *list, size_t count)
{
  json_t *document = json_document("devices"), *array = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(array, json_device(&list[i]));
  json_object_set_new(document, "devices", array);
  return document;
}

static void print_device(const trm_device_info *device)
{
  char id[64], memory[32];
  snprintf(id, sizeof id, "%s:%zu", device->backend, device->index);
  listing_bytes(device->memory_bytes, memory, sizeof memory);
  printf("%-10s %-40s %10s  %-6s %s\n", id, device->name, memory,
         device->has_f64 ? "f64" : "no f64", device->driver);
}

exit_code command_devices(const arguments *args)
{
  const trm_device_info *list = NULL;
  size_t count = 0;
  trm_context *context = NULL;
  trm_status status = listing_begin(args, 0, "devices", &context);
  if (status == TRM_OK) status = trm_device_list(context, &list, &count);
  if (status == TRM_OK && args->json) {
    status = listing_show(as_json(list, count));
  } else if (status == TRM_OK) {
    printf("%-10s %-40s %10s  %-6s %s\n", "device", "name", "memory", "double", "driver");
    for (size_t i = 0; i < count; i++) print_device(&list[i]);
    if (count == 0) message_warning("no backend is ready; 'trireme backends' says why");
  }
  const exit_code code = message_failure(status);
  trm_context_destroy(&context);
  return code;
}
