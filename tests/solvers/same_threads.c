/* same_threads.c - the cases of same_cases.c on several parts of a run (run/parts.h). A part is a
 * thread with a device and a solver of its own. Fields, series and results have the bits of one
 * device. How many runs were compared is told. */
#include "tests/solvers/same_run.h"

#include "run/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* 2, 3, 5 and 8 parts, even and uneven. Where time is short, each case is run on two of the first
 * lists, in turn. */
static const char *const hosts[] = {
  "openmp*2.1,openmp", "openmp,openmp*2,openmp",
  "openmp*2,openmp,openmp,openmp*1.7,openmp",
  "openmp,openmp,openmp*2,openmp,openmp,openmp*1.5,openmp,openmp",
  "openmp,openmp", "openmp*3,openmp,openmp*2", "openmp,openmp,openmp,openmp,openmp",
  "openmp,openmp,openmp,openmp,openmp,openmp,openmp,openmp" };
enum { SHORT_LISTS = 4, SHORT_RUNS = 2 };
static const char *const kinds[] = { "opencl:0*2,openmp", "openmp,opencl:0,openmp*2" };

/* A case of the run, with the settings of one of same_cases.c. */
static void make_case(const same_case *of, same_size size, const char *devices, int threads,
                      trm_precision precision, run_case *out)
{
  char text[1024], path[1200], nx[16], ny[16], *rest = NULL;
  setting settings[64];
  size_t count = 0;
  snprintf(path, sizeof path, "%s/%s.conf", test_folder(), of->solver);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "solver = \"%s\";\n", of->solver);
  assert_int_equal(fclose(file), 0);
  snprintf(text, sizeof text, "%s", of->settings);
  snprintf(nx, sizeof nx, "%d", size.nx);
  snprintf(ny, sizeof ny, "%d", size.ny);
  char kind[8], each[8], places[512];
  snprintf(kind, sizeof kind, "%s", trm_precision_name(precision));
  snprintf(each, sizeof each, "%d", threads);
  snprintf(places, sizeof places, "%s", devices);
  const char *const fixed[][2] = { { "grid.nx", nx }, { "grid.ny", ny }, { "run.devices", places },
                                   { "run.precision", kind }, { "run.threads", each } };
  for (size_t i = of->sizes > 0 ? 0 : 2; i < COUNT(fixed); i++)
    settings[count++] = (setting){ strdup(fixed[i][0]), strdup(fixed[i][1]), strdup("a test"),
                                   TRM_RANK_SET };
  for (char *one = strtok_r(text, "|", &rest); one; one = strtok_r(NULL, "|", &rest)) {
    char *value = strchr(one, '=');
    assert_non_null(value);
    *value++ = '\0';
    assert_true(count < COUNT(settings));
    settings[count++] = (setting){ strdup(one), strdup(same_value(value, size)),
                                   strdup("a case"), TRM_RANK_SET };
  }
  const char *const operand = path;
  const case_request wanted = { .operands = &operand, .operand_count = 1, .settings = settings,
                                .setting_count = count, .may_be_endless = 1 };
  TEST_OK(case_create(&wanted, out));
  for (size_t i = 0; i < count; i++) {
    free(settings[i].key);
    free(settings[i].text);
    free(settings[i].origin);
  }
}

/* Whether the parts share it, with the bits of one device. */
static int hold_on(const same_case *of, same_size size, trm_precision precision, int threads,
                   const char *devices, const same_sample expected[SAME_SAMPLES])
{
  run_case chosen;
  run_parts *parts = NULL;
  trm_device *device = NULL;
  char what[1600];
  make_case(of, size, devices, threads, precision, &chosen);
  snprintf(what, sizeof what, "%s, %s, %s %s, %d x %d", devices, trm_precision_name(precision),
           of->solver, of->settings, size.nx, size.ny);
  TEST_OK(parts_open_on(&chosen, test_context(), NULL, NULL, &parts, &device));
  const int held = same_run_with(chosen.type, device, chosen.config, of, precision, expected, NULL,
                                 what);
  parts_close(&parts, &chosen, &device);
  case_clear(&chosen);
  return held;
}

/* Parts refuse blocks of a lattice on levels. They refuse compressible flow about bodies by
 * merging, and by implementations of a ladder. The solvers' tests see it. */
static int is_of_one_device(const same_case *of)
{
  static const char *const refused[] = { "bodies.", "implementation=" };
  int is_refused = 0;
  if (strcmp(of->solver, "lbm3d") == 0)
    return strstr(of->settings, "grid.levels") || strstr(of->settings, "lbm.blocks=true");
  for (size_t i = 0; i < COUNT(refused) && strcmp(of->solver, "compressible") == 0; i++)
    is_refused |= strstr(of->settings, refused[i]) != NULL;
  return is_refused && !strstr(of->settings, "implementation=fused");
}

/* How cases are run. */
typedef struct plan {
  same_size size;
  const char *const *lists;     /* of devices */
  size_t count, runs;           /* lists; runs of a case, from list `first` on */
  int threads, precisions;      /* of a part; f32, and f64 */
} plan;

/* How many runs were compared. */
static int hold_case(trm_device *reference, const same_case *of, const plan *how, size_t first)
{
  int held = 0;
  for (int p = 0; p < (same_is_single(of) ? 1 : how->precisions); p++) {
    same_sample expected[SAME_SAMPLES];
    assert_true(same_run(reference, of, how->size, (trm_precision)p, NULL, expected, ""));
    for (size_t i = 0; i < how->runs; i++)
      held += hold_on(of, how->size, (trm_precision)p, how->threads,
                      how->lists[(first + i) % how->count], expected);
    same_forget(expected);
  }
  return held;
}

/* Runs the cases of this solver, and counts the comparisons. */
static int hold_cases(const char *solver, const same_case *cases, size_t count, const plan *how)
{
  const trm_device_options one_thread = { .threads = 1 };
  trm_device *reference = test_open("openmp", &one_thread);
  int held = 0;
  for (size_t c = 0; c < count; c++)
    if (strcmp(cases[c].solver, solver) == 0 && !is_of_one_device(&cases[c]))
      held += hold_case(reference, &cases[c], how, c);
  trm_device_close(&reference);
  test_remark("%s: %d runs in parts were compared", solver, held);
  return held;
}

static size_t few(size_t all, size_t least) { return test_runs_long() ? all : least; }

static int hold_on_hosts(const char *solver, same_size size)
{
  const plan how = { size, hosts, few(COUNT(hosts), SHORT_LISTS), few(COUNT(hosts), SHORT_RUNS), 1,
                     test_runs_long() ? 2 : 1 };
  return hold_cases(solver, same_cases, same_case_count, &how);
}

static void lattice_boltzmann_in_parts(void)
{
  assert_true(hold_on_hosts("lbm", (same_size){ 31, 61 }) >= 48);
}

static void shallow_water_in_parts(void)
{
  assert_true(hold_on_hosts("shallow", (same_size){ 23, 97 }) >= 18);
}

/* As few bodies as the parts need: a block of 256 for each part at least. */
static void bodies_in_parts(void)
{
#define BODIES(count) "nbody.dt=0.01|nbody.picture=17|nbody.bodies=" count "|"
  static const struct { same_case of; size_t list; } cases[] = {
    { { "nbody", BODIES("300") "nbody.initial=plummer|nbody.integrator=hermite4", 0 }, 0 },
    { { "nbody", BODIES("300") "nbody.initial=cube|nbody.integrator=yoshida4|nbody.energy=false",
        0 }, 0 },
    { { "nbody", BODIES("520") "nbody.initial=collapse|nbody.implementation=targets4", 0 }, 1 },
    { { "nbody", BODIES("1031") "nbody.initial=galaxies|nbody.shown=light|nbody.force=tree|"
                 "nbody.integrator=kick-drift", 0 }, 6 },
    { { "nbody", BODIES("2060") "nbody.force=tree|nbody.plane=yz", 0 }, 7 },
  };
  int held = 0;
  for (size_t i = 0; i < COUNT(cases); i++) {
    const plan how = { { 0, 0 }, hosts + cases[i].list, 1, 1, 1, test_runs_long() ? 2 : 1 };
    held += hold_cases("nbody", &cases[i].of, 1, &how);
  }
  assert_true(held >= (int)COUNT(cases));
}

static void three_dimensions_in_parts(void)
{
  assert_true(hold_on_hosts("lbm3d", (same_size){ 31, 9 }) >= 50);
}

/* Rows are fetched for several launches at once, which a part takes in one pass over its memory:
 * alone, and with threads. */
static void deep_ghost_rows(void)
{
  const plan one = { { 31, 400 }, hosts + 1, few(3, 1), few(3, 1), 1, 1 };
  const plan three = { { 31, 400 }, hosts, 1, 1, 3, 1 };
  assert_true(hold_cases("lbm", same_cases, same_case_count, &one) >= 24);
  assert_true(hold_cases("lbm", same_cases, same_case_count, &three) >= 24);
}

/* The same of planes, and of lists beside them. A part has 96 planes and more, so that rows come
 * for two launches in place at least. */
static void deep_ghost_planes(void)
{
#define TALL "grid.nz=210|lbm.viscosity=0.02|bodies.shapes=sphere 5.3 4.5 101 2.7; " \
             "box 2 2 0 5 4 2|initial.velocity_x=0.03*sin(0.3*x)*cos(0.4*y)|"
#define SIDES "boundary.west=inflow|boundary.east=outflow|boundary.west_velocity=0.05; 0; 0|" \
              "boundary.bottom=wall|boundary.top=wall|"
  static const same_case cases[] = {
    { "lbm3d", TALL SIDES "probes=a point 8 4 101; b plane z 105", 1 },
    { "lbm3d", TALL "lbm.streaming=in-place|average_from=3", 1 },
    { "lbm3d", TALL SIDES "lbm.streaming=in-place", 1 },
    { "lbm3d", TALL SIDES "lbm.storage=half", 1 },
    { "lbm3d", TALL SIDES "lbm.storage=half|lbm.streaming=in-place|lbm.smagorinsky=0.1", 1 },
    { "lbm3d", "grid.nz=130|lbm.viscosity=0.02|lbm.storage=moments|lbm.collision=regularised|"
      "boundary.south=moving|boundary.south_velocity=0.05; 0; 0.02|boundary.north=wall", 1 },
  };
  const plan how = { { 9, 8 }, hosts + SHORT_LISTS, few(3, 1), few(3, 1), 1, 1 };
  assert_true(hold_cases("lbm3d", cases, COUNT(cases), &how) >= 6);
}

/* On grids with blocks enough; one level, and two that meet across the cuts. Where time is short,
 * every other case of all six sides. */
static void compressible_flow_in_parts(void)
{
  int held = 0, sides = 0;
  for (size_t c = 0; c < same_case_count; c++) {
    char text[1024];
    const plan how = { { 31, 9 }, hosts + (test_runs_long() ? 0 : c % 3), few(SHORT_LISTS, 1),
                       few(SHORT_LISTS, 1), 1, test_runs_long() ? 2 : 1 };
    if (strcmp(same_cases[c].solver, "compressible") != 0 || is_of_one_device(&same_cases[c]))
      continue;
    if (strstr(same_cases[c].settings, "boundary.top=") && sides++ % 2 && !test_runs_long())
      continue;
    snprintf(text, sizeof text, "%s|grid.nx=48|grid.ny=32", same_cases[c].settings);
    const same_case of = { "compressible", text, 0 };
    held += hold_cases("compressible", &of, 1, &how);
  }
  assert_true(held >= 14);
}

/* Each kernel declares all rows that it reads and writes (TRIREME_CHECK_ROWS). Where time is short,
 * every fourth case. */
static void rows_are_declared(void)
{
  static const same_size sizes[] = { { 31, 25 }, { 31, 9 }, { 23, 97 }, { 31, 9 } };
  static const char *const solvers[] = { "lbm", "lbm3d", "shallow", "compressible" };
  int held = 0;
  setenv("TRIREME_CHECK_ROWS", "1", 1);
  for (size_t c = 0; c < same_case_count; c += test_runs_long() ? 1 : 4) {
    const same_case *from = &same_cases[c];
    char text[1024];
    size_t s = 0;
    while (s < COUNT(solvers) && strcmp(solvers[s], from->solver) != 0) s++;
    if (s == COUNT(solvers) || (s == 3 && strstr(from->settings, "boundary.top="))) continue;
    snprintf(text, sizeof text, "%s%s", from->settings, s == 3 ? "|grid.nx=48|grid.ny=32" : "");
    const same_case of = { from->solver, text, s == 3 ? 0 : from->sizes };
    const plan how = { sizes[s], hosts + 1, 1, 1, 1, 1 };
    held += hold_cases(of.solver, &of, 1, &how);
  }
  unsetenv("TRIREME_CHECK_ROWS");
  assert_true(held >= 20);
}

/* Each part folds the chunks of 4096 values that are most of all its own. Some of its rows end in
 * other chunks, and a chunk may have values of others' rows. */
static void sums_of_many_values(void)
{
  static const same_case of = { "lbm", "", 1 };
  const plan how = { { 4100, 100 }, hosts, 2, 2, 1, 1 }; /* 129 values in a row: four chunks */
  setenv("TRIREME_CHECK_ROWS", "1", 1);
  assert_int_equal(hold_cases("lbm", &of, 1, &how), 2);
  unsetenv("TRIREME_CHECK_ROWS");
}

/* A blast moves, in two and three dimensions. The grid changes at each step, and blocks go to other
 * parts. */
static void grids_that_follow_a_blast(void)
{
#define BLAST "initial.velocity_x=0.8|mesh.adapt_every=1|compressible.length_x=1|"
  static const same_case cases[] = {
    { "compressible", BLAST "grid.nx=64|grid.ny=32|grid.levels=2|mesh.refine=pressure 0.2; reach 4|"
      "initial.pressure=1+20*exp(-900*((x-0.2)^2+(y-0.2)^2))|average_from=0|"
      "compressible.schlieren=true|compressible.integrals=true|probes=a 0.3 0.1; b 0.81 0.2|"
      "boundary.west=inflow|boundary.west_velocity=0.8; 0; 0|boundary.east=outflow|"
      "boundary.east_sponge=0.2|compressible.sponge_strength=1|compressible.sponge_density=1|"
      "compressible.sponge_pressure=1", 0 },
    { "compressible", BLAST "grid.nx=24|grid.ny=16|grid.nz=16|grid.levels=1|"
      "mesh.refine=density 0.1; 0.8 0.9 0 0.1 0 0.1|boundary.south=wall|boundary.north=wall|"
      "initial.density=1+3*exp(-200*((x-0.3)^2+(y-0.3)^2+(z-0.3)^2))", 0 } };
  const plan how = { { 0, 0 }, hosts, few(3, 2), few(3, 1), 1, 1 };
  assert_true(hold_cases("compressible", cases, COUNT(cases), &how) >= 2);
}

/* Blocks that become one block of a coarser grid lie on two parts. */
static void cycles_over_coarser_grids(void)
{
#define CYCLES "compressible.length_x=1|initial.velocity_x=0.4|compressible.viscosity=0.002|" \
               "initial.pressure=1+0.5*exp(-90*((x-0.4)^2+(y-0.4)^2))|dual.coarsest=2|"
  static const same_case cases[] = {
    { "compressible", CYCLES "grid.nx=64|grid.ny=64|compressible.multigrid=2|"
      "compressible.time=steady|boundary.west=inflow|boundary.west_velocity=0.4; 0; 0|"
      "boundary.east=outflow", 0 },
    { "compressible", CYCLES "grid.nx=32|grid.ny=32|grid.nz=16|compressible.multigrid=1|"
      "compressible.time=dual|dual.dt=0.02|dual.iterations=1", 0 } };
  const plan how = { { 0, 0 }, hosts + 2, few(4, 2), few(4, 1), 1, 1 };
  assert_true(hold_cases("compressible", cases, COUNT(cases), &how) >= 2);
}

/* Control volumes at walls, in double precision. A body moves across the cuts of a grid that
 * follows the flow; one is at rest; two meet. */
static void bodies_by_redistribution(void)
{
#define ABOUT "compressible.cut_cells=redistribution|compressible.length_x=1|" \
              "initial.velocity_x=0.3|"
  static const same_case cases[] = {
    { "compressible", ABOUT "grid.nx=48|grid.ny=32|grid.levels=1|compressible.viscosity=0.002|"
      "bodies.shapes=cylinder 0.45 0.33 0.12 wall|bodies.motion=0.4*t, 0.1*t|mesh.adapt_every=1|"
      "mesh.refine=pressure 0.1; 0.3 0.65 0.18 0.5|compressible.integrals=true|"
      "initial.pressure=1+5*exp(-400*((x-0.12)^2+(y-0.3)^2))", 0 },
    { "compressible", ABOUT "grid.nx=32|grid.ny=24|grid.nz=24|compressible.integrals=true|"
      "bodies.shapes=sphere 0.45 0.4 0.35 0.2", 0 },
    { "compressible", ABOUT "grid.nx=64|grid.ny=32|bodies.shapes=box 0.25 0.45 0.2 0.35; "
      "box 0.46 0.7 0.15 0.3|bodies.motion=0.5*t, 0; ", 0 } };
  trm_device *reference = test_open("openmp", &(trm_device_options){ .threads = 1 });
  const size_t lists = few(3, 1);
  int held = 0;
  for (size_t c = 0; c < COUNT(cases); c++) {
    const same_size none = { 0, 0 };
    same_sample expected[SAME_SAMPLES];
    assert_true(same_run(reference, &cases[c], none, TRM_F64, NULL, expected, ""));
    for (size_t i = 0; i < lists; i++)
      held += hold_on(&cases[c], none, TRM_F64, 1, hosts[(c + i) % 3], expected);
    same_forget(expected);
  }
  trm_device_close(&reference);
  assert_int_equal(held, COUNT(cases) * lists);
}

static void lattice_boltzmann_on_two_kinds_of_device(void)
{
  test_is_long();
  trm_device *opencl = test_open("opencl", NULL);
  trm_device_close(&opencl);
  const plan how = { { 31, 61 }, kinds, COUNT(kinds), COUNT(kinds), 1, 2 };
  assert_true(hold_cases("lbm", same_cases, same_case_count, &how) >= 96);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(lattice_boltzmann_in_parts),
    TEST_HOST(three_dimensions_in_parts),
    TEST_HOST(shallow_water_in_parts),
    TEST_HOST(bodies_in_parts),
    TEST_HOST(compressible_flow_in_parts),
    TEST_HOST(grids_that_follow_a_blast),
    TEST_HOST(cycles_over_coarser_grids),
    TEST_HOST(bodies_by_redistribution),
    TEST_HOST(deep_ghost_planes),
    TEST_HOST(deep_ghost_rows),
    TEST_HOST(rows_are_declared),
    TEST_HOST(sums_of_many_values),
    TEST_HOST(lattice_boltzmann_on_two_kinds_of_device),
  };
  setenv("TRIREME_DEBUG_BUFFERS", "rows", 1); /* a row that a part has not ends the test */
  return TEST_RUN(argc, argv, cases);
}
