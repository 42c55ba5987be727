/* file.c - output files that appear whole or not at all, and whole-file reading.
 *
 * The temporary file lies in the target's own folder, because rename is atomic only within one
 * file system. There is no fsync but in trm_file_keep: the promise is against crashes of the
 * program, not of power. */
#include <config.h>

#include "io/file.h"
#include "io/cure.h"
#include "core/load/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct trm_file {
  FILE *stream;
  char *path, *temporary;
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
  default: return "check the path and the disk";
  }
}

/* Where others may write, they can put a link into the way of a file that is to come. */
static trm_status check_links(const char *path)
{
  struct stat info;
  char part[PATH_MAX];
  for (size_t length = 1; length <= strlen(path); length++) {
    if (path[length] != '/' && path[length] != '\0') continue;
    snprintf(part, sizeof part, "%.*s", (int)length, path);
    if (lstat(part, &info) == 0 && S_ISLNK(info.st_mode) && info.st_uid != geteuid() &&
        info.st_uid != 0)
      return TRM_FAIL(IO, "cannot write '%s': '%s' is a symbolic link of another user; remove it, "
                      "or write to a folder of your own", path, part);
  }
  return TRM_OK;
}

/* The path that a rename should replace: the file itself, not a link to it. */
static trm_status resolve_target(const char *path, char **out)
{
  struct stat info;
  char *copy = NULL;
  TRM_TRY(check_links(path));
  if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
    copy = realpath(path, NULL);
    if (!copy)
      return TRM_FAIL(IO, "cannot write '%s': the symbolic link leads nowhere (%s); remove it",
                      path, strerror(errno));
  } else {
    copy = strdup(path);
    if (!copy) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the path '%s'", path);
  }
  if (stat(copy, &info) == 0 && !S_ISREG(info.st_mode)) {
    free(copy);
    return TRM_FAIL(IO, "cannot write '%s': it exists and is %s; name another file", path,
                    S_ISDIR(info.st_mode) ? "a folder" : "not a regular file");
  }
  *out = copy;
  return TRM_OK;
}

/* Opens FOLDER/.trireme-PID-N.tmp, the first N that is free. */
static int open_temporary(const char *target, char **out)
{
  const char *slash = strrchr(target, '/');
  const int folder = slash ? (int)(slash - target + 1) : 0;
  for (unsigned n = 0; n < 10000; n++) {
    char name[64];
    snprintf(name, sizeof name, ".trireme-%ld-%u.tmp", (long)getpid(), n);
    const size_t bytes = (size_t)folder + strlen(name) + 1;
    char *path = malloc(bytes);
    if (!path) break;
    snprintf(path, bytes, "%.*s%s", folder, target, name);
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      *out = path;
      return descriptor;
    }
    free(path);
    if (errno != EEXIST) break;
  }
  return -1;
}

static void free_file(trm_file *file)
{
  free(file->path);
  free(file->temporary);
  free(file);
}

trm_status trm_file_create(const char *path, trm_file **out)
{
  if (!*path) return TRM_FAIL(IO, "an output file has no name; give it one");
  trm_file *file = calloc(1, sizeof *file);
  if (!file) return TRM_FAIL(NO_HOST_MEMORY, "no memory to write '%s'", path);
  trm_status status = resolve_target(path, &file->path);
  if (status != TRM_OK) goto fail_file;
  const int descriptor = open_temporary(file->path, &file->temporary);
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
  unlink(file->temporary);
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

trm_status trm_file_publish(trm_file *file)
{
  TRM_TRY(trm_file_flush(file));
  if (rename(file->temporary, file->path) != 0) return report(file, errno);
  file->is_public = 1;
  return TRM_OK;
}

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
  unlink(file->is_public ? file->path : file->temporary);
}

trm_status trm_file_commit(trm_file **handle)
{
  trm_file *file = *handle;
  *handle = NULL;
  errno = 0;
  if (fclose(file->stream) != 0 && !file->failure) file->failure = errno ? errno : EIO;
  if (!file->failure && !file->is_public && rename(file->temporary, file->path) != 0)
    file->failure = errno;
  trm_status status = TRM_OK;
  if (file->failure) {
    status = report(file, file->failure);
    remove_file(file);
  }
  free_file(file);
  return status;
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

/* Reads to the end of the stream; the size of a pipe is not known beforehand. */
static trm_status read_stream(FILE *stream, const char *path, size_t limit, char **text,
                              size_t *bytes)
{
  size_t room = 4096, length = 0;
  char *buffer = malloc(room + 1);
  while (buffer) {
    length += fread(buffer + length, 1, room - length, stream);
    if (length < room) break;
    if (length > limit) {
      free(buffer);
      return TRM_FAIL(INPUT,
                      "'%s' is larger than the %zu bytes that such a file may have; check that "
                      "it is the right file",
                      path, limit);
    }
    /* /dev/zero and a sparse file have no end; the kernel gives what it does not have */
    const uint64_t there = room < ((size_t)1 << 26) ? 0 : trmi_host_memory();
    if (there && room > there) {
      free(buffer);
      return TRM_FAIL(NO_HOST_MEMORY, "no memory to read '%s', which is larger than %zu bytes; "
                      "check that it is the right file", path, length);
    }
    room *= 2;
    char *grown = realloc(buffer, room + 1);
    if (!grown) free(buffer);
    buffer = grown;
  }
  if (!buffer) return TRM_FAIL(NO_HOST_MEMORY, "no memory to read '%s'", path);
  if (ferror(stream) || length > limit) {
    const int error = errno;
    free(buffer);
    if (length > limit)
      return TRM_FAIL(INPUT,
                      "'%s' is larger than the %zu bytes that such a file may have; check that "
                      "it is the right file",
                      path, limit);
    return TRM_FAIL(IO, "cannot read '%s': %s; %s", path, strerror(error), trmi_cure(error));
  }
  buffer[length] = '\0';
  *text = buffer;
  if (bytes) *bytes = length;
  return TRM_OK;
}

trm_status trm_file_load(const char *path, size_t limit, char **text, size_t *bytes)
{
  FILE *stream = fopen(path, "rbe");
  if (!stream) {
    const int error = errno;
    return TRM_FAIL(IO, "cannot read '%s': %s; %s", path, strerror(error),
                    error == ENOENT ? "check the name and the folder" : trmi_cure(error));
  }
  struct stat info;
  trm_status status;
  if (fstat(fileno(stream), &info) == 0 && S_ISDIR(info.st_mode))
    status = TRM_FAIL(IO, "cannot read '%s': it is a folder; name a file in it", path);
  else
    status = read_stream(stream, path, limit, text, bytes);
  fclose(stream);
  return status;
}
