/* stl.c - reading STL. */
#include "io/stl.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "io/file.h"

static const char blanks[] = " \t\v\f", ends[] = " \t\v\f\r\n";
enum { BINARY_HEAD = 84, BINARY_TRIANGLE = 50 };
static const size_t LIMIT = (size_t)2 << 30;
static const double FARTHEST = 1e30; /* the cube of it is a number */

/* The rest of a line that begins a solid, without blanks around it. */
typedef struct written {
  const char *text;
  size_t length;
} written;

typedef struct reader {
  const char *path, *text;
  size_t bytes, room;
  trm_stl stl;
  written names[TRM_STL_PATCHES];
} reader;

/* ---- triangles ------------------------------------------------------------------- */

static trm_status make_room(reader *r, size_t count)
{
  if (count <= r->room) return TRM_OK;
  const size_t room = count > 2 * r->room ? count : 2 * r->room;
  TRM_TRY(trmi_memory_require(r->path, room * (9 * sizeof *r->stl.corners + 1)));
  double *corners = realloc(r->stl.corners, room * 9 * sizeof *corners);
  if (corners) r->stl.corners = corners;
  uint8_t *patch = realloc(r->stl.patch, room);
  if (patch) r->stl.patch = patch;
  if (!corners || !patch) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the surface %s", r->path);
  r->room = room;
  return TRM_OK;
}

/* A triangle without area goes behind the triangles with area. */
static trm_status put_triangle(reader *r, const double v[9], size_t patch, int is_flat)
{
  trm_stl *stl = &r->stl;
  const size_t last = stl->count + stl->flat, at = is_flat ? last : stl->count;
  TRM_TRY(make_room(r, last + 1));
  memmove(stl->corners + 9 * last, stl->corners + 9 * at, 9 * sizeof *v);
  memcpy(stl->corners + 9 * at, v, 9 * sizeof *v);
  stl->patch[last] = stl->patch[at];
  stl->patch[at] = (uint8_t)patch;
  if (is_flat) stl->flat++;
  else stl->count++;
  return TRM_OK;
}

static int are_same(const double *a, const double *b)
{
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static trm_status add_triangle(reader *r, const double v[9], size_t patch)
{
  double normal[3], a[3], b[3];
  for (int i = 0; i < 9; i++)
    if (!(fabs(v[i]) < FARTHEST))
      return TRM_FAIL(INPUT, "%s: triangle %zu has a corner at %.9g, which is %s; export the "
                             "surface "
                      "again", r->path, r->stl.count + r->stl.flat + 1, v[i],
                      isfinite(v[i]) ? "too far away" : "no place");
  for (int i = 0; i < 3; i++) {
    a[i] = v[3 + i] - v[i];
    b[i] = v[6 + i] - v[i];
  }
  for (int i = 0; i < 3; i++)
    normal[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  if (normal[0] == 0.0 && normal[1] == 0.0 && normal[2] == 0.0)
    return are_same(v, v + 3) || are_same(v + 3, v + 6) || are_same(v + 6, v)
             ? TRM_OK : put_triangle(r, v, patch, 1);
  for (int i = 0; i < 9; i++) {
    const int axis = i % 3;
    const int is_first = r->stl.count == 0 && i < 3;
    if (is_first || v[i] < r->stl.low[axis]) r->stl.low[axis] = v[i];
    if (is_first || v[i] > r->stl.high[axis]) r->stl.high[axis] = v[i];
  }
  return put_triangle(r, v, patch, 0);
}

/* Solids of one name are one patch, unless the file tells them apart by words that are no part of
 * the name. */
static trm_status check_same(const reader *r, size_t patch, written name)
{
  const written *first = &r->names[patch];
  if (first->length == name.length && memcmp(first->text, name.text, name.length) == 0)
    return TRM_OK;
  return TRM_FAIL(INPUT, "%s: the solids '%.*s' and '%.*s' would both be '%s': a name is the first "
                  "word, of at most %d letters and digits, with _ for any other sign; rename one, "
                  "or give both the same name", r->path,
                  first->length < 80 ? (int)first->length : 80, first->text,
                  name.length < 80 ? (int)name.length : 80, name.text, r->stl.names[patch],
                  TRM_STL_NAME - 1);
}

/* The patch of that name, or a new patch. */
static trm_status find_patch(reader *r, written name, size_t *out)
{
  char text[TRM_STL_NAME] = "surface";
  const size_t word = name.length > 0 ? strcspn(name.text, ends) : 0;
  const size_t length = word < sizeof text ? word : sizeof text - 1;
  if (length > 0) {
    memcpy(text, name.text, length);
    text[length] = '\0';
  }
  for (size_t i = 0; text[i]; i++)
    if (!isalnum((unsigned char)text[i])) text[i] = '_';
  for (*out = 0; *out < r->stl.patch_count; ++*out)
    if (strcmp(r->stl.names[*out], text) == 0) return check_same(r, *out, name);
  if (r->stl.patch_count == TRM_STL_PATCHES)
    return TRM_FAIL(INPUT, "%s: more than %d solids of different names; give some the same name",
                    r->path, TRM_STL_PATCHES);
  r->names[r->stl.patch_count] = name;
  memcpy(r->stl.names[r->stl.patch_count++], text, sizeof text);
  return TRM_OK;
}

/* ---- binary ---------------------------------------------------------------------- */

static uint32_t word_at(const char *bytes)
{
  const unsigned char *b = (const unsigned char *)bytes;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static int is_binary(const reader *r)
{
  return r->bytes >= BINARY_HEAD &&
         r->bytes == BINARY_HEAD + (size_t)word_at(r->text + 80) * BINARY_TRIANGLE;
}

static trm_status read_binary(reader *r)
{
  const size_t count = word_at(r->text + 80);
  size_t patch;
  r->stl.is_binary = 1;
  TRM_TRY(find_patch(r, (written){ "", 0 }, &patch));
  TRM_TRY(make_room(r, count));
  for (size_t i = 0; i < count; i++) {
    const char *at = r->text + BINARY_HEAD + i * BINARY_TRIANGLE + 12;
    double v[9];
    for (size_t k = 0; k < 9; k++) {
      const uint32_t word = word_at(at + 4 * k);
      float value;
      memcpy(&value, &word, sizeof value);
      v[k] = (double)value;
    }
    TRM_TRY(add_triangle(r, v, patch));
  }
  return TRM_OK;
}

/* ---- text ------------------------------------------------------------------------ */

static int is_word(const char *word, size_t length, const char *expected)
{
  if (strlen(expected) != length) return 0;
  for (size_t i = 0; i < length; i++)
    if (tolower((unsigned char)word[i]) != expected[i]) return 0;
  return 1;
}

static trm_status read_number(const reader *r, const char **at, int line, double *out)
{
  static const char cure[] = "write x, y and z, or export the surface again";
  char *end;
  *at += strspn(*at, blanks);
  const int length = (int)strcspn(*at, ends), shown = length < 20 ? length : 20;
  if (length == 0)
    return TRM_FAIL(INPUT, "%s:%d: a vertex has three numbers, and here are fewer; %s", r->path,
                    line, cure);
  *out = trm_number(*at, &end);
  if (end != *at + length && end != *at && *end == ',')
    return TRM_FAIL(INPUT, "%s:%d: '%.*s' has a comma; STL has a decimal point and blanks between "
                    "numbers: export the surface again with these", r->path, line, shown, *at);
  if (end != *at + length)
    return TRM_FAIL(INPUT, "%s:%d: a vertex has three numbers, and '%.*s' is no number; %s",
                    r->path, line, shown, *at, cure);
  *at = end;
  return TRM_OK;
}

/* Whether a word of STL stands there, with its length. */
static int is_known(const char *word, size_t length)
{
  static const char *const known[] = { "solid", "endsolid", "facet", "normal", "outer", "loop",
                                       "endloop", "endfacet", "vertex", "end" };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (is_word(word, length, known[i])) return 1;
  return 0;
}

static trm_status read_vertex(const reader *r, const char **at, int line, int *corners, double v[9])
{
  if (*corners == 3)
    return TRM_FAIL(INPUT, "%s:%d: a fourth vertex of a facet; STL has triangles alone: export "
                    "the surface as triangles", r->path, line);
  for (int i = 0; i < 3; i++)
    TRM_TRY(read_number(r, at, line, &v[3 * *corners + i]));
  ++*corners;
  const char *rest = *at + strspn(*at, blanks);
  const size_t length = strcspn(rest, ends);
  if (length > 0 && !is_known(rest, length))
    return TRM_FAIL(INPUT, "%s:%d: '%.*s' follows the three numbers of a vertex; write x, y and z "
                    "alone, with decimal points, or export the surface again", r->path, line,
                    length < 20 ? (int)length : 20, rest);
  return TRM_OK;
}

static trm_status end_facet(reader *r, int line, size_t patch, int *corners, const double v[9])
{
  if (*corners != 3)
    return TRM_FAIL(INPUT, "%s:%d: a facet with %d corners; STL has triangles alone: export the "
                    "surface as triangles", r->path, line, *corners);
  *corners = 0;
  return add_triangle(r, v, patch);
}

/* For a word that begins or ends within a facet: the word that ends the facet is missing. */
static trm_status check_ended(const reader *r, int line, const char *what, int corners)
{
  if (corners == 0) return TRM_OK;
  return TRM_FAIL(INPUT, "%s:%d: %s within a facet, which 'endfacet' did not end; write that, or "
                  "export the surface again", r->path, line, what);
}

/* "end facet" and the like. */
static trm_status check_word(const reader *r, const char *rest, int line)
{
  static const char *const seconds[] = { "solid", "facet", "loop" };
  rest += strspn(rest, blanks);
  for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
    if (is_word(rest, strcspn(rest, ends), seconds[i]))
      return TRM_FAIL(INPUT, "%s:%d: 'end %s' is two words; STL has 'end%s': take the blank out "
                             "(sed "
                      "'s/end  */end/')", r->path, line, seconds[i], seconds[i]);
  return TRM_OK;
}

/* Where a solid's name ends: with its line, or before the first facet on it. */
static size_t length_of_name(const char *at)
{
  const size_t all = strcspn(at, "\r\n");
  for (size_t i = 0; i < all; i += strcspn(at + i, ends), i += strspn(at + i, blanks)) {
    const char *word = at + i, *next = word + strcspn(word, ends);
    next += strspn(next, blanks);
    if (is_word(word, strcspn(word, ends), "facet") && is_word(next, strcspn(next, ends), "normal"))
      return i;
  }
  return all;
}

static written name_at(const char *at, const char **rest)
{
  at += strspn(at, blanks);
  size_t length = length_of_name(at);
  *rest = at + length;
  while (length > 0 && strchr(blanks, at[length - 1])) length--;
  return (written){ at, length };
}

/* Only these words of a text file matter: those that begin or end a solid, give a vertex or end a
 * facet. A solid's name is on its line. */
static trm_status read_line(reader *r, const char *at, int line, size_t *patch, int *corners,
                            double v[9])
{
  for (size_t length; at += strspn(at, blanks), (length = strcspn(at, ends)) > 0;) {
    const char *word = at;
    at += length;
    if (is_word(word, length, "endsolid")) return check_ended(r, line, "'endsolid'", *corners);
    if (is_word(word, length, "solid")) {
      TRM_TRY(check_ended(r, line, "'solid'", *corners));
      TRM_TRY(find_patch(r, name_at(at, &at), patch));
    } else if (is_word(word, length, "facet")) {
      TRM_TRY(check_ended(r, line, "'facet'", *corners));
    } else if (is_word(word, length, "vertex")) {
      TRM_TRY(read_vertex(r, &at, line, corners, v));
    } else if (is_word(word, length, "endfacet")) {
      TRM_TRY(end_facet(r, line, *patch, corners, v));
    } else if (is_word(word, length, "end")) {
      TRM_TRY(check_word(r, at, line));
    }
  }
  return TRM_OK;
}

/* The line after this one: a line ends as on Unix, Windows or old Macintoshes. NULL: none. */
static const char *next_line(const char *at)
{
  at += strcspn(at, "\r\n");
  if (*at == '\0') return NULL;
  return at + (at[0] == '\r' && at[1] == '\n' ? 2 : 1);
}

static trm_status read_text(reader *r)
{
  size_t patch = 0;
  int corners = 0, line = 1;
  double v[9];
  if (strlen(r->text) != r->bytes)
    return TRM_FAIL(INPUT, "%s: a zero byte, so this is no text file, and its %zu bytes are not "
                    "as many as the head of a binary file says: it was cut short or changed; "
                    "export the surface again", r->path, r->bytes);
  for (const char *at = r->text; at; at = next_line(at), line++)
    TRM_TRY(read_line(r, at, line, &patch, &corners, v));
  if (corners != 0)
    return TRM_FAIL(INPUT, "%s: it ends within a facet: it was cut short; copy or export it again",
                    r->path);
  return TRM_OK;
}

static trm_status read_any(reader *r)
{
  const size_t mark = is_binary(r) ? 0 : trmi_text_mark(r->text, r->bytes);
  r->text += mark;
  r->bytes -= mark;
  const char *begin = r->text + strspn(r->text, ends);
  if (r->bytes == 0) return TRM_FAIL(INPUT, "%s is empty; export the surface again", r->path);
  if (is_binary(r)) TRM_TRY(read_binary(r));
  else if (is_word(begin, strcspn(begin, ends), "solid")) TRM_TRY(read_text(r));
  else
    return TRM_FAIL(INPUT, "%s is no STL: it has %zu bytes, does not begin with 'solid' and is not "
                    "as long as its head says; export the surface again", r->path, r->bytes);
  if (r->stl.count == 0 && r->stl.flat == 0)
    return TRM_FAIL(INPUT, "%s has no triangle; export the surface again, as triangles", r->path);
  if (r->stl.count == 0)
    return TRM_FAIL(INPUT, "%s has no triangle with an area; export the surface again, as "
                    "triangles", r->path);
  return TRM_OK;
}

trm_status trm_stl_read(const char *path, trm_stl *out)
{
  reader r = { .path = path };
  char *text = NULL;
  TRM_TRY(trm_file_load(path, LIMIT, &text, &r.bytes));
  r.text = text;
  const trm_status status = read_any(&r);
  free(text);
  if (status == TRM_OK) *out = r.stl;
  else trm_stl_free(&r.stl);
  return status;
}

void trm_stl_free(trm_stl *surface)
{
  free(surface->corners);
  free(surface->patch);
  *surface = (trm_stl){ 0 };
}

trm_status trm_stl_find(const trm_stl *surface, const char *name, const char *path, size_t *patch)
{
  char all[TRM_STL_PATCHES * (TRM_STL_NAME + 4)] = "";
  for (size_t i = 0, length = 0; i < surface->patch_count; i++) {
    if (strcmp(surface->names[i], name) == 0) {
      *patch = i;
      return TRM_OK;
    }
    length += (size_t)snprintf(all + length, sizeof all - length, "%s'%s'", i ? ", " : "",
                               surface->names[i]);
  }
  if (surface->is_binary)
    return TRM_FAIL(INPUT, "%s has no solid called '%s': a binary file has one, %s; name that, or "
                    "export an ASCII file with a solid of its own for each part", path, name, all);
  return TRM_FAIL(INPUT, "%s has no solid called '%s'; name one that it has: %s", path, name, all);
}

trm_status trm_stl_choose(trm_stl *surface, const char *name, const char *path)
{
  const size_t all = surface->count + surface->flat;
  size_t patch, count = 0, flat = 0;
  TRM_TRY(trm_stl_find(surface, name, path, &patch));
  for (int a = 0; a < 3; a++) {
    surface->low[a] = INFINITY;
    surface->high[a] = -INFINITY;
  }
  for (size_t i = 0; i < all; i++) {
    const size_t to = count + flat;
    if (surface->patch[i] != patch) continue;
    memmove(surface->corners + 9 * to, surface->corners + 9 * i, 9 * sizeof *surface->corners);
    surface->patch[to] = (uint8_t)patch;
    flat += i >= surface->count;
    count += i < surface->count;
    for (size_t k = 0; k < 9; k++) {
      const double at = surface->corners[9 * to + k];
      surface->low[k % 3] = fmin(surface->low[k % 3], at);
      surface->high[k % 3] = fmax(surface->high[k % 3], at);
    }
  }
  surface->count = count;
  surface->flat = flat;
  if (count > 0) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: its solid '%s' has no triangle%s; export the surface again, or name "
                  "another solid", path, name, flat ? " with an area" : "");
}
