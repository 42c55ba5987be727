/* same_run.h - runs a case of a solver and keeps or compares what it shows: at the start, after a
 * step and after several. Cases: same_cases.c; comparisons: same_fields.c and same_shared.c. */
#ifndef TRIREME_TESTS_SAME_RUN_H
#define TRIREME_TESTS_SAME_RUN_H

#include "tests/harness.h"

#include "solvers/solver.h"

/* A solver and its settings: KEY=VALUE, separated by '|'; @ROCKS, @BODIES, @BRICK and @TABLE are
 * files that the run makes. How many of the sizes it is run on; 0: its grid is among the settings,
 * or it has none. */
typedef struct same_case {
  const char *solver, *settings;
  size_t sizes;
} same_case;

extern const same_case same_cases[];
extern const size_t same_case_count;

/* Whether the case is of f32 alone. */
int same_is_single(const same_case *of);

typedef struct same_size { int nx, ny; } same_size;

/* What was read at one sample: the fields and the series one after the other. */
typedef struct same_sample {
  unsigned char *bytes;
  size_t count;
} same_sample;

enum { SAME_SAMPLES = 5 };

/* Runs the case, and keeps what it sees (expected NULL) or compares it with what was seen, and
 * fails where they differ; `where` is what it runs on, for the message. 0: the devices cannot share
 * it, and say so. */
int same_run(trm_device *device, const same_case *of, same_size size, trm_precision precision,
             const same_sample expected[SAME_SAMPLES], same_sample seen[SAME_SAMPLES],
             const char *where);

/* The same with a solver's table, a device and a config of the caller's. */
int same_run_with(const trm_solver_type *type, trm_device *device, const trm_config *config,
                  const same_case *of, trm_precision precision,
                  const same_sample expected[SAME_SAMPLES], same_sample seen[SAME_SAMPLES],
                  const char *what);

/* A value of a case's settings; the file that it names where it begins with '@'. */
const char *same_value(const char *value, same_size size);

/* A run of `next` that goes on from what a checkpoint keeps of the first steps of `first` has that
 * one's state after more of them, with the same changes of what is conserved. */
void same_resume(trm_device *device, const same_case *first, const same_case *next,
                 trm_precision precision);

/* Frees what same_run kept. */
void same_forget(same_sample seen[SAME_SAMPLES]);

#endif
