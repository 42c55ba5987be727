/* saving.c - rank 0's side of files that all ranks write: who writes what, and the hash, which goes
 * from rank to rank in the order of the file. */
#include "core/crew/crew.h"
#include "core/domain/parts.h"
#include "core/domain/saving.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

struct trmi_saving {
  trm_device *device;
  crew_device *crew;            /* its; where ranks are parts, none is used */
  saver own;
  XXH3_state_t *sum;
  uint64_t begin;               /* of the values in the file */
  unsigned char *writes;        /* whether a rank does, of each */
  int blind, error;             /* the first that does not, and why */
};

/* Of a run, what lies on one member; SHARED: what several may have, or nobody that is known. */
typedef struct piece {
  size_t m;
  trmi_run run;
} piece;

enum { SHARED = -1 };

typedef struct pieces {
  piece *list;
  size_t count, room;
} pieces;

static trm_status no_memory(void) { return TRM_FAIL(NO_HOST_MEMORY, "no memory to save a buffer"); }

/* ---- who has what ---------------------------------------------------------------- */

/* The row that a byte of the buffer is in, and how many bytes from there on are; 0: unknown. */
static size_t find_row(const crew_buffer *b, uint64_t byte, size_t *row)
{
  const size_t value = (size_t)(byte / b->value_bytes);
  *row = 0;
  if (!b->is_cut) return byte < b->bytes ? b->bytes - (size_t)byte : 0;
  if (b->starts || value < b->first || byte % b->value_bytes) return 0;
  size_t at = value - b->first;
  if (b->component >= b->row) { /* a component behind the other, or within each row */
    if (b->components > 1 && at / b->component >= b->components) return 0;
    if (b->components > 1) at %= b->component;
    *row = at / b->row;
    at %= b->row;
  } else {
    *row = at / b->row;
    at %= b->row;
    if (b->components > 1) at %= b->component;
  }
  return *row < b->total && at < b->nx ? (b->nx - at) * b->value_bytes : 0;
}

/* Whose own row it is; who has it, where that one has not. */
static size_t find_member(const crew_device *crew, const crew_buffer *b, const crew_span *own,
                          size_t row)
{
  const crew_span one = { row, 1 };
  for (size_t m = 0; m < crew->count; m++)
    if (row - own[m].first < own[m].count && crew_has(b, m, one)) return m;
  for (size_t m = 0; m < crew->count; m++)
    if (crew_has(b, m, one)) return m;
  return (size_t)SHARED;
}

static int extend(piece *last, size_t m, const trmi_run *more)
{
  trmi_run *run = &last->run;
  const uint64_t step = more->offset - run->offset - (run->count - 1) * run->stride;
  if (last->m != m || run->bytes != more->bytes || run->at + run->count * run->bytes != more->at)
    return 0;
  if (more->offset < run->offset + run->bytes) return 0;
  if (run->count > 1 && step != run->stride) return 0;
  run->stride = step;
  run->count++;
  return 1;
}

static trm_status add(pieces *to, size_t m, trmi_run run)
{
  if (to->count > 0 && extend(&to->list[to->count - 1], m, &run)) return TRM_OK;
  if (to->count == to->room) {
    const size_t room = 2 * to->room + 64;
    piece *grown = realloc(to->list, room * sizeof *grown);
    if (!grown) return no_memory();
    to->list = grown;
    to->room = room;
  }
  to->list[to->count++] = (piece){ m, run };
  return TRM_OK;
}

/* In the order of the file, in which values begin at byte `begin`. */
static trm_status cut(const crew_device *crew, const crew_buffer *b, const crew_span *own,
                      const trmi_run *run, uint64_t begin, pieces *to)
{
  for (uint64_t i = 0; i < run->count; i++)
    for (uint64_t done = 0, count; done < run->bytes; done += count) {
      const uint64_t offset = run->offset + i * run->stride + done;
      size_t row, m = (size_t)SHARED;
      count = find_row(b, offset, &row);
      if (count > 0) m = find_member(crew, b, own, row);
      if (count == 0 || count > run->bytes - done) count = run->bytes - done;
      TRM_TRY(add(to, m, (trmi_run){ offset, 0, count, 1,
                                     begin + run->at + i * run->bytes + done }));
    }
  return TRM_OK;
}

static trm_status cut_all(const trmi_saving *s, const crew_buffer *b, const trmi_run *runs,
                          size_t count, pieces *to)
{
  const crew_device *crew = s->crew;
  crew_span *own = calloc(crew->count, sizeof *own);
  if (!own) return no_memory();
  for (size_t m = 0; m < crew->count; m++) own[m] = crew_own(crew, b->total, b->grain, m);
  trm_status status = TRM_OK;
  for (size_t i = 0; i < count && status == TRM_OK; i++)
    status = cut(crew, b, own, &runs[i], s->begin, to);
  free(own);
  return status;
}

/* ---- the ranks ------------------------------------------------------------------- */

int trmi_saving_is_shared(const trm_device *device)
{
  if (device->domain) return !device->domain->comm.is_one_process;
  if (!device->is_crew) return 0;
  const crew_device *crew = device->handle;
  for (size_t m = 0; m < crew->count; m++)
    if (crew->members[m].rank) return 1;
  return 0;
}

int trmi_saving_is_cut_off(const trm_device *device)
{
  return ranks_are_apart() || (device->domain && domain_post_is_lost(device->domain->post));
}

static trm_status make_token(int folder, const char *path, saver_token *token)
{
  uint64_t number[2] = { 0, 0 };
  (void)!getrandom(number, sizeof number, GRND_NONBLOCK);
  number[0] ^= (uint64_t)getpid();
  snprintf(token->name, sizeof token->name, "%016llx%016llx", (unsigned long long)number[0],
           (unsigned long long)number[1]);
  const int file = openat(folder, token->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0)
    return TRM_FAIL(IO, "cannot write '%s/%s': %s", path, token->name, strerror(errno));
  close(file);
  return TRM_OK;
}

/* All look at once. errors: 0, of each rank. */
static trm_status ask_ranks(const saver_token *token, const char *path, int32_t *errors)
{
  const size_t bytes = sizeof *token + strlen(path) + 1;
  unsigned char *told = malloc(bytes);
  trm_status status = told ? TRM_OK : no_memory();
  if (status == TRM_OK) {
    memcpy(told, token, sizeof *token);
    memcpy(told + sizeof *token, path, bytes - sizeof *token);
  }
  for (int rank = 1; rank < ranks_place()->size && status == TRM_OK; rank++) {
    ranks_message message = { .bytes = bytes };
    status = remote_tell(rank, RANKS_MEET, &message, NULL);
  }
  if (status == TRM_OK) status = ranks_broadcast(told, bytes);
  if (status == TRM_OK) status = ranks_gather(errors, sizeof *errors);
  if (status == TRM_OK) status = ranks_agree(TRM_OK);
  free(told);
  return status;
}

static trm_status meet(trmi_saving *s, const saver_token *token, const char *path)
{
  const int size = ranks_place()->size;
  int32_t *errors = calloc((size_t)size, sizeof *errors);
  if (!errors) return no_memory();
  const trm_status status = s->device->domain ? domain_saving_meet(s->device, token, path, errors)
                                              : ask_ranks(token, path, errors);
  for (int rank = 1; rank < size && status == TRM_OK; rank++) {
    s->writes[rank] = errors[rank] == 0;
    if (errors[rank] == 0 || s->blind) continue;
    s->blind = rank;
    s->error = errors[rank];
  }
  free(errors);
  return status;
}

/* By its whole path, since ranks may stand in other folders. What has none, as it would be too
 * long, the others cannot open. */
static trm_status meet_at(trmi_saving *s, const saver_token *token, const char *path)
{
  char *whole = realpath(path, NULL);
  if (!whole) {
    s->blind = 1;
    s->error = errno;
    return TRM_OK;
  }
  const trm_status status = meet(s, token, whole);
  free(whole);
  return status;
}

trm_status trmi_saving_begin(const trm_device *device, int folder, const char *path,
                             trmi_saving **out)
{
  saver_token token;
  TRM_TRY(make_token(folder, path, &token));
  trmi_saving *s = calloc(1, sizeof *s);
  if (s) {
    s->device = (trm_device *)(uintptr_t)device;
    s->crew = device->handle;
    s->sum = XXH3_createState();
    s->writes = calloc((size_t)ranks_place()->size, 1);
    s->own.folder = fcntl(folder, F_DUPFD_CLOEXEC, 0) + 1;
  }
  trm_status status = s && s->sum && s->writes ? TRM_OK : no_memory();
  if (status == TRM_OK && !s->own.folder)
    status = TRM_FAIL(IO, "cannot keep the folder '%s' open: %s; raise the limit on open files "
                      "(ulimit -n)", path, strerror(errno));
  if (status == TRM_OK) status = meet_at(s, &token, path);
  (void)unlinkat(folder, token.name, 0);
  if (status == TRM_OK) *out = s;
  else trmi_saving_end(&s);
  return status;
}

int trmi_saving_blind(const trmi_saving *s, int *error)
{
  *error = s->error;
  return s->blind;
}

void trmi_saving_end(trmi_saving **handle)
{
  trmi_saving *s = *handle;
  if (!s) return;
  *handle = NULL;
  ranks_message message = { .object = 0 };
  if (s->device && s->device->domain) domain_saving_end(s->device);
  else for (int rank = 1; s->writes && rank < ranks_place()->size; rank++)
    if (s->writes[rank]) (void)remote_tell(rank, RANKS_SAVING_GONE, &message, NULL);
  saver_end(&s->own);
  XXH3_freeState(s->sum);
  free(s->writes);
  free(s);
}

/* ---- a file ----------------------------------------------------------------------- */

static trm_status open_file(trmi_saving *s, const char *name)
{
  for (int rank = 1; rank < ranks_place()->size; rank++) {
    ranks_message message = { .bytes = strlen(name) + 1 };
    if (s->writes[rank]) TRM_TRY(remote_tell(rank, RANKS_FILE, &message, name));
  }
  saver_open(&s->own, name);
  return TRM_OK;
}

trm_status trmi_saving_file(trmi_saving *s, const char *name, const void *head, size_t bytes)
{
  TRM_TRY(s->device->domain ? domain_saving_file(s->device, &s->own, name) : open_file(s, name));
  s->begin = bytes;
  (void)XXH3_128bits_reset(s->sum);
  (void)XXH3_128bits_update(s->sum, head, bytes);
  return TRM_OK;
}

/* The rank that works on what this member has; 0: this one. */
static int rank_of(const trmi_saving *s, size_t m)
{
  const int rank = m == (size_t)SHARED ? 0 : s->crew->members[m].rank;
  return s->writes[rank] ? rank : 0;
}

static trm_buffer *part_of(const trm_buffer *buffer, size_t m)
{
  const crew_buffer *b = buffer->handle;
  return m == (size_t)SHARED ? (trm_buffer *)(uintptr_t)buffer : b->parts[m];
}

/* bytes: before the runs, where there are any. */
static trm_status tell_runs(int rank, ranks_order order, const trm_buffer *part, trm_type type,
                            const void *before, size_t bytes, const pieces *all, size_t first,
                            size_t end, size_t m, uint64_t *number)
{
  size_t count = 0;
  for (size_t i = first; i < end; i++) count += all->list[i].m == m;
  ranks_message message = { .object = (uint64_t)(uintptr_t)part->handle, .peer = (int32_t)type,
                            .offset = count, .bytes = bytes + count * sizeof(trmi_run) };
  unsigned char *told = malloc(message.bytes), *next = told + bytes;
  if (!told) return no_memory();
  if (before) memcpy(told, before, bytes);
  for (size_t i = first; i < end; i++) {
    if (all->list[i].m != m) continue;
    memcpy(next, &all->list[i].run, sizeof(trmi_run));
    next += sizeof(trmi_run);
  }
  const trm_status status = remote_tell(rank, order, &message, told);
  if (number) *number = message.number;
  free(told);
  return status;
}

/* The others begin before this one does. */
static trm_status write_pieces(trmi_saving *s, const trm_buffer *buffer, trm_type type,
                               const pieces *all)
{
  for (size_t m = 0; m < s->crew->count; m++) {
    int is_there = 0;
    for (size_t i = 0; i < all->count && !is_there; i++) is_there = all->list[i].m == m;
    if (is_there && rank_of(s, m))
      TRM_TRY(tell_runs(rank_of(s, m), RANKS_SAVE, part_of(buffer, m), type, NULL, 0, all, 0,
                        all->count, m, NULL));
  }
  for (size_t i = 0; i < all->count; i++)
    if (!rank_of(s, all->list[i].m))
      TRM_TRY(saver_write(&s->own, part_of(buffer, all->list[i].m), type, &all->list[i].run, 1));
  return TRM_OK;
}

static trm_status sum_remote(trmi_saving *s, const trm_buffer *buffer, const pieces *all,
                             size_t first, size_t end)
{
  const size_t m = all->list[first].m;
  const int rank = rank_of(s, m);
  ranks_answer answer;
  uint64_t number = 0;
  TRM_TRY(tell_runs(rank, RANKS_SUM, part_of(buffer, m), TRM_TYPE_U8, s->sum, sizeof *s->sum, all,
                    first, end, m, &number));
  TRM_TRY(remote_listen(rank, number, &answer));
  TRM_TRY(ranks_receive(rank, s->sum, sizeof *s->sum));
  saver_adopt(s->sum);
  return TRM_OK;
}

static trm_status sum_pieces(trmi_saving *s, const trm_buffer *buffer, const pieces *all)
{
  for (size_t i = 0, end; i < all->count; i = end) {
    const size_t m = all->list[i].m;
    for (end = i + 1; end < all->count && all->list[end].m == m;) end++;
    if (rank_of(s, m)) {
      TRM_TRY(sum_remote(s, buffer, all, i, end));
      continue;
    }
    for (size_t k = i; k < end; k++)
      TRM_TRY(saver_sum(s->sum, part_of(buffer, m), &all->list[k].run, 1));
  }
  return TRM_OK;
}

trm_status trmi_saving_write(trmi_saving *s, const trm_buffer *buffer, trm_type type,
                             const trmi_run *runs, size_t count)
{
  pieces all = { NULL, 0, 0 };
  if (s->device->domain)
    return domain_saving_write(s->device, &s->own, s->sum, (trm_buffer *)(uintptr_t)buffer, type,
                               s->begin, runs, count);
  trm_status status = cut_all(s, buffer->handle, runs, count, &all);
  if (status == TRM_OK) status = write_pieces(s, buffer, type, &all);
  if (status == TRM_OK) status = sum_pieces(s, buffer, &all);
  free(all.list);
  return status;
}

static void print_sum(const XXH3_state_t *sum, char hash[33])
{
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(sum));
  for (size_t i = 0; i < sizeof canonical.digest; i++)
    snprintf(hash + 2 * i, 3, "%02x", canonical.digest[i]);
}

static trm_status close_file(trmi_saving *s, int *is_finite, int *rank, int *error)
{
  for (int r = 1; r < ranks_place()->size; r++) {
    ranks_message message = { .peer = s->writes[r] };
    TRM_TRY(remote_tell(r, RANKS_SAVED, &message, NULL));
  }
  return saver_close(&s->own, 1, TRM_OK, is_finite, rank, error);
}

trm_status trmi_saving_close(trmi_saving *s, char hash[33], int *is_finite, int *rank, int *error)
{
  *rank = *error = 0;
  TRM_TRY(s->device->domain ? domain_saving_close(s->device, &s->own, is_finite, rank, error)
                            : close_file(s, is_finite, rank, error));
  if (*error) return TRM_FAIL(IO, "rank %d: %s", *rank, strerror(*error));
  print_sum(s->sum, hash);
  return TRM_OK;
}
