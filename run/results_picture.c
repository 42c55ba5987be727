/* results_picture.c - what a picture of a field of a run shows. */
#include "run/results_picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/measure/clock.h"
#include "run/summary.h"
#include "core/number.h"

enum { LEAST_WIDTH = 64, MOST_HEIGHT = 8192 };

static const int axes_of[3][2] = {{1, 2}, {0, 2}, {0, 1}}; /* across and up, by the normal */

/* ---- output.plane: "", "y", "y=12" -------------------------------------------------------- */

static size_t cells_along(const trm_field *field, int axis)
{
  return axis == 0 ? field->nx : axis == 1 ? field->ny : field->nz;
}

/* The middle plane, unless a number is given. 0: the text names no plane. */
static int read_plane(const char *text, const trm_field *field, int *axis, size_t *index)
{
  static const char letters[] = "xyz";
  *axis = 2;
  if (text[0]) {
    const char *letter = strchr(letters, text[0]);
    if (!letter) return 0;
    *axis = (int)(letter - letters);
  }
  *index = cells_along(field, *axis) / 2;
  if (!text[0] || !text[1]) return 1;
  char *end;
  if (text[1] != '=' || text[2] < '0' || text[2] > '9') return 0;
  *index = strtoull(text + 2, &end, 10);
  return *end == 0;
}

static trm_status check_words(const run_case *chosen, const trm_field *any)
{
  const char *text = chosen->settings.plane;
  int axis;
  size_t index;
  if (read_plane(text, any, &axis, &index)) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: output.plane = '%s' is not a plane; give x, y or z for the middle "
                  "one across that axis, or for example z=12 for one by its number",
                  trm_config_origin(chosen->config, "output.plane"), text);
}

static trm_status check_plane(const run_case *chosen, const trm_field *field)
{
  const char *text = chosen->settings.plane;
  const char *origin = trm_config_origin(chosen->config, "output.plane");
  int axis;
  size_t index;
  (void)read_plane(text, field, &axis, &index);
  if (field->nz == 1 && (axis != 2 || index != 0))
    return TRM_FAIL(INPUT, "%s: output.plane = '%s', but '%s' has two dimensions and is shown "
                    "whole; leave the key out", origin, text, field->name);
  if (index >= cells_along(field, axis))
    return TRM_FAIL(INPUT, "%s: output.plane = '%s', and '%s' has %zu planes across %c; give 0 to "
                    "%zu", origin, text, field->name, cells_along(field, axis), "xyz"[axis],
                    cells_along(field, axis) - 1);
  return TRM_OK;
}

/* ---- output.range: "", "0 0.1", "speed 0 0.1; vorticity -0.02 0.02" ----------------------- */

typedef struct colour_range {
  char name[64];               /* of its field; "": of all that have none of their own */
  double ends[2];
  const char *fault;           /* NULL: there is none */
} colour_range;

static const char *fault_of(const colour_range *range, int numbers)
{
  const double low = range->ends[0], high = range->ends[1];
  return numbers != 2 ? "it does not have two numbers"
       : !isfinite(low) || !isfinite(high) ? "an end is not finite"
       : low == high ? "both ends are equal"
       : low > high ? "it goes downwards"
       : !isfinite(high - low) ? "its ends are too far apart" : NULL;
}

/* One of the ranges, and the rest of the text. NULL: the end. */
static const char *next_range(const char *text, colour_range *out)
{
  text += strspn(text, "; \t");
  if (!*text) return NULL;
  const size_t length = strcspn(text, ";");
  char word[64], part[256];
  snprintf(part, sizeof part, "%.*s", (int)(length < sizeof part ? length : sizeof part - 1), text);
  const char *rest = part;
  int words = 0, numbers = 0, others = 0;
  *out = (colour_range){.name = ""};
  for (; (rest = list_next(rest, word, sizeof word)) != NULL; words++) {
    char *end;
    const double value = trm_number(word, &end);
    const int is_number = *end == 0;
    if (is_number && numbers++ < 2) out->ends[numbers - 1] = value;
    else if (!is_number && words == 0) snprintf(out->name, sizeof out->name, "%s", word);
    else if (!is_number) others++;
  }
  out->fault = others ? "words other than the field's name are in it" : fault_of(out, numbers);
  return text + length;
}

/* A field's own one, else that of all fields. */
static void range_of(const char *text, const char *field, double *low, double *high)
{
  colour_range range;
  int is_own = 0;
  *low = *high = (double)NAN;
  while ((text = next_range(text, &range)) != NULL) {
    if (range.name[0] ? strcmp(range.name, field) != 0 : is_own) continue;
    *low = range.ends[0], *high = range.ends[1];
    is_own = range.name[0] != 0;
  }
}

static int count_ranges(const char *text, const char *name)
{
  colour_range range;
  int count = 0;
  while ((text = next_range(text, &range)) != NULL) count += strcmp(range.name, name) == 0;
  return count;
}

static trm_status check_ranges(const run_case *chosen, const session *run)
{
  const char *origin = trm_config_origin(chosen->config, "output.range");
  const char *all = chosen->settings.range, *text = all;
  colour_range range;
  size_t found;
  while ((text = next_range(text, &range)) != NULL) {
    if (range.fault)
      return TRM_FAIL(INPUT, "%s: output.range = '%s' is not a range: %s; give the least and the "
                      "largest value ('0 0.1'), or each with its field ('speed 0 0.1; vorticity "
                      "-0.02 0.02')", origin, all, range.fault);
    if (count_ranges(all, range.name) > 1)
      return TRM_FAIL(INPUT, "%s: output.range = '%s' has two ranges for %s%s%s; leave one of them "
                      "out", origin, all, range.name[0] ? "'" : "", range.name[0] ? range.name :
                      "all fields", range.name[0] ? "'" : "");
    if (!range.name[0]) continue;
    TRM_TRY(results_find_field(chosen, run, "output.range", range.name, &found));
    if (!results_has_picture(&run->solver->fields[found]))
      return TRM_FAIL(INPUT, "%s: output.range has a range for '%s', which has no picture; leave "
                      "it out", origin, range.name);
  }
  return TRM_OK;
}

static trm_status check_range(const run_case *chosen, const trm_field *field)
{
  const char *origin = trm_config_origin(chosen->config, "output.range");
  const int is_diverging = strcmp(chosen->settings.colours, "diverging") == 0;
  double low, high;
  range_of(chosen->settings.range, field->name, &low, &high);
  if ((field->in_picture & TRM_PICTURE_LOGARITHMIC) && low <= 0)
    return TRM_FAIL(INPUT, "%s: the colours of '%s' are logarithmic, and output.range begins at "
                    "%g; give a least value above 0", origin, field->name, low);
  if ((field->in_picture & TRM_PICTURE_LOGARITHMIC) && is_diverging)
    return TRM_FAIL(INPUT, "%s: the colours of '%s' are logarithmic, and diverging ones have a "
                    "middle, which logarithms do not have; give viridis or inferno",
                    trm_config_origin(chosen->config, "output.colours"), field->name);
  if ((field->in_picture & TRM_PICTURE_SIGNED) && is_diverging &&
      (field->middle < low || field->middle > high))
    return TRM_FAIL(INPUT, "%s: output.range of '%s' goes from %g to %g, and output.colours = "
                    "'diverging' has its middle at %g; give a range that holds it, or viridis or "
                    "inferno", origin, field->name, low, high, field->middle);
  return TRM_OK;
}

/* ---- output.width, output.grid ------------------------------------------------------------ */

/* The height of a picture follows from its width and from the cells' shape. */
static trm_status check_width(const run_case *chosen, const session *run, const trm_field *field)
{
  const trm_solver *solver = run->solver;
  const size_t width = chosen->settings.width;
  const char *origin = trm_config_origin(chosen->config, "output.width");
  int normal;
  size_t index;
  if (!width) return TRM_OK;
  if (width < LEAST_WIDTH)
    return TRM_FAIL(INPUT, "%s: output.width = %zu is too small for a picture; give at least %d, "
                    "or 0", origin, width, LEAST_WIDTH);
  if (strcmp(chosen->settings.rendering, "plane") != 0) return TRM_OK;
  (void)read_plane(chosen->settings.plane, field, &normal, &index);
  const int *shown = axes_of[normal];
  double side[2];
  for (int i = 0; i < 2; i++)
    side[i] = (double)cells_along(field, shown[i]) *
              (solver->spacing[shown[i]] > 0 ? solver->spacing[shown[i]] : 1);
  const double height = side[1] / side[0] * (double)width;
  if (height <= MOST_HEIGHT) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: a picture of '%s' that is %zu pixels wide is %.0f high, and %d is "
                  "the most; give a smaller output.width, or 0 for one that fits", origin,
                  field->name, width, height, MOST_HEIGHT);
}

static trm_status check_grid(const run_case *chosen, const session *run)
{
  if (!chosen->settings.grid) return TRM_OK;
  for (size_t i = 0; i < run->solver->field_count; i++)
    if (run->solver->fields[i].blocks) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: output.grid draws the outlines of blocks, and solver '%s' has none; "
                  "leave the key out", trm_config_origin(chosen->config, "output.grid"),
                  chosen->type->name);
}

/* ---- output.rendering --------------------------------------------------------------------- */

static int is_rendered(const run_case *chosen)
{
  return strcmp(chosen->settings.rendering, "plane") != 0;
}

static trm_status check_view(const run_case *chosen, const session *run, const trm_field *field)
{
  const run_settings *settings = &chosen->settings;
  const char *origin = trm_config_origin(chosen->config, "output.rendering");
  if (!is_rendered(chosen)) return TRM_OK;
  if (field->nz == 1)
    return TRM_FAIL(INPUT, "%s: output.rendering = '%s', but '%s' has two dimensions and is shown "
                    "whole; leave the key out", origin, settings->rendering, field->name);
  if (settings->plane[0] && !settings->movie[0])
    return TRM_FAIL(INPUT, "%s: output.rendering = '%s' shows no plane, and output.plane is '%s'; "
                    "leave one of them out", origin, settings->rendering, settings->plane);
  if (settings->grid)
    return TRM_FAIL(INPUT, "%s: output.rendering = '%s' shows no plane for output.grid to be drawn "
                    "in; leave one of them out", origin, settings->rendering);
  if (strcmp(settings->rendering, "greatest") != 0 && !results_solid(run, field))
    return TRM_FAIL(INPUT, "%s: output.rendering = '%s' shows walls, but the solver declares no "
                    "solid cells for '%s'; choose plane or greatest", origin, settings->rendering,
                    field->name);
  return TRM_OK;
}

/* A side of 0 is one of 1. */
static trm_view_of view_of(const run_case *chosen, const session *run, const trm_array *field,
                           const trm_array *solid, const trm_streams *lines)
{
  const run_settings *settings = &chosen->settings;
  trm_view_of view = {
    .field = field, .solid = solid, .lines = lines,
    .azimuth = settings->from[0], .elevation = settings->from[1],
    .mode = strcmp(settings->rendering, "greatest") == 0 ? TRM_VIEW_GREATEST
          : strcmp(settings->rendering, "lumen") == 0 ? TRM_VIEW_LUMEN : TRM_VIEW_BODY,
    .width = settings->width};
  for (int a = 0; a < 3; a++)
    view.side[a] = run->solver->spacing[a] > 0 ? run->solver->spacing[a] : 1;
  return view;
}

static double render_bytes(const run_case *chosen, const session *run, const trm_field *field)
{
  const trm_array shape = {field->name, field->unit, field->type, field->components, field->nx,
                           field->ny, field->nz, NULL};
  if (!is_rendered(chosen)) return 0;
  static const trm_streams some;
  const trm_view_of view = view_of(chosen, run, &shape, NULL,
                                   chosen->settings.streamlines[0] ? &some : NULL);
  return trm_render_bytes(&view);
}

/* ---- what it is drawn from ---------------------------------------------------------------- */

/* Whether a plane of the field is enough. Blocks are outlined by their places in all of it. */
static int is_of_plane(const run_case *chosen, const trm_field *field)
{
  return field->nz > 1 && !field->blocks && !is_rendered(chosen);
}

/* Parts of a run have no whole fields. */
static int is_of_window(const run_case *chosen, const session *run, const trm_field *field)
{
  return field->nz == 1 && !field->blocks && !is_rendered(chosen) &&
         trm_device_parts(run->solver->device, 0, NULL) > 0;
}

static double read_bytes(const run_case *chosen, const trm_field *field)
{
  size_t elements = 0, index;
  int axis;
  if (trm_field_elements(field, &elements) != TRM_OK) return 0;
  (void)read_plane(chosen->settings.plane, field, &axis, &index);
  const double bytes = (double)elements * (double)trm_type_size(field->type);
  return is_of_plane(chosen, field) ? bytes / (double)cells_along(field, axis) : bytes;
}

double results_picture_bytes(const run_case *chosen, const session *run, const trm_field *field)
{
  const trm_field *solid = results_solid(run, field);
  if (is_of_window(chosen, run, field)) return 0;
  return read_bytes(chosen, field) + (solid ? read_bytes(chosen, solid) : 0) +
         render_bytes(chosen, run, field);
}

static trm_status read_rows(void *user, const trm_array *array, size_t component, size_t first,
                            size_t count, void *out)
{
  session *run = user;
  const trm_field *field = run->solver->fields;
  const double begin = clock_now();
  while (strcmp(field->name, array->name) != 0) field++;
  TRM_TRY(trm_field_read_part(field, component, first, count, out));
  run->times.transfers += clock_now() - begin;
  return TRM_OK;
}

static trm_status read_shown(const run_case *chosen, session *run, const trm_field *field,
                             trm_array *out)
{
  const size_t number = (size_t)(field - run->solver->fields);
  size_t index;
  int axis;
  if (is_of_window(chosen, run, field)) {
    *out = (trm_array){field->name, field->unit, field->type, field->components, field->nx,
                       field->ny, 1, NULL};
    return session_check(run, number);
  }
  if (!is_of_plane(chosen, field)) return session_read(run, number, out);
  (void)read_plane(chosen->settings.plane, field, &axis, &index);
  return session_read_plane(run, number, axis, index, out);
}

trm_status results_shown_read(const run_case *chosen, session *run, const trm_field *field,
                              run_shown *out)
{
  const trm_field *flags = results_solid(run, field);
  run_shown shown = {.has_solid = flags != NULL, .is_window = is_of_window(chosen, run, field),
                     .window = {.source = {read_rows, run}}};
  trm_status status = read_shown(chosen, run, field, &shown.field);
  if (status == TRM_OK && flags) status = read_shown(chosen, run, flags, &shown.solid);
  if (status == TRM_OK) *out = shown;
  else results_shown_free(&shown);
  return status;
}

void results_shown_free(run_shown *shown)
{
  free((void *)shown->field.data);
  free((void *)shown->solid.data);
  trm_plane_window_free(&shown->window);
}

/* ---- what cannot be shown ----------------------------------------------------------------- */

trm_status results_picture_check(const run_case *chosen, const session *run,
                                 const trm_field *field)
{
  TRM_TRY(check_plane(chosen, field));
  TRM_TRY(check_view(chosen, run, field));
  TRM_TRY(check_width(chosen, run, field));
  return check_range(chosen, field);
}

trm_status results_picture_check_keys(const run_case *chosen, const session *run)
{
  TRM_TRY(check_words(chosen, &run->solver->fields[0]));
  TRM_TRY(check_ranges(chosen, run));
  return check_grid(chosen, run);
}

/* ---- the picture -------------------------------------------------------------------------- */

static void name_it(const run_case *chosen, const session *run, const trm_field *field,
                    const char *seen, run_picture *out)
{
  const trm_solver *solver = run->solver;
  const char *unit = report_unit(field->unit), *clock = solver->time_unit;
  const int counts_steps = !clock && solver->time == (double)run->steps_done;
  char time[64] = "";
  snprintf(out->title, sizeof out->title, "%s: %s%s%s%s", chosen->name, field->name,
           unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
  if (!counts_steps)
    snprintf(time, sizeof time, "t = %.6g%s%s, ", solver->time, clock ? " " : "",
             clock ? clock : "");
  snprintf(out->subtitle, sizeof out->subtitle, "%sstep %" PRIu64 "%s", time, run->steps_done,
           seen);
}

/* By the field's declaration, unless the key says otherwise. */
static void choose_colours(const char *wanted, const trm_field *field, trm_picture *out)
{
  const int kind = field->in_picture;
  out->logarithmic = (kind & TRM_PICTURE_LOGARITHMIC) != 0;
  out->is_signed = (kind & TRM_PICTURE_SIGNED) != 0;
  out->colours = out->logarithmic ? TRM_COLOURS_INFERNO : TRM_COLOURS_VIRIDIS;
  if (strcmp(wanted, "auto") == 0) return;
  out->is_signed = strcmp(wanted, "diverging") == 0;
  out->colours = out->is_signed ? TRM_COLOURS_DIVERGING
                 : strcmp(wanted, "inferno") == 0 ? TRM_COLOURS_INFERNO : TRM_COLOURS_VIRIDIS;
}

void results_picture(const run_case *chosen, const session *run, const trm_field *field,
                     run_shown *from, run_picture *out)
{
  static const char *const names[] = {"x", "y", "z"};
  const run_settings *settings = &chosen->settings;
  trm_picture *picture = &out->picture;
  *out = (run_picture){.picture = {
    .plane = {.field = &from->field, .solid = from->has_solid ? &from->solid : NULL,
              .window = from->is_window ? &from->window : NULL,
              .has_none = (field->in_picture & TRM_PICTURE_TIMES) != 0},
    .middle = field->middle, .bulk = (field->in_picture & TRM_PICTURE_BULK) != 0,
    .title = out->title, .subtitle = out->subtitle, .width = settings->width,
    .length_unit = run->solver->length_unit, .solid_name = from->has_solid ? from->solid.name
                                                                        : NULL}};
  (void)read_plane(settings->plane, field, &picture->plane.normal, &picture->plane.index);
  range_of(settings->range, field->name, &picture->minimum, &picture->maximum);
  choose_colours(settings->colours, field, picture);
  const int *shown = axes_of[picture->plane.normal];
  picture->across = names[shown[0]];
  picture->up = names[shown[1]];
  for (int i = 0; i < 2 && !(field->flags & TRM_FIELD_LIST); i++) {
    picture->corner[i] = run->solver->origin[shown[i]];
    picture->side[i] = run->solver->spacing[shown[i]];
  }
  char seen[64] = "";
  if (field->nz > 1)
    snprintf(seen, sizeof seen, ", plane %c = %zu of %zu", "xyz"[picture->plane.normal],
             picture->plane.index, cells_along(field, picture->plane.normal));
  if (field->nz > 1 && from->field.nz == 1) { /* the plane alone was read */
    picture->plane.normal = 2;
    picture->plane.index = 0;
  }
  name_it(chosen, run, field, seen, out);
}

/* Where leaves begin, west and south, in cells of the finest level. */
static void outline(const trm_field *field, const trm_plane *plane, size_t width, size_t height,
                    uint8_t *edges)
{
  const trm_blocks *b = field->blocks;
  const int *shown = axes_of[plane->normal];
  int finest = 0;
  while (finest < 24 && field->nx > (size_t)b->side[0] * (size_t)b->roots[0] << finest) finest++;
  for (size_t i = 0; i < b->count; i++) {
    size_t from[3], to[3];
    for (int a = 0; a < 3; a++) {
      const size_t times = b->side[a] == 1 ? 1 : (size_t)1 << (finest - b->level[i]);
      from[a] = (size_t)b->place[i][a] * (size_t)b->side[a] * times;
      to[a] = from[a] + (size_t)b->side[a] * times;
    }
    if (plane->index < from[plane->normal] || plane->index >= to[plane->normal]) continue;
    const size_t x0 = from[shown[0]], y0 = from[shown[1]];
    for (size_t y = y0; y < to[shown[1]] && y < height; y++) edges[y * width + x0] |= 1;
    for (size_t x = x0; x < to[shown[0]] && x < width; x++) edges[y0 * width + x] |= 2;
  }
}

trm_status results_picture_grid(const run_case *chosen, const trm_field *field, run_picture *out)
{
  size_t width, height;
  if (!chosen->settings.grid || !field->blocks || is_rendered(chosen)) return TRM_OK;
  TRM_TRY(trm_plane_size(&out->picture.plane, &width, &height));
  out->edges = calloc(width * height, 1);
  if (!out->edges) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the outlines of blocks");
  outline(field, &out->picture.plane, width, height, out->edges);
  out->picture.edges = out->edges;
  return TRM_OK;
}

trm_status results_picture_render(const run_case *chosen, const session *run,
                                  const trm_field *field, const trm_streams *lines,
                                  run_picture *out)
{
  trm_picture *picture = &out->picture;
  if (!is_rendered(chosen)) return TRM_OK;
  const trm_view_of view = view_of(chosen, run, picture->plane.field, picture->plane.solid, lines);
  TRM_TRY(trm_render(&view, &out->rendered));
  const trm_rendered *image = &out->rendered;
  out->image = (trm_array){view.field->name, view.field->unit, TRM_TYPE_F32, 1, image->width,
                           image->height, 1, image->values};
  picture->plane = (trm_plane){.field = &out->image, .normal = 2, .is_reduced = 1};
  picture->light = image->light;
  picture->across = "across";
  picture->up = "up";
  picture->width = image->width;
  for (int i = 0; i < 2; i++) {
    picture->corner[i] = 0;
    picture->side[i] = image->pixel;
  }
  char seen[96];
  snprintf(seen, sizeof seen, ", %s, from azimuth %g, elevation %g",
           lines ? "streamlines" : chosen->settings.rendering, view.azimuth, view.elevation);
  if (lines) picture->solid_name = "wall";
  name_it(chosen, run, field, seen, out);
  return TRM_OK;
}

const trm_field *results_solid(const session *run, const trm_field *field)
{
  for (size_t i = 0; i < run->solver->field_count; i++) {
    const trm_field *flags = &run->solver->fields[i];
    if (flags->type == TRM_TYPE_U8 && flags->components == 1 && flags->nx == field->nx &&
        flags->ny == field->ny && flags->nz == field->nz)
      return flags;
  }
  return NULL;
}
