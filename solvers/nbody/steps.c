/* steps.c - a batch of steps of the N-body solver.
 *
 * A step moves the bodies with the stored acceleration, then computes the acceleration at the new
 * positions; so a state has its own acceleration, potential and measures. The measures of `slots`
 * steps are summed together; within a batch the host reads nothing and waits for nothing. */
#include "solvers/nbody/nbody.h"

#include "solvers/framework/stepper.h"

/* Weights of Yoshida's three leapfrog steps: w1, w0, w1; w1 = 1 / (2 - 2^(1/3)). */
static const double yoshida[3] = {1.3512071919596578, -1.7024143839193153, 1.3512071919596578};

/* Times of a launch: of its kicks by the stored and by the new acceleration, and of its drift. */
typedef struct times { double kick, kick_again, drift; } times;

static nbody_params params_of(const nbody_solver *nbody, times t, int slot, int slots)
{
  return (nbody_params){
    .eps2 = nbody->softening * nbody->softening, .kick = t.kick, .kick_again = t.kick_again,
    .dt = t.drift, .half_dt2 = t.drift * t.drift / 2.0, .total_mass = nbody->total_mass,
    .middle_x = nbody->middle[0], .middle_y = nbody->middle[1], .middle_z = nbody->middle[2],
    .bodies = nbody->count, .stride = nbody->stride,
    .length = nbody->length, .segments = nbody->segments, .segments_each = nbody->segments_each,
    .rows = nbody->rows, .packed = nbody->packed != NULL, .slot = slot, .slots = slots,
    .limit = NBODY_BATCH_LIMIT };
}

/* Groups of a program whose items have so many targets each. */
static int groups_of(const nbody_solver *nbody, const trm_framework_program *program, int targets)
{
  const int block = trm_program_describe(program->program)->group * targets;
  return (nbody->count + block - 1) / block;
}

/* Launches a kernel whose items have so many bodies each; several devices share its groups. whole:
 * a bit for each buffer of which any group reads all. */
#define LAUNCH_OF(program, kernel, targets, rows, whole, params, ...) \
  trm_framework_program_launch_groups(program, kernel, groups_of(nbody, program, targets), rows, \
                                      NBODY_BLOCK / (targets), whole, params, \
                                      (trm_buffer *const[]){ __VA_ARGS__ }, \
                                      sizeof((trm_buffer *const[]){ __VA_ARGS__ }) / \
                                        sizeof(trm_buffer *))
#define LAUNCH(program, kernel, params, ...) \
  LAUNCH_OF(program, kernel, 1, 1, 0, params, __VA_ARGS__)

/* Acceleration, potential and jerk at the bodies' places into `to`. */
static trm_status find_jerk(nbody_solver *nbody, trm_buffer *to)
{
  const nbody_params p = params_of(nbody, (times){0}, 0, 0);
  TRM_TRY(LAUNCH_OF(&nbody->forces, HERMITE_FORCE, 1, nbody->rows, 3, &p, nbody->bodies,
                    nbody->motion, nbody->part));
  return LAUNCH(&nbody->forces, HERMITE_FOLD, &p, nbody->part, to);
}

static trm_status hermite_step(nbody_solver *nbody)
{
  const double dt = nbody->dt;
  const nbody_params before = params_of(nbody, (times){dt / 2.0, dt / 3.0, dt}, 0, 0);
  const nbody_params after = params_of(nbody, (times){dt / 2.0, dt * dt / 12.0, dt}, 0, 0);
  TRM_TRY(LAUNCH(&nbody->forces, HERMITE_PREDICT, &before, nbody->bodies, nbody->motion,
                 nbody->pull, nbody->old));
  TRM_TRY(find_jerk(nbody, nbody->found));
  TRM_TRY(LAUNCH(&nbody->forces, HERMITE_CORRECT, &after, nbody->bodies, nbody->motion,
                 nbody->pull, nbody->found, nbody->old));
  return find_jerk(nbody, nbody->pull);
}

static trm_status find_force(nbody_solver *nbody, times t)
{
  const nbody_params p = params_of(nbody, t, 0, 0);
  trm_buffer *bodies = nbody->packed ? nbody->packed : nbody->bodies;
  if (nbody->packed)
    TRM_TRY(LAUNCH(&nbody->moves, MOVE_PACK, &p, nbody->bodies, nbody->packed));
  TRM_TRY(nbody->with_tree
            ? nbody_tree_force(nbody)
            : LAUNCH_OF(&nbody->forces, 0, nbody->targets, nbody->rows, 1, &p, bodies,
                        nbody->part));
  return LAUNCH(&nbody->moves, MOVE_KICK, &p, nbody->motion, nbody->pull, nbody->part);
}

static trm_status drift_and_kick(nbody_solver *nbody, int kernel, times t)
{
  const nbody_params p = params_of(nbody, t, 0, 0);
  TRM_TRY(LAUNCH(&nbody->moves, kernel, &p, nbody->bodies, nbody->motion, nbody->pull));
  return find_force(nbody, t);
}

static trm_status move(nbody_solver *nbody)
{
  const double dt = nbody->dt;
  switch (nbody->integrator) {
  case NBODY_LEAPFROG:
    return drift_and_kick(nbody, MOVE_DRIFT, (times){dt / 2.0, dt / 2.0, dt});
  case NBODY_KICK_DRIFT: return drift_and_kick(nbody, MOVE_DRIFT, (times){dt, 0.0, dt});
  case NBODY_EXPLICIT: return drift_and_kick(nbody, MOVE_EXPLICIT, (times){0.0, 0.0, dt});
  case NBODY_YOSHIDA:
    for (int i = 0; i < 3; i++) {
      const double part = yoshida[i] * dt;
      TRM_TRY(drift_and_kick(nbody, MOVE_DRIFT, (times){part / 2.0, part / 2.0, part}));
    }
    return TRM_OK;
  case NBODY_HERMITE: return hermite_step(nbody);
  }
  return TRM_FAIL(INVALID, "the N-body solver has no integrator %d", (int)nbody->integrator);
}

static trm_status measure(nbody_solver *nbody, int slot)
{
  const nbody_params p = params_of(nbody, (times){0}, slot, 0);
  return LAUNCH(&nbody->moves, MOVE_MEASURE, &p, nbody->bodies, nbody->motion, nbody->pull,
                nbody->mass, nbody->leaves);
}

static trm_status deposit(nbody_solver *nbody, int slots)
{
  const nbody_params p = params_of(nbody, (times){0}, 0, slots);
  TRM_TRY(trm_reduction_run(nbody->fold, nbody->leaves, 0, (size_t)nbody->stride,
                            (size_t)slots * NBODY_MEASURES, nbody->sums, 0));
  return TRM_FRAMEWORK_LAUNCH(&nbody->moves, MOVE_DEPOSIT, 1, 1, &p, nbody->sums,
                              nbody->series_rows, nbody->place, nbody->origin);
}

static trm_status launch_steps(nbody_solver *nbody, int count)
{
  for (int slot = 0; slot < count; slot++) {
    TRM_TRY(move(nbody));
    TRM_TRY(measure(nbody, slot));
  }
  return deposit(nbody, count);
}

static trm_status begin_series(nbody_solver *nbody)
{
  const int32_t nothing = 0;
  return trm_buffer_fill(nbody->place, 0, sizeof nothing, &nothing, sizeof nothing);
}

trm_status nbody_start(nbody_solver *nbody)
{
  const size_t real_bytes = trm_type_size(trm_real_type(nbody->precision));
  TRM_TRY(begin_series(nbody));
  TRM_TRY(nbody->integrator == NBODY_HERMITE ? find_jerk(nbody, nbody->pull)
                                             : find_force(nbody, (times){0}));
  TRM_TRY(measure(nbody, 0));
  TRM_TRY(deposit(nbody, 1));
  return trm_buffer_copy(nbody->origin, 0, nbody->series_rows, 0, real_bytes);
}

/* `slots` steps, their sums and their series; the sequence is recorded when it is first needed. */
static trm_status replay(nbody_solver *nbody, size_t times_over)
{
  trm_device *device = nbody->base.device;
  if (!nbody->sequence) {
    TRM_TRY(trm_sequence_begin(device));
    const trm_status status = launch_steps(nbody, nbody->slots);
    if (status != TRM_OK) {
      trm_sequence_cancel(device);
      return status;
    }
    TRM_TRY(trm_sequence_end(device, &nbody->sequence));
  }
  return trm_sequence_replay(nbody->sequence, times_over);
}

trm_status nbody_advance(trm_solver *solver, uint64_t max_steps, double t_end, int sync_state,
                         uint64_t *done)
{
  nbody_solver *nbody = (nbody_solver *)solver;
  (void)sync_state; /* every state is the canonical one */
  const uint64_t most = max_steps < NBODY_BATCH_LIMIT ? max_steps : NBODY_BATCH_LIMIT;
  const uint64_t count = trm_framework_steps_until(solver->step, nbody->dt, t_end, most);
  TRM_TRY(trm_framework_check_end(t_end));
  if (count > 0) {
    const uint64_t slots = (uint64_t)nbody->slots, whole = count / slots;
    TRM_TRY(begin_series(nbody));
    if (whole > 0) TRM_TRY(replay(nbody, (size_t)whole));
    if (count % slots > 0) TRM_TRY(launch_steps(nbody, (int)(count % slots)));
  }
  solver->step += count;
  solver->time = trm_framework_time_of(solver->step, nbody->dt, t_end);
  *done = count;
  return TRM_OK;
}

/* The checkpoint keeps the values at the begin of a step: the potential and the jerk beside the
 * acceleration. */
trm_status nbody_restore(trm_solver *solver, uint64_t step, double time)
{
  solver->step = step;
  solver->time = time;
  return TRM_OK;
}
