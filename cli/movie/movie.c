/* movie.c - the frames that a run kept, drawn in one range of colours. */
#include "cli/movie/movie.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file.h"
#include "io/json_kept.h"
#include "io/npy.h"

enum { ABOUT_BYTES = 1 << 20, LIST_BYTES = 256 << 20, SAMPLES = 4 << 20, NAME_BYTES = 128,
       MAP_COLOURS = 208, GREYS = 40 };

/* ---- what there is ------------------------------------------------------------------------ */

static int is_about(const struct dirent *entry)
{
  const size_t length = strlen(entry->d_name);
  return length > 5 && length < NAME_BYTES && strcmp(entry->d_name + length - 5, ".json") == 0;
}

/* The name of the field: the one that was given, else the only one. */
static trm_status find_field(const char *run, const char *folder, const char *given, char **out)
{
  struct dirent **names = NULL;
  char all[256] = "";
  const int count = scandir(folder, &names, is_about, alphasort);
  trm_status status = TRM_OK;
  for (int i = 0; i < count; i++) {
    const size_t used = strlen(all), length = strlen(names[i]->d_name) - 5;
    snprintf(all + used, sizeof all - used, "%s%.*s", i ? ", " : "", (int)length,
             names[i]->d_name);
    const int is_it = given ? strlen(given) == length && !strncmp(given, names[i]->d_name, length)
                            : i == 0;
    if (is_it) *out = strndup(names[i]->d_name, length);
    if (is_it && !*out) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the name of a field");
    free(names[i]);
  }
  const int lacks_memory = count < 0 && errno == ENOMEM;
  free(names);
  TRM_TRY(status);
  if (count < 0 && access(run, F_OK) != 0)
    return TRM_FAIL(NOT_FOUND, "there is no folder '%s'; check the name", run);
  if (lacks_memory) status = TRM_FAIL(NO_HOST_MEMORY, "no memory to list '%s'", folder);
  else if (count <= 0)
    status = TRM_FAIL(NOT_FOUND, "'%s' has no frames; run the case with --movie=FIELD "
                      "--movie-every=N, and give the folder of its results", run);
  else if (!given && count > 1)
    status = TRM_FAIL(INPUT, "'%s' has frames of several fields (%s); choose one by --field=NAME",
                      run, all);
  else if (!*out)
    status = TRM_FAIL(NOT_FOUND, "'%s' has no frames of '%s'; it has some of %s", run, given, all);
  return status;
}

static trm_status wrong_about(const movie *of)
{
  return TRM_FAIL(INPUT, "'%s/%s.json' is not what 'trireme run --movie' writes; make the frames "
                  "anew", of->folder, of->field);
}

static double real_of(const json_t *value)
{
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static trm_status describe(movie *of)
{
  double corner[2], side[2], range[2];
  const json_t *about = of->about;
  trm_picture *p = &of->picture;
  for (size_t i = 0; i < 2; i++) {
    corner[i] = real_of(json_array_get(json_object_get(about, "corner"), i));
    side[i] = real_of(json_array_get(json_object_get(about, "side"), i));
    range[i] = real_of(json_array_get(json_object_get(about, "range"), i));
  }
  const json_int_t width = json_integer_value(json_object_get(about, "width"));
  const json_int_t height = json_integer_value(json_object_get(about, "height"));
  const json_int_t cells = json_integer_value(json_object_get(about, "cells"));
  const json_int_t colours = json_integer_value(json_object_get(about, "colours"));
  if (width < 1 || width > 960 || height < 1 || height > 540 || cells < 1 || colours < 0 ||
      colours >= TRM_COLOURS || !isfinite(corner[0] + corner[1] + side[0] + side[1]))
    return wrong_about(of);
  of->array = (trm_array){of->field, "", TRM_TYPE_F32, 1, (size_t)width, (size_t)height, 1, NULL};
  p->plane = (trm_plane){.field = &of->array, .normal = 2, .is_reduced = 1};
  p->colours = (trm_colours)colours;
  p->minimum = range[0];
  p->maximum = range[1];
  p->logarithmic = json_is_true(json_object_get(about, "logarithmic"));
  p->is_signed = json_is_true(json_object_get(about, "signed"));
  p->middle = json_number_value(json_object_get(about, "middle"));
  if (range[0] >= range[1] || isinf(range[0]) || isinf(range[1]) || !isfinite(p->middle) ||
      (p->logarithmic && range[0] <= 0))
    return wrong_about(of);
  p->title = json_string_value(json_object_get(about, "title"));
  p->across = json_string_value(json_object_get(about, "across"));
  p->up = json_string_value(json_object_get(about, "up"));
  p->length_unit = json_string_value(json_object_get(about, "length_unit"));
  p->solid_name = json_string_value(json_object_get(about, "solid_name"));
  const int has_lengths = side[0] > 0 && side[1] > 0;
  for (int i = 0; i < 2; i++) {
    p->corner[i] = corner[i];
    p->side[i] = has_lengths ? side[i] : (double)cells;
  }
  if (!has_lengths) p->length_unit = "cells";
  return TRM_OK;
}

static trm_status read_about(movie *of)
{
  char *path = NULL, name[NAME_BYTES + 8];
  snprintf(name, sizeof name, "%s.json", of->field);
  TRM_TRY(trm_path_join(of->folder, name, &path));
  const trm_status status = trmi_json_load(path, ABOUT_BYTES, &of->about);
  free(path);
  TRM_TRY(status);
  return describe(of);
}

/* FIELD.csv: lines "step,time". A run that went on from a checkpoint has some again. */
static trm_status read_list(movie *of)
{
  char *path = NULL, *text = NULL, *line, *rest, name[NAME_BYTES + 8];
  size_t bytes, room = 0;
  snprintf(name, sizeof name, "%s.csv", of->field);
  TRM_TRY(trm_path_join(of->folder, name, &path));
  trm_status status = trm_file_load_kept(AT_FDCWD, path, path, LIST_BYTES, &text, &bytes);
  free(path);
  TRM_TRY(status);
  for (rest = text; status == TRM_OK && strchr(rest, '\n') && (line = strsep(&rest, "\n"));) {
    movie_frame frame;
    if (sscanf(line, "%" SCNu64 ",%lf", &frame.step, &frame.time) != 2) continue;
    while (of->count && of->frames[of->count - 1].step >= frame.step) of->count--;
    if (of->count == room) {
      room = 2 * room + 64;
      movie_frame *grown = realloc(of->frames, room * sizeof *grown);
      if (grown) of->frames = grown;
      else status = TRM_FAIL(NO_HOST_MEMORY, "no memory for a list of frames");
    }
    if (status == TRM_OK) of->frames[of->count++] = frame;
  }
  free(text);
  if (status == TRM_OK && !of->count)
    status = TRM_FAIL(NOT_FOUND, "'%s' has no frame of '%s' yet", of->folder, of->field);
  return status;
}

trm_status movie_open(const char *run, const char *field, size_t width, movie *out)
{
  *out = (movie){.folder = NULL};
  TRM_TRY(trm_path_join(run, "frames", &out->folder));
  TRM_TRY(find_field(run, out->folder, field, &out->field));
  TRM_TRY(read_about(out));
  TRM_TRY(read_list(out));
  out->picture.width = width;
  out->values = calloc(out->array.nx * out->array.ny, sizeof *out->values);
  out->array.data = out->values;
  return out->values ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for a frame");
}

trm_status movie_cut(movie *of, uint64_t first, uint64_t last)
{
  size_t kept = 0;
  const uint64_t begin = of->frames[0].step, end = of->frames[of->count - 1].step;
  for (size_t i = 0; i < of->count; i++)
    if (of->frames[i].step >= first && of->frames[i].step <= last)
      of->frames[kept++] = of->frames[i];
  of->count = kept;
  return kept ? TRM_OK : TRM_FAIL(INPUT, "there is no frame of a step from %" PRIu64 " to %" PRIu64
                                  "; the frames go from step %" PRIu64 " to %" PRIu64, first, last,
                                  begin, end);
}

void movie_close(movie *of)
{
  json_decref(of->about);
  free(of->folder);
  free(of->field);
  free(of->frames);
  free(of->values);
  *of = (movie){.folder = NULL};
}

/* ---- values ------------------------------------------------------------------------------- */

static trm_status read_frame(movie *of, size_t index)
{
  char *path = NULL, name[NAME_BYTES + 32];
  trm_npy npy;
  const size_t count = of->array.nx * of->array.ny;
  snprintf(name, sizeof name, "%s-%08" PRIu64 ".npy", of->field, of->frames[index].step);
  TRM_TRY(trm_path_join(of->folder, name, &path));
  trm_status status = trm_npy_read(path, &npy);
  if (status == TRM_OK) {
    if (npy.type != TRM_TYPE_F32 || npy.elements != count)
      status = TRM_FAIL(INPUT, "'%s' is not a frame of %zu x %zu values in f32; make the frames "
                        "anew", path, of->array.nx, of->array.ny);
    else memcpy(of->values, npy.data, count * sizeof *of->values);
    trm_npy_free(&npy);
  }
  free(path);
  return status;
}

static int ascending(const void *a, const void *b)
{
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* Every `stride`th value of a frame that counts; *count goes up. */
static void sample(movie *of, size_t stride, float *samples, size_t *count)
{
  trm_picture *p = &of->picture;
  const size_t cells = of->array.nx * of->array.ny;
  for (size_t i = 0; i < cells; i++) {
    const float value = of->values[i];
    p->show_solid |= isnan(value);
    p->show_none |= isinf(value) && value < 0;
    if (i % stride == 0 && isfinite(value) && !(p->logarithmic && value <= 0))
      samples[(*count)++] = value;
  }
}

/* From percentiles to the range that a single picture would have. */
static void round_range(trm_picture *p, double low, double high)
{
  if (p->is_signed && low <= p->middle && p->middle <= high) {
    const double most = fmax(p->middle - low, high - p->middle);
    low = p->middle - most;
    high = p->middle + most;
  } else if (p->logarithmic) low = fmax(low, high * 1e-4);
  else if (low > 0 && low < 0.02 * high) low = 0;
  if (isnan(p->minimum)) p->minimum = low;
  if (isnan(p->maximum)) p->maximum = high;
}

trm_status movie_choose_range(movie *of, double low, double high)
{
  if (of->picture.logarithmic && low <= 0)
    return TRM_FAIL(INPUT, "the colours of '%s' are logarithmic, and --range begins at %g; give a "
                    "least value above 0", of->field, low);
  const size_t cells = of->array.nx * of->array.ny, stride = of->count * cells / SAMPLES + 1;
  float *samples = malloc((cells / stride + 1) * of->count * sizeof *samples);
  size_t count = 0;
  trm_status status = samples ? TRM_OK
                      : TRM_FAIL(NO_HOST_MEMORY, "no memory for the values of %zu frames",
                                 of->count);
  if (!isnan(low)) of->picture.minimum = low, of->picture.maximum = high;
  for (size_t i = 0; i < of->count && status == TRM_OK; i++) {
    status = read_frame(of, i);
    if (status == TRM_OK) sample(of, stride, samples, &count);
  }
  if (status == TRM_OK && count) {
    qsort(samples, count, sizeof *samples, ascending);
    round_range(&of->picture, (double)samples[count / 100],
                (double)samples[count - 1 - count / 100]);
  }
  free(samples);
  return status;
}

/* ---- pictures ----------------------------------------------------------------------------- */

trm_status movie_draw(movie *of, size_t index, trmi_image *image)
{
  char subtitle[128], time[64] = "";
  const movie_frame *frame = &of->frames[index], *last = &of->frames[of->count - 1];
  const char *unit = json_string_value(json_object_get(of->about, "time_unit"));
  if (unit || last->time != (double)last->step)     /* else the time is the number of steps */
    snprintf(time, sizeof time, "t = %.6g%s%s, ", frame->time, unit ? " " : "", unit ? unit : "");
  snprintf(subtitle, sizeof subtitle, "%sstep %" PRIu64, time, frame->step);
  TRM_TRY(read_frame(of, index));
  of->picture.subtitle = subtitle;
  const trm_status status = trm_picture_draw(&of->picture, image);
  of->picture.subtitle = NULL;
  return status;
}

size_t movie_palette(const movie *of, uint8_t palette[255][3])
{
  double low, high;
  trm_colours map;
  size_t count = 0;
  if (trm_picture_range(&of->picture, &low, &high, &map) != TRM_OK) map = of->picture.colours;
  for (; count < MAP_COLOURS; count++)
    memcpy(palette[count], trm_colours_table(map)[count * 255 / (MAP_COLOURS - 1)], 3);
  for (int i = 0; i < GREYS; i++, count++) memset(palette[count], 32 + 223 * i / (GREYS - 1), 3);
  memcpy(palette[count++], trm_colour_solid, 3);
  memcpy(palette[count++], trm_colour_none, 3);
  memcpy(palette[count++], trm_colour_wrong, 3);
  return count;
}
