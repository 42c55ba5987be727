/* json_kept.h - JSON that trireme wrote, checked when it is read again. */
#ifndef TRIREME_JSON_KEPT_H
#define TRIREME_JSON_KEPT_H

#include "core/trireme.h"

#include <jansson.h>

/* A value takes about a hundred bytes of memory, and can be two bytes of a file: what has more of
 * them is no result of ours. */
enum { TRMI_JSON_VALUES = 1 << 20 };

/* jansson leaves out members that it has no memory for, and reports a text that it has no memory
 * for as no JSON. From trmi_json_begin_checks on, this thread knows whether any was missing;
 * trmi_json_lack says that some was. The functions for memory that a program has given to
 * jansson stay in use. */
void trmi_json_begin_checks(void);
int trmi_json_lacked(void);
void trmi_json_lack(void);

/* The document as a text, which is the caller's; NULL where memory was missing. (json_dumps goes on
 * without a key that it has no memory for, and gives a text that is no JSON.) */
char *trmi_json_dumps(const json_t *document, size_t flags);

/* Parses a text; path is for messages. TRM_ERROR_INPUT names the line that is no JSON;
 * TRM_ERROR_NO_HOST_MEMORY is not the text's fault. *out is owned by the caller. */
trm_status trmi_json_parse(const char *path, const char *text, size_t bytes, json_t **out);

/* The same of a file of at most `limit` bytes; a pipe or a device is refused. */
trm_status trmi_json_load(const char *path, size_t limit, json_t **out);

#endif
