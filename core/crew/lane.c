/* lane.c - one transfer at a time between two devices. Three events keep them in step:
 *   sent       of the sender: the rows are packed, so they may be copied;
 *   taken      of the receiver: they were copied, so the sender may pack the next ones;
 *   unpacked   of the receiver: they are in their places, so the next ones may be copied. */
#include "core/crew/lane.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "core/crew/pack.h"

enum { GROWTHS = 64 };          /* each at least doubles the memory */
enum { READ_BUFFERS = 8 };      /* the most that a launch reads in one transfer */

/* Memory that only grows. A buffer that has become too small stays: the other device may still use
 * it. */
typedef struct lane_room {
  trm_buffer *buffers[GROWTHS];
  size_t count, bytes;          /* of the last one */
} lane_room;

struct crew_lane {
  trm_device *from, *to;
  lane_room packed, arrived;    /* on the sender; on the receiver */
  trm_event *sent, *taken, *unpacked;
  atomic_int is_free;
  int was_taken, was_unpacked;  /* these events have been recorded */
  int reaches;                  /* launches of the receiver can read the sender's buffers */
  lane_way way;                 /* of the present transfer */
  int by_launch;                /* rows that are not packed are read by a launch, not copied */
  void *read[READ_BUFFERS];     /* handles of the sender's buffers */
  size_t read_count;
};

int lane_can(const trm_device *from, const trm_device *to)
{
  return from && to && from->table == to->table && from->table->arrive != NULL;
}

trm_status lane_create(trm_device *from, trm_device *to, int reaches, crew_lane **out)
{
  crew_lane *lane = calloc(1, sizeof *lane);
  if (!lane) return TRM_FAIL(NO_HOST_MEMORY, "no memory for rows between devices");
  lane->from = from;
  lane->to = to;
  lane->reaches = reaches;
  atomic_init(&lane->is_free, 1);
  *out = lane;
  return TRM_OK;
}

static void free_room(lane_room *room)
{
  for (size_t i = 0; i < room->count; i++) trm_buffer_destroy(&room->buffers[i]);
}

void lane_destroy(crew_lane **out)
{
  crew_lane *lane = *out;
  if (!lane) return;
  trm_event_destroy(&lane->sent);
  trm_event_destroy(&lane->taken);
  trm_event_destroy(&lane->unpacked);
  free_room(&lane->packed);
  free_room(&lane->arrived);
  free(lane);
  *out = NULL;
}

static trm_status make_room(trm_device *device, lane_room *room, size_t bytes, trm_buffer **out)
{
  if (room->bytes < bytes) {
    const size_t more = room->count ? 2 * bytes : bytes;
    TRM_TRY(trm_buffer_create(device, more, "rows between devices", &room->buffers[room->count]));
    room->count++;
    room->bytes = more;
  }
  *out = room->buffers[room->count - 1];
  return TRM_OK;
}

/* Whether copies of the pieces, one by one, are faster than packing. Beside a launch that fills the
 * GPU a copy takes 10 to 20 us, and packing about as long as FEW copies. */
static int is_few_or_long(const ranks_piece *pieces, size_t count)
{
  enum { FEW = 4, LEAST = 256 << 10 };
  size_t copies = 0;
  for (size_t i = 0; i < count; i++) copies += pieces[i].rows.components;
  return copies <= FEW || ranks_bytes(pieces, count) >= copies * LEAST;
}

/* Records the buffers that the receiver would read. 0: it cannot read them, or there are too
 * many. */
static int can_be_read(crew_lane *lane, const ranks_piece *pieces, size_t count)
{
  lane->read_count = 0;
  if (!lane->reaches) return 0;
  for (size_t i = 0; i < count; i++) {
    void *buffer = pieces[i].buffer->handle;
    if (lane_has(lane, buffer)) continue;
    if (lane->read_count == READ_BUFFERS) return 0;
    lane->read[lane->read_count++] = buffer;
  }
  return 1;
}

/* The way beside a launch that computes. On four GPUs the rows of D2Q9, 2 MB, took nine copies and
 * 120 us or more; with a launch that reads the rows, a step was 5 % shorter. With D3Q19, 5 MB, it
 * was 7 % longer. */
static lane_way beside(crew_lane *lane, const ranks_piece *pieces, size_t count)
{
  enum { MOST_READ = 4 << 20 };
  lane->by_launch = ranks_bytes(pieces, count) <= MOST_READ && can_be_read(lane, pieces, count);
  return lane->by_launch || is_few_or_long(pieces, count) ? LANE_STRAIGHT : LANE_PACKED;
}

/* Rows that are not packed lie in buffers that the sender's next commands may write (lane_leave).
 * A transfer in the second queue delays no command. In the queue of commands every command waits
 * for it. There a launch that reads the rows is faster than a copy, for which another engine of the
 * GPU must start and stop. */
static lane_way way_of(crew_lane *lane, const ranks_piece *pieces, size_t count, trm_queue queue,
                       int may_be_read)
{
  if (queue == TRM_QUEUE_ARRIVALS) return beside(lane, pieces, count);
  lane->by_launch = may_be_read && can_be_read(lane, pieces, count);
  return lane->by_launch ? LANE_READ : LANE_PACKED;
}

lane_way lane_goes(const crew_lane *lane) { return lane->way; }

int lane_has(const crew_lane *lane, const void *buffer)
{
  for (size_t i = 0; i < lane->read_count; i++)
    if (lane->read[i] == buffer) return 1;
  return 0;
}

trm_status lane_leave(crew_lane *lane, trm_queue queue)
{
  trm_device *from = lane->from;
  if (!lane->was_taken) return TRM_OK; /* nothing was copied */
  return from->table->queue_wait(from->handle, queue, lane->taken->handle);
}

int lane_is_free(const crew_lane *lane) { return atomic_load(&lane->is_free); }

void lane_take(crew_lane *lane) { atomic_store(&lane->is_free, 0); }

trm_status lane_put(crew_lane *lane, const ranks_piece *pieces, size_t count, trm_queue queue,
                    int may_be_read)
{
  trm_device *from = lane->from;
  trm_buffer *packed;
  lane->way = way_of(lane, pieces, count, queue, may_be_read);
  if (!lane->sent) TRM_TRY(trmi_mark_create(from, &lane->sent));
  if (lane->way != LANE_PACKED)
    return from->table->queue_record(from->handle, queue, lane->sent->handle);
  TRM_TRY(make_room(from, &lane->packed, ranks_bytes(pieces, count), &packed));
  if (lane->was_taken)
    TRM_TRY(from->table->queue_wait(from->handle, queue, lane->taken->handle));
  TRM_TRY(pack_into(from, pieces, count, packed));
  return from->table->queue_record(from->handle, queue, lane->sent->handle);
}

static trm_status copy_each(crew_lane *lane, const ranks_piece *from, const ranks_piece *to,
                            size_t count)
{
  void *device = lane->to->handle, *from_device = lane->from->handle;
  for (size_t i = 0; i < count; i++)
    for (size_t c = 0; c < to[i].rows.components; c++)
      TRM_TRY(lane->to->table->arrive(device, to[i].buffer->handle,
                                      to[i].rows.offset + c * to[i].rows.stride, from_device,
                                      from[i].buffer->handle,
                                      from[i].rows.offset + c * from[i].rows.stride,
                                      to[i].rows.bytes));
  return TRM_OK;
}

static trm_status get_straight(crew_lane *lane, const ranks_piece *from, const ranks_piece *to,
                               size_t count, trm_queue queue)
{
  const trm_backend *table = lane->to->table;
  void *device = lane->to->handle;
  if (!lane->taken) TRM_TRY(trmi_mark_create(lane->to, &lane->taken));
  TRM_TRY(table->queue_wait(device, queue, lane->sent->handle));
  TRM_TRY(lane->by_launch ? pack_across(lane->to, from, to, count)
                          : copy_each(lane, from, to, count));
  TRM_TRY(table->queue_record(device, queue, lane->taken->handle));
  lane->was_taken = 1;
  return TRM_OK;
}

static trm_status get(crew_lane *lane, const ranks_piece *pieces, size_t count, trm_queue queue)
{
  trm_device *to = lane->to;
  const trm_backend *table = to->table;
  const size_t bytes = ranks_bytes(pieces, count);
  trm_buffer *arrived, *packed = lane->packed.buffers[lane->packed.count - 1];
  if (!lane->taken) TRM_TRY(trmi_mark_create(to, &lane->taken));
  if (!lane->unpacked) TRM_TRY(trmi_mark_create(to, &lane->unpacked));
  TRM_TRY(make_room(to, &lane->arrived, bytes, &arrived));
  TRM_TRY(table->queue_wait(to->handle, TRM_QUEUE_ARRIVALS, lane->sent->handle));
  if (lane->was_unpacked)
    TRM_TRY(table->queue_wait(to->handle, TRM_QUEUE_ARRIVALS, lane->unpacked->handle));
  TRM_TRY(table->arrive(to->handle, arrived->handle, 0, lane->from->handle, packed->handle, 0,
                        bytes));
  TRM_TRY(table->queue_record(to->handle, TRM_QUEUE_ARRIVALS, lane->taken->handle));
  TRM_TRY(table->queue_wait(to->handle, queue, lane->taken->handle));
  TRM_TRY(pack_out_of(to, pieces, count, arrived));
  TRM_TRY(table->queue_record(to->handle, queue, lane->unpacked->handle));
  lane->was_taken = lane->was_unpacked = 1;
  return TRM_OK;
}

trm_status lane_get(crew_lane *lane, const ranks_piece *from, const ranks_piece *to, size_t count,
                    trm_queue queue, int is_good)
{
  trm_status status = TRM_OK;
  if (is_good)
    status = lane->way == LANE_PACKED ? get(lane, to, count, queue)
                                      : get_straight(lane, from, to, count, queue);
  atomic_store(&lane->is_free, 1);
  return status;
}
