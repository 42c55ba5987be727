/* internal.h - what the files of the fake driver share: the stream as a queue of operations. */
#ifndef TRIREME_TESTS_FAKE_INTERNAL_H
#define TRIREME_TESTS_FAKE_INTERNAL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fake/driver.h"

typedef int64_t trm_index;
#include "core/kernels/sort_params.h"

#define EXPORT __attribute__((visibility("default")))
#define DECLARE(name, parameters) EXPORT cu_result name parameters;
TRM_CUDA_DRIVER_FUNCTIONS(DECLARE)

EXPORT extern fake_driver fake_driver_state;
#define fake fake_driver_state

struct CUfunc_st { char name[32]; struct CUfunc_st *next; };
struct CUmod_st { struct CUfunc_st *functions; };
struct CUevent_st { size_t position; unsigned int flags; }; /* position: operations before it */
struct CUipcMemHandle_st { char bytes[64]; };
struct CUipcEventHandle_st { char bytes[64]; };
struct CUctx_st { int unused; };
struct CUstream_st { int unused; };

typedef enum kind { COPY, SET, LAUNCH } kind;

typedef struct operation {
  kind kind;
  unsigned char *to;
  const unsigned char *from;
  size_t bytes;                    /* copy: all; set: of one element */
  size_t count, pitch;             /* set */
  uint32_t value;
  int between_ranges;              /* copy: device to device */
  fake_launch launch;
  int is_replayed;                 /* of a graph */
  int32_t *x, *y, *table;
  int32_t params[2], extent[4];
  sort_params rows;                /* of pack_rows and pack_pieces */
  int thread;                      /* that gave it */
} operation;

typedef struct queue { operation *items; size_t count, done, capacity; } queue;
struct CUgraph_st { queue operations; };
struct CUgraphExec_st { queue operations; };

/* Each device has a context. All devices share the stream and its commands. */
extern struct CUctx_st fake_contexts[2];
extern struct CUstream_st fake_stream;
extern _Thread_local cu_context fake_current;
extern queue fake_queue;
extern _Thread_local cu_graph fake_capture;      /* NULL: the thread captures no commands */
extern cu_result fake_final;                     /* what a lost context answers; else 0 */

/* Threads call the driver, and each call has the fake driver to itself. */
int fake_lock(void);
void fake_unlock(const int *is_locked);
#define LOCKED __attribute__((cleanup(fake_unlock), unused)) const int is_locked = fake_lock()
int fake_thread(void);                           /* the number of the calling thread */
int fake_is_memory(const void *begin, size_t bytes, int is_pinned);

/* Counts a call that a real driver would refuse, keeps the first one's words, returns an error. */
cu_result fake_misuse(const char *what);

/* mapped.c: whether memory that can be read and written is behind all of these bytes. */
int fake_is_mapped(const void *begin, size_t bytes);
/* Takes bytes of the device's memory; returns 0 if too few are left. */
int fake_take(size_t bytes);
void fake_give(size_t bytes);

void fake_push(queue *q, const operation *op);
void fake_put(const operation *op);              /* to the stream, or to what captures it */
void fake_run_until(size_t position);

#define NEEDS_CONTEXT \
  LOCKED; \
  if (fake_final) return fake_final; \
  if (!fake_current) return fake_misuse("a call without a current context")
#define NO_CAPTURE \
  if (fake_capture) return fake_misuse("a call that a capture does not allow")

#endif
