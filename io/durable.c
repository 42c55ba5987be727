/* durable.c - writes so that finished files survive a power failure: first the data, then the name,
 * then the next file that relies on it. */
#include <config.h>

#include "io/cure.h"
#include "io/durable.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { READ_BYTES = 1 << 20 };

struct trm_durable {
  int descriptor;
  XXH3_state_t *hash;
  char *name;                    /* of the whole path, for messages */
};

static trm_status fail_with(const char *verb, const char *where, const char *name, int error,
                            const char *cure)
{
  return TRM_FAIL(IO, "cannot %s '%s%s%s': %s; %s", verb, where, name[0] ? "/" : "", name,
                  strerror(error), cure);
}

static trm_status fail(const char *verb, const char *where, const char *name, int error)
{
  return fail_with(verb, where, name, error, trmi_cure(error));
}

/* Refuses a written file that is missing or cannot be opened. */
static trm_status fail_kept(const char *verb, const char *where, const char *name, int error)
{
  return fail_with(verb, where, name, error, error == ENOENT ? "it was removed, or not copied with "
                   "the others: copy the whole folder again" : trmi_cure(error));
}

static void hash_text(XXH128_hash_t hash, char text[TRM_HASH_TEXT])
{
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  for (size_t i = 0; i < sizeof canonical.digest; i++)
    snprintf(text + 2 * i, 3, "%02x", canonical.digest[i]);
}

/* ---- a file -------------------------------------------------------------------- */

static void free_file(trm_durable *file)
{
  XXH3_freeState(file->hash);
  free(file->name);
  free(file);
}

/* Some file systems cannot set space aside: then a full disk shows when it is written to. (What
 * posix_fallocate does there, a byte in each block, could come after what other ranks write.) */
static int set_aside(int descriptor, uint64_t bytes)
{
  int error = 0;
  if (bytes == 0) return 0;
  do error = fallocate(descriptor, 0, 0, (off_t)bytes) ? errno : 0;
  while (error == EINTR);
  return error == EOPNOTSUPP || error == EINVAL || error == ENOSYS ? 0 : error;
}

trm_status trmi_durable_create(int folder, const char *where, const char *name, uint64_t bytes,
                               trm_durable **out)
{
  trm_durable *file = calloc(1, sizeof *file);
  if (!file) return TRM_FAIL(NO_HOST_MEMORY, "no memory to write '%s/%s'", where, name);
  file->hash = XXH3_createState();
  if (!file->hash || asprintf(&file->name, "%s/%s", where, name) < 0) {
    free_file(file);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory to write '%s/%s'", where, name);
  }
  XXH3_128bits_reset(file->hash);
  file->descriptor = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                            0666);
  int error = file->descriptor < 0 ? errno : set_aside(file->descriptor, bytes);
  if (!error) {
    *out = file;
    return TRM_OK;
  }
  if (file->descriptor >= 0) close(file->descriptor);
  free_file(file);
  return fail("write", where, name, error);
}

trm_status trmi_durable_write(trm_durable *file, const void *bytes, size_t count)
{
  const unsigned char *next = bytes;
  (void)XXH3_128bits_update(file->hash, bytes, count);
  while (count > 0) {
    const ssize_t done = write(file->descriptor, next, count);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return fail("write", file->name, "", done < 0 ? errno : EIO);
    next += done;
    count -= (size_t)done;
  }
  return TRM_OK;
}

trm_status trmi_durable_close(trm_durable **handle, char hash[TRM_HASH_TEXT])
{
  trm_durable *file = *handle;
  *handle = NULL;
  int error = fdatasync(file->descriptor) == 0 ? 0 : errno;
  if (close(file->descriptor) != 0 && !error) error = errno;
  hash_text(XXH3_128bits_digest(file->hash), hash);
  const trm_status status = error ? fail("write", file->name, "", error) : TRM_OK;
  free_file(file);
  return status;
}

void trmi_durable_abandon(trm_durable **handle)
{
  trm_durable *file = *handle;
  if (!file) return;
  *handle = NULL;
  close(file->descriptor);
  free_file(file);
}

trm_status trmi_durable_save(int folder, const char *where, const char *name, const void *bytes,
                             size_t count, char hash[TRM_HASH_TEXT])
{
  trm_durable *file = NULL;
  TRM_TRY(trmi_durable_create(folder, where, name, count, &file));
  const trm_status status = trmi_durable_write(file, bytes, count);
  if (status == TRM_OK) return trmi_durable_close(&file, hash);
  trmi_durable_abandon(&file);
  return status;
}

/* ---- names --------------------------------------------------------------------- */

trm_status trmi_durable_folder(int folder, const char *where, const char *name, int make,
                               int *out)
{
  if (make && mkdirat(folder, name, 0777) != 0 && errno != EEXIST)
    return fail("make the folder", where, name, errno);
  const int opened = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0 && make) return fail("open the folder", where, name, errno);
  if (opened < 0) return fail_kept("open the folder", where, name, errno);
  *out = opened;
  return TRM_OK;
}

trm_status trmi_durable_sync(int folder, const char *where)
{
  return fsync(folder) == 0 || errno == EINVAL ? TRM_OK : fail("write", where, "", errno);
}

trm_status trmi_durable_rename(int folder, const char *where, const char *from, const char *to)
{
  return renameat(folder, from, folder, to) == 0 ? TRM_OK : fail("write", where, to, errno);
}

/* Removes the files in a folder. An entry that is no file stays, and then the folder cannot be
 * removed either. */
static int empty_folder(int folder)
{
  DIR *list = fdopendir(folder);
  int error = 0;
  if (!list) {
    error = errno;
    close(folder);
    return error;
  }
  for (struct dirent *entry = readdir(list); entry; entry = readdir(list))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
        unlinkat(dirfd(list), entry->d_name, 0) != 0 && errno != ENOENT)
      error = errno;
  closedir(list);
  return error;
}

trm_status trmi_durable_remove(int folder, const char *where, const char *name)
{
  if (unlinkat(folder, name, 0) == 0 || errno == ENOENT) return TRM_OK;
  if (errno != EISDIR && errno != EPERM) return fail("remove", where, name, errno);
  const int opened = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int error = opened < 0 ? errno : empty_folder(opened);
  if (!error && unlinkat(folder, name, AT_REMOVEDIR) != 0) error = errno;
  return error ? fail("remove", where, name, error) : TRM_OK;
}

/* ---- reading ------------------------------------------------------------------- */

static trm_status hash_descriptor(int file, const char *where, const char *name, uint64_t bytes,
                                  XXH3_state_t *state, char *part)
{
  for (uint64_t left = bytes; left > 0;) {
    const ssize_t done = read(file, part, left < READ_BYTES ? (size_t)left : READ_BYTES);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return fail("read", where, name, errno);
    if (done == 0) return TRM_FAIL(INPUT, "'%s/%s' ends early", where, name);
    (void)XXH3_128bits_update(state, part, (size_t)done);
    left -= (uint64_t)done;
  }
  return TRM_OK;
}

/* Takes the descriptor. *bytes: as many as it must have; UINT64_MAX: gets as many as it has. */
static trm_status hash_file(int file, const char *where, const char *name, uint64_t *bytes,
                            char hash[TRM_HASH_TEXT])
{
  struct stat about;
  trm_status status = TRM_OK;
  XXH3_state_t *state = XXH3_createState();
  char *part = malloc(READ_BYTES);
  if (!state || !part)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory to read '%s/%s'", where, name);
  else if (fstat(file, &about) != 0)
    status = fail("read", where, name, errno);
  else if (!S_ISREG(about.st_mode) ||
           (*bytes != UINT64_MAX && (uint64_t)about.st_size != *bytes))
    status = TRM_FAIL(INPUT, "'%s/%s' has %lld bytes where %llu were written", where, name,
                      (long long)about.st_size, (unsigned long long)*bytes);
  if (status == TRM_OK) {
    *bytes = (uint64_t)about.st_size;
    XXH3_128bits_reset(state);
    status = hash_descriptor(file, where, name, *bytes, state, part);
  }
  if (status == TRM_OK) hash_text(XXH3_128bits_digest(state), hash);
  free(part);
  XXH3_freeState(state);
  close(file);
  return status;
}

trm_status trmi_durable_hash(int folder, const char *where, const char *name, uint64_t bytes,
                             char hash[TRM_HASH_TEXT])
{
  const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return fail_kept("read", where, name, errno);
  return hash_file(file, where, name, &bytes, hash);
}

trm_status trmi_file_hash(const char *path, uint64_t *bytes, char hash[TRM_HASH_TEXT])
{
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && errno == ENOENT)
    return fail_with("read", path, "", errno, "check the name and the folder");
  if (file < 0) return fail("read", path, "", errno);
  *bytes = UINT64_MAX;
  return hash_file(file, path, "", bytes, hash);
}
