/* Case files and options: precedence, and each refusal with the place it names. */
#include "tests/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/number.h"
#include "io/case.h"
#include "io/config.h"
#include "io/file.h"

static const trm_option run_options[] = {
  {"run.steps", TRM_OPTION_INTEGER, "1", "100", 1, 1e12, 0, NULL, "steps to run"},
  {"run.name", TRM_OPTION_STRING, "", "case", NAN, NAN, 0, NULL, "name of the results"},
  {"output.picture", TRM_OPTION_BOOLEAN, "", "true", NAN, NAN, 0, NULL, "write a picture"},
};
static const trm_option lbm_options[] = {
  {"grid.nx", TRM_OPTION_INTEGER, "cells", NULL, 1, 2147483647, 0, NULL, "cells along x"},
  {"lbm.omega", TRM_OPTION_REAL, "1", "1.85", 0, 2, 1, NULL, "relaxation rate"},
  {"lbm.density", TRM_OPTION_REAL, "lattice", "0.1", NAN, NAN, 0, NULL, "density at rest"},
  {"lbm.mode", TRM_OPTION_STRING, "", "bristol", NAN, NAN, 0, "bristol|channel", "which flow"},
  {"lbm.obstacles", TRM_OPTION_FILE, "", "", NAN, NAN, 0, NULL, "blocked cells"},
  {"run.seed", TRM_OPTION_INTEGER, "1", "0", NAN, NAN, 0, NULL, "an integer without a range"},
  {"lbm.places", TRM_OPTION_STRING, "", "", NAN, NAN, TRM_OPTION_NUMBERS, NULL, "'wall X Y; ...'"},
  {"lbm.width", TRM_OPTION_REAL, "m", "auto", 0, NAN, TRM_OPTION_AUTO, NULL, "auto, or a width"},
  {"lbm.reals", TRM_OPTION_STRING, "", "f32", NAN, NAN, 0, "f32|f64", "how numbers are held"},
};

static trm_config *make_config(void)
{
  static const trm_option *const tables[] = {run_options, lbm_options};
  static const size_t counts[] = {3, 9};
  trm_config *config = NULL;
  TEST_OK(trm_config_create(tables, counts, 2, &config));
  return config;
}

/* Writes a case file in the test's folder; the path is kept until the next call. */
static const char *write_case(const char *text)
{
  static char path[4096];
  snprintf(path, sizeof path, "%s/case.conf", test_folder());
  TEST_OK(trm_file_save(path, text, strlen(text)));
  return path;
}

static void reads_as(const char *text, const char *key, const char *expected)
{
  trm_config *config = make_config();
  TEST_OK(trm_config_read(config, write_case(text)));
  assert_string_equal(trm_config_text(config, key), expected);
  trm_config_destroy(&config);
}

/* The message names case.conf with the line, and says `part`. */
static void refused(const char *text, trm_status status, int line, const char *part)
{
  char place[64];
  trm_config *config = make_config();
  snprintf(place, sizeof place, "case.conf:%d: ", line);
  TEST_FAILS(trm_config_read(config, write_case(text)), status, place);
  assert_non_null(strstr(trm_error_last()->text, part));
  trm_config_destroy(&config);
}

static void set_refused(const char *key, const char *text, trm_status status, const char *part)
{
  trm_config *config = make_config();
  char before[256];
  snprintf(before, sizeof before, "%s", trm_config_text(config, key));
  TEST_FAILS(trm_config_set_ranked(config, key, text, TRM_RANK_SET, "--set"), status, part);
  assert_non_null(strstr(trm_error_last()->text, "--set: "));
  assert_string_equal(trm_config_text(config, key), before);
  trm_config_destroy(&config);
}

static void defaults_stand_until_something_is_set(void)
{
  trm_config *config = make_config();
  assert_int_equal(trm_config_integer(config, "run.steps"), 100);
  assert_true(trm_config_real(config, "lbm.omega") == 1.85);
  assert_true(trm_config_boolean(config, "output.picture"));
  assert_string_equal(trm_config_string(config, "lbm.mode"), "bristol");
  assert_string_equal(trm_config_origin(config, "lbm.omega"), "the default");
  trm_config_destroy(&config);
  assert_null(config);
  trm_config_destroy(&config);
}

static void a_case_file_sets_nested_and_flat_keys(void)
{
  reads_as("solver = \"lbm\"; grid : { nx = 64; };", "grid.nx", "64");
  reads_as("grid = { nx = 0x40 }", "grid.nx", "64");
  reads_as("lbm : { omega = 1; }", "lbm.omega", "1");
  reads_as("lbm : { omega = 0.3e0; }", "lbm.omega", "0.3");
  reads_as("output : { picture = false; }", "output.picture", "false");
  reads_as("run : { seed = 123456789012345L; }", "run.seed", "123456789012345");
  reads_as("run : { seed = -3; }", "run.seed", "-3");
  reads_as("", "run.steps", "100");
}

/* A value has one text, however it is written. */
static void set_as(const char *key, const char *text, const char *expected)
{
  trm_config *config = make_config();
  TEST_OK(trm_config_set_ranked(config, key, text, TRM_RANK_SET, "--set"));
  assert_string_equal(trm_config_text(config, key), expected);
  trm_config_destroy(&config);
}

static void counts_and_choices_are_taken_as_people_write_them(void)
{
  set_as("run.steps", "1e4", "10000");
  set_as("run.steps", "2.5e3", "2500");
  set_as("run.steps", "64.0", "64");
  set_as("run.steps", "+007", "7");
  set_as("run.seed", "-1e2", "-100");
  set_as("run.seed", "9223372036854775807", "9223372036854775807");
  set_as("lbm.reals", "double", "f64");
  set_as("lbm.reals", "single", "f32");
  set_as("lbm.reals", "fp64", "f64");
  reads_as("run : { steps = 1e4; };", "run.steps", "10000");
  reads_as("grid : { nx = 64.0; };", "grid.nx", "64");
  set_refused("run.steps", "1.5", TRM_ERROR_INPUT, "not '1.5'; the nearest is 2");
  set_refused("run.steps", "1e-3", TRM_ERROR_INPUT, "outside its range");
  set_refused("run.steps", "1e13", TRM_ERROR_INPUT, "outside its range");
  set_refused("run.steps", "ten", TRM_ERROR_INPUT, "as in 250 or 1e4");
  set_refused("run.steps", "1e", TRM_ERROR_INPUT, "as in 250 or 1e4");
  set_refused("run.seed", "1e19", TRM_ERROR_INPUT, "does not fit 64 bits");
  set_refused("lbm.mode", "double", TRM_ERROR_INPUT, "not one of bristol|channel");
}

static void a_choice_has_the_number_of_its_place(void)
{
  trm_config *config = make_config();
  assert_int_equal(trm_config_choice(config, "lbm.mode"), 0);
  TEST_OK(trm_config_set(config, "lbm.mode", "channel", "case.conf:1"));
  assert_int_equal(trm_config_choice(config, "lbm.mode"), 1);
  TEST_OK(trm_config_set(config, "lbm.reals", "double", "case.conf:2"));
  assert_int_equal(trm_config_choice(config, "lbm.reals"), 1);
  assert_int_equal(trm_config_choice(config, "run.name"), -1);
  trm_config_destroy(&config);
}

static void a_real_may_be_left_to_the_solver(void)
{
  trm_config *config = make_config();
  char *text = NULL;
  assert_true(isnan(trm_config_real(config, "lbm.width")));
  assert_false(trm_config_is_given(config, "lbm.width"));
  TEST_OK(trm_config_set_ranked(config, "lbm.width", "0.5", TRM_RANK_SET, "--set"));
  assert_true(trm_config_is_given(config, "lbm.width"));
  TEST_OK(trm_config_set_ranked(config, "lbm.width", "auto", TRM_RANK_OPTION, "--width"));
  TEST_OK(trm_config_set_ranked(config, "grid.nx", "5", TRM_RANK_SET, "--set"));
  TEST_OK(trm_config_print(config, "lbm", &text));
  assert_non_null(strstr(text, "width = \"auto\";"));
  free(text);
  trm_config_destroy(&config);
  reads_as("lbm : { width = \"auto\"; };", "lbm.width", "auto");
  reads_as("lbm : { width = 2; };", "lbm.width", "2");
  set_refused("lbm.width", "-1", TRM_ERROR_INPUT, "at least 0");
  set_refused("lbm.width", "wide", TRM_ERROR_INPUT, "needs a number, not 'wide'");
  set_refused("lbm.omega", "auto", TRM_ERROR_INPUT, "needs a number, not 'auto'");
}

static void times_are_taken_as_people_write_them(void)
{
  static const struct { const char *text; double seconds; } times[] = {
    {"90s", 90}, {"10min", 600}, {"10m", 600}, {"2h", 7200}, {"2h30m", 9000}, {"2h 30 min", 9000},
    {"1d12h", 129600}, {"1.5h", 5400}, {"01:30:00", 5400}, {"1-12:00:00", 129600}, {"0", 0},
    {"110min30s", 6630}};
  static const char *const none[] = {"", "90", "s", "2h30", "30m2h", "2h2h", "1:30", "1:99:00",
      "-2h",
                                     "2h-30m", "2x", "nan s"};
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
    if (trm_duration(times[i].text) != times[i].seconds)
      fail_msg("%s is read as %g s", times[i].text, trm_duration(times[i].text));
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
    if (!isnan(trm_duration(none[i])))
      fail_msg("'%s' is read as %g s", none[i], trm_duration(none[i]));
}

static void shapes_are_whole_numbers(void)
{
  int64_t of[3];
  assert_int_equal(trm_shape("128", of, 3), 1);
  assert_int_equal(trm_shape("128x256", of, 3), 2);
  assert_int_equal(of[1], 256);
  assert_int_equal(trm_shape("1e2X2x3", of, 3), 3);
  assert_int_equal(of[0], 100);
  assert_int_equal(trm_shape("1x2x3x4", of, 3), 0);
  assert_int_equal(trm_shape("12x", of, 3), 0);
  assert_int_equal(trm_shape("x12", of, 3), 0);
  assert_int_equal(trm_shape("1.5x2", of, 3), 0);
}

static void the_origin_names_file_and_line(void)
{
  trm_config *config = make_config();
  TEST_OK(trm_config_read(config, write_case("solver = \"lbm\";\n\nlbm :\n{\n  omega = "
                                             "1.5;\n};\n")));
  const char *origin = trm_config_origin(config, "lbm.omega");
  assert_non_null(strstr(origin, "case.conf:5"));
  trm_config_destroy(&config);
}

static void ranks_decide_whatever_the_order(void)
{
  trm_config *config = make_config();
  TEST_OK(trm_config_set_ranked(config, "run.steps", "5", TRM_RANK_OPTION, "--steps"));
  TEST_OK(trm_config_set_ranked(config, "run.steps", "4", TRM_RANK_SET, "--set run.steps"));
  TEST_OK(trm_config_set_ranked(config, "run.steps", "3", TRM_RANK_ENVIRONMENT, "environment"));
  TEST_OK(trm_config_read(config, write_case("run : { steps = 2; name = \"box\"; };")));
  assert_int_equal(trm_config_integer(config, "run.steps"), 5);
  assert_string_equal(trm_config_origin(config, "run.steps"), "--steps");
  assert_string_equal(trm_config_string(config, "run.name"), "box");
  TEST_OK(trm_config_set_ranked(config, "run.name", "cave", TRM_RANK_ENVIRONMENT, "environment"));
  assert_string_equal(trm_config_string(config, "run.name"), "cave");
  TEST_OK(trm_config_set(config, "run.name", "hall", "input.params:3"));
  assert_string_equal(trm_config_string(config, "run.name"), "cave");
  TEST_OK(trm_config_set_ranked(config, "run.name", "nave", TRM_RANK_ENVIRONMENT, "environment"));
  assert_string_equal(trm_config_string(config, "run.name"), "nave");
  trm_config_destroy(&config);
}

static void a_value_that_loses_is_checked_too(void)
{
  trm_config *config = make_config();
  TEST_OK(trm_config_set_ranked(config, "lbm.omega", "1", TRM_RANK_OPTION, "--omega"));
  TEST_FAILS(trm_config_read(config, write_case("lbm : {\n omega = 2.5; };")), TRM_ERROR_INPUT,
             "case.conf:2: lbm.omega = 2.5 is outside its range");
  trm_config_destroy(&config);
}

static void unknown_keys_are_refused_with_the_nearest(void)
{
  refused("lbm : {\n  omgea = 1.5; };", TRM_ERROR_NOT_FOUND, 2, "did you mean 'lbm.omega'?");
  refused("\n\ngird : { nx = 5; };", TRM_ERROR_NOT_FOUND, 3, "did you mean 'grid.nx'?");
  refused("omega = 1.5;", TRM_ERROR_NOT_FOUND, 1, "did you mean 'lbm.omega'?");
  refused("zzzzzzzzz = 1;", TRM_ERROR_NOT_FOUND, 1, "no key is near");
  refused("zzzzzzzzz = 1;", TRM_ERROR_NOT_FOUND, 1, "begin with one of run, ");
  set_refused("lattice3d.omega", "1", TRM_ERROR_NOT_FOUND, "did you mean 'lbm.omega'?");
  refused("lbm = 1.5;", TRM_ERROR_NOT_FOUND, 1, "'lbm' is a group of keys");
  set_refused("Grid.NX", "1", TRM_ERROR_NOT_FOUND, "did you mean 'grid.nx'?");
  set_refused("", "1", TRM_ERROR_NOT_FOUND, "unknown key ''");
}

static void types_are_checked_with_file_and_line(void)
{
  refused("\ngrid : { nx = 64.5; };", TRM_ERROR_INPUT, 2, "grid.nx needs an integer");
  refused("grid : { nx = \"64\"; };", TRM_ERROR_INPUT, 1, "grid.nx needs an integer, not a string");
  refused("lbm : { omega = \"1\"; };", TRM_ERROR_INPUT, 1,
          "lbm.omega needs a number, not a string");
  refused("lbm : { omega = true; };", TRM_ERROR_INPUT, 1, "not true or false");
  refused("lbm : { mode = channel_ };", TRM_ERROR_INPUT, 1, "syntax error");
  refused("lbm : { mode = 3; };", TRM_ERROR_INPUT, 1, "lbm.mode needs a string, not an integer");
  refused("lbm : { omega = [1.5]; };", TRM_ERROR_INPUT, 1, "not an array");
  refused("lbm : { omega = (1.5); };", TRM_ERROR_INPUT, 1, "not a list");
  refused("lbm : { omega : { x = 1; }; };", TRM_ERROR_INPUT, 1, "not a group");
  refused("output : { picture = 1; };", TRM_ERROR_INPUT, 1, "needs true or false, not an integer");
  set_refused("grid.nx", "12x", TRM_ERROR_INPUT, "grid.nx needs an integer, not '12x'");
  set_refused("grid.nx", "", TRM_ERROR_INPUT, "needs an integer");
  set_refused("grid.nx", " 5", TRM_ERROR_INPUT, "needs an integer");
  set_refused("lbm.omega", "fast", TRM_ERROR_INPUT, "needs a number, not 'fast'");
  set_refused("lbm.omega", "1.5 ", TRM_ERROR_INPUT, "needs a number");
  set_refused("lbm.omega", "0x1p0", TRM_ERROR_INPUT, "needs a number");
  set_refused("output.picture", "maybe", TRM_ERROR_INPUT, "needs true or false, not 'maybe'");
}

static void ranges_are_checked_and_told(void)
{
  refused("lbm : { omega = 2.0; };", TRM_ERROR_INPUT, 1, "greater than 0 and less than 2");
  refused("lbm : { omega = 0; };", TRM_ERROR_INPUT, 1, "greater than 0 and less than 2");
  refused("grid : { nx = 0; };", TRM_ERROR_INPUT, 1, "at least 1 and at most 2147483647 [cells]");
  refused("grid : { nx = 4294967297; };", TRM_ERROR_INPUT, 1, "grid.nx = 4294967297 is outside");
  refused("grid : { nx = -4294967295; };", TRM_ERROR_INPUT, 1, "grid.nx = -4294967295 is outside");
  refused("grid : { nx = 0x100000001; };", TRM_ERROR_INPUT, 1, "grid.nx = 4294967297 is outside");
  refused("grid : { nx = 2147483648L; };", TRM_ERROR_INPUT, 1, "at most 2147483647");
  refused("grid : { nx = 99999999999999999999; };", TRM_ERROR_INPUT, 1, "does not fit 64 bits");
  set_refused("grid.nx", "-5", TRM_ERROR_INPUT, "grid.nx = -5 is outside its range");
  set_refused("grid.nx", "99999999999999999999", TRM_ERROR_INPUT, "outside its range");
  set_refused("run.seed", "99999999999999999999", TRM_ERROR_INPUT, "does not fit 64 bits");
  set_refused("lbm.mode", "chanel", TRM_ERROR_INPUT, "bristol|channel; did you mean 'channel'?");
  set_refused("lbm.mode", "7", TRM_ERROR_INPUT, "choose one of them");
}

static void nan_and_infinity_are_refused(void)
{
  set_refused("lbm.density", "nan", TRM_ERROR_INPUT, "give a finite value");
  set_refused("lbm.density", "-inf", TRM_ERROR_INPUT, "infinite");
  set_refused("lbm.density", "1e999", TRM_ERROR_INPUT, "infinite or too large");
  set_refused("lbm.density", "1e-999", TRM_ERROR_INPUT, "too small");
  refused("lbm : { density = 1e999; };", TRM_ERROR_INPUT, 1, "finite");
}

static void so_they_are_among_the_numbers_of_a_list(void)
{
  static const char *const wrong[] = { "nan", "inf", "-Infinity", "1e999", "1e-999", "0x5",
    "-0X1p2" };
  static const char *const around[][2] = { { "", "" }, { "wall 1 ", "" }, { "wall ", " 2; wall 3" },
    { "wall 1,", "" }, { "z=", "" }, { "a*", ", b*2" }, { "0.1*t,\t", "\n" } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    for (size_t j = 0; j < sizeof around / sizeof *around; j++) {
      char text[64], part[64];
      snprintf(text, sizeof text, "%s%s%s", around[j][0], wrong[i], around[j][1]);
      snprintf(part, sizeof part, "has the number '%s'; write finite", wrong[i]);
      set_refused("lbm.places", text, TRM_ERROR_INPUT, part);
    }
  reads_as("lbm : { places = \"wall -1 2.5e3;; inflow 0012 info 0.1*x 1e-5, 5e-324\"; };",
           "lbm.places", "wall -1 2.5e3;; inflow 0012 info 0.1*x 1e-5, 5e-324");
}

static void syntax_errors_name_file_and_line(void)
{
  refused("run : {\n steps = ;\n};", TRM_ERROR_INPUT, 2, "syntax error");
  refused("a = \"unfinished\n", TRM_ERROR_INPUT, 2, "error");
  refused("run : { steps = 1; };\nrun : { steps = 2; };", TRM_ERROR_INPUT, 2, "duplicate");
  refused("\n@include \"/etc/passwd\"\n", TRM_ERROR_INPUT, 2, "includes no other");
}

static void unreadable_case_files_are_refused(void)
{
  trm_config *config = make_config();
  char path[4096];
  TEST_FAILS(trm_config_read(config, test_folder()), TRM_ERROR_IO, "it is a folder");
  snprintf(path, sizeof path, "%s/none.conf", test_folder());
  TEST_FAILS(trm_config_read(config, path), TRM_ERROR_IO, "none.conf': No such file");
  snprintf(path, sizeof path, "%s/binary.conf", test_folder());
  TEST_OK(trm_file_save(path, "a = 1;\n\0b", 9));
  TEST_FAILS(trm_config_read(config, path), TRM_ERROR_INPUT, "binary.conf:2: a zero byte");
  trm_config_destroy(&config);
}

static void a_case_names_its_solver(void)
{
  char *solver = NULL;
  unsigned line = 0;
  TEST_OK(trm_case_solver(write_case("\n\nsolver = \"lbm\";"), &solver, &line));
  assert_string_equal(solver, "lbm");
  assert_int_equal(line, 3);
  free(solver);
  solver = NULL;
  TEST_FAILS(trm_case_solver(write_case("run : { steps = 1; };"), &solver, &line), TRM_ERROR_INPUT,
             "does not name its solver");
  TEST_FAILS(trm_case_solver(write_case("\nsolver = 5;"), &solver, &line), TRM_ERROR_INPUT,
             "case.conf:2: ");
  assert_null(solver);
}

static void a_comment_may_be_the_end_of_a_case(void)
{
  char *solver = NULL;
  unsigned line = 0;
  static const char *const ends[] = { "# end", "// end", "#", "//", "/* end */" };
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char text[64];
    snprintf(text, sizeof text, "solver = \"lbm\";\n%s", ends[i]);
    TEST_OK(trm_case_solver(write_case(text), &solver, &line));
    free(solver);
  }
}

/* Whatever else stands on its lines, and before its options are known. */
static void one_key_of_a_case_is_read(void)
{
  static const struct { const char *text, *found; } cases[] = {
    { "output = { folder = \"a devices b\"; }; run = { steps = 1; devices = \"x,y\"; };", "x,y" },
    { "run = {\n  devices =\n\n  \"x,\"\n  \"y\"; };", "x,y" },
    { "run = { /* devices = \"x\"; */ steps = 1; };\n// devices = \"x\";", "" },
    { "devices = \"x\";", "" }, { "run = { devices = 5; };", "" } };
  char *text = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    TEST_OK(trm_case_text(write_case(cases[i].text), "run.devices", &text));
    assert_string_equal(text, cases[i].found);
    free(text);
  }
  text = NULL;
  TEST_FAILS(trm_case_text(write_case("run = {"), "run.devices", &text), TRM_ERROR_INPUT, "");
  assert_null(text);
}

static void a_required_key_that_is_missing_is_named(void)
{
  trm_config *config = make_config();
  TEST_FAILS(trm_config_check(config), TRM_ERROR_INPUT, "--set grid.nx=VALUE");
  TEST_OK(trm_config_set_ranked(config, "grid.nx", "8", TRM_RANK_SET, "--set"));
  TEST_OK(trm_config_check(config));
  trm_config_destroy(&config);
}

static void files_are_resolved_against_the_folder_of_the_case(void)
{
  char expected[4096];
  snprintf(expected, sizeof expected, "%s/walls.dat", test_folder());
  reads_as("lbm : { obstacles = \"walls.dat\"; };", "lbm.obstacles", expected);
  reads_as("lbm : { obstacles = \"/data/walls.dat\"; };", "lbm.obstacles", "/data/walls.dat");
  reads_as("lbm : { obstacles = \"\"; };", "lbm.obstacles", "");
  trm_config *config = make_config();
  TEST_OK(trm_config_set_ranked(config, "lbm.obstacles", "walls.dat", TRM_RANK_SET, "--set"));
  assert_string_equal(trm_config_string(config, "lbm.obstacles"), "walls.dat");
  trm_config_destroy(&config);
}

/* At the limit libconfig takes 0.1 s; it grows with the square. */
static void a_case_of_very_many_keys_is_refused(void)
{
  enum { MANY = 20000, EACH = 12 };
  char *text = malloc((size_t)MANY * EACH + 1), *end = text;
  trm_config *config = make_config();
  assert_non_null(text);
  for (int i = 0; i < MANY; i++) end += sprintf(end, "k%05d = 1;\n", i);
  TEST_FAILS(trm_config_read(config, write_case(text)), TRM_ERROR_INPUT,
             "more than 10000 settings; no solver has so many");
  text[9999 * strlen("k00000 = 1;\n")] = '\0';
  TEST_FAILS(trm_config_read(config, write_case(text)), TRM_ERROR_NOT_FOUND, "'k00000'");
  trm_config_destroy(&config);
  free(text);
}

static void a_printed_config_gives_the_same_run(void)
{
  trm_config *config = make_config(), *again = make_config();
  char *text = NULL, *solver = NULL;
  unsigned line = 0;
  TEST_OK(trm_config_set(config, "lbm.density", "0.1000000000000000055", "test"));
  TEST_OK(trm_config_set(config, "lbm.omega", "1", "test"));
  TEST_OK(trm_config_set(config, "run.seed", "9007199254740993", "test"));
  TEST_OK(
      trm_config_set(config, "run.name", "a \"quoted\" \\ name\twith\nlines\x01", "two\nlines"));
  TEST_OK(trm_config_set(config, "grid.nx", "97", "test"));
  TEST_OK(trm_config_set(config, "output.picture", "no", "test"));
  TEST_OK(trm_config_set(config, "lbm.obstacles", "walls.dat", "test"));
  TEST_OK(trm_config_print(config, "lbm", &text));
  TEST_OK(trm_case_solver(write_case(text), &solver, &line));
  assert_string_equal(solver, "lbm");
  TEST_OK(trm_config_read(again, write_case(text)));
  for (size_t i = 0; i < trm_config_count(config); i++) {
    const trm_option *option = trm_config_option(config, i);
    if (option->type == TRM_OPTION_REAL && !isnan(trm_config_real(config, option->key)))
      assert_true(trm_config_real(config, option->key) == trm_config_real(again, option->key));
    else if (option->type != TRM_OPTION_FILE)
      assert_string_equal(trm_config_text(config, option->key),
                          trm_config_text(again, option->key));
  }
  assert_int_equal(trm_config_string(again, "lbm.obstacles")[0], '/');
  free(text);
  free(solver);
  trm_config_destroy(&config);
  trm_config_destroy(&again);
}

static void wrong_tables_and_wrong_use_are_told(void)
{
  static const trm_option twice[] = {
    {"a.b", TRM_OPTION_INTEGER, "1", "1", NAN, NAN, 0, NULL, "one"},
    {"a.b", TRM_OPTION_INTEGER, "1", "1", NAN, NAN, 0, NULL, "the same"}};
  static const trm_option group[] = {
    {"a.b", TRM_OPTION_INTEGER, "1", "1", NAN, NAN, 0, NULL, "one"},
    {"a", TRM_OPTION_INTEGER, "1", "1", NAN, NAN, 0, NULL, "its group"}};
  static const trm_option broken[] = {
    {"a", TRM_OPTION_INTEGER, "1", "11", 1, 10, 0, NULL, "a default outside its range"}};
  const trm_option *tables[] = {twice, group, broken};
  size_t counts[] = {2, 2, 1};
  trm_config *config = NULL;
  TEST_FAILS(trm_config_create(&tables[0], &counts[0], 1, &config), TRM_ERROR_INVALID, "twice");
  TEST_FAILS(trm_config_create(&tables[1], &counts[1], 1, &config), TRM_ERROR_INVALID, "group");
  TEST_FAILS(trm_config_create(&tables[2], &counts[2], 1, &config), TRM_ERROR_INPUT,
             "the default: ");
  assert_null(config);
  config = make_config();
  assert_int_equal(trm_config_integer(config, "lbm.omega"), 0);
  assert_non_null(strstr(trm_error_last()->text, "'lbm.omega' was asked for as an integer"));
  assert_true(isnan(trm_config_real(config, "none")));
  trm_config_destroy(&config);
}

static void the_nearest_name_is_near(void)
{
  static const char *const names[] = {"openmp", "opencl", "cuda"};
  assert_string_equal(trm_nearest_name("opnecl", names, 3), "opencl");
  assert_string_equal(trm_nearest_name("CUDA", names, 3), "cuda");
  assert_string_equal(trm_nearest_name("openm", names, 3), "openmp");
  assert_null(trm_nearest_name("vulkan", names, 3));
  assert_null(trm_nearest_name("x", names, 3));
  assert_null(trm_nearest_name("cuda", names, 0));
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(defaults_stand_until_something_is_set),
    TEST_HOST(a_case_file_sets_nested_and_flat_keys),
    TEST_HOST(counts_and_choices_are_taken_as_people_write_them),
    TEST_HOST(a_choice_has_the_number_of_its_place),
    TEST_HOST(a_real_may_be_left_to_the_solver),
    TEST_HOST(times_are_taken_as_people_write_them),
    TEST_HOST(shapes_are_whole_numbers),
    TEST_HOST(the_origin_names_file_and_line),
    TEST_HOST(ranks_decide_whatever_the_order),
    TEST_HOST(a_value_that_loses_is_checked_too),
    TEST_HOST(unknown_keys_are_refused_with_the_nearest),
    TEST_HOST(types_are_checked_with_file_and_line),
    TEST_HOST(ranges_are_checked_and_told),
    TEST_HOST(nan_and_infinity_are_refused),
    TEST_HOST(so_they_are_among_the_numbers_of_a_list),
    TEST_HOST(syntax_errors_name_file_and_line),
    TEST_HOST(unreadable_case_files_are_refused),
    TEST_HOST(a_case_names_its_solver),
    TEST_HOST(a_comment_may_be_the_end_of_a_case),
    TEST_HOST(one_key_of_a_case_is_read),
    TEST_HOST(a_required_key_that_is_missing_is_named),
    TEST_HOST(files_are_resolved_against_the_folder_of_the_case),
    TEST_HOST(a_case_of_very_many_keys_is_refused),
    TEST_HOST(a_printed_config_gives_the_same_run),
    TEST_HOST(wrong_tables_and_wrong_use_are_told),
    TEST_HOST(the_nearest_name_is_near),
  };
  return TEST_RUN(argc, argv, cases);
}
