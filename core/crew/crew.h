/* crew.h - several devices that carry out one run as if they were one.
 *
 * A crew is a device of its own, with a table like a plugin's: what is above core sees one device.
 * Each member has the addresses of every buffer in whole, but memory only for some of its rows
 * (held.c), and of these some are fresh there. A buffer that was declared by rows (trm_buffer_rows)
 * is worked on in parts. A row kernel is shared if every buffer that it writes is declared so: each
 * member runs it over its own rows. The rows that it reads beyond them (its halo) are fetched
 * first, from members that have them fresh. In a reduction each member folds the chunks of its own
 * leaves (chunks.h). Any other kernel runs on the first member alone, once this member has all rows
 * that the kernel reads and writes. So sums are folded in the order of one device.
 *
 * Kernels work on the whole grid's numbers, so that a row knows its place; rows are cut, never
 * their cells. The bits are those of one device for any members and any cut. */
#ifndef TRIREME_CREW_H
#define TRIREME_CREW_H

#include "core/crew/driver.h"
#include "core/crew/ranks.h"
#include "core/domain/rows.h"
#include "core/sharing.h"

typedef domain_span crew_span;

typedef struct crew_member {
  trm_device *device;
  int rank;                     /* whose it is; 0: of this process */
  crew_span more;               /* of the launch at hand: rows before and after its own that it
                                 * computes as well */
} crew_member;

typedef struct crew_device {
  size_t count;
  crew_member *members;
  double *weights;              /* of each member */
  crew_drivers *drivers;        /* NULL: there are other ranks, and this thread does all itself */
  size_t total, grain;          /* rows of the grid that was declared last, and of a unit of it */
  unsigned char *staging;       /* what moves from member to member */
  size_t staging_bytes;
  struct crew_move *moves;      /* that the next launch waits for */
  struct crew_news *news;       /* what is fresh after them */
  size_t move_count, move_room, news_count, news_room;
  uint64_t moved;               /* moves so far: those at hand are numbered from there */
  int is_checked;               /* check.c */
  int is_strict;                /* TRIREME_DEBUG_BUFFERS=rows: hosts hold what GPUs have to */
  struct crew_note *notes;      /* likewise: rows that the launch at hand is not to change */
  size_t note_count, note_room;
  struct crew_balance *balance; /* NULL: weights stay as they were named */
  size_t fewest;                /* units of the buffer that has the fewest, and what they are */
  domain_names fewest_called;
  int is_awaited;               /* a launch needs them for all of its rows, not for edges alone */
  trm_queue queue;              /* of their devices, for what members are given at the moment */
  size_t cut;                   /* number of the cut at hand; another one has another number */
  int is_kept;                  /* a member has changed rows, or made some, for itself: the cut
                                 * stays as it is */
  trm_error lost;               /* the first failure of this process on the way of an exchange */
} crew_device;

typedef struct crew_buffer {
  trm_buffer **parts;           /* of each member */
  crew_span *fresh;             /* rows of it that are */
  crew_span *held;              /* rows of it that have memory; none before its first use */
  size_t cut;                   /* for which rows are held */
  size_t bytes;
  domain_names called;            /* NULL: by the shape of its rows */
  /* One that was not declared is a single row of all its bytes. */
  int is_cut, is_output, is_real;
  size_t value_bytes, nx, total, grain, components, first, row, component, ghosts;
  size_t lists, *starts;        /* as declared; 1, NULL: each row has nx values */
  size_t plane, reach;          /* rows to a plane, 1 in 2D; rows read beyond a block */
  int is_bounded, is_repeated;
  struct crew_near *near;       /* near.c; NULL: not declared */
} crew_buffer;

/* Rows, all components of them, from one member to another; of one list. */
typedef struct crew_move {
  crew_buffer *buffer;
  size_t from, to, list, row, count;
  int is_awaited;               /* by all rows of the launch, not by those at edges alone */
  crew_parcel *parcel;          /* on its way between two drivers; of the first move of it */
  int is_sent;
} crew_move;

typedef struct crew_news {
  crew_buffer *buffer;
  size_t member;
  crew_span fresh;
  int is_near;                  /* and all that its own rows are near to */
} crew_news;

/* What a row is before a launch, and is to be on this member after it. */
typedef struct crew_note {
  uint32_t argument;
  size_t member, row;
  uint64_t hash;
} crew_note;

typedef struct crew_program {
  trm_program **parts;
  struct crew_kernel *kernels;  /* a list */
} crew_program;

typedef struct crew_kernel {
  struct crew_kernel *next;
  trm_kernel *parts[];          /* of each member */
} crew_kernel;

/* Member m's rows of `total`, which are cut at multiples of `grain`. */
crew_span crew_own(const crew_device *crew, size_t total, size_t grain, size_t m);
/* One device that is named twice, or that ranks share. */
int crew_is_same(const crew_member *a, const crew_member *b);
/* "openmp:0", over ranks "openmp:0@1". */
void crew_name_member(const crew_member *member, char *out, size_t bytes);

/* buffer.c */
/* Byte offset and length of rows of a component, with their ghosts; they do not go on at row 0. */
crew_span crew_bytes_of(const crew_buffer *buffer, size_t component, size_t list, size_t row,
                        size_t count);
trm_status crew_buffer_create(void *device, size_t bytes, void **buffer);
void crew_buffer_destroy(void *device, void *buffer);
trm_status crew_buffer_write(void *device, void *buffer, size_t offset, size_t bytes,
                             const void *source);
trm_status crew_buffer_read(void *device, void *buffer, size_t offset, size_t bytes,
                            void *destination);
/* These rows are to be fresh on member m: they move when all that a launch needs has been named, so
 * that nobody sends what it has yet to receive. */
trm_status crew_fetch(crew_device *crew, crew_buffer *buffer, size_t m, crew_span rows);
trm_status crew_fetch_all(crew_device *crew, crew_buffer *buffer, size_t m);
/* What will be fresh on member m once moves are made. */
crew_span crew_fresh_then(const crew_device *crew, const crew_buffer *buffer, size_t m);
/* Whether these rows are fresh on member m. */
int crew_has(const crew_buffer *buffer, size_t m, crew_span rows);
/* A row that lies elsewhere, among moves; what will be fresh after them. */
trm_status crew_fetch_run(crew_device *crew, crew_buffer *buffer, size_t m, size_t row,
                          size_t count);
trm_status crew_add_news(crew_device *crew, crew_news news);

/* held.c. Visits the bytes, less those of rows other than these, piece by piece in ascending
 * order. */
typedef trm_status crew_piece_fn(void *user, size_t offset, size_t bytes);
trm_status crew_each_piece(const crew_buffer *buffer, crew_span rows, crew_span bytes,
                           crew_piece_fn *visit, void *user);
/* Member m has memory for these rows too; each member has it for all of them. */
trm_status crew_hold(const crew_device *crew, crew_buffer *buffer, size_t m, crew_span rows);
trm_status crew_hold_all(const crew_device *crew, crew_buffer *buffer);
/* Declared by rows: each member has its own ones, and these are fresh. */
trm_status crew_hold_own(const crew_device *crew, crew_buffer *buffer);
/* Members keep only the fresh rows of a buffer that was written in whole since the cut changed. */
trm_status crew_drop_others(const crew_device *crew, crew_buffer *buffer);

/* near.c. Own rows of the buffer and those that they are near to. */
trm_status crew_fetch_near(crew_device *crew, crew_buffer *buffer, size_t m);
/* How many of member m's rows, from its first one on, are near to rows of its own alone. */
size_t crew_near_inner(const crew_buffer *buffer, size_t m);
/* How many rows are made of those of the buffer. */
size_t crew_near_made(const crew_buffer *buffer);
/* Of numbers [first, first + count) of what is made of rows, the first that member m needs and how
 * many up to the last. */
trm_status crew_needed(const crew_device *crew, crew_buffer *buffer, size_t m, size_t first,
                       size_t count, crew_span *out);
void crew_near_is_there(const crew_buffer *buffer, size_t m, int is_there);
void crew_near_free(crew_buffer *buffer, size_t members);

/* moves.c. First the other ranks are told, who then begin; then this process takes its own part.
 * What is put is copied at once, what is got is waited for; after a failure too an exchange goes on
 * to its end, since others wait for it, and crew_make_gets returns it. */
trm_status crew_tell_puts(crew_device *crew);
trm_status crew_tell_gets(crew_device *crew);
void crew_make_puts(crew_device *crew);
trm_status crew_make_gets(crew_device *crew);
/* Between drivers, in crew->queue, only those moves that all rows wait for (awaited 1), or the
 * others (0); crew_make_gets is still to come. */
void crew_make_puts_of(crew_device *crew, int awaited);
void crew_make_gets_of(crew_device *crew, int awaited);
trm_status crew_tell_moves(crew_device *crew); /* of puts and gets */
trm_status crew_make_moves(crew_device *crew);
trm_status crew_exchange(crew_device *crew);
/* What member m was given to do is done, before something is asked of its device itself. */
trm_status crew_settle(const crew_device *crew, size_t m);
trm_status crew_settle_all(const crew_device *crew);
/* They were written there: nobody else has them any more. */
void crew_written_alone(const crew_device *crew, crew_buffer *buffer, size_t m);

/* launch.c */
trm_status crew_enqueue(void *device, const trm_command *command);
/* On member m alone: all of it, or these rows or groups of it. */
trm_status crew_enqueue_on(const crew_device *crew, const trm_command *command, size_t m);
trm_status crew_enqueue_part(const crew_device *crew, const trm_command *command, size_t m,
                             crew_span rows);
/* All of it on the first member, once that has all rows. */
trm_status crew_run_alone(crew_device *crew, const trm_command *command);
/* What the launch wrote is fresh on each member, in the rows of which it did. */
trm_status crew_written_by_all(const crew_device *crew, const trm_command *command);

/* balance.c. Weights are measured: called before each shared launch that does not go on with what
 * members have for themselves. Where another cut would be faster by a twentieth, they are
 * changed. */
trm_status crew_balance_begin(crew_device *crew);
trm_status crew_weigh(crew_device *crew);

/* check.c. Before a launch that each member makes of its own rows, and after it. */
trm_status crew_check_begin(crew_device *crew, const trm_command *command);
trm_status crew_check(const crew_device *crew, const trm_command *command);

#endif
