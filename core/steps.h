/* steps.h - which recorded launches a GPU may carry out several at a time. For plugins, which link
 * steps.c: it needs nothing of the library. */
#ifndef TRIREME_STEPS_H
#define TRIREME_STEPS_H

#include "core/backend.h"

/* `launches` commands from `first` on: 1, or so many steps in one launch of the device. */
typedef struct trm_part {
  size_t first, launches;
} trm_part;

/* How many steps of this launch the device takes at once: odd; 1: no more than one. Before the
 * call *times is 1; the result is how often in succession a launch may take that number of steps
 * (kernel_temporal.h, rounds). */
typedef int trm_steps_at_once(const void *user, const trm_command *launch, int *times);

/* Cuts a sequence into parts, for which there is room: at most one a command. */
size_t trm_steps_plan(const trm_command *commands, size_t count, trm_steps_at_once *at_once,
                      const void *user, trm_part *parts);

/* A recorded launch by itself: one, or two where its rows go on at row 0. Returns how many. */
int trm_steps_single(const trm_command *command, trm_command out[2]);
/* Part of the plan that holds command number `command`. */
const trm_part *trm_steps_part(const trm_part *parts, size_t count, size_t command);
/* Why a launch takes one step whatever the device has; NULL: no such reason. */
const char *trm_steps_alone(const trm_command *launch);
/* Why a launch takes one step although temporal blocking would serve it. */
#define TRM_STEPS_FEW "too few steps of the field follow one another in the sequence"

/* The form of temporal blocking (kernel_temporal.h). */
typedef struct trm_steps_shape {
  int steps, width, rows;      /* a launch; columns of a group; rows of a tick */
  int is_tile;                 /* one tick does all of a group's rows */
  int resident;                /* groups that a multiprocessor shall hold at least */
} trm_steps_shape;

/* A backend has four shapes for a kernel, by the size of the grid. */
enum { TRM_STEPS_HUGE, TRM_STEPS_LARGE, TRM_STEPS_MIDDLE, TRM_STEPS_SMALL, TRM_STEPS_SHAPES };
/* A part of a run has memory for so many rows on either side of the rows that its launches write. A
 * group reads more rows than it needs. */
enum { TRM_STEPS_BEYOND = 32 };
/* The shape for a grid of this extent and type where trm_device_options.steps_per_launch is
 * `wanted`; -1: no shape pays. */
int trm_steps_choose(int wanted, const trm_extent *extent, int real_bytes);

/* The shape that the options of a device ask for; steps is 0 where they leave it to the backend. A
 * kernel then has this shape alone. */
trm_steps_shape trm_steps_wanted(const trm_device_options *options);

/* How many folds the text of a row kernel has. */
int trm_steps_folds(const char *text, const char *kernel);
/* Whether a warp goes alone (kernel_warps.h). */
int trm_steps_by_warps(const trm_steps_shape *shape);
/* The columns and rows of the cells of an item (kernel_blocks.h): 1 x 1, except for strips of
 * fields of few components. */
void trm_steps_block(const trm_steps_shape *shape, int components, int real_bytes, int *wide,
                     int *tall);
/* The items of a group and its bytes of shared memory, where the values of so many folds wait. */
void trm_steps_needs(const trm_steps_shape *shape, int components, int real_bytes, int folds,
                     int *items, int *bytes);
/* Whether a warp may take the kernel's steps alone: its cells are small, and it adds nothing up. */
int trm_steps_serves_warps(const trm_host_kernel *kernel, const char *text, int real_bytes);
/* Whether the kernel cannot have that shape on any device: a group would have more than 1024 items,
 * or a warp cannot march alone. Then *why gives the reason, for a user who asked for the shape. */
int trm_steps_is_refused(const trm_steps_shape *shape, const trm_host_kernel *kernel,
                         const char *text, int real_bytes, char *why, size_t why_bytes);
/* The defines for the blocked form of a kernel of that text: the lines before all texts, and the
 * lines after the text; -1 where they do not fit. */
int trm_steps_defines(const trm_steps_shape *shape, const trm_host_kernel *kernel,
                      const char *text, int real_bytes, int folds, char *before,
                      size_t before_bytes, char *after, size_t after_bytes);
/* Rows of a group where `groups` of them are to share what a launch covers; never more than a tile
 * has. */
int trm_steps_own_rows(const trm_steps_shape *shape, const trm_extent *covered, int groups);

/* How groups share `count` rows from row `first` on, which may go on at row 0: `rows` each, a strip
 * of columns after the other. The first and the last strip may take longer (trm_stepping.edges).
 * Then each of them has edge_groups groups of edge_rows rows, which come first. 0: as others. */
typedef struct trm_steps_share {
  int32_t rows, edge_rows, edge_groups, first, count;
} trm_steps_share;
/* last: the last of the launches, whose rows are written. */
trm_steps_share trm_steps_share_of(const trm_steps_shape *shape, const trm_command *last,
                                   int rows);
/* The groups of a launch along x and y. */
void trm_steps_groups(const trm_steps_shape *shape, const trm_extent *covered,
                      const trm_steps_share *share, int groups[2]);
/* Why temporal blocking of this shape cannot serve the launch, by its layout and size; NULL where
 * it can. */
const char *trm_steps_obstacle(const trm_steps_shape *shape, const trm_command *launch,
                               int real_bytes);

/* The layout of the field that a launch steps, in elements. */
typedef struct trm_steps_layout {
  int64_t first, row, component;
} trm_steps_layout;
trm_steps_layout trm_steps_layout_of(const trm_command *launch);

#endif
