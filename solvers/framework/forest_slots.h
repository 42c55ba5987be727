/* forest_slots.h - where a forest's leaves lie in memory; for forest.c. */
#ifndef TRIREME_FRAMEWORK_FOREST_SLOTS_H
#define TRIREME_FRAMEWORK_FOREST_SLOTS_H

#include "solvers/framework/forest.h"

/* The slots of `count` leaves: as asked for, in order, or shuffled (Fisher and Yates). */
void forest_choose_slots(int32_t *slot, size_t count, const trm_forest_shape *shape);

#endif
