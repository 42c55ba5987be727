/* saving.h - writes values of buffers into files where ranks share a device. Each rank writes its
 * own values at their place, some megabytes at a time; no value passes through another rank. For
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

/* Writes into files of a folder that this process has open and whose path is `path`. Each rank is
 * shown a file in it. Rank 0 writes the values of a rank that does not find that file or may not
 * write there. */
TRM_API trm_status trmi_saving_begin(const trm_device *device, int folder, const char *path,
                                     trmi_saving **out);
/* The first rank that cannot write its values, and why (errno); 0: each rank can. */
TRM_API int trmi_saving_blind(const trmi_saving *saving, int *error);

/* trmi_saving_file begins with a file that exists and begins with these bytes. trmi_saving_write
 * writes its values, in the order of the file, in any number of calls. trmi_saving_close gives the
 * XXH128 of the whole file as text, and whether every real was finite. The file is on the disk when
 * all ranks have said so. On failure *rank is the rank that could not write, for the reason *error
 * (errno); *error 0: another failure. */
TRM_API trm_status trmi_saving_file(trmi_saving *saving, const char *name, const void *head,
                                    size_t bytes);
TRM_API trm_status trmi_saving_write(trmi_saving *saving, const trm_buffer *buffer, trm_type type,
                                     const trmi_run *runs, size_t count);
TRM_API trm_status trmi_saving_close(trmi_saving *saving, char hash[33], int *is_finite, int *rank,
                                     int *error);

/* Whether a link between ranks has failed; no call can succeed afterwards. */
TRM_API int trmi_saving_is_cut_off(const trm_device *device);

/* Call it in any case; accepts NULL. */
TRM_API void trmi_saving_end(trmi_saving **saving);

#endif
