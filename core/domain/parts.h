/* parts.h - the domain of a device (device.h), for the files of libtrireme. */
#ifndef TRIREME_DOMAIN_PARTS_H
#define TRIREME_DOMAIN_PARTS_H

#include "core/domain/device.h"
#include "core/domain/direct.h"

/* A part's device and its share, as the others know it. */
typedef struct domain_peer {
  trm_device_info info;
  domain_tally tally;
  int is_whole;                 /* it has memory for whole buffers alone */
  trm_device *device;           /* for parts of its process */
  char node[64];                /* its machine; "": that of all parts */
  uint64_t plugin;              /* of ranks: the hash of the backend's file */
} domain_peer;

typedef struct domain_balance domain_balance; /* balance.c */

typedef struct domain_device {
  domain_comm comm;
  size_t parts, part;
  double *weights;
  domain_peer *peers;           /* of each part */
  trm_device_info shown;        /* of all together */
  domain_plan *plan;
  domain_post *post;
  domain_exchange *plain;       /* of a launch that is not recorded */
  domain_direct *direct;        /* NULL: no part's device is reached */
  domain_moved moved;
  trm_buffer **buffers;         /* by number */
  size_t buffer_count;
  size_t fewest;                /* units that a buffer was declared with; 0: none was declared */
  size_t total, grain;          /* rows of the grid that was declared last, and of a unit of it */
  struct trmi_saving *files;    /* that all parts write (saving.c); NULL: none */
  domain_balance *balance;      /* NULL: weights stay as they were given */
  uint64_t launched, cut;       /* launches so far; rises when other rows become those of a part */
  trm_error failed;             /* the part's own first failure; status TRM_OK: none */
  trm_error over;               /* why the present call of all parts fails, as all know; as above */
  void *kept;                   /* the caller's */
  int holds_unused;             /* rows that a kernel reads and does not use need memory */
  int is_checked;               /* TRIREME_CHECK_ROWS: each part has memory for all rows */
  int is_inside;                /* calls are the part's own: its exchange packs rows */
  int is_alone;                 /* part 0: the others wait for a record */
} domain_device;

/* Pieces of a buffer's memory, in ascending order. */
enum { DOMAIN_PIECES = 8 };
typedef struct domain_pieces {
  size_t count;
  domain_span list[DOMAIN_PIECES]; /* bytes */
} domain_pieces;

/* A buffer of such a device. */
typedef struct domain_buffer {
  size_t number;
  domain_span held;             /* rows that have memory; none before the first use */
  domain_pieces spare;          /* memory of rows of the declaration before, until the next one */
  int is_tight;                 /* rows are declared so (domain_rows) */
  size_t *starts;               /* of its rows, as declared */
  unsigned char *apart;         /* apart.c; NULL: it has no table of neighbours */
  domain_names called;          /* its units */
} domain_buffer;

static inline const domain_rows *domain_rows_of(const trm_buffer *buffer)
{
  return domain_plan_rows(buffer->device->domain->plan, buffer->part->number);
}
static inline domain_span *domain_valid_of(const trm_buffer *buffer)
{
  return domain_plan_valid(buffer->device->domain->plan, buffer->part->number);
}

/* The domain of a device if calls are those of all parts; NULL: they are the part's own. */
domain_device *domain_of(const trm_device *device);
/* Whether a launch over these buffers is one of all parts. */
int domain_shares(const trm_device *device, trm_buffer *const *buffers, size_t count);
/* Calls between these two are the part's own. */
typedef struct domain_visit {
  const trmi_trace_hooks *trace;
  trm_counters counters;
} domain_visit;
domain_visit domain_enter(trm_device *device);
void domain_leave(trm_device *device, const domain_visit *visit);

/* device.c. Before the device goes. */
void domain_device_close(trm_device *device);
void domain_device_free(trm_device *device);
/* The first failure of the part itself, or of its link. */
trm_status domain_failure(const domain_device *domain);
/* All agree on this status, and on the failures of launches. */
trm_status domain_agree_now(domain_device *domain, trm_status own);
/* The same within a call of all parts, which a failure ends. A part that has left the call with a
 * failure of its own agrees at its end; the others agree here, and not again at their end. */
trm_status domain_agree_within(domain_device *domain, trm_status own);
/* balance.c. When all have agreed: weights may change. */
trm_status domain_weigh(trm_device *device);
/* On part 0, while the others wait for a record: they give or take bytes of a buffer, or write
 * files (saving.c). */
enum {
  DOMAIN_READ = 1, DOMAIN_WRITE, DOMAIN_MEET, DOMAIN_FILE, DOMAIN_SAVE, DOMAIN_SAVED, DOMAIN_LEFT
};
trm_status domain_ask(trm_device *device, uint32_t kind, const trm_buffer *buffer, size_t offset,
                      size_t bytes);
/* saving.c. On the other parts; and before the device goes. */
trm_status domain_saving_serve(trm_device *device, const domain_record *record);
void domain_saving_free(struct trmi_saving **files);
/* trm_device_require: as each part has its share of the bytes. */
trm_status domain_require(trm_device *device, uint64_t bytes, const char *what);
size_t domain_describe_parts(const domain_device *domain, size_t most, trm_device_part *out);

/* balance.c. "cuda:0", or "cuda:0@2" of rank 2. */
void domain_name_part(const domain_device *domain, size_t m, char *out, size_t bytes);

/* buffers.c */
trm_status domain_buffer_create(trm_device *device, size_t bytes, const char *name,
                                trm_buffer **out);
void domain_buffer_release(trm_buffer *buffer);
/* By rows, which were checked. */
trm_status domain_buffer_declare(trm_buffer *buffer, const trm_by_rows *rows);
/* As before a declaration; the memory that it has is for the next one. */
trm_status domain_buffer_undeclare(trm_buffer *buffer);
trm_status domain_buffer_declare_chunks(trm_buffer *buffer, size_t chunks, size_t rows,
                                        size_t value_bytes);
/* The part has memory for these rows too. */
trm_status domain_buffer_hold(trm_buffer *buffer, domain_span rows);
/* Bytes of it, for visits of rows. */
trm_status domain_buffer_hold_piece(void *buffer, size_t offset, size_t bytes);
trm_status domain_buffer_drop_piece(void *buffer, size_t offset, size_t bytes);
/* It keeps that of valid rows alone. */
trm_status domain_buffer_trim(trm_buffer *buffer);
/* Whether any of these bytes are of rows that are valid here. */
int domain_buffer_takes(const trm_buffer *buffer, size_t offset, size_t bytes);
trm_status domain_buffer_write(trm_buffer *buffer, size_t offset, size_t bytes,
                               const void *source);
/* By part 0 alone, or by all parts, which agree then. */
trm_status domain_buffer_read(trm_buffer *buffer, size_t offset, size_t bytes, void *destination);
/* Rows that are valid here alone. */
trm_status domain_buffer_read_made(trm_buffer *buffer, size_t offset, size_t bytes,
                                   void *destination);
/* On another part: gives the rows that part 0 reads and has not; takes bytes that part 0 wrote. */
trm_status domain_buffer_give(trm_buffer *buffer, size_t offset, size_t bytes);
trm_status domain_buffer_written(trm_buffer *buffer, size_t offset, size_t bytes,
                                 const void *source);

/* apart.c. Rows have memory apart where a table names neighbours, or where a copy gets them. */
trm_status domain_buffer_adjacency(trm_buffer *buffer, const trm_adjacency *table);
/* Memory for these rows, which lie apart from others that are held. Derived rows follow the last
 * row. */
trm_status domain_buffer_hold_apart(trm_buffer *buffer, domain_span rows);
/* Gives back the memory of these rows that lie apart; of all rows, whose values are no longer valid
 * then. */
trm_status domain_buffer_drop_apart(trm_buffer *buffer, domain_span rows);
trm_status domain_buffer_drop_all_apart(trm_buffer *buffer);

/* launches.c. Now, or each command of a sequence. */
trm_status domain_submit(trm_device *device, const trm_command *command,
                         trm_buffer *const *buffers, trm_program *program);
trm_status domain_replay(trm_sequence *sequence);
/* check.c. TRIREME_CHECK_ROWS, which is 0, 1, empty or unset. */
trm_status domain_check_read(int *out);
/* Around a launch of which each part carries out its own rows. The hashes are of each row that the
 * launch may not change here; they are the caller's to free. */
typedef struct domain_hashes {
  uint64_t *of[TRM_MAX_BUFFERS];
} domain_hashes;
trm_status domain_check_before(trm_device *device, const trm_command *command,
                               trm_buffer *const *buffers, domain_hashes *before);
trm_status domain_check_after(trm_device *device, const trm_command *command,
                              trm_buffer *const *buffers, const domain_hashes *before);
/* passes.c. Launches of a recorded sequence that follow each other without rows from others: a host
 * takes them in one pass over its memory. */
typedef struct domain_passes domain_passes;
trm_status domain_passes_create(trm_device *device, const trm_sequence *sequence,
                                const domain_exchange *exchange, domain_passes **out);
void domain_passes_destroy(trm_device *device, domain_passes **passes);
/* The sequences of a pass, each of the backend; NULL: the pass has no such sequence. */
typedef struct domain_pass {
  void *inner;                  /* what needs no rows that are on their way */
  void *rest[3];                /* what does, in this order: both ends, and all else */
} domain_pass;
/* The number of launches of the pass that begins with launch i; 0: no pass begins there. */
size_t domain_passes_at(const domain_passes *passes, size_t i, domain_pass *out);
typedef struct domain_kept domain_kept; /* the exchanges of a sequence */
void domain_kept_free(trm_device *device, domain_kept **kept);

#endif
