/* comm_cases.c - messages, collective calls and failures between parts (comm_cases.h). */
#include "tests/core/comm_cases.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WRONG(...) trm_error_record(TRM_ERROR_INVALID, __FILE__, __LINE__, __VA_ARGS__)

static trm_status send(const domain_comm *c, int to, int channel, const void *bytes, size_t count)
{
  void *request;
  TRM_TRY(c->table->send(c->handle, to, channel, bytes, count, &request));
  return c->table->wait(c->handle, &request);
}

static trm_status receive(const domain_comm *c, int from, int channel, void *bytes, size_t count)
{
  void *request;
  TRM_TRY(c->table->receive(c->handle, from, channel, bytes, count, &request));
  return c->table->wait(c->handle, &request);
}

static void pause_for(double seconds)
{
  const time_t whole = (time_t)seconds;
  nanosleep(&(struct timespec){ whole, (long)(1e9 * (seconds - (double)whole)) }, NULL);
}

/* ---- messages ---------------------------------------------------------------- */

enum { EACH = 24, WORDS = 40 };  /* messages of a channel, and the most words of one */

static size_t words_of(int number) { return (size_t)(1 + number * 7 % WORDS); }

static uint32_t word_of(int from, int to, int channel, int number, size_t word)
{
  return (uint32_t)((((from * 16 + to) * 2 + channel) * 32 + number) * 64) + (uint32_t)word;
}

typedef struct mail {
  uint32_t words[WORDS];
  void *request;
} mail;

static mail *mail_of(mail *all, int peer, int channel, int number)
{
  return &all[(peer * TRM_COMM_CHANNELS + channel) * EACH + number];
}

static void write_mail(mail *one, int from, int to, int channel, int number)
{
  for (size_t w = 0; w < words_of(number); w++)
    one->words[w] = word_of(from, to, channel, number, w);
}

static trm_status check_mail(const mail *one, int from, int to, int channel, int number)
{
  for (size_t w = 0; w < words_of(number); w++)
    if (one->words[w] != word_of(from, to, channel, number, w))
      return WRONG("message %d from part %d in channel %d: word %zu is %u instead of %u", number,
                   from, channel, w, one->words[w], word_of(from, to, channel, number, w));
  return TRM_OK;
}

/* Channel 1 is received first, and sent last. */
static trm_status begin_mail(const domain_comm *c, mail *in, mail *out, int peer)
{
  const int own = c->place.rank;
  for (int k = 0; k < TRM_COMM_CHANNELS * EACH; k++) {
    const int first = k / EACH, number = k % EACH, second = 1 - first;
    const size_t bytes = words_of(number) * sizeof(uint32_t);
    mail *received = mail_of(in, peer, second, number), *sent = mail_of(out, peer, first, number);
    write_mail(sent, own, peer, first, number);
    TRM_TRY(c->table->receive(c->handle, peer, second, received->words, bytes, &received->request));
    TRM_TRY(c->table->send(c->handle, peer, first, sent->words, bytes, &sent->request));
  }
  return TRM_OK;
}

/* The last ones first. */
static trm_status end_mail(const domain_comm *c, mail *in, mail *out)
{
  for (int k = c->place.size * TRM_COMM_CHANNELS * EACH; k-- > 0;) {
    const int peer = k / EACH / TRM_COMM_CHANNELS, channel = k / EACH % TRM_COMM_CHANNELS;
    TRM_TRY(c->table->wait(c->handle, &in[k].request));
    TRM_TRY(c->table->wait(c->handle, &out[k].request));
    TRM_TRY(check_mail(&in[k], peer, c->place.rank, channel, k % EACH));
  }
  return TRM_OK;
}

static trm_status exchange_mail(const domain_comm *c, mail *in, mail *out)
{
  for (int peer = 0; peer < c->place.size; peer++) TRM_TRY(begin_mail(c, in, out, peer));
  return end_mail(c, in, out);
}

/* Each part sends to each part, itself too, all at once. */
static trm_status messages_keep_their_order(void *unused, const domain_comm *c)
{
  const size_t count = (size_t)(c->place.size * TRM_COMM_CHANNELS * EACH);
  mail *in = calloc(count, sizeof *in), *out = calloc(count, sizeof *out);
  (void)unused;
  trm_status status = in && out ? TRM_OK : WRONG("no memory for %zu messages", count);
  if (status == TRM_OK) status = exchange_mail(c, in, out);
  free(in);
  free(out);
  return domain_agree(c, status);
}

/* Nobody else has to take part, and nobody waits. */
static trm_status empty_messages_travel_nowhere(void *unused, const domain_comm *c)
{
  unsigned char one = 7;
  int is_complete = 0;
  void *request = &one;
  (void)unused;
  for (int peer = 0; peer < c->place.size; peer++) {
    TRM_TRY(receive(c, peer, 0, &one, 0));
    TRM_TRY(send(c, peer, 1, &one, 0));
  }
  TRM_TRY(c->table->send(c->handle, c->place.size - 1, 0, &one, 0, &request));
  TRM_TRY(c->table->test(c->handle, &request, &is_complete));
  return domain_agree(c, is_complete && !request && one == 7 ? TRM_OK
                         : WRONG("an empty message is not complete at once"));
}

static unsigned char byte_of(int from, size_t at) { return (unsigned char)((size_t)from + at / 7); }

/* To the next part, from the one before: together they are more than any library keeps. */
static trm_status pass_on(const domain_comm *c, unsigned char *in, unsigned char *out, size_t count)
{
  const int size = c->place.size, own = c->place.rank, before = (own + size - 1) % size;
  void *sent, *received;
  int is_complete = 0;
  for (size_t i = 0; i < count; i++) out[i] = byte_of(own, i);
  TRM_TRY(c->table->send(c->handle, (own + 1) % size, 0, out, count, &sent));
  TRM_TRY(c->table->receive(c->handle, before, 0, in, count, &received));
  while (!is_complete) TRM_TRY(c->table->test(c->handle, &received, &is_complete));
  TRM_TRY(c->table->wait(c->handle, &sent));
  for (size_t i = 0; i < count; i++)
    if (in[i] != byte_of(before, i))
      return WRONG("byte %zu of %zu from part %d is %d instead of %d", i, count, before, in[i],
                   byte_of(before, i));
  return TRM_OK;
}

static trm_status large_messages_pass_each_other(void *unused, const domain_comm *c)
{
  static const size_t counts[] = { 1, 4097, 300001, (size_t)6 << 20 };
  const size_t most = counts[sizeof counts / sizeof *counts - 1];
  unsigned char *bytes = malloc(2 * most);
  (void)unused;
  trm_status status = bytes ? TRM_OK : WRONG("no memory for large messages");
  for (size_t i = 0; i < sizeof counts / sizeof *counts && status == TRM_OK; i++)
    status = pass_on(c, bytes, bytes + most, counts[i]);
  free(bytes);
  return domain_agree(c, status);
}

/* Over ranks it computes longer than TRIREME_COMM_SILENCE (comm_over.sh). */
static trm_status a_part_that_computes_is_waited_for(void *unused, const domain_comm *c)
{
  const int last = c->place.size - 1;
  int word = c->place.rank;
  (void)unused;
  if (last == 0) return TRM_OK;
  if (c->place.rank == last) {
    pause_for(1.2);
    for (int to = 0; to < last; to++) TRM_TRY(send(c, to, 0, &word, sizeof word));
  } else {
    TRM_TRY(receive(c, last, 0, &word, sizeof word));
  }
  return domain_agree(c, word == last ? TRM_OK : WRONG("%d came instead of %d", word, last));
}

/* ---- collective calls ---------------------------------------------------------- */

static trm_status a_broadcast_reaches_all(void *unused, const domain_comm *c)
{
  static const size_t counts[] = { 0, 1, 3000, 200000 };
  static unsigned char room[64][200000];
  unsigned char *bytes = room[c->place.rank];
  trm_status status = TRM_OK;
  (void)unused;
  for (int from = 0; from < c->place.size; from++)
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
      const size_t count = counts[k];
      for (size_t i = 0; i < count; i++) bytes[i] = byte_of(c->place.rank * 50, i);
      TRM_TRY(c->table->broadcast(c->handle, from, bytes, count));
      for (size_t i = 0; i < count && status == TRM_OK; i++)
        if (bytes[i] != byte_of(from * 50, i))
          status = WRONG("byte %zu of %zu of part %d is %d", i, count, from, bytes[i]);
    }
  return domain_agree(c, status);
}

static trm_status maxima_are_of_all_parts(void *unused, const domain_comm *c)
{
  const int own = c->place.rank, size = c->place.size;
  int64_t values[4] = { INT64_MIN, own, -own, own == size / 2 ? INT64_MAX : INT64_MIN + own };
  const int64_t largest[4] = { INT64_MIN, size - 1, 0, INT64_MAX };
  (void)unused;
  TRM_TRY(c->table->maxima(c->handle, values, 4));
  for (int i = 0; i < 4; i++)
    if (values[i] != largest[i])
      return domain_agree(c, WRONG("maximum %d is %lld", i, (long long)values[i]));
  return domain_agree(c, TRM_OK);
}

/* Chunk sums of one device. Rounding makes their sum depend on the order. */
enum { CHUNKS = 37 };

static double chunk_sum(size_t chunk)
{
  static const double sums[] = { 1e16, 1, -1e16, 3e-9, 1, 0.1, -7e7 };
  return sums[chunk % (sizeof sums / sizeof *sums)] * (double)(1 + chunk / 5);
}

static double fold(const double *sums)
{
  double sum = 0;
  for (size_t i = 0; i < CHUNKS; i++) sum += sums[i];
  return sum;
}

/* Uneven parts, one in four of which has no chunk. */
static size_t begin_of(int part, int size)
{
  const size_t even = (size_t)part * CHUNKS / (size_t)size;
  return part == size ? CHUNKS : part % 4 == 3 ? (size_t)(part + 1) * CHUNKS / (size_t)size : even;
}

static trm_status sums_fold_in_the_order_of_one(void *unused, const domain_comm *c)
{
  const int own = c->place.rank, size = c->place.size;
  double one[CHUNKS], sums[CHUNKS], sum, backwards = 0;
  size_t counts[64];
  (void)unused;
  for (size_t i = 0; i < CHUNKS; i++) one[i] = chunk_sum(i);
  for (size_t i = CHUNKS; i-- > 0;) backwards += one[i];
  for (int i = 0; i < size; i++)
    counts[i] = (begin_of(i + 1, size) - begin_of(i, size)) * sizeof *sums;
  memset(sums, 0x7f, sizeof sums);
  for (size_t i = begin_of(own, size); i < begin_of(own + 1, size); i++) sums[i] = one[i];
  TRM_TRY(c->table->allgather(c->handle, sums, counts));
  sum = fold(sums);
  if (memcmp(sums, one, sizeof one) != 0 || sum != fold(one))
    return domain_agree(c, WRONG("the chunk sums of one device were not gathered"));
  return domain_agree(c, sum != backwards ? TRM_OK : WRONG("these sums tell no order"));
}

/* ---- a part that fails ------------------------------------------------------------ */

static trm_status expect(const domain_comm *c, int first, int second, const char *sentence)
{
  const int own = c->place.rank;
  const int fails = own == first || own == second;
  const trm_status status = domain_agree(c, fails ? trm_error_record(TRM_ERROR_IO, "", 0,
                                                    "the disk of %d is full", own) : TRM_OK);
  const char *text = trm_error_last()->text;
  if (first < 0 ? status == TRM_OK : status == TRM_ERROR_IO && strcmp(text, sentence) == 0)
    return TRM_OK;
  return WRONG("status %d and '%s', where '%s' was due", (int)status, text, sentence);
}

static trm_status all_know_the_first_failure(void *unused, const domain_comm *c)
{
  const int last = c->place.size - 1;
  char sentence[128];
  (void)unused;
  snprintf(sentence, sizeof sentence, "%s %d: the disk of %d is full", c->called, last, last);
  trm_status status = expect(c, -1, -1, "");
  if (status == TRM_OK) status = expect(c, 0, last, "the disk of 0 is full");
  if (status == TRM_OK && last > 0) status = expect(c, last, last, sentence);
  if (status == TRM_OK) status = expect(c, -1, -1, "");
  return domain_agree(c, status);
}

const comm_case comm_cases[] = {
  { "messages keep their order within a channel", messages_keep_their_order },
  { "empty messages travel nowhere", empty_messages_travel_nowhere },
  { "large messages pass each other", large_messages_pass_each_other },
  { "a broadcast reaches all", a_broadcast_reaches_all },
  { "maxima are of all parts", maxima_are_of_all_parts },
  { "sums fold in the order of one device", sums_fold_in_the_order_of_one },
  { "all know the first failure", all_know_the_first_failure },
  { "a part that computes is waited for", a_part_that_computes_is_waited_for },
};
const size_t comm_case_count = sizeof comm_cases / sizeof *comm_cases;

/* ---- how a run ends ---------------------------------------------------------------- */

static trm_status wait_for_one(const domain_comm *c)
{
  int word = 0;
  return receive(c, 1, 0, &word, sizeof word);
}

static trm_status another_size(void *unused, const domain_comm *c)
{
  int64_t words[2] = { 0, 0 };
  (void)unused;
  if (c->place.rank == 1)
    for (int to = 0; to < c->place.size; to++)
      if (to != 1) TRM_TRY(send(c, to, 0, words, sizeof words[0]));
  return c->place.rank == 1 ? TRM_OK : receive(c, 1, 0, words, sizeof words);
}

static trm_status the_part_has_left(void *unused, const domain_comm *c)
{
  (void)unused;
  return c->place.rank == 1 ? TRM_OK : wait_for_one(c);
}

static trm_status it_has_left_all(void *unused, const domain_comm *c)
{
  int64_t value = 0;
  (void)unused;
  return c->place.rank == 1 ? TRM_OK : c->table->maxima(c->handle, &value, 1);
}

static trm_status it_was_stopped(void *unused, const domain_comm *c)
{
  (void)unused;
  if (c->place.rank == 1) raise(SIGSTOP);
  return wait_for_one(c);
}

static trm_status it_was_stopped_before_all(void *unused, const domain_comm *c)
{
  int64_t value = 0;
  (void)unused;
  if (c->place.rank == 1) raise(SIGSTOP);
  return c->table->maxima(c->handle, &value, 1);
}

static trm_status all_wait(void *unused, const domain_comm *c)
{
  int word = 0;
  (void)unused;
  return receive(c, (c->place.rank + 1) % c->place.size, 0, &word, sizeof word);
}

static trm_status one_waits_for_all(void *unused, const domain_comm *c)
{
  int64_t value = 0;
  (void)unused;
  return c->place.rank == 1 ? receive(c, 0, 0, &value, sizeof value)
                            : c->table->maxima(c->handle, &value, 1);
}

static trm_status one_ends_all(void *unused, const domain_comm *c)
{
  (void)unused;
  if (c->place.rank != 1) return wait_for_one(c);
  c->table->abort(c->handle, 3);
  return trm_error_record(TRM_ERROR_IO, "", 0, "the disk is full");
}

const comm_end comm_ends[] = {
  { "a message of another size", another_size,
    "a message of 8 bytes came from part 1, where one of 16 was due",
    "a message of 8 bytes came, where one of 16 was due", "20" },
  { "a part that has left", the_part_has_left, "part 1 has ended, and part 0 waits for it", NULL,
    NULL },
  { "a part that has left all", it_has_left_all,
    "1 of 3 parts have ended, and part 0 waits for all", NULL, NULL },
  { "a part that was stopped", it_was_stopped, NULL,
    "rank 1 has sent no heartbeat for 1 seconds: it was stopped", "1" },
  { "a part that was stopped before all", it_was_stopped_before_all, NULL,
    "rank 1 has sent no heartbeat for 1 seconds: it was stopped", "1" },
  { "parts that all wait", all_wait, "all parts wait for each other, part 0 for part 1",
    "for 1 seconds all have waited, rank 0 waits for rank 1", "1" },
  { "a part that waits apart", one_waits_for_all, "all parts wait for each other, part 0 for all",
    "for 1 seconds all have waited, rank 0 waits for all", "1" },
  /* over ranks the launcher alone says so, and Open MPI's loses its own line at times */
  { "a part that ends all", one_ends_all, "part 1 has ended the run", "", "20" },
};
const size_t comm_end_count = sizeof comm_ends / sizeof *comm_ends;
