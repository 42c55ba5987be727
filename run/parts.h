/* parts.h - a run on several devices, each of which is a part of it. A part is a thread of this
 * process or a rank. It has a device and a solver of its own, and runs the same host code as the
 * others.
 *
 * The caller is part 0 and sees one device and one solver. It decides what comes next, by clocks,
 * signals and files, and tells the others in one record for each call of the solver. Then all parts
 * make this call, and agree on a failure at its end. Between calls the others give part 0 the rows
 * that it reads. */
#ifndef TRIREME_RUN_PARTS_H
#define TRIREME_RUN_PARTS_H

#include "run/case.h"

typedef struct run_parts run_parts;

/* Whether a run on these devices has parts: the names of several devices, or one device of each
 * rank. */
int parts_are_named(const char *devices);

/* Opens the device of each part; *device is that of part 0. From now on chosen->type makes each
 * call on all parts. devices, origin: other ones than the case names, and who asked for them; or
 * NULL. */
trm_status parts_open_on(run_case *chosen, trm_context *context, const char *devices,
                         const char *origin, run_parts **out, trm_device **device);
/* The same of the devices that the case names, if these are parts; else the one device, and *out is
 * NULL. */
trm_status parts_open_device(run_case *chosen, trm_context *context, run_parts **out,
                             trm_device **device);
/* After the solver. The other parts end, and chosen->type is the solver's own again. */
void parts_close(run_parts **parts, run_case *chosen, trm_device **device);

#endif
