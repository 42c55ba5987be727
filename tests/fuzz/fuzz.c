/* fuzz.c - what the targets share: files in a private folder, and promises. */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

_Noreturn void fuzz_broken(const char *condition, const char *file, int line)
{
  fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, condition);
  abort();
}

static int remove_entry(const char *path, const struct stat *about, int flag, struct FTW *place)
{
  (void)about, (void)flag, (void)place;
  return remove(path);
}

void fuzz_remove(const char *path)
{
  (void)nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* A finding, a time limit or an interrupt ends a fuzzer by a signal. A process of its own waits for
 * the end, whichever it is, and takes the folder away. */
static int life[2];
static pid_t keeper;

static void end_keeper(void)
{
  close(life[1]);
  (void)waitpid(keeper, NULL, 0);
}

static void begin_keeper(void)
{
  char nothing;
  FUZZ_CHECK(pipe2(life, O_CLOEXEC) == 0);
  keeper = fork();
  FUZZ_CHECK(keeper >= 0);
  if (keeper > 0) {
    close(life[0]);
    atexit(end_keeper);
    return;
  }
  setsid();
  close(life[1]);
  for (int i = 0; i <= STDERR_FILENO; i++) close(i);
  while (read(life[0], &nothing, 1) < 0 && errno == EINTR) continue;
  fuzz_remove(folder);
  _exit(0);
}

const char *fuzz_folder(void)
{
  if (folder[0]) return folder;
  /* in memory where the system has such a place: a file is written for each input */
  snprintf(folder, sizeof folder, "%s/trireme-fuzz-%ld-XXXXXX",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
  FUZZ_CHECK(mkdtemp(folder));
  begin_keeper();
  return folder;
}

char *fuzz_file(const char *name, const uint8_t *data, size_t size)
{
  char *path;
  FUZZ_CHECK(asprintf(&path, "%s/%s", fuzz_folder(), name) > 0);
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  FUZZ_CHECK(descriptor >= 0);
  FUZZ_CHECK(size == 0 || write(descriptor, data, size) == (ssize_t)size);
  close(descriptor);
  return path;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  FUZZ_CHECK(text);
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  return text;
}

int fuzz_accepted(trm_status status)
{
  if (status == TRM_OK) return 1;
  const trm_error *error = trm_error_last();
  FUZZ_CHECK(error && error->status == status);
  FUZZ_CHECK(error->text[0] && !strchr(error->text, '\n'));
  return 0;
}
