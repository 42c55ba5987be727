/* same_fields.c - every declared field, and every series, of every variant of every solver has the
 * same bits on the openmp backend, on it with other threads, wavefronts and backwards, and on every
 * other backend: at the start, after a step and after several. Fingerprints see the state alone;
 * what is derived from it is seen here. Several devices: same_shared.c.
 *
 * That no case is forgotten is a test as well: every word that a key of a built-in solver takes
 * stands in a case (same_cases.c). */
#include "tests/solvers/same_run.h"
#include "core/host_module.h"
#include "core/trace.h"
#include "solvers/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Odd both ways: less than a word of marks, more than one, more than a span of 192, 384 or 512
 * cells; the last one is longer than the spans of Lax-Friedrichs. Other devices have no spans: of
 * the first three they run the first and the third. */
static const same_size sizes[] = { { 31, 9 }, { 131, 11 }, { 515, 9 }, { 2051, 9 } };

/* Cases that pair what other cases have one by one. A driver that compiles each program for seconds
 * is spared them. So neither words nor kernels are counted in them. */
static int is_pair(const same_case *of)
{
  static const char *const pairs[] = {
    "compressible.flux=hllc|compressible.time=dual|", /* in three dimensions, at a wall */
    "sphere 0.5 0.45 0.25 0.2 wall",
    "compressible.viscosity_at=1|mesh.refine=0.45",
    "mesh.refine=0.45 0.5 0 0.05|compressible.multigrid=1" };
  for (size_t i = 0; i < COUNT(pairs); i++)
    if (strstr(of->settings, pairs[i])) return 1;
  return 0;
}

/* ---- the kernels that were launched ---------------------------------------------- */

/* All kernels of the texts of which one was launched on the reference. */
static struct { const char *program, *kernel; int is_run; } kernels[1024];
static size_t kernel_count;
static int is_counted;           /* what the case launches */

static int *kernel_of(const char *program, const char *kernel)
{
  size_t i = 0;
  while (i < kernel_count && (strcmp(kernels[i].program, program) != 0 ||
                              strcmp(kernels[i].kernel, kernel) != 0))
    i++;
  assert_true(i < COUNT(kernels));
  if (i == kernel_count) {
    kernels[i].program = program;
    kernels[kernel_count++].kernel = kernel;
  }
  return &kernels[i].is_run;
}

static trm_status note_launch(void *user, const trmi_seen *seen)
{
  const trm_host_module *module = trmi_program_module(seen->program);
  (void)user;
  if (!module || !is_counted) return TRM_OK;
  for (int k = 0; k < module->kernel_count; k++)
    kernel_of(module->program, module->kernels[k].name);
  *kernel_of(module->program, seen->command->declaration->name) = 1;
  return TRM_OK;
}

/* ---- the ways to run it --------------------------------------------------------- */

enum { WAYS = 4 };
typedef struct same_way {
  const char *name;
  trm_device *device;
  const char *isa;               /* of the programs that are built for it; NULL: the best */
} same_way;

static trm_device *open_host(trm_device_options options)
{
  return test_open("openmp", &options);
}

/* On a host: fewer and more threads, and cells and spans backwards where this build has such
 * instances; else the device itself. */
static size_t open_ways(trm_device *device, same_way *ways)
{
  if (!trm_device_describe(device)->is_host) {
    ways[0] = (same_way){ test_backend(device), device, NULL };
    return 1;
  }
  ways[0] = (same_way){ "1 thread", open_host((trm_device_options){ .threads = 1 }), NULL };
  ways[1] = (same_way){ "3 threads, wavefronts of 5",
                        open_host((trm_device_options){ .threads = 3, .wavefront = 5 }), NULL };
  ways[2] = (same_way){ "launch by launch",
                        open_host((trm_device_options){ .threads = 2, .plain_replay = 1 }), NULL };
  if (!test_has_isa("reverse")) return WAYS - 1;
  ways[3] = (same_way){ "backwards",
                        open_host((trm_device_options){ .threads = 2 }), "reverse" };
  return WAYS;
}

/* More threads with wavefronts, and backwards, find a halo that is too small and a wrong order:
 * each case has both in both precisions. The other two ways know no precision: a case
 * has one way in f32 and one in f64. Where the tests are long, each case has all ways in both. */
static int is_way(size_t way, size_t way_count, const same_case *of, trm_precision precision)
{
  const int is_other = way == 0 || way == 2;
  return way_count == 1 || same_is_single(of) || test_runs_long() || !is_other ||
         way == (precision == TRM_F32 ? 0 : 2);
}

static void hold(trm_device *reference, const same_way *ways, size_t way_count,
                 const same_case *of, same_size size, trm_precision precision)
{
  same_sample expected[SAME_SAMPLES];
  same_run(reference, of, size, precision, NULL, expected, "");
  for (size_t w = 0; w < way_count; w++) {
    if (!is_way(w, way_count, of, precision)) continue;
    if (ways[w].isa) setenv("TRIREME_ISA", ways[w].isa, 1); /* read where a program is built */
    same_run(ways[w].device, of, size, precision, expected, NULL, ways[w].name);
    unsetenv("TRIREME_ISA");
  }
  same_forget(expected);
}

/* A driver of a processor compiles each program, in each precision, for seconds: cases that share a
 * program share its precision there. */
static trm_precision precision_of(const same_case *of)
{
  static const struct { const char *solver, *word; } doubles[] = {
    { "lbm", "lbm.flow=geneva" }, { "lbm", "collision=trt" }, { "lbm", "collision=regularised" },
    { "lbm3d", "lattice=d3q27" }, { "lbm3d", "lbm.tile=32x8" },
    { "shallow", "shallow.bed_formula=0.4" } };
  const char *settings = of->settings;
  if (strstr(settings, "streaming=in-place")) return TRM_F32;
  if (strcmp(of->solver, "nbody") == 0)
    return strstr(settings, "implementation=") && !strstr(settings, "implementation=best")
             ? TRM_F32 : TRM_F64;
  if (strcmp(of->solver, "compressible") == 0)
    return strstr(settings, "grid.nz=8") || strstr(settings, "grid.nz=16") ? TRM_F32 : TRM_F64;
  for (size_t i = 0; i < COUNT(doubles); i++)
    if (strcmp(of->solver, doubles[i].solver) == 0 && strstr(settings, doubles[i].word))
      return TRM_F64;
  return TRM_F32;
}

/* A GPU sees a case in one size in one precision, every other case in the other; in two sizes in
 * both. A host has its kernels. */
static int is_asked(trm_device *device, size_t c, size_t s, int precision)
{
  const same_case *of = &same_cases[c];
  if (!trm_device_describe(device)->has_f64 || same_is_single(of)) return precision == TRM_F32;
  if (trm_device_describe(device)->is_host || test_runs_long()) return 1;
  if (test_spares(device)) return precision == (int)precision_of(of);
  return precision == ((c + s / 2) % 2 ? TRM_F64 : TRM_F32);
}

/* Tiles of moments are one text with other numbers: three of the nine. And pairs. */
static int is_spared(trm_device *device, const same_case *of)
{
  const char *tile = strstr(of->settings, "lbm.tile=");
  const int is_other = tile && !strstr(tile, "=auto") && !strstr(tile, "=32x8") &&
                       !strstr(tile, "=32x16");
  return (is_other || is_pair(of)) && test_spares(device);
}

static void hold_all(trm_device *device, const char *solver)
{
  same_way ways[WAYS];
  trm_device *reference = test_open("openmp", NULL);
  const size_t way_count = open_ways(device, ways);
  const int is_host = trm_device_describe(device)->is_host;
  static const trmi_trace_hooks hooks = { .before = note_launch };
  if (is_host) trmi_device_trace(reference, &hooks);
  for (size_t c = 0; c < same_case_count; c++) {
    if (strcmp(same_cases[c].solver, solver) != 0 || is_spared(device, &same_cases[c])) continue;
    is_counted = !is_pair(&same_cases[c]);
    for (size_t s = 0; s == 0 || s < same_cases[c].sizes; s += is_host ? 1 : 2)
      for (int p = TRM_F32; p <= TRM_F64; p++)
        if (is_asked(device, c, s, p))
          hold(reference, ways, way_count, &same_cases[c], sizes[s], (trm_precision)p);
  }
  for (size_t w = 0; w < way_count; w++)
    if (ways[w].device != device) trm_device_close(&ways[w].device);
  trm_device_close(&reference);
}

static void every_field_of_lattice_boltzmann_is_the_same(trm_device *device)
{
  hold_all(device, "lbm");
}

static void every_field_in_three_dimensions_is_the_same(trm_device *device)
{
  hold_all(device, "lbm3d");
}

static void every_field_of_compressible_flow_is_the_same(trm_device *device)
{
  hold_all(device, "compressible");
}

static void every_field_of_shallow_water_is_the_same(trm_device *device)
{
  hold_all(device, "shallow");
}

static void every_field_of_gravity_is_the_same(trm_device *device)
{
  hold_all(device, "nbody");
}

/* ---- nothing is forgotten --------------------------------------------------------- */

static int has_word(const char *solver, const char *key, const char *word, size_t length)
{
  char setting[256];
  snprintf(setting, sizeof setting, "%s=%.*s|", key, (int)length, word);
  for (size_t c = 0; c < same_case_count; c++) {
    char all[1024];
    snprintf(all, sizeof all, "%s|", same_cases[c].settings);
    if (strcmp(same_cases[c].solver, solver) == 0 && !is_pair(&same_cases[c]) &&
        strstr(all, setting)) return 1;
  }
  return 0;
}

/* Words that a host refuses, which has no items, one whose bits vary, and one of f64 alone. They
 * are in lbm_cylinder.c, shallow_forms.c, nbody_bits.c, compressible_implementations.c and
 * compressible_redistribution.c. */
static int is_elsewhere(const char *key, const char *word, size_t length)
{
  static const char *const words[] = { "lbm.items=across", "shallow.constants=constant",
    "shallow.maximum=shuffle", "shallow.gather=atomic", "shallow.gather=swap",
    "nbody.target=memory", "compressible.implementation=push-atomics",
    "compressible.cut_cells=redistribution" };
  char given[128];
  snprintf(given, sizeof given, "%s=%.*s", key, (int)length, word);
  for (size_t i = 0; i < COUNT(words); i++)
    if (strcmp(words[i], given) == 0) return 1;
  return 0;
}

static void every_word_of_every_key_stands_in_a_case(void)
{
  int words = 0;
  for (const trm_solver_type *const *type = trm_solver_types(); *type; type++)
    for (size_t i = 0; i < (*type)->option_count; i++) {
      const trm_option *option = &(*type)->options[i];
      for (const char *word = option->choices; word && *word; words++) {
        const size_t length = strcspn(word, "|");
        if (!is_elsewhere(option->key, word, length) &&
            !has_word((*type)->name, option->key, word, length))
          fail_msg("no case has %s=%.*s", option->key, (int)length, word);
        word += length + (word[length] == '|');
      }
    }
  assert_true(words > 60);
}

/* So every device is asked for the bits of each kernel. These are launched elsewhere. */
static const struct { const char *kernel, *test; } elsewhere[] = {
  { "macroscopic_memory_constants", "lbm_cylinder" },
  { "macroscopic_registers_memory", "lbm_cylinder" },
  { "lbm3d_fetch", "devices.sh" }, { "lbm3d_hand", "devices.sh" },
  { "lbm3d_levels_push", "lbm3d_run.sh" },
  { "stored_put_back", "lbm3d_stored" },
  { "stored_forced", "lbm3d_stored" }, { "stored_eddies_two_16", "lbm3d_stored" },
  { "stored_forced_16", "lbm3d_stored" }, { "folded_step_two", "lbm3d_stored" },
  { "folded_eddies_two", "lbm3d_stored" }, { "folded_step", "lbm3d_stored" },
  { "folded_forced", "lbm3d_stored" }, { "folded_reals_step_two", "lbm3d_stored" },
  { "folded_reals_forced_two", "lbm3d_stored" }, { "folded_reals_forced", "lbm3d_stored" },
  { "folded_reals_eddies", "lbm3d_stored" },
  { "fv_push_both", "compressible_implementations" },
  { "fv_peak", "compressible_times" }, { "fv_geometry_sample", "compressible_geometry" },
  { "shallow_peak", "devices.sh" }, { "shallow_gauge", "devices.sh" },
  { "shallow_ghosts", "devices.sh" }, { "tree_scatter", "nbody_tree" },
  { "sort_place1", "sort" }, { "sort_place3", "sort" }, { "sort_place4", "sort" },
  { "scan_sums", "sort" }, { "compact_mark", "sort" }, { "compact_place", "sort" },
  { "pack_rows", "devices.sh" }, { "pack_pieces", "devices.sh" } };

static const char *launched_in(const char *kernel)
{
  for (size_t i = 0; i < COUNT(elsewhere); i++)
    if (strcmp(elsewhere[i].kernel, kernel) == 0) return elsewhere[i].test;
  return NULL;
}

/* In any of the texts that have a kernel of this name: one for each collision, flux or variant. */
static int is_launched(const char *kernel)
{
  for (size_t i = 0; i < kernel_count; i++)
    if (kernels[i].is_run && strcmp(kernels[i].kernel, kernel) == 0) return 1;
  return 0;
}

static void every_kernel_is_launched_by_a_case(void)
{
  if (kernel_count == 0) TEST_SKIP("no host ran the cases");
  for (size_t i = 0; i < kernel_count; i++) {
    /* lbm_forms launches each combination of these on every device */
    if (strcmp(kernels[i].program, "lbm_implementations") == 0) continue;
    const char *test = launched_in(kernels[i].kernel);
    if (!is_launched(kernels[i].kernel) && !test)
      fail_msg("no case launches %s of %s", kernels[i].kernel, kernels[i].program);
    if (kernels[i].is_run && test)
      fail_msg("a case launches %s: strike it from the list of %s", kernels[i].kernel, test);
  }
}

int main(int argc, char **argv)
{
  static const test_case all[] = {
    TEST_HOST(every_word_of_every_key_stands_in_a_case),
    TEST_DEVICE(every_field_of_lattice_boltzmann_is_the_same),
    TEST_DEVICE(every_field_in_three_dimensions_is_the_same),
    TEST_DEVICE(every_field_of_compressible_flow_is_the_same),
    TEST_DEVICE(every_field_of_shallow_water_is_the_same),
    TEST_DEVICE(every_field_of_gravity_is_the_same),
    TEST_HOST(every_kernel_is_launched_by_a_case),
  };
  return TEST_RUN(argc, argv, all);
}
