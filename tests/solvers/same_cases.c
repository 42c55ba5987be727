/* same_cases.c - the cases whose fields and series same_fields.c and same_shared.c compare. */
#include "tests/solvers/same_run.h"

#include <string.h>

#define GENEVA "lbm.flow=geneva|lbm.speed=0.06|lbm.perturbation=0.2|lbm.viscosity=0.02|" \
               "bodies.shapes=cylinder 12.5 3.5 2; polygon 20 2 26 3 22 6|probes=0 3; 30 6|"
#define CHANNEL "lbm.flow=channel|lbm.viscosity=0.02|"
#define SHAPES "bodies.shapes=cylinder 12.5 3.5 2; box 20 1 23 5|"
#define MOVED "initial.velocity_x=0.03*sin(0.3*x)*cos(0.4*y)|" \
              "initial.velocity_y=0.02*cos(0.2*x+y)|" \
              "initial.density=1+0.01*sin(x-y)|"
#define BOX "grid.nz=5|lbm.viscosity=0.02|bodies.shapes=sphere 12.3 4.5 2.5 1.7; box 20 2 1 23 6 3|"
#define STREAM "initial.velocity_x=0.03*sin(0.3*x)*cos(0.4*y)|boundary.west=inflow|" \
               "boundary.east=outflow|" \
               "boundary.west_velocity=0.05; 0; 0|boundary.south=wall|boundary.north=wall|"
/* Levels meet at faces, edges and corners of blocks, inside and where they are periodic; at walls
 * blocks are of the finest. */
#define LEVELS_AT(n, more) "grid.nx=16|grid.ny=" n "|grid.nz=" n "|lbm.viscosity=0.02|" \
                           "grid.levels=2|initial.velocity_x=0.03*sin(0.3*x)*cos(0.4*y)|" \
                           "mesh.refine=formula 4-abs(x-8)-abs(y-8)-abs(z-8)" more "|"
#define LEVELS(n) LEVELS_AT(n, "")
#define WALL_LEVELS(n) LEVELS_AT(n, ";wall 1")
#define HALF "lbm.storage=half|" /* of f32 alone */
#define FOLDED "lbm.rows=folded|grid.nx=64|grid.ny=7|" /* likewise */
#define MOMENTS "grid.nz=35|lbm.viscosity=0.02|lbm.storage=moments|lbm.collision=regularised|"
#define MOVING "boundary.south=moving|boundary.south_velocity=0.05; 0; 0.02|boundary.north=wall|" \
               "boundary.bottom=wall|boundary.top=moving|boundary.top_velocity=0.03; 0; 0|"
#define ISLANDS "shallow.bed_formula=0.4*sin(0.9*x)*cos(1.1*y)-0.2|grid.dx=0.3|" \
                "initial.surface=0.2*exp(-((x-3)^2+(y-1)^2))|initial.velocity_x=0.1*sin(y)|"
#define WALLS "boundary.west=wall|boundary.east=wall|boundary.south=wall|boundary.north=wall|"
#define COURSE "grid.dx=0.3|shallow.bed_formula=-1|shallow.scheme=lax-friedrichs|" \
               "initial.surface=0.2*exp(-((x-3)^2+(y-1)^2))|"
/* Blocks of 8 cells: 12, and finer ones in the midst, where levels meet on every side but one. */
#define MEET "grid.nx=48|grid.levels=1|"
#define FLOW "grid.nx=16|grid.ny=16|initial.velocity_x=0.1*sin(6*x)|" \
             "compressible.viscosity=0.001|"
#define PLUMMER "nbody.dt=0.01|nbody.picture=17|nbody.bodies=131|"

const same_case same_cases[] = {
  { "lbm", "lbm.flow=driven|lbm.implementation=best|lbm.obstacles=@ROCKS", 3 },
  { "lbm", "lbm.implementation=bristol-copied|lbm.obstacles=@ROCKS", 3 },
  { "lbm", "lbm.implementation=bristol-resident|lbm.obstacles=@ROCKS", 3 },
  { "lbm", "lbm.implementation=bristol-fused|lbm.obstacles=@ROCKS", 3 },
  { "lbm", "lbm.implementation=bristol-swapped|lbm.obstacles=@ROCKS", 3 },
  { "lbm", "lbm.implementation=bristol-arrays|lbm.obstacles=@ROCKS", 3 },
  { "lbm", "lbm.implementation=bristol-tree|lbm.obstacles=@ROCKS", 3 },
  { "lbm", "lbm.implementation=bristol-selects|lbm.obstacles=@ROCKS", 3 },
  { "lbm", "lbm.implementation=bristol-arrays|lbm.transfer=step|lbm.split=true|lbm.back=named|"
           "lbm.layout=structs|lbm.walls=mask|lbm.sum=group|lbm.fold=host|lbm.obstacles=@ROCKS",
    1 },
  { "lbm", "lbm.implementation=bristol-copied|lbm.transfer=run|lbm.split=false|lbm.back=command|"
           "lbm.layout=arrays|lbm.walls=select|lbm.sum=tree|lbm.fold=device|lbm.obstacles=@ROCKS",
    1 },
  { "lbm", "lbm.implementation=bristol-fused|lbm.transfer=named|lbm.split=named|lbm.back=kernel|"
           "lbm.layout=named|lbm.walls=branch|lbm.sum=item|lbm.fold=named|lbm.obstacles=@ROCKS",
    1 },
  { "lbm", "lbm.implementation=bristol-tree|lbm.back=waits|lbm.walls=named|lbm.sum=named|"
           "lbm.obstacles=@ROCKS", 1 },
  { "lbm", "lbm.implementation=bristol-tree|lbm.back=swap|lbm.obstacles=@ROCKS", 1 },
  { "lbm", GENEVA "lbm.implementation=split|lbm.moments=memory|lbm.velocities=memory|"
           "lbm.items=along", 1 },
  { "lbm", GENEVA "lbm.implementation=split|lbm.moments=registers|lbm.velocities=constants|"
           "lbm.items=named", 1 },
  { "lbm", GENEVA "lbm.implementation=split|lbm.moments=named|lbm.velocities=named", 1 },
  { "lbm", GENEVA "lbm.implementation=fused", 3 },
  { "lbm", GENEVA "lbm.implementation=split", 3 },
  { "lbm", CHANNEL SHAPES "boundary.west=inflow|boundary.east=outflow|boundary.south=wall|"
                          "boundary.north=wall|"
           "lbm.speed=0.05|lbm.inflow=uniform|lbm.collision=bgk|lbm.bounce_back=halfway", 3 },
  { "lbm", CHANNEL SHAPES "boundary.east=copy|boundary.north=moving|lbm.wall_speed=0.04|"
                          "lbm.speed=0.05|"
           "lbm.inflow=parabolic|lbm.collision=trt|lbm.bounce_back=interpolated|"
           "lbm.statistics_from=3", 3 },
  { "lbm", CHANNEL SHAPES "boundary.east=outflow|boundary.south=periodic|boundary.north=periodic|"
                          "lbm.speed=0.05|"
           "lbm.inflow=table|lbm.inflow_table=@TABLE|lbm.collision=regularised|"
           "lbm.bounce_back=interpolated", 3 },
  { "lbm", CHANNEL MOVED "boundary.west=wall|boundary.east=wall|boundary.south=moving|"
                         "boundary.north=wall|"
           "lbm.wall_speed=-0.03|lbm.collision=trt", 3 },
  { "lbm", CHANNEL MOVED SHAPES "boundary.west=periodic|boundary.east=periodic|body_force=1e-4 0 0|"
           "body_force=0 2e-5 0|lbm.collision=bgk", 3 },
  { "lbm", CHANNEL MOVED "boundary.west=periodic|boundary.east=periodic|boundary.south=periodic|"
           "boundary.north=periodic|body_force=1e-4 0 0|lbm.collision=regularised", 3 },
  { "lbm3d", BOX "lbm.lattice=d3q19|lbm.collision=trt|boundary.west=wall|boundary.east=wall|"
             "boundary.south=moving|boundary.south_velocity=0.05; 0; 0.02|boundary.north=wall|"
             "boundary.bottom=wall|"
             "boundary.top=wall|lbm.bounce_back=halfway", 2 },
  { "lbm3d", BOX "lbm.lattice=d3q27|lbm.collision=bgk|boundary.west=inflow|"
             "boundary.west_velocity=0.05*y*(ny-y)/ny^2; 0; 0|boundary.east=outflow|"
             "boundary.south=wall|"
             "boundary.north=wall|boundary.bottom=periodic|boundary.top=periodic|"
             "lbm.bounce_back=interpolated", 2 },
  { "lbm3d", BOX "boundary.west=wall|boundary.east=moving|boundary.east_velocity=0; 0.04; 0|"
                 "boundary.south=outflow|"
             "boundary.north=inflow|boundary.north_velocity=0; -0.03; 0|boundary.bottom=outflow|"
             "boundary.top=moving|"
             "boundary.top_velocity=0.02; 0; 0", 1 },
  { "lbm3d", BOX "boundary.west=outflow|boundary.east=inflow|boundary.east_velocity=-0.04; 0; 0|"
                 "boundary.south=inflow|"
             "boundary.south_velocity=0; 0.03; 0|boundary.north=outflow|boundary.bottom=moving|"
             "boundary.bottom_velocity=0.02; 0; 0|boundary.top=outflow", 1 },
  { "lbm3d", BOX "boundary.west=moving|boundary.west_velocity=0; 0.04; 0|boundary.east=wall|"
                 "boundary.north=moving|"
             "boundary.north_velocity=0.03; 0; 0|boundary.south=wall|boundary.bottom=inflow|"
             "boundary.bottom_velocity=0; 0; 0.03|boundary.top=inflow|boundary.top_velocity=0; "
             "0; 0.03", 1 },
  { "lbm3d", BOX "boundary.bottom=inflow|boundary.bottom_velocity=0.01; 0; 0.03|"
                 "boundary.top=outflow|"
             "initial.velocity_x=0.03*sin(0.3*x)*cos(0.4*y)|"
             "initial.velocity_z=0.03+0.01*cos(0.2*x)", 1 },
  { "lbm3d", BOX "boundary.west=periodic|boundary.east=periodic|boundary.south=periodic|"
                 "boundary.north=periodic|"
             "body_force=1e-4 0 2e-5|initial.velocity_x=0.03*sin(0.3*x)*cos(0.4*y)|"
             "initial.velocity_z=0.02*cos(0.2*x+z)|initial.density=1+0.01*sin(x-y)", 2 },
  { "lbm3d", "grid.nz=9|lbm.viscosity=0.02|bodies.stl=@BRICK|lbm.fluid=inside|"
             "lbm.patches=west density 1.01; east inflow 0.02 0 0", 1 },
  { "lbm3d", "grid.nz=9|lbm.viscosity=0.02|bodies.stl=@BRICK|lbm.fluid=outside|"
             "initial.velocity_x=0.02", 1 },
  { "lbm3d", BOX STREAM "lbm.collision=mrt|lbm.smagorinsky=0.15", 1 },
  { "lbm3d", BOX STREAM "lbm.collision=regularised|body_force=0 1e-5 0", 1 },
  { "lbm3d", BOX STREAM "lbm.collision=regularised|lbm.lattice=d3q27|lbm.smagorinsky=0.1", 1 },
  { "lbm3d", BOX STREAM "lbm.collision=cumulant|lbm.lattice=d3q27", 1 },
  { "lbm3d", BOX STREAM "lbm.collision=cumulant|lbm.lattice=d3q27|body_force=0 0 1e-5", 1 },
  { "lbm3d", BOX STREAM "average_from=3|body_force=0 1e-5 0|probes=b point 3 4 2", 1 },
  { "lbm3d", "grid.nz=5|lbm.viscosity=0.02|initial.velocity_x=0.03*sin(0.3*x)*cos(0.4*y)|"
             "average_from=1|lbm.collision=bgk", 1 },
  { "lbm3d", BOX STREAM HALF "lbm.streaming=in-place|average_from=3", 1 },
  { "lbm3d", LEVELS("16") "average_from=1", 0 },
  { "lbm3d", LEVELS("8") "body_force=1e-4 0 0|mesh.shuffle=3", 0 },
  { "lbm3d", WALL_LEVELS("8") "boundary.west=inflow|boundary.west_velocity=0.05*y/ny; 0; 0|"
                              "boundary.east=outflow|"
             "boundary.south=wall|boundary.north=moving|boundary.north_velocity=0.05; 0; 0.02|"
             "boundary.bottom=inflow|"
             "boundary.bottom_velocity=0; 0; 0.02|boundary.top=wall", 0 },
  { "lbm3d", WALL_LEVELS("8") "lbm.lattice=d3q27|boundary.south=outflow|boundary.north=wall|"
             "lbm.collision=cumulant|lbm.smagorinsky=0.1|probes=a plane x 7.5|"
             "bodies.shapes=sphere 8.2 4.1 3.8 1.3", 0 },
  { "lbm3d", WALL_LEVELS("8") "lbm.collision=mrt|boundary.bottom=wall|boundary.top=wall", 0 },
  { "lbm3d", LEVELS("8") "lbm.collision=regularised|lbm.lattice=d3q27", 0 },
  { "lbm3d", "grid.nx=16|grid.ny=8|grid.nz=24|lbm.blocks=true|lbm.viscosity=0.02|"
             "initial.velocity_x="
             "0.03*sin(0.3*x)*cos(0.4*y)|lbm.collision=regularised", 0 },
  { "lbm3d", BOX STREAM "lbm.storage=full|lbm.rows=plain|lbm.streaming=in-place|"
             "probes=a plane x 7.5", 2 },
  { "lbm3d", BOX STREAM "lbm.streaming=in-place|lbm.collision=cumulant|lbm.lattice=d3q27|"
             "lbm.smagorinsky=0.1", 1 },
  { "lbm3d", BOX STREAM HALF "lbm.streaming=two-lattices|body_force=0 1e-5 0", 2 },
  { "lbm3d", BOX HALF MOVING "boundary.west=wall|boundary.east=wall", 2 },
  { "lbm3d", BOX HALF MOVING "lbm.streaming=in-place|lbm.lattice=d3q27|lbm.collision=cumulant", 1 },
  { "lbm3d", BOX STREAM HALF "lbm.streaming=in-place|lbm.collision=bgk|"
             "probes=b point 3 4 2", 2 },
  { "lbm3d", BOX STREAM HALF "lbm.streaming=in-place|lbm.smagorinsky=0.1|lbm.lattice=d3q27|"
             "lbm.collision=cumulant", 1 },
  { "lbm3d", "grid.nz=9|lbm.viscosity=0.02|bodies.stl=@BRICK|lbm.fluid=inside|" HALF
             "lbm.streaming=in-place|lbm.patches=west density 1.01; east inflow 0.02 0 0", 1 },
  { "lbm3d", BOX STREAM FOLDED HALF "body_force=0 1e-5 0", 0 },
  { "lbm3d", BOX STREAM FOLDED HALF "lbm.streaming=in-place|lbm.smagorinsky=0.1|"
             "lbm.lattice=d3q27|lbm.collision=cumulant|probes=a plane x 31.5", 0 },
  { "lbm3d", BOX STREAM FOLDED "lbm.smagorinsky=0.1|probes=b point 32 4 2", 0 },
  { "lbm3d", BOX STREAM FOLDED "lbm.streaming=in-place|lbm.collision=bgk|"
             "average_from=3", 0 },
  { "lbm3d", MOMENTS MOVING "boundary.west=wall|boundary.east=wall|lbm.tile=auto|"
             "probes=a plane x 7.5", 2 },
  { "lbm3d", MOMENTS "initial.velocity_x=0.03*sin(0.3*x)*cos(0.4*y)|"
                     "initial.velocity_z=0.02*cos(0.2*x+z)|"
             "body_force=1e-4 0 2e-5|average_from=3|lbm.tile=32x8", 2 },
  { "lbm3d", MOMENTS MOVING "body_force=0 1e-5 0|lbm.tile=32x2|lbm.tile_depth=32", 1 },
  { "lbm3d", MOMENTS "boundary.west=wall|boundary.east=wall|body_force=0 1e-5 0|lbm.tile=32x4", 1 },
  { "lbm3d", MOMENTS MOVING "lbm.tile=32x16", 1 },
  { "lbm3d", MOMENTS MOVING "lbm.tile=64x4", 1 },
  { "lbm3d", MOMENTS MOVING "boundary.west=wall|boundary.east=wall|lbm.tile=64x8", 1 },
  { "lbm3d", MOMENTS MOVING "lbm.tile=128x2", 1 },
  { "lbm3d", MOMENTS MOVING "boundary.west=wall|boundary.east=wall|lbm.tile=128x4", 1 },
  { "shallow", ISLANDS "shallow.scheme=hllc", 3 },
  { "shallow", ISLANDS "boundary.west=open|boundary.east=wall|boundary.south=level|"
               "boundary.south_value=0.05|boundary.north=discharge|boundary.north_value=0.02|"
               "shallow.manning=0.03|shallow.maps=true|probes=a 1 1, b 6.05 2", 3 },
  { "shallow", ISLANDS "boundary.west=wall|boundary.east=level|boundary.east_value=0.03|"
               "boundary.south=discharge|boundary.south_value=0.02|boundary.north=wave|"
               "boundary.north_value=0.04|shallow.maps=true|shallow.exact_volume=true", 3 },
  { "shallow", ISLANDS "boundary.west=level|boundary.west_value=0.03|boundary.east=discharge|"
               "boundary.east_value=0.01|boundary.south=wave|boundary.south_value=0.04|"
               "boundary.north=open", 3 },
  { "shallow", ISLANDS "boundary.west=discharge|boundary.west_value=0.02|boundary.east=wave|"
               "boundary.east_value=0.04|boundary.south=open|boundary.north=wall|"
               "shallow.exact_volume=auto", 3 },
  { "shallow", ISLANDS "boundary.west=wave|boundary.west_value=0.04|boundary.east=open|"
               "boundary.south=wall|boundary.north=level|boundary.north_value=0.03|"
               "shallow.exact_volume=false", 3 },
  { "shallow", ISLANDS "shallow.scheme=lax-friedrichs|boundary.west=wall|boundary.east=wall|"
               "boundary.south=wall|boundary.north=wall|shallow.maps=true", 4 },
  { "shallow", "grid.dx=0.3|shallow.bed_formula=-1|shallow.scheme=lax-friedrichs|"
               "shallow.implementation=best|initial.surface=0.2*exp(-((x-3)^2+(y-1)^2))", 4 },
  { "shallow", "grid.dx=0.3|shallow.bed_formula=-1|shallow.scheme=lax-friedrichs|"
               "shallow.dt_every=3|initial.surface=0.2*exp(-((x-3)^2+(y-1)^2))", 4 },
  { "shallow", ISLANDS WALLS "shallow.scheme=lax-friedrichs|shallow.implementation=three-kernels|"
               "shallow.edges=guarded|shallow.constants=parameters|shallow.maximum=shared|"
               "shallow.gather=values", 3 },
  { "shallow", COURSE "shallow.implementation=three-kernels|shallow.edges=padded|"
               "shallow.constants=memory|shallow.maximum=named|shallow.gather=named|"
               "boundary.south=wall|shallow.maps=true", 3 },
  { "shallow", ISLANDS WALLS "shallow.scheme=lax-friedrichs|shallow.implementation=tile|"
               "shallow.slopes=tile|shallow.results=tile|shallow.pitch=odd|shallow.edges=named|"
               "shallow.constants=named", 3 },
  { "shallow", COURSE "shallow.implementation=tile|shallow.slopes=memory|shallow.results=memory|"
               "shallow.pitch=ring|shallow.edges=padded|boundary.east=wall", 1 },
  { "shallow", ISLANDS WALLS "shallow.scheme=lax-friedrichs|shallow.slopes=named|"
               "shallow.implementation=tile-bed-global|shallow.results=named|shallow.pitch=named",
    1 },
  { "compressible", "grid.nx=48|grid.ny=32|grid.levels=1|mesh.refine=density 0.1|"
                    "mesh.adapt_every=2|mesh.overflow=stop|compressible.schlieren=true|"
                    "initial.pressure=1+9*exp(-900*((x-0.3)^2+(y-0.2)^2))|"
                    "compressible.integrals=true",
    0 },
  { "compressible", "grid.nx=48|grid.ny=32|grid.levels=2|mesh.refine=density 0.02|"
                    "mesh.adapt_every=0|mesh.overflow=coarsen|mesh.blocks=40|"
                    "initial.density=x<0.4?1:0.5", 0 },
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
                    "initial.velocity_y=0.1*cos(6*x)|initial.velocity_z=0.05*sin(6*y)|"
                    "initial.pressure=1+0.1*cos(6*x)|compressible.gamma=1.3|"
                    "boundary.west=wall|boundary.east=isothermal|"
                    "boundary.south=inflow|boundary.north=outflow|"
                    "boundary.bottom=subsonic_inflow|boundary.top=subsonic_outflow", 0 },
  { "compressible", FLOW "compressible.flux=ausm|"
                    "grid.nz=8|compressible.slopes=van-albada|"
                    "boundary.west=isothermal|boundary.east=inflow|"
                    "boundary.south=outflow|boundary.north=subsonic_inflow|"
                    "boundary.bottom=subsonic_outflow|boundary.top=farfield|"
                    "compressible.farfield=nscbc", 0 },
  { "compressible", FLOW "compressible.flux=ausm|"
                    "grid.nz=8|compressible.slopes=central|"
                    "boundary.west=inflow|boundary.east=outflow|"
                    "boundary.south=subsonic_inflow|boundary.north=subsonic_outflow|"
                    "boundary.bottom=farfield|boundary.top=symmetry|"
                    "compressible.farfield=characteristic", 0 },
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
  { "compressible", FLOW MEET "grid.nz=1|mesh.refine=0.3 1.5 0 0.1|"
                    "boundary.west=farfield|boundary.west_sponge=0.3|"
                    "compressible.sponge_strength=1|compressible.sponge_density=1.1|"
                    "compressible.sponge_pressure=0.9|body_force=0.1 0.2 0|"
                    "boundary.west_velocity=0.1*min(1,9*t); max(x,y)-y; 0|boundary.east=symmetry|"
                    "boundary.east_where=y<0.4?1:0|boundary.east_there=outflow|"
                    "boundary.west_pressure=1+0.01*sech(y)-0.01*cosh(t)|boundary.north=wall|"
                    "boundary.south=isothermal|boundary.south_temperature=1+0.02*cos(x+log(1+t))",
    0 },
  { "compressible", FLOW MEET "grid.nz=1|mesh.refine=0.45 0.5 0 0.05|"
                    "compressible.flux=hllc|compressible.slopes=van-albada", 0 },
  { "compressible", FLOW "grid.nz=8|compressible.sutherland=0.4|compressible.viscosity_at=1|"
                    "boundary.west=isothermal|"
                    "boundary.east=wall|compressible.slopes=van-albada", 0 },
  { "compressible", FLOW MEET "compressible.sutherland=0.4|compressible.viscosity_at=1|"
                    "compressible.cut_cells=merging|mesh.refine=0.45 0.5 0 0.05",
    0 },
  { "compressible", FLOW MEET "average_from=0.01|compressible.schlieren=true|"
                    "mesh.shuffle=3|probes=a 0.3 0.1; b 0.81 0.2|compressible.integrals=true|"
                    "mesh.refine=0.45 0.5 0 0.05", 0 },
  { "compressible", FLOW "compressible.time=explicit|compressible.integrals=true|mesh.shuffle=5",
    0 },
  { "compressible", FLOW "compressible.implementation=fused|boundary.west=wall|"
                         "boundary.east=outflow", 0 },
  { "compressible", FLOW "compressible.implementation=two-kernels|boundary.west=wall|"
                         "boundary.east=outflow",
    0 },
  { "compressible", FLOW "compressible.implementation=lists|grid.nz=8|boundary.west=wall|"
                    "boundary.east=outflow|boundary.south=isothermal|boundary.north=symmetry", 0 },
  { "compressible", FLOW "compressible.implementation=copied|grid.nz=8|boundary.west=wall|"
                    "boundary.east=outflow|boundary.south=isothermal|boundary.north=symmetry", 0 },
  { "compressible", FLOW "compressible.implementation=lists-side-order|boundary.west=wall|"
                    "boundary.east=outflow|boundary.south=isothermal|boundary.north=symmetry", 0 },
  { "compressible", FLOW "compressible.implementation=push-sides|grid.nz=8|boundary.west=wall|"
                    "boundary.east=outflow|boundary.south=isothermal|boundary.north=symmetry", 0 },
  { "compressible", FLOW "compressible.implementation=push-fixed|compressible.structs=none|"
                    "boundary.west=wall|boundary.east=outflow", 0 },
  { "compressible", FLOW "compressible.implementation=lists|compressible.structs=state|"
                    "boundary.west=wall|boundary.east=outflow", 0 },
  { "compressible", FLOW "compressible.implementation=lists|compressible.structs=fluxes|"
                    "boundary.west=wall|boundary.east=outflow", 0 },
  { "compressible", FLOW "compressible.implementation=lists|compressible.structs=both|grid.nz=8|"
                    "boundary.west=wall|boundary.east=outflow", 0 },
  { "compressible", FLOW MEET "compressible.time=dual|dual.dt=0.02|dual.iterations=1|"
                    "mesh.refine=0.45 0.5 0 0.05|compressible.multigrid=1", 0 },
  { "compressible", FLOW MEET "grid.nz=8|mesh.refine=0.45 0.5 0 0.05 0 0.05|"
                    "compressible.time=dual|dual.cfl=9|dual.iterations=1", 0 },
  { "compressible", FLOW "grid.nx=32|grid.ny=32|compressible.time=dual|dual.dt=0.02|"
                    "dual.iterations=1|compressible.multigrid=1|"
                    "bodies.shapes=cylinder 0.5 0.5 0.3", 0 },
  { "compressible", FLOW MEET "grid.nz=8|mesh.refine=0.45 0.5 0 0.05 0 0.05|"
                    "boundary.south=wall|boundary.north=wall|compressible.integrals=true", 0 },
  { "compressible", FLOW "grid.nx=48|grid.ny=32|grid.levels=1|mesh.refine=0.4 2 0 0.2|"
                    "boundary.west=wall|boundary.east=isothermal|compressible.integrals=true|"
                    "bodies.shapes=cylinder 0.3 0.4 0.11 wall spin 2", 0 },
  { "compressible", FLOW "compressible.time=steady|dual.tolerance=1e-9|boundary.south=isothermal|"
                    "boundary.north=isothermal|boundary.north_velocity=0.1 0 0", 0 },
  { "compressible", "grid.nx=64|grid.ny=48|initial.velocity_x=0.4|grid.levels=1|"
                    "mesh.refine=density 0.05|mesh.adapt_every=4|bodies.shapes=box "
                    "0.5 0.7 0.3 0.5; cylinder 0.25 0.3 0.08|compressible.cut_cells_on=auto|"
                    "bodies.motion=0.3*t, 0.2*t, 2*t; ", 0 },
  { "compressible", "grid.nx=64|grid.ny=48|grid.levels=1|bodies.shapes=box 0.25 0.45 0.3 0.5 "
                    "slides; box 0.45 0.7 0.35 0.45 slides|compressible.cut_cells_on=device|"
                    "bodies.motion=0, 0.1*t; 0.02*t, 0", 0 },
  { "compressible", FLOW "bodies.shapes=cylinder 0.5 0.4 0.15|compressible.cut_cells_on=host|"
                    "bodies.motion=0.1*t, 0.2*t", 0 },
  { "compressible", FLOW "grid.nz=16|bodies.shapes=sphere 0.5 0.45 0.25 0.2 wall", 0 },
  { "compressible", FLOW "grid.nz=16|bodies.shapes=sphere 0.5 0.45 0.25 0.2 slip|"
                    "compressible.slopes=van-albada|compressible.flux=hllc", 0 },
  { "compressible", FLOW "bodies.shapes=cylinder 0.5 0.4 0.15 isothermal 1.4|"
                    "compressible.sutherland=0.4|compressible.viscosity_at=1|"
                    "compressible.slopes=van-albada|"
                    "compressible.flux=ausm+|compressible.time=dual|dual.dt=0.02|"
                    "dual.iterations=4", 0 },
  { "compressible", FLOW "grid.nz=16|bodies.shapes=sphere 0.5 0.45 0.25 0.2|"
                    "compressible.flux=hllc|compressible.time=dual|dual.dt=0.02|"
                    "compressible.sutherland=0.4|compressible.viscosity_at=1|"
                    "dual.iterations=2", 0 },
  { "nbody", PLUMMER "nbody.initial=plummer|nbody.force=pairs|nbody.implementation=best|"
             "nbody.units=nbody|nbody.plane=xy|nbody.shown=all|nbody.integrator=leapfrog", 0 },
  { "nbody", PLUMMER "nbody.force=tree|nbody.plane=yz", 0 },
  { "nbody", PLUMMER "nbody.initial=galaxies|nbody.shown=light|nbody.plane=xz|nbody.force=tree|"
             "nbody.integrator=kick-drift", 0 },
  { "nbody", PLUMMER "nbody.initial=collapse|nbody.integrator=explicit|"
                     "nbody.target=registers|nbody.implementation=naive", 0 },
  { "nbody", PLUMMER "nbody.initial=cube|nbody.integrator=yoshida4|nbody.implementation=tiled|"
             "nbody.energy=false", 0 },
  { "nbody", PLUMMER "nbody.initial=plummer|nbody.implementation=naive|nbody.loads=16|"
                     "nbody.unroll=1", 0 },
  { "nbody", PLUMMER "nbody.initial=plummer|nbody.implementation=tiled|nbody.loads=4|"
                     "nbody.unroll=2", 0 },
  { "nbody", PLUMMER "nbody.initial=plummer|nbody.implementation=tiled|nbody.loads=named|"
                     "nbody.unroll=8", 0 },
  { "nbody", PLUMMER "nbody.initial=plummer|nbody.implementation=targets4|nbody.unroll=4", 0 },
  { "nbody", PLUMMER "nbody.initial=plummer|nbody.implementation=naive|nbody.unroll=named|"
           "nbody.target=named", 0 },
  { "nbody", "nbody.dt=1e3|nbody.bodies=131|nbody.picture=17|nbody.initial=box|nbody.units=si|"
             "nbody.heaviest=1e25|nbody.softening=1e7|nbody.implementation=tiled-unroll2", 0 },
  { "nbody", "nbody.dt=0.01|nbody.picture=17|nbody.initial=figure-eight|"
             "nbody.integrator=hermite4|nbody.softening=0|nbody.implementation=tiled-unroll4", 0 },
  { "nbody", "nbody.dt=0.01|nbody.picture=17|nbody.initial=five-bodies|nbody.units=solar|"
             "nbody.implementation=tiled-unroll8", 0 },
  { "nbody", "nbody.dt=0.01|nbody.picture=17|nbody.initial=kepler|nbody.implementation=targets2|"
             "nbody.energy=false", 0 },
  { "nbody", "nbody.dt=0.01|nbody.picture=17|nbody.initial=file|nbody.file=@BODIES|"
             "nbody.implementation=targets4", 0 },
};

const size_t same_case_count = sizeof same_cases / sizeof *same_cases;

int same_is_single(const same_case *of)
{
  return strstr(of->settings, HALF) || strstr(of->settings, "lbm.rows=folded");
}
