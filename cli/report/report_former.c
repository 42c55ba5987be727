/* report_former.c - results of the last version: their keys get the present names, so that a
 * report holds them against results of this version. */
#include <stdlib.h>
#include <string.h>

#include "cli/report/report_data.h"
#include "io/config_internal.h"
#include "run/case.h"
#include "run/text/json.h"
#include "run/text/members.h"

static const trm_former_key *former_of(const trm_solver_type *type, const char *key)
{
  for (size_t i = 0; i < type->former_key_count; i++)
    if (strcmp(type->former_keys[i].former, key) == 0) return &type->former_keys[i];
  return NULL;
}

static const char *default_of(const trm_solver_type *type, const char *key)
{
  for (size_t i = 0; i < type->option_count; i++)
    if (strcmp(type->options[i].key, key) == 0) return type->options[i].fallback;
  return NULL;
}

/* Moves one number into the list that the present key holds. */
static void move_number(const trm_solver_type *type, json_t *keys, const trm_former_key *former,
                        json_t *value)
{
  char *list = NULL;
  if (!json_is_number(value)) return;
  const char *before = json_string_value(json_object_get(keys, former->key));
  if (!before) before = default_of(type, former->key);
  if (trmi_config_with_number(before ? before : "", former->place,
                              json_number_value(value), &list) == TRM_OK)
    json_object_set_new(keys, former->key, json_text(list));
  free(list);
}

/* {"lbm.west": "wall"} becomes {"boundary.west": "wall"}. */
static void rename_members(const trm_solver_type *type, json_t *keys)
{
  for (size_t i = 0; json_is_object(keys) && i < type->former_key_count; i++) {
    const trm_former_key *former = &type->former_keys[i];
    json_t *value = json_object_get(keys, former->former);
    if (!value) continue;
    if (former->place) move_number(type, keys, former, value);
    else json_object_set(keys, former->key, value);
    json_object_del(keys, former->former);
  }
}

static void rename_axes(const trm_solver_type *type, json_t *axes)
{
  json_t *axis;
  size_t i;
  json_array_foreach(axes, i, axis) {
    const trm_former_key *former = former_of(type, member_text(axis, "key"));
    if (former) json_object_set_new(axis, "key", json_text(former->key));
  }
}

static void rename_all(const trm_solver_type *type, json_t *document)
{
  json_t *one;
  size_t i;
  rename_members(type, json_object_get(document, "config"));
  rename_members(type, json_object_get(document, "roles"));
  rename_axes(type, json_object_get(document, "varied"));
  json_array_foreach(json_object_get(document, "contenders"), i, one) {
    rename_members(type, json_object_get(one, "config"));
    rename_members(type, json_object_get(one, "values"));
  }
}

void report_take_present_keys(json_t *document)
{
  const char *solver = member_text(document, "solver");
  const trm_solver_type *type = NULL;
  rename_all(&program_keys, document);
  if (*solver && solver_find(solver, &type) == TRM_OK) rename_all(type, document);
}
