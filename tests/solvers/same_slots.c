/* same_slots.c - blocks that lie in memory in another order (mesh.shuffle) have the same fields and
 * series: at the start, after a step and after several; and a checkpoint that was written with them
 * in one order goes on with them in another. */
#include "tests/solvers/same_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

#define FLAT "grid.nx=64|grid.ny=48|compressible.integrals=true|"
#define DEEP "grid.nx=16|grid.ny=16|grid.nz=16|compressible.integrals=true|"
#define SWIRL "initial.velocity_x=0.3*sin(6*x)*cos(5*y)|compressible.viscosity=0.002|" \
              "initial.velocity_y=0.2*sin(3*x+y)|"
#define BLOBS "initial.density=1+exp(-200*((x-0.3)^2+(y-0.4)^2))+" \
              "exp(-200*((x-0.62)^2+(y-0.17)^2))|probes=a 0.3 0.4; b 0.81 0.2|"
#define WIND "initial.velocity_x=0.4|"
#define WALLS "boundary.west=wall|boundary.east=wall|boundary.south=wall|" \
              "boundary.north=isothermal|boundary.north_velocity=0.4 0 0|"
#define FOLLOW "grid.levels=2|mesh.refine=density 0.05; reach 4|mesh.adapt_every=2|"

/* Slots are a matter of the host's tables. A GPU is asked for the first ones, whose kernels other
 * tests build for it. A driver that is spared has shuffled blocks in same_fields.c. */
enum { FIRST = 3, MOVING = 7 };
static const char *const flows[] = {
  FLAT BLOBS FOLLOW "initial.velocity_x=2|initial.velocity_y=1|boundary.west=outflow|"
    "boundary.east=outflow|compressible.slopes=van-albada",
  FLAT SWIRL WALLS "grid.levels=1|mesh.refine=0.4 2 0.2 0.5|bodies.shapes=cylinder 0.3 0.35 "
    "0.11 wall spin 2",
  DEEP SWIRL "grid.levels=1|mesh.refine=0.2 0.6 0.2 0.6 0.2 0.6|boundary.south=wall|"
    "boundary.north=wall|probes=a 0.3 0.4 0.6",
  FLAT SWIRL WALLS "compressible.schlieren=true",
  FLAT BLOBS WIND "average_from=0.01|body_force=0.1 0.2 0|grid.levels=1|"
    "mesh.refine=0.2 0.7 0.2 0.4",
  FLAT "boundary.west=farfield|boundary.west_velocity=0.1*min(1,9*t); 0; 0|boundary.east="
    "subsonic_outflow|boundary.east_sponge=0.3|compressible.sponge_strength=1|"
    "compressible.sponge_density=1|compressible.sponge_pressure=1|grid.levels=1|"
    "mesh.refine=0.2 0.5 0.2 0.4",
  FLAT BLOBS WIND FOLLOW "bodies.shapes=cylinder 0.55 0.4 0.1 wall; box 0.2 0.35 0.1 0.2",
  FLAT BLOBS WIND FOLLOW "bodies.shapes=box 0.5 0.7 0.3 0.5; cylinder 0.25 0.3 0.08|"
    "bodies.motion=0.3*t, 0.2*t, 2*t; ",
  FLAT "bodies.shapes=box 0.25 0.45 0.3 0.5 slides; box 0.45 0.7 0.35 0.45 "
    "slides|bodies.motion=0, 0.1*t; 0.02*t, 0|grid.levels=1",
  DEEP "grid.levels=1|bodies.shapes=sphere 0.5 0.45 0.5 0.2 wall|initial.velocity_x=0.3|"
    "bodies.motion=0.2*t, 0, 0|compressible.viscosity=0.001",
  FLAT SWIRL WALLS "grid.nx=96|grid.ny=64|grid.levels=1|bodies.shapes=cylinder 0.2 0.35 "
    "0.06|compressible.time=dual|dual.dt=0.02|dual.iterations=2|compressible.multigrid=2",
  DEEP SWIRL "compressible.time=steady|boundary.south=isothermal|boundary.north=isothermal",
  FLAT SWIRL WALLS "compressible.implementation=lists",
  DEEP SWIRL "boundary.south=wall|boundary.north=wall|compressible.implementation=two-kernels",
};

#define BOX "grid.nx=24|grid.ny=16|grid.nz=16|lbm.viscosity=0.02|" \
            "initial.velocity_x=0.03*sin(0.3*x)*" \
            "cos(0.4*y)|initial.density=1+0.01*sin(x-y)|probes=a plane x 7.5; b point 3 4 2|"
#define SIDES "boundary.west=inflow|boundary.west_velocity=0.03*y/ny; 0; 0|" \
              "boundary.east=outflow|boundary.south=wall|" \
              "boundary.north=moving|boundary.north_velocity=0.05; 0; 0.02|"
static const char *const lattices[] = {
  BOX SIDES "lbm.blocks=true|bodies.shapes=sphere 12.3 8.4 7.8 3.2|average_from=3",
  BOX SIDES "grid.nx=16|grid.levels=2|mesh.refine=formula 4-abs(x-8)-abs(y-8)-abs(z-8); 0 2 0 2 "
    "0 2",
  BOX "grid.levels=1|mesh.refine=0 8 0 16 0 8|body_force=1e-4 0 0|lbm.smagorinsky=0.1",
  BOX "grid.levels=1|mesh.refine=wall 4|bodies.shapes=sphere 16 8 8 2.6; box 2 3 3 6 13 13",
  BOX SIDES "lbm.blocks=true|lbm.lattice=d3q27|lbm.collision=cumulant|lbm.bounce_back=interpolated|"
    "bodies.shapes=sphere 12.3 8.4 7.8 3.2",
};

static void same_in_any_slots(trm_device *device, const char *solver, const char *const *all,
                              size_t count)
{
  const trm_device_info *info = trm_device_describe(device);
  for (size_t i = 0; i < (info->is_host ? count : FIRST); i++) {
    const trm_precision precision = info->has_f64 && i % 2 == 1 ? TRM_F64 : TRM_F32;
    same_sample expected[SAME_SAMPLES];
    for (int seed = 0; seed < 3; seed++) {
      char settings[1024];
      snprintf(settings, sizeof settings, "%s|mesh.shuffle=%d", all[i], seed);
      const same_case of = { solver, settings, 0 };
      same_run(device, &of, (same_size){ 0, 0 }, precision, seed ? expected : NULL, expected,
               "in other slots");
    }
    same_forget(expected);
  }
}

/* From slots in order to shuffled ones, and back. */
static void resume_across(trm_device *device, const char *solver, const char *settings)
{
  for (int i = 0; i < 2; i++) {
    char text[2][1024];
    for (int k = 0; k < 2; k++)
      snprintf(text[k], sizeof text[k], "%s|mesh.shuffle=%d", settings, i == k ? 0 : 7);
    const same_case first = { solver, text[0], 0 }, next = { solver, text[1], 0 };
    same_resume(device, &first, &next, TRM_F32);
  }
}

static void flows_are_the_same_in_any_slots(trm_device *device)
{
  test_is_spared(device);
  same_in_any_slots(device, "compressible", flows, COUNT(flows));
}

static void flows_go_on_in_other_slots(trm_device *device)
{
  test_is_spared(device);
  resume_across(device, "compressible", flows[0]);
  if (trm_device_describe(device)->is_host) resume_across(device, "compressible", flows[MOVING]);
}

static void lattices_are_the_same_in_any_slots(trm_device *device)
{
  test_is_spared(device);
  same_in_any_slots(device, "lbm3d", lattices, COUNT(lattices));
}

static void lattices_go_on_in_other_slots(trm_device *device)
{
  test_is_spared(device);
  resume_across(device, "lbm3d", lattices[0]);
  resume_across(device, "lbm3d", lattices[2]);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(flows_are_the_same_in_any_slots),
    TEST_DEVICE(flows_go_on_in_other_slots),
    TEST_DEVICE(lattices_are_the_same_in_any_slots),
    TEST_DEVICE(lattices_go_on_in_other_slots),
  };
  return TEST_RUN(argc, argv, cases);
}
