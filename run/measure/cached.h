/* cached.h - JSON documents that one command keeps in the cache folder for others: whole or absent.
 *
 * A document has a kind ("tuned") and a line of conditions that it holds under; both are in its
 * file's name, and the line is in the file. */
#ifndef TRIREME_CLI_CACHED_H
#define TRIREME_CLI_CACHED_H

#include <jansson.h>

#include "core/trireme.h"

enum { CACHED_LINE = 1024 };

typedef struct cached {
  const char *kind, *line;
  int format;                  /* of what the document holds: files of another are ignored */
  const char *writer;          /* "trireme tune": who wrote it and writes it anew */
} cached;

/* Takes the members of `content`, an object, which is given up in any case. TRM_ERROR_IO where
 * there is no folder or it cannot be written; *path, malloc'd and the caller's, is the file. */
trm_status cached_store(const trm_context *context, const cached *about, json_t *content,
                        char **path);

/* The document, the caller's, or NULL if there is none; a file that is damaged or of another
 * kind is named in a warning and ignored. */
json_t *cached_load(const trm_context *context, const cached *about);

/* The warning of cached_load, for a reader to whom the content makes no sense. */
void cached_refuse(const trm_context *context, const cached *about, const char *wrong);

#endif
