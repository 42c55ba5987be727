/* cache.c - compiled programs, kept between runs: a folder of checked entries.
 *
 * An entry is a head (magic, format, key, length, checksum) and the bytes. It is written under a
 * name of its own and renamed, so a reader sees the whole entry or no entry; several processes may
 * write the same entry. An entry that differs from its checksum is deleted. Nothing here fails a
 * run. */
#include "core/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { CACHE_FORMAT = 1, STALE_SECONDS = 24 * 60 * 60 };

/* No padding, so it is written and compared as it lies in memory. */
typedef struct entry_head {
  char magic[8];
  uint32_t format, head_bytes;
  unsigned char key[16];
  uint64_t length;
  unsigned char checksum[16];
} entry_head;
_Static_assert(sizeof(entry_head) == 56, "the head of an entry has no padding");

struct trmi_cache {
  trm_log_fn *log;
  void *log_user;
  int folder;                   /* descriptor: the checked folder stays the one that is used */
  int has_warned;
  char path[PATH_MAX];
};

static void say(trm_log_fn *log, void *user, trm_log_level level, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void say(trm_log_fn *log, void *user, trm_log_level level, const char *format, ...)
{
  char text[PATH_MAX + 256];
  va_list arguments;
  if (!log) return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  log(user, level, text);
}

/* ---- the folder --------------------------------------------------------------- */

/* 0: there is none. */
static int choose_folder(char *path, size_t bytes)
{
  const char *own = secure_getenv("TRIREME_CACHE_DIR");
  const char *xdg = secure_getenv("XDG_CACHE_HOME");
  const char *home = secure_getenv("HOME");
  int length = 0;
  if (own && own[0]) length = snprintf(path, bytes, "%s", own);
  else if (xdg && xdg[0] == '/') length = snprintf(path, bytes, "%s/trireme", xdg);
  else if (home && home[0] == '/') length = snprintf(path, bytes, "%s/.cache/trireme", home);
  return length > 0 && (size_t)length < bytes;
}

/* Makes what is missing of a path. */
static int make_folders(char *path)
{
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    const int failed = mkdir(path, 0700) != 0 && errno != EEXIST && access(path, F_OK) != 0;
    *slash = '/';
    if (failed) return 0;
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* Opens the folder; on refusal returns -1 and says why. */
static int open_folder(char *path, char *why, size_t bytes)
{
  struct stat status;
  if (path[0] != '/') {
    snprintf(why, bytes, "it is not an absolute path; write TRIREME_CACHE_DIR in full");
    return -1;
  }
  const int made = make_folders(path);
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    snprintf(why, bytes, "it cannot be %s: %s", made ? "opened" : "made", strerror(errno));
    return -1;
  }
  if (fstat(folder, &status) != 0)
    snprintf(why, bytes, "it cannot be looked at: %s", strerror(errno));
  else if (status.st_uid != geteuid())
    snprintf(why, bytes, "it belongs to another user; set TRIREME_CACHE_DIR to a folder of yours");
  else if (status.st_mode & (S_IWGRP | S_IWOTH))
    snprintf(why, bytes, "others may write to it; chmod go-w %s", path);
  else
    return folder;
  close(folder);
  return -1;
}

/* Removes the files that a killed writer left behind. */
static void remove_stale(const trmi_cache *cache)
{
  const int descriptor = dup(cache->folder);
  DIR *entries = descriptor < 0 ? NULL : fdopendir(descriptor);
  const time_t now = time(NULL);
  if (!entries) {
    if (descriptor >= 0) close(descriptor);
    return;
  }
  for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
    struct stat status;
    if (strncmp(entry->d_name, "new-", 4) == 0 &&
        fstatat(cache->folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode) && now - status.st_mtime > STALE_SECONDS)
      unlinkat(cache->folder, entry->d_name, 0);
  }
  closedir(entries);
}

trmi_cache *trmi_cache_open(trm_log_fn *log, void *log_user)
{
  char why[PATH_MAX + 128];
  trmi_cache *cache = calloc(1, sizeof *cache);
  if (!cache) {
    say(log, log_user, TRM_LOG_INFO, "no program cache: there is no memory for it");
    return NULL;
  }
  cache->log = log;
  cache->log_user = log_user;
  if (!choose_folder(cache->path, sizeof cache->path)) {
    say(log, log_user, TRM_LOG_INFO, "no program cache: set TRIREME_CACHE_DIR or HOME to have one");
    free(cache);
    return NULL;
  }
  cache->folder = open_folder(cache->path, why, sizeof why);
  if (cache->folder < 0) {
    say(log, log_user, TRM_LOG_WARNING, "no program cache: the folder %s is not used: %s",
        cache->path, why);
    free(cache);
    return NULL;
  }
  remove_stale(cache);
  return cache;
}

void trmi_cache_close(trmi_cache **cache)
{
  if (!cache || !*cache) return;
  close((*cache)->folder);
  free(*cache);
  *cache = NULL;
}

const char *trmi_cache_folder(const trmi_cache *cache)
{
  return cache ? cache->path : "";
}

/* ---- keys ---------------------------------------------------------------------- */

static void hash(const void *bytes, size_t count, unsigned char out[16])
{
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, count));
  memcpy(out, canonical.digest, 16);
}

/* Each field enters as its length and its hash, so no two lists of fields run together. */
void trmi_cache_key_make(const char *backend, const trm_build *build, const char *line,
                         trmi_cache_key *key)
{
  char numbers[160];
  snprintf(numbers, sizeof numbers, "format %d, ABI %d, precision %d, math %d, groups %d %d %d",
           (int)CACHE_FORMAT, (int)TRM_BACKEND_ABI, (int)build->precision, (int)build->math,
           build->row_group_x, build->row_group_y, build->group);
  const char *const fields[] = {
    numbers, trm_version(), backend, build->name, build->dialect_file, build->dialect,
    build->file, build->text, build->defines, line
  };
  enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };
  unsigned char parts[FIELD_COUNT][24];
  for (size_t i = 0; i < FIELD_COUNT; i++) {
    const char *field = fields[i] ? fields[i] : "";
    const uint64_t length = strlen(field);
    memcpy(parts[i], &length, 8);
    hash(field, length, parts[i] + 8);
  }
  hash(parts, sizeof parts, key->bytes);
}

enum { NAME_BYTES = 48 };

static void entry_name(const trmi_cache_key *key, char name[NAME_BYTES])
{
  for (int i = 0; i < 16; i++) snprintf(name + 2 * i, 3, "%02x", key->bytes[i]);
  snprintf(name + 32, NAME_BYTES - 32, ".program");
}

/* ---- reading -------------------------------------------------------------------- */

static int read_all(int file, void *bytes, size_t count)
{
  unsigned char *to = bytes;
  while (count > 0) {
    const ssize_t got = read(file, to, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    to += got;
    count -= (size_t)got;
  }
  return 1;
}

/* NULL when the entry is sound, else what is wrong with it. */
static const char *read_entry(int file, const trmi_cache_key *key, void **bytes, size_t *count)
{
  struct stat status;
  entry_head head;
  unsigned char checksum[16];
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return "it is not a regular file";
  if (status.st_uid != geteuid()) return "it belongs to another user";
  if (status.st_size <= (off_t)sizeof head || !read_all(file, &head, sizeof head))
    return "it is cut short";
  if (memcmp(head.magic, "TRMCACHE", 8) != 0 || head.format != CACHE_FORMAT ||
      head.head_bytes != sizeof head)
    return "its head is not ours";
  if (memcmp(head.key, key->bytes, 16) != 0) return "it is another program's";
  if (head.length != (uint64_t)status.st_size - sizeof head) return "its length is wrong";
  void *found = malloc((size_t)head.length);
  if (!found) return "there is no memory for it";
  if (!read_all(file, found, (size_t)head.length)) {
    free(found);
    return "it cannot be read to its end";
  }
  hash(found, (size_t)head.length, checksum);
  if (memcmp(checksum, head.checksum, 16) != 0) {
    free(found);
    return "its checksum is wrong";
  }
  *bytes = found;
  *count = (size_t)head.length;
  return NULL;
}

int trmi_cache_read(trmi_cache *cache, const trmi_cache_key *key, void **bytes, size_t *count)
{
  char name[NAME_BYTES];
  if (!cache) return 0;
  entry_name(key, name);
  const int file = openat(cache->folder, name,
                          O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (file < 0 && errno == ENOENT) return 0;
  const char *wrong = file < 0 ? strerror(errno) : read_entry(file, key, bytes, count);
  if (file >= 0) close(file);
  if (!wrong) return 1;
  say(cache->log, cache->log_user, TRM_LOG_INFO,
      "the cache entry %s/%s is deleted and built anew: %s", cache->path, name, wrong);
  trmi_cache_remove(cache, key);
  return 0;
}

void trmi_cache_remove(trmi_cache *cache, const trmi_cache_key *key)
{
  char name[NAME_BYTES];
  if (!cache) return;
  entry_name(key, name);
  /* Another program may have made a folder of that name: it is removed if it is empty. */
  if (unlinkat(cache->folder, name, 0) != 0) unlinkat(cache->folder, name, AT_REMOVEDIR);
}

/* ---- writing --------------------------------------------------------------------- */

static int write_all(int file, const void *bytes, size_t count)
{
  const unsigned char *from = bytes;
  while (count > 0) {
    const ssize_t put = write(file, from, count);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return 0;
    from += put;
    count -= (size_t)put;
  }
  return 1;
}

/* A random name: the folder may be shared by machines that give out the same process numbers. */
static int create_new(const trmi_cache *cache, char name[NAME_BYTES])
{
  uint64_t number;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number) return -1;
  snprintf(name, NAME_BYTES, "new-%016" PRIx64, number);
  return openat(cache->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

void trmi_cache_write(trmi_cache *cache, const trmi_cache_key *key, const void *bytes,
                      size_t count)
{
  char name[NAME_BYTES], fresh[NAME_BYTES];
  entry_head head = { .magic = { 'T', 'R', 'M', 'C', 'A', 'C', 'H', 'E' },
                      .format = CACHE_FORMAT, .head_bytes = sizeof head, .length = count };
  if (!cache || count == 0) return;
  memcpy(head.key, key->bytes, 16);
  hash(bytes, count, head.checksum);
  entry_name(key, name);
  const int file = create_new(cache, fresh);
  int good = file >= 0 && write_all(file, &head, sizeof head) && write_all(file, bytes, count);
  int error = errno;
  if (file >= 0 && close(file) != 0 && good) {
    good = 0; /* a network file system tells of a full disk only here */
    error = errno;
  }
  if (good && renameat(cache->folder, fresh, cache->folder, name) != 0) {
    good = 0;
    error = errno;
  }
  if (good) return;
  if (file >= 0) unlinkat(cache->folder, fresh, 0);
  if (!cache->has_warned)
    say(cache->log, cache->log_user, TRM_LOG_WARNING,
        "compiled programs are not kept: %s cannot be written: %s", cache->path, strerror(error));
  cache->has_warned = 1;
}
