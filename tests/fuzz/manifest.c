/* Manifests of checkpoints: of what is accepted every name is one of a file in its folder, and the
 * parts have all rows, once, with the bytes that these take. */
#include <string.h>

#include "io/checkpoint.h"
#include "tests/fuzz/fuzz.h"

static void check_files(const trm_manifest_file *files, size_t count, size_t each, size_t all)
{
  size_t next = 0;
  for (size_t i = 0; i < count; i++) {
    FUZZ_CHECK(files[i].name[0] && files[i].name[0] != '.' && !strchr(files[i].name, '/'));
    FUZZ_CHECK(strlen(files[i].hash) == TRM_HASH_TEXT - 1);
    FUZZ_CHECK(files[i].first == next && files[i].count > 0);
    FUZZ_CHECK(files[i].bytes - files[i].start == (uint64_t)files[i].count * each);
    next += files[i].count;
  }
  FUZZ_CHECK(next == all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  trm_manifest manifest;
  if (!fuzz_accepted(trm_manifest_read((const char *)data, size, &manifest))) return 0;
  for (size_t i = 0; i < manifest.array_count; i++) {
    const trm_manifest_array *array = &manifest.arrays[i];
    check_files(array->parts, array->part_count,
                array->components * array->nx * trm_type_size(array->type), array->rows);
  }
  check_files(manifest.segments, manifest.segment_count, manifest.series_count * sizeof(double),
              manifest.series_count ? (size_t)manifest.step : 0);
  trm_manifest_clear(&manifest);
  return 0;
}
