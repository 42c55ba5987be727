/* checkpoint.c - a generation is written beside the existing ones, and a rename completes it.
 *
 * The order protects the data. Every file is on the disk before the manifest names it. The manifest
 * and the names in `.new` are on the disk before `.new` is renamed. The new name is there before an
 * older generation is removed. A writer that is ended anywhere leaves the generations before
 * whole. */
#include <config.h>

#include "io/checkpoint.h"
#include "io/cure.h"
#include "io/file.h"
#include "io/json_kept.h"
#include "io/npy.h"
#include "io/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 2, MOST_SEGMENTS = 64 };

struct trm_checkpoint {
  char *where;                     /* FOLDER/checkpoint */
  int results, top, series, fresh; /* descriptors: FOLDER, and checkpoint/, series/, .new/ in it */
  uint64_t step, bytes;
  double time;
  size_t series_count;
  trm_durable *part;
  char part_name[TRM_CHECKPOINT_NAME];
  trmi_saving *saving;             /* of parts that ranks write; NULL: of none */
  json_t *about;                   /* of the open part */
  json_t *arrays, *segments, *files;
};

static trm_status no_memory(void) { return TRM_FAIL(NO_HOST_MEMORY, "no memory for a checkpoint"); }

static void name_step(uint64_t step, char name[32])
{
  snprintf(name, 32, "step-%08llu", (unsigned long long)step);
}

static void free_checkpoint(trm_checkpoint *cp)
{
  const int folders[] = {cp->fresh, cp->series, cp->top, cp->results};
  trmi_saving_end(&cp->saving);
  trmi_durable_abandon(&cp->part);
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
    if (folders[i] >= 0) close(folders[i]);
  json_decref(cp->about);
  json_decref(cp->arrays);
  json_decref(cp->segments);
  json_decref(cp->files);
  free(cp->where);
  free(cp);
}

void trm_checkpoint_drop(trm_checkpoint **handle)
{
  trm_checkpoint *cp = *handle;
  if (!cp) return;
  *handle = NULL;
  if (cp->top >= 0) (void)trmi_durable_remove(cp->top, cp->where, ".new");
  free_checkpoint(cp);
}

/* As files of results find it: links of other users are not followed. -1, and errno. */
static trm_status open_results(const char *folder, int *out)
{
  char *path = NULL, name[NAME_MAX + 1];
  int place = -1;
  TRM_TRY(trm_path_join(folder, "run.json", &path));
  const trm_status status = trmi_place_find(path, &place, name);
  free(path);
  TRM_TRY(status);
  *out = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int error = errno;
  close(place);
  errno = error;
  return TRM_OK;
}

static trm_status open_folders(trm_checkpoint *cp, const char *folder)
{
  TRM_TRY(open_results(folder, &cp->results));
  if (cp->results < 0)
    return TRM_FAIL(IO, "cannot write to '%s': %s; %s", folder, strerror(errno), trmi_cure(errno));
  TRM_TRY(trmi_durable_folder(cp->results, folder, "checkpoint", 1, &cp->top));
  TRM_TRY(trmi_durable_folder(cp->top, cp->where, "series", 1, &cp->series));
  TRM_TRY(trmi_durable_remove(cp->top, cp->where, ".old"));
  TRM_TRY(trmi_durable_remove(cp->top, cp->where, ".new"));
  return trmi_durable_folder(cp->top, cp->where, ".new", 1, &cp->fresh);
}

trm_status trm_checkpoint_begin(const char *folder, uint64_t step, double time,
                                trm_checkpoint **out)
{
  trm_checkpoint *cp = calloc(1, sizeof *cp);
  if (!cp) return no_memory();
  cp->results = cp->top = cp->series = cp->fresh = -1;
  cp->step = step;
  cp->time = time;
  cp->arrays = json_array();
  cp->segments = json_array();
  cp->files = json_array();
  trm_status status = cp->arrays && cp->segments && cp->files ? TRM_OK : no_memory();
  if (status == TRM_OK) status = trm_path_join(folder, "checkpoint", &cp->where);
  if (status == TRM_OK) status = open_folders(cp, folder);
  if (status == TRM_OK) *out = cp;
  else trm_checkpoint_drop(&cp);
  return status;
}

/* ---- parts --------------------------------------------------------------------- */

static trm_status begin_part(trm_checkpoint *cp, const trm_checkpoint_array *array, size_t first,
                             size_t rows, char head[TRM_NPY_HEAD], size_t *start)
{
  const trm_array shape = {.type = array->type, .components = (int)array->components,
                           .nx = array->nx, .ny = rows, .nz = 1};
  char *name = cp->part_name;
  size_t bytes;
  *start = trm_npy_head(&shape, head);
  if (snprintf(name, sizeof cp->part_name, "%s.%08zu.npy", array->name, first) >=
      (int)sizeof cp->part_name)
    return TRM_FAIL(UNSUPPORTED, "the name '%.60s...' is too long for a file", array->name);
  TRM_TRY(trm_size_mul(array->nx * trm_type_size(array->type), rows, array->name, &bytes));
  TRM_TRY(trm_size_mul(bytes, array->components, array->name, &bytes));
  json_t *part = json_pack("{s:s, s:I, s:I, s:I}", "file", name, "first", (json_int_t)first,
                           "count", (json_int_t)rows, "bytes", (json_int_t)(*start + bytes));
  cp->about = json_pack("{s:s, s:s, s:[I,I,I], s:[o]}", "name", array->name, "type",
                        trm_type_name(array->type), "shape", (json_int_t)array->components,
                        (json_int_t)array->rows, (json_int_t)array->nx, "parts", part);
  if (!cp->about) return no_memory();
  TRM_TRY(trmi_durable_create(cp->fresh, cp->where, name, *start + bytes, &cp->part));
  cp->bytes += *start + bytes;
  return trmi_durable_write(cp->part, head, *start);
}

trm_status trm_checkpoint_part(trm_checkpoint *cp, const trm_checkpoint_array *array,
                               size_t first, size_t rows)
{
  char head[TRM_NPY_HEAD];
  size_t start;
  return begin_part(cp, array, first, rows, head, &start);
}

trm_status trm_checkpoint_write(trm_checkpoint *cp, const void *elements, size_t bytes)
{
  return trmi_durable_write(cp->part, elements, bytes);
}

/* Parts of an array of which a part is already written. */
static json_t *find_parts(const trm_checkpoint *cp, const char *name)
{
  for (size_t i = 0; i < json_array_size(cp->arrays); i++) {
    const json_t *array = json_array_get(cp->arrays, i);
    if (strcmp(json_string_value(json_object_get(array, "name")), name) == 0)
      return json_object_get(array, "parts");
  }
  return NULL;
}

static trm_status add_part(trm_checkpoint *cp, const char *hash)
{
  json_t *about = cp->about, *part = json_array_get(json_object_get(about, "parts"), 0);
  const char *name = json_string_value(json_object_get(about, "name"));
  json_t *parts = find_parts(cp, name);
  const int is_hashed = json_object_set_new(part, "xxh128", json_string(hash)) == 0;
  const int is_added = parts ? json_array_append(parts, part) == 0
                             : json_array_append(cp->arrays, about) == 0;
  json_decref(about);
  cp->about = NULL;
  return is_hashed && is_added ? TRM_OK : no_memory();
}

trm_status trm_checkpoint_end(trm_checkpoint *cp)
{
  char hash[TRM_HASH_TEXT];
  TRM_TRY(trmi_durable_close(&cp->part, hash));
  return add_part(cp, hash);
}

/* ---- parts that each rank writes its own of ----------------------------------------- */

static trm_status tell_blind(const trmi_saving *saving, const char *folder, char **out)
{
  int error;
  const int rank = trmi_saving_blind(saving, &error);
  const int is_elsewhere = error == ENOENT || error == ENOTDIR || error == ESTALE;
  *out = NULL;
  if (!rank) return TRM_OK;
  if (asprintf(out, "rank %d on %s %s the folder '%s' (%s), so rank 0 writes its part of "
               "checkpoints; %s", rank, trm_rank_node(rank), is_elsewhere ? "does not see" :
               "cannot write to", folder, strerror(error), is_elsewhere ? "write to a folder that "
               "all machines share (--output)" : trmi_cure(error)) >= 0)
    return TRM_OK;
  *out = NULL;
  return no_memory();
}

trm_status trm_checkpoint_share(trm_checkpoint *cp, const trm_device *device, char **blind)
{
  char *path = NULL;
  TRM_TRY(trm_path_join(cp->where, ".new", &path));
  trm_status status = trmi_saving_begin(device, cp->fresh, path, &cp->saving);
  free(path);
  if (status == TRM_OK) status = tell_blind(cp->saving, cp->where, blind);
  return status;
}

trm_status trm_checkpoint_shared_part(trm_checkpoint *cp, const trm_checkpoint_array *array)
{
  char head[TRM_NPY_HEAD];
  size_t start;
  TRM_TRY(begin_part(cp, array, 0, array->rows, head, &start));
  return trmi_saving_file(cp->saving, cp->part_name, head, start);
}

trm_status trm_checkpoint_runs(trm_checkpoint *cp, const trm_buffer *buffer, trm_type type,
                               const trmi_run *runs, size_t count)
{
  return trmi_saving_write(cp->saving, buffer, type, runs, count);
}

trm_status trm_checkpoint_shared_end(trm_checkpoint *cp, int *is_finite)
{
  char hash[TRM_HASH_TEXT], head[TRM_HASH_TEXT];
  int rank, error;
  const trm_status status = trmi_saving_close(cp->saving, hash, is_finite, &rank, &error);
  if (status != TRM_OK && error)
    return TRM_FAIL(IO, "rank %d on %s cannot write '%s/%s': %s; %s", rank, trm_rank_node(rank),
                    cp->where, cp->part_name, strerror(error), trmi_cure(error));
  TRM_TRY(status);
  TRM_TRY(trmi_durable_close(&cp->part, head));
  return add_part(cp, hash);
}

trm_status trm_checkpoint_text(trm_checkpoint *cp, const char *name, const char *text)
{
  char hash[TRM_HASH_TEXT];
  const size_t bytes = strlen(text);
  TRM_TRY(trmi_durable_save(cp->fresh, cp->where, name, text, bytes, hash));
  cp->bytes += bytes;
  json_t *about = json_pack("{s:s, s:I, s:s}", "file", name, "bytes", (json_int_t)bytes, "xxh128",
                            hash);
  return about && json_array_append_new(cp->files, about) == 0 ? TRM_OK : no_memory();
}

/* ---- series -------------------------------------------------------------------- */

static trm_status write_segment(trm_checkpoint *cp, double *const *series, size_t count,
                                size_t first, const char *name, char hash[TRM_HASH_TEXT],
                                uint64_t *written)
{
  const size_t steps = (size_t)cp->step - first, bytes = steps * sizeof(double);
  const trm_array shape = {.type = TRM_TYPE_F64, .components = 1, .nx = steps, .ny = count,
                           .nz = 1};
  char head[TRM_NPY_HEAD];
  const size_t start = trm_npy_head(&shape, head);
  trm_durable *file = NULL;
  TRM_TRY(trmi_durable_remove(cp->series, "series", ".new"));
  *written = start + (uint64_t)bytes * count;
  TRM_TRY(trmi_durable_create(cp->series, "series", ".new", *written, &file));
  trm_status status = trmi_durable_write(file, head, start);
  for (size_t i = 0; i < count && status == TRM_OK; i++)
    status = trmi_durable_write(file, series[i] + first, bytes);
  if (status != TRM_OK) {
    trmi_durable_abandon(&file);
    return status;
  }
  TRM_TRY(trmi_durable_close(&file, hash));
  return trmi_durable_rename(cp->series, "series", ".new", name);
}

void trm_checkpoint_follow(trm_checkpoint_past *past, const json_t *manifest)
{
  json_decref(past->before);
  past->before = NULL;
  if (!manifest) return;
  past->before = past->last;
  past->last = json_incref(json_object_get(manifest, "series"));
}

void trm_checkpoint_forget(trm_checkpoint_past *past)
{
  json_decref(past->before);
  json_decref(past->last);
  *past = (trm_checkpoint_past){0};
}

trm_status trm_checkpoint_series(trm_checkpoint *cp, const trm_checkpoint_past *past,
                                 double *const *series, size_t count)
{
  const json_t *segments = json_object_get(past->before, "segments");
  const size_t known = json_array_size(segments);
  char name[64], hash[TRM_HASH_TEXT];
  uint64_t bytes = 0;
  size_t first = 0;
  cp->series_count = count;
  /* beyond MOST_SEGMENTS the segments become one file, so that their number stays small */
  if (known < MOST_SEGMENTS)
    for (size_t i = 0; i < known; i++) {
      json_t *segment = json_array_get(segments, i);
      first += (size_t)json_integer_value(json_object_get(segment, "count"));
      if (json_array_append(cp->segments, segment) != 0) return no_memory();
    }
  if (count == 0 || first >= cp->step) return TRM_OK;
  snprintf(name, sizeof name, "%08zu-%08llu.npy", first, (unsigned long long)cp->step);
  TRM_TRY(write_segment(cp, series, count, first, name, hash, &bytes));
  cp->bytes += bytes;
  json_t *segment = json_pack("{s:s, s:I, s:I, s:I, s:s}", "file", name, "first",
                              (json_int_t)first, "count", (json_int_t)(cp->step - first), "bytes",
                              (json_int_t)bytes, "xxh128", hash);
  return segment && json_array_append_new(cp->segments, segment) == 0 ? TRM_OK : no_memory();
}

uint64_t trm_checkpoint_bytes(const trm_checkpoint *cp)
{
  return cp->bytes;
}

/* ---- what goes ------------------------------------------------------------------ */

/* A step of more digits is a later one. */
static int later_first(const void *left, const void *right)
{
  const char *a = *(char *const *)left, *b = *(char *const *)right;
  const size_t length_a = strlen(a), length_b = strlen(b);
  return length_a != length_b ? (length_a < length_b ? 1 : -1) : -strcmp(a, b);
}

/* Names in a folder that begin so, later steps first. The list and each name in it are malloc'd.
 * is_whole 0: there are others, which could not be read. */
typedef struct names { char **list; size_t count; int is_whole; } names;

static int add_name(names *to, const char *name)
{
  char **grown = realloc(to->list, (to->count + 1) * sizeof *grown);
  if (!grown) return 0;
  to->list = grown;
  grown[to->count] = strdup(name);
  return grown[to->count] && ++to->count;
}

static names list_names(int folder, const char *begin)
{
  names out = {0};
  const int opened = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = opened >= 0 ? fdopendir(opened) : NULL;
  if (!list && opened >= 0) close(opened);
  if (!list) return out;
  out.is_whole = 1;
  errno = 0;
  for (struct dirent *entry = readdir(list); entry && out.is_whole; entry = readdir(list))
    if (entry->d_name[0] != '.' && strncmp(entry->d_name, begin, strlen(begin)) == 0)
      out.is_whole = add_name(&out, entry->d_name);
  out.is_whole = out.is_whole && errno == 0;
  closedir(list);
  if (out.count > 0) qsort(out.list, out.count, sizeof *out.list, later_first);
  return out;
}

static void free_names(names *from)
{
  for (size_t i = 0; i < from->count; i++) free(from->list[i]);
  free(from->list);
}

/* The newest is the one that was committed: what has a later step was not whole, or the run would
 * have gone on from there. */
static void remove_generations(const trm_checkpoint *cp)
{
  names all = list_names(cp->top, "step-");
  size_t kept = 0;
  for (size_t i = 0; i < all.count && all.is_whole; i++) {
    const uint64_t step = strtoull(all.list[i] + strlen("step-"), NULL, 10);
    if (step <= cp->step && kept++ < KEPT) continue;
    if (trmi_durable_remove(cp->top, cp->where, ".old") == TRM_OK &&
        trmi_durable_rename(cp->top, cp->where, all.list[i], ".old") == TRM_OK)
      (void)trmi_durable_remove(cp->top, cp->where, ".old");
  }
  free_names(&all);
}

static int is_needed(const trm_manifest *kept, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++)
    for (size_t s = 0; s < kept[i].segment_count; s++)
      if (strcmp(kept[i].segments[s].name, name) == 0) return 1;
  return 0;
}

static trm_status load_manifest(const trm_checkpoint *cp, const char *name, trm_manifest *out)
{
  char *path = NULL, *text = NULL;
  size_t bytes = 0;
  if (asprintf(&path, "%s/%s/manifest.json", cp->where, name) < 0) return no_memory();
  trm_status status = trm_file_load_kept(AT_FDCWD, path, path, (size_t)64 << 20, &text, &bytes);
  if (status == TRM_OK) status = trm_manifest_read(text, bytes, out);
  free(text);
  free(path);
  return status;
}

/* Removes segments that no generation has: segments of an incomplete generation, or segments merged
 * into one. Nothing is removed where a generation could not be read. */
static void remove_segments(const trm_checkpoint *cp)
{
  trm_manifest kept[KEPT] = {{0}};
  names generations = list_names(cp->top, "step-"), segments = list_names(cp->series, "");
  const size_t count = generations.count;
  int is_known = generations.is_whole && count >= 1 && count <= KEPT;
  for (size_t i = 0; i < count && is_known; i++)
    is_known = load_manifest(cp, generations.list[i], &kept[i]) == TRM_OK;
  for (size_t i = 0; i < segments.count && is_known; i++)
    if (!is_needed(kept, count, segments.list[i]))
      (void)trmi_durable_remove(cp->series, "series", segments.list[i]);
  for (size_t i = 0; i < KEPT; i++) trm_manifest_clear(&kept[i]);
  free_names(&segments);
  free_names(&generations);
}

/* ---- the end --------------------------------------------------------------------- */

static trm_status write_manifest(trm_checkpoint *cp, json_t *manifest)
{
  char time[64], hash[TRM_HASH_TEXT + 1], own[TRM_HASH_TEXT];
  snprintf(time, sizeof time, "%a", cp->time);
  if (json_object_set_new(manifest, "schema", json_integer(TRM_CHECKPOINT_SCHEMA)) != 0 ||
      json_object_set_new(manifest, "kind", json_string("checkpoint")) != 0 ||
      json_object_set_new(manifest, "step", json_integer((json_int_t)cp->step)) != 0 ||
      json_object_set_new(manifest, "time", json_string(time)) != 0 ||
      json_object_set(manifest, "arrays", cp->arrays) != 0 ||
      json_object_set_new(manifest, "series",
                          json_pack("{s:I, s:O}", "count", (json_int_t)cp->series_count,
                                    "segments", cp->segments)) != 0 ||
      json_object_set(manifest, "files", cp->files) != 0)
    return no_memory();
  char *text = trmi_json_dumps(manifest, JSON_INDENT(1));
  if (!text) return no_memory();
  trm_status status = trmi_durable_save(cp->fresh, cp->where, "manifest.json", text, strlen(text),
                                        hash);
  free(text);
  TRM_TRY(status);
  hash[TRM_HASH_TEXT - 1] = '\n';
  return trmi_durable_save(cp->fresh, cp->where, "manifest.xxh128", hash, TRM_HASH_TEXT, own);
}

/* A generation of this step that is there already was not whole: else the run would have gone on
 * from there. */
static trm_status give_name(const trm_checkpoint *cp)
{
  char name[32];
  name_step(cp->step, name);
  if (faccessat(cp->top, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
    TRM_TRY(trmi_durable_rename(cp->top, cp->where, name, ".old"));
  return trmi_durable_rename(cp->top, cp->where, ".new", name);
}

/* The names of outputs that the run made before are on the disk when the generation's is. */
static trm_status commit(trm_checkpoint *cp, json_t *manifest)
{
  TRM_TRY(write_manifest(cp, manifest));
  TRM_TRY(trmi_durable_sync(cp->fresh, cp->where));
  TRM_TRY(trmi_durable_sync(cp->series, cp->where));
  TRM_TRY(trmi_durable_sync(cp->results, cp->where));
  TRM_TRY(give_name(cp));
  return trmi_durable_sync(cp->top, cp->where);
}

trm_status trm_checkpoint_commit(trm_checkpoint **handle, json_t *manifest)
{
  trm_checkpoint *cp = *handle;
  const trm_status status = commit(cp, manifest);
  if (status != TRM_OK) {
    const trm_error cause = *trm_error_last();
    trm_checkpoint_drop(handle);
    return trm_error_record(status, cause.file, cause.line, "%s", cause.text);
  }
  *handle = NULL;
  (void)trmi_durable_remove(cp->top, cp->where, ".old");
  remove_generations(cp);
  remove_segments(cp);
  free_checkpoint(cp);
  return TRM_OK;
}
