/* bodies.h - the bodies of a case: their places and the kinds of their walls. */
#ifndef TRIREME_FV_BODIES_H
#define TRIREME_FV_BODIES_H

#include "io/config.h"
#include "io/formula.h"
#include "io/stl.h"
#include "io/table.h"
#include "solvers/framework/forest.h"

enum { FV_BODIES = 16 };

typedef enum fv_wall { FV_WALL_SLIP, FV_WALL_ADIABATIC, FV_WALL_ISOTHERMAL } fv_wall;

typedef struct fv_body {
  enum { FV_SPHERE, FV_CYLINDER, FV_TUBE, FV_BOX, FV_PROFILE, FV_SURFACE } shape;
  double at[3];                /* middle; of a profile its nose, of a surface
                                * where its own 0, 0, 0 is */
  double size[3];              /* radius; half a box's sides; of a profile the chord */
  double end[3][2];            /* of a box, how far from its middle its ends are, the least x first;
                                * one at a periodic side lies far beyond, as the wall goes on */
  double least;                /* its least thickness */
  double (*outline)[2];        /* of a profile, closed, anticlockwise */
  int corners;
  trm_stl surface;             /* its images beyond periodic sides are behind its own triangles */
  size_t within;               /* how many are its own */
  trm_stl_tree *tree;          /* of all */
  int is_hollow;               /* the gas is inside of it */
  struct fv_slit *slits;       /* of a surface: fv_find_slits */
  size_t slit_count, slit_room;
  int slides;                  /* along other bodies, which it may reach into */
  fv_wall wall;
  double temperature;          /* of an isothermal wall: gamma p / rho */
  double spin;                 /* about the z axis through `at`, rad / time: the wall slides */
  trm_formula *path[3];        /* where it is at a time, off where the case has it; NULL: there */
  trm_formula *rotation;       /* angle by which it is turned at a time; NULL: it does not turn */
  double centre[3], axis[3];   /* about which place, which moves along, and which axis; length 1 */
  double reach;                /* from that place no part of it is farther */
  double moved[3], step[3];    /* its displacement, and the part of it made by the current step */
  double angle, turned;        /* the same of the angle; its cosine and sine */
  double cosine, sine;
} fv_body;

typedef struct fv_bodies {
  int count, dimensions;
  int is_moving;               /* some body has a path */
  int may_meet;                /* and reach into each other: all slide */
  double small;                /* pieces with less of a cell are merged with a neighbour; not half
                                * of one to rounding, which a wall midway through cells leaves */
  double time;                 /* at which bodies are where they are */
  int fastest;                 /* which of them went the longest way there */
  trm_table table;             /* s by t, for paths */
  char *said;                  /* where, for messages: file and line */
  fv_body body[FV_BODIES];
} fv_bodies;

/* The key bodies.shapes; gamma: of the gas. */
trm_status fv_read_bodies(fv_bodies *bodies, const trm_config *config, int dimensions,
                          double gamma);
void fv_free_bodies(fv_bodies *bodies);
/* How thick what is solid is, between walls that face each other. */
double fv_surface_thickness(const fv_body *body);

/* body_ends.c: a box that ends at a periodic side continues beyond it (fv_body.end). So does a
 * surface that ends at both sides with the same section there; any other surface is refused. low,
 * high: of the grid. */
trm_status fv_open_ends(fv_bodies *bodies, const double low[3], const double high[3],
                        const int is_periodic[3]);

/* slits.c: finds places where the gas within a surface is narrower than a cell of the coarsest
 * grid. Then refuses those narrower than the cells there, wherever the bodies are. finest: a cell's
 * width in the finest grid. h, origin: at level 0. */
typedef struct fv_slit { double at[3], wide; } fv_slit; /* its middle, as the case has the body */
trm_status fv_find_slits(fv_bodies *bodies, double coarsest, double finest);
trm_status fv_check_slits(const fv_bodies *bodies, const trm_forest *forest, double h,
                          const double origin[3]);

/* paths.c: the keys bodies.motion and bodies.motion_table; the rest is read. */
trm_status fv_read_paths(fv_bodies *bodies, const trm_config *config);
/* Bodies are where they will be at a time, from where they were; the longest way along an axis,
 * which that of `fastest` is. */
double fv_move_bodies(fv_bodies *bodies, double time);
/* " at t = 0.5", where bodies move, else "": for messages. Returns text. */
enum { FV_WHEN = 40 };
const char *fv_when(const fv_bodies *bodies, char text[FV_WHEN]);
/* Refuses a body whose place is no number; and one that reaches beyond the grid's ends. */
trm_status fv_check_numbers(const fv_bodies *bodies);
trm_status fv_check_places(const fv_bodies *bodies, const double low[3], const double high[3]);
/* Bodies are where they begin, at rest. */
void fv_begin_bodies(fv_bodies *bodies);

/* paths_ahead.c: makes both checks at a thousand times up to `end`. Also refuses a body with a
 * point of its surface in another body, unless one of the two slides, or bodies may meet.
 * Afterwards the bodies are as at the begin. */
trm_status fv_check_paths(fv_bodies *bodies, double end, const double low[3],
                          const double high[3]);
/* A place in the grid as the body had it where the case put it, and back; a box about the body. */
void fv_body_from_here(const fv_body *body, const double at[3], double own[3]);
void fv_body_to_here(const fv_body *body, const double own[3], double at[3]);
void fv_body_box(const fv_body *body, double low[3], double high[3]);
void fv_body_bounds(const fv_body *body, double low[3], double high[3]); /* the least such box */
/* The turn into the body's frame, row by row. */
void fv_body_turn(const fv_body *body, double turn[9]);

/* How far from a body's wall a place is, or less: positive outside of the body. cursor: io/stl.h;
 * of all bodies, one for each. */
double fv_body_distance(const fv_body *body, const double at[3], trm_stl_cursor *cursor);
/* The next place to be asked for is this one, and on that side: < 0: in the body. */
void fv_body_side(const fv_body *body, const double at[3], double side, trm_stl_cursor *cursor);
/* The distance from the nearest body's wall; `which` (may be NULL) is that body. INFINITY without
 * bodies. */
double fv_bodies_distance(const fv_bodies *bodies, const double at[3], int *which,
                          trm_stl_cursor *cursors);

#endif
