/* results_frames.c - the frames of a movie, kept small while a run goes on.
 *
 * A frame is complete or absent, and counts once its line stands in FIELD.csv. A run that goes on
 * from a checkpoint takes away what is later and writes it again, with the same bytes. */
#include "run/results_picture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/text/json.h"
#include "io/file.h"
#include "io/npy.h"
#include "io/place.h"

enum { MOST_WIDTH = 960, MOST_HEIGHT = 540, NAME_BYTES = 160 };

static trm_status frame_path(const results *out, const char *field, const char *rest, char **path)
{
  char name[NAME_BYTES];
  snprintf(name, sizeof name, "frames/%s%s", field, rest);
  return trm_path_join(out->folder, name, path);
}

static const trm_field *movie_field(const results *out, const session *run)
{
  return &run->solver->fields[out->movie];
}

trm_status results_path_of_list(const results *out, const session *run, char **path)
{
  return frame_path(out, movie_field(out, run)->name, ".csv", path);
}

/* Stands for the field where only its shape is asked for: nobody looks at its values. */
static trm_array shape_of(const trm_field *field)
{
  return (trm_array){field->name, field->unit, field->type, field->components, field->nx,
                     field->ny, field->nz, field};
}

/* The data that 'trireme movie' needs beside the values. Lengths are those of a pixel of the
 * frames. */
static trm_status describe(const results *out, const session *run, json_t **document)
{
  const trm_field *field = movie_field(out, run);
  run_shown shape = {.field = shape_of(field)};
  const char *length = run->solver->length_unit, *time = run->solver->time_unit;
  size_t cells, width, height;
  run_picture shown;
  results_picture(out->chosen, run, field, &shape, &shown);
  const trm_picture *p = &shown.picture;
  TRM_TRY(trm_plane_fit(&p->plane, MOST_WIDTH, MOST_HEIGHT, &cells, &width, &height));
  json_t *all = json_document("frames");
  json_object_set_new(all, "field", json_text(field->name));
  json_object_set_new(all, "title", json_text(shown.title));
  json_object_set_new(all, "width", json_integer((json_int_t)width));
  json_object_set_new(all, "height", json_integer((json_int_t)height));
  json_object_set_new(all, "cells", json_integer((json_int_t)cells));
  json_object_set_new(all, "every", json_integer((json_int_t)out->chosen->settings.movie_every));
  json_object_set_new(all, "across", json_text(p->across));
  json_object_set_new(all, "up", json_text(p->up));
  json_object_set_new(all, "length_unit", length ? json_text(length) : json_null());
  json_object_set_new(all, "time_unit", time ? json_text(time) : json_null());
  const trm_field *flags = results_solid(run, field);
  if (flags) json_object_set_new(all, "solid_name", json_text(flags->name));
  json_object_set_new(all, "corner", json_pack("[ff]", p->corner[0], p->corner[1]));
  json_object_set_new(all, "side", json_pack("[ff]", p->side[0] * (double)cells,
                                             p->side[1] * (double)cells));
  json_object_set_new(all, "colours", json_integer(p->colours));
  json_object_set_new(all, "logarithmic", json_boolean(p->logarithmic));
  json_object_set_new(all, "signed", json_boolean(p->is_signed));
  json_object_set_new(all, "middle", json_number(p->middle));
  json_object_set_new(all, "range", json_pack("[oo]", json_number(p->minimum),
                                              json_number(p->maximum)));
  *document = all;
  return TRM_OK;
}

trm_status results_begin_frames(const results *out, const session *run)
{
  char *path = NULL, name[NAME_BYTES];
  json_t *document = NULL;
  if (out->movie < 0) return TRM_OK;
  const char *field = movie_field(out, run)->name;
  TRM_TRY(trm_path_join(out->folder, "frames", &path));
  trm_status status = trm_folder_create(path);
  free(path);
  path = NULL;
  if (status == TRM_OK) status = frame_path(out, field, ".csv", &path);
  if (status == TRM_OK && run->steps_done == 0) status = trm_file_remove(path);
  free(path);
  TRM_TRY(status);
  TRM_TRY(describe(out, run, &document));
  snprintf(name, sizeof name, "frames/%s.json", field);
  status = results_write_document(out, name, document);
  json_decref(document);
  return status;
}

/* "1000,2.5": a line by one write, so that a killed run leaves it whole or not at all. */
static trm_status append_line(const results *out, const session *run, const char *field)
{
  char line[64], name[NAME_MAX + 1], *path = NULL;
  int folder = -1;
  const int bytes = snprintf(line, sizeof line, "%" PRIu64 ",%.17g\n", run->steps_done,
                             run->solver->time);
  TRM_TRY(frame_path(out, field, ".csv", &path));
  trm_status status = trmi_place_find(path, &folder, name);
  if (status != TRM_OK) {
    free(path);
    return status;
  }
  const int file = openat(folder, name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
                          O_CLOEXEC, 0666);
  const int is_written = file >= 0 && write(file, line, (size_t)bytes) == bytes;
  const int error = errno;
  const int is_closed = file >= 0 && close(file) == 0;
  close(folder);
  status = is_written && is_closed ? TRM_OK
    : TRM_FAIL(IO, "cannot write '%s': %s; see whether the disk is full", path, strerror(error));
  free(path);
  return status;
}

trm_status results_cut_frames(const results *out, const session *run, uint64_t step)
{
  char *path = NULL, *text = NULL;
  size_t bytes, kept = 0;
  struct stat about;
  if (out->movie < 0) return TRM_OK;
  TRM_TRY(results_path_of_list(out, run, &path));
  trm_status status = trmi_place_stat(path, &about) != 0 ? TRM_OK
    : trm_file_load_kept(AT_FDCWD, path, path, SIZE_MAX / 2, &text, &bytes);
  while (text && kept < bytes && strtoull(text + kept, NULL, 10) <= step) {
    const char *end = strchr(text + kept, '\n');
    if (!end) break;
    kept = (size_t)(end - text) + 1;
  }
  if (text) status = trm_file_save(path, text, kept);
  free(text);
  free(path);
  return status;
}

static trm_status write_values(const results *out, const session *run, const trm_plane *plane)
{
  size_t cells, width, height;
  char rest[32], *path = NULL;
  TRM_TRY(trm_plane_fit(plane, MOST_WIDTH, MOST_HEIGHT, &cells, &width, &height));
  float *values = malloc(width * height * sizeof *values);
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a frame");
  const trm_array frame = {plane->field->name, plane->field->unit, TRM_TYPE_F32, 1, width, height,
                           1, values};
  snprintf(rest, sizeof rest, "-%08" PRIu64 ".npy", run->steps_done);
  trm_status status = trm_plane_reduce(plane, cells, values);
  if (status == TRM_OK) status = frame_path(out, plane->field->name, rest, &path);
  if (status == TRM_OK) status = trm_npy_write(path, &frame);
  free(path);
  free(values);
  return status;
}

trm_status results_write_frame(const results *out, session *run)
{
  const trm_field *field = movie_field(out, run);
  run_shown from;
  run_picture shown;
  int has_values;
  TRM_TRY(session_has_values(run, (size_t)out->movie, &has_values));
  if (!has_values) return TRM_OK;
  TRM_TRY(results_shown_read(out->chosen, run, field, &from));
  results_picture(out->chosen, run, field, &from, &shown);
  trm_status status = write_values(out, run, &shown.picture.plane);
  if (status == TRM_OK) status = append_line(out, run, field->name);
  results_shown_free(&from);
  return status;
}
