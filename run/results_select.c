/* results_select.c - the fields of an output: which are written, and which shown. */
#include "run/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/results_picture.h"
#include "run/results_streams.h"
#include "io/png.h"

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
      (formats & (OUTPUT_VTK | OUTPUT_NPY)))
    return TRM_OK;
  for (size_t i = 0; i < run->solver->field_count; i++)
    if (out->selected[i] && !out->pictured[i])
      return TRM_FAIL(INPUT, "%s: '%s' has no picture (one is of real numbers on a grid), and "
                      "output.formats names no other file for it; add npy, or leave the field out",
                      trm_config_origin(out->chosen->config, "output.fields"),
                      run->solver->fields[i].name);
  return TRM_OK;
}

/* Refuses impossible pictures, and warns of programs or libraries that they lack on this
 * machine. */
static trm_status check_pictures(const results *out, const session *run)
{
  int count = 0;
  if (!(out->chosen->settings.formats & OUTPUT_PNG)) return TRM_OK;
  for (size_t i = 0; i < run->solver->field_count; i++) {
    if (!out->pictured[i]) continue;
    TRM_TRY(results_picture_check(out->chosen, run, &run->solver->fields[i]));
    count++;
  }
  const char *missing = count ? trm_font_missing() : NULL;
  if (missing) log_say(out->log, TRM_LOG_WARNING, "%s", missing);
  return TRM_OK;
}

const trm_field *results_places(const results *out, const session *run)
{
  for (size_t i = 0; i < run->solver->field_count; i++) {
    const trm_field *field = &run->solver->fields[i];
    if (out->selected[i] && (field->flags & TRM_FIELD_LIST) && field->components == 3 &&
        strcmp(field->name, "position") == 0)
      return field;
  }
  return NULL;
}

int results_is_of_bodies(const trm_field *places, const trm_field *field)
{
  return places && field->nx == places->nx && (field->flags & TRM_FIELD_LIST);
}

int results_have_exports(const results *out, const session *run)
{
  return (out->chosen->settings.formats & OUTPUT_COURSE) && out->chosen->type->export_files &&
         !run->solver->unexported;
}

/* A solver's own files alone are refused where it has none: nothing would be written. */
static trm_status check_exports(const results *out, const session *run)
{
  const char *why = run->solver->unexported;
  if (out->chosen->settings.formats != OUTPUT_COURSE || results_have_exports(out, run))
    return TRM_OK;
  return TRM_FAIL(INPUT, "%s: output.formats is course alone, and solver '%s' has no files of its "
                  "own%s%s; name another format, or none",
                  trm_config_origin(out->chosen->config, "output.formats"),
                  out->chosen->type->name, why ? " here, since " : "", why ? why : "");
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
  TRM_TRY(check_exports(out, run));
  TRM_TRY(results_check_leaves(out, run));
  TRM_TRY(results_streams_check(out->chosen, run));
  return check_pictures(out, run);
}
