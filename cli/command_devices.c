/* command_devices.c - `trireme devices`: every device of every ready backend. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "run/json_parts.h"
#include "cli/terminal.h"
#include "run/text/json.h"

/* A device, and under mpirun whose it is. */
typedef struct listed {
  trm_device_info device;
  int rank;
} listed;

static json_t *as_json(const listed *list, size_t count)
{
  json_t *document = json_document("devices"), *array = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *one = json_device(&list[i].device);
    if (trm_rank_node(0)[0]) {
      json_object_set_new(one, "rank", json_integer(list[i].rank));
      json_object_set_new(one, "node", json_text(trm_rank_node(list[i].rank)));
    }
    json_array_append_new(array, one);
  }
  json_object_set_new(document, "devices", array);
  return document;
}

static const char *label_of(const listed *one, char text[64])
{
  const int used = snprintf(text, 64, "%s:%zu", one->device.backend, one->device.index);
  if (trm_rank_node(0)[0]) snprintf(text + used, 64 - (size_t)used, "@%d", one->rank);
  return text;
}

static void cell_of(const void *of, size_t row, size_t column, char text[TABLE_TEXT])
{
  const listed *one = &((const listed *)of)[row];
  const trm_device_info *device = &one->device;
  char label[64];
  switch (column) {
  case 0: snprintf(text, TABLE_TEXT, "%s", label_of(one, label)); break;
  case 1: snprintf(text, TABLE_TEXT, "%s", device->name); break;
  case 2: listing_bytes(device->memory_bytes, text, TABLE_TEXT); break;
  case 3: snprintf(text, TABLE_TEXT, "%s", device->has_f64 ? "f64" : "no f64"); break;
  case 4: snprintf(text, TABLE_TEXT, "%s", device->driver); break;
  case 5: snprintf(text, TABLE_TEXT, "%s", trm_rank_node(one->rank)); break;
  }
}

static void print(const listed *list, size_t count)
{
  char label[64];
  static const table_column columns[] = {
    {"device", 1, 0}, {"name", 1, 0}, {"memory", 0, 0}, {"double", 1, 1}, {"driver", 1, 2},
    {"machine", 1, 3},
  };
  table_print(columns, trm_rank_node(0)[0] ? 6 : 5, cell_of, list, count);
  if (count > 0) printf("\nrecorded steps at once\n");
  for (size_t i = 0; i < count; i++) {
    const char *fused = list[i].device.fused;
    const int used = printf("%s  ", label_of(&list[i], label));
    terminal_print(used, used, fused[0] ? fused : "its backend does not tell");
  }
  if (count == 0) message_warning("no backend is ready; 'trireme backends' says why");
}

static trm_status append(listed **list, size_t *count, const trm_device_info *devices, size_t more,
                         int rank)
{
  listed *grown = realloc(*list, (*count + more + 1) * sizeof *grown);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a list of devices");
  *list = grown;
  for (size_t i = 0; i < more; i++) grown[(*count)++] = (listed){devices[i], rank};
  return TRM_OK;
}

static trm_status list_all(trm_context *context, listed **list, size_t *count)
{
  const trm_device_info *own = NULL;
  size_t more = 0;
  TRM_TRY(trm_device_list(context, &own, &more));
  TRM_TRY(append(list, count, own, more, 0));
  for (int rank = 1; trm_rank_node(rank)[0]; rank++) {
    trm_device_info *devices = NULL;
    TRM_TRY(trm_ranks_devices(rank, &devices, &more));
    const trm_status status = append(list, count, devices, more, rank);
    free(devices);
    TRM_TRY(status);
  }
  return TRM_OK;
}

exit_code command_devices(const arguments *args)
{
  listed *list = NULL;
  size_t count = 0;
  trm_context *context = NULL;
  trm_status status = listing_begin(args, 0, "devices", &context);
  if (status == TRM_OK) status = list_all(context, &list, &count);
  if (status == TRM_OK && args->json) {
    status = listing_show(as_json(list, count));
  } else if (status == TRM_OK) {
    print(list, count);
  }
  const exit_code code = message_failure(status);
  free(list);
  trm_context_destroy(&context);
  return code;
}
