/* summary.h - what a run says of itself: run.json, and the figures of the program's table. */
#ifndef TRIREME_CLI_REPORT_H
#define TRIREME_CLI_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "run/measure/roofs.h"
#include "run/session.h"

typedef struct report {
  const run_case *chosen;
  const session *run;
  const char *status;          /* "finished", "stopped", "diverged" */
  const char *error;           /* NULL, or the sentence of the failure */
  const char *folder;
  double open_seconds;         /* context and device, before create */
  double total_seconds;        /* since the run was opened */
  const device_roofs *roof;    /* NULL: not measured */
  const char *roof_missing;    /* why not, when roof is NULL */
  const energy_meter *meter;
  const profile_table *profile; /* NULL: none */
  json_t *host, *gpu;          /* conditions; the caller's */
  json_t *parts;               /* of a run that went on from a checkpoint, or NULL; the caller's */
} report;

/* The object of run.json; the caller's. */
json_t *report_json(const report *about);

/* Seconds before the first step; bytes a second by the solver's own count; what is counted. */
double report_init_seconds(const report *about);
double report_byte_rate(const session *run);
const char *report_counted(const report *about);

/* A unit to be shown; "" where a number has none. */
const char *report_unit(const char *unit);

/* A word of a command that a shell is to repeat: the inside of single quotes; and the case that
 * lies in a folder of results, quotes and all. */
void report_print_quoted(FILE *stream, const char *word);
/* A path as a shell takes it, in quotes where it needs them; malloc'd, or NULL. */
char *report_shell_path(const char *path);
void report_print_case(FILE *stream, const char *folder);

/* Shared with compare: "128 x 256 cells", from the first field ("4096 elements" of a row). */
void report_shape(const trm_solver *solver, char *text, size_t bytes);

#endif
