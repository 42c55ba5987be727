/* bisection_stage.h - the second half of a bisection: which command of a stage, and where. */
#ifndef TRIREME_CLI_BISECTION_STAGE_H
#define TRIREME_CLI_BISECTION_STAGE_H

#include "cli/compare/bisect/bisection.h"

/* Runs a side up to the stage and carries that out on the trail, which has begun. */
trm_status bisection_walk(const bisection_side *side, bisection_stage stage, uint64_t step,
                          trail *t);

/* Finds the command of b's stage and step, and fills what is left of b. */
trm_status bisection_examine(bisection *b);

#endif
