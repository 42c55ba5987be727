/* Entries of the program cache: what is taken is, byte for byte, what the cache itself would write,
 * and all else is deleted. With a first byte of 1 the input is a sound entry's payload, behind 56
 * bytes that are laid over its head, since no fuzzer finds a checksum. */
#include <stdlib.h>
#include <string.h>

#include "core/cache.h"
#include "tests/fuzz/cached.h"
#include "tests/fuzz/fuzz.h"

enum { HEAD_BYTES = 56 };

/* 1: the entry that lay there was taken, and the same bytes make the same file. */
static int is_kept(trmi_cache *cache, const trmi_cache_key *key, const uint8_t *file, size_t size)
{
  void *bytes = NULL, *again = NULL;
  size_t count = 0, length = 0;
  if (!trmi_cache_read(cache, key, &bytes, &count)) {
    FUZZ_CHECK(!fuzz_entry_load(&again, &length));
    return 0;
  }
  FUZZ_CHECK(count + HEAD_BYTES == size && memcmp(bytes, file + HEAD_BYTES, count) == 0);
  trmi_cache_remove(cache, key);
  trmi_cache_write(cache, key, bytes, count);
  FUZZ_CHECK(fuzz_entry_load(&again, &length) && length == size && memcmp(again, file, size) == 0);
  free(again);
  free(bytes);
  return 1;
}

/* A sound entry, and a mask over its head: only a mask of zeroes leaves it sound. */
static void overlay(trmi_cache *cache, const trmi_cache_key *key, const uint8_t *mask,
                    const uint8_t *payload, size_t count)
{
  void *entry = NULL;
  size_t length = 0;
  int is_changed = 0;
  trmi_cache_write(cache, key, payload, count);
  FUZZ_CHECK(fuzz_entry_load(&entry, &length) && length == HEAD_BYTES + count);
  uint8_t *bytes = entry;
  for (size_t i = 0; i < HEAD_BYTES; i++) {
    bytes[i] ^= mask[i];
    is_changed |= mask[i] != 0;
  }
  fuzz_entry_store(bytes, length);
  FUZZ_CHECK(is_kept(cache, key, bytes, length) == !is_changed);
  free(entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const trm_build build = { .name = "fuzzed", .text = "text" };
  trmi_cache_key key;
  trmi_cache *cache = fuzz_cache();
  trmi_cache_key_make("fuzz", &build, "", &key);
  trmi_cache_remove(cache, &key);
  if (size > 1 + HEAD_BYTES && data[0] == 1) {
    overlay(cache, &key, data + 1, data + 1 + HEAD_BYTES, size - 1 - HEAD_BYTES);
  } else if (size > 0) {
    trmi_cache_write(cache, &key, "name", 4); /* whose file takes these bytes */
    fuzz_entry_store(data + 1, size - 1);
    (void)is_kept(cache, &key, data + 1, size - 1);
  }
  trmi_cache_close(&cache);
  return 0;
}
