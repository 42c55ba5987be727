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

/* Gives `count` cells of the rows, from cell `first` on: to velocity the values of u_x, then as
 * many of u_y. */
typedef trm_status trm_bristol_source(void *user, size_t first, size_t count, void *velocity,
                                      void *pressure, uint8_t *solid);
/* The type is TRM_TYPE_F32 or TRM_TYPE_F64. The speed |u| is computed here, in that type. Some rows
 * at once are in memory. */
TRM_API trm_status trm_bristol_write_state(const char *path, size_t nx, size_t ny, trm_type type,
                                           trm_bristol_source *source, void *user);

#endif
