/* number.c - see number.h. */
#include "core/number.h"

#include <stdlib.h>
#include <string.h>

static int is_hexadecimal(const char *text)
{
  text += *text == '-' || *text == '+';
  return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

double trm_number(const char *text, char **end)
{
  const double value = strtod(text, end);
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
