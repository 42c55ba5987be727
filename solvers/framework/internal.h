/* internal.h - the parts of a run of the framework; shared by the framework's files. */
#ifndef TRIREME_FRAMEWORK_INTERNAL_H
#define TRIREME_FRAMEWORK_INTERNAL_H

#include "solvers/framework/framework.h"

enum {
  GRID_SLOTS = 64,             /* most steps whose leaves wait for one fold */
  GRID_BATCH = 65536,          /* steps that the series have room for */
  GRID_NAME = 48,              /* bytes of the name of a field, with its end */
  GRID_BUFFERS = 3 * TRM_FRAMEWORK_MOST + 4
};

/* An array of a launch: a field, its next state, or leaves. */
typedef struct grid_array {
  int index;                   /* of the field, or of the array of leaves */
  int is_leaves, is_next;
  int is_written;              /* the kernel may write it */
} grid_array;

typedef struct grid_launch {
  const trm_framework_launch *declared;
  trm_kernel *kernel;
  int is_group;                /* of groups of cells along a row */
  size_t array_count;
  grid_array arrays[TRM_MAX_BUFFERS];
} grid_launch;

typedef struct grid_launches {
  size_t count;
  grid_launch list[TRM_FRAMEWORK_MOST];
} grid_launches;

struct trm_framework_internal {
  size_t field_count, series_count, leaves_count;
  const char *leaves_names[TRM_FRAMEWORK_MOST];
  int leaves_of[TRM_FRAMEWORK_MOST]; /* by series: its array of leaves */
  grid_launches step, observe;
  int has_chosen_dt;           /* prepare has called trm_framework_choose_dt */

  trm_framework_params params;
  unsigned char packed[TRM_MAX_PARAM_BYTES]; /* as the kernels take them, with leaves at 0 */
  size_t leaves_at;            /* where `leaves` lies in it */

  trm_framework_shape shapes[TRM_FRAMEWORK_MOST]; /* of the fields */
  size_t leaves;               /* of one step in one array: leaves of a row times rows */
  size_t slots;                /* steps that an array of leaves has room for; even */
  size_t fold_after;           /* number of steps after which their leaves are folded: slots, or
                                * somewhat less */

  void *tables;                /* stepping.c: the program's tables of kernels, */
  const trm_host_module **modules; /* and a list of these tables */
  trm_program *program;
  trm_buffer *cells[TRM_FRAMEWORK_MOST][2]; /* fields that swap: [current] holds the state */
  trm_buffer *parts[TRM_FRAMEWORK_MOST]; /* arrays of leaves: slots times `leaves` */
  trm_buffer *sums;            /* series i: from element i * GRID_BATCH on, one value a step */
  trm_buffer *window;          /* values of a replayed sequence: series i from element i *
                                * TRM_FRAMEWORK_LONGEST on */
  trm_reduction *sum, *largest;
  trm_framework_folder folder;
  trm_framework_stepper stepper;
  int current;
  trm_framework_buffer memory[GRID_BUFFERS];
  size_t memory_count;

  trm_field fields[TRM_FRAMEWORK_MOST];
  trm_series series[TRM_FRAMEWORK_MOST];
  trm_traffic traffic[2 * TRM_FRAMEWORK_MOST + 2];
  trm_result results[1];
};

/* check.c: refuses declarations that contradict themselves or the program, and finds the index of
 * each array. Messages name solver and declaration. Needs grid->declaration and grid->precision. */
trm_status grid_check(trm_grid_solver *grid);

/* types.c: the type of a kernel's array in its heading, "real"; NULL where the heading does not
 * show it. */
const char *grid_type_taken(const char *text, const char *kernel, size_t number);

/* stepping.c: the program's tables with entries for the kernels that step a field, into `source`.
 * Free them after the program, also where making them failed. */
trm_status grid_tables_make(const trm_grid_solver *grid, trm_program_source *source);
void grid_tables_free(struct trm_framework_internal *internal);

/* framework.c: cells of the grid, as the folds count them. */
double grid_cells(const trm_grid_solver *grid);

/* steps.c */
void grid_begin_steps(trm_grid_solver *grid);

/* declare.c: fills the tables of trm_solver; framework_place_fields puts the state's buffers
 * into them. */
void grid_declare(trm_grid_solver *grid);
void grid_place_fields(trm_grid_solver *grid);

#endif
