/* retrace_rows.h - how the rows of a report are made, for the files that make them. */
#ifndef TRIREME_CLI_RETRACE_ROWS_H
#define TRIREME_CLI_RETRACE_ROWS_H

#include "cli/retrace/retrace.h"

trm_status retrace_no_memory(void);
const json_t *retrace_tables(const retrace *all);
/* A table's own word, or the report's. */
const char *retrace_text(const retrace *all, const json_t *table, const char *name);
/* Whether a row is shown on a device: some are of one kind alone. */
int retrace_is_wanted_on(const retrace *all, const json_t *table, const json_t *row,
                         size_t device);

/* retrace_case.c: the case of a row. A row of a later version, or one that is refused here, has a
 * reason in `missing`, and *has_case is 0. */
trm_status retrace_create_row(retrace *all, size_t t, const json_t *row, variation *out,
                              int *has_case, char *missing, size_t bytes);

/* retrace_quick.c: how often each table's sides are halved, from the kept results in `folder`, or
 * from a few steps with --quick. */
trm_status retrace_list_halvings(retrace *all, const char *folder);
/* Tables of a family are rows of one study and have one size. */
const char *retrace_family(const retrace *all, const json_t *table);

#endif
