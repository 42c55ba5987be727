/* profile.h - where the time of a run's steps goes: every launch, copy and fill is counted, and a
 * few of them are timed.
 *
 * Recorded sequences are replayed as usual; now and then one is carried out command by command
 * between events of the device. All that is timed so takes less than a hundredth of the run's time,
 * or 20 ms, so a profile costs less than that. Order and arguments of commands stay as they are,
 * and so do the results' bits. */
#ifndef TRIREME_CLI_PROFILE_H
#define TRIREME_CLI_PROFILE_H

#include <jansson.h>

#include "run/measure/roofs.h"
#include "core/trace.h"
#include "solvers/solver.h"

typedef struct profile profile;

enum { PROFILE_NAME = 64 };

/* One kernel; or the copies, or fills, of one buffer. NaN: not known. */
typedef struct profile_row {
  char name[PROFILE_NAME];     /* of the kernel, or of the buffer that is written */
  trm_command_kind kind;
  uint64_t calls, timed;       /* in the run's steps; of those that the mean is of */
  double seconds;              /* of all calls: the mean of the timed ones times their number */
  double share;                /* of the sum of all rows */
  double bytes, flops;         /* that a call moves and does, by the solver's declaration */
  double of_bandwidth, of_arithmetic;  /* parts of the roofs */
  const char *bound;           /* "bandwidth", "arithmetic", "launch", "latency"; NULL: not known */
  double of_bound;             /* part of what binds it */
  trm_kernel_resources resources;
  int fused;                   /* launches that a replay carries out at once; 0: never recorded */
  char alone[160];             /* why that is 1 */
} profile_row;

typedef struct profile_table {
  profile_row *rows;           /* longest first */
  size_t count;
  double seconds;              /* sum of the rows */
  double device_seconds;       /* from the first command of each batch to its last, by the device */
  double floor, launch;        /* seconds that a timed kernel shows too much; of one without work */
  trm_precision precision;     /* that the roofs are of */
  int is_host;                 /* whose replays run as wavefronts; a GPU's launches overlap */
  device_roofs roofs;          /* for the rows to stand beside (roofs_find) */
} profile_table;

/* Measures what an event costs on the device. Destroy it before the device is closed. */
trm_status profile_create(trm_device *device, profile **out);
void profile_destroy(profile **made);

/* Around each advance of a solver; nothing for NULL. is_first: warm-up, whose times count only
 * where there are no others. expected: seconds of the whole run, 0 when not known. */
void profile_trace(profile *made, int is_first, double expected);
void profile_rest(profile *made);
/* Once the device has finished the batch, which took it so many seconds. */
trm_status profile_collect(profile *made, double seconds);

/* After the run, while its solver lives. The table is the caller's to clear. */
trm_status profile_tabulate(profile *made, const trm_solver *solver, trm_precision precision,
                            const device_roofs *roofs, profile_table *out);
void profile_clear(profile_table *table);

/* "kernel", "copy" or "fill"; seconds of a call; bytes and operations a second. */
const char *profile_kind(const profile_row *row);
double profile_call_seconds(const profile_row *row);
double profile_byte_rate(const profile_row *row);
double profile_flop_rate(const profile_row *row);

/* As `profile` of run.json; as profile.csv (the caller's; NULL: no memory). */
json_t *profile_json(const profile_table *table);
char *profile_csv(const profile_table *table);

#endif
