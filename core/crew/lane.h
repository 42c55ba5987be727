/* lane.h - rows from one device to another of the same backend, without the host's memory: the
 * sender packs them, the receiver copies them beside what it computes, and unpacks them; where they
 * are few long pieces, the receiver copies each to its place. No thread waits for a device: the
 * devices wait for each other.
 *
 * Both work in one of the two queues of their device: pack in it, and unpack.
 *
 * A transfer is a put by the sender's thread, then a get by the receiver's. A lane carries one
 * at a time: a put begins when the get before it was given to the device (lane_is_free). */
#ifndef TRIREME_LANE_H
#define TRIREME_LANE_H

#include "core/crew/ranks.h"

typedef struct crew_lane crew_lane;

/* Whether the backend of both can do so. */
int lane_can(const trm_device *from, const trm_device *to);
trm_status lane_create(trm_device *from, trm_device *to, crew_lane **out);
/* Once both devices are done. */
void lane_destroy(crew_lane **lane);

/* The queue is the one that the device uses (queue_use). lane_get ends the transfer also where
 * lane_put failed, or was never made (is_good 0). */
int lane_is_free(const crew_lane *lane);
void lane_take(crew_lane *lane);
trm_status lane_put(crew_lane *lane, const ranks_piece *pieces, size_t count, trm_queue queue);
trm_status lane_get(crew_lane *lane, const ranks_piece *from, const ranks_piece *to, size_t count,
                    trm_queue queue, int is_good);
/* Whether this transfer goes to its places without being packed: then the sender's commands may not
 * write the rows before lane_leave, which is called once the lane is free. */
int lane_is_direct(const crew_lane *lane);
trm_status lane_leave(crew_lane *lane);

#endif
