/* sides.c - the six sides of the box as the case has them. */
#include "solvers/fv/fv.h"

#include <stdio.h>
#include <string.h>

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

/* What a kind of side takes: a velocity 1, a density 2, a pressure 4, a temperature 8. */
static const int takes[] = { [FV_ADIABATIC] = 1, [FV_ISOTHERMAL] = 1 | 8, [FV_INFLOW] = 1 | 2 | 4,
                             [FV_SUBSONIC_INFLOW] = 1 | 2, [FV_SUBSONIC_OUTFLOW] = 4,
                             [FV_FARFIELD] = 1 | 2 | 4 };

/* A value that the side has no use for, and what comes in where it is said to go out. */
static trm_status check_side(const fv_solver *fv, const trm_config *config, int side)
{
  static const char *const values[] = { "_velocity", "_density", "_pressure", "_temperature" };
  const int kind = fv->p.kind[side];
  const double inwards = fv->sides[side][side / 2] * (side % 2 == 0 ? 1.0 : -1.0);
  char key[64];
  for (int i = 0; i < 4; i++)
    if (!(takes[kind] & 1 << i) && trm_config_is_given(config, key_of(side, values[i], key)))
      return TRM_FAIL(INPUT, "%s: %s has no meaning where the side is '%s'; leave it out, or "
                      "choose another kind of side", trm_config_origin(config, key), key,
                      kinds[kind]);
  if ((kind == FV_INFLOW || kind == FV_SUBSONIC_INFLOW) && inwards < 0.0)
    return TRM_FAIL(INPUT, "%s: the side in the %s is '%s', but its velocity leads out there, at "
                    "%g; turn its sign, or take 'outflow' or 'subsonic_outflow'",
                    trm_config_origin(config, key_of(side, "_velocity", key)), names[side],
                    kinds[kind], -inwards);
  return TRM_OK;
}

static trm_status read_side(fv_solver *fv, const trm_config *config, int side)
{
  char key[64], more;
  double *to = fv->sides[side];
  const double gamma = 1.0 / fv->p.inv_gamma;
  const char *kind = trm_config_string(config, key_of(side, "", key));
  while (strcmp(kinds[fv->p.kind[side]], kind) != 0) fv->p.kind[side]++;
  const char *velocity = trm_config_string(config, key_of(side, "_velocity", key));
  if (sscanf(velocity, "%lf %lf %lf %c", &to[0], &to[1], &to[2], &more) != 3)
    return TRM_FAIL(INPUT, "%s: %s = '%s' is not three numbers; write \"u v w\"",
                    trm_config_origin(config, key), key, velocity);
  to[3] = trm_config_real(config, key_of(side, "_density", key));
  to[4] = gamma * trm_config_real(config, key_of(side, "_pressure", key));
  to[5] = gamma * trm_config_real(config, key_of(side, "_temperature", key));
  if ((fv->p.kind[side] == FV_ADIABATIC || fv->p.kind[side] == FV_ISOTHERMAL) && to[side / 2] != 0)
    return TRM_FAIL(INPUT, "%s: the wall in the %s moves along its own normal, at %g; it may slide "
                    "only", trm_config_origin(config, key_of(side, "_velocity", key)), names[side],
                    to[side / 2]);
  return check_side(fv, config, side);
}

trm_status fv_read_sides(fv_solver *fv, const trm_config *config)
{
  char key[64];
  for (int side = 0; side < 6; side++) TRM_TRY(read_side(fv, config, side));
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
  return TRM_OK;
}
