/* results_fields.c - the files of an output's fields. */
#include "run/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/measure/clock.h"
#include "run/results_picture.h"
#include "run/results_streams.h"
#include "io/npy.h"
#include "io/png.h"
#include "io/vti.h"
#include "io/vtp.h"

enum { NAME_BYTES = 160 };

/* "velocity.npy", or "velocity-00001000.npy" before the end. */
static trm_status field_path(const results *out, const char *name, uint64_t step, int last,
                             const char *suffix, char **path)
{
  char file[NAME_BYTES];
  if (last) snprintf(file, sizeof file, "%s.%s", name, suffix);
  else snprintf(file, sizeof file, "%s-%08" PRIu64 ".%s", name, step, suffix);
  return trm_path_join(out->folder, file, path);
}

/* Where fields are written during the run, the last ones have a numbered file too; except at a stop
 * from which the run will be resumed. */
static trm_status number_last(const results *out, const session *run, const char *name, int last,
                              const char *suffix)
{
  const run_settings *settings = &out->chosen->settings;
  char *path = NULL, *numbered = NULL;
  const uint64_t step = run->steps_done;
  if (!last || run->is_kept || !(settings->every || settings->every_time > 0)) return TRM_OK;
  trm_status status = field_path(out, name, step, 1, suffix, &path);
  if (status == TRM_OK) status = field_path(out, name, step, 0, suffix, &numbered);
  if (status == TRM_OK) status = trm_file_link(path, numbered);
  free(numbered);
  free(path);
  return status;
}

/* The declaration of a field that was read from it. */
static const trm_field *declared(const session *run, const char *name)
{
  const trm_field *field = run->solver->fields;
  while (strcmp(field->name, name) != 0) field++;
  return field;
}

static trm_status write_picture(const results *out, const session *run, const trm_field *of,
                                run_shown *from, const trm_streams *lines, int last)
{
  run_picture shown;
  char *path = NULL;
  results_picture(out->chosen, run, of, from, &shown);
  TRM_TRY(results_picture_render(out->chosen, run, of, lines->count ? lines : NULL, &shown));
  trm_status status = results_picture_grid(out->chosen, of, &shown);
  if (status == TRM_OK)
    status = field_path(out, of->name, run->steps_done, last, "png", &path);
  if (status == TRM_OK) status = trm_png_write(path, &shown.picture);
  trm_rendered_free(&shown.rendered);
  free(shown.edges);
  if (status == TRM_OK) status = number_last(out, run, of->name, last, "png");
  free(path);
  return status;
}

/* The values of a picture are let go before the next. */
static trm_status show_field(const results *out, session *run, size_t index,
                             const trm_streams *lines, int last)
{
  const trm_field *field = &run->solver->fields[index];
  run_shown shown;
  int has_values;
  TRM_TRY(session_has_values(run, index, &has_values));
  if (!has_values) {
    log_say(out->log, TRM_LOG_WARNING, "no picture of '%s' at step %" PRIu64 ": the mean over time "
            "has not begun", field->name, run->steps_done);
    return TRM_OK;
  }
  TRM_TRY(results_shown_read(out->chosen, run, field, &shown));
  const trm_status status = write_picture(out, run, field, &shown, lines, last);
  results_shown_free(&shown);
  return status;
}

/* The other files are written from parts of the fields as they are on the device. */
static trm_status read_part(void *user, const trm_array *array, size_t component, size_t first,
                            size_t count, void *values)
{
  session *run = user;
  const double begin = clock_now();
  TRM_TRY(trm_field_read_part(declared(run, array->name), component, first, count, values));
  run->times.transfers += clock_now() - begin;
  return TRM_OK;
}

static trm_status write_npy(const results *out, session *run, const trm_array *field, int last)
{
  char *path = NULL;
  TRM_TRY(field_path(out, field->name, run->steps_done, last, "npy", &path));
  trm_status status = trm_npy_stream(path, field, &(trm_array_source){read_part, run});
  if (status == TRM_OK) status = number_last(out, run, field->name, last, "npy");
  free(path);
  return status;
}

/* Fields of the first one's shape go into one file. */
static trm_status write_vti(results *out, session *run, const trm_array *fields, size_t count,
                            int last)
{
  char *path = NULL;
  const trm_solver *solver = run->solver;
  trm_vti image = {.fields = fields, .field_count = count, .spacing = {1, 1, 1},
                   .step = run->steps_done, .time = solver->time};
  for (int a = 0; a < 3 && !(declared(run, fields[0].name)->flags & TRM_FIELD_LIST); a++) {
    image.origin[a] = solver->origin[a];
    if (solver->spacing[a] > 0) image.spacing[a] = solver->spacing[a];
  }
  TRM_TRY(field_path(out, "fields", run->steps_done, last, "vti", &path));
  trm_status status = trm_vti_stream(path, &image, &(trm_array_source){read_part, run});
  if (status == TRM_OK) status = number_last(out, run, "fields", last, "vti");
  if (status == TRM_OK) status = results_collect(out, path, solver->time, 0, last);
  free(path);
  return status;
}

/* Fields as cells of several sizes, by `write` to a file of this format. In the collection each
 * output has one file: that of the first format which is written. */
static trm_status write_cells(results *out, session *run, const char *format, unsigned before,
                              trm_status (*write)(const results *out, session *run,
                                                  const char *path), int last)
{
  char *path = NULL;
  TRM_TRY(field_path(out, "fields", run->steps_done, last, format, &path));
  trm_status status = write(out, run, path);
  if (status == TRM_OK) status = number_last(out, run, "fields", last, format);
  if (status == TRM_OK && !(out->chosen->settings.formats & before))
    status = results_collect(out, path, run->solver->time, 0, last);
  free(path);
  return status;
}

/* Bodies are written from whole arrays: places, then what else there is of each. */
static trm_status write_vtp(results *out, session *run, const trm_field *places, int last,
                            int is_end)
{
  const trm_solver *solver = run->solver;
  trm_array arrays[64] = {{0}};
  size_t count = 1;
  char *path = NULL;
  trm_status status = session_read(run, (size_t)(places - solver->fields), &arrays[0]);
  for (size_t i = 0; i < solver->field_count && count < 64 && status == TRM_OK; i++)
    if (out->selected[i] && &solver->fields[i] != places &&
        results_is_of_bodies(places, &solver->fields[i]))
      status = session_read(run, i, &arrays[count++]);
  const trm_vtp bodies = {arrays, arrays + 1, count - 1, run->steps_done, solver->time};
  if (status == TRM_OK) status = field_path(out, "bodies", run->steps_done, last, "vtp", &path);
  if (status == TRM_OK) status = trm_vtp_write(path, &bodies);
  if (status == TRM_OK) status = number_last(out, run, "bodies", last, "vtp");
  if (status == TRM_OK) status = results_collect(out, path, solver->time, 1, is_end);
  for (size_t i = 0; i < count; i++) free((void *)arrays[i].data);
  free(path);
  return status;
}

/* The lines that pictures show. */
static trm_status write_streams(results *out, session *run, int last, trm_streams *lines)
{
  const int is_file = (out->chosen->settings.formats & OUTPUT_VTK) != 0;
  char *path = NULL;
  trm_status status = is_file ? field_path(out, "streamlines", run->steps_done, last, "vtp", &path)
                              : TRM_OK;
  if (status == TRM_OK) status = results_streams_make(out, run, path, lines);
  if (status == TRM_OK && path && lines->count > 0)
    status = number_last(out, run, "streamlines", last, "vtp");
  free(path);
  return status;
}

static trm_status write_files(results *out, session *run, const trm_streams *lines, int last)
{
  const unsigned formats = out->chosen->settings.formats;
  const trm_field *places = results_places(out, run);
  trm_array image[64];
  size_t images = 0;
  for (size_t i = 0; i < run->solver->field_count; i++) {
    const trm_field *field = &run->solver->fields[i];
    const trm_array shape = {field->name, field->unit, field->type, field->components,
                             field->nx, field->ny, field->nz, NULL};
    if (!out->selected[i]) continue;
    if (formats & OUTPUT_NPY) TRM_TRY(write_npy(out, run, &shape, last));
    if ((formats & OUTPUT_PNG) && out->pictured[i]) TRM_TRY(show_field(out, run, i, lines, last));
    if (results_is_of_bodies(places, field)) continue;
    const int same = images == 0 || (image[0].nx == field->nx && image[0].ny == field->ny &&
                                     image[0].nz == field->nz);
    if (same && images < sizeof image / sizeof image[0]) image[images++] = shape;
    else if (formats & OUTPUT_VTI)
      log_say(out->log, TRM_LOG_WARNING, "field '%s' has another shape than '%s' and is left out "
              "of fields.vti; --formats=npy writes it", field->name, image[0].name);
  }
  if ((formats & OUTPUT_VTK) && places)
    TRM_TRY(write_vtp(out, run, places, last, last && images == 0));
  if (formats & OUTPUT_VTU)
    TRM_TRY(write_cells(out, run, "vtu", OUTPUT_VTI, results_write_leaves, last));
  if (formats & OUTPUT_HTG)
    TRM_TRY(write_cells(out, run, "htg", OUTPUT_VTI | OUTPUT_VTU, results_write_trees, last));
  return (formats & OUTPUT_VTI) && images ? write_vti(out, run, image, images, last) : TRM_OK;
}

trm_status results_write_fields(results *out, session *run, int last)
{
  const unsigned any = OUTPUT_PNG | OUTPUT_VTK | OUTPUT_NPY;
  if ((out->chosen->settings.formats & any) == 0) return TRM_OK;
  /* nothing is written of a run that diverged */
  for (size_t i = 0; i < run->solver->field_count; i++)
    if (out->selected[i]) TRM_TRY(session_check(run, i));
  const double begin = clock_now(), transfers = run->times.transfers;
  trm_streams lines = {0};
  trm_status status = write_streams(out, run, last, &lines);
  if (status == TRM_OK) status = write_files(out, run, &lines, last);
  trm_streams_free(&lines);
  run->times.output += clock_now() - begin - (run->times.transfers - transfers);
  return status;
}
