/* cut_flow.h - gas in a periodic grid of N^3 cells, about bodies of facets that move
 * (volumes_flow.h). Cells have side 1. */
#ifndef TRIREME_TEST_CUT_FLOW_H
#define TRIREME_TEST_CUT_FLOW_H

#include "tests/solvers/compressible/cut_step.h"

#include "solvers/compressible/cutcells/volumes_flow.h"

enum { VALUES = FV_VALUES };

/* A run. The values are u, v, w, rho and gamma p; the state is conserved, by control volume. */
typedef struct cut_flow {
  trm_device *device;
  mover *movers;
  int count;                   /* of bodies */
  double dt, viscosity;        /* of a gas of density 1; Pr is 0.72 */
  int form;                    /* FV_BY_HLLC, FV_BY_PLUS or 0 */
  int has_blocks;              /* gas that is not near a wall goes by the blocks' own stages */
  cut_run run;
  fv_volumes_flow gas;
  fv_flow_blocks blocks;
  trm_program *stages;         /* of blocks */
  trm_buffer *clock, *unused;  /* of fv_stage: no fluxes are kept */
  double force[BODIES][FV_FLOW_FORCES]; /* of the last step: what bodies took from the gas */
  double impulse[3], work;              /* the sums over bodies */
  int lacking;                 /* of all steps, volumes that needed sweeps of their own */
} cut_flow;

/* Sets the gas at the begin; values_at: at a place of the grid. found: the volumes, as they are. */
void flow_start(cut_flow *flow, void (*values_at)(const double *place, double *values),
                result *found);

/* Makes a step in which the bodies move as they say. found: its lists; q: the state of volumes at
 * its end. */
void flow_step(cut_flow *flow, result *found, double (*q)[VALUES]);

void flow_end(cut_flow *flow);

/* Values for flow_start: waves along all axes, about rest. */
void flow_waves(const double *place, double *values);
/* The state, summed over the grid's volumes. */
void flow_sum(const result *found, double (*q)[VALUES], double sum[VALUES]);
/* With blocks: the state by cell of the grid. Listed cells have the mean of their volumes. */
void flow_read_blocks(const cut_flow *flow, double (*q)[VALUES]);
/* The largest rate of all blocks. */
double flow_rate(const cut_flow *flow);

/* Mass stays, and walls account for the rest (taken), between two sums over the grid. */
void flow_expect_sums(const double before[VALUES], const double after[VALUES],
                      const double taken[VALUES]);

/* How an image lies: axis a is axis[a] of the other, and mirrored where sign[a] is -1. */
typedef struct flow_image { int axis[3]; double sign[3]; } flow_image;

/* Axis (a + turn) % 3 in place of axis a, and mirrored along x. */
flow_image flow_turned(int turn, int is_mirrored);

/* Gas and energy by cell of the other, of a run that is shown as this image. */
void flow_image_content(const flow_image *image, const result *found, double (*q)[VALUES],
                        double (*content)[2]);

/* flow_waves in the image that is shown. */
extern flow_image flow_shown;
void flow_imaged_waves(const double *place, double *values);

/* The cell of the other that a cell of the image is. */
int flow_cell_of_image(const flow_image *image, int cell);

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
