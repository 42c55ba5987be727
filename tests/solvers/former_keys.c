/* former_keys.c - every name that a key had in the last version sets the present key, with a
 * warning that names it. Both names in one place are refused, and a slip in the former name is
 * answered with the present one. */
#include "tests/harness.h"

#include "run/settings.h"
#include "solvers/registry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORIGIN "the folder/case.conf:7"

static const trm_option *option_of(const trm_solver_type *type, const char *key)
{
  for (size_t i = 0; i < type->option_count; i++)
    if (strcmp(type->options[i].key, key) == 0) return &type->options[i];
  fail_msg("solver %s has no key %s", type->name, key);
  return NULL;
}

static trm_config *config_of(const trm_solver_type *type)
{
  trm_config *config = NULL;
  TEST_OK(trm_config_create(&type->options, &type->option_count, 1, &config));
  TEST_OK(trm_config_accept_former(config, type->former_keys, type->former_key_count));
  return config;
}

/* A value of the key that is not its default. */
static void value_of(const trm_option *option, char *text, size_t bytes)
{
  const char *choices = option->choices;
  if (!choices) {
    snprintf(text, bytes, "%s", option->type == TRM_OPTION_BOOLEAN ? "false" : "7");
    return;
  }
  size_t length = strcspn(choices, "|");
  if (option->fallback && strncmp(choices, option->fallback, length) == 0) choices += length + 1;
  snprintf(text, bytes, "%.*s", (int)strcspn(choices, "|"), choices);
}

static void assert_warned(const trm_config *config, const char *part)
{
  char *text = NULL;
  TEST_OK(trm_config_warnings(config, &text));
  if (!strstr(text, part)) fail_msg("no '%s' in '%s'", part, text);
  assert_true(strchr(text, '\n') && !strchr(text, '\n')[1]);
  free(text);
}

static void try(const trm_solver_type *type, const trm_former_key *former)
{
  static const char *const lists[] = { "", "7 0 0", "0 7 0", "0 0 7" };
  const trm_option *option = option_of(type, former->key);
  char value[64], wanted[256], slip[64];
  value_of(option, value, sizeof value);
  const char *expected = former->place ? lists[former->place] : value;
  trm_config *config = config_of(type);
  TEST_OK(trm_config_set(config, former->former, value, ORIGIN));
  assert_string_equal(trm_config_text(config, former->key), expected);
  assert_string_equal(trm_config_origin(config, former->key), ORIGIN);
  assert_string_equal(trm_config_present_key(config, former->former), former->key);
  snprintf(wanted, sizeof wanted, ORIGIN ": %s is now %s%s", former->former,
           former->place ? "the " : "", former->place ? "" : former->key);
  assert_warned(config, wanted);
  assert_warned(config, former->key);
  snprintf(wanted, sizeof wanted, "leave %s out", former->former);
  TEST_FAILS(trm_config_set(config, former->key, expected, "line 2"), TRM_ERROR_INPUT, wanted);
  TEST_OK(trm_config_set_ranked(config, former->key, expected, TRM_RANK_SET, "--set"));
  TEST_FAILS(trm_config_set_ranked(config, former->former, value, TRM_RANK_SET, "--set"),
             TRM_ERROR_INPUT, wanted);
  trm_config_destroy(&config);
  config = config_of(type);
  snprintf(slip, sizeof slip, "%s", former->former);
  slip[strlen(slip) - 1] = 'q';
  snprintf(wanted, sizeof wanted, "did you mean '");
  TEST_FAILS(trm_config_set(config, slip, value, ORIGIN), TRM_ERROR_NOT_FOUND, wanted);
  assert_null(strstr(trm_error_last()->text, former->former));
  trm_config_destroy(&config);
}

static void every_former_name_sets_the_present_key(void)
{
  size_t count = 0;
  for (const trm_solver_type *const *type = trm_solver_types(); *type; type++)
    for (size_t i = 0; i < (*type)->former_key_count; i++, count++)
      try(*type, &(*type)->former_keys[i]);
  print_message("# %zu former names\n", count);
  assert_true(count > 50);
}

/* The program's own keys. A solver's list is accepted beside theirs. */
static void so_do_former_names_of_keys_of_every_case(void)
{
  assert_true(program_keys.former_key_count > 0);
  for (size_t i = 0; i < program_keys.former_key_count; i++)
    try(&program_keys, &program_keys.former_keys[i]);
  static const trm_option own = {"lbm.new", TRM_OPTION_STRING, "", "", NAN, NAN, 0, NULL, ""};
  static const trm_former_key former = {"lbm.old", "lbm.new", 0};
  const trm_option *const tables[] = {program_keys.options, &own};
  const size_t counts[] = {program_keys.option_count, 1};
  trm_config *config = NULL;
  TEST_OK(trm_config_create(tables, counts, 2, &config));
  TEST_OK(trm_config_accept_former(config, program_keys.former_keys,
                                   program_keys.former_key_count));
  TEST_OK(trm_config_accept_former(config, &former, 1));
  TEST_OK(trm_config_set(config, "run.ceiling", "false", ORIGIN));
  TEST_OK(trm_config_set(config, "lbm.old", "7", ORIGIN));
  assert_int_equal(trm_config_boolean(config, "run.roof"), 0);
  assert_string_equal(trm_config_text(config, "lbm.new"), "7");
  trm_config_destroy(&config);
}

/* lbm.geometry was a file, compressible.geometry where something is computed. */
static void a_key_has_one_meaning(void)
{
  const trm_solver_type *const *types = trm_solver_types();
  for (size_t a = 0; types[a]; a++)
    for (size_t i = 0; i < types[a]->option_count; i++)
      for (size_t b = a + 1; types[b]; b++)
        for (size_t k = 0; k < types[b]->option_count; k++) {
          const trm_option *one = &types[a]->options[i], *other = &types[b]->options[k];
          if (strcmp(one->key, other->key) == 0 && one->type != other->type)
            fail_msg("%s is of two types in %s and %s", one->key, types[a]->name, types[b]->name);
        }
}

static void one_number_of_a_list_leaves_the_others(void)
{
  const trm_solver_type *type = NULL;
  for (const trm_solver_type *const *each = trm_solver_types(); *each; each++)
    if (strcmp((*each)->name, "lbm3d") == 0) type = *each;
  assert_non_null(type);
  trm_config *config = config_of(type);
  TEST_OK(trm_config_set(config, "lbm.force_z", "0.0", "case.conf:3"));
  assert_string_equal(trm_config_text(config, "body_force"), "0 0 0");
  TEST_OK(trm_config_set(config, "lbm.force_x", "1e-05", "case.conf:4"));
  TEST_OK(trm_config_set(config, "lbm.force_y", "-0.30000000000000004", "case.conf:5"));
  assert_string_equal(trm_config_text(config, "body_force"), "1e-05 -0.30000000000000004 0");
  assert_warned(config, "case.conf: lbm.force_z is now the third number of body_force");
  TEST_FAILS(trm_config_set(config, "lbm.force_x", "east", "case.conf:6"), TRM_ERROR_INPUT,
             "lbm.force_x needs a number");
  TEST_FAILS(trm_config_set(config, "body_force", "1 2 3", "case.conf:7"), TRM_ERROR_INPUT,
             "are one key");
  TEST_OK(trm_config_set_ranked(config, "lbm.force_y", "4", TRM_RANK_SET, "--set"));
  assert_string_equal(trm_config_text(config, "body_force"), "1e-05 4 0");
  trm_config_destroy(&config);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(every_former_name_sets_the_present_key),
    TEST_HOST(so_do_former_names_of_keys_of_every_case),
    TEST_HOST(a_key_has_one_meaning),
    TEST_HOST(one_number_of_a_list_leaves_the_others),
  };
  return TEST_RUN(argc, argv, cases);
}
