/* retrace_case.c - the case of a row of a report: its keys, at the size that runs here. */
#include "cli/retrace/retrace_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "run/text/members.h"
#include "run/text/text.h"

const json_t *retrace_tables(const retrace *all)
{
  return json_object_get(all->report, "tables");
}

const char *retrace_text(const retrace *all, const json_t *table, const char *name)
{
  const char *own = member_text(table, name);
  return *own ? own : member_text(all->report, name);
}
/* ---- sizes ----------------------------------------------------------------------- */

static double longest_side(const json_t *sides)
{
  const char *key;
  json_t *side;
  double most = 0;
  json_object_foreach((json_t *)sides, key, side) most = fmax(most, json_number_value(side));
  return most;
}

/* A side as it runs here; "multiple" of a table: a smaller side is one of that number. */
static long long side_here(const retrace *all, const json_t *sides, size_t table, double side)
{
  double here = ldexp(side, -(int)all->halvings[table]);
  const double of = member_number(json_array_get(retrace_tables(all), table), "multiple");
  if (all->shrink > 0) here = side * all->shrink / longest_side(sides);
  if (of > 0 && here < side) here = fmax(of, of * floor(here / of));
  return here < 1 ? 1 : (long long)here;
}

int retrace_size(const retrace *all, size_t table, char *text, size_t bytes)
{
  const json_t *sides = member(json_array_get(retrace_tables(all), table), "size");
  const char *key;
  json_t *side;
  int is_smaller = 0;
  size_t used = 0;
  text[0] = 0;
  json_object_foreach((json_t *)sides, key, side) {
    const long long here = side_here(all, sides, table, json_number_value(side));
    is_smaller |= (double)here < json_number_value(side);
    if (used < bytes)
      used += (size_t)snprintf(text + used, bytes - used, "%s%lld", used ? " x " : "", here);
  }
  return is_smaller;
}

/* ---- cases ----------------------------------------------------------------------- */

/* A list of settings of a row, one after the other; `text` is cut up by the caller. */
static char *settings_text(const retrace *all, size_t t, const json_t *row)
{
  text_stream stream;
  const json_t *table = json_array_get(retrace_tables(all), t), *sides = member(table, "size");
  char size[96];
  const char *key;
  json_t *side;
  FILE *out = text_begin(&stream);
  if (!out) return NULL;
  fprintf(out, "%s", retrace_text(all, table, "set"));
  if (retrace_size(all, t, size, sizeof size))
    fprintf(out, " %s", retrace_text(all, table, "smaller"));
  json_object_foreach((json_t *)sides, key, side)
    fprintf(out, " %s=%lld", key, side_here(all, sides, t, json_number_value(side)));
  fprintf(out, " %s", member_text(row, "set"));
  return text_end(&stream);
}

/* A value with the sides put in: "%x*0.25" is a quarter of the first side, "%y/500000" that number
 * divided by the second. malloc'd. */
static char *sized_text(const retrace *all, size_t t, const char *pattern)
{
  text_stream stream;
  double sides[RETRACE_SIDES] = {0};
  const json_t *list = member(json_array_get(retrace_tables(all), t), "size");
  const char *key;
  json_t *side;
  size_t count = 0;
  FILE *out = text_begin(&stream);
  json_object_foreach((json_t *)list, key, side)
    if (count < RETRACE_SIDES)
      sides[count++] = (double)side_here(all, list, t, json_number_value(side));
  for (const char *at = pattern; out && *at;) {
    const int axis = *at == '%' ? at[1] - 'x' : -1;
    if (axis < 0 || axis >= RETRACE_SIDES) {
      fputc(*at++, out);
      continue;
    }
    char *end;
    const double number = trm_number(at + 3, &end);
    fprintf(out, "%.9g", at[2] == '/' ? number / sides[axis] : number * sides[axis]);
    at = end;
  }
  return out ? text_end(&stream) : NULL;
}

enum { MOST_SIZED = 8 };

/* Settings of "sized", whose texts the caller frees. */
static trm_status add_sized(const retrace *all, size_t t, arguments *to, char *origin,
                            char *texts[MOST_SIZED])
{
  const char *key;
  json_t *value;
  size_t count = 0;
  json_t *sized = json_object_get(json_array_get(retrace_tables(all), t), "sized");
  if (!sized) sized = json_object_get(all->report, "sized");
  json_object_foreach(sized, key, value) {
    if (count == MOST_SIZED) break;
    texts[count] = sized_text(all, t, json_string_value(value));
    if (!texts[count]) return retrace_no_memory();
    to->settings[to->setting_count++] = (setting){(char *)key, texts[count++], origin,
                                                  TRM_RANK_OPTION};
  }
  return TRM_OK;
}

/* The first key of a list that the case's solver does not have: a variant of a later version. */
static int lacks_key(const char *list, const trm_config *config, char *key, size_t bytes)
{
  for (const char *at = list; *at;) {
    at += strspn(at, " ");
    const size_t length = strcspn(at, "= ");
    snprintf(key, bytes, "%.*s", (int)length, at);
    if (length > 0 && !trm_config_present_key(config, key)) return 1;
    at += strcspn(at, " ");
  }
  return 0;
}

/* The keys of the case's solver. */
static trm_status read_keys(const char *name, trm_config **out)
{
  const trm_solver_type *type;
  TRM_TRY(case_solver(name, &type));
  return case_keys(type, out);
}

trm_status retrace_create_row(retrace *all, size_t t, const json_t *row, variation *out,
                              int *has_case, char *missing, size_t bytes)
{
  enum { ROOM = 64 };
  char origin[160], key[96], *operands[1], *texts[MOST_SIZED] = {NULL};
  const json_t *table = json_array_get(retrace_tables(all), t);
  const size_t given = all->of.args->setting_count;
  arguments args = *all->of.args;
  trm_config *keys = NULL;
  char *name = strdup(retrace_text(all, table, "case")), *list = settings_text(all, t, row);
  *out = (variation){0};
  *has_case = 0;
  snprintf(origin, sizeof origin, "row '%s' of table '%s'", member_text(row, "row"),
           member_text(table, "id"));
  args.settings = calloc(given + ROOM, sizeof *args.settings);
  trm_status status = name && list && args.settings ? TRM_OK : retrace_no_memory();
  if (status == TRM_OK) status = read_keys(name, &keys);
  if (status == TRM_OK && *member_text(row, "cannot")) {
    snprintf(missing, bytes, "%s", member_text(row, "cannot"));
  } else if (status == TRM_OK && lacks_key(list, keys, key, sizeof key)) {
    snprintf(missing, bytes, "no such variant yet (%s)", key);
  } else if (status == TRM_OK) {
    if (given) memcpy(args.settings, all->of.args->settings, given * sizeof *args.settings);
    operands[0] = name;
    args.operands = operands;
    args.operand_count = 1;
    status = add_sized(all, t, &args, origin, texts);
    if (status == TRM_OK) status = study_add_settings(&args, list, origin);
    if (status == TRM_OK) status = study_check_own(&args, given, keys);
    args.on = NULL;            /* devices come from the list of this study */
    const trm_status refused = status == TRM_OK ? variation_create(&args, out) : TRM_OK;
    if (refused == TRM_ERROR_INPUT)
      snprintf(missing, bytes, "%.*s", (int)bytes - 1, trm_error_last()->text);
    else if (status == TRM_OK) status = refused;
    *has_case = status == TRM_OK && refused == TRM_OK;
  }
  for (size_t i = 0; i < MOST_SIZED; i++) free(texts[i]);
  trm_config_destroy(&keys);
  free(args.settings);
  free(list);
  free(name);
  return status;
}
