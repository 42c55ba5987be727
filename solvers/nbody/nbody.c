/* nbody.c - gravity between bodies: what a case may set, what a run allocates, what it declares.
 *
 * The method and its units are in README.md here, the kernels in nbody.k. The state is position,
 * velocity, mass and the acceleration there, which the next step begins with. */
#include "solvers/nbody/nbody.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules.h"

extern const char trm_text_nbody[];
TRM_DECLARE_MODULES(nbody);
TRM_DECLARE_VARIANT(nbody, naive);
TRM_DECLARE_VARIANT(nbody, tiled);
TRM_DECLARE_VARIANT(nbody, unroll2);
TRM_DECLARE_VARIANT(nbody, unroll4);
TRM_DECLARE_VARIANT(nbody, unroll8);
TRM_DECLARE_VARIANT(nbody, targets2);
TRM_DECLARE_VARIANT(nbody, targets4);
static const trm_host_module *const modules[] = {
  TRM_MODULES(nbody), TRM_VARIANT_MODULES(nbody, naive), TRM_VARIANT_MODULES(nbody, tiled),
  TRM_VARIANT_MODULES(nbody, unroll2), TRM_VARIANT_MODULES(nbody, unroll4),
  TRM_VARIANT_MODULES(nbody, unroll8), TRM_VARIANT_MODULES(nbody, targets2),
  TRM_VARIANT_MODULES(nbody, targets4), NULL
};
static const trm_program_source source = {
  "nbody", "solvers/nbody/kernels/nbody.k", trm_text_nbody, modules
};

extern const char trm_text_nbody_hermite[];
TRM_DECLARE_MODULES(nbody_hermite);
static const trm_host_module *const hermite_modules[] = { TRM_MODULES(nbody_hermite), NULL };
static const trm_program_source hermite_source = {
  "nbody_hermite", "solvers/nbody/kernels/nbody_hermite.k", trm_text_nbody_hermite, hermite_modules
};

#define ANY NAN, NAN, 0, NULL

static const trm_option options[] = {
  { "nbody.initial", TRM_OPTION_STRING, "", "plummer", NAN, NAN, 0,
    "plummer|collapse|galaxies|cube|box|figure-eight|five-bodies|kepler|file",
    "where the bodies come from; solvers/nbody/README.md describes each" },
  { "nbody.bodies", TRM_OPTION_INTEGER, "1", "4096", 2, 1 << 29, 0, NULL,
    "bodies of plummer, collapse, galaxies, cube and box" },
  { "nbody.seed", TRM_OPTION_INTEGER, "1", "1", 0, 4294967295.0, 0, NULL,
    "of the random numbers: the same bodies on every machine" },
  { "nbody.file", TRM_OPTION_FILE, "", "", ANY,
    "bodies for initial = \"file\": text or CSV (x y z vx vy vz m), .npy, or a set NAME_f32.bin" },
  { "nbody.masses", TRM_OPTION_FILE, "", "", ANY,
    "set NAME_f32.bin with the masses of a NAME_f64.bin" },
  { "nbody.extent", TRM_OPTION_REAL, "length", "1e10", 0, NAN, 1, NULL, "side of box" },
  { "nbody.heaviest", TRM_OPTION_REAL, "mass", "1e28", 0, NAN, 1, NULL, "largest mass of box" },
  { "nbody.eccentricity", TRM_OPTION_REAL, "1", "0.5", 0, 0.99, 0, NULL, "of the kepler orbit" },
  { "nbody.separation", TRM_OPTION_REAL, "length", "5", 0, NAN, 1, NULL,
    "of the galaxies' centres along x" },
  { "nbody.impact", TRM_OPTION_REAL, "length", "1.2", 0, NAN, 0, NULL,
    "of the galaxies' centres along y" },
  { "nbody.approach", TRM_OPTION_REAL, "length/time", "0.8", 0, NAN, 0, NULL,
    "speed of the galaxies towards each other" },
  { "nbody.units", TRM_OPTION_STRING, "", "nbody", NAN, NAN, 0, "nbody|solar|si",
    "nbody: G = 1; solar: AU, years, solar masses; si: m, s, kg" },
  { "nbody.gravity", TRM_OPTION_REAL, "", "0", 0, NAN, 0, NULL, "G; 0: that of the units" },
  { "nbody.softening", TRM_OPTION_REAL, "length", "0.01", 0, NAN, 0, NULL,
    "eps: pairs attract as if eps further apart at right angles; 0: point masses" },
  { "nbody.dt", TRM_OPTION_REAL, "time", NULL, 0, NAN, 1, NULL, "length of a step" },
  { "nbody.integrator", TRM_OPTION_STRING, "", "leapfrog", NAN, NAN, 0,
    "leapfrog|kick-drift|explicit|yoshida4|hermite4",
    "leapfrog: kick, drift, kick; explicit: the study's; hermite4: two forces a step" },
  { "nbody.force", TRM_OPTION_STRING, "", "pairs", NAN, NAN, 0, "pairs|tree",
    "pairs: all of them; tree: Barnes and Hut's, far cells act as one body" },
  { "nbody.theta", TRM_OPTION_REAL, "1", "0.5", 1e-9, 1.5, 0, NULL,
    "tree: a cell is opened until its size over its distance is below theta" },
  { "nbody.kernel", TRM_OPTION_STRING, "", "best", NAN, NAN, TRM_OPTION_SAME_RESULT,
    "best|naive|tiled|tiled-unroll2|tiled-unroll4|tiled-unroll8|targets2|targets4",
    "form of the force kernel; the bits are those of every other" },
  { "nbody.group", TRM_OPTION_INTEGER, "items", "0", 0, 1024, TRM_OPTION_SAME_RESULT, NULL,
    "items to a group on a GPU, a multiple of 32; 0: the device's own" },
  { "nbody.energy", TRM_OPTION_BOOLEAN, "", "true", ANY,
    "sum the potential with the force, for the series of the energy" },
  { "nbody.picture", TRM_OPTION_INTEGER, "cells", "512", 16, 4096, 0, NULL,
    "cells along a side of the projected density" },
  { "nbody.span", TRM_OPTION_REAL, "length", "0", 0, NAN, 0, NULL,
    "side of the projected density around the origin; 0: what holds the bodies at the start" },
  { "nbody.plane", TRM_OPTION_STRING, "", "xy", NAN, NAN, 0, "xy|xz|yz",
    "plane of the projected density" },
};

/* ---- sizes ----------------------------------------------------------------- */

/* The order of the sum is a matter of N alone: up to 64 segments, as many as give a large GPU some
 * million (target, segment) pairs, each of whole tiles. */
static void cut_segments(nbody_solver *nbody)
{
  int wanted = 1;
  while (wanted < 64 && (int64_t)nbody->count * wanted < 1 << 20) wanted *= 2;
  nbody->sources = (nbody->count + 7) / 8 * 8;
  const int least = (nbody->count + wanted - 1) / wanted;
  nbody->length = (least + NBODY_TILE - 1) / NBODY_TILE * NBODY_TILE;
  nbody->segments = (nbody->count + nbody->length - 1) / nbody->length;
}

/* Where groups are few, segments are summed side by side; on a host one after the other. */
static void size_up(nbody_solver *nbody)
{
  const int is_host = trm_device_describe(nbody->base.device)->is_host;
  const int block = 4 * trm_program_describe(nbody->program)->group;
  nbody->segments_each = is_host || nbody->with_tree ? nbody->segments : 1;
  nbody->rows = (nbody->segments + nbody->segments_each - 1) / nbody->segments_each;
  nbody->stride = (nbody->sources + block - 1) / block * block;
  nbody->slots = NBODY_SLOTS;
  while (nbody->slots > 1 && (int64_t)nbody->slots * NBODY_MEASURES * nbody->stride > 1 << 22)
    nbody->slots /= 2;
}

/* ---- parameters ------------------------------------------------------------ */

#define PACK(to, type) \
  do { \
    (to).eps2 = (type)(nbody->softening * nbody->softening); \
    (to).kick = (type)kick; \
    (to).kick_again = (type)kick_again; \
    (to).dt = (type)drift; \
    (to).half_dt2 = (type)(drift * drift / 2.0); \
    (to).total_mass = (type)nbody->total_mass; \
    (to).bodies = nbody->count; \
    (to).sources = nbody->sources; \
    (to).stride = nbody->stride; \
    (to).length = nbody->length; \
    (to).segments = nbody->segments; \
    (to).segments_each = nbody->segments_each; \
    (to).rows = nbody->rows; \
    (to).slot = slot; \
    (to).slots = slots; \
    (to).limit = NBODY_BATCH_LIMIT; \
  } while (0)

void nbody_pack(const nbody_solver *nbody, double kick, double kick_again, double drift, int slot,
                int slots, nbody_packed *out, size_t *bytes)
{
  memset(out, 0, sizeof *out);
  if (nbody->precision == TRM_F64) {
    PACK(out->f64, double);
    *bytes = sizeof out->f64;
  } else {
    PACK(out->f32, float);
    *bytes = sizeof out->f32;
  }
}

/* ---- declarations ---------------------------------------------------------- */

static const char *unit(nbody_solver *nbody, int i, const char *format, const char *a,
                        const char *b, const char *c)
{
  snprintf(nbody->units[i], sizeof nbody->units[i], format, a, b, c);
  return nbody->units[i];
}

static void declare_fields(nbody_solver *nbody)
{
  const trm_type type = trm_real_type(nbody->precision);
  const size_t n = (size_t)nbody->count, stride = (size_t)nbody->stride;
  const trm_layout layout = {0, stride, stride, 3 * stride};
  const char *velocity = unit(nbody, 0, "%s/%s", nbody->length_unit, nbody->time_unit, "");
  const char *acceleration = unit(nbody, 1, "%s/%s^2", nbody->length_unit, nbody->time_unit, "");
  const char *density = unit(nbody, 2, "%s/%s^2", nbody->mass_unit, nbody->length_unit, "");
  const size_t side = (size_t)nbody->picture_width;
  nbody->fields[0] = (trm_field){"position", nbody->length_unit, "x, y, z of each body", type, 3,
                                 n, 1, 1, nbody->bodies, layout, 1, 0};
  nbody->fields[1] = (trm_field){"velocity", velocity, "of each body", type, 3, n, 1, 1,
                                 nbody->motion, layout, 1, 0};
  nbody->fields[2] = (trm_field){"mass", nbody->mass_unit, "of each body", type, 1, n, 1, 1,
                                 nbody->mass, layout, 1, 0};
  nbody->fields[3] = (trm_field){"acceleration", acceleration, "of each body, by all others", type,
                                 3, n, 1, 1, nbody->pull, layout, 1, 0};
  nbody->fields[4] = (trm_field){"density", density, "mass over area in the plane of the picture",
                                 TRM_TYPE_F32, 1, side, side, 1, nbody->density,
                                 {0, side, side * side, side * side}, 0, 2};
  nbody->base.fields = nbody->fields;
  nbody->base.field_count = 5;
}

static void declare_series(nbody_solver *nbody)
{
  const char *l = nbody->length_unit, *m = nbody->mass_unit, *t = nbody->time_unit;
  const char *energy = unit(nbody, 3, "%s %s^2/%s^2", m, l, t);
  const char *momentum = unit(nbody, 4, "%s %s/%s", m, l, t);
  const char *spin = unit(nbody, 5, "%s %s^2/%s", m, l, t);
  const char *const names[NBODY_SERIES] = {
    "energy", "energy_drift", "kinetic", "potential", "virial_ratio", "momentum_x", "momentum_y",
    "momentum_z", "angular_momentum_x", "angular_momentum_y", "angular_momentum_z", "centre_x",
    "centre_y", "centre_z"};
  const char *const units[NBODY_SERIES] = {energy, "1", energy, energy, "1", momentum, momentum,
                                           momentum, spin, spin, spin, l, l, l};
  size_t count = 0;
  for (size_t i = 0; i < NBODY_SERIES; i++) {
    if (!nbody->with_energy && (i < NBODY_ENERGY_SERIES || i == 3)) continue;
    nbody->series[count++] = (trm_series){names[i], units[i], nbody->series_rows,
                                          trm_real_type(nbody->precision), 1.0,
                                          i * NBODY_BATCH_LIMIT};
  }
  nbody->base.series = nbody->series;
  nbody->base.series_count = count;
}

static int forces_per_step(const nbody_solver *nbody)
{
  return nbody->integrator == NBODY_YOSHIDA ? 3 : nbody->integrator == NBODY_HERMITE ? 2 : 1;
}

/* 20 operations an interaction, as the literature counts; every body is read once a group of
 * targets. */
static void declare(nbody_solver *nbody)
{
  declare_fields(nbody);
  declare_series(nbody);
  const double n = nbody->count, pairs = n * n;
  const double real_bytes = (double)trm_type_size(trm_real_type(nbody->precision));
  const double group = trm_program_describe(nbody->program)->group;
  nbody->traffic[0] = (trm_traffic){trm_kernel_name(nbody->force),
                                    4.0 * real_bytes * pairs / (group * nbody->targets),
                                    20.0 * pairs, forces_per_step(nbody)};
  nbody->results[0] = (trm_result){"bodies", "1", n};
  nbody->results[1] = (trm_result){"time", nbody->time_unit, NAN};
  nbody->results[2] = (trm_result){"virial_ratio", "1", NAN};
  nbody->results[3] = (trm_result){"energy_drift", "1", NAN};
  nbody->base.traffic = nbody->traffic;
  nbody->base.traffic_count = 1;
  nbody->base.results = nbody->results;
  nbody->base.result_count = nbody->with_energy ? 4 : 3;
  nbody->base.cells = pairs * forces_per_step(nbody);
  nbody->base.batch_limit = NBODY_BATCH_LIMIT;
  nbody->base.program = trm_program_describe(nbody->program);
}

/* ---- the case -------------------------------------------------------------- */

static int choice(const trm_config *config, const char *key, const char *const *names)
{
  const char *text = trm_config_string(config, key);
  int i = 0;
  while (names[i] && strcmp(names[i], text) != 0) i++;
  return i;
}

/* pi written out: 4 pi^2 is G for AU, years and solar masses. */
static void read_units(nbody_solver *nbody, const trm_config *config)
{
  static const char *const names[] = {"nbody", "solar", "si", NULL};
  static const char *const units[][3] = {
    {"length", "mass", "time"}, {"AU", "Msun", "yr"}, {"m", "kg", "s"}};
  static const double gravity[] = {1.0, 4.0 * 3.141592653589793 * 3.141592653589793, 6.6743e-11};
  const int i = choice(config, "nbody.units", names);
  nbody->length_unit = units[i][0];
  nbody->mass_unit = units[i][1];
  nbody->time_unit = units[i][2];
  nbody->gravity = trm_config_real(config, "nbody.gravity");
  if (nbody->gravity == 0.0) nbody->gravity = gravity[i];
}

static trm_status read_case(nbody_solver *nbody, const trm_config *config)
{
  static const char *const integrators[] = {"leapfrog", "kick-drift", "explicit", "yoshida4",
                                            "hermite4", NULL};
  static const char *const planes[] = {"xy", "xz", "yz", NULL};
  static const int axes[][2] = {{0, 1}, {0, 2}, {1, 2}};
  nbody->integrator = (nbody_integrator)choice(config, "nbody.integrator", integrators);
  nbody->softening = trm_config_real(config, "nbody.softening");
  nbody->dt = trm_config_real(config, "nbody.dt");
  nbody->with_energy = trm_config_boolean(config, "nbody.energy");
  nbody->with_tree = strcmp(trm_config_string(config, "nbody.force"), "tree") == 0;
  nbody->tree.theta = trm_config_real(config, "nbody.theta");
  nbody->full = nbody->with_energy || nbody->softening == 0.0 || nbody->with_tree;
  nbody->picture_width = (int)trm_config_integer(config, "nbody.picture");
  nbody->picture_span = trm_config_real(config, "nbody.span");
  memcpy(nbody->picture_axes, axes[choice(config, "nbody.plane", planes)], sizeof axes[0]);
  read_units(nbody, config);
  if (nbody->with_tree && nbody->integrator == NBODY_HERMITE)
    return TRM_FAIL(INPUT, "%s: hermite4 needs the rate of change of the force, which the tree "
                    "does not give; choose nbody.force = \"pairs\", or leapfrog or yoshida4",
                    trm_config_origin(config, "nbody.integrator"));
  if (trm_config_integer(config, "nbody.group") % 32 != 0)
    return TRM_FAIL(INPUT, "%s: nbody.group = %s is not a multiple of 32; choose 64, 128 or 256",
                    trm_config_origin(config, "nbody.group"),
                    trm_config_text(config, "nbody.group"));
  return TRM_OK;
}

/* ---- life ------------------------------------------------------------------ */

/* A GPU's item holds four targets: one source read from the tile serves four interactions. */
static const char *find_variant(nbody_solver *nbody, const trm_config *config)
{
  static const char *const names[] = {"naive", "tiled", "tiled-unroll2", "tiled-unroll4",
                                      "tiled-unroll8", "targets2", "targets4", NULL};
  static const char *const variants[] = {"naive", "tiled", "unroll2", "unroll4", "unroll8",
                                         "targets2", "targets4", ""};
  static const int targets[] = {1, 1, 1, 1, 1, 2, 4};
  const int i = choice(config, "nbody.kernel", names);
  nbody->targets = names[i] ? targets[i]
                            : trm_device_describe(nbody->base.device)->is_host ? 1 : 4;
  return variants[i];
}

static trm_status build_hermite(nbody_solver *nbody, trm_program_options how)
{
  how.variant = NULL;
  TRM_TRY(trm_program_create(nbody->base.device, &hermite_source, &how, &nbody->hermite));
  TRM_TRY(trm_program_kernel(nbody->hermite, "hermite_force", &nbody->jerk));
  TRM_TRY(trm_program_kernel(nbody->hermite, "hermite_predict", &nbody->predict));
  TRM_TRY(trm_program_kernel(nbody->hermite, "hermite_correct", &nbody->correct));
  return trm_program_kernel(nbody->hermite, "hermite_fold", &nbody->jerk_fold);
}

static trm_status build(nbody_solver *nbody, const trm_config *config,
                        const trm_solver_options *run)
{
  const int group = (int)trm_config_integer(config, "nbody.group");
  const trm_program_options how = { run->precision, run->math, find_variant(nbody, config),
                                    run->row_group_x, run->row_group_y,
                                    group ? group : run->group };
  TRM_TRY(trm_program_create(nbody->base.device, &source, &how, &nbody->program));
  TRM_TRY(trm_program_kernel(nbody->program, nbody->full ? "nbody_force_full" : "nbody_force_plain",
                             &nbody->force));
  TRM_TRY(trm_program_kernel(nbody->program, "nbody_drift", &nbody->drift));
  TRM_TRY(trm_program_kernel(nbody->program, "nbody_explicit", &nbody->explicit_step));
  TRM_TRY(trm_program_kernel(nbody->program, nbody->full ? "nbody_kick_full" : "nbody_kick_plain",
                             &nbody->kick));
  TRM_TRY(trm_program_kernel(nbody->program, "nbody_measure", &nbody->measure));
  TRM_TRY(trm_program_kernel(nbody->program, "nbody_deposit", &nbody->deposit));
  size_up(nbody);
  if (nbody->with_tree) TRM_TRY(nbody_tree_create(nbody, &how));
  return nbody->integrator == NBODY_HERMITE ? build_hermite(nbody, how) : TRM_OK;
}

trm_status nbody_allocate(const nbody_solver *nbody, size_t rows, size_t count, const char *name,
                          trm_buffer **out)
{
  const double nothing = 0.0;
  const size_t real_bytes = trm_type_size(trm_real_type(nbody->precision));
  size_t elements, bytes;
  TRM_TRY(trm_size_mul(rows, count, name, &elements));
  TRM_TRY(trm_size_mul(elements, real_bytes, name, &bytes));
  TRM_TRY(trm_buffer_create(nbody->base.device, bytes, name, out));
  return trm_buffer_fill(*out, 0, bytes, &nothing, real_bytes);
}

static trm_status allocate(nbody_solver *nbody)
{
  const size_t stride = (size_t)nbody->stride, slots = (size_t)nbody->slots;
  const size_t side = (size_t)nbody->picture_width;
  TRM_TRY(nbody_allocate(nbody, 4, stride, "positions", &nbody->bodies));
  TRM_TRY(nbody_allocate(nbody, 3, stride, "velocities", &nbody->motion));
  TRM_TRY(nbody_allocate(nbody, 7, stride, "accelerations", &nbody->pull));
  TRM_TRY(nbody_allocate(nbody, 1, stride, "masses", &nbody->mass));
  const int is_hermite = nbody->integrator == NBODY_HERMITE;
  const size_t sums = (is_hermite ? 7 : 4) * (size_t)nbody->rows;
  TRM_TRY(nbody_allocate(nbody, sums, stride, "partial sums", &nbody->part));
  if (is_hermite) TRM_TRY(nbody_allocate(nbody, 6, stride, "old positions", &nbody->old));
  if (is_hermite) TRM_TRY(nbody_allocate(nbody, 7, stride, "predicted forces", &nbody->found));
  TRM_TRY(nbody_allocate(nbody, NBODY_MEASURES * slots, stride, "measures", &nbody->leaves));
  TRM_TRY(nbody_allocate(nbody, NBODY_MEASURES, slots, "sums", &nbody->sums));
  TRM_TRY(nbody_allocate(nbody, NBODY_SERIES, NBODY_BATCH_LIMIT, "series", &nbody->series_rows));
  TRM_TRY(nbody_allocate(nbody, 1, 1, "energy at the start", &nbody->origin));
  TRM_TRY(trm_buffer_create(nbody->base.device, sizeof(int32_t), "place", &nbody->place));
  TRM_TRY(trm_buffer_create(nbody->base.device, side * side * sizeof(float), "density",
                            &nbody->density));
  return trm_reduction_create(nbody->base.device, TRM_SUM, nbody->precision, (size_t)nbody->count,
                              NBODY_MEASURES * slots, &nbody->fold);
}

/* Row `row` of a buffer from host values; what lies behind N is rest, rest + apart, ... */
static trm_status upload(const nbody_solver *nbody, trm_buffer *buffer, size_t row,
                         const double *values, double factor, double rest, double apart)
{
  const size_t stride = (size_t)nbody->stride, n = (size_t)nbody->count;
  const size_t real_bytes = trm_type_size(trm_real_type(nbody->precision));
  void *line = malloc(stride * real_bytes);
  if (!line) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bodies", stride);
  for (size_t i = 0; i < stride; i++) {
    const double value = i < n ? values[i] * factor : rest + (double)(i - n) * apart;
    if (nbody->precision == TRM_F64) ((double *)line)[i] = value;
    else ((float *)line)[i] = (float)value;
  }
  const trm_status status = trm_buffer_write(buffer, row * stride * real_bytes, stride * real_bytes,
                                             line);
  free(line);
  return status;
}

static trm_status upload_all(nbody_solver *nbody, const nbody_bodies *bodies)
{
  static const double far_away = 1.0625e15; /* what is behind N has no mass and meets no other */
  for (size_t c = 0; c < 3; c++) {
    TRM_TRY(upload(nbody, nbody->bodies, c, bodies->value[c], 1.0, far_away, 1e12));
    TRM_TRY(upload(nbody, nbody->motion, c, bodies->value[3 + c], 1.0, 0.0, 0.0));
  }
  TRM_TRY(upload(nbody, nbody->bodies, 3, bodies->value[6], nbody->gravity, 0.0, 0.0));
  return upload(nbody, nbody->mass, 0, bodies->value[6], 1.0, 0.0, 0.0);
}

/* As the device will hold them: two positions may become one by rounding. */
static void round_bodies(const nbody_solver *nbody, nbody_bodies *bodies)
{
  if (nbody->precision == TRM_F64) return;
  for (int c = 0; c < 7; c++)
    for (size_t i = 0; i < bodies->count; i++)
      bodies->value[c][i] = (double)(float)bodies->value[c][i];
}

/* The side of the picture: twice the farthest coordinate, and a tenth more. */
static void choose_span(nbody_solver *nbody, const nbody_bodies *bodies)
{
  double farthest = 0.0;
  for (int c = 0; c < 2; c++)
    for (size_t i = 0; i < bodies->count; i++)
      farthest = fmax(farthest, fabs(bodies->value[nbody->picture_axes[c]][i]));
  if (nbody->picture_span == 0.0) nbody->picture_span = farthest > 0.0 ? 2.2 * farthest : 2.0;
}

static const char *bodies_origin(const trm_config *config)
{
  const char *file = trm_config_string(config, "nbody.file");
  const int from_file = strcmp(trm_config_string(config, "nbody.initial"), "file") == 0;
  return from_file ? file : trm_config_origin(config, "nbody.initial");
}

static trm_status load(nbody_solver *nbody, const trm_config *config, nbody_bodies *bodies)
{
  const char *file = trm_config_string(config, "nbody.file");
  if (strcmp(trm_config_string(config, "nbody.initial"), "file") != 0) {
    TRM_TRY(nbody_generate(config, nbody->gravity, bodies));
  } else {
    if (!*file)
      return TRM_FAIL(INPUT, "%s: nbody.initial = \"file\" needs nbody.file; name the bodies' file",
                      trm_config_origin(config, "nbody.initial"));
    TRM_TRY(nbody_read(file, trm_config_string(config, "nbody.masses"), bodies));
  }
  round_bodies(nbody, bodies);
  TRM_TRY(nbody_bodies_check(bodies, nbody->softening, bodies_origin(config)));
  if (bodies->count > 1u << 29)
    return TRM_FAIL(INPUT, "%s: %zu bodies are too many; at most 2^29", bodies_origin(config),
                    bodies->count);
  nbody->count = (int)bodies->count;
  for (size_t i = 0; i < bodies->count; i++) nbody->total_mass += bodies->value[6][i];
  choose_span(nbody, bodies);
  return TRM_OK;
}

static void destroy(trm_solver **solver)
{
  if (!solver || !*solver) return;
  nbody_solver *nbody = (nbody_solver *)*solver;
  trm_sequence_destroy(&nbody->sequence);
  trm_reduction_destroy(&nbody->fold);
  trm_buffer **const buffers[] = {
    &nbody->bodies, &nbody->motion, &nbody->pull, &nbody->mass, &nbody->part, &nbody->leaves,
    &nbody->sums, &nbody->series_rows, &nbody->place, &nbody->origin, &nbody->density, &nbody->old,
    &nbody->found};
  for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) trm_buffer_destroy(buffers[i]);
  nbody_tree_destroy(&nbody->tree);
  trm_program_destroy(&nbody->hermite);
  trm_program_destroy(&nbody->program);
  free(nbody);
  *solver = NULL;
}

static trm_status fill(nbody_solver *nbody, const trm_config *config, const trm_solver_options *run)
{
  nbody_bodies bodies = {0};
  trm_status status = load(nbody, config, &bodies);
  if (status == TRM_OK) {
    cut_segments(nbody);
    status = build(nbody, config, run);
  }
  if (status == TRM_OK) status = allocate(nbody);
  if (status == TRM_OK) status = upload_all(nbody, &bodies);
  nbody_bodies_free(&bodies);
  return status;
}

static trm_status create(trm_device *device, const trm_config *config,
                         const trm_solver_options *run, trm_solver **out)
{
  nbody_solver *nbody = calloc(1, sizeof *nbody);
  if (!nbody) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver");
  trm_solver *solver = &nbody->base;
  solver->type = &trm_solver_nbody;
  solver->device = device;
  nbody->precision = run->precision;
  trm_status status = read_case(nbody, config);
  if (status == TRM_OK) status = fill(nbody, config, run);
  if (status == TRM_OK) status = nbody_start(nbody);
  if (status != TRM_OK) {
    destroy(&solver);
    return status;
  }
  declare(nbody);
  *out = solver;
  return TRM_OK;
}

static trm_status configure(trm_config *config, size_t count, const char *const *files)
{
  if (count != 1)
    return TRM_FAIL(INPUT, "nbody takes one file of bodies (as in `trireme run nbody bodies.txt "
                    "--set nbody.dt=0.01`), not %zu", count);
  TRM_TRY(trm_config_set(config, "nbody.initial", "file", "the command line"));
  return trm_config_set(config, "nbody.file", files[0], "the command line");
}

static trm_status observe(trm_solver *solver) { return nbody_project((nbody_solver *)solver); }

static trm_status finish(trm_solver *solver, const double *series_last)
{
  nbody_solver *nbody = (nbody_solver *)solver;
  nbody->results[1].value = solver->time;
  nbody->results[2].value = series_last[nbody->with_energy ? 4 : 1];
  nbody->results[3].value = nbody->with_energy ? series_last[1] : 0.0;
  return TRM_OK;
}

static trm_status export_files(trm_solver *solver, const char *folder, double *const *series,
                               size_t step_count)
{
  (void)series;
  (void)step_count;
  const nbody_solver *nbody = (const nbody_solver *)solver;
  nbody_bodies bodies = {0};
  trm_status status = nbody_read_state(nbody, &bodies);
  if (status == TRM_OK) status = nbody_write(folder, &bodies, nbody->precision);
  nbody_bodies_free(&bodies);
  return status;
}

const trm_solver_type trm_solver_nbody = {
  .abi = TRM_SOLVER_ABI,
  .bytes = sizeof(trm_solver_type),
  .name = "nbody",
  .summary = "gravity between N bodies: all pairs or Barnes and Hut's tree, five integrators",
  .update_name = "interactions",
  .options = options,
  .option_count = sizeof options / sizeof options[0],
  .files_usage = "BODIES",
  .configure = configure,
  .create = create,
  .advance = nbody_advance,
  .observe = observe,
  .finish = finish,
  .export_files = export_files,
  .destroy = destroy,
};
