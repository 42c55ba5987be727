/* log.h - the messages of a run. Every line is kept in memory and goes to a listener; while log.txt
 * is open, it also goes into log.txt. */
#ifndef TRIREME_RUN_LOG_H
#define TRIREME_RUN_LOG_H

#include <stdarg.h>
#include <stdio.h>

#include "io/file.h"

typedef struct run_log {
  trm_log_fn *listener;        /* gets the lines of log_say and log_receive; NULL: nobody */
  void *user;
  FILE *kept;                  /* a stream into text */
  char *text;
  size_t bytes;
  trm_file *file;              /* the open log.txt, or NULL */
} run_log;

/* text: the formatted arguments of a function with `format, ...`, as a string. */
#define FORMAT_TEXT(text) \
  char text[2048]; \
  va_list list; \
  va_start(list, format); \
  vsnprintf(text, sizeof text, format, list); \
  va_end(list)

/* Into the log alone. */
void log_record(run_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Into the log and to the listener. */
void log_say(run_log *log, trm_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A trm_log_fn whose user is a run_log. */
void log_receive(void *log, trm_log_level level, const char *text);

/* Begins with the lines of the log.txt in a folder, where there is one. */
trm_status log_take_up(run_log *log, const char *folder);

/* Writes all lines so far to this file and, until it is closed, every further one at once. Closing
 * reports whether all of it reached the file, and removes a file that is not whole. */
trm_status log_open(run_log *log, const char *path);
trm_status log_close(run_log *log);

/* Closes and forgets. */
void log_clear(run_log *log);

#endif
