/* run_table.h - what a finished run says to a reader. */
#ifndef TRIREME_CLI_RUN_TABLE_H
#define TRIREME_CLI_RUN_TABLE_H

#include "run/summary.h"

/* Prints the lines of the solver's own tradition first, for a case that came from its files; then
 * the program's.
 * is_brief: five lines alone. */
void run_table_print(const report *about, int is_brief);

/* The table of kernels. */
void profile_table_print(const profile_table *table);

#endif
