/* own_disk.h - file systems of this process's own: a small one, a full one, a read-only one. */
#ifndef TRIREME_TESTS_OWN_DISK_H
#define TRIREME_TESTS_OWN_DISK_H

#include <stddef.h>

/* From now on mounts are seen by this process and its children only, and go with them. Skips the
 * case, with the reason, where the system allows no such thing. */
void own_disk_begin(void);

/* Mounts an empty file system of `bytes` (0: one page, which is the least) at `folder`, which is
 * made; own_disk_protect makes it read-only, own_disk_remove takes it away again. */
void own_disk_mount(const char *folder, size_t bytes);
void own_disk_protect(const char *folder);
void own_disk_remove(const char *folder);

#endif
