/* reach.h - launches cut by rows: which rows each member has of them, reads and computes. */
#ifndef TRIREME_REACH_H
#define TRIREME_REACH_H

#include "core/crew/crew.h"

/* The rows that a launch covers, and how they are cut. Rows 0: they are not. by_blocks: a launch of
 * groups over blocks of planes, of which buffers may have others. */
typedef struct crew_cut {
  size_t rows, grain;
  int by_blocks;
} crew_cut;

int crew_is_written(const trm_command *command, uint32_t i);
/* The first buffer that the launch writes; there is one. */
crew_buffer *crew_written_by(const trm_command *command);
/* Whether a launch over these rows is one over blocks of the buffer's. */
int crew_is_by_blocks(const crew_buffer *buffer, size_t rows);
int crew_is_like(const crew_buffer *buffer, const crew_cut *by);

/* All that a launch writes is cut alike, or the launch is not; of one that has not so many rows
 * itself, those of what it writes. */
crew_cut crew_find_cut(const trm_command *command, size_t rows);
crew_cut crew_cut_written(const trm_command *command);
crew_span crew_own_of(const crew_device *crew, const crew_buffer *buffer, size_t m);

/* A launch over a list (trm_sharing.counts): the rows of the grid that it lies beside. */
int crew_is_list(const trm_command *command);
crew_cut crew_cut_of_list(const trm_command *command);
/* Planes, or rows, that a launch of a row kernel reads beyond its own; -1: any. */
int crew_halo_of(const trm_command *command);

/* What member m reads of buffer i is to be there, or all of it, for several launches. */
trm_status crew_fetch_for(crew_device *crew, const trm_command *command, uint32_t i, size_t m,
                          const crew_cut *by);
/* How many rows before (first) and after (count) its own member m computes as well, of what will be
 * there: whole planes, and of a grid whose ends do not meet none beyond them. */
crew_span crew_find_more(const crew_device *crew, const trm_command *command, const crew_cut *by,
                         size_t m);

/* Each member has memory for the rows that it writes: its own, those of `more`, and the halo of a
 * buffer whose rows stay on the device. A GPU also has memory for rows that it reads beyond the
 * ends of a bounded grid. */
trm_status crew_hold_written(const crew_device *crew, const trm_command *command);

/* parts.c. On each member its own rows, and those of `more` (crew_member), once moves are made;
 * rows that need nobody else's run before. */
trm_status crew_run_parts(crew_device *crew, const trm_command *command, const crew_cut *by);
/* lists.c. Rows that are made of others; a row kernel over a list of what lies beside rows. */
trm_status crew_run_beside(crew_device *crew, const trm_command *command, const crew_cut *by);
trm_status crew_run_list(crew_device *crew, const trm_command *command);

#endif
