/* driver.h - a thread for each device of this process that is one of several: it carries out, in
 * order, what it is given, so that the devices work at the same time and nobody waits but for the
 * rows that he needs.
 *
 * While a driver has orders, its device and what belongs to it are its own; whoever asks something
 * of the device itself settles it first. The first failure of any driver is kept: from then on
 * orders are dropped, and each settle fails with it. */
#ifndef TRIREME_DRIVER_H
#define TRIREME_DRIVER_H

#include "core/crew/ranks.h"

typedef struct crew_driver crew_driver;
typedef struct crew_drivers crew_drivers;

/* The command on a device of this process, at once. is_shared: of a launch that each device makes
 * for its own rows; then its time counts, in device->spent. */
trm_status driver_carry_out(trm_device *device, const trm_command *command, int is_shared);
/* A clock, in seconds. */
double driver_now(void);

/* Of `count` devices; NULL where a device has none (of another rank). */
trm_status drivers_create(trm_device *const *devices, size_t count, crew_drivers **out);
/* After all of them have come to the end of their orders. */
void drivers_destroy(crew_drivers **drivers);

/* The next order of device m, in a queue of it. The command names handles of the device. is_shared:
 * of a launch that each device makes for its own rows; then its time counts. */
trm_status drivers_command(crew_drivers *drivers, size_t m, const trm_command *command,
                           int is_shared, trm_queue queue);
/* Whether device m has a second queue beside that of commands. What goes into one of them begins
 * when all is done that was given to the other one before. */
int drivers_have_queues(const crew_drivers *drivers, size_t m);
void drivers_fork(crew_drivers *drivers, size_t m); /* the second queue, after commands */
void drivers_join(crew_drivers *drivers, size_t m); /* commands, after the second queue */
/* Rows from buffers of device m to those of device to_m: from[i] to to[i], malloc'd, freed with
 * the parcel; by a lane (lane.h) where there can be one, else through the host's memory; in this
 * queue of each. All puts of an exchange, or of a part of it that all members take part in, are
 * ordered before its gets: then no driver waits for one that waits. at_once: nothing is ordered
 * between those puts and gets. */
typedef struct crew_parcel crew_parcel;
trm_status drivers_put(crew_drivers *drivers, size_t m, size_t to_m, ranks_piece *from,
                       ranks_piece *to, size_t count, trm_queue queue, int at_once,
                       crew_parcel **parcel);
void drivers_get(crew_drivers *drivers, size_t m, crew_parcel *parcel);

/* Waits until device m, or each, has carried out its orders; on a GPU what was launched may still
 * run. */
trm_status drivers_settle(crew_drivers *drivers, size_t m);
trm_status drivers_settle_all(crew_drivers *drivers);

/* Seconds that device m has worked on shared launches, and waited for rows and moved them, since
 * the last call of drivers_clear. A GPU's launches take the time that it takes to ask for them,
 * unless is_exact: then each is waited for. */
typedef struct crew_times { double launches, rows; } crew_times;
void drivers_clear(crew_drivers *drivers, int is_exact);
crew_times drivers_times(crew_drivers *drivers, size_t m);

#endif
