/* encoder.c - frames as raw RGB through a pipe to ffmpeg.
 *
 * A program, not a library: libavcodec's interface changes with each release of a system. It is
 * started by its absolute path with a list of words, never through a shell. It writes a temporary
 * file that was opened for it, since a path could lead elsewhere by then. The file gets its name
 * when ffmpeg has ended well. It may take as long as it likes: a waiting user can stop it. */
#include "cli/movie/encoder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/file.h"

extern char **environ;

/* The movie, among the descriptors of ffmpeg. */
enum { OUTPUT = 3, GLANCE_MS = 100 };

struct encoder {
  char *program, *path;
  trm_file *file;
  const atomic_int *stopped;
  pid_t child;                 /* 0: none */
  int pipe;                    /* to it; -1: closed */
  int said;                    /* a file in memory with its last words */
  size_t width, height;
};

/* ---- where it is -------------------------------------------------------------------------- */

/* The first ffmpeg of PATH that can be run, in a folder with an absolute name. */
static char *find_program(void)
{
  const char *list = getenv("PATH");
  char *path = NULL;
  while (list && *list) {
    const size_t length = strcspn(list, ":");
    if (list[0] == '/' && asprintf(&path, "%.*s/ffmpeg", (int)length, list) > 0) {
      if (access(path, X_OK) == 0) return path;
      free(path);
    }
    list += length + (list[length] == ':');
  }
  return NULL;
}

/* ---- start -------------------------------------------------------------------------------- */

static trm_status spawn(encoder *e, char **words, int input, int output)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, e->said, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, OUTPUT);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawn(&e->child, e->program, &actions, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (!error) return TRM_OK;
  e->child = 0;
  return TRM_FAIL(UNSUPPORTED, "'%s' cannot be started: %s; install ffmpeg anew, or make an APNG "
                  "(--to=apng)", e->program, strerror(error));
}

static trm_status start(encoder *e, const char *format, unsigned second)
{
  char size[48], rate[16], output[32];
  int ends[2];
  const int is_gif = strcmp(format, "gif") == 0;
  snprintf(size, sizeof size, "%zux%zu", e->width, e->height);
  snprintf(rate, sizeof rate, "%u", second);
  snprintf(output, sizeof output, "file:/dev/fd/%d", (int)OUTPUT);
  /* without -xerror an MP4 that the disk had no room for ends with 0 */
  char *const words[] = {e->program, "-xerror", "-nostdin", "-y", "-loglevel", "error", "-f",
                         "rawvideo", "-pix_fmt", "rgb24", "-video_size", size, "-framerate", rate,
                         "-i", "pipe:0", "-an", is_gif ? "-filter_complex" : "-pix_fmt",
                         is_gif ? "[0:v]split[a][b];[a]palettegen[p];[b][p]paletteuse" : "yuv420p",
                         "-movflags", "+faststart", "-f", (char *)format, output, NULL};
  char *const gif[] = {words[0], words[1], words[2], words[3], words[4], words[5], words[6],
                       words[7], words[8], words[9], words[10], words[11], words[12], words[13],
                       words[14], words[15], words[16], words[17], words[18], "-f", "gif", output,
                       NULL};
  e->said = memfd_create("ffmpeg", MFD_CLOEXEC);
  if (e->said < 0 || pipe2(ends, O_CLOEXEC) != 0)
    return TRM_FAIL(IO, "no pipe to ffmpeg: %s; raise the limit on open files (ulimit -n)",
                    strerror(errno));
  e->pipe = ends[1];
  /* a number above OUTPUT: a descriptor that is copied to itself is closed in ffmpeg */
  const int written = fcntl(trmi_file_descriptor(e->file), F_DUPFD_CLOEXEC, OUTPUT + 1);
  const int is_open = written >= 0 && fcntl(e->pipe, F_SETFL, O_NONBLOCK) == 0;
  const trm_status status = is_open
    ? spawn(e, (char **)(is_gif ? gif : words), ends[0], written)
    : TRM_FAIL(IO, "no descriptor for ffmpeg: %s; raise the limit on open files (ulimit -n)",
               strerror(errno));
  if (written >= 0) close(written);
  close(ends[0]);
  return status;
}

trm_status encoder_start(const char *path, const char *format, size_t width, size_t height,
                         unsigned second, const atomic_int *stopped, encoder **out)
{
  encoder *e = calloc(1, sizeof *e);
  if (!e) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a movie");
  e->pipe = e->said = -1;
  e->width = width;
  e->height = height;
  e->stopped = stopped;
  e->path = strdup(path);
  e->program = find_program();
  trm_status status = TRM_OK;
  if (!e->program)
    status = TRM_FAIL(UNSUPPORTED, "a movie as %s is made by ffmpeg, and PATH has none; install "
                      "ffmpeg, or make an APNG (--to=apng), which needs nothing", format);
  else if (!e->path) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for a path");
  if (status == TRM_OK) status = trm_file_create(path, &e->file);
  if (status == TRM_OK) status = start(e, format, second);
  if (status == TRM_OK) *out = e;
  else encoder_stop(&e);
  return status;
}

/* ---- frames, and the end ------------------------------------------------------------------ */

/* The last line that it wrote on stderr, or "". */
static void last_words(const encoder *e, char *text, size_t bytes)
{
  const off_t end = lseek(e->said, 0, SEEK_END);
  const off_t from = end > (off_t)bytes - 1 ? end - (off_t)bytes + 1 : 0;
  const ssize_t got = pread(e->said, text, bytes - 1, from);
  text[got > 0 ? got : 0] = 0;
  for (size_t n = strlen(text); n && (text[n - 1] == '\n' || text[n - 1] == '\r');) text[--n] = 0;
  const char *line = strrchr(text, '\n');
  if (line) memmove(text, line + 1, strlen(line));
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < 32 || *c == 127) *c = ' ';
}

/* The end of the program, as one sentence; TRM_OK where it ended well. */
static trm_status judge(const encoder *e, int end)
{
  char words[256];
  if (WIFEXITED(end) && WEXITSTATUS(end) == 0) return TRM_OK;
  last_words(e, words, sizeof words);
  if (WIFSIGNALED(end))
    return TRM_FAIL(IO, "'%s' was killed by signal %d, and there is no movie; see whether memory "
                    "ran out, or make an APNG (--to=apng)", e->program, WTERMSIG(end));
  return TRM_FAIL(IO, "'%s' failed with exit status %d%s%s%s; see whether the disk is full, or "
                  "make an APNG (--to=apng)", e->program, WEXITSTATUS(end),
                  words[0] ? " and says '" : "", words, words[0] ? "'" : "");
}

static trm_status check_stopped(const encoder *e)
{
  return !atomic_load(e->stopped) ? TRM_OK
         : TRM_FAIL(INTERRUPTED, "stopped by the user; no movie was made");
}

/* Until it takes more or has gone. */
static trm_status wait_for_room(const encoder *e)
{
  struct pollfd one = {.fd = e->pipe, .events = POLLOUT};
  int ready = 0;
  while (ready == 0 || (ready < 0 && errno == EINTR)) {
    TRM_TRY(check_stopped(e));
    ready = poll(&one, 1, GLANCE_MS);
  }
  return TRM_OK;
}

static trm_status wait_for(encoder *e)
{
  static const struct timespec pause = {.tv_nsec = 2000000};
  int end = 0;
  pid_t ended = 0;
  if (e->pipe >= 0) close(e->pipe);
  e->pipe = -1;
  while (ended == 0) {
    TRM_TRY(check_stopped(e));
    ended = waitpid(e->child, &end, WNOHANG);
    if (ended == 0) nanosleep(&pause, NULL);
    if (ended < 0 && errno != EINTR)
      return TRM_FAIL(IO, "ffmpeg cannot be waited for: %s", strerror(errno));
    if (ended < 0) ended = 0;
  }
  e->child = 0;
  return judge(e, end);
}

/* A good exit status is not enough: there must be a movie. */
static trm_status check_written(const encoder *e)
{
  struct stat about;
  if (fstat(trmi_file_descriptor(e->file), &about) == 0 && about.st_size > 0) return TRM_OK;
  return TRM_FAIL(IO, "'%s' ended well, but wrote no movie; install ffmpeg anew, or make an APNG "
                  "(--to=apng)", e->program);
}

trm_status encoder_add(encoder *to, const trmi_image *frame)
{
  const size_t bytes = 3 * to->width * to->height;
  for (size_t done = 0; done < bytes;) {
    const ssize_t count = write(to->pipe, frame->pixels + done, bytes - done);
    if (count > 0) done += (size_t)count;
    else if (errno == EAGAIN) TRM_TRY(wait_for_room(to));
    else if (errno != EINTR) {
      TRM_TRY(wait_for(to));
      return TRM_FAIL(IO, "'%s' ended before it had all frames; make an APNG (--to=apng)",
                      to->program);
    }
  }
  return TRM_OK;
}

trm_status encoder_finish(encoder **handle, const char *cure)
{
  encoder *e = *handle;
  trm_status status = wait_for(e);
  if (status == TRM_OK) status = check_written(e);
  if (status == TRM_OK) status = trm_file_commit_new(&e->file, cure);
  encoder_stop(handle);
  return status;
}

void encoder_stop(encoder **handle)
{
  encoder *e = *handle;
  if (!e) return;
  if (e->pipe >= 0) close(e->pipe);
  if (e->child) {
    kill(e->child, SIGKILL);
    while (waitpid(e->child, NULL, 0) < 0 && errno == EINTR) {}
  }
  if (e->said >= 0) close(e->said);
  trm_file_discard(&e->file);
  free(e->program);
  free(e->path);
  free(e);
  *handle = NULL;
}
