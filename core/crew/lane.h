/* lane.h - rows from one device to another of the same backend, without the host's memory: the
 * sender packs them, the receiver copies them beside what it computes, and unpacks them. No
 * thread waits for a device: the devices wait for each other.
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

/* lane_get ends the transfer also where lane_put failed, or was never made (is_good 0). */
int lane_is_free(const crew_lane *lane);
void lane_take(crew_lane *lane);
trm_status lane_put(crew_lane *lane, const ranks_piece *pieces, size_t count);
trm_status lane_get(crew_lane *lane, const ranks_piece *pieces, size_t count, int is_good);

#endif
