/* facets_surface.c - facets of a surface of triangles (facets.h). Corners become whole numbers of
 * at most 23 bits, so a normal is exact in 64, and whether triangles lie in one plane is no matter
 * of rounding. */
#include "solvers/compressible/bodies/facets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

enum { LATTICE_BITS = 22 };

/* A surface on its lattice: place (at + base) step. Triangles with a corner twice are dropped. */
typedef struct grid {
  double step, base[3];
  int32_t (*at)[3];
  int32_t (*corner)[3];        /* of each triangle */
  size_t corners, triangles;
} grid;

static void free_grid(grid *g)
{
  free(g->at);
  free(g->corner);
}

/* ---- tables ------------------------------------------------------------------------------- */

/* Numbers of things, found by a hash of them; open addressing. */
typedef struct table { int32_t *number; size_t room; } table;

static trm_status make_table(size_t count, table *out)
{
  out->room = 16;
  while (out->room < 2 * count) out->room *= 2;
  TRM_TRY(trmi_memory_require("the facets of a surface", out->room * sizeof *out->number));
  out->number = malloc(out->room * sizeof *out->number);
  if (!out->number) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the facets of a surface");
  memset(out->number, 0xff, out->room * sizeof *out->number);
  return TRM_OK;
}

static size_t hash_of(const table *t, const void *bytes, size_t count)
{
  const unsigned char *p = bytes;
  uint64_t sum = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < count; i++) sum = (sum ^ p[i]) * UINT64_C(0x100000001b3);
  return (sum ^ sum >> 32) & (t->room - 1);
}

/* The number of the thing among `all`, where it becomes number `count` if it is not there yet. */
static int32_t find(table *t, const void *thing, const void *all, size_t size, size_t count)
{
  size_t i = hash_of(t, thing, size);
  for (; t->number[i] >= 0; i = (i + 1) & (t->room - 1))
    if (memcmp((const char *)all + (size_t)t->number[i] * size, thing, size) == 0)
      return t->number[i];
  return t->number[i] = (int32_t)count;
}

/* ---- the lattice -------------------------------------------------------------------------- */

static void choose_lattice(const trm_stl *surface, double scale, grid *g)
{
  double extent = 0;
  int bits;
  for (int a = 0; a < 3; a++) extent = fmax(extent, scale * (surface->high[a] - surface->low[a]));
  if (frexp(extent, &bits) == 0.5) bits--;
  g->step = ldexp(1, bits - LATTICE_BITS);
  for (int a = 0; a < 3; a++) g->base[a] = rint(scale * surface->low[a] / g->step);
}

/* How many of the triangles without area the surface needs to be closed: all or none. */
static size_t flat_ones(const trm_stl *surface)
{
  trm_stl others = *surface;
  others.flat = 0;
  if (surface->flat == 0 || trm_stl_check_closed(&others, "") == TRM_OK) return 0;
  return surface->flat;
}

static trm_status put_on_lattice(const trm_stl *surface, double scale, grid *g)
{
  const size_t all = surface->count + flat_ones(surface);
  table t = { NULL, 0 };
  if (all > INT32_MAX / 3) return TRM_FAIL(INPUT, "a surface of %zu triangles has too many", all);
  choose_lattice(surface, scale, g);
  TRM_TRY(trmi_memory_require("a surface", 3 * all * (sizeof *g->at + sizeof **g->corner)));
  g->triangles = all;
  g->at = malloc(3 * all * sizeof *g->at);
  g->corner = malloc(all * sizeof *g->corner);
  if (!g->at || !g->corner)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for a surface of %zu triangles", all);
  TRM_TRY(make_table(3 * all, &t));
  for (size_t i = 0; i < 3 * all; i++) {
    int32_t at[3];
    for (int a = 0; a < 3; a++)
      at[a] = (int32_t)(rint(scale * surface->corners[3 * i + (size_t)a] / g->step) - g->base[a]);
    const int32_t number = find(&t, at, g->at, sizeof at, g->corners);
    if ((size_t)number == g->corners) memcpy(g->at[g->corners++], at, sizeof at);
    g->corner[i / 3][i % 3] = number;
  }
  free(t.number);
  return TRM_OK;
}

/* ---- triangles without area --------------------------------------------------------------- */

static int is_triangle(const int32_t v[3])
{
  return v[0] != v[1] && v[1] != v[2] && v[2] != v[0];
}

static void normal_of(const grid *g, const int32_t v[3], int64_t to[3])
{
  int64_t a[3], b[3];
  for (int i = 0; i < 3; i++) {
    a[i] = (int64_t)g->at[v[1]][i] - g->at[v[0]][i];
    b[i] = (int64_t)g->at[v[2]][i] - g->at[v[0]][i];
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    to[i] = a[j] * b[k] - a[k] * b[j];
  }
}

/* Corners that differ, in one line. */
static int is_flat(const grid *g, const int32_t v[3])
{
  int64_t n[3];
  normal_of(g, v, n);
  return is_triangle(v) && n[0] == 0 && n[1] == 0 && n[2] == 0;
}

/* The longest edge of a triangle begins at this one of its corners; *square: of its length. */
static int longest_edge(const grid *g, const int32_t v[3], int64_t *square)
{
  int longest = 0;
  *square = -1;
  for (int k = 0; k < 3; k++) {
    int64_t sum = 0;
    for (int a = 0; a < 3; a++) {
      const int64_t along = (int64_t)g->at[v[(k + 1) % 3]][a] - g->at[v[k]][a];
      sum += along * along;
    }
    if (sum > *square) longest = k, *square = sum;
  }
  return longest;
}

/* Puts the middle corner of a flat triangle into the edge of the neighbour over its longest one:
 * both of the triangles become parts of the neighbour. Returns whether there is a neighbour. */
static int join_flat(grid *g, size_t flat)
{
  int64_t square;
  const int k = longest_edge(g, g->corner[flat], &square);
  const int32_t from = g->corner[flat][k], to = g->corner[flat][(k + 1) % 3];
  const int32_t middle = g->corner[flat][(k + 2) % 3];
  for (size_t i = 0; i < g->triangles; i++)
    for (int e = 0; e < 3 && i != flat && is_triangle(g->corner[i]); e++) {
      int32_t *v = g->corner[i];
      if (v[e] != to || v[(e + 1) % 3] != from) continue;
      const int32_t apex = v[(e + 2) % 3];
      const int32_t parts[2][3] = { { to, middle, apex }, { middle, from, apex } };
      memcpy(v, parts[0], sizeof parts[0]);
      memcpy(g->corner[flat], parts[1], sizeof parts[1]);
      return 1;
    }
  return 0;
}

/* The triangle with the longest edge, in a list of flat ones. The neighbour over that edge is not
 * flat, or has no longer edge. */
static size_t find_longest(const grid *g, const size_t *flat, size_t count)
{
  size_t found = 0;
  int64_t most = -1, square;
  for (size_t i = 0; i < count; i++) {
    longest_edge(g, g->corner[flat[i]], &square);
    if (square > most) found = i, most = square;
  }
  return found;
}

/* Each round leaves fewer flat triangles, or shorter edges; a neighbour that is not flat has two
 * parts that are not. */
static trm_status join_flats(grid *g)
{
  size_t *flat = malloc(g->triangles * sizeof *flat), count = 0, kept = 0;
  if (!flat) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a surface");
  for (size_t i = 0; i < g->triangles; i++)
    if (is_flat(g, g->corner[i])) flat[count++] = i;
  while (count > 0) {
    const size_t longest = flat[find_longest(g, flat, count)], before = count;
    if (!join_flat(g, longest)) memset(g->corner[longest], 0, sizeof *g->corner);
    count = 0;
    for (size_t i = 0; i < before; i++)
      if (is_flat(g, g->corner[flat[i]])) flat[count++] = flat[i];
  }
  free(flat);
  for (size_t i = 0; i < g->triangles; i++)
    if (is_triangle(g->corner[i])) memmove(g->corner[kept++], g->corner[i], sizeof *g->corner);
  g->triangles = kept;
  return TRM_OK;
}

/* ---- planes ------------------------------------------------------------------------------- */

/* A plane by name: its normal in lowest terms, the product with it as two rests. */
typedef struct name { int64_t normal[3]; uint64_t offset; double about; } name;

static int64_t divisor(int64_t a, int64_t b)
{
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

/* The product has up to 72 bits: its lowest 64, and which multiple of 2^64 it is near. Rounding of
 * `about` is far below the half that it is rounded to. */
static name name_of(const grid *g, const int32_t v[3])
{
  name n = { .offset = 0 };
  normal_of(g, v, n.normal);
  const int64_t common = divisor(divisor(n.normal[0], n.normal[1]), n.normal[2]);
  double product = 0;
  for (int a = 0; a < 3; a++) {
    n.normal[a] /= common;
    n.offset += (uint64_t)n.normal[a] * (uint64_t)(int64_t)g->at[v[0]][a];
    product += (double)n.normal[a] * g->at[v[0]][a];
  }
  n.about = rint((product - (double)n.offset) / 18446744073709551616.0) + 0.0; /* no -0 */
  return n;
}

static void set_plane(const grid *g, const name *n, const int32_t *corner, double to[4])
{
  double square = 0;
  for (int a = 0; a < 3; a++) square += (double)n->normal[a] * (double)n->normal[a];
  to[3] = 0;
  for (int a = 0; a < 3; a++) {
    to[a] = (double)n->normal[a] / sqrt(square);
    to[3] += to[a] * (g->step * (g->base[a] + corner[a]));
  }
}

/* Numbers the planes of all triangles; fills them in. */
static trm_status fill_facets(const grid *g, int is_hollow, table *t, name *names, fv_facets *out)
{
  size_t planes = 0;
  for (size_t i = 0; i < g->triangles; i++) {
    int32_t v[3] = { g->corner[i][0], g->corner[i][is_hollow ? 2 : 1],
                     g->corner[i][is_hollow ? 1 : 2] };
    const name own = name_of(g, v);
    const int32_t plane = find(t, &own, names, sizeof own, planes);
    if ((size_t)plane == planes) {
      set_plane(g, &own, g->at[v[0]], out->plane[planes]);
      names[planes++] = own;
    }
    out->facet[i] = (fv_facet){ { v[0], v[1], v[2] }, plane };
  }
  for (size_t i = 0; i < g->corners; i++)
    for (int a = 0; a < 3; a++) out->corner[i][a] = g->step * (g->base[a] + g->at[i][a]);
  out->plane_count = planes;
  return fv_fill_bins(out);
}

static trm_status make_facets(const grid *g, int is_hollow, fv_facets *out)
{
  table t = { NULL, 0 };
  TRM_TRY(fv_make_room(g->corners, g->triangles, g->triangles, out));
  name *names = malloc(g->triangles * sizeof *names);
  trm_status status = names ? make_table(g->triangles, &t)
                            : TRM_FAIL(NO_HOST_MEMORY, "no memory for the planes of a surface");
  if (status == TRM_OK) status = fill_facets(g, is_hollow, &t, names, out);
  free(names);
  free(t.number);
  if (status != TRM_OK) fv_free_facets(out);
  return status;
}

trm_status fv_facets_of_surface(const trm_stl *surface, double scale, int is_hollow,
                                const char *path, fv_facets *out)
{
  grid g = { .corners = 0 };
  *out = (fv_facets){ 0 };
  trm_status status = put_on_lattice(surface, scale, &g);
  if (status == TRM_OK) status = join_flats(&g);
  if (status == TRM_OK && g.triangles == 0)
    status = TRM_FAIL(INPUT, "%s: no triangle is wider than 2^-%d of the whole surface; export it "
                      "again, with better triangles", path, LATTICE_BITS);
  if (status == TRM_OK) status = make_facets(&g, is_hollow, out);
  free_grid(&g);
  return status;
}
