/* saving.c - files that all ranks write, each its own rows (core/saving.h). Part 0 makes the calls
 * between batches, tells the others what is written, and they serve it. Each part works out from
 * the rows that are valid who writes which piece of a file. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/domain/parts.h"
#include "core/domain/ranks.h"
#include "core/domain/saver.h"

enum { RUNS = 64 };             /* that are told at once */

/* On each part. Where domain->files is NULL, part 0 writes all. */
struct trmi_saving {
  trm_device *device;
  saver own;
  XXH3_state_t *sum;            /* on part 0 */
  uint64_t begin;               /* of the values in the file */
  int blind, error;             /* the first rank that does not write, and why */
  int32_t errors[];             /* of each part: 0, or why it does not write */
};

/* The bytes of part 0's records. */
typedef struct told {
  uint64_t number, begin, count; /* of a buffer; of the file's values; runs, which follow */
  int64_t type;
} told;
_Static_assert(sizeof(told) <= DOMAIN_RECORD, "a record has room for it");

static trm_status tell(trm_device *device, uint32_t kind, told what)
{
  domain_record record = { .kind = kind };
  memcpy(record.bytes, &what, sizeof what);
  return domain_device_broadcast(device, &record, sizeof record);
}

int trmi_saving_is_shared(const trm_device *device)
{
  return device->domain && !device->domain->comm.is_one_process;
}

int trmi_saving_is_cut_off(const trm_device *device)
{
  return ranks_are_lost() || (device->domain && domain_post_is_lost(device->domain->post));
}

/* ---- life -------------------------------------------------------------------------- */

static trm_status create(trm_device *device, trmi_saving **out)
{
  trmi_saving *s = calloc(1, sizeof *s + device->domain->parts * sizeof *s->errors);
  if (s) s->sum = XXH3_createState();
  if (s && s->sum) {
    s->device = device;
    *out = s;
    return TRM_OK;
  }
  free(s);
  return TRM_FAIL(NO_HOST_MEMORY, "no memory to save a buffer");
}

void domain_saving_free(trmi_saving **handle)
{
  trmi_saving *s = *handle;
  if (!s) return;
  *handle = NULL;
  saver_end(&s->own);
  XXH3_freeState(s->sum);
  free(s);
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

typedef struct meeting {
  saver_token token;
  char path[PATH_MAX];
} meeting;

/* Part 0 has the folder open. */
static trm_status look(trmi_saving *s, meeting *at)
{
  domain_device *domain = s->device->domain;
  domain->files = s;
  TRM_TRY(domain_device_broadcast(s->device, at, sizeof *at));
  at->token.name[sizeof at->token.name - 1] = at->path[sizeof at->path - 1] = 0;
  if (domain->part > 0) s->errors[domain->part] = saver_meet(&s->own, &at->token, at->path);
  return domain_gather(&domain->comm, s->errors, sizeof *s->errors);
}

/* By its whole path, since ranks may stand in other folders. The others cannot open a folder whose
 * path is too long. */
static trm_status meet_at(trmi_saving *s, const saver_token *token, const char *path)
{
  meeting at = { .token = *token };
  if (!realpath(path, at.path)) {
    s->blind = 1;
    s->error = errno;
    return TRM_OK;
  }
  TRM_TRY(tell(s->device, DOMAIN_MEET, (told){ .number = 0 }));
  TRM_TRY(look(s, &at));
  for (size_t m = 1; m < s->device->domain->parts && !s->blind; m++) {
    s->blind = s->errors[m] ? (int)m : 0;
    s->error = s->errors[m];
  }
  return TRM_OK;
}

trm_status trmi_saving_begin(const trm_device *device, int folder, const char *path,
                             trmi_saving **out)
{
  saver_token token;
  trmi_saving *s = NULL;
  TRM_TRY(make_token(folder, path, &token));
  trm_status status = create((trm_device *)(uintptr_t)device, &s);
  if (s) s->own.folder = fcntl(folder, F_DUPFD_CLOEXEC, 0) + 1;
  if (s && !s->own.folder)
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
  domain_device *domain = *handle ? (*handle)->device->domain : NULL;
  if (domain && domain->files) {
    domain->files = NULL;
    (void)tell((*handle)->device, DOMAIN_LEFT, (told){ .number = 0 });
  }
  domain_saving_free(handle);
}

/* ---- pieces of a file -------------------------------------------------------------- */

/* A call of trmi_saving_write, on any part. */
typedef struct writing {
  trmi_saving *to;
  trm_buffer *buffer;
  trm_type type;
  uint64_t begin;
  const trmi_run *runs;
  size_t count;
  XXH3_state_t *sum;
} writing;

/* The row of the buffer in which a run begins, and the cell in it; 0: it has no rows of cells. */
static int find_row(const domain_rows *b, const trmi_run *run, size_t *row, size_t *cell)
{
  const size_t value = (size_t)(run->offset / b->value_bytes);
  if (b->starts || value < b->first || run->offset % b->value_bytes) return 0;
  size_t at = value - b->first;
  if (b->component >= b->row) { /* components one behind the other; else within each row */
    if (b->components > 1 && at / b->component >= b->components) return 0;
    if (b->components > 1) at %= b->component;
    *row = at / b->row;
    *cell = at % b->row;
  } else {
    *row = at / b->row;
    *cell = at % b->row;
    if (b->components > 1) *cell %= b->component;
  }
  return 1;
}

/* Whether each value of the run lies in a row. */
static int fits(const domain_rows *b, const trmi_run *run)
{
  size_t row, cell;
  if (!b->is_cut) return 1;
  return find_row(b, run, &row, &cell) && row < b->total && run->count <= b->total - row &&
         cell * b->value_bytes + run->bytes <= b->nx * b->value_bytes &&
         (run->count == 1 || run->stride == b->row * b->value_bytes);
}

/* The part whose rows these are from row i of a run on: the lowest that has them. *count: how many
 * of them it has. */
static size_t find_owner(const domain_device *domain, size_t number, const trmi_run *run,
                         uint64_t i, uint64_t *count)
{
  const domain_rows *b = domain_plan_rows(domain->plan, number);
  const domain_span *valid = domain_plan_valid(domain->plan, number);
  size_t row = 0, cell = 0;
  *count = run->count - i;
  if (b->is_cut) (void)find_row(b, run, &row, &cell);
  for (size_t m = 0; m < domain->parts; m++) {
    const size_t has = domain_rows_in(valid[m], b->total, b->is_cut ? row + i : 0);
    if (has == 0) continue;
    if (b->is_cut && has < *count) *count = has;
    return m;
  }
  return 0;
}

typedef trm_status piece_fn(const writing *w, size_t owner, const trmi_run *piece, void *user);

/* Each piece, in the order of the file, also after a failure: others wait for it. */
static trm_status each_piece(const writing *w, piece_fn *visit, void *user)
{
  const domain_device *domain = w->to->device->domain;
  trm_status status = TRM_OK;
  for (size_t r = 0; r < w->count; r++) {
    const trmi_run *run = &w->runs[r];
    for (uint64_t i = 0, count; i < run->count; i += count) {
      const size_t owner = find_owner(domain, w->buffer->part->number, run, i, &count);
      const trmi_run piece = { run->offset + i * run->stride, run->stride, run->bytes, count,
                               w->begin + run->at + i * run->bytes };
      const trm_status now = visit(w, owner, &piece, user);
      if (status == TRM_OK) status = now;
    }
  }
  return status;
}

static trm_status write_own(const writing *w, size_t owner, const trmi_run *piece, void *user)
{
  const domain_device *domain = w->to->device->domain;
  (void)user;
  if (owner != domain->part || w->to->errors[owner]) return TRM_OK;
  return saver_write(&w->to->own, w->buffer, w->type, piece, 1);
}

/* ---- the hash, and pieces for part 0 to write -------------------------------------- */

static trm_status pass_sum(const writing *w, size_t from, size_t to)
{
  domain_device *domain = w->to->device->domain;
  unsigned char *room;
  if (from == to) return TRM_OK;
  if (domain->part == from) {
    TRM_TRY(domain_post_room(domain->post, to, sizeof *w->sum, &room));
    memcpy(room, w->sum, sizeof *w->sum);
    return domain_post_send(domain->post, to, sizeof *w->sum);
  }
  if (domain->part != to) return TRM_OK;
  TRM_TRY(domain_post_receive_now(domain->post, from, w->sum, sizeof *w->sum));
  saver_adopt(w->sum);
  return TRM_OK;
}

/* Something goes after a failure, too. */
static trm_status give_bytes(const writing *w, uint64_t offset, size_t bytes)
{
  domain_device *domain = w->to->device->domain;
  unsigned char *room;
  TRM_TRY(domain_post_room(domain->post, 0, bytes, &room));
  const trm_status status = trm_buffer_read(w->buffer, offset, bytes, room);
  TRM_TRY(domain_post_send(domain->post, 0, bytes));
  return status;
}

static trm_status take_bytes(const writing *w, size_t owner, size_t bytes, uint64_t at)
{
  domain_device *domain = w->to->device->domain;
  const unsigned char *room;
  TRM_TRY(domain_post_expect(domain->post, owner, bytes));
  TRM_TRY(domain_post_wait(domain->post, owner, &room));
  saver_put(&w->to->own, w->type, room, bytes, at);
  (void)XXH3_128bits_update(w->sum, room, bytes);
  return TRM_OK;
}

/* Part 0 writes and hashes it, some bytes at a time. */
static trm_status bring(const writing *w, size_t owner, const trmi_run *piece)
{
  enum { MOST = 1 << 20 };
  const size_t part = w->to->device->domain->part;
  trm_status status = TRM_OK;
  for (uint64_t i = 0; i < piece->count; i++)
    for (uint64_t done = 0, bytes; done < piece->bytes; done += bytes) {
      trm_status now = TRM_OK;
      bytes = piece->bytes - done < MOST ? piece->bytes - done : MOST;
      if (part == owner) now = give_bytes(w, piece->offset + i * piece->stride + done, bytes);
      if (part == 0) now = take_bytes(w, owner, bytes, piece->at + i * piece->bytes + done);
      if (status == TRM_OK) status = now;
    }
  return status;
}

/* user: the part that has the hash. */
static trm_status add_to_sum(const writing *w, size_t owner, const trmi_run *piece, void *user)
{
  const domain_device *domain = w->to->device->domain;
  const int writes = !w->to->errors[owner];
  size_t *has = user;
  const size_t then = writes ? owner : 0, before = *has;
  *has = then;
  TRM_TRY(pass_sum(w, before, then));
  if (!writes) return bring(w, owner, piece);
  return owner == domain->part ? saver_sum(w->sum, w->buffer, piece, 1) : TRM_OK;
}

/* On each part. */
static trm_status write_pieces(const writing *w)
{
  domain_device *domain = w->to->device->domain;
  size_t has = 0;
  const domain_visit visit = domain_enter(w->to->device);
  trm_status status = each_piece(w, write_own, NULL);
  const trm_status summed = each_piece(w, add_to_sum, &has), last = pass_sum(w, has, 0);
  domain_leave(w->to->device, &visit);
  if (status == TRM_OK) status = summed;
  return domain_agree_now(domain, status == TRM_OK ? last : status);
}

/* ---- what part 0 calls ------------------------------------------------------------- */

trm_status trmi_saving_file(trmi_saving *s, const char *name, const void *head, size_t bytes)
{
  char sent[NAME_MAX + 1] = "";
  memcpy(sent, name, strlen(name) + 1);
  saver_open(&s->own, name);
  s->begin = bytes;
  (void)XXH3_128bits_reset(s->sum);
  (void)XXH3_128bits_update(s->sum, head, bytes);
  if (!s->device->domain->files) return TRM_OK;
  TRM_TRY(tell(s->device, DOMAIN_FILE, (told){ .number = 0 }));
  return domain_device_broadcast(s->device, sent, sizeof sent);
}

/* So many runs, which fit. */
static trm_status write_some(const writing *w)
{
  trm_device *device = w->to->device;
  TRM_TRY(tell(device, DOMAIN_SAVE,
               (told){ w->buffer->part->number, w->begin, w->count, w->type }));
  TRM_TRY(domain_device_broadcast(device, (void *)(uintptr_t)w->runs, w->count * sizeof *w->runs));
  return write_pieces(w);
}

/* Part 0 reads what does not fit. */
static trm_status write_alone(const writing *w)
{
  for (size_t i = 0; i < w->count; i++) {
    trmi_run run = w->runs[i];
    run.at += w->begin;
    TRM_TRY(saver_write(&w->to->own, w->buffer, w->type, &run, 1));
    TRM_TRY(saver_sum(w->sum, w->buffer, &run, 1));
  }
  return TRM_OK;
}

trm_status trmi_saving_write(trmi_saving *s, const trm_buffer *buffer, trm_type type,
                             const trmi_run *runs, size_t count)
{
  const domain_device *domain = s->device->domain;
  const domain_rows *b = domain_rows_of(buffer);
  const int is_shared = domain->files != NULL;
  for (size_t i = 0, some; i < count; i += some) {
    const int is_by_rows = is_shared && fits(b, &runs[i]);
    for (some = 1; some < RUNS && i + some < count; some++)
      if ((is_shared && fits(b, &runs[i + some])) != is_by_rows) break;
    const writing w = { s, (trm_buffer *)(uintptr_t)buffer, type, s->begin, runs + i, some,
                        s->sum };
    TRM_TRY(is_by_rows ? write_some(&w) : write_alone(&w));
  }
  return TRM_OK;
}

static trm_status agree_on(domain_device *domain, int64_t most[2])
{
  const domain_comm *comm = &domain->comm;
  TRM_TRY(domain_post_check(domain->post));
  TRM_TRY(domain_post_note(domain->post, comm->table->maxima(comm->handle, most, 2)));
  return domain_agree_now(domain, TRM_OK);
}

/* On each part, or on part 0 alone. */
static trm_status close_file(trmi_saving *s, int *is_finite, int *rank, int *error)
{
  domain_device *domain = s->device->domain;
  const trm_comm_place *place = &domain->comm.place;
  int64_t most[2];
  saver_sync(&s->own, !s->errors[domain->part], place, most);
  if (domain->files) TRM_TRY(agree_on(domain, most));
  saver_outcome(place, most, is_finite, rank, error);
  return TRM_OK;
}

static void print_sum(const XXH3_state_t *sum, char hash[33])
{
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(sum));
  for (size_t i = 0; i < sizeof canonical.digest; i++)
    snprintf(hash + 2 * i, 3, "%02x", canonical.digest[i]);
}

trm_status trmi_saving_close(trmi_saving *s, char hash[33], int *is_finite, int *rank, int *error)
{
  *rank = *error = 0;
  if (s->device->domain->files)
    TRM_TRY(tell(s->device, DOMAIN_SAVED, (told){ .number = 0 }));
  TRM_TRY(close_file(s, is_finite, rank, error));
  if (*error) return TRM_FAIL(IO, "rank %d: %s", *rank, strerror(*error));
  print_sum(s->sum, hash);
  return TRM_OK;
}

/* ---- on the others ----------------------------------------------------------------- */

/* Without memory the link of the part ends, since the others wait for it. */
static trm_status serve_meet(trm_device *device)
{
  meeting at;
  trmi_saving *s = NULL;
  TRM_TRY(domain_post_note(device->domain->post, create(device, &s)));
  return look(s, &at);
}

static trm_status serve_file(trmi_saving *s)
{
  char name[NAME_MAX + 1];
  TRM_TRY(domain_device_broadcast(s->device, name, sizeof name));
  name[sizeof name - 1] = 0;
  if (!s->errors[s->device->domain->part]) saver_open(&s->own, name);
  return TRM_OK;
}

static trm_status serve_save(trmi_saving *s, const told *what)
{
  domain_device *domain = s->device->domain;
  trmi_run runs[RUNS];
  writing w = { s, NULL, (trm_type)what->type, what->begin, runs, (size_t)what->count, s->sum };
  if (what->count > RUNS || what->number >= domain->buffer_count ||
      !domain->buffers[what->number])
    return domain_post_note(domain->post, TRM_FAIL(INVALID, "part 0 saves a buffer that part %zu "
                                                   "has not", domain->part));
  w.buffer = domain->buffers[what->number];
  TRM_TRY(domain_device_broadcast(s->device, runs, w.count * sizeof *runs));
  return write_pieces(&w);
}

trm_status domain_saving_serve(trm_device *device, const domain_record *record)
{
  domain_device *domain = device->domain;
  told what;
  int is_finite, rank, error;
  memcpy(&what, record->bytes, sizeof what);
  switch (record->kind) {
  case DOMAIN_MEET: return serve_meet(device);
  case DOMAIN_FILE: return serve_file(domain->files);
  case DOMAIN_SAVE: return serve_save(domain->files, &what);
  case DOMAIN_SAVED: return close_file(domain->files, &is_finite, &rank, &error);
  default: domain_saving_free(&domain->files); return TRM_OK;
  }
}
