/* scene.h - where a run starts: grid, bed and water, in host memory, in doubles. */
#ifndef TRIREME_SHALLOW_SCENE_H
#define TRIREME_SHALLOW_SCENE_H

#include "io/grid.h"
#include "solvers/solver.h"

typedef struct shallow_scene {
  int nx, ny;                /* cells */
  double dx, dy;             /* sides of a cell */
  double x0, y0;             /* the south-western corner of the grid */
  double *z;                 /* bed, ny rows of nx, the southern one first */
  double *h, *hu, *hv;
  char caution[TRM_GRID_CAUTION]; /* of a file's heights; "": none */
  double *zx, *zy;           /* slopes of the bed: Lax-Friedrichs only, else NULL */
} shallow_scene;

/* Reads or computes what the case asks for and refuses what cannot be run, naming cell and file.
 * needs_slopes: zx and zy are wanted. dry: cells no deeper start at rest. largest: of the
 * numbers that the run can hold. Free it in any case. */
trm_status shallow_scene_create(const trm_config *config, int needs_slopes, double dry,
                                double largest, shallow_scene *out);
void shallow_scene_free(shallow_scene *scene);

/* course.c: the scene of the EPFL course's files at `path`: the cells within the ring of ghosts. */
trm_status shallow_course_scene(const char *path, shallow_scene *out);

#endif
