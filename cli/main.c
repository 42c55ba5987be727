/* main.c - the program `trireme`: the environment of its plugins, then one command. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/environment.h"
#include "run/measure/clock.h"
#include "cli/message.h"
#include "cli/process.h"
#include "run/installed.h"
#include "run/text/json.h"

static exit_code refuse_word(const char *option, const char *word)
{
  message_error("'trireme %s' is asked with '%s' as well; leave that out", option, word);
  return EXIT_CANNOT;
}

static int asks_help(const char *word)
{
  return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

/* Help of the whole program, or of the named command, solver or key. */
static exit_code help(int argc, char **argv)
{
  while (argc > 2 && asks_help(argv[argc - 1])) argc--; /* asked twice */
  const command *about = argc > 2 ? command_find(argv[2]) : NULL;
  if (argc > 3) return refuse_word(argv[1], argv[3]);
  if (argc > 2 && !about) return help_on_key(argv[2]);
  if (about) command_help(about);
  else program_help();
  return EXIT_GOOD;
}

/* --help and --version stand for the whole program where no command is given. */
static int program_option(int argc, char **argv, exit_code *code)
{
  const char *word = argv[1];
  const int is_version = strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0;
  const int is_help = asks_help(word);
  *code = EXIT_GOOD;
  if (is_help) *code = help(argc, argv);
  else if (is_version && argc > 2) *code = refuse_word(word, argv[2]);
  else if (is_version) program_version();
  return is_help || is_version;
}

/* A case, or the path of one, where a command belongs. */
static int names_case(const char *word)
{
  char *installed = installed_find(word);
  const int found = installed || access(word, F_OK) == 0;
  free(installed);
  return found;
}

static exit_code unknown_command(const char *word)
{
  const char *nearest = command_nearest(word);
  if (!nearest && word[0] != '-' && names_case(word)) {
    message_error("'%s' is no command; to run a case, write 'trireme run %s' (see 'trireme "
                  "--help')", word, word);
    return EXIT_CANNOT;
  }
  if (nearest)
    message_error("unknown %s '%s'; the nearest is '%s' (see 'trireme --help')",
                  word[0] == '-' ? "option" : "command", word, nearest);
  else
    message_error("unknown %s '%s'; see 'trireme --help'", word[0] == '-' ? "option" : "command",
                  word);
  return EXIT_CANNOT;
}

/* `trireme run compressible --help`: with the keys of the solver that is named, by itself or by a
 * case. */
static exit_code help_with_solver(const command *chosen, const arguments *args)
{
  command_help(chosen);
  if (!(chosen->bit & COMMAND_OF_CASES) || args->operand_count == 0) return EXIT_GOOD;
  putchar('\n');
  return help_on_solver(args->operands[0]);
}

static exit_code run_command(const command *chosen, int argc, char **argv)
{
  arguments args;
  exit_code code = message_failure(arguments_parse(chosen->bit, chosen->name, argc, argv, &args));
  message_setup(args.quiet, args.verbose);
  if (chosen->bit & COMMAND_WORK) environment_warn();
  if (code == EXIT_GOOD && !args.help) arguments_warn(&args);
  if (code == EXIT_GOOD) {
    if (args.help) code = help_with_solver(chosen, &args);
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
  if (has_no_reader()) return EXIT_CANNOT; /* `| head`: nobody would read a message */
  message_error("the result could not be written to standard output%s%s", error ? ": " : "",
                error ? strerror(error) : "");
  return EXIT_CANNOT;
}

static exit_code run_words(int argc, char **argv)
{
  if (argc < 2) {
    message_error("no command given; try 'trireme run driven-box', or see 'trireme --help'");
    return EXIT_CANNOT;
  }
  exit_code code;
  if (program_option(argc, argv, &code)) return code;
  const command *chosen = command_find(argv[1]);
  const unsigned over_ranks = COMMAND_RUN | COMMAND_RESUME | COMMAND_COMPARE | COMMAND_DEVICES;
  if (chosen && !(chosen->bit & over_ranks) && trm_rank_node(0)[0]) {
    message_error("'trireme %s' works in one process; start it without mpirun", chosen->name);
    return EXIT_CANNOT;
  }
  return chosen ? run_command(chosen, argc - 1, argv + 1) : unknown_command(argv[1]);
}

/* Rank 0 reports a failure that all ranks see, such as a missing library, and the launcher then
 * ends the others. A rank that is still alive has a failure of its own to report. */
static exit_code failure_of(trm_status status, int rank, int ranks)
{
  if (rank == 0) return message_failure(status);
  if (status == TRM_ERROR_UNSUPPORTED && ranks == 1) return EXIT_CANNOT; /* all know it */
  if (ranks == 1) sleep(3);
  message_error("rank %d: %s", rank, trm_error_last()->text);
  return EXIT_CANNOT;
}

/* Under mpirun rank 0 carries the command out; the others serve it here, and say nothing. An end of
 * a run ends rank 0, which tells the other ranks. */
static exit_code meet_ranks(int argc, char **argv, int *rank, int *ranks)
{
  static const int of_rank_0[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU};
  const trm_status status = trm_ranks_begin(argc, argv, rank, ranks);
  if (status != TRM_OK) return failure_of(status, *rank, *ranks);
  if (*ranks > 1) process_is_launched();
  if (*rank == 0) return EXIT_GOOD;
  for (size_t i = 0; i < sizeof of_rank_0 / sizeof *of_rank_0; i++) signal(of_rank_0[i], SIG_IGN);
  const trm_status served = trm_ranks_run_worker();
  return served == TRM_OK ? EXIT_GOOD : failure_of(served, *rank, *ranks);
}

/* A link that failed when all else was done; any other failure has been reported. A launcher that
 * ends all at once may drop what it has yet to pass on. */
static exit_code part_ranks(exit_code code, int rank)
{
  const struct timespec passing_on = { 0, 300000000 };
  const trm_status status = trm_ranks_end();
  if (status == TRM_OK) return code;
  if (code != EXIT_CANNOT) (void)failure_of(status, rank, 2);
  fflush(NULL);
  nanosleep(&passing_on, NULL);
  trm_ranks_abort(process_end(EXIT_CANNOT));
}

int main(int argc, char **argv)
{
  clock_start();
  const exit_code begun = process_begin();
  if (begun != EXIT_GOOD) return process_end(begun);
  environment_prepare(argc, argv);
  json_begin();
  int rank = 0, ranks = 1;
  const exit_code met = meet_ranks(argc, argv, &rank, &ranks);
  const exit_code code = met != EXIT_GOOD || rank > 0
                           ? met : close_output(run_words(argc, argv));
  return process_end(part_ranks(code, rank));
}
