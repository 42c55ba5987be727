/* retrace_json.c - retrace.json: each row and claim of a report with its numbers and verdict. */
#include <math.h>
#include <string.h>

#include "cli/retrace/retrace.h"
#include "run/text/json.h"
#include "run/text/members.h"

static void set_text(json_t *out, const char *name, const char *text)
{
  json_object_set_new(out, name, text[0] ? json_text(text) : json_null());
}

static json_t *entry_json(const retrace *all, const retrace_entry *entry)
{
  json_t *out = json_object();
  const study_row *row = retrace_timed(all, entry);
  const benchmark *of = row ? &row->who.benchmark : NULL;
  const double steps = member_number(entry->table, "steps");
  const double step = of ? benchmark_step_seconds(of) : (double)NAN;
  set_text(out, "row", member_text(entry->row, "row"));
  set_text(out, "what", member_text(entry->row, "what"));
  set_text(out, "set", member_text(entry->row, "set"));
  set_text(out, "on", all->devices[entry->device]);
  json_object_set_new(out, "published", json_number(member_number(entry->row, "published")));
  set_text(out, "unit", member_text(entry->table, "unit"));
  json_object_set_new(out, "here", json_number(isfinite(steps) ? step * steps : step));
  set_text(out, "here_unit", isfinite(steps) ? "s" : "s a step");
  json_object_set_new(out, "seconds_per_step", json_number(step));
  json_object_set_new(out, "factor_published", json_number(entry->published));
  json_object_set_new(out, "factor", json_number(entry->factor));
  json_object_set_new(out, "factor_interval", member_pair(entry->range.low, entry->range.high));
  json_object_set_new(out, "factor_confidence", json_number(entry->range.confidence));
  set_text(out, "verdict", retrace_verdict_name(entry->verdict));
  set_text(out, "reason", entry->reason);
  set_text(out, "fingerprint", of ? of->fingerprint : "");
  json_object_set_new(out, "agrees", of && of->fingerprint[0]
                      ? json_boolean(row_agrees(&all->of, row)) : json_null());
  if (row && row->tolerance > 0) {
    set_text(out, "near", member_text(entry->row, "near"));
    json_object_set_new(out, "near_steps", json_integer((json_int_t)row->near_steps));
    json_object_set_new(out, "apart", json_number(row->apart));
    set_text(out, "apart_in", row->apart_in);
    json_object_set_new(out, "own_apart", json_number(row->own_apart));
    json_object_set_new(out, "tolerance", json_number(row->tolerance));
  }
  json_object_set_new(out, "seconds_before_loop", json_number(of ? of->times.first_step
                                                                 : (double)NAN));
  return out;
}

static json_t *table_json(const retrace *all, size_t t, const json_t *table)
{
  char size[96];
  json_t *out = json_object(), *rows = json_array();
  const int is_smaller = retrace_size(all, t, size, sizeof size);
  set_text(out, "id", member_text(table, "id"));
  set_text(out, "title", member_text(table, "title"));
  set_text(out, "order", member_text(table, "order"));
  set_text(out, "cells", size);
  json_object_set_new(out, "is_smaller", json_boolean(is_smaller));
  for (size_t i = 0; i < all->entry_count; i++)
    if (all->entries[i].table_index == t && !all->entries[i].is_elsewhere)
      json_array_append_new(rows, entry_json(all, &all->entries[i]));
  json_object_set_new(out, "rows", rows);
  return out;
}

static json_t *claims_json(const retrace *all)
{
  json_t *list = json_array();
  for (size_t i = 0; i < all->claim_count; i++) {
    const retrace_claim *of = &all->claims[i];
    json_t *one = json_object();
    set_text(one, "claim", member_text(of->claim, "claim"));
    set_text(one, "text", member_text(of->claim, "text"));
    set_text(one, "on", all->devices[of->device]);
    set_text(one, "verdict", retrace_verdict_name(of->verdict));
    set_text(one, "reason", of->reason);
    json_array_append_new(list, one);
  }
  return list;
}

json_t *retrace_json(const retrace *all)
{
  const json_t *tables = json_object_get(all->report, "tables"), *table;
  json_t *document = candidate_document("retrace", &all->of.rows[0].who, all->of.host),
         *list = json_array();
  size_t t;
  json_object_set_new(document, "report", json_text(all->of.args->retrace));
  json_object_set_new(document, "quick", json_boolean(all->of.args->quick));
  json_array_foreach((json_t *)tables, t, table)
    json_array_append_new(list, table_json(all, t, table));
  json_object_set_new(document, "tables", list);
  json_object_set_new(document, "claims", claims_json(all));
  return document;
}
