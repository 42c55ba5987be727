/* threads.c - parts of one run as threads of this process (threads.h): their life, and collective
 * calls. In a collective call all parts read each other's memory. */
#include "core/domain/thread_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPINS = 4000 };          /* looks before a part sleeps */

/* ---- collective calls ------------------------------------------------------------ */

/* Waits until all parts have come. `shown` is for the others; NULL: as in the last meeting. */
static trm_status meet(part *own, const void *shown)
{
  threads *all = own->all;
  pthread_mutex_lock(&all->lock);
  if (shown) own->shown = shown;
  atomic_store(&own->has_met, 0);
  if (++all->arrived == all->count) {
    all->arrived = 0;
    for (int i = 0; i < all->count; i++) thread_complete(&all->parts[i], &all->parts[i].has_met);
  }
  pthread_mutex_unlock(&all->lock);
  return thread_wait(own, &own->has_met, -1);
}

static trm_status broadcast(void *handle, int from, void *bytes, size_t count)
{
  part *own = handle;
  TRM_TRY(meet(own, bytes));
  if (own->number != from) memcpy(bytes, own->all->parts[from].shown, count);
  return meet(own, NULL);
}

static trm_status allgather(void *handle, void *all_bytes, const size_t *counts)
{
  part *own = handle;
  size_t at = 0;
  TRM_TRY(meet(own, all_bytes));
  for (int i = 0; i < own->all->count; at += counts[i++]) {
    const unsigned char *from = own->all->parts[i].shown;
    if (i != own->number) memcpy((unsigned char *)all_bytes + at, from + at, counts[i]);
  }
  return meet(own, NULL);
}

static void find_largest(const part *own, size_t count, int64_t *out)
{
  for (size_t k = 0; k < count; k++)
    for (int i = 0; i < own->all->count; i++) {
      const int64_t *values = own->all->parts[i].shown;
      if (i == 0 || values[k] > out[k]) out[k] = values[k];
    }
}

static trm_status maxima(void *handle, int64_t *values, size_t count)
{
  part *own = handle;
  int64_t *largest = calloc(count + 1, sizeof *largest);
  if (!largest) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu maxima", count);
  trm_status status = meet(own, values);
  if (status == TRM_OK) find_largest(own, count, largest);
  if (status == TRM_OK) status = meet(own, NULL); /* all have read */
  if (status == TRM_OK) memcpy(values, largest, count * sizeof *values);
  free(largest);
  return status;
}

/* ---- life ------------------------------------------------------------------------ */

static trm_status close_part(void *handle)
{
  part *own = handle;
  threads *all = own->all;
  pthread_mutex_lock(&all->lock);
  if (!own->has_left) all->left++;
  own->has_left = 1;
  thread_check_stuck(all);
  for (int i = 0; i < all->count && all->left == all->count; i++)
    pthread_cond_signal(&all->parts[i].changed);
  pthread_mutex_unlock(&all->lock);
  return TRM_OK;
}

void domain_threads_leave(const domain_comm *comm)
{
  part *own = comm->handle;
  threads *all = own->all;
  (void)close_part(own);
  pthread_mutex_lock(&all->lock);
  while (all->left < all->count) pthread_cond_wait(&own->changed, &all->lock);
  pthread_mutex_unlock(&all->lock);
}

static void abort_all(void *handle, int exit_code)
{
  part *own = handle;
  (void)exit_code;
  pthread_mutex_lock(&own->all->lock);
  (void)TRM_FAIL(DEVICE, "part %d has ended the run", own->number);
  thread_fail_all(own->all);
  pthread_mutex_unlock(&own->all->lock);
}

static const trm_comm table = {
  .abi = TRM_COMM_ABI,
  .bytes = sizeof(trm_comm),
  .name = "threads",
  .summary = "threads of one process",
  .close = close_part,
  .abort = abort_all,
  .send = thread_send,
  .receive = thread_receive,
  .wait = thread_wait_message,
  .test = thread_test_message,
  .broadcast = broadcast,
  .allgather = allgather,
  .maxima = maxima,
};

/* With the error that was recorded last, if it has failed. */
static void end_part(part *own, trm_status status)
{
  threads *all = own->all;
  pthread_mutex_lock(&all->lock);
  trmi_error_first(&all->first, status);
  pthread_mutex_unlock(&all->lock);
  (void)close_part(own);
}

static domain_comm comm_of(part *own)
{
  const threads *all = own->all;
  domain_comm comm = { .table = &table, .handle = own, .called = "part", .is_one_process = 1,
                       .place = { .rank = own->number, .size = all->count,
                                  .node_rank = own->number, .node_size = all->count } };
  snprintf(comm.place.library, sizeof comm.place.library, "%s", table.summary);
  return comm;
}

static void *run_part(void *handle)
{
  part *own = handle;
  const domain_comm comm = comm_of(own);
  end_part(own, own->all->run(own->all->user, &comm));
  return NULL;
}

static void destroy(threads *all)
{
  for (int i = 0; i < all->count; i++) {
    part *one = &all->parts[i];
    thread_free_messages(one);
    pthread_cond_destroy(&one->changed);
  }
  pthread_mutex_destroy(&all->lock);
  free(all->lines);
  free(all);
}

static threads *create(int count, domain_part_fn *run, void *user)
{
  threads *all = calloc(1, sizeof *all + (size_t)count * sizeof *all->parts);
  const size_t pairs = (size_t)count * (size_t)count;
  message **lines = calloc(pairs * TRM_COMM_CHANNELS, sizeof(message *));
  if (!all || !lines) {
    free(all);
    free(lines);
    return NULL;
  }
  all->lines = lines;
  all->count = count;
  all->run = run;
  all->user = user;
  all->spins = sysconf(_SC_NPROCESSORS_ONLN) >= (long)count ? SPINS : 0;
  pthread_mutex_init(&all->lock, NULL);
  for (int i = 0; i < count; i++) {
    all->parts[i].all = all;
    all->parts[i].number = i;
    all->parts[i].spins = all->spins;
    pthread_cond_init(&all->parts[i].changed, NULL);
  }
  return all;
}

/* If there is no thread for a part, the other parts find that it has ended. */
static void start(part *one)
{
  one->has_thread = pthread_create(&one->thread, NULL, run_part, one) == 0;
  if (one->has_thread) return;
  (void)TRM_FAIL(NO_HOST_MEMORY, "no memory for the thread of part %d", one->number);
  end_part(one, TRM_ERROR_NO_HOST_MEMORY);
}

trm_status domain_threads_begin(int count, domain_part_fn *run, void *user, domain_comm *out)
{
  if (count <= 0 || !run) return TRM_FAIL(INVALID, "domain_threads_begin: %d parts", count);
  threads *all = create(count, run, user);
  if (!all) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %d parts", count);
  for (int i = 1; i < count; i++) start(&all->parts[i]);
  *out = comm_of(&all->parts[0]);
  return TRM_OK;
}

trm_status domain_threads_end(const domain_comm *comm, trm_status own)
{
  threads *all = ((part *)comm->handle)->all;
  end_part(&all->parts[0], own);
  for (int i = 1; i < all->count; i++)
    if (all->parts[i].has_thread) pthread_join(all->parts[i].thread, NULL);
  const trm_error first = all->first;
  destroy(all);
  return trmi_error_again(&first);
}

trm_status domain_threads_run(int count, domain_part_fn *run, void *user)
{
  domain_comm comm;
  TRM_TRY(domain_threads_begin(count, run, user, &comm));
  return domain_threads_end(&comm, run(user, &comm));
}
