/* objects.h - one function in two processes: the same file, at different addresses. */
#ifndef TRIREME_DOMAIN_OBJECTS_H
#define TRIREME_DOMAIN_OBJECTS_H

#include "core/internal.h"

/* The object file of an address, and where it begins in memory. */
trm_status objects_of(const void *address, char *path, size_t bytes, uintptr_t *base);
trm_status objects_at(const char *path, uintptr_t *base);
/* A hash of a file, or of the file that an address lies in; 0: it cannot be read. */
uint64_t objects_hash(const char *path);
uint64_t objects_hash_of(const void *address);

#endif
