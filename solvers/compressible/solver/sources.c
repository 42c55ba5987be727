/* sources.c - an acceleration of the gas, and sponges along sides: what the case says of them, and
 * which blocks they have to do with. */
#include "solvers/compressible/solver/fv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


static const char *const widths[6] = { "boundary.west_sponge", "boundary.east_sponge",
  "boundary.south_sponge", "boundary.north_sponge", "boundary.bottom_sponge",
  "boundary.top_sponge" };

/* ---- the case -------------------------------------------------------------------------- */

static trm_status read_widths(fv_solver *fv, const trm_config *config)
{
  double *source = fv->sources.number;
  for (int side = 0; side < 6; side++) {
    const double width = trm_config_real(config, widths[side]);
    const double length = fv->h * fv->n[side / 2];
    source[FV_SPONGE_WIDTH + side] = width;
    if (width == 0) continue;
    fv->sources.is_sponge = 1;
    if (fv->p.kind[side] == FV_PERIODIC)
      return TRM_FAIL(INPUT, "%s: %s is given where the side is periodic: nothing leaves there; "
                      "choose another kind of side, or leave the sponge out",
                      trm_config_origin(config, widths[side]), widths[side]);
    if (width > length)
      return TRM_FAIL(INPUT, "%s: %s = %g is more than the grid is long there, %g; make it "
                      "narrower", trm_config_origin(config, widths[side]), widths[side], width,
                      length);
  }
  return TRM_OK;
}

/* Conserved values of the undisturbed state. */
static trm_status read_far(fv_solver *fv, const trm_config *config)
{
  static const char *const keys[] = { "compressible.sponge_strength", "compressible.sponge_density",
    "compressible.sponge_velocity", "compressible.sponge_pressure" };
  double *far = fv->sources.number + FV_SPONGE_STATE, u[3];
  for (int i = 0; i < 4 && !fv->sources.is_sponge; i++)
    if (trm_config_is_given(config, keys[i]))
      return TRM_FAIL(INPUT, "%s: %s is given, but no side has a sponge; say how wide with "
                      "boundary.east_sponge, for example", trm_config_origin(config, keys[i]),
                      keys[i]);
  for (int i = 0; i < 4 && fv->sources.is_sponge; i++)
    if (i != 2 && !(trm_config_real(config, keys[i]) > 0.0))
      return TRM_FAIL(INPUT, "%s: a side has a sponge, and %s is 0; set it in the case's own "
                      "units: the sponge needs a state to draw to, and a rate",
                      trm_config_origin(config, keys[i]), keys[i]);
  const double rho = trm_config_real(config, keys[1]), p = trm_config_real(config, keys[3]);
  TRM_TRY(trm_config_three(config, keys[2], u));
  fv->sources.number[FV_SPONGE_STRENGTH] = trm_config_real(config, keys[0]);
  far[0] = rho;
  for (int a = 0; a < 3; a++) far[1 + a] = rho * u[a];
  far[4] = p * fv->p.enthalpy + 0.5 * rho * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  return TRM_OK;
}

trm_status fv_read_sources(fv_solver *fv, const trm_config *config)
{
  double *source = fv->sources.number;
  source[FV_SOURCE_H] = fv->h;
  for (int a = 0; a < 3; a++) source[FV_SOURCE_LENGTH + a] = fv->h * fv->n[a];
  TRM_TRY(trm_config_three(config, "body_force", source + FV_FORCE));
  for (int a = 0; a < 3; a++) fv->sources.is_force |= source[FV_FORCE + a] != 0;
  TRM_TRY(read_widths(fv, config));
  TRM_TRY(read_far(fv, config));
  if (fv->sources.is_force && fv->bodies.count > 0 && !fv->volumes)
    return TRM_FAIL(INPUT, "%s: body_force does not act in cells that bodies cut; leave it or "
                    "bodies.shapes out, or set compressible.cut_cells = 'redistribution'",
                    trm_config_origin(config, "body_force"));
  if (fv->sources.is_sponge && fv->bodies.is_moving && !fv->volumes)
    return TRM_FAIL(INPUT, "%s: sponges and bodies that move do not go together; leave "
                    "bodies.motion or the sponges out, or set compressible.cut_cells = "
                    "'redistribution'",
                    trm_config_origin(config, "bodies.motion"));
  return TRM_OK;
}

/* ---- blocks ------------------------------------------------------------------------------ */

static int is_in_sponge(const fv_solver *fv, const double from[3], double side)
{
  const double *source = fv->sources.number;
  int is_in = 0;
  for (int a = 0; a < fv_axes(fv); a++)
    is_in |= from[a] < source[FV_SPONGE_WIDTH + 2 * a] ||
             from[a] + side > source[FV_SOURCE_LENGTH + a] - source[FV_SPONGE_WIDTH + 2 * a + 1];
  return is_in;
}

static trm_status check_bodies(const fv_solver *fv, const double from[3], double side)
{
  const int dimensions = fv_axes(fv);
  double middle[3] = { 0, 0, 0 };
  if (fv->bodies.count == 0 || fv->volumes) return TRM_OK;
  for (int a = 0; a < dimensions; a++) middle[a] = fv->origin[a] + from[a] + 0.5 * side;
  if (fabs(fv_bodies_distance(&fv->bodies, middle, NULL, NULL)) > sqrt(dimensions) * side)
    return TRM_OK;
  return TRM_FAIL(INPUT, "a sponge reaches a body, or the block beside one, near x = %g, y = %g, "
                  "z = %g; make it narrower, or set compressible.cut_cells = 'redistribution'",
                  middle[0], middle[1], middle[2]);
}

/* Where leaf i begins, as a length; its side. */
static double place_of(const fv_solver *fv, size_t i, double from[3])
{
  const trm_forest *forest = fv->forest;
  const double side = fv->h / (1 << forest->level[i]) * forest->blocks.side[0];
  for (int a = 0; a < 3; a++) from[a] = forest->place[i][a] * side;
  return side;
}

int fv_has_source(const fv_solver *fv, size_t leaf)
{
  double from[3];
  const double side = place_of(fv, leaf, from);
  return fv->sources.is_force || (fv->sources.is_sponge && is_in_sponge(fv, from, side));
}

trm_status fv_write_sources(fv_solver *fv)
{
  const trm_forest *forest = fv->forest;
  const size_t leaves = forest->blocks.count;
  fv->sources.count = 0;
  if (!fv->sources.is_force && !fv->sources.is_sponge) return TRM_OK;
  int32_t (*list)[FV_SOURCE_INTS] = malloc(leaves * sizeof *list);
  if (!list) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a list of %zu blocks", leaves);
  trm_status status = TRM_OK;
  for (size_t i = 0; i < leaves && status == TRM_OK; i++) {
    const int32_t *cells = forest->blocks.side;
    int32_t *entry = list[fv->sources.count];
    double from[3];
    const double side = place_of(fv, i, from);
    if (!fv_has_source(fv, i)) continue;
    status = check_bodies(fv, from, side);
    entry[0] = (int32_t)i;
    entry[1] = forest->level[i];
    for (int a = 0; a < 3; a++) entry[2 + a] = forest->place[i][a] * cells[a];
    fv->sources.count++;
  }
  if (status == TRM_OK)
    status = trm_buffer_write(fv->sources.list, 0, (size_t)fv->sources.count * sizeof *list, list);
  free(list);
  return status;
}

trm_status fv_launch_sources(fv_solver *fv)
{
  static const trm_sharing listed = { .each = FV_SOURCE_INTS, .counts = 1 };
  if (fv->sources.count == 0) return TRM_OK;
  return FV_SHARE(fv, FV_SOURCE, fv->sources.count, &listed, fv->sources.list,
                  fv->sources.numbers, fv->w[!fv->current], fv->w[fv->current], fv->q, fv->part,
                  fv->clock);
}
