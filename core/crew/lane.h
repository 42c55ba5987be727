/* lane.h - rows from one device to another of the same backend, without the host's memory. The
 * sender packs the rows. The receiver copies the packed rows beside its launches, and unpacks them.
 * If the receiver can read the sender's memory, a launch of the receiver reads the rows there
 * instead, unless they are many and other launches run. If the pieces are few or long, the receiver
 * copies each to its place. No thread waits for a device: the devices wait for each other.
 *
 * The sender packs, and the receiver unpacks, in one of the two queues of its device.
 *
 * A transfer is a put by the sender's thread, then a get by the receiver's. A lane carries one
 * at a time: a put begins when the get before it was given to the device (lane_is_free). */
#ifndef TRIREME_LANE_H
#define TRIREME_LANE_H

#include "core/crew/ranks.h"

typedef struct crew_lane crew_lane;

/* Whether the backend of both can do so. */
int lane_can(const trm_device *from, const trm_device *to);
/* reaches: whether `to` can read buffers of `from` in launches. */
trm_status lane_create(trm_device *from, trm_device *to, int reaches, crew_lane **out);
/* Once both devices are done. */
void lane_destroy(crew_lane **lane);

/* The queue is the one that the device uses (queue_use). lane_get ends the transfer also where
 * lane_put failed, or was never made (is_good 0). */
int lane_is_free(const crew_lane *lane);
void lane_take(crew_lane *lane);
/* may_be_read: the receiver gets them before it is given another command. */
trm_status lane_put(crew_lane *lane, const ranks_piece *pieces, size_t count, trm_queue queue,
                    int may_be_read);
trm_status lane_get(crew_lane *lane, const ranks_piece *from, const ranks_piece *to, size_t count,
                    trm_queue queue, int is_good);
/* How this transfer goes. LANE_PACKED: the sender packs the rows, and may write them again at once.
 * LANE_STRAIGHT: the receiver fetches the rows from their place, in its second queue. LANE_READ: a
 * launch in the receiver's queue of commands reads them from their place. In the last two cases the
 * sender must not write the rows before lane_leave, which makes its queue wait for the receiver.
 * Call lane_leave when the lane is free, before the sender's two queues come together. For
 * LANE_READ call it also before a launch that writes a buffer for which lane_has is 1. */
typedef enum lane_way { LANE_PACKED, LANE_STRAIGHT, LANE_READ } lane_way;
lane_way lane_goes(const crew_lane *lane);
trm_status lane_leave(crew_lane *lane, trm_queue queue);
/* Whether rows that are read are of a buffer with this handle. */
int lane_has(const crew_lane *lane, const void *buffer);

#endif
