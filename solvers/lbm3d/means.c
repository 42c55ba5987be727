/* means.c - means over time of a flow in three dimensions, from a given time on: their key, their
 * two launches a step (lbm3d_means.k), their fields. */
#include "solvers/lbm3d/levels/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

enum { ADD, COUNT, MEANS_VALUES = 9 };

extern const char trm_text_lbm3d_means[];
TRM_DECLARE_MODULES(lbm3d_means);
static const trm_program_source source = { "lbm3d_means", "solvers/lbm3d/kernels/lbm3d_means.k",
                                           trm_text_lbm3d_means, TRM_MODULES(lbm3d_means) };

static double step_time(const lbm3d_solver *flow)
{
  return flow->units.cell > 0.0 ? flow->units.step : 1.0;
}

trm_status lbm3d_means_read(lbm3d_solver *flow, const trm_config *config)
{
  lbm3d_means *means = &flow->means;
  const char *text = trm_config_string(config, "average_from");
  char *end;
  const double from = trm_number(text, &end);
  means->is_on = *text != '\0';
  if (*end || !(from >= 0.0 && from < 1e18))
    return TRM_FAIL(INPUT, "%s: average_from = '%s' is no time from 0 on; write one, or leave "
                    "it out", trm_config_origin(config, "average_from"), text);
  means->from = from;
  return TRM_OK;
}

/* A user may end a case earlier: that is no reason to refuse it. */
void lbm3d_means_caution(lbm3d_solver *flow, const trm_config *config)
{
  const double step = step_time(flow), end = step * lbm_steps_of(config, step);
  if (!flow->means.is_on || flow->means.from < end * (1.0 - 1e-12)) return;
  lbm3d_caution(flow, "average_from = %g is not before the run's end, %g: the means will hold "
                "nothing; make it smaller, or the run longer", flow->means.from, end);
}

/* ---- on the device ---------------------------------------------------------------- */

/* Rows as those of a component that is shown. */
size_t lbm3d_means_list(lbm3d_solver *flow, trm_framework_buffer *to)
{
  lbm3d_means *means = &flow->means;
  size_t elements = 0;
  if (flow->levels) {
    elements = flow->levels->forest->slots * LEVELS_CELLS * MEANS_VALUES;
  } else if (means->is_on) {
    const size_t rows = (size_t)flow->scene.n[1] * (size_t)flow->scene.n[2];
    const size_t line = 64 / trm_type_size(flow->real_type);
    means->row = ((size_t)flow->scene.n[0] + line - 1) / line * line;
    elements = means->row * rows * MEANS_VALUES;
  }
  const trm_framework_buffer list[] = {
    { &means->values, "means over time", means->is_on ? elements : 0, flow->real_type, 1, NULL },
    { &means->averaged, "steps of means", means->is_on ? 1 : 0, flow->real_type, 1, NULL },
  };
  memcpy(to, list, sizeof list);
  return sizeof list / sizeof *list;
}

trm_status lbm3d_means_share(const lbm3d_solver *flow)
{
  const int *n = flow->scene.n;
  const size_t component = flow->means.row * (size_t)n[1] * (size_t)n[2];
  const trm_by_rows rows = { .type = flow->real_type, .nx = (size_t)n[0], .ny = (size_t)n[1],
                             .nz = (size_t)n[2], .components = MEANS_VALUES, .is_output = 1,
                             .block = lbm3d_planes(flow),
                             .layout = { .row = flow->means.row, .component = component,
                                         .elements = MEANS_VALUES * component } };
  return flow->means.is_on ? trm_buffer_rows(flow->means.values, &rows) : TRM_OK;
}

trm_status lbm3d_means_set_up(lbm3d_solver *flow, const trm_solver_options *run)
{
  const char *const kernels[] = {
    [ADD] = flow->levels ? "means_blocks" : flow->is_stored ? "means_stored"
            : flow->is_moments ? "means_moments" : "means_rows",
    [COUNT] = "means_count", NULL };
  const trm_framework_recipe recipe = { &source, flow->scene.velocities == D3Q27 ? "d3q27" : NULL,
                                  "stored_params", sizeof flow->stored, kernels };
  if (!flow->means.is_on) return TRM_OK;
  return trm_framework_program_create(flow->base.device, &recipe, run, &flow->means.program);
}

static trm_status add_rows(lbm3d_solver *flow, trm_buffer *f)
{
  const trm_framework_program *program = &flow->means.program;
  const trm_extent cells = { flow->scene.n[0], flow->scene.n[1], flow->scene.n[2], 0 };
  trm_buffer *const all[] = { f, flow->marked, flow->means.averaged, flow->means.values };
  trm_buffer *const of_moments[] = { f, flow->means.averaged, flow->means.values };
  unsigned char packed[TRM_MAX_PARAM_BYTES];
  stored_params p = flow->stored;
  memcpy(&p, &flow->p, sizeof flow->p);
  p.shown_row = (int)flow->means.row;
  trm_framework_params_pack(&program->params, program->precision, &p, packed);
  const trm_sharing how = { .halo = flow->is_stored };
  return trm_kernel_launch_shared(program->kernels[ADD], &cells, &how, packed,
                                  program->params.bytes[program->precision],
                                  flow->is_moments ? of_moments : all, flow->is_moments ? 3 : 4);
}

/* The state of level 0 goes to and fro; that of the others is in the first lattice. */
static trm_status add_blocks(lbm3d_solver *flow)
{
  const lbm3d_levels *all = flow->levels;
  for (int level = 0; level <= all->finest; level++) {
    const lbm3d_levels_params *of = &all->p[level];
    const stored_params p = { .first = all->leaves[level].first, .force_x = of->force_x,
                              .force_y = of->force_y, .force_z = of->force_z };
    if (all->leaves[level].count == 0) continue;
    TRM_TRY(TRM_FRAMEWORK_LAUNCH(&flow->means.program, ADD, all->leaves[level].count, 1, &p,
                                 flow->lattice[level == 0 ? flow->current : 0], all->order_buffer,
                                 all->walls_buffer, flow->means.averaged, flow->means.values));
  }
  return TRM_OK;
}

trm_status lbm3d_means_launch(lbm3d_solver *flow, trm_buffer *state)
{
  const stored_params p = { 0 };
  if (!flow->means.is_due) return TRM_OK;
  TRM_TRY(flow->levels ? add_blocks(flow) : add_rows(flow, state));
  trm_device_replicate(flow->base.device, 1);
  const trm_status status = TRM_FRAMEWORK_LAUNCH(&flow->means.program, COUNT, 1, 1, &p,
                                                 flow->means.averaged);
  trm_device_replicate(flow->base.device, 0);
  return status;
}

uint64_t lbm3d_means_after(const lbm3d_solver *flow)
{
  const double step = step_time(flow), from = flow->means.from;
  uint64_t first = (uint64_t)(from / step);
  if (!flow->means.is_on) return UINT64_MAX;
  while (first > 0 && (double)(first - 1) * step >= from) first--;
  while ((double)first * step < from) first++;
  return first;
}

/* ---- what is told ---------------------------------------------------------------- */

static trm_field *declare(lbm3d_solver *flow, const char *name, int components, size_t value,
                          const char *help)
{
  const size_t n[] = { (size_t)flow->scene.n[0], (size_t)flow->scene.n[1],
                       (size_t)flow->scene.n[2] };
  const size_t row = flow->means.row, component = row * n[1] * n[2];
  trm_field *field = &flow->fields[flow->base.field_count++];
  *field = (trm_field){ .name = name, .unit = "lattice", .help = help, .type = flow->real_type,
                        .components = components, .nx = n[0], .ny = n[1], .nz = n[2],
                        .flags = TRM_FIELD_KEPT | TRM_FIELD_MEAN,
                        .buffer = flow->means.values };
  field->layout = (trm_layout){ .first = value * component, .row = row, .component = component,
                                .elements = MEANS_VALUES * component };
  if (!flow->levels) return field;
  lbm3d_levels_place(flow, field, value);
  field->stride = LEVELS_CELLS * MEANS_VALUES;
  return field;
}

void lbm3d_means_declare(lbm3d_solver *flow)
{
  const lbm_units *units = &flow->units;
  const double pascal = units->density * units->speed * units->speed;
  if (!flow->means.is_on) return;
  trm_field *const all[] = {
    declare(flow, "mean_velocity", 3, 0, "the velocity's mean over time"),
    declare(flow, "mean_density", 1, 8, "the density's mean over time"),
    declare(flow, "mean_pressure", 1, 3, "the pressure's mean over time"),
    declare(flow, "rms_velocity", 3, 4, "root mean square distance of the velocity from its mean"),
    declare(flow, "rms_density", 1, 7, "root mean square distance of the density from its mean"),
    declare(flow, "rms_pressure", 1, 7, "root mean square distance of the pressure from its mean"),
  };
  trm_field *averaged = &flow->fields[flow->base.field_count++];
  *averaged = (trm_field){ .name = "averaged_time", .unit = "lattice", .type = flow->real_type,
                           .help = "length of time of the means", .components = 1, .nx = 1, .ny = 1,
                           .nz = 1, .flags = TRM_FIELD_KEPT | TRM_FIELD_LIST,
                           .buffer = flow->means.averaged,
                           .layout = { .row = 1, .component = 1, .elements = 1 } };
  all[2]->terms = 1.0 / 3.0;
  all[4]->flags = TRM_FIELD_MEAN; /* three times the pressure's, which is kept */
  all[4]->scale = 3.0;
  if (units->cell == 0.0) return;
  lbm_units_convert(all[0], "m/s", units->speed);
  lbm_units_convert(all[1], "kg/m3", units->density);
  lbm_units_convert(all[2], "Pa", pascal);
  lbm_units_convert(all[3], "m/s", units->speed);
  lbm_units_convert(all[4], "kg/m3", 3.0 * units->density);
  lbm_units_convert(all[5], "Pa", pascal);
  lbm_units_convert(averaged, "s", units->step);
}
