/* keep_inputs.c - the files that a case names, hashed: a run goes on only from the same ones.
 *
 * A key names a file, a folder of files, or how the names of a set of them begin ("data/run1" for
 * run1_h.bin and run1_z.bin). */
#include "cli/run/keep.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/run/json.h"

static trm_status no_memory(void)
{
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the hashes of a case's files");
}

typedef struct inputs { json_t *list; const char *key; time_t since; } inputs;

static trm_status add_file(const inputs *to, const char *path)
{
  char hash[TRM_HASH_TEXT];
  struct stat about;
  uint64_t bytes;
  if (to->since && stat(path, &about) == 0 && about.st_mtime > to->since)
    return TRM_FAIL(INPUT, "the file '%s' (%s) was written to after the run had begun, so that "
                    "nobody could say what it went on from", path, to->key);
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

trm_status keep_inputs(const trm_config *config, time_t since, json_t **out)
{
  json_t *list = json_array();
  trm_status status = list ? TRM_OK : no_memory();
  for (size_t i = 0; i < trm_config_count(config) && status == TRM_OK; i++) {
    const trm_option *option = trm_config_option(config, i);
    const char *path = trm_config_text(config, option->key);
    const inputs to = {list, option->key, since};
    if (option->type == TRM_OPTION_FILE && path[0]) status = add_path(&to, path);
  }
  if (status == TRM_OK) *out = list;
  else json_decref(list);
  return status;
}
