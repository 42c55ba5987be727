/* keep_inputs.c - the files that a case names, hashed: a run goes on only from the same ones.
 *
 * A key names a file, a folder of files, or the common beginning of several files ("data/run1" for
 * run1_h.bin and run1_z.bin). */
#include "run/keep.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/text/json.h"

static trm_status no_memory(void)
{
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the hashes of a case's files");
}

/* known: the marks of the files when the run began, or NULL. */
typedef struct inputs { json_t *list; const char *key; int is_marks; const json_t *known; } inputs;

/* The facts that show a replaced or changed file. No clock is read: the clock of a file server, or
 * one that is set back, is not the run's. */
static json_t *mark_of(const char *path)
{
  struct stat about = {0};
  char text[128];
  const int is_there = stat(path, &about) == 0;
  snprintf(text, sizeof text, "%d %llu %lld %lld.%09ld", is_there, (unsigned long long)about.st_ino,
           (long long)about.st_size, (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
  return json_pack("{s:o, s:s}", "path", json_text(path), "mark", text);
}

static trm_status add_file(const inputs *to, const char *path)
{
  char hash[TRM_HASH_TEXT];
  uint64_t bytes;
  json_t *mark = mark_of(path);
  if (to->is_marks)
    return mark && json_array_append_new(to->list, mark) == 0 ? TRM_OK : no_memory();
  const int is_same = !to->known ||
                      json_equal(mark, json_array_get(to->known, json_array_size(to->list)));
  json_decref(mark);
  if (!is_same)
    return TRM_FAIL(INPUT, "the file '%s' (%s) changed after the run had begun, so a checkpoint "
                           "cannot tell with which contents the run began", path, to->key);
  TRM_TRY(trmi_file_hash(path, &bytes, hash));
  json_t *one = json_pack("{s:s, s:o, s:I, s:s}", "key", to->key, "path", json_text(path), "bytes",
                          (json_int_t)bytes, "xxh128", hash);
  return one && json_array_append_new(to->list, one) == 0 ? TRM_OK : no_memory();
}

static int is_regular(const char *path)
{
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static trm_status add_entry(const inputs *to, const char *folder, const char *name)
{
  char *path = NULL;
  TRM_TRY(trm_path_join(folder, name, &path));
  const trm_status status = is_regular(path) ? add_file(to, path) : TRM_OK;
  free(path);
  return status;
}

/* The files of a folder whose names begin so, in their order. */
static trm_status add_set(const inputs *to, const char *folder, const char *begin)
{
  struct dirent **entries = NULL;
  trm_status status = TRM_OK;
  const int count = scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name;
    if (status == TRM_OK && name[0] != '.' && strncmp(name, begin, strlen(begin)) == 0)
      status = add_entry(to, folder, name);
    free(entries[i]);
  }
  free(entries);
  return status;
}

static trm_status add_path(const inputs *to, const char *path)
{
  struct stat about;
  if (is_regular(path)) return add_file(to, path);
  if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) return add_set(to, path, "");
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  if (!folder) return no_memory();
  const trm_status status = add_set(to, folder, slash ? slash + 1 : path);
  free(folder);
  return status;
}

static trm_status list_files(const trm_config *config, int is_marks, const json_t *known,
                             json_t **out)
{
  json_t *list = json_array();
  trm_status status = list ? TRM_OK : no_memory();
  for (size_t i = 0; i < trm_config_count(config) && status == TRM_OK; i++) {
    const trm_option *option = trm_config_option(config, i);
    const char *path = trm_config_text(config, option->key);
    const inputs to = {list, option->key, is_marks, known};
    if (option->type == TRM_OPTION_FILE && path[0]) status = add_path(&to, path);
  }
  if (status == TRM_OK && known && json_array_size(list) != json_array_size(known))
    status = TRM_FAIL(INPUT, "of the %zu files that the case names, %zu can be read; checkpoints "
                             "need all of them", json_array_size(known), json_array_size(list));
  if (status == TRM_OK) *out = list;
  else json_decref(list);
  return status;
}

trm_status keep_marks(const trm_config *config, json_t **out)
{
  return list_files(config, 1, NULL, out);
}

trm_status keep_inputs(const trm_config *config, const json_t *known, json_t **out)
{
  return list_files(config, 0, known, out);
}
