/* volumes_run.h - runs with compressible.cut_cells = redistribution. They join the lists of
 * volumes_launch.h and the gas of volumes_flow.h to the solver's blocks. */
#ifndef TRIREME_FV_VOLUMES_RUN_H
#define TRIREME_FV_VOLUMES_RUN_H

#include "solvers/compressible/bodies/facets.h"
#include "solvers/compressible/cutcells/volumes_flow.h"

struct fv_solver;

/* Facets of all bodies in cells, and the kernels' lists of them. A body that passes through
 * periodic sides has three copies for each such axis. Kernels take each copy for a body. Copy r is
 * w lengths of the grid away, where w is r modulo 3. So a place of a wall stays with its copy,
 * however far the body goes. */
typedef struct fv_told {
  fv_facets facets[FV_BODIES];
  int passes[FV_BODIES][3];    /* by axis, whether a body has copies */
  int first[FV_BODIES + 1];    /* of its copies */
  fv_facets_place place[FV_BODIES][2]; /* in cells, at the begin and the end of the lists' step */
  double turned[FV_BODIES];    /* angle of the step */
  int rested[FV_BODIES];       /* at rest in that step */
  double *reals;
  int32_t *ints;
  fv_volumes_bodies lists;
} fv_told;

/* Numbers of a wall for output: its place, its area times the normal into the body, pressure,
 * friction on the body, and heat into it. */
enum { FV_FELT_PLACE = 0, FV_FELT_AREA = 3, FV_FELT_PRESSURE = 6, FV_FELT_FRICTION = 7,
       FV_FELT_HEAT = 10, FV_FELT_REALS = 11, FV_FELT_FIELDS = 5 };

/* Numbers that a checkpoint keeps: begin and end of the lists' step; 1 where gaps are shut. */
enum { FV_TIMES = 3 };

/* The part of the lists that the host reads: the kinds of cells, and of listed ones the gas. */
typedef struct fv_seen {
  int32_t *kinds, *list;
  double (*gas)[FV_GAS_REALS];
} fv_seen;

/* Series of gaps, where several bodies move: areas that shut and open in the step, and the number
 * of shut volumes. Then comes the place of the last gap that shut or opened. */
enum { FV_GAP_SERIES = 6 };

/* Numbers of the clock that kernels of the lists look at, in double precision: up to FV_LIVE. In
 * dual time, up to the weights of states; then FV_DT is the length of a sweep. */
enum { FV_STEP_REALS = FV_BEHIND + 1 };

typedef struct fv_volumes_run {
  fv_told told;
  fv_volumes lists;
  fv_volumes_flow flow;
  fv_flow_blocks blocks;
  size_t room;                 /* leaves of the grid that the next two have room for */
  fv_flow_own own;             /* of a part of a run */
  int32_t *slots;              /* of each leaf of the lists */
  int32_t *leaf_of;            /* by slot: the leaf of the lists, -1: none */
  double times[2];             /* begin and end of the lists' step */
  double moved;                /* the most that bodies moved since leaves of the lists were found */
  int is_ready;                /* lists of a step that follows another are there */
  int is_live;                 /* the step has lists */
  int is_open;                 /* its stages count: not those of sweeps behind its end */
  int is_restored;             /* the state of volumes is a checkpoint's */
  fv_seen seen;                /* NULLs: not read since the last step */
  trm_buffer *solid, *kept, *clock, *sources;
  double dt;                   /* as `clock` has it */
  trm_buffer *felt;            /* FV_FELT_REALS of each wall, number by number */
  size_t walls;                /* how many there are in it */
  double gap[FV_GAP_SERIES];   /* of the last step */
} fv_volumes_run;

/* A side of the finest cells, and how many there are along an axis. Walls are in these alone. */
double fv_finest_side(const struct fv_solver *fv);
int fv_finest_cells(const struct fv_solver *fv, int axis);

/* Whether a leaf may have listed or solid cells, until bodies that move leave it. */
int fv_is_leaf_near(const struct fv_solver *fv, size_t slot);

/* volumes_bodies.c: the facets of all bodies; h: of a cell. Then the numbers of a step, from where
 * bodies were to where they are (bodies.h). is_begin: both are where they are. */
trm_status fv_make_facets(const struct fv_solver *fv, fv_told *told);
int fv_copy_count(const fv_told *told, int body);
void fv_tell_bodies(const struct fv_solver *fv, fv_told *told, int is_begin);
void fv_free_told(fv_told *told);

/* volumes_share.c: what a part of a run has of new lists; after that, what it has now. */
trm_status fv_share_volumes(struct fv_solver *fv);
void fv_find_own_volumes(struct fv_solver *fv);

/* volumes_show.c: reads `seen`. The gas of a cell of a slot: 0 none, 1 a whole cell, 2 a part. The
 * gas's middle goes to `at`, from the cell's middle, in cells. */
trm_status fv_see_volumes(fv_volumes_run *v);
void fv_forget_volumes(fv_volumes_run *v);
int fv_gas_of_cell(const fv_volumes_run *v, size_t slot, size_t cell, double at[3]);

/* fv_flow_look; blocks have their ghosts. */
trm_status fv_look_at_volumes(struct fv_solver *fv);

#endif
