/* benchmark.h - one case on one device, run several times. What was measured, as compare
 * and study gather it, as their files hold it, and as a report reads it again, from a run too.
 *
 * NaN and "": not known. */
#ifndef TRIREME_CLI_BENCHMARK_H
#define TRIREME_CLI_BENCHMARK_H

#include "run/measure/statistics.h"
#include "run/session.h"

enum { BENCHMARK_RUNS = 1000 };  /* the most of --runs */

typedef struct benchmark {
  char on[128];                /* its device as asked for: "opencl:1" */
  char id[48], device[128];    /* as it was opened: "opencl:1", its name; of a file only */
  int is_host;                 /* likewise */
  double threads;
  char shape[96];              /* "128 x 256 cells" */
  char precision[8], math[8], isa[32];
  double cells, steps;         /* updated in a step; of the runs that are compared */
  char fingerprint[33];        /* of the first run */
  int repeats;                 /* 1: every later run had the same fingerprint */
  double *rates, *energies;    /* owned: updates a second, joules an update of each run */
  size_t run_count;
  char energy_source[160];     /* what counted */
  char energy_missing[400];    /* of the latest run that has none; "" where all have */
  double step_bytes, step_flops; /* by the solver's count */
  double step_seconds, bytes_per_second, flops_per_second, energy; /* by the medians */
  double copy_roof;            /* bytes a second of the device's own copy */
  double exchange;             /* of several hosts' time the part that moving rows took */
  session_times times;         /* of the first run */
  json_t *gpu;                 /* owned; its clocks after its first run; NULL on a host */
} benchmark;

void benchmark_clear(benchmark *of);

/* One run more. */
trm_status benchmark_add(benchmark *to, double rate, double joules);
/* A session that has ended its steps: its rate and energy; of the first one the GPU's clocks. */
trm_status benchmark_take(benchmark *to, const session *run, const energy_meter *meter);
/* What the solver tells, the fingerprint and the times. */
void benchmark_take_facts(benchmark *to, const session *run);

sample benchmark_rate(const benchmark *of);
/* Seconds of a step by the median rate; NaN without runs. */
double benchmark_step_seconds(const benchmark *of);
/* The ratio of two benchmarks' speeds, run by run, with an interval that holds its median; for as
 * many runs as both have. */
sample benchmark_ratio(const benchmark *of, const benchmark *to, interval *range);

/* Sets the members of what was measured; device NULL: but for what it ran on. */
json_t *benchmark_json(benchmark *of, const trm_device_info *device);
/* "NAME", "NAME_interval" and "NAME_confidence". */
void benchmark_json_ratio(json_t *out, const char *name, const benchmark *of, const benchmark *to);
/* What kind of key each is that is not a mere setting: {"grid.nx": "size", "lbm.omega": "set"}: by
 * the command. */
json_t *benchmark_roles(const run_case *chosen);

/* Of a member of compare.json or study.json, or of run.json as a whole, with what its document says
 * for all. Clear it in any case. */
trm_status benchmark_read(benchmark *out, const json_t *data, const json_t *document);
/* The runs alone: arrays of rates and energies, the latter may be NULL. */
trm_status benchmark_read_runs(benchmark *to, const json_t *rates, const json_t *energies,
                               size_t most);

#endif
