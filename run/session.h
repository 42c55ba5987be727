/* session.h - one run of one case on one opened device: the engine of libtrireme-run and of
 * `trireme compare`.
 *
 * The host inspects the run only at batch ends. It reads the new values of the series, checks that
 * they are finite, shows progress, and notices an interruption. Times of separate activities are
 * kept apart.
 */
#ifndef TRIREME_RUN_SESSION_H
#define TRIREME_RUN_SESSION_H

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
  double create;             /* the solver's create, with build */
  double build;              /* of kernels */
  double first_step;         /* from the program's start to the end of the first batch */
  double loop;               /* all batches: launches, kernels, series; without outputs */
  double kernels;            /* on the device, by its events around each batch */
  double transfers;          /* reading series and fields */
  double output;             /* writing files */
  double steady, steady_kernels; /* as loop and kernels, without the first batch */
} session_times;

typedef struct session session;

/* A solver that chooses the lengths of its steps shortened this step to end at that time. */
typedef struct session_stop { uint64_t step; double time; } session_stop;

typedef struct session_hooks {
  void *user;
  void (*progress)(void *user, const session *run);       /* after each batch; or NULL */
  trm_status (*series)(void *user, const session *run);   /* after each batch with new values; or
                                                           * NULL */
  trm_status (*output)(void *user, session *run);         /* at step 0 and at multiples of every or
                                                           * every_time */
  trm_status (*frame)(void *user, session *run);          /* at step 0 and multiples of `frames` */
  uint64_t every;            /* steps; 0: none */
  uint64_t frames;           /* steps between frames of a movie; 0: none */
  double every_time;         /* in the solver's unit: a step is shortened to end there; 0: none */
  atomic_int *interrupted;   /* nonzero: stop after this batch; or NULL */
  double until;              /* on the clock: stop after the batch that passes this time; 0:
                              * never */
  void *viewer;              /* the user of the next two; either may be NULL */
  int (*is_viewed)(void *viewer, session *run); /* before each batch: shall it be shown? */
  trm_status (*show)(void *viewer, session *run); /* shows that state, synchronised and observed */
  int (*wants)(void *user, const session *run); /* before each batch: shall its state be kept in a
                                                 * checkpoint? */
  trm_status (*keep)(void *user, session *run); /* keeps that state, synchronised; also the state at
                                                 * a stop */
} session_hooks;

/* The end of an advance: whichever limit is reached first. */
typedef struct session_goal {
  uint64_t step;
  double time;               /* in the solver's unit; INFINITY: none */
  double seconds;            /* about this many; INFINITY: no limit */
} session_goal;

struct session {
  const run_case *chosen;
  trm_device *device;        /* the caller's, or of `parts` */
  struct run_parts *parts;   /* run/parts.h: several devices (session_begin_on); NULL: one device */
  run_case of_parts;         /* then the chosen case, whose solver makes each call on all parts */
  trm_solver *solver;
  session_hooks hooks;
  energy_meter *meter;       /* the caller's, of the timed steps; NULL: not wanted */
  profile *profile;          /* the caller's, of the steps; NULL: not wanted */
  double **series;           /* series[i][step]; steps_done values each */
  size_t series_count, series_capacity;
  uint64_t steps_done, steady_steps;
  uint64_t begun;            /* first step of this session; above 0 only in a resumed run */
  uint64_t before_steps;     /* steady steps of the earlier parts, where these are to count */
  double before_seconds;     /* their seconds */
  int steady_is_first;       /* 1: the steady time is the first batch's, since there is no other
                              * batch */
  session_goal goal;         /* of the advance in progress, or of the last one */
  double deadline;           /* on the clock: when goal.seconds are over */
  batch_plan plan;           /* keeps the speed from one advance to the next */
  int has_first;              /* 1: output and frame of step 0, if any, have been made */
  double outputs;            /* the last multiple of every_time that was passed */
  session_stop *stops;       /* ends for which steps were shortened, in their order */
  size_t stop_count, stop_room;
  int ended;                 /* 1: the goal's time is reached */
  int stopped;               /* 1: interrupted; the state is the one after steps_done steps */
  int is_interrupted;        /* 1: interrupted by somebody, not by the end of its time */
  int is_kept;               /* 1: and a checkpoint holds the state, so that the run can be
                              * resumed */
  double observing;          /* seconds of the last observation for a viewer */
  session_times times;
  trm_counters counters;     /* commands of the device in the steady steps */
  uint64_t memory;           /* bytes of its buffers, the most at any time */
  char fingerprint[33];
};

/* Creates the solver. Call session_end in any case. hooks may be NULL. */
trm_status session_begin(session *run, const run_case *chosen, trm_device *device,
                         const session_hooks *hooks);

/* The same on several devices (parts_are_named), which the session opens and session_end closes. */
trm_status session_begin_on(session *run, const run_case *chosen, trm_context *context,
                            const char *devices, const char *origin, const session_hooks *hooks);

/* The solver's state is the one after `step` steps; the session goes on from there. The caller
 * fills series[i][0] to [step - 1]. */
trm_status session_take_up(session *run, uint64_t step);

/* Advances to the goal, or until interrupted (run->stopped); the state is synchronised afterwards.
 * A value that is not finite is TRM_ERROR_DIVERGED, naming step, field and cell. */
trm_status session_advance(session *run, const session_goal *goal);

/* Called again and again by a viewer that has paused the run. It writes a checkpoint that is
 * wanted. *is_over says that the pause ends, since the run's time is over or somebody stops it. */
trm_status session_heed(session *run, int *is_over);

/* Advances to `step` without clocks, checks and series, for a search. made, if not NULL, is called
 * after each batch with its steps. Steps are shortened as run->stops lists. It ends earlier at
 * `end`, or where the solver makes no further step (run->ended). */
typedef trm_status session_made(void *user, session *run, uint64_t steps);
trm_status session_walk(session *run, uint64_t step, double end, session_made *made, void *user);

/* Observes the fields, fills results and fingerprint. Call it in a synchronised state. A state with
 * a value that is not finite is TRM_ERROR_DIVERGED, whichever files are asked for: the series may
 * not show it. */
trm_status session_finish(session *run);

/* The end of the case: run.steps and run.end_time. */
session_goal session_case_end(const session *run);

/* Advances to the case's end, ends the measurement of energy, and finishes. TRM_ERROR_INTERRUPTED
 * where the run was stopped; state, results and fingerprint are complete then. */
trm_status session_run(session *run);

/* Reads field `index` into malloc'd memory; the caller frees array->data. A value that is not
 * finite is TRM_ERROR_DIVERGED. */
trm_status session_read(session *run, size_t index, trm_array *array);
/* The same for plane `at` across an axis, as an array of two dimensions; the others' values are
 * looked at some rows at a time. */
trm_status session_read_plane(session *run, size_t index, int axis, size_t at, trm_array *array);

/* Fills run->fingerprint, and checks that the state is finite. */
trm_status session_fingerprint(session *run);
/* Fingerprint of the present state, without storing it in the session; checks that the state is
 * finite. */
trm_status session_print(const session *run, char fingerprint[33]);

/* Whether all values are finite; types other than reals always are. */
int session_are_finite(trm_type type, const void *values, size_t count);

/* Checks that a field can be written and is finite, some rows at a time. */
trm_status session_check(session *run, size_t index);

/* **has: the field has values; a mean over time has none before it began. */
trm_status session_has_values(const session *run, size_t index, int *has);

void session_end(session *run);

/* Updates a second, and bytes a second by the solver's own count, over the steps after the first
 * batch (over the first batch when there is no other). */
double session_rate(const session *run);
double session_step_bytes(const trm_solver *solver);
double session_step_flops(const trm_solver *solver);

#endif
