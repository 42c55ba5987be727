/* replay.c - `trireme compare --replay`: one kept command on each device of a list, and the cells
 * in which its outcome differs from what both sides wrote. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/json.h"
#include "cli/compare/bisect/kept_launch.h"
#include "cli/listing.h"

enum { CELLS_SHOWN = 10 };

/* What a device gave: of which side, in the layouts of that side. */
typedef struct outcome {
  const kept_launch *kept;
  int side;
  unsigned char *after[TRM_MAX_BUFFERS];
} outcome;

/* ---- words ---------------------------------------------------------------------------- */

static void say_cell(const bisection_view *view, size_t index, char *text, size_t bytes)
{
  const size_t x = index % view->shape[0], row = index / view->shape[0];
  const size_t y = row % view->shape[1], plane = row / view->shape[1];
  const size_t z = plane % view->shape[2], c = plane / view->shape[2];
  int used;
  if (view->is_whole) used = snprintf(text, bytes, "value %zu", index);
  else if (view->shape[2] > 1) used = snprintf(text, bytes, "cell (%zu, %zu, %zu)", x, y, z);
  else used = snprintf(text, bytes, "cell (%zu, %zu)", x, y);
  if (view->shape[3] > 1 && used > 0 && (size_t)used < bytes)
    snprintf(text + used, bytes - (size_t)used, ", component %zu", c);
}

static int digits(trm_type type) { return type == TRM_TYPE_F64 ? 17 : 9; }

static void show_pair(const trm_array *a, const trm_array *b, const bisection_view *view,
                      size_t index)
{
  char where[96];
  uint64_t mine, others;
  const int width = 2 * (int)trm_type_size(view->type), precise = digits(view->type);
  const double x = bisection_value(a, index, &mine), y = bisection_value(b, index, &others);
  say_cell(view, index, where, sizeof where);
  printf("    %-28s %.*g (0x%0*" PRIx64 ") here, %.*g (0x%0*" PRIx64 ") there, %" PRIu64 " ULP\n",
         where, precise, x, width, mine, precise, y, width, others, bisection_ulps(a, b, index));
}

static json_t *pair_json(const trm_array *a, const trm_array *b, size_t index)
{
  char words[2][24];
  uint64_t bits[2];
  const double x = bisection_value(a, index, &bits[0]), y = bisection_value(b, index, &bits[1]);
  for (int s = 0; s < 2; s++) snprintf(words[s], sizeof words[s], "%" PRIx64, bits[s]);
  return json_pack("{s:I, s:o, s:o, s:s, s:s, s:I}", "value", (json_int_t)index, "here",
                   json_number(x), "there", json_number(y), "bits_here", words[0], "bits_there",
                   words[1], "ulp", (json_int_t)bisection_ulps(a, b, index));
}

/* ---- one buffer against one side -------------------------------------------------------- */

static int differs(const trm_array *a, const trm_array *b, size_t index)
{
  uint64_t mine, others;
  const double x = bisection_value(a, index, &mine), y = bisection_value(b, index, &others);
  return mine != others && !(x != x && y != y);
}

static size_t show_differences(const trm_array *a, const trm_array *b, const bisection_view *view,
                               size_t count, json_t *list)
{
  size_t differing = 0;
  for (size_t i = 0; i < count; i++) {
    if (!differs(a, b, i) || differing++ >= CELLS_SHOWN) continue;
    if (list) json_array_append_new(list, pair_json(a, b, i));
    else show_pair(a, b, view, i);
  }
  return differing;
}

static size_t count_differences(const trm_array *a, const trm_array *b, size_t count)
{
  size_t differing = 0;
  for (size_t i = 0; i < count; i++) differing += (size_t)differs(a, b, i);
  return differing;
}

/* In cells that neither changed, each is as it was before. */
static trm_status cells_of(const outcome *made, const kept_view *view, int with, trm_array *a,
                           trm_array *b)
{
  const int sides[2] = {made->side, with};
  bisection_pair pair = {.type = view->view.type};
  bisection_view oriented = view->view;
  for (int k = 0; k < 2; k++) {
    const size_t buffer = view->buffers[sides[k]];
    const kept_data *data = &made->kept->sides[sides[k]].buffers[buffer];
    oriented.layout[k] = view->view.layout[sides[k]];
    pair.before[k] = data->before;
    pair.bytes[k] = k == 0 ? made->after[buffer] : data->after;
  }
  return bisection_arrays(&pair, &oriented, a, b);
}

static trm_status compare_buffer(const outcome *made, const kept_view *view, int with,
                                 json_t *results, size_t *differing)
{
  trm_array a = {0}, b = {0};
  const kept_side *other = &made->kept->sides[with];
  const char *name = other->buffers[view->buffers[with]].name;
  const trm_status status = cells_of(made, view, with, &a, &b);
  if (status == TRM_OK) {
    const size_t *s = view->view.shape, count = s[0] * s[1] * s[2] * s[3];
    json_t *list = results ? json_array() : NULL;
    *differing = count_differences(&a, &b, count);
    if (!results && *differing == 0)
      printf("  \"%s\": every bit as %s wrote it\n", name, other->label);
    if (!results && *differing > 0)
      printf("  \"%s\": %zu of %zu values differ from what %s wrote%s\n", name, *differing, count,
             other->label, *differing > CELLS_SHOWN ? "; the first:" : ":");
    (void)show_differences(&a, &b, &view->view, count, list);
    if (results)
      json_array_append_new(results, json_pack("{s:o, s:o, s:I, s:I, s:o}", "buffer",
                                               json_text(name), "against", json_text(other->label),
                                               "values", (json_int_t)count, "differing",
                                               (json_int_t)*differing, "first", list));
  }
  free((void *)a.data);
  free((void *)b.data);
  return status;
}

/* Against both sides; the first one's is what is due. */
static trm_status compare_all(const outcome *made, json_t *results, int *wrong)
{
  for (size_t i = 0; i < made->kept->view_count; i++)
    for (int with = 0; with < 2; with++) {
      size_t differing = 0;
      TRM_TRY(compare_buffer(made, &made->kept->views[i], with, results, &differing));
      if (with == 0 && differing > 0) *wrong = 1;
    }
  return TRM_OK;
}

static void print_title(const kept_launch *kept)
{
  const kept_side *side = &kept->sides[0];
  printf("case %s: ", kept->name);
  if (side->command.kind != TRM_COMMAND_LAUNCH)
    printf("a %s", side->command.kind == TRM_COMMAND_COPY ? "copy" : "fill");
  else printf("the launch of %s over %d x %d x %d", side->kernel, (int)side->command.extent.nx,
              (int)side->command.extent.ny, (int)side->command.extent.nz);
  if (strcmp(kept->stage, "step") == 0) printf(" in step %llu", (unsigned long long)kept->step);
  printf(", repeated with the inputs that were kept\n");
}

/* ---- devices ------------------------------------------------------------------------------ */

static trm_status repeat(const kept_launch *kept, int side, trm_device *device, json_t *devices,
                         int *wrong, int *titled)
{
  outcome made = {.kept = kept, .side = side};
  const trm_device_info *info = trm_device_describe(device);
  char label[192];
  snprintf(label, sizeof label, "%s:%zu", info->backend, info->index);
  trm_status status = kept_launch_repeat(kept, side, device, made.after);
  json_t *results = devices ? json_array() : NULL;
  if (status == TRM_OK && !devices && !*titled) print_title(kept);
  *titled = 1;
  if (status == TRM_OK && !devices)
    printf("\n%s (%s), with the inputs of %s:\n", label, info->name, kept->sides[side].label);
  if (status == TRM_OK) status = compare_all(&made, results, wrong);
  if (devices)
    json_array_append_new(devices, json_pack("{s:o, s:o, s:o, s:o}", "device", json_text(label),
                                             "name", json_text(info->name), "inputs",
                                             json_text(kept->sides[side].label), "results",
                                             results));
  for (size_t i = 0; i < TRM_MAX_BUFFERS; i++) free(made.after[i]);
  return status;
}

static trm_status blame(trm_status status, const char *spec)
{
  const trm_error cause = *trm_error_last();
  if (status == TRM_OK) return status;
  return trm_error_record(status, cause.file, cause.line, "on %s: %s", spec, cause.text);
}

/* Both commands, where the sides' differ and fit; else the first that fits. */
static trm_status repeat_on(const kept_launch *kept, trm_context *context, const char *spec,
                            json_t *devices, int *wrong, int *titled)
{
  trm_device *device = NULL;
  TRM_TRY(device_open(context, spec, &kept->sides[0].chosen.settings.device, "--on", &device));
  const trm_device_info *info = trm_device_describe(device);
  const int one_kernel = strcmp(kept->sides[0].kernel, kept->sides[1].kernel) == 0;
  trm_status status = TRM_OK;
  int side = kept_launch_side(kept, info, 0);
  if (side == 2)
    status = TRM_FAIL(UNSUPPORTED, "%s needs ghost columns, which the buffers of %s and %s lack; "
                      "bisect with openmp as one of the two", spec, kept->sides[0].label,
                      kept->sides[1].label);
  for (; side < 2 && status == TRM_OK; side =
       one_kernel ? 2 : kept_launch_side(kept, info, side + 1))
    status = blame(repeat(kept, side, device, devices, wrong, titled), spec);
  trm_device_close(&device);
  return status;
}

/* Each side on the device where it was kept. */
static trm_status repeat_sides(const kept_launch *kept, trm_context *context, json_t *devices,
                               int *wrong, int *titled)
{
  for (int s = 0; s < 2; s++) {
    trm_device *device = NULL;
    const kept_side *side = &kept->sides[s];
    TRM_TRY(device_open(context, side->spec, &side->chosen.settings.device, "the kept launch",
                           &device));
    const trm_status status = blame(repeat(kept, s, device, devices, wrong, titled), side->spec);
    trm_device_close(&device);
    TRM_TRY(status);
  }
  return TRM_OK;
}

static trm_status show(const arguments *args, const kept_launch *kept, trm_context *context,
                       int *wrong)
{
  char word[128];
  int titled = 0;
  json_t *devices = args->json ? json_array() : NULL;
  const char *rest = args->on;
  trm_status status = TRM_OK;
  if (!args->on) status = repeat_sides(kept, context, devices, wrong, &titled);
  while (rest && status == TRM_OK && (rest = list_next(rest, word, sizeof word)))
    status = repeat_on(kept, context, word, devices, wrong, &titled);
  json_t *document = args->json && status == TRM_OK ? json_document("replay") : NULL;
  if (!document) {
    json_decref(devices);
    return status;
  }
  json_object_set_new(document, "name", json_text(kept->name));
  json_object_set_new(document, "step", json_integer((json_int_t)kept->step));
  json_object_set_new(document, "kernel", json_text(kept->sides[0].kernel));
  json_object_set_new(document, "devices", devices);
  return listing_show(document);
}

trm_status replay_show(const arguments *args, int *wrong)
{
  kept_launch kept;
  trm_context *context = NULL;
  *wrong = 0;
  if (args->operand_count > 0 || args->vary_count > 0 || args->bisect || args->runs)
    return TRM_FAIL(INPUT, "--replay=%s: the folder tells the case; beside it only --on, --json, "
                    "--quiet and --verbose are taken", args->replay);
  trm_status status = kept_launch_read(args->replay, &kept);
  if (status == TRM_OK) status = listing_context(&context);
  if (status == TRM_OK) status = listing_start_drivers(context);
  if (status == TRM_OK) status = show(args, &kept, context, wrong);
  trm_context_destroy(&context);
  kept_launch_clear(&kept);
  return status;
}
