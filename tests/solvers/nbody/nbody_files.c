/* nbody_files.c - bodies in files: what is written can be read back; what is wrong is refused
 * with file, line and cure. And the random numbers behind the generators. */
#include "tests/solvers/nbody/nbody_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/npy.h"
#include "solvers/nbody/nbody.h"

static const char *write_text(const char *name, const char *text)
{
  static char path[1024];
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(fclose(file), 0);
  return path;
}

static void refused(const char *name, const char *text, const char *part)
{
  nbody_bodies bodies = {0};
  TEST_FAILS(nbody_read(write_text(name, text), "", &bodies), TRM_ERROR_INPUT, part);
  nbody_bodies_free(&bodies);
}

static void text_and_csv_with_a_heading_and_remarks_are_read(void)
{
  static const char *const texts[] = {
    "x y z vx vy vz m\n1 2 3 4 5 6 7\n\n# remark\n-1 0.5 1e-3 0 0 0 2\n",
    "x,y,z,vx,vy,vz,m\n1,2,3,4,5,6,7\n-1, 0.5, 1e-3, 0, 0, 0, 2\n",
    "1\t2 3 4 5 6 7\r\n-1 0.5 1e-3 0 0 0 2"};
  for (int i = 0; i < 3; i++) {
    nbody_bodies bodies = {0};
    TEST_OK(nbody_read(write_text("bodies.csv", texts[i]), "", &bodies));
    assert_int_equal(bodies.count, 2);
    for (int c = 0; c < 7; c++) assert_true(bodies.value[c][0] == c + 1.0);
    assert_true(bodies.value[1][1] == 0.5 && bodies.value[6][1] == 2.0);
    nbody_bodies_free(&bodies);
  }
}

/* A heading names the columns in any order, also behind #, as numpy.savetxt writes it. */
static void headings_say_where_columns_are(void)
{
  static const char *const texts[] = {
    "vx,vy,vz,x,y,z,m\n4,5,6,1,2,3,7\n", "# m vz vy vx z y x\n7 6 5 4 3 2 1\n",
    "mass;X;Y;Z;VX;VY;VZ\n7;1;2;3;4;5;6\n", "\"m\",\"x\",\"y\",\"z\",\"v_x\",\"v_y\",\"v_z\"\n"
    "7,1,2,3,4,5,6\n", "# any words\n1 2 3 4 5 6 7\n" };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    nbody_bodies bodies = {0};
    TEST_OK(nbody_read(write_text("bodies.csv", texts[i]), "", &bodies));
    assert_int_equal(bodies.count, 1);
    for (int c = 0; c < 7; c++) assert_true(bodies.value[c][0] == c + 1.0);
    nbody_bodies_free(&bodies);
  }
  refused("units", "x[km] y z vx vy vz m\n1 2 3 4 5 6 7\n",
          "of which 'x[km]' is not known; it names");
  refused("twice", "x y z x y z m\n1 2 3 4 5 6 7\n", "twice:1: a heading of 7 names");
  refused("hole", "1,2,3,4,5,6,,7\n", "hole:1: nothing stands before a comma");
}

static void a_wrong_line_is_named(void)
{
  refused("six", "1 2 3 4 5 6 7\n1 2 3 4 5 6\n", "six:2: 6 columns");
  refused("eight", "1 2 3 4 5 6 7 8\n", "eight:1: 8 columns");
  refused("word", "1 2 3 4 5 6 7\n1 2 three 4 5 6 7\n", "word:2: a column is not a number");
  refused("hexadecimal", "1 2 3 4 5 6 0x7\n1 2 3 4 5 6 7\n", "hexadecimal:1: a column is not a");
  refused("headings", "x y z\nx y z\n1 2 3 4 5 6 7\n", "headings:1: a heading of 3 names");
  refused("nan", "1 2 3 4 5 6 nan\n", "nan:1: column 7");
  refused("empty", "# nothing\n", "no bodies");
  refused("short_f32.bin", "12345", "no whole number of bodies");
  refused("set_f64.bin", "12345", "nbody.masses");
}

static void what_is_written_is_read_back_to_the_last_bit(void)
{
  static const char *const names[] = {"bodies.txt", "bodies.npy"};
  nbody_bodies bodies = {0};
  TEST_OK(nbody_bodies_create(101, &bodies));
  for (size_t c = 0; c < 7; c++)
    for (size_t i = 0; i < 101; i++) bodies.value[c][i] = 1.0 / (double)(1 + 7 * i + c) - 0.1;
  TEST_OK(nbody_write(test_folder(), &bodies, TRM_F64));
  for (int k = 0; k < 2; k++) {
    char path[1024];
    nbody_bodies read = {0};
    snprintf(path, sizeof path, "%s/%s", test_folder(), names[k]);
    TEST_OK(nbody_read(path, "", &read));
    assert_int_equal(read.count, 101);
    for (size_t c = 0; c < 7; c++)
      TEST_SAME_BITS(read.value[c], bodies.value[c], 101, TRM_TYPE_F64);
    nbody_bodies_free(&read);
  }
  nbody_bodies_free(&bodies);
}

/* The first 64 bodies of the SDK's cube at the start, and after one explicit step of 0.005 with
 * eps^2 = 50: computed in 80-bit arithmetic by another program. */
static void the_binary_sets_of_the_studies_are_read(void)
{
  char masses[1024];
  nbody_bodies start = {0}, drawn = {0}, later = {0};
  trm_config *config = nbody_config("initial=cube bodies=64 dt=0.005");
  snprintf(masses, sizeof masses, "%s", test_data("nbody_set_f32.bin"));
  TEST_OK(nbody_read(masses, "", &start));
  TEST_OK(nbody_read(test_data("nbody_set_f64.bin"), masses, &later));
  TEST_OK(nbody_generate(config, 1.0, &drawn));
  assert_int_equal(start.count, 64);
  assert_int_equal(later.count, 64);
  for (int c = 0; c < 7; c++)
    TEST_SAME_BITS(start.value[c], drawn.value[c], 64, TRM_TYPE_F64);
  TEST_SAME_BITS(later.value[6], drawn.value[6], 64, TRM_TYPE_F64);
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 64; i++) { /* from rest: v = a dt, x = x0 + a dt^2 / 2 */
      const double moved = later.value[c][i] - start.value[c][i];
      assert_true(fabs(moved - later.value[3 + c][i] * (double)0.005f / 2.0) < 1e-13);
      assert_true(moved != 0.0);
    }
  nbody_bodies_free(&start);
  nbody_bodies_free(&drawn);
  nbody_bodies_free(&later);
  trm_config_destroy(&config);
}

static void sets_and_arrays_that_do_not_fit_are_refused(void)
{
  char path[1024], masses[1024];
  nbody_bodies bodies = {0};
  snprintf(masses, sizeof masses, "%s", write_text("few_f32.bin", "0123456789abcdef"));
  TEST_FAILS(nbody_read(test_data("nbody_set_f64.bin"), masses, &bodies), TRM_ERROR_INPUT,
             "64 bodies and");
  nbody_bodies_free(&bodies);
  TEST_FAILS(nbody_read(test_data("nbody_set_f32.bin"), masses, &bodies), TRM_ERROR_INPUT,
             "brings its own masses");
  snprintf(path, sizeof path, "%s/wide.npy", test_folder());
  const double eight[16] = {0.0};
  const trm_array wide = {"wide", "", TRM_TYPE_F64, 1, 8, 2, 1, eight};
  TEST_OK(trm_npy_write(path, &wide));
  TEST_FAILS(nbody_read(path, "", &bodies), TRM_ERROR_INPUT, "(N, 7) or (7, N)");
  nbody_bodies_free(&bodies);
}

static void bad(trm_device *device, const char *text, const char *softening, const char *part)
{
  char settings[1200];
  snprintf(settings, sizeof settings, "initial=file dt=0.1 softening=%s file=%s", softening,
           write_text("bad.txt", text));
  TEST_FAILS(nbody_try(device, settings, TRM_F32), TRM_ERROR_INPUT, part);
}

static void bodies_that_cannot_be_integrated_are_refused(trm_device *device)
{
  bad(device, "1 2 3 4 5 6 7\n", "0.1", "needs two");
  bad(device, "1 2 3 4 5 6 7\n1 2 4 4 5 6 -1\n", "0.1", "negative mass");
  bad(device, "1 2 3 4 5 6 0\n1 2 4 4 5 6 0\n", "0.1", "any mass");
  bad(device, "1 2 3 4 5 6 1\n0 0 0 0 0 0 1\n1 2 3 0 0 0 1\n", "0", "bodies 1 and 3");
  bad(device, "1 0 0 0 0 0 1\n1.00000000001 0 0 0 0 0 1\n0 0 0 0 0 0 1\n", "0",
      "run's precision");
  bad(device, "1e39 0 0 0 0 0 1\n1 0 0 0 0 0 1\n", "0.1", "range of the run's precision");
  TEST_FAILS(nbody_try(device, "initial=file dt=0.1", TRM_F32), TRM_ERROR_INPUT, "nbody.file");
  TEST_FAILS(nbody_try(device, "dt=0.1 group=48", TRM_F32), TRM_ERROR_INPUT, "multiple of 32");
  TEST_FAILS(nbody_try(device, "dt=0.1 initial=file file=/nowhere/bodies.txt", TRM_F32),
             TRM_ERROR_IO, "/nowhere/bodies.txt");
  const double values[14] = {0.0, 1.0, 0.0, 1.0, 0.0, NAN, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0};
  const trm_array two = {"bodies", "", TRM_TYPE_F64, 1, 2, 7, 1, values};
  char path[1024], settings[1200];
  snprintf(path, sizeof path, "%s/nan.npy", test_folder());
  TEST_OK(trm_npy_write(path, &two));
  snprintf(settings, sizeof settings, "initial=file dt=0.1 softening=0.1 file=%s", path);
  TEST_FAILS(nbody_try(device, settings, TRM_F64), TRM_ERROR_INPUT, "nan.npy: z of body 2 is");
}

static void keys_out_of_range_are_refused_with_the_range(void)
{
  static const struct { const char *key, *value, *part; } wrong[] = {
    {"nbody.theta", "0", "at least 1e-09 and at most 1.5"},
    {"nbody.theta", "-1", "outside its range"}, {"nbody.theta", "1.6", "outside its range"},
    {"nbody.theta", "nan", "not a number"}, {"nbody.bodies", "0", "at least 2"},
    {"nbody.bodies", "1", "at least 2"}, {"nbody.softening", "-1", "at least 0"},
    {"nbody.dt", "0", "greater than 0"}, {"nbody.integrator", "euler", "leapfrog"}};
  trm_config *config = nbody_config("dt=0.1");
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    TEST_FAILS(trm_config_set(config, wrong[i].key, wrong[i].value, "the test"), TRM_ERROR_INPUT,
               wrong[i].part);
  trm_config_destroy(&config);
}

/* The mass in the picture, by cells. */
static double shown(trm_device *device, const char *more, const char *text)
{
  char settings[1200];
  nbody_run run;
  double sum = 0.0;
  size_t count = 0;
  snprintf(settings, sizeof settings, "initial=file dt=0.1 softening=0.1 span=16 file=%s %s",
           write_text("few.txt", text), more);
  nbody_begin(&run, device, settings, TRM_F32, TRM_STRICT);
  TEST_OK(run.solver->type->observe(run.solver));
  double *density = nbody_values(&run, "density", &count); /* cells of side 1 */
  for (size_t i = 0; i < count; i++) sum += density[i];
  free(density);
  nbody_end(&run);
  return sum;
}

static void the_picture_holds_the_mass_of_the_bodies_it_shows(trm_device *device)
{
  static const char text[] = "0.3 -2.4 1 0 0 0 1\n3 3 3 0 0 0 2\n-4.5 1.25 0 0 0 0 5\n"
                             "90 0 0 0 0 0 0.5\n";
  TEST_CLOSE(shown(device, "", text), 8.0, 1e-6);
  TEST_CLOSE(shown(device, "shown=light", text), 3.0, 1e-6); /* the mean is 2.125 */
  TEST_CLOSE(shown(device, "shown=light", "1 0 0 0 0 0 0.1\n0 1 0 0 0 0 0.1\n0 0 0 0 0 0 0.1\n"),
             0.3, 1e-6);
}

/* Known answers of Random123's own test, and of random() in the GNU C library with seed 1. */
static void random_numbers_are_those_of_their_authors(void)
{
  static const uint32_t expected[2][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                          {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}};
  static const uint32_t first[3] = {1804289383, 846930886, 1681692777};
  for (uint32_t k = 0; k < 2; k++) {
    const uint32_t ones = k ? UINT32_MAX : 0, counter[4] = {ones, ones, ones, ones};
    const uint32_t key[2] = {ones, ones};
    uint32_t out[4];
    nbody_philox(counter, key, out);
    assert_memory_equal(out, expected[k], sizeof out);
  }
  nbody_glibc g;
  nbody_glibc_seed(&g, 1);
  for (int i = 0; i < 3; i++) assert_int_equal(nbody_glibc_next(&g), first[i]);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(text_and_csv_with_a_heading_and_remarks_are_read),
    TEST_HOST(headings_say_where_columns_are),
    TEST_HOST(a_wrong_line_is_named),
    TEST_HOST(what_is_written_is_read_back_to_the_last_bit),
    TEST_HOST(the_binary_sets_of_the_studies_are_read),
    TEST_HOST(sets_and_arrays_that_do_not_fit_are_refused),
    TEST_HOST(keys_out_of_range_are_refused_with_the_range),
    TEST_DEVICE(bodies_that_cannot_be_integrated_are_refused),
    TEST_DEVICE(the_picture_holds_the_mass_of_the_bodies_it_shows),
    TEST_HOST(random_numbers_are_those_of_their_authors),
  };
  return TEST_RUN(argc, argv, cases);
}
