/* bisection.h - where two runs that should have the same bits part: step, command, buffer and cell.
 *
 * Both run again, with a hash of state and series at checkpoints that close in on the first step
 * after which they differ. That step is then carried out command by command on each device; it may
 * be the making of the initial state, or of the derived fields. The results of each command are
 * compared (trail.h). A command is matched with the one that writes the same version of the same
 * buffer, so that variants with kernels of their own can be compared too. */
#ifndef TRIREME_CLI_BISECTION_H
#define TRIREME_CLI_BISECTION_H

#include "run/case.h"
#include "cli/compare/bisect/trail.h"
#include "io/difference.h"

typedef struct bisection_side {
  const run_case *chosen;
  trm_device *device;
  const char *spec;            /* the device as asked for: "opencl:1" */
  char label[192];             /* "openmp, threads=2" */
} bisection_side;

typedef enum bisection_outcome {
  BISECTION_FOUND,             /* one command on each side, from the same inputs */
  BISECTION_INPUTS,         /* the same, but what it reads differed already: no part of the state */
  BISECTION_UPLOAD,            /* what the host wrote into a buffer differs */
  BISECTION_UNMATCHED,         /* the step, but no two commands that can be compared */
  BISECTION_ALONE,            /* command by command the runs agree: recorded sequences, or chance */
  BISECTION_NOTHING            /* run again, they agree */
} bisection_outcome;

typedef enum bisection_stage {
  BISECTION_CREATE,
  BISECTION_STEP,
  BISECTION_OBSERVE
} bisection_stage;

/* How the cells of one buffer lie on both sides, so that they can be compared. */
typedef struct bisection_view {
  int is_whole;              /* every value of the buffer, in memory order: as many bytes on both */
  int is_part;                 /* of the buffer: a declared field */
  trm_type type;
  size_t shape[4];
  trm_layout layout[2];
} bisection_view;

typedef struct bisection {
  bisection_side side[2];
  uint64_t steps;              /* of the runs */
  bisection_outcome outcome;
  bisection_stage stage;
  uint64_t step;               /* the first after which they differ; 0: the initial state */
  size_t launch[2], launches[2]; /* which command of the stage, of how many */
  trail_launch command[2];
  char buffer[64];             /* which it wrote */
  char field[64];              /* that lies there; "" where none is declared */
  bisection_view view;
  trm_position first;       /* of the field, or of the buffer's layout, or x: number of the value */
  size_t index;                /* of the first differing value among the view's cells */
  double values[2];
  uint64_t bits[2];
  uint64_t ulps;               /* between those two */
  trm_difference difference;   /* of all cells that the command wrote there */
  char input[64];              /* BISECTION_INPUTS: which */
  int was_apart;           /* the cells that it wrote differed before, too: it may have read them */
  char skipped[256];           /* buffers that could not be compared; "" none */
} bisection;

/* steps: how many both make at most. Both are strict and of one precision. */
trm_status bisection_run(const bisection_side *a, const bisection_side *b, uint64_t steps,
                         bisection *out);

/* One buffer of each of two trails, with its bytes. */
typedef struct bisection_pair {
  const trail *trails[2];
  size_t buffers[2];
  const unsigned char *before[2]; /* both NULL, or what the buffers held before a command */
  const unsigned char *bytes[2];
  trm_type type;               /* of values in a buffer of which no layout is known */
} bisection_pair;

/* Compares the cells, except cells that the command changed on neither side. If the buffers have no
 * layout in common and differ in size, *comparable is 0, and nothing else is written. */
trm_status bisection_compare(const bisection_pair *pair, int *comparable, bisection_view *view,
                             trm_difference *difference);

/* The cells of both sides as they are compared; their data are malloc'd and the caller's. */
trm_status bisection_arrays(const bisection_pair *pair, const bisection_view *view, trm_array *a,
                            trm_array *b);

/* The cells of that view in one side's bytes; array->data is malloc'd. */
trm_status bisection_cells(const bisection_view *view, int side, const unsigned char *bytes,
                           trm_array *array);

/* Value `index` of an array, and its bits. */
double bisection_value(const trm_array *array, size_t index, uint64_t *bits);
/* Their distance in units in the last place; UINT64_MAX where one is not finite. */
uint64_t bisection_ulps(const trm_array *a, const trm_array *b, size_t index);

typedef struct json_t json_t;    /* jansson.h */

/* bisection_report.c: lines on stdout; as JSON, the caller's; NULL: no memory. */
void bisection_print(const bisection *found);
json_t *bisection_json(const bisection *found);

/* ---- for its own files ---------------------------------------------------- */

/* Runs a side up to the stage and carries that out on the trail, which has begun. */
trm_status bisection_walk(const bisection_side *side, bisection_stage stage, uint64_t step,
                          trail *t);

/* bisection_stage.c: finds the command of b's stage and step, and fills what is left of b. */
trm_status bisection_examine(bisection *b);

#endif
