/* kills.c - runs that are killed at random moments and go on on changing backends and threads until
 * they are done, and grids on changing numbers of parts: fingerprint, series and outputs are those
 * of a run that nobody touched. ranks_parts.sh kills ranks.
 *
 * 66 kills in make check, over all solvers; 5 000 in make check-long. */
#include "tests/cli/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { KILLS = 66, LONG_KILLS = 5000, MOST_STARTS = 400 };

typedef struct killed_case { const char *name, *text; } killed_case;

#define RUN(steps, every) \
  "run = { steps = " #steps "; roof = false; batch = " #every "; }; checkpoint = { every = " \
  "\"0.004s\"; }; output = { formats = \"npy\"; every = " #every "0; };"
#define BODIES "solver = \"nbody\"; nbody = { dt = 0.001; picture = 16; "
#define FLOW(flow) \
  BODY "solver = \"lbm\"; grid = { nx = 60; ny = 30; }; lbm = { flow = \"" flow "\"; speed = 0.04; "
#define BODY "bodies = { shapes = \"cylinder 15 15 4\"; };"
#define WATER \
  "solver = \"shallow\"; grid = { nx = 40; ny = 24; dx = 1.0; }; initial = { surface = " \
  "\"x < 12 ? 2 : 1\"; }; shallow = { "
static const killed_case cases[] = {
  { "driven", "solver = \"lbm\"; grid = { nx = 40; ny = 24; };" RUN(6000, 60) },
  { "geneva", FLOW("geneva") "reynolds = 60.0; reynolds_dim = 4.0; };" RUN(3000, 40) },
  { "channel", FLOW("channel") "viscosity = 0.02; };" RUN(3000, 40) },
  { "pairs", BODIES "bodies = 256; };" RUN(400, 10) },
  { "yoshida", BODIES "bodies = 128; integrator = \"yoshida4\"; };" RUN(400, 10) },
  { "hermite", BODIES "bodies = 128; integrator = \"hermite4\"; };" RUN(400, 10) },
  { "tree", BODIES "bodies = 400; force = \"tree\"; };" RUN(200, 5) },
  { "hllc", WATER "maps = true; }; probes = \"one 3 3\";" RUN(2000, 25) },
  { "lf", WATER "scheme = \"lax-friedrichs\"; };" RUN(2000, 25) },
  { "box", "solver = \"lbm3d\"; grid = { nx = 12; ny = 10; nz = 8; }; boundary = { west = "
           "\"wall\"; east = \"wall\"; south = \"wall\"; north = \"moving\"; north_velocity = "
           "\"0.1; 0; 0\"; bottom = \"wall\"; top = \"wall\"; }; lbm = { reynolds = 100.0; };"
    RUN(1500, 20) },
  { "gas", "solver = \"compressible\"; grid = { nx = 32; ny = 32; }; initial = { density = "
           "\"1 + 0.1*sin(6.2831853*x)\"; velocity_x = \"1\"; pressure = \"1\"; };" RUN(400, 10) },
};
enum { CASES = sizeof cases / sizeof cases[0] };

static program_result result;
static int has_opencl;

static int random_below(int n) { return (int)((double)rand() / ((double)RAND_MAX + 1) * n); }

/* Another backend, other threads, or parts. */
static void choose_device(char *text, size_t bytes, int has_grid)
{
  static const char *const parts[] = { "openmp,openmp*2", "openmp,openmp,openmp" };
  if (has_grid && random_below(3) == 0) {
    snprintf(text, bytes, "--devices=%s --threads=1", parts[random_below(2)]);
    return;
  }
  const char *backend = has_opencl && random_below(3) == 0 ? "opencl" : "openmp";
  snprintf(text, bytes, "--backend=%s --threads=%d", backend, 1 + random_below(3));
}

/* Killed after so long, and again until it has ended; the number of kills. */
static long run_killed(const char *path, const char *folder, double seconds, int has_grid)
{
  char line[4 * PROGRAM_PATH], device[64];
  long kills = 0;
  int is_begun = 0;
  program_remove(folder);
  for (int start = 0; start < MOST_STARTS; start++) {
    choose_device(device, sizeof device, has_grid);
    if (is_begun) snprintf(line, sizeof line, "resume %s %s", folder, device);
    else snprintf(line, sizeof line, "run %s --output=%s %s", path, folder, device);
    program_run_killed(random_below(1000) * 1e-3 * seconds, "TRIREME_ROOF=false", line, &result);
    if (result.code == 0) return kills;
    if (result.code == 137) {
      kills++;
      is_begun = 1;
      continue;
    }
    /* killed before it had kept anything: it begins again */
    if (result.code != 2 || !is_begun ||
        (!strstr(result.err, "there is no checkpoint") && !strstr(result.err, "cannot be opened") &&
         !strstr(result.err, "cannot read")))
      fail_msg("%s: %d: %s", line, result.code, result.err);
    program_remove(folder);
    is_begun = 0;
  }
  fail_msg("%s was not done after %d starts", path, MOST_STARTS);
  return 0;
}

static void assert_same(const char *whole, const char *cut)
{
  char line[5 * PROGRAM_PATH];
  snprintf(line, sizeof line,
           "diff -r -x checkpoint -x run.json -x log.txt -x used.conf %s %s >&2 && "
           "a=$(grep '\"fingerprint\": \"' %s/run.json) && grep -qF -e \"$a\" %s/run.json",
           whole, cut, whole, cut);
  if (system(line) != 0) fail_msg("%s and %s differ", whole, cut);
}

static void kill_often(const killed_case *one, long wanted)
{
  char path[PROGRAM_PATH], whole[PROGRAM_PATH], cut[PROGRAM_PATH], line[4 * PROGRAM_PATH];
  program_path(path, "case.conf");
  program_path(whole, "whole");
  program_path(cut, "cut");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "%s\n", one->text);
  assert_int_equal(fclose(file), 0);
  program_run("", "devices", &result);
  has_opencl = strstr(result.out, "opencl") != NULL;
  program_remove(whole);
  snprintf(line, sizeof line, "run %s --output=%s --checkpoint-every=0 --threads=1", path, whole);
  program_run("TRIREME_ROOF=false", line, &result);
  if (result.code != 0) fail_msg("%s: %s", line, result.err);
  long kills = 0, runs = 0;
  const int has_grid = strstr(one->text, "grid = {") != NULL;
  for (; kills < wanted; runs++) {
    kills += run_killed(path, cut, 0.6, has_grid);
    assert_same(whole, cut);
  }
  print_message("%s: %ld kills in %ld runs\n", one->name, kills, runs);
}

static void kill_case(size_t i)
{
  const long all = test_runs_long() ? LONG_KILLS : KILLS;
  srand((unsigned)i + 1);
  kill_often(&cases[i], (all + CASES - 1) / CASES);
}

#define CASE(i, name) static void name(void) { kill_case(i); }
CASE(0, a_driven_box)
CASE(1, the_geneva_cylinder)
CASE(2, a_channel)
CASE(3, bodies_by_pairs)
CASE(4, bodies_by_yoshida)
CASE(5, bodies_by_hermite)
CASE(6, bodies_by_the_tree)
CASE(7, water_by_hllc)
CASE(8, water_by_lax_friedrichs)
CASE(9, a_box_of_three_dimensions)
CASE(10, gas_on_blocks)

int main(int argc, char **argv)
{
  static const test_case tests[] = {
    TEST_HOST(a_driven_box), TEST_HOST(the_geneva_cylinder), TEST_HOST(a_channel),
    TEST_HOST(bodies_by_pairs), TEST_HOST(bodies_by_yoshida), TEST_HOST(bodies_by_hermite),
    TEST_HOST(bodies_by_the_tree), TEST_HOST(water_by_hllc), TEST_HOST(water_by_lax_friedrichs),
    TEST_HOST(a_box_of_three_dimensions), TEST_HOST(gas_on_blocks),
  };
  return TEST_RUN(argc, argv, tests);
}
