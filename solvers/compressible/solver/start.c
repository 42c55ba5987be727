/* start.c - the first state: formulas of density, velocity and pressure as means of conserved
 * values over each cell, by Gauss's points. */
#include "solvers/compressible/cutcells/volumes_run.h"
#include "solvers/compressible/solver/fv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/host_work.h"
#include "io/formula.h"

enum { GIVEN = 5, POINTS = 3, SLOTS_AT_ONCE = 256 };

static const char *const keys[GIVEN] = { "initial.density", "initial.velocity_x",
  "initial.velocity_y", "initial.velocity_z", "initial.pressure" };

/* For one thread: formulas keep their last values. */
typedef struct start {
  const fv_solver *fv;
  const trm_config *config;
  trm_formula *formulas[GIVEN];
  int points, all;             /* along an axis; of a cell */
  double *parts;               /* of a block: [cell][value][point] */
  const double *at, *weight;   /* from -0.5 to 0.5; together 1 */
} start;

/* Gauss's points: three in two dimensions; two in three, where they are eight a cell. */
static const double at_1[] = { 0.0 }, weight_1[] = { 1.0 };
static const double at_2[] = { -0.28867513459481287, 0.28867513459481287 };
static const double weight_2[] = { 0.5, 0.5 };
static const double at_3[] = { -0.38729833462074169, 0.0, 0.38729833462074169 };
static const double weight_3[] = { 5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0 };

static trm_status refuse(const start *s, int key, double value, const double place[3])
{
  return TRM_FAIL(INPUT, "%s: %s = '%s' is %g at x = %g, y = %g, z = %g; it must be %s there",
                  trm_config_origin(s->config, keys[key]), keys[key],
                  trm_config_string(s->config, keys[key]), value, place[0], place[1], place[2],
                  key == 0 || key == GIVEN - 1 ? "positive" : "a number");
}

/* The sum over the axes, and the sum over the points of a cell, x fastest. No axis comes before
 * another, so that a start that is the same along all axes has the same bits along them
 * (fv_block.h). */
static double of_axes(double x, double y, double z)
{
  const double more = x > y ? x : y, less = x > y ? y : x;
  return (less + (more > z ? z : more)) + (more > z ? more : z);
}
static double of_points(const double *part, int points)
{
  if (points == 1) return part[0];
  if (points == 8)
    return (part[0] + part[7]) +
           (of_axes(part[1], part[2], part[4]) + of_axes(part[3], part[5], part[6]));
  return ((part[0] + part[8]) + part[4]) +
         (((part[1] + part[3]) + (part[2] + part[6])) + (part[5] + part[7]));
}

/* Conserved values along a line of cells, given at their points along x: to[cell][value][point], by
 * weight, for rho, rho u, rho v, rho w and rho E. */
static trm_status take_line(const start *s, const double *xs, size_t count, double y, double z,
                            double weight, const uint8_t *walled, double *to)
{
  double value[GIVEN][FV_MOST_SIDE * POINTS];
  for (int i = 0; i < GIVEN; i++) {
    trm_formula_place(s->formulas[i], 0, xs, 0);
    trm_formula_place(s->formulas[i], 1, &y, 1);
    trm_formula_place(s->formulas[i], 2, &z, 1);
    trm_formula_values(s->formulas[i], count, value[i]);
    for (size_t k = 0; k < count; k++)
      if (walled[k / (size_t)s->points]) continue;
      else if (!isfinite(value[i][k]) || ((i == 0 || i == GIVEN - 1) && value[i][k] <= 0.0))
        return refuse(s, i, value[i][k], (const double[3]){ xs[k], y, z });
  }
  for (size_t k = 0; k < count; k++) {
    if (walled[k / (size_t)s->points]) continue;
    const size_t in_x = k % (size_t)s->points, step = (size_t)s->all;
    double *cell = to + k / (size_t)s->points * FV_VALUES * step + in_x;
    const double part = weight * s->weight[in_x];
    const double rho = value[0][k], u = value[1][k], v = value[2][k], w = value[3][k];
    cell[0] = part * rho;
    cell[step] = part * rho * u;
    cell[2 * step] = part * rho * v;
    cell[3 * step] = part * rho * w;
    cell[4 * step] = part * (value[4][k] * s->fv->p.enthalpy +
                             0.5 * rho * of_axes(u * u, v * v, w * w));
  }
  return TRM_OK;
}

/* The place along an axis at `from`, 0 or a half, and `at` of a cell. Cells are counted from every
 * 16th or 8th one, so that a place has the same bits in blocks of either side. */
static double place_of(const start *s, int axis, int32_t cell, double from, double at, double h)
{
  const int32_t in = cell % (s->fv->n[2] == 1 ? 16 : 8);
  return s->fv->origin[axis] + (cell - in) * h + (in + from + at) * h;
}

/* 1 in a whole cell, 0 in a solid one. Else walls cut it, or it is merged with one that they cut:
 * centre: the gas's centroid, from the middle of the cell, in cells. */
static int gas_of(const fv_solver *fv, size_t leaf, size_t i, double centre[3])
{
  if (fv->volumes) return fv_gas_of_cell(fv->volumes, leaf, i, centre);
  const int32_t kind = fv->cut ? fv_cut_kind_of(fv->cut, fv->block, leaf, i) : FV_KIND_WHOLE;
  if (kind >= 0) memcpy(centre, fv->cut->record[kind].centre, 3 * sizeof *centre);
  return kind >= 0 ? 2 : kind == FV_KIND_WHOLE;
}

/* Cells that walls cut: what there is at the gas's centroid. Solid ones hold nothing. */
static trm_status fill_walled(const start *s, size_t leaf, const int32_t first[3], double h,
                              double *to)
{
  const fv_solver *fv = s->fv;
  const int32_t *side = fv->forest->blocks.side;
  const uint8_t none = 0;
  start one = *s;
  one.points = one.all = 1;
  one.weight = weight_1;
  for (size_t i = 0; i < fv->block; i++) {
    size_t rest = i;
    double at[3], held[FV_VALUES], centre[3];
    if (gas_of(fv, leaf, i, centre) < 2) continue;
    for (int a = 0; a < 3; a++) {
      at[a] = place_of(s, a, first[a] + (int32_t)(rest % (size_t)side[a]),
                       0.0, centre[a], h);
      rest /= (size_t)side[a];
    }
    TRM_TRY(take_line(&one, &at[0], 1, at[1], at[2], 1.0, &none, held));
    for (size_t v = 0; v < FV_VALUES; v++) to[v * fv->block + i] = held[v];
  }
  return TRM_OK;
}

static trm_status fill_block(const start *s, size_t leaf, int level, const int32_t place[3],
                             double *to)
{
  const fv_solver *fv = s->fv;
  const int32_t *side = fv->forest->blocks.side;
  const int has_walls = fv->cut || fv->volumes;
  double centre[3];
  const int is_flat = side[2] == 1, depth = is_flat ? 1 : s->points;
  const size_t count = (size_t)(side[0] * s->points);
  const double h = fv->h / (1 << level);
  double xs[FV_MOST_SIDE * POINTS];
  uint8_t walled[FV_MOST_SIDE * FV_MOST_SIDE * FV_MOST_SIDE] = { 0 };
  int32_t first[3];
  for (int a = 0; a < 3; a++) first[a] = place[a] * side[a];
  for (size_t k = 0; k < count; k++)
    xs[k] = place_of(s, 0, first[0] + (int32_t)k / s->points, 0.5,
                     s->at[k % (size_t)s->points], h);
  for (size_t i = 0; has_walls && i < fv->block; i++)
    walled[i] = gas_of(fv, leaf, i, centre) != 1;
  for (int line = 0; line < side[2] * side[1]; line++)
    for (int k = 0; k < depth * s->points; k++) {
      const int in_y = k % s->points, in_z = k / s->points;
      const double *across = is_flat ? at_1 : s->at, *weights = is_flat ? weight_1 : s->weight;
      const double y = place_of(s, 1, first[1] + line % side[1], 0.5, s->at[in_y], h);
      const double z = place_of(s, 2, first[2] + line / side[1], 0.5, across[in_z], h);
      TRM_TRY(take_line(s, xs, count, y, z, s->weight[in_y] * weights[in_z],
                        walled + line * side[0],
                        s->parts + line * side[0] * FV_VALUES * s->all + k * s->points));
    }
  for (size_t i = 0; i < fv->block; i++)
    for (size_t v = 0; v < FV_VALUES; v++)
      to[v * fv->block + i] =
        walled[i] ? 0.0 : of_points(s->parts + (i * FV_VALUES + v) * (size_t)s->all, s->all);
  return has_walls ? fill_walled(s, leaf, first, h, to) : TRM_OK;
}

/* The blocks of slots `first` and on, shared by threads. */
typedef struct filling {
  start *threads;
  double *values;
  size_t first;
} filling;

static trm_status fill_slot(void *user, size_t i, int thread)
{
  const filling *all = user;
  const start *s = &all->threads[thread];
  const trm_forest *forest = s->fv->forest;
  const size_t slot = all->first + i;
  return fill_block(s, slot, forest->level[slot], forest->place[slot],
                    all->values + i * FV_VALUES * s->fv->block);
}

static trm_status fill_blocks(fv_solver *fv, filling *all)
{
  const size_t leaves = fv->forest->blocks.count, each = FV_VALUES * fv->block;
  size_t first, own;
  trm_device_made_rows(fv->base.device, leaves, 1, &first, &own);
  for (const size_t end = first + own; first < end; first += SLOTS_AT_ONCE) {
    const size_t left = end - first, count = left < SLOTS_AT_ONCE ? left : SLOTS_AT_ONCE;
    all->first = first;
    TRM_TRY(trm_device_host_each(fv->base.device, count, fill_slot, all));
    TRM_TRY(trm_framework_write_reals(fv->q, fv->real_type, first * each, all->values,
                                      count * each));
  }
  return TRM_OK;
}

static trm_status open_start(fv_solver *fv, const trm_config *config, start *s)
{
  static const char *const names[] = { "x", "y", "z" };
  const int is_flat = fv->n[2] == 1;
  *s = (start){ .fv = fv, .config = config, .points = is_flat ? 3 : 2, .all = is_flat ? 9 : 8,
                .at = is_flat ? at_3 : at_2, .weight = is_flat ? weight_3 : weight_2 };
  s->parts = malloc(FV_VALUES * fv->block * (size_t)s->all * sizeof *s->parts);
  if (!s->parts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the first state");
  for (int i = 0; i < GIVEN; i++)
    TRM_TRY(trm_formula_create(trm_config_string(config, keys[i]), names, 3,
                               trm_config_origin(config, keys[i]), &s->formulas[i]));
  return TRM_OK;
}

static void close_start(start *s)
{
  for (int i = 0; i < GIVEN; i++) trm_formula_destroy(&s->formulas[i]);
  free(s->parts);
}

trm_status fv_fill(fv_solver *fv, const trm_config *config)
{
  const int threads = trm_device_host_threads(fv->base.device);
  filling all = { .threads = calloc((size_t)threads, sizeof *all.threads),
                  .values = malloc(SLOTS_AT_ONCE * FV_VALUES * fv->block * sizeof *all.values) };
  trm_status status = fv_renew_walls(fv);
  if (!all.threads || !all.values)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the first state");
  for (int i = 0; i < threads && status == TRM_OK; i++)
    status = open_start(fv, config, &all.threads[i]);
  if (status == TRM_OK) status = fill_blocks(fv, &all);
  status = trm_device_agree(fv->base.device, status);
  for (int i = 0; i < threads && all.threads; i++) close_start(&all.threads[i]);
  free(all.threads);
  free(all.values);
  return status;
}
