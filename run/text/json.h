/* json.h - the program's JSON documents, on jansson.
 *
 * Every document is one object with "schema" (TRIREME_SCHEMA) and "trireme" (the version) first.
 * Unknown numbers are null, never zero. */
#ifndef TRIREME_RUN_JSON_H
#define TRIREME_RUN_JSON_H

#include <jansson.h>

#include "run/measure/statistics.h"

/* 2: results keep their conditions, energy and build. 3: studies keep them too, with the case.
 * Files of an older schema lack them and can still be read. 4: fingerprints are of version 2. */
enum { TRIREME_SCHEMA = 4 };

/* Call it before this thread makes any part of a document. */
void json_begin(void);
/* An object with schema, version and kind ("devices"). */
json_t *json_document(const char *kind);
/* 0 for NULL, and where memory for any part was missing. Call it before a document is written. */
int json_is_whole(const json_t *document);
/* The document as a text, owned by the caller; NULL where the document is not whole or memory is
 * missing. */
char *json_print(const json_t *document);

/* A string of any bytes: bytes that are not UTF-8 become '?'. */
json_t *json_text(const char *text);
/* A real number; null when it is not finite. */
json_t *json_number(double value);
/* "2026-11-20T16:30:00Z": now. */
json_t *json_written(void);
json_t *json_sample(const sample *measured);

#endif
