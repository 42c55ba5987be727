/* direct.c - see direct.h. Three marks keep two devices in step. `sent` is of the sender: the rows
 * are packed and may be copied. `taken` is of the receiver: they were copied, and the sender may
 * pack the next ones. `unpacked` is of the receiver: they are in their places, and the next ones
 * may be copied. */
#include "core/domain/direct.h"

#include <stdlib.h>
#include <string.h>

#include "core/domain/threads.h"

enum { GROWTHS = 64 };          /* each at least doubles the memory */
/* Memory that processes share has a piece of the GPU's own, which no other buffer is in. */
enum { LEAST_SHARED = 2 << 20 };

/* Memory that only grows. A buffer that has become too small stays: a device may still use it. */
typedef struct room {
  trm_buffer *buffers[GROWTHS];
  size_t count, bytes;          /* of the last one */
} room;

/* The answer of a receiver: its mark, once it was recorded. */
typedef struct answer {
  void *taken;
  trm_shared shared;
  int is_taken;
} answer;

/* To and from another part. */
typedef struct way {
  room packed, arrived;
  trm_event *sent, *taken, *unpacked;
  int was_unpacked;             /* this mark has been recorded */
  void *due;                    /* request for the answer to the last note */
  void *answered;               /* request of the own answer */
  answer theirs, own;
  /* Between processes: own memory and marks as told, and those adopted of the other part. */
  trm_shared sent_shared, packed_shared;
  uint64_t told_growth;
  void *their_packed[GROWTHS], *their_sent, *their_taken;
  unsigned char own_end, their_end; /* one byte each, when the ranks leave */
} way;

enum { NOTES, ANSWERS };        /* channels */

struct domain_direct {
  trm_device *device;
  domain_comm comm;
  way *ways[];                  /* NULL: the part is not reached */
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

/* Lets go of another process's memory and marks, before that process frees them. */
static void let_go(const domain_direct *d, way *w)
{
  const trm_backend *table = d->device->table;
  void *own = d->device->handle;
  for (size_t i = 0; i < GROWTHS; i++) {
    if (w->their_packed[i]) table->buffer_destroy(own, w->their_packed[i]);
    w->their_packed[i] = NULL;
  }
  if (w->their_sent) table->event_destroy(own, w->their_sent);
  if (w->their_taken) table->event_destroy(own, w->their_taken);
  w->their_sent = w->their_taken = NULL;
}

/* A rank has let go of the memory of each other rank that it reaches, and tells it so. */
static trm_status leave_ranks(const domain_direct *d)
{
  const trm_comm *table = d->comm.table;
  void *link = d->comm.handle;
  for (int i = 0; i < d->comm.place.size; i++) {
    way *w = d->ways[i];
    if (!w) continue;
    TRM_TRY(table->wait(link, &w->due));
    TRM_TRY(table->wait(link, &w->answered));
    TRM_TRY(table->receive(link, i, NOTES, &w->their_end, 1, &w->due));
    TRM_TRY(table->send(link, i, NOTES, &w->own_end, 1, &w->answered));
  }
  for (int i = 0; i < d->comm.place.size; i++) {
    if (!d->ways[i]) continue;
    TRM_TRY(table->wait(link, &d->ways[i]->due));
    TRM_TRY(table->wait(link, &d->ways[i]->answered));
  }
  return TRM_OK;
}

void domain_direct_leave(domain_direct *d, int is_lost)
{
  trm_error kept;
  if (d->comm.is_one_process) {
    domain_threads_leave(&d->comm);
    return;
  }
  for (int i = 0; i < d->comm.place.size; i++)
    if (d->ways[i]) let_go(d, d->ways[i]);
  trmi_error_keep(&kept);
  if (!is_lost) (void)leave_ranks(d); /* after a failure the others end, too */
  trmi_error_restore(&kept);
}

void domain_direct_destroy(domain_direct **direct)
{
  domain_direct *d = *direct;
  if (!d) return;
  for (int i = 0; i < d->comm.place.size; i++) {
    way *w = d->ways[i];
    if (!w) continue;
    let_go(d, w);
    trm_event_destroy(&w->sent);
    trm_event_destroy(&w->taken);
    trm_event_destroy(&w->unpacked);
    free_room(&w->packed);
    free_room(&w->arrived);
    free(w);
  }
  free(d);
  *direct = NULL;
}

trm_status domain_direct_open(domain_direct *d, size_t part)
{
  if (!d->ways[part]) d->ways[part] = calloc(1, sizeof *d->ways[part]);
  return d->ways[part] ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for rows between devices");
}

int domain_direct_reaches(const domain_direct *d, size_t part)
{
  return d && d->ways[part];
}

/* ---- on the device ----------------------------------------------------------------- */

static int is_shared(const domain_direct *d) { return !d->comm.is_one_process; }

static trm_status make_room(const domain_direct *d, room *r, size_t bytes, trm_buffer **out)
{
  if (is_shared(d) && bytes < LEAST_SHARED) bytes = LEAST_SHARED;
  if (r->bytes < bytes) {
    const size_t more = r->count ? 2 * bytes : bytes;
    TRM_TRY(trm_buffer_create(d->device, more, "rows between devices", &r->buffers[r->count]));
    r->count++;
    r->bytes = more;
  }
  *out = r->buffers[r->count - 1];
  return TRM_OK;
}

/* The other part waits for this mark, too. shared: between processes, how to reach the mark. */
static trm_status make_told_mark(const domain_direct *d, trm_event **mark, trm_shared *shared)
{
  if (*mark) return TRM_OK;
  if (!is_shared(d)) return trmi_mark_create(d->device, mark);
  TRM_TRY(trmi_mark_create_shared(d->device, mark));
  return d->device->table->share(d->device->handle, NULL, (*mark)->handle, shared);
}

static trm_status tell_packed(const domain_direct *d, way *w, const trm_buffer *packed)
{
  if (!is_shared(d) || w->told_growth == w->packed.count) return TRM_OK;
  TRM_TRY(d->device->table->share(d->device->handle, packed->handle, NULL, &w->packed_shared));
  w->told_growth = w->packed.count;
  return TRM_OK;
}

/* The other part's mark, in terms of this part's device; NULL: it was not recorded yet. */
static trm_status find_taken(const domain_direct *d, way *w, void **out)
{
  *out = w->theirs.is_taken ? w->theirs.taken : NULL;
  if (!w->theirs.is_taken || !is_shared(d)) return TRM_OK;
  if (!w->their_taken)
    TRM_TRY(d->device->table->adopt(d->device->handle, &w->theirs.shared, NULL, &w->their_taken));
  *out = w->their_taken;
  return TRM_OK;
}

/* The other part's packed rows and mark; `device` is that of which the rows are. */
static trm_status find_sent(const domain_direct *d, way *w, domain_note *note)
{
  const trm_backend *table = d->device->table;
  void *own = d->device->handle;
  if (!is_shared(d)) return TRM_OK;
  if (note->growth == 0 || note->growth > GROWTHS)
    return TRM_FAIL(INVALID, "rows come in memory number %llu", (unsigned long long)note->growth);
  void **packed = &w->their_packed[note->growth - 1];
  if (!*packed) TRM_TRY(table->adopt(own, &note->packed_shared, packed, NULL));
  if (!w->their_sent) TRM_TRY(table->adopt(own, &note->sent_shared, NULL, &w->their_sent));
  note->device = own;
  note->packed = *packed;
  note->sent = w->their_sent;
  return TRM_OK;
}

static trm_status pack_own(const domain_direct *d, way *w, const packed_piece *pieces, size_t count,
                       domain_note *out)
{
  trm_device *device = d->device;
  const trm_backend *table = device->table;
  trm_buffer *packed;
  void *taken;
  TRM_TRY(make_told_mark(d, &w->sent, &w->sent_shared));
  TRM_TRY(make_room(d, &w->packed, pack_bytes(pieces, count), &packed));
  TRM_TRY(tell_packed(d, w, packed));
  TRM_TRY(find_taken(d, w, &taken));
  if (taken) TRM_TRY(table->queue_wait(device->handle, TRM_QUEUE_COMMANDS, taken));
  TRM_TRY(pack(device, pieces, count, packed, 0));
  TRM_TRY(table->queue_record(device->handle, TRM_QUEUE_COMMANDS, w->sent->handle));
  *out = (domain_note){ device->handle, packed->handle, w->sent->handle, w->packed.count,
                        w->packed_shared, w->sent_shared, 1 };
  return TRM_OK;
}

static trm_status copy(const domain_direct *d, way *w, domain_note *note,
                       const packed_piece *pieces, size_t count)
{
  trm_device *device = d->device;
  const trm_backend *table = device->table;
  const size_t bytes = pack_bytes(pieces, count);
  void *own = device->handle;
  trm_buffer *arrived;
  TRM_TRY(make_told_mark(d, &w->taken, &w->own.shared));
  if (!w->unpacked) TRM_TRY(trmi_mark_create(device, &w->unpacked));
  TRM_TRY(make_room(d, &w->arrived, bytes, &arrived));
  TRM_TRY(find_sent(d, w, note));
  TRM_TRY(table->queue_wait(own, TRM_QUEUE_ARRIVALS, note->sent));
  if (w->was_unpacked) TRM_TRY(table->queue_wait(own, TRM_QUEUE_ARRIVALS, w->unpacked->handle));
  TRM_TRY(table->arrive(own, arrived->handle, 0, note->device, note->packed, 0, bytes));
  TRM_TRY(table->queue_record(own, TRM_QUEUE_ARRIVALS, w->taken->handle));
  w->own.taken = w->taken->handle;
  w->own.is_taken = 1;
  TRM_TRY(table->queue_wait(own, TRM_QUEUE_COMMANDS, w->taken->handle));
  TRM_TRY(pack(device, pieces, count, arrived, 1));
  TRM_TRY(table->queue_record(own, TRM_QUEUE_COMMANDS, w->unpacked->handle));
  w->was_unpacked = 1;
  return TRM_OK;
}

/* ---- between the parts --------------------------------------------------------------- */

static trm_status wait_for(const domain_direct *d, domain_post *post, void **request)
{
  TRM_TRY(domain_post_check(post));
  return domain_post_note(post, d->comm.table->wait(d->comm.handle, request));
}

trm_status domain_direct_send(domain_direct *d, domain_post *post, size_t to,
                              const packed_piece *pieces, size_t count, trm_error *failed)
{
  const trm_comm *table = d->comm.table;
  way *w = d->ways[to];
  unsigned char *bytes;
  domain_note note = { .is_good = 0 };
  TRM_TRY(wait_for(d, post, &w->due));
  if (failed->status == TRM_OK) trmi_error_first(failed, pack_own(d, w, pieces, count, &note));
  TRM_TRY(domain_post_room(post, to, sizeof note, &bytes));
  memcpy(bytes, &note, sizeof note);
  TRM_TRY(domain_post_send(post, to, sizeof note));
  return domain_post_note(post, table->receive(d->comm.handle, (int)to, ANSWERS, &w->theirs,
                                               sizeof w->theirs, &w->due));
}

trm_status domain_direct_take(domain_direct *d, domain_post *post, size_t from,
                              const packed_piece *pieces, size_t count, trm_error *failed)
{
  const trm_comm *table = d->comm.table;
  way *w = d->ways[from];
  const unsigned char *bytes;
  domain_note note;
  TRM_TRY(domain_post_wait(post, from, &bytes));
  memcpy(&note, bytes, sizeof note);
  TRM_TRY(wait_for(d, post, &w->answered));
  if (note.is_good && failed->status == TRM_OK)
    trmi_error_first(failed, copy(d, w, &note, pieces, count));
  return domain_post_note(post, table->send(d->comm.handle, (int)from, ANSWERS, &w->own,
                                            sizeof w->own, &w->answered));
}

/* ---- ranks that meet ------------------------------------------------------------------- */

/* A rank offers a buffer and a mark to each other rank of its machine, which answers. */
typedef struct offer {
  trm_shared buffer, mark;
  int is_good;
} offer;

typedef struct said {
  int reaches;
  char why[256];
} said;

typedef struct meeting {
  size_t part;
  offer theirs;
  said own, other;
  void *requests[2];
} meeting;

static trm_status make_offer(trm_device *device, trm_buffer **buffer, trm_event **mark, offer *out)
{
  const trm_backend *table = device->table;
  TRM_TRY(trm_buffer_create(device, LEAST_SHARED, "rows between devices", buffer));
  TRM_TRY(trmi_mark_create_shared(device, mark));
  TRM_TRY(table->share(device->handle, (*buffer)->handle, NULL, &out->buffer));
  TRM_TRY(table->share(device->handle, NULL, (*mark)->handle, &out->mark));
  out->is_good = 1;
  return TRM_OK;
}

static trm_status try_offer(const trm_device *device, const offer *theirs)
{
  const trm_backend *table = device->table;
  void *buffer = NULL, *mark = NULL;
  if (!theirs->is_good) return TRM_FAIL(UNSUPPORTED, "its device shares no memory");
  trm_status status = table->adopt(device->handle, &theirs->buffer, &buffer, NULL);
  if (status == TRM_OK) status = table->adopt(device->handle, &theirs->mark, NULL, &mark);
  if (buffer) table->buffer_destroy(device->handle, buffer);
  if (mark) table->event_destroy(device->handle, mark);
  return status;
}

/* Bytes to and from each of them. */
static trm_status swap(const domain_direct *d, meeting *list, size_t count, int is_offer,
                       const offer *own)
{
  const trm_comm *table = d->comm.table;
  void *link = d->comm.handle;
  for (size_t i = 0; i < count; i++) {
    meeting *m = &list[i];
    const void *bytes = is_offer ? (const void *)own : &m->own;
    TRM_TRY(table->receive(link, (int)m->part, NOTES, is_offer ? (void *)&m->theirs : &m->other,
                           is_offer ? sizeof *own : sizeof m->other, &m->requests[0]));
    TRM_TRY(table->send(link, (int)m->part, NOTES, bytes, is_offer ? sizeof *own : sizeof m->own,
                        &m->requests[1]));
  }
  for (size_t i = 0; i < 2 * count; i++)
    TRM_TRY(table->wait(link, &list[i / 2].requests[i % 2]));
  return TRM_OK;
}

static void say(said *out, trm_status status)
{
  out->reaches = status == TRM_OK;
  if (status == TRM_OK) return;
  const size_t length = strlen(trm_error_last()->text), most = sizeof out->why - 1;
  memcpy(out->why, trm_error_last()->text, length < most ? length : most);
}

static trm_status open_met(domain_direct *d, const meeting *list, size_t count)
{
  const char *by = d->device->table->shared_by;
  trmi_log_to(d->device->context);
  for (size_t i = 0; i < count; i++) {
    const meeting *m = &list[i];
    if (m->own.reaches && m->other.reaches) {
      TRM_TRY(domain_direct_open(d, m->part));
      trmi_log(TRM_LOG_INFO, "rows between rank %d and rank %zu go from device to device by %s",
               d->comm.place.rank, m->part, by);
    } else {
      trmi_log(TRM_LOG_INFO, "rows between rank %d and rank %zu go by the host's memory, not by "
               "%s: %s", d->comm.place.rank, m->part, by,
               m->own.reaches ? m->other.why : m->own.why);
    }
  }
  return TRM_OK;
}

trm_status domain_direct_meet(domain_direct *d, const size_t *near, size_t count)
{
  offer own = { .is_good = 0 };
  trm_buffer *buffer = NULL;
  trm_event *mark = NULL;
  meeting *list = calloc(count, sizeof *list);
  said trouble = { .reaches = 0 };
  if (!list) return TRM_FAIL(NO_HOST_MEMORY, "no memory for rows between devices");
  say(&trouble, make_offer(d->device, &buffer, &mark, &own));
  for (size_t i = 0; i < count; i++) list[i].part = near[i];
  trm_status status = swap(d, list, count, 1, &own);
  for (size_t i = 0; i < count && status == TRM_OK; i++) {
    say(&list[i].own, try_offer(d->device, &list[i].theirs));
    if (!trouble.reaches) list[i].own = trouble;
  }
  if (status == TRM_OK) status = swap(d, list, count, 0, NULL);
  trm_buffer_destroy(&buffer);
  trm_event_destroy(&mark);
  if (status == TRM_OK) status = open_met(d, list, count);
  free(list);
  return status;
}
