/* exchange.c - see exchange.h. The lists of an exchange lie one behind the other: launches have
 * messages, and messages have pieces. */
#include "core/domain/pack.h"
#include "core/domain/direct.h"

#include <stdlib.h>
#include <string.h>

/* A message along a tree has the pieces that the part adds to gathered rows, or takes from rows
 * that are spread. At the root of a tree that gathers, it has the pieces of all parts below. */
typedef struct message {
  size_t peer, first, count, bytes; /* pieces [first, first + count) */
  int is_sent, is_direct;
  domain_route route;
} message;

typedef struct step {
  size_t first, count;          /* messages; those along trees are the last `along` of them */
  size_t along;
  domain_share share;
} step;

struct domain_exchange {
  step *steps;
  message *messages;
  packed_piece *pieces;
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
static packed_rows slabs_of(const domain_rows *b, const domain_piece *piece)
{
  const trm_slab *slab = piece->slab;
  const size_t each = b->value_bytes, bytes = slab->values * each;
  return (packed_rows){ (b->first + piece->row * b->row + slab->first) * each, slab->stride * each,
                       slab->count * piece->count, bytes, each, slab->values, slab->stride, 0, 1,
                       0 };
}

static packed_rows rows_of(const domain_plan *plan, const domain_piece *piece,
                          const domain_hands *hands)
{
  const domain_rows *b = domain_plan_rows(plan, piece->buffer);
  const domain_span at = domain_bytes(b, 0, piece->list, piece->row, piece->count);
  if (piece->slab) return slabs_of(b, piece);
  const int is_bare = !hands->has_ghosts(hands->user, piece->from);
  return (packed_rows){ at.first, b->component * b->value_bytes, b->components, at.count,
                       b->value_bytes, b->nx, b->row, is_bare ? b->ghosts : 0, piece->count,
                       (uint64_t)b->is_repeated };
}

static trm_status add_piece(domain_exchange *e, const domain_plan *plan, const domain_piece *piece,
                            const domain_hands *hands)
{
  void *list = e->pieces;
  if (!grow(&list, e->piece_count, &e->piece_room, sizeof *e->pieces)) return fail_memory();
  e->pieces = list;
  e->pieces[e->piece_count++] = (packed_piece){ hands->buffer(hands->user, piece->buffer),
                                               rows_of(plan, piece, hands) };
  return TRM_OK;
}

static size_t peer_of(const domain_piece *piece, size_t part, int is_sent)
{
  if (piece->from == piece->to || (is_sent ? piece->from : piece->to) != part) return SIZE_MAX;
  return is_sent ? piece->to : piece->from;
}

static trm_status new_message(domain_exchange *e, message made)
{
  void *list = e->messages;
  if (!grow(&list, e->message_count, &e->message_room, sizeof *e->messages)) return fail_memory();
  e->messages = list;
  e->messages[e->message_count++] = made;
  return TRM_OK;
}

/* The pieces of a launch, and the trees that some of them take. */
typedef struct launch {
  const domain_plan *plan;
  const domain_hands *hands;
  const domain_piece *pieces;
  size_t count;
  domain_trees trees;
} launch;

static int is_straight(const launch *of, size_t i, size_t peer, int is_sent)
{
  return peer_of(&of->pieces[i], of->hands->part, is_sent) == peer &&
         domain_trees_route(&of->trees, &of->pieces[i]) == DOMAIN_STRAIGHT;
}

/* The pieces to a peer, or from a peer, from piece `first` of the plan on. */
static trm_status add_message(domain_exchange *e, const launch *of, size_t first, int is_sent)
{
  const domain_hands *hands = of->hands;
  const size_t peer = peer_of(&of->pieces[first], hands->part, is_sent);
  for (size_t i = 0; i < first; i++) /* it has its message already */
    if (is_straight(of, i, peer, is_sent)) return TRM_OK;
  message made = { .peer = peer, .first = e->piece_count, .is_sent = is_sent };
  for (size_t i = first; i < of->count; i++)
    if (is_straight(of, i, peer, is_sent))
      TRM_TRY(add_piece(e, of->plan, &of->pieces[i], hands));
  made.count = e->piece_count - made.first;
  made.bytes = pack_bytes(e->pieces + made.first, made.count);
  made.is_direct = domain_direct_reaches(hands->direct, peer) &&
                   pack_can(e->pieces + made.first, made.count);
  return new_message(e, made);
}

/* ---- compiling: trees ------------------------------------------------------------ */

static size_t bytes_of(const launch *of, const domain_piece *piece)
{
  const packed_piece one = { NULL, rows_of(of->plan, piece, of->hands) };
  return pack_bytes(&one, 1);
}

/* Bytes that come from the parts before each number, and from each in its order. */
static trm_status sum_gathered(const launch *of, size_t **out)
{
  const size_t parts = of->trees.parts;
  size_t *before = calloc(parts + 1, sizeof *before);
  if (!before) return fail_memory();
  for (const domain_piece *one = of->pieces; one < of->pieces + of->count; one++)
    if (domain_trees_route(&of->trees, one) == DOMAIN_GATHERED)
      before[domain_tree_number(of->trees.gathered_to, parts, one->from) + 1] += bytes_of(of, one);
  for (size_t i = 0; i < parts; i++) before[i + 1] += before[i];
  *out = before;
  return TRM_OK;
}

typedef struct numbered {
  size_t number, piece;
} numbered;

static int compare_numbers(const void *a, const void *b)
{
  const numbered *x = a, *y = b;
  if (x->number != y->number) return x->number < y->number ? -1 : 1;
  return x->piece < y->piece ? -1 : x->piece > y->piece;
}

/* The pieces that come to the root, from each part in the order of numbers. ends[n]: behind the
 * pieces of number n. */
static trm_status add_gathered(domain_exchange *e, const launch *of, size_t *ends)
{
  const domain_trees *trees = &of->trees;
  size_t count = 0;
  numbered *list = calloc(of->count + 1, sizeof *list);
  trm_status status = list ? TRM_OK : fail_memory();
  for (size_t i = 0; i < of->count && list; i++)
    if (domain_trees_route(trees, &of->pieces[i]) == DOMAIN_GATHERED)
      list[count++] = (numbered){ domain_tree_number(trees->gathered_to, trees->parts,
                                                     of->pieces[i].from), i };
  if (list) qsort(list, count, sizeof *list, compare_numbers);
  for (size_t i = 0, n = 0; status == TRM_OK && n < trees->parts; ends[n++] = e->piece_count)
    for (; i < count && list[i].number == n && status == TRM_OK; i++)
      status = add_piece(e, of->plan, &of->pieces[list[i].piece], of->hands);
  free(list);
  return status;
}

/* A message for each child, and one to the parent with the part's own pieces before theirs. */
static trm_status add_gather(domain_exchange *e, const launch *of, const size_t *before,
                             size_t *ends)
{
  const domain_trees *trees = &of->trees;
  const size_t root = trees->gathered_to, parts = trees->parts;
  const size_t number = domain_tree_number(root, parts, of->hands->part);
  const size_t end = domain_tree_end(number, parts), begin = e->piece_count;
  if (number == 0) TRM_TRY(add_gathered(e, of, ends));
  for (size_t reach = 1; number + reach < end; reach *= 2) {
    const size_t child = number + reach, below = domain_tree_end(child, parts);
    message made = { .peer = domain_tree_part(root, parts, child),
                     .bytes = before[below] - before[child], .route = DOMAIN_GATHERED };
    made.first = number == 0 ? ends[child - 1] : begin;
    made.count = number == 0 ? ends[below - 1] - made.first : 0;
    if (made.bytes) TRM_TRY(new_message(e, made));
  }
  if (number == 0 || before[end] == before[number]) return TRM_OK;
  for (size_t i = 0; i < of->count; i++)
    if (of->pieces[i].from == of->hands->part &&
        domain_trees_route(trees, &of->pieces[i]) == DOMAIN_GATHERED)
      TRM_TRY(add_piece(e, of->plan, &of->pieces[i], of->hands));
  return new_message(e, (message){ .peer = domain_tree_part(root, parts,
                                                            domain_tree_parent(number)),
                                   .first = begin, .count = e->piece_count - begin, .is_sent = 1,
                                   .bytes = before[end] - before[number],
                                   .route = DOMAIN_GATHERED });
}

/* A message from the parent, and the same to each child, the one with most parts below it first. */
static trm_status add_spread(domain_exchange *e, const launch *of)
{
  const domain_trees *trees = &of->trees;
  const size_t root = trees->spread_from, parts = trees->parts;
  const size_t number = domain_tree_number(root, parts, of->hands->part);
  const size_t end = domain_tree_end(number, parts);
  message made = { .first = e->piece_count, .count = trees->same, .route = DOMAIN_SPREAD };
  size_t reach = 1;
  for (size_t i = 0; i < trees->same; i++)
    TRM_TRY(add_piece(e, of->plan, &trees->pieces[i], of->hands));
  made.bytes = pack_bytes(e->pieces + made.first, made.count);
  made.peer = domain_tree_part(root, parts, domain_tree_parent(number));
  if (number > 0) TRM_TRY(new_message(e, made));
  made.is_sent = 1;
  while (number + 2 * reach < end) reach *= 2;
  for (; reach > 0 && number + reach < end; reach /= 2) {
    made.peer = domain_tree_part(root, parts, number + reach);
    TRM_TRY(new_message(e, made));
  }
  return TRM_OK;
}

static trm_status add_trees(domain_exchange *e, const launch *of)
{
  trm_status status = TRM_OK;
  if (of->trees.gathers) {
    size_t *before = NULL, *ends = calloc(of->trees.parts, sizeof *ends);
    status = ends ? sum_gathered(of, &before) : fail_memory();
    if (status == TRM_OK) status = add_gather(e, of, before, ends);
    free(before);
    free(ends);
  }
  return status == TRM_OK && of->trees.spreads ? add_spread(e, of) : status;
}

trm_status domain_exchange_add(domain_exchange *e, const domain_plan *plan,
                               const domain_hands *hands)
{
  launch of = { .plan = plan, .hands = hands };
  step made = { .first = e->message_count };
  void *list = e->steps;
  of.pieces = domain_plan_pieces(plan, &of.count);
  if (!grow(&list, e->step_count, &e->step_room, sizeof *e->steps)) return fail_memory();
  e->steps = list;
  domain_plan_share(plan, hands->part, &made.share);
  TRM_TRY(domain_trees_find(of.pieces, of.count, hands->parts, &of.trees));
  for (int is_sent = 1; is_sent >= 0; is_sent--)
    for (size_t i = 0; i < of.count; i++) {
      const size_t peer = peer_of(&of.pieces[i], hands->part, is_sent);
      if (peer != SIZE_MAX && is_straight(&of, i, peer, is_sent))
        TRM_TRY(add_message(e, &of, i, is_sent));
    }
  const size_t straight = e->message_count;
  TRM_TRY(add_trees(e, &of));
  made.along = e->message_count - straight;
  made.count = e->message_count - made.first;
  e->steps[e->step_count++] = made;
  return TRM_OK;
}

/* ---- carrying out ---------------------------------------------------------------- */

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
  if (failed->status == TRM_OK)
    trmi_error_first(failed, pack_read(e->pieces + one->first, one->count, bytes));
  return domain_post_send(post, one->peer, one->bytes);
}

static size_t address(const message *one, const domain_hands *hands)
{
  return one->route == DOMAIN_STRAIGHT ? one->peer : one->peer + hands->parts;
}

static trm_status expect(const message *one, domain_post *post, const domain_hands *hands)
{
  return domain_post_expect(post, address(one, hands),
                            one->is_direct ? sizeof(domain_note) : one->bytes);
}

static trm_status take(const domain_exchange *e, const message *one, domain_post *post,
                       const domain_hands *hands, trm_error *failed)
{
  const unsigned char *bytes;
  if (one->is_direct)
    return domain_direct_take(hands->direct, post, one->peer, e->pieces + one->first, one->count,
                              failed);
  TRM_TRY(domain_post_wait(post, address(one, hands), &bytes));
  return failed->status || one->count == 0
         ? TRM_OK : pack_write(e->pieces + one->first, one->count, bytes);
}

/* Whether the part gets what the message spreads. */
static int has_parent(const message *first, const message *one)
{
  for (; first < one; first++)
    if (!first->is_sent && first->route == one->route) return 1;
  return 0;
}

/* Copies the bytes that came from children, or from the parent, behind the part's own bytes. */
static trm_status pass_on(const message *first, const message *one, domain_post *post,
                          const domain_hands *hands, unsigned char *to)
{
  for (const message *from = first; from < one; from++) {
    const unsigned char *bytes;
    if (from->is_sent || from->route != one->route) continue;
    TRM_TRY(domain_post_wait(post, address(from, hands), &bytes));
    memcpy(to, bytes, from->bytes);
    to += from->bytes;
  }
  return TRM_OK;
}

/* first: of those along trees in this launch. */
static trm_status send_on(const domain_exchange *e, const message *first, const message *one,
                          domain_post *post, const domain_hands *hands, trm_error *failed,
                          domain_moved *moved)
{
  unsigned char *bytes;
  const packed_piece *pieces = e->pieces + one->first;
  const int is_own = one->route == DOMAIN_GATHERED || !has_parent(first, one);
  const size_t count = is_own ? one->count : 0, own = pack_bytes(pieces, count);
  moved->messages++;
  moved->host_bytes += one->bytes;
  TRM_TRY(domain_post_room(post, address(one, hands), one->bytes, &bytes));
  if (failed->status == TRM_OK && count > 0)
    trmi_error_first(failed, pack_read(pieces, count, bytes));
  TRM_TRY(pass_on(first, one, post, hands, bytes + own));
  return domain_post_send(post, address(one, hands), one->bytes);
}

const domain_share *domain_exchange_share(const domain_exchange *e, size_t i)
{
  return &e->steps[i].share;
}

int domain_exchange_moves(const domain_exchange *e, size_t i) { return e->steps[i].count > 0; }

void domain_exchange_send(const domain_exchange *e, size_t i, domain_post *post,
                          const domain_hands *hands, trm_error *failed, domain_moved *moved)
{
  const message *begin = e->messages + e->steps[i].first, *end = begin + e->steps[i].count;
  for (const message *one = begin; one < end; one++)
    if (!one->is_sent) trmi_error_first(failed, expect(one, post, hands));
    else if (one->route == DOMAIN_STRAIGHT)
      trmi_error_first(failed, send(e, one, post, hands, failed, moved));
}

void domain_exchange_take(const domain_exchange *e, size_t i, domain_post *post,
                          const domain_hands *hands, trm_error *failed, domain_moved *moved)
{
  const message *begin = e->messages + e->steps[i].first, *end = begin + e->steps[i].count;
  const message *trees = end - e->steps[i].along;
  for (const message *one = trees; one < end; one++)
    if (one->is_sent)
      trmi_error_first(failed, send_on(e, trees, one, post, hands, failed, moved));
  for (const message *one = begin; one < end; one++)
    if (!one->is_sent) trmi_error_first(failed, take(e, one, post, hands, failed));
}

/* ---- computing ---------------------------------------------------------------------- */

/* A launch, as it is computed. */
typedef struct work {
  const domain_share *share;
  const domain_hands *hands;
  const trm_command *command;
  trm_buffer *const *buffers;
  trm_error *failed;
} work;

static void enqueue(const work *w, const domain_span *span)
{
  if (w->failed->status != TRM_OK) return;
  trmi_error_first(w->failed, w->hands->enqueue(w->hands->user, w->command, w->buffers, w->share,
                                                span));
}

static void enqueue_spans(const work *w, size_t first, size_t end)
{
  for (size_t i = first; i < end; i++) enqueue(w, &w->share->spans[i]);
}

/* Group 0 computes the first derived row of the launch. */
static void enqueue_derived(const work *w)
{
  for (size_t k = 0; k < w->share->derived.count; k++) {
    domain_span groups = domain_derived_run(&w->share->derived, k);
    if (groups.count == 0) continue;
    groups.first -= w->share->derived.window.first;
    enqueue(w, &groups);
  }
}

void domain_exchange_inner(const domain_exchange *e, size_t i, const domain_hands *hands,
                           const trm_command *command, trm_buffer *const *buffers,
                           trm_error *failed)
{
  const work w = { &e->steps[i].share, hands, command, buffers, failed };
  enqueue_spans(&w, 0, w.share->inner);
}

void domain_exchange_rest(const domain_exchange *e, size_t i, const domain_hands *hands,
                          const trm_command *command, trm_buffer *const *buffers,
                          trm_error *failed)
{
  const work w = { &e->steps[i].share, hands, command, buffers, failed };
  enqueue_spans(&w, w.share->inner, w.share->count);
  enqueue_derived(&w);
  if (w.share->is_whole || w.share->copied.count) enqueue(&w, NULL);
}
