/* nearest.c - the name that was probably meant: edit distance with neighbour swaps.
 *
 * Insertions, deletions, changes and swaps of neighbours count one each (Damerau's distance in its
 * restricted form), case ignored. About a third of the letters may be wrong. */
#include "core/nearest.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 64 };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static int lower(char c) { return tolower((unsigned char)c); }

static size_t distance(const char *a, const char *b)
{
  const size_t na = strlen(a), nb = strlen(b);
  size_t rows[3][LONGEST + 1];
  size_t *before = rows[0], *last = rows[1], *row = rows[2];
  if (na > LONGEST || nb > LONGEST) return LONGEST;
  for (size_t j = 0; j <= nb; j++) {
    last[j] = j;
    before[j] = j;
  }
  for (size_t i = 1; i <= na; i++) {
    row[0] = i;
    for (size_t j = 1; j <= nb; j++) {
      const int same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = smaller(smaller(last[j], row[j - 1]) + 1, last[j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = smaller(row[j], before[j - 2] + 1);
    }
    size_t *spare = before;
    before = last;
    last = row;
    row = spare;
  }
  return last[nb];
}

static const char *last_part(const char *name)
{
  const char *dot = strrchr(name, '.');
  return dot ? dot + 1 : name;
}

const char *trm_nearest_name(const char *name, const char *const *names, size_t count)
{
  const char *best = NULL;
  size_t best_distance = strlen(name) / 3 + 2;     /* one past the largest that counts as near */
  for (size_t i = 0; i < count; i++) {
    const size_t d = distance(name, names[i]);
    if (d < best_distance && d < strlen(names[i])) {
      best = names[i];
      best_distance = d;
    }
  }
  if (best) return best;
  /* "omega" for "lbm.omega", "gird.omega" for the same: compare what follows the last dot. */
  best_distance = strlen(last_part(name)) / 4 + 1;
  for (size_t i = 0; i < count; i++) {
    const size_t d = distance(last_part(name), last_part(names[i]));
    if (d < best_distance) {
      best = names[i];
      best_distance = d;
    }
  }
  return best;
}
