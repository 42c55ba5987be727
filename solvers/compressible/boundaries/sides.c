/* sides.c - the six sides of the box as the case has them. */
#include "solvers/compressible/solver/fv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

enum { KINDS = FV_FARFIELD + 1 };

static const char *const names[] = { "west", "east", "south", "north", "bottom", "top" };
static const char *const kinds[] = { [FV_PERIODIC] = "periodic", [FV_SYMMETRY] = "symmetry",
  [FV_ADIABATIC] = "wall", [FV_ISOTHERMAL] = "isothermal", [FV_INFLOW] = "inflow",
  [FV_OUTFLOW] = "outflow", [FV_SUBSONIC_INFLOW] = "subsonic_inflow",
  [FV_SUBSONIC_OUTFLOW] = "subsonic_outflow", [FV_FARFIELD] = "farfield" };

static const char *key_of(int side, const char *what, char key[64])
{
  snprintf(key, 64, "boundary.%s%s", names[side], what);
  return key;
}

/* The values that a kind of side takes: a velocity 1, a density 2, a pressure 4, a temperature
 * 8. */
static const int takes[] = { [FV_ADIABATIC] = 1, [FV_ISOTHERMAL] = 1 | 8, [FV_INFLOW] = 1 | 2 | 4,
                             [FV_SUBSONIC_INFLOW] = 1 | 2, [FV_SUBSONIC_OUTFLOW] = 4,
                             [FV_FARFIELD] = 1 | 2 | 4 };

static const char *const values[] = { "_velocity", "_density", "_pressure", "_temperature" };

static int is_wall(int kind) { return kind == FV_ADIABATIC || kind == FV_ISOTHERMAL; }

int fv_side_is_wall(const fv_solver *fv, int side)
{
  return is_wall(fv->edges.side[side].kind) || is_wall(fv->edges.side[side].there);
}

/* Whether a velocity is a wall's own: else it belongs to the part where gas passes. */
static int slides(const fv_side *s)
{
  return is_wall(s->kind) && (is_wall(s->there) || !(takes[s->there] & 1));
}

/* Refuses a velocity along a wall's normal, or outwards at an inflow. */
static trm_status check_velocity(const fv_solver *fv, const trm_config *config, int side)
{
  const fv_side *s = &fv->edges.side[side];
  const double normal = fv->sides[side][side / 2];
  const int comes_in = s->kind == FV_INFLOW || s->kind == FV_SUBSONIC_INFLOW;
  char key[64];
  key_of(side, "_velocity", key);
  if (slides(s) && (normal != 0 || s->value[side / 2]))
    return TRM_FAIL(INPUT, "%s: the wall in the %s moves along its own normal, at %s; it may slide "
                    "only", trm_config_origin(config, key), names[side],
                    trm_config_string(config, key));
  if (comes_in && (side % 2 == 0 ? normal : -normal) < 0.0)
    return TRM_FAIL(INPUT, "%s: the side in the %s is '%s', but its velocity leads out there, at "
                    "%g; turn its sign, or take 'outflow' or 'subsonic_outflow'",
                    trm_config_origin(config, key), names[side], kinds[s->kind], fabs(normal));
  return TRM_OK;
}

/* Keys that the side has no use for. */
static trm_status check_side(const fv_solver *fv, const trm_config *config, int side)
{
  const fv_side *s = &fv->edges.side[side];
  char key[64];
  for (int i = 0; i < 4; i++)
    if (!((takes[s->kind] | takes[s->there]) & 1 << i) &&
        trm_config_is_given(config, key_of(side, values[i], key)))
      return TRM_FAIL(INPUT, "%s: %s has no meaning where the side is '%s'; leave it out, or "
                      "choose another kind of side", trm_config_origin(config, key), key,
                      kinds[s->kind]);
  if (s->table.count > 0 && !s->varies)
    return TRM_FAIL(INPUT, "%s: %s is given, but no value of the side is a formula with 'table'",
                    trm_config_origin(config, key_of(side, "_table", key)), key);
  return check_velocity(fv, config, side);
}

/* ---- values ----------------------------------------------------------------------- */

/* A number to *to, times `scale`; of anything else the formula. */
static trm_status read_formula(fv_side *s, const char *origin, const char *text, double scale,
                               trm_formula **formula, double *to)
{
  static const char *const known[] = { "x", "y", "z", "t", "table" };
  const unsigned time = 1u << 3, table = 1u << 4;
  TRM_TRY(trm_formula_create(text, known, 5, origin, formula));
  const unsigned uses = trm_formula_uses(*formula);
  if (uses & table && s->table.count == 0)
    return TRM_FAIL(INPUT, "%s: '%s' asks for 'table', and the side has none; name its file with "
                    "boundary.SIDE_table", origin, text);
  s->varies |= uses != 0;
  s->is_timed |= (uses & (time | table)) != 0;
  if (uses != 0) return TRM_OK;
  const double none[TRM_FORMULA_NAMES] = { 0 };
  *to = scale * trm_formula_value(*formula, none);
  trm_formula_destroy(formula);
  return TRM_OK;
}

/* "u v w", numbers; or "u; v; w", formulas. */
static trm_status read_velocity(fv_solver *fv, const trm_config *config, int side)
{
  fv_side *s = &fv->edges.side[side];
  char key[64], *rest = NULL;
  double *to = fv->sides[side];
  const char *text = trm_config_string(config, key_of(side, "_velocity", key));
  const char *origin = trm_config_origin(config, key);
  const trm_words read = trm_words_read(text, "# # #");
  memcpy(to, read.number, 3 * sizeof *to);
  if (read.used && !text[read.used]) return TRM_OK;
  char *parts = strdup(text), *part = parts ? strtok_r(parts, ";", &rest) : NULL;
  trm_status status = parts ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for a velocity");
  int count = 0;
  for (; part && status == TRM_OK && strchr(text, ';'); part = strtok_r(NULL, ";", &rest)) {
    if (count < 3) status = read_formula(s, origin, part, 1.0, &s->value[count], &to[count]);
    count++;
  }
  free(parts);
  if (status == TRM_OK && count != 3)
    return TRM_FAIL(INPUT, "%s: %s = '%s' is not three numbers; write \"u v w\", or formulas of x, "
                    "y, z and t with ; between them", origin, key, text);
  return status;
}

/* A density, a pressure or a temperature. */
static trm_status read_value(fv_solver *fv, const trm_config *config, int side, int i, double scale)
{
  fv_side *s = &fv->edges.side[side];
  char key[64];
  double *to = &fv->sides[side][2 + i];
  const char *text = trm_config_string(config, key_of(side, values[i], key));
  const char *origin = trm_config_origin(config, key);
  TRM_TRY(read_formula(s, origin, text, scale, &s->value[2 + i], to));
  if (!s->value[2 + i] && (!(*to > 0) || !isfinite(*to)))
    return TRM_FAIL(INPUT, "%s: %s = %s is %g; it must be above 0", origin, key, text, *to / scale);
  return TRM_OK;
}

/* The table's value at time 0. */
static double table_at_start(const trm_table *table)
{
  const double *t = table->places, *value = table->values;
  size_t i = 0;
  while (i < table->count && t[i] < 0) i++;
  if (table->count == 0) return 0;
  if (i == 0 || i == table->count) return value[i == 0 ? 0 : i - 1];
  return value[i - 1] - t[i - 1] * (value[i] - value[i - 1]) / (t[i] - t[i - 1]);
}

/* The middle of the k-th of `most` parts of the grid along an axis, or of its cells if these are
 * fewer. */
static double middle_of(const fv_solver *fv, int axis, int k, int most)
{
  const int parts = fv->n[axis] < most ? fv->n[axis] : most;
  return fv->origin[axis] + (k % parts + 0.5) * fv->n[axis] * fv->h / parts;
}

/* A formula of a density, a pressure or a temperature is above 0 at the start, on a side of one
 * kind. It is computed at some thousand places. */
static trm_status check_formula(const fv_solver *fv, const trm_config *config, int side, int i)
{
  const fv_side *s = &fv->edges.side[side];
  const int axis = side / 2, across = axis == 0, up = axis == 2 ? 1 : 2;
  enum { MOST = 64 };
  char key[64];
  double at[TRM_FORMULA_NAMES] = { 0 };
  at[axis] = fv->origin[axis] + (side % 2) * fv->n[axis] * fv->h;
  at[4] = table_at_start(&s->table);
  for (int k = 0; s->value[2 + i] && !s->where && k < MOST * MOST; k++) {
    at[across] = middle_of(fv, across, k % MOST, MOST);
    at[up] = middle_of(fv, up, k / MOST, MOST);
    const double value = trm_formula_value(s->value[2 + i], at);
    if (value > 0 && isfinite(value)) continue;
    const char *text = trm_config_string(config, key_of(side, values[i], key));
    return TRM_FAIL(INPUT, "%s: %s = '%s' is %g at the start at x = %g, y = %g, z = %g; it must be "
                    "above 0 there", trm_config_origin(config, key), key, text, value, at[0], at[1],
                    at[2]);
  }
  return TRM_OK;
}

/* ---- kinds ------------------------------------------------------------------------- */

/* KINDS: it is none. */
static int kind_of(const char *name)
{
  int kind = 0;
  while (kind < KINDS && strcmp(kinds[kind], name) != 0) kind++;
  return kind;
}

/* Where the side is of another kind. Both lie in `edges`; `kind` of the parameters is then the one
 * that lets mass through, if one does. */
static trm_status read_parts(fv_solver *fv, const trm_config *config, int side)
{
  fv_side *s = &fv->edges.side[side];
  char key[64], other[64];
  double unused = 0;
  s->kind = s->there = kind_of(trm_config_string(config, key_of(side, "", key)));
  fv->p.kind[side] = s->kind;
  const char *there = trm_config_string(config, key_of(side, "_there", key));
  const char *where = trm_config_string(config, key_of(side, "_where", other));
  if (!*there && !*where) return TRM_OK;
  if (!*there || !*where || s->kind == FV_PERIODIC)
    return TRM_FAIL(INPUT, "%s: %s needs boundary.%s, not periodic, and %s beside it: a side is of "
                    "its own kind, and of the kind _there where the formula _where is not 0",
                    trm_config_origin(config, *where ? other : key), *where ? other : key,
                    names[side], *where ? key : other);
  s->there = kind_of(there);
  if (s->there == KINDS || s->there == FV_PERIODIC)
    return TRM_FAIL(INPUT, "%s: %s = '%s' is no kind of a part of a side; take symmetry, wall, "
                    "isothermal, inflow, outflow, subsonic_inflow, subsonic_outflow or farfield",
                    trm_config_origin(config, key_of(side, "_there", key)), key, there);
  if (s->kind > FV_CLOSED || s->there > FV_CLOSED) {
    if (s->kind == FV_ISOTHERMAL || s->there == FV_ISOTHERMAL)
      return TRM_FAIL(INPUT, "%s: the side in the %s is in parts 'isothermal' and open; take a "
                      "'wall' for it, which no heat passes", trm_config_origin(config, other),
                      names[side]);
    fv->p.kind[side] = s->kind > FV_CLOSED ? s->kind : s->there;
  }
  TRM_TRY(read_formula(s, trm_config_origin(config, other), where, 1.0, &s->where, &unused));
  if (!s->where)
    return TRM_FAIL(INPUT, "%s: %s = '%s' is the same everywhere; write a formula of x, y, z and t",
                    trm_config_origin(config, other), other, where);
  return TRM_OK;
}

static trm_status read_side(fv_solver *fv, const trm_config *config, int side)
{
  fv_side *s = &fv->edges.side[side];
  char key[64];
  const double gamma = 1.0 / fv->p.inv_gamma;
  const char *table = trm_config_string(config, key_of(side, "_table", key));
  if (*table) TRM_TRY(trm_table_read(table, "a time", "a value", &s->table));
  TRM_TRY(read_parts(fv, config, side));
  TRM_TRY(read_velocity(fv, config, side));
  TRM_TRY(read_value(fv, config, side, 1, 1.0));
  TRM_TRY(read_value(fv, config, side, 2, gamma));
  TRM_TRY(read_value(fv, config, side, 3, gamma));
  for (int i = 1; i < 4; i++) TRM_TRY(check_formula(fv, config, side, i));
  return check_side(fv, config, side);
}

/* How far fields let gas out (Rudy & Strikwerda, J. Comput. Phys. 36 (1980) 55: sigma). */
static trm_status read_far(fv_solver *fv, const trm_config *config)
{
  static const char *const key = "compressible.farfield";
  static const char *const sigma = "compressible.farfield_relaxation";
  int any = 0;
  for (int side = 0; side < 6; side++)
    any |= fv->edges.side[side].kind == FV_FARFIELD || fv->edges.side[side].there == FV_FARFIELD;
  if (!any && trm_config_is_given(config, key))
    return TRM_FAIL(INPUT, "%s: %s says how gas leaves by sides that are 'farfield', and none is; "
                    "leave it out", trm_config_origin(config, key), key);
  const int is_named = strcmp(trm_config_string(config, key), "nscbc") == 0;
  if ((!any || !is_named) && trm_config_is_given(config, sigma))
    return TRM_FAIL(INPUT, "%s: %s belongs to sides that are 'farfield' and let gas out by nscbc; "
                    "leave it out", trm_config_origin(config, sigma), sigma);
  /* By nscbc the mean pressure follows slowly: steady flows take the rule that converges. */
  const int is_steady = strcmp(trm_config_string(config, "compressible.time"), "steady") == 0;
  const int is_nscbc = is_named && (!is_steady || trm_config_is_given(config, key));
  for (int a = 0; a < 3; a++)
    fv->draw[a] = is_nscbc ? trm_config_real(config, sigma) / fv->n[a] : -1;
  return TRM_OK;
}

void fv_compare_sides(fv_solver *fv, const trm_config *config)
{
  enum { FAR = 30 };
  const double h[3] = { fv->h * fv->n[0], fv->h * fv->n[1], fv->n[2] == 1 ? 1 : fv->h * fv->n[2] };
  const double volume = h[0] * h[1] * h[2], gamma = 1.0 / fv->p.inv_gamma;
  const double density = fv->mass / volume, pressure = (gamma - 1.0) * fv->energy / volume;
  const double mean[] = { 0.0, density, pressure, pressure / density };
  for (int side = 0; side < 6 && !*fv->caution; side++)
    for (int i = 1; i < 4 && !*fv->caution; i++) {
      const fv_side *s = &fv->edges.side[side];
      char key[64];
      if (!((takes[s->kind] | takes[s->there]) & 1 << i) ||
          trm_config_is_given(config, key_of(side, values[i], key)) ||
          (mean[i] < FAR && mean[i] > 1.0 / FAR)) continue;
      (void)snprintf(fv->caution, sizeof fv->caution, "%s is 1, as it is unless it is given, where "
                     "the gas at the start has a mean of about %.3g: give it in the case's units",
                     key, mean[i]);
      fv->base.caution = fv->caution;
    }
}

trm_status fv_read_sides(fv_solver *fv, const trm_config *config)
{
  char key[64];
  for (int side = 0; side < 6; side++) TRM_TRY(read_side(fv, config, side));
  TRM_TRY(read_far(fv, config));
  for (int axis = 0; axis < 3; axis++) {
    const int *kind = &fv->p.kind[2 * axis];
    const int odd = kind[0] == FV_PERIODIC ? 1 : 0;
    if ((kind[0] == FV_PERIODIC) != (kind[1] == FV_PERIODIC))
      return TRM_FAIL(INPUT, "%s: the side in the %s is '%s' and the one in the %s periodic; "
                      "an axis is periodic at both ends or at none",
                      trm_config_origin(config, key_of(2 * axis + odd, "", key)),
                      names[2 * axis + odd], kinds[kind[odd]], names[2 * axis + !odd]);
  }
  if (fv->n[2] == 1 && fv->p.kind[4] != FV_PERIODIC)
    return TRM_FAIL(INPUT, "%s: in two dimensions (grid.nz = 1) there is neither bottom nor top; "
                    "leave it out", trm_config_origin(config, key_of(4, "", key)));
  return fv_write_formulas(fv, config);
}
