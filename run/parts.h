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

/* Whether the case runs as parts. It names several devices of this process, or one device of each
 * rank in the order of ranks. Its solver is one of the framework, on hosts and devices of OpenCL;
 * or lbm or nbody, on hosts; or lbm3d or shallow, on hosts of one process. Other runs have devices
 * as one. */
int parts_serve(const run_case *chosen);

/* Opens the device of each part; *device is that of part 0. From now on chosen->type makes each
 * call on all parts. */
trm_status parts_open(run_case *chosen, trm_context *context, run_parts **out,
                      trm_device **device);
/* The same where parts serve; else the devices as one, and *out is NULL. */
trm_status parts_open_device(run_case *chosen, trm_context *context, run_parts **out,
                             trm_device **device);
/* After the solver. The other parts end, and chosen->type is the solver's own again. */
void parts_close(run_parts **parts, run_case *chosen, trm_device **device);

#endif
