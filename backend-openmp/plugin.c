/* plugin.c - trireme_openmp.so: the table, and the entries that are not about memory, launches or
 * sequences. Kernels are ahead-of-time host code that comes in the program's description; nothing
 * is compiled here and there is no binary to cache. One device: this host. */
#include <ctype.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend-openmp/openmp.h"

const trm_services *trmo_services;

enum { MAX_THREADS = 1024 };

static void probe(trm_probe *out)
{
  memset(out, 0, sizeof *out);
  out->state = TRM_BACKEND_READY;
  out->device_count = 1;
  trmo_machine_runtime(out->version, sizeof out->version);
}

static trm_status describe(size_t index, trm_device_info *out)
{
  memset(out, 0, sizeof *out);
  snprintf(out->backend, sizeof out->backend, "openmp");
  out->index = index;
  trmo_machine_describe(out);
  snprintf(out->fused, sizeof out->fused,
           "several in one pass over memory, as caches and rows allow (wavefront)");
  return TRM_OK;
}

/* Whether new buffers are filled with NaN, and guarded; whether only held bytes can be touched. */
static trm_status read_debug(bool *is_filled, bool *is_by_rows)
{
  const char *debug = getenv("TRIREME_DEBUG_BUFFERS");
  *is_filled = debug && strcmp(debug, "1") == 0;
  *is_by_rows = debug && strcmp(debug, "rows") == 0;
  if (*is_filled || *is_by_rows || !debug || !*debug || strcmp(debug, "0") == 0) return TRM_OK;
  return TRMO_FAIL(INVALID, "TRIREME_DEBUG_BUFFERS=%s: give 1 to fill new memory with NaN, rows to "
                   "refuse a device the rows that it does not hold, or 0", debug);
}

/* A kernel has a group's shared memory on its thread's stack, up to 48 KiB so far. The runtime
 * takes a stack's size from the environment, in KiB where no unit is given. */
static trm_status check_stacks(void)
{
  enum { LEAST_KIB = 256 };
  static const char *const names[] = { "OMP_STACKSIZE", "GOMP_STACKSIZE" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *text = getenv(names[i]);
    char *unit = NULL;
    const double size = text ? strtod(text, &unit) : 0;
    if (!text || unit == text) continue;
    unit += strspn(unit, " \t");
    const int letter = tolower((unsigned char)*unit);
    const double kib = letter == 'b' ? size / 1024 : letter == 'm' ? size * 1024
                       : letter == 'g' ? size * 1024 * 1024 : size;
    if (kib < LEAST_KIB)
      return TRMO_FAIL(UNSUPPORTED, "%s=%s gives threads a stack of %g KiB, and kernels need up to "
                       "%d; unset it or set it to %dk or more", names[i], text, kib, LEAST_KIB,
                       LEAST_KIB);
    return TRM_OK;
  }
  return TRM_OK;
}

/* Threads that wait for each other at the end of each command take turns on one processor. */
static void warn_of_threads(const char *asked, int threads)
{
  const int processors = omp_get_num_procs();
  if (threads > processors)
    trmo_services->log(TRM_LOG_WARNING, "%s: %d threads take turns on the %d processor%s of this "
                       "process; %d thread%s would each have one (--threads=0)", asked, threads,
                       processors, processors == 1 ? "" : "s", processors,
                       processors == 1 ? "" : "s");
}

static trm_status open_device(size_t index, const trm_device_options *options,
                              trm_device_info *info, void **out)
{
  const int is_asked = options && options->threads > 0, limit = omp_get_thread_limit();
  const int most = limit < MAX_THREADS ? limit : MAX_THREADS;
  const int threads = is_asked ? options->threads : trmo_machine_threads();
  trmo_device *device;
  bool debug_buffers, debug_rows;

  (void)index;
  TRM_TRY(read_debug(&debug_buffers, &debug_rows));
  if (threads > 1) TRM_TRY(check_stacks());
  if (threads > most)
    return TRMO_FAIL(UNSUPPORTED, "%s: %d threads asked for; at most %d are possible here%s",
                     is_asked ? "openmp" : "OMP_NUM_THREADS", threads, most,
                     limit == most ? " (OMP_THREAD_LIMIT)" : "");
  warn_of_threads(is_asked ? "openmp" : "OMP_NUM_THREADS", threads);
  device = calloc(1, sizeof *device);
  if (!device) return TRMO_FAIL(NO_HOST_MEMORY, "no memory for a device's handle");
  device->threads = threads;
  device->wavefront = options ? options->wavefront : 0;
  device->caches = trmo_machine_caches();
  device->debug_buffers = debug_buffers;
  device->debug_rows = debug_rows;
  info->threads = threads;
  trmo_machine_pinning(info->pinning, sizeof info->pinning);
  *out = device;
  return TRM_OK;
}

static void close_device(void *device) { free(device); }

/* Everything runs when it is enqueued. */
static trm_status finish(void *device) { return trmo_buffer_check_guards(device); }

static trm_status free_memory(void *device, uint64_t *bytes)
{
  (void)device;
  *bytes = trmo_machine_memory_available();
  return TRM_OK;
}

/* The program's handle is its host module. */
static trm_status program_build(void *device, const trm_build *build, char **log, void **program)
{
  const trm_host_module *module = build->module;
  (void)device;
  for (int i = 0; i < module->kernel_count; i++)
    if (!module->kernels[i].run)
      return TRMO_FAIL(BUILD, "%s: kernel %s has no host function in the instance %s", build->name,
                       module->kernels[i].name, module->isa);
  *log = NULL;
  *program = (void *)module;
  return TRM_OK;
}

static void program_destroy(void *device, void *program)
{
  (void)device;
  (void)program;
}

static trm_status kernel_get(void *device, void *program, const trm_host_kernel *declaration,
                             void **kernel)
{
  const trm_host_module *module = program;
  (void)device;
  for (int i = 0; i < module->kernel_count; i++)
    if (&module->kernels[i] == declaration) {
      *kernel = (void *)declaration;
      return TRM_OK;
    }
  return TRMO_FAIL(NOT_FOUND, "%s: the host instance %s has no kernel %s", module->program,
                   module->isa, declaration->name);
}

typedef struct event {
  struct timespec time;
} event;

static trm_status event_create(void *device, void **out)
{
  event *created = calloc(1, sizeof *created);
  (void)device;
  if (!created) return TRMO_FAIL(NO_HOST_MEMORY, "no memory for an event's handle");
  *out = created;
  return TRM_OK;
}

static void event_destroy(void *device, void *object)
{
  (void)device;
  free(object);
}

static trm_status event_record(void *device, void *object)
{
  event *recorded = object;
  (void)device;
  clock_gettime(CLOCK_MONOTONIC, &recorded->time);
  return TRM_OK;
}

static trm_status event_elapsed(void *device, void *begin, void *end, double *seconds)
{
  const struct timespec *from = &((const event *)begin)->time, *to = &((const event *)end)->time;
  (void)device;
  *seconds =
      (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
  return TRM_OK;
}

static const trm_backend backend = {
    .abi = TRM_BACKEND_ABI,
    .bytes = sizeof(trm_backend),
    .name = "openmp",
    .summary = "this host's cores, with OpenMP threads and wavefronts over recorded launches",
    .probe = probe,
    .describe = describe,
    .open = open_device,
    .close = close_device,
    .finish = finish,
    .free_memory = free_memory,
    .buffer_create = trmo_buffer_create,
    .buffer_destroy = trmo_buffer_destroy,
    .buffer_write = trmo_buffer_write,
    .buffer_read = trmo_buffer_read,
    .program_build = program_build,
    .program_destroy = program_destroy,
    .kernel_get = kernel_get,
    .enqueue = trmo_command_enqueue,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_elapsed = event_elapsed,
    .sequence_create = trmo_sequence_create,
    .sequence_replay = trmo_sequence_replay,
    .sequence_destroy = trmo_sequence_destroy,
    .sequence_fused = trmo_sequence_fused,
    .buffer_reserve = trmo_buffer_reserve,
    .buffer_hold = trmo_buffer_hold,
    .buffer_drop = trmo_buffer_drop,
};

TRM_API trm_backend_entry trm_backend_openmp;

const trm_backend *trm_backend_openmp(uint32_t abi, const trm_services *services)
{
  if (abi != TRM_BACKEND_ABI) {
    services->fail(TRM_ERROR_NOT_READY, __FILE__, __LINE__,
                   "the openmp plugin was built for ABI %d, this library has %u; install both from "
                   "one version",
                   TRM_BACKEND_ABI, (unsigned)abi);
    return NULL;
  }
  trmo_services = services;
  return &backend;
}
