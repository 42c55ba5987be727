/* probe_program.c - trireme-probe: meets a plugin and its drivers in place of the process that
 * wants to use them (probe_process.h).
 *
 *     trireme-probe NOUN FILE SYMBOL SECONDS [PART-TO-LEAVE-OUT]...
 *
 * Reports on descriptor 3, a line each: "p PART" begins, "f FILE" was loaded, "a FILE" was hit by a
 * signal, "d" all done. It links nothing of ours, so that nothing of ours is in the way. */
#include "core/backend.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { REPORT_FD = 3, FIRST_LEFT_OUT = 5, MAX_FRAMES = 32 };

static char **left_out;

/* One write a line: what was told before the end is whole. */
static void tell(char what, const char *words)
{
  char line[4200];
  const int length = snprintf(line, sizeof line, "%c %s\n", what, words);
  if (length > 0 && (size_t)length < sizeof line && write(REPORT_FD, line, (size_t)length) < 0)
    _exit(1); /* nobody reads it any more */
}

/* ---- where a signal hit ------------------------------------------------------ */

/* Neither the C library, whose abort and raise stand between, nor this program itself. */
static int is_between(const Dl_info *found)
{
  Dl_info own, libc;
  return !found->dli_fname || (dladdr(&left_out, &own) && found->dli_fbase == own.dli_fbase) ||
         (dladdr(stdout, &libc) && found->dli_fbase == libc.dli_fbase);
}

/* The process is lost anyway: what this calls need not be safe in a handler. */
static void on_fault(int number)
{
  void *frames[MAX_FRAMES];
  Dl_info found;
  signal(number, SIG_DFL);
  const int count = backtrace(frames, MAX_FRAMES);
  for (int i = 0; i < count; i++)
    if (dladdr(frames[i], &found) && !is_between(&found)) {
      tell('a', found.dli_fname);
      break;
    }
  raise(number);
}

static void catch_faults(void)
{
  static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  static unsigned char room[65536];
  const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
  struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_NODEFER};
  void *frames[MAX_FRAMES];
  (void)backtrace(frames, MAX_FRAMES);   /* loads what it needs now, not in the handler */
  sigaltstack(&stack, NULL);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigaction(faults[i], &action, NULL);
}

/* ---- the services of a backend ------------------------------------------------- */

static int tell_object(struct dl_phdr_info *object, size_t bytes, void *data)
{
  (void)bytes, (void)data;
  if (object->dlpi_name[0] == '/') tell('f', object->dlpi_name);
  return 0;
}

static trm_status fail(trm_status status, const char *file, int line, const char *format, ...)
{
  (void)file, (void)line, (void)format;
  return status;
}

static void log_nothing(trm_log_level level, const char *format, ...)
{
  (void)level, (void)format;
}

static const char *part(const char *name)
{
  for (char **word = left_out; name && *word; word++)
    if (strcmp(*word, name) == 0) return "left out";
  tell('p', name ? name : "");
  return NULL;
}

static trm_status copy(void *to, const void *from, size_t bytes)
{
  memcpy(to, from, bytes);
  return TRM_OK;
}

static void probe(void *address)
{
  static const trm_services services = {TRM_BACKEND_ABI, sizeof services, fail, log_nothing, part,
                                        1, copy};
  trm_backend_entry *entry;
  trm_probe found;
  memcpy(&entry, &address, sizeof entry);
  const trm_backend *backend = entry(TRM_BACKEND_ABI, &services);
  if (!backend || backend->abi != TRM_BACKEND_ABI || backend->bytes != sizeof *backend) return;
  memset(&found, 0, sizeof found);
  if (backend->probe) backend->probe(&found);
}

int main(int argc, char **argv)
{
  const struct rlimit none = {0, 0};
  if (argc < FIRST_LEFT_OUT) {
    fprintf(stderr, "trireme-probe: libtrireme runs this program to try plugins; it is not for use "
                    "by hand\n");
    return 2;
  }
  left_out = argv + FIRST_LEFT_OUT;
  setrlimit(RLIMIT_CORE, &none);
  alarm(8 * (unsigned)atoi(argv[4]));    /* whoever waited for it may be gone */
  catch_faults();
  const int is_backend = strcmp(argv[1], "backend") == 0;
  void *object = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  void *address = object ? dlsym(object, argv[3]) : NULL;
  if (address && is_backend) probe(address);
  dl_iterate_phdr(tell_object, NULL);
  tell('d', "");
  return 0;
}
