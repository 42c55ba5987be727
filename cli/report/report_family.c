/* report_family.c - results of one case in several sizes: keys that change with the size, and
 * keys that make it another case.
 *
 * `trireme study --sizes` takes the case of the same name with another NxN in it. A report takes
 * the results of such cases for one family as well. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/report/report_data.h"
#include "run/case.h"
#include "run/text/members.h"
#include "run/text/text.h"

json_t *report_data_roles(const result_file *file)
{
  const trm_solver_type *type = NULL;
  const char *solver = member_text(file->document, "solver");
  const json_t *word, *told = member(file->document, "roles");
  const json_t *command = member(file->document, "command");
  char key[64];
  size_t i;
  json_t *roles = json_object();
  if (json_is_object(told)) return json_object_update(roles, (json_t *)told), roles;
  json_array_foreach((json_t *)command, i, word) { /* "--set", "lbm.omega=1.7" */
    const char *text = json_string_value(word) ? json_string_value(word) : "";
    if (strncmp(text, "--set=", 6) == 0) text += 6;
    const size_t length = strcspn(text, "=");
    snprintf(key, sizeof key, "%.*s", (int)(length < sizeof key ? length : 0), text);
    if (text[length] && *key) json_object_set_new(roles, key, json_string("set"));
  }
  if (!*solver || solver_find(solver, &type) != TRM_OK) return roles;
  for (const char *rest = type->size_keys; rest && (rest = list_next(rest, key, sizeof key));)
    json_object_set_new(roles, key, json_string("size"));
  return roles;
}

static const char *role_of(const report_row *of, const char *key)
{
  const char *role = json_string_value(json_object_get(of->file->roles, key));
  return role ? role : "";
}

/* The first of the keys that are sizes, or the next; NULL: there is none. */
static const char *size_key(const report_row *of, const char *after)
{
  const char *key;
  json_t *value;
  int is_next = after == NULL;
  json_object_foreach(of->file->roles, key, value) {
    if (is_next && strcmp(role_of(of, key), "size") == 0) return key;
    is_next |= after && strcmp(key, after) == 0;
  }
  return NULL;
}

/* "bristol-128x128" with size keys of 128 -> "bristol-#": 1 where the size stood in the text. */
static int take_size_out(const report_row *of, const char *text, char *out, size_t bytes)
{
  char size[80];
  const char *first = size_key(of, NULL), *second = first ? size_key(of, first) : NULL;
  const char *x = first ? report_row_value(of, first) : NULL;
  const char *y = second ? report_row_value(of, second) : x;
  if (!x || !y || !*x) return 0;
  const size_t size_length = (size_t)snprintf(size, sizeof size, "%sx%s", x, y);
  const char *at = strstr(text, size);
  if (!at || size_length >= sizeof size || (at > text && isdigit((unsigned char)at[-1])) ||
      isdigit((unsigned char)at[size_length]))
    return 0;
  snprintf(out, bytes, "%.*s#%s", (int)(at - text), text, at + size_length);
  return 1;
}

static int are_siblings(const report_row *a, const report_row *b, const char *x, const char *y)
{
  char one[512], other[512];
  return take_size_out(a, x, one, sizeof one) && take_size_out(b, y, other, sizeof other) &&
         strcmp(one, other) == 0;
}

/* Did the command that wrote the result set this key? Where that is not known, it may have. */
static int is_by_hand(const report_row *of, const char *key)
{
  const json_t *document = of->file->document;
  return strcmp(role_of(of, key), "set") == 0 ||
         (!json_is_object(member(document, "roles")) &&
          !json_is_array(member(document, "command")));
}

typedef enum tie { TIE_NONE, TIE_SIZE, TIE_SIBLINGS } tie;

static tie tie_of(const report_row *a, const report_row *b, const char *key)
{
  const char *x = report_row_value(a, key), *y = report_row_value(b, key);
  if (a->of.cells == b->of.cells || strcmp(a->solver, b->solver) != 0 || !size_key(a, NULL) ||
      !x || !y)
    return TIE_NONE;
  if (strcmp(role_of(a, key), "size") == 0 || strcmp(key, "size") == 0 ||
      strcmp(key, "run.steps") == 0 || strcmp(key, "run.end_time") == 0 ||
      are_siblings(a, b, x, y))
    return TIE_SIZE;
  if (!are_siblings(a, b, a->name, b->name) || is_by_hand(a, key) || is_by_hand(b, key))
    return TIE_NONE;
  return TIE_SIBLINGS;
}

int report_row_key_goes_with_size(const report_row *a, const report_row *b, const char *key)
{
  return tie_of(a, b, key) != TIE_NONE;
}

/* Of one key: "lbm.accel (0.005, 0.01)". */
static void say_values(const report_data *all, const char *key, char *text, size_t bytes)
{
  size_t told = 0;
  text_append(text, bytes, "%s%s (", *text ? ", " : "", key);
  for (size_t i = 0; i < all->count; i++) {
    const char *value = report_row_value(&all->list[i], key);
    size_t k = 0;
    while (value && k < i && (!report_row_value(&all->list[k], key) ||
                              strcmp(report_row_value(&all->list[k], key), value) != 0))
      k++;
    if (value && k == i) text_append(text, bytes, "%s%s", told++ ? ", " : "", value);
  }
  text_append(text, bytes, ")");
}

void report_data_say_siblings(const report_data *all, char *text, size_t bytes)
{
  const char *key;
  json_t *value;
  text[0] = 0;
  if (all->is_mixed || all->count == 0) return;
  json_object_foreach(all->list[0].config, key, value) {
    int is_told = 0;
    (void)value;
    if (strncmp(key, "run.", 4) == 0 || strncmp(key, "output.", 7) == 0) continue;
    for (size_t i = 1; i < all->count && !is_told; i++) {
      const char *x = report_row_value(&all->list[0], key), *y = report_row_value(&all->list[i],
                                                                                  key);
      is_told = x && y && strcmp(x, y) != 0 &&
                tie_of(&all->list[0], &all->list[i], key) == TIE_SIBLINGS;
    }
    if (is_told) say_values(all, key, text, bytes);
  }
}
