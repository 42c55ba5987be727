/* summary.h - the report of a run: run.json, and the figures of the program's table. */
#ifndef TRIREME_RUN_REPORT_H
#define TRIREME_RUN_REPORT_H

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
  const char *roof_missing;    /* why the roof is missing, when roof is NULL */
  const energy_meter *meter;
  const profile_table *profile; /* NULL: none */
  json_t *host, *gpu;          /* conditions; owned by the caller */
  json_t *parts;               /* parts of a run that was resumed from a checkpoint, or NULL; owned
                                * by the caller */
} report;

/* The object of run.json; the caller's. */
json_t *report_json(const report *about);

/* Seconds before the first step; bytes a second by the solver's own count; name of the updates. */
double report_init_seconds(const report *about);
double report_byte_rate(const session *run);
const char *report_counted(const report *about);

/* A unit as shown; "" where a number has no unit. */
const char *report_unit(const char *unit);

/* Prints a word of a command for a shell to repeat: the inside of single quotes. The case in a
 * folder of results is printed by report_print_case, with its quotes. */
void report_print_quoted(FILE *stream, const char *word);
/* A path as a shell takes it, in quotes where it needs them; malloc'd, or NULL. */
char *report_shell_path(const char *path);
void report_print_case(FILE *stream, const char *folder);

/* Shared with compare: "128 x 256 cells", from the first field ("4096 elements" of a row). */
void report_shape(const trm_solver *solver, char *text, size_t bytes);

#endif
