/* number.c - see number.h. */
#include "core/number.h"
#include "core/point.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static locale_t plain; /* none: no memory for one, and that of the program stays */

static void make_plain(void) { plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

locale_t trm_numbers_begin(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, make_plain);
  return uselocale(plain);
}

void trm_numbers_end(locale_t before) { (void)uselocale(before); }

static int is_hexadecimal(const char *text)
{
  text += *text == '-' || *text == '+';
  return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

double trm_number(const char *text, char **end)
{
  const locale_t before = trm_numbers_begin();
  const double value = strtod(text, end);
  trm_numbers_end(before);
  if (*end == text || !is_hexadecimal(text + strspn(text, " \t\n\v\f\r"))) return value;
  *end = (char *)(uintptr_t)text; /* as strtod, which gives back what may not be const */
  return 0;
}

/* ---- counts, shapes ---------------------------------------------------------- */

int64_t trm_whole(const char *text, char **end)
{
  static const double most = 9223372036854775808.0; /* 2^63 */
  const char *digits = text + (*text == '-' || *text == '+');
  const size_t length = strspn(digits, "0123456789");
  *end = (char *)(uintptr_t)text;
  if (length == 0) return 0;
  errno = 0;
  char *rest;
  const long long plain_digits = strtoll(text, &rest, 10);
  if (!strchr(".eE", *rest) || !*rest) {
    if (errno != ERANGE) *end = rest;
    return errno == ERANGE ? 0 : plain_digits;
  }
  const double value = trm_number(text, &rest);
  if (rest == text || value != rint(value) || !(fabs(value) < most)) return 0;
  *end = rest;
  return (int64_t)value;
}

size_t trm_shape(const char *text, int64_t *numbers, size_t most)
{
  char *end;
  for (size_t count = 0; count < most; text = end + 1) {
    numbers[count] = trm_whole(text, &end);
    if (end == text) return 0;
    count++;
    if (!*end) return count;
    if (*end != 'x' && *end != 'X') return 0;
  }
  return 0;
}

/* ---- times ------------------------------------------------------------------- */

/* "D-HH:MM:SS" and "HH:MM:SS", as schedulers of clusters write times. */
static double clock_time(const char *text)
{
  static const double seconds[3] = {3600, 60, 1};
  char *end;
  double sum = 0;
  if (strchr(text, '-')) {
    const int64_t days = trm_whole(text, &end);
    if (end == text || *end != '-' || days < 0) return (double)NAN;
    sum = 86400.0 * (double)days;
    text = end + 1;
  }
  for (int i = 0; i < 3; i++, text = end + 1) {
    const size_t digits = strspn(text, "0123456789");
    const long number = strtol(text, &end, 10);
    if (digits == 0 || digits > 6 || *end != (i < 2 ? ':' : '\0') || (i > 0 && number > 59))
      return (double)NAN;
    sum += seconds[i] * (double)number;
  }
  return sum;
}

/* From the longest unit to the shortest, each once. */
static double units_time(const char *text)
{
  static const struct { const char *name; double seconds; } units[] = {
    {"d", 86400}, {"h", 3600}, {"min", 60}, {"m", 60}, {"sec", 1}, {"s", 1}};
  enum { UNITS = sizeof units / sizeof units[0] };
  double sum = 0, last = (double)INFINITY;
  do {
    char *end;
    const double number = trm_number(text, &end);
    if (end == text || !(number >= 0)) return (double)NAN;
    end += strspn(end, " ");
    size_t i = 0;
    while (i < UNITS && strncmp(end, units[i].name, strlen(units[i].name)) != 0) i++;
    if (i == UNITS || !(units[i].seconds < last)) return (double)NAN;
    last = units[i].seconds;
    sum += number * last;
    text = end + strlen(units[i].name);
    text += strspn(text, " ");
  } while (*text);
  return sum;
}

double trm_duration(const char *text)
{
  char *end;
  const double number = trm_number(text, &end);
  if (end != text && number == 0 && !*end) return 0;
  return strchr(text, ':') ? clock_time(text) : units_time(text);
}

int trm_has_hexadecimal(const char *text)
{
  static const char between[] = " \t\n\v\f\r,;=*";
  for (text += strspn(text, between); *text; text += strspn(text, between)) {
    if (is_hexadecimal(text)) return 1;
    text += strcspn(text, between);
  }
  return 0;
}

/* ---- words ------------------------------------------------------------------- */

static const char blanks[] = " \t\n", stops[] = " \t\n,;";

/* 1 where the word matches the pattern's word, whose value is kept behind those found before. */
static int is_word(const char *text, size_t length, const char *asked, size_t asked_length,
                   trm_words *to, int *numbers, int *words)
{
  if (length == 0) return 0;
  if (*asked == '#') {
    char *end;
    const double value = trm_number(text, &end);
    to->number[(*numbers)++] = value;
    return end == text + length && isfinite(value);
  }
  if (*asked == '@') {
    to->word[*words] = text;
    to->length[(*words)++] = (int)length;
    return 1;
  }
  return length == asked_length && memcmp(text, asked, length) == 0;
}

trm_words trm_words_read(const char *text, const char *pattern)
{
  trm_words to = { 0 };
  const char *at = text;
  int numbers = 0, words = 0;
  while (*pattern) {
    const size_t asked = strcspn(pattern, " ");
    at += strspn(at, blanks);
    const size_t length = strcspn(at, stops);
    if (!is_word(at, length, pattern, asked, &to, &numbers, &words)) return to;
    at += length;
    pattern += asked + (pattern[asked] == ' ');
  }
  to.used = (int)(at + strspn(at, blanks) - text);
  return to;
}

int trm_words_take(const trm_words *words, int i, char *to, size_t bytes)
{
  if ((size_t)words->length[i] >= bytes) return 0;
  memcpy(to, words->word[i], (size_t)words->length[i]);
  to[words->length[i]] = '\0';
  return 1;
}
