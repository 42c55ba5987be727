/* message.h - messages for people: one line each, on stderr, and into the run's log.
 *
 * Colour is used on a terminal only, and never with NO_COLOR set. */
#ifndef TRIREME_CLI_MESSAGE_H
#define TRIREME_CLI_MESSAGE_H

#include <stdio.h>

#include "cli/command.h"
#include "run/log.h"
#include "core/trireme.h"

typedef enum message_colour { COLOUR_NONE, COLOUR_GOOD, COLOUR_BAD, COLOUR_DIM } message_colour;

/* Quiet: errors only; verbose: the library's own log too. */
void message_setup(int quiet, int verbose);
int message_is_quiet(void);

void message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the thread's last recorded error and returns the exit code that belongs to the status. */
exit_code message_failure(trm_status status);

/* A trm_log_fn: keeps the text for the run's log; warnings go to stderr as well. */
void message_log(void *user, trm_log_level level, const char *text);

/* The same, but a text that was said before is not repeated: a study makes a case many times. */
void message_log_once(void *user, trm_log_level level, const char *text);

/* Everything that was said, for the log of a command that writes one. */
run_log *message_kept(void);

/* Escape sequences that begin and end a colour on this stream; "" if there is none. */
const char *colour_begin(FILE *stream, message_colour colour);
const char *colour_end(FILE *stream, message_colour colour);

#endif
