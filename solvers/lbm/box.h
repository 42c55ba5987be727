/* box.h - what every flow of the lattice-Boltzmann solver is made of: two lattices that swap, the
 * mask of solid cells, a program, recorded steps; and its life.
 *
 * A flow (driven/, channel/) has its own object, which begins with an lbm_box, and a table of the
 * functions in which flows differ. */
#ifndef TRIREME_LBM_BOX_H
#define TRIREME_LBM_BOX_H

#include "solvers/framework/framework.h"
#include "solvers/lbm/d2q9.h"

enum {
  LBM_SLOTS = 64,            /* steps whose partial sums wait to be folded by one launch, at most */
  LBM_BUFFERS = 15
};

extern const double lbm_weight[D2Q9];

struct lbm_flow;

typedef struct lbm_box {
  trm_solver base;           /* first, as solver.h asks */
  const struct lbm_flow *flow;
  trm_type real_type;        /* of the run's precision */
  int nx, ny;
  int slots;                 /* steps whose partial sums there is room for */
  double omega, reynolds_dim;
  double step_time;          /* of a step, in the unit of `time`; 1 unless a flow has seconds */
  size_t fluid_cells;
  trm_layout layout, solid_layout, walls_layout;

  trm_framework_program program;
  trm_buffer *lattice[2];    /* lattice[current] holds the state */
  trm_buffer *solid;         /* a byte a cell, 1 where solid: the field */
  trm_buffer *walls;         /* a bit a cell, the same: what a step reads */
  trm_buffer *partial;       /* partial sums of `slots` steps */
  trm_buffer *window;        /* what a sequence's steps leave */
  trm_buffer *sums;          /* the series, a value a step of the batch */
  trm_reduction *fold;
  trm_framework_buffer memory[LBM_BUFFERS];
  trm_framework_stepper stepper;
  int current;
  trm_field fields[6];       /* the state, what is derived from it, `solid` */
} lbm_box;

/* The functions that differ between flows. */
typedef struct lbm_flow {
  size_t bytes;              /* of its object */
  trm_status (*set_up)(lbm_box *box, const trm_config *config, const trm_solver_options *run);
  trm_status (*steps)(lbm_box *box, uint64_t count, int sync_state);
  trm_status (*observe)(trm_solver *solver);
  trm_status (*finish)(trm_solver *solver, const double *series_last);
  trm_status (*export_files)(trm_solver *solver, const char *folder, double *const *series,
                             size_t step_count);  /* NULL: none */
  void (*release)(lbm_box *box);                  /* NULL: it has nothing of its own */
  trm_status (*restore)(lbm_box *box);            /* NULL: the state's ghosts are periodic */
} lbm_flow;
extern const lbm_flow lbm_driven, lbm_channel;

TRM_API extern const trm_solver_type trm_solver_lbm;

/* Makes the flow's object: the box with device, precision and size, then set_up. */
trm_status lbm_box_create(const lbm_flow *flow, trm_device *device, const trm_config *config,
                          const trm_solver_options *run, trm_solver **out);
void lbm_box_destroy(trm_solver **solver);
trm_status lbm_box_advance(trm_solver *solver, uint64_t max_steps, double t_end, int sync_state,
                           uint64_t *done);
/* The state is in the lattice that is current after create; beside it only its ghosts outlast a
 * synchronised step. */
trm_status lbm_box_restore(trm_solver *solver, uint64_t step, double time);

/* The layouts of lattice and mask; refuses a grid whose elements an int cannot count. */
trm_status lbm_lay_out(lbm_box *box, const trm_config *config);
trm_status lbm_too_large(const lbm_box *box, const trm_config *config);
/* Slots for partial sums of that many bytes a step, in at most so many bytes. */
int lbm_slots(size_t step_bytes, size_t most);
/* Makes the buffers of box->memory. */
trm_status lbm_create_buffers(lbm_box *box);
/* An array with the lattice's layout lies by rows; both lattices do. is_repeated: as in
 * trm_by_rows. */
trm_status lbm_share_lattice(const lbm_box *box, trm_buffer *buffer, int is_repeated);
trm_status lbm_share_lattices(const lbm_box *box, int is_repeated);
/* And the masks of obstacles: the bits of walls, the bytes of solid cells. */
trm_status lbm_share_walls(const lbm_box *box);
/* Reads lbm.obstacles into nx * ny bytes, x fastest, which are zero before. The file is for this
 * grid, or is scaled to it from the grid of lbm.obstacles_grid. *blocked: number of solid cells. */
trm_status lbm_read_obstacles(const trm_config *config, size_t nx, size_t ny, uint8_t *solid,
                              size_t *blocked);
/* mask: nx * ny bytes, x fastest. The field's bytes and the step's bits, in their layouts. */
trm_status lbm_upload_solid(lbm_box *box, const uint8_t *mask);

/* The next field, which begins at that component of a lattice. */
trm_field *lbm_declare(lbm_box *box, const char *name, int components, int component,
                       const char *help);
/* The field `solid`, the last one, and all that flows declare alike. */
void lbm_declare_box(lbm_box *box);

/* Refuses keys that belong to another lbm.flow. */
trm_status lbm_check_keys(const trm_config *config);
/* Refuses a relaxation rate of key that is 2 in this precision: a fluid without viscosity. */
trm_status lbm_check_omega(const trm_config *config, const char *key, double omega,
                           trm_type real_type);

/* Launches kernel number `kernel` of the box's program over nx x ny cells. params: the struct. */
#define LBM_LAUNCH(box, kernel, nx, ny, params, ...) \
  TRM_FRAMEWORK_LAUNCH(&(box)->program, kernel, nx, ny, params, __VA_ARGS__)

#endif
