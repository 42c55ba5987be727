/* solver.h - the contract between a solver and everything that runs it.
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

/* ---- declarations -------------------------------------------------------- */

/* How pictures show a field; 0: not, unless no other one was selected. */
enum {
  TRM_PICTURE_SHOWN = 1,
  TRM_PICTURE_LOGARITHMIC,     /* shown, in logarithmic colours */
  TRM_PICTURE_BULK,            /* shown; a few extreme values do not set the range of the colours */
  TRM_PICTURE_TIMES            /* as 0; below zero a cell has no value and no colour */
};

/* A field as it lies in a device buffer: cell (c, x, y, z) is element
 * first + c * component + (z * ny + y) * row + x, in units of `type`. */
typedef struct trm_field {
  const char *name;            /* "velocity" */
  const char *unit;            /* "lattice" */
  const char *help;
  trm_type type;
  int components;
  size_t nx, ny, nz;        /* the local part; the global box is the same while there is one part */
  trm_buffer *buffer;
  trm_layout layout;
  int is_state;                /* 1: part of the state (fingerprint, checkpoints); written to files
                                * only when asked for, unless in_picture is set as well */
  int in_picture;              /* TRM_PICTURE_... */
} trm_field;

/* One number a step. The solver keeps the numbers of the current batch in a device buffer. */
typedef struct trm_series {
  const char *name;            /* "mean_speed" */
  const char *unit;
  trm_buffer *buffer;          /* element first + i: step (first step of the batch) + i */
  trm_type type;
  double divisor;              /* value = element / divisor (number of fluid cells) */
  size_t first;              /* the element of the batch's first step: several may share a buffer */
} trm_series;

/* What one call of a kernel moves and computes. Bytes are those of memory that its text loads and
 * stores, each once, however often it is touched: what a perfect cache would still move; what the
 * call itself wrote before is not read. Operations on reals: + - * /, a root: 1; a fused
 * multiply-add: 2; comparisons, selections, signs, rounding, conversions and integers: 0; of what a
 * host computes once and each item of a GPU again, once. A solver declares every kernel that
 * matters; what it does not know before (whom a tree lets act) is NaN. tests/dialect/traffic.sh
 * counts on a host what each kernel really does and fails where a declaration is off by more than
 * 3 %. */
typedef struct trm_traffic {
  const char *kernel;
  double bytes_read, bytes_written, flops; /* a call; on average where calls differ */
  double calls_per_step;       /* 0: called outside of steps alone */
} trm_traffic;

/* A number about the whole run: "reynolds". */
typedef struct trm_result {
  const char *name, *unit;
  double value;
} trm_result;

/* What a step costs beside its kernels' traffic; a solver that has none of it leaves zeros. */
typedef struct trm_burden {
  double serial_values;        /* values that one item adds one after the other, a step */
  double groups;               /* of 32 neighbouring cells, in the kernels that branch by cell */
  double divergent_groups;     /* those of them whose cells take different paths */
} trm_burden;

/* A rung of the solver's ladder: the same case carried out in another way, each rung in one thing
 * better than the one before, with the same bits in strict arithmetic. */
enum {
  TRM_SAVES_TRANSFERS = 1, TRM_SAVES_LAUNCHES = 2, TRM_SAVES_BYTES = 4, TRM_SAVES_SERIAL = 8,
  TRM_SAVES_DIVERGENCE = 16
};
typedef struct trm_rung {
  const char *name;            /* "resident": a word */
  const char *settings;  /* the keys that make it: "lbm.variant=bristol-resident run.wavefront=1" */
  const char *changes;         /* against the rung before: "the lattice stays on the device" */
  unsigned saves;            /* TRM_SAVES_xxx that the change is meant to save; 0: something else */
} trm_rung;

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
  const trm_program_info *program; /* the program that does the work */
  double origin[2], spacing[2]; /* the grid's corner and a cell's sides in space; sides of 0: 1 */
  trm_burden burden;
  const char *counted;         /* what `cells` counts in this case; NULL: the type's update_name */
} trm_solver;

/* Everything that a run fixes beside the case. */
typedef struct trm_solver_options {
  trm_precision precision;
  trm_math math;
  int row_group_x, row_group_y, group;   /* 0: default */
} trm_solver_options;

enum { TRM_SOLVER_ABI = 4 };

typedef struct trm_solver_type {
  uint32_t abi, bytes;         /* TRM_SOLVER_ABI, sizeof */
  const char *name;            /* "lbm" */
  const char *summary;         /* one line */
  const char *update_name;     /* what is counted: "lattice updates" */
  const trm_option *options;   size_t option_count;
  const char *files_usage;     /* "PARAMS OBSTACLES", or NULL: takes no files of its own */

  /* (optional) Course files on the command line become values of the config. A solver without
   * files_usage is called with none when it is run by its name alone: it may set run.steps. */
  trm_status (*configure)(trm_config *config, size_t count, const char *const *files);

  /* Checks the case (reading its files), allocates, builds, sets the initial state. */
  trm_status (*create)(trm_device *device, const trm_config *config,
                       const trm_solver_options *options, trm_solver **out);

  /* Enqueues up to max_steps steps, ending at t_end (in the unit of `time`; INFINITY: none), and
   * says how many in *done (>= 1 unless t_end is reached). Reads nothing, waits for nothing. With
   * settle nonzero the state after the last step is the canonical one, whose fields may be read.
   * The batch size never changes the bits. */
  trm_status (*advance)(trm_solver *solver, uint64_t max_steps, double t_end, int settle,
                        uint64_t *done);

  /* After a settled advance (and after create): makes every declared field's buffer current.
   * Fields of the state are always current; derived ones may share memory with scratch. */
  trm_status (*observe)(trm_solver *solver);

  /* (optional) Fills `results` from the last value of each series (series_last[i]). */
  trm_status (*finish)(trm_solver *solver, const double *series_last);

  /* (optional) Writes the files of the field's own tradition into an existing folder.
   * series[i] has step_count values. Called settled and observed. */
  trm_status (*export_files)(trm_solver *solver, const char *folder, double *const *series,
                             size_t step_count);

  void (*destroy)(trm_solver **solver);

  /* (optional; for solvers whose steps have lengths of their own, so that only the device knows how
   * many reach t_end.) Of the `launched` steps of the last advance, finished by now, *made were
   * made: fewer only where t_end was reached. Brings `step` and `time` up to date; the series hold
   * the steps that were made. Such a solver's cases need no run.steps where they have
   * run.end_time. */
  trm_status (*account)(trm_solver *solver, uint64_t launched, uint64_t *made);

  /* (optional) The ladder, lowest rung first: `trireme study --ladder` climbs it. */
  const trm_rung *rungs;       size_t rung_count;

  /* (optional) The keys that --sizes=N sets to N: "grid.nx,grid.ny". */
  const char *size_keys;

  /* (optional) Device memory that create would ask for in this case, without asking for it: what
   * `trireme run --dry-run` says. Refuses a case as create does. */
  trm_status (*memory)(trm_device *device, const trm_config *config,
                       const trm_solver_options *options, uint64_t *bytes);
} trm_solver_type;

/* The solvers that are built in; ends with NULL. */
TRM_API const trm_solver_type *const *trm_solver_types(void);

/* ---- what follows from the declarations (solvers/field.c, solvers/fingerprint.c) ------------ */

/* Reads a field's interior as a dense array, component-major, then z, y, x:
 * components * nz * ny * nx elements of the field's type, into caller's memory. */
TRM_API trm_status trm_field_read(const trm_field *field, void *destination);
TRM_API trm_status trm_field_elements(const trm_field *field, size_t *out);

/* XXH128 over, for each state field in order: name, type, shape and step, then the interior.
 * text gets 32 hexadecimal digits and a NUL. */
TRM_API trm_status trm_solver_fingerprint(const trm_solver *solver, char text[33]);

#endif
