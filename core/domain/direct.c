/* direct.c - see direct.h. Three marks keep two devices in step. `sent` is of the sender: the rows
 * are packed and may be copied. `taken` is of the receiver: they were copied, and the sender may
 * pack the next ones. `unpacked` is of the receiver: they are in their places, and the next ones
 * may be copied. */
#include "core/domain/direct.h"

#include <stdlib.h>
#include <string.h>

#include "core/crew/pack.h"

enum { GROWTHS = 64 };          /* each at least doubles the memory */

/* Memory that only grows. A buffer that has become too small stays: a device may still use it. */
typedef struct room {
  trm_buffer *buffers[GROWTHS];
  size_t count, bytes;          /* of the last one */
} room;

/* To and from another part. */
typedef struct way {
  int is_open;
  room packed, arrived;
  trm_event *sent, *taken, *unpacked;
  int was_unpacked;             /* this mark has been recorded */
  void *due;                    /* request for the answer to the last note */
  void *answered;               /* request of the own answer */
  void *their_taken, *own_taken; /* answers: marks that were recorded; NULL: none yet */
} way;

struct domain_direct {
  trm_device *device;
  domain_comm comm;
  way ways[];
};

/* ---- life ------------------------------------------------------------------------ */

trm_status domain_direct_create(trm_device *device, const domain_comm *comm, domain_direct **out)
{
  const size_t parts = (size_t)comm->place.size;
  domain_direct *made = calloc(1, sizeof *made + parts * sizeof *made->ways);
  if (!made) return TRM_FAIL(NO_HOST_MEMORY, "no memory for rows between devices");
  made->device = device;
  made->comm = *comm;
  *out = made;
  return TRM_OK;
}

static void free_room(room *r)
{
  for (size_t i = 0; i < r->count; i++) trm_buffer_destroy(&r->buffers[i]);
}

void domain_direct_destroy(domain_direct **direct)
{
  domain_direct *d = *direct;
  if (!d) return;
  for (int i = 0; i < d->comm.place.size; i++) {
    way *w = &d->ways[i];
    trm_event_destroy(&w->sent);
    trm_event_destroy(&w->taken);
    trm_event_destroy(&w->unpacked);
    free_room(&w->packed);
    free_room(&w->arrived);
  }
  free(d);
  *direct = NULL;
}

void domain_direct_open(domain_direct *d, size_t part) { d->ways[part].is_open = 1; }

int domain_direct_reaches(const domain_direct *d, size_t part)
{
  return d && d->ways[part].is_open;
}

/* ---- on the device ----------------------------------------------------------------- */

static trm_status make_room(trm_device *device, room *r, size_t bytes, trm_buffer **out)
{
  if (r->bytes < bytes) {
    const size_t more = r->count ? 2 * bytes : bytes;
    TRM_TRY(trm_buffer_create(device, more, "rows between devices", &r->buffers[r->count]));
    r->count++;
    r->bytes = more;
  }
  *out = r->buffers[r->count - 1];
  return TRM_OK;
}

static trm_status make_mark(trm_device *device, trm_event **mark)
{
  return *mark ? TRM_OK : trmi_mark_create(device, mark);
}

static trm_status pack(const domain_direct *d, way *w, const ranks_piece *pieces, size_t count,
                       domain_note *out)
{
  trm_device *device = d->device;
  const trm_backend *table = device->table;
  trm_buffer *packed;
  TRM_TRY(make_mark(device, &w->sent));
  TRM_TRY(make_room(device, &w->packed, ranks_bytes(pieces, count), &packed));
  if (w->their_taken)
    TRM_TRY(table->queue_wait(device->handle, TRM_QUEUE_COMMANDS, w->their_taken));
  TRM_TRY(pack_into(device, pieces, count, packed));
  TRM_TRY(table->queue_record(device->handle, TRM_QUEUE_COMMANDS, w->sent->handle));
  *out = (domain_note){ device->handle, packed->handle, w->sent->handle };
  return TRM_OK;
}

static trm_status copy(const domain_direct *d, way *w, const domain_note *note,
                       const ranks_piece *pieces, size_t count)
{
  trm_device *device = d->device;
  const trm_backend *table = device->table;
  const size_t bytes = ranks_bytes(pieces, count);
  void *own = device->handle;
  trm_buffer *arrived;
  TRM_TRY(make_mark(device, &w->taken));
  TRM_TRY(make_mark(device, &w->unpacked));
  TRM_TRY(make_room(device, &w->arrived, bytes, &arrived));
  TRM_TRY(table->queue_wait(own, TRM_QUEUE_ARRIVALS, note->sent));
  if (w->was_unpacked) TRM_TRY(table->queue_wait(own, TRM_QUEUE_ARRIVALS, w->unpacked->handle));
  TRM_TRY(table->arrive(own, arrived->handle, 0, note->device, note->packed, 0, bytes));
  TRM_TRY(table->queue_record(own, TRM_QUEUE_ARRIVALS, w->taken->handle));
  w->own_taken = w->taken->handle;
  TRM_TRY(table->queue_wait(own, TRM_QUEUE_COMMANDS, w->taken->handle));
  TRM_TRY(pack_out_of(device, pieces, count, arrived));
  TRM_TRY(table->queue_record(own, TRM_QUEUE_COMMANDS, w->unpacked->handle));
  w->was_unpacked = 1;
  return TRM_OK;
}

/* ---- between the parts --------------------------------------------------------------- */

enum { NOTES, ANSWERS };        /* channels */

static void keep_first(trm_error *failed, trm_status status)
{
  if (status != TRM_OK && failed->status == TRM_OK) *failed = *trm_error_last();
}

static trm_status wait_for(const domain_direct *d, domain_post *post, void **request)
{
  TRM_TRY(domain_post_check(post));
  return domain_post_note(post, d->comm.table->wait(d->comm.handle, request));
}

trm_status domain_direct_send(domain_direct *d, domain_post *post, size_t to,
                              const ranks_piece *pieces, size_t count, trm_error *failed)
{
  const trm_comm *table = d->comm.table;
  way *w = &d->ways[to];
  unsigned char *bytes;
  domain_note note = { NULL, NULL, NULL };
  TRM_TRY(wait_for(d, post, &w->due));
  if (failed->status == TRM_OK) keep_first(failed, pack(d, w, pieces, count, &note));
  TRM_TRY(domain_post_room(post, to, sizeof note, &bytes));
  memcpy(bytes, &note, sizeof note);
  TRM_TRY(domain_post_send(post, to, sizeof note));
  return domain_post_note(post, table->receive(d->comm.handle, (int)to, ANSWERS, &w->their_taken,
                                               sizeof w->their_taken, &w->due));
}

trm_status domain_direct_take(domain_direct *d, domain_post *post, size_t from,
                              const ranks_piece *pieces, size_t count, trm_error *failed)
{
  const trm_comm *table = d->comm.table;
  way *w = &d->ways[from];
  const unsigned char *bytes;
  domain_note note;
  TRM_TRY(domain_post_wait(post, from, &bytes));
  memcpy(&note, bytes, sizeof note);
  TRM_TRY(wait_for(d, post, &w->answered));
  if (note.packed && failed->status == TRM_OK) keep_first(failed, copy(d, w, &note, pieces,
                                                                       count));
  return domain_post_note(post, table->send(d->comm.handle, (int)from, ANSWERS, &w->own_taken,
                                            sizeof w->own_taken, &w->answered));
}
