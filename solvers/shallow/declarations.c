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

static void declare_book(shallow_solver *swe, const char *length)
{
  declare_field(swe, "passed", length, 1, 0,
                "water that passed each face of the edges, as depth of a cell, and its rest");
  trm_field *book = &swe->fields[swe->base.field_count - 1];
  book->buffer = swe->book;
  book->nx = shallow_book_reals(swe);
  book->ny = 1;
  book->flags = TRM_FIELD_STATE | TRM_FIELD_LIST;
  book->layout = (trm_layout){ .row = book->nx, .component = book->nx, .elements = book->nx };
  book->terms = swe->deepest;
}

static void declare_fields(shallow_solver *swe)
{
  const char *length = swe->course ? "km" : "m", *speed = swe->course ? "km/h" : "m/s";
  const char *flow = swe->course ? "km^2/h" : "m^2/s", *time = swe->course ? "h" : "s";
  declare_field(swe, "h", length, 1, 0, "depth of the water");
  declare_field(swe, "hu", flow, 1, 1, "discharge along x a unit of width");
  declare_field(swe, "hv", flow, 1, 2, "discharge along y a unit of width");
  declare_field(swe, "time", time, 2, 0, "time of the state, and its rounding error");
  trm_field *clock = &swe->fields[3];
  clock->nx = clock->ny = 1;
  clock->flags = TRM_FIELD_LIST;
  clock->layout = (trm_layout){ .first = SHALLOW_TIME, .row = 1, .component = 1, .elements = 2 };
  for (int i = 0; i < 4; i++) swe->fields[i].flags |= TRM_FIELD_STATE;
  swe->fields[1].in_picture = swe->fields[2].in_picture = TRM_PICTURE_SIGNED;
  declare_field(swe, "surface", length, 1, 0,
                "height of the water's surface; of the bed where dry");
  swe->fields[4].in_picture = TRM_PICTURE_SHOWN | TRM_PICTURE_SIGNED;
  swe->fields[4].middle = swe->still_level;
  swe->fields[4].offset = swe->reference;
  swe->base.length_unit = length;
  swe->base.time_unit = time;
  declare_field(swe, "velocity", speed, 2, 1, "u, v; 0 where dry");
  declare_field(swe, "speed", speed, 1, 3, "|u|");
  declare_field(swe, "bed", length, 1, 0, "height of the bed");
  swe->fields[7].buffer = swe->bed;
  swe->fields[7].layout = swe->bed_layout;
  swe->fields[7].offset = swe->reference;
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
  if (swe->p.scheme == SHALLOW_HLLC) declare_book(swe, length);
  if (swe->p.exact) {
    declare_field(swe, "h_rest", length, 1, 3,
                  "part of h that rounding took, to be added to h later");
    trm_field *rest = &swe->fields[swe->base.field_count - 1];
    rest->buffer = swe->state[0];
    rest->flags = TRM_FIELD_STATE;
    rest->terms = swe->deepest;
  }
  shallow_place_fields(swe);
}

/* Water at rest, and the momentum across a stream, move only by the rounding of fluxes that cancel.
 * These are the fluxes of the pressure, which waves of sqrt(g h) carry. */
static void declare_terms(shallow_solver *swe)
{
  const double wave_speed = sqrt(swe->p.g * swe->deepest);
  swe->fields[1].terms = swe->fields[2].terms = swe->deepest * wave_speed;
  swe->fields[4].terms = swe->deepest;
  swe->fields[5].terms = swe->fields[6].terms = wave_speed;
  if (swe->has_maps) swe->fields[10].terms = wave_speed;
}

static void declare_series(shallow_solver *swe)
{
  const char *time = swe->course ? "h" : "s", *length = swe->course ? "km" : "m";
  const trm_type type = swe->real_type;
  trm_series *series = swe->series;
  series[0] = (trm_series){ "dt", time, swe->series_buffer, type, 1.0, 0, 0.0, 0.0 };
  series[1] = (trm_series){ "time", time, swe->series_buffer, type, 1.0, SHALLOW_BATCH_LIMIT,
                            0.0, 0.0 };
  series[2] = (trm_series){ "rate", swe->course ? "1/h" : "1/s", swe->series_buffer, type, 1.0,
                            2 * SHALLOW_BATCH_LIMIT, 0.0, 0.0 };
  for (int i = 0; i < swe->p.gauges; i++)
    series[SHALLOW_SERIES + i] =
      (trm_series){ swe->gauges[i].name, length, swe->series_buffer, type, 1.0,
                    (size_t)(SHALLOW_SERIES + i) * SHALLOW_BATCH_LIMIT, swe->deepest,
                    swe->reference };
  swe->base.series = series;
  swe->base.series_count = (size_t)(SHALLOW_SERIES + swe->p.gauges);
}

/* Operations a cell, counted (tests/dialect/traffic.sh): reciprocals and roots take more of them
 * in f64. begin: of HLLC, once a column of a block of rows. */
typedef struct operations {
  double lf, hllc, begin, friction, exact, start_lf, start_hllc, maps;
} operations;
static const operations in_f32 = { 81.0, 205.0, 146.0, 211.0, 18.0, 24.0, 23.0, 8.9 };
static const operations in_f64 = { 89.0, 345.0, 310.0, 305.0, 21.0, 32.0, 31.0, 25.5 };

/* Reals of the book, for the edges that are not walls. */
static size_t booked_reals(const shallow_solver *swe)
{
  size_t faces = 0;
  for (int side = 0; side < SHALLOW_SIDES; side++)
    if (swe->sides[side].kind != SHALLOW_WALL) faces += (size_t)(side < 2 ? swe->p.ny : swe->p.nx);
  return 2 * faces;
}

/* Lax-Friedrichs: state and two slopes read, state written. HLLC: state and bed read and a state
 * written; then the same once more, with the step's begin read. A depth's rounding error is read
 * and written with the depth, and faces of the edges are booked. shallow_start runs at the begin of
 * a batch. */
static void declare_traffic(shallow_solver *swe, double cells, double bytes)
{
  const int is_hllc = swe->p.scheme == SHALLOW_HLLC;
  const operations *of = swe->real_type == TRM_TYPE_F64 ? &in_f64 : &in_f32;
  const double friction = swe->p.friction > 0.0 ? of->friction : 0.0;
  const double exact = swe->p.exact ? of->exact : 0.0, rests = swe->p.exact ? bytes : 0.0;
  const double hllc = of->hllc + of->begin / swe->p.rows + friction + exact;
  const double booked = bytes / cells * (double)booked_reals(swe);
  trm_traffic *traffic = swe->traffic;
  size_t count = 1;
  if (swe->implementation) count = shallow_implementation_declare(swe, traffic);
  else if (is_hllc)
    traffic[0] = (trm_traffic){ "shallow_hllc", 5.5 * bytes + 1.5 * rests + booked,
                                3.0 * bytes + rests + booked, hllc * cells, 2.0 };
  else if (swe->p.every > 1) /* a reciprocal by each neighbour, not once */
    traffic[0] = (trm_traffic){ "shallow_lf_line", 5.0 * bytes, 3.0 * bytes, (of->lf + 3.0) * cells,
                                1.0 };
  else traffic[0] = (trm_traffic){ "shallow_lf", 5.0 * bytes, 3.0 * bytes, of->lf * cells, 1.0 };
  traffic[count++] = (trm_traffic){ "shallow_start", 3.0 * bytes, 2.0 * bytes,
                              (is_hllc ? of->start_hllc : of->start_lf) * cells, 0.0 };
  if (swe->has_maps)
    traffic[count++] = (trm_traffic){ "shallow_maps", 7.0 * bytes, 3.0 * bytes, of->maps * cells,
                                      1.0 };
  swe->base.traffic = traffic;
  swe->base.traffic_count = count;
}

static void declare_results(shallow_solver *swe)
{
  static const char *const balance[] = {
    "balance_start", "balance_west", "balance_east", "balance_south", "balance_north",
    "balance_end", "balance_remainder", "balance_relative" };
  const char *volume = swe->course ? "km^3" : "m^3";
  trm_result *results = swe->results;
  results[SHALLOW_AT_TIME] = (trm_result){ "time", swe->course ? "h" : "s", NAN };
  results[SHALLOW_VOLUME] = (trm_result){ "volume", volume, NAN };
  results[SHALLOW_CHANGE] = (trm_result){ "volume_change", "1", NAN };
  swe->base.result_count = SHALLOW_AT_START;
  if (swe->p.every > 1) {
    results[SHALLOW_SET_EARLY] = (trm_result){ "lengths_set_early", "1", NAN };
    swe->base.result_count++;
  }
  if (swe->p.scheme != SHALLOW_HLLC) return;
  for (size_t i = 0; i < sizeof balance / sizeof *balance; i++)
    results[SHALLOW_AT_START + i] = (trm_result){ balance[i], volume, NAN };
  results[SHALLOW_RELATIVE].unit = "1";
  swe->base.result_count = SHALLOW_RELATIVE + 1;
}

void shallow_declare(shallow_solver *swe)
{
  const double cells = (double)swe->p.nx * swe->p.ny;
  const double bytes = (double)trm_type_size(swe->real_type) * cells;
  declare_fields(swe);
  declare_terms(swe);
  declare_series(swe);
  declare_traffic(swe, cells, bytes);
  declare_results(swe);
  swe->kept[0] = (trm_kept){ "clock", swe->real_type, swe->clock, 0, SHALLOW_OUTSIDE };
  swe->kept[1] = (trm_kept){ "tally", TRM_TYPE_I32, swe->tally, 0, SHALLOW_TABLES };
  swe->base.kept = swe->kept;
  swe->base.kept_count = 2;
  swe->base.fields = swe->fields;
  swe->base.results = swe->results;
  swe->base.cells = cells;
  swe->base.batch_limit = SHALLOW_BATCH_LIMIT;
  swe->base.program = swe->implementation
                        ? shallow_implementation_program(swe)
                        : trm_program_describe(swe->programs[SHALLOW_OF_SCHEME].program);
}
