/* driver.c - the threads that drive the devices of this process: their orders, and their life. */
#include "core/crew/crew.h"
#include "core/crew/driver_thread.h"
#include "core/crew/pack.h"

#include <stdlib.h>
#include <unistd.h>

enum { SPINS = 4000 };

/* ---- orders ------------------------------------------------------------------ */

static int has_room(const void *driver, size_t given)
{
  return given - atomic_load(&((const crew_driver *)driver)->done) < ROOM;
}

static int is_done(const void *driver, size_t given)
{
  return atomic_load(&((const crew_driver *)driver)->done) >= given;
}

static order *next_order(crew_driver *driver, order_kind kind, trm_queue queue)
{
  const size_t given = atomic_load(&driver->given);
  drivers_wait(driver->all, has_room, driver, given);
  order *one = &driver->orders[given % ROOM];
  one->kind = kind;
  one->queue = queue;
  return one;
}

static void give(crew_driver *driver)
{
  atomic_fetch_add(&driver->given, 1);
  drivers_wake(driver->all);
}

static trm_status how_it_went(crew_drivers *all)
{
  if (!atomic_load(&all->has_failed)) return TRM_OK;
  pthread_mutex_lock(&all->lock);
  const trm_error cause = all->cause;
  pthread_mutex_unlock(&all->lock);
  return trm_error_record(cause.status, cause.file, cause.line, "%s", cause.text);
}

trm_status drivers_command(crew_drivers *all, size_t m, const trm_command *command, int is_shared,
                           trm_queue queue)
{
  crew_driver *driver = &all->each[m];
  order *one = next_order(driver, ORDER_COMMAND, queue);
  one->is_shared = is_shared;
  one->command = *command;
  give(driver);
  return how_it_went(all);
}

/* Not where each launch is waited for: that is said of the queue of commands. */
int drivers_have_queues(const crew_drivers *all, size_t m)
{
  const trm_device *device = all->each[m].device;
  return !all->is_exact && device && device->table->queue_use;
}

static void turn(crew_drivers *all, size_t m, order_kind kind)
{
  (void)next_order(&all->each[m], kind, TRM_QUEUE_COMMANDS);
  give(&all->each[m]);
}

void drivers_fork(crew_drivers *all, size_t m) { turn(all, m, ORDER_FORK); }

void drivers_join(crew_drivers *all, size_t m) { turn(all, m, ORDER_JOIN); }

/* The lane for a transfer; *out is NULL where the rows go through the host's memory. */
static trm_status find_lane(crew_drivers *all, size_t m, size_t to, const ranks_piece *pieces,
                            size_t count, crew_lane **out)
{
  trm_device *from_device = all->each[m].device, *to_device = all->each[to].device;
  crew_way *way = &all->ways[m * all->count + to];
  *out = NULL;
  if (!lane_can(from_device, to_device) || !pack_can(pieces, count)) return TRM_OK;
  crew_lane **lane = &way->lanes[way->next++ % LANES];
  if (!*lane) TRM_TRY(lane_create(from_device, to_device, way->reaches, lane));
  *out = *lane;
  return TRM_OK;
}

trm_status drivers_put(crew_drivers *all, size_t m, size_t to_m, ranks_piece *from,
                       ranks_piece *to, size_t count, trm_queue queue, int at_once,
                       crew_parcel **parcel)
{
  crew_driver *driver = &all->each[m];
  crew_lane *lane = NULL;
  trm_status status = find_lane(all, m, to_m, from, count, &lane);
  crew_parcel *made = status == TRM_OK ? calloc(1, sizeof *made) : NULL;
  if (!made) {
    free(from);
    free(to);
    return status != TRM_OK ? status
                            : TRM_FAIL(NO_HOST_MEMORY, "no memory for rows between devices");
  }
  *made = (crew_parcel){ .from = from, .to = to, .count = count, .queue = queue,
                         .at_once = at_once, .lane = lane };
  order *one = next_order(driver, ORDER_PUT, queue);
  one->parcel = made;
  if (lane && at_once) driver->may_be_read = 1;
  *parcel = made;
  give(driver);
  return TRM_OK;
}

void drivers_get(crew_drivers *all, size_t m, crew_parcel *parcel)
{
  crew_driver *driver = &all->each[m];
  order *one = next_order(driver, ORDER_GET, parcel->queue);
  one->parcel = parcel;
  give(driver);
}

trm_status drivers_settle(crew_drivers *all, size_t m)
{
  crew_driver *driver = &all->each[m];
  if (driver->may_be_read) turn(all, m, ORDER_LEAVE);
  driver->may_be_read = 0;
  if (driver->device) drivers_wait(all, is_done, driver, atomic_load(&driver->given));
  return how_it_went(all);
}

trm_status drivers_settle_all(crew_drivers *all)
{
  for (size_t m = 0; m < all->count; m++) (void)drivers_settle(all, m);
  return how_it_went(all);
}

void drivers_clear(crew_drivers *all, int is_exact)
{
  (void)drivers_settle_all(all);
  for (size_t m = 0; m < all->count; m++) all->each[m].times = (crew_times){ 0, 0 };
  all->is_exact = is_exact;
}

crew_times drivers_times(crew_drivers *all, size_t m)
{
  (void)drivers_settle(all, m);
  return all->each[m].times;
}

/* ---- life -------------------------------------------------------------------- */

static trm_status start(crew_driver *driver, trm_device *device)
{
  driver->orders = calloc(ROOM, sizeof *driver->orders);
  driver->straight = calloc(LANES * driver->all->count, sizeof *driver->straight);
  driver->read = calloc(LANES * driver->all->count, sizeof *driver->read);
  if (!driver->orders || !driver->straight || !driver->read ||
      pthread_create(&driver->thread, NULL, drivers_drive, driver) != 0)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for a thread that drives a device");
  driver->device = device;
  return TRM_OK;
}

/* Before the devices have threads. */
static trm_status find_peer_access(crew_drivers *all, trm_device *const *devices)
{
  for (size_t m = 0; m < all->count; m++)
    for (size_t to = 0; to < all->count; to++)
      if (to != m && lane_can(devices[m], devices[to]) && devices[to]->table->peer_access)
        TRM_TRY(devices[to]->table->peer_access(devices[to]->handle, devices[m]->handle,
                                          &all->ways[m * all->count + to].reaches));
  return TRM_OK;
}

trm_status drivers_create(trm_device *const *devices, size_t count, crew_drivers **out)
{
  crew_drivers *all = calloc(1, sizeof *all + count * sizeof *all->each);
  trm_status status = TRM_OK;
  if (!all) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the threads that drive devices");
  pthread_mutex_init(&all->lock, NULL);
  all->count = count;
  all->ways = calloc(count * count, sizeof *all->ways);
  if (!all->ways) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for what drives devices");
  all->spins = sysconf(_SC_NPROCESSORS_ONLN) > (long)count ? SPINS : 0;
  for (size_t m = 0; m < count; m++) all->each[m].all = all;
  if (status == TRM_OK) status = find_peer_access(all, devices);
  for (size_t m = 0; m < count && status == TRM_OK; m++) status = start(&all->each[m], devices[m]);
  if (status != TRM_OK) drivers_destroy(&all);
  else *out = all;
  return status;
}

/* No device may use a lane any more: errors are of no use to anyone here. */
static void free_ways(crew_drivers *all)
{
  trm_error kept;
  trmi_error_keep(&kept);
  for (size_t m = 0; m < all->count; m++)
    if (all->each[m].device) (void)all->each[m].device->table->finish(all->each[m].device->handle);
  trmi_error_restore(&kept);
  for (size_t w = 0; all->ways && w < all->count * all->count; w++)
    for (size_t i = 0; i < LANES; i++) lane_destroy(&all->ways[w].lanes[i]);
  free(all->ways);
}

void drivers_destroy(crew_drivers **drivers)
{
  crew_drivers *all = *drivers;
  if (!all) return;
  for (size_t m = 0; m < all->count; m++) {
    crew_driver *driver = &all->each[m];
    if (driver->device) {
      (void)next_order(driver, ORDER_END, TRM_QUEUE_COMMANDS);
      give(driver);
      pthread_join(driver->thread, NULL);
    }
    free(driver->orders);
    free(driver->straight);
    free(driver->read);
    trm_event_destroy(&driver->forked);
    trm_event_destroy(&driver->joined);
  }
  free_ways(all);
  pthread_mutex_destroy(&all->lock);
  free(all);
  *drivers = NULL;
}
