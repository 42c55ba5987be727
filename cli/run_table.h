/* run_table.h - what a finished run says to a reader. */
#ifndef TRIREME_CLI_RUN_TABLE_H
#define TRIREME_CLI_RUN_TABLE_H

#include "cli/run/summary.h"

/* The course's lines first (Reynolds number, elapsed times), then ours. */
void run_table_print(const report *about);

/* The table of kernels. */
void profile_table_print(const profile_table *table);

#endif
