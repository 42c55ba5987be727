/* saving.h - values of buffers into files, where ranks share a device: each rank writes what it has
 * at its place, some megabytes at a time, and nothing of it goes through another rank. For
 * checkpoints. */
#ifndef TRIREME_SAVING_H
#define TRIREME_SAVING_H

#include "core/trireme.h"

/* `count` pieces of `bytes` bytes each, `stride` bytes apart in a buffer; in the file they lie one
 * behind the other, `at` bytes behind the first value. */
typedef struct trmi_run {
  uint64_t offset, stride, bytes, count, at;
} trmi_run;

typedef struct trmi_saving trmi_saving;

TRM_API int trmi_saving_is_shared(const trm_device *device);

/* Into files of a folder of this process: open, and called so by the path. Each rank is shown a
 * file in it. What a rank has that does not find that file, or may not write there, rank 0
 * writes. */
TRM_API trm_status trmi_saving_begin(const trm_device *device, int folder, const char *path,
                                     trmi_saving **out);
/* The first such rank, and why (errno); 0: there is none. */
TRM_API int trmi_saving_blind(const trmi_saving *saving, int *error);

/* A file that is there and begins with these bytes. Then its values, in the order in which they lie
 * in it, in any number of calls; and the end: the XXH128 of all of it as text, and whether every
 * real was finite. The file is on the disk when all ranks have said so. On failure *rank is the one
 * that could not write it, for the reason *error (errno); *error 0: something else failed. */
TRM_API trm_status trmi_saving_file(trmi_saving *saving, const char *name, const void *head,
                                    size_t bytes);
TRM_API trm_status trmi_saving_write(trmi_saving *saving, const trm_buffer *buffer, trm_type type,
                                     const trmi_run *runs, size_t count);
TRM_API trm_status trmi_saving_close(trmi_saving *saving, char hash[33], int *is_finite, int *rank,
                                     int *error);

/* Whether a link between ranks has failed, after which nothing goes on. */
TRM_API int trmi_saving_is_cut_off(void);

/* In any case; accepts NULL. */
TRM_API void trmi_saving_end(trmi_saving **saving);

#endif
