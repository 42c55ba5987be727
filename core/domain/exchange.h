/* exchange.h - carries out launches of a plan on one part: what it sends and receives before each
 * of them, and the rows that it computes.
 *
 * An exchange is compiled from launches that a plan is given in their order, and is valid for the
 * rows that were valid when it began. A recorded sequence keeps its exchanges, so a replay plans
 * nothing. The pieces from one part to another before a launch are one message. A tree (tree.h) has
 * messages of its own, with the pieces of several parts. */
#ifndef TRIREME_DOMAIN_EXCHANGE_H
#define TRIREME_DOMAIN_EXCHANGE_H

#include "core/domain/device.h"
#include "core/domain/plan.h"
#include "core/domain/tree.h"

/* ---- what is on its way ------------------------------------------------------ */

/* Memory and requests for the messages of a part, of all its exchanges. A message along a tree is
 * to or from a number that is larger by the number of parts: it has memory of its own. */
typedef struct domain_post domain_post;
trm_status domain_post_create(const domain_comm *comm, domain_post **out);
/* Waits for messages that were sent, unless the link has failed. */
void domain_post_destroy(domain_post **post);

/* Memory for a message to a part, when an earlier message from there is complete; then its way. */
trm_status domain_post_room(domain_post *post, size_t to, size_t bytes, unsigned char **out);
trm_status domain_post_send(domain_post *post, size_t to, size_t bytes);
/* Begins to receive, into memory that stays until the next message of that part. */
trm_status domain_post_expect(domain_post *post, size_t from, size_t bytes);
trm_status domain_post_wait(domain_post *post, size_t from, const unsigned char **bytes);
/* Receives these bytes, and waits for them. */
trm_status domain_post_receive_now(domain_post *post, size_t from, void *bytes, size_t count);
/* A call of the link that failed is the last one. note: the outcome of a call by others; check: the
 * first failure. */
int domain_post_is_lost(const domain_post *post);
trm_status domain_post_note(domain_post *post, trm_status status);
trm_status domain_post_check(const domain_post *post);

/* ---- exchanges ------------------------------------------------------------------ */

typedef struct domain_exchange domain_exchange;
typedef struct domain_direct domain_direct; /* direct.h */

/* How a part does what an exchange says. buffer: its own, by number. */
typedef struct domain_hands {
  void *user;
  size_t part, parts;
  trm_buffer *(*buffer)(void *user, size_t number);
  domain_direct *direct;        /* the way to parts that it reaches; NULL: all by messages */
  /* Rows come with ghosts from a part that has none. */
  int (*has_ghosts)(void *user, size_t part);
  /* Enqueues all of a command, or these rows or groups of it. */
  trm_status (*enqueue)(void *user, const trm_command *command, trm_buffer *const *buffers,
                        const domain_share *share, const domain_span *span);
} domain_hands;

trm_status domain_exchange_create(domain_exchange **out);
void domain_exchange_destroy(domain_exchange **exchange);
/* Forgets its launches, and keeps its memory. */
void domain_exchange_clear(domain_exchange *exchange);

/* Adds the launch that the plan was given last. */
trm_status domain_exchange_add(domain_exchange *exchange, const domain_plan *plan,
                               const domain_hands *hands);

/* The share of the part in launch i, and whether it sends or receives rows before it. */
const domain_share *domain_exchange_share(const domain_exchange *exchange, size_t i);
int domain_exchange_moves(const domain_exchange *exchange, size_t i);

/* Sends the rows that other parts need before launch i; then waits for rows that this part
 * needs. After a failure of the part itself (*failed) it still sends and receives, as others wait
 * for it. */
void domain_exchange_send(const domain_exchange *exchange, size_t i, domain_post *post,
                          const domain_hands *hands, trm_error *failed, domain_moved *moved);
void domain_exchange_take(const domain_exchange *exchange, size_t i, domain_post *post,
                          const domain_hands *hands, trm_error *failed, domain_moved *moved);

/* Computes what needs no rows that are on their way, or the rest, of launch i, which is this
 * command. After a failure it computes nothing. */
void domain_exchange_inner(const domain_exchange *exchange, size_t i, const domain_hands *hands,
                           const trm_command *command, trm_buffer *const *buffers,
                           trm_error *failed);
void domain_exchange_rest(const domain_exchange *exchange, size_t i, const domain_hands *hands,
                          const trm_command *command, trm_buffer *const *buffers,
                          trm_error *failed);

#endif
