/* json_kept.c - JSON files, counted before they are parsed. */
#include "io/json_kept.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "io/file.h"

static _Thread_local int lacks_memory;
static json_malloc_t earlier;
static json_free_t earlier_free;

/* Where jansson (2.14) has no memory to lengthen the text of a token, it goes on as if it had, and
 * reads beyond that text. So its requests for this purpose, 16 bytes doubled again and again, are
 * then served from a reserve. The reserve has four times the longest token, and room for other
 * blocks of such sizes. The next block of another size is refused, and with that the document. */
enum { SHORTEST = 32, OTHERS = 4096 };
static _Thread_local struct { char *begin, *at, *end; } reserve;

static void *reserved(size_t bytes)
{
  if (bytes < SHORTEST || (bytes & (bytes - 1)) || bytes > (size_t)(reserve.end - reserve.at))
    return NULL;
  reserve.at += bytes;
  return reserve.at - bytes;
}

static void *allocate(size_t bytes)
{
  void *block = earlier(bytes);
  if (block) return block;
  lacks_memory = 1;
  return reserve.begin ? reserved(bytes) : NULL;
}

static void release(void *block)
{
  const uintptr_t at = (uintptr_t)block;
  const int is_reserved = reserve.begin && at >= (uintptr_t)reserve.begin &&
                          at < (uintptr_t)reserve.end;
  if (!is_reserved) earlier_free(block);
}

static void listen(void)
{
  json_get_alloc_funcs(&earlier, &earlier_free);
  json_set_alloc_funcs(allocate, release);
}

void trmi_json_begin_checks(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, listen);
  lacks_memory = 0;
}

int trmi_json_lacked(void) { return lacks_memory; }
void trmi_json_lack(void) { lacks_memory = 1; }

char *trmi_json_dumps(const json_t *document, size_t flags)
{
  const int before = lacks_memory;
  trmi_json_begin_checks();
  char *text = json_dumps(document, flags);
  if (lacks_memory) {
    free(text);
    text = NULL;
  }
  lacks_memory = before;
  return text;
}

static int has_too_many(const char *text, size_t bytes)
{
  size_t values = 0;
  for (size_t i = 0; i < bytes; i++)
    values += text[i] == ',' || text[i] == '[' || text[i] == '{';
  return values > TRMI_JSON_VALUES;
}

/* At least the bytes of the longest string; an escaped quotation mark ends none. */
static size_t longest_string(const char *text, size_t bytes)
{
  size_t longest = 0, begin = 0;
  for (size_t i = 1; i < bytes; i++) {
    if (text[i] != '"' || text[i - 1] == '\\') continue;
    if (i - begin > longest) longest = i - begin;
    begin = i;
  }
  return longest > bytes - begin ? longest : bytes - begin;
}

static json_t *parse(const char *text, size_t bytes, json_error_t *error)
{
  const size_t room = 4 * longest_string(text, bytes) + OTHERS;
  reserve.begin = reserve.at = malloc(room);
  reserve.end = reserve.begin ? reserve.begin + room : NULL;
  if (!reserve.begin) lacks_memory = 1;
  json_t *read = reserve.begin ? json_loadb(text, bytes, JSON_REJECT_DUPLICATES, error) : NULL;
  if (lacks_memory) json_decref(read);
  free(reserve.begin);
  reserve.begin = NULL;
  return lacks_memory ? NULL : read;
}

trm_status trmi_json_parse(const char *path, const char *text, size_t bytes, json_t **out)
{
  json_error_t error;
  if (has_too_many(text, bytes))
    return TRM_FAIL(INPUT, "%s has more than %d values, and no result of trireme is so large; "
                    "give a file that trireme wrote", path, (int)TRMI_JSON_VALUES);
  const int before = lacks_memory;
  trmi_json_begin_checks();
  json_t *read = parse(text, bytes, &error);
  const int lacked = lacks_memory;
  lacks_memory = before;
  if (lacked) return TRM_FAIL(NO_HOST_MEMORY, "no memory to read '%s'", path);
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
