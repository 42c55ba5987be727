/* steps.c - how the N-body solver gets through a batch of steps.
 *
 * A step moves the bodies with the acceleration that it finds, then finds that of the new
 * positions; so the state after it has its own acceleration, potential and measures. The
 * measures of `slots` steps wait to be folded together; nothing is read and nothing waits. */
#include "solvers/nbody/nbody.h"

#include <string.h>

/* Weights of Yoshida's three leapfrog steps: w1, w0, w1; w1 = 1 / (2 - 2^(1/3)). */
static const double yoshida[3] = {1.3512071919596578, -1.7024143839193153, 1.3512071919596578};

/* How long a launch acts: its kicks with the stored and with the new acceleration, its drift. */
typedef struct times { double kick, kick_again, drift; } times;

typedef union nbody_packed { nbody_params_f32 f32; nbody_params_f64 f64; } nbody_packed;

#define PACK(to, type) \
  do { \
    (to).eps2 = (type)(nbody->softening * nbody->softening); \
    (to).kick = (type)t->kick; \
    (to).kick_again = (type)t->kick_again; \
    (to).dt = (type)t->drift; \
    (to).half_dt2 = (type)(t->drift * t->drift / 2.0); \
    (to).total_mass = (type)nbody->total_mass; \
    (to).bodies = nbody->count; \
    (to).sources = nbody->sources; \
    (to).stride = nbody->stride; \
    (to).length = nbody->length; \
    (to).segments = nbody->segments; \
    (to).segments_each = nbody->segments_each; \
    (to).rows = nbody->rows; \
    (to).slot = slot; \
    (to).slots = slots; \
    (to).limit = NBODY_BATCH_LIMIT; \
  } while (0)

static void pack(const nbody_solver *nbody, const times *t, int slot, int slots,
                 nbody_packed *out, size_t *bytes)
{
  memset(out, 0, sizeof *out);
  if (nbody->precision == TRM_F64) {
    PACK(out->f64, double);
    *bytes = sizeof out->f64;
  } else {
    PACK(out->f32, float);
    *bytes = sizeof out->f32;
  }
}

static trm_status launch(nbody_solver *nbody, trm_kernel *kernel, int nx, int ny, times t, int slot,
                         int slots, trm_buffer *const *buffers, size_t count)
{
  nbody_packed params;
  size_t bytes;
  pack(nbody, &t, slot, slots, &params, &bytes);
  const trm_extent extent = {nx, ny, 1, 0};
  return trm_kernel_launch(kernel, &extent, &params, bytes, buffers, count);
}

/* Groups of a program whose items have so many targets each. */
static int groups_of(const nbody_solver *nbody, const trm_program *program, int targets)
{
  const int block = trm_program_describe(program)->group * targets;
  return (nbody->count + block - 1) / block;
}

/* Of the step's own kernels: an item a body. */
static int groups(const nbody_solver *nbody)
{
  return groups_of(nbody, nbody->program, 1);
}

/* Acceleration, potential and jerk at the bodies' places into `to`. */
static trm_status find_jerk(nbody_solver *nbody, trm_buffer *to)
{
  trm_buffer *const of[] = {nbody->bodies, nbody->motion, nbody->part};
  trm_buffer *const sums[] = {nbody->part, to};
  const int each = groups_of(nbody, nbody->hermite, 1);
  TRM_TRY(launch(nbody, nbody->jerk, each, nbody->rows, (times){0}, 0, 0, of, 3));
  return launch(nbody, nbody->jerk_fold, each, 1, (times){0}, 0, 0, sums, 2);
}

static trm_status hermite_step(nbody_solver *nbody)
{
  const double dt = nbody->dt;
  const int each = groups_of(nbody, nbody->hermite, 1);
  trm_buffer *const before[] = {nbody->bodies, nbody->motion, nbody->pull, nbody->old};
  trm_buffer *const after[] = {nbody->bodies, nbody->motion, nbody->pull, nbody->found, nbody->old};
  TRM_TRY(launch(nbody, nbody->predict, each, 1, (times){dt / 2.0, dt / 3.0, dt}, 0, 0,
                 before, 4));
  TRM_TRY(find_jerk(nbody, nbody->found));
  TRM_TRY(launch(nbody, nbody->correct, each, 1, (times){dt / 2.0, dt * dt / 12.0, dt},
                 0, 0, after, 5));
  return find_jerk(nbody, nbody->pull);
}

static trm_status find_force(nbody_solver *nbody, times t)
{
  trm_buffer *const of[] = {nbody->bodies, nbody->part};
  trm_buffer *const to[] = {nbody->motion, nbody->pull, nbody->part};
  if (nbody->with_tree) TRM_TRY(nbody_tree_force(nbody));
  else
    TRM_TRY(launch(nbody, nbody->force, groups_of(nbody, nbody->pairs, nbody->targets),
                   nbody->rows, t, 0, 0, of, 2));
  return launch(nbody, nbody->kick, groups(nbody), 1, t, 0, 0, to, 3);
}

static trm_status drift_and_kick(nbody_solver *nbody, trm_kernel *kernel, times t)
{
  trm_buffer *const buffers[] = {nbody->bodies, nbody->motion, nbody->pull};
  TRM_TRY(launch(nbody, kernel, groups(nbody), 1, t, 0, 0, buffers, 3));
  return find_force(nbody, t);
}

static trm_status move(nbody_solver *nbody)
{
  const double dt = nbody->dt;
  switch (nbody->integrator) {
  case NBODY_LEAPFROG:
    return drift_and_kick(nbody, nbody->drift, (times){dt / 2.0, dt / 2.0, dt});
  case NBODY_KICK_DRIFT: return drift_and_kick(nbody, nbody->drift, (times){dt, 0.0, dt});
  case NBODY_EXPLICIT: return drift_and_kick(nbody, nbody->explicit_step, (times){0.0, 0.0, dt});
  case NBODY_YOSHIDA:
    for (int i = 0; i < 3; i++) {
      const double part = yoshida[i] * dt;
      TRM_TRY(drift_and_kick(nbody, nbody->drift, (times){part / 2.0, part / 2.0, part}));
    }
    return TRM_OK;
  case NBODY_HERMITE: return hermite_step(nbody);
  }
  return TRM_FAIL(INVALID, "the N-body solver has no integrator %d", (int)nbody->integrator);
}

static trm_status measure(nbody_solver *nbody, int slot)
{
  trm_buffer *const buffers[] = {nbody->bodies, nbody->motion, nbody->pull, nbody->mass,
                                 nbody->leaves};
  return launch(nbody, nbody->measure, groups(nbody), 1, (times){0}, slot, 0, buffers, 5);
}

static trm_status deposit(nbody_solver *nbody, int slots)
{
  trm_buffer *const buffers[] = {nbody->sums, nbody->series_rows, nbody->place, nbody->origin};
  TRM_TRY(trm_reduction_run(nbody->fold, nbody->leaves, 0, (size_t)nbody->stride,
                            (size_t)slots * NBODY_MEASURES, nbody->sums, 0));
  return launch(nbody, nbody->deposit, 1, 1, (times){0}, 0, slots, buffers, 4);
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
  TRM_TRY(nbody->hermite ? find_jerk(nbody, nbody->pull) : find_force(nbody, (times){0}));
  TRM_TRY(measure(nbody, 0));
  TRM_TRY(deposit(nbody, 1));
  return trm_buffer_copy(nbody->origin, 0, nbody->series_rows, 0, real_bytes);
}

/* `slots` steps, their fold and their deposit; the sequence is recorded when first asked for. */
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

trm_status nbody_advance(trm_solver *solver, uint64_t max_steps, double t_end, int settle,
                         uint64_t *done)
{
  nbody_solver *nbody = (nbody_solver *)solver;
  (void)settle; /* every state is the canonical one */
  uint64_t count = max_steps < NBODY_BATCH_LIMIT ? max_steps : NBODY_BATCH_LIMIT;
  const double left = (t_end - solver->time) / nbody->dt;
  if (!(left > 0.0)) count = 0;
  else if (left < (double)count) count = (uint64_t)left + ((double)(uint64_t)left < left);
  if (count > 0) {
    const uint64_t slots = (uint64_t)nbody->slots, whole = count / slots;
    TRM_TRY(begin_series(nbody));
    if (whole > 0) TRM_TRY(replay(nbody, (size_t)whole));
    if (count % slots > 0) TRM_TRY(launch_steps(nbody, (int)(count % slots)));
  }
  solver->step += count;
  solver->time = (double)solver->step * nbody->dt;
  *done = count;
  return TRM_OK;
}
