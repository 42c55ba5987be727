/* bisection_report.c - what a bisection found, as lines for readers and as JSON for scripts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/compare/bisect/bisection.h"
#include "run/text/json.h"
#include "run/text/text.h"

/* ---- words ------------------------------------------------------------------------------ */

static void say_command(const trail_launch *c, char *text, size_t bytes)
{
  if (c->is_upload) snprintf(text, bytes, "what the host wrote");
  else if (c->kind == TRM_COMMAND_COPY) snprintf(text, bytes, "a copy");
  else if (c->kind == TRM_COMMAND_FILL) snprintf(text, bytes, "a fill");
  else
    snprintf(text, bytes, "kernel %s (program %s) over %d x %d x %d", c->kernel, c->program,
             (int)c->extent.nx, (int)c->extent.ny, (int)c->extent.nz);
}

/* "field 'h' in buffer "state 1", cell (3, 4)" */
static void say_where(const bisection *b, char *text, size_t bytes)
{
  const trm_position *p = &b->first;
  const int is_value = b->view.is_whole && !b->field[0];
  text[0] = 0;
  if (b->field[0]) text_append(text, bytes, "field '%s' in ", b->field);
  text_append(text, bytes, "buffer \"%s\", ", b->buffer);
  if (is_value) text_append(text, bytes, "value %zu", b->index);
  else if (b->view.shape[2] > 1)
    text_append(text, bytes, "cell (%zu, %zu, %zu)", p->x, p->y, p->z);
  else text_append(text, bytes, "cell (%zu, %zu)", p->x, p->y);
  if (p->component > 0) text_append(text, bytes, ", component %zu", p->component);
}

static void say_stage(const bisection *b, char *text, size_t bytes)
{
  if (b->stage == BISECTION_STEP)
    snprintf(text, bytes, "in step %llu of %llu", (unsigned long long)b->step,
             (unsigned long long)b->steps);
  else if (b->stage == BISECTION_CREATE) snprintf(text, bytes, "in the initial state");
  else
    snprintf(text, bytes, "in the derived fields after step %llu", (unsigned long long)b->step);
}

/* ---- lines ------------------------------------------------------------------------------ */

static void print_command(const bisection *b)
{
  char text[2][224];
  for (int s = 0; s < 2; s++) say_command(&b->command[s], text[s], sizeof text[s]);
  if (strcmp(text[0], text[1]) == 0 && b->launch[0] == b->launch[1])
    printf("  by command %zu of %zu there: %s\n", b->launch[0] + 1, b->launches[0], text[0]);
  else
    for (int s = 0; s < 2; s++)
      printf("  on %s by command %zu of %zu there: %s\n", b->side[s].label, b->launch[s] + 1,
             b->launches[s], text[s]);
}

static void print_values(const bisection *b)
{
  char where[256];
  const int width = 2 * (int)trm_type_size(b->view.type);
  const int precise = b->view.type == TRM_TYPE_F64 ? 17 : 9;
  const trm_difference *d = &b->difference;
  say_where(b, where, sizeof where);
  printf("  first in %s\n", where);
  for (int s = 0; s < 2; s++)
    printf("    %.*g (0x%0*" PRIx64 ") on %s\n", precise, b->values[s], width, b->bits[s],
           b->side[s].label);
  if (b->ulps == UINT64_MAX) printf("  one of the two is not finite");
  else printf("  %" PRIu64 " ULP apart", b->ulps);
  printf("; %zu of its %zu values differ%s", d->differing, d->values, d->differing == 1 ? "s" : "");
  if (d->differing > 1 && d->ulps != UINT64_MAX) printf(", by up to %" PRIu64 " ULP", d->ulps);
  printf("\n");
}

static void print_found(const bisection *b)
{
  print_command(b);
  if (b->outcome == BISECTION_UPLOAD) {
    printf("  into buffer \"%s\"\n", b->buffer);
    return;
  }
  print_values(b);
  if (b->input[0])
    printf("  its buffer \"%s\", which is not part of the state, held other values before:\n"
           "  the cause is an earlier command, whose buffers could not be compared or are not\n"
           "  part of the state\n",
           b->input);
  else
    printf("  from inputs that are equal in every bit%s\n",
           b->was_apart ? "; but this value of the buffer that it writes\n"
                          "  differed before: if the kernel reads it, the cause is an earlier "
                          "command"
                        : "");
}

void bisection_print(const bisection *b)
{
  char stage[96];
  say_stage(b, stage, sizeof stage);
  if (b->outcome == BISECTION_NOTHING) {
    printf("\n%s and %s: run again, they agree after every step. One of them does not\n"
           "give the same result twice, or reads a value that was never written;\n"
           "see TRIREME_DEBUG_BUFFERS.\n",
           b->side[0].label, b->side[1].label);
  } else if (b->outcome == BISECTION_ALONE) {
    printf("\n%s and %s differ first %s, but agree in every bit when each command is run\n"
           "alone. The cause is a recorded sequence (--plain-replay runs it launch by launch), a\n"
           "value that was never written, or chance.\n",
           b->side[0].label, b->side[1].label, stage);
  } else {
    printf("\n%s and %s differ first %s\n", b->side[0].label, b->side[1].label, stage);
    if (b->outcome == BISECTION_UNMATCHED)
      printf("  by a command that has no counterpart on the other side\n");
    else print_found(b);
  }
  if (b->skipped[0])
    printf("  not compared, since their layouts or their writers have no counterpart: %s\n",
           b->skipped);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static json_t *command_json(const bisection *b, int s)
{
  const trail_launch *c = &b->command[s];
  return json_pack("{s:o, s:s, s:o, s:o, s:I, s:I, s:[iii]}", "side", json_text(b->side[s].label),
                   "command", c->is_upload ? "upload" : c->kind == TRM_COMMAND_COPY ? "copy"
                   : c->kind == TRM_COMMAND_FILL ? "fill" : "launch", "program",
                   json_text(c->program), "kernel", json_text(c->kernel), "number",
                   (json_int_t)b->launch[s] + 1, "of", (json_int_t)b->launches[s], "extent",
                   (int)c->extent.nx, (int)c->extent.ny, (int)c->extent.nz);
}

static void add_cell(const bisection *b, json_t *out)
{
  const trm_position *p = &b->first;
  char bits[2][24];
  for (int s = 0; s < 2; s++) snprintf(bits[s], sizeof bits[s], "%" PRIx64, b->bits[s]);
  json_object_set_new(out, "field", b->field[0] ? json_text(b->field) : json_null());
  json_object_set_new(out, "cell", json_pack("{s:I, s:I, s:I, s:I}", "component",
                                             (json_int_t)p->component, "x", (json_int_t)p->x, "y",
                                             (json_int_t)p->y, "z", (json_int_t)p->z));
  json_object_set_new(out, "type", json_string(trm_type_name(b->view.type)));
  json_object_set_new(out, "values", json_pack("[oo]", json_number(b->values[0]),
                                               json_number(b->values[1])));
  json_object_set_new(out, "bits", json_pack("[ss]", bits[0], bits[1]));
  json_object_set_new(out, "ulp", b->ulps > INT64_MAX ? json_null()
                                                      : json_integer((json_int_t)b->ulps));
  json_object_set_new(out, "differing", json_integer((json_int_t)b->difference.differing));
  json_object_set_new(out, "equal_inputs", json_boolean(!b->input[0]));
  json_object_set_new(out, "differed_before", json_boolean(b->was_apart));
}

json_t *bisection_json(const bisection *b)
{
  static const char *const outcomes[] = {"found", "inputs", "upload", "unmatched", "alone",
                                         "nothing"};
  static const char *const stages[] = {"create", "step", "observe"};
  json_t *out = json_pack("{s:[oo], s:s, s:s, s:I}", "sides", json_text(b->side[0].label),
                          json_text(b->side[1].label), "outcome", outcomes[b->outcome], "stage",
                          stages[b->stage], "step", (json_int_t)b->step);
  if (!out) return NULL;
  json_object_set_new(out, "not_compared", json_text(b->skipped));
  if (b->outcome > BISECTION_UPLOAD) return out;
  json_object_set_new(out, "commands", json_pack("[oo]", command_json(b, 0), command_json(b, 1)));
  json_object_set_new(out, "buffer", json_text(b->buffer));
  if (b->outcome != BISECTION_UPLOAD) add_cell(b, out);
  return out;
}
