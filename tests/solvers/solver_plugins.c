/* solver_plugins.c - which solver plugins are found, and the sentence for each that is refused. The
 * search and the looks at a file are those of backends (tests/core/registry.c,
 * tests/core/plugin_files.c). */
#include "tests/harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "solvers/catalogue.h"

/* A folder with solver_NAME.so for each name, all links to the one plugin of the tests. */
static const char *folder_of(const char *folder, const char *const *names)
{
  static char path[1024];
  char link[1200];
  snprintf(path, sizeof path, "%s/%s", test_folder(), folder);
  assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
  for (; *names; names++) {
    snprintf(link, sizeof link, "%s/solver_%s.so", path, *names);
    assert_int_equal(symlink(TEST_PLUGINS "/broken_solver.so", link), 0);
  }
  setenv("TRIREME_SOLVER_PATH", path, 1);
  return path;
}

static const trm_solver_entry *entry_of(trm_catalogue *catalogue, const char *name, int with_file)
{
  const trm_solver_entry *list;
  size_t count;
  TEST_OK(trm_catalogue_list(catalogue, &list, &count));
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i].name, name) == 0 && (list[i].path[0] != '\0') == with_file) return &list[i];
  fail_msg("%s is not listed", name);
  return NULL;
}

static void assert_text(const char *text, const char *part)
{
  if (!strstr(text, part)) fail_msg("\"%s\" does not say \"%s\"", text, part);
}

/* One that is refused for the program's own. */
static const trm_solver_entry *second_of(trm_catalogue *catalogue, const char *name)
{
  const trm_solver_entry *list;
  size_t count, seen = 0;
  TEST_OK(trm_catalogue_list(catalogue, &list, &count));
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i].name, name) == 0 && seen++ > 0) return &list[i];
  fail_msg("%s is listed once", name);
  return NULL;
}

static void own_solvers_are_there_without_a_folder(void)
{
  setenv("TRIREME_SOLVER_PATH", "/nowhere/at/all", 1);
  trm_catalogue *catalogue = NULL;
  const trm_solver_type *type = NULL;
  TEST_OK(trm_catalogue_create(&catalogue));
  TEST_OK(trm_catalogue_find(catalogue, "lbm", &type));
  assert_string_equal(type->name, "lbm");
  assert_ptr_equal(entry_of(catalogue, "lbm", 1)->type, type);
  assert_text(entry_of(catalogue, "", 1)->reason, "TRIREME_SOLVER_PATH cannot be read");
  TEST_FAILS(trm_catalogue_find(catalogue, "heat", &type), TRM_ERROR_NOT_FOUND,
             "no solver \"heat\"");
  assert_string_equal(trm_catalogue_nearest(catalogue, "shalow"), "shallow");
  trm_catalogue_destroy(&catalogue);
  assert_null(catalogue);
}

static void a_sound_plugin_is_found(void)
{
  folder_of("sound", (const char *const[]){ "sound", NULL });
  trm_catalogue *catalogue = NULL;
  const trm_solver_type *type = NULL;
  TEST_OK(trm_catalogue_create(&catalogue));
  assert_string_equal(trm_catalogue_nearest(catalogue, "soumd"), "sound");
  TEST_OK(trm_catalogue_find(catalogue, "sound", &type));
  assert_string_equal(type->summary, "for the tests");
  const trm_solver_entry *entry = entry_of(catalogue, "sound", 1);
  assert_int_equal(entry->state, TRM_BACKEND_READY);
  assert_string_equal(entry->reason, "");
  assert_string_equal(entry->cure, "");
  assert_ptr_equal(entry->type, type);
  trm_catalogue_destroy(&catalogue);
  assert_string_equal(type->name, "sound"); /* a table outlives the catalogue */
}

static void refuse(const char *name, trm_backend_state state, const char *reason)
{
  folder_of(name, (const char *const[]){ name, NULL });
  trm_catalogue *catalogue = NULL;
  const trm_solver_type *type = NULL;
  TEST_OK(trm_catalogue_create(&catalogue));
  const trm_solver_entry *entry = entry_of(catalogue, name, 1);
  assert_int_equal(entry->state, state);
  assert_text(entry->reason, reason);
  assert_true(entry->cure[0] != '\0');
  assert_null(entry->type);
  TEST_FAILS(trm_catalogue_find(catalogue, name, &type), TRM_ERROR_NOT_READY, reason);
  assert_text(trm_error_last()->text, "solver ");
  assert_null(type);
  trm_catalogue_destroy(&catalogue);
}

static void another_abi_is_refused_with_both_numbers(void)
{
  refuse("old", TRM_BACKEND_ABI_MISMATCH, "was built for ABI 1, this library has ABI ");
}

static void a_plugin_of_abi_4_is_told_how_to_go_on(void)
{
  refuse("fourth", TRM_BACKEND_ABI_MISMATCH,
         "broken_solver.so was built for ABI 4, this library has ABI 20");
  trm_catalogue *catalogue = NULL;
  TEST_OK(trm_catalogue_create(&catalogue));
  assert_text(entry_of(catalogue, "fourth", 1)->cure, "build it again with the headers of this "
                                                      "version and install it");
  trm_catalogue_destroy(&catalogue);
}

/* The table's number is read from the file, since the file cannot be loaded. */
static void a_plugin_that_needs_a_former_function_is_refused_by_its_abi(void)
{
  char folder[1024], link[1200], reason[96];
  const trm_solver_type *type = NULL;
  trm_catalogue *catalogue = NULL;
  snprintf(folder, sizeof folder, "%s/former", test_folder());
  snprintf(link, sizeof link, "%s/solver_former.so", folder);
  assert_true(mkdir(folder, 0755) == 0 || errno == EEXIST);
  assert_true(symlink(TEST_PLUGINS "/former_solver.so", link) == 0 || errno == EEXIST);
  setenv("TRIREME_SOLVER_PATH", folder, 1);
  snprintf(reason, sizeof reason, "former_solver.so was built for ABI %d, this library has ABI %d",
           TRM_SOLVER_ABI - 1, TRM_SOLVER_ABI);
  TEST_OK(trm_catalogue_create(&catalogue));
  const trm_solver_entry *entry = entry_of(catalogue, "former", 1);
  assert_int_equal(entry->state, TRM_BACKEND_ABI_MISMATCH);
  assert_text(entry->reason, reason);
  assert_text(entry->cure, "build it again with the headers of this version and install it");
  TEST_FAILS(trm_catalogue_find(catalogue, "former", &type), TRM_ERROR_NOT_READY, reason);
  trm_catalogue_destroy(&catalogue);
}

static void a_short_table_is_refused_with_both_sizes(void)
{
  refuse("brief", TRM_BACKEND_ABI_MISMATCH, "has a table of 8 bytes");
}

static void a_missing_entry_is_named(void)
{
  refuse("lacking", TRM_BACKEND_BROKEN, "lacks the entry advance");
}

static void a_table_of_another_name_is_refused(void)
{
  refuse("misnamed", TRM_BACKEND_BROKEN, "calls itself \"lbm\", its file says \"misnamed\"");
}

static void a_file_without_its_symbol_is_refused(void)
{
  refuse("renamed", TRM_BACKEND_BROKEN, "does not export trm_solver_renamed");
}

static void an_own_solver_is_never_replaced(void)
{
  folder_of("taken", (const char *const[]){ "lbm", NULL });
  trm_catalogue *catalogue = NULL;
  const trm_solver_type *type = NULL;
  TEST_OK(trm_catalogue_create(&catalogue));
  TEST_OK(trm_catalogue_find(catalogue, "lbm", &type));
  assert_string_not_equal(type->summary, "for the tests");
  assert_int_equal(second_of(catalogue, "lbm")->state, TRM_BACKEND_CANNOT_LOAD);
  assert_text(second_of(catalogue, "lbm")->reason, "the solver lbm is a part of this program");
  trm_catalogue_destroy(&catalogue);
}

static void a_broken_plugin_hides_no_other(void)
{
  folder_of("mixed", (const char *const[]){ "lacking", "sound", NULL });
  trm_catalogue *catalogue = NULL;
  const trm_solver_type *type = NULL;
  TEST_OK(trm_catalogue_create(&catalogue));
  TEST_OK(trm_catalogue_find(catalogue, "sound", &type));
  assert_int_equal(entry_of(catalogue, "lacking", 1)->state, TRM_BACKEND_BROKEN);
  trm_catalogue_destroy(&catalogue);
}

static void backends_in_the_folder_are_no_solvers(void)
{
  char path[1200];
  const trm_solver_entry *list;
  size_t count;
  snprintf(path, sizeof path, "%s/trireme_sound.so",
           folder_of("other", (const char *const[]){ NULL }));
  assert_int_equal(symlink(TEST_PLUGINS "/broken_solver.so", path), 0);
  trm_catalogue *catalogue = NULL;
  TEST_OK(trm_catalogue_create(&catalogue));
  TEST_OK(trm_catalogue_list(catalogue, &list, &count));
  for (size_t i = 0; i < count; i++) assert_true(trm_catalogue_owns(list[i].name));
  trm_catalogue_destroy(&catalogue);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(own_solvers_are_there_without_a_folder),
    TEST_HOST(a_sound_plugin_is_found),
    TEST_HOST(another_abi_is_refused_with_both_numbers),
    TEST_HOST(a_plugin_of_abi_4_is_told_how_to_go_on),
    TEST_HOST(a_plugin_that_needs_a_former_function_is_refused_by_its_abi),
    TEST_HOST(a_short_table_is_refused_with_both_sizes),
    TEST_HOST(a_missing_entry_is_named),
    TEST_HOST(a_table_of_another_name_is_refused),
    TEST_HOST(a_file_without_its_symbol_is_refused),
    TEST_HOST(an_own_solver_is_never_replaced),
    TEST_HOST(a_broken_plugin_hides_no_other),
    TEST_HOST(backends_in_the_folder_are_no_solvers),
  };
  umask(022); /* plugins that everybody can write are refused */
  return TEST_RUN(argc, argv, cases);
}
