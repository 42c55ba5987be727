/* lbm3d.h - the object of lattice Boltzmann in three dimensions, shared by lbm3d.c (keys, life),
 * scene.c (bodies and sides), links.c (cells beside a boundary), start.c (the first state),
 * memory.c, steps.c, stored.c (16 bits, one lattice), moments.c and declarations.c. */
#ifndef TRIREME_LBM3D_H
#define TRIREME_LBM3D_H

#include "io/formula.h"
#include "io/stl.h"
#include "solvers/framework/framework.h"
#include "solvers/lbm/bounds.h"
#include "solvers/lbm/units.h"
#include "solvers/lbm3d/kernels/d3q27.h"
#include "solvers/lbm3d/kernels/lbm3d_constants.h"
#include "solvers/lbm3d/kernels/lbm3d_params.h"
#include "solvers/lbm3d/kernels/lbm3d_stored_params.h"
#include "solvers/lbm3d/kernels/lbm3d_moments_params.h"

enum {
  LBM3D_SLOTS = 64,            /* most steps whose leaves wait for one fold */
  LBM3D_BATCH = 65536,         /* steps that the series have room for */
  LBM3D_SIDES = 6,             /* west, east, south, north, bottom, top */
  LBM3D_PATCHES = LBM3D_SIDES + 1 + TRM_STL_PATCHES, /* sides, bodies.shapes, of bodies.stl */
  LBM3D_PROBES = 16,
  LBM3D_SERIES = 2 + LBM3D_VALUES * LBM3D_PATCHES + LBM3D_PROBED * LBM3D_PROBES,
  LBM3D_SHAPES = 64,
  LBM3D_BUFFERS = 31,
  LBM3D_FIELDS = 15,
  LBM3D_MOMENTS = 10           /* of a cell, lbm.storage = "moments" */
};

#define LBM3D_ACROSS 2         /* cells across a lumen, at least */
#define LBM3D_MACH LBM_MACH    /* the method is one of slow flow: no speed of a case is above it,
                                * and no density differs so much, which drives a speed alike */

extern const int lbm3d_ex[D3Q27], lbm3d_ey[D3Q27], lbm3d_ez[D3Q27];
double lbm3d_weight(int velocities, int k);

/* ---- what stands where: scene.c -------------------------------------------------- */

typedef enum lbm3d_kind {
  SIDE_PERIODIC, SIDE_OUTFLOW, SIDE_MOVING, SIDE_INFLOW, SIDE_WALL /* by rank at edges */
} lbm3d_kind;

typedef struct lbm3d_side {
  lbm3d_kind kind;
  trm_formula *velocity[3];    /* of a moving wall or an inflow */
  double density;              /* of an outflow */
  double fastest;              /* the largest speed of it */
} lbm3d_side;

/* A body in space; cell (i, j, k) reaches from (i, j, k) to (i + 1, j + 1, k + 1). */
typedef struct lbm3d_shape {
  int is_box;
  double at[3], radius, to[3]; /* of a sphere its middle; of a box two corners */
} lbm3d_shape;

/* The kind of a patch of a surface: a wall, an inflow, or open at a density. */
typedef struct lbm3d_opening {
  lbm3d_kind kind;
  double velocity[3], density;
  double pressure;             /* above that of density 1, Pa where there are units; 0: density */
  int axis;                    /* that it is most nearly across: 0 x, 1 y, 2 z */
} lbm3d_opening;

typedef struct lbm3d_scene {
  int n[3], velocities;
  trm_device *device;          /* NULL: of all planes */
  int own[2], block;           /* planes own[0] to own[1] - 1 belong to this part of a run; a block
                                * of planes is never divided */
  int is_product;              /* the equilibrium is that of cumulants (lbm3d_given.h) */
  int level;                   /* lengths are in its cells, 2^-level of those of the case */
  double viscosity;            /* known before links are */
  int is_rounded;              /* what links bring is stored in 16 bits */
  const double *given;         /* sides.c; cells whose links all are through walls that give it are
                                * in no list. NULL: all are */
  int is_forced;               /* a force acts on every cell, so all solid ones are held at rest */
  double density;              /* with which walls push: start.c */
  int is_own;                  /* an opening has a density, so inflows push with their cells' own */
  lbm3d_side sides[LBM3D_SIDES];
  int is_interpolated;         /* walls lie where the shapes cut the links */
  lbm3d_shape shapes[LBM3D_SHAPES];
  size_t shape_count;
  uint8_t holds[LBM3D_SHAPES]; /* a cell's centre */
  trm_stl stl;                 /* bodies.stl, in cells; no triangles: none */
  lbm3d_opening openings[TRM_STL_PATCHES];
  double surface_cell;         /* a cell's length in the surface's unit */
  uint32_t *part_of;           /* of a triangle: which part of the surface, none touching another */
  uint32_t part_count;
  uint8_t *part_holds;         /* a cell's centre */
  int across;                  /* cells across the lumen's narrowest place; 0: not looked for */
  size_t *near_first;          /* triangles near each cell of level 0 (surface.c) */
  uint32_t *near;
  uint8_t *solid;              /* of each cell, x fastest; NULL: none is. A part fills it in its own
                                * planes and in LBM3D_ASIDE on either side */
  size_t solid_count;          /* of all planes */
  int is_end_solid[2];         /* a cell of the first plane; of the last plane */
} lbm3d_scene;

enum { LBM3D_ASIDE = 2 };     /* planes that links and slopes at walls look at */
/* Finds the part's own planes. */
void lbm3d_scene_share(lbm3d_scene *scene, trm_device *device, int block);
/* Whether a plane is an own one, or as near to these as `beside` planes, across ends too. */
int lbm3d_is_near_own(const lbm3d_scene *scene, int z, int beside);
/* Values of `bytes` for each plane, of which the part has made its own: then all have all. */
trm_status lbm3d_complete_planes(const lbm3d_scene *scene, trm_status own, void *values,
                                 size_t bytes);

extern const char *const lbm3d_side_names[LBM3D_SIDES];
/* is_of_levels: finer cells may lie where bodies are, so whether these hold any is checked
 * later. */
trm_status lbm3d_scene_create(const trm_config *config, int is_of_levels, lbm3d_scene *scene);
void lbm3d_scene_free(lbm3d_scene *scene);
/* The same scene in the cells of a level; what both can use belongs to the first. */
trm_status lbm3d_scene_at_level(const trm_config *config, const lbm3d_scene *scene, int level,
                                lbm3d_scene *out);
void lbm3d_scene_leave_level(lbm3d_scene *scene);
/* The velocity of a side's wall or inflow at that place, in cells of level 0. */
void lbm3d_side_velocity(const lbm3d_scene *scene, int side, const double at[3], double u[3]);
/* The velocity and the density of the side's push there. Across an edge between two moving walls
 * neither wall pushes. An inflow that pushes with its cells' own density has density 1. */
void lbm3d_side_slip(const lbm3d_scene *scene, int side, const double at[3], double u[3]);
double lbm3d_side_density(const lbm3d_scene *scene, int side);
/* sides.c. given[8 k + c]: lbm3d_side_push of population k that comes across the axes in c, the
 * same everywhere but at edges. */
void lbm3d_sides_give(const lbm3d_scene *scene, double given[8 * D3Q27]);
/* The contribution to population k of half-way bounce-back from a wall or an inflow of that
 * velocity and of density 1. The function lbm3d_side_push is for a side at that place, with its
 * density. */
double lbm3d_push(const lbm3d_scene *scene, int k, const double u[3]);
double lbm3d_side_push(const lbm3d_scene *scene, int side, const double at[3], int k);
/* The largest speed of moving walls and inflows, in their middles. */
double lbm3d_fastest(const lbm3d_scene *scene);
/* The image of a shape, across periodic sides, that is nearest to a place. */
lbm3d_shape lbm3d_shape_beside(const lbm3d_scene *scene, const lbm3d_shape *shape,
                               const double at[3]);
/* Marks the shapes that hold a cell's centre. By name refused: one that holds none, or stands
 * outside the box. */
void lbm3d_shapes_hold(const lbm3d_scene *scene, const int cell[3], uint8_t holds[LBM3D_SHAPES]);
trm_status lbm3d_shapes_check(const trm_config *config, const lbm3d_scene *scene);
/* How far along the way from `from` by `by` the first shape is met, 0 to 1; 2: none. */
double lbm3d_shape_distance(const lbm3d_scene *scene, const double from[3], const double by[3]);
/* How far a place is from the wall of the nearest shape, on either side of it. */
double lbm3d_shape_wall(const lbm3d_scene *scene, const double at[3]);

/* surface.c. Reads bodies.stl and marks what is solid. */
trm_status lbm3d_surface_create(const trm_config *config, lbm3d_scene *scene);
trm_status lbm3d_surface_fill(const trm_config *config, lbm3d_scene *scene);
/* The same for parts of the surface that do not touch each other. has: whether the grid has a cell,
 * of the scene's level; NULL: all. */
trm_status lbm3d_surface_hold(const lbm3d_scene *scene,
                              int (*has)(const void *user, const int cell[3]), const void *user,
                              uint8_t *holds);
trm_status lbm3d_surface_check(const trm_config *config, const lbm3d_scene *scene);
/* The number of a cell, of any level, in near_first. */
size_t lbm3d_near_of(const lbm3d_scene *scene, const int cell[3]);
/* How far along the way from the cell's middle by `by` the surface is met, 0 to 1, and on which of
 * its patches; 2: it is not. */
double lbm3d_surface_distance(const lbm3d_scene *scene, const int cell[3], const double by[3],
                              int *patch);

/* bounds.c: the limits of the method. Refuses a side's velocity that is too fast at one of its
 * places, and a moving wall's velocity that leads through the wall; keeps the largest speed.
 * lbm3d_check_fluid: checks the fluid, when it is read. lbm3d_check_drive: refuses, or cautions
 * about, the speed that a force and differences of pressure will give. */
trm_status lbm3d_check_side(const trm_config *config, const char *key, lbm3d_scene *scene,
                            int side);
struct lbm3d_solver;
trm_status lbm3d_check_fluid(const struct lbm3d_solver *flow, const trm_config *config,
                             const char *key);
trm_status lbm3d_check_drive(struct lbm3d_solver *flow, const trm_config *config);
/* One more, after those that there are. */
void lbm3d_caution(struct lbm3d_solver *flow, const char *format, ...)
  __attribute__((format(printf, 2, 3)));

/* ---- cells beside a boundary: links.c --------------------------------------------- */

/* The subject of a sum over links: an inflow or outflow, or all bodies. Its places lie together. */
typedef struct lbm3d_patch {
  const char *name;            /* "west"; of bodies.shapes "" */
  int id;                      /* a side; LBM3D_SIDES: of bodies.shapes; then of bodies.stl */
  int is_body;
  size_t values;               /* series: LBM3D_FORCES or LBM3D_VALUES */
  size_t first, count;         /* places */
  double given, given_sizes;   /* sums of the mass that its links give, and of absolute values */
  double area;                 /* its pressure is a mean over, in faces of cells of level 0 */
} lbm3d_patch;

/* Lists are of all planes. A part fills its own items, and touches no memory of the others. */
typedef struct lbm3d_marks {
  size_t count, link_count, place_count, patch_count;
  size_t own[2];               /* marks own[0] to own[1] - 1 are the part's */
  size_t side_links;           /* links of cells in no list, for the pushes of sides */
  size_t side_rests, rest_links; /* those cells that get more than they sent; their links */
  size_t values;               /* reals of a place: LBM3D_FORCES, or LBM3D_VALUES with openings */
  lbm3d_patch patches[LBM3D_PATCHES];
  uint32_t *bits, *ranks, *solids; /* (nx + 31) / 32 words a row */
  int32_t *mark_entries, *ways;
  double *links;
  int32_t *sites;              /* (z ny + y) nx + x of each cell, then of each link's x - e */
} lbm3d_marks;
trm_status lbm3d_marks_create(const lbm3d_scene *scene, lbm3d_marks *out);
/* One more patch, behind the places of those before it; values 0: all. */
void lbm3d_marks_patch(lbm3d_marks *marks, lbm3d_patch patch);
/* Called for the cells of blocks one by one: first to count them, then to fill the lists allocated
 * in between. Links go through shapes and the surface, not through sides. site: the cell's. places:
 * for each patch the number of places, then the next free one. */
void lbm3d_marks_cell(const lbm3d_scene *scene, const int at[3], int32_t site, int fill,
                      lbm3d_marks *out, size_t places[LBM3D_PATCHES]);
trm_status lbm3d_marks_make(const lbm3d_scene *scene, lbm3d_marks *out,
                            size_t places[LBM3D_PATCHES]);
/* The lists alone, which are on the device: numbers and patches stay. */
void lbm3d_marks_leave(lbm3d_marks *marks);
void lbm3d_marks_free(lbm3d_marks *marks);

/* lumen.c. Refuses a case in which nothing can flow, or whose lumen is too narrow for the grid. */
trm_status lbm3d_lumen_check(const trm_config *config, lbm3d_scene *scene,
                             const lbm3d_marks *marks);

/* ---- probes.c -------------------------------------------------------------------------- */

/* Cells from[] to to[] - 1, of the finest level; of a point one. Its places begin at `first`. */
typedef struct lbm3d_probe {
  char name[TRM_STL_NAME];
  int axis;                    /* that a plane is across; -1: a point */
  int from[3], to[3];
  size_t first, count, own[2]; /* own: the part's, as lbm3d_marks.own */
} lbm3d_probe;

typedef struct lbm3d_probes {
  size_t count, cells;
  lbm3d_probe all[LBM3D_PROBES];
  int32_t *list;               /* of each cell: (z ny + y) nx + x, and the axis (lbm3d_levels.k
                                * says what on blocks) */
} lbm3d_probes;

struct lbm3d_solver;
trm_status lbm3d_probes_create(const trm_config *config, struct lbm3d_solver *flow);
size_t lbm3d_probe_values(const lbm3d_probe *probe);
/* Writes the probes of `rows` steps to element `at` of each of their series, `stride` apart. */
trm_status lbm3d_probes_fold(struct lbm3d_solver *flow, size_t rows, trm_buffer *to, size_t stride,
                             size_t at);

/* ---- shear.c ---------------------------------------------------------------------------- */

/* Cells beside walls of bodies and surfaces: three cells each, its own and two along the way into
 * the fluid; the wall's normal, and the weights of the velocities of those two in the slope at the
 * wall. */
typedef struct lbm3d_shear {
  size_t count, own[2];        /* own: as lbm3d_marks.own */
  int32_t *sites;
  double *parts;
} lbm3d_shear;
trm_status lbm3d_shear_create(const lbm3d_scene *scene, const lbm3d_marks *marks,
                              lbm3d_shear *out);
/* Room for the cells beside walls; whether a marked cell is one; its three cells, as numbers in the
 * grid, and parts. */
trm_status lbm3d_shear_make(const lbm3d_marks *marks, lbm3d_shear *out);
int lbm3d_shear_has(const lbm3d_marks *marks, size_t mark);
void lbm3d_shear_cell(const lbm3d_scene *scene, const int cell[3], int32_t sites[3],
                      double parts[5]);

/* ---- a run ------------------------------------------------------------------------- */

enum { STEP, OBSERVE, VORTICITY, FETCH, HAND, PROBE, SHEAR, PUT, WALLS, WALLS_REST };

/* The state of a field that is shown a component at a time. */
typedef struct lbm3d_showing {
  struct lbm3d_solver *flow;
  int index;                   /* among the fields */
} lbm3d_showing;

/* means.c */
typedef struct lbm3d_means {
  int is_on, is_due;           /* asked for; the steps that are launched count */
  double from;                 /* in the unit of the run's time */
  size_t row;                  /* elements from a row to the next */
  trm_buffer *values, *averaged;
  trm_framework_program program;
} lbm3d_means;

/* moments.c */
typedef struct lbm3d_moments {
  moments_params p;            /* beside the flow's p, whose members it repeats */
  trm_extent groups;
  int items;                   /* of a group on a GPU */
} lbm3d_moments;

/* The lists, in the order of rows. */
enum { LBM3D_MARKS, LBM3D_LINKS, LBM3D_WALL_CELLS, LBM3D_PROBED_CELLS, LBM3D_LISTS };

/* A list in parts, each a row of a launch. Word 2 i is the first item of part i, word 2 i + 1 the
 * item behind its last. */
typedef struct lbm3d_spans {
  size_t width, count;         /* of the longest; parts */
  int32_t *words;
  size_t *parts;               /* the first of each plane, and behind the last: count */
} lbm3d_spans;

typedef struct lbm3d_solver {
  trm_solver base;             /* first, as solver.h asks */
  lbm3d_params p;              /* for every launch, except members that a step sets */
  lbm3d_scene scene;
  lbm3d_marks marks;
  lbm3d_probes probes;
  lbm3d_shear shear;
  lbm3d_means means;
  struct lbm3d_levels *levels; /* levels.h; NULL: rows of cells */
  trm_type real_type;
  const char *variant;         /* of its lattice and equilibrium; "": none */
  double viscosity, reference_speed, length;
  double fastest;              /* speed that the case will have, as far as it tells */
  lbm_units units;
  double flops;                /* of a cell's step */
  const char *collision;       /* its name, and the Reynolds number of a cell up to which it was */
  double most_reynolds[2];     /* seen to hold between boundaries; where there is an outflow */
  double fluid_cells;          /* of level 0 */
  size_t leaves;               /* of one step */
  int is_bounded;              /* by walls or openings */
  size_t slots;                /* steps whose leaves there is room for; even */
  trm_layout layout, marks_layout, solid_layout;
  int is_stored, is_16, in_place; /* lbm.storage, lbm.streaming: either of them, both (stored.c) */
  trm_layout shown_layout;     /* then of one component that is shown */
  trm_buffer *shown;
  stored_params stored;        /* beside p, whose members it repeats */
  lbm3d_showing showing[8];    /* of each field */
  double walls[8 * D3Q27];     /* what sides give: lbm3d_sides_give */
  trm_buffer *given;           /* that, on the device */
  int is_moments;              /* lbm.storage: the lattices hold moments, not populations */
  lbm3d_moments moments;
  int shows;                   /* which: 64 times the field, and the component; -1: none */

  trm_framework_program steps; /* the step where it lies apart (lbm3d_program_of) */
  trm_framework_program program;
  trm_buffer *lattice[2];      /* lattice[current] holds the state */
  trm_buffer *marked, *mark_entries, *ways, *links, *part, *energies, *changes, *solid;
  trm_buffer *got, *sites;     /* of a GPU: what came through links, and where it goes */
  trm_buffer *parts[LBM3D_LISTS];
  lbm3d_spans spans[LBM3D_LISTS]; /* what is in these */
  trm_buffer *probe_cells, *probed;
  trm_buffer *shear_sites, *shear_parts;
  trm_buffer *window, *sums;   /* the series of a sequence, and of the batch */
  trm_reduction *fold, *folds[LBM3D_PATCHES], *probe_folds[LBM3D_PROBES];
  trm_framework_folder folder;
  trm_framework_stepper stepper, averager; /* of steps that count for means */
  int current;
  trm_framework_buffer memory[LBM3D_BUFFERS];
  size_t memory_count;

  trm_field fields[LBM3D_FIELDS];
  size_t own_fields;           /* the others are means over time */
  char names[LBM3D_SERIES][TRM_STL_NAME + 16], caution[1600];
  trm_series series[LBM3D_SERIES];
  trm_traffic traffic[8];
  trm_result results[8];
} lbm3d_solver;

/* memory.c. Layouts, from the grid alone; the bytes of the two lattices; the other sizes and the
 * list of buffers, when marks are known; the buffers with their first values. */
trm_status lbm3d_lay_out(lbm3d_solver *flow, const trm_config *config);
uint64_t lbm3d_lattice_bytes(const lbm3d_solver *flow);
void lbm3d_size_up(lbm3d_solver *flow);
trm_status lbm3d_allocate(lbm3d_solver *flow);
/* share.c. Whether what comes through links takes launches of its own, over lists, as on a GPU;
 * lists in parts; a launch over one of them, whose parts are the last buffer; what several devices
 * are told. */
int lbm3d_is_listed(const lbm3d_solver *flow);
int lbm3d_has_gpu(const lbm3d_solver *flow); /* among its devices */
size_t lbm3d_planes(const lbm3d_solver *flow);
trm_status lbm3d_spans_create(lbm3d_solver *flow);
void lbm3d_spans_free(lbm3d_spans *spans);
/* The shear at a cell beside a wall reads cells up to so many planes off. */
#define LBM3D_SHEARING 2
trm_status lbm3d_launch_list(lbm3d_solver *flow, int kernel, int list, trm_sharing how,
                             trm_buffer *const *buffers, size_t count);
trm_status lbm3d_share_out(const lbm3d_solver *flow);
/* The folds of the series. */
trm_status lbm3d_create_folds(lbm3d_solver *flow);

/* start.c. The density of walls, before links are made: the mean of the start, or, where openings
 * have densities, of these. Refuses what differs too much from it. The first state, to lattice[0]:
 * what a collision left before the first step. */
trm_status lbm3d_start_density(lbm3d_solver *flow, const trm_config *config);
trm_status lbm3d_start(lbm3d_solver *flow, const trm_config *config);

/* stored.c: populations in 16 bits, in one lattice, or both. Then the derived fields have no second
 * lattice: fields are shown a component at a time (trm_field.bring). */
trm_status lbm3d_read_storage(lbm3d_solver *flow, const trm_config *config);
trm_status lbm3d_check_stored_collision(const lbm3d_solver *flow, const trm_config *config);
extern const trm_program_source lbm3d_stored_source;
extern const struct trm_implementations lbm3d_implementations;
const char *lbm3d_stored_step_name(const lbm3d_solver *flow);
trm_status lbm3d_lay_out_stored(lbm3d_solver *flow);
trm_status lbm3d_check_stored(const lbm3d_solver *flow); /* in place: on parts of a run alone */
/* A field of reals that is brought: 0 populations, then as they are declared. */
void lbm3d_show(lbm3d_solver *flow, trm_field *field);
/* All populations of a plane, one after the other in rows as shown_layout has them. */
trm_status lbm3d_store_plane(lbm3d_solver *flow, int z, const double *values);

/* moments.c: ten moments of a cell in memory. The keys; what a scene may not have; layout; leaves
 * of a step; moments of a cell's populations; operations of a step; the program; launches. */
trm_status lbm3d_moments_read(lbm3d_solver *flow, const trm_config *config);
trm_status lbm3d_moments_plan(lbm3d_solver *flow, const trm_config *config);
trm_status lbm3d_moments_lay_out(lbm3d_solver *flow);
size_t lbm3d_moments_leaves(const lbm3d_solver *flow);
trm_status lbm3d_moments_share_leaves(const lbm3d_solver *flow, trm_buffer *buffer);
void lbm3d_moments_of(const double *f, double moments[LBM3D_MOMENTS]);
const char *lbm3d_moments_step_name(const lbm3d_solver *flow);
double lbm3d_moments_flops(const lbm3d_solver *flow);
trm_status lbm3d_moments_set_up(lbm3d_solver *flow, const trm_solver_options *run);
trm_status lbm3d_moments_step(lbm3d_solver *flow);
trm_status lbm3d_moments_observe(lbm3d_solver *flow);

/* means.c: means over time, from average_from on. The key; their buffers, to a list of at most
 * two; their program; their launches after a step, if the step counts (means.is_due); the first
 * step that counts; their fields. */
trm_status lbm3d_means_read(lbm3d_solver *flow, const trm_config *config);
size_t lbm3d_means_list(lbm3d_solver *flow, trm_framework_buffer *to);
/* Tells several devices of their rows. */
trm_status lbm3d_means_share(const lbm3d_solver *flow);
trm_status lbm3d_means_set_up(lbm3d_solver *flow, const trm_solver_options *run);
trm_status lbm3d_means_launch(lbm3d_solver *flow, trm_buffer *state);
uint64_t lbm3d_means_after(const lbm3d_solver *flow);
void lbm3d_means_declare(lbm3d_solver *flow);
/* Where they begin at the run's end or later. */
void lbm3d_means_caution(lbm3d_solver *flow, const trm_config *config);

/* programs.c. Builds the programs of rows or blocks: `of` has the parameters and all kernels, the
 * step first. The program that has a kernel: the step's lies apart where a collision has a text. */
trm_status lbm3d_build(lbm3d_solver *flow, const trm_framework_recipe *of,
                       const trm_solver_options *run);
const trm_framework_program *lbm3d_program_of(const lbm3d_solver *flow, int kernel);

/* steps.c */
/* how: a launch that several devices share otherwise than by rows; NULL: none. */
trm_status lbm3d_launch_shared(lbm3d_solver *flow, int kernel, trm_extent cells,
                               const trm_sharing *how, trm_buffer *const *buffers, size_t count);
trm_status lbm3d_launch(lbm3d_solver *flow, int kernel, trm_extent cells,
                        trm_buffer *const *buffers, size_t count);
void lbm3d_begin_steps(lbm3d_solver *flow);
trm_status lbm3d_advance(trm_solver *solver, uint64_t max_steps, double t_end, int sync_state,
                         uint64_t *done);
trm_status lbm3d_observe(trm_solver *solver);

/* declarations.c */
const char *lbm3d_step_name(const lbm3d_solver *flow);
size_t lbm3d_series_count(const lbm3d_solver *flow);
void lbm3d_place_fields(lbm3d_solver *flow);
void lbm3d_declare(lbm3d_solver *flow);

#endif
