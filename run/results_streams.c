/* results_streams.c - output.streamlines: lines along the velocity of a run. */
#include "run/results_streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/results_picture.h"

static const trm_field *velocity_of(const session *run)
{
  for (size_t i = 0; i < run->solver->field_count; i++)
    if (strcmp(run->solver->fields[i].name, "velocity") == 0) return &run->solver->fields[i];
  return NULL;
}

/* A side of 0 is one of 1. */
static trm_stream_flow flow_of(const session *run, const trm_array *velocity,
                               const trm_array *solid)
{
  trm_stream_flow flow = {.velocity = velocity, .solid = solid};
  for (int a = 0; a < 3; a++) {
    flow.origin[a] = run->solver->origin[a];
    flow.side[a] = run->solver->spacing[a] > 0 ? run->solver->spacing[a] : 1;
  }
  return flow;
}

trm_status results_streams_check(const run_case *chosen, const session *run)
{
  const char *text = chosen->settings.streamlines;
  const char *origin = trm_config_origin(chosen->config, "output.streamlines");
  const trm_field *field = velocity_of(run);
  double (*places)[3] = NULL;
  size_t count;
  if (!text[0]) return TRM_OK;
  if (!field || field->components != 3 || field->nz < 2)
    return TRM_FAIL(INPUT,
                    "%s: output.streamlines = '%s', and solver '%s' has no velocity in three "
                    "dimensions here; leave the key out",
                    origin, text, chosen->type->name);
  if (!(chosen->settings.formats & OUTPUT_VTK) &&
      strcmp(chosen->settings.rendering, "plane") == 0)
    return TRM_FAIL(INPUT, "%s: output.streamlines = '%s' are written where output.formats has "
                    "vti, vtu or htg, and shown by an output.rendering other than plane; give one "
                    "of them", origin, text);
  const trm_array shape = {field->name, field->unit, field->type, 3, field->nx, field->ny,
                           field->nz, NULL};
  const trm_stream_flow flow = flow_of(run, &shape, NULL);
  TRM_TRY(trm_streams_seed(&flow, text, origin, &places, &count));
  free(places);
  return TRM_OK;
}

double results_streams_bytes(const run_case *chosen, const session *run)
{
  const trm_field *field = velocity_of(run), *solid = field ? results_solid(run, field) : NULL;
  size_t elements = 0, flags = 0;
  if (!chosen->settings.streamlines[0] || !field ||
      trm_field_elements(field, &elements) != TRM_OK)
    return 0;
  if (solid && trm_field_elements(solid, &flags) != TRM_OK) return 0;
  return (double)elements * (double)trm_type_size(field->type) + (double)flags;
}

/* Seeds that solid cells have taken all of are a warning: the run is done. */
static trm_status trace(const results *out, const trm_stream_flow *flow, trm_streams *streams)
{
  double (*places)[3] = NULL;
  size_t count;
  const char *key = "output.streamlines";
  const trm_status status = trm_streams_seed(flow, out->chosen->settings.streamlines,
                                             trm_config_origin(out->chosen->config, key), &places,
                                             &count);
  if (status == TRM_ERROR_INPUT) {
    log_say(out->log, TRM_LOG_WARNING, "%s", trm_error_last()->text);
    return TRM_OK;
  }
  TRM_TRY(status);
  const trm_status traced = trm_streams_trace(flow, places, count, streams);
  free(places);
  return traced;
}

trm_status results_streams_make(const results *out, session *run, const char *path,
                                trm_streams *streams)
{
  trm_array velocity = {0}, solid = {0};
  const trm_field *field = velocity_of(run);
  *streams = (trm_streams){0};
  if (!out->chosen->settings.streamlines[0]) return TRM_OK;
  const trm_field *flags = results_solid(run, field);
  trm_status status = session_read(run, (size_t)(field - run->solver->fields), &velocity);
  if (status == TRM_OK && flags)
    status = session_read(run, (size_t)(flags - run->solver->fields), &solid);
  const trm_stream_flow flow = flow_of(run, &velocity, flags ? &solid : NULL);
  if (status == TRM_OK) status = trace(out, &flow, streams);
  if (status == TRM_OK && path && streams->count > 0)
    status = trm_streams_write(path, &flow, streams, run->steps_done, run->solver->time);
  if (status != TRM_OK) trm_streams_free(streams);
  free((void *)velocity.data);
  free((void *)solid.data);
  return status;
}
