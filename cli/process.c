/* process.c - descriptors, signals, and the end. */
#include "cli/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/message.h"
#include "run/run.h"

/* ---- the end --------------------------------------------------------------------- */

static pid_t own;              /* a forked child may end as it likes */
static int is_at_end;
static _Atomic(trm_run *) running;
/* A terminal that a view has taken: how it is given back, and taken again. */
static void (*leave_terminal)(void), (*enter_terminal)(void);

static void on_exit_of_others(void)
{
  static const char cause[] =
    "the program was ended from inside, most likely by a driver or its compiler, which may have "
    "said why above; see whether the folder for temporary files (TMPDIR) is full, and the limits "
    "(ulimit -a)";
  if (is_at_end || getpid() != own) return;
  if (leave_terminal) leave_terminal();
  message_error("%s", cause);
  trm_run *run = atomic_load(&running);
  if (run) trm_run_record(run, cause);
  fflush(NULL);
  _exit(EXIT_CANNOT);
}

int process_end(exit_code code)
{
  is_at_end = 1;
  return (int)code;
}

/* ---- the beginning ------------------------------------------------------------------ */

static int open_descriptors(void)
{
  for (int number = 0; number <= STDERR_FILENO; number++)
    if (fcntl(number, F_GETFD) < 0 && open("/dev/null", O_RDWR) != number) return 0;
  return 1;
}

static void catch_checkpoint_request(void);

exit_code process_begin(void)
{
  sigset_t children;
  if (!open_descriptors()) {
    message_error("a standard descriptor is closed, and /dev/null cannot be opened in its place");
    return EXIT_CANNOT;
  }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_UNBLOCK, &children, NULL);
  own = getpid();
  catch_checkpoint_request();
  return atexit(on_exit_of_others) == 0 ? EXIT_GOOD : EXIT_CANNOT;
}

/* ---- the result ------------------------------------------------------------------- */

static FILE *kept;

exit_code process_keep_output(void)
{
  fflush(stdout);
  const int number = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  kept = number < 0 ? NULL : fdopen(number, "w");
  if (kept && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) return EXIT_GOOD;
  if (number >= 0 && !kept) message_error("no memory for the result");
  else
    message_error("there is no descriptor for the result; raise the limit on open files "
                  "(ulimit -n)");
  return EXIT_CANNOT;
}

FILE *process_output(void) { return kept ? kept : stdout; }

/* ---- interruption -------------------------------------------------------------------- */

atomic_int process_interrupted, process_checkpoint_requested;
static atomic_int is_exhausted;

const char *process_cause(void)
{
  return atomic_load(&is_exhausted) ? "at the limit of processor time (ulimit -t)"
         : atomic_load(&process_interrupted) ? "by the user" : "when its time was over";
}

static void on_last_signal(int number)
{
  if (leave_terminal) leave_terminal();
  signal(number, SIG_DFL);
  raise(number);               /* held back until this returns */
}

static void on_stop(int number)
{
  (void)number;
  if (leave_terminal) leave_terminal();
  raise(SIGSTOP);
  if (enter_terminal) enter_terminal();
}

static void handle(int number, void (*handler)(int))
{
  struct sigaction action = {0}, before;
  action.sa_handler = handler;
  action.sa_flags = (int)SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
    sigaction(number, &action, NULL);
}

void process_guard(void (*leave)(void), void (*enter)(void))
{
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGFPE, SIGILL,
                                SIGABRT};
  leave_terminal = leave;
  enter_terminal = enter;
  for (size_t i = 0; leave && i < sizeof numbers / sizeof numbers[0]; i++)
    handle(numbers[i], on_last_signal);
  if (leave) handle(SIGTSTP, on_stop);
}

void process_interrupt(void)
{
  atomic_store(&process_interrupted, 1);
  trm_run *run = atomic_load(&running);
  if (run) trm_run_interrupt(run);
}

/* The kernel repeats SIGXCPU after each second of processor time, until the hard limit. */
static void on_signal(int number, siginfo_t *from, void *context)
{
  (void)from;
  (void)context;
  if (number == SIGXCPU) atomic_store(&is_exhausted, 1);
  process_interrupt();
  handle(number, number == SIGXCPU ? SIG_IGN : on_last_signal);
}

static const char *early_line = "trireme: stopped by the user\n";
static const char *const exhausted_line = "trireme: stopped at the limit of processor time; raise "
                                          "it (ulimit -t)\n";
static int is_launched;

void process_is_launched(void)
{
  is_launched = 1;
}

/* Only what a handler may call: main may be anywhere in a driver. A child of it that has no
 * program of its own yet ends as it would have. */
static void on_early_signal(int number, siginfo_t *from, void *context)
{
  (void)context;
  if (getpid() != own) {
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  const int by_launcher = is_launched && number == SIGTERM && from->si_pid == getppid();
  const char *line = number == SIGXCPU ? exhausted_line : early_line;
  if (!by_launcher && !message_is_quiet()) {
    size_t length = 0;
    while (line[length]) length++;
    (void)!write(STDERR_FILENO, line, length);
  }
  _exit(EXIT_STOPPED);
}

static void on_checkpoint_request(int number)
{
  (void)number;
  trm_run *run = atomic_load(&running);
  if (run) trm_run_checkpoint(run);
  else atomic_store(&process_checkpoint_requested, 1);
}

static void catch_checkpoint_request(void)
{
  struct sigaction action = {.sa_handler = on_checkpoint_request, .sa_flags = (int)SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR1, &action, NULL);
}

void process_forget_run(void)
{
  atomic_store(&running, NULL);
}

static void catch_ends(void (*handler)(int, siginfo_t *, void *))
{
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
  struct sigaction action = {0}, before;
  action.sa_sigaction = handler;
  action.sa_flags = (int)SA_RESETHAND | SA_RESTART | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(numbers[i], &action, NULL);
}

void process_catch_early(const char *line)
{
  if (line) early_line = line;
  catch_ends(on_early_signal);
}

void process_catch_signals(trm_run *run)
{
  atomic_store(&running, run);
  catch_ends(on_signal);
  catch_checkpoint_request();
  if (run && atomic_exchange(&process_checkpoint_requested, 0)) trm_run_checkpoint(run);
}
