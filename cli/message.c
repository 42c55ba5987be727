/* message.c - lines for people on stderr, and the log of a run.
 *
 * Lines that come before the run has a folder are kept in memory and written when the log opens. */
#include "cli/message.h"

#include "io/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
  int quiet, verbose;
  int closed;          /* what is said from now on is for stderr alone */
  trm_file *log;       /* or NULL */
  FILE *stream;        /* before it is open: in memory, or NULL */
  char *early;         /* what that holds */
  size_t early_bytes;
} state;

void message_setup(int quiet, int verbose)
{
  state.quiet = quiet;
  state.verbose = verbose;
}

int message_is_quiet(void)
{
  return state.quiet;
}

/* By lines: what was said before a kill can be read. Whether all of it was written, close tells. */
static void log_line(const char *kind, const char *text)
{
  if (state.log) {
    (void)trm_file_print(state.log, "%s%s\n", kind, text);
    (void)trm_file_flush(state.log);
    return;
  }
  if (!state.stream && !state.closed)
    state.stream = open_memstream(&state.early, &state.early_bytes);
  if (state.stream) fprintf(state.stream, "%s%s\n", kind, text);
}

static void say(const char *kind, message_colour colour, const char *text)
{
  fflush(stdout);
  fprintf(stderr, "trireme: %s%s%s%s\n", colour_begin(stderr, colour), kind,
          colour_end(stderr, colour), text);
}

#define FORMAT_TEXT(text) \
  char text[2048]; \
  va_list list; \
  va_start(list, format); \
  vsnprintf(text, sizeof text, format, list); \
  va_end(list)

void message_error(const char *format, ...)
{
  FORMAT_TEXT(text);
  log_line("error: ", text);
  say("error: ", COLOUR_BAD, text);
}

void message_warning(const char *format, ...)
{
  FORMAT_TEXT(text);
  log_line("warning: ", text);
  if (!state.quiet) say("warning: ", COLOUR_DIM, text);
}

void message_note(const char *format, ...)
{
  FORMAT_TEXT(text);
  log_line("", text);
  if (!state.quiet) say("", COLOUR_NONE, text);
}

void message_record(const char *format, ...)
{
  FORMAT_TEXT(text);
  log_line("", text);
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
  log_line(kinds[level], text);
  if (level == TRM_LOG_WARNING ? !state.quiet : state.verbose)
    say(kinds[level], COLOUR_DIM, text);
}

/* The lines so far go to the log; without one they are dropped. */
static trm_status pour_early(void)
{
  trm_status status = TRM_OK;
  if (!state.stream) return TRM_OK;
  const int is_whole = fclose(state.stream) == 0 && state.early;
  state.stream = NULL;
  if (is_whole && state.log) status = trm_file_write(state.log, state.early, state.early_bytes);
  free(state.early);
  state.early = NULL;
  return is_whole ? status : TRM_FAIL(NO_HOST_MEMORY, "no memory for the first lines of the log");
}

trm_status message_log_open(const char *path)
{
  TRM_TRY(trm_file_create(path, &state.log));
  TRM_TRY(pour_early());
  return trm_file_publish(state.log);
}

trm_status message_log_close(void)
{
  state.closed = 1;
  if (state.log) return trm_file_commit(&state.log);
  (void)pour_early();
  return TRM_OK;
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
