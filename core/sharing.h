/* sharing.h - declarations for several devices that share a grid of blocks of cells, in the order
 * of a curve. A table tells which rows are neighbours of a row. For authors of solvers. On a single
 * device these declarations change nothing. */
#ifndef TRIREME_SHARING_H
#define TRIREME_SHARING_H

#include "trireme.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Names for messages, singular and plural, of a row of this buffer that is no row of cells: "block
 * of bodies", "blocks of bodies". Call it before trm_buffer_rows. The texts are not copied; they
 * must stay alive. */
TRM_API void trm_buffer_rows_called(trm_buffer *buffer, const char *one, const char *several);

/* trm_buffer_rows, also for a buffer that is declared already, where the grid has changed. Its
 * values are not defined then, and its tables are gone. Several devices take the second declaration
 * if each is a part of a run (trm_device_is_part). */
TRM_API trm_status trm_buffer_rows_anew(trm_buffer *buffer, const trm_by_rows *rows);

/* For a buffer declared by rows, such as blocks of cells in the order of a curve: the other rows
 * that the work on a row reads. Behind the `rows` rows there may be `made` derived rows. Launches
 * with trm_sharing.derived compute them before each launch that reads them. Every device computes
 * the derived rows that its own rows read. Derived rows are numbered from `rows` on. With
 * trm_by_rows.starts each has trm_by_rows.nx values, behind the list; where nx is 1, the buffer has
 * no derived rows. The work on row r reads rows reads[begins[r]] to reads[begins[r + 1] - 1]. The
 * sources of a derived row have to be listed for that row alone. */
typedef struct trm_adjacency {
  size_t rows, derived;
  const size_t *begins;    /* rows + derived + 1 of them */
  const int32_t *reads;
} trm_adjacency;
/* Declares the neighbours, once, after trm_buffer_rows. The tables are copied. */
TRM_API trm_status trm_buffer_adjacency(trm_buffer *buffer, const trm_adjacency *adjacency);

/* Parts of a row that are enough for some of its readers, as two layers at a side of a block of
 * cells. A slab is `count` pieces of `values` values each, `stride` values apart, from
 * value `first` of the row on; `count` strides are a row. enough: of each of the table's `reads`,
 * bit s where slab s is enough; 0: all of the row is read. */
enum { TRM_SLABS = 8 };
typedef struct trm_slab {
  size_t first, stride, count, values;
} trm_slab;
typedef struct trm_slabs {
  size_t count;                 /* at most TRM_SLABS */
  trm_slab slab[TRM_SLABS];
  const uint8_t *enough;
} trm_slabs;
/* Declares them, once, after trm_buffer_adjacency. The buffer's rows follow each other without gaps
 * and ghosts. The tables are copied. */
TRM_API trm_status trm_buffer_slabs(trm_buffer *buffer, const trm_slabs *slabs);

enum { TRM_EACH_ITS_OWN = -2 };

/* How several devices share a launch. For a group kernel see trm_kernel_launch_groups; this struct
 * has more members. A row kernel may run over a list of items beside rows of a grid, such as cells
 * at walls. The rows of the launch are then parts of the list, in the order of the grid's rows;
 * `counts` tells how many parts each row of the grid has. */
typedef struct trm_sharing {
  int32_t each;            /* group kernel: groups of a row, 1 or more; list: values of `counts` to
                            * a part. With a halo: groups of a block (trm_by_rows.block).
                            * TRM_EACH_ITS_OWN: each part of a run launches groups for its own rows
                            * alone. It knows them (trm_device_made_rows), and its own number of
                            * groups and parameters go with them. It reads and writes its own rows
                            * of a buffer that is declared by rows. With `adjacent` it reads rows
                            * near to them, too. It reads all of other buffers, and writes
                            * there for launches of this kind alone */
  uint32_t replicated;          /* as in trm_kernel_launch_groups */
  uint32_t adjacent;           /* bit i: of buffer i, the launch reads a row and the rows near to it
                            * (trm_adjacency) */
  uint32_t counts;             /* i + 1: row r has as many groups as buffer i has values in row r,
                            * divided by `each`. Groups of successive rows follow each other
                            * (trm_by_rows.starts) */
  int64_t derived;          /* n + 1: group g writes derived row n + g of the buffers that it
                            * writes; each of these buffers has a trm_adjacency that declares it.
                            * With `each` 0: one device alone runs the launch, and of the buffers
                            * of `adjacent` it reads the sources of derived row n, nothing else */
  int32_t halo;            /* rows (3D: planes) on either side of a row that are read, and also
                            * written in buffers of `device_local`. Row kernel over rows: for a
                            * kernel that declares no halo, also on hosts; 0: as the kernel
                            * declares. Group kernel, without `adjacent`, `counts` and `derived`:
                            * its groups write whole blocks of planes, one after the other. Buffers
                            * that it writes have as many blocks, each of as many planes as declared
                            * for the buffer */
  /* For a list, else 0. */
  uint32_t device_local;           /* bit i: only launches of the same device read its writes to
                            * buffer i, up to the next launch over rows. The writes stay on the
                            * device, and rows of buffer i on other devices stay valid. That next
                            * launch has the same halo */
  int32_t is_of_gpus;      /* 1: GPUs only; a host does this launch's work by other means and leaves
                            * the launch out */
  /* Row kernel over rows, where all other members but the halo and in_place are 0. Bit i: the
   * launch writes every row of buffer i in whole and reads none; a device needs no valid copy
   * before it. */
  uint32_t write_only;
  /* Row kernel over rows. The work on a row also writes so many rows (3D: planes) on either side of
   * it, in buffers that do not hold outputs. Its halo is as large at least. No place is touched for
   * two rows. A device does the work on so many rows beside its own, too. A list before such a
   * launch has the same halo and the same number here. */
  int32_t in_place;
} trm_sharing;
TRM_API trm_status trm_kernel_launch_shared(trm_kernel *kernel, const trm_extent *extent,
                                            const trm_sharing *sharing, const void *params,
                                            size_t param_bytes, trm_buffer *const *buffers,
                                            size_t buffer_count);

/* The rows of device m of several, for a buffer that is to be declared with `rows` rows: *count
 * rows from *first on, by the present weights. Put rows whose neighbours are all on the same device
 * first: they are computed while rows come from elsewhere. */
TRM_API trm_status trm_device_own(const trm_device *device, size_t rows, size_t m, size_t *first,
                                  size_t *count);

/* Where each part of a run has host code of its own (core/domain/device.h), it makes the first
 * values of its own rows alone. Of `rows` rows in blocks of `block` these are *count rows from
 * *first on; on any other device all rows. They are those of a buffer that is declared so. */
TRM_API void trm_device_made_rows(const trm_device *device, size_t rows, size_t block,
                                  size_t *first, size_t *count);
/* Collective among such parts; other devices have nothing to do. own: the caller's status so far,
 * on which all agree first: all fail, if one has failed. Then `values`, of `bytes` for each row,
 * has on all parts the rows that each part made. */
TRM_API trm_status trm_device_complete_rows(trm_device *device, trm_status own, void *values,
                                            size_t rows, size_t block, size_t bytes);
/* The agreement alone: after work that may fail on one part, and before launches and reads. */
TRM_API trm_status trm_device_agree(trm_device *device, trm_status own);

/* Reads bytes of rows that trm_device_made_rows names, on each part those of its own. The parts do
 * not wait for each other, so a failure is to be agreed on. Other devices read as always. */
TRM_API trm_status trm_buffer_read_made(trm_buffer *buffer, size_t offset, size_t bytes,
                                        void *destination);

/* Whether a write of these bytes matters here. 0: they are of rows that another part of the run has
 * and writes itself (core/domain/device.h). */
TRM_API int trm_buffer_takes(const trm_buffer *buffer, size_t offset, size_t bytes);

/* Whether the device is a part of a run, one of several. */
TRM_API int trm_device_is_part(const trm_device *device);

/* The MPI library that joins the processes of this run, "Open MPI v4.1.4"; "" without one. */
TRM_API const char *trm_ranks_library(void);

/* Seconds that device m of several has spent since it was opened, or since the last weighing:
 * `launches`, in shared launches; `rows`, in moving rows and waiting for them. For a GPU, `rows`
 * includes the wait for the end of its launches. Over ranks a rank that waits for the next order of
 * rank 0 spends nothing. The call waits for all launches so far. */
typedef struct trm_spent {
  double launches, rows;
} trm_spent;
TRM_API trm_status trm_device_spent(trm_device *device, size_t m, trm_spent *out);

#ifdef __cplusplus
}
#endif
#endif
