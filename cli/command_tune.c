/* command_tune.c - `trireme tune`: finds the fastest group shape and similar settings for a case on
 * a device, shows them and keeps them for later runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "cli/process.h"
#include "run/json_parts.h"
#include "cli/study/tuning.h"
#include "cli/terminal.h"
#include "run/text/json.h"
#include "core/trace.h"

/* ---- the table --------------------------------------------------------------------- */

static const char *word_of(const tuning_row *row)
{
  switch (row->verdict) {
  case TUNING_TAKEN: return "taken";
  case TUNING_FAR: return "far slower: not timed";
  case TUNING_SAME: return "builds the same";
  case TUNING_REFUSED: break; /* below the table */
  case TUNING_DIFFERS: return "DIFFERS: never taken";
  case TUNING_TIMED: break;
  }
  if (!interval_shows(&row->range)) return "no difference shown";
  return row->range.low > 1 ? "faster, but not taken" : "slower";
}

static void cell_of(const void *of, size_t index, size_t column, char text[TABLE_TEXT])
{
  const tuning_row *row = ((const tuning_row *const *)of)[index];
  switch (column) {
  case 0: snprintf(text, TABLE_TEXT, "%s", row->key); break;
  case 1: snprintf(text, TABLE_TEXT, "%s", row->text); break;
  case 2: table_significant(row->ratio, text, TABLE_TEXT); break;
  case 3:
    if (isnan(row->ratio)) snprintf(text, TABLE_TEXT, "-");
    else snprintf(text, TABLE_TEXT, "[%.3f, %.3f]", row->range.low, row->range.high);
    break;
  case 4: snprintf(text, TABLE_TEXT, "%s", word_of(row)); break;
  }
}

/* Refused values stand below the table. */
static void print_rows(const tuning *t)
{
  static const table_column columns[] = {
    {"key", 1, 0}, {"value", 1, 0}, {"ratio", 0, 0}, {"interval", 0, 1}, {"", 1, 0},
  };
  const tuning_row *tried[TUNING_ROWS];
  size_t count = 0;
  for (size_t i = 0; i < t->row_count; i++)
    if (t->rows[i].verdict != TUNING_REFUSED) tried[count++] = &t->rows[i];
  table_print(columns, sizeof columns / sizeof columns[0], cell_of, tried, count);
}

/* The values that the solver or the device does not take here, and why the first value was
 * refused. */
static void print_refused(const tuning *t)
{
  const tuning_row *first = NULL;
  for (size_t i = 0; i < t->row_count; i++) {
    const tuning_row *row = &t->rows[i];
    if (row->verdict != TUNING_REFUSED) continue;
    printf("%s %s=%s", first ? "," : "\nRefused, and so not tried:", row->key, row->text);
    if (!first) first = row;
  }
  if (first) printf("\n%s\n", first->why);
}

static void print_end(const tuning *t)
{
  print_refused(t);
  if (t->given[0]) printf("\nSet by the case or the command, and so not searched: %s\n", t->given);
  if (t->found.count == 0) printf("\nNothing is faster than the defaults beyond the noise.\n");
  else {
    printf("\nTaken:");
    for (size_t i = 0; i < t->found.count; i++)
      printf("%s %s=%s", i ? "," : "", t->found.values[i].key, t->found.values[i].text);
    printf("\nTogether %.3f times the default's speed [%.3f, %.3f], with the same results.\n",
           t->found.gain, t->range.low, t->range.high);
  }
  printf("Kept in %s:\nruns of this solver, precision, arithmetic and size on this device use it "
         "and say so;\n--no-tuned leaves it out.\n", t->file);
}

static void print(const tuning *t, const run_case *chosen, const trm_device_info *device)
{
  printf("case %s (%s) on %s:%zu (%s): %llu steps a run, in turn with the best so far\n\n",
         chosen->name, chosen->type->name, device->backend, device->index, device->name,
         (unsigned long long)t->steps);
  print_rows(t);
  print_end(t);
}

/* ---- JSON --------------------------------------------------------------------------- */

static json_t *row_json(const tuning_row *row)
{
  static const char *const verdicts[] = {"taken", "timed", "same", "far", "refused", "differs"};
  json_t *out = json_pack("{s:s, s:s, s:s, s:o}", "key", row->key, "value", row->text, "verdict",
                          verdicts[row->verdict], "ratio", json_number(row->ratio));
  json_object_set_new(out, "ratio_interval",
                      isnan(row->ratio) ? json_null()
                                        : json_pack("[oo]", json_number(row->range.low),
                                                    json_number(row->range.high)));
  if (row->why[0]) json_object_set_new(out, "why", json_text(row->why));
  return out;
}

static trm_status show_json(const tuning *t, const run_case *chosen, const trm_device_info *device)
{
  json_t *document = json_document("tune"), *rows = json_array(), *values = json_object();
  if (!document) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the JSON result");
  for (size_t i = 0; i < t->row_count; i++) json_array_append_new(rows, row_json(&t->rows[i]));
  for (size_t i = 0; i < t->found.count; i++)
    json_object_set_new(values, t->found.values[i].key, json_text(t->found.values[i].text));
  json_object_set_new(document, "case", json_text(chosen->name));
  json_object_set_new(document, "solver", json_text(chosen->type->name));
  json_object_set_new(document, "device", json_device(device));
  json_object_set_new(document, "steps", json_integer((json_int_t)t->steps));
  json_object_set_new(document, "tried", rows);
  json_object_set_new(document, "not_searched", json_text(t->given));
  json_object_set_new(document, "taken", values);
  json_object_set_new(document, "gain", json_number(t->found.gain));
  json_object_set_new(document, "gain_interval", json_pack("[oo]", json_number(t->range.low),
                                                           json_number(t->range.high)));
  json_object_set_new(document, "file", json_text(t->file));
  return listing_show(document);
}

/* ---- the command ---------------------------------------------------------------------- */

static trm_status tune(const arguments *args, trm_context *context, const run_case *chosen,
                       tuning *out, trm_device **device)
{
  if (args->runs && args->runs < TUNING_FEWEST_RUNS)
    return TRM_FAIL(INPUT, "--runs=%d: fewer than %d runs tell no difference from noise; give %d "
                    "or more", args->runs, TUNING_FEWEST_RUNS, TUNING_FEWEST_RUNS);
  TRM_TRY(listing_start_drivers(context));
  TRM_TRY(device_open(context, chosen->settings.backend, &chosen->settings.device,
                         trm_config_origin(chosen->config, chosen->settings.backend_key), device));
  if (!trmi_context_folder(context)[0])
    return TRM_FAIL(IO, "there is no cache folder to keep the result in; set TRIREME_CACHE_DIR to "
                    "a folder of yours");
  process_catch_signals(NULL);
  TRM_TRY(tuning_run(args, context, *device, chosen, out));
  if (args->json) return show_json(out, chosen, trm_device_describe(*device));
  print(out, chosen, trm_device_describe(*device));
  return TRM_OK;
}

exit_code command_tune(const arguments *args)
{
  run_case chosen = {0};
  trm_context *context = NULL;
  trm_device *device = NULL;
  tuning *out = calloc(1, sizeof *out);
  const case_request wanted = arguments_case(args);
  process_catch_early("trireme: stopped by the user; nothing was kept\n");
  trm_status status = out ? case_create(&wanted, &chosen)
                          : TRM_FAIL(NO_HOST_MEMORY, "no memory to tune");
  if (status == TRM_OK) status = listing_context(&context);
  if (status == TRM_OK) status = tune(args, context, &chosen, out, &device);
  exit_code code = message_failure(status);
  for (size_t i = 0; code == EXIT_GOOD && i < out->row_count; i++)
    if (out->rows[i].verdict == TUNING_DIFFERS) code = EXIT_DIFFER;
  trm_device_close(&device);
  trm_context_destroy(&context);
  case_clear(&chosen);
  free(out);
  return code;
}
