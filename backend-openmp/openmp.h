/* openmp.h - shared by the files of this plugin.
 *
 * A device is a number of threads. A launch is a parallel region. A replayed sequence is one region
 * for all its launches (sequence.c); in it, runs of row kernels are executed as wavefronts
 * (wavefront.c). Nothing here is seen outside the plugin. */
#ifndef TRIREME_OPENMP_H
#define TRIREME_OPENMP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/backend.h"

extern const trm_services *trmo_services;

#define TRMO_FAIL(name, ...) \
  trmo_services->fail(TRM_ERROR_##name, __FILE__, __LINE__, __VA_ARGS__)

/* ---- machine.c: facts about this host ------------------------------------ */

void trmo_machine_describe(trm_device_info *info);
void trmo_machine_runtime(char *text, size_t bytes);   /* "libgomp.so.1.0.0 (OpenMP 4.5)" */
void trmo_machine_pinning(char *text, size_t bytes);   /* "cores", "none", ... */
int trmo_machine_threads(void);                        /* a device's threads by default */
uint64_t trmo_machine_memory_available(void);          /* bytes; 0 when the system does not tell */

typedef struct trmo_caches {
  int64_t first, own, last; /* bytes: a core's first and largest own cache; the shared one */
} trmo_caches;
trmo_caches trmo_machine_caches(void);

/* ---- buffer.c: memory ---------------------------------------------------- */

typedef struct trmo_buffer {
  unsigned char *data;
  size_t bytes;
  void *mapping;
  size_t mapped;
  struct trmo_buffer *next; /* the device's buffers */
} trmo_buffer;

typedef struct trmo_device {
  int threads;
  int wavefront;           /* trm_device_options.wavefront */
  trmo_caches caches;
  bool debug_buffers;      /* TRIREME_DEBUG_BUFFERS=1: poison and guards */
  bool debug_rows;         /* TRIREME_DEBUG_BUFFERS=rows: only held bytes can be touched */
  bool guard_broken;       /* found when a buffer was destroyed, reported at the next finish */
  unsigned buffer_count;   /* buffers created so far: staggers their addresses */
  trmo_buffer *buffers;
} trmo_device;

trm_status trmo_buffer_create(void *device, size_t bytes, void **out);
void trmo_buffer_destroy(void *device, void *buffer);
trm_status trmo_buffer_write(void *device, void *buffer, size_t offset, size_t bytes,
                             const void *source);
trm_status trmo_buffer_read(void *device, void *buffer, size_t offset, size_t bytes,
                            void *destination);
trm_status trmo_buffer_reserve(void *device, size_t bytes, void **out);
trm_status trmo_buffer_hold(void *device, void *buffer, size_t offset, size_t bytes);
trm_status trmo_buffer_drop(void *device, void *buffer, size_t offset, size_t bytes);
/* TRM_ERROR_DEVICE when a kernel wrote outside a buffer; always good without the debug mode. */
trm_status trmo_buffer_check_guards(trmo_device *device);

/* ---- team.c: commands cut in parts, and the barrier between them ---------- */

/* A launch ready to run: handles resolved to addresses. */
typedef struct trmo_launch {
  trm_host_fn *run;
  const trm_extent *extent;
  const void *params;
  int64_t first, units;    /* rows or groups */
  void *data[TRM_MAX_BUFFERS];
} trmo_launch;

void trmo_launch_prepare(const trm_command *command, trmo_launch *out);

/* Where part `index` of `count` begins; the same cut for every launch, so that a thread meets the
 * rows that it wrote before. */
static inline int64_t trmo_part_begin(int64_t units, int index, int count)
{
  return units / count * index + units % count * index / count;
}

/* Part `index` of `count` of a command. launch is NULL for copies and fills. */
void trmo_command_part(const trm_command *command, const trmo_launch *launch, int index,
                       int count);
/* Whether the command is worth more than one thread. */
bool trmo_command_is_large(const trm_command *command);
trm_status trmo_command_enqueue(void *device, const trm_command *command);

/* A barrier for the threads of one region. It spins for some microseconds, then sleeps, because the
 * machine may be shared and the thread waited for may not be running. */
typedef struct trmo_barrier {
  _Alignas(64) atomic_uint arrived;
  _Alignas(64) atomic_uint generation;
  _Alignas(64) atomic_uint sleepers;
  int spins;
} trmo_barrier;

void trmo_barrier_init(trmo_barrier *barrier, int threads);
void trmo_barrier_wait(trmo_barrier *barrier, int count);

/* ---- wavefront.c: several row launches in one pass over memory ------------ */

/* How a run of row launches is traversed. */
typedef struct trmo_wavefront {
  int64_t rows;            /* of a plane; in three dimensions the planes */
  int64_t low, high;       /* those of the first launch: 0 and rows, but for launches over parts */
  bool is_part;            /* each launch is over its own rows (trmo_launch), not over the ring */
  int64_t height;          /* rows that make one of them: 1; in three dimensions those of a plane */
  int64_t tile;            /* of those, how many go together; less than height: group is depth */
  int halo;
  int depth;               /* launches a wavefront, at least 1 */
  int group;               /* launches that go together over a panel */
  int64_t panel;           /* rows (in u: wavefront.c) that a group goes over before the next one */
  int64_t block;           /* rows a call */
} trmo_wavefront;

/* extent, halo: of the launches; bytes: memory that all buffers take; wanted: 0 automatic, else the
 * depth asked for. The resulting depth is one that `threads` slabs of this height can hold. Planes
 * too few for a depth of 2 are run row by row, launch by launch. */
trmo_wavefront trmo_wavefront_plan(const trm_extent *extent, int halo, size_t bytes, int threads,
                                   int wanted, const trmo_caches *caches);
/* The same for `count` launches over a part of the rows each. They follow from rows of the launch
 * before, less than `halo` beyond their own; rows behind the last go on at row 0. */
trmo_wavefront trmo_wavefront_plan_part(const trmo_launch *launches, size_t count, int halo,
                                        size_t bytes, int threads, int wanted,
                                        const trmo_caches *caches);

/* The two phases of one wavefront over launches first .. first + depth - 1: what thread `index` of
 * `count` does between barriers. Apart for the tests, which run the parts in every order. */
void trmo_wavefront_trapezoid(const trmo_wavefront *wavefront, const trmo_launch *launches,
                              size_t modulo, size_t first, int depth, int index, int count);
void trmo_wavefront_wedge(const trmo_wavefront *wavefront, const trmo_launch *launches,
                          size_t modulo, size_t first, int depth, int index, int count);

/* Runs the part of thread `index` of `count` in launches first .. first + total - 1, where launch i
 * is launches[i % modulo]. Returns after a barrier: all of it is done. */
void trmo_wavefront_run(const trmo_wavefront *wavefront, const trmo_launch *launches,
                        size_t modulo, size_t total, int index, int count, trmo_barrier *barrier);

/* ---- sequence.c ---------------------------------------------------------- */

/* Commands first .. first + count - 1. */
typedef struct trmo_part {
  size_t first, count;
  bool is_wavefront;
  trmo_wavefront wavefront;
} trmo_part;

typedef struct trmo_sequence {
  const trm_command *commands;
  size_t count, part_count;
  trmo_launch *launches;   /* one a command; empty for copies and fills */
  trmo_part *parts;
  int threads;             /* the device's, or 1 where no command is worth a team */
} trmo_sequence;

trm_status trmo_sequence_create(void *device, const trm_command *commands, size_t count,
                                void **out);
trm_status trmo_sequence_replay(void *device, void *sequence, size_t times);
void trmo_sequence_destroy(void *device, void *sequence);
int trmo_sequence_fused(void *device, void *sequence, size_t command, const char **why);

#endif
