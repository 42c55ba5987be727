/* probe_process.c - runs trireme-probe, and puts into words what became of it.
 *
 * A new program is started instead of a fork: this process may have threads, whose locks a fork
 * would inherit. The child tells through a pipe which part it begins; silence, an exit or a signal
 * before its last line count against that part. A bad part is left out and the rest tried again. */
#include "core/plugins/probe_process.h"

#include "core/internal.h"
#include "core/plugins/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_S = 60, GLANCE_MS = 500, REAP_MS = 1000, REPORT_FD = 3 };

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds that a part may be silent; 0: no probe processes. */
static int patience(void)
{
  const char *text = secure_getenv("TRIREME_PROBE_SECONDS");
  if (!text) text = secure_getenv("TRIREME_TRIAL_SECONDS"); /* its old name */
  char *end;
  if (!text || !text[0]) return PATIENCE_S;
  const long seconds = strtol(text, &end, 10);
  if (*end == '\0' && seconds >= 0 && seconds <= 3600) return (int)seconds;
  trmi_log(TRM_LOG_WARNING, "TRIREME_PROBE_SECONDS=%s: give whole seconds from 0 (no probe "
           "processes) to 3600; %d are taken", text, (int)PATIENCE_S);
  return PATIENCE_S;
}

/* ---- the program ------------------------------------------------------------ */

/* The program lies beside the plugins of the running library: in a build tree (core), in a
 * moved installation, or in the configured folder. */
static int find_program(char *path, size_t bytes)
{
  char folder[PATH_MAX];
  if (trmi_library_folder(folder)) {
    trmi_say(path, bytes, "%s/core/trireme-probe", folder);
    if (access(path, X_OK) == 0) return 1;
  }
  trmi_say(path, bytes, "%s/trireme/trireme-probe", folder);
  if (folder[0] && access(path, X_OK) == 0) return 1;
  trmi_say(path, bytes, "%s/trireme-probe", TRM_PLUGIN_DIR);
  return access(path, X_OK) == 0;
}

/* A group of its own: an interrupt from the keyboard is ours to answer. 0, or errno. */
static int start(const char *program, char *const *arguments, int report, pid_t *child)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  if (posix_spawn_file_actions_init(&files) != 0) return ENOMEM;
  if (posix_spawnattr_init(&how) != 0) {
    posix_spawn_file_actions_destroy(&files);
    return ENOMEM;
  }
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, report, REPORT_FD);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                     POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  const int error = posix_spawn(child, program, &files, &how, arguments, environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/* ---- what it tells ----------------------------------------------------------- */

typedef struct report {
  char part[160], place[PATH_MAX];   /* begun last; the object in which it was hit */
  int is_done, is_late, is_stuck;    /* is_stuck: did not end when all was done */
  char line[PATH_MAX + 16];
  size_t length;
  trmi_probe_result *result;
} report;

static void keep_file(trmi_probe_result *result, const char *path)
{
  const size_t used = result->files ? strlen(result->files) : 0, more = strlen(path) + 2;
  char *grown = realloc(result->files, used + more);
  if (!grown) return;
  result->files = grown;
  trmi_say(grown + used, more, "%s\n", path);
}

static void take_line(report *told)
{
  const char *rest = told->line + 2;
  switch (told->line[0]) {
  case 'p': trmi_say(told->part, sizeof told->part, "%s", rest); break;
  case 'f': keep_file(told->result, rest); break;
  case 'a': trmi_say(told->place, sizeof told->place, "%s", rest); break;
  case 'd': told->is_done = 1; break;
  default: break;
  }
}

static void take_bytes(report *told, const char *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (bytes[i] != '\n') {
      if (told->length + 1 < sizeof told->line) told->line[told->length++] = bytes[i];
      continue;
    }
    told->line[told->length] = '\0';
    if (told->length >= 1) take_line(told);
    told->length = 0;
  }
}

/* Takes the last output of the probe process as it ends, after a signal. */
static void take_rest(int pipe, report *told)
{
  char bytes[4096];
  struct pollfd one = {.fd = pipe, .events = POLLIN};
  const ssize_t got = poll(&one, 1, 0) > 0 ? read(pipe, bytes, sizeof bytes) : 0;
  if (got > 0) take_bytes(told, bytes, (size_t)got);
}

/* Silence is counted in glances, so that a process that was stopped for a while has not waited. */
static void listen_to(int pipe, int seconds, report *told)
{
  char bytes[4096];
  for (double silent = 0; !told->is_done;) {
    struct pollfd one = {.fd = pipe, .events = POLLIN};
    const double begin = now();
    const int ready = poll(&one, 1, GLANCE_MS);
    const double waited = now() - begin;
    if (ready <= 0) silent += waited < 2e-3 * GLANCE_MS ? waited : 2e-3 * GLANCE_MS;
    if ((ready < 0 && errno != EINTR) || silent >= seconds) {
      told->is_late = 1;
      return;
    }
    if (ready <= 0) continue;
    const ssize_t got = read(pipe, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    take_bytes(told, bytes, (size_t)got);
    silent = 0;
  }
}

/* 1: it has ended; 0: it has not after so long; -1: the program around us reaps its children
 * itself. */
static int wait_for(pid_t child, int most_ms, int *status)
{
  const struct timespec pause = {.tv_nsec = 1000000};
  for (int i = 0; i < most_ms; i++) {
    const pid_t ended = waitpid(child, status, WNOHANG);
    if (ended == child) return 1;
    if (ended < 0 && errno != EINTR) return -1;
    nanosleep(&pause, NULL);
  }
  return 0;
}

/* The child's end; 1 where its status is known. A driver may hang in its work at exit, as it would
 * in this process. A child that hangs inside the kernel is not waited for. */
static int reap(pid_t child, int seconds, report *told, int *status)
{
  int ended = told->is_late ? 0 : wait_for(child, 1000 * seconds, status);
  if (ended != 0) return ended == 1;
  told->is_stuck = !told->is_late;
  kill(-child, SIGKILL);
  return wait_for(child, REAP_MS, status) == 1;
}

static int is_own_fault(int number)
{
  static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (faults[i] == number) return 1;
  return 0;
}

/* A driver that fails at its end would fail at ours. */
static int is_good(const report *told, int is_known, int status)
{
  return told->is_done && !told->is_stuck &&
         (!is_known || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

static void judge(const report *told, int is_known, int status, int seconds, trmi_probe_part *bad)
{
  char how[160];
  const char *when = told->is_done ? "as it ended" : "before it was through";
  bad->is_repeatable = 1;
  if (told->is_late) {
    trmi_say(how, sizeof how, "was still at it after %d s", seconds);
  } else if (told->is_stuck) {
    trmi_say(how, sizeof how, "was through, but did not end within %d s", seconds);
  } else if (is_known && WIFSIGNALED(status)) {
    trmi_say(how, sizeof how, "was ended by signal %d (%s)%s%s", WTERMSIG(status),
             strsignal(WTERMSIG(status)), told->is_done ? " " : "", told->is_done ? when : "");
    bad->is_repeatable = is_own_fault(WTERMSIG(status));
  } else if (is_known) {
    trmi_say(how, sizeof how, "left with exit status %d %s", WEXITSTATUS(status), when);
  } else {
    trmi_say(how, sizeof how, "ended %s", when);
  }
  /* a failure after all parts were tried concerns no part: the name stays empty */
  trmi_say(bad->name, sizeof bad->name, "%s", told->is_done ? "" : told->part);
  trmi_say(bad->words, sizeof bad->words, "the process that tried it first %s%s%.300s", how,
           told->place[0] ? ", in " : "", told->place);
}

/* ---- one probe process, and all ------------------------------------------------------- */

/* Both ends lie above the standard descriptors, even where one of those is closed: the child's are
 * opened anew before its end is given its number. */
static int make_pipe(int ends[2])
{
  int low[2];
  if (pipe2(low, O_CLOEXEC) != 0) return 0;
  for (int i = 0; i < 2; i++) {
    ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, REPORT_FD);
    close(low[i]);
  }
  if (ends[0] >= 0 && ends[1] >= 0) return 1;
  for (int i = 0; i < 2; i++)
    if (ends[i] >= 0) close(ends[i]);
  return 0;
}

/* 1: it came to its end, good or bad (then *bad is filled); 0: it could not be started. */
static int try_once(const char *program, char *const *arguments, int seconds,
                    trmi_probe_result *result, int *is_bad)
{
  int ends[2], status = 0;
  pid_t child;
  report told = {.result = result};
  if (!make_pipe(ends)) {
    trmi_log(TRM_LOG_WARNING, "there is no pipe to %s (%s), so %s is loaded without having been "
             "tried", program, strerror(errno), arguments[2]);
    return 0;
  }
  const int error = start(program, arguments, ends[1], &child);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    trmi_log(TRM_LOG_WARNING, "%s cannot be started (%s), so %s is loaded without having been "
             "tried", program, strerror(error), arguments[2]);
    return 0;
  }
  listen_to(ends[0], seconds, &told);
  const int is_known = reap(child, seconds, &told, &status);
  take_rest(ends[0], &told);
  close(ends[0]);
  *is_bad = !is_good(&told, is_known, status);
  if (*is_bad) judge(&told, is_known, status, seconds, &result->bad[result->bad_count++]);
  return 1;
}

static void try_all(const char *program, const char *noun, const char *symbol, const char *file,
                    int seconds, trmi_probe_result *out)
{
  char limit[16], words[5][PATH_MAX], *arguments[5 + TRMI_PROBE_PARTS + 1];
  const char *const given[5] = {program, noun, file, symbol, limit};
  trmi_say(limit, sizeof limit, "%d", seconds);
  for (size_t i = 0; i < 5; i++) {
    trmi_say(words[i], sizeof words[i], "%s", given[i]);
    arguments[i] = words[i];
  }
  for (int is_bad = 1; is_bad && out->bad_count < TRMI_PROBE_PARTS;) {
    for (size_t i = 0; i < out->bad_count; i++) arguments[5 + i] = out->bad[i].name;
    arguments[5 + out->bad_count] = NULL;
    free(out->files);
    out->files = NULL;
    if (!try_once(program, arguments, seconds, out, &is_bad)) return;
    if (is_bad && !out->bad[out->bad_count - 1].name[0]) return;
  }
}

void trmi_probe_process_run(const char *noun, const char *symbol, const char *file,
                            trmi_probe_result *out)
{
  char program[PATH_MAX];
  const int seconds = patience();
  const double begin = now();
  memset(out, 0, sizeof *out);
  if (seconds == 0) {
    trmi_log(TRM_LOG_DEBUG, "%s is loaded untried: TRIREME_PROBE_SECONDS is 0", file);
  } else if (trmi_probe_cache_read(noun, symbol, file, out)) {
    trmi_log(TRM_LOG_DEBUG, "%s was tried before (%.1f ms to look that up)", file,
             1e3 * (now() - begin));
  } else if (!find_program(program, sizeof program)) {
    trmi_log(TRM_LOG_WARNING, "there is no %s, so %s is loaded without having been tried in a "
             "process of its own; install the library again (make install)", program, file);
  } else {
    try_all(program, noun, symbol, file, seconds, out);
    trmi_log(TRM_LOG_DEBUG, "%s was tried in a process of its own (%.1f ms)", file,
             1e3 * (now() - begin));
    trmi_probe_cache_write(noun, symbol, file, out);
  }
  free(out->files);
  out->files = NULL;
}

const char *trmi_probe_process_words(const trmi_probe_result *result, const char *part)
{
  for (size_t i = 0; i < result->bad_count; i++)
    if (strcmp(result->bad[i].name, part) == 0) return result->bad[i].words;
  return NULL;
}
