/* literals.c - the text of a case file, made safe for libconfig.
 *
 * libconfig 1.5 keeps the lower 32 bits of an integer without the suffix L and says nothing:
 * nx = 4294967297 would run with nx = 1. So the text is scanned first, but for comments and
 * strings. It also takes a comment without an end of line for a syntax error. */
#include <config.h>

#include "io/literals.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int is_digit(char c) { return isdigit((unsigned char)c) != 0; }
static int is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '*'; }

/* The end of the comment or string at `at`, or `at` when there is no comment or string. */
static const char *skip_aside(const char *at)
{
  if (*at == '#' || (at[0] == '/' && at[1] == '/')) return at + strcspn(at, "\n");
  if (at[0] == '/' && at[1] == '*') {
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
  }
  if (*at != '"') return at;
  for (at++; *at && *at != '"'; at++)
    if (*at == '\\' && at[1]) at++;
  return *at ? at + 1 : at;
}

/* The end of an integer at `at`, or NULL when what stands there is something else. */
static const char *integer_end(const char *at)
{
  const char *digits = at + (*at == '-' || *at == '+');
  if (!is_digit(*digits)) return NULL;
  const char *end = digits;
  if (digits == at && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
    for (end = at + 2; isxdigit((unsigned char)*end);) end++;
    return end > at + 2 ? end : NULL;
  }
  while (is_digit(*end)) end++;
  return *end == '.' || *end == 'e' || *end == 'E' ? NULL : end;
}

/* The end of any other word or number, at least one character on. */
static const char *word_end(const char *at)
{
  const char *end = at;
  if (*at == '.' || is_digit(*at))
    while (isalnum((unsigned char)*end) || *end == '.' ||
           ((*end == '-' || *end == '+') && (end[-1] == 'e' || end[-1] == 'E')))
      end++;
  else if (isalpha((unsigned char)*at) || *at == '*')
    while (is_name(*end)) end++;
  return end > at ? end : at + 1;
}

static int is_hexadecimal(const char *at) { return at[0] == '0' && (at[1] == 'x' || at[1] == 'X'); }

trm_status trmi_literals_widen(const char *path, const char *text, char **out)
{
  unsigned line = 1;
  size_t length = 0;
  int is_comment = 0;                            /* that ends with the text */
  char *copy = malloc(2 * strlen(text) + 2);     /* no literal is shorter than its suffix */
  if (!copy) return TRM_FAIL(NO_HOST_MEMORY, "no memory to read '%s'", path);
  for (const char *at = text, *next; *at; at = next) {
    int widen = 0;
    const char *end = NULL;
    next = skip_aside(at);
    is_comment = next != at && *at != '"' && !*next;
    if (next == at && (end = integer_end(at)) != NULL) {
      errno = 0;
      const long long value = strtoll(at, NULL, is_hexadecimal(at) ? 16 : 10);
      if (errno == ERANGE) {
        free(copy);
        return TRM_FAIL(INPUT,
                        "%s:%u: the integer %.*s does not fit 64 bits; give a smaller number", path,
                        line, end - at > 60 ? 60 : (int)(end - at), at);
      }
      widen = (value > INT32_MAX || value < INT32_MIN) && *end != 'L';
      next = end;
    } else if (next == at) {
      next = word_end(at);
    }
    for (const char *c = at; c < next; c++) line += *c == '\n';
    memcpy(copy + length, at, (size_t)(next - at));
    length += (size_t)(next - at);
    if (widen) copy[length++] = 'L';
  }
  if (is_comment) copy[length++] = '\n';
  copy[length] = '\0';
  *out = copy;
  return TRM_OK;
}
