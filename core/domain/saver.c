/* saver.c - bytes of a buffer into a file that other ranks write as well, and into a hash that they
 * have begun. */
#include "core/domain/saver.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROOM_BYTES = 2 << 20, TRIES = 20, PAUSE_MS = 50 };

/* ---- the file ------------------------------------------------------------------ */

static void shut(int *descriptor)
{
  if (*descriptor) close(*descriptor - 1);
  *descriptor = 0;
}

void saver_end(saver *s)
{
  shut(&s->file);
  shut(&s->folder);
}

static int see(int folder, const char *name)
{
  if (faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  return faccessat(folder, ".", W_OK, AT_EACCESS) == 0 ? 0 : errno;
}

/* A file system of another machine may show the folder a little later. */
int saver_meet(saver *s, const saver_token *token, const char *path)
{
  int error = 0;
  saver_end(s);
  for (int i = 0; i < TRIES; i++) {
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    error = folder < 0 ? errno : see(folder, token->name);
    s->folder = folder + 1;
    if (!error) return 0;
    shut(&s->folder);
    if (error != ENOENT && error != ESTALE) break;
    nanosleep(&(struct timespec){ .tv_nsec = PAUSE_MS * 1000000L }, NULL);
  }
  return error;
}

static void fail(saver *s, int error)
{
  if (!s->error) s->error = error;
}

void saver_open(saver *s, const char *name)
{
  shut(&s->file);
  s->error = 0;
  s->is_finite = 1;
  const int file = openat(s->folder - 1, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) fail(s, errno);
  s->file = file + 1;
}

static void put(saver *s, const void *bytes, size_t count, uint64_t at)
{
  const unsigned char *next = bytes;
  while (count > 0 && !s->error) {
    const ssize_t done = pwrite(s->file - 1, next, count, (off_t)at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail(s, done < 0 ? errno : EIO);
    if (s->error) break;
    next += done;
    at += (uint64_t)done;
    count -= (size_t)done;
  }
}

static void sync_file(saver *s)
{
  if (!s->file) return;
  if (!s->error && fdatasync(s->file - 1) != 0) fail(s, errno);
  if (close(s->file - 1) != 0) fail(s, errno);
  s->file = 0;
}

void saver_sync(saver *s, int writes, const trm_comm_place *place, int64_t most[2])
{
  const int first = place->size - place->rank; /* the lowest rank has most */
  sync_file(s);
  most[0] = writes && s->error ? (int64_t)first << 32 | s->error : 0;
  most[1] = writes && !s->is_finite;
}

void saver_outcome(const trm_comm_place *place, const int64_t most[2], int *is_finite, int *rank,
                   int *error)
{
  *is_finite = !most[1];
  *rank = most[0] ? place->size - (int)(most[0] >> 32) : 0;
  *error = (int)(most[0] & INT32_MAX);
}

/* ---- the buffer ---------------------------------------------------------------- */

typedef trm_status visitor(void *user, const unsigned char *bytes, size_t count, uint64_t at);

/* Pieces that lie `stride` bytes apart come together at the front. */
static void squeeze(unsigned char *bytes, size_t count, size_t stride, size_t each)
{
  for (size_t i = 1; i < count && stride != each; i++)
    memmove(bytes + i * each, bytes + i * stride, each);
}

static trm_status walk_piece(trm_buffer *buffer, const trmi_run *run, size_t number,
                             unsigned char *room, visitor *visit, void *user)
{
  for (uint64_t done = 0, count; done < run->bytes; done += count) {
    count = run->bytes - done < ROOM_BYTES ? run->bytes - done : ROOM_BYTES;
    TRM_TRY(trm_buffer_read(buffer, run->offset + number * run->stride + done, count, room));
    TRM_TRY(visit(user, room, count, run->at + number * run->bytes + done));
  }
  return TRM_OK;
}

static trm_status walk_run(trm_buffer *buffer, const trmi_run *run, unsigned char *room,
                           visitor *visit, void *user)
{
  for (uint64_t i = 0, count; i < run->count; i += count) {
    count = 1;
    if (run->count - i > 1 && run->bytes < ROOM_BYTES)
      count += (ROOM_BYTES - run->bytes) / run->stride;
    if (count > run->count - i) count = run->count - i;
    if (count == 1) {
      TRM_TRY(walk_piece(buffer, run, i, room, visit, user));
      continue;
    }
    TRM_TRY(trm_buffer_read(buffer, run->offset + i * run->stride,
                            (count - 1) * run->stride + run->bytes, room));
    squeeze(room, count, run->stride, run->bytes);
    TRM_TRY(visit(user, room, count * run->bytes, run->at + i * run->bytes));
  }
  return TRM_OK;
}

static trm_status walk(trm_buffer *buffer, const trmi_run *runs, size_t count, visitor *visit,
                       void *user)
{
  unsigned char *room = malloc(ROOM_BYTES);
  trm_status status = room ? TRM_OK
                      : TRM_FAIL(NO_HOST_MEMORY, "no memory to save a buffer in parts of %d bytes; "
                                 "free some", ROOM_BYTES);
  for (size_t i = 0; i < count && status == TRM_OK; i++)
    status = walk_run(buffer, &runs[i], room, visit, user);
  free(room);
  return status;
}

/* ---- into the file, and into the hash ------------------------------------------- */

static int are_finite(trm_type type, const void *bytes, size_t count)
{
  const double *f64 = bytes;
  const float *f32 = bytes;
  int all = 1;
  if (type == TRM_TYPE_F64)
    for (size_t i = 0; i < count / sizeof *f64; i++) all &= isfinite(f64[i]) != 0;
  else if (type == TRM_TYPE_F32)
    for (size_t i = 0; i < count / sizeof *f32; i++) all &= isfinite(f32[i]) != 0;
  return all;
}

typedef struct writing {
  saver *to;
  trm_type type;
} writing;

void saver_put(saver *s, trm_type type, const void *bytes, size_t count, uint64_t at)
{
  s->is_finite &= are_finite(type, bytes, count);
  put(s, bytes, count, at);
}

static trm_status write_bytes(void *user, const unsigned char *bytes, size_t count, uint64_t at)
{
  const writing *w = user;
  saver_put(w->to, w->type, bytes, count, at);
  return TRM_OK;
}

trm_status saver_write(saver *s, trm_buffer *buffer, trm_type type, const trmi_run *runs,
                       size_t count)
{
  return walk(buffer, runs, count, write_bytes, &(writing){ s, type });
}

static trm_status sum_bytes(void *user, const unsigned char *bytes, size_t count, uint64_t at)
{
  (void)at;
  (void)XXH3_128bits_update(user, bytes, count);
  return TRM_OK;
}

trm_status saver_sum(XXH3_state_t *sum, trm_buffer *buffer, const trmi_run *runs, size_t count)
{
  return walk(buffer, runs, count, sum_bytes, sum);
}

void saver_adopt(XXH3_state_t *sum)
{
  XXH3_state_t own;
  (void)XXH3_128bits_reset(&own);
  sum->extSecret = own.extSecret; /* where this process has it */
}
