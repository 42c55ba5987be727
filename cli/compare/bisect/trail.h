/* trail.h - what each command of a stretch of a run wrote, as hashes, and one of them in full.
 *
 * A trail traces one device (core/trace.h) from before its solver is created. While it is
 * on, every buffer that a command may write is hashed after it. The cells alone are hashed, without
 * ghost columns and padding, by each layout that fits the buffer; and all bytes. So the same steps
 * on two devices can be compared, whatever their layouts. Changed values are hashed apart from the
 * rest. In scratch memory, the rest may stem from steps that another device did in other batches.
 * New buffers begin as zeros: unwritten values are the same everywhere. */
#ifndef TRIREME_CLI_TRAIL_H
#define TRIREME_CLI_TRAIL_H

#include <xxhash.h>

#include "core/trace.h"
#include "solvers/solver.h"

enum { TRAIL_VIEWS = 16, TRAIL_NONE = -1 };

/* The layout of cells in buffers of `bytes` bytes, if the solver asked the device for that layout.
 * The layout of a declared field belongs to its buffer alone, or, if that has rows, to the buffers
 * of the same size: states alternate. */
typedef struct trail_layout {
  int field;                   /* number of the field; TRAIL_NONE: asked of the device */
  trm_type type;
  size_t shape[4];             /* nx, ny, nz, components */
  trm_layout layout;
  size_t bytes;                /* asked for: of the buffers, which may be rounded up to a word */
  size_t buffer;               /* of a field: the one, by number */
} trail_layout;

typedef struct trail_buffer {
  const trm_buffer *handle;    /* which may be gone */
  char name[64];
  size_t ordinal;              /* among the buffers of that name */
  size_t bytes, versions;      /* versions: how often it was written while the trail was on */
  int is_series;               /* a declared series lies in it */
} trail_buffer;

typedef struct trail_launch {
  trm_command_kind kind;
  int is_upload;               /* trm_buffer_write: no command */
  char program[64], kernel[64]; /* "" if there is none */
  trm_extent extent;
} trail_launch;

/* Values, and those of them that are not as they were before, each with its number. */
typedef struct trail_hash { XXH128_hash_t all, changed; } trail_hash;

/* One buffer after one command. */
typedef struct trail_write {
  size_t launch, buffer, version;
  trail_hash whole;
  size_t view_count;
  struct { size_t layout; trail_hash hash; } views[TRAIL_VIEWS];
} trail_write;

/* A declared field, kept beyond its solver. */
typedef struct trail_field {
  char name[64];
  int is_hashed;
  size_t buffer;               /* of the trail */
  trm_type type;
  size_t shape[4];
  trm_layout layout;
} trail_field;

typedef struct kept_buffer {
  size_t buffer;               /* of the trail */
  char access;
  unsigned char *before, *after; /* malloc'd; after NULL where it is not written */
} kept_buffer;

/* Everything that one command read and wrote. */
typedef struct kept_command {
  kept_buffer buffers[TRM_MAX_BUFFERS];
  size_t buffer_count;
} kept_command;

typedef struct trail {
  trm_device *device;
  trmi_trace_hooks trace;
  int is_on;
  size_t wanted;               /* command to keep in full; SIZE_MAX: none */
  unsigned char *before[TRM_MAX_BUFFERS]; /* what the present command is about to write */
  trail_layout *layouts;       size_t layout_count, layout_capacity;
  trail_buffer *buffers;       size_t buffer_count, buffer_capacity;
  trail_launch *launches;      size_t launch_count, launch_capacity;
  trail_write *writes;         size_t write_count, write_capacity;
  trail_field *fields;         size_t field_count;
  kept_command kept;
} trail;

/* Traces the device until trail_leave. Clear it in any case. */
void trail_begin(trail *out, trm_device *device, size_t wanted);
/* Takes the layouts of the solver's fields. */
trm_status trail_learn(trail *t, const trm_solver *solver);
/* Forgets buffers that are gone, not layouts: the solver is created once more. */
void trail_start_over(trail *t);
/* From now on everything is hashed. */
void trail_enable(trail *t);
/* Notes where the fields lie at the end of the stretch, and ends the trace; solver may be NULL. */
trm_status trail_leave(trail *t, const trm_solver *solver);
void trail_clear(trail *t);

/* Whether two layouts are of one field, or shape, and type. */
int trail_layouts_match(const trail_layout *a, const trail_layout *b);
/* Whether a layout is that of a buffer. */
int trail_layout_fits(const trail *t, const trail_layout *layout, size_t buffer);

/* The dense cells of a buffer's bytes; *out is malloc'd. */
trm_status trail_cells(trm_type type, const size_t shape[4], const trm_layout *layout,
                       const unsigned char *bytes, void **out);

#endif
