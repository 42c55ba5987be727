/* channel_options.h - the keys of lbm for flows between boundaries (lbm.flow = "channel") and for
 * the Geneva course's cylinder ("geneva"). They come after lbm.c's own keys. */
#include "solvers/lbm/units.h"

#define CHANNEL_FLOW_KEYS \
  { "lbm.flow", TRM_OPTION_STRING, "", "driven", NAN, NAN, 0, "driven|geneva|channel", \
    "driven: the Bristol course's box; geneva: the Geneva course's cylinder, step for step; " \
    "channel: boundaries of any kind" }

/* Keys of the Geneva study's eight kernels. The order of lbm.moments' sums is another one. */
#define CHANNEL_STUDY_KEYS \
  { "lbm.moments", TRM_OPTION_STRING, "", "named", NAN, NAN, 0, "named|registers|memory", \
    "split: density and velocity from populations 0 to 8 in turn, summed in registers or in " \
    "memory; named: in pairs" }, \
  { "lbm.velocities", TRM_OPTION_STRING, "", "named", NAN, NAN, TRM_OPTION_SAME_RESULT, \
    "named|constants|memory", \
    "split: the directions in those sums: constants, or 18 integers in memory" }, \
  { "lbm.items", TRM_OPTION_STRING, "", "named", NAN, NAN, TRM_OPTION_SAME_RESULT, \
    "named|along|across", \
    "split, of a GPU: neighbouring items go along a row, or across the rows as in the study" }

/* Keys of channel and geneva; those after CHANNEL_ONLY_KEYS belong to channel alone. */
#define CHANNEL_BOTH_KEYS \
  { "lbm.speed", TRM_OPTION_REAL, "lattice", "0", 0, NAN, 0, NULL, \
    "largest speed of the inflow" }, \
  { "lbm.perturbation", TRM_OPTION_REAL, "1", "0", 0, 1, 0, NULL, \
    "part of the inflow's speed that varies as a sine along it" }, \
  { "lbm.reynolds", TRM_OPTION_REAL, "1", "0", 0, NAN, 0, NULL, \
    "Reynolds number, of reference_speed and reynolds_dim; 0: viscosity or omega is given" }, \
  { "lbm.viscosity", TRM_OPTION_REAL, "lattice", "0", 0, NAN, 0, NULL, \
    "kinematic viscosity; 0: reynolds or omega is given" }, \
  { "lbm.reference_speed", TRM_OPTION_REAL, "lattice", "0", 0, NAN, 0, NULL, \
    "speed of Reynolds number and coefficients; 0: the inflow's mean, or the moving wall's" }, \
  { "lbm.length", TRM_OPTION_REAL, "cells", "0", 0, NAN, 0, NULL, \
    "length of the coefficients and of the Strouhal number; 0: the obstacle's height" }, \
  { "bodies.shapes", TRM_OPTION_STRING, "", "", NAN, NAN, TRM_OPTION_NUMBERS, NULL, \
    "obstacles, in cells: 'cylinder X Y RADIUS; box X0 Y0 X1 Y1; polygon X Y X Y X Y ...'" }, \
  { "lbm.mask", TRM_OPTION_FILE, "", "", NAN, NAN, 0, NULL, \
    "PNG picture of obstacles, dark is solid, a pixel a cell" }, \
  { "lbm.mask_scale", TRM_OPTION_BOOLEAN, "", "false", NAN, NAN, 0, NULL, \
    "stretch the picture to the grid" }, \
  { "probes", TRM_OPTION_STRING, "", "", NAN, NAN, TRM_OPTION_NUMBERS, NULL, \
    "cells 'X Y; X Y; ...' whose velocity and density are series; none: one on the axis at 3/4" }, \
  { "lbm.statistics_from", TRM_OPTION_INTEGER, "steps", "0", 0, 1e15, 0, NULL, \
    "first step of the statistics of drag and lift" }

#define CHANNEL_ONLY_KEYS \
  { "boundary.west", TRM_OPTION_STRING, "", "inflow", NAN, NAN, 0, "inflow|wall|periodic", \
    "western boundary" }, \
  { "boundary.east", TRM_OPTION_STRING, "", "outflow", NAN, NAN, 0, "outflow|copy|wall|periodic", \
    "eastern boundary; outflow: density 1; copy: the populations that left a step ago" }, \
  { "boundary.south", TRM_OPTION_STRING, "", "wall", NAN, NAN, 0, "wall|moving|periodic", \
    "southern boundary" }, \
  { "boundary.north", TRM_OPTION_STRING, "", "wall", NAN, NAN, 0, "wall|moving|periodic", \
    "northern boundary" }, \
  { "lbm.wall_speed", TRM_OPTION_REAL, "lattice", "0", NAN, NAN, 0, NULL, \
    "speed along x of a moving wall" }, \
  { "lbm.inflow", TRM_OPTION_STRING, "", "uniform", NAN, NAN, 0, "uniform|parabolic|table", \
    "profile of the inflow" }, \
  { "lbm.inflow_table", TRM_OPTION_FILE, "", "", NAN, NAN, 0, NULL, \
    "a line `y speed` each, y in cells from the southern edge; linear between" }, \
  { "lbm.collision", TRM_OPTION_STRING, "", "bgk", NAN, NAN, 0, "bgk|trt|regularised", \
    "one relaxation time, two, or regularised, stable with an outflow at low viscosity" }, \
  { "lbm.magic", TRM_OPTION_REAL, "1", "0.25", 0, NAN, TRM_OPTION_EXCLUSIVE, NULL, \
    "trt: (1/omega - 1/2)(1/omega_minus - 1/2); 3/16 puts walls half-way exactly" }, \
  { "lbm.bounce_back", TRM_OPTION_STRING, "", "halfway", NAN, NAN, 0, "halfway|interpolated", \
    "obstacles' walls: half-way between cells, or where the shape cuts the links" }, \
  { "body_force", TRM_OPTION_STRING, "lattice", "0 0 0", NAN, NAN, TRM_OPTION_NUMBERS, NULL, \
    "force on the fluid of a cell: x y z, with z = 0" }, \
  { "initial.velocity_x", TRM_OPTION_STRING, "", "", NAN, NAN, 0, NULL, \
    "first velocity along x, of x, y (cells), nx, ny; empty: the inflow's profile" }, \
  LBM_UNITS_OPTIONS("lbm.speed, or lbm.wall_speed,"), \
  { "initial.velocity_y", TRM_OPTION_STRING, "", "0", NAN, NAN, 0, NULL, "the same along y" }, \
  { "initial.density", TRM_OPTION_STRING, "", "1", NAN, NAN, 0, NULL, "first density" }
