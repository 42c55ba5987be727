/* checkpoint_find.c - the newest generation that is whole, and its contents.
 *
 * Every file is read and hashed before any of it is used; sizes are compared before memory is asked
 * for. A generation of which a byte is missing or other is named and the one before it is tried. */
#include <config.h>

#include "io/checkpoint.h"
#include "io/cure.h"
#include "io/file.h"
#include "io/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MANIFEST_LIMIT = 64 << 20, MOST_GENERATIONS = 64 };

/* ---- the generations ----------------------------------------------------------- */

/* "step-00012800" */
static int read_step(const char *name, uint64_t *step)
{
  static const char begin[] = "step-";
  const char *digits = name + sizeof begin - 1;
  if (strncmp(name, begin, sizeof begin - 1) != 0) return 0;
  const size_t count = strspn(digits, "0123456789");
  if (count < 8 || count > 16 || digits[count] || (count > 8 && digits[0] == '0')) return 0;
  *step = strtoull(digits, NULL, 10);
  return 1;
}

static int later_first(const void *left, const void *right)
{
  const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? 1 : a > b ? -1 : 0;
}

/* The steps of those in the folder, the latest first; of too many, the latest. */
static trm_status list_steps(int top, const char *where, uint64_t steps[MOST_GENERATIONS],
                             size_t *count)
{
  const int folder = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = folder >= 0 ? fdopendir(folder) : NULL;
  const int error = errno;
  uint64_t step;
  *count = 0;
  if (!list && folder >= 0) close(folder);
  if (!list)
    return TRM_FAIL(IO, "cannot read '%s': %s; %s", where, strerror(error), trmi_cure(error));
  for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
    if (!read_step(entry->d_name, &step)) continue;
    if (*count == MOST_GENERATIONS) {
      qsort(steps, *count, sizeof *steps, later_first);
      if (step < steps[MOST_GENERATIONS - 1]) continue;
      --*count;
    }
    steps[(*count)++] = step;
  }
  closedir(list);
  qsort(steps, *count, sizeof *steps, later_first);
  return TRM_OK;
}

/* ---- one of them ----------------------------------------------------------------- */

static trm_status read_whole(int folder, const char *where, const char *name, size_t limit,
                             char **text, size_t *bytes)
{
  char *path = NULL;
  TRM_TRY(trm_path_join(where, name, &path));
  const trm_status status = trm_file_load_kept(folder, name, path, limit, text, bytes);
  free(path);
  return status;
}

static trm_status check_file(int folder, const char *where, const trm_manifest_file *file)
{
  char hash[TRM_HASH_TEXT];
  TRM_TRY(trmi_durable_hash(folder, where, file->name, file->bytes, hash));
  if (strcmp(hash, file->hash) == 0) return TRM_OK;
  return TRM_FAIL(INPUT, "'%s/%s' is damaged: its hash has changed", where, file->name);
}

static trm_status check_files(int folder, const char *where, const trm_manifest_file *files,
                              size_t count)
{
  for (size_t i = 0; i < count; i++) TRM_TRY(check_file(folder, where, &files[i]));
  return TRM_OK;
}

static trm_status read_manifest(trm_found *found)
{
  char *text = NULL, *sum = NULL, hash[TRM_HASH_TEXT] = "";
  size_t bytes = 0, sum_bytes = 0;
  TRM_TRY(read_whole(found->folder, found->path, "manifest.json", MANIFEST_LIMIT, &text, &bytes));
  trm_status status = read_whole(found->folder, found->path, "manifest.xxh128", 64, &sum,
                                 &sum_bytes);
  if (status == TRM_OK)
    status = trmi_durable_hash(found->folder, found->path, "manifest.json", bytes, hash);
  if (status == TRM_OK && (sum_bytes != TRM_HASH_TEXT || memcmp(sum, hash, TRM_HASH_TEXT - 1) != 0
                           || sum[TRM_HASH_TEXT - 1] != '\n'))
    status = TRM_FAIL(INPUT, "'%s/manifest.json' is damaged: its hash has changed",
                      found->path);
  if (status == TRM_OK) status = trm_manifest_read(text, bytes, &found->manifest);
  free(sum);
  free(text);
  return status;
}

static trm_status verify(trm_found *found, uint64_t step)
{
  TRM_TRY(read_manifest(found));
  const trm_manifest *manifest = &found->manifest;
  if (manifest->step != step)
    return TRM_FAIL(INPUT, "'%s' has the manifest of step %llu", found->path,
                    (unsigned long long)manifest->step);
  TRM_TRY(check_files(found->folder, found->path, manifest->files, manifest->file_count));
  for (size_t i = 0; i < manifest->array_count; i++)
    TRM_TRY(check_files(found->folder, found->path, manifest->arrays[i].parts,
                        manifest->arrays[i].part_count));
  return check_files(found->series, "series", manifest->segments, manifest->segment_count);
}

void trm_checkpoint_close(trm_found **handle)
{
  trm_found *found = *handle;
  if (!found) return;
  *handle = NULL;
  if (found->folder >= 0) close(found->folder);
  if (found->series >= 0) close(found->series);
  trm_manifest_clear(&found->manifest);
  free(found->path);
  free(found->refused);
  free(found);
}

static trm_status open_generation(int top, const char *where, uint64_t step, trm_found **out)
{
  char name[32];
  trm_found *found = calloc(1, sizeof *found);
  if (!found) return TRM_FAIL(NO_HOST_MEMORY, "no memory to read a checkpoint");
  found->folder = found->series = -1;
  snprintf(name, sizeof name, "step-%08llu", (unsigned long long)step);
  trm_status status = asprintf(&found->path, "%s/%s", where, name) < 0
                        ? TRM_FAIL(NO_HOST_MEMORY, "no memory to read a checkpoint")
                        : trmi_durable_folder(top, where, name, 0, &found->folder);
  if (status == TRM_OK) status = trmi_durable_folder(top, where, "series", 0, &found->series);
  if (status == TRM_OK) status = verify(found, step);
  if (status == TRM_OK) *out = found;
  else trm_checkpoint_close(&found);
  return status;
}

/* ---- the newest ------------------------------------------------------------------ */

static trm_status try_each(int top, const char *where, const uint64_t *steps, size_t count,
                           trm_found **out)
{
  char *reasons = NULL;
  size_t bytes = 0;
  FILE *list = open_memstream(&reasons, &bytes);
  trm_status status = list ? TRM_ERROR_NOT_FOUND
                           : TRM_FAIL(NO_HOST_MEMORY, "no memory to look for checkpoints");
  for (size_t i = 0; i < count && list && status != TRM_OK; i++) {
    status = open_generation(top, where, steps[i], out);
    if (status == TRM_ERROR_NO_HOST_MEMORY) break;
    if (status != TRM_OK)
      fprintf(list, "%sstep-%08llu: %s", i ? "; " : "", (unsigned long long)steps[i],
              trm_error_last()->text);
  }
  if (list && fclose(list) != 0) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for a list");
  if (status == TRM_OK) {
    (*out)->refused = reasons;
    return TRM_OK;
  }
  if (count > 0 && status != TRM_ERROR_NO_HOST_MEMORY)
    status = TRM_FAIL(INPUT, "no checkpoint in '%s' is intact: %s", where, reasons);
  free(reasons);
  return status;
}

/* 1: there is such an entry in the folder. */
static int has_entry(const char *folder, const char *name)
{
  char *path = NULL;
  if (trm_path_join(folder, name, &path) != TRM_OK) return 0;
  const int there = access(path, F_OK) == 0;
  free(path);
  return there;
}

/* Something in a folder of results, as one checkpoint or run.json, is taken for that folder. The
 * folder above, at most three levels up; NULL: there is none. The caller's, for free. */
static char *results_above(const char *path)
{
  char *at = realpath(path, NULL), *slash;
  for (int level = 0; at && level < 3 && (slash = strrchr(at, '/')) && slash != at; level++) {
    *slash = '\0';
    if (has_entry(at, "checkpoint")) return at;
  }
  free(at);
  return NULL;
}

static trm_status no_checkpoint(const char *folder, const char *where)
{
  char *above = results_above(folder);
  trm_status status;
  if (access(folder, F_OK) != 0)
    status = TRM_FAIL(NOT_FOUND, "there is no checkpoint, since there is no folder '%s'; check the "
                      "name", folder);
  else if (above)
    status = TRM_FAIL(NOT_FOUND, "'%s' is not a folder of results, but lies in one; name that: "
                      "'%s'", folder, above);
  else if (has_entry(folder, "manifest.json"))
    status = TRM_FAIL(NOT_FOUND, "'%s' is one checkpoint, not a folder of results; put it into "
                      "RESULTS/checkpoint, beside the folder 'series' of its run, and name RESULTS",
                      folder);
  else
    status = TRM_FAIL(NOT_FOUND, "there is no checkpoint in '%s'; run the case again", where);
  free(above);
  return status;
}

trm_status trm_checkpoint_find(const char *folder, trm_found **out)
{
  uint64_t steps[MOST_GENERATIONS];
  char *where = NULL;
  size_t count = 0;
  trm_found *found = NULL;
  TRM_TRY(trm_path_join(folder, "checkpoint", &where));
  const int top = trmi_place_open(where, O_RDONLY | O_DIRECTORY);
  const int error = errno;
  trm_status status = TRM_OK;
  if (top >= 0) status = list_steps(top, where, steps, &count);
  else if (error != ENOENT && error != ENOTDIR)
    status = TRM_FAIL(IO, "cannot read '%s': %s; %s", where, strerror(error), trmi_cure(error));
  if (status == TRM_OK && count == 0) status = no_checkpoint(folder, where);
  if (status == TRM_OK) status = try_each(top, where, steps, count, &found);
  if (top >= 0) close(top);
  free(where);
  if (status == TRM_OK) *out = found;
  return status;
}

/* ---- contents -------------------------------------------------------------------- */

const trm_manifest_array *trm_checkpoint_array_of(const trm_found *found, const char *name)
{
  for (size_t i = 0; i < found->manifest.array_count; i++)
    if (strcmp(found->manifest.arrays[i].name, name) == 0) return &found->manifest.arrays[i];
  return NULL;
}

static trm_status read_at(int file, const char *name, uint64_t at, void *to, size_t bytes)
{
  for (unsigned char *next = to; bytes > 0;) {
    const ssize_t done = pread(file, next, bytes, (off_t)at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0)
      return TRM_FAIL(IO, "cannot read '%s': %s", name,
                      done < 0 ? strerror(errno) : "it ends early");
    next += done;
    at += (uint64_t)done;
    bytes -= (size_t)done;
  }
  return TRM_OK;
}

static trm_status read_part(int folder, const trm_manifest_file *file, uint64_t at, void *to,
                            size_t bytes)
{
  const int opened = openat(folder, file->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) return TRM_FAIL(IO, "cannot read '%s': %s", file->name, strerror(errno));
  const trm_status status = read_at(opened, file->name, file->start + at, to, bytes);
  close(opened);
  return status;
}

trm_status trm_checkpoint_rows(const trm_found *found, const trm_manifest_array *array,
                               size_t component, size_t row, size_t rows, void *to)
{
  const size_t row_bytes = array->nx * trm_type_size(array->type), end = row + rows;
  unsigned char *next = to;
  for (size_t i = 0; i < array->part_count && row < end; i++) {
    const trm_manifest_file *part = &array->parts[i];
    const size_t last = part->first + part->count < end ? part->first + part->count : end;
    if (row < part->first || row >= last) continue;
    const uint64_t at = (uint64_t)(component * part->count + row - part->first) * row_bytes;
    TRM_TRY(read_part(found->folder, part, at, next, (last - row) * row_bytes));
    next += (last - row) * row_bytes;
    row = last;
  }
  return row == end ? TRM_OK : TRM_FAIL(INVALID, "the array '%s' has no row %zu", array->name, row);
}

trm_status trm_checkpoint_values(const trm_found *found, size_t i, double *to)
{
  for (size_t s = 0; s < found->manifest.segment_count; s++) {
    const trm_manifest_file *segment = &found->manifest.segments[s];
    const size_t bytes = segment->count * sizeof *to;
    TRM_TRY(read_part(found->series, segment, i * bytes, to + segment->first, bytes));
  }
  return TRM_OK;
}

trm_status trm_checkpoint_read(const trm_found *found, const char *name, char **text)
{
  for (size_t i = 0; i < found->manifest.file_count; i++)
    if (strcmp(found->manifest.files[i].name, name) == 0)
      return read_whole(found->folder, found->path, name, MANIFEST_LIMIT, text, NULL);
  return TRM_FAIL(INPUT, "'%s' has no file %s", found->path, name);
}
