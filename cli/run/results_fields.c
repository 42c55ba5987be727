/* results_fields.c - the fields of an output: which, the memory that they take, and their files. */
#include "cli/run/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure/clock.h"
#include "cli/run/results_picture.h"
#include "cli/run/results_streams.h"
#include "io/npy.h"
#include "io/png.h"
#include "io/vti.h"
#include "io/vtp.h"

enum { NAME_BYTES = 160 };

/* ---- which fields ---------------------------------------------------------- */

trm_status results_find_field(const run_case *chosen, const session *run, const char *key,
                              const char *name, size_t *found)
{
  const char *names[64];
  char all[256] = "";
  const size_t count = run->solver->field_count;
  size_t i = 0, used = 0;
  while (i < count && strcmp(run->solver->fields[i].name, name) != 0) i++;
  *found = i;
  if (i < count) return TRM_OK;
  for (i = 0; i < count && i < 64; i++) {
    names[i] = run->solver->fields[i].name;
    if (used < sizeof all)
      used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
  }
  const char *nearest = trm_nearest_name(name, names, i);
  return TRM_FAIL(NOT_FOUND, "%s: solver '%s' has no field '%s'; %s%s%s",
                  trm_config_origin(chosen->config, key), chosen->type->name, name,
                  nearest ? "the nearest is '" : "choose from ", nearest ? nearest : all,
                  nearest ? "'" : "");
}

static trm_status select_named(results *out, const session *run)
{
  const char *rest = out->chosen->settings.fields;
  char word[64];
  size_t found;
  while ((rest = list_next(rest, word, sizeof word))) {
    TRM_TRY(results_find_field(out->chosen, run, "output.fields", word, &found));
    out->selected[found] = 1;
  }
  return TRM_OK;
}

static trm_status select_movie(results *out, const session *run)
{
  const char *name = out->chosen->settings.movie;
  size_t found;
  out->movie = -1;
  if (!name[0]) return TRM_OK;
  TRM_TRY(results_find_field(out->chosen, run, "output.movie", name, &found));
  const trm_field *field = &run->solver->fields[found];
  if (!results_has_picture(field))
    return TRM_FAIL(INPUT, "%s: output.movie = '%s' cannot be shown: a movie is of a field of real "
                    "numbers on a grid; choose another (see 'trireme solvers')",
                    trm_config_origin(out->chosen->config, "output.movie"), name);
  out->movie = (int)found;
  return results_picture_check(out->chosen, run, field);
}

static int is_meant(const trm_field *field)
{
  return (field->in_picture & TRM_PICTURE_SHOWN) != 0;
}

/* Pictures show the fields that output.fields names; without the key those meant for it, or if none
 * is, all. */
static void select_pictures(results *out, const session *run)
{
  int all = out->chosen->settings.fields[0] != 0, meant = 0;
  for (size_t i = 0; i < run->solver->field_count; i++)
    meant |= out->selected[i] && is_meant(&run->solver->fields[i]);
  for (size_t i = 0; i < run->solver->field_count; i++)
    out->pictured[i] = out->selected[i] && results_has_picture(&run->solver->fields[i]) &&
                       (is_meant(&run->solver->fields[i]) || all || !meant);
}

/* A field that was named is written somewhere. */
static trm_status check_named(const results *out, const session *run)
{
  const unsigned formats = out->chosen->settings.formats;
  if (!out->chosen->settings.fields[0] || !(formats & OUTPUT_PNG) ||
      (formats & (OUTPUT_VTI | OUTPUT_VTU | OUTPUT_NPY)))
    return TRM_OK;
  for (size_t i = 0; i < run->solver->field_count; i++)
    if (out->selected[i] && !out->pictured[i])
      return TRM_FAIL(INPUT, "%s: '%s' has no picture (one is of real numbers on a grid), and "
                      "output.formats names no other file for it; add npy, or leave the field out",
                      trm_config_origin(out->chosen->config, "output.fields"),
                      run->solver->fields[i].name);
  return TRM_OK;
}

/* What can be refused of the pictures, and what they lack on this machine. */
static trm_status check_pictures(const results *out, const session *run)
{
  int count = 0;
  if (!(out->chosen->settings.formats & OUTPUT_PNG)) return TRM_OK;
  for (size_t i = 0; i < run->solver->field_count; i++) {
    if (!out->pictured[i]) continue;
    TRM_TRY(results_picture_check(out->chosen, run, &run->solver->fields[i]));
    count++;
  }
  const char *missing = count ? trm_letters_missing() : NULL;
  if (missing) log_say(out->log, TRM_LOG_WARNING, "%s", missing);
  return TRM_OK;
}

trm_status results_select(results *out, const session *run)
{
  const size_t count = run->solver->field_count;
  out->selected = calloc(count + 1, sizeof *out->selected);
  out->pictured = calloc(count + 1, sizeof *out->pictured);
  if (!out->selected || !out->pictured)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for field names");
  if (out->chosen->settings.fields[0]) TRM_TRY(select_named(out, run));
  else
    for (size_t i = 0; i < count; i++)
      out->selected[i] = !(run->solver->fields[i].flags & TRM_FIELD_HASHED) ||
                         is_meant(&run->solver->fields[i]);
  select_pictures(out, run);
  TRM_TRY(check_named(out, run));
  TRM_TRY(results_picture_check_keys(out->chosen, run));
  TRM_TRY(select_movie(out, run));
  if ((out->chosen->settings.formats & OUTPUT_PNG) && !trm_png_available())
    return TRM_FAIL(UNSUPPORTED,
                    "%s: output.formats asks for png, and this build has no libpng; leave "
                    "png out (--formats=vti), or install libpng-dev and build again",
                    trm_config_origin(out->chosen->config, "output.formats"));
  TRM_TRY(results_check_leaves(out, run));
  TRM_TRY(results_streams_check(out->chosen, run));
  return check_pictures(out, run);
}

/* ---- the memory that an output takes ---------------------------------------- */

static double field_bytes(const trm_field *field)
{
  size_t elements = 0;
  return trm_field_elements(field, &elements) == TRM_OK
           ? (double)elements * (double)trm_type_size(field->type) : 0;
}

/* The place of each body, where the fields selected have it: lists go with it then. */
static const trm_field *find_places(const results *out, const session *run)
{
  for (size_t i = 0; i < run->solver->field_count; i++) {
    const trm_field *field = &run->solver->fields[i];
    if (out->selected[i] && (field->flags & TRM_FIELD_LIST) && field->components == 3 &&
        strcmp(field->name, "position") == 0)
      return field;
  }
  return NULL;
}

static int is_of_bodies(const trm_field *places, const trm_field *field)
{
  return places && field->nx == places->nx && (field->flags & TRM_FIELD_LIST);
}

/* What a solver's own files take of the host's memory is at most its derived fields. */
static int is_exported(const results *out, const session *run, size_t field)
{
  return (out->chosen->settings.formats & OUTPUT_COURSE) && out->chosen->type->export_files &&
         !(run->solver->fields[field].flags & TRM_FIELD_HASHED);
}

static void count_memory(const results *out, const session *run, results_memory *need)
{
  const run_settings *settings = &out->chosen->settings;
  const int is_open = isfinite(settings->end_time) ||
                      settings->steps >= strtoull(TRM_STEPS_UNTIL_END, NULL, 10);
  const double values = is_open ? 0 : (double)settings->steps; /* nobody knows how many yet */
  *need = (results_memory){.series = values * (double)run->series_count * sizeof(double),
                           .room = 32 << 20};
  const unsigned formats = settings->formats;
  const trm_field *places = find_places(out, run);
  double picture = 0, bodies = 0, exports = 0; /* one after the other; other files go in parts */
  for (size_t i = 0; i < run->solver->field_count; i++) {
    const trm_field *field = &run->solver->fields[i], *solid = results_solid(run, field);
    const double bytes = field_bytes(field);
    if (((formats & OUTPUT_PNG) && out->pictured[i]) || (int)i == out->movie)
      picture = fmax(picture, bytes + (solid ? field_bytes(solid) : 0) +
                                results_render_bytes(out->chosen, run, field));
    if ((formats & OUTPUT_VTI) && out->selected[i] && is_of_bodies(places, field)) bodies += bytes;
    if (is_exported(out, run, i)) exports += bytes;
  }
  const double streams = results_streams_bytes(out->chosen, run);
  need->fields = fmax(fmax(fmax(picture, bodies), exports), streams);
}

trm_status results_foresee(const run_case *chosen, const session *run, results_memory *need)
{
  run_log silent = {0};
  results out = {.chosen = chosen, .log = &silent, .lock = -1};
  trm_status status = results_select(&out, run);
  if (status == TRM_OK) count_memory(&out, run, need);
  results_close(&out);
  log_clear(&silent);
  return status;
}

trm_status results_require(const results *out, const session *run)
{
  const uint64_t there = trmi_host_memory();
  char fields[32], series[32], room[32], has[32];
  results_memory need;
  count_memory(out, run, &need);
  const uint64_t all = (uint64_t)(need.fields + need.series + need.room);
  if (there == 0 || all <= there) return TRM_OK;
  return TRM_FAIL(NO_HOST_MEMORY, "the fields of an output take %s of the host's memory, the "
                  "series %s and the writing of both %s, %s are available; write fewer fields "
                  "(--fields, --formats=none), or run fewer steps",
                  trmi_amount((uint64_t)need.fields, all, fields, sizeof fields),
                  trmi_amount((uint64_t)need.series, all, series, sizeof series),
                  trmi_amount((uint64_t)need.room, all, room, sizeof room),
                  trmi_amount(there, all, has, sizeof has));
}

/* ---- fields ---------------------------------------------------------------- */

/* "velocity.npy", or "velocity-00001000.npy" before the end. */
static trm_status field_path(const results *out, const char *name, uint64_t step, int last,
                             const char *suffix, char **path)
{
  char file[NAME_BYTES];
  if (last) snprintf(file, sizeof file, "%s.%s", name, suffix);
  else snprintf(file, sizeof file, "%s-%08" PRIu64 ".%s", name, step, suffix);
  return trm_path_join(out->folder, file, path);
}

/* Where fields are written on the way, the last ones have a number like those before them, too; not
 * those of a stop that the run will go on from. */
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

static trm_status write_picture(const results *out, const session *run, const trm_array *field,
                                const trm_array *solid, const trm_streams *lines, int last)
{
  run_picture shown;
  char *path = NULL;
  results_picture(out->chosen, run, declared(run, field->name), field, solid, &shown);
  TRM_TRY(results_picture_render(out->chosen, run, declared(run, field->name),
                                 lines->count ? lines : NULL, &shown));
  trm_status status = results_picture_grid(out->chosen, declared(run, field->name), &shown);
  if (status == TRM_OK)
    status = field_path(out, field->name, run->steps_done, last, "png", &path);
  if (status == TRM_OK) status = trm_png_write(path, &shown.picture);
  trm_rendered_free(&shown.rendered);
  free(shown.edges);
  if (status == TRM_OK) status = number_last(out, run, field->name, last, "png");
  free(path);
  return status;
}

/* A picture is of a whole field, which is let go before the next. */
static trm_status show_field(const results *out, session *run, size_t index,
                             const trm_streams *lines, int last)
{
  const trm_field *flags = results_solid(run, &run->solver->fields[index]);
  trm_array field = {0}, solid = {0};
  trm_status status = session_read(run, index, &field);
  if (status == TRM_OK && flags)
    status = session_read(run, (size_t)(flags - run->solver->fields), &solid);
  if (status == TRM_OK)
    status = write_picture(out, run, &field, flags ? &solid : NULL, lines, last);
  free((void *)field.data);
  free((void *)solid.data);
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

/* fields.pvd: the .vti files so far with their times, for ParaView. */
static const char collection_end[] = "  </Collection>\n</VTKFile>\n";

trm_status results_read_collection(const results *out, char **text)
{
  char *path = NULL;
  if (!out->collection) {
    *text = out->collected ? strdup(out->collected) : NULL;
    return *text || !out->collected ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for fields.pvd");
  }
  TRM_TRY(trm_path_join(out->folder, "fields.pvd", &path));
  const trm_status status = trm_file_load(path, SIZE_MAX, text, NULL);
  free(path);
  return status;
}

static trm_status open_collection(results *out)
{
  static const char head[] =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n";
  const size_t end = sizeof collection_end - 1;
  const size_t known = out->collected ? strlen(out->collected) : 0;
  char *path = NULL;
  TRM_TRY(trm_path_join(out->folder, "fields.pvd", &path));
  const trm_status status = trm_file_create(path, &out->collection);
  free(path);
  TRM_TRY(status);
  if (known > end) return trm_file_write(out->collection, out->collected, known - end);
  return trm_file_print(out->collection, "%s", head);
}

/* The end of the file makes room for one line more, and comes again. */
static trm_status write_collection(results *out, const char *path, double time, int part,
                                   int last)
{
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  const int is_first = !out->collection;
  if (is_first) TRM_TRY(open_collection(out));
  else TRM_TRY(trm_file_back(out->collection, sizeof collection_end - 1));
  TRM_TRY(trm_file_print(out->collection,
                         "    <DataSet timestep=\"%.17g\" part=\"%d\" file=\"%s\"/>\n%s",
                         time, part, name, collection_end));
  if (last) return trm_file_commit(&out->collection);
  return is_first ? trm_file_publish(out->collection) : trm_file_flush(out->collection);
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
  if (status == TRM_OK) status = write_collection(out, path, solver->time, 0, last);
  free(path);
  return status;
}

static trm_status write_vtu(results *out, session *run, int last)
{
  char *path = NULL;
  TRM_TRY(field_path(out, "fields", run->steps_done, last, "vtu", &path));
  trm_status status = results_write_leaves(out, run, path);
  if (status == TRM_OK) status = number_last(out, run, "fields", last, "vtu");
  if (status == TRM_OK && !(out->chosen->settings.formats & OUTPUT_VTI))
    status = write_collection(out, path, run->solver->time, 0, last);
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
        is_of_bodies(places, &solver->fields[i]))
      status = session_read(run, i, &arrays[count++]);
  const trm_vtp bodies = {arrays, arrays + 1, count - 1, run->steps_done, solver->time};
  if (status == TRM_OK) status = field_path(out, "bodies", run->steps_done, last, "vtp", &path);
  if (status == TRM_OK) status = trm_vtp_write(path, &bodies);
  if (status == TRM_OK) status = number_last(out, run, "bodies", last, "vtp");
  if (status == TRM_OK) status = write_collection(out, path, solver->time, 1, is_end);
  for (size_t i = 0; i < count; i++) free((void *)arrays[i].data);
  free(path);
  return status;
}

/* The lines that pictures show. */
static trm_status write_streams(results *out, session *run, int last, trm_streams *lines)
{
  const int is_file = (out->chosen->settings.formats & (OUTPUT_VTI | OUTPUT_VTU)) != 0;
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
  const trm_field *places = find_places(out, run);
  trm_array image[64];
  size_t images = 0;
  for (size_t i = 0; i < run->solver->field_count; i++) {
    const trm_field *field = &run->solver->fields[i];
    const trm_array shape = {field->name, field->unit, field->type, field->components,
                             field->nx, field->ny, field->nz, NULL};
    if (!out->selected[i]) continue;
    if (formats & OUTPUT_NPY) TRM_TRY(write_npy(out, run, &shape, last));
    if ((formats & OUTPUT_PNG) && out->pictured[i]) TRM_TRY(show_field(out, run, i, lines, last));
    if (is_of_bodies(places, field)) continue;
    const int same = images == 0 || (image[0].nx == field->nx && image[0].ny == field->ny &&
                                     image[0].nz == field->nz);
    if (same && images < sizeof image / sizeof image[0]) image[images++] = shape;
    else if (formats & OUTPUT_VTI)
      log_say(out->log, TRM_LOG_WARNING, "field '%s' has another shape than '%s' and is left out "
              "of fields.vti; --formats=npy writes it", field->name, image[0].name);
  }
  if ((formats & OUTPUT_VTI) && places)
    TRM_TRY(write_vtp(out, run, places, last, last && images == 0));
  if (formats & OUTPUT_VTU) TRM_TRY(write_vtu(out, run, last));
  return (formats & OUTPUT_VTI) && images ? write_vti(out, run, image, images, last) : TRM_OK;
}

trm_status results_write_fields(results *out, session *run, int last)
{
  const unsigned any = OUTPUT_PNG | OUTPUT_VTI | OUTPUT_VTU | OUTPUT_NPY;
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
