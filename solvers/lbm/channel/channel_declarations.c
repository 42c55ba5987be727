/* channel_declarations.c - what a flow between boundaries tells of itself: fields, series, traffic,
 * results. */
#include "solvers/lbm/channel/channel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- fields ------------------------------------------------------------------ */

static trm_field *declare_field(channel_solver *flow, const char *name, int components,
                                size_t component, const char *help)
{
  trm_field *field = &flow->fields[flow->base.field_count++];
  *field = (trm_field){ .name = name, .unit = "lattice", .help = help,
                        .type = trm_real_type(flow->precision), .components = components,
                        .nx = (size_t)flow->nx, .ny = (size_t)flow->ny, .nz = 1,
                        .layout = flow->layout };
  field->layout.first += component * flow->layout.component;
  return field;
}

/* The derived fields lie in the lattice that the next step overwrites. */
void channel_place_fields(channel_solver *flow)
{
  flow->fields[0].buffer = flow->lattice[flow->current];
  for (int i = 1; i < 5; i++) flow->fields[i].buffer = flow->lattice[!flow->current];
}

static void declare_fields(channel_solver *flow)
{
  declare_field(flow, "populations", LBM_POPULATIONS, 0,
                "0 rest, 1 E, 2 N, 3 W, 4 S, 5 NE, 6 NW, 7 SW, 8 SE; post-collision")->flags =
    TRM_FIELD_STATE;
  declare_field(flow, "velocity", 2, 0, "u_x, u_y");
  declare_field(flow, "density", 1, 2, "density; a third of it is the pressure");
  declare_field(flow, "speed", 1, 3, "|u|")->in_picture = 1;
  declare_field(flow, "vorticity", 1, 4, "d(u_y)/dx - d(u_x)/dy")->in_picture =
    TRM_PICTURE_BULK;
  trm_field *solid = declare_field(flow, "solid", 1, 0, "1 where the cell is solid");
  solid->unit = "1";
  solid->type = TRM_TYPE_U8;
  solid->buffer = flow->flags;
  solid->layout = flow->flags_layout;
  channel_place_fields(flow);
}

/* ---- series -------------------------------------------------------------------- */

/* Forces become coefficients where there is a speed to relate them to. */
static double coefficient_of(const channel_solver *flow)
{
  const double speed = flow->reference_speed;
  return speed > 0.0 && flow->length > 0.0 ? 0.5 * speed * speed * flow->length : 1.0;
}

static void declare_one(channel_solver *flow, const char *unit, double divisor)
{
  const size_t i = flow->base.series_count++;
  flow->series[i] = (trm_series){ flow->names[i], unit, flow->values,
                                  trm_real_type(flow->precision), divisor, i * CHANNEL_BATCH };
}

static void declare_series(channel_solver *flow, const channel_scene *scene)
{
  static const char *const parts[] = { "u", "v", "density" };
  const char *unit = flow->reference_speed > 0.0 ? "1" : "lattice";
  const char *const forces[] = { "drag", "lift" };
  for (size_t i = 0; i < 2 && flow->has_forces; i++) {
    snprintf(flow->names[flow->base.series_count], sizeof flow->names[0], "%s", forces[i]);
    declare_one(flow, unit, coefficient_of(flow));
  }
  for (int probe = 0; probe < scene->probe_count; probe++)
    for (int part = 0; part < 3; part++) {
      snprintf(flow->names[flow->base.series_count], sizeof flow->names[0], "probe%d_%s", probe + 1,
               parts[part]);
      declare_one(flow, "lattice", 1.0);
    }
}

/* ---- traffic --------------------------------------------------------------------- */

/* A pass in one launch. Words of 32 cells are read twice: the script's walls and its marks, or
 * marks and their numbers. A marked cell of a channel is done again, with three links of four
 * reals. */
static trm_traffic step_traffic(const channel_solver *flow, double cells, double size,
                                double words)
{
  const int is_forced = flow->force_x != 0.0 || flow->force_y != 0.0;
  const double flops = flow->is_regularised ? (is_forced ? 139.0 : 106.0)
                                            : (is_forced ? 133.0 : 112.0);
  const double marks = flow->is_geneva ? 0.0 : flow->marks;
  return (trm_traffic){ channel_step_name(flow),
                        9.0 * size * cells + 2.0 * words + (4.0 + 12.0 * size) * marks,
                        9.0 * size * cells,
                        flow->is_geneva ? 84.0 * cells : flops * cells + (flops + 35.0) * marks,
                        1.0 };
}

/* What a launch must read and write: reals of each of its cells, and bits or words of 32 cells. */
static void declare_traffic(channel_solver *flow)
{
  static const struct { const char *kernel; int read, written, flops, is_column; } split[8] = {
    { "streaming_step", 9, 9, 0, 0 }, { "outflow", 3, 3, 0, 1 }, { "macroscopic", 9, 3, 17, 0 },
    { "inflow", 7, 3, 8, 1 }, { "equilibrium", 3, 9, 40, 0 }, { "update_fin", 9, 3, 6, 1 },
    { "collision", 18, 9, 27, 0 }, { "bounce_back", 18, 9, 0, 0 }
  };
  const double cells = (double)flow->nx * flow->ny;
  const double size = (double)trm_type_size(trm_real_type(flow->precision));
  const double words = (double)(((size_t)flow->nx + 31) / 32 * (size_t)flow->ny) * 4.0;
  trm_traffic *traffic = flow->traffic;
  flow->base.traffic_count = flow->is_split ? 8 : 1;
  if (!flow->is_split) traffic[0] = step_traffic(flow, cells, size, words);
  if (!flow->is_split) return;
  for (int i = 0; i < 8; i++) {
    const double count = split[i].is_column ? flow->ny : cells;
    traffic[i] = (trm_traffic){ split[i].kernel,
                                split[i].read * size * count + (i == 7 ? words : 0.0),
                                split[i].written * size * count, split[i].flops * count, 1.0 };
  }
}

void channel_declare(channel_solver *flow, const channel_scene *scene)
{
  trm_solver *base = &flow->base;
  declare_fields(flow);
  declare_series(flow, scene);
  declare_traffic(flow);
  static const char *const names[] = { "reynolds", "mach", "omega", "mass", "drag_mean", "drag_max",
                                       "drag_min", "lift_max", "lift_min", "periods", "period",
                                       "strouhal" };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    flow->results[i] = (trm_result){ names[i], i == 10 ? "steps" : i == 3 ? "lattice" : "1", NAN };
  base->fields = flow->fields;
  base->series = flow->series;
  base->traffic = flow->traffic;
  base->results = flow->results;
  base->result_count = 4; /* more when there are statistics */
  base->cells = (double)flow->nx * flow->ny;
  base->batch_limit = CHANNEL_BATCH;
  base->program = trm_program_describe(flow->program);
}

/* ---- results --------------------------------------------------------------------- */

static trm_status read_statistics(const channel_solver *flow, double out[SHED_VALUES])
{
  float single[SHED_VALUES];
  if (flow->precision == TRM_F64)
    return trm_buffer_read(flow->statistics, 0, SHED_VALUES * sizeof *out, out);
  TRM_TRY(trm_buffer_read(flow->statistics, 0, sizeof single, single));
  for (int i = 0; i < SHED_VALUES; i++) out[i] = (double)single[i];
  return TRM_OK;
}

/* The sum of the density over fluid cells, in their order. */
static trm_status measure_mass(const channel_solver *flow, double *out)
{
  const trm_field *density = &flow->fields[2], *solid = &flow->fields[5];
  const size_t cells = density->nx * density->ny;
  void *values = malloc(cells * trm_type_size(density->type));
  uint8_t *is_solid = malloc(cells);
  trm_status status = TRM_OK;
  if (!values || !is_solid) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the density");
  if (status == TRM_OK) status = trm_field_read(density, values);
  if (status == TRM_OK) status = trm_field_read(solid, is_solid);
  double sum = 0, rest = 0;
  for (size_t i = 0; status == TRM_OK && i < cells; i++) {
    const double value = density->type == TRM_TYPE_F64 ? ((const double *)values)[i]
                                                       : (double)((const float *)values)[i];
    const double small = is_solid[i] ? -rest : value - rest, next = sum + small;
    rest = (next - sum) - small;
    sum = next;
  }
  free(is_solid);
  free(values);
  *out = sum;
  return status;
}

trm_status channel_finish(trm_solver *solver, const double *series_last)
{
  channel_solver *flow = (channel_solver *)solver;
  double shed[SHED_VALUES], mass;
  trm_result *results = flow->results;
  (void)series_last;
  TRM_TRY(measure_mass(flow, &mass));
  results[0].value = flow->reference_speed * flow->reynolds_dim / flow->viscosity;
  results[1].value = flow->reference_speed * sqrt(3.0);
  results[2].value = flow->omega;
  results[3].value = mass;
  if (!flow->has_forces) return TRM_OK;
  TRM_TRY(read_statistics(flow, shed));
  if (shed[SHED_SINCE] == 0.0) return TRM_OK;
  solver->result_count = 10;
  const double scale = coefficient_of(flow), periods = shed[SHED_CROSSINGS] - 1.0;
  results[4].value = shed[SHED_DRAG_SUM] / shed[SHED_SINCE] / scale;
  results[5].value = shed[SHED_DRAG_MAX] / scale;
  results[6].value = shed[SHED_DRAG_MIN] / scale;
  results[7].value = shed[SHED_LIFT_MAX] / scale;
  results[8].value = shed[SHED_LIFT_MIN] / scale;
  results[9].value = periods > 0 ? periods : 0.0;
  if (periods < SHED_PERIODS) return TRM_OK;
  const double period = ((shed[SHED_LAST] - shed[SHED_FIRST]) +
                         (shed[SHED_LAST_PART] - shed[SHED_FIRST_PART])) / periods;
  if (period < sqrt(3.0) * flow->length) return TRM_OK; /* sound does not pass the body so fast */
  solver->result_count = flow->reference_speed > 0.0 ? 12 : 11;
  results[10].value = period;
  if (flow->reference_speed > 0.0)
    results[11].value = flow->length / (period * flow->reference_speed);
  return TRM_OK;
}
