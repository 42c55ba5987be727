/* same_shared.c - the cases of same_cases.c on several devices and ranks, in even and uneven cuts:
 * the bits of one device, or a refusal that names the cure. How many runs were compared is told. */
#include "tests/solvers/same_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Of 2, 3, 5 and 7, two uneven cuts each. The first alone is run where time is short, the first two
 * on deep grids. */
static const char *const hosts[] = {
  "openmp,openmp*2,openmp",
  "openmp*2.1,openmp", "openmp,openmp*5", "openmp*3,openmp,openmp",
  "openmp,openmp*2,openmp*0.5,openmp,openmp*3", "openmp*2,openmp,openmp,openmp*1.7,openmp",
  "openmp,openmp,openmp*2,openmp,openmp,openmp*1.5,openmp",
  "openmp*3,openmp*2,openmp,openmp,openmp*2,openmp,openmp*4" };
static const char *const others[] = {
  "opencl:0*2,opencl:0", "openmp,opencl:0*3", "opencl:0,openmp*2,opencl:0",
  "openmp,opencl:0,openmp*2,opencl:0*3,openmp" };

/* A grid for each solver that has rows, planes, blocks or bodies enough; then one whose rows are
 * fetched for five launches at once and more, where rows of a solver can be. */
typedef struct shared_size {
  const char *solver, *settings;
  same_size size;
} shared_size;
enum { PLAIN_SIZES = 5 };
static const shared_size shared_sizes[] = {
  { "lbm", "", { 31, 61 } },
  { "lbm3d", "|grid.nz=16", { 31, 9 } },
  { "shallow", "", { 31, 61 } },
  { "compressible", "|grid.nx=32|grid.ny=32", { 31, 9 } },
  { "nbody", "|nbody.bodies=2051", { 31, 9 } },
  { "lbm", "", { 31, 700 } },
  { "lbm3d", "|grid.nz=340", { 31, 9 } },
};

/* The case on that grid; 0: its grid is its own. A few bodies become many; moments, of which
 * devices have blocks of 16 planes, become nine blocks, the last one of two planes. */
static int enlarge(const same_case *of, const shared_size *by, char text[1024], same_case *out)
{
  const int is_sized = strcmp(of->solver, "compressible") != 0 || !strstr(of->settings, "nx=48");
  const int is_box = strcmp(of->solver, "lbm3d") != 0 || strstr(of->settings, "grid.nz=5");
  const int is_moments = strstr(of->settings, "lbm.storage=moments") != NULL;
  const int is_few = strcmp(of->solver, "nbody") == 0 && !strstr(of->settings, "nbody.bodies=");
  const char *size = is_moments ? "|grid.nz=130" : is_sized && is_box ? by->settings : "";
  snprintf(text, 1024, "%s%s%s", of->settings, size,
           is_few ? "|nbody.initial=plummer|nbody.file=|nbody.units=nbody" : "");
  *out = (same_case){ of->solver, text, of->sizes };
  return is_box || strcmp(by->settings, "|grid.nz=340") != 0;
}

/* Lists of devices, opened. */
typedef struct device_sets {
  const char *const *lists;
  size_t count;
  trm_device *devices[20];
} device_sets;

static void open_sets(const char *const *lists, size_t count, device_sets *out)
{
  const trm_device_options one_thread = { .threads = 1 };
  assert_true(count <= COUNT(out->devices));
  out->lists = lists;
  out->count = count;
  for (size_t i = 0; i < count; i++)
    TEST_OK(trm_device_open(test_context(), lists[i], &one_thread, &out->devices[i]));
}

static void close_sets(device_sets *sets)
{
  for (size_t i = 0; i < sets->count; i++) trm_device_close(&sets->devices[i]);
}

/* How many of the lists share it, each with the bits of one device. */
static int hold_sets(trm_device *reference, const device_sets *sets, size_t most,
                     const same_case *of, same_size size, trm_precision precision)
{
  same_sample expected[SAME_SAMPLES];
  int held = 0;
  assert_true(same_run(reference, of, size, precision, NULL, expected, ""));
  for (size_t i = 0; i < most; i++)
    held += same_run(sets->devices[i], of, size, precision, expected, NULL, sets->lists[i]);
  same_forget(expected);
  return held;
}

/* Compressible flow runs as parts (same_threads.c). Where time is short, every third case also runs
 * by orders. */
static int is_due(const same_case *of, size_t c)
{
  return test_runs_long() || strcmp(of->solver, "compressible") != 0 || c % 3 == 0;
}

/* The cases of a solver on the first lists, on a grid; how many runs were compared. */
static int hold_size(const shared_size *by, const device_sets *sets, size_t most, int precisions)
{
  const trm_device_options one_thread = { .threads = 1 };
  const int is_over_ranks = trm_rank_node(0)[0] != '\0'; /* "openmp" is then one of each */
  trm_device *reference = test_open(is_over_ranks ? "openmp@0" : "openmp", &one_thread);
  int held = 0;
  for (size_t c = 0; c < same_case_count; c++) {
    char text[1024];
    same_case of;
    if (strcmp(same_cases[c].solver, by->solver) != 0 || !is_due(&same_cases[c], c) ||
        !enlarge(&same_cases[c], by, text, &of))
      continue;
    for (int p = 0; p < (same_is_single(&of) ? 1 : precisions); p++)
      held += hold_sets(reference, sets, most, &of, by->size, (trm_precision)p);
  }
  trm_device_close(&reference);
  return held;
}

/* On three devices; in the long tests on up to seven, cut twice, in both precisions, and on deep
 * grids. So many runs at least; of the long tests, of all solvers, 900. */
static void hold_shared(const char *solver, int least, int least_long)
{
  const int is_long = test_runs_long();
  device_sets sets;
  int held = 0;
  open_sets(hosts, is_long ? COUNT(hosts) : 1, &sets);
  for (size_t s = 0; s < COUNT(shared_sizes); s++)
    if (strcmp(shared_sizes[s].solver, solver) == 0 && (is_long || s < PLAIN_SIZES))
      held += hold_size(&shared_sizes[s], &sets, !is_long ? 1 : s < PLAIN_SIZES ? COUNT(hosts) : 2,
                        is_long ? 2 : 1);
  close_sets(&sets);
  test_remark("%s: %d runs on several devices were compared", solver, held);
  assert_true(held >= (is_long ? least_long : least));
}

static void lattice_boltzmann_on_several_devices(void) { hold_shared("lbm", 8, 180); }
static void lattice_boltzmann_in_three_dimensions_on_several_devices(void)
{
  hold_shared("lbm3d", 28, 320);
}
static void compressible_flow_on_several_devices(void) { hold_shared("compressible", 5, 180); }
static void shallow_water_on_several_devices(void) { hold_shared("shallow", 9, 120); }
static void gravity_on_several_devices(void) { hold_shared("nbody", 10, 110); }

/* Each device folds the chunks of 4096 values that are most of all its own, of whose rows some end
 * in other chunks; what it reads of others' rows has to be there. */
static void sums_of_many_values_on_several_devices(void)
{
  static const same_case of = { "lbm", "", 1 };
  static const same_size size = { 4100, 100 }; /* 129 values in a row: four chunks */
  device_sets sets;
  trm_device *reference = test_open("openmp", &(trm_device_options){ .threads = 1 });
  setenv("TRIREME_CHECK_ROWS", "1", 1);
  open_sets(hosts, 3, &sets);
  unsetenv("TRIREME_CHECK_ROWS");
  assert_int_equal(hold_sets(reference, &sets, 3, &of, size, TRM_F32), 3);
  close_sets(&sets);
  trm_device_close(&reference);
}

/* Hosts and GPUs, where a solver can be shared between these; else GPUs alone. */
/* is_3d: of lbm3d, or of all others. */
static void hold_kinds(int is_3d, int least)
{
  device_sets sets;
  int held = 0;
  test_is_long();
  trm_device *opencl = test_open("opencl", NULL);
  trm_device_close(&opencl);
  open_sets(others, COUNT(others), &sets);
  for (size_t s = 0; s < PLAIN_SIZES; s++)
    if ((strcmp(shared_sizes[s].solver, "lbm3d") == 0) == is_3d)
      held += hold_size(&shared_sizes[s], &sets, COUNT(others), 2);
  close_sets(&sets);
  test_remark("%d runs on two kinds of device were compared", held);
  assert_true(held >= least);
}

static void lattice_boltzmann_in_three_dimensions_on_two_kinds(void) { hold_kinds(1, 200); }
static void every_other_solver_on_two_kinds_of_device(void) { hold_kinds(0, 340); }

/* Under mpirun -n 7: on 1, 2, 3, 5 and 7 ranks, cut twice, of two kinds where these can share a
 * case, and of each kind alone; on deep grids rows are fetched for five launches and more. */
static const char *const over_ranks[] = {
  "openmp@1,openmp@1*3", "opencl:0@2*2,opencl:0@2",
  "openmp@0*2.1,opencl:0@1", "opencl:0@0,openmp@1*5",
  "openmp@0,opencl:0@1*2,openmp@2", "opencl:0@2*3,openmp@0,opencl:0@1",
  "openmp@0,opencl:0@1*2,openmp@2*0.5,opencl:0@3,openmp@4*3",
  "opencl:0@4*2,openmp@3,openmp@2,opencl:0@1*1.7,openmp@0",
  "openmp@0,opencl:0@1,openmp@2*2,opencl:0@3,openmp@4,openmp@5*1.5,opencl:0@6",
  "opencl:0@6*3,openmp@5*2,openmp@4,opencl:0@3,openmp@2*2,opencl:0@1,openmp@0*4",
  "openmp@0*2.1,openmp@1", "openmp@2*3,openmp@0,openmp@1",
  "openmp@4*2,openmp@3,openmp@2,openmp@1*1.7,openmp@0",
  "openmp@0,openmp@1,openmp@2*2,openmp@3,openmp@4,openmp@5*1.5,openmp@6",
  "opencl:0@1,opencl:0@0*3", "opencl:0@0,opencl:0@1*2,opencl:0@2*0.5,opencl:0@3,opencl:0@4*3" };

static void hold_over_ranks(const char *solver, int least)
{
  device_sets sets;
  int held = 0;
  if (!trm_rank_node(6)[0]) TEST_SKIP("for mpirun -n 7 (tests/cli/ranks.sh)");
  open_sets(over_ranks, COUNT(over_ranks), &sets);
  for (size_t s = 0; s < COUNT(shared_sizes); s++) {
    if (strcmp(shared_sizes[s].solver, solver) != 0) continue;
    const int more = hold_size(&shared_sizes[s], &sets, COUNT(over_ranks), s < PLAIN_SIZES ? 2 : 1);
    test_remark("%s, %d x %d: %d runs over ranks were compared", solver, shared_sizes[s].size.nx,
                shared_sizes[s].size.ny, more);
    held += more;
  }
  close_sets(&sets);
  assert_true(held >= least);
}

static void lattice_boltzmann_over_ranks(void) { hold_over_ranks("lbm", 456); }
/* 852 run: 20 cases, 36 with their precisions, on 16 lists, less 12 that have fewer planes than
 * devices; and 18 of the cases on the deep grid. One case in both precisions may go: 48. */
static void lattice_boltzmann_in_three_dimensions_over_ranks(void)
{
  hold_over_ranks("lbm3d", 804);
}
static void compressible_flow_over_ranks(void) { hold_over_ranks("compressible", 200); }
static void shallow_water_over_ranks(void) { hold_over_ranks("shallow", 270); }
static void gravity_over_ranks(void) { hold_over_ranks("nbody", 100); }

int main(int argc, char **argv)
{
  static const test_case all[] = {
    TEST_HOST(lattice_boltzmann_on_several_devices),
    TEST_HOST(lattice_boltzmann_in_three_dimensions_on_several_devices),
    TEST_HOST(compressible_flow_on_several_devices),
    TEST_HOST(shallow_water_on_several_devices),
    TEST_HOST(gravity_on_several_devices),
    TEST_HOST(sums_of_many_values_on_several_devices),
    TEST_HOST(lattice_boltzmann_in_three_dimensions_on_two_kinds),
    TEST_HOST(every_other_solver_on_two_kinds_of_device),
    TEST_HOST(lattice_boltzmann_over_ranks),
    TEST_HOST(lattice_boltzmann_in_three_dimensions_over_ranks),
    TEST_HOST(compressible_flow_over_ranks),
    TEST_HOST(shallow_water_over_ranks),
    TEST_HOST(gravity_over_ranks),
  };
  return TEST_RUN(argc, argv, all);
}
