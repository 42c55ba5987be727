/* crew.c - a crew as a device: opened by a list of names, described, and its table. */
#include "core/counters.h"
#include "core/crew/crew.h"
#include "core/crew/pack.h"
#include "core/domain/named.h"
#include "core/domain/parts.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

crew_span crew_own(const crew_device *crew, size_t total, size_t grain, size_t m)
{
  return domain_own(crew->weights, crew->count, total, grain, m);
}

/* ---- programs -------------------------------------------------------------- */

static void destroy_program(const crew_device *crew, crew_program *program)
{
  (void)crew_settle_all(crew);
  for (crew_kernel *kernel = program->kernels, *next; kernel; kernel = next) {
    next = kernel->next;
    free(kernel);
  }
  for (size_t m = 0; program->parts && m < crew->count; m++)
    trm_program_destroy(&program->parts[m]);
  free(program->parts);
  free(program);
}

static void program_destroy(void *device, void *program) { destroy_program(device, program); }

/* The other ranks build while this one does. */
static trm_status build_parts(const crew_device *crew, const crew_program *made,
                              const trm_program_source *source,
                              const trm_program_options *options)
{
  trm_status status = TRM_OK;
  for (int here = 0; here <= 1; here++)
    for (size_t m = 0; m < crew->count && status == TRM_OK; m++)
      if ((crew->members[m].rank == 0) == here)
        status = trm_program_create(crew->members[m].device, source, options, &made->parts[m]);
  for (size_t m = 0; m < crew->count; m++)
    if (crew->members[m].rank && made->parts[m]) {
      const trm_error kept = *trm_error_last();
      const trm_status built = remote_built(made->parts[m]);
      if (status == TRM_OK) status = built;
      else (void)trm_error_record(status, kept.file, kept.line, "%s", kept.text);
    }
  return status;
}

trm_status trmi_crew_build(trm_program *program, const trm_program_source *source,
                           const trm_program_options *options)
{
  const crew_device *crew = program->device->handle;
  TRM_TRY(crew_settle_all(crew));
  crew_program *made = calloc(1, sizeof *made);
  if (made) made->parts = calloc(crew->count, sizeof(trm_program *));
  trm_status status = made && made->parts ? TRM_OK
                      : TRM_FAIL(NO_HOST_MEMORY, "program \"%s\": out of host memory",
                                 source->name);
  if (status == TRM_OK) status = build_parts(crew, made, source, options);
  program->info.from_cache = 1;
  for (size_t m = 0; m < crew->count && status == TRM_OK; m++) {
    const trm_program_info *info = trm_program_describe(made->parts[m]);
    program->info.build_seconds += info->build_seconds;
    program->info.from_cache &= info->from_cache;
  }
  if (status == TRM_OK) program->handle = made;
  else if (made) destroy_program(crew, made);
  return status;
}

static trm_status kernel_get(void *device, void *program, const trm_host_kernel *declaration,
                             void **out)
{
  const crew_device *crew = device;
  crew_program *built = program;
  TRM_TRY(crew_settle_all(crew));
  crew_kernel *kernel = calloc(1, sizeof *kernel + crew->count * sizeof(trm_kernel *));
  if (!kernel) return TRM_FAIL(NO_HOST_MEMORY, "no memory for kernel %s", declaration->name);
  kernel->next = built->kernels;
  built->kernels = kernel;
  for (size_t m = 0; m < crew->count; m++)
    TRM_TRY(trm_program_kernel(built->parts[m], declaration->name, &kernel->parts[m]));
  *out = kernel;
  return TRM_OK;
}

/* Core builds a crew's programs by trmi_crew_build. */
static trm_status program_build(void *device, const trm_build *build, char **log, void **program)
{
  (void)device, (void)log, (void)program;
  return TRM_FAIL(INVALID, "program \"%s\": built for a crew without its source", build->name);
}

/* ---- waiting and clocks ---------------------------------------------------- */

static trm_status finish(void *device)
{
  const crew_device *crew = device;
  TRM_TRY(crew_settle_all(crew));
  for (size_t m = 0; m < crew->count; m++) TRM_TRY(trm_device_finish(crew->members[m].device));
  return TRM_OK;
}

int crew_is_same(const crew_member *a, const crew_member *b)
{
  const trm_device_info *one = &a->device->info, *other = &b->device->info;
  return strcmp(one->backend, other->backend) == 0 && one->index == other->index &&
         strcmp(ranks_node(a->rank), ranks_node(b->rank)) == 0;
}

/* A member that is named twice has its memory once, and so has one that ranks share. */
static trm_status free_memory(void *device, uint64_t *bytes)
{
  const crew_device *crew = device;
  uint64_t least = 0;
  TRM_TRY(crew_settle_all(crew));
  for (size_t m = 0; m < crew->count; m++) {
    uint64_t there, sharing = 0;
    TRM_TRY(trm_device_free_memory(crew->members[m].device, &there));
    for (size_t i = 0; i < crew->count; i++)
      if (crew_is_same(&crew->members[i], &crew->members[m])) sharing++;
    if (there && (!least || there / sharing < least)) least = there / sharing;
  }
  *bytes = least;
  return TRM_OK;
}

/* An event is a time of the host at which all members had finished. */
static trm_status event_create(void *device, void **event)
{
  (void)device;
  *event = calloc(1, sizeof(struct timespec));
  return *event ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for an event");
}

static void event_destroy(void *device, void *event)
{
  (void)device;
  free(event);
}

static trm_status event_record(void *device, void *event)
{
  TRM_TRY(finish(device));
  clock_gettime(CLOCK_MONOTONIC, event);
  return TRM_OK;
}

static trm_status event_elapsed(void *device, void *begin, void *end, double *seconds)
{
  const struct timespec *from = begin, *to = end;
  (void)device;
  *seconds = (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
  return TRM_OK;
}

/* ---- life ------------------------------------------------------------------ */

static void close_crew(void *device)
{
  crew_device *crew = device;
  drivers_destroy(&crew->drivers);
  for (size_t m = 0; crew->members && m < crew->count; m++) {
    if (!crew->members[m].rank) pack_free(crew->members[m].device);
    trm_device_close(&crew->members[m].device);
  }
  free(crew->members);
  free(crew->weights);
  free(crew->moves);
  free(crew->news);
  free(crew->staging);
  free(crew->balance);
  free(crew->notes);
  free(crew);
}

static const trm_backend table = {
  .abi = TRM_BACKEND_ABI,
  .bytes = sizeof(trm_backend),
  .name = "devices",
  .summary = "several devices as one",
  .close = close_crew,
  .finish = finish,
  .free_memory = free_memory,
  .buffer_create = crew_buffer_create,
  .buffer_destroy = crew_buffer_destroy,
  .buffer_write = crew_buffer_write,
  .buffer_read = crew_buffer_read,
  .program_build = program_build,
  .program_destroy = program_destroy,
  .kernel_get = kernel_get,
  .enqueue = crew_enqueue,
  .event_create = event_create,
  .event_destroy = event_destroy,
  .event_record = event_record,
  .event_elapsed = event_elapsed,
};

void crew_name_member(const crew_member *member, char *out, size_t bytes)
{
  const trm_device_info *info = &member->device->info;
  snprintf(out, bytes, "%s:%zu", info->backend, info->index);
  if (ranks_place()->size > 1) trmi_append(out, bytes, "@%d", member->rank);
}

/* As many as there is room for, and how many more. */
static void name_members(const crew_device *crew, char *out, size_t bytes)
{
  char one[64], more[32];
  *out = 0;
  for (size_t m = 0; m < crew->count; m++) {
    const char *comma = m ? ", " : "";
    crew_name_member(&crew->members[m], one, sizeof one);
    snprintf(more, sizeof more, " and %zu more", crew->count - m);
    const size_t kept = m + 1 < crew->count ? strlen(more) : 0;
    if (strlen(out) + strlen(comma) + strlen(one) + kept >= bytes) {
      trmi_append(out, bytes, "%s", more);
      return;
    }
    trmi_append(out, bytes, "%s%s", comma, one);
  }
}

/* What is the same for all is theirs; of the rest, what serves the one that needs most. */
static void describe(const crew_device *crew, trm_device_info *out)
{
  *out = crew->members[0].device->info;
  snprintf(out->backend, sizeof out->backend, "%s", table.name);
  out->index = crew->count;
  name_members(crew, out->name, sizeof out->name);
  out->pci[0] = 0;
  out->memory_bytes = 0;
  snprintf(out->fused, sizeof out->fused, "one: several devices share each launch");
  out->compute_units = 0;
  for (size_t m = 0; m < crew->count; m++) {
    const trm_device_info *one = &crew->members[m].device->info;
    if (one->max_buffer_bytes &&
        (!out->max_buffer_bytes || one->max_buffer_bytes < out->max_buffer_bytes))
      out->max_buffer_bytes = one->max_buffer_bytes;
    out->has_f64 &= one->has_f64;
    out->compute_units += one->compute_units;
    if (one->row_align_bytes > out->row_align_bytes) out->row_align_bytes = one->row_align_bytes;
    if (one->ghost_columns > out->ghost_columns) out->ghost_columns = one->ghost_columns;
    if (strcmp(one->driver, out->driver) != 0) snprintf(out->driver, sizeof out->driver, "several");
    if (strcmp(one->compiler, out->compiler) != 0)
      snprintf(out->compiler, sizeof out->compiler, "several");
  }
}

/* "openmp:0@3": cuts the rank off the name. */
static trm_status read_rank(char *name, int *rank)
{
  char *at = strchr(name, '@'), *end = name;
  *rank = 0;
  if (!at) return TRM_OK;
  const long number = at[1] ? strtol(at + 1, &end, 10) : -1;
  if (number < 0 || *end || number >= ranks_place()->size)
    return TRM_FAIL(INPUT, "device \"%s\": behind @ stands whose it is, a rank from 0 to %d", name,
                    ranks_place()->size - 1);
  *rank = (int)number;
  *at = 0;
  return TRM_OK;
}

static trm_status open_member(trm_device *device, char *name, int host_threads, crew_member *out)
{
  trm_device_options options = device->options;
  char local[512];
  TRM_TRY(read_rank(name, &out->rank));
  if (options.threads == 0 && strncmp(name, "openmp", 6) == 0) options.threads = host_threads;
  if (out->rank) {
    TRM_TRY(remote_open(device->context, name, out->rank, &options, &out->device));
  } else {
    TRM_TRY(ranks_local(device->context, name, &options, local, sizeof local));
    TRM_TRY(trmi_device_open_one(device->context, local, &options, &out->device));
    if (ranks_place()->size > 1) out->device->plugin = ranks_file_of(out->device->table);
  }
  out->device->is_member = 1;
  return TRM_OK;
}

static const crew_member *first_of_backend(const crew_device *crew, const char *backend)
{
  size_t m = 0;
  while (strcmp(crew->members[m].device->info.backend, backend) != 0) m++;
  return &crew->members[m];
}

/* Two builds of a backend need not agree about bits, nor about the kernels that they take. */
static trm_status compare_plugins(const crew_device *crew)
{
  for (size_t m = 1; m < crew->count; m++) {
    const crew_member *own = &crew->members[m];
    const crew_member *first = first_of_backend(crew, own->device->info.backend);
    if (own->device->plugin != first->device->plugin)
      return TRM_FAIL(INVALID, "rank %d on %s has another build of the backend \"%s\" than rank %d "
                      "on %s; install the same one on all machines, and set TRIREME_BACKEND_PATH "
                      "alike",
                      own->rank, ranks_node(own->rank), own->device->info.backend, first->rank,
                      ranks_node(first->rank));
  }
  return TRM_OK;
}

/* Calls of MPI come from one thread: where there are other ranks this one drives its devices. */
static trm_status start_drivers(crew_device *crew)
{
  trm_device **devices = calloc(crew->count, sizeof *devices);
  if (!devices) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu devices", crew->count);
  for (size_t m = 0; m < crew->count; m++) devices[m] = crew->members[m].device;
  const trm_status status = drivers_create(devices, crew->count, &crew->drivers);
  free(devices);
  return status;
}

static void log_whole(const trm_device *device)
{
  const crew_device *crew = device->handle;
  char name[64];
  for (size_t m = 0; m < crew->count; m++) {
    const char *why = trm_device_whole(device, m);
    if (!why) continue;
    crew_name_member(&crew->members[m], name, sizeof name);
    trmi_log(TRM_LOG_INFO, "%s has memory for whole buffers, not for its own rows alone: %s", name,
             why);
  }
}

static trm_status open_members(trm_device *device, const char *names)
{
  crew_device *crew = device->handle;
  const int host_threads = domain_named_threads(names);
  int is_measured = 0;
  for (const char *at = names; at; at = *at ? at + 1 : NULL) {
    const size_t length = strcspn(at, ",");
    crew_member member = { .device = NULL };
    char name[256];
    int is_auto = 0;
    TRM_TRY(domain_named_read(at, length, name, sizeof name, &crew->weights[crew->count],
                        &is_auto));
    is_measured |= is_auto;
    TRM_TRY(open_member(device, name, host_threads, &member));
    crew->members[crew->count++] = member;
    at += length;
  }
  TRM_TRY(compare_plugins(crew));
  describe(crew, &device->info);
  trmi_log_to(device->context);
  log_whole(device);
  if (ranks_place()->size == 1) TRM_TRY(start_drivers(crew));
  return is_measured ? crew_balance_begin(crew) : TRM_OK;
}

trm_status trmi_crew_open(trm_device *device, const char *names)
{
  int is_checked;
  size_t most = 1;
  TRM_TRY(domain_check_read(&is_checked));
  crew_device *made = calloc(1, sizeof *made);
  for (const char *c = names; *c; c++) most += *c == ',';
  if (made) made->members = calloc(most, sizeof *made->members);
  if (made) made->weights = calloc(most, sizeof *made->weights);
  if (!made || !made->members || !made->weights) {
    if (made) free(made->members);
    free(made);
    return TRM_FAIL(NO_HOST_MEMORY, "devices \"%s\": out of host memory", names);
  }
  device->table = &table;
  device->handle = made;
  device->is_crew = 1;
  made->is_checked = is_checked;
  const char *debug = getenv("TRIREME_DEBUG_BUFFERS");
  made->is_strict = debug && strcmp(debug, "rows") == 0;
  device->is_strict[TRM_F32] = device->is_strict[TRM_F64] = 1; /* each member is asked */
  return open_members(device, names);
}
