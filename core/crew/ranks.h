/* ranks.h - the processes of one run, and what they say to each other.
 *
 * Rank 0 carries out the command, and is the only one that reads cases, decides and writes. Each of
 * the others opens devices for it and obeys, in order (serve.c); to rank 0 such a device looks like
 * any other (remote.c). Rows go from rank to rank straight. So ranks cannot differ in what they
 * decide, and an error of any is one line of rank 0's.
 *
 * No message can wait for ever: rank 0 tells ranks of a transfer before it takes its own part in
 * it, whoever sends does not wait, and every rank meets the transfers in one order. After an error
 * a rank still sends and receives what it is told to, whatever is in it, until it is asked. A link
 * that fails is another matter: whoever sees it says so and ends all (trm_ranks_abort). So is one
 * that loses, repeats or exchanges messages: orders, answers and rows bear numbers, and whoever
 * gets another number than the next one names both. */
#ifndef TRIREME_RANKS_H
#define TRIREME_RANKS_H

#include "core/domain/domain.h"
#include "core/internal.h"

typedef enum ranks_order {
  /* answered */
  RANKS_DEVICES, RANKS_OPEN, RANKS_FINISH, RANKS_FREE_MEMORY, RANKS_BUFFER, RANKS_READ,
  RANKS_PROGRAM, RANKS_SPENT, RANKS_SUM, RANKS_HOLD,
  /* agreed on by all */
  RANKS_MEET, RANKS_SAVED,
  /* not answered */
  RANKS_CALL, RANKS_WRITE, RANKS_COMMAND, RANKS_KERNEL, RANKS_PUT, RANKS_GET, RANKS_BUFFER_GONE,
  RANKS_PROGRAM_GONE, RANKS_DROP, RANKS_FILE, RANKS_SAVE, RANKS_SAVING_GONE, RANKS_CLOSE, RANKS_QUIT
} ranks_order;

/* What to do about messages that are not those that are due. */
#define RANKS_STEP_CURE "the library between ranks lost, repeated or mixed up messages: try " \
  "another version of it, or another MPI (TRIREME_COMM); trireme resume continues from the last " \
  "checkpoint"

/* Rows of a buffer that move: `components` pieces, `stride` bytes apart; in each `rows` rows. */
typedef struct ranks_rows {
  size_t offset, stride, components, bytes;   /* bytes: of a piece */
  size_t value_bytes, nx, row, ghosts, rows;  /* what wrap needs; ghosts 0: nothing to do */
  uint64_t is_repeated;                       /* ghosts are the nearest value */
  uint64_t number;                            /* of the transfer; equal at both its ends */
} ranks_rows;

/* Objects go by numbers that rank 0 gives; in a command they stand in place of the handles. */
typedef struct ranks_message {
  uint32_t order;
  int32_t peer;                 /* of rows; of a command 1 where all devices share the launch; of
                                 * seconds spent is_exact; the type of what is saved */
  uint64_t number;              /* of the orders to that rank; ranks_tell sets it */
  uint64_t object, of;          /* of: the device, the program */
  size_t offset, bytes;         /* bytes: behind the message, or of a buffer */
  union {
    trm_command command;
    ranks_rows rows;
    trm_device_options options;
    trm_program_options program;
  } is;
} ranks_message;

/* A function of a file that all ranks have; what it is given follows (domain/ranks.h). */
typedef struct ranks_called {
  char path[4096];
  uint64_t offset;
} ranks_called;

typedef struct ranks_answer {
  int32_t status;
  char text[2044];
  uint64_t number, value;       /* number: of the order that is answered */
  double seconds;
} ranks_answer;

/* Ranks of this process: size 1 where there are no others. */
const trm_comm_place *ranks_place(void);
/* Before a device is opened: fails where a launcher started several processes, and this one has not
 * called trm_ranks_begin; and where TRIREME_COMM names nothing. */
trm_status ranks_check_begun(void);
/* The name of a rank's machine. */
const char *ranks_node(int rank);

trm_status ranks_send(int to, const void *bytes, size_t count);
trm_status ranks_receive(int from, void *bytes, size_t count);
/* An order of rank 0: numbered, and on the other side held against what is due. */
trm_status ranks_tell(int to, ranks_message *message);
trm_status ranks_hear(ranks_message *out);
/* rows come from malloc, and are freed when they are gone, or on failure. */
trm_status ranks_post_rows(int to, void *rows, size_t count);
trm_status ranks_receive_rows(int from, void *bytes, size_t count);
/* All ranks make these calls, in the same order. `bytes` of rank 0; the `each` bytes of every rank
 * in the order of ranks, to all; the largest of each value; whether all succeeded (domain.h). */
trm_status ranks_broadcast(void *bytes, size_t count);
trm_status ranks_gather(void *bytes, size_t each);
trm_status ranks_maxima(int64_t *values, size_t count);
trm_status ranks_agree(trm_status own);
/* The link for a run of parts. Its calls fail as those above, and belong to no order. */
domain_comm ranks_comm(void);
/* Whether one of these has failed here: then no other is tried, and trm_ranks_end fails. ranks_part
 * takes a failure for one of these, where a rank cannot take its part in a transfer; returns it. */
int ranks_are_apart(void);
trm_status ranks_part(trm_status status);

/* The device that a rank opens for a name without a number: of several GPUs each rank of a machine
 * has its own. Threads: the ranks of a machine share its cores. */
trm_status ranks_local(trm_context *context, const char *name, trm_device_options *options,
                       char *out, size_t bytes);
/* Cores of this process; of those that ranks of a machine share, its part. */
int ranks_cores(void);
/* "openmp" becomes "openmp@0,openmp@1,..."; *out is malloc'd. */
trm_status ranks_names(const char *name, char **out);

/* ---- remote.c: rank 0 ------------------------------------------------------- */

trm_status remote_open(trm_context *context, const char *name, int rank,
                       const trm_device_options *options, trm_device **out);
/* Begins to build; remote_built waits for the end. */
trm_status remote_build(trm_program *program, const trm_program_source *source,
                        const trm_program_options *options);
trm_status remote_built(trm_program *program);
/* is_shared: of a launch that each device makes for its own rows; then its time counts. */
trm_status remote_command(trm_device *device, const trm_command *command, int is_shared);
/* is_exact: from now on each shared launch there is waited for. */
trm_status remote_spent(trm_device *device, int is_exact, trm_spent *out);
/* Tells the buffer's rank to send rows to `peer`, or to receive them. */
trm_status remote_put(const trm_buffer *buffer, int peer, const ranks_rows *rows);
trm_status remote_get(const trm_buffer *buffer, int peer, const ranks_rows *rows);
/* Of no device: message->bytes bytes follow it. What is answered is to be listened to. */
trm_status remote_tell(int rank, ranks_order order, ranks_message *message, const void *bytes);
trm_status remote_listen(int rank, uint64_t number, ranks_answer *answer);

/* ---- source.c ------------------------------------------------------------------- */

typedef struct ranks_source {
  trm_program_source source;
  const char *variant;
  trm_host_module **modules;
  void *packed;                 /* owned; the texts lie in it */
} ranks_source;

trm_status ranks_pack(const trm_program_source *source, const char *variant, unsigned char **out,
                      size_t *count);
/* *out is to be freed after a failure too. */
trm_status ranks_unpack(const unsigned char *packed, ranks_source *out);
void ranks_source_free(ranks_source *source);

/* ---- objects.c: where kernels lie in this process and in another ---------------- */

/* The object file of an address, and where it begins in memory; a hash of the file. */
trm_status ranks_object_of(const void *address, char *path, size_t bytes, uintptr_t *base);
trm_status ranks_object_at(const char *path, uintptr_t *base);
uint64_t ranks_hash(const char *path);
/* Of the object file that an address lies in. */
uint64_t ranks_file_of(const void *address);

/* ---- rows.c ------------------------------------------------------------------- */

/* The own part of a transfer, and ghost columns where the sender has none. Both go on to the end of
 * the transfer after an error. */
trm_status ranks_put(trm_buffer *buffer, int peer, const ranks_rows *rows);
trm_status ranks_get(trm_buffer *buffer, int peer, const ranks_rows *rows);
void ranks_wrap(const ranks_rows *rows, unsigned char *piece);

/* Rows of buffers of one device, one piece behind the other, to and from memory of the host; read
 * with the ghost columns that a GPU has not. */
typedef struct ranks_piece {
  trm_buffer *buffer;
  ranks_rows rows;
} ranks_piece;
size_t ranks_bytes(const ranks_piece *pieces, size_t count);
trm_status ranks_read_rows(const ranks_piece *pieces, size_t count, unsigned char *to);
trm_status ranks_write_rows(const ranks_piece *pieces, size_t count, const unsigned char *from);

#endif
