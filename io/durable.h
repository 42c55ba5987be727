/* durable.h - files and folders that outlive a failure of the machine, in a folder that is open.
 *
 * Names are single parts of a path and are never followed as links; `where` is the folder's path,
 * for messages. Every call is checked, and a file's bytes are hashed (XXH128) while they go by. */
#ifndef TRIREME_DURABLE_H
#define TRIREME_DURABLE_H

#include "core/trireme.h"

#include <stdint.h>

enum { TRM_HASH_TEXT = 33 };     /* 32 hexadecimal digits and a NUL */

typedef struct trm_durable trm_durable;

/* A new file, for which the disk sets `bytes` bytes aside. */
trm_status trmi_durable_create(int folder, const char *where, const char *name, uint64_t bytes,
                               trm_durable **out);
trm_status trmi_durable_write(trm_durable *file, const void *bytes, size_t count);
/* On the disk when it returns. Frees the file and clears the handle in any case. */
trm_status trmi_durable_close(trm_durable **file, char hash[TRM_HASH_TEXT]);
/* Closes it as it is; accepts NULL. */
void trmi_durable_abandon(trm_durable **file);

/* All of a file in one call. */
trm_status trmi_durable_save(int folder, const char *where, const char *name, const void *bytes,
                             size_t count, char hash[TRM_HASH_TEXT]);

/* Opens the folder `name`, which is made first where it is not there and `make` is nonzero. */
trm_status trmi_durable_folder(int folder, const char *where, const char *name, int make,
                               int *out);
/* Names that were given and taken away in the folder so far are on the disk when it returns. */
trm_status trmi_durable_sync(int folder, const char *where);
trm_status trmi_durable_rename(int folder, const char *where, const char *from, const char *to);
/* A file, or a folder and the files in it; one that is not there is fine. */
trm_status trmi_durable_remove(int folder, const char *where, const char *name);

/* The hash of a regular file of exactly `bytes` bytes. A file of
 * another size or kind is TRM_ERROR_INPUT. */
trm_status trmi_durable_hash(int folder, const char *where, const char *name, uint64_t bytes,
                             char hash[TRM_HASH_TEXT]);
/* The XXH128 of any regular file, and its size. */
trm_status trmi_file_hash(const char *path, uint64_t *bytes, char hash[TRM_HASH_TEXT]);

#endif
