/* driver.c - the threads that drive the devices of this process. */
#include "core/crew/crew.h"
#include "core/crew/lane.h"
#include "core/crew/pack.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 256, SPINS = 4000 };
/* From a device to another: as many as an exchange has parcels (what all rows wait for, and the
 * rest), since puts come before gets, and as many that are still unpacked. */
enum { LANES = 4 };

/* What a put leaves for a get. */
struct crew_parcel {
  ranks_piece *from, *to;
  size_t count;
  trm_queue queue;
  crew_lane *lane;              /* NULL: as bytes */
  unsigned char *bytes;
  int is_put;                   /* without a failure */
  atomic_int is_there;
};

typedef enum order_kind {
  ORDER_COMMAND, ORDER_PUT, ORDER_GET, ORDER_FORK, ORDER_JOIN, ORDER_END
} order_kind;

typedef struct order {
  order_kind kind;
  int is_shared;
  trm_queue queue;
  crew_parcel *parcel;
  trm_command command;
} order;

struct crew_driver {
  crew_drivers *all;
  trm_device *device;           /* NULL: no thread */
  pthread_t thread;
  order *orders;                /* a ring of ROOM */
  atomic_size_t given, done;
  trm_event *forked, *joined;   /* NULL until they are needed */
  crew_lane **direct;           /* whose rows others are copying, at most one for each device */
  size_t direct_count;
  crew_times times;
};

typedef struct crew_way {
  crew_lane *lanes[LANES];
  size_t next;
} crew_way;

struct crew_drivers {
  size_t count;
  crew_way *ways;                    /* count x count, from row to column */
  int spins; /* looks before a thread sleeps; 0 where threads are more than cores */
  int is_exact;
  pthread_mutex_t lock;         /* of what sleeps, and of cause */
  pthread_cond_t changed;
  atomic_int sleepers;
  atomic_int has_failed;
  trm_error cause;
  crew_driver each[];
};

/* ---- waiting ----------------------------------------------------------------- */

typedef int is_so_fn(const void *what, size_t number);

static int has_more(const void *driver, size_t done)
{
  return atomic_load(&((const crew_driver *)driver)->given) > done;
}

static int has_room(const void *driver, size_t given)
{
  return given - atomic_load(&((const crew_driver *)driver)->done) < ROOM;
}

static int is_done(const void *driver, size_t given)
{
  return atomic_load(&((const crew_driver *)driver)->done) >= given;
}

static int is_free(const void *lane, size_t number)
{
  (void)number;
  return lane_is_free(lane);
}

static int is_there(const void *parcel, size_t number)
{
  (void)number;
  return atomic_load(&((const crew_parcel *)parcel)->is_there);
}

/* A sleeper counts itself before it looks for the last time, whoever changes something looks for
 * sleepers after that: one of the two sees the other. */
static void wait_until(crew_drivers *all, is_so_fn *is_so, const void *what, size_t number)
{
  for (int i = 0; i < all->spins; i++) {
    if (is_so(what, number)) return;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  pthread_mutex_lock(&all->lock);
  atomic_fetch_add(&all->sleepers, 1);
  while (!is_so(what, number)) pthread_cond_wait(&all->changed, &all->lock);
  atomic_fetch_sub(&all->sleepers, 1);
  pthread_mutex_unlock(&all->lock);
}

static void tell_sleepers(crew_drivers *all)
{
  if (atomic_load(&all->sleepers) == 0) return;
  pthread_mutex_lock(&all->lock);
  pthread_cond_broadcast(&all->changed);
  pthread_mutex_unlock(&all->lock);
}

/* ---- the work ---------------------------------------------------------------- */

static void note(crew_drivers *all, trm_status status)
{
  if (status == TRM_OK) return;
  pthread_mutex_lock(&all->lock);
  if (!atomic_load(&all->has_failed)) all->cause = *trm_error_last();
  atomic_store(&all->has_failed, 1);
  pthread_mutex_unlock(&all->lock);
}

/* What the device is given from now on goes into this queue. */
static trm_status use(const crew_driver *driver, trm_queue queue)
{
  const trm_device *device = driver->device;
  return device->table->queue_use ? device->table->queue_use(device->handle, queue) : TRM_OK;
}

/* What is given to one queue from now on begins when all that was given to the other is done. */
static trm_status follow(crew_driver *driver, trm_queue first, trm_queue second, trm_event **event)
{
  trm_device *device = driver->device;
  if (!*event) TRM_TRY(trm_event_create(device, event));
  TRM_TRY(device->table->queue_record(device->handle, first, (*event)->handle));
  return device->table->queue_wait(device->handle, second, (*event)->handle);
}

static trm_status put(crew_driver *driver, crew_parcel *parcel)
{
  crew_drivers *all = driver->all;
  if (parcel->lane) {
    wait_until(all, is_free, parcel->lane, 0);
    lane_take(parcel->lane);
    TRM_TRY(lane_put(parcel->lane, parcel->from, parcel->count, parcel->queue));
    if (lane_is_direct(parcel->lane)) driver->direct[driver->direct_count++] = parcel->lane;
    return TRM_OK;
  }
  const size_t bytes = ranks_bytes(parcel->from, parcel->count);
  parcel->bytes = malloc(bytes);
  if (!parcel->bytes) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes between devices",
                                      bytes);
  return ranks_read_rows(parcel->from, parcel->count, parcel->bytes);
}

/* What is given to the queue of commands begins after the second one, and once others have copied
 * what went to them straight. */
static trm_status come_together(crew_driver *driver)
{
  TRM_TRY(follow(driver, TRM_QUEUE_ARRIVALS, TRM_QUEUE_COMMANDS, &driver->joined));
  while (driver->direct_count > 0) {
    crew_lane *lane = driver->direct[--driver->direct_count];
    wait_until(driver->all, is_free, lane, 0);
    TRM_TRY(lane_leave(lane));
  }
  return TRM_OK;
}

static trm_status get(const crew_parcel *parcel, int is_good)
{
  if (parcel->lane)
    return lane_get(parcel->lane, parcel->from, parcel->to, parcel->count, parcel->queue,
                    is_good && parcel->is_put);
  if (!is_good || !parcel->bytes) return TRM_OK;
  return ranks_write_rows(parcel->to, parcel->count, parcel->bytes);
}

static void free_parcel(crew_parcel *parcel)
{
  free(parcel->bytes);
  free(parcel->from);
  free(parcel->to);
  free(parcel);
}

double driver_now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

trm_status driver_carry_out(trm_device *device, const trm_command *command, int is_shared)
{
  const double begin = is_shared ? driver_now() : 0;
  trmi_tally_command(&device->tally, command);
  trmi_log_to(device->context);
  const trm_status status = device->table->enqueue(device->handle, command);
  if (is_shared) device->spent.launches += driver_now() - begin;
  return status;
}

static trm_status launch(const crew_driver *driver, const order *one)
{
  trm_device *device = driver->device;
  TRM_TRY(driver_carry_out(device, &one->command, 0));
  return driver->all->is_exact ? device->table->finish(device->handle) : TRM_OK;
}

/* Every parcel is filled and every one is freed, after a failure too: nobody waits in vain. */
static void carry_out(crew_driver *driver, const order *one)
{
  crew_drivers *all = driver->all;
  const double begin = driver_now();
  if (one->kind == ORDER_GET) wait_until(all, is_there, one->parcel, 0);
  if (one->queue != TRM_QUEUE_COMMANDS) note(all, use(driver, one->queue));
  const int is_good = !atomic_load(&all->has_failed);
  if (one->kind == ORDER_COMMAND && is_good) note(all, launch(driver, one));
  if (one->kind == ORDER_FORK && is_good)
    note(all, follow(driver, TRM_QUEUE_COMMANDS, TRM_QUEUE_ARRIVALS, &driver->forked));
  if (one->kind == ORDER_JOIN && is_good) note(all, come_together(driver));
  if (one->kind == ORDER_PUT) {
    const trm_status status = is_good ? put(driver, one->parcel) : TRM_OK;
    note(all, status);
    one->parcel->is_put = is_good && status == TRM_OK;
    atomic_store(&one->parcel->is_there, 1);
    tell_sleepers(all);
  }
  if (one->kind == ORDER_GET) {
    note(all, get(one->parcel, is_good));
    free_parcel(one->parcel);
  }
  if (one->queue != TRM_QUEUE_COMMANDS) note(all, use(driver, TRM_QUEUE_COMMANDS));
  if (one->kind != ORDER_COMMAND) driver->times.rows += driver_now() - begin;
  else if (one->is_shared) driver->times.launches += driver_now() - begin;
}

static void *drive(void *argument)
{
  crew_driver *driver = argument;
  for (size_t done = 0;; done++) {
    wait_until(driver->all, has_more, driver, done);
    const order *one = &driver->orders[done % ROOM];
    if (one->kind == ORDER_END) return NULL;
    carry_out(driver, one);
    atomic_store(&driver->done, done + 1);
    tell_sleepers(driver->all);
  }
}

/* ---- orders ------------------------------------------------------------------ */

static order *next_order(crew_driver *driver, order_kind kind, trm_queue queue)
{
  const size_t given = atomic_load(&driver->given);
  wait_until(driver->all, has_room, driver, given);
  order *one = &driver->orders[given % ROOM];
  one->kind = kind;
  one->queue = queue;
  return one;
}

static void give(crew_driver *driver)
{
  atomic_fetch_add(&driver->given, 1);
  tell_sleepers(driver->all);
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
  if (!*lane) TRM_TRY(lane_create(from_device, to_device, lane));
  *out = *lane;
  return TRM_OK;
}

trm_status drivers_put(crew_drivers *all, size_t m, size_t to_m, ranks_piece *from,
                       ranks_piece *to, size_t count, trm_queue queue, crew_parcel **parcel)
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
                         .lane = lane };
  order *one = next_order(driver, ORDER_PUT, queue);
  one->parcel = made;
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
  if (driver->device) wait_until(all, is_done, driver, atomic_load(&driver->given));
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
  driver->direct = calloc(driver->all->count, sizeof *driver->direct);
  if (!driver->orders || !driver->direct ||
      pthread_create(&driver->thread, NULL, drive, driver) != 0)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for a thread that drives a device");
  driver->device = device;
  return TRM_OK;
}

trm_status drivers_create(trm_device *const *devices, size_t count, crew_drivers **out)
{
  crew_drivers *all = calloc(1, sizeof *all + count * sizeof *all->each);
  trm_status status = TRM_OK;
  if (!all) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the threads that drive devices");
  pthread_mutex_init(&all->lock, NULL);
  pthread_cond_init(&all->changed, NULL);
  all->count = count;
  all->ways = calloc(count * count, sizeof *all->ways);
  if (!all->ways) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for what drives devices");
  all->spins = sysconf(_SC_NPROCESSORS_ONLN) > (long)count ? SPINS : 0;
  for (size_t m = 0; m < count; m++) all->each[m].all = all;
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
    free(driver->direct);
    trm_event_destroy(&driver->forked);
    trm_event_destroy(&driver->joined);
  }
  free_ways(all);
  pthread_cond_destroy(&all->changed);
  pthread_mutex_destroy(&all->lock);
  free(all);
  *drivers = NULL;
}
