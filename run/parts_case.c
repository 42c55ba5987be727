/* parts_case.c - see parts_case.h. A heading, then texts that end with 0: the names of the devices,
 * the solver's name, and three texts for each key whose value is not the default. */
#include "run/parts_case.h"

#include <stdlib.h>
#include <string.h>

/* What `trireme tune` found is here, and not in the keys. Ranks run the same program. */
typedef struct heading {
  trm_device_options device;
  trm_solver_options solver;
  uint64_t keys;
} heading;

/* ---- out ------------------------------------------------------------------------ */

typedef struct packer {
  char *bytes;                  /* NULL: only counted */
  size_t count;
} packer;

static void put(packer *p, const void *bytes, size_t count)
{
  if (p->bytes) memcpy(p->bytes + p->count, bytes, count);
  p->count += count;
}

static void put_text(packer *p, const char *text) { put(p, text, strlen(text) + 1); }

static trm_origin_rank rank_of(const trm_config *config, const char *key)
{
  if (!trm_config_is_given(config, key)) return TRM_RANK_DEFAULT;
  return trm_config_is_asked(config, key) ? TRM_RANK_OPTION : TRM_RANK_CASE;
}

static int is_default(const trm_config *config, const trm_option *option)
{
  const char *fallback = option->fallback ? option->fallback : "";
  return !trm_config_is_given(config, option->key) &&
         strcmp(trm_config_text(config, option->key), fallback) == 0;
}

static void put_case(packer *p, const run_case *chosen, const char *names)
{
  const trm_config *config = chosen->config;
  const size_t begin = p->count;
  heading head;
  memset(&head, 0, sizeof head);
  head.device = chosen->settings.device;
  head.solver = chosen->settings.solver;
  put(p, &head, sizeof head);
  put_text(p, names);
  put_text(p, chosen->type->name);
  for (size_t i = 0; i < trm_config_count(config); i++) {
    const trm_option *option = trm_config_option(config, i);
    const char rank = (char)('0' + (int)rank_of(config, option->key));
    if (is_default(config, option)) continue;
    put(p, &rank, 1);
    put_text(p, option->key);
    put_text(p, trm_config_text(config, option->key));
    put_text(p, trm_config_origin(config, option->key));
    head.keys++;
  }
  if (p->bytes) memcpy(p->bytes + begin, &head, sizeof head);
}

trm_status parts_pack(const run_case *chosen, const char *names, char **bytes, size_t *count)
{
  packer counted = { NULL, 0 };
  put_case(&counted, chosen, names);
  packer p = { malloc(counted.count), 0 };
  if (!p.bytes) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a case");
  put_case(&p, chosen, names);
  *bytes = p.bytes;
  *count = p.count;
  return TRM_OK;
}

/* ---- in --------------------------------------------------------------------------- */

typedef struct reader {
  const char *at, *end;
} reader;

/* NULL: the bytes end before. */
static const char *take_text(reader *r)
{
  const char *text = r->at;
  const char *end = text ? memchr(text, 0, (size_t)(r->end - text)) : NULL;
  r->at = end ? end + 1 : NULL;
  return end ? text : NULL;
}

static trm_status take_key(reader *r, trm_config *config)
{
  const int rank = r->at && r->at < r->end ? *r->at++ - '0' : -1;
  const char *key = take_text(r), *text = take_text(r), *origin = take_text(r);
  if (rank < TRM_RANK_DEFAULT || rank > TRM_RANK_OPTION || !origin)
    return TRM_FAIL(INVALID, "a case came from rank 0 that is not whole");
  return trm_config_set_ranked(config, key, text, (trm_origin_rank)rank, origin);
}

trm_status parts_unpack(const char *bytes, size_t count, run_case *out, const char **names)
{
  heading head;
  reader r = { bytes + sizeof head, bytes + count };
  *out = (run_case){0};
  if (count < sizeof head) return TRM_FAIL(INVALID, "a case came from rank 0 that is not whole");
  memcpy(&head, bytes, sizeof head);
  const char *listed = take_text(&r), *solver = take_text(&r);
  if (!solver) return TRM_FAIL(INVALID, "a case came from rank 0 that is not whole");
  TRM_TRY(solver_find(solver, &out->type));
  TRM_TRY(case_keys(out->type, &out->config));
  for (uint64_t i = 0; i < head.keys; i++) TRM_TRY(take_key(&r, out->config));
  TRM_TRY(trm_config_check(out->config));
  TRM_TRY(settings_read(out->config, &out->settings));
  out->settings.device = head.device;
  out->settings.solver = head.solver;
  *names = listed;
  return TRM_OK;
}
