/* implementation.h - Lax-Friedrichs in the three kernels of the EPFL course's program, in the forms
 * that its report measured (shallow_implementations.k).
 *
 * shallow.implementation names a form, and one key for each property of a form changes that
 * property alone; "best" is the solver's own kernel (shallow_lf.h). All have the same bits. */
#ifndef TRIREME_SHALLOW_IMPLEMENTATION_H
#define TRIREME_SHALLOW_IMPLEMENTATION_H

#include "solvers/shallow/shallow.h"
#include "solvers/shallow/shallow_implementations_params.h"

/* The keys of a form's properties; `named`: as shallow.implementation has it. */
#define SHALLOW_FORM_KEY(key, choices, help) \
  { key, TRM_OPTION_STRING, "", "named", NAN, NAN, TRM_OPTION_SAME_RESULT, "named|" choices, help }
#define SHALLOW_FORM_KEYS \
  SHALLOW_FORM_KEY("shallow.slopes", "tile|memory", \
                   "of implementation tile: update reads the bed's slopes from its tile, or from " \
                   "memory"), \
  SHALLOW_FORM_KEY("shallow.results", "tile|memory", \
                   "of implementation tile: cells after the step wait in three more tiles, or go " \
                   "to memory at once"), \
  SHALLOW_FORM_KEY("shallow.pitch", "ring|odd", \
                   "of implementation tile: a row of a tile of b cells has b + 2 values, or the " \
                   "next odd number"), \
  SHALLOW_FORM_KEY("shallow.edges", "guarded|padded", \
                   "of the three kernels: each item asks whether its cell is one, or arrays fill " \
                   "whole groups"), \
  SHALLOW_FORM_KEY("shallow.constants", "parameters|memory|constant", \
                   "of the three kernels: numbers of the scheme come with the launch, from a " \
                   "buffer, or from a GPU's constant memory"), \
  SHALLOW_FORM_KEY("shallow.maximum", "shared|shuffle", \
                   "of the three kernels: a group finds its maximum in shared memory, or by " \
                   "shuffles of NVIDIA's GPUs"), \
  SHALLOW_FORM_KEY("shallow.gather", "values|atomic|swap", \
                   "of the three kernels: a maximum a group is folded by the next launch, or all " \
                   "become one by atomic maxima, or by compare and swap, on GPUs")

/* The values of those keys, in the order of their choices. */
enum { SHALLOW_IN_TILE, SHALLOW_IN_MEMORY };
enum { SHALLOW_RING, SHALLOW_ODD };
enum { SHALLOW_GUARDED, SHALLOW_PADDED };
enum { SHALLOW_PARAMETERS, SHALLOW_MEMORY, SHALLOW_CONSTANT }; /* as IMPL_PARAMETERS ... */
enum { SHALLOW_SHARED, SHALLOW_SHUFFLE };
enum { SHALLOW_VALUES, SHALLOW_ATOMIC, SHALLOW_SWAP }; /* as IMPL_GATHER counts the ways */

enum { SHALLOW_NUMBERS = 6 };  /* of the scheme: IMPL_NUMBERS */

/* The properties of an implementation other than "best". */
typedef struct shallow_form {
  const char *name;            /* of shallow.implementation */
  int is_tile;
  int slopes, results, pitch, edges, constants, maximum, gather;
} shallow_form;

struct shallow_implementation {
  shallow_form form;
  shallow_implementation_params p;
  int group_x, group_y;        /* items of a group, or cells of a tile */
  int width, height;           /* cells that a launch covers */
  trm_framework_program program;
  trm_program_info info;       /* of that program, with the tile as its group */
  trm_buffer *nu, *maxima, *numbers;
  trm_framework_buffer memory[3];
};

/* form.c: the form that the case asks for; *is_best if none. Refuses properties that the form or
 * the device does not have. */
trm_status shallow_form_read(const shallow_solver *swe, const trm_config *config, shallow_form *out,
                             int *is_best);

#endif
