/* nearest.c - the word that a mistyped one most likely meant.
 *
 * Distance: letters inserted, left out, changed, or swapped with their neighbour, case ignored
 * (Damerau's distance in its restricted form). A third of the letters may be wrong. */
#include "core/registry.h"

#include <ctype.h>
#include <string.h>

enum { MAX_LETTERS = 64 };

static int smaller(int a, int b) { return a < b ? a : b; }

static int distance(const char *a, int a_length, const char *b, int b_length)
{
  int rows[3][MAX_LETTERS + 1];
  int *before = rows[0], *above = rows[1], *row = rows[2];
  for (int j = 0; j <= b_length; j++) above[j] = j;
  for (int i = 1; i <= a_length; i++) {
    row[0] = i;
    for (int j = 1; j <= b_length; j++) {
      const int changed = tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
      row[j] = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + changed);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = smaller(row[j], before[j - 2] + 1);
    }
    int *const spare = before;
    before = above;
    above = row;
    row = spare;
  }
  return above[b_length];
}

const char *trmi_nearest(const char *word, const char *const *words, size_t count)
{
  const size_t length = strlen(word);
  const char *nearest = NULL;
  int least = 0;
  if (length == 0 || length > MAX_LETTERS) return NULL;
  for (size_t i = 0; i < count; i++) {
    const size_t other = strlen(words[i]);
    if (other == 0 || other > MAX_LETTERS) continue;
    const int far = distance(word, (int)length, words[i], (int)other);
    if (far > (int)(length > other ? length : other) / 3 + 1) continue;
    if (nearest && far >= least) continue;
    nearest = words[i];
    least = far;
  }
  return nearest;
}
