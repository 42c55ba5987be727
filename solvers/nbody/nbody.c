/* nbody.c - gravity between bodies: what a case may set, and the life of a solver.
 *
 * The method and its units are in README.md here, the kernels in kernels/. The state is position,
 * velocity, mass and the acceleration there, which the next step begins with. */
#include "solvers/nbody/nbody.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/implementations.h"

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
  { "nbody.impact", TRM_OPTION_REAL, "length", "2.5", 0, NAN, 0, NULL,
    "of the galaxies' centres along y" },
  { "nbody.approach", TRM_OPTION_REAL, "length/time", "0.8", 0, NAN, 0, NULL,
    "speed of the galaxies towards each other" },
  { "nbody.units", TRM_OPTION_STRING, "", "nbody", NAN, NAN, 0, "nbody|solar|si",
    "nbody: G = 1; solar: AU, years, solar masses; si: m, s, kg" },
  { "nbody.gravity", TRM_OPTION_REAL, "", "0", 0, NAN, 0, NULL, "G; 0: that of the units" },
  { "nbody.softening", TRM_OPTION_REAL, "length", "auto", 0, NAN, TRM_OPTION_AUTO, NULL,
    "eps: pairs attract as if eps further apart at right angles; 0: point masses; auto: 0.01 of "
    "plummer, collapse, galaxies and cube, 0 of all others" },
  { "nbody.dt", TRM_OPTION_REAL, "time", NULL, 0, NAN, 1, NULL, "length of a step" },
  { "nbody.integrator", TRM_OPTION_STRING, "", "leapfrog", NAN, NAN, 0,
    "leapfrog|kick-drift|explicit|yoshida4|hermite4",
    "leapfrog: kick, drift, kick; explicit: the study's; hermite4: two forces a step" },
  { "nbody.force", TRM_OPTION_STRING, "", "pairs", NAN, NAN, 0, "pairs|tree",
    "pairs: all of them; tree: Barnes and Hut's, far cells act as one body" },
  { "nbody.theta", TRM_OPTION_REAL, "1", "0.5", 1e-9, 1.5, 0, NULL,
    "tree: a cell is opened until its size over its distance is below theta" },
  { "nbody.implementation", TRM_OPTION_STRING, "", "best", NAN, NAN, TRM_OPTION_SAME_RESULT,
    "best|naive|tiled|tiled-unroll2|tiled-unroll4|tiled-unroll8|targets2|targets4",
    "form of the force kernel; all forms give the same bits" },
  { "nbody.loads", TRM_OPTION_STRING, "", "named", NAN, NAN, TRM_OPTION_SAME_RESULT, "named|16|4",
    "pairs: bytes of a load of f32: x, y, z, mu of a body side by side, or in four arrays; named: "
    "four arrays in memory, side by side in the tile" },
  { "nbody.unroll", TRM_OPTION_STRING, "", "named", NAN, NAN, TRM_OPTION_SAME_RESULT,
    "named|1|2|4|8",
    "pairs: interactions in an iteration of the loop, and no more by the compiler's own choice" },
  { "nbody.target", TRM_OPTION_STRING, "", "named", NAN, NAN, TRM_OPTION_SAME_RESULT,
    "named|registers|memory",
    "naive, on a GPU: the target stays in registers, or is loaded again in each iteration" },
  { "nbody.group", TRM_OPTION_INTEGER, "items", "0", 0, 1024, TRM_OPTION_SAME_RESULT, NULL,
    "items to a group on a GPU, a multiple of 32; 0: the device's own" },
  { "nbody.energy", TRM_OPTION_BOOLEAN, "", "true", ANY,
    "sum the potential with the force, for the series of the energy" },
  { "nbody.picture", TRM_OPTION_INTEGER, "cells", "512", 16, 4096, 0, NULL,
    "cells along a side of the projected density" },
  { "nbody.shown", TRM_OPTION_STRING, "", "all", NAN, NAN, 0, "all|light",
    "bodies in the projected density; light: those of at most the mean mass (stars, no halo)" },
  { "nbody.span", TRM_OPTION_REAL, "length", "0", 0, NAN, 0, NULL,
    "side of the projected density around the bodies' middle (the origin, unless they lie far from "
    "it); 0: the side that holds the bodies at the start" },
  { "nbody.plane", TRM_OPTION_STRING, "", "xy", NAN, NAN, 0, "xy|xz|yz",
    "plane of the projected density" },
};

/* The names of keys in the last version. */
static const trm_former_key former_keys[] = {
  { "nbody.kernel", "nbody.implementation", 0 },
};

#define PAIRS(kernel) "nbody.force=pairs nbody.implementation=" kernel

static const trm_implementation list[] = {
  { "naive", PAIRS("naive"), "an item a body; each reads every other body itself", 0 },
  { "tiled", PAIRS("tiled"), "a group reads a tile of bodies once, into memory that it shares", 0 },
  { "unrolled-2", PAIRS("tiled-unroll2"), "two interactions an iteration of the loop", 0 },
  { "unrolled-4", PAIRS("tiled-unroll4"), "four", 0 },
  { "unrolled-8", PAIRS("tiled-unroll8"), "eight", 0 },
  { "targets-2", PAIRS("targets2"), "an item has two bodies: a load of the tile serves both", 0 },
  { "targets-4", PAIRS("targets4"), "four bodies", 0 },
};
static const trm_implementations implementations = { list, sizeof list / sizeof list[0], NULL };

/* ---- the case -------------------------------------------------------------- */

/* pi written out: 4 pi^2 is G for AU, years and solar masses. */
static void read_units(nbody_solver *nbody, const trm_config *config)
{
  static const char *const units[][3] = {
    {"length", "mass", "time"}, {"AU", "Msun", "yr"}, {"m", "kg", "s"}};
  static const double gravity[] = {1.0, 4.0 * 3.141592653589793 * 3.141592653589793, 6.6743e-11};
  const int i = trm_config_choice(config, "nbody.units");
  nbody->length_unit = units[i][0];
  nbody->mass_unit = units[i][1];
  nbody->time_unit = units[i][2];
  nbody->gravity = trm_config_real(config, "nbody.gravity");
  if (nbody->gravity == 0.0) nbody->gravity = gravity[i];
}

/* The value of auto. In random sets of radius 1 a body stands for many: a hundredth of the radius.
 * In other sets each body is a point: 0. A length of the set, whatever the units are. */
static double read_softening(const trm_config *config)
{
  const double given = trm_config_real(config, "nbody.softening");
  if (!isnan(given)) return given;
  return trm_config_choice(config, "nbody.initial") <= NBODY_CUBE ? 0.01 : 0.0;
}

/* Of each first state. */
static trm_status check_initial(const trm_config *config)
{
  static const trm_option_need needs[] = {
    { "nbody.file", "nbody.initial", "file" }, { "nbody.masses", "nbody.initial", "file" },
    { "nbody.extent", "nbody.initial", "box" }, { "nbody.heaviest", "nbody.initial", "box" },
    { "nbody.eccentricity", "nbody.initial", "kepler" },
    { "nbody.separation", "nbody.initial", "galaxies" },
    { "nbody.impact", "nbody.initial", "galaxies" },
    { "nbody.approach", "nbody.initial", "galaxies" } };
  static const trm_option_need asked[] = {
    { "nbody.bodies", "nbody.initial", "plummer|collapse|galaxies|cube|box" },
    { "nbody.seed", "nbody.initial", "plummer|collapse|galaxies|cube|box" },
    { "nbody.theta", "nbody.force", "tree" } };
  TRM_TRY(trm_config_check_needs(config, needs, sizeof needs / sizeof *needs));
  TRM_TRY(trm_config_check_asked(config, asked, sizeof asked / sizeof *asked));
  if (trm_config_choice(config, "nbody.initial") != NBODY_FIVE ||
      strcmp(trm_config_string(config, "nbody.units"), "solar") == 0 ||
      trm_config_is_given(config, "nbody.gravity"))
    return TRM_OK;
  return TRM_FAIL(INPUT, "%s: the five bodies are in AU, years and solar masses, and would not "
                  "hold together with the G of nbody.units = \"%s\"; set nbody.units = \"solar\"",
                  trm_config_origin(config, "nbody.initial"),
                  trm_config_string(config, "nbody.units"));
}

static trm_status read_case(nbody_solver *nbody, const trm_config *config)
{
  static const int axes[][2] = {{0, 1}, {0, 2}, {1, 2}};
  TRM_TRY(check_initial(config));
  nbody->integrator = (nbody_integrator)trm_config_choice(config, "nbody.integrator");
  nbody->softening = read_softening(config);
  nbody->dt = trm_config_real(config, "nbody.dt");
  nbody->with_energy = trm_config_boolean(config, "nbody.energy");
  nbody->with_tree = strcmp(trm_config_string(config, "nbody.force"), "tree") == 0;
  nbody->tree.theta = trm_config_real(config, "nbody.theta");
  nbody->full = nbody->with_energy || nbody->softening == 0.0 || nbody->with_tree;
  nbody->picture_width = (int)trm_config_integer(config, "nbody.picture");
  nbody->picture_span = trm_config_real(config, "nbody.span");
  nbody->light_only = strcmp(trm_config_string(config, "nbody.shown"), "light") == 0;
  memcpy(nbody->picture_axes, axes[trm_config_choice(config, "nbody.plane")], sizeof axes[0]);
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

static void destroy(trm_solver **solver)
{
  if (!solver || !*solver) return;
  nbody_solver *nbody = (nbody_solver *)*solver;
  trm_sequence_destroy(&nbody->sequence);
  trm_reduction_destroy(&nbody->fold);
  nbody_tree_destroy(&nbody->tree);
  trm_framework_release(nbody->memory, nbody->memory_count);
  trm_framework_program_destroy(&nbody->forces);
  trm_framework_program_destroy(&nbody->moves);
  free(nbody);
  *solver = NULL;
}

static trm_status fill(nbody_solver *nbody, const trm_config *config, const trm_solver_options *run)
{
  nbody_bodies bodies = {0};
  trm_status status = nbody_load(nbody, config, &bodies);
  if (status == TRM_OK) status = nbody_check_numbers(nbody, config, &bodies);
  if (status == TRM_OK && nbody->with_tree) status = nbody_tree_choose_keys(nbody, &bodies);
  if (status == TRM_OK) status = nbody_build(nbody, config, run);
  if (status == TRM_OK) status = nbody_allocate(nbody);
  if (status == TRM_OK) status = nbody_upload(nbody, &bodies);
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
  nbody_declare(nbody);
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

static trm_status observe(trm_solver *solver)
{
  TRM_TRY(nbody_place((nbody_solver *)solver));
  return nbody_project((nbody_solver *)solver);
}

static trm_status finish(trm_solver *solver, const double *series_last)
{
  nbody_solver *nbody = (nbody_solver *)solver;
  nbody->results[1].value = solver->time;
  nbody->results[2].value = series_last[nbody->with_energy ? 4 : 1];
  if (nbody->with_energy) nbody->results[nbody->base.result_count - 1].value = series_last[1];
  return nbody->with_tree ? nbody_tree_tally(nbody, &nbody->results[3].value) : TRM_OK;
}

static trm_status export_files(trm_solver *solver, const char *folder, double *const *series,
                               size_t step_count)
{
  (void)series;
  (void)step_count;
  const nbody_solver *nbody = (const nbody_solver *)solver;
  nbody_bodies bodies = {0};
  trm_status status = nbody_read_state(nbody, &bodies);
  nbody_bodies_place(&bodies);
  /* beside a middle a place has more digits than the run's precision */
  const trm_precision digits = nbody->is_moved ? TRM_F64 : nbody->precision;
  if (status == TRM_OK) status = nbody_write(folder, &bodies, digits);
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
  .former_keys = former_keys, .former_key_count = sizeof former_keys / sizeof former_keys[0],
  .files_usage = "BODIES",
  .configure = configure,
  .create = create,
  .advance = nbody_advance,
  .restore = nbody_restore,
  .observe = observe,
  .finish = finish,
  .export_files = export_files,
  .destroy = destroy,
  .implementations = &implementations,
  .size_keys = "nbody.bodies",
};
