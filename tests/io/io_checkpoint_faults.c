/* io_checkpoint_faults.c - the writer of checkpoints where the n-th system call fails, for every n,
 * and where the power fails: a whole one is always there, the newest that was finished or the one
 * that was begun.
 *
 * The program is linked so that the writer's system calls come here (--wrap). One of them fails, or
 * all from there on as if the process had been killed; and they are written down, to be done again
 * in another folder as a file system may have done them when the power failed: what was not
 * synchronised is there or is not. */
#include "tests/io/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_CALLS = 1024, MOST_DESCRIPTORS = 256, PATH = 128, STATES = 12 };

/* ---- what happened ----------------------------------------------------------------- */

typedef enum deed { MAKE_FILE, MAKE_FOLDER, WRITE, EXTEND, SYNC, RENAME, REMOVE } deed;
typedef struct happened {
  deed what;
  char path[PATH], to[PATH];     /* below the folder of the results */
  unsigned char *bytes;
  size_t count;
  int is_applied;                /* in the state that is made now */
} happened;
static happened calls[MOST_CALLS];
static int call_count;
static char path_of[MOST_DESCRIPTORS][PATH];

typedef enum fault { NONE, FAIL, SHORT, STOP } fault;
static struct { int is_on, error, at, count, is_down; fault how; } order;

static int is_faulty(void)
{
  if (!order.is_on) return 0;
  order.count++;
  if (order.how == STOP && order.count >= order.at) order.is_down = 1;
  errno = order.is_down ? EIO : order.error;
  return order.is_down || (order.how == FAIL && order.count == order.at);
}

static happened *note(deed what, const char *path)
{
  static happened nowhere;
  if (!order.is_on || call_count == MOST_CALLS) return &nowhere;
  happened *one = &calls[call_count++];
  free(one->bytes);
  *one = (happened){.what = what};
  snprintf(one->path, PATH, "%s", path);
  return one;
}

static const char *below(int folder, const char *name)
{
  static char paths[2][PATH];
  static int next;
  char *path = paths[next++ % 2];
  const char *in = folder >= 0 && folder < MOST_DESCRIPTORS ? path_of[folder] : "";
  if (strcmp(name, ".") == 0) snprintf(path, PATH, "%s", in);
  else snprintf(path, PATH, "%.60s%s%.60s", in, in[0] ? "/" : "", name);
  return path;
}

/* ---- the calls ---------------------------------------------------------------------- */

#define WRAP(type, name, ...) \
  type __real_##name(__VA_ARGS__); \
  type __wrap_##name(__VA_ARGS__); \
  type __wrap_##name(__VA_ARGS__)

WRAP(int, open, const char *path, int flags, ...)
{
  if (is_faulty()) return -1;
  const int opened = __real_open(path, flags, 0666);
  if (opened >= 0 && opened < MOST_DESCRIPTORS) path_of[opened][0] = '\0';
  return opened;
}

WRAP(int, openat, int folder, const char *name, int flags, ...)
{
  if (is_faulty()) return -1;
  const int opened = __real_openat(folder, name, flags, 0666);
  if (opened < 0 || opened >= MOST_DESCRIPTORS) return opened;
  snprintf(path_of[opened], PATH, "%s", below(folder, name));
  if (flags & O_CREAT) note(MAKE_FILE, path_of[opened]);
  return opened;
}

WRAP(int, mkdirat, int folder, const char *name, mode_t mode)
{
  if (is_faulty()) return -1;
  const int result = __real_mkdirat(folder, name, mode);
  if (result == 0) note(MAKE_FOLDER, below(folder, name));
  return result;
}

WRAP(ssize_t, write, int file, const void *bytes, size_t count)
{
  if (is_faulty()) return -1;
  if (order.is_on && order.how == SHORT && order.count == order.at && count > 1) count /= 2;
  const ssize_t done = __real_write(file, bytes, count);
  if (done <= 0 || !order.is_on) return done;
  happened *one = note(WRITE, path_of[file % MOST_DESCRIPTORS]);
  one->count = (size_t)done;
  one->bytes = malloc(one->count);
  if (one->bytes) memcpy(one->bytes, bytes, one->count);
  return done;
}

WRAP(int, fallocate, int file, int mode, off_t first, off_t count)
{
  if (is_faulty()) return -1;
  const int result = __real_fallocate(file, mode, first, count);
  if (result == 0) note(EXTEND, path_of[file % MOST_DESCRIPTORS])->count = (size_t)count;
  return result;
}

/* Nothing is synchronised: the machine does not fail. */
static int sync_file(int file)
{
  if (is_faulty()) return -1;
  note(SYNC, path_of[file % MOST_DESCRIPTORS]);
  return 0;
}
WRAP(int, fsync, int file) { return sync_file(file); }
WRAP(int, fdatasync, int file) { return sync_file(file); }

WRAP(int, close, int file)
{
  const int bad = is_faulty(), error = errno;
  const int result = __real_close(file);
  if (file >= 0 && file < MOST_DESCRIPTORS) path_of[file][0] = '\0'; /* others open the next */
  errno = error;
  return bad ? -1 : result;
}

WRAP(int, renameat, int folder, const char *from, int to_folder, const char *to)
{
  if (is_faulty()) return -1;
  const int result = __real_renameat(folder, from, to_folder, to);
  if (result == 0)
    snprintf(note(RENAME, below(folder, from))->to, PATH, "%s", below(to_folder, to));
  return result;
}

WRAP(int, unlinkat, int folder, const char *name, int flags)
{
  if (is_faulty()) return -1;
  const int result = __real_unlinkat(folder, name, flags);
  if (result == 0) note(REMOVE, below(folder, name));
  return result;
}

/* ---- folders ------------------------------------------------------------------------ */

static void shell(const char *format, ...)
{
  char line[8192];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  assert_int_equal(system(line), 0);
}

static const char *base(void)
{
  static char folder[4096];
  return snprintf(folder, sizeof folder, "%s/base", test_folder()), folder;
}
static const char *work(void)
{
  static char folder[4096];
  return snprintf(folder, sizeof folder, "%s/work", test_folder()), folder;
}

/* Generations of steps 3, 8 and 9, and what the writer of a next one needs to know. */
static trm_checkpoint_past past;
static void begin(void)
{
  static const uint64_t steps[] = {3, 8, 9};
  shell("rm -rf '%s'; mkdir '%s'", base(), base());
  trm_checkpoint_forget(&past);
  order.is_on = 0;
  for (size_t i = 0; i < 3; i++) TEST_OK(kept_write(base(), steps[i], 2, &past));
}

static trm_checkpoint_past known_past(void)
{
  return (trm_checkpoint_past){json_incref(past.before), json_incref(past.last)};
}

static uint64_t newest(const char *folder)
{
  trm_found *found = NULL;
  order.is_on = 0;
  TEST_OK(trm_checkpoint_find(folder, &found));
  const uint64_t step = found->manifest.step;
  kept_assert(found);
  trm_checkpoint_close(&found);
  return step;
}

/* ---- one call fails -------------------------------------------------------------------- */

/* Nonzero while there was an n-th call. */
static int try_call(fault how, int error, int n)
{
  trm_checkpoint_past known = known_past();
  shell("rm -rf '%s'; cp -r '%s' '%s'", work(), base(), work());
  call_count = 0;
  order.how = how;
  order.error = error;
  order.at = n;
  order.count = order.is_down = 0;
  order.is_on = 1;
  const trm_status status = kept_write(work(), 12, 2, &known);
  order.is_on = 0;
  const int made = order.count;
  const uint64_t found = newest(work());
  if (status == TRM_OK ? found != 12 : found != 9 && found != 12)
    fail_msg("call %d: step %llu was found, and the writer said: %s", n, (unsigned long long)found,
             status == TRM_OK ? "good" : trm_error_last()->text);
  if (found == 9) TEST_OK(kept_write(work(), 14, 2, &known)); /* the next one */
  if (found == 9) assert_int_equal(newest(work()), 14);
  trm_checkpoint_forget(&known);
  return n <= made;
}

static void each_call(fault how, int error)
{
  int n = 1;
  begin();
  while (try_call(how, error, n)) n++;
  print_message("%d calls\n", n - 1);
  assert_true(n > 40);
}

static void each_call_with_a_broken_disk(void) { each_call(FAIL, EIO); }
static void each_call_with_a_full_disk(void) { each_call(FAIL, ENOSPC); }
static void each_write_cut_short(void) { each_call(SHORT, 0); }
static void each_call_the_last_one(void) { each_call(STOP, EIO); }

/* ---- the power fails --------------------------------------------------------------------- */

static uint64_t random_state;
static int toss(void)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (int)(random_state >> 63);
}

/* The folder of a name; "" is that of the results. */
static int is_in(const char *path, const char *folder)
{
  const size_t length = strlen(folder);
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) == length && strncmp(path, folder, length) == 0
               : length == 0;
}

/* Whether call i was synchronised before call `end`. */
static int is_synced(int i, int end)
{
  const int is_data = calls[i].what == WRITE || calls[i].what == EXTEND;
  for (int k = i + 1; k < end; k++)
    if (calls[k].what == SYNC && (is_data ? strcmp(calls[i].path, calls[k].path) == 0
                                          : is_in(calls[i].path, calls[k].path)))
      return 1;
  return 0;
}

/* A path as it is where some renamings were lost: the last one first. */
static const char *mapped(const char *path, int before)
{
  static char out[2][PATH];
  static int next;
  char *to = out[next++ % 2];
  snprintf(to, PATH, "%s", path);
  for (int k = before - 1; k >= 0; k--) {
    const size_t length = strlen(calls[k].to);
    char rest[PATH];
    if (calls[k].what != RENAME || calls[k].is_applied || strncmp(to, calls[k].to, length) != 0 ||
        (to[length] && to[length] != '/'))
      continue;
    snprintf(rest, PATH, "%s", to + length);
    snprintf(to, PATH, "%.60s%.60s", calls[k].path, rest);
  }
  return to;
}

/* Does it again; what cannot be done, for something before it was lost, is not. */
static void redo(int at, int i)
{
  const happened *one = &calls[i];
  const char *path = mapped(one->path, i);
  int file;
  switch (one->what) {
  case MAKE_FILE:
    file = __real_openat(at, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0) __real_close(file);
    return;
  case MAKE_FOLDER: (void)__real_mkdirat(at, path, 0777); return;
  case WRITE:
  case EXTEND:
    file = __real_openat(at, path, O_WRONLY | O_APPEND, 0);
    if (file < 0) return;
    if (one->what == WRITE && one->bytes)
      assert_true(__real_write(file, one->bytes, one->count) > 0);
    __real_close(file);
    return;
  case RENAME: (void)__real_renameat(at, path, at, one->to); return;
  case REMOVE:
    if (__real_unlinkat(at, path, 0) != 0) (void)__real_unlinkat(at, path, AT_REMOVEDIR);
    return;
  case SYNC: return;
  }
}

/* The folder as the power left it after `end` calls. Ordered: names in the order of the calls, as
 * with a journal; else what was not synchronised at random. */
static void make_state(int end, int is_ordered)
{
  shell("rm -rf '%s'; cp -r '%s' '%s'", work(), base(), work());
  const int at = __real_open(work(), O_RDONLY | O_DIRECTORY);
  assert_true(at >= 0);
  const int cut = is_ordered ? end : 0;
  for (int i = 0; i < end; i++) {
    const int is_name = calls[i].what != WRITE && calls[i].what != EXTEND;
    calls[i].is_applied = is_synced(i, end) || (is_name && i < cut) || toss();
    if (calls[i].is_applied) redo(at, i);
  }
  __real_close(at);
}

/* committed: the call after which the new one is to be found. */
static void fail_power(int committed)
{
  for (int end = 0; end <= call_count; end++)
    for (int state = 0; state < STATES; state++) {
      make_state(end, state % 2);
      const uint64_t found = newest(work());
      if (found != 12 && (found != 9 || end >= committed))
        fail_msg("after %d calls: step %llu was found", end, (unsigned long long)found);
    }
}

static void a_loss_of_power_leaves_a_whole_one(void)
{
  begin();
  trm_checkpoint_past known = known_past();
  shell("rm -rf '%s'; cp -r '%s' '%s'", work(), base(), work());
  order.how = NONE;
  order.count = call_count = order.is_down = 0;
  order.is_on = 1;
  const trm_status status = kept_write(work(), 12, 2, &known);
  order.is_on = 0;
  TEST_OK(status);
  trm_checkpoint_forget(&known);
  int committed = 0; /* their folder is synchronised after the last renaming in it */
  for (int i = 0; i < call_count; i++)
    if (calls[i].what == SYNC && strcmp(calls[i].path, "checkpoint") == 0) committed = i + 1;
  assert_true(committed > 20);
  print_message("%d calls, committed by %d\n", call_count, committed);
  fail_power(committed);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(each_call_with_a_broken_disk),
    TEST_HOST(each_call_with_a_full_disk),
    TEST_HOST(each_write_cut_short),
    TEST_HOST(each_call_the_last_one),
    TEST_HOST(a_loss_of_power_leaves_a_whole_one),
  };
  return TEST_RUN(argc, argv, cases);
}
