/* options.h - the keys of compressible flow, for compressible.c alone. */
#ifndef TRIREME_FV_OPTIONS_H
#define TRIREME_FV_OPTIONS_H

#include "solvers/solver.h"

#include <math.h>

#define ANY NAN, NAN, 0
#define FORMULA NAN, NAN, TRM_OPTION_FORMULA
#define NUMBERS NAN, NAN, TRM_OPTION_NUMBERS
#define CELLS(axis, count, least) \
  { "grid.n" axis, TRM_OPTION_INTEGER, "cells", count, least, 1 << 22, 0, NULL, \
    "cells along " axis ", a multiple of a block's: 16 in two dimensions, 8 in three" }
#define START(name, unit, value, what) \
  { "initial." name, TRM_OPTION_STRING, unit, value, ANY, NULL, \
    what " at the start, a formula of x, y and z" }

#define SIDE(name, where) \
  { "boundary." name, TRM_OPTION_STRING, "", "periodic", ANY, \
    "periodic|symmetry|wall|isothermal|inflow|outflow|subsonic_inflow|subsonic_outflow|farfield", \
    "the side at the " where ": periodic; symmetry, or a wall without friction; an adiabatic or " \
    "isothermal wall; in and out, supersonic or subsonic; an undisturbed flow far away" }, \
  { "boundary." name "_velocity", TRM_OPTION_STRING, "m/s", "0 0 0", NUMBERS, NULL, \
    "velocity of its wall or of the inflow: u v w; or 'u; v; w', formulas of x, y, z, t and " \
    "table" }, \
  { "boundary." name "_density", TRM_OPTION_STRING, "kg/m^3", "1", FORMULA, NULL, \
    "density of the inflow, a number or such a formula" }, \
  { "boundary." name "_pressure", TRM_OPTION_STRING, "Pa", "1", FORMULA, NULL, \
    "pressure outside, a number or a formula" }, \
  { "boundary." name "_temperature", TRM_OPTION_STRING, "m^2/s^2", "1", FORMULA, NULL, \
    "pressure by density at its isothermal wall, a number or a formula" }, \
  { "boundary." name "_table", TRM_OPTION_FILE, "", "", ANY, NULL, \
    "a file of times and values; 'table' in the side's formulas is its value at time t" }, \
  { "boundary." name "_where", TRM_OPTION_STRING, "", "", ANY, NULL, \
    "a formula of x, y, z and t: where it is not 0, the side has the kind that _there names" }, \
  { "boundary." name "_there", TRM_OPTION_STRING, "", "", ANY, NULL, \
    "the kind where _where is not 0, any but periodic: a hole, say, through which gas is blown" }, \
  { "boundary." name "_sponge", TRM_OPTION_REAL, "m", "0", 0, NAN, 0, NULL, \
    "width of the sponge before the side; it draws the flow to compressible.sponge_...; 0: none" }

static const trm_option options[] = {
  CELLS("x", "64", 8),
  CELLS("y", "64", 8),
  { "grid.nz", TRM_OPTION_INTEGER, "cells", "1", 1, 1 << 22, 0, NULL,
    "cells along z, a multiple of 8; 1: two dimensions" },
  { "grid.x0", TRM_OPTION_REAL, "m", "0", ANY, NULL, "least x of the grid" },
  { "grid.y0", TRM_OPTION_REAL, "m", "0", ANY, NULL, "least y of the grid" },
  { "grid.z0", TRM_OPTION_REAL, "m", "0", ANY, NULL, "least z of the grid" },
  { "grid.levels", TRM_OPTION_INTEGER, "", "0", 0, 12, 0, NULL,
    "how many times blocks may be split, in halves along each axis, where mesh.refine says so" },
  { "mesh.refine", TRM_OPTION_STRING, "m", "", NUMBERS, NULL,
    "where blocks are split, with ; or , between entries: a box, as least and largest x, y and, " \
    "in three dimensions, z; 'wall D', all that is so near to a wall or a body; 'distance wall " \
    "N', the same in cells of each level, so that finer levels stay nearer; or what the flow " \
    "shows: 'density T', 'pressure T', 'velocity T' (relative change from cell to cell), " \
    "'vorticity T' (1/s), beyond T; 'reach N': and N cells beyond that, a multiple of 4, else " \
    "half a block, 8 or in three dimensions 4" },
  { "mesh.adapt_every", TRM_OPTION_INTEGER, "steps", "4", 0, 1 << 20, 0, NULL,
    "steps between two adaptations of the grid to the flow, by mesh.refine; 0: it is adapted to "
    "the first state alone" },
  { "mesh.blocks", TRM_OPTION_INTEGER, "blocks", "65536", 1, 1 << 24, 0, NULL,
    "most blocks of such a grid" },
  { "mesh.overflow", TRM_OPTION_STRING, "", "stop", ANY, "stop|coarsen",
    "where they would be more: the run ends; or thresholds are doubled until they are not" },
  { "mesh.shuffle", TRM_OPTION_INTEGER, "", "0", 0, INT32_MAX, TRM_OPTION_SAME_RESULT, NULL,
    "for tests: blocks lie in memory in another order, which this seed gives; 0: in their own" },
  { "bodies.shapes", TRM_OPTION_STRING, "m", "", ANY, NULL,
    "bodies in the flow, ';' between them: 'sphere X Y Z RADIUS', 'cylinder X Y RADIUS', " \
    "'tube X Y RADIUS', 'box X0 X1 Y0 Y1 [Z0 Z1]', 'naca DIGITS X Y CHORD ANGLE', " \
    "'stl [NAME] X Y Z SCALE', then 'slip', 'wall' or 'isothermal T', 'spin OMEGA', 'slides' " \
    "(docs/bodies.md)" },
  { "bodies.stl", TRM_OPTION_FILE, "", "", ANY, NULL,
    "the STL file of bodies that are an 'stl'" },
  { "bodies.motion", TRM_OPTION_STRING, "m", "", NUMBERS, NULL,
    "paths of the bodies, in order, ';' between them, empty for one that stays: 'X, Y[, Z]', " \
    "formulas of t that are added to its place, then ', ANGLE' by which it is turned, in rad, " \
    "'about X0 Y0[ Z0]' and in three dimensions 'along AX AY AZ'" },
  { "bodies.motion_table", TRM_OPTION_FILE, "", "", ANY, NULL,
    "a file with lines of a time and a value: the s of formulas in bodies.motion" },
  { "compressible.cut_cells", TRM_OPTION_STRING, "", "merging", ANY, "merging|redistribution",
    "how small parts of cells at bodies are kept stable: merging, with a neighbour; " \
    "redistribution, of the state among neighbours, also where gaps close and open " \
    "(docs/bodies.md)" },
  { "compressible.cut_cells_on", TRM_OPTION_STRING, "", "auto", NAN, NAN, TRM_OPTION_SAME_RESULT,
    "auto|host|device",
    "who computes before each step the parts of cells outside of moving bodies, with the same " \
    "bits: the host; the device; auto: the device if it is a GPU" },
  { "compressible.length_x", TRM_OPTION_REAL, "m", "1", 0, NAN, TRM_OPTION_EXCLUSIVE, NULL,
    "length of the grid along x; cells are squares or cubes" },
  START("density", "kg/m^3", "1", "density"),
  START("velocity_x", "m/s", "0", "velocity along x"),
  START("velocity_y", "m/s", "0", "velocity along y"),
  START("velocity_z", "m/s", "0", "velocity along z"),
  START("pressure", "Pa", "1", "pressure"),
  { "compressible.gamma", TRM_OPTION_REAL, "1", "1.4", 1, 10, TRM_OPTION_EXCLUSIVE, NULL,
    "ratio of the heat capacities" },
  { "compressible.prandtl", TRM_OPTION_REAL, "1", "0.72", 0, NAN, TRM_OPTION_EXCLUSIVE, NULL,
    "Prandtl number" },
  { "compressible.viscosity", TRM_OPTION_REAL, "Pa s", "0", 0, NAN, 0, NULL,
    "dynamic viscosity; 0: none, and no conduction of heat" },
  { "compressible.sutherland", TRM_OPTION_REAL, "1", "0", 0, NAN, 0, NULL,
    "Sutherland's temperature / the temperature at which the viscosity is " \
    "compressible.viscosity (air at 0 degrees Celsius: 0.404); 0: the same viscosity everywhere" },
  { "compressible.viscosity_at", TRM_OPTION_REAL, "m^2/s^2", "0", 0, NAN, 0, NULL,
    "temperature at which the viscosity is compressible.viscosity, as pressure / density; " \
    "compressible.sutherland needs it" },
  { "compressible.slopes", TRM_OPTION_STRING, "", "central", ANY, "central|van-albada",
    "slopes in a cell: central; van-albada: limited, for flows with shocks" },
  { "compressible.flux", TRM_OPTION_STRING, "", "ausm", ANY, "ausm|ausm+|hllc",
    "scheme of the flux through a face: ausm, for smooth flows; ausm+, for shocks too; hllc, for " \
    "shocks of any strength" },
  { "compressible.chi", TRM_OPTION_REAL, "1", "0.5", 0, 0.5, 0, NULL,
    "AUSM: how much the pressure at a face is taken from upwind; less smears and damps less" },
  { "compressible.cfl", TRM_OPTION_REAL, "1", "0", 0, 1.25, 0, NULL,
    "length of a step, in cells that the fastest wave passes; 0: 0.8, with hllc 0.6; in three " \
    "dimensions 0.6, with hllc 0.4. Shorter where a fast stream runs along several axes" },
  { "compressible.cfl_viscous", TRM_OPTION_REAL, "1", "0.25", 0, 0.6, TRM_OPTION_EXCLUSIVE, NULL,
    "length of a step by friction: viscosity * dt / (density * h^2); around bodies with friction " \
    "at most 0.1" },
  { "compressible.time", TRM_OPTION_STRING, "", "explicit", ANY, "explicit|dual|steady",
    "how steps are made: explicit; dual, implicit ones of any length, each by cycles in pseudo " \
    "time until its residual has fallen; steady, such cycles alone, until the flow is steady" },
  { "dual.dt", TRM_OPTION_REAL, "s", "0", 0, NAN, 0, NULL,
    "length of a step in dual time; 0: by dual.cfl" },
  { "dual.cfl", TRM_OPTION_REAL, "1", "16", 0, NAN, TRM_OPTION_EXCLUSIVE, NULL,
    "length of a step in dual time, in cells that the fastest wave passes" },
  { "dual.tolerance", TRM_OPTION_REAL, "1", "1e-3", 0, 1, TRM_OPTION_EXCLUSIVE, NULL,
    "a step's cycles end at this part of their first residual" },
  { "dual.iterations", TRM_OPTION_INTEGER, "cycles", "200", 1, 1 << 20, 0, NULL,
    "most cycles of a step" },
  { "compressible.implementation", TRM_OPTION_STRING, "", "fused", ANY,
    "fused|two-kernels|lists|copied|lists-side-order|push-sides|push-atomics|push-fixed",
    "how a stage is carried out: fused; or, with the same bits, as steps of the ladder, " \
    "two-kernels or lists (of cells and faces), to see what they cost; lists that are copied " \
    "around each launch. With other bits: lists whose sides are added in another order, or whose " \
    "fluxes are pushed to cells: by sides, with the bits of that order; by atomic additions, " \
    "whose bits vary; or by such additions of whole numbers (push-fixed), which have bits of " \
    "their own" },
  { "compressible.structs", TRM_OPTION_STRING, "", "none", NAN, NAN, TRM_OPTION_SAME_RESULT,
    "none|state|fluxes|both",
    "with an implementation on lists, but copied: which five values lie side by side in memory: " \
    "those of a cell's state as faces load it, of a face's flux, or both; none: arrays" },
  { "compressible.multigrid", TRM_OPTION_INTEGER, "", "0", 0, 24, 0, NULL,
    "coarser grids that a cycle in pseudo time goes down to, of blocks twice as wide each" },
  { "dual.coarsest", TRM_OPTION_INTEGER, "sweeps", "0", 0, 1000, 0, NULL,
    "sweeps of the coarsest of these in a cycle; 0: as many as cost one of the finest grid, from " \
    "4 to 32" },
  { "body_force", TRM_OPTION_STRING, "m/s^2", "0 0 0", NUMBERS, NULL,
    "acceleration of all gas: x y z" },
  { "compressible.sponge_strength", TRM_OPTION_REAL, "1/s", "0", 0, NAN, 0, NULL,
    "how fast sponges draw the flow, at the side; it falls as the square of the depth. Sponges " \
    "need it, as a density and a pressure" },
  { "compressible.sponge_density", TRM_OPTION_REAL, "kg/m^3", "0", 0, NAN, 0, NULL,
    "the density that sponges draw to" },
  { "compressible.sponge_velocity", TRM_OPTION_STRING, "m/s", "0 0 0", NUMBERS, NULL,
    "the velocity that sponges draw to: u v w" },
  { "compressible.sponge_pressure", TRM_OPTION_REAL, "Pa", "0", 0, NAN, 0, NULL,
    "the pressure that sponges draw to" },
  { "probes", TRM_OPTION_STRING, "m", "", NUMBERS, NULL,
    "places whose density, velocity and pressure are series, ';' between them: 'NAME X Y [Z]'" },
  { "average_from", TRM_OPTION_STRING, "s", "", ANY, NULL,
    "the time from which on fields mean_velocity, mean_density and mean_pressure are made; '': " \
    "none are" },
  { "compressible.schlieren", TRM_OPTION_BOOLEAN, "", "false", ANY, NULL,
    "a field schlieren, the length of the density's gradient" },
  { "compressible.integrals", TRM_OPTION_BOOLEAN, "", "false", ANY, NULL,
    "sum kinetic energy, enstrophy and dissipation over the gas after each step, as series" },
  { "compressible.farfield", TRM_OPTION_STRING, "", "nscbc", ANY, "nscbc|characteristic",
    "how gas leaves by sides that are 'farfield': nscbc, with any velocity and temperature, and " \
    "the pressure is drawn to that outside; characteristic, no wave comes in: less sound comes " \
    "back, of wakes more. compressible.time = steady takes characteristic unless this is given" },
  { "compressible.farfield_relaxation", TRM_OPTION_REAL, "1", "0.25", 0, 10, TRM_OPTION_EXCLUSIVE,
    NULL, "nscbc: how fast the pressure is drawn to that outside, sigma of Rudy and Strikwerda; " \
    "1 for wakes of bodies near the side; more sends more sound back" },
  SIDE("west", "least x"),
  SIDE("east", "largest x"),
  SIDE("south", "least y"),
  SIDE("north", "largest y"),
  SIDE("bottom", "least z"),
  SIDE("top", "largest z"),
};

/* The names of keys in the last version. */
static const trm_former_key former_keys[] = {
  { "compressible.bodies", "bodies.shapes", 0 },
  { "compressible.surface", "bodies.stl", 0 },
  { "compressible.motion", "bodies.motion", 0 },
  { "compressible.motion_table", "bodies.motion_table", 0 },
  { "compressible.geometry", "compressible.cut_cells_on", 0 },
  { "compressible.density", "initial.density", 0 },
  { "compressible.velocity_x", "initial.velocity_x", 0 },
  { "compressible.velocity_y", "initial.velocity_y", 0 },
  { "compressible.velocity_z", "initial.velocity_z", 0 },
  { "compressible.pressure", "initial.pressure", 0 },
  { "compressible.stage", "compressible.implementation", 0 },
  { "compressible.force", "body_force", 0 },
  { "compressible.probes", "probes", 0 },
  { "compressible.average_from", "average_from", 0 },
};

#endif
