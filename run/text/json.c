/* json.c - see json.h. */
#include "run/text/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/trireme.h"
#include "io/json_kept.h"

void json_begin(void)
{
  trmi_json_begin_checks();
}

int json_is_whole(const json_t *document)
{
  return document && !trmi_json_lacked();
}

char *json_print(const json_t *document)
{
  return json_is_whole(document) ? trmi_json_dumps(document, JSON_INDENT(2)) : NULL;
}

json_t *json_text(const char *text)
{
  json_t *plain = json_string(text ? text : "");
  if (plain) return plain;
  char *copy = strdup(text);
  if (!copy) trmi_json_lack();
  if (!copy) return NULL;
  for (char *c = copy; *c; c++)
    if (*c & 0x80) *c = '?';
  plain = json_string(copy);
  free(copy);
  return plain;
}

json_t *json_number(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_document(const char *kind)
{
  return json_pack("{s:i, s:s, s:s}", "schema", TRIREME_SCHEMA, "trireme", trm_version(), "kind",
                   kind);
}

json_t *json_written(void)
{
  char now[32];
  const time_t seconds = time(NULL);
  struct tm utc;
  gmtime_r(&seconds, &utc);
  strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return json_string(now);
}

json_t *json_sample(const sample *measured)
{
  if (measured->count == 0) return json_null();
  return json_pack("{s:o, s:o, s:o, s:i}", "least", json_number(measured->least), "median",
                   json_number(measured->median), "most", json_number(measured->most), "count",
                   measured->count);
}
