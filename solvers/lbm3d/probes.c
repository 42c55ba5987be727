/* probes.c - places whose flow is written down each step: a point's velocity and pressure, a
 * plane's flux and mean pressure. One launch over their cells, after the step's. On levels a plane
 * is one of cells of the finest level, and a coarser cell is taken for each of those in it. */
#include "solvers/lbm3d/levels/levels.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "io/file.h"

static size_t cell_at(const lbm3d_scene *scene, const int at[3])
{
  return ((size_t)at[2] * (size_t)scene->n[1] + (size_t)at[1]) * (size_t)scene->n[0] +
         (size_t)at[0];
}

/* ---- the key ------------------------------------------------------------------- */

static trm_status check_name(const char *origin, const char *text, const lbm3d_probes *probes,
                             const char *name)
{
  for (size_t i = 0; name[i]; i++)
    if (!isalnum((unsigned char)name[i]) && name[i] != '_')
      return TRM_FAIL(INPUT, "%s: the name in '%s' in probes is of letters, digits and '_'; "
                      "change it", origin, text);
  for (size_t i = 0; i < probes->count; i++)
    if (strcmp(probes->all[i].name, name) == 0)
      return TRM_FAIL(INPUT, "%s: two probes are called '%s'; rename one", origin, name);
  return TRM_OK;
}

/* The cell of a place; outside of any box where it is no place. */
static int cell_of(double at, int level)
{
  return at >= 0 && at < 1e6 ? (int)floor(ldexp(at, level)) : -1;
}

/* NAME point X Y Z, NAME plane x AT, NAME plane x AT A0 B0 A1 B1: a rectangle of the plane, A and B
 * along the other axes in their order. */
static trm_status read_probe(const trm_config *config, const lbm3d_scene *scene, int level,
                             const char *text, lbm3d_probes *probes)
{
  const char *origin = trm_config_origin(config, "probes");
  lbm3d_probe probe = { .axis = -1 };
  const trm_words point = trm_words_read(text, "@ point # # #");
  const trm_words plane = trm_words_read(text, "@ plane @ #");
  const trm_words part = trm_words_read(text, "@ plane @ # # # # #");
  const trm_words *read = point.used ? &point : part.used ? &part : &plane;
  const double *v = read->number;
  for (int i = 0; i < 3; i++) probe.to[i] = scene->n[i] << level;
  if (!point.used && plane.used && plane.length[1] == 1) probe.axis = *plane.word[1] - 'x';
  if (!read->used || text[read->used] || !trm_words_take(read, 0, probe.name, sizeof probe.name) ||
      (!point.used && (probe.axis < 0 || probe.axis > 2)))
    return TRM_FAIL(INPUT, "%s: '%s' in probes is no probe; write 'NAME point X Y Z' or 'NAME "
                    "plane x X' with y or z in the same way, in cells, and ';' between probes",
                    origin, text);
  if (point.used) {
    for (int i = 0; i < 3; i++) probe.to[i] = (probe.from[i] = cell_of(v[i], level)) + 1;
  } else {
    probe.to[probe.axis] = (probe.from[probe.axis] = cell_of(v[0], level)) + 1;
    for (int i = 0, other = 0; i < 3 && part.used; i++) {
      if (i == probe.axis) continue;
      probe.from[i] = cell_of(v[1 + other], level);
      probe.to[i] = cell_of(ceil(ldexp(v[3 + other], level)), 0);
      other++;
    }
  }
  for (int i = 0; i < 3; i++)
    if (probe.from[i] < 0 || probe.to[i] > scene->n[i] << level || probe.from[i] >= probe.to[i])
      return TRM_FAIL(INPUT, "%s: the probe '%s' in probes lies outside of the box of %d x %d "
                      "x %d cells; move it", origin, text, scene->n[0], scene->n[1], scene->n[2]);
  TRM_TRY(check_name(origin, text, probes, probe.name));
  if (probes->count == LBM3D_PROBES)
    return TRM_FAIL(INPUT, "%s: more than %d probes; leave some out", origin, LBM3D_PROBES);
  probes->all[probes->count++] = probe;
  return TRM_OK;
}

/* ---- their cells ------------------------------------------------------------------ */

static int in_rows(const lbm3d_scene *scene, const lbm3d_probe *probe, const int at[3],
                   int32_t to[2])
{
  if (scene->solid && scene->solid[cell_at(scene, at)]) return 0;
  to[0] = (int32_t)cell_at(scene, at);
  to[1] = probe->axis;
  return 1;
}

/* at: counted in cells of the finest level. */
static int in_blocks(const lbm3d_levels *all, const lbm3d_probe *probe, const int at[3],
                     int32_t to[2])
{
  int level = all->finest + 1;
  int32_t leaf = -1;
  while (leaf < 0) {
    int32_t place[3];
    level--;
    for (int a = 0; a < 3; a++) place[a] = at[a] >> (all->finest - level) >> LEVELS_BITS;
    leaf = trm_forest_leaf(all->forest, level, place);
  }
  const int by = all->finest - level;
  to[0] = LEVELS_CELLS * leaf + LEVELS_CELL(at[0] >> by, at[1] >> by, at[2] >> by);
  to[1] = (probe->axis + 1) | level << 2;
  return !all->solid || !all->solid[to[0]];
}

/* Counts the fluid cells of a probe in plane z, and lists them where there is a list. A cell has
 * two words: its number, and the axis. */
static size_t list_plane(const lbm3d_solver *flow, const lbm3d_probe *probe, int z, int32_t *list)
{
  size_t count = 0;
  int at[] = { 0, 0, z };
  for (at[1] = probe->from[1]; at[1] < probe->to[1]; at[1]++)
    for (at[0] = probe->from[0]; at[0] < probe->to[0]; at[0]++) {
      int32_t words[2];
      if (flow->levels ? !in_blocks(flow->levels, probe, at, words)
                       : !in_rows(&flow->scene, probe, at, words))
        continue;
      if (list) memcpy(list + 2 * count, words, sizeof words);
      count++;
    }
  return count;
}

/* The planes of the probe that are the part's; with levels, of finer cells, all. */
static void find_planes(const lbm3d_solver *flow, const lbm3d_probe *probe, int planes[2])
{
  const int *own = flow->scene.own;
  planes[0] = flow->levels || own[0] < probe->from[2] ? probe->from[2] : own[0];
  planes[1] = flow->levels || own[1] > probe->to[2] ? probe->to[2] : own[1];
}

static trm_status count_rows(const lbm3d_solver *flow, lbm3d_probe *probe)
{
  int planes[2];
  find_planes(flow, probe, planes);
  size_t *counts = calloc((size_t)flow->scene.n[2], sizeof *counts);
  trm_status status = counts ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for planes of probes");
  for (int z = planes[0]; z < planes[1] && counts; z++)
    counts[z] = list_plane(flow, probe, z, NULL);
  status = lbm3d_complete_planes(&flow->scene, status, counts, sizeof *counts);
  for (int z = 0; z < flow->scene.n[2] && status == TRM_OK; z++) {
    if (z <= planes[0]) probe->own[0] = probe->count;
    probe->count += counts[z];
    if (z < planes[1]) probe->own[1] = probe->count;
  }
  free(counts);
  return status;
}

static trm_status count_cells(const lbm3d_solver *flow, lbm3d_probe *probe)
{
  if (!flow->levels) return count_rows(flow, probe);
  for (int z = probe->from[2]; z < probe->to[2]; z++)
    probe->count += list_plane(flow, probe, z, NULL);
  probe->own[1] = probe->count;
  return TRM_OK;
}

static void list_cells(const lbm3d_solver *flow, const lbm3d_probe *probe, int32_t *list)
{
  int planes[2];
  find_planes(flow, probe, planes);
  size_t at = probe->own[0];
  for (int z = planes[0]; z < planes[1]; z++)
    at += list_plane(flow, probe, z, list + 2 * at);
}

static trm_status find_cells(const trm_config *config, lbm3d_solver *flow)
{
  lbm3d_probes *probes = &flow->probes;
  size_t own = 0;
  for (size_t i = 0; i < probes->count; i++) {
    lbm3d_probe *probe = &probes->all[i];
    probe->first = probes->cells;
    TRM_TRY(count_cells(flow, probe));
    if (probe->count == 0)
      return TRM_FAIL(INPUT, "%s: the probe '%s' in probes has no cell of the fluid; move it",
                      trm_config_origin(config, "probes"), probe->name);
    probes->cells += probe->count;
    own += probe->own[1] - probe->own[0];
  }
  TRM_TRY(trmi_memory_require("the cells of probes", 2 * own * sizeof *probes->list));
  probes->list = calloc(2 * (probes->cells + 1), sizeof *probes->list);
  if (!probes->list) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the cells of probes");
  for (size_t i = 0; i < probes->count; i++)
    list_cells(flow, &probes->all[i], probes->list + 2 * probes->all[i].first);
  return TRM_OK;
}

trm_status lbm3d_probes_create(const trm_config *config, lbm3d_solver *flow)
{
  const int level = flow->levels ? flow->levels->finest : 0;
  char *text = strdup(trm_config_string(config, "probes")), *rest = NULL;
  trm_status status = text ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for probes");
  for (char *one = text ? strtok_r(text, ";", &rest) : NULL; one && status == TRM_OK;
       one = strtok_r(NULL, ";", &rest))
    status = read_probe(config, &flow->scene, level, one, &flow->probes);
  free(text);
  TRM_TRY(status);
  return flow->probes.count > 0 ? find_cells(config, flow) : TRM_OK;
}

/* ---- sums --------------------------------------------------------------------------- */

size_t lbm3d_probe_values(const lbm3d_probe *probe)
{
  return probe->axis < 0 ? LBM3D_PROBED : 2;
}

trm_status lbm3d_probes_fold(lbm3d_solver *flow, size_t rows, trm_buffer *to, size_t stride,
                             size_t at)
{
  const size_t cells = flow->probes.cells;
  for (size_t i = 0; i < flow->probes.count; i++) {
    const lbm3d_probe *probe = &flow->probes.all[i];
    for (size_t v = 0; v < lbm3d_probe_values(probe); v++, at += stride)
      TRM_TRY(trm_reduction_run(flow->probe_folds[i], flow->probed, v * cells + probe->first,
                                LBM3D_PROBED * cells, rows, to, at));
  }
  return TRM_OK;
}
