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
#include "core/host_work.h"
#include "core/point.h"
#include "run/parts_case.h"
#include "run/parts_inputs.h"

enum { NAME = 256 };

typedef enum call {
  CALL_CREATE = DOMAIN_KINDS, CALL_ADVANCE, CALL_ACCOUNT, CALL_OBSERVE, CALL_FINISH, CALL_RESHAPE,
  CALL_RESTORE, CALL_BRING, CALL_PUT, CALL_DESTROY, CALL_END
} call;

/* A decision of part 0 about a call. */
typedef struct decision {
  uint64_t steps;               /* advance: at most; account: launched; restore: done; finish:
                                 * values of series; bring, put: the component */
  double time;                  /* advance: the end; restore: the present */
  int64_t sync_state;
  uint64_t field;               /* bring, put */
} decision;
_Static_assert(sizeof(decision) <= DOMAIN_RECORD, "a record has room for a decision");

struct run_parts {
  trm_context *context;
  int are_ranks;                /* else threads of this process */
  const run_case *chosen;
  const trm_solver_type *type;  /* the solver's own */
  trm_solver_type table;        /* the same on all parts */
  domain_comm comm;             /* of part 0 */
  trm_solver *solver;           /* of part 0, while that goes on alone */
  const trm_field *fields;      /* the solver's own */
  trm_field *shown;             /* those that part 0 sees instead */
  size_t shown_count;
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

/* A component of a field, to its buffer or from there. */
static trm_status move(const trm_solver *solver, call what, const decision *d)
{
  const trm_field *field = &solver->fields[d->field];
  return (what == CALL_BRING ? field->bring : field->put)(field, (size_t)d->steps);
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
  case CALL_ACCOUNT: return type->account(*solver, d->steps, done);
  case CALL_OBSERVE: return type->observe(*solver);
  case CALL_FINISH: return finish(type, *solver, (size_t)d->steps, last);
  case CALL_RESHAPE: return type->reshape(*solver);
  case CALL_RESTORE: return type->restore(*solver, d->steps, d->time);
  case CALL_BRING: case CALL_PUT: return move(*solver, what, d);
  case CALL_DESTROY:
    if (*solver) type->destroy(solver);
    return TRM_OK;
  case CALL_END: break;
  }
  return TRM_OK;
}

/* ---- the other parts ---------------------------------------------------------------- */

static trm_status open_own(const run_parts *parts, size_t part, trm_device **out)
{
  run_case own = *parts->chosen;
  const char *name = parts->names[part];
  if (own.settings.device.threads == 0 && strncmp(name, "openmp", 6) == 0)
    own.settings.device.threads = parts->threads;
  return case_open_part(&own, parts->context, name, parts->origin, out);
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

/* A field that is shown a component at a time takes launches, which all parts make. */
static trm_status move_all(const trm_field *field, size_t component, call what);
static trm_status bring_all(const trm_field *field, size_t component)
{
  return move_all(field, component, CALL_BRING);
}
static trm_status put_all(const trm_field *field, size_t component)
{
  return move_all(field, component, CALL_PUT);
}

/* Before part 0 goes on alone: it sees fields that call all parts. */
static trm_status show_fields(run_parts *parts, trm_solver *solver)
{
  size_t moved = 0;
  parts->solver = solver;
  parts->fields = solver ? solver->fields : NULL;
  for (size_t i = 0; solver && i < solver->field_count; i++)
    moved += solver->fields[i].bring || solver->fields[i].put;
  if (moved == 0) return TRM_OK;
  if (solver->field_count > parts->shown_count) {
    trm_field *grown = realloc(parts->shown, solver->field_count * sizeof *grown);
    if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for fields");
    parts->shown = grown;
    parts->shown_count = solver->field_count;
  }
  memcpy(parts->shown, solver->fields, solver->field_count * sizeof *parts->shown);
  for (trm_field *one = parts->shown; one < parts->shown + solver->field_count; one++) {
    if (one->bring) one->bring = bring_all;
    if (one->put) one->put = put_all;
  }
  solver->fields = parts->shown;
  return TRM_OK;
}

/* Before all parts call. */
static void hide_fields(run_parts *parts)
{
  if (parts->solver) parts->solver->fields = parts->fields;
  parts->solver = NULL;
}

static trm_status on_all(run_parts *parts, trm_device *device, call what, const decision *d,
                         const double *last, uint64_t *done, trm_solver **solver)
{
  domain_record record = { .kind = (uint32_t)what };
  memcpy(record.bytes, d, sizeof *d);
  TRM_TRY(domain_device_tell(device, &record));
  hide_fields(parts);
  const trm_status status = domain_device_agree(device, carry_out(parts, device, what, d, last,
                                                                  done, solver));
  domain_device_alone(device);
  const trm_status shown = show_fields(parts, *solver);
  return status == TRM_OK ? shown : status;
}

static run_parts *parts_of(const trm_solver *solver)
{
  return domain_device_kept(solver->device);
}

static trm_status move_all(const trm_field *field, size_t component, call what)
{
  run_parts *parts = domain_device_kept(trm_buffer_device(field->buffer));
  trm_solver *solver = parts->solver;
  const decision d = { .steps = component, .field = (uint64_t)(field - parts->shown) };
  return on_all(parts, solver->device, what, &d, NULL, NULL, &solver);
}

static trm_status create_all(trm_device *device, const trm_config *config,
                             const trm_solver_options *options, trm_solver **out)
{
  run_parts *parts = domain_device_kept(device);
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
  const decision d = { .steps = max_steps, .time = t_end, .sync_state = sync_state };
  return on_all(parts_of(solver), solver->device, CALL_ADVANCE, &d, NULL, done, &solver);
}

static trm_status account_all(trm_solver *solver, uint64_t launched, uint64_t *made)
{
  const decision d = { .steps = launched };
  return on_all(parts_of(solver), solver->device, CALL_ACCOUNT, &d, NULL, made, &solver);
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

static trm_status reshape_all(trm_solver *solver)
{
  const decision none = { .steps = 0 };
  return on_all(parts_of(solver), solver->device, CALL_RESHAPE, &none, NULL, NULL, &solver);
}

static trm_status restore_all(trm_solver *solver, uint64_t step, double time)
{
  const decision d = { .steps = step, .time = time };
  return on_all(parts_of(solver), solver->device, CALL_RESTORE, &d, NULL, NULL, &solver);
}

static void destroy_all(trm_solver **solver)
{
  const decision none = { .steps = 0 };
  run_parts *parts = parts_of(*solver);
  trm_device *device = (*solver)->device;
  const trm_error kept = *trm_error_last();
  (void)on_all(parts, device, CALL_DESTROY, &none, NULL, NULL, solver);
  if (*solver) parts->type->destroy(solver); /* the link had failed */
  if (kept.status != TRM_OK)
    (void)trm_error_record(kept.status, kept.file, kept.line, "%s", kept.text);
}

/* ---- life ----------------------------------------------------------------------------- */

int parts_are_named(const char *devices) { return domain_ranks() > 1 || strchr(devices, ','); }

/* The names and shares of the devices of all parts; the caller's to free. */
static trm_status find_names(const char *devices, char **out)
{
  char *names = strdup(devices);
  if (!names) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the names of devices");
  domain_named_tidy(names);
  const trm_status status = domain_ranks_names(names, out);
  free(names);
  return status;
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
  free(parts->shown);
  free(parts->names);
  free(parts->origin);
}

static void free_parts(run_parts **parts)
{
  clear_parts(*parts);
  free(*parts);
  *parts = NULL;
}

/* origin NULL: the case named the devices. */
static trm_status fill(run_parts *parts, const run_case *chosen, const char *names,
                       const char *origin, trm_context *context)
{
  parts->context = context;
  parts->are_ranks = domain_ranks() > 1;
  parts->chosen = chosen;
  parts->type = chosen->type;
  parts->table = *chosen->type;
  parts->table.create = create_all;
  parts->table.advance = advance_all;
  parts->table.account = chosen->type->account ? account_all : NULL;
  parts->table.observe = observe_all;
  parts->table.finish = chosen->type->finish ? finish_all : NULL;
  parts->table.reshape = chosen->type->reshape ? reshape_all : NULL;
  parts->table.restore = chosen->type->restore ? restore_all : NULL;
  parts->table.destroy = destroy_all;
  parts->origin = strdup(origin ? origin : trm_config_origin(chosen->config,
                                                             chosen->settings.backend_key));
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
  if (status == TRM_OK) status = fill(&parts, &chosen, names, NULL, context);
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

trm_status parts_open_on(run_case *chosen, trm_context *context, const char *devices,
                         const char *origin, run_parts **out, trm_device **device)
{
  run_parts *parts = calloc(1, sizeof *parts);
  trm_device *own = NULL;
  char *inputs, *names = NULL; /* inputs: none, rank 0 has its own files */
  if (!parts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the parts of a run");
  trm_status status = find_names(devices ? devices : chosen->settings.backend, &names);
  if (status == TRM_OK) status = fill(parts, chosen, names, origin, context);
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
  return parts_are_named(chosen->settings.backend)
         ? parts_open_on(chosen, context, NULL, NULL, out, device)
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
