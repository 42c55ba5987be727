/* kept_launch.c - one command of two runs, as a folder of files. */
#include "cli/compare/bisect/kept_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/bisect/bisection_stage.h"
#include "cli/run/json.h"
#include "io/file.h"

static trm_status no_memory(void)
{
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for what a launch read and wrote");
}

/* ---- small pieces ---------------------------------------------------------------- */

static json_t *hexadecimal(const unsigned char *bytes, size_t count)
{
  char text[2 * TRM_MAX_PARAM_BYTES + 1] = "";
  for (size_t i = 0; i < count && i < TRM_MAX_PARAM_BYTES; i++)
    snprintf(text + 2 * i, 3, "%02x", bytes[i]);
  return json_string(text);
}

static json_t *checksum(const unsigned char *bytes, size_t count)
{
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, count));
  return hexadecimal(canonical.digest, sizeof canonical.digest);
}

static json_t *numbers(const size_t *values, size_t count)
{
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(array, json_integer((json_int_t)values[i]));
  return array;
}

static trm_status save(const char *folder, const char *name, const void *bytes, size_t count)
{
  char *path = NULL;
  TRM_TRY(trm_path_join(folder, name, &path));
  const trm_status status = trm_file_save(path, bytes, count);
  free(path);
  return status;
}

/* "side-0-lattice-1-2.before" */
static void file_name(int side, const char *name, size_t number, const char *when, char *out,
                      size_t bytes)
{
  char word[64];
  snprintf(word, sizeof word, "%s", name);
  for (char *c = word; *c; c++)
    if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
      *c = '-';
  snprintf(out, bytes, "side-%d-%s-%zu.%s", side, word, number, when);
}

/* ---- writing --------------------------------------------------------------------- */

static trm_status save_bytes(const char *folder, int side, const char *name, size_t number,
                             const char *when, const unsigned char *bytes, size_t count,
                             json_t *entry)
{
  char file[128];
  if (!bytes) return TRM_OK;
  file_name(side, name, number, when, file, sizeof file);
  TRM_TRY(save(folder, file, bytes, count));
  json_object_set_new(entry, when,
                      json_pack("{s:s, s:o}", "file", file, "xxh128", checksum(bytes, count)));
  return TRM_OK;
}

static trm_status write_buffers(const char *folder, int side, const trail *t, json_t *array)
{
  for (size_t i = 0; i < t->kept.buffer_count; i++) {
    const kept_buffer *kept = &t->kept.buffers[i];
    const trail_buffer *buffer = &t->buffers[kept->buffer];
    json_t *entry = json_pack("{s:s, s:s, s:I}", "name", buffer->name, "access",
                              kept->access == 'w' ? "w" : "r", "bytes",
                              (json_int_t)buffer->bytes);
    if (!entry || json_array_append_new(array, entry) != 0) return no_memory();
    TRM_TRY(save_bytes(folder, side, buffer->name, i, "before", kept->before, buffer->bytes,
                       entry));
    TRM_TRY(save_bytes(folder, side, buffer->name, i, "after", kept->after, buffer->bytes, entry));
  }
  return TRM_OK;
}

static trm_status write_case(const char *folder, int side, const run_case *chosen, char *name,
                             size_t bytes)
{
  char *text = NULL;
  snprintf(name, bytes, "side-%d.conf", side);
  TRM_TRY(trm_config_print(chosen->config, chosen->type->name, &text));
  const trm_status status = save(folder, name, text, strlen(text));
  free(text);
  return status;
}

static trm_status write_side(const bisection *b, int side, const trail *t, json_t *sides)
{
  static const char *const kinds[] = {"launch", "copy", "fill"};
  const trm_command *c = &t->kept.command;
  const trm_device_info *device = trm_device_describe(b->side[side].device);
  char conf[32];
  json_t *buffers = json_array();
  const size_t extent[3] = {(size_t)c->extent.nx, (size_t)c->extent.ny, (size_t)c->extent.nz};
  trm_status status = write_buffers(b->folder, side, t, buffers);
  if (status == TRM_OK)
    status = write_case(b->folder, side, b->side[side].chosen, conf, sizeof conf);
  if (status != TRM_OK) {
    json_decref(buffers);
    return status;
  }
  json_t *out = json_pack(
      "{s:o, s:o, s:s, s:b, s:i, s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:I, s:I, s:I, s:o, s:I, s:o}",
      "label", json_text(b->side[side].label), "device", json_text(b->side[side].spec), "case",
      conf, "is_host", device->is_host, "ghost_columns", device->ghost_columns, "command",
      kinds[c->kind], "program", b->command[side].program, "variant", t->kept.variant, "kernel",
      b->command[side].kernel, "group", t->kept.program.group, "extent", numbers(extent, 3),
      "parameters", hexadecimal(c->params, c->param_bytes), "offset", (json_int_t)c->offset,
      "source_offset", (json_int_t)c->source_offset, "bytes", (json_int_t)c->bytes, "pattern",
      hexadecimal(c->pattern, c->pattern_bytes), "number", (json_int_t)b->launch[side], "buffers",
      buffers);
  return out && json_array_append_new(sides, out) == 0 ? TRM_OK : no_memory();
}

static json_t *view_json(const bisection_view *view, size_t mine, size_t other)
{
  json_t *layouts = json_array();
  for (int s = 0; s < 2; s++) {
    const trm_layout *l = &view->layout[s];
    const size_t values[4] = {l->first, l->row, l->component, l->elements};
    json_array_append_new(layouts, numbers(values, 4));
  }
  return json_pack("{s:o, s:s, s:b, s:o, s:o}", "buffers",
                   numbers((const size_t[2]){mine, other}, 2), "type", trm_type_name(view->type),
                   "whole", view->is_whole, "shape", numbers(view->shape, 4), "layouts", layouts);
}

/* One for each buffer that both wrote and that can be compared. */
static trm_status write_views(const bisection *b, const trail trails[2], json_t *views)
{
  const trm_type type = trm_real_type(b->side[0].chosen->settings.solver.precision);
  for (size_t i = 0; i < trails[0].kept.buffer_count; i++)
    for (size_t k = 0; k < trails[1].kept.buffer_count; k++) {
      const kept_buffer *x = &trails[0].kept.buffers[i], *y = &trails[1].kept.buffers[k];
      const trail_buffer *p = &trails[0].buffers[x->buffer], *q = &trails[1].buffers[y->buffer];
      const bisection_pair pair = {{&trails[0], &trails[1]}, {x->buffer, y->buffer},
                                   {x->before, y->before}, {x->after, y->after}, type};
      int comparable = 0;
      bisection_view view;
      trm_difference difference;
      if (!x->after || !y->after || p->ordinal != q->ordinal || strcmp(p->name, q->name) != 0)
        continue;
      TRM_TRY(bisection_compare(&pair, &comparable, &view, &difference));
      if (comparable && json_array_append_new(views, view_json(&view, i, k)) != 0)
        return no_memory();
    }
  return TRM_OK;
}

static trm_status write_all(const bisection *b, const trail trails[2], json_t *document)
{
  static const char *const stages[] = {"create", "step", "observe"};
  json_t *sides = json_array(), *views = json_array();
  json_object_set_new(document, "format", json_integer(KEPT_LAUNCH_FORMAT));
  json_object_set_new(document, "name", json_text(b->side[0].chosen->name));
  json_object_set_new(document, "stage", json_string(stages[b->stage]));
  json_object_set_new(document, "step", json_integer((json_int_t)b->step));
  json_object_set_new(document, "sides", sides);
  json_object_set_new(document, "views", views);
  for (int s = 0; s < 2; s++) TRM_TRY(write_side(b, s, &trails[s], sides));
  TRM_TRY(write_views(b, trails, views));
  char *text = json_dumps(document, JSON_INDENT(2));
  if (!text) return no_memory();
  const trm_status status = save(b->folder, "launch.json", text, strlen(text));
  free(text);
  return status;
}

trm_status kept_launch_write(bisection *b, const trail trails[2])
{
  char *folder = NULL;
  TRM_TRY(trm_results_create(b->results, "parted", &folder));
  snprintf(b->folder, sizeof b->folder, "%s", folder);
  free(folder);
  json_t *document = json_document("launch");
  const trm_status status = document ? write_all(b, trails, document) : no_memory();
  json_decref(document);
  return status;
}
