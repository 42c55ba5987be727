/* types.c - the types of a kernel's arrays, from its heading in the text. */
#include <config.h>

#include "solvers/framework/internal.h"

#include <string.h>

/* Behind the name in the heading TRM_ROW_KERNELn(NAME, ...; NULL where a macro of the text's own
 * makes it. */
static const char *find_heading(const char *text, const char *kernel)
{
  static const char mark[] = "_KERNEL";
  const size_t length = strlen(kernel);
  for (const char *at = text; (at = strstr(at, mark)); at++) {
    const char *name = at + sizeof mark - 1;
    name += strspn(name, "0123456789");
    if (*name == '(' && strncmp(name + 1, kernel, length) == 0 && name[1 + length] == ',')
      return name + 1 + length;
  }
  return NULL;
}

/* The type as a word of the dialect; NULL for one of the text's own. */
static const char *word_of(const char *type)
{
  static const char *const words[] = { "real", "uchar", "int", "trm_index", "trm_bits" };
  const size_t length = strcspn(type, ")");
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strlen(words[i]) == length && strncmp(type, words[i], length) == 0) return words[i];
  return NULL;
}

const char *grid_type_taken(const char *text, const char *kernel, size_t number)
{
  static const char *const marks[] = { "RO(", "RW(", "FROM(", "TO(" };
  const char *at = find_heading(text, kernel), *end = at ? strchr(at, '{') : NULL;
  while (end && (at = strstr(at, "TRM_")) && at < end) {
    at += 4;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
      if (strncmp(at, marks[i], strlen(marks[i])) == 0 && number-- == 0)
        return word_of(at + strlen(marks[i]));
  }
  return NULL;
}
