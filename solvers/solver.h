/* solver.h - the contract between a solver and the programs that run it.
 *
 * A solver is a table of functions and three declarations: its fields, its series and its traffic.
 * Output, pictures, comparison, fingerprints, bandwidth and conservation checks follow from the
 * declarations; a solver writes none of them. It never names a backend, never prints, never exits.
 *
 * Life: configure (optional) -> create -> { advance -> collect ... } -> destroy. */
#ifndef TRIREME_SOLVER_H
#define TRIREME_SOLVER_H

#include "core/trireme.h"
#include "io/config.h"

#include <stdio.h>

/* run.steps of a run that ends only by its time (run.end_time). */
#define TRM_STEPS_UNTIL_END "9000000000000000"

/* ---- declarations -------------------------------------------------------- */

/* How pictures show a field: a sum of these. A field without SHOWN has a picture only if no field
 * with it was selected. */
enum {
  TRM_PICTURE_SHOWN = 1,
  TRM_PICTURE_LOGARITHMIC = 2, /* colours by the logarithm of the value, from black */
  TRM_PICTURE_BULK = 4,        /* a few extreme values do not widen the range of the colours */
  TRM_PICTURE_TIMES = 8,       /* a negative value means that the cell has no value yet, and no
                                * colour */
  TRM_PICTURE_SIGNED = 16      /* values lie on both sides of trm_field.middle: two colours */
};

/* The role of a field in the run: trm_field.flags. */
enum {
  TRM_FIELD_HASHED = 1,        /* enters the fingerprint; comparisons read it first. Written to
                                * files only if named in output.fields, unless in_picture is set */
  TRM_FIELD_KEPT = 2,          /* the next step needs it: a checkpoint keeps it. A running mean or a
                                * map of maxima is kept and not hashed */
  TRM_FIELD_STATE = TRM_FIELD_HASHED | TRM_FIELD_KEPT,
  TRM_FIELD_PERIODIC_X = 4,    /* its ghost columns repeat the other end of the row:
                                * trm_field_write fills them */
  TRM_FIELD_LIST = 8,          /* not on a grid: nx bodies or values without a place in the box */
  TRM_FIELD_MEAN = 16,         /* a mean over time. While the solver's field `averaged_time`, one
                                * real, is 0, it has no values, and so no pictures and no frames of
                                * movies */
  TRM_FIELD_POSITIVE = 32      /* above 0 everywhere, such as a density. If a run diverges with all
                                * values finite, the message names the first cell where it is not
                                * above 0 */
};

/* Blocks of cells that a tree refines, for a field on them: `count` leaves in Morton order of their
 * corners. Leaf i has side[0] x side[1] x side[2] cells (side[2] is 1 in two dimensions). It lies
 * in slot[i] of the buffer and is refined level[i] times. It is block place[i][0..2] of a box that
 * has roots[0..2] * 2^level[i] blocks. `solid` has bits for each leaf: bit c % 32 of its word c /
 * 32 says that cell c has no value; NULL: all cells have values. The blocks belong to the solver;
 * version changes with the tree. Fields are read, written, compared and fingerprinted on the grid
 * of the finest level: the value of a coarser cell is repeated for each fine cell in it. */
typedef struct trm_blocks {
  int32_t side[3], roots[3];
  size_t count;
  const int32_t *slot;
  const uint8_t *level;
  const int32_t (*place)[3];
  const uint32_t *solid;
  uint64_t version;
} trm_blocks;

/* A field as it lies in a device buffer. On a grid, cell (c, x, y, z) is element first + c *
 * component + (z * ny + y - rows.first) * row + x, in units of `type`. On blocks, cell (c, x, y, z)
 * of the block in slot s is element layout.first + s * stride + ((c * side[2] + z) * side[1] + y) *
 * side[0] + x. Fill it by names ({ .name = "velocity", ... }): members that you leave out are 0,
 * which means none. */
typedef struct trm_field {
  const char *name;            /* "velocity" */
  const char *unit;            /* "lattice" */
  const char *help;
  trm_type type;
  int components;
  size_t nx, ny, nz;           /* the whole grid */
  trm_buffer *buffer;
  trm_layout layout;           /* for a field on a grid; layout.ghosts: its ghost columns */
  unsigned flags;              /* TRM_FIELD_... */
  int in_picture;              /* TRM_PICTURE_..., a sum */
  trm_rows rows;               /* the part of the ny * nz rows that the buffer holds; all 0: all
                                * rows */
  const trm_blocks *blocks;    /* NULL: a field on a grid */
  size_t stride;               /* elements from a slot of `blocks` to the next; a slot holds all
                                * components */
  double scale;                /* trm_field_read multiplies by it, to get `unit`; 0: no scaling. For
                                * fields outside of the state */
  double middle;               /* for TRM_PICTURE_SIGNED, in `unit`: a still level, or 0 */
  /* (optional) For a buffer that holds one component at a time, with layout.component 0; for
   * example if the state is stored in another form. bring is called before a component is read and
   * fills the buffer with it. put is called after a component was written and stores it. */
  trm_status (*bring)(const struct trm_field *field, size_t component);
  trm_status (*put)(const struct trm_field *field, size_t component);
  void *owner;                 /* theirs */
  double terms;                /* (optional) for values that are differences of larger numbers, such
                                * as a pressure minus the pressure at rest: the size of these
                                * numbers, in `unit`. Errors of fast arithmetic are measured against
                                * it; 0: against the largest value */
  double offset;               /* trm_field_read adds it, after scale, in double. For fields outside
                                * of the state */
} trm_field;

/* One number a step. The solver keeps the numbers of the current batch in a device buffer. */
typedef struct trm_series {
  const char *name;            /* "mean_speed" */
  const char *unit;
  trm_buffer *buffer;          /* element first + i: step (first step of the batch) + i */
  trm_type type;
  double divisor;              /* value = element / divisor (for a mean: the number of fluid
                                * cells) */
  size_t first;              /* element of the batch's first step: series may share a buffer */
  double terms;              /* (optional) for a sum whose terms cancel, such as a momentum: the
                              * size of its terms, in `unit`. Its values may be rounding errors
                              * alone, so errors of fast arithmetic are measured against `terms`; 0:
                              * against the largest value */
  double offset;             /* (optional) added to each value, in double */
} trm_series;

/* Memory traffic and operations of one call of a kernel. Each byte of memory that the kernel loads
 * or stores counts once, however often it is used, as with a perfect cache. Bytes that the call
 * itself wrote before do not count as read. Operations on reals: + - * /, a root: 1; a fused
 * multiply-add: 2; comparisons, selections, signs, rounding, conversions and integers: 0. A value
 * that a host computes once, and that each item of a GPU computes again, counts once. A solver
 * declares every kernel that takes a noticeable time. A number that it cannot know in advance (the
 * nodes of a tree that act) is NaN. tests/dialect/traffic.sh counts the real traffic of each kernel
 * on a host and fails if a declaration is wrong by more than 3 %. */
typedef struct trm_traffic {
  const char *kernel;
  double bytes_read, bytes_written, flops; /* of a call; the mean if calls differ */
  double calls_per_step;       /* 0: called only outside of steps */
} trm_traffic;

/* Values that later steps need besides the fields: elements first to first + count - 1 of a buffer.
 * They are few, and the same on every device; only checkpoints use them. */
typedef struct trm_kept {
  const char *name;            /* not the name of a field: letters, digits, '_', '-', '.' */
  trm_type type;
  trm_buffer *buffer;
  size_t first, count;
} trm_kept;

/* A number about the whole run: "reynolds". */
typedef struct trm_result {
  const char *name, *unit;
  double value;
} trm_result;

/* ---- the table ----------------------------------------------------------- */

/* Every solver's object begins with this; create fills it. */
typedef struct trm_solver {
  const struct trm_solver_type *type;
  trm_device *device;
  const trm_field *fields;     size_t field_count;
  const trm_series *series;    size_t series_count;
  const trm_traffic *traffic;  size_t traffic_count;
  const trm_result *results;   size_t result_count;   /* filled by finish */
  double cells;                /* cells updated in a step */
  uint64_t step;               /* steps done */
  double time;                 /* in the solver's unit of time (steps for lbm) */
  uint64_t batch_limit;        /* most steps that one advance may take (capacity of the series) */
  const trm_program_info *program; /* the program of the step's kernels */
  double origin[3], spacing[3]; /* the grid's corner, and the sides of a cell, as lengths; sides of
                                 * 0 count as 1 */
  const char *counted;         /* the name of the updates that `cells` counts in this case; NULL:
                                * the type's update_name */
  const char *length_unit;     /* of origin and spacing; NULL: none */
  const char *time_unit;       /* of `time`; NULL: none */
  const trm_kept *kept;        size_t kept_count;
  const char *unkept;          /* why this case cannot be resumed, though its type has `restore`:
                                * "lbm.implementation is one of the ladder's"; NULL: it can be
                                * resumed */
  const char *caution;         /* a known risk of this case, with a cure, printed before the first
                                * step; NULL: none */
  const char *remedy;          /* what may help where this case diverges, as the end of that
                                * message; NULL: no cure is known */
  const char *unexported;      /* why this case has no files of its own, though its type has
                                * `export_files`: "its lbm.flow is channel"; NULL: it has such
                                * files */
  int has_ended;               /* 1: the case has reached its goal before its last step. Set by
                                * account */
} trm_solver;

/* The settings of a run that are not part of the case. */
typedef struct trm_solver_options {
  trm_precision precision;
  trm_math math;
  int row_group_x, row_group_y, group;   /* 0: default */
} trm_solver_options;

enum { TRM_SOLVER_ABI = 20 };

/* Seconds of a run: until the solver was created, in the steps, after them, and in all. */
typedef struct trm_run_seconds {
  double init, compute, collate, total;
} trm_run_seconds;

typedef struct trm_solver_type {
  uint32_t abi, bytes;         /* TRM_SOLVER_ABI, sizeof */
  const char *name;            /* "lbm" */
  const char *summary;         /* one line */
  const char *update_name;     /* the name of the updates: "lattice updates" */
  const trm_option *options;   size_t option_count;
  const char *files_usage;     /* "PARAMS OBSTACLES", or NULL: the solver has no files of its own */

  /* (optional) Turns files of the solver's own kind, given on the command line, into keys. Without
   * files_usage it is called with no file when the solver is run by its name; it may then set
   * run.steps. */
  trm_status (*configure)(trm_config *config, size_t count, const char *const *files);

  /* Checks the case (reading its files), allocates, builds, sets the initial state. */
  trm_status (*create)(trm_device *device, const trm_config *config,
                       const trm_solver_options *options, trm_solver **out);

  /* Enqueues up to max_steps steps, ending at t_end (in the unit of `time`; INFINITY: none; NaN is
   * refused as TRM_ERROR_INVALID). *done is the number of steps, at least 1 unless t_end is
   * reached. It reads nothing and waits for nothing. With sync_state nonzero, the state after the
   * last step is the canonical state, whose fields may be read. The batch size never changes the
   * bits. */
  trm_status (*advance)(trm_solver *solver, uint64_t max_steps, double t_end, int sync_state,
                        uint64_t *done);

  /* After an advance with sync_state (and after create): makes every declared field's buffer
   * current. Fields of the state are always current; derived ones may share memory with scratch. */
  trm_status (*observe)(trm_solver *solver);

  /* (optional) Fills `results` from the last value of each series (series_last[i]). */
  trm_status (*finish)(trm_solver *solver, const double *series_last);

  /* (optional) Writes the solver's own files into an existing folder. series[i] has step_count
   * values. Called after advance with sync_state and observe. */
  trm_status (*export_files)(trm_solver *solver, const char *folder, double *const *series,
                             size_t step_count);

  void (*destroy)(trm_solver **solver);

  /* (optional; for a solver that chooses the length of each step, so that only the device knows how
   * many steps reach t_end.) Called when the `launched` steps of the last advance have finished.
   * *made is the number of steps that count; it is less than `launched` only if t_end was reached.
   * Updates `step` and `time`; the series hold the steps that count. Cases of such a solver need no
   * run.steps if they have run.end_time. */
  trm_status (*account)(trm_solver *solver, uint64_t launched, uint64_t *made);

  /* (optional) Other ways to carry out the same case, for `trireme study --ladder`. */
  const struct trm_implementations *implementations; /* solvers/implementations.h */

  /* (optional) The keys that --sizes=N sets to N: "grid.nx,grid.ny". */
  const char *size_keys;

  /* (optional) The device memory that create would allocate in this case, for `trireme run
   * --dry-run`; it allocates nothing. It refuses the same cases as create. */
  trm_status (*memory)(trm_device *device, const trm_config *config,
                       const trm_solver_options *options, uint64_t *bytes);

  /* (optional; without it a solver cannot be resumed from a checkpoint.) Restores the solver's
   * state after `step` steps, at `time`. Called once, after create and before the first advance.
   * The buffers of all fields with TRM_FIELD_KEPT and of trm_solver.kept already hold the values of
   * that step (trm_field_write into the fields as create declared them). It must restore everything
   * else:
   *   - step and time, as given, and the solver's other counters: the place of the next value in
   *     its series, which then begin at their first element again, the state of random numbers;
   *   - ghost columns, rows and planes that no TRM_FIELD_PERIODIC_X fills, and other memory that
   *     kernels read: copies, sums, padding;
   *   - which of two buffers is the current one, and facts about the state (whether the next step's
   *     first part is already done), as after create for a canonical state.
   * Afterwards the fields are synchronised, and the fingerprint equals the checkpoint's. Later
   * steps have the same bits as in a run that never stopped. */
  trm_status (*restore)(trm_solver *solver, uint64_t step, double time);

  /* (optional) Called before restore, when the buffers of trm_solver.kept hold their values and the
   * buffers of the fields do not yet. A solver whose blocks change during a run makes the blocks of
   * that step, so that its fields can be written. */
  trm_status (*reshape)(trm_solver *solver);

  /* The author raises it whenever kept fields change their meaning or results change their bits; a
   * checkpoint stores the version that wrote it. */
  uint32_t state_version;

  /* (optional) Prints into `out` the final lines of the programs whose files the solver reads.
   * Called after finish, for a run whose case came from such files. */
  void (*print)(const trm_solver *solver, const trm_run_seconds *seconds, FILE *out);

  /* (optional) Names that the keys had in the last version. */
  const trm_former_key *former_keys; size_t former_key_count;
} trm_solver_type;

/* ---- functions of the declarations (solvers/field.c, solvers/fingerprint.c)
 * -------------------- */

/* Reads a field's interior as a dense array, component-major, then z, y, x: components *
 * rows * nx elements of the field's type, into caller's memory. `rows` is ny * nz, or rows.count of
 * a field that holds a part of the rows. A declaration that does not fit its buffer is
 * TRM_ERROR_INVALID. A field on blocks that leave cells out is TRM_ERROR_UNSUPPORTED. */
TRM_API trm_status trm_field_read(const trm_field *field, void *destination);

/* Reads a part of a field: `count` cells of one component, from cell `first` of its dense array on.
 * Only this part is read from the device and held in memory. Cells beyond the field are
 * TRM_ERROR_INVALID. */
TRM_API trm_status trm_field_read_part(const trm_field *field, size_t component, size_t first,
                                       size_t count, void *destination);

/* Writes a field's interior from a dense array. Padding does not change. Ghost columns are filled
 * if the field has TRM_FIELD_PERIODIC_X; else they do not change either. */
TRM_API trm_status trm_field_write(const trm_field *field, const void *source);

/* The sum over the cells of one component of reals, in their order, compensated (Kahan), in
 * doubles. On blocks it goes leaf by leaf, and a coarser cell counts as often as it is repeated.
 * left_out: a field of flags on the same cells; cells with a 1 do not count; NULL: all cells
 * count. */
TRM_API trm_status trm_field_sum(const trm_field *field, const trm_field *left_out, double *sum);

/* How many elements the dense array of trm_field_read has. */
TRM_API trm_status trm_field_elements(const trm_field *field, size_t *out);

/* TRM_ERROR_UNSUPPORTED unless the field's buffer holds all of its rows. what: "a picture". */
TRM_API trm_status trm_field_require_whole(const trm_field *field, const char *what);

/* The bytes that a fingerprint hashes (solvers/fingerprint.c) have a version. Fingerprints of two
 * versions cannot be compared. */
enum { TRM_FINGERPRINT_VERSION = 2, TRM_FINGERPRINT_CHUNK = 65536 };

/* XXH128 over these values of each field with TRM_FIELD_HASHED, in order: name, type, shape and
 * step, then the XXH128 of each TRM_FINGERPRINT_CHUNK values of the interior. A field that holds a
 * part of its rows is TRM_ERROR_UNSUPPORTED. */
TRM_API trm_status trm_solver_fingerprint(const trm_solver *solver, char text[33]);

#endif
