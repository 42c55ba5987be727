/* cached.h - JSON documents that one command keeps in the cache folder for others: whole or absent.
 *
 * A document has a kind ("tuned") and a line with the conditions under which it is valid. Both are
 * in its file's name, and the line is in the file. */
#ifndef TRIREME_RUN_CACHED_H
#define TRIREME_RUN_CACHED_H

#include <jansson.h>

#include "core/trireme.h"

enum { CACHED_LINE = 1024 };

typedef struct cached {
  const char *kind, *line;
  int format;                  /* of the document's content: files of another format are ignored */
  const char *writer;          /* "trireme tune": the command that wrote the file and can write it
                                * again */
} cached;

/* Takes the members of `content`, an object, whose reference is released in any case. TRM_ERROR_IO
 * where there is no folder or it cannot be written. *path, malloc'd, to be freed by the caller, is
 * the file. */
trm_status cached_store(const trm_context *context, const cached *about, json_t *content,
                        char **path);

/* The document, owned by the caller, or NULL if there is no document. A file that is damaged or of
 * another kind is named in a warning and ignored. */
json_t *cached_load(const trm_context *context, const cached *about);

/* The warning of cached_load, for a reader that finds the content invalid. */
void cached_refuse(const trm_context *context, const cached *about, const char *wrong);

#endif
