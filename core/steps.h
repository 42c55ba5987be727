/* steps.h - which recorded launches a GPU may carry out several at a time. For plugins, which link
 * steps.c: it needs nothing of the library. */
#ifndef TRIREME_STEPS_H
#define TRIREME_STEPS_H

#include "core/backend.h"

/* `launches` commands from `first` on: 1, or so many steps in one launch of the device. */
typedef struct trm_part {
  size_t first, launches;
} trm_part;

/* How many steps at once the device takes of this launch; odd; 1: no more than one. */
typedef int trm_steps_at_once(const void *user, const trm_command *launch);

/* Cuts a sequence into parts, for which there is room: at most one a command. */
size_t trm_steps_plan(const trm_command *commands, size_t count, trm_steps_at_once *at_once,
                      const void *user, trm_part *parts);

/* The layout of the field that a launch steps, in elements. */
typedef struct trm_steps_layout {
  int64_t first, row, component;
} trm_steps_layout;
trm_steps_layout trm_steps_layout_of(const trm_command *launch);

#endif
