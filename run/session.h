/* session.h - one run of one case on one opened device: the engine of libtrireme-run and compare.
 *
 * The host looks at the run only at batch ends: it reads the new values of the series, checks them
 * for values that are not finite, shows progress, and sees an interruption. Times are kept apart.
 */
#ifndef TRIREME_CLI_SESSION_H
#define TRIREME_CLI_SESSION_H

#include <stdatomic.h>

#include "run/batch.h"
#include "run/case.h"
#include "run/measure/energy.h"
#include "run/measure/profile.h"
#include "core/counters.h"
#include "io/array.h"
#include "solvers/solver.h"

/* Seconds. */
typedef struct session_times {
  double create;             /* solver's create, with build */
  double build;              /* of kernels */
  double first_step;         /* from the program's start to the end of the first batch */
  double loop;               /* all batches: launches, kernels, series; without outputs */
  double kernels;            /* on the device, by its events around each batch */
  double transfers;          /* reading series and fields */
  double output;             /* writing files */
  double steady, steady_kernels; /* as loop and kernels, without the first batch */
} session_times;

typedef struct session session;

/* A solver that chooses the lengths of its steps cut this step to end at that time. */
typedef struct session_stop { uint64_t step; double time; } session_stop;

typedef struct session_hooks {
  void *user;
  void (*progress)(void *user, const session *run);       /* after each batch; or NULL */
  trm_status (*series)(void *user, const session *run);   /* likewise: there are more values */
  trm_status (*output)(void *user, session *run);         /* at step 0 and multiples of either */
  trm_status (*frame)(void *user, session *run);          /* at step 0 and multiples of `frames` */
  uint64_t every;            /* steps; 0: none */
  uint64_t frames;           /* likewise, of the frames of a movie */
  double every_time;         /* in the solver's unit: its step is cut to end there; 0: none */
  atomic_int *interrupted;   /* nonzero: stop after this batch; or NULL */
  double until;              /* on the clock: stop after the batch that passes it; 0: never */
  void *viewer;              /* the user of the next two; either may be NULL */
  int (*is_viewed)(void *viewer, session *run); /* before each batch: is it to be shown? */
  trm_status (*show)(void *viewer, session *run); /* that state, synchronised and observed */
  int (*wants)(void *user, const session *run); /* before each batch: is its state to be kept? */
  trm_status (*keep)(void *user, session *run); /* that state, synchronised; also of a stop */
} session_hooks;

/* How far an advance goes: whichever comes first. */
typedef struct session_goal {
  uint64_t step;
  double time;               /* in the solver's unit; INFINITY: none */
  double seconds;            /* about so long; INFINITY: no matter how long */
} session_goal;

struct session {
  const run_case *chosen;
  trm_device *device;        /* the caller's */
  trm_solver *solver;
  session_hooks hooks;
  energy_meter *meter;       /* the caller's, of the timed steps; NULL: not wanted */
  profile *profile;          /* the caller's, of the steps; NULL: not wanted */
  double **series;           /* series[i][step]; steps_done values each */
  size_t series_count, series_capacity;
  uint64_t steps_done, steady_steps;
  uint64_t begun;            /* the step that this session began with; 0 but in one that goes on */
  uint64_t before_steps;     /* steady ones of the parts before, where these are to count */
  double before_seconds;     /* that they took */
  int steady_is_first;       /* 1: steady is of the first batch, for want of another */
  session_goal goal;         /* of the advance in progress, or of the last one */
  double deadline;           /* on the clock: when goal.seconds are over */
  batch_plan plan;           /* keeps the speed from one advance to the next */
  int has_first;              /* 1: output and frame of step 0 are made, if any */
  double outputs;            /* the multiple of every_time that was passed last */
  session_stop *stops;       /* ends that steps were cut for, in their order */
  size_t stop_count, stop_room;
  int ended;                 /* 1: the goal's time is reached */
  int stopped;               /* 1: interrupted; the state is that after steps_done steps */
  int is_interrupted;        /* likewise, and not since its time was over */
  int is_kept;               /* 1: and is in a checkpoint, for the run to go on from */
  double observing;          /* seconds of the last observation for a viewer */
  session_times times;
  trm_counters counters;     /* what the device was asked to do in the steady steps */
  uint64_t memory;           /* bytes of its buffers, the most that there were at once */
  char fingerprint[33];
};

/* Creates the solver. Call session_end in any case. hooks may be NULL. */
trm_status session_begin(session *run, const run_case *chosen, trm_device *device,
                         const session_hooks *hooks);

/* The solver's state is that after `step` steps: the session goes on from there. The caller fills
 * series[i][0] to [step - 1]. */
trm_status session_take_up(session *run, uint64_t step);

/* Advances to the goal, or until interrupted (run->stopped); the state is synchronised afterwards.
 * A value that is not finite is TRM_ERROR_DIVERGED, naming step, field and cell. */
trm_status session_advance(session *run, const session_goal *goal);

/* For a viewer that has paused the run, again and again: a checkpoint that is wanted is written,
 * and *is_over says that the pause ends, since the run's time is over or somebody stops it. */
trm_status session_heed(session *run, int *is_over);

/* To `step` without clocks, checks and series: for whoever looks for a place. made, if not NULL,
 * is called after each batch with its steps. Steps are cut where run->stops says so. Ends earlier
 * at `end`, or where the solver makes no further step (run->ended). */
typedef trm_status session_made(void *user, session *run, uint64_t steps);
trm_status session_walk(session *run, uint64_t step, double end, session_made *made, void *user);

/* Observes the fields, fills results and fingerprint. The state must be synchronised. A state with
 * a value that is not finite is TRM_ERROR_DIVERGED, whatever files are asked for: series may not
 * have seen it. */
trm_status session_finish(session *run);

/* The end that the case names. */
session_goal session_case_end(const session *run);

/* Advances to the case's end, ends the measurement of energy, and finishes: TRM_ERROR_INTERRUPTED
 * where the run was stopped, with state, results and fingerprint whole. */
trm_status session_run(session *run);

/* Reads field `index` into malloc'd memory: array->data is the caller's to free. A value that is
 * not finite is TRM_ERROR_DIVERGED. */
trm_status session_read(session *run, size_t index, trm_array *array);

/* Fills the fingerprint, and looks at what it is made of. */
trm_status session_fingerprint(session *run);
/* That of the state as it is on the way, likewise. */
trm_status session_print(const session *run, char fingerprint[33]);

/* Whether all are finite; other types than reals are. */
int session_are_finite(trm_type type, const void *values, size_t count);

/* That a field can be written, and is finite, some rows at a time. */
trm_status session_check(session *run, size_t index);

/* *has: it has values; a mean over time has none before it began. */
trm_status session_has_values(const session *run, size_t index, int *has);

void session_end(session *run);

/* Updates a second, and bytes a second by the solver's own count, over the steps after the first
 * batch (or over that one when there is no other). */
double session_rate(const session *run);
double session_step_bytes(const trm_solver *solver);
double session_step_flops(const trm_solver *solver);

#endif
