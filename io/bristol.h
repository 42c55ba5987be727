/* bristol.h - the files of the University of Bristol's D2Q9 lattice-Boltzmann coursework.
 *
 * PARAMS       seven numbers, one a line: nx ny maxIters reynolds_dim density accel omega
 * OBSTACLES    a line `x y 1` for each blocked cell; repeats are allowed
 * av_vels.dat      "%d:\t%.12E\n", mean speed after each step
 * final_state.dat  "%d %d %.12E %.12E %.12E %.12E %d\n", x fastest:
 *                  x y u_x u_y |u| pressure obstacle
 *
 * (public repository UoB-HPC/advanced-hpc-lbm.) Every refusal names the file and line. */
#ifndef TRIREME_BRISTOL_H
#define TRIREME_BRISTOL_H

#include "core/trireme.h"

enum { TRM_BRISTOL_VALUES = 7 };

typedef struct trm_bristol_params {
  int32_t nx, ny;              /* at least 1 and 3; 9 populations of nx * ny cells fit a size_t */
  int32_t steps;               /* at least 1 */
  double reynolds_dim;         /* > 0, cells */
  double density;              /* > 0 */
  double accel;                /* >= 0 */
  double omega;                /* 0 < omega < 2 */
  int line[TRM_BRISTOL_VALUES];        /* where each value stands, in the order above */
  char text[TRM_BRISTOL_VALUES][40];   /* and as it is written there */
} trm_bristol_params;

TRM_API trm_status trm_bristol_read_params(const char *path, trm_bristol_params *out);

/* Fills solid (nx * ny bytes, x fastest) with 1 for blocked cells and 0 for the others. *blocked
 * is the number of blocked cells, each counted once. A mask without any fluid cell is refused. */
TRM_API trm_status trm_bristol_read_obstacles(const char *path, size_t nx, size_t ny,
                                              uint8_t *solid, size_t *blocked);

TRM_API trm_status trm_bristol_write_series(const char *path, const double *values, size_t count);

/* type is TRM_TYPE_F32 or TRM_TYPE_F64; velocity holds nx * ny values of u_x, then as many of u_y.
 * |u| is computed here, in that type. */
TRM_API trm_status trm_bristol_write_state(const char *path, size_t nx, size_t ny, trm_type type,
                                           const void *velocity, const void *pressure,
                                           const uint8_t *solid);

/* ---- reading results, and the course's check ------------------------------- */

/* *values is malloc'd and the caller's. Steps must count up from 0. */
TRM_API trm_status trm_bristol_read_series(const char *path, double **values, size_t *count);

typedef struct trm_bristol_state {
  size_t nx, ny;
  double *ux, *uy, *speed, *pressure;  /* nx * ny each, x fastest */
  uint8_t *solid;
} trm_bristol_state;

/* The shape follows from the last line's coordinates; they must count up, x fastest. */
TRM_API trm_status trm_bristol_read_state(const char *path, trm_bristol_state *out);
TRM_API void trm_bristol_state_free(trm_bristol_state *state);

/* How a run compares with a reference. The course's rule: 100 * (reference - value) / value must be
 * finite and at most 1 in magnitude, for each mean speed and each pressure. Ours adds the velocity
 * components (against the largest speed of the reference) and the obstacles. */
typedef struct trm_bristol_check {
  int same_shape;              /* as many steps, or the same grid */
  double percent;              /* largest of the course's |diff %|; NaN or infinite fails */
  size_t percent_at;           /* its step or cell */
  double relative;             /* largest |reference - value| / |reference| */
  double velocity;             /* states: largest |difference| of u_x, u_y / largest |u| */
  size_t velocity_at;
  size_t obstacles;            /* states: cells whose mask differs */
} trm_bristol_check;

TRM_API void trm_bristol_check_series(const double *reference, size_t reference_count,
                                      const double *values, size_t count, trm_bristol_check *out);
TRM_API void trm_bristol_check_state(const trm_bristol_state *reference,
                                     const trm_bristol_state *state, trm_bristol_check *out);
/* The course's verdict, tolerance in per cent (the course's own: 1). */
TRM_API int trm_bristol_check_passes(const trm_bristol_check *check, double tolerance_percent);

#endif
