/* command_backends.c - `trireme backends`: every plugin file considered, its state, reason and
 * cure. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "run/text/json.h"

static json_t *as_json(const trm_backend_info *list, size_t count)
{
  json_t *document = json_document("backends"), *array = json_array();
  for (size_t i = 0; i < count; i++) {
    const trm_backend_info *b = &list[i];
    json_array_append_new(
        array,
        json_pack("{s:o, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:I}", "name", json_text(b->name),
                  "path", json_text(b->path), "state", trm_backend_state_text(b->state), "ready",
                  b->state == TRM_BACKEND_READY, "summary", json_text(b->summary), "version",
                  json_text(b->version), "reason", json_text(b->reason), "cure", json_text(b->cure),
                  "devices", (json_int_t)b->device_count));
  }
  json_object_set_new(document, "backends", array);
  return document;
}

static void print_backend(const trm_backend_info *b)
{
  const message_colour colour = b->state == TRM_BACKEND_READY ? COLOUR_GOOD : COLOUR_BAD;
  printf("%-10s %s%-16s%s %s\n", b->name, colour_begin(stdout, colour),
         trm_backend_state_text(b->state), colour_end(stdout, colour),
         b->summary[0] ? b->summary : "");
  if (b->state == TRM_BACKEND_READY)
    printf("           %zu device%s; %s\n", b->device_count, b->device_count == 1 ? "" : "s",
           b->version[0] ? b->version : "version unknown");
  if (b->reason[0])
    printf("           %s %s\n", b->state == TRM_BACKEND_READY ? "note:  " : "reason:", b->reason);
  if (b->cure[0]) printf("           cure:    %s\n", b->cure);
  printf("           file:    %s\n", b->path[0] ? b->path : "none found");
}

exit_code command_backends(const arguments *args)
{
  const trm_backend_info *list = NULL;
  size_t count = 0;
  trm_context *context = NULL;
  trm_status status = listing_begin(args, 0, "backends", &context);
  if (status == TRM_OK) status = trm_backend_list(context, &list, &count);
  if (status == TRM_OK && args->json) status = listing_show(as_json(list, count));
  else if (status == TRM_OK)
    for (size_t i = 0; i < count; i++) print_backend(&list[i]);
  const exit_code code = message_failure(status);
  trm_context_destroy(&context);
  return code;
}
