/* same_fields.c - every declared field, and every series, of every variant of every solver has the
 * same bits on the openmp backend, on it with other threads, wavefronts and backwards, and on every
 * other backend: at the start, after a step and after several. Fingerprints see the state alone;
 * what is derived from it is seen here.
 *
 * A case is a solver and its settings. That none is forgotten is a test as well: every word that a
 * key of a built-in solver takes stands in a case. */
#include "tests/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/solver.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Settings: KEY=VALUE, separated by '|'; @ROCKS, @BODIES and @TABLE are files that the test makes.
 * How many of the sizes it is run on; 0: it has no grid. */
typedef struct same_case {
  const char *solver, *settings;
  size_t sizes;
} same_case;

#define GENEVA "lbm.flow=geneva|lbm.speed=0.06|lbm.perturbation=0.2|lbm.viscosity=0.02|" \
               "lbm.shapes=cylinder 12.5 3.5 2; polygon 20 2 26 3 22 6|lbm.probes=0 3; 30 6|"
#define CHANNEL "lbm.flow=channel|lbm.viscosity=0.02|"
#define SHAPES "lbm.shapes=cylinder 12.5 3.5 2; box 20 1 23 5|"
#define MOVED "lbm.u_formula=0.03*sin(0.3*x)*cos(0.4*y)|lbm.v_formula=0.02*cos(0.2*x+y)|" \
              "lbm.rho_formula=1+0.01*sin(x-y)|"
#define BOX "grid.nz=5|lbm.viscosity=0.02|lbm.shapes=sphere 12.3 4.5 2.5 1.7; box 20 2 1 23 6 3|"
#define STREAM "lbm.u_formula=0.03*sin(0.3*x)*cos(0.4*y)|lbm.west=inflow|lbm.east=outflow|" \
               "lbm.west_velocity=0.05; 0; 0|lbm.south=wall|lbm.north=wall|"
#define LEVELS "grid.nx=16|grid.ny=16|grid.nz=16|lbm.viscosity=0.02|grid.levels=2|lbm.u_formula=" \
               "0.03*sin(0.3*x)*cos(0.4*y)|mesh.refine=formula 4-abs(x-8)-abs(y-8)-abs(z-8);wall 1|"
#define HALF "lbm.storage=half|" /* of f32 alone */
#define FOLDED "lbm.rows=folded|grid.nx=64|grid.ny=7|" /* likewise */
#define ISLANDS "shallow.bed_formula=0.4*sin(0.9*x)*cos(1.1*y)-0.2|grid.dx=0.3|" \
                "shallow.surface_formula=0.2*exp(-((x-3)^2+(y-1)^2))|shallow.u_formula=0.1*sin(y)|"
#define FLOW "grid.nx=16|grid.ny=16|compressible.velocity_x=0.1*sin(6*x)|" \
             "compressible.viscosity=0.001|"
#define PLUMMER "nbody.dt=0.01|nbody.picture=17|nbody.bodies=131|"

static const same_case cases[] = {
  { "lbm", "lbm.flow=driven|lbm.variant=best|lbm.obstacles=@ROCKS", 3 },
  { "lbm", "lbm.variant=bristol-copied|lbm.obstacles=@ROCKS", 3 },
  { "lbm", "lbm.variant=bristol-resident|lbm.obstacles=@ROCKS", 3 },
  { "lbm", "lbm.variant=bristol-fused|lbm.obstacles=@ROCKS", 3 },
  { "lbm", "lbm.variant=bristol-swapped|lbm.obstacles=@ROCKS", 3 },
  { "lbm", "lbm.variant=bristol-arrays|lbm.obstacles=@ROCKS", 3 },
  { "lbm", "lbm.variant=bristol-tree|lbm.obstacles=@ROCKS", 3 },
  { "lbm", "lbm.variant=bristol-selects|lbm.obstacles=@ROCKS", 3 },
  { "lbm", GENEVA "lbm.variant=fused", 3 },
  { "lbm", GENEVA "lbm.variant=split", 3 },
  { "lbm", CHANNEL SHAPES "lbm.west=inflow|lbm.east=outflow|lbm.south=wall|lbm.north=wall|"
           "lbm.speed=0.05|lbm.inflow=uniform|lbm.collision=bgk|lbm.surface=halfway", 3 },
  { "lbm", CHANNEL SHAPES "lbm.east=copy|lbm.north=moving|lbm.wall_speed=0.04|lbm.speed=0.05|"
           "lbm.inflow=parabolic|lbm.collision=trt|lbm.surface=interpolated", 3 },
  { "lbm", CHANNEL SHAPES "lbm.east=outflow|lbm.south=periodic|lbm.north=periodic|lbm.speed=0.05|"
           "lbm.inflow=table|lbm.inflow_table=@TABLE|lbm.collision=regularised|"
           "lbm.surface=interpolated", 3 },
  { "lbm", CHANNEL MOVED "lbm.west=wall|lbm.east=wall|lbm.south=moving|lbm.north=wall|"
           "lbm.wall_speed=-0.03|lbm.collision=trt", 3 },
  { "lbm", CHANNEL MOVED SHAPES "lbm.west=periodic|lbm.east=periodic|lbm.force_x=1e-4|"
           "lbm.force_y=2e-5|lbm.collision=bgk", 3 },
  { "lbm", CHANNEL MOVED "lbm.west=periodic|lbm.east=periodic|lbm.south=periodic|"
           "lbm.north=periodic|lbm.force_x=1e-4|lbm.collision=regularised", 3 },
  { "lbm3d", BOX "lbm.lattice=d3q19|lbm.collision=trt|lbm.west=wall|lbm.east=wall|"
             "lbm.south=moving|lbm.south_velocity=0.05; 0; 0.02|lbm.north=wall|lbm.bottom=wall|"
             "lbm.top=wall|lbm.surface=halfway", 2 },
  { "lbm3d", BOX "lbm.lattice=d3q27|lbm.collision=bgk|lbm.west=inflow|"
             "lbm.west_velocity=0.05*y*(ny-y)/ny^2; 0; 0|lbm.east=outflow|lbm.south=wall|"
             "lbm.north=wall|lbm.bottom=periodic|lbm.top=periodic|lbm.surface=interpolated", 2 },
  { "lbm3d", BOX "lbm.west=wall|lbm.east=moving|lbm.east_velocity=0; 0.04; 0|lbm.south=outflow|"
             "lbm.north=inflow|lbm.north_velocity=0; -0.03; 0|lbm.bottom=outflow|lbm.top=moving|"
             "lbm.top_velocity=0.02; 0; 0", 1 },
  { "lbm3d", BOX "lbm.west=outflow|lbm.east=inflow|lbm.east_velocity=-0.04; 0; 0|lbm.south=inflow|"
             "lbm.south_velocity=0; 0.03; 0|lbm.north=outflow|lbm.bottom=moving|"
             "lbm.bottom_velocity=0.02; 0; 0|lbm.top=outflow", 1 },
  { "lbm3d", BOX "lbm.west=moving|lbm.west_velocity=0; 0.04; 0|lbm.east=wall|lbm.north=moving|"
             "lbm.north_velocity=0.03; 0; 0|lbm.south=wall|lbm.bottom=inflow|"
             "lbm.bottom_velocity=0; 0; 0.03|lbm.top=inflow|lbm.top_velocity=0; 0; 0.03", 1 },
  { "lbm3d", BOX "lbm.west=periodic|lbm.east=periodic|lbm.south=periodic|lbm.north=periodic|"
             "lbm.force_x=1e-4|lbm.force_z=2e-5|lbm.u_formula=0.03*sin(0.3*x)*cos(0.4*y)|"
             "lbm.w_formula=0.02*cos(0.2*x+z)|lbm.rho_formula=1+0.01*sin(x-y)", 2 },
  { "lbm3d", "grid.nz=9|lbm.viscosity=0.02|lbm.geometry=@BRICK|lbm.fluid=inside|"
             "lbm.patches=west density 1.01; east inflow 0.02 0 0", 1 },
  { "lbm3d", "grid.nz=9|lbm.viscosity=0.02|lbm.geometry=@BRICK|lbm.fluid=outside|"
             "lbm.u_formula=0.02", 1 },
  { "lbm3d", BOX STREAM "lbm.collision=mrt|lbm.smagorinsky=0.15", 1 },
  { "lbm3d", BOX STREAM "lbm.collision=regularised|lbm.force_y=1e-5", 1 },
  { "lbm3d", BOX STREAM "lbm.collision=regularised|lbm.lattice=d3q27|lbm.smagorinsky=0.1", 1 },
  { "lbm3d", BOX STREAM "lbm.collision=cumulant|lbm.lattice=d3q27", 1 },
  { "lbm3d", BOX STREAM "lbm.collision=cumulant|lbm.lattice=d3q27|lbm.force_z=1e-5", 1 },
  { "lbm3d", BOX STREAM "lbm.average_from=3|lbm.force_y=1e-5", 1 },
  { "lbm3d", "grid.nz=5|lbm.viscosity=0.02|lbm.u_formula=0.03*sin(0.3*x)*cos(0.4*y)|"
             "lbm.average_from=1|lbm.collision=bgk", 1 },
  { "lbm3d", BOX STREAM HALF "lbm.streaming=in-place|lbm.average_from=3", 1 },
  { "lbm3d", LEVELS "lbm.average_from=1", 0 },
  { "lbm3d", LEVELS "lbm.force_x=1e-4", 0 },
  { "lbm3d", LEVELS "lbm.west=inflow|lbm.west_velocity=0.05*y/ny; 0; 0|lbm.east=outflow|"
             "lbm.south=wall|lbm.north=moving|lbm.north_velocity=0.05; 0; 0.02|lbm.bottom=inflow|"
             "lbm.bottom_velocity=0; 0; 0.02|lbm.top=wall", 0 },
  { "lbm3d", LEVELS "lbm.lattice=d3q27|lbm.south=outflow|lbm.north=wall|lbm.collision=cumulant|"
             "lbm.smagorinsky=0.1", 0 },
  { "lbm3d", LEVELS "lbm.collision=mrt|lbm.bottom=wall|lbm.top=wall", 0 },
  { "lbm3d", LEVELS "lbm.collision=regularised|lbm.lattice=d3q27", 0 },
  { "lbm3d", "grid.nx=16|grid.ny=8|grid.nz=24|lbm.blocks=true|lbm.viscosity=0.02|lbm.u_formula="
             "0.03*sin(0.3*x)*cos(0.4*y)|lbm.collision=regularised", 0 },
  { "lbm3d", BOX STREAM "lbm.storage=full|lbm.rows=plain|lbm.streaming=in-place|"
             "lbm.probes=a plane x 7.5", 2 },
  { "lbm3d", BOX STREAM "lbm.streaming=in-place|lbm.collision=cumulant|lbm.lattice=d3q27|"
             "lbm.smagorinsky=0.1", 1 },
  { "lbm3d", BOX STREAM HALF "lbm.streaming=two-lattices|lbm.force_y=1e-5", 2 },
  { "lbm3d", BOX STREAM HALF "lbm.streaming=in-place|lbm.collision=bgk|"
             "lbm.probes=b point 3 4 2", 2 },
  { "lbm3d", BOX STREAM HALF "lbm.streaming=in-place|lbm.smagorinsky=0.1|lbm.lattice=d3q27|"
             "lbm.collision=cumulant", 1 },
  { "lbm3d", "grid.nz=9|lbm.viscosity=0.02|lbm.geometry=@BRICK|lbm.fluid=inside|" HALF
             "lbm.streaming=in-place|lbm.patches=west density 1.01; east inflow 0.02 0 0", 1 },
  { "lbm3d", BOX STREAM FOLDED HALF "lbm.force_y=1e-5", 0 },
  { "lbm3d", BOX STREAM FOLDED HALF "lbm.streaming=in-place|lbm.smagorinsky=0.1|"
             "lbm.lattice=d3q27|lbm.collision=cumulant|lbm.probes=a plane x 31.5", 0 },
  { "lbm3d", BOX STREAM FOLDED "lbm.smagorinsky=0.1|lbm.probes=b point 32 4 2", 0 },
  { "lbm3d", BOX STREAM FOLDED "lbm.streaming=in-place|lbm.collision=bgk|"
             "lbm.average_from=3", 0 },
  { "shallow", ISLANDS "shallow.scheme=hllc", 3 },
  { "shallow", ISLANDS "boundary.west=open|boundary.east=wall|boundary.south=level|"
               "boundary.south_value=0.05|boundary.north=discharge|boundary.north_value=0.02|"
               "shallow.manning=0.03|shallow.maps=true|shallow.gauges=a 1 1, b 6.05 2", 3 },
  { "shallow", ISLANDS "boundary.west=wall|boundary.east=level|boundary.east_value=0.03|"
               "boundary.south=discharge|boundary.south_value=0.02|boundary.north=wave|"
               "boundary.north_value=0.04|shallow.maps=true", 3 },
  { "shallow", ISLANDS "boundary.west=level|boundary.west_value=0.03|boundary.east=discharge|"
               "boundary.east_value=0.01|boundary.south=wave|boundary.south_value=0.04|"
               "boundary.north=open", 3 },
  { "shallow", ISLANDS "boundary.west=discharge|boundary.west_value=0.02|boundary.east=wave|"
               "boundary.east_value=0.04|boundary.south=open|boundary.north=wall", 3 },
  { "shallow", ISLANDS "boundary.west=wave|boundary.west_value=0.04|boundary.east=open|"
               "boundary.south=wall|boundary.north=level|boundary.north_value=0.03", 3 },
  { "shallow", ISLANDS "shallow.scheme=lax-friedrichs|boundary.west=wall|boundary.east=wall|"
               "boundary.south=wall|boundary.north=wall|shallow.maps=true", 4 },
  { "shallow", "grid.dx=0.3|shallow.bed_formula=-1|shallow.scheme=lax-friedrichs|"
               "shallow.surface_formula=0.2*exp(-((x-3)^2+(y-1)^2))", 4 },
  { "shallow", "grid.dx=0.3|shallow.bed_formula=-1|shallow.scheme=lax-friedrichs|"
               "shallow.dt_every=3|shallow.surface_formula=0.2*exp(-((x-3)^2+(y-1)^2))", 4 },
  { "compressible", "grid.nx=48|grid.ny=32|grid.levels=1|mesh.refine=density 0.02|"
                    "mesh.adapt_every=2|mesh.overflow=stop|compressible.density=x<0.4?1:0.5|"
                    "compressible.schlieren=true", 0 },
  { "compressible", "grid.nx=48|grid.ny=32|grid.levels=2|mesh.refine=density 0.02|"
                    "mesh.adapt_every=0|mesh.overflow=coarsen|mesh.blocks=40|"
                    "compressible.density=x<0.4?1:0.5", 0 },
  { "compressible", FLOW "compressible.flux=ausm|"
                    "grid.nz=1|boundary.west=periodic|boundary.east=periodic|"
                    "boundary.south=periodic|boundary.north=periodic|"
                    "boundary.bottom=periodic|boundary.top=periodic", 0 },
  { "compressible", FLOW "compressible.flux=hllc|"
                    "grid.nz=8|compressible.slopes=van-albada|"
                    "boundary.west=symmetry|boundary.east=wall|"
                    "boundary.south=isothermal|boundary.north=inflow|"
                    "boundary.bottom=outflow|boundary.top=subsonic_inflow", 0 },
  { "compressible", FLOW "compressible.flux=ausm+|"
                    "grid.nz=8|compressible.slopes=central|"
                    "boundary.west=wall|boundary.east=isothermal|"
                    "boundary.south=inflow|boundary.north=outflow|"
                    "boundary.bottom=subsonic_inflow|boundary.top=subsonic_outflow", 0 },
  { "compressible", FLOW "compressible.flux=ausm|"
                    "grid.nz=8|compressible.slopes=van-albada|"
                    "boundary.west=isothermal|boundary.east=inflow|"
                    "boundary.south=outflow|boundary.north=subsonic_inflow|"
                    "boundary.bottom=subsonic_outflow|boundary.top=farfield", 0 },
  { "compressible", FLOW "compressible.flux=ausm|"
                    "grid.nz=8|compressible.slopes=central|"
                    "boundary.west=inflow|boundary.east=outflow|"
                    "boundary.south=subsonic_inflow|boundary.north=subsonic_outflow|"
                    "boundary.bottom=farfield|boundary.top=symmetry", 0 },
  { "compressible", FLOW "compressible.flux=ausm+|"
                    "grid.nz=8|compressible.slopes=van-albada|"
                    "boundary.west=outflow|boundary.east=subsonic_inflow|"
                    "boundary.south=subsonic_outflow|boundary.north=farfield|"
                    "boundary.bottom=symmetry|boundary.top=wall", 0 },
  { "compressible", FLOW "compressible.flux=ausm|"
                    "grid.nz=8|compressible.slopes=central|"
                    "boundary.west=subsonic_inflow|boundary.east=subsonic_outflow|"
                    "boundary.south=farfield|boundary.north=symmetry|"
                    "boundary.bottom=wall|boundary.top=isothermal", 0 },
  { "compressible", FLOW "compressible.flux=ausm|"
                    "grid.nz=8|compressible.slopes=van-albada|"
                    "boundary.west=subsonic_outflow|boundary.east=farfield|"
                    "boundary.south=symmetry|boundary.north=wall|"
                    "boundary.bottom=isothermal|boundary.top=inflow", 0 },
  { "compressible", FLOW "compressible.flux=ausm+|"
                    "grid.nz=8|compressible.slopes=central|"
                    "boundary.west=farfield|boundary.east=symmetry|"
                    "boundary.south=wall|boundary.north=isothermal|"
                    "boundary.bottom=inflow|boundary.top=outflow", 0 },
  { "compressible", FLOW "grid.nz=8|boundary.west=inflow|boundary.west_velocity=1.5; 0.1*t; 0|"
                    "boundary.west_density=1.4+table*sin(9*y+3*t)*exp(-z)|"
                    "boundary.west_table=@TABLE|boundary.east=subsonic_outflow|"
                    "boundary.east_pressure=1+0.1*t^1.5*tanh(y)|boundary.south=wall|"
                    "boundary.north=wall|"
                    "boundary.north_where=abs(x-0.5)<0.2|boundary.north_there=subsonic_inflow|"
                    "boundary.north_velocity=0; -0.1; 0.1*floor(9*z)", 0 },
  { "compressible", FLOW "grid.nz=1|grid.levels=1|mesh.refine=0.3 1.5 0.2 0.6|"
                    "boundary.west=farfield|"
                    "boundary.west_velocity=0.1*min(1,9*t); max(x,y)-y; 0|boundary.east=symmetry|"
                    "boundary.east_where=y<0.4?1:0|boundary.east_there=outflow|"
                    "boundary.west_pressure=1+0.01*sech(y)-0.01*cosh(t)|boundary.north=wall|"
                    "boundary.south=isothermal|boundary.south_temperature=1+0.02*cos(x+log(1+t))",
    0 },
  { "compressible", FLOW "grid.nz=1|grid.levels=1|mesh.refine=0.3 0.8 0.2 0.6|"
                    "compressible.flux=hllc|compressible.slopes=van-albada", 0 },
  { "compressible", FLOW "grid.nz=8|compressible.sutherland=0.4|boundary.west=isothermal|"
                    "boundary.east=wall|compressible.slopes=van-albada", 0 },
  { "compressible", FLOW "compressible.sutherland=0.4|grid.levels=1|mesh.refine=0.3 0.8 0.2 0.6",
    0 },
  { "compressible", FLOW "compressible.average_from=0.01|compressible.schlieren=true|"
                    "compressible.probes=a 0.3 0.4; b 0.81 0.2|grid.levels=1|"
                    "mesh.refine=0.3 0.8 0.2 0.6", 0 },
  { "compressible", FLOW "compressible.time=explicit|compressible.integrals=true", 0 },
  { "compressible", FLOW "compressible.stage=fused|boundary.west=wall|boundary.east=outflow", 0 },
  { "compressible", FLOW "compressible.stage=two-kernels|boundary.west=wall|boundary.east=outflow",
    0 },
  { "compressible", FLOW "compressible.stage=lists|grid.nz=8|boundary.west=wall|"
                    "boundary.east=outflow|boundary.south=isothermal|boundary.north=symmetry", 0 },
  { "compressible", FLOW "compressible.time=dual|dual.dt=0.02|dual.iterations=6", 0 },
  { "compressible", FLOW "grid.nz=8|grid.levels=1|mesh.refine=0.3 0.8 0.2 0.6 0 1|"
                    "compressible.time=dual|dual.cfl=9|dual.iterations=4", 0 },
  { "compressible", FLOW "compressible.time=steady|dual.tolerance=1e-9|boundary.south=isothermal|"
                    "boundary.north=isothermal|boundary.north_velocity=0.1 0 0", 0 },
  { "nbody", PLUMMER "nbody.initial=plummer|nbody.force=pairs|nbody.kernel=best|"
             "nbody.units=nbody|nbody.plane=xy|nbody.shown=all|nbody.integrator=leapfrog", 0 },
  { "nbody", PLUMMER "nbody.force=tree|nbody.plane=yz", 0 },
  { "nbody", PLUMMER "nbody.initial=galaxies|nbody.shown=light|nbody.plane=xz|nbody.force=tree|"
             "nbody.integrator=kick-drift", 0 },
  { "nbody", PLUMMER "nbody.initial=collapse|nbody.integrator=explicit|nbody.kernel=naive", 0 },
  { "nbody", PLUMMER "nbody.initial=cube|nbody.integrator=yoshida4|nbody.kernel=tiled", 0 },
  { "nbody", "nbody.dt=1e3|nbody.bodies=131|nbody.picture=17|nbody.initial=box|nbody.units=si|"
             "nbody.softening=1e7|nbody.kernel=tiled-unroll2", 0 },
  { "nbody", "nbody.dt=0.01|nbody.picture=17|nbody.initial=figure-eight|"
             "nbody.integrator=hermite4|nbody.softening=0|nbody.kernel=tiled-unroll4", 0 },
  { "nbody", "nbody.dt=0.01|nbody.picture=17|nbody.initial=five-bodies|nbody.units=solar|"
             "nbody.kernel=tiled-unroll8", 0 },
  { "nbody", "nbody.dt=0.01|nbody.picture=17|nbody.initial=kepler|nbody.kernel=targets2|"
             "nbody.energy=false", 0 },
  { "nbody", "nbody.dt=0.01|nbody.picture=17|nbody.initial=file|nbody.file=@BODIES|"
             "nbody.kernel=targets4", 0 },
};

/* Odd both ways: less than a word of marks, more than one, more than a span of 192, 384 or 512
 * cells; the last one is longer than the spans of Lax-Friedrichs. Other devices have no spans: of
 * the first three they run the first and the third. */
typedef struct same_size { int nx, ny; } same_size;
static const same_size sizes[] = { { 31, 9 }, { 131, 11 }, { 515, 9 }, { 2051, 9 } };

/* Steps after which the fields are compared; in between, batches of odd and of even length. */
static const uint64_t looks[] = { 0, 1, 2, 7, 24 };

/* ---- a run --------------------------------------------------------------------- */

static const trm_solver_type *type_of(const char *name)
{
  for (const trm_solver_type *const *type = trm_solver_types(); *type; type++)
    if (strcmp((*type)->name, name) == 0) return *type;
  fail_msg("there is no solver %s", name);
  return NULL;
}

/* A leaning brick as STL: its sides 0 and 1 are the solids "west" and "east". */
static void write_brick(FILE *file)
{
  static const double corners[8][3] = { { 0, 0, 0 }, { 7, 0, 1 }, { 0, 3, 0 }, { 7, 3, 1 },
                                        { 0, 0, 2 }, { 7, 0, 3 }, { 0, 3, 2 }, { 7, 3, 3 } };
  static const int sides[6][4] = { { 0, 4, 6, 2 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
                                   { 2, 6, 7, 3 }, { 0, 2, 3, 1 }, { 4, 5, 7, 6 } };
  for (int i = 0; i < 12; i++) {
    const int *side = sides[i / 2], three[] = { side[0], side[1 + i % 2], side[2 + i % 2] };
    fprintf(file, "solid %s\nfacet normal 0 0 0\nouter loop\n",
            i < 2 ? "west" : i < 4 ? "east" : "wall");
    for (int k = 0; k < 3; k++)
      fprintf(file, "vertex %g %g %g\n", corners[three[k]][0], corners[three[k]][1],
              corners[three[k]][2]);
    fprintf(file, "endloop\nendfacet\nendsolid\n");
  }
}

/* Solid cells here and there, none in the first rows; and an inflow that varies. */
static const char *made_file(const char *word, same_size size)
{
  static char path[1200];
  snprintf(path, sizeof path, "%s/%s-%d", test_folder(), word + 1, size.nx);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  if (strcmp(word, "@TABLE") == 0) fprintf(file, "0 0.01\n%d 0.05\n%d 0.02\n", size.ny / 2,
    size.ny);
  else if (strcmp(word, "@BRICK") == 0) write_brick(file);
  else if (strcmp(word, "@BODIES") == 0)
    for (int i = 0; i < 37; i++)
      fprintf(file, "%g %g %g %g 0 %g 0.03\n", sin(i), cos(2.0 * i), sin(3.0 * i), 0.1 * cos(i),
              0.1 * sin(i));
  else
    for (int i = 2 * size.nx; i < size.nx * size.ny; i++)
      if (i * 7919 % 11 == 3) fprintf(file, "%d %d 1\n", i % size.nx, i / size.nx);
  assert_int_equal(fclose(file), 0);
  return path;
}

static trm_config *configure(const same_case *of, same_size size)
{
  static const trm_option program[] = {
    { "run.steps", TRM_OPTION_INTEGER, "steps", "1", 1, NAN, 0, NULL, "steps" },
    { "run.end_time", TRM_OPTION_REAL, "", "0", 0, NAN, 0, NULL, "end" },
    { "run.precision", TRM_OPTION_STRING, "", "f32", NAN, NAN, 0, "f32|f64", "precision" } };
  const trm_solver_type *type = type_of(of->solver);
  const trm_option *const tables[] = { program, type->options };
  const size_t counts[] = { COUNT(program), type->option_count };
  trm_config *config = NULL;
  char text[1024], number[16], *rest = NULL;
  snprintf(text, sizeof text, "%s", of->settings);
  TEST_OK(trm_config_create(tables, counts, 2, &config));
  for (char *one = strtok_r(text, "|", &rest); one; one = strtok_r(NULL, "|", &rest)) {
    char *value = strchr(one, '=');
    assert_non_null(value);
    *value++ = '\0';
    TEST_OK(trm_config_set(config, one, *value == '@' ? made_file(value, size) : value, "a case"));
  }
  for (int axis = 0; axis < 2 && of->sizes > 0; axis++) {
    snprintf(number, sizeof number, "%d", axis ? size.ny : size.nx);
    TEST_OK(trm_config_set(config, axis ? "grid.ny" : "grid.nx", number, "a size"));
  }
  TEST_OK(trm_config_check(config));
  return config;
}

/* What was read at one look: the fields and the series one after the other. */
typedef struct same_look {
  unsigned char *bytes;
  size_t count;
} same_look;

static unsigned char *room(same_look *look, size_t more)
{
  look->bytes = realloc(look->bytes, look->count + more + 1);
  assert_non_null(look->bytes);
  look->count += more;
  return look->bytes + look->count - more;
}

static void look_at_fields(trm_solver *solver, same_look *look)
{
  TEST_OK(solver->type->observe(solver));
  for (size_t i = 0; i < solver->field_count; i++) {
    const trm_field *field = &solver->fields[i];
    size_t count;
    TEST_OK(trm_field_elements(field, &count));
    TEST_OK(trm_field_read(field, room(look, count * trm_type_size(field->type))));
  }
}

/* Sign and payload of a NaN are nobody's business: every NaN becomes the same one. */
static void one_nan(trm_type type, unsigned char *values, size_t count)
{
  const size_t size = trm_type_size(type);
  for (size_t i = 0; i < count; i++, values += size) {
    float single = 0;
    double twice = 0;
    if (type == TRM_TYPE_F32) memcpy(&single, values, size);
    if (type == TRM_TYPE_F64) memcpy(&twice, values, size);
    if (isnan(single) || isnan(twice)) memset(values, 0xff, size);
  }
}

static void look_at_series(const trm_solver *solver, uint64_t made, same_look *look)
{
  for (size_t i = 0; i < solver->series_count; i++) {
    const trm_series *series = &solver->series[i];
    const size_t size = trm_type_size(series->type), bytes = (size_t)made * size;
    unsigned char *values = room(look, bytes);
    TEST_OK(trm_buffer_read(series->buffer, series->first * size, bytes, values));
    one_nan(series->type, values, (size_t)made);
  }
}

/* So many steps, in as many batches as the solver makes of them; their series go to the look. */
static void advance(const trm_solver_type *type, trm_solver *solver, uint64_t steps,
                    same_look *look)
{
  for (uint64_t left = steps; left > 0;) {
    uint64_t launched = 0, made = 0;
    TEST_OK(type->advance(solver, left, (double)INFINITY, 1, &launched));
    made = launched;
    if (type->account) TEST_OK(type->account(solver, launched, &made));
    assert_true(made > 0 && made == launched && made <= left);
    look_at_series(solver, made, look);
    left -= made;
  }
}

/* Where two looks differ: the field, or the series. */
static void tell(const trm_solver *solver, const same_look *a, const same_look *b, const char *what)
{
  size_t at = 0;
  assert_int_equal(a->count, b->count);
  while (a->bytes[at] == b->bytes[at]) at++;
  size_t end = 0;
  for (size_t i = 0; i < solver->field_count; i++) {
    const trm_field *field = &solver->fields[i];
    const size_t size = trm_type_size(field->type), begin = end;
    size_t count;
    TEST_OK(trm_field_elements(field, &count));
    end += count * size;
    const size_t cell = (at - begin) / size;
    if (at < end)
      fail_msg("%s: field %s, component %zu, cell (%zu, %zu) differs", what, field->name,
               cell / (field->nx * field->ny * field->nz), cell % field->nx,
               cell / field->nx % field->ny);
  }
  fail_msg("%s: a series differs", what);
}

/* What several devices cannot share is refused in words like these, which name the cure. */
static int is_refused(trm_status status)
{
  const char *text = trm_error_last()->text;
  return (status == TRM_ERROR_UNSUPPORTED || status == TRM_ERROR_INPUT) &&
         (strstr(text, "were named") || strstr(text, "name one") || strstr(text, "devices share"));
}

static void look_at_all(trm_solver *solver, const same_look *expected, same_look *seen,
                        const char *what)
{
  for (size_t i = 0; i < COUNT(looks); i++) {
    same_look look = { NULL, 0 }, series = { NULL, 0 };
    if (looks[i] > 0) advance(solver->type, solver, looks[i] - looks[i - 1], &series);
    look_at_fields(solver, &look);
    if (series.count) memcpy(room(&look, series.count), series.bytes, series.count);
    free(series.bytes);
    if (expected && (look.count != expected[i].count ||
                     memcmp(look.bytes, expected[i].bytes, look.count) != 0)) {
      char where[1500];
      snprintf(where, sizeof where, "%s, step %d", what, (int)looks[i]);
      tell(solver, &look, &expected[i], where);
    }
    if (expected) free(look.bytes);
    else seen[i] = look;
  }
}

/* Runs the case, and keeps what it sees (expected NULL) or compares it with what was seen. 0: the
 * devices cannot share it, and say so. */
static int run_case(trm_device *device, const same_case *of, same_size size,
                    trm_precision precision, const same_look *expected, same_look *seen,
                    const char *where)
{
  const trm_solver_type *type = type_of(of->solver);
  const trm_solver_options how = { .precision = precision, .math = TRM_STRICT };
  trm_config *config = configure(of, size);
  trm_solver *solver = NULL;
  char what[1400];
  uint64_t done;
  snprintf(what, sizeof what, "%s, %s, %s %s, %d x %d", where, trm_precision_name(precision),
           of->solver, of->settings, size.nx, size.ny);
  const trm_status status = type->create(device, config, &how, &solver);
  const int is_run = !(trm_device_parts(device, 0, NULL) > 0 && is_refused(status));
  if (is_run) {
    test_ok(status, what, __FILE__, __LINE__);
    TEST_FAILS(type->advance(solver, 1, (double)NAN, 1, &done), TRM_ERROR_INVALID, "not a number");
    look_at_all(solver, expected, seen, what);
  }
  type->destroy(&solver);
  trm_config_destroy(&config);
  return is_run;
}

/* ---- the ways to run it --------------------------------------------------------- */

enum { WAYS = 4 };
typedef struct same_way {
  const char *name;
  trm_device *device;
} same_way;

static trm_device *open_host(trm_device_options options, const char *isa)
{
  if (isa) setenv("TRIREME_ISA", isa, 1);
  trm_device *device = test_open("openmp", &options);
  if (isa) unsetenv("TRIREME_ISA");
  return device;
}

/* On a host: fewer and more threads, and cells and spans backwards; else the device itself. */
static size_t open_ways(trm_device *device, same_way *ways)
{
  if (!trm_device_describe(device)->is_host) {
    ways[0] = (same_way){ test_backend(device), device };
    return 1;
  }
  ways[0] = (same_way){ "1 thread", open_host((trm_device_options){ .threads = 1 }, NULL) };
  ways[1] = (same_way){ "3 threads, wavefronts of 5",
                        open_host((trm_device_options){ .threads = 3, .wavefront = 5 }, NULL) };
  ways[2] = (same_way){ "backwards",
                        open_host((trm_device_options){ .threads = 2 }, "reverse") };
  ways[3] = (same_way){ "launch by launch",
                        open_host((trm_device_options){ .threads = 2, .plain_replay = 1 }, NULL) };
  return WAYS;
}

static void hold(trm_device *reference, const same_way *ways, size_t way_count,
                 const same_case *of, same_size size, trm_precision precision)
{
  same_look expected[COUNT(looks)];
  run_case(reference, of, size, precision, NULL, expected, "");
  for (size_t w = 0; w < way_count; w++)
    run_case(ways[w].device, of, size, precision, expected, NULL, ways[w].name);
  for (size_t i = 0; i < COUNT(looks); i++) free(expected[i].bytes);
}

static int is_of_f32(const char *settings)
{
  return strstr(settings, HALF) || strstr(settings, "lbm.rows=folded");
}

static void hold_all(trm_device *device, const char *solver)
{
  same_way ways[WAYS];
  trm_device *reference = test_open("openmp", NULL);
  const size_t way_count = open_ways(device, ways);
  const int is_host = trm_device_describe(device)->is_host;
  for (size_t c = 0; c < COUNT(cases); c++) {
    if (strcmp(cases[c].solver, solver) != 0) continue;
    for (size_t s = 0; s == 0 || s < cases[c].sizes; s += is_host ? 1 : 2)
      for (int p = 0; p <= (trm_device_describe(device)->has_f64 &&
                            !is_of_f32(cases[c].settings)); p++)
        hold(reference, ways, way_count, &cases[c], sizes[s], (trm_precision)p);
  }
  for (size_t w = 0; w < way_count; w++)
    if (ways[w].device != device) trm_device_close(&ways[w].device);
  trm_device_close(&reference);
}

static void every_field_of_lattice_boltzmann_is_the_same(trm_device *device)
{
  hold_all(device, "lbm");
}

static void every_field_in_three_dimensions_is_the_same(trm_device *device)
{
  hold_all(device, "lbm3d");
}

static void every_field_of_compressible_flow_is_the_same(trm_device *device)
{
  hold_all(device, "compressible");
}

static void every_field_of_shallow_water_is_the_same(trm_device *device)
{
  hold_all(device, "shallow");
}

static void every_field_of_gravity_is_the_same(trm_device *device)
{
  hold_all(device, "nbody");
}

/* ---- several devices ---------------------------------------------------------------- */

/* Of 2, 3, 5 and 7, two uneven cuts each. The first alone is run where time is short, the first two
 * on deep grids. */
static const char *const hosts[] = {
  "openmp,openmp*2,openmp",
  "openmp*2.1,openmp", "openmp,openmp*5", "openmp*3,openmp,openmp",
  "openmp,openmp*2,openmp*0.5,openmp,openmp*3", "openmp*2,openmp,openmp,openmp*1.7,openmp",
  "openmp,openmp,openmp*2,openmp,openmp,openmp*1.5,openmp",
  "openmp*3,openmp*2,openmp,openmp,openmp*2,openmp,openmp*4" };
static const char *const others[] = {
  "opencl:0*2,opencl:0", "openmp,opencl:0*3", "opencl:0,openmp*2,opencl:0",
  "openmp,opencl:0,openmp*2,opencl:0*3,openmp" };

/* A grid for each solver that has rows, planes, blocks or bodies enough; then one whose rows are
 * fetched for five launches at once and more, where rows of a solver can be. */
typedef struct crew_size {
  const char *solver, *settings;
  same_size size;
} crew_size;
enum { PLAIN_SIZES = 5 };
static const crew_size crew_sizes[] = {
  { "lbm", "", { 31, 61 } },
  { "lbm3d", "|grid.nz=16", { 31, 9 } },
  { "shallow", "", { 31, 61 } },
  { "compressible", "|grid.nx=32|grid.ny=32", { 31, 9 } },
  { "nbody", "|nbody.bodies=2051", { 31, 9 } },
  { "lbm", "", { 31, 700 } },
  { "lbm3d", "|grid.nz=340", { 31, 9 } },
};

/* The case on that grid; 0: its grid is its own. A few bodies become many. */
static int enlarge(const same_case *of, const crew_size *by, char text[1024], same_case *out)
{
  const int is_sized = strcmp(of->solver, "compressible") != 0 || !strstr(of->settings, "nx=48");
  const int is_box = strcmp(of->solver, "lbm3d") != 0 || strstr(of->settings, "grid.nz=5");
  const int is_few = strcmp(of->solver, "nbody") == 0 && !strstr(of->settings, "nbody.bodies=");
  snprintf(text, 1024, "%s%s%s", of->settings, is_sized && is_box ? by->settings : "",
           is_few ? "|nbody.initial=plummer|nbody.units=nbody" : "");
  *out = (same_case){ of->solver, text, of->sizes };
  return is_box || strcmp(by->settings, "|grid.nz=340") != 0;
}

/* Lists of devices, opened. */
typedef struct same_crews {
  const char *const *lists;
  size_t count;
  trm_device *devices[20];
} same_crews;

static void open_crews(const char *const *lists, size_t count, same_crews *out)
{
  const trm_device_options one_thread = { .threads = 1 };
  assert_true(count <= COUNT(out->devices));
  out->lists = lists;
  out->count = count;
  for (size_t i = 0; i < count; i++)
    TEST_OK(trm_device_open(test_context(), lists[i], &one_thread, &out->devices[i]));
}

static void close_crews(same_crews *crews)
{
  for (size_t i = 0; i < crews->count; i++) trm_device_close(&crews->devices[i]);
}

/* How many of the lists share it, each with the bits of one device. */
static int hold_crews(trm_device *reference, const same_crews *crews, size_t most,
                      const same_case *of, same_size size, trm_precision precision)
{
  same_look expected[COUNT(looks)];
  int held = 0;
  assert_true(run_case(reference, of, size, precision, NULL, expected, ""));
  for (size_t i = 0; i < most; i++)
    held += run_case(crews->devices[i], of, size, precision, expected, NULL, crews->lists[i]);
  for (size_t i = 0; i < COUNT(looks); i++) free(expected[i].bytes);
  return held;
}

/* The cases of a solver on the first lists, on a grid; how many runs were compared. */
static int hold_size(const crew_size *by, const same_crews *crews, size_t most, int precisions)
{
  const trm_device_options one_thread = { .threads = 1 };
  const int is_over_ranks = trm_rank_node(0)[0] != '\0'; /* "openmp" is then one of each */
  trm_device *reference = test_open(is_over_ranks ? "openmp@0" : "openmp", &one_thread);
  int held = 0;
  for (size_t c = 0; c < COUNT(cases); c++) {
    char text[1024];
    same_case of;
    if (strcmp(cases[c].solver, by->solver) != 0 || !enlarge(&cases[c], by, text, &of)) continue;
    for (int p = 0; p < (is_of_f32(text) ? 1 : precisions); p++)
      held += hold_crews(reference, crews, most, &of, by->size, (trm_precision)p);
  }
  trm_device_close(&reference);
  return held;
}

static int is_long(void)
{
  const char *value = getenv("TRIREME_TEST_LONG");
  return value && *value;
}

/* On three devices; in the long tests on up to seven, cut twice, in both precisions, and on deep
 * grids. So many runs at least; of the long tests, of all solvers, 900. */
static void hold_shared(const char *solver, int least, int least_long)
{
  same_crews crews;
  int held = 0;
  open_crews(hosts, is_long() ? COUNT(hosts) : 1, &crews);
  for (size_t s = 0; s < COUNT(crew_sizes); s++)
    if (strcmp(crew_sizes[s].solver, solver) == 0 && (is_long() || s < PLAIN_SIZES))
      held += hold_size(&crew_sizes[s], &crews, !is_long() ? 1 : s < PLAIN_SIZES ? COUNT(hosts) : 2,
                        is_long() ? 2 : 1);
  close_crews(&crews);
  test_remark("%s: %d runs on several devices were compared", solver, held);
  assert_true(held >= (is_long() ? least_long : least));
}

static void lattice_boltzmann_on_several_devices(void) { hold_shared("lbm", 8, 180); }
static void lattice_boltzmann_in_three_dimensions_on_several_devices(void)
{
  hold_shared("lbm3d", 20, 320);
}
static void compressible_flow_on_several_devices(void) { hold_shared("compressible", 15, 180); }
static void shallow_water_on_several_devices(void) { hold_shared("shallow", 9, 120); }
static void gravity_on_several_devices(void) { hold_shared("nbody", 10, 110); }

/* Hosts and GPUs, where a solver can be shared between these; else GPUs alone. */
static void every_solver_on_two_kinds_of_device(void)
{
  same_crews crews;
  int held = 0;
  test_is_long();
  trm_device *opencl = test_open("opencl", NULL);
  trm_device_close(&opencl);
  open_crews(others, COUNT(others), &crews);
  for (size_t s = 0; s < PLAIN_SIZES; s++)
    held += hold_size(&crew_sizes[s], &crews, COUNT(others), 2);
  close_crews(&crews);
  test_remark("%d runs on two kinds of device were compared", held);
  assert_true(held >= 60);
}

/* Under mpirun -n 7: on 1, 2, 3, 5 and 7 ranks, cut twice, of two kinds where these can share a
 * case, and of each kind alone; on deep grids rows are fetched for five launches and more. */
static const char *const over_ranks[] = {
  "openmp@1,openmp@1*3", "opencl:0@2*2,opencl:0@2",
  "openmp@0*2.1,opencl:0@1", "opencl:0@0,openmp@1*5",
  "openmp@0,opencl:0@1*2,openmp@2", "opencl:0@2*3,openmp@0,opencl:0@1",
  "openmp@0,opencl:0@1*2,openmp@2*0.5,opencl:0@3,openmp@4*3",
  "opencl:0@4*2,openmp@3,openmp@2,opencl:0@1*1.7,openmp@0",
  "openmp@0,opencl:0@1,openmp@2*2,opencl:0@3,openmp@4,openmp@5*1.5,opencl:0@6",
  "opencl:0@6*3,openmp@5*2,openmp@4,opencl:0@3,openmp@2*2,opencl:0@1,openmp@0*4",
  "openmp@0*2.1,openmp@1", "openmp@2*3,openmp@0,openmp@1",
  "openmp@4*2,openmp@3,openmp@2,openmp@1*1.7,openmp@0",
  "openmp@0,openmp@1,openmp@2*2,openmp@3,openmp@4,openmp@5*1.5,openmp@6",
  "opencl:0@1,opencl:0@0*3", "opencl:0@0,opencl:0@1*2,opencl:0@2*0.5,opencl:0@3,opencl:0@4*3" };

static void hold_over_ranks(const char *solver, int least)
{
  same_crews crews;
  int held = 0;
  if (!trm_rank_node(6)[0]) TEST_SKIP("for mpirun -n 7 (tests/cli/ranks.sh)");
  open_crews(over_ranks, COUNT(over_ranks), &crews);
  for (size_t s = 0; s < COUNT(crew_sizes); s++) {
    if (strcmp(crew_sizes[s].solver, solver) != 0) continue;
    const int more = hold_size(&crew_sizes[s], &crews, COUNT(over_ranks), s < PLAIN_SIZES ? 2 : 1);
    test_remark("%s, %d x %d: %d runs over ranks were compared", solver, crew_sizes[s].size.nx,
                crew_sizes[s].size.ny, more);
    held += more;
  }
  close_crews(&crews);
  assert_true(held >= least);
}

static void lattice_boltzmann_over_ranks(void) { hold_over_ranks("lbm", 304); }
static void lattice_boltzmann_in_three_dimensions_over_ranks(void)
{
  hold_over_ranks("lbm3d", 200);
}
static void compressible_flow_over_ranks(void) { hold_over_ranks("compressible", 200); }
static void shallow_water_over_ranks(void) { hold_over_ranks("shallow", 100); }
static void gravity_over_ranks(void) { hold_over_ranks("nbody", 100); }

/* ---- nothing is forgotten --------------------------------------------------------- */

static int has_word(const char *solver, const char *key, const char *word, size_t length)
{
  char setting[256];
  snprintf(setting, sizeof setting, "%s=%.*s|", key, (int)length, word);
  for (size_t c = 0; c < COUNT(cases); c++) {
    char all[1024];
    snprintf(all, sizeof all, "%s|", cases[c].settings);
    if (strcmp(cases[c].solver, solver) == 0 && strstr(all, setting)) return 1;
  }
  return 0;
}

static void every_word_of_every_key_stands_in_a_case(void)
{
  int words = 0;
  for (const trm_solver_type *const *type = trm_solver_types(); *type; type++)
    for (size_t i = 0; i < (*type)->option_count; i++) {
      const trm_option *option = &(*type)->options[i];
      for (const char *word = option->choices; word && *word; words++) {
        const size_t length = strcspn(word, "|");
        if (!has_word((*type)->name, option->key, word, length))
          fail_msg("no case has %s=%.*s", option->key, (int)length, word);
        word += length + (word[length] == '|');
      }
    }
  assert_true(words > 60);
}

int main(int argc, char **argv)
{
  static const test_case all[] = {
    TEST_HOST(every_word_of_every_key_stands_in_a_case),
    TEST_HOST(lattice_boltzmann_on_several_devices),
    TEST_HOST(lattice_boltzmann_in_three_dimensions_on_several_devices),
    TEST_HOST(compressible_flow_on_several_devices),
    TEST_HOST(shallow_water_on_several_devices),
    TEST_HOST(gravity_on_several_devices),
    TEST_HOST(every_solver_on_two_kinds_of_device),
    TEST_HOST(lattice_boltzmann_over_ranks),
    TEST_HOST(lattice_boltzmann_in_three_dimensions_over_ranks),
    TEST_HOST(compressible_flow_over_ranks),
    TEST_HOST(shallow_water_over_ranks),
    TEST_HOST(gravity_over_ranks),
    TEST_DEVICE(every_field_of_lattice_boltzmann_is_the_same),
    TEST_DEVICE(every_field_in_three_dimensions_is_the_same),
    TEST_DEVICE(every_field_of_compressible_flow_is_the_same),
    TEST_DEVICE(every_field_of_shallow_water_is_the_same),
    TEST_DEVICE(every_field_of_gravity_is_the_same),
  };
  return TEST_RUN(argc, argv, all);
}
