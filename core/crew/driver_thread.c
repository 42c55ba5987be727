/* driver_thread.c - the thread that drives a device: it carries out orders, one after the other. */
#include "core/crew/driver_thread.h"

#include <stdlib.h>
#include <time.h>

/* ---- waiting ----------------------------------------------------------------- */

static int has_more(const void *driver, size_t done)
{
  return atomic_load(&((const crew_driver *)driver)->given) > done;
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

/* With the lock. */
static void call_who_can_go_on(crew_drivers *all)
{
  crew_sleeper *others = NULL;
  for (crew_sleeper *one = atomic_load(&all->asleep), *next; one; one = next) {
    next = one->next;
    if (one->is_so(one->what, one->number)) {
      one->is_called = 1;
      pthread_cond_signal(&one->call);
    } else {
      one->next = others;
      others = one;
    }
  }
  atomic_store(&all->asleep, others);
}

/* A sleeper is in the list before it looks for the last time. A thread that changes something
 * looks at the list after that. So one of the two sees the other. */
void drivers_wait(crew_drivers *all, is_so_fn *is_so, const void *what, size_t number)
{
  for (int i = 0; i <= all->spins; i++) {
    if (is_so(what, number)) return;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  crew_sleeper own = { .is_so = is_so, .what = what, .number = number,
                       .call = PTHREAD_COND_INITIALIZER };
  pthread_mutex_lock(&all->lock);
  own.next = atomic_load(&all->asleep);
  atomic_store(&all->asleep, &own);
  call_who_can_go_on(all);
  while (!own.is_called) pthread_cond_wait(&own.call, &all->lock);
  pthread_mutex_unlock(&all->lock);
  pthread_cond_destroy(&own.call);
}

void drivers_wake(crew_drivers *all)
{
  if (!atomic_load(&all->asleep)) return;
  pthread_mutex_lock(&all->lock);
  call_who_can_go_on(all);
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
  if (!*event) TRM_TRY(trmi_mark_create(device, event));
  TRM_TRY(device->table->queue_record(device->handle, first, (*event)->handle));
  return device->table->queue_wait(device->handle, second, (*event)->handle);
}

/* What the queue is given from now on begins once others have copied, or read, what goes to
 * them. */
static trm_status leave_in(const crew_driver *driver, trm_queue queue, crew_lane *const *lanes,
                           size_t *count)
{
  while (*count > 0) {
    crew_lane *lane = lanes[--*count];
    drivers_wait(driver->all, is_free, lane, 0);
    TRM_TRY(lane_leave(lane, queue));
  }
  return TRM_OK;
}

static trm_status leave(crew_driver *driver)
{
  size_t count = driver->read_count;
  if (driver->is_apart) TRM_TRY(leave_in(driver, TRM_QUEUE_ARRIVALS, driver->read, &count));
  return leave_in(driver, TRM_QUEUE_COMMANDS, driver->read, &driver->read_count);
}

static int is_among(crew_lane *const *lanes, size_t count, const crew_lane *lane)
{
  for (size_t i = 0; i < count; i++)
    if (lanes[i] == lane) return 1;
  return 0;
}

static trm_status put_in_lane(crew_driver *driver, crew_lane *lane, const crew_parcel *parcel)
{
  if (is_among(driver->read, driver->read_count, lane)) TRM_TRY(leave(driver));
  drivers_wait(driver->all, is_free, lane, 0);
  lane_take(lane);
  TRM_TRY(lane_put(lane, parcel->from, parcel->count, parcel->queue, parcel->at_once));
  if (lane_goes(lane) == LANE_STRAIGHT) driver->straight[driver->straight_count++] = lane;
  if (lane_goes(lane) == LANE_READ) driver->read[driver->read_count++] = lane;
  return TRM_OK;
}

static trm_status put(crew_driver *driver, crew_parcel *parcel)
{
  if (parcel->lane) return put_in_lane(driver, parcel->lane, parcel);
  const size_t bytes = ranks_bytes(parcel->from, parcel->count);
  parcel->bytes = malloc(bytes);
  if (!parcel->bytes) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes between devices",
                                      bytes);
  return ranks_read_rows(parcel->from, parcel->count, parcel->bytes);
}

/* What is given to the queue of commands begins after the second one, and once others have copied
 * what went to them straight. The second queue waits for that, which is long over when the rows in
 * it are done: a wait for another GPU takes longer than one for a queue of the same. */
static trm_status come_together(crew_driver *driver)
{
  TRM_TRY(leave_in(driver, TRM_QUEUE_ARRIVALS, driver->straight, &driver->straight_count));
  driver->is_apart = 0;
  TRM_TRY(leave(driver));
  return follow(driver, TRM_QUEUE_ARRIVALS, TRM_QUEUE_COMMANDS, &driver->joined);
}

/* What others still read of this device is waited for by launches that write it, in either queue:
 * what arrives is no row of its own. */
static trm_status go_apart(crew_driver *driver)
{
  driver->is_apart = 1;
  return follow(driver, TRM_QUEUE_COMMANDS, TRM_QUEUE_ARRIVALS, &driver->forked);
}

/* Whether the command writes what others may still be reading. */
static int is_read(const crew_driver *driver, const trm_command *command)
{
  const int is_launch = command->kind == TRM_COMMAND_LAUNCH;
  for (size_t i = 0; i < driver->read_count; i++)
    for (uint32_t b = 0; b < (is_launch ? command->buffer_count : 1); b++)
      if ((!is_launch || command->declaration->access[b] == 'w') &&
          lane_has(driver->read[i], command->buffers[b]))
        return 1;
  return 0;
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
  trmi_count_command(&device->counters, command);
  trmi_log_to(device->context);
  trm_status status = device->table->enqueue(device->handle, command);
  if (is_shared && device->is_exact && status == TRM_OK)
    status = device->table->finish(device->handle);
  if (is_shared) device->spent.launches += driver_now() - begin;
  return status;
}

static trm_status launch(crew_driver *driver, const order *one)
{
  trm_device *device = driver->device;
  if (is_read(driver, &one->command)) TRM_TRY(leave(driver));
  TRM_TRY(driver_carry_out(device, &one->command, 0));
  return driver->all->is_exact ? device->table->finish(device->handle) : TRM_OK;
}

/* Every parcel is filled and every one is freed, after a failure too: nobody waits in vain. */
static void carry_out(crew_driver *driver, const order *one)
{
  crew_drivers *all = driver->all;
  const double begin = driver_now();
  if (one->kind == ORDER_GET) drivers_wait(all, is_there, one->parcel, 0);
  if (one->queue != TRM_QUEUE_COMMANDS) note(all, use(driver, one->queue));
  const int is_good = !atomic_load(&all->has_failed);
  if (one->kind == ORDER_COMMAND && is_good) note(all, launch(driver, one));
  if (one->kind == ORDER_FORK && is_good) note(all, go_apart(driver));
  if (one->kind == ORDER_LEAVE && is_good) note(all, leave(driver));
  if (one->kind == ORDER_JOIN && is_good) note(all, come_together(driver));
  if (one->kind == ORDER_PUT) {
    const trm_status status = is_good ? put(driver, one->parcel) : TRM_OK;
    note(all, status);
    one->parcel->is_put = is_good && status == TRM_OK;
    atomic_store(&one->parcel->is_there, 1);
    drivers_wake(all);
  }
  if (one->kind == ORDER_GET) {
    note(all, get(one->parcel, is_good));
    free_parcel(one->parcel);
  }
  if (one->queue != TRM_QUEUE_COMMANDS) note(all, use(driver, TRM_QUEUE_COMMANDS));
  if (one->kind != ORDER_COMMAND) driver->times.rows += driver_now() - begin;
  else if (one->is_shared) driver->times.launches += driver_now() - begin;
}

void *drivers_drive(void *argument)
{
  crew_driver *driver = argument;
  for (size_t done = 0;; done++) {
    drivers_wait(driver->all, has_more, driver, done);
    const order *one = &driver->orders[done % ROOM];
    if (one->kind == ORDER_END) return NULL;
    carry_out(driver, one);
    atomic_store(&driver->done, done + 1);
    drivers_wake(driver->all);
  }
}
