/* command_solvers.c - `trireme solvers`: the solvers, and the keys of one solver's cases. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "run/case.h"
#include "cli/terminal.h"
#include "run/text/json.h"
#include "solvers/catalogue.h"

static const char *type_name(trm_option_type type)
{
  switch (type) {
  case TRM_OPTION_INTEGER: return "integer";
  case TRM_OPTION_REAL: return "real";
  case TRM_OPTION_STRING: return "string";
  case TRM_OPTION_BOOLEAN: return "boolean";
  case TRM_OPTION_FILE: return "file";
  }
  return "unknown";
}

static json_t *option_json(const trm_option *option)
{
  json_t *out =
      json_pack("{s:s, s:s, s:s, s:s}", "key", option->key, "type", type_name(option->type), "unit",
                option->unit ? option->unit : "", "help", option->help ? option->help : "");
  json_object_set_new(out, "default", option->fallback ? json_text(option->fallback) : json_null());
  if (!isnan(option->minimum)) json_object_set_new(out, "minimum", json_number(option->minimum));
  if (!isnan(option->maximum)) json_object_set_new(out, "maximum", json_number(option->maximum));
  if (option->flags & TRM_OPTION_EXCLUSIVE) json_object_set_new(out, "exclusive", json_true());
  if (option->flags & TRM_OPTION_SAME_RESULT) json_object_set_new(out, "same_result", json_true());
  if (option->choices) json_object_set_new(out, "choices", json_text(option->choices));
  return out;
}

static json_t *options_json(const trm_solver_type *type)
{
  json_t *array = json_array();
  for (size_t i = 0; i < type->option_count; i++)
    json_array_append_new(array, option_json(&type->options[i]));
  return array;
}

static json_t *former_json(const trm_solver_type *type)
{
  json_t *array = json_array();
  for (size_t i = 0; i < type->former_key_count; i++)
    json_array_append_new(array, json_pack("{s:s, s:s, s:i}", "former", type->former_keys[i].former,
                                           "key", type->former_keys[i].key, "place",
                                           type->former_keys[i].place));
  return array;
}

static json_t *solver_json(const trm_solver_entry *entry)
{
  const trm_solver_type *type = entry->type;
  json_t *solver = json_pack("{s:s, s:s, s:s, s:o}", "name", type->name, "summary", type->summary,
                             "counted", type->update_name, "options",
                             options_json(type));
  json_object_set_new(solver, "files", type->files_usage ? json_text(type->files_usage)
                                                         : json_null());
  json_object_set_new(solver, "former_keys", former_json(type));
  json_object_set_new(solver, "plugin", entry->path[0] ? json_text(entry->path) : json_null());
  return solver;
}

static json_t *refusal_json(const trm_solver_entry *entry)
{
  return json_pack("{s:o, s:o, s:s, s:o, s:o}", "name", json_text(entry->name), "plugin",
                   json_text(entry->path), "state", trm_backend_state_text(entry->state),
                   "reason", json_text(entry->reason), "cure", json_text(entry->cure));
}

static json_t *as_json(const trm_solver_entry *list, size_t count, const trm_solver_type *only)
{
  json_t *document = json_document("solvers"), *array = json_array(), *refused = json_array();
  for (size_t i = 0; i < count; i++) {
    if (list[i].type && (!only || list[i].type == only))
      json_array_append_new(array, solver_json(&list[i]));
    if (!list[i].type && !only) json_array_append_new(refused, refusal_json(&list[i]));
  }
  json_object_set_new(document, "solvers", array);
  json_object_set_new(document, "refused", refused);
  json_object_set_new(document, "options", options_json(&program_keys));
  json_object_set_new(document, "former_keys", former_json(&program_keys));
  return document;
}

/* " [m]; one of a|b; from 0 to 1; default 0.5" */
static void say_values(const trm_option *option, FILE *stream)
{
  const int numeric = option->type == TRM_OPTION_INTEGER || option->type == TRM_OPTION_REAL;
  const int exclusive = option->flags & TRM_OPTION_EXCLUSIVE;
  if (numeric && option->unit && option->unit[0] && strcmp(option->unit, "1") != 0)
    fprintf(stream, " [%s]", option->unit);
  if (option->choices) {
    fputs("; one of ", stream);
    for (const char *c = option->choices; *c; c++)
      if (*c == '|') fputs(", ", stream);
      else fputc(*c, stream);
  }
  if (!isnan(option->minimum) && !isnan(option->maximum))
    fprintf(stream, exclusive ? "; between %g and %g" : "; from %g to %g", option->minimum,
            option->maximum);
  else if (!isnan(option->minimum))
    fprintf(stream, exclusive ? "; above %g" : "; from %g", option->minimum);
  else if (!isnan(option->maximum))
    fprintf(stream, exclusive ? "; below %g" : "; up to %g", option->maximum);
  if (!option->fallback) fputs("; required", stream);
  else if (option->fallback[0]) fprintf(stream, "; default %s", option->fallback);
}

static void print_option(const trm_option *option)
{
  char text[2048] = "";
  const char *help = option->help ? option->help : "";
  FILE *stream = fmemopen(text, sizeof text, "w");
  if (stream) {
    fputs(help, stream);
    say_values(option, stream);
    fclose(stream);
  }
  const int used = printf("  %-22s %-8s ", option->key, type_name(option->type));
  terminal_print(used, 34, stream ? text : help);
}

static void print_keys(const trm_solver_type *type, const char *whose)
{
  printf("  Keys of %s:\n", whose);
  for (size_t i = 0; i < type->option_count; i++) print_option(&type->options[i]);
}

static void print_solver(const trm_solver_type *type)
{
  terminal_print(printf("%s: ", type->name), 2, type->summary);
  printf("  trireme run CASE%s%s%s%s\n", type->configure ? ", or trireme run " : "",
         type->configure ? type->name : "", type->files_usage ? " " : "",
         type->files_usage ? type->files_usage : "");
  print_keys(type, "a case");
  print_keys(&program_keys, program_keys.name);
}

static void print_entry(const trm_solver_entry *entry)
{
  const trm_solver_type *type = entry->type;
  if (type) {
    const int used = printf("%-12s %-16s ", type->name, type->files_usage ? type->files_usage : "");
    terminal_print(used, 13, type->summary);
  } else {
    printf("%-12s %s%s%s\n", entry->name, colour_begin(stdout, COLOUR_BAD),
           trm_backend_state_text(entry->state), colour_end(stdout, COLOUR_BAD));
    printf("             reason:  %s\n             cure:    %s\n", entry->reason, entry->cure);
  }
  if (entry->path[0]) printf("             file:    %s\n", entry->path);
}

static trm_status show(const arguments *args, const trm_solver_type *only)
{
  trm_catalogue *catalogue = NULL;
  const trm_solver_entry *list;
  size_t count;
  TRM_TRY(trm_catalogue_create(&catalogue));
  trm_status status = trm_catalogue_list(catalogue, &list, &count);
  if (status == TRM_OK && args->json) status = listing_show(as_json(list, count, only));
  else if (status == TRM_OK)
    for (size_t i = 0; i < count; i++) print_entry(&list[i]);
  trm_catalogue_destroy(&catalogue);
  return status;
}

/* ---- help ------------------------------------------------------------------- */

static size_t print_key(const trm_solver_type *type, const char *key)
{
  size_t found = 0;
  for (size_t i = 0; i < type->option_count; i++) {
    if (strcmp(type->options[i].key, key) != 0) continue;
    printf("%s:\n", type->name);
    print_option(&type->options[i]);
    found++;
  }
  return found;
}

/* The present key of a former name. */
static size_t print_former(const trm_solver_type *type, const char *word)
{
  for (size_t i = 0; i < type->former_key_count; i++) {
    const trm_former_key *former = &type->former_keys[i];
    if (strcmp(former->former, word) != 0) continue;
    printf("%s is now %s\n", word, former->key);
    return print_key(type, former->key);
  }
  return 0;
}

static trm_status refuse_name(const trm_solver_entry *list, size_t count, const char *word)
{
  const char *nearest = command_nearest(word);
  for (size_t i = 0; i < count && !nearest; i++) {
    const trm_solver_type *type = list[i].type;
    const char *names[512];
    size_t used = 0;
    if (!type) continue;
    names[used++] = type->name;
    for (size_t k = 0; k < type->option_count && used < 512; k++)
      names[used++] = type->options[k].key;
    for (size_t k = 0; k < program_keys.option_count && used < 512; k++)
      names[used++] = program_keys.options[k].key;
    nearest = trm_nearest_name(word, names, used);
  }
  return TRM_FAIL(INPUT, "'%s' is no command, no solver and no key%s%s%s; 'trireme solvers NAME' "
                  "lists the keys of a solver", word, nearest ? "; the nearest is '" : "",
                  nearest ? nearest : "", nearest ? "'" : "");
}

static trm_status print_all(const trm_solver_entry *list, size_t count, const char *word)
{
  size_t found = print_key(&program_keys, word) + print_former(&program_keys, word);
  for (size_t i = 0; i < count; i++) {
    const trm_solver_type *type = list[i].type;
    if (type && strcmp(type->name, word) == 0) {
      print_solver(type);
      found++;
    } else if (type) {
      found += print_key(type, word) + print_former(type, word);
    }
  }
  return found ? TRM_OK : refuse_name(list, count, word);
}

exit_code help_on_key(const char *word)
{
  trm_catalogue *catalogue = NULL;
  const trm_solver_entry *list;
  size_t count;
  trm_status status = trm_catalogue_create(&catalogue);
  if (status == TRM_OK) status = trm_catalogue_list(catalogue, &list, &count);
  if (status == TRM_OK) status = print_all(list, count, word);
  trm_catalogue_destroy(&catalogue);
  return message_failure(status);
}

exit_code help_on_solver(const char *operand)
{
  const trm_solver_type *type = NULL;
  const trm_status status = case_solver(operand, &type);
  if (status != TRM_OK) return message_failure(status);
  terminal_print(printf("%s: ", type->name), 2, type->summary);
  print_keys(type, "a case");
  return EXIT_GOOD;
}

exit_code command_solvers(const arguments *args)
{
  const trm_solver_type *only = NULL;
  if (args->operand_count > 1)
    return message_failure(TRM_FAIL(INPUT, "'trireme solvers' takes one solver, not also '%s'",
                                    args->operands[1]));
  if (args->operand_count == 1) {
    const trm_status status = solver_find(args->operands[0], &only);
    if (status != TRM_OK) return message_failure(status);
  }
  if (!only || args->json) return message_failure(show(args, only));
  print_solver(only);
  return EXIT_GOOD;
}
