/* kept.h - small checkpoints for tests: what they hold follows from their step. */
#ifndef TRIREME_TESTS_KEPT_H
#define TRIREME_TESTS_KEPT_H

#include "io/checkpoint.h"
#include "tests/harness.h"

enum { KEPT_NX = 5, KEPT_ROWS = 4, KEPT_COMPONENTS = 2, KEPT_SERIES = 2, KEPT_MOST = 320 };

/* Writes the one of a step, in `parts` parts of rows. */
trm_status kept_write(const char *folder, uint64_t step, int parts, trm_checkpoint_past *past);

/* Every value is that of its step. */
void kept_assert(const trm_found *found);

#endif
