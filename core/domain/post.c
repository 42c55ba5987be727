/* post.c - messages of a part to the others: their memory, and requests that are under way
 * (exchange.h). A part has two places for messages to another part. It packs a message while the
 * message before is on its way. */
#include "core/domain/exchange.h"

#include <stdlib.h>

enum { PLACES = 2 };

typedef struct place {
  unsigned char *bytes;
  size_t room;
  void *request;
} place;

typedef struct peer {
  place sent[PLACES], received;
  int next;                     /* of `sent` */
} peer;

struct domain_post {
  domain_comm comm;
  trm_error lost;               /* the first failure of the link; status TRM_OK: none */
  peer peers[];                 /* of each part, then of each part along a tree */
};

static int part_of(const domain_post *post, size_t number)
{
  return (int)(number % (size_t)post->comm.place.size);
}

trm_status domain_post_create(const domain_comm *comm, domain_post **out)
{
  const size_t parts = (size_t)comm->place.size;
  domain_post *post = calloc(1, sizeof *post + 2 * parts * sizeof *post->peers);
  if (!post) return TRM_FAIL(NO_HOST_MEMORY, "no memory for messages of %zu parts", parts);
  post->comm = *comm;
  *out = post;
  return TRM_OK;
}

int domain_post_is_lost(const domain_post *post) { return post->lost.status != TRM_OK; }

trm_status domain_post_note(domain_post *post, trm_status status)
{
  trmi_error_first(&post->lost, status);
  return status;
}

trm_status domain_post_check(const domain_post *post)
{
  return trmi_error_again(&post->lost);
}

static trm_status complete(domain_post *post, place *one)
{
  TRM_TRY(domain_post_check(post));
  return domain_post_note(post, post->comm.table->wait(post->comm.handle, &one->request));
}

/* Memory of messages that are not complete stays as it is. */
void domain_post_destroy(domain_post **handle)
{
  domain_post *post = *handle;
  if (!post) return;
  trm_error kept;
  trmi_error_keep(&kept);
  for (int i = 0; i < 2 * post->comm.place.size; i++) {
    peer *one = &post->peers[i];
    for (int k = 0; k < PLACES; k++)
      if (complete(post, &one->sent[k]) == TRM_OK || !one->sent[k].request)
        free(one->sent[k].bytes);
    if (!one->received.request) free(one->received.bytes);
  }
  trmi_error_restore(&kept);
  free(post);
  *handle = NULL;
}

static trm_status make_room(place *one, size_t bytes)
{
  if (bytes <= one->room) return TRM_OK;
  unsigned char *grown = realloc(one->bytes, bytes);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes between parts", bytes);
  one->bytes = grown;
  one->room = bytes;
  return TRM_OK;
}

trm_status domain_post_room(domain_post *post, size_t to, size_t bytes, unsigned char **out)
{
  peer *one = &post->peers[to];
  place *sent = &one->sent[one->next];
  TRM_TRY(complete(post, sent));
  TRM_TRY(domain_post_note(post, make_room(sent, bytes))); /* the other part would wait for ever */
  *out = sent->bytes;
  return TRM_OK;
}

trm_status domain_post_send(domain_post *post, size_t to, size_t bytes)
{
  peer *one = &post->peers[to];
  place *sent = &one->sent[one->next];
  one->next = (one->next + 1) % PLACES;
  TRM_TRY(domain_post_check(post));
  const domain_comm *comm = &post->comm;
  return domain_post_note(post, comm->table->send(comm->handle, part_of(post, to), 0, sent->bytes,
                                                  bytes, &sent->request));
}

trm_status domain_post_expect(domain_post *post, size_t from, size_t bytes)
{
  place *one = &post->peers[from].received;
  TRM_TRY(domain_post_check(post));
  TRM_TRY(domain_post_note(post, make_room(one, bytes)));
  const domain_comm *comm = &post->comm;
  return domain_post_note(post, comm->table->receive(comm->handle, part_of(post, from), 0,
                                                     one->bytes, bytes, &one->request));
}

trm_status domain_post_wait(domain_post *post, size_t from, const unsigned char **bytes)
{
  place *one = &post->peers[from].received;
  TRM_TRY(complete(post, one));
  *bytes = one->bytes;
  return TRM_OK;
}

trm_status domain_post_receive_now(domain_post *post, size_t from, void *bytes, size_t count)
{
  const domain_comm *comm = &post->comm;
  void *request = NULL;
  TRM_TRY(domain_post_check(post));
  TRM_TRY(domain_post_note(post, comm->table->receive(comm->handle, (int)from, 0, bytes, count,
                                                      &request)));
  return domain_post_note(post, comm->table->wait(comm->handle, &request));
}
