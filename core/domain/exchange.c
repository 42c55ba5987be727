/* exchange.c - see exchange.h. The lists of an exchange lie one behind the other: launches have
 * messages, and messages have pieces. */
#include "core/crew/pack.h"
#include "core/domain/direct.h"

#include <stdlib.h>
#include <time.h>

typedef struct message {
  size_t peer, first, count, bytes; /* pieces [first, first + count) */
  int is_sent, is_direct;
} message;

typedef struct step {
  size_t first, count;          /* messages */
  domain_share share;
} step;

struct domain_exchange {
  step *steps;
  message *messages;
  ranks_piece *pieces;
  size_t step_count, step_room, message_count, message_room, piece_count, piece_room;
};

/* ---- life ---------------------------------------------------------------------- */

trm_status domain_exchange_create(domain_exchange **out)
{
  domain_exchange *made = calloc(1, sizeof *made);
  if (!made) return TRM_FAIL(NO_HOST_MEMORY, "no memory for rows between parts");
  *out = made;
  return TRM_OK;
}

void domain_exchange_destroy(domain_exchange **handle)
{
  domain_exchange *exchange = *handle;
  if (!exchange) return;
  free(exchange->steps);
  free(exchange->messages);
  free(exchange->pieces);
  free(exchange);
  *handle = NULL;
}

void domain_exchange_clear(domain_exchange *exchange)
{
  exchange->step_count = exchange->message_count = exchange->piece_count = 0;
}

/* ---- compiling ------------------------------------------------------------------- */

/* Room for one more; NULL: there is no memory. */
static void *grow(void **list, size_t count, size_t *room, size_t bytes)
{
  if (count < *room) return *list;
  void *grown = realloc(*list, (2 * *room + 16) * bytes);
  if (!grown) return NULL;
  *room = 2 * *room + 16;
  *list = grown;
  return grown;
}

static trm_status fail_memory(void)
{
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for an exchange");
}

/* Slabs of rows that follow each other have one stride. */
static ranks_rows slabs_of(const domain_rows *b, const domain_piece *piece)
{
  const trm_slab *slab = piece->slab;
  const size_t each = b->value_bytes, bytes = slab->values * each;
  return (ranks_rows){ (b->first + piece->row * b->row + slab->first) * each, slab->stride * each,
                       slab->count * piece->count, bytes, each, slab->values, slab->stride, 0, 1,
                       0, 0 };
}

static ranks_rows rows_of(const domain_plan *plan, const domain_piece *piece,
                          const domain_hands *hands)
{
  const domain_rows *b = domain_plan_rows(plan, piece->buffer);
  const domain_span at = domain_bytes(b, 0, piece->list, piece->row, piece->count);
  if (piece->slab) return slabs_of(b, piece);
  const int is_bare = !hands->has_ghosts(hands->user, piece->from);
  return (ranks_rows){ at.first, b->component * b->value_bytes, b->components, at.count,
                       b->value_bytes, b->nx, b->row, is_bare ? b->ghosts : 0, piece->count,
                       (uint64_t)b->is_repeated, 0 };
}

static trm_status add_piece(domain_exchange *e, const domain_plan *plan, const domain_piece *piece,
                            const domain_hands *hands)
{
  void *list = e->pieces;
  if (!grow(&list, e->piece_count, &e->piece_room, sizeof *e->pieces)) return fail_memory();
  e->pieces = list;
  e->pieces[e->piece_count++] = (ranks_piece){ hands->buffer(hands->user, piece->buffer),
                                               rows_of(plan, piece, hands) };
  return TRM_OK;
}

static size_t peer_of(const domain_piece *piece, size_t part, int is_sent)
{
  if (piece->from == piece->to || (is_sent ? piece->from : piece->to) != part) return SIZE_MAX;
  return is_sent ? piece->to : piece->from;
}

/* The pieces to a peer, or from a peer, from piece `first` of the plan on. */
static trm_status add_message(domain_exchange *e, const domain_plan *plan, size_t first,
                              const domain_hands *hands, int is_sent)
{
  size_t count;
  const domain_piece *pieces = domain_plan_pieces(plan, &count);
  const size_t peer = peer_of(&pieces[first], hands->part, is_sent);
  void *list = e->messages;
  for (size_t i = 0; i < first; i++) /* it has its message already */
    if (peer_of(&pieces[i], hands->part, is_sent) == peer) return TRM_OK;
  if (!grow(&list, e->message_count, &e->message_room, sizeof *e->messages)) return fail_memory();
  e->messages = list;
  message made = { .peer = peer, .first = e->piece_count, .is_sent = is_sent };
  for (size_t i = first; i < count; i++)
    if (peer_of(&pieces[i], hands->part, is_sent) == peer)
      TRM_TRY(add_piece(e, plan, &pieces[i], hands));
  made.count = e->piece_count - made.first;
  made.bytes = ranks_bytes(e->pieces + made.first, made.count);
  made.is_direct = domain_direct_reaches(hands->direct, peer) &&
                   pack_can(e->pieces + made.first, made.count);
  e->messages[e->message_count++] = made;
  return TRM_OK;
}

trm_status domain_exchange_add(domain_exchange *e, const domain_plan *plan,
                               const domain_hands *hands)
{
  size_t count;
  const domain_piece *pieces = domain_plan_pieces(plan, &count);
  step made = { .first = e->message_count };
  void *list = e->steps;
  if (!grow(&list, e->step_count, &e->step_room, sizeof *e->steps)) return fail_memory();
  e->steps = list;
  domain_plan_share(plan, hands->part, &made.share);
  for (int is_sent = 1; is_sent >= 0; is_sent--)
    for (size_t i = 0; i < count; i++)
      if (peer_of(&pieces[i], hands->part, is_sent) != SIZE_MAX)
        TRM_TRY(add_message(e, plan, i, hands, is_sent));
  made.count = e->message_count - made.first;
  e->steps[e->step_count++] = made;
  return TRM_OK;
}

/* ---- carrying out ---------------------------------------------------------------- */

static void note(trm_error *failed, trm_status status)
{
  if (status != TRM_OK && failed->status == TRM_OK) *failed = *trm_error_last();
}

static trm_status send(const domain_exchange *e, const message *one, domain_post *post,
                       const domain_hands *hands, trm_error *failed, domain_moved *moved)
{
  unsigned char *bytes;
  moved->messages++;
  *(one->is_direct ? &moved->direct_bytes : &moved->host_bytes) += one->bytes;
  if (one->is_direct)
    return domain_direct_send(hands->direct, post, one->peer, e->pieces + one->first, one->count,
                              failed);
  TRM_TRY(domain_post_room(post, one->peer, one->bytes, &bytes));
  if (failed->status == TRM_OK) note(failed, ranks_read_rows(e->pieces + one->first, one->count,
                                                             bytes));
  return domain_post_send(post, one->peer, one->bytes);
}

static trm_status expect(const message *one, domain_post *post)
{
  return domain_post_expect(post, one->peer, one->is_direct ? sizeof(domain_note) : one->bytes);
}

static trm_status take(const domain_exchange *e, const message *one, domain_post *post,
                       const domain_hands *hands, trm_error *failed)
{
  const unsigned char *bytes;
  if (one->is_direct)
    return domain_direct_take(hands->direct, post, one->peer, e->pieces + one->first, one->count,
                              failed);
  TRM_TRY(domain_post_wait(post, one->peer, &bytes));
  return failed->status ? TRM_OK : ranks_write_rows(e->pieces + one->first, one->count, bytes);
}

static trm_status compute(const step *now, size_t first, size_t end, const domain_hands *hands,
                          const trm_command *command, trm_buffer *const *buffers,
                          const trm_error *failed)
{
  const domain_share *share = &now->share;
  for (size_t i = first; i < end && failed->status == TRM_OK; i++)
    TRM_TRY(hands->enqueue(hands->user, command, buffers, share, &share->spans[i]));
  return TRM_OK;
}

/* Group 0 computes the first derived row of the launch. */
static trm_status compute_derived(const domain_share *share, const domain_hands *hands,
                                  const trm_command *command, trm_buffer *const *buffers,
                                  const trm_error *failed)
{
  for (size_t k = 0; k < share->derived.count && failed->status == TRM_OK; k++) {
    domain_span groups = domain_derived_run(&share->derived, k);
    if (groups.count == 0) continue;
    groups.first -= share->derived.window.first;
    TRM_TRY(hands->enqueue(hands->user, command, buffers, share, &groups));
  }
  return TRM_OK;
}

const domain_share *domain_exchange_share(const domain_exchange *e, size_t i)
{
  return &e->steps[i].share;
}

int domain_exchange_moves(const domain_exchange *e, size_t i) { return e->steps[i].count > 0; }

static void send_all(const domain_exchange *e, const step *now, domain_post *post,
                     const domain_hands *hands, trm_error *failed, domain_moved *moved)
{
  const message *begin = e->messages + now->first, *end = begin + now->count;
  for (const message *one = begin; one < end; one++)
    note(failed, one->is_sent ? send(e, one, post, hands, failed, moved) : expect(one, post));
}

static void take_all(const domain_exchange *e, const step *now, domain_post *post,
                     const domain_hands *hands, trm_error *failed)
{
  const message *begin = e->messages + now->first, *end = begin + now->count;
  for (const message *one = begin; one < end; one++)
    if (!one->is_sent) note(failed, take(e, one, post, hands, failed));
}

void domain_exchange_send(const domain_exchange *e, size_t i, domain_post *post,
                          const domain_hands *hands, trm_error *failed, domain_moved *moved)
{
  send_all(e, &e->steps[i], post, hands, failed, moved);
}

void domain_exchange_take(const domain_exchange *e, size_t i, domain_post *post,
                          const domain_hands *hands, trm_error *failed)
{
  take_all(e, &e->steps[i], post, hands, failed);
}

static double now_s(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void domain_exchange_carry_out(const domain_exchange *e, size_t i, domain_post *post,
                               const domain_hands *hands, const trm_command *command,
                               trm_buffer *const *buffers, trm_error *failed, trm_spent *spent,
                               domain_moved *moved)
{
  const step *now = &e->steps[i];
  const domain_share *share = &now->share;
  const int moves = now->count > 0;
  const double begun = now_s();
  send_all(e, now, post, hands, failed, moved);
  const double sent = moves ? now_s() : begun;
  note(failed, compute(now, 0, share->inner, hands, command, buffers, failed));
  const double inner = moves ? now_s() : begun;
  take_all(e, now, post, hands, failed);
  const double taken = moves ? now_s() : begun;
  note(failed, compute(now, share->inner, share->count, hands, command, buffers, failed));
  note(failed, compute_derived(share, hands, command, buffers, failed));
  if ((share->is_whole || share->copied.count) && failed->status == TRM_OK)
    note(failed, hands->enqueue(hands->user, command, buffers, share, NULL));
  const double rows = (sent - begun) + (taken - inner);
  spent->rows += rows;
  spent->launches += now_s() - begun - rows;
}
