/* keep_inputs.c - the files that a case names, hashed: a run goes on only from the same ones. */
#include "run/keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/input_files.h"
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

static trm_status add_file(void *user, const char *path)
{
  const inputs *to = user;
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

static trm_status list_files(const trm_config *config, int is_marks, const json_t *known,
                             json_t **out)
{
  json_t *list = json_array();
  trm_status status = list ? TRM_OK : no_memory();
  for (size_t i = 0; i < trm_config_count(config) && status == TRM_OK; i++) {
    const trm_option *option = trm_config_option(config, i);
    const char *path = trm_config_text(config, option->key);
    inputs to = {list, option->key, is_marks, known};
    if (option->type == TRM_OPTION_FILE && path[0]) status = input_files_each(path, add_file, &to);
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
