/* sequence.c - recorded launches, replayed by one team of threads that lives through all of them.
 * A sequence is cut, once, into parts. A part is a run of row launches with a declared halo over
 * equal rows, which goes through memory as a wavefront, or a single command. A barrier follows each
 * single command. */
#include <omp.h>
#include <stdlib.h>

#include "backend-openmp/openmp.h"

static bool can_join_wavefront(const trm_command *command)
{
  return command->kind == TRM_COMMAND_LAUNCH && command->declaration->kind == TRM_KERNEL_ROW &&
         command->declaration->halo >= 0 && (command->extent.ny > 1 || command->extent.nz > 1);
}

/* Memory behind a part: all its buffers, each counted once. */
static size_t bytes_of(const trm_command *commands, size_t count)
{
  const trmo_buffer *seen[4 * TRM_MAX_BUFFERS];
  size_t seen_count = 0, bytes = 0;
  for (size_t i = 0; i < count; i++)
    for (uint32_t j = 0; j < commands[i].buffer_count; j++) {
      const trmo_buffer *buffer = commands[i].buffers[j];
      size_t k = 0;
      while (k < seen_count && seen[k] != buffer) k++;
      if (k < seen_count || seen_count == sizeof seen / sizeof seen[0]) continue;
      seen[seen_count++] = buffer;
      bytes += buffer->bytes;
    }
  return bytes;
}

static void plan_wavefront(const trmo_device *device, const trmo_sequence *recorded,
                           trmo_part *out)
{
  const trm_command *commands = recorded->commands;
  int halo = 0;
  for (size_t i = out->first; i < out->first + out->count; i++)
    if (commands[i].declaration->halo > halo) halo = commands[i].declaration->halo;
  const size_t bytes = bytes_of(commands + out->first, out->count);
  out->wavefront =
      commands[out->first].rows
        ? trmo_wavefront_plan_part(&recorded->launches[out->first], out->count, halo, bytes,
                                   recorded->threads, device->wavefront, &device->caches)
        : trmo_wavefront_plan(&commands[out->first].extent, halo, bytes, device->threads,
                              device->wavefront, &device->caches);
}

/* Cuts the commands into parts; there is room for one a command. */
static void cut(const trmo_device *device, trmo_sequence *recorded)
{
  const trm_command *commands = recorded->commands;
  for (size_t i = 0; i < recorded->count;) {
    trmo_part *next = &recorded->parts[recorded->part_count++];
    next->first = i++;
    next->is_wavefront = can_join_wavefront(&commands[next->first]);
    while (next->is_wavefront && i < recorded->count && can_join_wavefront(&commands[i]) &&
           commands[i].extent.ny == commands[next->first].extent.ny &&
           commands[i].extent.nz == commands[next->first].extent.nz &&
           (commands[i].rows > 0) == (commands[next->first].rows > 0))
      i++;
    next->count = i - next->first;
    if (next->is_wavefront) plan_wavefront(device, recorded, next);
  }
}

trm_status trmo_sequence_create(void *handle, const trm_command *commands, size_t count,
                                void **out)
{
  const trmo_device *device = handle;
  trmo_sequence *created = calloc(1, sizeof *created);
  bool large = false;

  if (!created) goto no_memory;
  created->commands = commands;
  created->count = count;
  created->launches = calloc(count + 1, sizeof *created->launches);
  created->parts = calloc(count + 1, sizeof *created->parts);
  if (!created->launches || !created->parts) goto no_memory;
  for (size_t i = 0; i < count; i++) {
    if (commands[i].kind == TRM_COMMAND_LAUNCH)
      trmo_launch_prepare(&commands[i], &created->launches[i]);
    large = large || trmo_command_is_large(&commands[i]);
  }
  created->threads = large ? device->threads : 1;
  cut(device, created);
  *out = created;
  return TRM_OK;

no_memory:
  if (created) trmo_sequence_destroy(handle, created);
  return TRMO_FAIL(NO_HOST_MEMORY, "no memory for a sequence of %zu commands", count);
}

/* Launches that a wavefront of the part takes; one that is the whole sequence reaches across
 * replays. */
static int depth_of(const trmo_sequence *recorded, const trmo_part *part)
{
  const int depth = part->wavefront.depth;
  return recorded->part_count > 1 && part->count < (size_t)depth ? (int)part->count : depth;
}

int trmo_sequence_fused(void *handle, void *object, size_t command, const char **why)
{
  const trmo_device *device = handle;
  const trmo_sequence *recorded = object;
  const trm_command *launch = &recorded->commands[command];
  const trmo_part *part = recorded->parts;
  while (part->first + part->count <= command) part++;
  if (part->is_wavefront && depth_of(recorded, part) > 1) return depth_of(recorded, part);
  if (launch->declaration->kind != TRM_KERNEL_ROW) *why = "it is no row kernel";
  else if (launch->declaration->halo < 0) *why = "its kernel declares no halo";
  else if (device->wavefront == 1) *why = "run.wavefront = 1";
  else if (!part->is_wavefront) *why = "it has one row";
  else if (part->count == 1) *why = "no launch of a row kernel over equal rows stands beside it";
  else *why = "each thread has too few rows for more";
  return 1;
}

/* The part of one thread of the team in all replays. Where the whole sequence is one run of row
 * launches, consecutive replays are one long run, and a wavefront may reach across them. */
static void replay_member(const trmo_sequence *recorded, size_t times, int index, int count,
                          trmo_barrier *barrier)
{
  const trmo_part *parts = recorded->parts;
  if (recorded->part_count == 1 && parts->is_wavefront) {
    trmo_wavefront_run(&parts->wavefront, recorded->launches, recorded->count,
                       recorded->count * times, index, count, barrier);
    return;
  }
  for (size_t time = 0; time < times; time++)
    for (size_t i = 0; i < recorded->part_count; i++) {
      const trmo_part *now = &parts[i];
      if (now->is_wavefront) {
        trmo_wavefront_run(&now->wavefront, recorded->launches + now->first, now->count, now->count,
                           index, count, barrier);
      } else {
        trmo_command_part(&recorded->commands[now->first], &recorded->launches[now->first], index,
                          count);
        trmo_barrier_wait(barrier, count);
      }
    }
}

trm_status trmo_sequence_replay(void *handle, void *object, size_t times)
{
  const trmo_sequence *recorded = object;
  trmo_barrier barrier;

  (void)handle;
  trmo_barrier_init(&barrier, recorded->threads);
  if (recorded->threads == 1) {
    replay_member(recorded, times, 0, 1, &barrier);
    return TRM_OK;
  }
#pragma omp parallel num_threads(recorded->threads)
  replay_member(recorded, times, omp_get_thread_num(), omp_get_num_threads(), &barrier);
  return TRM_OK;
}

void trmo_sequence_destroy(void *handle, void *object)
{
  trmo_sequence *recorded = object;
  (void)handle;
  free(recorded->launches);
  free(recorded->parts);
  free(recorded);
}
