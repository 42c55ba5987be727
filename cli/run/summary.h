/* report.h - what a finished run says of itself: to a reader, and as run.json. */
#ifndef TRIREME_CLI_REPORT_H
#define TRIREME_CLI_REPORT_H

#include <jansson.h>

#include "cli/measure/ceiling.h"
#include "cli/run/session.h"

typedef struct report {
  const run_case *chosen;
  const session *run;
  const char *status;          /* "finished", "stopped", "diverged" */
  const char *error;           /* NULL, or the sentence of the failure */
  const char *folder;
  double open_seconds;         /* context and device, before create */
  double total_seconds;        /* since the program's start */
  const ceiling *roof;         /* NULL: not measured */
  const char *roof_missing;    /* why not, when roof is NULL */
  const energy_meter *meter;
  const profile_table *profile; /* NULL: none */
  json_t *host, *gpu;          /* conditions; the caller's */
} report;

/* The course's lines first (Reynolds number, elapsed times), then ours. On stdout. */
void report_print(const report *about);

/* The object of run.json; the caller's. */
json_t *report_json(const report *about);

/* The case with every key and where its value comes from, as one object on stdout. */
trm_status report_show_case(const run_case *chosen, uint64_t memory);

/* Shared with compare: "128 x 256 cells", from the first field ("4096 elements" of a row). */
void report_shape(const trm_solver *solver, char *text, size_t bytes);

#endif
