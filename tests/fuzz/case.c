/* Case files: what is accepted, printed and read again is the same case. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/settings.h"
#include "solvers/solver.h"
#include "tests/fuzz/fuzz.h"
#include "solvers/registry.h"

static const trm_solver_type *find_type(const char *name)
{
  for (const trm_solver_type *const *type = trm_solver_types(); *type; type++)
    if (!strcmp((*type)->name, name)) return *type;
  return NULL;
}

/* The case at the path, or NULL when it is refused. */
static trm_config *read_case(const trm_solver_type *type, const char *path)
{
  const trm_option *const tables[] = {program_keys.options, type->options};
  const size_t counts[] = {program_keys.option_count, type->option_count};
  trm_config *config = NULL;
  FUZZ_CHECK(trm_config_create(tables, counts, 2, &config) == TRM_OK);
  if (!fuzz_accepted(trm_config_read(config, path))) trm_config_destroy(&config);
  return config;
}

/* used.conf names a file by its absolute path. */
static int same_file(const char *one, const char *two)
{
  char *a = realpath(one, NULL), *b = realpath(two, NULL);
  const int same = a && b && strcmp(a, b) == 0;
  free(a);
  free(b);
  return same;
}

static int same_value(const trm_config *a, const trm_config *b, const trm_option *option)
{
  const char *one = trm_config_text(a, option->key), *two = trm_config_text(b, option->key);
  if (option->type == TRM_OPTION_FILE && same_file(one, two)) return 1;
  if (!*one || !*two || option->type != TRM_OPTION_REAL) return strcmp(one, two) == 0;
  return !(trm_config_real(a, option->key) < trm_config_real(b, option->key)) &&
         !(trm_config_real(a, option->key) > trm_config_real(b, option->key));
}

static void print_and_read(const trm_config *config, const trm_solver_type *type)
{
  char *text = NULL;
  FUZZ_CHECK(trm_config_print(config, type->name, &text) == TRM_OK);
  char *path = fuzz_file("used.conf", (const uint8_t *)text, strlen(text));
  trm_config *again = read_case(type, path);
  if (!again) fprintf(stderr, "%s\n%s\n", trm_error_last()->text, text);
  FUZZ_CHECK(again);
  for (size_t i = 0; i < trm_config_count(config); i++)
    FUZZ_CHECK(same_value(config, again, trm_config_option(config, i)));
  trm_config_destroy(&again);
  free(path);
  free(text);
}

static void read_twice(const trm_solver_type *type, const char *path)
{
  run_settings settings;
  trm_config *config = read_case(type, path);
  if (!config) return;
  if (fuzz_accepted(trm_config_check(config))) {
    (void)fuzz_accepted(settings_read(config, &settings));
    print_and_read(config, type);
  }
  trm_config_destroy(&config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *path = fuzz_file("case.conf", data, size), *name = NULL;
  unsigned line = 0;
  if (fuzz_accepted(trm_case_solver(path, &name, &line))) {
    const trm_solver_type *type = find_type(name);
    if (type) read_twice(type, path);
    free(name);
  }
  free(path);
  return 0;
}
