/* results_streams.h - streamlines of a run, by the key output.streamlines. */
#ifndef TRIREME_RUN_RESULTS_STREAMS_H
#define TRIREME_RUN_RESULTS_STREAMS_H

#include "run/results.h"
#include "io/streams.h"

/* Refuses a value of the key that this case cannot have. */
trm_status results_streams_check(const run_case *chosen, const session *run);

/* The host's memory for the starting points and fields, in bytes, without the lines. */
double results_streams_bytes(const run_case *chosen, const session *run);

/* Traces the streamlines of the present state; none without the key. Writes them to the file
 * `path`, unless it is NULL. The caller frees *streams. */
trm_status results_streams_make(const results *out, session *run, const char *path,
                                trm_streams *streams);

#endif
