/* cache.h - compiled programs, kept between runs (core-internal).
 *
 * A folder of entries named by their key. A cache never fails a run. An entry that cannot be read
 * is deleted and built again; an entry that cannot be written is not kept. The log says why, once a
 * folder. */
#ifndef TRMI_CACHE_H
#define TRMI_CACHE_H

#include "core/backend.h"

typedef struct trmi_cache trmi_cache;
typedef struct trmi_cache_key { unsigned char bytes[16]; } trmi_cache_key;

/* The folder is TRIREME_CACHE_DIR, else $XDG_CACHE_HOME/trireme, else $HOME/.cache/trireme (each
 * absolute and not empty). It is made with mode 0700. It is refused unless this user owns it and
 * nobody else can write to it. NULL: no cache; every function below accepts it. log may be NULL. */
trmi_cache *trmi_cache_open(trm_log_fn *log, void *log_user);
void trmi_cache_close(trmi_cache **cache);
/* The folder, for messages; "" for NULL. */
const char *trmi_cache_folder(const trmi_cache *cache);

/* Hash of everything that a binary depends on: format, library version, backend, build (texts,
 * defines, options), and the line of program_key ("" where the backend has none). */
void trmi_cache_key_make(const char *backend, const trm_build *build, const char *line,
                         trmi_cache_key *key);

/* 1 and a malloc'd copy of the bytes when a sound entry is there, else 0. */
int trmi_cache_read(trmi_cache *cache, const trmi_cache_key *key, void **bytes, size_t *count);
void trmi_cache_write(trmi_cache *cache, const trmi_cache_key *key, const void *bytes,
                      size_t count);
/* Deletes an entry that the backend refused to load. */
void trmi_cache_remove(trmi_cache *cache, const trmi_cache_key *key);

#endif
