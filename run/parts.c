/* parts.c - see parts.h. The calls of a solver's table on all parts: part 0 makes them through a
 * table of its own, the others by the record that they hear. */
#include "run/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/domain/device.h"
#include "core/domain/named.h"
#include "core/domain/ranks.h"
#include "core/domain/threads.h"
#include "core/point.h"
#include "run/parts_case.h"
#include "run/parts_inputs.h"
#include "solvers/framework/framework.h"

enum { NAME = 256 };

typedef enum call {
  CALL_CREATE = DOMAIN_KINDS, CALL_ADVANCE, CALL_OBSERVE, CALL_FINISH, CALL_RESTORE, CALL_DESTROY,
  CALL_END
} call;

/* A decision of part 0 about a call. */
typedef struct decision {
  uint64_t steps;               /* advance: at most; restore: done; finish: values of series */
  double time;                  /* advance: the end; restore: the present */
  int64_t sync_state;
} decision;
_Static_assert(sizeof(decision) <= DOMAIN_RECORD, "a record has room for a decision");

struct run_parts {
  trm_context *context;
  int are_ranks;                /* else threads of this process */
  const run_case *chosen;
  const trm_solver_type *type;  /* the solver's own */
  trm_solver_type table;        /* the same on all parts */
  domain_comm comm;             /* of part 0 */
  char *origin;                 /* of the devices' names, for messages */
  size_t count;
  int threads;                  /* of each host, 0: as many as one has */
  double *weights;
  int is_measured;              /* the weights are those to begin with */
  char (*names)[NAME];
};

/* ---- one call, on any part ---------------------------------------------------------- */

static trm_status finish(const trm_solver_type *type, trm_solver *solver, size_t count,
                         const double *last)
{
  double *values = calloc(count + 1, sizeof *values);
  if (!values)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the last values of %zu series", count);
  if (last) memcpy(values, last, count * sizeof *values);
  trm_status status = count ? domain_device_broadcast(solver->device, values,
                                                      count * sizeof *values) : TRM_OK;
  if (status == TRM_OK) status = type->finish(solver, values);
  free(values);
  return status;
}

/* *solver: made by CALL_CREATE, gone after CALL_DESTROY. done, last: on part 0. */
static trm_status carry_out(const run_parts *parts, trm_device *device, call what,
                            const decision *d, const double *last, uint64_t *done,
                            trm_solver **solver)
{
  const trm_solver_type *type = parts->type;
  switch (what) {
  case CALL_CREATE:
    return type->create(device, parts->chosen->config, &parts->chosen->settings.solver, solver);
  case CALL_ADVANCE:
    return type->advance(*solver, d->steps, d->time, d->sync_state != 0, done);
  case CALL_OBSERVE: return type->observe(*solver);
  case CALL_FINISH: return finish(type, *solver, (size_t)d->steps, last);
  case CALL_RESTORE: return type->restore(*solver, d->steps, d->time);
  case CALL_DESTROY:
    if (*solver) type->destroy(solver);
    return TRM_OK;
  case CALL_END: break;
  }
  return TRM_OK;
}

/* ---- the other parts ---------------------------------------------------------------- */

/* Where there are ranks, "@0" is a device of the calling process. */
static trm_status open_own(const run_parts *parts, size_t part, trm_device **out)
{
  run_case own = *parts->chosen;
  char name[NAME + 2];
  snprintf(name, sizeof name, "%s%s", parts->names[part], parts->are_ranks ? "@0" : "");
  if (own.settings.device.threads == 0 && strncmp(name, "openmp", 6) == 0)
    own.settings.device.threads = parts->threads;
  return case_open_on(&own, parts->context, name, parts->origin, out);
}

/* ready: whether the part knows the case. inputs: the folder of files that came from rank 0. */
static trm_status open_part(const run_parts *parts, const domain_comm *comm, trm_status ready,
                            trm_device **device, char **inputs)
{
  domain_comm plain = *comm;
  if (!parts->are_ranks) plain.called = ""; /* the device that was named says more than the part */
  if (ready == TRM_OK) ready = open_own(parts, (size_t)comm->place.rank, device);
  *inputs = NULL;
  TRM_TRY(domain_agree(&plain, ready));
  if (parts->are_ranks) TRM_TRY(parts_inputs_share(comm, parts->chosen->config, inputs));
  TRM_TRY(domain_device_join(*device, comm, parts->weights));
  return parts->is_measured ? domain_device_measure(*device) : TRM_OK;
}

/* Until part 0 ends the run, or the link to it has failed. */
static trm_status serve(const run_parts *parts, trm_device *device)
{
  trm_solver *solver = NULL;
  domain_record record;
  decision d;
  trm_status heard;
  while ((heard = domain_device_hear(device, &record)) == TRM_OK && record.kind != CALL_END) {
    uint64_t done = 0;
    memcpy(&d, record.bytes, sizeof d);
    /* part 0 knows what all agreed on */
    (void)domain_device_agree(device, carry_out(parts, device, (call)record.kind, &d, NULL, &done,
                                                &solver));
  }
  if (solver) parts->type->destroy(&solver);
  return heard;
}

static trm_status run_ready(const run_parts *parts, const domain_comm *comm, trm_status ready)
{
  trm_device *device = NULL;
  char *inputs;
  const locale_t before = trm_numbers_begin();
  trm_status status = open_part(parts, comm, ready, &device, &inputs);
  if (status == TRM_OK) status = serve(parts, device);
  trm_device_close(&device);
  parts_inputs_remove(&inputs);
  trm_numbers_end(before);
  return status;
}

static trm_status run_part(void *user, const domain_comm *comm)
{
  return run_ready(user, comm, TRM_OK);
}

/* ---- part 0 -------------------------------------------------------------------------- */

static trm_status on_all(const run_parts *parts, trm_device *device, call what, const decision *d,
                         const double *last, uint64_t *done, trm_solver **solver)
{
  domain_record record = { .kind = (uint32_t)what };
  memcpy(record.bytes, d, sizeof *d);
  TRM_TRY(domain_device_tell(device, &record));
  const trm_status status = domain_device_agree(device, carry_out(parts, device, what, d, last,
                                                                  done, solver));
  domain_device_alone(device);
  return status;
}

static const run_parts *parts_of(const trm_solver *solver)
{
  return domain_device_kept(solver->device);
}

static trm_status create_all(trm_device *device, const trm_config *config,
                             const trm_solver_options *options, trm_solver **out)
{
  const run_parts *parts = domain_device_kept(device);
  const decision none = { .steps = 0 };
  trm_solver *solver = NULL;
  (void)config, (void)options;  /* those of the case, on each part */
  const trm_status status = on_all(parts, device, CALL_CREATE, &none, NULL, NULL, &solver);
  if (status == TRM_OK) {
    solver->type = &parts->table;
    *out = solver;
  } else { /* of those parts that made one */
    const trm_error cause = *trm_error_last();
    (void)on_all(parts, device, CALL_DESTROY, &none, NULL, NULL, &solver);
    (void)trm_error_record(status, cause.file, cause.line, "%s", cause.text);
  }
  return status;
}

static trm_status advance_all(trm_solver *solver, uint64_t max_steps, double t_end, int sync_state,
                              uint64_t *done)
{
  const decision d = { max_steps, t_end, sync_state };
  return on_all(parts_of(solver), solver->device, CALL_ADVANCE, &d, NULL, done, &solver);
}

static trm_status observe_all(trm_solver *solver)
{
  const decision none = { .steps = 0 };
  return on_all(parts_of(solver), solver->device, CALL_OBSERVE, &none, NULL, NULL, &solver);
}

static trm_status finish_all(trm_solver *solver, const double *series_last)
{
  const decision d = { .steps = solver->series_count };
  return on_all(parts_of(solver), solver->device, CALL_FINISH, &d, series_last, NULL, &solver);
}

static trm_status restore_all(trm_solver *solver, uint64_t step, double time)
{
  const decision d = { .steps = step, .time = time };
  return on_all(parts_of(solver), solver->device, CALL_RESTORE, &d, NULL, NULL, &solver);
}

static void destroy_all(trm_solver **solver)
{
  const decision none = { .steps = 0 };
  const run_parts *parts = parts_of(*solver);
  trm_device *device = (*solver)->device;
  const trm_error kept = *trm_error_last();
  (void)on_all(parts, device, CALL_DESTROY, &none, NULL, NULL, solver);
  if (*solver) parts->type->destroy(solver); /* the link had failed */
  if (kept.status != TRM_OK)
    (void)trm_error_record(kept.status, kept.file, kept.line, "%s", kept.text);
}

/* ---- life ----------------------------------------------------------------------------- */

/* The names and shares of the devices of all parts, the caller's to free; NULL: they are other
 * devices, or there is no memory. */
static char *find_names(const run_case *chosen)
{
  char *names = strdup(chosen->settings.backend), *of_ranks = NULL;
  if (names) domain_named_tidy(names);
  if (!names || domain_ranks() == 1) return names;
  if (domain_ranks_names(names, &of_ranks) != TRM_OK) of_ranks = NULL;
  free(names);
  return of_ranks;
}

/* Each of the names, with commas between, is of the backend or of the other one. */
static int are_of(const char *names, const char *backend, const char *other)
{
  for (const char *at = names; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
    const size_t length = strcspn(at, ":*@,");
    if ((length != strlen(backend) || memcmp(at, backend, length) != 0) &&
        (length != strlen(other) || memcmp(at, other, length) != 0)) return 0;
  }
  return 1;
}

/* Solvers of the framework on hosts and devices of OpenCL, and lbm on hosts. Others follow; GPUs of
 * CUDA have yet to run so, and lbm on a GPU takes several steps a launch. */
static int is_switched(const trm_solver_type *type, const char *names)
{
  return type->advance == trm_framework_advance ? are_of(names, "openmp", "opencl")
         : strcmp(type->name, "lbm") == 0 && are_of(names, "openmp", "openmp");
}

int parts_serve(const run_case *chosen)
{
  const char *checked = getenv("TRIREME_CHECK_ROWS");
  const char *named = chosen->settings.backend;
  if (checked && *checked && strcmp(checked, "0") != 0) return 0;
  if (strpbrk(named, "()")) return 0;
  if (domain_ranks() == 1 && (!strchr(named, ',') || strchr(named, '@'))) return 0;
  char *names = find_names(chosen);
  const int serve = names && is_switched(chosen->type, names);
  free(names);
  return serve;
}

static trm_status read_names(const char *names, run_parts *parts)
{
  size_t most = 1;
  trm_status status = TRM_OK;
  for (const char *c = names; *c; c++) most += *c == ',';
  parts->weights = calloc(most, sizeof *parts->weights);
  parts->names = calloc(most, sizeof *parts->names);
  parts->threads = domain_named_threads(names);
  if (!parts->weights || !parts->names)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the names of devices");
  for (const char *at = names; at && status == TRM_OK;) {
    const size_t length = strcspn(at, ",");
    int is_auto;
    status = domain_named_read(at, length, parts->names[parts->count], NAME,
                               &parts->weights[parts->count], &is_auto);
    if (status == TRM_OK) parts->is_measured |= is_auto;
    parts->count++;
    at = at[length] ? at + length + 1 : NULL;
  }
  return status;
}

static void clear_parts(run_parts *parts)
{
  free(parts->weights);
  free(parts->names);
  free(parts->origin);
}

static void free_parts(run_parts **parts)
{
  clear_parts(*parts);
  free(*parts);
  *parts = NULL;
}

static trm_status fill(run_parts *parts, const run_case *chosen, const char *names,
                       trm_context *context)
{
  parts->context = context;
  parts->are_ranks = domain_ranks() > 1;
  parts->chosen = chosen;
  parts->type = chosen->type;
  parts->table = *chosen->type;
  parts->table.create = create_all;
  parts->table.advance = advance_all;
  parts->table.observe = observe_all;
  parts->table.finish = chosen->type->finish ? finish_all : NULL;
  parts->table.restore = chosen->type->restore ? restore_all : NULL;
  parts->table.destroy = destroy_all;
  parts->origin = strdup(trm_config_origin(chosen->config, chosen->settings.backend_key));
  if (!parts->origin) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the names of devices");
  return read_names(names, parts);
}

/* A rank other than 0, which rank 0 told to (domain_ranks_begin). */
static void run_rank(trm_context *context, const void *bytes, size_t count,
                     const domain_comm *comm)
{
  run_case chosen;
  run_parts parts = { .are_ranks = 1 };
  const char *names = NULL;
  trm_status status = parts_unpack(bytes, count, &chosen, &names);
  if (status == TRM_OK) status = fill(&parts, &chosen, names, context);
  (void)run_ready(&parts, comm, status);
  clear_parts(&parts);
  case_clear(&chosen);
}

/* The other parts begin. */
static trm_status begin_others(run_parts *parts, const char *names)
{
  char *bytes = NULL;
  size_t count;
  if (!parts->are_ranks)
    return domain_threads_begin((int)parts->count, run_part, parts, &parts->comm);
  TRM_TRY(parts_pack(parts->chosen, names, &bytes, &count));
  const trm_status status = domain_ranks_begin(run_rank, bytes, count, &parts->comm);
  free(bytes);
  return status;
}

static void end_others(const run_parts *parts)
{
  if (!parts->are_ranks) (void)domain_threads_end(&parts->comm, TRM_OK);
}

trm_status parts_open(run_case *chosen, trm_context *context, run_parts **out, trm_device **device)
{
  run_parts *parts = calloc(1, sizeof *parts);
  trm_device *own = NULL;
  char *inputs; /* none: rank 0 has its own files */
  if (!parts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the parts of a run");
  char *names = find_names(chosen);
  trm_status status = names ? fill(parts, chosen, names, context)
                            : TRM_FAIL(NO_HOST_MEMORY, "no memory for the names of devices");
  if (status == TRM_OK) status = begin_others(parts, names);
  free(names);
  if (status != TRM_OK) {
    free_parts(&parts);
    return status;
  }
  status = open_part(parts, &parts->comm, TRM_OK, &own, &inputs);
  if (status != TRM_OK) {
    const trm_error cause = *trm_error_last();
    trm_device_close(&own);
    end_others(parts);
    free_parts(&parts);
    return trm_error_record(status, cause.file, cause.line, "%s", cause.text);
  }
  domain_device_keep(own, parts);
  domain_device_alone(own);
  chosen->type = &parts->table;
  *out = parts;
  *device = own;
  return TRM_OK;
}

trm_status parts_open_device(run_case *chosen, trm_context *context, run_parts **out,
                             trm_device **device)
{
  *out = NULL;
  return parts_serve(chosen) ? parts_open(chosen, context, out, device)
                             : case_open_device(chosen, context, device);
}

void parts_close(run_parts **parts, run_case *chosen, trm_device **device)
{
  if (!*parts) {
    trm_device_close(device);
    return;
  }
  const domain_record end = { .kind = CALL_END };
  const trm_error kept = *trm_error_last();
  (void)domain_device_tell(*device, &end);
  trm_device_close(device);
  end_others(*parts);
  chosen->type = (*parts)->type;
  free_parts(parts);
  if (kept.status != TRM_OK)
    (void)trm_error_record(kept.status, kept.file, kept.line, "%s", kept.text);
}
