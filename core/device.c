/* device.c - an opened device: found by name, with one queue in order.
 *
 * Every error in a name is reported here; no other device is ever opened in place of the named
 * one. */
#include "core/device_options.h"
#include "core/domain/named.h"
#include "core/domain/parts.h"
#include "core/domain/ranks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { MAX_BACKEND_NAME = 32 };

const char *trmi_device_label(const trm_device *device, char *text, size_t bytes)
{
  snprintf(text, bytes, "%s:%zu (%s)", device->info.backend, device->info.index, device->info.name);
  return text;
}

/* ---- finding -------------------------------------------------------------- */

static int contains(const char *text, const char *part)
{
  const size_t length = strlen(part);
  for (; *text; text++)
    if (strncasecmp(text, part, length) == 0) return 1;
  return 0;
}

/* "cuda:0 (NVIDIA H200), cuda:1 (...)" */
static void append_devices(const trm_backend *table, size_t count, char *text, size_t bytes)
{
  trm_device_info info;
  for (size_t i = 0; i < count; i++)
    if (trmi_registry_describe(table, i, &info) == TRM_OK)
      trmi_append(text, bytes, "%s%s:%zu (%s)", *text ? ", " : "", table->name, i, info.name);
}

static trm_status find_by_index(const trm_backend *table, size_t count, const char *name,
                                const char *digits, size_t *out)
{
  size_t index = 0;
  for (; *digits && index < count; digits++) index = index * 10 + (size_t)(*digits - '0');
  if (index >= count) {
    char list[600] = "";
    append_devices(table, count, list, sizeof list);
    return TRM_FAIL(NOT_FOUND, "no device \"%s\": there %s %s", name, count == 1 ? "is" : "are",
                    *list ? list : "none");
  }
  *out = index;
  return TRM_OK;
}

/* Several devices may match as long as they are of one kind: the first of them is meant. */
static trm_status find_by_part(const trm_backend *table, size_t count, const char *name,
                               const char *part, size_t *out)
{
  trm_device_info info;
  char chosen[sizeof info.name] = "", list[600] = "";
  size_t matches = 0, first = 0;
  for (size_t i = 0; i < count; i++) {
    TRM_TRY(trmi_registry_describe(table, i, &info));
    if (!contains(info.name, part)) continue;
    if (matches++ == 0) {
      first = i;
      memcpy(chosen, info.name, sizeof chosen);
    } else if (strcmp(chosen, info.name) != 0) {
      append_devices(table, count, list, sizeof list);
      return TRM_FAIL(INVALID, "\"%s\" fits different devices; name one by its number: %s", name,
                      list);
    }
  }
  if (matches == 0) {
    append_devices(table, count, list, sizeof list);
    return TRM_FAIL(NOT_FOUND,
                    "no device \"%s\": no name of a device of %s contains \"%s\"; there %s %s",
                    name,
                    table->name, part, count == 1 ? "is" : "are", *list ? list : "none");
  }
  *out = first;
  return TRM_OK;
}

static trm_status find(trm_context *context, const char *name, const trm_backend **table,
                       size_t *index)
{
  const char *colon = strchr(name, ':');
  const size_t length = colon ? (size_t)(colon - name) : strlen(name);
  char backend[MAX_BACKEND_NAME];
  if (length == 0 || length >= sizeof backend)
    return TRM_FAIL(INVALID, "device \"%s\": a device is BACKEND, BACKEND:NUMBER or BACKEND:PART "
                             "of its name, as in \"opencl:0\"", name);
  memcpy(backend, name, length);
  backend[length] = 0;
  size_t count;
  TRM_TRY(trmi_backend_find(context->registry, backend, table, &count));
  if (!colon) return find_by_index(*table, count, name, "0", index);
  const char *which = colon + 1;
  if (!*which)
    return TRM_FAIL(INVALID, "device \"%s\": after the colon comes a number or part of a device's "
                             "name", name);
  if (strspn(which, "0123456789") == strlen(which))
    return find_by_index(*table, count, name, which, index);
  return find_by_part(*table, count, name, which, index);
}

/* ---- opening -------------------------------------------------------------- */

/* Checks numbers on which layouts and builds rely: a wrong number is the plugin's fault, not the
 * user's. */
static trm_status check_info(const trm_device_info *info, const char *name)
{
  const int align = info->row_align_bytes;
  if (align < 8 || (align & (align - 1)) != 0)
    return TRM_FAIL(DEVICE,
                    "%s: its plugin says that rows begin at multiples of %d bytes, which is no "
                    "power of two from 8 on; repair the plugin",
                    name, align);
  if (info->ghost_columns < 0 || info->ghost_columns > 1024)
    return TRM_FAIL(DEVICE, "%s: its plugin asks for %d ghost columns; repair the plugin", name,
                    info->ghost_columns);
  return TRM_OK;
}

/* A shape that no device can hold is refused; what this one has no room for, it says itself. */
static trm_status check_shape(const trm_device_options *options, const char *name)
{
  const int steps = options->steps_per_launch, edge = steps - 1;
  const int x = options->shape_columns, y = options->shape_rows;
  if (x == 0) return TRM_OK;
  if (steps == 3 && x == 56 && y == 1 && !options->shape_is_tile) return TRM_OK; /* one warp */
  if (steps < 3 || steps > 9 || steps % 2 == 0 || x < 32 || x > 1024 || x % 32 != 0 || y < 1 ||
      y > 256 || (options->shape_is_tile && y <= 2 * edge))
    return TRM_FAIL(INVALID, "%s: a shape of %d steps, %d columns and %d rows%s: give 3, 5, 7 or 9 "
                    "steps, columns in multiples of 32, and for a tile more rows than "
                    "2 (steps - 1)", name, steps, x, y, options->shape_is_tile ? ", a tile" : "");
  /* at least: an item has up to eight cells (trm_steps_block) */
  const int warps = (options->shape_is_tile ? y * (x / 32) : (y * (x / 32) + 7) / 8) +
                    (2 * y * edge + 31) / 32 + 1;
  if (warps > 32)
    return TRM_FAIL(INVALID, "%s: a shape of %d steps, %d columns and %d rows needs groups of %d "
                    "items, and 1024 are the most; give fewer columns or rows", name, steps, x, y,
                    32 * warps);
  return TRM_OK;
}

trm_status trm_device_options_check(const trm_device_options *options, const char *name)
{
  if (options->threads < 0)
    return TRM_FAIL(INVALID, "%s: %d threads; give 0 for all cores, or a number", name,
                    options->threads);
  if (options->wavefront < 0)
    return TRM_FAIL(INVALID, "%s: wavefront %d; give 0 for automatic, 1 for off, or the depth",
                    name, options->wavefront);
  if (options->steps_per_launch < 0)
    return TRM_FAIL(INVALID, "%s: %d steps a launch; give 0 for automatic, 1, or the largest "
                    "number",
                    name, options->steps_per_launch);
  if (!(options->residency >= 0 && options->residency <= 1))
    return TRM_FAIL(INVALID, "%s: a residency of %g; give a part of 1, or 0 for all that fit", name,
                    options->residency);
  return check_shape(options, name);
}

static trm_status open_handle(trm_device *device, size_t index, const char *name)
{
  const char *isa;
  TRM_TRY(trmi_registry_describe(device->table, index, &device->info));
  if (device->info.is_host) {
    TRM_TRY(trmi_isa_best(&isa));
    snprintf(device->info.isa, sizeof device->info.isa, "%s", isa);
  }
  TRM_TRY(device->table->open(index, &device->options, &device->info, &device->handle));
  if (!device->table->buffer_reserve)
    snprintf(device->info.whole, sizeof device->info.whole, "its backend has no buffers by rows");
  return check_info(&device->info, name);
}

static trm_status open_one(trm_context *context, const char *name,
                           const trm_device_options *options, trm_device **out)
{
  const trm_backend *table = NULL;
  size_t index = 0;
  TRM_TRY(find(context, name, &table, &index));
  trm_device *device = calloc(1, sizeof *device);
  if (!device) return TRM_FAIL(NO_HOST_MEMORY, "%s: out of host memory", name);
  device->holders = 1;
  device->context = context;
  trmi_context_retain(context);
  device->table = table;
  device->options = *options;
  const trm_status status = open_handle(device, index, name);
  if (status != TRM_OK) {
    trmi_device_release(device);
    return status;
  }
  *out = device;
  return TRM_OK;
}

/* A device of this process alone. */
static trm_status refuse_several(const char *names)
{
  const char *star = strchr(names, '*');
  if (strchr(names, ','))
    return TRM_FAIL(UNSUPPORTED, "devices \"%s\": several devices are parts of a run, each with "
                    "host code of its own, and no program opens them as one; run a case on them: "
                    "trireme run --devices=%s, or trm_run_open with the key run.devices", names,
                    names);
  TRM_TRY(domain_named_check(names));
  if (!star) return TRM_OK;
  return TRM_FAIL(INPUT, "device \"%s\": it is the only one, and has all rows; leave %s out", names,
                  star);
}

static trm_status open_named(trm_context *context, const char *name,
                             const trm_device_options *options, trm_device **out)
{
  char local[512];
  trm_device_options own = *options;
  char *bare = strdup(name);
  if (!bare) return TRM_FAIL(NO_HOST_MEMORY, "%s: out of host memory", name);
  domain_named_tidy(bare);
  trm_status status = refuse_several(bare);
  if (status == TRM_OK) status = ranks_local(context, bare, &own, local, sizeof local);
  free(bare);
  return status == TRM_OK ? open_one(context, local, &own, out) : status;
}

/* ---- forked processes ------------------------------------------------------- */

static atomic_int has_opened, has_threads, is_forked;

/* The folder has two links, and one more for each thread. Where it cannot be seen there may be
 * some. */
static void record_threads(void)
{
  struct stat tasks;
  atomic_store(&has_threads, stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink != 3);
}

static void record_child(void)
{
  if (atomic_load(&has_opened) && atomic_load(&has_threads)) atomic_store(&is_forked, 1);
}

static void handle_forks(void)
{
  (void)pthread_atfork(record_threads, NULL, record_child);
}

int trmi_is_forked(void)
{
  return atomic_load_explicit(&is_forked, memory_order_relaxed);
}

trm_status trmi_refuse_forked(const char *what)
{
  return TRM_FAIL(INVALID, "%s: this process was forked from one that has opened a device, whose "
                  "threads and drivers a child does not have; start processes before the first "
                  "device is opened, or as programs of their own (in Python: "
                  "multiprocessing.get_context(\"spawn\"))", what);
}

trm_status domain_device_open(trm_context *context, const char *name,
                              const trm_device_options *options, trm_device **out)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  int is_checked;
  static const trm_device_options defaults;
  if (!context) return TRM_FAIL(INVALID, "trm_device_open: context is NULL");
  if (!name || !out) return TRM_FAIL(INVALID, "trm_device_open: name or out is NULL");
  if (!options) options = &defaults;
  if (trmi_is_forked()) return trmi_refuse_forked(name);
  TRM_TRY(trm_device_options_check(options, name));
  (void)pthread_once(&once, handle_forks);
  atomic_store(&has_opened, 1);
  trmi_log_to(context);
  TRM_TRY(ranks_check_begun());
  TRM_TRY(domain_check_read(&is_checked)); /* domain_device_join heeds it */
  return open_named(context, name, options, out);
}

trm_status trm_device_open(trm_context *context, const char *name,
                           const trm_device_options *options, trm_device **out)
{
  if (domain_ranks() > 1)
    return TRM_FAIL(UNSUPPORTED, "device \"%s\": %d ranks share a run, and a device that a program "
                    "opens would be of this rank alone; run a case (trireme run, trm_run_open), or "
                    "set TRIREME_COMM=none where each rank is to run on its own",
                    name ? name : "", domain_ranks());
  return domain_device_open(context, name, options, out);
}

void trm_device_close(trm_device **device)
{
  if (!device || !*device) return;
  trm_sequence_cancel(*device);
  domain_device_close(*device);
  trmi_device_release(*device);
  *device = NULL;
}

void trmi_device_retain(trm_device *device)
{
  device->holders++;
}

void trmi_device_release(trm_device *device)
{
  if (trmi_is_forked() || --device->holders != 0) return;
  trm_error kept;
  trmi_error_keep(&kept);
  trmi_log_to(device->context);
  domain_device_free(device);
  trmi_host_team_destroy(&device->host_team);
  if (device->handle) device->table->close(device->handle);
  trmi_error_restore(&kept);
  trmi_context_release(device->context);
  free(device->fused);
  free(device);
}

/* ---- asking and waiting --------------------------------------------------- */

const trm_device_info *trm_device_describe(const trm_device *device)
{
  if (!device) return NULL;
  return device->domain ? &device->domain->shown : &device->info;
}

trm_status trm_device_free_memory(trm_device *device, uint64_t *bytes)
{
  if (!device || !bytes)
    return TRM_FAIL(INVALID, "trm_device_free_memory: device or bytes is NULL");
  if (trmi_is_forked()) return trmi_refuse_forked("trm_device_free_memory");
  if (!device->table->free_memory) {
    *bytes = 0;
    return TRM_OK;
  }
  trmi_log_to(device->context);
  TRM_TRY(device->table->free_memory(device->handle, bytes));
  const uint64_t host = device->info.is_host ? trmi_host_memory() : 0;
  if (host && *bytes > host) *bytes = host;
  return TRM_OK;
}

trm_status trmi_device_idle(const trm_device *device, const char *what)
{
  char label[256];
  if (trmi_is_forked()) return trmi_refuse_forked(what);
  if (!device->recording) return TRM_OK;
  return TRM_FAIL(INVALID,
                  "%s: a sequence is being recorded on %s; end it with trm_sequence_end or give it "
                  "up with trm_sequence_cancel first",
                  what, trmi_device_label(device, label, sizeof label));
}

trm_status trm_device_finish(trm_device *device)
{
  if (!device) return TRM_FAIL(INVALID, "trm_device_finish: device is NULL");
  TRM_TRY(trmi_device_idle(device, "trm_device_finish"));
  trmi_log_to(device->context);
  TRM_TRY(device->table->finish(device->handle));
  return domain_of(device) ? domain_failure(device->domain) : TRM_OK;
}

void trmi_device_wait(trm_device *device)
{
  trm_error kept;
  if (trmi_is_forked()) return;
  trmi_error_keep(&kept);
  trmi_log_to(device->context);
  if (device->table->finish(device->handle) != TRM_OK)
    trmi_log(TRM_LOG_DEBUG, "while waiting before a destroy: %s", trm_error_last()->text);
  trmi_error_restore(&kept);
}

trm_counters trm_device_counters(const trm_device *device)
{
  return device ? device->counters : (trm_counters){0};
}

void trmi_count_command(trm_counters *counters, const trm_command *command)
{
  switch (command->kind) {
  case TRM_COMMAND_LAUNCH: counters->launches++; break;
  case TRM_COMMAND_FILL: counters->fills++; break;
  case TRM_COMMAND_COPY:
    counters->copies++;
    counters->copied_bytes += command->bytes;
    break;
  }
}

trm_status trmi_device_enqueue(trm_device *device, const trm_command *command,
                               trm_buffer *const *buffers, trm_program *program)
{
  const trmi_seen seen = { command, program, buffers };
  TRM_TRY(trmi_trace_before(device, &seen));
  trmi_log_to(device->context);
  TRM_TRY(device->table->enqueue(device->handle, command));
  return trmi_trace_after(device, &seen);
}

trm_status trmi_device_submit(trm_device *device, const trm_command *command,
                              trm_buffer *const *buffers, size_t buffer_count,
                              trm_program *program)
{
  if (trmi_is_forked()) return trmi_refuse_forked("a launch");
  const int is_shared = domain_shares(device, buffers, buffer_count);
  if (device->recording)
    return trmi_sequence_keep(device->recording, command, buffers, buffer_count, program);
  trmi_count_command(&device->counters, command);
  return is_shared ? domain_submit(device, command, buffers, program)
                   : trmi_device_enqueue(device, command, buffers, program);
}
