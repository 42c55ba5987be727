/* main.c - the program `trireme`: the environment of its plugins, then one command. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/measure/clock.h"
#include "cli/command.h"
#include "cli/environment.h"
#include "cli/run/json.h"
#include "cli/message.h"
#include "cli/process.h"

/* --help and --version stand for the whole program where no command is given. */
static int program_option(const char *word)
{
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
    program_help();
    return 1;
  }
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
    program_version();
    return 1;
  }
  return 0;
}

static exit_code unknown_command(const char *word)
{
  const char *nearest = command_nearest(word);
  if (nearest)
    message_error("unknown %s '%s'; the nearest is '%s' (see 'trireme --help')",
                  word[0] == '-' ? "option" : "command", word, nearest);
  else
    message_error("unknown %s '%s'; see 'trireme --help'", word[0] == '-' ? "option" : "command",
                  word);
  return EXIT_CANNOT;
}

static exit_code run_command(const command *chosen, int argc, char **argv)
{
  arguments args;
  exit_code code = message_failure(arguments_parse(chosen->bit, chosen->name, argc, argv, &args));
  message_setup(args.quiet, args.verbose);
  if (code == EXIT_GOOD) {
    if (args.help) command_help(chosen);
    else if (args.json) code = process_keep_output();
    if (code == EXIT_GOOD && !args.help) code = chosen->run(&args);
  }
  arguments_clear(&args);
  return code;
}

/* Also where an earlier write met it, whose errno is gone: a result larger than a buffer. */
static int has_no_reader(void)
{
  struct pollfd one = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return errno == EPIPE || (poll(&one, 1, 0) > 0 && (one.revents & POLLERR));
}

/* A result that did not reach its reader (a full disk behind a redirection) is a failure. */
static exit_code close_output(exit_code code)
{
  errno = 0;
  const int lost = fflush(stdout) != 0 || ferror(stdout), error = errno;
  if (!lost || code != EXIT_GOOD) return code;
  if (has_no_reader()) return EXIT_CANNOT; /* `| head`: nobody is there to be told */
  message_error("the result could not be written to standard output%s%s", error ? ": " : "",
                error ? strerror(error) : "");
  return EXIT_CANNOT;
}

static exit_code run_words(int argc, char **argv)
{
  if (argc < 2) {
    message_error("no command given; see 'trireme --help'");
    return EXIT_CANNOT;
  }
  if (program_option(argv[1])) return EXIT_GOOD;
  const command *chosen = command_find(argv[1]);
  const unsigned over_ranks = COMMAND_RUN | COMMAND_RESUME | COMMAND_COMPARE | COMMAND_DEVICES;
  if (chosen && !(chosen->bit & over_ranks) && trm_rank_node(0)[0]) {
    message_error("'trireme %s' works in one process; start it without mpirun", chosen->name);
    return EXIT_CANNOT;
  }
  return chosen ? run_command(chosen, argc - 1, argv + 1) : unknown_command(argv[1]);
}

/* Under mpirun rank 0 carries the command out; the others serve it here, and say nothing. What ends
 * a run ends rank 0, who tells the others. */
static exit_code meet_ranks(int argc, char **argv, int *rank, int *ranks)
{
  static const int of_rank_0[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
  const trm_status status = trm_ranks_begin(argc, argv, rank, ranks);
  if (status != TRM_OK) return *rank == 0 ? message_failure(status) : EXIT_CANNOT;
  if (*rank == 0) return EXIT_GOOD;
  for (size_t i = 0; i < sizeof of_rank_0 / sizeof *of_rank_0; i++) signal(of_rank_0[i], SIG_IGN);
  return trm_ranks_serve() == TRM_OK ? EXIT_GOOD : EXIT_CANNOT;
}

int main(int argc, char **argv)
{
  clock_start();
  const exit_code begun = process_begin();
  if (begun != EXIT_GOOD) return process_end(begun);
  environment_prepare();
  json_begin();
  int rank = 0, ranks = 1;
  const exit_code met = meet_ranks(argc, argv, &rank, &ranks);
  const exit_code code = met != EXIT_GOOD || rank > 0
                           ? met : close_output(run_words(argc, argv));
  trm_ranks_end();
  return process_end(code);
}
