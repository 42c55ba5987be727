/* message.c - lines for people on stderr, and the log of a run.
 *
 * Lines that come before the run has a folder are kept in memory and written when the log opens. */
#include "cli/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
  int quiet, verbose;
  int closed;          /* what is said from now on is for stderr alone */
  FILE *file;          /* the open log, or a memory stream, or NULL */
  char *path;
  char *early;         /* what the memory stream holds */
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

static void log_line(const char *kind, const char *text)
{
  if (!state.file && !state.closed) state.file = open_memstream(&state.early, &state.early_bytes);
  if (state.file) fprintf(state.file, "%s%s\n", kind, text);
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

/* The lines so far go to the file; without a file they are dropped. */
static int pour_early(FILE *file)
{
  if (!state.file) return 1;
  const int good = fclose(state.file) == 0 && state.early;
  state.file = NULL;
  if (good && file) fwrite(state.early, 1, state.early_bytes, file);
  free(state.early);
  state.early = NULL;
  return good;
}

trm_status message_log_open(const char *path)
{
  char *kept = strdup(path);
  FILE *file = kept ? fopen(path, "w") : NULL;
  if (!file) {
    const int cause = errno;
    free(kept);
    return TRM_FAIL(IO, "%s: cannot be written: %s; choose another folder with --output=DIR", path,
                    strerror(cause));
  }
  setvbuf(file, NULL, _IOLBF, BUFSIZ); /* what was said before a kill can be read */
  const int whole = pour_early(file);
  state.file = file;
  state.path = kept;
  return whole ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for the first lines of %s", path);
}

trm_status message_log_close(void)
{
  state.closed = 1;
  if (!state.path) {
    pour_early(NULL);
    return TRM_OK;
  }
  const int failed_before = ferror(state.file);
  const int failed_close = fclose(state.file) != 0;
  const int cause = errno;
  state.file = NULL;
  trm_status status = TRM_OK;
  if (failed_before || failed_close) {
    status = TRM_FAIL(IO, "%s: not all of the log could be written, so it is removed: %s",
                      state.path, failed_close ? strerror(cause) : "an earlier write failed");
    remove(state.path);
  }
  free(state.path);
  state.path = NULL;
  return status;
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
