/* file.c - output files that appear whole or not at all, and whole-file reading.
 *
 * The temporary file lies in the target's own folder, because rename is atomic only within one
 * file system. There is no fsync but in trm_file_keep: the promise is against crashes of the
 * program, not of power. */
#include <config.h>

#include "io/file.h"
#include "io/cure.h"
#include "io/place.h"
#include "core/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct trm_file {
  FILE *stream;
  char *path;                  /* as it was given, for messages */
  int folder;                  /* descriptor */
  char name[NAME_MAX + 1], temporary[32];
  int failure;                 /* errno of the first failed write, or 0 */
  int is_public;               /* it has its name already */
};

const char *trmi_cure(int error)
{
  switch (error) {
  case ENOENT: return "make the folder first, or name another path";
  case ENOTDIR: return "a part of the path is a file; name another path";
  case EACCES:
  case EPERM:
  case EROFS: return "choose a place that you may use, or change its permissions";
  case ENOSPC: case EDQUOT: return "free some space, or write to another disk";
  case EFBIG: return "raise the limit on file sizes (ulimit -f)";
  case EMFILE: case ENFILE: return "raise the limit on open files (ulimit -n)";
  case ENAMETOOLONG: return "choose a shorter name";
  case ENOMEM: return "free some memory";
  default: return "check the path and the disk";
  }
}

/* ---- the temporary file --------------------------------------------------------- */

/* 1: the lock is ours. Some file systems know none. */
static int is_locked(int file, int is_new)
{
  return flock(file, LOCK_EX | LOCK_NB) == 0 || (is_new && errno != EWOULDBLOCK);
}

/* The file of that name is still this very one, and this user's. */
static int is_own(int folder, const char *name, int file)
{
  struct stat opened, there;
  return fstat(file, &opened) == 0 && S_ISREG(opened.st_mode) && opened.st_uid == geteuid() &&
         fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         there.st_ino == opened.st_ino && there.st_dev == opened.st_dev;
}

static int is_removed(int file)
{
  struct stat opened;
  return fstat(file, &opened) == 0 && opened.st_nlink == 0;
}

/* A writer's lock goes with its process, whichever way it ends. */
static void remove_abandoned(int folder, const char *name)
{
  const int file = openat(folder, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;
  if (is_locked(file, 0) && is_own(folder, name, file)) unlinkat(folder, name, 0);
  close(file);
}

/* Opens .trireme-N.tmp, the first N that no other writer has. */
static int open_temporary(int folder, char *name, size_t bytes)
{
  for (unsigned n = 0; n < 10000; n++) {
    snprintf(name, bytes, ".trireme-%u.tmp", n);
    remove_abandoned(folder, name);
    const int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) return -1;
    if (file >= 0 && is_locked(file, 1) && !is_removed(file)) return file;
    if (file >= 0) close(file);
  }
  return -1;
}

/* ---- writing --------------------------------------------------------------------- */

static void free_file(trm_file *file)
{
  if (file->folder >= 0) close(file->folder);
  free(file->path);
  free(file);
}

trm_status trm_file_create(const char *path, trm_file **out)
{
  if (!*path) return TRM_FAIL(IO, "an output file has no name; give it one");
  trm_file *file = calloc(1, sizeof *file);
  if (!file) return TRM_FAIL(NO_HOST_MEMORY, "no memory to write '%s'", path);
  file->folder = -1;
  file->path = strdup(path);
  trm_status status = file->path ? trmi_place_find(path, &file->folder, file->name)
                                 : TRM_FAIL(NO_HOST_MEMORY, "no memory for the path '%s'", path);
  if (status != TRM_OK) goto fail_file;
  const int descriptor = open_temporary(file->folder, file->temporary, sizeof file->temporary);
  if (descriptor < 0) {
    const int error = errno;
    status = TRM_FAIL(IO, "cannot write '%s': %s; %s", path, strerror(error), trmi_cure(error));
    goto fail_file;
  }
  file->stream = fdopen(descriptor, "wb");
  if (!file->stream) {
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory to write '%s'", path);
    goto fail_descriptor;
  }
  setvbuf(file->stream, NULL, _IOFBF, (size_t)1 << 20);
  *out = file;
  return TRM_OK;

fail_descriptor:
  close(descriptor);
  unlinkat(file->folder, file->temporary, 0);
fail_file:
  free_file(file);
  return status;
}

static trm_status report(trm_file *file, int error)
{
  if (!file->failure) file->failure = error ? error : EIO;
  return TRM_FAIL(IO, "cannot write '%s': %s; %s", file->path, strerror(file->failure),
                  trmi_cure(file->failure));
}

trm_status trm_file_write(trm_file *file, const void *bytes, size_t count)
{
  if (file->failure) return report(file, file->failure);
  errno = 0;
  if (fwrite(bytes, 1, count, file->stream) != count) return report(file, errno);
  return TRM_OK;
}

trm_status trm_file_print(trm_file *file, const char *format, ...)
{
  if (file->failure) return report(file, file->failure);
  va_list arguments;
  va_start(arguments, format);
  errno = 0;
  const int written = vfprintf(file->stream, format, arguments);
  const int error = errno;
  va_end(arguments);
  return written < 0 ? report(file, error) : TRM_OK;
}

trm_status trm_file_flush(trm_file *file)
{
  errno = 0;
  if (!file->failure && fflush(file->stream) == 0) return TRM_OK;
  return report(file, file->failure ? file->failure : errno);
}

static int give_name(const trm_file *file)
{
  return renameat(file->folder, file->temporary, file->folder, file->name) == 0;
}

trm_status trm_file_publish(trm_file *file)
{
  TRM_TRY(trm_file_flush(file));
  if (!give_name(file)) return report(file, errno);
  file->is_public = 1;
  return TRM_OK;
}

int trmi_file_descriptor(const trm_file *file) { return fileno(file->stream); }

uint64_t trm_file_position(const trm_file *file) { return (uint64_t)ftello(file->stream); }

trm_status trm_file_seek(trm_file *file, uint64_t position)
{
  if (!file->failure && fseeko(file->stream, (off_t)position, SEEK_SET) == 0) return TRM_OK;
  return report(file, file->failure ? file->failure : errno);
}

trm_status trm_file_back(trm_file *file, size_t bytes)
{
  return trm_file_seek(file, trm_file_position(file) - bytes);
}

static void remove_file(const trm_file *file)
{
  unlinkat(file->folder, file->is_public ? file->name : file->temporary, 0);
}

trm_status trm_file_commit(trm_file **handle)
{
  trm_file *file = *handle;
  *handle = NULL;
  errno = 0;
  if (fclose(file->stream) != 0 && !file->failure) file->failure = errno ? errno : EIO;
  if (!file->failure && !file->is_public && !give_name(file)) file->failure = errno;
  trm_status status = TRM_OK;
  if (file->failure) {
    status = report(file, file->failure);
    remove_file(file);
  }
  free_file(file);
  return status;
}

/* Opens a regular file of this name in the file's folder, and follows no link; -1: no such file. */
static int open_beside(const trm_file *file, const char *name)
{
  const int found = openat(file->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat about;
  if (found < 0 || (fstat(found, &about) == 0 && S_ISREG(about.st_mode))) return found;
  close(found);
  return -1;
}

static int have_same_bytes(int one, int other)
{
  char a[4096], b[sizeof a];
  ssize_t got, more;
  do {
    got = read(one, a, sizeof a);
    more = read(other, b, sizeof b);
    if (got != more || got < 0 || memcmp(a, b, (size_t)got) != 0) return 0;
  } while (got > 0);
  return 1;
}

trm_status trm_file_commit_new(trm_file **handle, const char *cure)
{
  trm_file *file = *handle;
  const int there = cure && !file->failure && fflush(file->stream) == 0
                      ? open_beside(file, file->name) : -1;
  const int made = there >= 0 ? open_beside(file, file->temporary) : -1;
  const int stands = there >= 0 && !(made >= 0 && have_same_bytes(there, made));
  const trm_status status = !stands ? TRM_OK
    : TRM_FAIL(INPUT, "'%s' is there already, and holds something else; %s", file->path, cure);
  if (there >= 0) close(there);
  if (made >= 0) close(made);
  if (stands) trm_file_discard(handle);
  return stands ? status : trm_file_commit(handle);
}

void trm_file_discard(trm_file **handle)
{
  trm_file *file = *handle;
  if (!file) return;
  *handle = NULL;
  fclose(file->stream);
  remove_file(file);
  free_file(file);
}

static trm_status save(const char *path, const void *bytes, size_t count, int is_kept)
{
  trm_file *file = NULL;
  TRM_TRY(trm_file_create(path, &file));
  trm_status status = trm_file_write(file, bytes, count);
  if (status == TRM_OK && is_kept) status = trm_file_flush(file);
  if (status == TRM_OK && is_kept && fsync(fileno(file->stream)) != 0) status = report(file, errno);
  if (status == TRM_OK) return trm_file_commit(&file);
  trm_file_discard(&file);
  return status;
}

trm_status trm_file_save(const char *path, const void *bytes, size_t count)
{
  return save(path, bytes, count, 0);
}

trm_status trm_file_keep(const char *path, const void *bytes, size_t count)
{
  return save(path, bytes, count, 1);
}

trm_status trm_file_remove(const char *path)
{
  int folder;
  char name[NAME_MAX + 1];
  TRM_TRY(trmi_place_find(path, &folder, name));
  const int error = unlinkat(folder, name, 0) == 0 || errno == ENOENT ? 0 : errno;
  close(folder);
  if (!error) return TRM_OK;
  return TRM_FAIL(IO, "cannot remove '%s': %s; %s", path, strerror(error), trmi_cure(error));
}

/* 0, or the system's error number. */
static int link_names(int folder, const char *name, const char *second)
{
  int other;
  char other_name[NAME_MAX + 1];
  if (trmi_place_find(second, &other, other_name) != TRM_OK) return EIO;
  const int error = linkat(folder, name, other, other_name, 0) == 0 ? 0 : errno;
  close(other);
  return error;
}

static trm_status copy_file(const char *path, const char *second)
{
  char *bytes;
  size_t count;
  TRM_TRY(trm_file_load(path, SIZE_MAX / 2, &bytes, &count));
  const trm_status status = trm_file_save(second, bytes, count);
  free(bytes);
  return status;
}

trm_status trm_file_link(const char *path, const char *second)
{
  int folder;
  char name[NAME_MAX + 1];
  TRM_TRY(trm_file_remove(second));
  TRM_TRY(trmi_place_find(path, &folder, name));
  const int error = link_names(folder, name, second);
  close(folder);
  return error ? copy_file(path, second) : TRM_OK;
}

/* ---- reading --------------------------------------------------------------------- */

enum { ENDLESS_LIMIT = 1 << 28 };

static trm_status too_large(const char *path, size_t limit)
{
  return TRM_FAIL(INPUT, "'%s' is larger than the %zu bytes that such a file may have; check that "
                  "it is the right file", path, limit);
}

/* Reads to the end of the stream; what is said of its size may be wrong. */
static trm_status read_stream(FILE *stream, const char *path, size_t room, size_t limit,
                              char **text, size_t *bytes)
{
  size_t length = 0;
  char *buffer = malloc(room + 1);
  while (buffer) {
    length += fread(buffer + length, 1, room - length, stream);
    if (length < room || length > limit) break;
    room *= 2;
    char *grown = realloc(buffer, room + 1);
    if (!grown) free(buffer);
    buffer = grown;
  }
  if (!buffer) return TRM_FAIL(NO_HOST_MEMORY, "no memory to read '%s'", path);
  if (ferror(stream) || length > limit) {
    const int error = errno;
    free(buffer);
    if (length > limit) return too_large(path, limit);
    return TRM_FAIL(IO, "cannot read '%s': %s; %s", path, strerror(error), trmi_cure(error));
  }
  buffer[length] = '\0';
  *text = buffer;
  if (bytes) *bytes = length;
  return TRM_OK;
}

/* The kernel gives memory that it does not have: a sparse file has any size. */
trm_status trmi_file_require(const char *path, uint64_t bytes)
{
  const uint64_t there = trmi_host_memory();
  if (!there || bytes <= there) return TRM_OK;
  char need[32], has[32];
  return TRM_FAIL(NO_HOST_MEMORY, "no memory to read '%s': it takes %s, %s are available; check "
                  "that it is the right file", path, trmi_amount(bytes, there, need, sizeof need),
                  trmi_amount(there, bytes, has, sizeof has));
}

trm_status trmi_memory_require(const char *what, uint64_t bytes)
{
  /* room: what other parts of the program may take meanwhile */
  const uint64_t there = trmi_host_memory(), room = (uint64_t)8 << 20;
  if (!there || bytes + room <= there) return TRM_OK;
  char need[32], has[32];
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for %s: it takes %s, %s are available; free memory of "
                  "this machine, or take fewer cells or triangles", what,
                  trmi_amount(bytes, there, need, sizeof need),
                  trmi_amount(there, bytes, has, sizeof has));
}

/* A file without a size, such as a pipe, may have no end, such as /dev/zero. */
static trm_status read_sized(FILE *stream, const char *path, size_t limit, char **text,
                             size_t *bytes)
{
  struct stat info;
  size_t room = 4096;
  const int is_known = fstat(fileno(stream), &info) == 0;
  if (is_known && S_ISDIR(info.st_mode))
    return TRM_FAIL(IO, "cannot read '%s': it is a folder; name a file in it", path);
  if (is_known && S_ISREG(info.st_mode) && info.st_size > 0) {
    if ((uint64_t)info.st_size > limit) return too_large(path, limit);
    room = (size_t)info.st_size + 1;
    TRM_TRY(trmi_file_require(path, room));
  } else if (limit > ENDLESS_LIMIT) {
    limit = ENDLESS_LIMIT;
  }
  return read_stream(stream, path, room, limit, text, bytes);
}

/* Takes the descriptor, which is -1 where errno says why. */
static trm_status load(int file, const char *path, size_t limit, char **text, size_t *bytes)
{
  FILE *stream = file >= 0 ? fdopen(file, "rb") : NULL;
  if (!stream) {
    const int error = errno;
    if (file >= 0) close(file);
    return TRM_FAIL(IO, "cannot read '%s': %s; %s", path, strerror(error),
                    error == ENOENT ? "check the name and the folder" : trmi_cure(error));
  }
  const trm_status status = read_sized(stream, path, limit, text, bytes);
  fclose(stream);
  return status;
}

trm_status trm_file_load(const char *path, size_t limit, char **text, size_t *bytes)
{
  return load(trmi_place_open(path, O_RDONLY), path, limit, text, bytes);
}

size_t trmi_text_mark(const char *text, size_t bytes)
{
  return bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

trm_status trm_file_load_text(const char *path, size_t limit, char **text, size_t *bytes)
{
  size_t count = 0;
  TRM_TRY(trm_file_load(path, limit, text, &count));
  const size_t mark = trmi_text_mark(*text, count);
  if (mark) memmove(*text, *text + mark, count - mark + 1);
  if (bytes) *bytes = count - mark;
  return TRM_OK;
}

trm_status trm_file_require_lasting(const char *path)
{
  struct stat info;
  if (stat(path, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return TRM_OK;
  return TRM_FAIL(INPUT, "'%s' is a pipe or a device, which gives its contents once, and they are "
                  "read more than once; write them to a file, and name that", path);
}

trm_status trm_file_load_kept(int folder, const char *name, const char *path, size_t limit,
                              char **text, size_t *bytes)
{
  struct stat about;
  const int file = folder == AT_FDCWD ? trmi_place_open(name, O_RDONLY | O_NONBLOCK)
                   : openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0 || fstat(file, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))
    return load(file, path, limit, text, bytes);
  close(file);
  return TRM_FAIL(INPUT, "'%s' is not a regular file; give one that trireme wrote", path);
}
