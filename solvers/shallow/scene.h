/* scene.h - where a run starts: grid, bed and water, in host memory, in doubles. */
#ifndef TRIREME_SHALLOW_SCENE_H
#define TRIREME_SHALLOW_SCENE_H

#include "io/grid.h"
#include "solvers/solver.h"

typedef struct shallow_scene {
  int nx, ny;                /* cells */
  double dx, dy;             /* sides of a cell */
  double x0, y0;             /* the south-western corner of the grid */
  double reference;          /* the height that heights are counted from (heights.c), */
  double quantum;            /* heights are multiples of it; 0: no quantum */
  double *z;                 /* bed, ny rows of nx, the southern one first */
  double *h, *hu, *hv;
  char caution[TRM_GRID_CAUTION]; /* of a file's heights; "": none */
  double *zx, *zy;           /* slopes of the bed: Lax-Friedrichs only, else NULL */
  unsigned char *is_flat;    /* of each cell at the western, eastern, southern, northern edge: the
                              * case's bed goes on level there */
  double *level;             /* the surface that the case gives; NULL once the scene is made */
} shallow_scene;

/* Reads or computes the initial state, and refuses a state that cannot be run, naming cell and
 * file. needs_slopes: zx and zy are wanted, and heights need no quantum. dry: cells no deeper start
 * at rest. largest, digits: of the numbers that the run can hold. Free it in any case. */
trm_status shallow_scene_create(const trm_config *config, int needs_slopes, double dry,
                                double largest, int digits, shallow_scene *out);
void shallow_scene_free(shallow_scene *scene);

/* A bed is level at an open edge where its slope is at most this: the far ends of formulas. */
#define SHALLOW_LEVEL_SLOPE 1e-9

/* heights.c: a height of the case as the run counts it; and all heights of the scene counted so,
 * with so many binary digits (0: on no quantum). */
double shallow_scene_height(const shallow_scene *scene, double height);
trm_status shallow_scene_resolve(shallow_scene *scene, int digits);

/* course.c: the scene of the EPFL course's files at `path`: the cells within the ring of ghosts. */
trm_status shallow_course_scene(const char *path, shallow_scene *out);

#endif
