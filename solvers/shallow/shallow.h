/* shallow.h - the shallow-water solver's own object, shared by its files: shallow.c (options,
 * life), scene.c and heights.c (the initial state), balance.c, memory.c, declarations.c, steps.c
 * (advance), sides.c (edges, gauges), share.c (several devices), course.c (the EPFL course's
 * files). */
#ifndef TRIREME_SHALLOW_H
#define TRIREME_SHALLOW_H

#include "io/table.h"
#include "solvers/framework/framework.h"
#include "solvers/shallow/scene.h"
#include "solvers/shallow/shallow_clock.h"
#include "solvers/shallow/shallow_params.h"

enum { SHALLOW_BEYOND = 2 };      /* ghosts of states and beds on each side */
enum {
  SHALLOW_SIDES = 4,           /* west, east, south, north */
  SHALLOW_BATCH_LIMIT = 4096,  /* steps that the series have room for */
  SHALLOW_LONGEST = 64,        /* steps of the longest recorded sequence */
  SHALLOW_SERIES = 3,          /* step, time, rate; then the gauges */
  SHALLOW_GAUGES = 48,         /* at most */
  SHALLOW_CLOCK_VALUES = 4096, /* leaf maxima that the clock folds itself; more are folded before */
  SHALLOW_CHUNK_VALUES = 1024, /* by groups of so many */
  SHALLOW_FIELDS = 14,
  SHALLOW_RESULTS = 11,        /* of hllc, or of lax-friedrichs that shares lengths */
  SHALLOW_BUFFERS = 20,
  SHALLOW_TRAFFIC = 5          /* three kernels of an implementation, start, maps */
};
/* The programs: one has the step of the scheme, one the kernels of both schemes, which are numbered
 * from SHALLOW_NEXT on. */
enum { SHALLOW_OF_SCHEME, SHALLOW_OF_BOTH, SHALLOW_PROGRAMS,
       SHALLOW_NEXT = TRM_FRAMEWORK_KERNELS };
/* The results, of hllc from SHALLOW_AT_START on its balance. */
enum { SHALLOW_AT_TIME, SHALLOW_VOLUME, SHALLOW_CHANGE, SHALLOW_AT_START, SHALLOW_WEST,
       SHALLOW_AT_END = SHALLOW_WEST + SHALLOW_SIDES, SHALLOW_REMAINDER, SHALLOW_RELATIVE,
       SHALLOW_SET_EARLY = SHALLOW_AT_START };
/* Lax-Friedrichs: what a bed may rise from cell to cell at an open edge, of the depth. */
#define SHALLOW_LF_RISE 0.01

typedef struct shallow_side {
  int kind;                    /* SHALLOW_OPEN ... */
  trm_table water;             /* its hydrograph: times and values */
} shallow_side;

typedef struct shallow_gauge {
  char name[32];
  int x, y;                    /* its cell */
  double z, h;                 /* bed and depth there at the start */
} shallow_gauge;

typedef struct shallow_solver {
  trm_solver base;             /* first, as solver.h asks */
  trm_type real_type;          /* of the run's precision */
  shallow_params p;            /* of every launch, but for stage, values and begins */
  double end_time;             /* as the clock has it; NaN: not yet */
  double next_dt;              /* of the coming step, or about so; 0: not known */
  size_t leaves;               /* the maxima that the last step left, or the start */
  int last_part;               /* where they begin */
  double volume, deepest, highest; /* of water, at the start; its greatest depth and height then */
  double reference, still_level; /* heights are counted from it; absolute */
  int is_fast;                 /* arithmetic that may drop a depth's rest */
  shallow_side sides[SHALLOW_SIDES];
  shallow_gauge gauges[SHALLOW_GAUGES];
  int has_maps;
  int is_mixed;                /* hosts and GPUs share the rows */
  trm_layout layout, bed_layout, land_layout;

  trm_framework_program programs[SHALLOW_PROGRAMS];
  struct shallow_implementation *implementation; /* NULL: best */
  trm_buffer *state[2];        /* h, hu, hv and a fourth component for derived values */
  trm_buffer *bed, *land, *part, *peaks, *clock, *tally, *series_buffer, *tables, *gauge_cells;
  trm_buffer *maps;
  trm_buffer *book;            /* what passed each face of the edges (shallow_passage.h) */
  trm_buffer *start_part;      /* the start's maxima */
  trm_buffer *maxima;          /* part or start_part: what the last launch left */
  /* with several devices, each copies its gauges' depths, in the order of rows, for the clock, and
   * has the bed there of all gauges */
  trm_buffer *gauge_places, *gauge_depths, *gauge_beds;
  trm_framework_buffer memory[SHALLOW_BUFFERS];
  trm_framework_stepper stepper;
  int current;                 /* state[current] is the state; always 0 with HLLC */
  /* shallow.dt_every (lengths.c): the batch's begin, and the recordings: of one block of steps and
   * of many, from either state on */
  trm_buffer *begin_state, *begin_clock, *begin_counters;
  int begin_current;
  trm_sequence *blocks[2][2];

  trm_field fields[SHALLOW_FIELDS];
  trm_kept kept[2];
  trm_series series[SHALLOW_SERIES + SHALLOW_GAUGES];
  trm_traffic traffic[SHALLOW_TRAFFIC];
  trm_result results[SHALLOW_RESULTS];
  char *caution;
  char *course;                /* the case's name in the course's files; NULL: none */
} shallow_solver;

/* The kernels, as they are numbered in their programs. */
enum { LF, LF_LINE, HLLC = 0 };
enum { START = SHALLOW_NEXT, PEAK, CLOCK, MAPS, OBSERVE, GAUGE, GHOSTS };
#define SHALLOW_PROGRAM(swe, kernel) (&(swe)->programs[(kernel) / SHALLOW_NEXT])
#define SHALLOW_LAUNCH(swe, kernel, nx, ny, ...) \
  TRM_FRAMEWORK_LAUNCH(SHALLOW_PROGRAM(swe, kernel), (kernel) % SHALLOW_NEXT, nx, ny, &(swe)->p, \
                       __VA_ARGS__)

/* memory.c: layouts, the rows to a block, the list of buffers; then their making. */
trm_status shallow_size_up(shallow_solver *swe);
trm_status shallow_allocate(shallow_solver *swe, shallow_scene *scene);

/* declarations.c; the second points the declared fields at the state that holds them now. */
void shallow_declare(shallow_solver *swe);
void shallow_place_fields(shallow_solver *swe);

/* steps.c */
void shallow_begin_steps(shallow_solver *swe);
trm_status shallow_advance(trm_solver *solver, uint64_t max_steps, double t_end, int sync_state,
                           uint64_t *done);
trm_status shallow_restore(trm_solver *solver, uint64_t step, double time);
trm_status shallow_account(trm_solver *solver, uint64_t launched, uint64_t *made);
/* The fold of `values` leaf maxima and the clock; begins as in shallow_params.h. */
trm_status shallow_launch_clock(shallow_solver *swe, size_t values, int begins);
size_t shallow_leaves(const shallow_solver *swe); /* maxima at the start: the most there are */
int shallow_width(const shallow_solver *swe);     /* what a step's launch covers: a row, */
int shallow_blocks(const shallow_solver *swe);    /* and how many */
size_t shallow_chunks(const shallow_solver *swe); /* chunks of a row's maxima */

/* balance.c: the book's buffer, divided by rows; the volume of the state; and the balance from the
 * start on: the volume through each edge, and the missing volume. */
size_t shallow_book_reals(const shallow_solver *swe);
trm_status shallow_share_book(const shallow_solver *swe);
trm_status shallow_measure_volume(const shallow_solver *swe, double *out);
trm_status shallow_balance(shallow_solver *swe);

/* lengths.c: steps that share a length. The first keeps the batch's begin; the last makes anew what
 * was made with a wrong length, if any was. */
trm_status shallow_advance_blocks(shallow_solver *swe, uint64_t count);
trm_status shallow_mend_blocks(shallow_solver *swe, uint64_t launched);

/* implementation.c: forms of a step that are measured (implementation.h). The first reads the form,
 * the second says how many cells its launches cover, the third how many maxima a step leaves. Then
 * come program and memory, a step without the clock, and its traffic; the number of its kernels. */
trm_status shallow_implementation_read(shallow_solver *swe, const trm_config *config,
                                       const trm_solver_options *run);
void shallow_implementation_cover(const shallow_solver *swe, size_t *nx, size_t *ny);
size_t shallow_implementation_maxima(const shallow_solver *swe);
trm_status shallow_implementation_create(shallow_solver *swe, const trm_solver_options *run);
void shallow_implementation_destroy(shallow_solver *swe);
trm_status shallow_implementation_step(shallow_solver *swe);
trm_buffer *shallow_implementation_buffer(const shallow_solver *swe); /* of its maxima */
const trm_program_info *shallow_implementation_program(const shallow_solver *swe);
size_t shallow_implementation_declare(const shallow_solver *swe, trm_traffic *out);

/* share.c: several devices (docs/scale.md). shallow_launch_gauges copies values of the state that
 * the clock reads. shallow_launch_ghosts serves hosts: it fills ghosts of the rows in state[which]
 * that a GPU made, with the edges' values at the step's begin (time 0) or end (1). */
int shallow_is_shared(const shallow_solver *swe);
trm_status shallow_find_kinds(shallow_solver *swe);
trm_status shallow_share_out(const shallow_solver *swe);
trm_status shallow_launch_gauges(shallow_solver *swe);
trm_status shallow_launch_ghosts(shallow_solver *swe, int which, int time);

/* numbers.c: refuses numbers of the case that the method or the precision cannot bear. */
trm_status shallow_check_numbers(const shallow_solver *swe, const trm_config *config);

/* course.c */
trm_status shallow_configure(trm_config *config, size_t count, const char *const *files);
trm_status shallow_export(trm_solver *solver, const char *folder, double *const *series,
                          size_t step_count);

/* sides.c: boundaries and gauges of the case. */
trm_status shallow_read_sides(shallow_solver *swe, const trm_config *config);
trm_status shallow_read_gauges(shallow_solver *swe, const trm_config *config);
void shallow_free_sides(shallow_solver *swe);
/* Values from outside, one for each cell along the four edges in turn. Refuses an open edge, and a
 * wave without a sea, in cases that Lax-Friedrichs would compute wrongly. */
void shallow_outside(const shallow_solver *swe, const shallow_scene *scene, double *out);
/* Counts the sides' heights as the scene does. */
void shallow_resolve_sides(shallow_solver *swe, const shallow_scene *scene);
/* A caution about a file's heights and about gauges on dry land. */
trm_status shallow_caution(shallow_solver *swe, const shallow_scene *scene);
trm_status shallow_check_open(const shallow_solver *swe, const shallow_scene *scene);
trm_status shallow_check_waves(const shallow_solver *swe, const shallow_scene *scene,
                               const trm_config *config);

TRM_API extern const trm_solver_type trm_solver_shallow;

#endif
