/* place.c - finds the folder of an output without following links of other users.
 *
 * Where others may write they can plant a symbolic link, or put one in the place of a folder while
 * a run goes on. A path is therefore walked part by part, each part opened below the part before:
 * the checked folder is the one that is used. A link is followed if it belongs to this user or to
 * root.
 *
 * A folder that is kept is found once. Names below its path are sought from its descriptor, so
 * another folder that takes the name gets no file. Functions of solvers and formats go on to take
 * paths: one list of the process says which folder a path means. */
#include <config.h>

#include "io/cure.h"
#include "io/place.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

/* ---- folders that are kept ------------------------------------------------------------------ */

typedef struct kept_folder {
  struct kept_folder *next;
  int descriptor;               /* of whoever keeps it */
  size_t length;
  char path[];                  /* without slashes at its end */
} kept_folder;

static kept_folder *all_kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t trimmed(const char *path)
{
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  return length;
}

/* The innermost folder that is kept and that the path leads through, or NULL. */
static const kept_folder *find_kept(const char *path)
{
  const kept_folder *found = NULL;
  for (const kept_folder *one = all_kept; one; one = one->next) {
    if (strncmp(path, one->path, one->length) != 0) continue;
    const char after = path[one->length];
    const int is_below = !after || after == '/' || one->path[one->length - 1] == '/';
    if (is_below && (!found || one->length > found->length)) found = one;
  }
  return found;
}

int trmi_place_base(const char *path, const char **rest)
{
  int base = -1;
  *rest = path;
  pthread_mutex_lock(&lock);
  const kept_folder *kept = find_kept(path);
  if (kept) {
    base = fcntl(kept->descriptor, F_DUPFD_CLOEXEC, 0);
    if (base >= 0) *rest = path + kept->length + strspn(path + kept->length, "/");
  }
  pthread_mutex_unlock(&lock);
  return base;
}

/* The same path of another folder: the working directory was another one. */
static int is_ambiguous(const char *path, size_t length, int descriptor)
{
  struct stat own, other;
  for (const kept_folder *one = all_kept; one; one = one->next)
    if (one->length == length && strncmp(one->path, path, length) == 0 &&
        fstat(one->descriptor, &other) == 0 && fstat(descriptor, &own) == 0 &&
        (own.st_ino != other.st_ino || own.st_dev != other.st_dev))
      return 1;
  return 0;
}

trm_status trmi_place_keep(const char *path, int descriptor)
{
  const size_t length = trimmed(path);
  kept_folder *one = calloc(1, sizeof *one + length + 1);
  if (!one) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the path '%s'", path);
  one->descriptor = descriptor;
  one->length = length;
  memcpy(one->path, path, length);
  pthread_mutex_lock(&lock);
  const int is_taken = is_ambiguous(path, length, descriptor);
  if (!is_taken) {
    one->next = all_kept;
    all_kept = one;
  }
  pthread_mutex_unlock(&lock);
  if (!is_taken) return TRM_OK;
  free(one);
  return TRM_FAIL(IO, "another run of this process writes to another folder '%s', since the "
                  "working directory was another one, or the folder was replaced; name this one by "
                  "its absolute path", path);
}

void trmi_place_forget(int descriptor)
{
  pthread_mutex_lock(&lock);
  kept_folder **at = &all_kept;
  while (*at && (*at)->descriptor != descriptor) at = &(*at)->next;
  kept_folder *one = *at;
  if (one) *at = one->next;
  pthread_mutex_unlock(&lock);
  free(one);
}

static void close_base(int base)
{
  const int error = errno;
  if (base >= 0) close(base);
  errno = error;
}

int trmi_place_open(const char *path, int flags)
{
  const char *rest;
  const int base = trmi_place_base(path, &rest);
  const int file = openat(base >= 0 ? base : AT_FDCWD, base >= 0 && !*rest ? "." : rest,
                          flags | O_CLOEXEC);
  close_base(base);
  return file;
}

int trmi_place_make(const char *path)
{
  const char *rest;
  const int base = trmi_place_base(path, &rest);
  const int result = mkdirat(base >= 0 ? base : AT_FDCWD, base >= 0 && !*rest ? "." : rest, 0777);
  close_base(base);
  return result;
}

int trmi_place_stat(const char *path, struct stat *about)
{
  const char *rest;
  const int base = trmi_place_base(path, &rest);
  const int result = fstatat(base >= 0 ? base : AT_FDCWD, base >= 0 && !*rest ? "." : rest, about,
                             0);
  close_base(base);
  return result;
}

/* ---- the walk ------------------------------------------------------------------------------- */

typedef struct walk {
  const char *path;             /* as it was given */
  char rest[2 * PATH_MAX];      /* what is still to be walked */
  int folder, links;
  int is_in_link;               /* the file's own name was a link */
} walk;

static trm_status refuse(const walk *at, int error)
{
  if (error == ENOENT && at->is_in_link)
    return TRM_FAIL(IO, "cannot write '%s': the symbolic link leads nowhere (%s); remove it",
                    at->path, strerror(error));
  return TRM_FAIL(IO, "cannot write '%s': %s; %s", at->path, strerror(error), trmi_cure(error));
}

static void enter(walk *at, int folder)
{
  if (at->folder >= 0) close(at->folder);
  at->folder = folder;
}

/* Takes the first part off the rest; 1: it was the last part. */
static int take_part(walk *at, char part[NAME_MAX + 1], int *error)
{
  const char *begin = at->rest + strspn(at->rest, "/");
  const size_t length = strcspn(begin, "/"), slashes = strspn(begin + length, "/");
  *error = length > NAME_MAX ? ENAMETOOLONG : 0;
  if (*error) return 0;
  memcpy(part, begin, length);
  part[length] = '\0';
  memmove(at->rest, begin + length + slashes, strlen(begin + length + slashes) + 1);
  return at->rest[0] == '\0';
}

/* The walk goes on with the link's target, then with the rest. */
static trm_status follow(walk *at, int link, const struct stat *about, const char *name)
{
  char target[2 * PATH_MAX];
  if (about->st_uid != geteuid() && about->st_uid != 0)
    return TRM_FAIL(IO, "cannot write '%s': '%s' is a symbolic link of another user; remove it, or "
                    "write to a folder of your own", at->path, name);
  const ssize_t length = readlinkat(link, "", target, PATH_MAX);
  if (length < 0) return refuse(at, errno);
  const size_t more = strlen(at->rest);
  if (more == 0) at->is_in_link = 1;
  if (++at->links > MOST_LINKS) return refuse(at, ELOOP);
  if ((size_t)length + more + 2 > sizeof at->rest) return refuse(at, ENAMETOOLONG);
  if (more > 0) target[length] = '/';
  memcpy(target + length + (more > 0), at->rest, more + 1);
  memcpy(at->rest, target, (size_t)length + (more > 0) + more + 1);
  if (target[0] != '/') return TRM_OK;
  enter(at, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  return at->folder >= 0 ? TRM_OK : refuse(at, errno);
}

static trm_status check_file(const walk *at, const struct stat *about)
{
  if (S_ISREG(about->st_mode)) return TRM_OK;
  return TRM_FAIL(IO, "cannot write '%s': it exists and is %s; name another file", at->path,
                  S_ISDIR(about->st_mode) ? "a folder" : "not a regular file");
}

/* One part; *is_there when it was the file's name. */
static trm_status step(walk *at, char name[NAME_MAX + 1], int *is_there)
{
  struct stat about;
  int error;
  const int is_last = take_part(at, name, &error);
  if (error) return refuse(at, error);
  const int next = openat(at->folder, name[0] ? name : ".", O_PATH | O_NOFOLLOW | O_CLOEXEC);
  *is_there = is_last && (next >= 0 || (errno == ENOENT && !at->is_in_link));
  if (next < 0) return *is_there ? TRM_OK : refuse(at, errno);
  trm_status status = fstat(next, &about) == 0 ? TRM_OK : refuse(at, errno);
  if (status == TRM_OK && S_ISLNK(about.st_mode)) {
    status = follow(at, next, &about, name);
    *is_there = 0;
  } else if (status == TRM_OK && is_last) {
    status = check_file(at, &about);
  } else if (status == TRM_OK) {
    enter(at, next);
    return TRM_OK;
  }
  close(next);
  return status;
}

trm_status trmi_place_find(const char *path, int *folder, char name[NAME_MAX + 1])
{
  walk at = {.path = path, .folder = AT_FDCWD};
  const char *rest = path;
  if (strlen(path) >= PATH_MAX) return refuse(&at, ENAMETOOLONG);
  const int base = trmi_place_base(path, &rest);
  strcpy(at.rest, rest);
  enter(&at, base >= 0 ? base : open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  trm_status status = at.folder >= 0 ? TRM_OK : refuse(&at, errno);
  for (int is_there = 0; status == TRM_OK && !is_there;) status = step(&at, name, &is_there);
  if (status == TRM_OK) *folder = at.folder;
  else enter(&at, -1);
  return status;
}
