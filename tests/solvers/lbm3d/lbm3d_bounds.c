/* lbm3d_bounds.c - what the method cannot bear is refused or warned of before a run, and the cure
 * that the message gives is one: the case runs with it. */
#include "tests/solvers/flow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRID "grid.nx=8|grid.ny=8|grid.nz=8|"

static void takes(trm_device *device, const char *settings)
{
  flow_run run;
  flow_begin(&run, device, TRM_F32, settings);
  if (run.solver->caution) fail_msg("%s: %s", settings, run.solver->caution);
  flow_end(&run);
}

static void warns(trm_device *device, const char *settings, const char *part)
{
  flow_run run;
  flow_begin(&run, device, TRM_F32, settings);
  if (!run.solver->caution || !strstr(run.solver->caution, part))
    fail_msg("%s: '%s' is not in '%s'", settings, part, run.solver->caution);
  flow_end(&run);
}

static double fastest(flow_run *run)
{
  double *speed = flow_values(run, "speed"), most = 0;
  const trm_field *field = run->solver->fields;
  for (size_t i = 0; i < field->nx * field->ny * field->nz; i++) most = fmax(most, speed[i]);
  free(speed);
  return most;
}

/* ---- sides --------------------------------------------------------------------------------- */

#define BOX GRID "lbm.viscosity=0.1|boundary.west=wall|boundary.east=wall|boundary.south=wall|" \
                 "boundary.north=wall|" \
  "boundary.bottom=wall|boundary.top="

static void a_wall_that_moves_through_itself_is_refused(trm_device *device)
{
  flow_refused(device, BOX "moving|boundary.top_velocity=0.05; 0; 0.01", "boundary.top_velocity "
      "leads through the wall, with 0.01 along z at x = 4, y = 4, z = 8; a moving wall moves along "
               "itself: make that part 0, or set boundary.top = \"inflow\"");
  flow_refused(device, BOX "moving|boundary.top_velocity=0; 0; x < 1 ? 0.02 : 0", "0.02 along z "
      "at x = 0");
  takes(device, BOX "moving|boundary.top_velocity=0.05; 0; 0");
  flow_refused(device, BOX "inflow|boundary.top_velocity=0; 0; -0.01", "nothing lets it out");
  takes(device, GRID "lbm.viscosity=0.1|boundary.bottom=outflow|boundary.top=inflow|"
                     "boundary.top_velocity=0; 0; -0.01");
}

/* 0 in the middle, too fast at the ends. */
static void every_place_of_a_side_counts(trm_device *device)
{
  flow_refused(device, GRID "lbm.viscosity=0.1|boundary.south=wall|boundary.north=moving|"
               "boundary.north_velocity=0.4*(2*x/nx-1)^2; 0; 0", "at x = 0, y = 8, z = 4: Mach "
                   "0.693");
  flow_refused(device, GRID "lbm.viscosity=0.1|boundary.west=inflow|boundary.east=outflow|"
                            "boundary.west_velocity="
               "(y > 7.4 ? 0.3 : 0); 0; 0", "at x = 0, y = 7.5, z = 4: Mach 0.52");
  flow_refused(device, GRID "lbm.viscosity=0.1|grid.levels=2|mesh.refine=0 8 0 8 0 "
               "8|boundary.south=wall|"
               "boundary.north=moving|boundary.north_velocity=0; 0; z < 0.01 ? 0 : 0.03/z", "at "
                   "x = 4, y = 8, z = 0.125");
  flow_refused(device, GRID "lbm.viscosity=0.1|boundary.south=wall|boundary.north=moving|"
               "boundary.north_velocity=0.01/(x-4); 0; 0", "Mach inf");
}

static void metres_a_second_are_told_from_cells_a_step(trm_device *device)
{
  flow_refused(device, GRID "lbm.viscosity=0.1|boundary.west=inflow|boundary.east=outflow|"
               "boundary.west_velocity=30; 0; 0", "30 cells a step at x = 0, y = 4, z = 4: Mach "
                                                  "52");
  flow_refused(device, GRID "lbm.viscosity=0.1|boundary.west=inflow|boundary.east=outflow|"
               "boundary.west_velocity=30; 0; 0", "if it is meant in m/s, divide it by 600, and "
                                                  "set units.speed = 30, lbm.reference_speed = "
                                                  "0.05, units.cell (m) and units.viscosity");
  takes(device, GRID "boundary.west=inflow|boundary.east=outflow|boundary.west_velocity=30/600; 0; "
        "0|units.speed=30|"
        "lbm.reference_speed=0.05|units.cell=1e-5|units.viscosity=1.5e-4");
  flow_refused(device, GRID "boundary.west=inflow|boundary.east=outflow|"
                            "boundary.west_velocity=30; 0; 0|units.speed="
               "30|lbm.reference_speed=0.06|units.cell=1e-5|units.viscosity=1.5e-4",
               "a cell a step is 500 m/s here: if it is meant in m/s, divide it by that");
  warns(device, GRID "boundary.west=inflow|boundary.east=outflow|boundary.west_velocity=0.005; 0; "
        "0|units.speed=30|"
        "lbm.reference_speed=0.05|units.cell=1e-5|units.viscosity=1.5e-4", "the fastest side is 3 "
        "m/s, since lbm.reference_speed = 0.05 stands for units.speed = 30 m/s");
}

/* ---- the fluid ------------------------------------------------------------------------------- */

static void a_viscosity_that_no_step_follows_is_refused(trm_device *device)
{
  flow_refused(device, GRID "lbm.viscosity=1e30", "a viscosity of 1e+30 on the lattice: above 1 ");
  flow_refused(device, GRID "lbm.viscosity=1.2345", "make the viscosity and the speeds 1.24 times "
               "smaller");
  takes(device, GRID "lbm.viscosity=0.99556");
  flow_refused(device, GRID "lbm.reynolds=1e-6|lbm.reference_speed=0.05", "4e+05 times smaller");
  takes(device, GRID "lbm.reynolds=1e-6|lbm.reference_speed=1.25e-7");
  /* in single precision a rate near 2 has too few digits */
  flow_refused(device, GRID "lbm.viscosity=1.043e-7", "is off by more than 1 % in this precision; "
               "make "
               "it 5e-7 or more");
  takes(device, GRID "lbm.viscosity=5e-7");
  flow_refused(device, GRID "lbm.viscosity=0.1|lbm.magic=1e-9", "lbm.magic = 1e-09; outside 0.001 "
               "to 1");
  takes(device, GRID "lbm.viscosity=0.1|lbm.magic=0.1875");
}

/* A run with it diverges in step 2282, one with the cure does not in 4000. */
static void an_outflow_warns_of_too_large_a_viscosity(trm_device *device)
{
#define DUCT "grid.nx=24|grid.ny=8|grid.nz=8|boundary.west=inflow|boundary.east=outflow|" \
             "boundary.south=wall|" \
  "boundary.north=wall|"
  flow_run run;
  warns(device, DUCT "lbm.viscosity=0.185|boundary.west_velocity=0.005; 0; 0", "make the "
      "viscosity and the speeds 1.09 times smaller");
  test_needs_f64(device);
  flow_begin(&run, device, TRM_F64, DUCT "lbm.viscosity=0.1697|boundary.west_velocity=0.00458; "
                                         "0; 0");
  flow_steps(&run, 2500, 0);
  assert_true(!run.solver->caution && fastest(&run) < 0.02);
  flow_end(&run);
}

/* Where no speed of the lattice is large enough a smaller cell is; where it is near, both are. */
static void cures_of_units_are_cures(trm_device *device)
{
#define UNITS GRID "units.speed=0.1|units.viscosity=1e-6|"
  flow_refused(device, GRID "units.speed=30|units.viscosity=1.5e-5|units.cell=1e-2|"
               "lbm.reference_speed=0.05", "make units.cell 2.98e-05 m or less (and the grid 336 "
               "times finer)");
  takes(device, GRID "units.speed=30|units.viscosity=1.5e-5|units.cell=2.98e-5|"
        "lbm.reference_speed=0.05");
  flow_refused(device, GRID "lbm.viscosity=0.1|lbm.reference_speed=168", "Mach 291, and the method "
               "holds up to Mach 0.3; make it 0.173 or less");
  takes(device, GRID "lbm.viscosity=0.1|lbm.reference_speed=0.173");
  flow_refused(device, UNITS "units.cell=1e-3|lbm.reference_speed=0.05", "or lbm.reference_speed "
               "and "
               "all velocities of the case 1.68 times as large (lbm.reference_speed = 0.0838)");
  takes(device, UNITS "units.cell=1e-3|lbm.reference_speed=0.0838");
  flow_refused(device, UNITS "units.cell=1e-6|lbm.reference_speed=0.1", "make lbm.reference_speed "
               "0.05 or less, for shorter steps");
  takes(device, UNITS "units.cell=1e-6|lbm.reference_speed=0.05");
}

/* ---- what drives ------------------------------------------------------------------------- */

/* The force that the message gives, after which the case runs, and its flow in the end is as fast
 * as the method bears, nearly. */
#define FORCE "body_force=%g %g %g"
#define OF(axis, is) axis == 'x' ? is : 0, axis == 'y' ? is : 0, axis == 'z' ? is : 0
static void hold_cure(trm_device *device, const char *box, char axis, double is)
{
  char settings[500], key[64];
  double cure = 0;
  flow_run run;
  snprintf(settings, sizeof settings, "%s|" FORCE, box, OF(axis, is));
  assert_int_equal(flow_try(&run, device, TRM_F64, settings), TRM_ERROR_INPUT);
  const char *text = strstr(trm_error_last()->text, "make it ");
  snprintf(key, sizeof key, "body_force along %c = %g drives the flow to Mach", axis, is);
  if (!text || !strstr(trm_error_last()->text, key) || sscanf(text, "make it %lf or "
      "less", &cure) != 1)
    fail_msg("%s: %s", settings, trm_error_last()->text);
  snprintf(settings, sizeof settings, "%s|" FORCE, box, OF(axis, cure));
  flow_begin(&run, device, TRM_F64, settings);
  flow_steps(&run, 4000, 0);
  const double mach = sqrt(3.0) * fastest(&run);
  print_message("# %s: Mach %g\n", settings, mach);
  assert_true(mach > 0.24 && mach <= 0.3);
  flow_end(&run);
}

static void a_force_that_drives_too_fast_a_flow_is_refused(trm_device *device)
{
  test_needs_f64(device);
  hold_cure(device, "grid.nx=3|grid.ny=16|grid.nz=3|lbm.viscosity=0.05|boundary.south=wall|"
            "boundary.north=wall",
            'x', 3.2e-3);
  hold_cure(device, "grid.nx=16|grid.ny=3|grid.nz=11|lbm.viscosity=0.05|boundary.west=wall|"
            "boundary.east=wall|"
            "boundary.bottom=wall|boundary.top=moving|boundary.top_velocity=0; 0.01; 0", 'y', 6e-3);
  flow_refused(device, BOX "wall|body_force=0 0 0.05", "against the walls at its ends makes the "
               "density "
               "differ by 1.2 times the mean, and the method holds up to 0.6; make it 0.025 or "
               "less");
  takes(device, BOX "wall|body_force=0 0 0.025");
  warns(device, GRID "lbm.viscosity=0.01|bodies.shapes=sphere 4 4 4 1|body_force=0.01 0 0",
        "body_force along x = 0.01 would drive a laminar flow to Mach");
  /* a turbulent channel: laminar it would be too fast */
  warns(device, "grid.nx=8|grid.ny=128|grid.nz=8|lbm.viscosity=1e-3|boundary.south=wall|"
                "boundary.north=wall|"
        "body_force=1e-6 0 0|lbm.collision=mrt", "would drive a laminar flow to Mach");
}

/* ---- grids ------------------------------------------------------------------------------- */

static void a_refinement_that_refines_nothing_is_refused(trm_device *device)
{
#define FINER GRID "lbm.viscosity=0.02|grid.levels=1|mesh.refine="
  flow_refused(device, FINER "0 4 0 4 0 4; 20 24 0 8 0 8", "the box 20 24 0 8 0 8 in mesh.refine "
               "splits no block");
  flow_refused(device, FINER "wall 3", "'wall 3' in mesh.refine splits no block: no side is a "
               "wall");
  flow_refused(device, FINER "formula x-9", "the formula in mesh.refine splits no block");
  flow_refused(device, GRID "lbm.viscosity=0.02|lbm.blocks=true|mesh.refine=0 8 0 8 0 8",
               "set grid.levels = 1 or more");
  takes(device, FINER "formula x-7");
  takes(device, FINER "wall 3|boundary.south=wall|boundary.north=wall");
  takes(device, FINER "0 4 0 4 0 4");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_wall_that_moves_through_itself_is_refused),
    TEST_DEVICE(every_place_of_a_side_counts),
    TEST_DEVICE(metres_a_second_are_told_from_cells_a_step),
    TEST_DEVICE(a_viscosity_that_no_step_follows_is_refused),
    TEST_DEVICE(an_outflow_warns_of_too_large_a_viscosity),
    TEST_DEVICE(cures_of_units_are_cures),
    TEST_DEVICE(a_force_that_drives_too_fast_a_flow_is_refused),
    TEST_DEVICE(a_refinement_that_refines_nothing_is_refused),
  };
  flow_solver = "lbm3d";
  return TEST_RUN(argc, argv, cases);
}
