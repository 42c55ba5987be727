/* saver.h - a rank's part of files that all ranks write (core/saving.h). */
#ifndef TRIREME_DOMAIN_SAVER_H
#define TRIREME_DOMAIN_SAVER_H

/* The state of a hash goes from rank to rank: all have this one form of it. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/comm.h"
#include "core/saving.h"

enum { SAVER_TOKEN = 40 };      /* bytes of a token's name, with the NUL */

typedef struct saver {
  int folder, file;             /* descriptors and 1 more; 0: not open */
  int error;                    /* errno of the first failure of this file; 0: none */
  int is_finite;                /* every real of it so far */
} saver;

/* Rank 0 sends it with the path behind it. */
typedef struct saver_token {
  char name[SAVER_TOKEN];
} saver_token;

/* Opens a folder of another rank by its path: 0, or the errno of why not. The folder has a file
 * that is named like the token, so that it is not another one of that name. */
int saver_meet(saver *s, const saver_token *token, const char *path);
/* Failures of the file are kept in s->error, those of the device are returned. */
void saver_open(saver *s, const char *name);
trm_status saver_write(saver *s, trm_buffer *buffer, trm_type type, const trmi_run *runs,
                       size_t count);
/* Bytes of the host, as saver_write. */
void saver_put(saver *s, trm_type type, const void *bytes, size_t count, uint64_t at);
/* Puts the rank's part of the file on the disk, and fills in two numbers. The largest ones of all
 * ranks tell the outcome for all: whether every real was finite; *rank is the first rank that could
 * not write its part, for the reason *error (errno), and no part is missing if *error is 0. */
void saver_sync(saver *s, int writes, const trm_comm_place *place, int64_t most[2]);
void saver_outcome(const trm_comm_place *place, const int64_t most[2], int *is_finite, int *rank,
                   int *error);
void saver_end(saver *s);

/* A hash goes on with these bytes of a buffer. */
trm_status saver_sum(XXH3_state_t *sum, trm_buffer *buffer, const trmi_run *runs, size_t count);
/* As it came from another rank. */
void saver_adopt(XXH3_state_t *sum);

#endif
