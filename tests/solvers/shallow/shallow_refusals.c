/* shallow_refusals.c - what the shallow-water solver cannot run: each is refused with the file or
 * the key, the place in it, and what to do. */
#include "tests/solvers/shallow/shallow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/epfl.h"

/* The case with these keys, refused with this part of a message. */
static void refuses_case(trm_device *device, const char *const *sets, const char *part)
{
  const trm_solver_options how = { .precision = TRM_F32 };
  trm_config *config = shallow_configure_run(sets);
  trm_solver *solver = NULL;
  TEST_FAILS(trm_solver_shallow.create(device, config, &how, &solver), TRM_ERROR_INPUT, part);
  assert_null(solver);
  trm_config_destroy(&config);
}

static void refuses(trm_device *device, const char *key, const char *text, const char *part)
{
  const char *const sets[] = { "grid.nx", "20", "grid.ny", "10", "grid.dx", "1", key, text, NULL };
  refuses_case(device, sets, part);
}

/* A file of the test's folder with this text; its path is kept until the next
 * call with the name. */
static const char *write_text(const char *name, const char *text)
{
  static char paths[2][1024];
  char *path = paths[strcmp(name, "surface.asc") == 0];
  snprintf(path, sizeof paths[0], "%s/%s", test_folder(), name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
  return path;
}

static void formulas_and_gauges_are_told_with_their_place(trm_device *device)
{
  refuses(device, "probes", "far 30 5", "gauge far at (30, 5) is off the grid, which "
          "reaches from (0, 0) to (20, 10)");
  refuses(device, "probes", "near 3", "is not a gauge");
  refuses(device, "probes", "\"near 3 3", "the name '\"near' in probes is");
  refuses(device, "probes", "near 3 3, h[m] 5 5", "the name 'h[m]' in probes is");
  refuses(device, "probes", "near 3 3, near 5 5", "there is a series 'near' already");
  refuses(device, "probes", "rate 3 3", "there is a series 'rate' already");
  refuses(device, "shallow.bed_formula", "1 / (x - 2.5)", "in cell (2, 0)");
  refuses(device, "initial.surface", "log(y - 5)",
          "is nan in cell (0, 0), at x = 0.5, y = 0.5");
  refuses(device, "shallow.bed_formula", "2 * (x", "')' expected at character 7");
  refuses(device, "shallow.bed_formula", "2 * w", "unknown name");
}

static void beds_are_told_with_their_place(trm_device *device)
{
  static const struct { const char *text, *part; } beds[] = {
    { "ncols 3\nnrows 3\ncellsize 1\n1 2 3\n4 -9999 6\n7 8 9\n",
      "bed.asc: 1 cells have no value, the first is (1, 1); set shallow.fill" },
    { "ncols 3\nnrows 3\ncellsize 1\n1 2 nan\n4 5 6\n7 8 -9999\n",
      "bed.asc: 2 cells have no value, the first is (2, 0); set shallow.fill" },
    { "ncols 3\nnrows 3\ncellsize 1\n1 2 3\n4 5 6\n7 8\n", "ends where a cell" },
    { "ncols 3\nnrows 3\ncellsize 1\n1 2 3\n4 x 6\n7 8 9\n", "bed.asc:5: 'x' is not a number" },
    { "ncols 3\nnrows 3\ncellsize 1\n1 2 3\n4 0x5 6\n7 8 9\n", "bed.asc:5: '0x5' is not a number" },
    { "ncols 3\nnrows 3\n1 2 3\n4 5 6\n7 8 9\n", "neither a positive cellsize" },
    { "ncols 3\nnrows 3\ncellsize 1\n1 2 3\n4 5 6\n7 8 9\n", "grid.nx is 20, and 3 in" } };
  for (size_t i = 0; i < sizeof beds / sizeof *beds; i++)
    refuses(device, "shallow.bed", write_text("bed.asc", beds[i].text), beds[i].part);
}

static void surfaces_must_lie_on_the_bed_s_cells(trm_device *device)
{
  static const struct { const char *text, *part; } surfaces[] = {
    { "ncols 4\nnrows 3\ncellsize 1\n1 2 3 4\n4 5 6 7\n7 8 9 9\n",
      "surface.asc: 4 x 3 cells, where the bed has 3 x 3" },
    { "ncols 3\nnrows 3\ncellsize 2\n1 2 3\n4 5 6\n7 8 9\n",
      "surface.asc: cells of 2 by 2 m, where the bed's are 1 by 1" },
    { "ncols 3\nnrows 3\nxllcorner 1\nyllcorner 0\ncellsize 1\n1 2 3\n4 5 6\n7 8 9\n",
      "surface.asc: its south-western corner is (1, 0), where the bed's is (0, 0)" },
    { "ncols 3\nnrows 3\ncellsize 1\n1 2 3\n4 5 6\n7 8 -9999\n",
      "surface.asc: 1 cells have no value, the first is (2, 0); a surface needs one everywhere" } };
  const char *bed = write_text("bed.asc", "ncols 3\nnrows 3\ncellsize 1\n0 0 0\n0 0 0\n0 0 0\n");
  for (size_t i = 0; i < sizeof surfaces / sizeof *surfaces; i++) {
    const char *const sets[] = { "shallow.bed", bed, "initial.surface_file",
                                 write_text("surface.asc", surfaces[i].text), NULL };
    refuses_case(device, sets, surfaces[i].part);
  }
}

static void holes_take_the_fill(trm_device *device)
{
  const char *const sets[] = {
    "shallow.bed",
    write_text("bed.asc", "ncols 3\nnrows 3\ncellsize 1\n0 0 0\n0 -9999 0\n0 nan 0\n"),
    "shallow.fill", "7.5", NULL };
  shallow_run run = shallow_run_begin(device, TRM_F32, sets);
  double *bed = shallow_run_values(&run, "bed");
  for (int i = 0; i < 9; i++) assert_true(bed[i] == (i == 1 || i == 4 ? 7.5 : 0.0));
  free(bed);
  shallow_run_end(&run);
}

/* ---- the course's files -------------------------------------------------------------- */

/* A case of 6 x 6 values with `value` at (x, y) of a field. */
static void write_course(const char *field, int x, int y, double value, char *prefix, size_t bytes)
{
  static const char *const names[] = { "h", "hu", "hv", "Zdx", "Zdy" };
  char path[1200];
  snprintf(prefix, bytes, "%s/Data_nx6_500km_T0.2", test_folder());
  for (int f = 0; f < 5; f++) {
    double values[36];
    for (int i = 0; i < 36; i++) values[i] = f == 0 ? 1 : 0;
    if (strcmp(field, names[f]) == 0) values[y * 6 + x] = value;
    snprintf(path, sizeof path, "%s_%s.bin", prefix, names[f]);
    TEST_OK(trm_epfl_write(path, 6, values));
  }
}

static void course_files_are_told_with_their_byte(trm_device *device)
{
  static const struct { const char *field; int x, y; double value; const char *part; } bad[] = {
    { "h", 2, 3, -0.5, "Data_nx6_500km_T0.2_h.bin: value (2, 3), at byte 120, is -0.5; a depth "
                       "is a number and not negative" },
    { "h", 4, 1, NAN, "_h.bin: value (4, 1), at byte 200, is nan" },
    { "hv", 1, 1, INFINITY, "_hv.bin: value (1, 1), at byte 56, is inf" },
    { "Zdx", 1, 2, NAN, "_Zdx.bin: value (1, 2), at byte 64, is nan" } };
  char prefix[1024], path[1200];
  const char *const sets[] = { "shallow.course", prefix, "shallow.scheme", "lax-friedrichs", NULL };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    write_course(bad[i].field, bad[i].x, bad[i].y, bad[i].value, prefix, sizeof prefix);
    refuses_case(device, sets, bad[i].part);
  }
  write_course("h", 0, 3, -1, prefix, sizeof prefix); /* the ring may hold anything */
  shallow_run run = shallow_run_begin(device, TRM_F32, sets);
  shallow_run_end(&run);
  snprintf(path, sizeof path, "%s_hu.bin", prefix);
  assert_int_equal(truncate(path, 100), 0);
  refuses_case(device, sets, "_hu.bin: 100 bytes; 6 x 6 values of 8 bytes are 288");
}

static void what_a_file_tells_is_told_once(trm_device *device)
{
  char prefix[1024];
  write_course("h", 1, 1, 1, prefix, sizeof prefix);
  const char *const wider[] = { "shallow.course", prefix, "shallow.scheme", "lax-friedrichs",
                                "grid.nx", "99", NULL };
  refuses_case(device, wider,
               "grid.nx is already given by the file of shallow.course; leave one out");
  const char *const twice[] = {
    "shallow.bed",
    write_text("bed.asc", "ncols 3\nnrows 3\ncellsize 1\n0 0 0\n0 0 0\n0 0 0\n"),
    "shallow.bed_formula", "-2", NULL };
  refuses_case(device, twice, "shallow.bed_formula is already given by the file of shallow.bed");
  refuses(device, "shallow.fill", "3", "shallow.fill has an effect only together with shallow.bed");
}

/* A momentum whose square single precision cannot hold would come out as dry land. */
static void a_speed_beyond_the_precision_is_refused(trm_device *device)
{
  const char *const sets[] = { "grid.nx", "20", "grid.ny", "10", "grid.dx", "1",
                               "shallow.bed_formula", "-1",
                               "initial.velocity_x", "x < 3 ? 0 : 1e20", NULL };
  refuses_case(device, sets,
               "the speed is 1e+20 in cell (3, 0), too large for the run's precision");
}

static void hllc_takes_no_slopes(trm_device *device)
{
  char prefix[1024];
  write_course("h", 1, 1, 1, prefix, sizeof prefix);
  const char *const sets[] = { "shallow.course", prefix, NULL };
  refuses_case(device, sets, "which hllc needs; choose shallow.scheme");
}

/* ---- edges and numbers --------------------------------------------------------------- */

static void hydrographs_are_told_with_their_line(trm_device *device)
{
  static const struct { const char *text, *part; } files[] = {
    { "# t, level\n0,1\n1;x\n", "edge.csv:3: '1;x' is not a time and a value" },
    { "0,1\n0x2,1\n", "edge.csv:2: '0x2,1' is not a time and a value" },
    { "0,1\n2,1\n1,1\n", "edge.csv:3: 1 comes after 2: sort the lines" },
    { "level, flow\n0,1\n", "edge.csv:1: the heading 'level, flow' does not say which column "
                             "is a" },
    { "time [min], level [m]\n0,1\n", "the column 'time' is in 'min'; times are in s" },
    { "time (s), level (cm)\n0,1\n", "the column 'level' is in 'cm'; times are in s" },
    { "nan 1\n0 1\n", "edge.csv:1: 'nan 1' is not a time and a value" },
    { "level, time\n1,0\n2,1\n3,1\n", "edge.csv:4: 1 comes after 1: sort" },
    { "0,1\n1.00000001,1\n1,1\n", "edge.csv:3: 1 comes after 1.00000001: sort" },
    { "time, level\n", "holds no line of a time and a value" } };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    const char *const sets[] = { "grid.nx", "20", "grid.ny", "10", "grid.dx", "1",
                                 "boundary.west", "wave", "boundary.west_table",
                                 write_text("edge.csv", files[i].text), NULL };
    refuses_case(device, sets, files[i].part);
  }
  refuses(device, "boundary.west_table", write_text("edge.csv", "0,1\n"), "takes no hydrograph");
  refuses(device, "boundary.west_value", "2", "boundary.west = \"open\" takes no value");
}

static void a_courant_number_above_one_is_refused(void)
{
  static const char *const sets[] = { "grid.nx", "20", NULL };
  trm_config *config = shallow_configure_run(sets);
  TEST_FAILS(trm_config_set(config, "shallow.cfl", "1.5", "the test"), TRM_ERROR_INPUT,
             "shallow.cfl");
  trm_config_destroy(&config);
}

/* Numbers that the method or the precision cannot bear; with the cure that the message names the
 * case is made. */
static void numbers_are_held_against_the_method(trm_device *device)
{
  static const struct { const char *key, *value, *part, *cure; } numbers[] = {
    { "shallow.cfl", "0.6", "shallow.cfl = 0.6: hllc is stable up to 0.5 in two dimensions; set it "
                            "to 0.5 or less", "0.5" },
    { "shallow.dry", "1e-20", "shallow.dry = 1e-20: friction and speeds are computed for depths of "
                              "1e-12 or more; set it to that", "1e-12" },
    { "shallow.dry", "2", "shallow.dry = 2, and the deepest water of the start is 1: nothing would "
                          "move", "0.001" },
    { "boundary.west_value", "1e30", "the value 1e+30 is too large for the run's precision",
      "1" } };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const char *sets[] = { "grid.nx", "20", "grid.ny", "10", "grid.dx", "1", "shallow.bed_formula",
                           "-1", "boundary.west", "discharge", numbers[i].key, numbers[i].value,
                           NULL };
    refuses_case(device, sets, numbers[i].part);
    sets[11] = numbers[i].cure;
    shallow_run run = shallow_run_begin(device, TRM_F32, sets);
    shallow_run_end(&run);
  }
  const char *const dated[] = {
    "grid.nx", "20", "grid.ny", "10", "grid.dx", "1", "boundary.west", "discharge",
    "boundary.west_table", write_text("dated.csv", "1700000000,1\n1700000010,2\n"), NULL };
  refuses_case(device, dated, "the times 1700000000 and 1700000010 are one number in f32; count "
                              "them from the run's start, or set run.precision = \"f64\"");
  if (!trm_device_describe(device)->has_f64) return;
  shallow_run run = shallow_run_begin(device, TRM_F64, dated);
  shallow_run_end(&run);
}

static void an_exact_volume_is_strict_hllc_s(trm_device *device)
{
  const char *const sets[] = { "grid.nx", "20", "grid.ny", "10", "grid.dx", "1",
                               "shallow.exact_volume", "true", "shallow.scheme", "lax-friedrichs",
                               NULL };
  refuses_case(device, sets, "lax-friedrichs has no exact volume");
  const char *const gauges[] = { "grid.nx", "20", "grid.ny", "10", "grid.dx", "1",
                                 "shallow.bed_formula", "x<10 ? -1 : 541.79", "probes",
                                 "sea 5 5, hill 15 5", NULL };
  shallow_run run = shallow_run_begin(device, TRM_F32, gauges);
  assert_non_null(run.solver->caution);
  assert_string_equal(run.solver->caution, "gauge hill stands on dry land, its bed 541.79 high: "
                      "until water comes its series is the height of the bed; move it to the "
                      "water, if it is to show waves");
  shallow_run_end(&run);
  /* land below the highest water of the start may be flooded */
  const char *const beach[] = { "grid.nx", "20", "grid.ny", "10", "grid.dx", "1",
                                "shallow.bed_formula", "x<10 ? -1 : 0.3",
                                "initial.surface", "x<5 ? 0.5 : 0", "probes",
                                "beach 15 5", NULL };
  run = shallow_run_begin(device, TRM_F32, beach);
  assert_null(run.solver->caution);
  shallow_run_end(&run);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(formulas_and_gauges_are_told_with_their_place),
    TEST_DEVICE(beds_are_told_with_their_place),
    TEST_DEVICE(surfaces_must_lie_on_the_bed_s_cells),
    TEST_DEVICE(holes_take_the_fill),
    TEST_DEVICE(course_files_are_told_with_their_byte),
    TEST_DEVICE(what_a_file_tells_is_told_once),
    TEST_DEVICE(a_speed_beyond_the_precision_is_refused),
    TEST_DEVICE(hllc_takes_no_slopes),
    TEST_DEVICE(hydrographs_are_told_with_their_line),
    TEST_DEVICE(numbers_are_held_against_the_method),
    TEST_DEVICE(an_exact_volume_is_strict_hllc_s),
    TEST_HOST(a_courant_number_above_one_is_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
