/* config.c - typed values with a rank and an origin; every value is checked when it arrives.
 *
 * A value is kept as text beside its parsed form, so that used.conf, messages and --json show what
 * was given. A value of a lower rank than the one that stands is checked and then dropped. */
#include <config.h>

#include "io/config_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

const char *trmi_option_type_text(trm_option_type type)
{
  switch (type) {
  case TRM_OPTION_INTEGER: return "an integer";
  case TRM_OPTION_REAL: return "a number";
  case TRM_OPTION_STRING: return "a string";
  case TRM_OPTION_BOOLEAN: return "true or false";
  case TRM_OPTION_FILE: break;
  }
  return "the name of a file";
}

trmi_value *trmi_config_find(const trm_config *config, const char *key)
{
  for (size_t i = 0; i < config->count; i++)
    if (!strcmp(config->values[i].option->key, key)) return &config->values[i];
  return NULL;
}

/* The first key inside the group `key`, or NULL: "grid" for "grid.nx". */
static const char *key_in_group(const trm_config *config, const char *key)
{
  const size_t length = strlen(key);
  for (size_t i = 0; i < config->count; i++) {
    const char *candidate = config->values[i].option->key;
    if (!strncmp(candidate, key, length) && candidate[length] == '.') return candidate;
  }
  return NULL;
}

/* The key that has the same name in another group, or NULL: "lbm.omega" for "lb.omega". */
static const char *key_of_name(const trm_config *config, const char *key)
{
  const char *name = strrchr(key, '.');
  for (size_t i = 0; name && name[1] && i < config->count; i++) {
    const char *dot = strrchr(config->values[i].option->key, '.');
    if (dot && strcmp(dot, name) == 0) return config->values[i].option->key;
  }
  return NULL;
}

/* "run, output, grid, lbm", each group once. */
static void list_groups(const trm_config *config, char *text, size_t bytes)
{
  size_t used = 0;
  text[0] = 0;
  for (size_t i = 0; i < config->count && used < bytes; i++) {
    const char *key = config->values[i].option->key;
    const size_t length = strcspn(key, ".") + 1;
    size_t before = 0;
    while (before < i && strncmp(config->values[before].option->key, key, length) != 0) before++;
    if (before == i)
      used += (size_t)snprintf(text + used, bytes - used, "%s%.*s", used ? ", " : "",
                               (int)length - 1, key);
  }
}

trm_status trmi_config_unknown(const trm_config *config, const char *key, const char *origin)
{
  const char *inside = *key ? key_in_group(config, key) : NULL;
  if (inside)
    return TRM_FAIL(NOT_FOUND, "%s: '%s' is a group of keys, not a value; set a key in it, such as "
                    "'%s'", origin, key, inside);
  const size_t count = config->count + config->former_count;
  const char **names = malloc((count + 1) * sizeof *names);
  if (!names) return TRM_FAIL(NO_HOST_MEMORY, "no memory to look for the key '%s'", key);
  for (size_t i = 0; i < config->count; i++) names[i] = config->values[i].option->key;
  for (size_t i = 0; i < config->former_count; i++)
    names[config->count + i] = config->former[i]->former;
  const char *near = trm_nearest_name(key, names, count);
  if (near) near = trm_config_present_key(config, near);
  free(names);
  if (!near) near = key_of_name(config, key);
  if (near)
    return TRM_FAIL(NOT_FOUND, "%s: unknown key '%s'; did you mean '%s'?", origin, key, near);
  char groups[512];
  list_groups(config, groups, sizeof groups);
  return TRM_FAIL(NOT_FOUND, "%s: unknown key '%s', and no key is near it; keys here begin with "
                  "one of %s; 'trireme solvers NAME' lists them", origin, key, groups);
}

/* ---- ranges ---------------------------------------------------------------- */

static void range_text(const trm_option *option, char *text, size_t bytes)
{
  const int exclusive = option->flags & TRM_OPTION_EXCLUSIVE;
  const char *low = exclusive ? "greater than" : "at least";
  const char *high = exclusive ? "less than" : "at most";
  if (!isnan(option->minimum) && !isnan(option->maximum))
    snprintf(text, bytes, "%s %.15g and %s %.15g", low, option->minimum, high, option->maximum);
  else if (!isnan(option->minimum))
    snprintf(text, bytes, "%s %.15g", low, option->minimum);
  else
    snprintf(text, bytes, "%s %.15g", high, option->maximum);
}

static int in_range(const trm_option *option, double value)
{
  if (option->flags & TRM_OPTION_EXCLUSIVE)
    return !(value <= option->minimum) && !(value >= option->maximum);
  return !(value < option->minimum) && !(value > option->maximum);
}

static trm_status refuse_range(const trm_option *option, const char *text, const char *origin)
{
  char range[96];
  range_text(option, range, sizeof range);
  const char *unit = option->unit && *option->unit && strcmp(option->unit, "1") ? option->unit : "";
  return TRM_FAIL(INPUT, "%s: %s = %s is outside its range; give a value %s%s%s%s", origin,
                  option->key, text, range, *unit ? " [" : "", unit, *unit ? "]" : "");
}

/* ---- parsing --------------------------------------------------------------- */

static trm_status refuse_type(const trm_option *option, const char *text, const char *origin,
                              const char *cure)
{
  return TRM_FAIL(INPUT, "%s: %s needs %s, not '%.80s'; %s", origin, option->key,
                  trmi_option_type_text(option->type), text, cure);
}

/* Refuses a number that is not whole, is beyond 64 bits, or cannot be read; names the nearest whole
 * number. */
static trm_status refuse_whole(const trm_option *option, const char *text, const char *origin)
{
  char *end, cure[96];
  const double value = trm_number(text, &end);
  const int is_number = end != text && !*end && !strpbrk(text, " \t\n") && isfinite(value);
  if (!is_number)
    return refuse_type(option, text, origin, "write a whole number, as in 250 or 1e4");
  if (!(fabs(value) < 0x1p63) && isnan(option->maximum))
    return TRM_FAIL(INPUT, "%s: %s = %.80s does not fit 64 bits; give a smaller number", origin,
                    option->key, text);
  if (!in_range(option, value)) return refuse_range(option, text, origin);
  snprintf(cure, sizeof cure, "the nearest is %.0f", rint(value));
  return refuse_type(option, text, origin, cure);
}

static trm_status parse_integer(const trm_option *option, const char *text, const char *origin,
                                int64_t *out)
{
  char *end;
  const int64_t value = trm_whole(text, &end);
  if (end == text || *end) return refuse_whole(option, text, origin);
  if (!in_range(option, (double)value)) return refuse_range(option, text, origin);
  *out = value;
  return TRM_OK;
}

int trmi_config_is_auto(const trm_option *option, const char *text)
{
  return (option->flags & TRM_OPTION_AUTO) && strcmp(text, "auto") == 0;
}

static trm_status parse_real(const trm_option *option, const char *text, const char *origin,
                             double *out)
{
  char *end = NULL;
  errno = 0;
  if (trmi_config_is_auto(option, text)) {
    *out = (double)NAN;
    return TRM_OK;
  }
  const double value = strtod(text, &end);
  /* strtod also takes hexadecimal and leading blanks: not numbers of a case. */
  if (end == text || *end || strpbrk(text, "xX \t\n"))
    return refuse_type(option, text, origin, "write it like 0.5 or 1e-3");
  if (isnan(value))
    return TRM_FAIL(INPUT, "%s: %s = %s is not a number that can be computed with; give a finite "
                    "value", origin, option->key, text);
  if (isinf(value))
    return TRM_FAIL(INPUT, "%s: %s = %.80s is infinite or too large for double precision; give a "
                    "finite value", origin, option->key, text);
  if (errno == ERANGE && value == 0.0)
    return TRM_FAIL(INPUT, "%s: %s = %.80s is too small for double precision; write 0 or a larger "
                    "value", origin, option->key, text);
  if (!in_range(option, value)) return refuse_range(option, text, origin);
  *out = value;
  return TRM_OK;
}

static trm_status parse_boolean(const trm_option *option, const char *text, const char *origin,
                                int *out)
{
  static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
  for (int i = 0; i < 8; i++)
    if (!strcmp(text, words[i])) {
      *out = i % 2;
      return TRM_OK;
    }
  return refuse_type(option, text, origin, "write true or false");
}

/* The number of a value among "a|b|c", from 0 on; -1: it is not among them. */
static int place_among(const char *value, const char *values)
{
  const size_t length = strlen(value);
  int place = 0;
  for (const char *at = values; at; at = strchr(at, '|'), place++) {
    at += *at == '|';
    if (strcspn(at, "|") == length && strncmp(at, value, length) == 0) return place;
  }
  return -1;
}

/* Other programs' names for a choice: returns the choice, or the text itself. */
static const char *meaning_of(const trm_option *option, const char *text)
{
  static const char *const meanings[][2] = {
    {"double", "f64"}, {"float64", "f64"}, {"fp64", "f64"}, {"real64", "f64"}, {"64", "f64"},
    {"single", "f32"}, {"float", "f32"}, {"float32", "f32"}, {"fp32", "f32"}, {"real32", "f32"},
    {"32", "f32"}};
  if (!option->choices || place_among(text, option->choices) >= 0) return text;
  for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
    if (strcmp(text, meanings[i][0]) == 0 && place_among(meanings[i][1], option->choices) >= 0)
      return meanings[i][1];
  return text;
}

static trm_status check_choice(const trm_option *option, const char *text, const char *origin)
{
  const char *choices = option->choices, *names[32];
  char copy[512];
  size_t count = 0;
  if (!choices) return TRM_OK;
  snprintf(copy, sizeof copy, "%s", choices);
  for (char *state = NULL, *word = strtok_r(copy, "|", &state); word && count < 32;
       word = strtok_r(NULL, "|", &state)) {
    if (!strcmp(word, text)) return TRM_OK;
    names[count++] = word;
  }
  const char *near = trm_nearest_name(text, names, count);
  return TRM_FAIL(INPUT, "%s: %s = '%.80s' is not one of %s%s%s%s", origin, option->key, text,
                  choices, near ? "; did you mean '" : "; choose one of them", near ? near : "",
                  near ? "'?" : "");
}

/* Numbers that scanf and strtod take beyond those of a case are refused in a list too. A word of a
 * formula is no number by itself: formula.c has its rules. */
static trm_status check_numbers(const trm_option *option, const char *text, const char *origin)
{
  static const char between[] = " \t\n,;=*";
  if (!(option->flags & TRM_OPTION_NUMBERS)) return TRM_OK;
  for (const char *word = text + strspn(text, between); *word; word += strspn(word, between)) {
    const size_t length = strcspn(word, between);
    char *end = NULL;
    errno = 0;
    const double value = strtod(word, &end);
    const int is_small = errno == ERANGE && value == 0.0;
    if (end == word + length &&
        (!isfinite(value) || is_small || memchr(word, 'x', length) || memchr(word, 'X', length)))
      return TRM_FAIL(INPUT, "%s: %s has the number '%.*s'; write finite numbers, like 0.5 or 1e-3",
                      origin, option->key, (int)(length < 80 ? length : 80), word);
    word += length;
  }
  return TRM_OK;
}

static trm_status parse(const trm_option *option, const char *text, const char *origin,
                        trmi_value *out)
{
  switch (option->type) {
  case TRM_OPTION_INTEGER: return parse_integer(option, text, origin, &out->as.integer);
  case TRM_OPTION_REAL: return parse_real(option, text, origin, &out->as.real);
  case TRM_OPTION_BOOLEAN: return parse_boolean(option, text, origin, &out->as.boolean);
  case TRM_OPTION_STRING:
    TRM_TRY(check_numbers(option, text, origin));
    return check_choice(option, text, origin);
  case TRM_OPTION_FILE: break;
  }
  return TRM_OK;
}

/* ---- setting --------------------------------------------------------------- */

/* A value has one text, however it was written: a study, a resumed run and a table compare texts.
 */
static char *text_of(const trm_option *option, const trmi_value *parsed, const char *given)
{
  char digits[32];
  if (option->type == TRM_OPTION_BOOLEAN) return strdup(parsed->as.boolean ? "true" : "false");
  if (option->type != TRM_OPTION_INTEGER) return strdup(given);
  snprintf(digits, sizeof digits, "%lld", (long long)parsed->as.integer);
  return strdup(digits);
}

static trm_status store(trmi_value *value, const char *given, trm_origin_rank rank,
                        const char *origin, const trm_former_key *former)
{
  trmi_value parsed = *value;
  const char *text = meaning_of(value->option, given);
  TRM_TRY(parse(value->option, text, origin, &parsed));
  if (value->is_set && rank < value->rank) return TRM_OK;
  parsed.text = text_of(value->option, &parsed, text);
  parsed.origin = strdup(origin);
  if (!parsed.text || !parsed.origin) {
    free(parsed.text);
    free(parsed.origin);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the value of %s", value->option->key);
  }
  free(value->text);
  free(value->origin);
  parsed.rank = rank;
  parsed.is_set = 1;
  parsed.former = former;
  *value = parsed;
  return TRM_OK;
}

/* One number of a key that is a list of them. */
static trm_status set_number(trmi_value *value, const char *text, trm_origin_rank rank,
                             const char *origin, const trm_former_key *former)
{
  const trm_option option = {.key = former->former, .type = TRM_OPTION_REAL,
                             .minimum = (double)NAN, .maximum = (double)NAN};
  double number = 0;
  char *list = NULL;
  TRM_TRY(parse_real(&option, text, origin, &number));
  TRM_TRY(trmi_config_with_number(value->text, former->place, number, &list));
  const trm_status status = store(value, list, rank, origin, former);
  free(list);
  return status;
}

trm_status trm_config_set_ranked(trm_config *config, const char *key, const char *text,
                                 trm_origin_rank rank, const char *origin)
{
  const trm_former_key *former = trmi_config_former(config, key);
  trmi_value *value = trmi_config_find(config, former ? former->key : key);
  if (!value) return trmi_config_unknown(config, key, origin);
  TRM_TRY(trmi_config_check_names(value, former, rank, origin));
  TRM_TRY(former && former->place ? set_number(value, text, rank, origin, former)
                                  : store(value, text, rank, origin, former));
  return former ? trmi_config_note_former(config, former, rank, origin) : TRM_OK;
}

trm_status trm_config_set(trm_config *config, const char *key, const char *text, const char *origin)
{
  return trm_config_set_ranked(config, key, text, TRM_RANK_CASE, origin);
}

/* ---- life ------------------------------------------------------------------ */

/* A table is the work of a solver's author: what is wrong with it is wrong use, not bad input. */
static trm_status check_key(const trm_config *config, const char *key)
{
  if (!key || !*key) return TRM_FAIL(INVALID, "an option has no key; give it one");
  if (trmi_config_find(config, key))
    return TRM_FAIL(INVALID, "the option '%s' is declared twice; rename one of them", key);
  if (!strcmp(key, "solver"))
    return TRM_FAIL(INVALID, "the key 'solver' names the solver of a case; rename the option");
  const char *inside = key_in_group(config, key);
  if (inside)
    return TRM_FAIL(INVALID, "the option '%s' has the name of the group of '%s'; rename one", key,
                    inside);
  for (size_t i = 0; i < config->count; i++) {
    const char *other = config->values[i].option->key;
    if (!strncmp(key, other, strlen(other)) && key[strlen(other)] == '.')
      return TRM_FAIL(INVALID, "the option '%s' has the name of the group of '%s'; rename one",
                      other, key);
  }
  return TRM_OK;
}

static trm_status add_option(trm_config *config, const trm_option *option)
{
  TRM_TRY(check_key(config, option->key));
  trmi_value *value = &config->values[config->count];
  *value = (trmi_value){.option = option, .rank = TRM_RANK_DEFAULT};
  value->text = strdup("");
  value->origin = strdup("nowhere: it is not set");
  config->count++;
  if (!value->text || !value->origin)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the option '%s'", option->key);
  return option->fallback ? store(value, option->fallback, TRM_RANK_DEFAULT, "the default", NULL)
                          : TRM_OK;
}

trm_status trm_config_create(const trm_option *const *tables, const size_t *counts,
                             size_t table_count, trm_config **out)
{
  size_t total = 0;
  for (size_t t = 0; t < table_count; t++) total += counts[t];
  trm_config *config = calloc(1, sizeof *config);
  if (!config) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a config");
  config->values = calloc(total + 1, sizeof *config->values);
  trm_status status = TRM_OK;
  if (!config->values) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu options", total);
  for (size_t t = 0; t < table_count && status == TRM_OK; t++)
    for (size_t i = 0; i < counts[t] && status == TRM_OK; i++)
      status = add_option(config, &tables[t][i]);
  if (status != TRM_OK) {
    trm_config_destroy(&config);
    return status;
  }
  *out = config;
  return TRM_OK;
}

void trm_config_destroy(trm_config **handle)
{
  trm_config *config = *handle;
  if (!config) return;
  *handle = NULL;
  for (size_t i = 0; i < config->count; i++) {
    free(config->values[i].text);
    free(config->values[i].origin);
  }
  free(config->values);
  trmi_config_forget_former(config);
  free(config);
}

int trm_config_is_given(const trm_config *config, const char *key)
{
  const trm_option *option = NULL;
  for (size_t i = 0; i < trm_config_count(config); i++)
    if (strcmp(trm_config_option(config, i)->key, key) == 0) option = trm_config_option(config, i);
  if (!option || !option->fallback) return trm_config_text(config, key)[0] != 0;
  if (option->type == TRM_OPTION_REAL && !trmi_config_is_auto(option, option->fallback))
    return trm_config_real(config, key) != strtod(option->fallback, NULL);
  return strcmp(trm_config_text(config, key), option->fallback) != 0;
}

int trm_config_is_asked(const trm_config *config, const char *key)
{
  const trmi_value *value = trmi_config_find(config, key);
  return value && value->rank > TRM_RANK_CASE && trm_config_is_given(config, key);
}

static trm_status check_need(const trm_config *config, const trm_option_need *need)
{
  const char *key = need->key, *other = need->other, *values = need->values;
  const char *text = trm_config_text(config, other);
  if (values ? place_among(text, values) >= 0 : trm_config_is_given(config, other)) return TRM_OK;
  if (!values)
    return TRM_FAIL(INPUT, "%s: %s has an effect only together with %s; set that too, or leave it "
                    "out", trm_config_origin(config, key), key, other);
  return TRM_FAIL(INPUT, "%s: %s has an effect only where %s is %s, and it is %s; set that, or "
                  "leave it out", trm_config_origin(config, key), key, other, values, text);
}

trm_status trm_config_check_needs(const trm_config *config, const trm_option_need *needs,
                                  size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (trm_config_is_given(config, needs[i].key)) TRM_TRY(check_need(config, &needs[i]));
  return TRM_OK;
}

trm_status trm_config_check_asked(const trm_config *config, const trm_option_need *needs,
                                  size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (trm_config_is_asked(config, needs[i].key)) TRM_TRY(check_need(config, &needs[i]));
  return TRM_OK;
}

trm_status trm_config_check(const trm_config *config)
{
  for (size_t i = 0; i < config->count; i++) {
    const trmi_value *value = &config->values[i];
    if (!value->is_set)
      return TRM_FAIL(INPUT, "%s is not set and has no default; set it in case.conf or with "
                      "--set %s=VALUE (%s: %s)", value->option->key, value->option->key,
                      trmi_option_type_text(value->option->type),
                      value->option->help ? value->option->help : "");
  }
  return TRM_OK;
}

/* ---- getters --------------------------------------------------------------- */

/* The value of a key of one of two types; NULL, with the error recorded, for wrong use. */
static const trmi_value *get(const trm_config *config, const char *key, trm_option_type type,
                             trm_option_type other)
{
  const trmi_value *value = trmi_config_find(config, key);
  if (value && (value->option->type == type || value->option->type == other)) return value;
  if (!value) (void)TRM_FAIL(INVALID, "the option '%s' was asked for and is not declared", key);
  else (void)TRM_FAIL(INVALID, "the option '%s' was asked for as %s and is %s", key,
                      trmi_option_type_text(type), trmi_option_type_text(value->option->type));
  return NULL;
}

int64_t trm_config_integer(const trm_config *config, const char *key)
{
  const trmi_value *value = get(config, key, TRM_OPTION_INTEGER, TRM_OPTION_INTEGER);
  return value ? value->as.integer : 0;
}

double trm_config_real(const trm_config *config, const char *key)
{
  const trmi_value *value = get(config, key, TRM_OPTION_REAL, TRM_OPTION_REAL);
  return value ? value->as.real : (double)NAN;
}

int trm_config_boolean(const trm_config *config, const char *key)
{
  const trmi_value *value = get(config, key, TRM_OPTION_BOOLEAN, TRM_OPTION_BOOLEAN);
  return value ? value->as.boolean : 0;
}

const char *trm_config_string(const trm_config *config, const char *key)
{
  const trmi_value *value = get(config, key, TRM_OPTION_STRING, TRM_OPTION_FILE);
  return value ? value->text : "";
}

int trm_config_choice(const trm_config *config, const char *key)
{
  const trmi_value *value = get(config, key, TRM_OPTION_STRING, TRM_OPTION_STRING);
  return value ? place_among(value->text, value->option->choices) : -1;
}

trm_status trm_config_three(const trm_config *config, const char *key, double out[3])
{
  const char *text = trm_config_string(config, key);
  const trm_words read = trm_words_read(text, "# # #");
  if (!read.used || text[read.used])
    return TRM_FAIL(INPUT, "%s: %s = '%s' is not three numbers; write \"x y z\"",
                    trm_config_origin(config, key), key, text);
  memcpy(out, read.number, 3 * sizeof *out);
  return TRM_OK;
}

const char *trm_config_text(const trm_config *config, const char *key)
{
  const trmi_value *value = trmi_config_find(config, key);
  return value ? value->text : "";
}

const char *trm_config_origin(const trm_config *config, const char *key)
{
  const trmi_value *value = trmi_config_find(config, key);
  return value ? value->origin : "nowhere: it is not an option";
}

size_t trm_config_count(const trm_config *config) { return config->count; }

const trm_option *trm_config_option(const trm_config *config, size_t index)
{
  return index < config->count ? config->values[index].option : NULL;
}
