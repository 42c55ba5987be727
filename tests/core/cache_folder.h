/* cache_folder.h - a program cache with a folder of its own, its log, and the files in it. */
#ifndef TRIREME_TESTS_CACHE_FOLDER_H
#define TRIREME_TESTS_CACHE_FOLDER_H

#include "core/cache.h"
#include "tests/harness.h"

enum { PATH_BYTES = 1024, HEAD_BYTES = 56 };

/* What is cached in every case, and what it was built from. */
extern const char binary[27];
extern const trm_build build;

/* The last line of the log, and how many there were since the cache was opened. */
extern char logged[4096];
extern int log_count;
void keep_log(void *user, trm_log_level level, const char *text);

/* test_folder()/name, which is not made; in a buffer of the caller's. */
const char *folder_path(char path[PATH_BYTES], const char *name);

/* The cache of that folder, or NULL. new_cache: of test_folder()/name; NULL fails the case. */
trmi_cache *open_cache(const char *folder);
trmi_cache *new_cache(const char *name);

void key_of(const trm_build *of, const char *line, trmi_cache_key *key);

/* The only file of the folder whose name begins with `start`; 0: none. */
int find_file(const trmi_cache *cache, const char *start, char path[PATH_BYTES]);
void write_file(const char *path, const void *bytes, size_t count);
size_t read_file(const char *path, unsigned char *bytes, size_t most);

/* 1 when the entry is there and holds `binary`, 0 when there is none. */
int is_right(trmi_cache *cache, const trmi_cache_key *key);

#endif
