/* formula.c - reads formulas. A recursive parser writes a list of operations. Each operation knows
 * the operations whose values it takes and the names on which it depends. */
#include <config.h>

#include "io/formula_operations.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
  const char *text, *next, *origin;
  const char *const *names;
  size_t name_count;
  int depth;
  trm_formula *formula;
} parser;

static trm_status parse_choice(parser *in);

static trm_status mistake(const parser *in, const char *what)
{
  return TRM_FAIL(INPUT, "%s: %s at character %zu of the formula '%s'", in->origin, what,
                  (size_t)(in->next - in->text) + 1, in->text);
}

/* A formula went on where it was complete: what was meant there. */
static trm_status mistake_at_end(const parser *in)
{
  const unsigned char c = (unsigned char)*in->next;
  if (isalnum(c) || c == '(' || c == '.')
    return mistake(in, "an operator expected, as '*' between two factors (2*x, not 2x),");
  if (c == ',' || c == ';')
    return mistake(in, "the end of one formula; this key does not divide formulas so,");
  if (c == '=') return mistake(in, "<, <=, > or >= expected, which compare,");
  return mistake(in, "an operator or the end expected");
}

static trm_status emit(parser *in, operation_kind kind, double number, size_t name)
{
  if (in->formula->count == MOST_OPERATIONS)
    return mistake(in, "more operations than a formula may have");
  in->formula->list[in->formula->count++] =
      (operation){ .kind = kind, .number = number, .name = name };
  return TRM_OK;
}

/* Passes over blanks; takes `word` when it comes next. */
static int take(parser *in, const char *word)
{
  while (isspace((unsigned char)*in->next)) in->next++;
  if (strncmp(in->next, word, strlen(word)) != 0) return 0;
  in->next += strlen(word);
  return 1;
}

static trm_status parse_arguments(parser *in, int count)
{
  if (!take(in, "(")) return mistake(in, "'(' expected");
  for (int i = 0; i < count; i++) {
    if (i > 0 && !take(in, ",")) return mistake(in, "',' expected");
    TRM_TRY(parse_choice(in));
  }
  return take(in, ")") ? TRM_OK : mistake(in, "')' expected");
}

static trm_status parse_word(parser *in)
{
  static const struct { const char *name; operation_kind kind; } functions[] = {
    { "abs", ABS }, { "sqrt", SQRT }, { "exp", EXP }, { "log", LOG }, { "sin", SIN },
    { "cos", COS },
    { "tanh", TANH }, { "cosh", COSH }, { "sech", SECH }, { "floor", FLOOR }, { "min", MIN },
    { "max", MAX } };
  const char *begin = in->next;
  size_t length = 0;
  while (isalnum((unsigned char)begin[length]) || begin[length] == '_') length++;
  for (size_t i = 0; i < in->name_count; i++)
    if (strlen(in->names[i]) == length && strncmp(begin, in->names[i], length) == 0) {
      in->next += length;
      return emit(in, NAME, 0.0, i);
    }
  if (length == 2 && strncmp(begin, "pi", 2) == 0) {
    in->next += length;
    return emit(in, NUMBER, 0x1.921fb54442d18p+1, 0);
  }
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    if (strlen(functions[i].name) == length && strncmp(begin, functions[i].name, length) == 0) {
      in->next += length;
      TRM_TRY(parse_arguments(in, formula_operands(functions[i].kind)));
      return emit(in, functions[i].kind, 0.0, 0);
    }
  return mistake(in, "unknown name");
}

static trm_status parse_atom(parser *in)
{
  if (take(in, "(")) {
    TRM_TRY(parse_choice(in));
    if (take(in, ")")) return TRM_OK;
    return *in->next ? mistake_at_end(in) : mistake(in, "')' expected");
  }
  const unsigned char c = (unsigned char)*in->next;
  if (isdigit(c) || c == '.') {
    char *end;
    const double number = strtod(in->next, &end);
    if (end == in->next) return mistake(in, "a number expected");
    if (c == '0' && (in->next[1] == 'x' || in->next[1] == 'X'))
      return mistake(in, "a hexadecimal number");
    if (!isfinite(number)) return mistake(in, "a number too large for double precision");
    in->next = end;
    return emit(in, NUMBER, number, 0);
  }
  return isalpha(c) ? parse_word(in) : mistake(in, "a number, a name or '(' expected");
}

/* -a^b is -(a^b); a^-b is allowed. */
static trm_status parse_factor(parser *in)
{
  if (in->depth == MOST_DEPTH) return mistake(in, "deeper nesting than a formula may have");
  in->depth++;
  if (take(in, "-")) {
    TRM_TRY(parse_factor(in));
    TRM_TRY(emit(in, NEGATE, 0.0, 0));
  } else {
    TRM_TRY(parse_atom(in));
    if (take(in, "^")) {
      TRM_TRY(parse_factor(in));
      TRM_TRY(emit(in, POWER, 0.0, 0));
    }
  }
  in->depth--;
  return TRM_OK;
}

static trm_status parse_product(parser *in)
{
  TRM_TRY(parse_factor(in));
  for (;;) {
    const operation_kind kind = take(in, "*") ? MULTIPLY : take(in, "/") ? DIVIDE : NUMBER;
    if (kind == NUMBER) return TRM_OK;
    TRM_TRY(parse_factor(in));
    TRM_TRY(emit(in, kind, 0.0, 0));
  }
}

static trm_status parse_sum(parser *in)
{
  TRM_TRY(parse_product(in));
  for (;;) {
    const operation_kind kind = take(in, "+") ? ADD : take(in, "-") ? SUBTRACT : NUMBER;
    if (kind == NUMBER) return TRM_OK;
    TRM_TRY(parse_product(in));
    TRM_TRY(emit(in, kind, 0.0, 0));
  }
}

/* a > b is written as -a < -b. */
static trm_status parse_comparison(parser *in)
{
  TRM_TRY(parse_sum(in));
  const int less_equal = take(in, "<="), greater_equal = !less_equal && take(in, ">=");
  const int less = !less_equal && !greater_equal && take(in, "<");
  const int greater = !less_equal && !greater_equal && !less && take(in, ">");
  if (!less_equal && !greater_equal && !less && !greater) return TRM_OK;
  if (greater || greater_equal) TRM_TRY(emit(in, NEGATE, 0.0, 0));
  TRM_TRY(parse_sum(in));
  if (greater || greater_equal) TRM_TRY(emit(in, NEGATE, 0.0, 0));
  return emit(in, less || greater ? LESS : LESS_EQUAL, 0.0, 0);
}

static trm_status parse_choice(parser *in)
{
  if (in->depth == MOST_DEPTH) return mistake(in, "deeper nesting than a formula may have");
  in->depth++;
  TRM_TRY(parse_comparison(in));
  if (take(in, "?")) {
    TRM_TRY(parse_choice(in));
    if (!take(in, ":")) return mistake(in, "':' expected");
    TRM_TRY(parse_choice(in));
    TRM_TRY(emit(in, CHOOSE, 0.0, 0));
  }
  in->depth--;
  return TRM_OK;
}

/* Each operation's operands: what a stack machine would take from the top. */
static trm_status link_operations(trm_formula *formula)
{
  size_t stack[MOST_OPERATIONS], top = 0;
  for (size_t i = 0; i < formula->count; i++) {
    operation *now = &formula->list[i];
    const size_t count = (size_t)formula_operands(now->kind);
    top -= count;
    now->uses = now->kind == NAME ? 1u << now->name : 0;
    for (size_t k = 0; k < count; k++) {
      now->from[k] = stack[top + k];
      now->uses |= formula->list[now->from[k]].uses;
    }
    now->is_same = count == 0; /* a name that is never placed is 0 */
    stack[top++] = i;
  }
  formula->is_new = 1;
  formula->rows = calloc(formula->count * TRM_FORMULA_RUN, sizeof *formula->rows);
  return formula->rows ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for a formula");
}

trm_status trm_formula_create(const char *text, const char *const *names, size_t count,
                              const char *origin, trm_formula **out)
{
  trm_formula *formula = calloc(1, sizeof *formula);
  if (!formula) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a formula");
  parser in = { text, text, origin, names, count, 0, formula };
  trm_status status = parse_choice(&in);
  while (isspace((unsigned char)*in.next)) in.next++;
  if (status == TRM_OK && *in.next) status = mistake_at_end(&in);
  if (status == TRM_OK) status = link_operations(formula);
  if (status == TRM_OK) *out = formula;
  else free(formula);
  return status;
}

trm_status trm_formula_copy(const trm_formula *formula, trm_formula **out)
{
  trm_formula *copy = malloc(sizeof *copy);
  double *rows = malloc(formula->count * TRM_FORMULA_RUN * sizeof *rows);
  if (!copy || !rows) {
    free(copy);
    free(rows);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for a formula");
  }
  *copy = *formula;
  copy->rows = rows;
  copy->is_new = 1;
  *out = copy;
  return TRM_OK;
}

void trm_formula_destroy(trm_formula **formula)
{
  if (!formula) return;
  if (*formula) free((*formula)->rows);
  free(*formula);
  *formula = NULL;
}
