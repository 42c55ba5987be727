/* sharing.h - what several devices have to know of a grid whose rows are near to others by a table,
 * as blocks of cells in the order of a curve. For authors of solvers; on one device alone nothing
 * of it changes anything. */
#ifndef TRIREME_SHARING_H
#define TRIREME_SHARING_H

#include "trireme.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What messages call a row of this buffer, and several, where it is no row of cells: "block of
 * bodies", "blocks of bodies". Before trm_buffer_rows; the texts are kept, not copied. */
TRM_API void trm_buffer_rows_called(trm_buffer *buffer, const char *one, const char *several);

/* Of a buffer that is declared by rows, as blocks of cells in the order of a curve: which other
 * rows a row's work reads. Behind the `rows` rows there may lie others that are made of them, by
 * launches that say so (trm_sharing.derived) before each launch that reads them: every device makes
 * those that its own rows read. They have numbers from `rows` on. Row r is near to the numbers
 * reads[begins[r]] up to reads[begins[r + 1]]; what these are made of follows by itself. */
typedef struct trm_adjacency {
  size_t rows, derived;
  const size_t *begins;    /* rows + derived + 1 of them */
  const int32_t *reads;
} trm_adjacency;
/* Declares it, once, after trm_buffer_rows; copied. */
TRM_API trm_status trm_buffer_adjacency(trm_buffer *buffer, const trm_adjacency *adjacency);

/* How a launch of a group kernel is shared: trm_kernel_launch_groups, where more is to be said; or
 * one of a row kernel over a list of what lies beside rows of a grid, as cells at walls: rows of
 * the launch are then parts of the list, in the order of the grid's rows, and `counts` tells how
 * many of them each of the grid's rows has. */
typedef struct trm_sharing {
  int32_t each;            /* groups of a row, 1 or more; of a list, values of `counts` to a part.
                            * With a halo groups of a block (trm_by_rows.block) */
  uint32_t replicated;     /* as above */
  uint32_t adjacent;       /* bit i: of buffer i, a row and the rows adjacent to it
                            * (trm_adjacency) */
  uint32_t counts;         /* i + 1: row r has as many groups as buffer i has values in it, divided
                            * by `each`, one row's behind another's (trm_by_rows.starts) */
  int64_t derived;         /* n + 1: group g writes the row made of others with number n + g, of
                            * buffers that it writes; all have a trm_adjacency of that */
  int32_t halo;            /* rows on either side of a row (3D: in planes on either side) that are
                            * read, and of device-local buffers also written. Over rows: of a
                            * kernel that promises none, which is for hosts too; 0: as promised. Of
                            * a group kernel, whose rows are near to none and told by no buffer:
                            * its groups write blocks of planes in whole, one behind another, and
                            * buffers that it writes have as many blocks, of as many planes each
                            * as they have themselves */
  /* Of a list, else 0. */
  uint32_t device_local;   /* bit i: what a device writes to buffer i only its own launches read,
                            * up to the next launch over rows: it stays there, and no row of buffer
                            * i is less up to date for it elsewhere. That launch has the same
                            * halo */
  int32_t is_of_gpus;      /* 1: a host does by other means what this is for, and leaves it out */
  /* Of a row kernel over rows, where the rest but the halo is 0: bit i: each row of buffer i is
   * written in whole, and none is read, so that none has to be there. */
  uint32_t write_only;
} trm_sharing;
TRM_API trm_status trm_kernel_launch_shared(trm_kernel *kernel, const trm_extent *extent,
                                            const trm_sharing *sharing, const void *params,
                                            size_t param_bytes, trm_buffer *const *buffers,
                                            size_t buffer_count);

/* Of a buffer that is to be declared with so many rows, in units of one, those of device m of
 * several: *count from *first on, as weights are now. Rows that are near to others of the same
 * device alone are computed while rows come from elsewhere, if they are its first ones. */
TRM_API trm_status trm_device_own(const trm_device *device, size_t rows, size_t m, size_t *first,
                                  size_t *count);

/* Whether they are several, all of this process. */
TRM_API int trm_device_is_one_process(const trm_device *device);

/* The MPI library that joins the processes of this run, "Open MPI v4.1.4"; "" without one. */
TRM_API const char *trm_ranks_library(void);

/* What device m of several has spent since it was opened, or weighed: seconds of launches that all
 * share, and of moving rows and waiting for them. Of a GPU the latter hold the end of its launches.
 * Over ranks a rank that waits for the next order of rank 0 spends nothing. Waits for what was
 * launched. */
typedef struct trm_spent {
  double launches, rows;
} trm_spent;
TRM_API trm_status trm_device_spent(trm_device *device, size_t m, trm_spent *out);

#ifdef __cplusplus
}
#endif
#endif
