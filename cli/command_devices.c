/* command_devices.c - `trireme devices`: every device of every ready backend. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/run/json.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "cli/terminal.h"

static json_t *as_json(const trm_device_info *list, size_t count)
{
  json_t *document = json_document("devices"), *array = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(array, json_device(&list[i]));
  json_object_set_new(document, "devices", array);
  return document;
}

static void cell_of(const void *of, size_t row, size_t column, char text[TABLE_TEXT])
{
  const trm_device_info *device = &((const trm_device_info *)of)[row];
  switch (column) {
  case 0: snprintf(text, TABLE_TEXT, "%s:%zu", device->backend, device->index); break;
  case 1: snprintf(text, TABLE_TEXT, "%s", device->name); break;
  case 2: listing_bytes(device->memory_bytes, text, TABLE_TEXT); break;
  case 3: snprintf(text, TABLE_TEXT, "%s", device->has_f64 ? "f64" : "no f64"); break;
  case 4: snprintf(text, TABLE_TEXT, "%s", device->driver); break;
  }
}

static void print(const trm_device_info *list, size_t count)
{
  static const table_column columns[] = {
    {"device", 1, 0}, {"name", 1, 0}, {"memory", 0, 0}, {"double", 1, 1}, {"driver", 1, 2},
  };
  table_print(columns, sizeof columns / sizeof columns[0], cell_of, list, count);
  if (count > 0) printf("\nrecorded steps at once\n");
  for (size_t i = 0; i < count; i++) {
    const int used = printf("%s:%zu  ", list[i].backend, list[i].index);
    terminal_print(used, used,
                   list[i].together[0] ? list[i].together : "its backend does not tell");
  }
  if (count == 0) message_warning("no backend is ready; 'trireme backends' says why");
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
    print(list, count);
  }
  const exit_code code = message_failure(status);
  trm_context_destroy(&context);
  return code;
}
