/* Cached results of probe processes: one that is believed names at most as many parts as
 * there is room for, with words that end; one that is not leaves nothing. */
#include <string.h>

#include "core/plugins/probe_process.h"
#include "tests/fuzz/cached.h"
#include "tests/fuzz/fuzz.h"

static const char noun[] = "backend", symbol[] = "trm_backend_fuzzed", file[] = "/dev/null";

static void check_part(const trmi_probe_part *part)
{
  FUZZ_CHECK(memchr(part->name, '\0', sizeof part->name));
  FUZZ_CHECK(memchr(part->words, '\0', sizeof part->words));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const trmi_probe_result good = { .bad_count = 0 };
  static trmi_cache_key key;
  static int has_key;
  static trmi_probe_result found, none;
  trmi_cache *cache = fuzz_cache();
  if (!has_key) {
    trmi_probe_cache_write(noun, symbol, file, &good);
    fuzz_entry_key(&key);
    has_key = 1;
  }
  trmi_cache_remove(cache, &key);
  trmi_cache_write(cache, &key, data, size);
  if (trmi_probe_cache_read(noun, symbol, file, &found)) {
    FUZZ_CHECK(found.bad_count <= TRMI_PROBE_PARTS && !found.files);
    for (size_t i = 0; i < found.bad_count; i++) check_part(&found.bad[i]);
  } else {
    FUZZ_CHECK(memcmp(&found, &none, sizeof found) == 0);
  }
  trmi_cache_close(&cache);
  return 0;
}
