/* rough_plugin.c - a plugin whose constructor does what the name of its file says, before anyone
 * can ask it for a table: trireme_abort.so aborts, and so on (tests/core/probe_process.c copies it
 * under each name). Under any name it leaves a byte in the file TRIREME_TEST_MARK first: so often
 * was it loaded. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_named(const char *name)
{
  static const int inside;
  Dl_info own;
  return dladdr(&inside, &own) && own.dli_fname && strstr(own.dli_fname, name) != NULL;
}

static void leave_mark(void)
{
  const char *path = getenv("TRIREME_TEST_MARK");
  const int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
  if (file < 0) return;
  if (write(file, "x", 1) != 1) abort();
  close(file);
}

__attribute__((constructor)) static void begin(void)
{
  volatile int *volatile nowhere = NULL;
  leave_mark();
  if (is_named("trireme_abort.so")) abort();
  if (is_named("trireme_wild.so")) *nowhere = 1;
  if (is_named("trireme_leave.so")) _exit(3);
  if (is_named("trireme_victim.so")) raise(SIGKILL);
  while (is_named("trireme_hang.so")) pause();
  if (is_named("trireme_print.so")) printf("a plugin that prints\n");
}

__attribute__((destructor)) static void end(void)
{
  volatile int *volatile nowhere = NULL;
  while (is_named("trireme_stuck.so")) pause();
  if (is_named("trireme_fall.so")) *nowhere = 1;
  if (is_named("trireme_quit.so")) _exit(4);
}
