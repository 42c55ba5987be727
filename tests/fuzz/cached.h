/* cached.h - a cache folder with one entry, for the targets that read such entries. */
#ifndef TRIREME_TESTS_FUZZ_CACHED_H
#define TRIREME_TESTS_FUZZ_CACHED_H

#include <stddef.h>

#include "core/cache.h"

/* The cache of a folder in fuzz_folder(), made by the first call, which sets TRIREME_CACHE_DIR. */
trmi_cache *fuzz_cache(void);

/* The one entry's file: 1 and its bytes, malloc'd, or 0 where there is none; and other bytes in it.
 * Its name is that of the first entry that was there. */
int fuzz_entry_load(void **bytes, size_t *count);
void fuzz_entry_store(const void *bytes, size_t count);
/* That entry's key, which its name spells. */
void fuzz_entry_key(trmi_cache_key *key);

#endif
