/* saving.c - see saving.h. Part 0 tells the others what is written. Each part works out from the
 * rows that are valid who writes which piece of the file. */
#include "core/domain/saving.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/domain/parts.h"

enum { RUNS = 64 };             /* that are told at once */

struct domain_files {
  saver own;                    /* not on part 0, which has the caller's */
  unsigned char *writes;        /* whether a part does, of each */
  int32_t *errors;
};

/* The bytes of part 0's records. */
typedef struct told {
  uint64_t number, begin, count; /* of a buffer; of the file's values; runs, which follow */
  int64_t type;
} told;
_Static_assert(sizeof(told) <= DOMAIN_RECORD, "a record has room for it");

static trm_status tell(trm_device *device, uint32_t kind, const told *what)
{
  domain_record record = { .kind = kind };
  memcpy(record.bytes, what, sizeof *what);
  return domain_device_broadcast(device, &record, sizeof record);
}

void domain_saving_free(domain_files **files)
{
  if (!*files) return;
  saver_end(&(*files)->own);
  free((*files)->writes);
  free((*files)->errors);
  free(*files);
  *files = NULL;
}

/* ---- who writes -------------------------------------------------------------------- */

/* Without memory the link of the part ends, since the others wait for it. */
static trm_status make_files(domain_device *domain)
{
  domain_files *files = calloc(1, sizeof *files);
  if (files) {
    files->writes = calloc(domain->parts, 1);
    files->errors = calloc(domain->parts, sizeof *files->errors);
  }
  domain->files = files;
  if (files && files->writes && files->errors) return TRM_OK;
  return domain_post_note(domain->post, TRM_FAIL(NO_HOST_MEMORY, "no memory to save files"));
}

typedef struct meeting {
  saver_token token;
  char path[PATH_MAX];
} meeting;

/* Part 0 has the folder open. */
static trm_status look(trm_device *device, meeting *at)
{
  domain_device *domain = device->domain;
  domain_files *files = domain->files;
  TRM_TRY(domain_device_broadcast(device, at, sizeof *at));
  at->token.name[sizeof at->token.name - 1] = at->path[sizeof at->path - 1] = 0;
  if (domain->part > 0) files->errors[domain->part] = saver_meet(&files->own, &at->token, at->path);
  TRM_TRY(domain_gather(domain, files->errors, sizeof *files->errors));
  for (size_t m = 0; m < domain->parts; m++) files->writes[m] = files->errors[m] == 0;
  return TRM_OK;
}

trm_status domain_saving_meet(trm_device *device, const saver_token *token, const char *path,
                              int32_t *errors)
{
  domain_device *domain = device->domain;
  const told nothing = { .number = 0 };
  meeting at = { .token = *token };
  memcpy(at.path, path, strlen(path) + 1);
  TRM_TRY(make_files(domain));
  TRM_TRY(tell(device, DOMAIN_MEET, &nothing));
  TRM_TRY(look(device, &at));
  memcpy(errors, domain->files->errors, domain->parts * sizeof *errors);
  return TRM_OK;
}

/* ---- pieces of a file -------------------------------------------------------------- */

/* A call of trmi_saving_write, on any part. */
typedef struct writing {
  trm_device *device;
  trm_buffer *buffer;
  trm_type type;
  uint64_t begin;
  const trmi_run *runs;
  size_t count;
  saver *to;                    /* the part's */
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
  const domain_device *domain = w->device->domain;
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
  const domain_device *domain = w->device->domain;
  (void)user;
  if (owner != domain->part || !domain->files->writes[owner]) return TRM_OK;
  return saver_write(w->to, w->buffer, w->type, piece, 1);
}

/* ---- the hash, and pieces for part 0 to write -------------------------------------- */

static trm_status pass_sum(const writing *w, size_t from, size_t to)
{
  domain_device *domain = w->device->domain;
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
  domain_device *domain = w->device->domain;
  unsigned char *room;
  TRM_TRY(domain_post_room(domain->post, 0, bytes, &room));
  const trm_status status = trm_buffer_read(w->buffer, offset, bytes, room);
  TRM_TRY(domain_post_send(domain->post, 0, bytes));
  return status;
}

static trm_status take_bytes(const writing *w, size_t owner, size_t bytes, uint64_t at)
{
  domain_device *domain = w->device->domain;
  const unsigned char *room;
  TRM_TRY(domain_post_expect(domain->post, owner, bytes));
  TRM_TRY(domain_post_wait(domain->post, owner, &room));
  saver_put(w->to, w->type, room, bytes, at);
  (void)XXH3_128bits_update(w->sum, room, bytes);
  return TRM_OK;
}

/* Part 0 writes and hashes it, some bytes at a time. */
static trm_status bring(const writing *w, size_t owner, const trmi_run *piece)
{
  enum { MOST = 1 << 20 };
  const size_t part = w->device->domain->part;
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
  const domain_device *domain = w->device->domain;
  const int writes = domain->files->writes[owner];
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
  domain_device *domain = w->device->domain;
  size_t has = 0;
  const domain_visit visit = domain_enter(w->device);
  trm_status status = each_piece(w, write_own, NULL);
  const trm_status summed = each_piece(w, add_to_sum, &has), last = pass_sum(w, has, 0);
  domain_leave(w->device, &visit);
  if (status == TRM_OK) status = summed;
  return domain_agree_now(domain, status == TRM_OK ? last : status);
}

/* ---- what part 0 calls ------------------------------------------------------------- */

trm_status domain_saving_file(trm_device *device, saver *own, const char *name)
{
  const told nothing = { .number = 0 };
  char sent[NAME_MAX + 1] = "";
  memcpy(sent, name, strlen(name) + 1);
  saver_open(own, name);
  if (!device->domain->files) return TRM_OK;
  TRM_TRY(tell(device, DOMAIN_FILE, &nothing));
  return domain_device_broadcast(device, sent, sizeof sent);
}

/* So many runs, which fit. */
static trm_status write_some(const writing *w)
{
  const told what = { w->buffer->part->number, w->begin, w->count, w->type };
  TRM_TRY(tell(w->device, DOMAIN_SAVE, &what));
  TRM_TRY(domain_device_broadcast(w->device, (void *)(uintptr_t)w->runs,
                                  w->count * sizeof *w->runs));
  return write_pieces(w);
}

/* Part 0 reads what does not fit. */
static trm_status write_alone(const writing *w)
{
  for (size_t i = 0; i < w->count; i++) {
    trmi_run run = w->runs[i];
    run.at += w->begin;
    TRM_TRY(saver_write(w->to, w->buffer, w->type, &run, 1));
    TRM_TRY(saver_sum(w->sum, w->buffer, &run, 1));
  }
  return TRM_OK;
}

trm_status domain_saving_write(trm_device *device, saver *own, XXH3_state_t *sum,
                               trm_buffer *buffer, trm_type type, uint64_t begin,
                               const trmi_run *runs, size_t count)
{
  const domain_rows *b = domain_plan_rows(device->domain->plan, buffer->part->number);
  const int is_shared = device->domain->files != NULL;
  for (size_t i = 0, some; i < count; i += some) {
    const int is_by_rows = is_shared && fits(b, &runs[i]);
    for (some = 1; some < RUNS && i + some < count; some++)
      if ((is_shared && fits(b, &runs[i + some])) != is_by_rows) break;
    const writing w = { device, buffer, type, begin, runs + i, some, own, sum };
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
static trm_status close_file(domain_device *domain, saver *own, int *is_finite, int *rank,
                             int *error)
{
  const domain_files *files = domain->files;
  const trm_comm_place *place = &domain->comm.place;
  int64_t most[2];
  saver_sync(own, !files || files->writes[domain->part], place, most);
  if (files) TRM_TRY(agree_on(domain, most));
  saver_outcome(place, most, is_finite, rank, error);
  return TRM_OK;
}

trm_status domain_saving_close(trm_device *device, saver *own, int *is_finite, int *rank,
                               int *error)
{
  const told nothing = { .number = 0 };
  if (device->domain->files) TRM_TRY(tell(device, DOMAIN_SAVED, &nothing));
  return close_file(device->domain, own, is_finite, rank, error);
}

void domain_saving_end(trm_device *device)
{
  const told nothing = { .number = 0 };
  if (!device->domain->files) return;
  domain_saving_free(&device->domain->files);
  (void)tell(device, DOMAIN_LEFT, &nothing);
}

/* ---- on the others ----------------------------------------------------------------- */

static trm_status serve_meet(trm_device *device)
{
  meeting at;
  TRM_TRY(make_files(device->domain));
  return look(device, &at);
}

static trm_status serve_file(trm_device *device)
{
  char name[NAME_MAX + 1];
  TRM_TRY(domain_device_broadcast(device, name, sizeof name));
  name[sizeof name - 1] = 0;
  if (device->domain->files->writes[device->domain->part])
    saver_open(&device->domain->files->own, name);
  return TRM_OK;
}

static trm_status serve_save(trm_device *device, const told *what)
{
  domain_device *domain = device->domain;
  trmi_run runs[RUNS];
  XXH3_state_t sum;
  writing w = { device, NULL, (trm_type)what->type, what->begin, runs, (size_t)what->count,
                &domain->files->own, &sum };
  if (what->count > RUNS || what->number >= domain->buffer_count ||
      !domain->buffers[what->number])
    return domain_post_note(domain->post, TRM_FAIL(INVALID, "part 0 saves a buffer that part %zu "
                                                   "has not", domain->part));
  w.buffer = domain->buffers[what->number];
  TRM_TRY(domain_device_broadcast(device, runs, w.count * sizeof *runs));
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
  case DOMAIN_FILE: return serve_file(device);
  case DOMAIN_SAVE: return serve_save(device, &what);
  case DOMAIN_SAVED: return close_file(domain, &domain->files->own, &is_finite, &rank, &error);
  default: domain_saving_free(&domain->files); return TRM_OK;
  }
}
