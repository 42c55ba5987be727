/* heights.c - the heights of a run: above the scene's reference, at its lowest bed, and multiples
 * of a quantum. So every bed, every difference of beds and the depth of every lake are numbers of
 * the run's precision. So a lake is at rest exactly, at any height above the datum.
 *
 * A film on a slope keeps its depth. */
#include "solvers/shallow/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double shallow_scene_height(const shallow_scene *scene, double height)
{
  const double above = height - scene->reference;
  return scene->quantum > 0 ? rint(above / scene->quantum) * scene->quantum : above;
}

/* The largest height above the reference. Beds beyond an edge go on as straight lines, two cells
 * far. */
static double reach_of(const shallow_scene *scene)
{
  const size_t edges = 2 * ((size_t)scene->nx + (size_t)scene->ny);
  double reach = fmax(0, scene->highest - scene->reference);
  for (const shallow_edge *e = scene->edges; e < scene->edges + edges; e++)
    reach = fmax(reach, fabs(e->z - scene->reference + 2 * (e->z - e->next)));
  return reach;
}

/* ---- lakes ------------------------------------------------------------------ */

/* A lake: wet cells side by side with one surface, somewhere so many quanta deep: its surface lies
 * on the quantum. Other water of this depth keeps its surface, shallower water its depth. */
enum { LEAST_QUANTA = 64 };

/* Cells are looked at row by row. A cell has the number of the cell west of it in its lake, else of
 * the one south of it, else the next number. Numbers that meet are of one lake. So every walk
 * through all rows gives the same numbers. */
enum { DRY = -2, ALONE = -1 };
struct shallow_lakes {
  int32_t *row;                /* of the row before; of this row up to the cell */
  int32_t next;
  int is_known;                /* which numbers are of deep lakes; else `of` and `deepest` grow */
  size_t room;
  int32_t *of;                 /* a lower number of the same lake, or itself */
  double *deepest;             /* of the lake, where a number is of itself */
  unsigned char *is_deep;
};

static int32_t first_of(const struct shallow_lakes *lakes, int32_t number)
{
  while (lakes->of[number] != number) number = lakes->of[number];
  return number;
}

static void unite(struct shallow_lakes *lakes, int32_t a, int32_t b)
{
  const int32_t one = first_of(lakes, a), other = first_of(lakes, b);
  const int32_t low = one < other ? one : other, high = one < other ? other : one;
  lakes->of[high] = lakes->of[a] = lakes->of[b] = low;
  lakes->deepest[low] = fmax(lakes->deepest[low], lakes->deepest[high]);
}

/* Whether the cell beside a wet one is of its lake. */
static int goes_on(const shallow_band *b, size_t cell, size_t beside)
{
  return b->h[beside] > 0 && b->level[beside] == b->level[cell];
}

static int32_t number_of(shallow_scene *scene, int y, int x)
{
  const shallow_band *b = &scene->band;
  struct shallow_lakes *lakes = scene->lakes;
  const size_t nx = (size_t)scene->nx, i = (size_t)(y - b->low) * nx + (size_t)x;
  const int32_t south = lakes->row[x], west = x > 0 ? lakes->row[x - 1] : DRY;
  if (!(b->h[i] > 0)) return DRY;
  const int is_south = y > 0 && south >= 0 && b->level[i - nx] == b->level[i];
  const int is_west = west >= 0 && b->level[i - 1] == b->level[i];
  if (is_west && is_south && !lakes->is_known) unite(lakes, west, south);
  if (is_west || is_south) return is_west ? west : south;
  if ((x + 1 < scene->nx && goes_on(b, i, i + 1)) || (y + 1 < scene->ny && goes_on(b, i, i + nx)))
    return lakes->next++;
  return ALONE;
}

static trm_status make_room(struct shallow_lakes *lakes)
{
  if ((size_t)lakes->next < lakes->room) return TRM_OK;
  const size_t room = 2 * lakes->room + 1024;
  int32_t *of = realloc(lakes->of, room * sizeof *of);
  if (of) lakes->of = of;
  double *deepest = of ? realloc(lakes->deepest, room * sizeof *deepest) : NULL;
  if (!deepest) return TRM_FAIL(NO_HOST_MEMORY, "no memory to find more than %zu lakes", room);
  lakes->deepest = deepest;
  lakes->room = room;
  return TRM_OK;
}

static void begin_band(const shallow_scene *scene)
{
  if (scene->lakes && scene->band.first == 0) scene->lakes->next = 0;
}

trm_status shallow_find_lakes(shallow_scene *scene)
{
  const shallow_band *b = &scene->band;
  struct shallow_lakes *lakes = scene->lakes;
  begin_band(scene);
  for (int y = b->first; y < b->end; y++)
    for (int x = 0; x < scene->nx; x++) {
      TRM_TRY(make_room(lakes));
      const int32_t before = lakes->next, number = number_of(scene, y, x);
      lakes->row[x] = number;
      if (number < 0) continue;
      if (lakes->next > before) lakes->of[number] = number;
      if (lakes->next > before) lakes->deepest[number] = 0;
      double *deepest = &lakes->deepest[first_of(lakes, number)];
      *deepest = fmax(*deepest, b->h[(size_t)(y - b->low) * (size_t)scene->nx + (size_t)x]);
    }
  return TRM_OK;
}

trm_status shallow_end_lakes(shallow_scene *scene)
{
  struct shallow_lakes *lakes = scene->lakes;
  lakes->is_deep = malloc((size_t)lakes->next + 1);
  if (!lakes->is_deep) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %d lakes", lakes->next);
  for (int32_t i = 0; i < lakes->next; i++)
    lakes->is_deep[i] = lakes->deepest[first_of(lakes, i)] >= LEAST_QUANTA * scene->quantum;
  free(lakes->of);
  free(lakes->deepest);
  lakes->of = NULL;
  lakes->deepest = NULL;
  lakes->is_known = 1;
  return TRM_OK;
}

/* The depth of a lake becomes a difference of heights that the run can hold. */
static double depth_of(const shallow_scene *scene, size_t cell, int32_t number)
{
  const shallow_band *b = &scene->band;
  const double h = b->h[cell], level = b->level[cell], least = LEAST_QUANTA * scene->quantum;
  if (number == DRY || (number == ALONE ? h < least : !scene->lakes->is_deep[number])) return h;
  const double surface = number == ALONE ? level - scene->reference
                                         : shallow_scene_height(scene, level);
  return fmax(surface - shallow_scene_height(scene, b->z[cell]), 0.0);
}

void shallow_free_lakes(shallow_scene *scene)
{
  struct shallow_lakes *lakes = scene->lakes;
  if (!lakes) return;
  free(lakes->row);
  free(lakes->of);
  free(lakes->deepest);
  free(lakes->is_deep);
  free(lakes);
  scene->lakes = NULL;
}

/* ---- all heights -------------------------------------------------------------- */

/* The quantum hides slopes, so the edges' are looked at before. */
static trm_status find_flat_edges(shallow_scene *scene)
{
  const size_t across = 2 * (size_t)scene->ny, edges = across + 2 * (size_t)scene->nx;
  scene->is_flat = calloc(edges, 1);
  if (!scene->is_flat) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu cells at edges", edges);
  for (size_t i = 0; i < edges; i++) {
    const double rise = fabs(scene->edges[i].z - scene->edges[i].next);
    scene->is_flat[i] = rise <= SHALLOW_LEVEL_SLOPE * (i < across ? scene->dx : scene->dy);
  }
  return TRM_OK;
}

trm_status shallow_scene_resolve(shallow_scene *scene, int digits)
{
  int exponent = 0;
  TRM_TRY(find_flat_edges(scene));
  if (*scene->course) return TRM_OK;
  scene->reference = scene->lowest;
  const double reach = reach_of(scene);
  frexp(1.001 * reach, &exponent);
  scene->quantum = digits && reach > 0 ? ldexp(1.0, exponent - digits) : 0.0;
  if (!(scene->quantum > 0)) return TRM_OK;
  /* the datum and other round heights are on it */
  scene->reference = floor(scene->reference / scene->quantum) * scene->quantum;
  scene->lakes = calloc(1, sizeof *scene->lakes);
  if (scene->lakes)
    scene->lakes->row = malloc((size_t)scene->nx * sizeof *scene->lakes->row);
  return scene->lakes && scene->lakes->row
           ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory to find lakes");
}

void shallow_resolve_band(shallow_scene *scene)
{
  shallow_band *b = &scene->band;
  begin_band(scene);
  for (int y = b->first; y < b->end; y++)
    for (int x = 0; x < scene->nx; x++) {
      const size_t i = (size_t)(y - b->low) * (size_t)scene->nx + (size_t)x;
      if (scene->lakes) {
        const int32_t number = scene->lakes->row[x] = number_of(scene, y, x);
        b->h[i] = depth_of(scene, i, number);
      }
      b->z[i] = shallow_scene_height(scene, b->z[i]);
    }
}
