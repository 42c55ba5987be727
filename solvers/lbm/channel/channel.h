/* channel.h - flows between boundaries: the object of lbm.flow = "channel" and "geneva", shared by
 * channel.c (what a case says, life), channel_scene.c (what stands where), channel_links.c (marks
 * and links), channel_memory.c, channel_steps.c and channel_declarations.c. */
#ifndef TRIREME_LBM_CHANNEL_H
#define TRIREME_LBM_CHANNEL_H

#include "io/table.h"
#include "solvers/lbm/channel/channel_constants.h"
#include "solvers/lbm/driven/lbm.h"
#include "solvers/lbm/channel/shapes.h"

/* The kernels' parameters as each precision lays them out. */
#define real float
#define channel_params channel_params_f32
#include "solvers/lbm/channel/channel_params.h"
#undef real
#undef channel_params
#define real double
#define channel_params channel_params_f64
#include "solvers/lbm/channel/channel_params.h"
#undef real
#undef channel_params

enum {
  CHANNEL_SEQUENCES = 7,     /* recorded lengths 2, 4, ... CHANNEL_WINDOW */
  CHANNEL_SLOTS = 64,        /* steps whose forces wait to be folded by one launch, at most */
  CHANNEL_PROBES = 16,
  CHANNEL_SERIES = 2 + 3 * CHANNEL_PROBES,
  CHANNEL_LINK_REALS = 4 * 8 /* of a marked cell */
};

#define CHANNEL_MACH 0.3       /* the method is one of slow flow: no speed of a case is above it */

typedef enum channel_side {
  SIDE_PERIODIC, SIDE_WALL, SIDE_MOVING, SIDE_INFLOW, SIDE_OUTFLOW, SIDE_COPY
} channel_side;

/* What stands where. Cells count from 0; in space cell i reaches from i to i + 1. */
typedef struct channel_scene {
  int nx, ny;
  int is_geneva;
  channel_side west, east, south, north;
  double speed, perturbation, wall_speed;
  int is_parabolic;
  trm_table table;           /* of the inflow: heights and speeds; no points: none */
  int is_interpolated;       /* obstacles' walls lie where the shapes cut the links */
  shape_list shapes;
  uint8_t *solid;            /* nx * ny, x fastest */
  size_t solid_count;
  double length;             /* the obstacles' height; 0: none */
  int probe_count;
  int probe[CHANNEL_PROBES][2];
} channel_scene;

/* Marked cells, in the order of the grid, and what holds for each (channel_constants.h). */
typedef struct channel_marks {
  size_t count;
  uint32_t *bits, *ranks;    /* (nx + 31) / 32 words a row */
  int32_t *notes;
  double *links;             /* CHANNEL_LINK_REALS of each */
} channel_marks;

typedef struct channel_solver {
  trm_solver base;           /* first, as solver.h asks */
  trm_precision precision;
  int is_geneva, is_split, is_regularised;
  int nx, ny, has_forces, open_x, open_y;
  double omega, omega_minus, force_x, force_y;
  double viscosity, reference_speed, length, reynolds_dim;
  uint64_t statistics_from;
  int marks, slots, series_used;
  size_t fluid_cells;
  trm_layout layout, flags_layout, walls_layout, marks_layout;

  trm_program *program;
  trm_kernel *step, *observe, *vorticity, *collect, *shed, *record;
  trm_kernel *split[8];      /* in their order within a pass */
  trm_buffer *lattice[2];    /* lattice[current]: the state; split: [0], and [1] what streamed */
  trm_buffer *feq, *macro;   /* split: equilibrium; velocity and density */
  trm_buffer *flags, *walls, *marked, *notes, *links, *inlet;
  trm_buffer *part, *window, *values, *statistics;
  trm_reduction *fold;
  trm_sequence *sequences[CHANNEL_SEQUENCES]; /* of 2 << i steps from lattice 0, made when needed */
  int current;

  trm_field fields[6];
  char names[CHANNEL_SERIES][24];
  trm_series series[CHANNEL_SERIES];
  trm_traffic traffic[10];
  trm_result results[12];
} channel_solver;

typedef union channel_packed { channel_params_f32 f32; channel_params_f64 f64; } channel_packed;

/* Where a launch stands: slot of the forces, place in the window; or what is to be collected. */
typedef struct channel_moment { int slot, moment, at, count, start; } channel_moment;
void channel_pack(const channel_solver *flow, channel_moment moment, channel_packed *out,
                  size_t *bytes);

/* The kernel that does a step in one launch. */
const char *channel_step_name(const channel_solver *flow);

extern const int channel_ex[LBM_POPULATIONS], channel_ey[LBM_POPULATIONS];
extern const int channel_opposite[LBM_POPULATIONS];
extern const double channel_weight[LBM_POPULATIONS];

/* channel_scene.c. Reads and checks; create fills nx, ny and is_geneva before. */
trm_status channel_scene_create(const trm_config *config, channel_scene *scene);
void channel_scene_free(channel_scene *scene);
/* Speed of the inflow at height y in cells; row: the perturbation's phase. */
double channel_inflow(const channel_scene *scene, double y, double row);
double channel_mean_inflow(const channel_scene *scene);
/* Refuses what is known to diverge between an inflow and an outflow. */
trm_status channel_check_outflow(const trm_config *config, const channel_scene *scene,
                                 double viscosity);

/* channel_links.c */
trm_status channel_marks_create(const channel_scene *scene, channel_marks *out);
void channel_marks_free(channel_marks *marks);

/* channel_memory.c */
trm_status channel_size_up(channel_solver *flow, const trm_config *config,
                           const channel_marks *marks);
trm_status channel_allocate(channel_solver *flow, const channel_scene *scene,
                            const channel_marks *marks);
/* Uploads nine components of nx * ny values each as the state, ghosts as on a periodic grid. */
trm_status channel_set_state(channel_solver *flow, const double *values);

/* channel_start.c. The first state, in doubles: what a collision left before the first step. */
trm_status channel_start(const channel_solver *flow, const channel_scene *scene,
                         const trm_config *config, double *values);

/* channel_steps.c */
trm_status channel_advance(trm_solver *solver, uint64_t max_steps, double t_end, int settle,
                           uint64_t *done);
trm_status channel_observe(trm_solver *solver);

/* channel_declarations.c */
void channel_declare(channel_solver *flow, const channel_scene *scene);
void channel_place_fields(channel_solver *flow);
trm_status channel_finish(trm_solver *solver, const double *series_last);

#endif
