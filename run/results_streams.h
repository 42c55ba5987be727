/* results_streams.h - lines along the velocity of a run, by the key output.streamlines. */
#ifndef TRIREME_CLI_RESULTS_STREAMS_H
#define TRIREME_CLI_RESULTS_STREAMS_H

#include "run/results.h"
#include "io/streams.h"

/* Refuses what the key asks and cannot have. */
trm_status results_streams_check(const run_case *chosen, const session *run);

/* The host's memory that they take, in bytes, without the lines. */
double results_streams_bytes(const run_case *chosen, const session *run);

/* The lines of the flow as it is now, none without the key; also to the file `path`, unless it is
 * NULL. The caller frees *streams. */
trm_status results_streams_make(const results *out, session *run, const char *path,
                                trm_streams *streams);

#endif
