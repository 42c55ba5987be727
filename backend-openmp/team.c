/* team.c - one command cut in parts for the threads of a team, and the barrier of the team.
 * A launch outside a sequence runs here at once, in a parallel region of its own. A very small
 * launch stays on the calling thread, because a region costs microseconds. */
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#ifdef __linux__
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

#include "backend-openmp/openmp.h"

enum {
  LARGE_CELLS = 4096,      /* row launches below run on one thread: 2-4 us of work */
  LARGE_BYTES = 256 << 10, /* copies and fills */
  SPINS = 2000             /* pauses before a waiting thread sleeps: tens of microseconds */
};

/* ---- the barrier --------------------------------------------------------- */

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void sleep_while(atomic_uint *word, unsigned value)
{
#ifdef __linux__
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
#else
  if (atomic_load(word) == value) sched_yield();
#endif
}

static void wake_all(atomic_uint *word)
{
#ifdef __linux__
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
#else
  (void)word;
#endif
}

/* More threads than processors, or other work on them (OMP_WAIT_POLICY=passive): a spinning thread
 * keeps the awaited one from running. */
void trmo_barrier_init(trmo_barrier *barrier, int threads)
{
  const char *policy = getenv("OMP_WAIT_POLICY");
  const int is_passive = policy && strcasecmp(policy, "passive") == 0;
  memset(barrier, 0, sizeof *barrier);
  barrier->spins = is_passive || threads > omp_get_num_procs() ? 0 : SPINS;
}

/* The last thread to arrive opens the next generation; the count is back at zero before that, so
 * that the barrier can be entered again at once. A sleeper announces itself before the system
 * compares the generation, the opener looks for sleepers after changing it (both sequentially
 * consistent): one of the two sees the other. */
void trmo_barrier_wait(trmo_barrier *barrier, int count)
{
  const unsigned generation = atomic_load_explicit(&barrier->generation, memory_order_relaxed);

  if (count == 1) return;
  if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) + 1 ==
      (unsigned)count) {
    atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
    atomic_store(&barrier->generation, generation + 1);
    if (atomic_load(&barrier->sleepers) > 0) wake_all(&barrier->generation);
    return;
  }
  for (int spin = 0; spin < barrier->spins; spin++) {
    if (atomic_load_explicit(&barrier->generation, memory_order_acquire) != generation) return;
    relax();
  }
  atomic_fetch_add(&barrier->sleepers, 1);
  while (atomic_load(&barrier->generation) == generation)
    sleep_while(&barrier->generation, generation);
  atomic_fetch_sub(&barrier->sleepers, 1);
}

/* ---- commands ------------------------------------------------------------ */

void trmo_launch_prepare(const trm_command *command, trmo_launch *out)
{
  const trm_extent *extent = &command->extent;
  out->run = command->declaration->run;
  out->extent = extent;
  out->params = command->params;
  out->first = command->first_row;
  out->units = command->rows ? command->rows : (int64_t)extent->ny * extent->nz;
  if (command->declaration->kind == TRM_KERNEL_GROUP) out->units *= extent->nx;
  for (uint32_t i = 0; i < command->buffer_count; i++)
    out->data[i] = ((trmo_buffer *)command->buffers[i])->data;
}

/* Bytes [*begin, *end) of a copy or fill, cut at multiples of 64 bytes from its start. */
static void part_of_bytes(size_t bytes, int index, int count, size_t *begin, size_t *end)
{
  const int64_t lines = (int64_t)(bytes / 64 + 1);
  *begin = (size_t)trmo_part_begin(lines, index, count) * 64;
  *end = (size_t)trmo_part_begin(lines, index + 1, count) * 64;
  if (*end > bytes) *end = bytes;
}

static void fill(unsigned char *destination, size_t bytes, const unsigned char *pattern,
                 size_t pattern_bytes)
{
  unsigned char eight[8];
  if (pattern_bytes == 1) {
    memset(destination, pattern[0], bytes);
    return;
  }
  for (size_t i = 0; i < sizeof eight; i++) eight[i] = pattern[i % pattern_bytes];
  for (size_t i = 0; i + 8 <= bytes; i += 8) memcpy(destination + i, eight, 8);
  memcpy(destination + bytes / 8 * 8, eight, bytes % 8);
}

void trmo_command_part(const trm_command *command, const trmo_launch *launch, int index,
                       int count)
{
  if (command->kind == TRM_COMMAND_LAUNCH) {
    const int64_t begin = trmo_part_begin(launch->units, index, count);
    const int64_t end = trmo_part_begin(launch->units, index + 1, count);
    if (begin < end)
      launch->run(launch->extent, launch->first + begin, launch->first + end, launch->params,
                  launch->data);
  } else {
    unsigned char *destination = ((trmo_buffer *)command->buffers[0])->data + command->offset;
    size_t begin, end;
    part_of_bytes(command->bytes, index, count, &begin, &end);
    if (begin >= end) return;
    if (command->kind == TRM_COMMAND_FILL) {
      fill(destination + begin, end - begin, command->pattern, command->pattern_bytes);
    } else {
      const unsigned char *source =
          ((trmo_buffer *)command->buffers[1])->data + command->source_offset;
      memcpy(destination + begin, source + begin, end - begin);
    }
  }
}

/* The work of a group is unknown here, so two groups are enough for a team. */
bool trmo_command_is_large(const trm_command *command)
{
  const int64_t planes = (int64_t)command->extent.ny * command->extent.nz;
  if (command->kind != TRM_COMMAND_LAUNCH) return command->bytes >= LARGE_BYTES;
  if (command->declaration->kind == TRM_KERNEL_GROUP)
    return planes > 1 || command->extent.nx > 1;
  return planes > 1 && planes > LARGE_CELLS / command->extent.nx;
}

trm_status trmo_command_enqueue(void *handle, const trm_command *command)
{
  const trmo_device *device = handle;
  trmo_launch launch;

  if (command->kind == TRM_COMMAND_LAUNCH) trmo_launch_prepare(command, &launch);
  if (device->threads == 1 || !trmo_command_is_large(command)) {
    trmo_command_part(command, &launch, 0, 1);
    return TRM_OK;
  }
#pragma omp parallel num_threads(device->threads)
  trmo_command_part(command, &launch, omp_get_thread_num(), omp_get_num_threads());
  return TRM_OK;
}
