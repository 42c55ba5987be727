/* volumes_bodies.c - bodies of the case for the kernels of control volumes: facets in cells, and
 * places at both ends of a step. Numbers are those of kernels/fv_volumes_params.h. */
#include "solvers/compressible/cutcells/volumes_run.h"
#include "solvers/compressible/solver/fv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No facet is farther from its wall, in cells. */
static const double SAG = 0.02;

/* ---- facets ---------------------------------------------------------------------------------- */

/* Corners that are beyond a plane by less are on it, to rounding. */
static double slack_of(const fv_facets *f)
{
  double far = 0;
  for (size_t i = 0; i < 3 * f->corner_count; i++) far = fmax(far, fabs(f->corner[i / 3][i % 3]));
  return 1e-15 * far;
}

static trm_status make_surface(const fv_solver *fv, const fv_body *body, fv_facets *out)
{
  const size_t count = 9 * body->surface.count;
  trm_stl own = body->surface;
  own.corners = malloc(count * sizeof *own.corners);
  if (!own.corners) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the facets of a surface");
  for (size_t i = 0; i < count; i++)
    own.corners[i] = (body->surface.corners[i] - body->at[i % 3]) / fv_finest_side(fv);
  for (int a = 0; a < 3; a++) {
    own.low[a] = INFINITY;
    own.high[a] = -INFINITY;
    for (size_t i = (size_t)a; i < count; i += 3) {
      own.low[a] = fmin(own.low[a], own.corners[i]);
      own.high[a] = fmax(own.high[a], own.corners[i]);
    }
  }
  trm_status status = trm_stl_check_closed(&own, "bodies.stl");
  if (status != TRM_OK)
    status = TRM_FAIL(INPUT, "%s: without its triangles that are narrower than a millionth of "
                      "their length a surface is open; export it with better triangles, or leave "
                      "compressible.cut_cells out", fv->bodies.said);
  if (status == TRM_OK)
    status = fv_facets_of_surface(&own, 1, body->is_hollow, "bodies.stl", out);
  free(own.corners);
  return status;
}

static trm_status make_shape(const fv_solver *fv, const fv_body *body, fv_facets *out)
{
  fv_body own = *body;
  const double h = fv_finest_side(fv);
  const double beyond = 2 * (fv_finest_cells(fv, 2) + 8 + fabs(body->at[2] - fv->origin[2]) / h);
  const double ends[2] = { -beyond, beyond };
  for (int a = 0; a < 3; a++) {
    own.at[a] = 0;
    own.size[a] /= h;
    for (int k = 0; k < 2; k++) own.end[a][k] /= h;
  }
  if (body->outline) {
    own.outline = malloc((size_t)body->corners * sizeof *own.outline);
    if (!own.outline) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a profile");
    for (int i = 0; i < 2 * body->corners; i++)
      own.outline[i / 2][i % 2] = (body->outline[i / 2][i % 2] - body->at[i % 2]) / h;
  }
  const trm_status status = fv_facets_of_shape(&own, SAG, ends, out);
  if (body->outline) free(own.outline);
  return status;
}

static size_t bins_of(const fv_facets *f)
{
  return (size_t)f->bins[0] * (size_t)f->bins[1] * (size_t)f->bins[2];
}

int fv_copy_count(const fv_told *told, int body)
{
  int copies = 1;
  for (int a = 0; a < 3; a++) copies *= told->passes[body][a] ? 3 : 1;
  return copies;
}

/* The lists of all bodies, behind the numbers of each copy. */
static trm_status make_lists(fv_told *told, int count)
{
  fv_volumes_bodies *l = &told->lists;
  for (int b = 0; b < count; b++) told->first[b + 1] = told->first[b] + fv_copy_count(told, b);
  *l = (fv_volumes_bodies){ .count = told->first[count] };
  size_t reals = (size_t)l->count * FV_SHAPE_REALS, ints = (size_t)l->count * FV_SHAPE_INTS;
  for (int b = 0; b < count; b++) {
    const fv_facets *f = &told->facets[b];
    l->real_count += 3 * f->corner_count + 6 * f->facet_count + 4 * f->plane_count;
    l->int_count += 4 * f->facet_count + bins_of(f) + 1 + (size_t)f->first[bins_of(f)];
  }
  l->reals = told->reals = calloc(reals + l->real_count, sizeof *told->reals);
  l->ints = told->ints = calloc(ints + l->int_count, sizeof *told->ints);
  if (!told->reals || !told->ints) return TRM_FAIL(NO_HOST_MEMORY, "no memory for facets");
  for (int b = 0; b < count; b++) {
    const fv_facets *f = &told->facets[b];
    const struct { int which; const void *from; size_t count; } of_reals[] = {
      { FV_SHAPE_CORNERS, f->corner, 3 * f->corner_count },
      { FV_SHAPE_BOXES, f->box, 6 * f->facet_count },
      { FV_SHAPE_PLANES, f->plane, 4 * f->plane_count } };
    const struct { int which; const void *from; size_t count; } of_ints[] = {
      { FV_SHAPE_FACETS, f->facet, 4 * f->facet_count },
      { FV_SHAPE_FIRST, f->first, bins_of(f) + 1 },
      { FV_SHAPE_LIST, f->list, (size_t)f->first[bins_of(f)] } };
    int32_t *own = told->ints + told->first[b] * FV_SHAPE_INTS;
    for (int k = 0; k < 3; k++) {
      own[of_reals[k].which] = (int32_t)reals;
      memcpy(told->reals + reals, of_reals[k].from, of_reals[k].count * sizeof(double));
      reals += of_reals[k].count;
      own[of_ints[k].which] = (int32_t)ints;
      memcpy(told->ints + ints, of_ints[k].from, of_ints[k].count * sizeof(int32_t));
      ints += of_ints[k].count;
    }
  }
  l->real_count = reals;
  l->int_count = ints;
  return TRM_OK;
}

/* The numbers of a body that stay. */
static void describe(const fv_solver *fv, fv_told *told, int b)
{
  const fv_body *body = &fv->bodies.body[b];
  const fv_facets *f = &told->facets[b];
  double *to = told->reals + told->first[b] * FV_SHAPE_REALS;
  int32_t *own = told->ints + told->first[b] * FV_SHAPE_INTS;
  const int bulge = fv_facets_bulge(f, slack_of(f));
  for (int a = 0; a < 3; a++) to[FV_SHAPE_LOW + a] = f->low[a];
  to[FV_SHAPE_PER] = f->per;
  to[FV_SHAPE_SLACK] = slack_of(f);
  to[FV_SHAPE_HEAT] = body->wall == FV_WALL_ISOTHERMAL ? body->temperature : 0;
  to[FV_SHAPE_SLIDE] = body->spin;
  memcpy(own + FV_SHAPE_BINS, f->bins, sizeof f->bins);
  own[FV_SHAPE_IS_OUTSIDE] = body->shape == FV_TUBE || body->is_hollow;
  own[FV_SHAPE_GRIPS] = body->wall != FV_WALL_SLIP;
  own[FV_SHAPE_KIND] = bulge > 0 ? FV_FOUND_CONVEX : bulge < 0 ? FV_FOUND_HOLLOW : FV_FOUND_TREE;
  for (int k = 1; k < fv_copy_count(told, b); k++) {
    memcpy(to + k * FV_SHAPE_REALS, to, FV_SHAPE_REALS * sizeof *to);
    memcpy(own + k * FV_SHAPE_INTS, own, FV_SHAPE_INTS * sizeof *own);
  }
}

trm_status fv_make_facets(const fv_solver *fv, fv_told *told)
{
  for (int b = 0; b < fv->bodies.count; b++) {
    const fv_body *body = &fv->bodies.body[b];
    TRM_TRY(body->shape == FV_SURFACE ? make_surface(fv, body, &told->facets[b])
                                      : make_shape(fv, body, &told->facets[b]));
  }
  TRM_TRY(make_lists(told, fv->bodies.count));
  for (int b = 0; b < fv->bodies.count; b++) describe(fv, told, b);
  return TRM_OK;
}

void fv_free_told(fv_told *told)
{
  for (int b = 0; b < FV_BODIES; b++) fv_free_facets(&told->facets[b]);
  free(told->reals);
  free(told->ints);
  *told = (fv_told){ .reals = NULL };
}

/* ---- places ---------------------------------------------------------------------------------- */

/* How far a copy is away along an axis, in cells: -1 to 1 lengths from where the body is in the
 * grid. */
static double away(double cell, int cells, int copy)
{
  const int turns = -(int)floor(cell / cells), off = ((copy - turns) % 3 + 3) % 3;
  return (double)(turns + (off == 2 ? -1 : off)) * cells;
}

/* The cell of a body's place at the end is the step's. So the next step has the same places at its
 * begin, and a run that goes on from a checkpoint the same lists. */
static void tell_place(const fv_solver *fv, fv_told *told, int b, int copy)
{
  const fv_body *body = &fv->bodies.body[b];
  const fv_facets_place *ends = told->place[b];
  double *to = told->reals + (told->first[b] + copy) * FV_SHAPE_REALS;
  for (int a = 0; a < 3; a++) {
    const double cell = floor(ends[1].at[a]);
    to[FV_SHAPE_CELL + a] = cell;
    for (int e = 0; e < 2; e++) to[FV_SHAPE_REST + 3 * e + a] = ends[e].at[a] - cell;
    if (told->passes[b][a]) {
      to[FV_SHAPE_CELL + a] += away(cell, fv_finest_cells(fv, a), copy % 3);
      copy /= 3;
    }
    to[FV_SHAPE_SPIN + a] = told->turned[b] * body->axis[a];
  }
  for (int e = 0; e < 2; e++)
    memcpy(to + FV_SHAPE_TURN + 9 * e, ends[e].turn, sizeof ends[e].turn);
  const double turned = fabs(told->turned[b]), reach = body->reach / fv_finest_side(fv) + 4;
  to[FV_SHAPE_SWELL] = turned * (turned * reach + 1);
}

void fv_tell_bodies(const fv_solver *fv, fv_told *told, int is_begin)
{
  for (int b = 0; b < fv->bodies.count; b++) {
    const fv_body *body = &fv->bodies.body[b];
    fv_facets_place *ends = told->place[b];
    double here[3];
    ends[0] = ends[1];
    fv_body_to_here(body, body->at, here);
    for (int a = 0; a < 3; a++) ends[1].at[a] = (here[a] - fv->origin[a]) / fv_finest_side(fv);
    fv_body_turn(body, ends[1].turn);
    if (is_begin) ends[0] = ends[1];
    const int rests = memcmp(&ends[0], &ends[1], sizeof *ends) == 0;
    told->turned[b] = is_begin ? 0 : body->turned;
    for (int copy = 0; copy < fv_copy_count(told, b); copy++) {
      told->ints[(told->first[b] + copy) * FV_SHAPE_INTS + FV_SHAPE_KEEPS] =
        rests && told->rested[b] && !is_begin;
      tell_place(fv, told, b, copy);
    }
    told->rested[b] = rests;
  }
}
