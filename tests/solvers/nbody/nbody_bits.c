/* nbody_bits.c - strict runs have the same bits for every kernel, thread count, group, batch and
 * instruction set, on every backend: the fingerprints of one table. */
#include "tests/solvers/nbody/nbody_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define PAIRS "initial=plummer bodies=1003 dt=0.01 softening=0.05"

typedef struct known_case { const char *name, *settings; } known_case;

static const known_case pairs = {"pairs", PAIRS};
static const known_case points = {"points", "initial=plummer bodies=1003 dt=0.001 softening=0"};
static const known_case hermite = {"hermite", PAIRS " integrator=hermite4"};
static const known_case tree = {"tree", PAIRS " force=tree theta=0.6"};

enum { STEPS = 7 };

static int precisions(trm_device *device)
{
  return trm_device_describe(device)->has_f64 ? 2 : 1;
}

static void expect(trm_device *device, const known_case *of, const char *more,
                   trm_precision precision, uint64_t batch)
{
  char settings[512], found[33];
  nbody_run run;
  snprintf(settings, sizeof settings, "%s %s", of->settings, more);
  nbody_begin(&run, device, settings, precision, TRM_STRICT);
  nbody_steps(&run, STEPS, batch);
  TEST_OK(trm_solver_fingerprint(run.solver, found));
  print_message("%s, program for '%s'\n", settings, run.solver->program->isa);
  test_is_known(found, "nbody/%s/%s", of->name, trm_precision_name(precision));
  nbody_end(&run);
}

static void every_force_has_its_fingerprint(trm_device *device)
{
  const known_case *const forces[] = {&pairs, &points, &tree, &hermite};
  for (int p = 0; p < precisions(device); p++)
    for (size_t i = 0; i < sizeof forces / sizeof forces[0]; i++)
      if (test_takes(device, i, (trm_precision)p))
        expect(device, forces[i], "", (trm_precision)p, 0);
}

static void every_kernel_has_the_bits_of_every_other(trm_device *device)
{
  static const char *const kernels[] = {"naive", "tiled", "tiled-unroll2", "tiled-unroll4",
                                        "tiled-unroll8", "targets2", "targets4"};
  /* the compiler of another device takes seconds for each */
  const int most = trm_device_describe(device)->is_host ? precisions(device) : 1;
  for (int p = 0; p < most; p++)
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
      char more[64];
      snprintf(more, sizeof more, "implementation=%s", kernels[k]);
      expect(device, &pairs, more, (trm_precision)p, 0);
      snprintf(more, sizeof more, "implementation=%s energy=false", kernels[k]);
      expect(device, &pairs, more, (trm_precision)p, 0);
    }
}

/* Loads of 16 bytes or of 4, with and without a tile; loops that the compiler may not unroll. A
 * host has the unrolled forms that are compiled. */
static void loads_and_unrolling_change_no_bit(trm_device *device)
{
  static const struct { const char *keys; int is_of_gpus; } forms[] = {
    {"implementation=naive loads=16", 0}, {"implementation=tiled loads=4", 0},
    {"implementation=tiled loads=16 unroll=1", 0}, {"implementation=naive loads=4", 0},
    {"implementation=tiled-unroll8 unroll=2", 0}, {"implementation=targets4 loads=16", 0},
    {"implementation=naive unroll=1", 0}, {"implementation=tiled loads=4 unroll=8", 0},
    {"implementation=naive loads=16 unroll=8", 1},
    {"implementation=naive target=memory", 1}, {"implementation=naive target=registers", 0},
    {"implementation=naive target=memory loads=16 unroll=2", 1},
    {"implementation=targets2 unroll=1", 1}};
  const int is_host = trm_device_describe(device)->is_host;
  for (int p = 0; p < precisions(device); p++)
    for (size_t i = 0; i < COUNT(forms); i++) {
      char more[100];
      if (!test_takes(device, i, (trm_precision)p) || (is_host && forms[i].is_of_gpus)) continue;
      expect(device, &pairs, forms[i].keys, (trm_precision)p, 0);
      snprintf(more, sizeof more, "%s energy=false", forms[i].keys);
      if (!test_spares(device)) expect(device, &pairs, more, (trm_precision)p, 0);
    }
  if (is_host)
    TEST_FAILS(nbody_try(device, PAIRS " implementation=naive unroll=8", TRM_F32),
               TRM_ERROR_UNSUPPORTED, "a host has it with 1 alone");
  if (is_host)
    TEST_FAILS(nbody_try(device, PAIRS " implementation=naive target=memory", TRM_F32),
               TRM_ERROR_UNSUPPORTED, "a host has no registers of an item");
  TEST_FAILS(nbody_try(device, PAIRS " implementation=tiled target=memory", TRM_F32),
             TRM_ERROR_INPUT, "choose nbody.implementation = naive");
  TEST_FAILS(nbody_try(device, PAIRS " force=tree loads=16", TRM_F32), TRM_ERROR_INPUT,
             "choose nbody.force = pairs");
  TEST_FAILS(nbody_try(device, PAIRS " integrator=hermite4 unroll=1", TRM_F32), TRM_ERROR_INPUT,
             "choose nbody.integrator = leapfrog");
}

static void batches_and_groups_change_no_bit(trm_device *device)
{
  expect(device, &pairs, "", TRM_F32, 1);
  expect(device, &pairs, "", TRM_F32, 3);
  expect(device, &tree, "", TRM_F32, 2);
  if (trm_device_describe(device)->is_host) return;
  expect(device, &pairs, "group=64", TRM_F32, 0);
  expect(device, &pairs, "group=128 implementation=tiled", TRM_F32, 0);
  expect(device, &pairs, "group=256 implementation=naive", TRM_F32, 0);
  expect(device, &tree, "group=64", TRM_F32, 0);
}

static void threads_and_instruction_sets_change_no_bit(trm_device *device)
{
  static const char *const sets[] = {"baseline", "x86-64-v3", "x86-64-v4", "reverse"};
  if (!trm_device_describe(device)->is_host) TEST_SKIP("threads are the host's");
  for (int threads = 1; threads <= 3; threads++) {
    const trm_device_options options = {.threads = threads};
    trm_device *other = test_open(test_backend(device), &options);
    expect(other, &pairs, "", TRM_F32, 0);
    expect(other, &tree, "", TRM_F32, 0);
    trm_device_close(&other);
  }
  for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
    trm_device *other = NULL;
    setenv("TRIREME_ISA", sets[i], 1);
    const trm_status status = trm_device_open(test_context(), test_backend(device), NULL, &other);
    unsetenv("TRIREME_ISA");
    if (status != TRM_OK) continue; /* not this processor's */
    for (int p = 0; p < 2; p++) {
      expect(other, &pairs, "", (trm_precision)p, 0);
      expect(other, &points, "", (trm_precision)p, 0);
      expect(other, &hermite, "", (trm_precision)p, 0);
      expect(other, &tree, "", (trm_precision)p, 0);
    }
    trm_device_close(&other);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(every_force_has_its_fingerprint),
    TEST_DEVICE(every_kernel_has_the_bits_of_every_other),
    TEST_DEVICE(loads_and_unrolling_change_no_bit),
    TEST_DEVICE(batches_and_groups_change_no_bit),
    TEST_DEVICE(threads_and_instruction_sets_change_no_bit),
  };
  return TEST_RUN(argc, argv, cases);
}
