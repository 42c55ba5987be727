/* json_kept.c - JSON files, counted before they are parsed. */
#include "io/json_kept.h"

#include <fcntl.h>
#include <stdlib.h>

#include "io/file.h"

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
  json_t *read = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
  if (!read && json_error_code(&error) == json_error_out_of_memory)
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
