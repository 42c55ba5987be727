/* vary.c - axes from the command line, and the product of their values. */
#include "cli/compare/vary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/text/json.h"

/* ---- one axis --------------------------------------------------------------- */

static trm_status no_memory(void)
{
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the cases of --vary");
}

/* The length of the first value: up to a comma that stands in no brackets. */
static size_t value_length(const char *text)
{
  size_t i = 0;
  for (int depth = 0; text[i] && !(text[i] == ',' && depth == 0); i++) {
    if (text[i] == '(') depth++;
    if (text[i] == ')' && depth > 0) depth--;
  }
  return i;
}

static trm_status read_values(const char *text, vary_axis *axis)
{
  for (const char *rest = text;;) {
    const size_t length = value_length(rest);
    if (length == 0)
      return TRM_FAIL(INPUT, "--vary=%s=%s: a value is missing; write for example --vary=%s=A,B",
                      axis->name, text, axis->name);
    char **grown = realloc(axis->values, (axis->count + 1) * sizeof *grown);
    if (!grown) return no_memory();
    axis->values = grown;
    grown[axis->count] = strndup(rest, length);
    if (!grown[axis->count]) return no_memory();
    axis->count++;
    if (!rest[length]) return TRM_OK;
    rest += length + 1;
  }
}

/* "precision" stands for run.precision, as --precision does. */
static const char *full_key(const char *name)
{
  for (size_t i = 0; i < named_option_count; i++)
    if (named_options[i].key && strcmp(named_options[i].name, name) == 0)
      return named_options[i].key;
  return name;
}

/* The command's own setting of a key, or of one that says the same: where a run takes place. A case
 * and a variable give what a command varies; NULL: none. */
static const setting *given_beside(const arguments *args, const char *key)
{
  const setting *found = NULL;
  for (size_t i = 0; i < args->setting_count; i++) {
    const setting *one = &args->settings[i];
    const int is_same = strcmp(one->key, key) == 0 ||
                        (names_device(one->key) && names_device(key) && one->text[0]);
    if (is_same && one->rank >= TRM_RANK_SET) found = one;
  }
  return found;
}

static trm_status check_axis(const vary_axis *axis, const char *text, const arguments *args,
                             const variation *all)
{
  for (const vary_axis *other = all->axes; other < axis; other++) {
    if (strcmp(other->key, axis->key) == 0)
      return TRM_FAIL(INPUT, "--vary=%s: %s is varied already; give all its values in one --vary",
                      text, axis->key);
    if (names_device(other->key) && names_device(axis->key))
      return TRM_FAIL(INPUT, "--vary=%s: %s is varied already, and both say where a run takes "
                      "place; give all places in one --vary=devices=A,'(B,C)'", text, other->key);
  }
  if (strncmp(axis->key, "output.", 7) == 0)
    return TRM_FAIL(INPUT, "--vary=%s: %s is about files, and a comparison writes none; vary a key "
                    "of the run or of its solver", text, axis->key);
  if (args->on && names_device(axis->key))
    return TRM_FAIL(INPUT, "--vary=%s: --on=%s names the backends; leave out one of the two", text,
                    args->on);
  const setting *beside = given_beside(args, axis->key);
  if (!beside) return TRM_OK;
  return TRM_FAIL(INPUT, "--vary=%s: %s sets %s itself; leave out one of the two", axis->name,
                  beside->origin, beside->key);
}

static trm_status add_axis(const char *text, const arguments *args, variation *all)
{
  const char *equals = strchr(text, '=');
  if (!equals || equals == text)
    return TRM_FAIL(INPUT, "--vary=%s: not of the form KEY=A,B; write for example "
                    "--vary=precision=f32,f64", text);
  vary_axis *axis = &all->axes[all->axis_count++];
  axis->name = strndup(text, (size_t)(equals - text));
  axis->key = axis->name ? strdup(full_key(axis->name)) : NULL;
  if (!axis->key) return no_memory();
  TRM_TRY(check_axis(axis, text, args, all));
  return read_values(equals + 1, axis);
}

/* ---- the product ------------------------------------------------------------- */

/* Which value of the axis a case has. */
static size_t position(const variation *all, size_t index, size_t axis)
{
  for (size_t i = all->axis_count - 1; i > axis; i--) index /= all->axes[i].count;
  return index % all->axes[axis].count;
}

const char *variation_value(const variation *all, size_t index, size_t axis)
{
  return all->axes[axis].values[position(all, index, axis)];
}

size_t variation_family(const variation *all, size_t index)
{
  for (size_t first = 0; first < index; first++) {
    size_t i = 0;
    while (i < all->axis_count &&
           (all->axes[i].same_result || position(all, first, i) == position(all, index, i)))
      i++;
    if (i == all->axis_count) return first;
  }
  return index;
}

static trm_status count_cases(variation *all)
{
  all->case_count = 1;
  for (size_t i = 0; i < all->axis_count; i++) {
    if (all->axes[i].count > VARY_CASE_LIMIT / all->case_count) {
      all->case_count = 0;
      return TRM_FAIL(INPUT, "--vary: more than %d cases; vary fewer keys or values at once",
                      VARY_CASE_LIMIT);
    }
    all->case_count *= all->axes[i].count;
  }
  all->cases = calloc(all->case_count, sizeof *all->cases);
  if (all->cases) return TRM_OK;
  all->case_count = 0;
  return no_memory();
}

trm_status variation_case(const arguments *args, const variation *all, size_t index, run_case *out)
{
  setting *settings = calloc(all->axis_count + 1, sizeof *settings);
  trm_status status = settings ? TRM_OK : no_memory();
  for (size_t i = 0; i < all->axis_count && status == TRM_OK; i++) {
    const vary_axis *axis = &all->axes[i];
    settings[i] = (setting){axis->key, axis->values[position(all, index, i)], NULL,
                            TRM_RANK_OPTION};
    if (asprintf(&settings[i].origin, "--vary %s", axis->name) < 0) {
      settings[i].origin = NULL;
      status = no_memory();
    }
  }
  const case_request wanted = arguments_case(args);
  if (status == TRM_OK)
    status = case_create_with(&wanted, settings, all->axis_count, out);
  for (size_t i = 0; settings && i < all->axis_count; i++) free(settings[i].origin);
  free(settings);
  return status;
}

/* An axis that was given by a former name has the present one in tables and files. Where that key
 * is a list of numbers and one of them is varied, a value is the whole list. */
static trm_status take_present_key(variation *all, size_t index)
{
  vary_axis *axis = &all->axes[index];
  const char *present = trm_config_present_key(all->cases[0].config, axis->key);
  if (!present || strcmp(present, axis->key) == 0) return TRM_OK;
  char *key = strdup(present);
  if (!key) return no_memory();
  free(axis->key);
  axis->key = key;
  for (size_t i = 0; i < all->case_count; i++) {
    char *value = strdup(trm_config_text(all->cases[i].config, key));
    if (!value) return no_memory();
    free(axis->values[position(all, i, index)]);
    axis->values[position(all, i, index)] = value;
  }
  return TRM_OK;
}

static trm_status check_settings(const arguments *args, const variation *all)
{
  const trm_config *config = all->cases[0].config;
  for (size_t i = 0; i < args->setting_count; i++) {
    const setting *one = &args->settings[i];
    const char *key = trm_config_present_key(config, one->key);
    for (size_t k = 0; k < all->axis_count && one->rank >= TRM_RANK_SET; k++)
      if (key && strcmp(key, all->axes[k].key) == 0)
        return TRM_FAIL(INPUT, "--vary=%s: %s sets %s itself; leave out one of the two",
                        all->axes[k].name, one->origin, key);
  }
  return TRM_OK;
}

static void read_promises(variation *all)
{
  const trm_config *config = all->cases[0].config;
  for (size_t i = 0; i < all->axis_count; i++)
    for (size_t k = 0; k < trm_config_count(config); k++) {
      const trm_option *option = trm_config_option(config, k);
      if (strcmp(option->key, all->axes[i].key) == 0)
        all->axes[i].same_result = (option->flags & TRM_OPTION_SAME_RESULT) != 0;
    }
}

/* The command's own setting of a key that says where the case runs; NULL: none. */
static const setting *device_of(const arguments *args, trm_origin_rank least)
{
  for (size_t i = 0; i < args->setting_count; i++) {
    const setting *one = &args->settings[i];
    if (names_device(one->key) && one->text[0] && one->rank >= least) return one;
  }
  return NULL;
}

static trm_status check_device(const arguments *args)
{
  const setting *one = args->on ? device_of(args, TRM_RANK_SET) : NULL;
  if (!one) return TRM_OK;
  return TRM_FAIL(INPUT, "%s=%s: --on=%s names the backends; leave out one of the two", one->origin,
                  one->text, args->on);
}

trm_status variation_check_every_device(const arguments *args)
{
  const setting *one = device_of(args, TRM_RANK_ENVIRONMENT);
  if (!one || args->on || args->vary_count > 0) return TRM_OK;
  return TRM_FAIL(INPUT, "%s=%s names where one run takes place, and a comparison without --on "
                  "repeats it on every device; %s, and name all of them with --on, several that "
                  "share a run in brackets: --on=openmp,'(openmp,openmp)'", one->origin, one->text,
                  one->rank == TRM_RANK_ENVIRONMENT ? "unset it" : "leave it out");
}

trm_status variation_create(const arguments *args, variation *out)
{
  *out = (variation){0};
  out->axes = calloc(args->vary_count + 1, sizeof *out->axes);
  if (!out->axes) return no_memory();
  TRM_TRY(check_device(args));
  for (size_t i = 0; i < args->vary_count; i++) TRM_TRY(add_axis(args->vary[i], args, out));
  TRM_TRY(count_cases(out));
  for (size_t i = 0; i < out->case_count; i++)
    TRM_TRY(variation_case(args, out, i, &out->cases[i]));
  for (size_t i = 0; i < out->axis_count; i++) TRM_TRY(take_present_key(out, i));
  TRM_TRY(check_settings(args, out));
  read_promises(out);
  return TRM_OK;
}

void variation_clear(variation *all)
{
  for (size_t i = 0; i < all->case_count; i++) case_clear(&all->cases[i]);
  free(all->cases);
  for (size_t i = 0; i < all->axis_count; i++) {
    vary_axis *axis = &all->axes[i];
    for (size_t k = 0; k < axis->count; k++) free(axis->values[k]);
    free(axis->values);
    free(axis->name);
    free(axis->key);
  }
  free(all->axes);
  *all = (variation){0};
}

json_t *variation_json(const variation *all)
{
  json_t *array = json_array();
  for (size_t a = 0; a < all->axis_count; a++) {
    const vary_axis *axis = &all->axes[a];
    json_t *values = json_array();
    for (size_t i = 0; i < axis->count; i++)
      json_array_append_new(values, json_text(axis->values[i]));
    json_array_append_new(array, json_pack("{s:o, s:b, s:o}", "key", json_text(axis->key),
                                           "same_result", axis->same_result, "values", values));
  }
  return array;
}
