/* program.c - runs of the program `trireme` under bad conditions, and what they leave behind. */
#include "tests/cli/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A tenth of what a case may take. */
static unsigned hang_seconds(void)
{
  const char *limit = getenv("TRIREME_TEST_SECONDS");
  const int seconds = limit ? atoi(limit) / 10 : 60;
  return seconds > 0 ? (unsigned)seconds : 1;
}

const char *program_path(char path[PROGRAM_PATH], const char *name)
{
  snprintf(path, PROGRAM_PATH, "%s/%s", test_folder(), name);
  return path;
}

/* ---- cases -------------------------------------------------------------------- */

const char *const program_cases[] = { "lbm", "nbody", "tree", "hermite", "shallow", NULL };
static const char *const texts[] = {
  "solver = \"lbm\"; grid = { nx = 24; ny = 16; }; run = { steps = 12; };",
  "solver = \"nbody\"; run = { steps = 3; };"
  "nbody = { bodies = 96; dt = 0.01; picture = 16; };",
  "solver = \"nbody\"; run = { steps = 3; };"
  "nbody = { bodies = 96; dt = 0.01; picture = 16; force = \"tree\"; };",
  "solver = \"nbody\"; run = { steps = 3; };"
  "nbody = { bodies = 96; dt = 0.01; picture = 16; integrator = \"hermite4\"; };",
  "solver = \"shallow\"; run = { steps = 8; }; grid = { nx = 24; ny = 16; dx = 1.0; };"
  "shallow = { maps = true; }; initial = { surface = \"x < 12 ? 2 : 1\"; };"
  "probes = \"one 3 3\";",
};

void program_case(const char *name, char path[PROGRAM_PATH])
{
  char file[64];
  size_t i = 0;
  while (strcmp(program_cases[i], name) != 0) i++;
  snprintf(file, sizeof file, "%s.conf", name);
  FILE *out = fopen(program_path(path, file), "w");
  assert_non_null(out);
  fprintf(out, "%s\n", texts[i]);
  assert_int_equal(fclose(out), 0);
}

/* ---- running ------------------------------------------------------------------ */

static void redirect(int descriptor, const char *path)
{
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
  close(file);
}

/* Without what each run says at its start: how often it keeps its state, or why it does not. */
static void drop_message(char *text)
{
  static const char *const notes[] = {"trireme: checkpoints ", "trireme: no checkpoints"};
  for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
    const char *end = strncmp(text, notes[i], strlen(notes[i])) == 0 ? strchr(text, '\n') : NULL;
    if (end) memmove(text, end + 1, strlen(end + 1) + 1);
  }
}

/* In the child. The alarm outlives exec. */
static void become_program(const char *settings, const char *line, const char *out, const char *err)
{
  char *const program = getenv("TRIREME"), *rest = NULL;
  char *argv[PROGRAM_WORDS + 2] = { program };
  char *words = strdup(line), *assignments = strdup(settings);
  int count = 1;
  for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
    if (count <= PROGRAM_WORDS) argv[count++] = word;
  for (char *one = strtok_r(assignments, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
    putenv(one);
  redirect(1, out);
  redirect(2, err);
  signal(SIGALRM, SIG_DFL);
  alarm(hang_seconds());
  execv(program, argv);
  _exit(127);
}

void program_run(const char *settings, const char *line, program_result *result)
{
  char out[PROGRAM_PATH];
  program_run_to(program_path(out, "stdout"), settings, line, result);
}

static pid_t start(const char *out, const char *settings, const char *line)
{
  char err[PROGRAM_PATH];
  program_path(err, "stderr");
  assert_non_null(getenv("TRIREME"));
  const pid_t child = fork();
  if (child == 0) become_program(settings, line, out, err);
  assert_true(child > 0);
  return child;
}

static void finish(pid_t child, const char *out, program_result *result)
{
  char err[PROGRAM_PATH];
  int status = 0;
  struct rusage usage = {0};
  while (wait4(child, &status, 0, &usage) < 0) assert_int_equal(errno, EINTR);
  result->peak = usage.ru_maxrss * 1024;
  result->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  program_read(out, result->out);
  program_read(program_path(err, "stderr"), result->err);
  drop_message(result->err);
}

void program_run_to(const char *out, const char *settings, const char *line, program_result *result)
{
  finish(start(out, settings, line), out, result);
}

void program_run_killed(double seconds, const char *settings, const char *line,
                        program_result *result)
{
  char out[PROGRAM_PATH];
  const struct timespec patience = {(time_t)seconds,
                                    (long)(1e9 * (seconds - (double)(time_t)seconds))};
  siginfo_t ended = {0};
  sigset_t child_signal, before;
  program_path(out, "stdout");
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_signal, &before);
  const pid_t child = start(out, settings, line);
  (void)sigtimedwait(&child_signal, &ended, &patience);
  kill(child, SIGKILL); /* nothing, where it has ended */
  sigprocmask(SIG_SETMASK, &before, NULL);
  finish(child, out, result);
}

/* ---- what it said --------------------------------------------------------------- */

void program_read(const char *path, char text[PROGRAM_TEXT])
{
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s: %s", path, strerror(errno));
  text[fread(text, 1, PROGRAM_TEXT - 1, file)] = '\0';
  fclose(file);
}

long program_number(const char *text, const char *word)
{
  const size_t length = strlen(word);
  for (const char *line = text; line && *line; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    if (strncmp(line, word, length) == 0 && line[length] == ' ') return atol(line + length);
  }
  return -1;
}

void program_assert_refused(const program_result *result, const char *part)
{
  if (result->code != 2)
    fail_msg("exit code %d instead of 2; stderr:\n%sstdout:\n%s", result->code, result->err,
             result->out);
  const char *end = strchr(result->err, '\n');
  if (!end || end[1]) fail_msg("not one line on stderr:\n%s", result->err);
  if (strncmp(result->err, "trireme: error: ", 16) != 0 || !strstr(result->err, part))
    fail_msg("the message does not say '%s':\n%s", part, result->err);
  if (result->out[0]) fail_msg("a failed run printed a result:\n%s", result->out);
}

/* ---- what it left --------------------------------------------------------------- */

static char *load(const char *folder, const char *name, size_t *bytes)
{
  char path[2 * PROGRAM_PATH];
  struct stat about;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  assert_int_equal(fstat(fileno(file), &about), 0);
  *bytes = (size_t)about.st_size;
  char *content = malloc(*bytes + 1);
  assert_non_null(content);
  assert_int_equal(fread(content, 1, *bytes, file), *bytes);
  fclose(file);
  return content;
}

/* Files that hold times or names of folders, or grow with the run, end in a way of their own. */
static const struct { const char *name, *end; } timed[] = {
  { "run.json", "\n}\n" }, { "compare.json", "\n}\n" }, { "study.json", "\n}\n" },
  { "used.conf", ";\n" }, { "log.txt", "\n" }, { "profile.csv", "\n" },
  { "fields.pvd", "</VTKFile>\n" }, { "rows.csv", "\n" }, { "rows.json", "}" }
};

static void assert_file_whole(const char *folder, const char *reference, const char *name)
{
  size_t bytes, expected_bytes;
  char *content = load(folder, name, &bytes);
  if (!content) fail_msg("%s/%s cannot be read", folder, name);
  for (size_t i = 0; i < sizeof timed / sizeof timed[0]; i++) {
    if (strcmp(name, timed[i].name) != 0) continue;
    const size_t end = strlen(timed[i].end);
    if (bytes < end || memcmp(content + bytes - end, timed[i].end, end) != 0)
      fail_msg("%s/%s is not whole", folder, name);
    free(content);
    return;
  }
  char *expected = load(reference, name, &expected_bytes);
  if (!expected) fail_msg("%s/%s is left, and no good run writes it", folder, name);
  /* a run that failed leaves the lines of the steps that it made */
  if (strcmp(name, "series.csv") == 0 && bytes && bytes < expected_bytes &&
      content[bytes - 1] == '\n')
    expected_bytes = bytes;
  if (bytes != expected_bytes || memcmp(content, expected, bytes) != 0)
    fail_msg("%s/%s differs from that of a good run (%zu of %zu bytes)", folder, name, bytes,
             expected_bytes);
  free(expected);
  free(content);
}

void program_assert_whole(const char *folder, const char *reference)
{
  DIR *entries = opendir(folder);
  if (!entries) return;
  for (struct dirent *entry; (entry = readdir(entries));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    assert_file_whole(folder, reference, entry->d_name);
  }
  closedir(entries);
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where)
{
  (void)about, (void)kind, (void)where;
  return remove(path);
}

void program_remove(const char *folder)
{
  nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
