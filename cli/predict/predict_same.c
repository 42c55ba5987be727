/* predict_same.c - which rows do the same work, by the keys of their cases. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/predict/predict.h"
#include "run/json_parts.h"

/* ---- every key of a row -------------------------------------- */

static const trm_option *find_in(const trm_solver_type *of, const char *key)
{
  for (size_t i = 0; i < of->option_count; i++)
    if (strcmp(of->options[i].key, key) == 0) return &of->options[i];
  return NULL;
}

static const trm_option *find_option(const trm_solver_type *type, const char *key)
{
  const trm_option *option = find_in(&program_keys, key);
  return option || !type ? option : find_in(type, key);
}

/* A key that became a part of a list keeps its name, which no case of today has. */
static const char *present_key(const trm_solver_type *of, const char *key)
{
  for (size_t i = 0; i < of->former_key_count; i++)
    if (of->former_keys[i].place == 0 && strcmp(of->former_keys[i].former, key) == 0)
      return of->former_keys[i].key;
  return key;
}

trm_status predict_begin_config(predict_row *to)
{
  trm_config *keys = NULL;
  trm_status status = solver_find(to->solver, &to->type);
  if (status != TRM_OK) to->type = NULL;
  if (status == TRM_OK) status = case_keys(to->type, &keys);
  to->config = status == TRM_OK ? json_config(keys) : json_object();
  trm_config_destroy(&keys);
  if (!to->config) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the results");
  return status == TRM_ERROR_NO_HOST_MEMORY ? status : TRM_OK;
}

/* NULL: the text is not of the key's type. */
static json_t *typed(const trm_option *option, const char *text)
{
  char *end = NULL;
  json_t *value = NULL;
  if (option->type == TRM_OPTION_INTEGER) value = json_integer(strtoll(text, &end, 10));
  else if (option->type == TRM_OPTION_REAL) value = json_number(strtod(text, &end));
  else if (option->type == TRM_OPTION_BOOLEAN) return json_boolean(strcmp(text, "true") == 0);
  if (value && (end == text || *end)) {
    json_decref(value);
    value = NULL;
  }
  return value;
}

void predict_put_config(predict_row *to, const json_t *from)
{
  const char *former;
  json_t *value;
  json_object_foreach((json_t *)from, former, value) {
    const char *key = present_key(&program_keys, former), *text = json_string_value(value);
    if (to->type) key = present_key(to->type, key);
    const trm_option *option = find_option(to->type, key);
    json_t *read = option && text ? typed(option, text) : NULL;
    if (read) json_object_set_new(to->config, key, read);
    else json_object_set(to->config, key, value);
  }
}

/* ---- the same work -------------------------------------- */

static const char *const size_names[] = {"grid.nx", "grid.ny", "grid.nz", "nbody.bodies"};
enum { SIZE_NAMES = sizeof size_names / sizeof *size_names };

static double size_of(const json_t *config)
{
  double size = 1;
  for (size_t i = 0; i < SIZE_NAMES; i++) {
    const json_t *value = json_object_get(config, size_names[i]);
    if (json_is_number(value)) size *= json_number_value(value);
  }
  return size;
}

/* Keys that change neither how much a step computes nor in which way. */
static int is_left_out(const char *key)
{
  static const char *const begins[] = {"output.", "checkpoint.", "initial.", "average", "probes",
                                       "grid.n", "nbody.bodies"};
  static const char *const ways[] = {"run.steps_per_launch", "run.steps_shape", "run.wavefront",
                                     "run.plain_replay", "run.group"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    if (strncmp(key, begins[i], strlen(begins[i])) == 0) return 1;
  if (strncmp(key, "run.", 4) != 0) return 0;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (strcmp(key, ways[i]) == 0) return 0;
  return 1;
}

/* "lax-friedrichs", "d3q19": neither a formula nor a file; numbers begin with no letter. */
static int is_word(const char *text)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_:";
  return *text >= 'a' && *text <= 'z' && text[strspn(text, letters)] == 0;
}

/* Whether two texts must be equal: choices, forms of a run, and words of solvers that are not
 * installed. Other texts (a formula, a file) need only be there in both or in none. */
static int is_choice(const trm_solver_type *type, const char *key, const char *x, const char *y)
{
  const trm_option *option = find_option(type, key);
  if (strncmp(key, "run.", 4) == 0 || (option && option->choices)) return 1;
  if (option && option->type == TRM_OPTION_FILE) return 0;
  return is_word(x) && is_word(y);
}

/* Of numbers with a fraction (a viscosity) 0 alone is another work. */
static int is_same_value(const trm_solver_type *type, const char *key, const json_t *a,
                         const json_t *b)
{
  if (json_equal((json_t *)a, (json_t *)b)) return 1;
  if (json_is_string(a) && json_is_string(b)) {
    const char *x = json_string_value(a), *y = json_string_value(b);
    return !*x == !*y && !is_choice(type, key, x, y);
  }
  if (json_is_real(a) && json_is_real(b))
    return (json_real_value(a) == 0) == (json_real_value(b) == 0);
  return json_is_number(a) && json_is_number(b) && json_number_value(a) == json_number_value(b);
}

static int are_same_keys(const json_t *of, const predict_row *row)
{
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)of, key, value) {
    const json_t *other = json_object_get(row->config, key);
    if (!is_left_out(key) && !(other && is_same_value(row->type, key, value, other))) return 0;
  }
  json_object_foreach(row->config, key, value)
    if (!is_left_out(key) && !json_object_get(of, key)) return 0;
  return 1;
}

int predict_is_same(const predict_work *of, const predict_row *row, double *scale)
{
  if (!row->config || strcmp(of->solver, row->solver) != 0 ||
      strcmp(of->precision, row->precision) != 0 || strcmp(of->math, row->math) != 0 ||
      !are_same_keys(of->config, row))
    return 0;
  const double own = size_of(of->config), its = size_of(row->config);
  const int are_pairs = row->updates > 1 && fabs(row->updates - its * its) < 1e-6 * its * its;
  if (!(own > 0) || !(its > 0)) return 0;
  *scale = are_pairs ? own / its * (own / its) : own / its;
  return 1;
}
