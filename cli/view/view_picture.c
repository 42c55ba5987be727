/* view_picture.c - which field a view shows, its reduction, and its range. */
#include "cli/view/view_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/results_picture.h"

/* The field of that name, else the first that pictures show, else any; -1: there is no field. */
static int choose_field(const trm_solver *solver, const char *name)
{
  int any = -1, meant = -1;
  for (size_t i = 0; i < solver->field_count; i++) {
    const trm_field *field = &solver->fields[i];
    if (!results_has_picture(field)) continue;
    if (strcmp(field->name, name) == 0) return (int)i;
    if (any < 0) any = (int)i;
    if (meant < 0 && (field->in_picture & TRM_PICTURE_SHOWN)) meant = (int)i;
  }
  return meant >= 0 ? meant : any;
}

static trm_status take(session *run, const trm_field *field, const view_range *range,
                       size_t most_width, size_t most_height, view_picture *out)
{
  run_shown from;
  run_picture shown;
  size_t cells;
  TRM_TRY(results_shown_read(run->chosen, run, field, &from));
  results_picture(run->chosen, run, field, &from, &shown);
  trm_status status = trm_plane_fit(&shown.picture.plane, most_width, most_height, &cells,
                                    &out->width, &out->height);
  if (status == TRM_OK) out->values = malloc(out->width * out->height * sizeof *out->values);
  if (status == TRM_OK && !out->values)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for a picture");
  if (status == TRM_OK) status = trm_plane_reduce(&shown.picture.plane, cells, out->values);
  results_shown_free(&from);
  TRM_TRY(status);
  const trm_array small = {field->name, field->unit, TRM_TYPE_F32, 1, out->width, out->height, 1,
                           out->values};
  shown.picture.plane = (trm_plane){.field = &small, .normal = 2, .is_reduced = 1};
  shown.picture.plain = 1;
  if (range->is_given) shown.picture.minimum = range->low, shown.picture.maximum = range->high;
  /* the page shows the least value that colours by the logarithm have in its place */
  if (range->is_given && shown.picture.logarithmic && range->low <= 0)
    shown.picture.minimum = (double)NAN;
  out->field = field;
  out->logarithmic = shown.picture.logarithmic;
  TRM_TRY(trm_picture_range(&shown.picture, &out->low, &out->high, &out->colours));
  const double part = (field->middle - out->low) / (out->high - out->low);
  const int is_around = shown.picture.is_signed && out->colours == TRM_COLOURS_DIVERGING;
  out->middle = is_around && part >= 0 && part <= 1 ? part : 0.5;
  return TRM_OK;
}

trm_status view_take_picture(session *run, const char *name, const view_range *range,
                             size_t most_width, size_t most_height, view_picture *out)
{
  const int index = choose_field(run->solver, name);
  *out = (view_picture){.field = NULL};
  if (index < 0) return TRM_FAIL(NOT_FOUND, "the solver has no field that a picture can show");
  const trm_status status = take(run, &run->solver->fields[index], range, most_width, most_height,
                                 out);
  if (status == TRM_OK) return TRM_OK;
  free(out->values);
  out->values = NULL;
  return status;
}

uint8_t view_level(const view_picture *p, double value)
{
  if (isnan(value)) return VIEW_SOLID;
  if (isinf(value)) return value < 0 ? VIEW_NONE : VIEW_WRONG;
  const double at = !p->logarithmic ? (value - p->low) / (p->high - p->low)
                    : value > 0 ? log(value / p->low) / log(p->high / p->low) : 0;
  const double within = at > 0 ? at < 1 ? at : 1 : 0, middle = p->middle;
  const double part = within == middle ? 0.5
                    : within < middle ? 0.5 * within / middle
                                      : 0.5 + 0.5 * (within - middle) / (1 - middle);
  return (uint8_t)(part < 1 ? part * VIEW_LEVELS : VIEW_LEVELS - 1);
}
