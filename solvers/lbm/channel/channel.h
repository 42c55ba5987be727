/* channel.h - flows between boundaries: the object of lbm.flow = "channel" and "geneva". Its files:
 * channel.c (keys of a case, life), channel_scene.c (obstacles and sides), channel_links.c (marks
 * and links), channel_memory.c, channel_steps.c and channel_declarations.c. */
#ifndef TRIREME_LBM_CHANNEL_H
#define TRIREME_LBM_CHANNEL_H

#include "io/table.h"
#include "solvers/lbm/box.h"
#include "solvers/lbm/channel/channel_constants.h"
#include "solvers/lbm/channel/channel_params.h"
#include "solvers/lbm/channel/shapes.h"
#include "solvers/lbm/bounds.h"
#include "solvers/lbm/units.h"

enum {
  CHANNEL_PROBES = 16,
  CHANNEL_SERIES = 2 + 3 * CHANNEL_PROBES,
  CHANNEL_LINK_REALS = 4 * 8 /* of a marked cell */
};

#define CHANNEL_MACH LBM_MACH  /* no speed of a case is above it */

typedef enum channel_side {
  SIDE_PERIODIC, SIDE_WALL, SIDE_MOVING, SIDE_INFLOW, SIDE_OUTFLOW, SIDE_COPY
} channel_side;

/* What stands where. Cells count from 0; in space cell i reaches from i to i + 1. */
typedef struct channel_scene {
  int nx, ny;
  int is_geneva;
  channel_side west, east, south, north;
  double speed, perturbation, wall_speed;
  double density;            /* with which walls push: channel_start_density */
  int is_own;                /* the outflow has a density: the inflow pushes with its cells' own */
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

/* Marked cells, in the order of the grid, and the constants of each (channel_constants.h). */
typedef struct channel_marks {
  size_t count, *starts;     /* starts: those before each row, and all of them */
  uint32_t *bits, *ranks;    /* (nx + 31) / 32 words a row */
  int32_t *mark_flags;
  double *links;             /* CHANNEL_LINK_REALS of each */
} channel_marks;

typedef struct channel_solver {
  lbm_box box;               /* first, as box.h asks; split: lattice[0] holds the state, lattice[1]
                              * what streamed */
  channel_params p;          /* for every launch, except members that a step or a collection sets */
  trm_framework_folder folder;
  int is_geneva, is_split, is_regularised;
  double viscosity, reference_speed, length;
  lbm_units units;
  uint64_t statistics_from;
  int series_used;
  trm_layout marks_layout;
  trm_buffer *feq, *macro;   /* split: equilibrium; velocity and density */
  trm_buffer *directions;    /* split: of the populations, x and y of each */
  char macroscopic[48];      /* the kernel of that name, or a form of it */
  int is_study;              /* another form than the default: lbm.moments */
  int is_across;             /* split: neighbouring items go along y; the eight kernels are those of
                              * `across` */
  trm_framework_program across;
  trm_buffer *marked, *mark_flags, *links, *inlet, *statistics;

  char names[CHANNEL_SERIES][24];
  trm_kept kept[1];
  trm_series series[CHANNEL_SERIES];
  trm_traffic traffic[10];
  trm_result results[12];
  double density;            /* of the coefficients */
  double steps;              /* of the run, as far as the case tells; INFINITY */
  char caution[1200];
} channel_solver;

/* The kernels, as they are numbered in box.program; of a channel, the first five. */
enum { STEP, OBSERVE, VORTICITY, COLLECT, SHED, RECORD, STREAMING, OUTFLOW, MACROSCOPIC, INFLOW,
       EQUILIBRIUM, UPDATE, COLLISION, BOUNCE };

/* The kernel that does a step in one launch. */
const char *channel_step_name(const channel_solver *flow);

extern const int channel_ex[D2Q9], channel_ey[D2Q9];

/* channel_study.c: the form of the Geneva study's kernels; reads lbm.implementation too. */
trm_status channel_study_read(channel_solver *flow, const trm_config *config);

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
trm_status channel_marks_create(trm_device *device, const channel_scene *scene,
                                channel_marks *out);
void channel_marks_free(channel_marks *marks);

/* channel_memory.c */
trm_status channel_size_up(channel_solver *flow, const trm_config *config,
                           const channel_marks *marks);
trm_status channel_allocate(channel_solver *flow, const channel_scene *scene,
                            const channel_marks *marks);
/* channel_share.c: how buffers lie by rows. */
trm_status channel_share_out(const channel_solver *flow, const channel_scene *scene,
                             const channel_marks *marks);
/* Uploads nine components of nx * rows values each as rows of the state from `first` on, ghosts as
 * on a periodic grid. */
trm_status channel_set_rows(channel_solver *flow, int first, int rows, const double *values);
/* The ghosts of a state that was put back: of the Geneva study, the last column again. */
trm_status channel_restore(lbm_box *box);

/* channel_start.c. The density of walls, before links are made: the mean of the start, or the
 * outflow's. Refuses what differs too much from it. The first state, some rows at a time: what a
 * collision left before the first step. */
trm_status channel_start_density(const trm_config *config, channel_scene *scene);
trm_status channel_start(channel_solver *flow, const channel_scene *scene,
                         const trm_config *config);

/* channel_steps.c */
void channel_begin_steps(channel_solver *flow);
trm_status channel_steps(lbm_box *box, uint64_t count, int sync_state);
trm_status channel_observe(trm_solver *solver);

/* channel_declarations.c */
void channel_declare(channel_solver *flow, const channel_scene *scene);
trm_status channel_finish(trm_solver *solver, const double *series_last);

#endif
