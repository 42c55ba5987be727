/* inside.h - the parts of a run of the kit; shared by the kit's files. */
#ifndef TRIREME_KIT_INSIDE_H
#define TRIREME_KIT_INSIDE_H

#include "solvers/framework/kit.h"

enum {
  KIT_SLOTS = 64,              /* most steps whose leaves wait for one fold */
  KIT_BATCH = 65536,           /* steps that the series have room for */
  KIT_NAME = 48,               /* bytes of the name of a field, with its end */
  KIT_BUFFERS = 3 * TRM_KIT_MOST + 4
};

/* An array of a launch: a field, its next state, or leaves. */
typedef struct kit_array {
  int index;                   /* of the field, or of the array of leaves */
  int is_leaves, is_next;
  int is_written;              /* the kernel may write it */
} kit_array;

typedef struct kit_launch {
  const trm_kit_launch *declared;
  trm_kernel *kernel;
  size_t array_count;
  kit_array arrays[TRM_MAX_BUFFERS];
} kit_launch;

typedef struct kit_launches {
  size_t count;
  kit_launch list[TRM_KIT_MOST];
} kit_launches;

struct trm_kit_inside {
  size_t field_count, series_count, leaves_count;
  const char *leaves_names[TRM_KIT_MOST];
  int leaves_of[TRM_KIT_MOST]; /* by series: its array of leaves */
  kit_launches step, observe;
  int has_chosen_dt;           /* prepare has called trm_kit_choose_dt */

  trm_kit_params params;
  unsigned char packed[TRM_MAX_PARAM_BYTES]; /* as the kernels take them, with leaves at 0 */
  size_t leaves_at;            /* where `leaves` lies in it */

  trm_kit_shape shapes[TRM_KIT_MOST];  /* of the fields */
  size_t leaves;               /* of one step in one array: leaves of a row times rows */
  size_t slots;                /* steps that an array of leaves has room for; even */
  size_t fold_after;           /* number of steps after which their leaves are folded: slots, or
                                * somewhat less */

  void *tables;                /* stepping.c: the program's tables of kernels, */
  const trm_host_module **modules; /* and a list of these tables */
  trm_program *program;
  trm_buffer *cells[TRM_KIT_MOST][2];  /* fields that swap: [current] holds the state */
  trm_buffer *parts[TRM_KIT_MOST];     /* arrays of leaves: slots times `leaves` */
  trm_buffer *sums;            /* series i: from element i * KIT_BATCH on, one value a step */
  trm_buffer *window;          /* values of a replayed sequence: series i from element i *
                                * TRM_KIT_LONGEST on */
  trm_reduction *sum, *largest;
  trm_kit_folder folder;
  trm_kit_stepper stepper;
  int current;
  trm_kit_buffer memory[KIT_BUFFERS];
  size_t memory_count;

  trm_field fields[TRM_KIT_MOST];
  trm_series series[TRM_KIT_MOST];
  trm_traffic traffic[2 * TRM_KIT_MOST + 2];
  trm_result results[1];
};

/* check.c: refuses declarations that contradict themselves or the program, and finds the index of
 * each array. Messages name solver and declaration. Needs kit->plan and kit->precision. */
trm_status kit_check(trm_kit *kit);

/* types.c: the type of a kernel's array in its heading, "real"; NULL where the heading does not
 * show it. */
const char *kit_type_taken(const char *text, const char *kernel, size_t number);

/* stepping.c: the program's tables with entries for the kernels that step a field, into `source`.
 * Free them after the program, also where making them failed. */
trm_status kit_tables_make(const trm_kit *kit, trm_program_source *source);
void kit_tables_free(struct trm_kit_inside *inside);

/* kit.c: cells of the grid, as the folds count them. */
double kit_cells(const trm_kit *kit);

/* steps.c */
void kit_begin_steps(trm_kit *kit);

/* declare.c: fills the tables of trm_solver; kit_place_fields puts the state's buffers
 * into them. */
void kit_declare(trm_kit *kit);
void kit_place_fields(trm_kit *kit);

#endif
