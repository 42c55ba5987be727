/* number.c - see number.h. */
#include "core/number.h"
#include "core/point.h"

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

int trm_has_hexadecimal(const char *text)
{
  static const char between[] = " \t\n\v\f\r,;=*";
  for (text += strspn(text, between); *text; text += strspn(text, between)) {
    if (is_hexadecimal(text)) return 1;
    text += strcspn(text, between);
  }
  return 0;
}
