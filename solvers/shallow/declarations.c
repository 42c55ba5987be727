/* declarations.c - the declarations of a run: fields, series, traffic, results. */
#include "solvers/shallow/shallow.h"

#include <math.h>

static void declare_field(shallow_solver *swe, const char *name, const char *unit, int components,
                          size_t component, const char *help)
{
  trm_field *field = &swe->fields[swe->base.field_count++];
  *field = (trm_field){ .name = name, .unit = unit, .help = help,
                        .type = swe->real_type, .components = components,
                        .nx = (size_t)swe->p.nx, .ny = (size_t)swe->p.ny, .nz = 1,
                        .layout = swe->layout };
  field->layout.first += component * swe->layout.component;
}

/* The derived fields lie in the state that the next step overwrites. */
void shallow_place_fields(shallow_solver *swe)
{
  for (int i = 0; i < 3; i++) swe->fields[i].buffer = swe->state[swe->current];
  swe->fields[3].buffer = swe->clock;
  for (int i = 4; i < 7; i++) swe->fields[i].buffer = swe->state[!swe->current];
}

static void declare_fields(shallow_solver *swe)
{
  const char *length = swe->course ? "km" : "m", *speed = swe->course ? "km/h" : "m/s";
  const char *flow = swe->course ? "km^2/h" : "m^2/s", *time = swe->course ? "h" : "s";
  declare_field(swe, "h", length, 1, 0, "depth of the water");
  declare_field(swe, "hu", flow, 1, 1, "discharge along x a unit of width");
  declare_field(swe, "hv", flow, 1, 2, "discharge along y a unit of width");
  declare_field(swe, "time", time, 2, 0, "time of the state, and what rounding took from it");
  trm_field *clock = &swe->fields[3];
  clock->nx = clock->ny = 1;
  clock->flags = TRM_FIELD_LIST;
  clock->layout = (trm_layout){ .first = SHALLOW_TIME, .row = 1, .component = 1, .elements = 2 };
  for (int i = 0; i < 4; i++) swe->fields[i].flags |= TRM_FIELD_STATE;
  swe->fields[1].in_picture = swe->fields[2].in_picture = TRM_PICTURE_SIGNED;
  declare_field(swe, "surface", length, 1, 0,
                "height of the water's surface; of the bed where dry");
  swe->fields[4].in_picture = TRM_PICTURE_SHOWN | TRM_PICTURE_SIGNED;
  swe->fields[4].middle = swe->p.still_level;
  swe->base.length_unit = length;
  swe->base.time_unit = time;
  declare_field(swe, "velocity", speed, 2, 1, "u, v; 0 where dry");
  declare_field(swe, "speed", speed, 1, 3, "|u|");
  declare_field(swe, "bed", length, 1, 0, "height of the bed");
  swe->fields[7].buffer = swe->bed;
  swe->fields[7].layout = swe->bed_layout;
  declare_field(swe, "land", "1", 1, 0, "1 where the water is no deeper than shallow.arrival");
  swe->fields[8].buffer = swe->land;
  swe->fields[8].type = TRM_TYPE_U8;
  swe->fields[8].layout = swe->land_layout;
  if (swe->has_maps) {
    declare_field(swe, "greatest_depth", length, 1, 0, "the largest depth so far");
    declare_field(swe, "greatest_speed", speed, 1, 1, "the largest speed so far");
    declare_field(swe, "arrival", time, 1, 2,
                  "when the surface first departed from the still level; -1: not yet");
    swe->fields[11].in_picture = TRM_PICTURE_TIMES;
    for (int i = 9; i < 12; i++) {
      swe->fields[i].buffer = swe->maps;
      swe->fields[i].flags = TRM_FIELD_KEPT;
    }
  }
  shallow_place_fields(swe);
}

/* Water at rest, and a stream across itself, move by nothing but the rounding of fluxes that
 * cancel: those of the pressure, which waves of sqrt(g h) carry. */
static void declare_terms(shallow_solver *swe)
{
  const double pace = sqrt(swe->p.g * swe->deepest);
  swe->fields[1].terms = swe->fields[2].terms = swe->deepest * pace;
  swe->fields[4].terms = swe->deepest;
  swe->fields[5].terms = swe->fields[6].terms = pace;
  if (swe->has_maps) swe->fields[10].terms = pace;
}

static void declare_series(shallow_solver *swe)
{
  const char *time = swe->course ? "h" : "s", *length = swe->course ? "km" : "m";
  const trm_type type = swe->real_type;
  trm_series *series = swe->series;
  series[0] = (trm_series){ "dt", time, swe->series_buffer, type, 1.0, 0, 0.0 };
  series[1] = (trm_series){ "time", time, swe->series_buffer, type, 1.0, SHALLOW_BATCH_LIMIT,
                            0.0 };
  series[2] = (trm_series){ "rate", swe->course ? "1/h" : "1/s", swe->series_buffer, type, 1.0,
                            2 * SHALLOW_BATCH_LIMIT, 0.0 };
  for (int i = 0; i < swe->p.gauges; i++)
    series[SHALLOW_SERIES + i] =
      (trm_series){ swe->gauges[i].name, length, swe->series_buffer, type, 1.0,
                    (size_t)(SHALLOW_SERIES + i) * SHALLOW_BATCH_LIMIT, swe->deepest };
  swe->base.series = series;
  swe->base.series_count = (size_t)(SHALLOW_SERIES + swe->p.gauges);
}

/* Operations a cell, counted (tests/dialect/traffic.sh): reciprocals and roots take more of them
 * in f64. begin: of HLLC, once a column of a block of rows. */
typedef struct operations {
  double lf, hllc, begin, friction, start_lf, start_hllc, maps;
} operations;
static const operations in_f32 = { 81.0, 205.0, 146.0, 211.0, 24.0, 23.0, 8.9 };
static const operations in_f64 = { 89.0, 345.0, 310.0, 305.0, 32.0, 31.0, 25.5 };

/* Lax-Friedrichs: state and two slopes read, state written. HLLC: state and bed read and a state
 * written, and once more with the step's begin read. shallow_start runs at the begin of a batch. */
static void declare_traffic(shallow_solver *swe, double cells, double bytes)
{
  const int is_hllc = swe->p.scheme == SHALLOW_HLLC;
  const operations *of = swe->real_type == TRM_TYPE_F64 ? &in_f64 : &in_f32;
  const double friction = swe->p.friction > 0.0 ? of->friction : 0.0;
  const double hllc = of->hllc + of->begin / swe->p.rows + friction;
  trm_traffic *traffic = swe->traffic;
  if (is_hllc)
    traffic[0] = (trm_traffic){ "shallow_hllc", 5.5 * bytes, 3.0 * bytes, hllc * cells, 2.0 };
  else if (swe->p.every > 1) /* a reciprocal by each neighbour, not once */
    traffic[0] = (trm_traffic){ "shallow_lf_line", 5.0 * bytes, 3.0 * bytes, (of->lf + 3.0) * cells,
                                1.0 };
  else traffic[0] = (trm_traffic){ "shallow_lf", 5.0 * bytes, 3.0 * bytes, of->lf * cells, 1.0 };
  traffic[1] = (trm_traffic){ "shallow_start", 3.0 * bytes, 2.0 * bytes,
                              (is_hllc ? of->start_hllc : of->start_lf) * cells, 0.0 };
  traffic[2] = (trm_traffic){ "shallow_maps", 7.0 * bytes, 3.0 * bytes, of->maps * cells, 1.0 };
  swe->base.traffic = traffic;
  swe->base.traffic_count = swe->has_maps ? 3 : 2;
}

void shallow_declare(shallow_solver *swe)
{
  const double cells = (double)swe->p.nx * swe->p.ny;
  const double bytes = (double)trm_type_size(swe->real_type) * cells;
  declare_fields(swe);
  declare_terms(swe);
  declare_series(swe);
  declare_traffic(swe, cells, bytes);
  swe->results[0] = (trm_result){ "time", swe->course ? "h" : "s", NAN };
  swe->results[1] = (trm_result){ "volume", swe->course ? "km^3" : "m^3", NAN };
  swe->results[2] = (trm_result){ "volume_change", "1", NAN };
  swe->results[3] = (trm_result){ "lengths_set_early", "1", NAN };
  swe->kept[0] = (trm_kept){ "clock", swe->real_type, swe->clock, 0, SHALLOW_OUTSIDE };
  swe->kept[1] = (trm_kept){ "tally", TRM_TYPE_I32, swe->tally, 0, SHALLOW_TABLES };
  swe->base.kept = swe->kept;
  swe->base.kept_count = 2;
  swe->base.fields = swe->fields;
  swe->base.results = swe->results;
  swe->base.result_count = swe->p.every > 1 ? 4 : 3;
  swe->base.cells = cells;
  swe->base.batch_limit = SHALLOW_BATCH_LIMIT;
  swe->base.program = trm_program_describe(swe->program.program);
}
