/* bisection_stage.c - two trails of one stage side by side: the first command whose outcome
 * differs. */
#include "cli/compare/bisect/bisection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/text/text.h"

/* ---- hashes --------------------------------------------------------------------- */

/* The buffer of that name and number, or the count of buffers. */
static size_t counterpart(const trail *of, const trail_buffer *like)
{
  size_t i = 0;
  while (i < of->buffer_count && (of->buffers[i].ordinal != like->ordinal ||
                                  strcmp(of->buffers[i].name, like->name) != 0)) i++;
  return i;
}

static const trail_write *find_write(const trail *of, size_t buffer, size_t version)
{
  for (size_t i = 0; i < of->write_count; i++)
    if (of->writes[i].buffer == buffer && of->writes[i].version == version) return &of->writes[i];
  return NULL;
}

/* Scratch memory: no layout of it is known, no series lies in it. Devices may use it in ways of
 * their own, so that it differs says nothing until something that is declared follows from it. */
typedef enum verdict {
  VERDICT_SAME, VERDICT_DIFFERS, VERDICT_SCRATCH_DIFFERS, VERDICT_UNKNOWN
} verdict;

/* Values beside the changes may be left from steps that were carried out in other batches. */
static int is_same_hash(const trail_hash *a, const trail_hash *b)
{
  return XXH128_isEqual(a->all, b->all) || XXH128_isEqual(a->changed, b->changed);
}

/* By the views that both have. Layouts asked of the device come first, and decide where there are
 * any: two may be of one size, so equal by one is equal. Fields must all be. */
static verdict compare_views(const trail *a, const trail_write *x, const trail *b,
                             const trail_write *y, int *is_part)
{
  verdict found = VERDICT_UNKNOWN;
  int by_layout = 0;
  for (size_t i = 0; i < x->view_count; i++)
    for (size_t k = 0; k < y->view_count; k++) {
      const trail_layout *p = &a->layouts[x->views[i].layout], *q = &b->layouts[y->views[k].layout];
      if (!trail_layouts_match(p, q)) continue;
      if (p->field != TRAIL_NONE && by_layout) return found;
      by_layout |= p->field == TRAIL_NONE;
      *is_part = !by_layout;
      const int same = is_same_hash(&x->views[i].hash, &y->views[k].hash);
      if (p->field == TRAIL_NONE && same) return VERDICT_SAME;
      if (p->field != TRAIL_NONE && !same) return VERDICT_DIFFERS;
      found = same ? VERDICT_SAME : VERDICT_DIFFERS;
    }
  return found;
}

static verdict compare_writes(const trail *a, const trail_write *x, const trail *b,
                              const trail_write *y)
{
  const int one_size = a->buffers[x->buffer].bytes == b->buffers[y->buffer].bytes;
  if (one_size && is_same_hash(&x->whole, &y->whole)) return VERDICT_SAME;
  int is_part = 0;
  const verdict found = compare_views(a, x, b, y, &is_part);
  /* bytes of a buffer that belong to no field are scratch memory */
  if (one_size && found == VERDICT_SAME && is_part) return VERDICT_SCRATCH_DIFFERS;
  if (!one_size || found != VERDICT_UNKNOWN) return found;
  return a->buffers[x->buffer].is_series ? VERDICT_DIFFERS : VERDICT_SCRATCH_DIFFERS;
}

static void skip(const trail *a, size_t buffer, bisection *b)
{
  char quoted[80];
  snprintf(quoted, sizeof quoted, "\"%s\"", a->buffers[buffer].name);
  if (strstr(b->skipped, quoted)) return;
  text_append(b->skipped, sizeof b->skipped, "%s%s", b->skipped[0] ? ", " : "", quoted);
}

/* Two writes of one buffer that differ. */
typedef struct parting {
  const trail_write *writes[2];
  int is_scratch;
} parting;

/* The first difference from *next on; 0 if there is no other. */
static int find_parting(const trail trails[2], bisection *b, size_t *next, parting *out)
{
  for (size_t i = *next; i < trails[0].write_count; i++) {
    const trail_write *x = &trails[0].writes[i];
    const size_t buffer = counterpart(&trails[1], &trails[0].buffers[x->buffer]);
    const trail_write *y = find_write(&trails[1], buffer, x->version);
    const verdict found = y ? compare_writes(&trails[0], x, &trails[1], y) : VERDICT_UNKNOWN;
    if (found == VERDICT_UNKNOWN) skip(&trails[0], x->buffer, b);
    if (found != VERDICT_DIFFERS && found != VERDICT_SCRATCH_DIFFERS) continue;
    *out = (parting){{x, y}, found == VERDICT_SCRATCH_DIFFERS};
    *next = i + 1;
    return 1;
  }
  return 0;
}

/* ---- the command in full --------------------------------------------------------- */

static const kept_buffer *find_kept(const trail *t, const trail_buffer *like)
{
  for (size_t i = 0; i < t->kept.buffer_count; i++) {
    const trail_buffer *buffer = &t->buffers[t->kept.buffers[i].buffer];
    if (buffer->ordinal == like->ordinal && strcmp(buffer->name, like->name) == 0)
      return &t->kept.buffers[i];
  }
  return NULL;
}

/* Whether the field holds an element of its buffer, and as which cell. */
static int holds(const trail_field *f, size_t element, trm_position *at)
{
  const size_t component = f->layout.component ? f->layout.component : 1;
  const size_t row = f->layout.row ? f->layout.row : 1;
  if (element < f->layout.first) return 0;
  const size_t rest = element - f->layout.first, c = f->shape[3] > 1 ? rest / component : 0;
  const size_t inner = rest - c * component, r = f->shape[1] * f->shape[2] > 1 ? inner / row : 0;
  *at = (trm_position){c, inner - r * row, r % f->shape[1], r / f->shape[1]};
  return c < f->shape[3] && at->x < f->shape[0] && at->z < f->shape[2];
}

/* The declared field that holds an element of a buffer. States in buffers by rows alternate with
 * buffers of their size. During a step these are named as fields of the state, and as derived
 * fields only where no state is. */
static const trail_field *find_field(const trail *t, size_t buffer, trm_type type, size_t element,
                                     int derived_first, int is_interleaved, trm_position *at)
{
  for (int pass = 0; pass < 4; pass += is_interleaved ? 1 : 2)
    for (size_t i = 0; i < t->field_count; i++) {
      const trail_field *f = &t->fields[i];
      const int is_hashed = derived_first ? pass >= 2 : pass < 2, is_exact = pass % 2 == 0;
      if (f->is_hashed == is_hashed && f->type == type &&
          (is_exact ? f->buffer == buffer
                    : t->buffers[f->buffer].bytes == t->buffers[buffer].bytes) &&
          holds(f, element, at))
        return f;
    }
  return NULL;
}

static size_t index_of(const bisection_view *view, const trm_position *p)
{
  return ((p->component * view->shape[2] + p->z) * view->shape[1] + p->y) * view->shape[0] + p->x;
}

static size_t element_of(const bisection_view *view, const trm_position *p)
{
  const trm_layout *l = &view->layout[0];
  return l->first + p->component * l->component + (p->z * view->shape[1] + p->y) * l->row + p->x;
}

static trm_status describe(const bisection_pair *pair, bisection *b)
{
  trm_array x, y;
  const trm_position first = b->difference.first;
  TRM_TRY(bisection_arrays(pair, &b->view, &x, &y));
  b->index = index_of(&b->view, &first);
  b->first = first;
  b->values[0] = bisection_value(&x, b->index, &b->bits[0]);
  b->values[1] = bisection_value(&y, b->index, &b->bits[1]);
  b->ulps = bisection_ulps(&x, &y, b->index);
  free((void *)x.data);
  free((void *)y.data);
  trm_position at;
  const trail_field *field = find_field(pair->trails[0], pair->buffers[0], b->view.type,
                                        element_of(&b->view, &first),
                                        b->stage == BISECTION_OBSERVE, !b->view.is_whole, &at);
  if (field) b->first = at;
  if (field) snprintf(b->field, sizeof b->field, "%s", field->name);
  return TRM_OK;
}

/* Whether the first differing cell differed before the command, too. */
static trm_status differed_before(const bisection_pair *pair, bisection *b)
{
  trm_array old[2] = {{0}, {0}};
  uint64_t bits[2];
  trm_status status = TRM_OK;
  for (int s = 0; s < 2 && status == TRM_OK; s++)
    status = bisection_cells(&b->view, s, pair->before[s], &old[s]);
  if (status == TRM_OK) {
    for (int s = 0; s < 2; s++) (void)bisection_value(&old[s], b->index, &bits[s]);
    b->was_apart = bits[0] != bits[1];
  }
  for (int s = 0; s < 2; s++) free((void *)old[s].data);
  return status;
}

static trm_type value_type(const bisection *b)
{
  return trm_real_type(b->side[0].chosen->settings.solver.precision);
}

/* Checks the buffers that the command only reads, and buffers that held other values though the
 * states were equal. */
static trm_status check_inputs(const trail trails[2], bisection *b)
{
  for (size_t i = 0; i < trails[0].kept.buffer_count && !b->input[0]; i++) {
    const kept_buffer *x = &trails[0].kept.buffers[i];
    const kept_buffer *y = find_kept(&trails[1], &trails[0].buffers[x->buffer]);
    int comparable = 0;
    bisection_view view;
    trm_difference difference;
    if (!y || x->access == 'w' || y->access == 'w') continue;
    const bisection_pair pair = {{&trails[0], &trails[1]}, {x->buffer, y->buffer}, {NULL, NULL},
                                 {x->before, y->before}, value_type(b)};
    TRM_TRY(bisection_compare(&pair, &comparable, &view, &difference));
    if (comparable && difference.differing > 0)
      snprintf(b->input, sizeof b->input, "%s", trails[0].buffers[x->buffer].name);
  }
  return TRM_OK;
}

/* *differs stays 0 where all that the command changed is equal. */
static trm_status check_outputs(const trail trails[2], bisection *b, int *differs)
{
  for (size_t i = 0; i < trails[0].kept.buffer_count; i++) {
    const kept_buffer *x = &trails[0].kept.buffers[i];
    const kept_buffer *y = find_kept(&trails[1], &trails[0].buffers[x->buffer]);
    int comparable = 0;
    if (!y || !x->after || !y->after) continue;
    const bisection_pair pair = {{&trails[0], &trails[1]}, {x->buffer, y->buffer},
                                 {x->before, y->before}, {x->after, y->after}, value_type(b)};
    TRM_TRY(bisection_compare(&pair, &comparable, &b->view, &b->difference));
    if (!comparable || b->difference.differing == 0) continue;
    snprintf(b->buffer, sizeof b->buffer, "%s", trails[0].buffers[x->buffer].name);
    b->outcome = b->input[0] ? BISECTION_INPUTS : BISECTION_FOUND;
    *differs = 1;
    TRM_TRY(describe(&pair, b));
    return differed_before(&pair, b);
  }
  return TRM_OK;
}

/* The stage again on both sides, with the two commands in full. */
static trm_status compare_closely(const trail known[2], const parting *at, bisection *b,
                                  int *differs)
{
  trail trails[2] = {{0}, {0}};
  trm_status status = TRM_OK;
  *differs = 0;
  b->input[0] = b->field[0] = 0;
  for (int s = 0; s < 2; s++) {
    b->launch[s] = at->writes[s]->launch;
    b->command[s] = known[s].launches[b->launch[s]];
  }
  snprintf(b->buffer, sizeof b->buffer, "%s", known[0].buffers[at->writes[0]->buffer].name);
  if (b->command[0].is_upload || b->command[1].is_upload) {
    b->outcome = BISECTION_UPLOAD;
    *differs = 1;
    return TRM_OK;
  }
  for (int s = 0; s < 2 && status == TRM_OK; s++) {
    trail_begin(&trails[s], b->side[s].device, b->launch[s]);
    status = bisection_walk(&b->side[s], b->stage, b->step, &trails[s]);
  }
  if (status == TRM_OK) status = check_inputs(trails, b);
  if (status == TRM_OK) status = check_outputs(trails, b, differs);
  for (int s = 0; s < 2; s++) trail_clear(&trails[s]);
  return status;
}

/* The first scratch buffer of that name that differs, before the command of b. */
static int find_scratch(const trail trails[2], bisection *b, const char *name, parting *out)
{
  for (size_t next = 0; find_parting(trails, b, &next, out);)
    if (out->is_scratch && out->writes[0]->launch < b->launch[0] &&
        strcmp(trails[0].buffers[out->writes[0]->buffer].name, name) == 0)
      return 1;
  return 0;
}

/* A command whose inputs differed is not a cause: back to the one that wrote the input, as far as
 * it was written in this stage. */
static trm_status go_back(const trail trails[2], bisection *b)
{
  parting at;
  while (b->outcome == BISECTION_INPUTS && find_scratch(trails, b, b->input, &at)) {
    bisection before = *b;
    int differs;
    TRM_TRY(compare_closely(trails, &at, &before, &differs));
    if (!differs) break;
    *b = before;
  }
  return TRM_OK;
}

/* A write whose hashes differ is looked at in full: a value that was there by chance before it was
 * written makes the changes look different. */
static trm_status lay_side_by_side(const trail trails[2], bisection *b)
{
  parting at;
  size_t next = 0;
  for (int s = 0; s < 2; s++) b->launches[s] = trails[s].launch_count;
  while (find_parting(trails, b, &next, &at)) {
    int differs;
    if (at.is_scratch) continue;
    TRM_TRY(compare_closely(trails, &at, b, &differs));
    if (differs) return go_back(trails, b);
  }
  b->outcome = b->skipped[0]                     ? BISECTION_UNMATCHED
               : b->stage == BISECTION_OBSERVE ? BISECTION_NOTHING
                                               : BISECTION_ALONE;
  return TRM_OK;
}

trm_status bisection_examine(bisection *b)
{
  trail trails[2] = {{0}, {0}};
  trm_status status = TRM_OK;
  for (int s = 0; s < 2 && status == TRM_OK; s++) {
    trail_begin(&trails[s], b->side[s].device, SIZE_MAX);
    status = bisection_walk(&b->side[s], b->stage, b->step, &trails[s]);
  }
  if (status == TRM_OK) status = lay_side_by_side(trails, b);
  for (int s = 0; s < 2; s++) trail_clear(&trails[s]);
  return status;
}
