/* bounds.h - the limits of the lattice Boltzmann method, in two dimensions and three, and estimates
 * of the speed of a flow. They are checked before a run, since a run beyond them finishes with
 * plausible but wrong numbers. */
#ifndef TRIREME_LBM_BOUNDS_H
#define TRIREME_LBM_BOUNDS_H

#include "io/config.h"

#define LBM_MACH 0.3           /* the method is one of slow flow; its errors grow with the square */
#define LBM_LEAST_MAGIC 1e-3   /* of lbm.magic */
#define LBM_MOST_MAGIC 1.0
#define LBM_MOST_VISCOSITY 1.0 /* cells squared a step: beyond it a step's shear passes a cell */

/* The speed of that Mach number, in cells a step. */
double lbm_fastest(void);

/* In three digits, at most or at least `value`: what is printed as a cure must be one. */
double lbm_round_down(double value);
double lbm_round_up(double value);

/* Steps of the run; INFINITY: the config does not say. step: a step's time in the run's unit. */
double lbm_steps_of(const trm_config *config, double step);

/* Refuses a viscosity of the lattice that steps or the precision cannot bear. key: it follows from
 * that one; is_single: f32. */
trm_status lbm_check_viscosity(const trm_config *config, const char *key, double viscosity,
                               int is_single);

/* Refuses a speed of the lattice above LBM_MACH. */
trm_status lbm_check_reference(const trm_config *config, double speed);

trm_status lbm_refuse_magic(const trm_config *config, double magic);

/* For a force that drives a flow to a Mach number. lbm_force_cure: the largest force that the
 * method allows. lbm_refuse_force: the refusal. The caution's arguments are name, force, Mach
 * number, LBM_MACH and that force. */
double lbm_force_cure(double force, double mach);
trm_status lbm_refuse_force(const trm_config *config, const char *name, double force, double mach);
#define LBM_FORCE_CAUTION \
  "%s = %g would drive a laminar flow to Mach %.3g, and the method holds up to " \
  "Mach %g: if it " \
  "does, make it %.3g or less"
/* A force along n cells between walls at both ends, against which the fluid stands. */
trm_status lbm_check_standing(const trm_config *config, const char *name, double force,
                              double acceleration, int n);

/* The largest speed that an acceleration gives a fluid at rest. laminar: in laminar flow; least: a
 * lower bound, since a fast flow becomes turbulent. across: distance of the walls along the flow,
 * in two directions; INFINITY: no walls. */
typedef struct lbm_reach { double laminar, least; } lbm_reach;
lbm_reach lbm_reach_of(double acceleration, double viscosity, const double across[2], double steps);

#endif
