/* scene.h - where a run starts: grid, bed and water, in doubles. Only some rows at once lie in the
 * host's memory, unless they were asked for together. */
#ifndef TRIREME_SHALLOW_SCENE_H
#define TRIREME_SHALLOW_SCENE_H

#include "io/formula.h"
#include "io/grid.h"
#include "solvers/solver.h"

/* Rows of the scene, the southern one first, each of nx cells. */
typedef struct shallow_rows {
  int first, count;
  const double *z, *h, *hu, *hv; /* bed, depth, momenta */
  const double *zx, *zy;     /* slopes of the bed: Lax-Friedrichs only, else NULL */
} shallow_rows;

/* A cell at an edge, the bed of its neighbour inside, and the momentum across the edge. */
typedef struct shallow_edge { double z, next, h, flow; } shallow_edge;

/* Rows `first` to `end` - 1 in the host's memory, between rows `low` and `high` - 1, with which it
 * begins and ends. level: the surface that the case gives; NULL: the course's files give none. */
typedef struct shallow_band {
  int low, first, end, high;
  double *z, *level, *h, *hu, *hv, *zx, *zy;
} shallow_band;

/* The values that files or formulas give. */
enum { SHALLOW_BED, SHALLOW_SURFACE, SHALLOW_SPEED_X, SHALLOW_SPEED_Y, SHALLOW_GIVEN };

typedef struct shallow_scene {
  int nx, ny;                /* cells */
  double dx, dy;             /* sides of a cell */
  double x0, y0;             /* the south-western corner of the grid */
  double reference;          /* the height that heights are counted from (heights.c), */
  double quantum;            /* heights are multiples of it; 0: no quantum */
  char caution[TRM_GRID_CAUTION]; /* of a file's heights; "": none */
  unsigned char *is_flat;    /* of each cell at the western, eastern, southern, northern edge: the
                              * case's bed goes on level there */
  shallow_edge *edges;       /* of the same cells, once a walk has seen them */

  const trm_config *config;
  const char *where;         /* for messages */
  double dry, largest;
  trm_device *device;        /* whose host threads compute formulas */
  trm_formula **formulas[SHALLOW_GIVEN]; /* of each of its threads; NULL: a file has them, or they
                                          * are 0 */
  trm_grid given[SHALLOW_GIVEN]; /* files; nx 0: none */
  double fill;               /* for cells of the bed's file without a value */
  double *course[5];         /* of the course's files: h, hu, hv and two slopes; NULL: none */
  int most;                  /* rows to a band; ny: all are kept once they are made */
  int is_final;              /* these are as the run has them */
  shallow_band band;
  double lowest, highest;    /* of all beds and surfaces as they are given */
  struct shallow_lakes *lakes; /* heights.c; NULL: no quantum */
} shallow_scene;

/* needs_slopes: zx and zy are wanted, and heights need no quantum. The numbers of the run have
 * `digits` digits and are at most `largest`. Cells no deeper than `dry` start at rest. in_bands:
 * only some rows at once are in memory; each walk makes them anew. */
typedef struct shallow_wanted {
  int needs_slopes, digits, in_bands;
  double dry, largest;
} shallow_wanted;

/* Finds the initial state, and refuses a state that cannot be run, naming cell and file. Free it in
 * any case. */
trm_status shallow_scene_create(trm_device *device, const trm_config *config,
                                const shallow_wanted *wanted, shallow_scene *out);
void shallow_scene_free(shallow_scene *scene);

/* All rows as the run starts with them, from south to north, some at once. */
typedef trm_status shallow_visitor(void *user, const shallow_rows *rows);
trm_status shallow_scene_walk(shallow_scene *scene, shallow_visitor *visit, void *user);

/* A bed is level at an open edge where its slope is at most this: the far ends of formulas. */
#define SHALLOW_LEVEL_SLOPE 1e-9

/* heights.c: a height of the case as the run counts it. How the scene counts heights, with so many
 * binary digits (0: on no quantum), when `lowest`, `highest` and `edges` are known. Then come the
 * lakes of each band, from south to north, before any band is counted so. */
double shallow_scene_height(const shallow_scene *scene, double height);
trm_status shallow_scene_resolve(shallow_scene *scene, int digits);
trm_status shallow_find_lakes(shallow_scene *scene);
trm_status shallow_end_lakes(shallow_scene *scene);
void shallow_resolve_band(shallow_scene *scene);
void shallow_free_lakes(shallow_scene *scene);

/* course.c: the scene of the EPFL course's files at `path`: the cells within the ring of ghosts. */
trm_status shallow_course_scene(const char *path, shallow_scene *out);

#endif
