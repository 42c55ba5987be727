/* channel_declarations.c - what a flow between boundaries tells of itself: fields, series, traffic,
 * results. */
#include "solvers/lbm/channel/channel.h"

#include <math.h>
#include <stdio.h>

/* ---- fields ------------------------------------------------------------------ */

static void declare_fields(lbm_box *box)
{
  lbm_declare(box, "populations", D2Q9, 0,
              "0 rest, 1 E, 2 N, 3 W, 4 S, 5 NE, 6 NW, 7 SW, 8 SE; post-collision")->flags =
    TRM_FIELD_STATE | TRM_FIELD_PERIODIC_X;
  lbm_declare(box, "velocity", 2, 0, "u_x, u_y");
  lbm_declare(box, "density", 1, 2, "density; a third of it is the pressure");
  lbm_declare(box, "speed", 1, 3, "|u|")->in_picture = 1;
  lbm_declare(box, "vorticity", 1, 4, "d(u_y)/dx - d(u_x)/dy")->in_picture =
    TRM_PICTURE_SHOWN | TRM_PICTURE_BULK | TRM_PICTURE_SIGNED;
  lbm_declare_box(box);
}

/* ---- series -------------------------------------------------------------------- */

/* Forces become coefficients where there is a speed to relate them to. */
static double coefficient_of(const channel_solver *flow)
{
  const double speed = flow->reference_speed;
  return speed > 0.0 && flow->length > 0.0
    ? 0.5 * flow->density * speed * speed * flow->length : 1.0;
}

static void declare_one(channel_solver *flow, const char *unit, double divisor, double terms)
{
  const size_t i = flow->box.base.series_count++;
  flow->series[i] = (trm_series){ flow->names[i], unit, flow->box.sums,
                                  flow->box.real_type, divisor, i * LBM_BATCH_LIMIT,
                                  terms / divisor, 0.0 };
}

static void declare_series(channel_solver *flow, const channel_scene *scene)
{
  static const char *const parts[] = { "u", "v", "density" };
  const char *unit = flow->reference_speed > 0.0 ? "1" : "lattice";
  const char *const forces[] = { "drag", "lift" };
  for (size_t i = 0; i < 2 && flow->p.has_forces; i++) {
    snprintf(flow->names[flow->box.base.series_count], sizeof flow->names[0], "%s", forces[i]);
    declare_one(flow, unit, coefficient_of(flow), flow->length / 3.0);
  }
  for (int probe = 0; probe < scene->probe_count; probe++)
    for (int part = 0; part < 3; part++) {
      snprintf(flow->names[flow->box.base.series_count], sizeof flow->names[0], "probe%d_%s",
               probe + 1, parts[part]);
      declare_one(flow, "lattice", 1.0, part < 2 ? 1.0 : 0.0);
    }
}

/* ---- traffic --------------------------------------------------------------------- */

/* A pass in one launch. Words of 32 cells are read twice: the script's walls and its marks, or
 * marks and their numbers. A marked cell of a channel is done again, with three links of four
 * reals. */
static trm_traffic step_traffic(const channel_solver *flow, double cells, double size,
                                double words)
{
  const int is_forced = flow->p.force_x != 0.0 || flow->p.force_y != 0.0;
  const double flops = flow->is_regularised ? (is_forced ? 139.0 : 106.0)
                                            : (is_forced ? 133.0 : 112.0);
  const double marks = flow->is_geneva ? 0.0 : flow->p.marks;
  return (trm_traffic){ channel_step_name(flow),
                        9.0 * size * cells + 2.0 * words + (4.0 + 12.0 * size) * marks,
                        9.0 * size * cells,
                        flow->is_geneva ? 84.0 * cells : flops * cells + (flops + 35.0) * marks,
                        1.0 };
}

/* The necessary traffic of a launch: reals of each of its cells, and bits or words of 32 cells. */
static void declare_traffic(channel_solver *flow)
{
  static const struct { const char *kernel; int read, written, flops, is_column; } split[8] = {
    { "streaming_step", 9, 9, 0, 0 }, { "outflow", 3, 3, 0, 1 }, { "macroscopic", 9, 3, 17, 0 },
    { "inflow", 7, 3, 8, 1 }, { "equilibrium", 3, 9, 40, 0 }, { "update_fin", 9, 3, 6, 1 },
    { "collision", 18, 9, 27, 0 }, { "bounce_back", 18, 9, 0, 0 }
  };
  const double cells = (double)flow->box.nx * flow->box.ny;
  const double size = (double)trm_type_size(flow->box.real_type);
  const double words = (double)(((size_t)flow->box.nx + 31) / 32 * (size_t)flow->box.ny) * 4.0;
  trm_traffic *traffic = flow->traffic;
  flow->box.base.traffic_count = flow->is_split ? 8 : 1;
  if (!flow->is_split) traffic[0] = step_traffic(flow, cells, size, words);
  if (!flow->is_split) return;
  for (int i = 0; i < 8; i++) {
    const double count = split[i].is_column ? flow->box.ny : cells;
    const int is_sum = i == 2;
    const double flops = is_sum && flow->is_study ? 47.0 : split[i].flops;
    traffic[i] = (trm_traffic){ is_sum ? flow->macroscopic : split[i].kernel,
                                split[i].read * size * count + (i == 7 ? words : 0.0),
                                split[i].written * size * count, flops * count, 1.0 };
  }
}

/* Metres, seconds, kilograms: what is declared in units of its own. */
static void declare_units(channel_solver *flow)
{
  const lbm_units *units = &flow->units;
  const double speed = units->speed;
  if (units->cell == 0) return;
  for (int a = 0; a < 3; a++) flow->box.base.spacing[a] = units->cell;
  flow->box.base.length_unit = "m";
  flow->box.base.time_unit = "s";
  lbm_units_convert(&flow->box.fields[1], "m/s", speed);
  lbm_units_convert(&flow->box.fields[2], "kg/m3", units->density);
  lbm_units_convert(&flow->box.fields[3], "m/s", speed);
  lbm_units_convert(&flow->box.fields[4], "1/s", 1.0 / flow->box.step_time);
  for (size_t i = 0; i < flow->box.base.series_count; i++) {
    trm_series *series = &flow->series[i];
    const size_t part = (i - (flow->p.has_forces ? 2 : 0)) % 3;
    const int is_force = flow->p.has_forces && i < 2, is_density = part == 2;
    if (is_force && flow->reference_speed > 0) continue;   /* a coefficient */
    series->unit = is_force ? "N/m" : is_density ? "kg/m3" : "m/s";
    series->divisor /= is_force ? units->density * speed * speed * units->cell
                       : is_density ? units->density : speed;
  }
  flow->results[3].unit = "kg/m";
  flow->results[10].unit = "s";
}

void channel_declare(channel_solver *flow, const channel_scene *scene)
{
  trm_solver *base = &flow->box.base;
  declare_fields(&flow->box);
  declare_series(flow, scene);
  declare_traffic(flow);
  static const char *const names[] = { "reynolds", "mach", "omega", "mass", "drag_mean", "drag_max",
                                       "drag_min", "lift_max", "lift_min", "periods", "period",
                                       "strouhal" };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    flow->results[i] = (trm_result){ names[i], i == 10 ? "steps" : i == 3 ? "lattice" : "1", NAN };
  declare_units(flow);
  flow->kept[0] = (trm_kept){ "statistics", flow->box.real_type, flow->statistics, 0, SHED_VALUES };
  base->kept = flow->kept;
  base->kept_count = 1;
  base->series = flow->series;
  base->traffic = flow->traffic;
  base->results = flow->results;
  base->result_count = 4; /* more when there are statistics */
}

/* ---- results --------------------------------------------------------------------- */

trm_status channel_finish(trm_solver *solver, const double *series_last)
{
  channel_solver *flow = (channel_solver *)solver;
  double shed[SHED_VALUES], mass;
  trm_result *results = flow->results;
  (void)series_last;
  TRM_TRY(trm_field_sum(&flow->box.fields[2], &flow->box.fields[5], &mass)); /* of the fluid */
  results[0].value = flow->reference_speed * flow->box.reynolds_dim / flow->viscosity;
  results[1].value = flow->reference_speed * sqrt(3.0);
  results[2].value = flow->box.omega;
  results[3].value = mass;
  if (flow->units.cell > 0.0)
    results[3].value *= flow->units.density * flow->units.cell * flow->units.cell;
  if (!flow->p.has_forces) return TRM_OK;
  TRM_TRY(trm_framework_read_reals(flow->statistics, flow->box.real_type, 0, shed, SHED_VALUES));
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
  results[10].value = period * flow->box.step_time;
  if (flow->reference_speed > 0.0)
    results[11].value = flow->length / (period * flow->reference_speed);
  return TRM_OK;
}
