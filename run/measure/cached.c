/* cached.c - documents in the cache folder, each in a file of its own. */
#include "run/measure/cached.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "run/text/json.h"
#include "core/trace.h"
#include "io/file.h"

enum { JSON_LIMIT = 1 << 16 };

static trm_status path_of(const trm_context *context, const cached *about, char **path)
{
  char name[96];
  XXH128_canonical_t hash;
  const char *folder = trmi_context_folder(context);
  if (!folder[0])
    return TRM_FAIL(IO, "there is no cache folder to keep it in; set TRIREME_CACHE_DIR or HOME");
  XXH128_canonicalFromHash(&hash, XXH3_128bits(about->line, strlen(about->line)));
  int used = snprintf(name, sizeof name, "%s-", about->kind);
  for (size_t i = 0; i < sizeof hash.digest; i++)
    used += snprintf(name + used, sizeof name - (size_t)used, "%02x", hash.digest[i]);
  snprintf(name + used, sizeof name - (size_t)used, ".json");
  return trm_path_join(folder, name, path);
}

trm_status cached_store(const trm_context *context, const cached *about, json_t *content,
                        char **path)
{
  char *file = NULL, *text = NULL;
  json_t *document = json_document(about->kind);
  json_object_set_new(document, "format", json_integer(about->format));
  json_object_set_new(document, "conditions", json_text(about->line));
  json_object_update(document, content);
  if (content) text = json_print(document);
  json_decref(document);
  json_decref(content);
  trm_status status = text ? path_of(context, about, &file)
                           : TRM_FAIL(NO_HOST_MEMORY, "no memory for the results of '%s'",
                                      about->writer);
  if (status == TRM_OK) status = trm_file_save(file, text, strlen(text));
  free(text);
  if (status == TRM_OK) *path = file;
  else free(file);
  return status;
}

static void warn(const trm_context *context, const cached *about, const char *path,
                 const char *wrong)
{
  trmi_context_say(context, TRM_LOG_WARNING, "%s, which '%s' wrote, is not used: %s; run that "
                   "again, or remove the file", path, about->writer, wrong);
}

void cached_refuse(const trm_context *context, const cached *about, const char *wrong)
{
  char *path = NULL;
  if (path_of(context, about, &path) == TRM_OK) warn(context, about, path, wrong);
  free(path);
}

/* NULL where all is well, else what is wrong. */
static const char *judge(const json_t *document, const cached *about)
{
  const char *line = json_string_value(json_object_get(document, "conditions"));
  if (!document) return "it is not JSON";
  if (json_integer_value(json_object_get(document, "format")) != about->format)
    return "it is of another format";
  return line && strcmp(line, about->line) == 0 ? NULL : "it is about another device or solver";
}

json_t *cached_load(const trm_context *context, const cached *about)
{
  char *path = NULL, *text = NULL;
  json_t *document = NULL;
  if (!trmi_context_folder(context)[0] || path_of(context, about, &path) != TRM_OK) return NULL;
  if (access(path, F_OK) == 0) {
    const char *wrong = "it cannot be read";
    if (trm_file_load(path, JSON_LIMIT, &text, NULL) == TRM_OK) {
      document = json_loads(text, 0, NULL);
      wrong = judge(document, about);
    }
    if (wrong) {
      warn(context, about, path, wrong);
      json_decref(document);
      document = NULL;
    }
  }
  free(text);
  free(path);
  return document;
}
