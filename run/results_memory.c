/* results_memory.c - the host's memory that an output takes. */
#include "run/results.h"

#include <math.h>
#include <stdlib.h>

#include "run/results_picture.h"
#include "run/results_streams.h"

static double field_bytes(const trm_field *field)
{
  size_t elements = 0;
  return trm_field_elements(field, &elements) == TRM_OK
           ? (double)elements * (double)trm_type_size(field->type) : 0;
}

/* A solver's own files take at most as much host memory as its derived fields. */
static int is_exported(const results *out, const session *run, size_t field)
{
  return results_have_exports(out, run) && !(run->solver->fields[field].flags & TRM_FIELD_HASHED);
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
  const trm_field *places = results_places(out, run);
  double picture = 0, bodies = 0, exports = 0; /* one after the other; other files go in parts */
  for (size_t i = 0; i < run->solver->field_count; i++) {
    const trm_field *field = &run->solver->fields[i];
    const double bytes = field_bytes(field);
    if (((formats & OUTPUT_PNG) && out->pictured[i]) || (int)i == out->movie)
      picture = fmax(picture, results_picture_bytes(out->chosen, run, field));
    if ((formats & OUTPUT_VTK) && out->selected[i] && results_is_of_bodies(places, field))
      bodies += bytes;
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
