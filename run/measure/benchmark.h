/* benchmark.h - one case on one device, run several times. The measurements of compare, study and
 * run, in memory and in their files, which a report reads again.
 *
 * NaN and "": not known. */
#ifndef TRIREME_RUN_BENCHMARK_H
#define TRIREME_RUN_BENCHMARK_H

#include "run/measure/statistics.h"
#include "run/session.h"

enum { BENCHMARK_RUNS = 1000 };  /* the most of --runs */

typedef struct benchmark {
  char on[128];                /* the device's name as given: "opencl:1" */
  char id[48], device[128];    /* name and description of the opened device: "opencl:1", "NVIDIA
                                * H200"; only from a file */
  int is_host;                 /* likewise */
  double threads;
  char shape[96];              /* "128 x 256 cells" */
  char precision[8], math[8], isa[32];
  double cells, steps;         /* cells updated in a step; steps of the compared runs */
  char fingerprint[33];        /* of the first run */
  int repeats;                 /* 1: every later run had the same fingerprint */
  double *rates, *energies;    /* owned: for each run updates a second, and joules for an update */
  size_t run_count;
  int has_gaps;                /* 1: a file has runs without a speed: its runs are no rounds */
  char energy_source[160];     /* the counter */
  char energy_missing[400];    /* of the latest run without energy; "" where all runs have it */
  double step_bytes, step_flops; /* by the solver's own count */
  double step_seconds, bytes_per_second, flops_per_second, energy; /* by the medians */
  double copy_roof;            /* bytes a second of the device's own copy */
  double exchange;             /* fraction of several hosts' time that moving rows took */
  session_times times;         /* of the first run */
  json_t *tuned;               /* owned; whether `trireme tune` keeps values for it; or NULL */
  json_t *gpu;                 /* owned; the GPU's clocks after the first run; NULL on a host */
} benchmark;

void benchmark_clear(benchmark *of);

/* Adds one run. */
trm_status benchmark_add(benchmark *to, double rate, double joules);
/* Adds a session that has ended its steps: its rate and energy, and for the first session the GPU's
 * clocks. */
trm_status benchmark_take(benchmark *to, const session *run, const energy_meter *meter);
/* Copies the solver's facts, the fingerprint and the times. */
void benchmark_take_facts(benchmark *to, const session *run);

sample benchmark_rate(const benchmark *of);
/* Seconds of a step by the median rate; NaN without runs. */
double benchmark_step_seconds(const benchmark *of);
/* The ratio of two benchmarks' speeds, run by run, with an interval for its median; over as many
 * runs as both have. */
sample benchmark_ratio(const benchmark *of, const benchmark *to, interval *range);

/* Sets the members of the measurements. device NULL: without the device. */
json_t *benchmark_json(benchmark *of, const trm_device_info *device);
/* "NAME", "NAME_interval" and "NAME_confidence". */
void benchmark_json_ratio(json_t *out, const char *name, const benchmark *of, const benchmark *to);
/* The kind of each key that is more than a setting: {"grid.nx": "size", "lbm.omega": "set"}: set by
 * the command. */
json_t *benchmark_roles(const run_case *chosen);

/* Reads a member of compare.json or study.json, or a whole run.json, with the facts that the
 * document states for all its members. Clear it in any case. */
trm_status benchmark_read(benchmark *out, const json_t *data, const json_t *document);
/* Reads the runs alone: arrays of rates and energies; the latter may be NULL. */
trm_status benchmark_read_runs(benchmark *to, const json_t *rates, const json_t *energies,
                               size_t most);

#endif
