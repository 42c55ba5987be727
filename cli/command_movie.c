/* command_movie.c - `trireme movie`: makes a movie from the frames that a run kept. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "cli/movie/encoder.h"
#include "cli/movie/movie.h"
#include "cli/process.h"
#include "run/text/json.h"
#include "core/number.h"
#include "io/apng.h"
#include "io/file.h"

/* What was asked for. */
typedef struct order {
  const char *format;          /* "apng", "mp4" or "gif" */
  char *path;                  /* owned */
  unsigned second;             /* frames */
  size_t width;
  uint64_t first, last;        /* steps */
  double low, high;
  const char *cure;            /* where another movie has the name; NULL: it is written over */
} order;

/* One of the two, whichever writes the format. */
typedef struct sink {
  trm_apng *apng;
  encoder *ffmpeg;
  size_t width, height;
} sink;

static const char *const formats[] = {"apng", "mp4", "gif"};

/* ---- the words ---------------------------------------------------------------------------- */

static trm_status read_whole(const char *option, const char *text, long least, long most,
                             long *out)
{
  char *end;
  const int64_t value = trm_whole(text, &end);
  if (end == text || *end || value < least || value > most)
    return TRM_FAIL(INPUT, "--%s=%s: give a whole number from %ld to %ld", option, text, least,
                    most);
  *out = (long)value;
  return TRM_OK;
}

static trm_status read_range(const char *text, double *low, double *high)
{
  int used = 0;
  *low = *high = (double)NAN;
  if (!text) return TRM_OK;
  const int found = sscanf(text, "%lf ,%lf %n", low, high, &used);
  const int are_two = found == 2 && !text[used] && !trm_has_hexadecimal(text);
  if (are_two && isfinite(*high - *low) && *low < *high) return TRM_OK;
  return TRM_FAIL(INPUT, "--range=%s: give the least and the largest value, such as "
                  "--range=0,0.1", text);
}

static trm_status read_steps(const char *text, uint64_t *first, uint64_t *last)
{
  char *comma, *end = NULL;
  *first = 0;
  *last = UINT64_MAX;
  if (!text) return TRM_OK;
  const int64_t from = trm_whole(text, &comma);
  const int64_t to = comma != text && *comma == ',' ? trm_whole(comma + 1, &end) : -1;
  *first = (uint64_t)from;
  *last = (uint64_t)to;
  if (from >= 0 && to >= from && end != comma + 1 && !*end) return TRM_OK;
  return TRM_FAIL(INPUT, "--steps=%s: give the first and the last step, such as --steps=1000,2000",
                  text);
}

/* By --to, else by the ending of --output, else an APNG. */
static trm_status choose_format(const arguments *args, const char **out)
{
  const char *ending = args->output ? strrchr(args->output, '.') : NULL;
  const char *wanted = args->to ? args->to : ending ? ending + 1 : formats[0];
  if (!args->to && ending && strcmp(wanted, "png") == 0) wanted = formats[0];
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strcmp(wanted, formats[i]) == 0) {
      *out = formats[i];
      return TRM_OK;
    }
  if (args->to)
    return TRM_FAIL(INPUT, "--to=%s: choose from apng, mp4 and gif", args->to);
  return TRM_FAIL(INPUT, "--output=%s: the name does not say which format is meant; let it end in "
                  ".png, .apng, .mp4 or .gif, or give --to", args->output);
}

static trm_status read_order(const arguments *args, order *out)
{
  long second = 30, width = 0;
  if (args->operand_count != 1)
    return TRM_FAIL(INPUT, "trireme movie takes one folder of results, and %zu were given",
                    args->operand_count);
  if (args->fps) TRM_TRY(read_whole("fps", args->fps, 1, 240, &second));
  if (args->size) TRM_TRY(read_whole("size", args->size, 64, 3840, &width));
  TRM_TRY(read_steps(args->steps, &out->first, &out->last));
  TRM_TRY(read_range(args->range, &out->low, &out->high));
  out->cure = args->again ? NULL : "name another movie with --output=FILE, or write over it with "
                                   "--again";
  out->second = (unsigned)second;
  out->width = (size_t)width;
  return choose_format(args, &out->format);
}

static trm_status choose_path(const arguments *args, const movie *of, order *out)
{
  const char *run = args->operands[0];
  if (args->output) out->path = strdup(args->output);
  else if (asprintf(&out->path, "%s/%s.%s", run, of->field, out->format) < 0) out->path = NULL;
  return out->path ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for a path");
}

/* ---- frames ------------------------------------------------------------------------------- */

/* Room for the first frame and the last one; even, as the common formats of video ask. */
static trm_status measure(movie *of, sink *to)
{
  for (size_t i = 0; i < 2; i++) {
    trmi_image image;
    TRM_TRY(movie_draw(of, i ? of->count - 1 : 0, &image));
    if (image.width > to->width) to->width = image.width;
    if (image.height > to->height) to->height = image.height;
    trmi_image_free(&image);
  }
  to->width += to->width % 2;
  to->height += to->height % 2;
  return TRM_OK;
}

static trm_status open_sink(const movie *of, const order *wanted, sink *to)
{
  uint8_t palette[255][3];
  if (strcmp(wanted->format, "apng") != 0)
    return encoder_start(wanted->path, wanted->format, to->width, to->height, wanted->second,
                         &process_interrupted, &to->ffmpeg);
  const size_t colours = movie_palette(of, palette);
  return trm_apng_create(wanted->path, to->width, to->height, of->count, wanted->second,
                         (const uint8_t (*)[3])palette, colours, &to->apng);
}

/* The frame in the upper left corner of an image of the sink's size. */
static trm_status add_frame(sink *to, const trmi_image *drawn)
{
  trmi_image whole;
  TRM_TRY(trmi_image_create(to->width, to->height, &whole));
  const size_t width = drawn->width < to->width ? drawn->width : to->width;
  for (size_t y = 0; y < drawn->height && y < to->height; y++)
    memcpy(whole.pixels + 3 * y * to->width, drawn->pixels + 3 * y * drawn->width, 3 * width);
  const trm_status status = to->apng ? trm_apng_add(to->apng, &whole)
                                     : encoder_add(to->ffmpeg, &whole);
  trmi_image_free(&whole);
  return status;
}

static trm_status add_frames(movie *of, sink *to)
{
  for (size_t i = 0; i < of->count; i++) {
    trmi_image drawn;
    if (atomic_load(&process_interrupted))
      return TRM_FAIL(INTERRUPTED, "stopped %s; no movie was made", process_cause());
    TRM_TRY(movie_draw(of, i, &drawn));
    const trm_status status = add_frame(to, &drawn);
    trmi_image_free(&drawn);
    TRM_TRY(status);
  }
  return TRM_OK;
}

static trm_status make(movie *of, const order *wanted, sink *to)
{
  TRM_TRY(movie_cut(of, wanted->first, wanted->last));
  TRM_TRY(movie_choose_range(of, wanted->low, wanted->high));
  TRM_TRY(measure(of, to));
  TRM_TRY(open_sink(of, wanted, to));
  process_catch_signals(NULL);
  TRM_TRY(add_frames(of, to));
  return to->apng ? trm_apng_commit(&to->apng, wanted->cure)
                  : encoder_finish(&to->ffmpeg, wanted->cure);
}

/* ---- what was made ------------------------------------------------------------------------ */

static trm_status show(const movie *of, const order *made, const sink *to, int as_json)
{
  const trm_picture *p = &of->picture;
  if (!as_json) {
    printf("%s: %zu frames of %zu x %zu pixels, %u a second; %s from %.6g to %.6g\n", made->path,
           of->count, to->width, to->height, made->second, of->field, p->minimum, p->maximum);
    return TRM_OK;
  }
  json_t *out = json_document("movie");
  json_object_set_new(out, "file", json_text(made->path));
  json_object_set_new(out, "format", json_text(made->format));
  json_object_set_new(out, "field", json_text(of->field));
  json_object_set_new(out, "frames", json_integer((json_int_t)of->count));
  json_object_set_new(out, "width", json_integer((json_int_t)to->width));
  json_object_set_new(out, "height", json_integer((json_int_t)to->height));
  json_object_set_new(out, "frames_per_second", json_integer(made->second));
  json_object_set_new(out, "minimum", json_number(p->minimum));
  json_object_set_new(out, "maximum", json_number(p->maximum));
  return listing_show(out);
}

exit_code command_movie(const arguments *args)
{
  order wanted = {.path = NULL};
  movie of = {.folder = NULL};
  sink to = {0};
  trm_status status = read_order(args, &wanted);
  if (status == TRM_OK) status = movie_open(args->operands[0], args->field, wanted.width, &of);
  if (status == TRM_OK) status = choose_path(args, &of, &wanted);
  if (status == TRM_OK) status = make(&of, &wanted, &to);
  if (status == TRM_OK) status = show(&of, &wanted, &to, args->json);
  const exit_code code = message_failure(status);
  trm_apng_discard(&to.apng);
  encoder_stop(&to.ffmpeg);
  movie_close(&of);
  free(wanted.path);
  return code;
}
