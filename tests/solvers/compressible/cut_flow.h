/* cut_flow.h - gas in a periodic grid of N^3 cells, about bodies of facets that move
 * (fv_volumes_flow.h). Cells have side 1. */
#ifndef TRIREME_TEST_CUT_FLOW_H
#define TRIREME_TEST_CUT_FLOW_H

#include "tests/solvers/compressible/cut_step.h"

enum { VALUES = 5 };

/* A run. The values are u, v, w, rho and gamma p; the state is conserved, by control volume. */
typedef struct cut_flow {
  trm_device *device;
  mover *movers;
  int count;                   /* of bodies */
  double dt;
  int form;                    /* FV_BY_HLLC, FV_BY_PLUS or 0 */
  cut_run run;
  trm_buffer *state;
  double force[BODIES][FV_FLOW_FORCES]; /* of the last step: what bodies took from the gas */
  double impulse[3], work;              /* the sums over bodies */
  int lacking;                 /* of all steps, volumes that needed sweeps of their own */
} cut_flow;

/* Sets the gas at the begin; values_at: at a place of the grid. found: the volumes, as they are. */
void flow_start(cut_flow *flow, void (*values_at)(const double *place, double *values),
                result *found);

/* Makes a step in which the bodies move as they say. found: its lists; q: the state at its end. */
void flow_step(cut_flow *flow, result *found, double (*q)[VALUES]);

void flow_end(cut_flow *flow);

/* Values for flow_start: waves along all axes, about rest. */
void flow_waves(const double *place, double *values);
/* The state, summed over the grid. */
void flow_sum(const result *found, double (*q)[VALUES], double sum[VALUES]);

/* The pressure of a state; below 0 without mass. */
double flow_pressure(const double *w);

/* Sums of a run, and its extremes. */
typedef struct flow_account {
  double before[VALUES], taken[VALUES];
  double least, most, fastest; /* of gamma p, of velocity */
  int empty, trees;            /* volumes without pressure, of all steps; most volumes of both */
} flow_account;

/* Starts with a step at rest, so that q has the state of volumes. */
flow_account flow_begin(cut_flow *flow, void (*values_at)(const double *, double *),
                        result *found, double (*q)[VALUES]);
void flow_look(const cut_flow *flow, const result *found, double (*q)[VALUES], flow_account *a);

/* Mass stays. Walls take momentum and energy, and give them. No volume is without pressure. */
void flow_expect_kept(const result *found, double (*q)[VALUES], const flow_account *a);

#endif
