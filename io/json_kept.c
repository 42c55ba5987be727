/* json_kept.c - JSON files, counted before they are parsed. */
#include "io/json_kept.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>

#include "io/file.h"

static _Thread_local int lacks_memory;
static json_malloc_t earlier;

static void *allocate(size_t bytes)
{
  void *block = earlier(bytes);
  if (!block) lacks_memory = 1;
  return block;
}

static void listen(void)
{
  json_free_t release;
  json_get_alloc_funcs(&earlier, &release);
  json_set_alloc_funcs(allocate, release);
}

void trmi_json_watch(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, listen);
  lacks_memory = 0;
}

int trmi_json_lacked(void) { return lacks_memory; }
void trmi_json_lack(void) { lacks_memory = 1; }

static int has_too_many(const char *text, size_t bytes)
{
  size_t values = 0;
  for (size_t i = 0; i < bytes; i++)
    values += text[i] == ',' || text[i] == '[' || text[i] == '{';
  return values > TRMI_JSON_VALUES;
}

trm_status trmi_json_parse(const char *path, const char *text, size_t bytes, json_t **out)
{
  json_error_t error;
  if (has_too_many(text, bytes))
    return TRM_FAIL(INPUT, "%s has more than %d values, and no result of trireme is so large; "
                    "give a file that trireme wrote", path, (int)TRMI_JSON_VALUES);
  const int before = lacks_memory;
  trmi_json_watch();
  json_t *read = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
  const int lacked = lacks_memory;
  lacks_memory = before;
  if (!read && lacked)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory to read '%s'", path);
  if (!read)
    return TRM_FAIL(INPUT, "%s:%d: not JSON: %s; give a complete file that trireme wrote", path,
                    error.line, error.text);
  *out = read;
  return TRM_OK;
}

trm_status trmi_json_load(const char *path, size_t limit, json_t **out)
{
  char *text = NULL;
  size_t bytes = 0;
  TRM_TRY(trm_file_load_kept(AT_FDCWD, path, path, limit, &text, &bytes));
  const trm_status status = trmi_json_parse(path, text, bytes, out);
  free(text);
  return status;
}
