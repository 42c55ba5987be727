/* bisection_json.h - a bisection as JSON. */
#ifndef TRIREME_CLI_BISECTION_JSON_H
#define TRIREME_CLI_BISECTION_JSON_H

#include "cli/compare/bisect/bisection.h"
#include "cli/run/json.h"

/* NULL: no memory. */
json_t *bisection_json(const bisection *found);

#endif
