/* saving.h - files that all parts write, each its own rows (core/saving.h), where parts are ranks.
 * Part 0 makes the calls between batches, and the others serve them. */
#ifndef TRIREME_DOMAIN_SAVING_H
#define TRIREME_DOMAIN_SAVING_H

#include "core/domain/saver.h"
#include "core/domain/device.h"

/* On part 0. own: its files. errors: one of each part, 0 where it can write (saver_meet). Without
 * this call part 0 writes all. */
trm_status domain_saving_meet(trm_device *device, const saver_token *token, const char *path,
                              int32_t *errors);
/* Opens a file of that name, which exists, on each part. */
trm_status domain_saving_file(trm_device *device, saver *own, const char *name);
/* The values begin at byte `begin` of the file. The hash goes from part to part, in the order of
 * the file. Part 0 writes the rows of a part that cannot write. */
trm_status domain_saving_write(trm_device *device, saver *own, XXH3_state_t *sum,
                               trm_buffer *buffer, trm_type type, uint64_t begin,
                               const trmi_run *runs, size_t count);
/* As saver_close. */
trm_status domain_saving_close(trm_device *device, saver *own, int *is_finite, int *rank,
                               int *error);
void domain_saving_end(trm_device *device);

/* On the other parts. */
trm_status domain_saving_serve(trm_device *device, const domain_record *record);
/* Before the device goes. */
typedef struct domain_files domain_files;
void domain_saving_free(domain_files **files);

#endif
