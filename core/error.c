/* error.c - the calling thread's last error, and the checked arithmetic of sizes.
 *
 * The function that first knows a cause records it here; callers pass the status on. */
#include "core/internal.h"

#include <stdio.h>
#include <string.h>

static _Thread_local trm_error last_error = { TRM_OK, 0, "", "no error was recorded" };

static const char *const status_texts[TRM_STATUS_COUNT] = {
#define STATUS_TEXT(name, text) text,
  TRM_STATUSES(STATUS_TEXT)
#undef STATUS_TEXT
};

const char *trm_status_text(trm_status status)
{
  if ((unsigned)status >= TRM_STATUS_COUNT) return "unknown status";
  return status_texts[status];
}

const trm_error *trm_error_last(void)
{
  return &last_error;
}

/* A message may quote a file or a user: it stays one line, and sends only plain text to a terminal.
 * The messages of a kernel compiler keep their lines. */
static void make_plain(char *text, int keeps_lines)
{
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    if ((c == '\n' || c == '\t') && keeps_lines) continue;
    if (c == '\n' || c == '\t') *text = ' ';
    else if (c < ' ' || c == 127) *text = '?';
  }
}

/* The sign of a NaN is meaningless: printf's "-nan" loses it, where it is a word. */
static void make_unsigned(char *text)
{
  for (char *at = text; (at = strstr(at, "-nan")); at++) {
    const int begins = at == text || strchr(" (,=", at[-1]) != NULL;
    if (begins && strchr(" ,;:)%", at[4])) memmove(at, at + 1, strlen(at)); /* with the zero */
  }
}

trm_status trm_error_record(trm_status status, const char *file, int line, const char *format, ...)
{
  char text[sizeof last_error.text]; /* the arguments may quote the last error */
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0) snprintf(text, sizeof text, "%s", trm_status_text(status));
  make_plain(text, status == TRM_ERROR_BUILD);
  make_unsigned(text);
  last_error.status = status;
  last_error.file = file ? file : "";
  last_error.line = line;
  memcpy(last_error.text, text, sizeof text);
  return status;
}

void trmi_error_keep(trm_error *kept)
{
  *kept = last_error;
}

void trmi_error_restore(const trm_error *kept)
{
  last_error = *kept;
}

trm_status trm_size_mul(size_t a, size_t b, const char *what, size_t *out)
{
  if (b != 0 && a > SIZE_MAX / b)
    return TRM_FAIL(OVERFLOW, "%s: %zu times %zu does not fit a size; choose smaller numbers", what,
                    a, b);
  *out = a * b;
  return TRM_OK;
}

trm_status trm_size_add(size_t a, size_t b, const char *what, size_t *out)
{
  if (a > SIZE_MAX - b)
    return TRM_FAIL(OVERFLOW, "%s: %zu plus %zu does not fit a size; choose smaller numbers", what,
                    a, b);
  *out = a + b;
  return TRM_OK;
}
