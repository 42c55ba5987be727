/* message.c - lines for people on stderr, and in the log of a comparison or a study. */
#include "cli/message.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"

static struct {
  int quiet, verbose;
  run_log log;
} state;

run_log *message_kept(void) { return &state.log; }

void message_setup(int quiet, int verbose)
{
  state.quiet = quiet;
  state.verbose = verbose;
}

int message_is_quiet(void)
{
  return state.quiet;
}

static void say(const char *kind, message_colour colour, const char *text)
{
  fflush(stdout);
  fprintf(stderr, "trireme: %s%s%s", colour_begin(stderr, colour), kind,
          colour_end(stderr, colour));
  terminal_write(stderr, (int)(sizeof "trireme: " - 1 + strlen(kind)), 2, text);
}

void message_error(const char *format, ...)
{
  FORMAT_TEXT(text);
  log_record(&state.log, "error: %s", text);
  say("error: ", COLOUR_BAD, text);
}

void message_warning(const char *format, ...)
{
  FORMAT_TEXT(text);
  log_record(&state.log, "warning: %s", text);
  if (!state.quiet) say("warning: ", COLOUR_DIM, text);
}

void message_note(const char *format, ...)
{
  FORMAT_TEXT(text);
  log_record(&state.log, "%s", text);
  if (!state.quiet) say("", COLOUR_NONE, text);
}

exit_code message_failure(trm_status status)
{
  if (status == TRM_OK) return EXIT_GOOD;
  const trm_error *error = trm_error_last();
  message_error("%s", error->text[0] ? error->text : trm_status_text(status));
  if (state.verbose && error->file)
    fprintf(stderr, "trireme: seen at %s:%d\n", error->file, error->line);
  if (status == TRM_ERROR_DIVERGED) return EXIT_DIVERGED;
  if (status == TRM_ERROR_INTERRUPTED) return EXIT_STOPPED;
  return EXIT_CANNOT;
}

void message_log(void *user, trm_log_level level, const char *text)
{
  (void)user;
  static const char *const kinds[] = {"warning: ", "", "debug: "};
  log_receive(&state.log, level, text);
  if (level == TRM_LOG_WARNING ? !state.quiet : state.verbose)
    say(kinds[level], COLOUR_DIM, text);
}

void message_log_once(void *user, trm_log_level level, const char *text)
{
  if (state.log.kept) fflush(state.log.kept);
  if (!state.log.text || !strstr(state.log.text, text)) message_log(user, level, text);
}

static int has_colour(FILE *stream)
{
  const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return !(no && no[0]) && terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(stream));
}

const char *colour_begin(FILE *stream, message_colour colour)
{
  static const char *const codes[] = {"", "\033[32m", "\033[31m", "\033[2m"};
  return colour != COLOUR_NONE && has_colour(stream) ? codes[colour] : "";
}

const char *colour_end(FILE *stream, message_colour colour)
{
  return colour != COLOUR_NONE && has_colour(stream) ? "\033[0m" : "";
}
