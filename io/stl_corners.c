/* stl_corners.c - corners of a surface by number, and the triangles that edges join. Both come from
 * tables of places (open addressing), in a time that grows with the number of triangles. */
#include "io/stl_corners.h"

#include <stdlib.h>
#include <string.h>

static uint64_t stir(uint64_t sum, uint64_t bits)
{
  sum = (sum ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
  return sum ^ sum >> 29;
}

static uint64_t hash_of(const double at[3])
{
  uint64_t sum = 0;
  for (int a = 0; a < 3; a++) {
    const double plain = at[a] + 0.0;      /* -0 is 0 */
    uint64_t bits;
    memcpy(&bits, &plain, sizeof bits);
    sum = stir(sum, bits);
  }
  return sum;
}

/* A table with room for twice as many entries, all of them free. */
static uint32_t *make_table(size_t count, size_t *room)
{
  *room = 4;
  while (*room < 2 * count) *room *= 2;
  uint32_t *table = malloc(*room * sizeof *table);
  if (table) memset(table, 0xff, *room * sizeof *table);
  return table;
}

int trmi_stl_number_corners(const trm_stl *surface, uint32_t *number)
{
  const size_t count = 3 * surface->count;
  const double *at = surface->corners;
  size_t room;
  if (surface->count > UINT32_MAX / 3) return 0;
  uint32_t *table = make_table(count, &room);
  if (!table) return 0;
  for (size_t i = 0; i < count; i++) {
    size_t place = hash_of(at + 3 * i) & (room - 1);
    for (; table[place] != UINT32_MAX; place = (place + 1) & (room - 1)) {
      const double *other = at + 3 * (size_t)table[place], *own = at + 3 * i;
      if (own[0] == other[0] && own[1] == other[1] && own[2] == other[2]) break;
    }
    if (table[place] == UINT32_MAX) table[place] = (uint32_t)i;
    number[i] = table[place];
  }
  free(table);
  return 1;
}

/* ---- edges ------------------------------------------------------------------------- */

/* Edge i goes from corner i to the next one of its triangle. */
static uint32_t end_of(const uint32_t *corner, size_t i)
{
  return corner[i % 3 == 2 ? i - 2 : i + 1];
}

static int are_one(const uint32_t *corner, size_t i, size_t j)
{
  const uint32_t a = corner[i], b = end_of(corner, i), c = corner[j], d = end_of(corner, j);
  return (a == c && b == d) || (a == d && b == c);
}

static uint32_t first_of(uint32_t *parent, uint32_t i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static void unite(uint32_t *parent, uint32_t i, uint32_t j)
{
  const uint32_t a = first_of(parent, i), b = first_of(parent, j);
  parent[a > b ? a : b] = a > b ? b : a;
}

/* mates: how many edges lie where this one does and come after it, and the last of these. */
typedef struct mates { uint32_t count, last; } mates;

static void join(const uint32_t *corner, size_t count, uint32_t *table, size_t room,
                 mates *of, uint32_t *part)
{
  for (size_t i = 0; i < 3 * count; i++) {
    const uint32_t a = corner[i], b = end_of(corner, i);
    size_t place = stir(stir(0, a < b ? a : b), a < b ? b : a) & (room - 1);
    while (table[place] != UINT32_MAX && !are_one(corner, table[place], i))
      place = (place + 1) & (room - 1);
    if (table[place] == UINT32_MAX) {
      table[place] = (uint32_t)i;
      of[i] = (mates){ 0, 0 };
    } else {
      mates *first = &of[table[place]];
      *first = (mates){ first->count + 1, (uint32_t)i };
      of[i] = (mates){ 0, 0 };
    }
  }
  for (size_t i = 0; i < count; i++) part[i] = (uint32_t)i;
  for (size_t i = 0; i < 3 * count; i++)
    if (of[i].count == 1 && corner[i] == end_of(corner, of[i].last))
      unite(part, (uint32_t)(i / 3), of[i].last / 3);
  for (size_t i = 0; i < count; i++) part[i] = first_of(part, (uint32_t)i);
}

int trmi_stl_join(const trm_stl *surface, uint32_t *part)
{
  const size_t count = surface->count;
  size_t room = 0;
  if (count > UINT32_MAX / 3) return 0;
  uint32_t *corner = malloc(3 * count * sizeof *corner);
  uint32_t *table = make_table(3 * count, &room);
  mates *of = malloc(3 * count * sizeof *of);
  const int is_done = corner && table && of && trmi_stl_number_corners(surface, corner);
  if (is_done) join(corner, count, table, room, of, part);
  free(corner);
  free(table);
  free(of);
  return is_done;
}
