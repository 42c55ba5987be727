/* formula.c - formulas: a recursive parser writes a list of operations, each of which knows the
 * operations that it takes its values from and the names that it depends on. */
#include <config.h>

#include "io/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPERATIONS = 512, MOST_DEPTH = 64 };

typedef enum operation_kind {
  NUMBER, NAME, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, NEGATE, LESS, LESS_EQUAL, CHOOSE,
  ABS, SQRT, EXP, LOG, SIN, COS, TANH, COSH, SECH, FLOOR, MIN, MAX
} operation_kind;

typedef struct operation {
  operation_kind kind;
  double number;               /* its value, where it is the same everywhere */
  size_t name;
  size_t from[3];              /* the operations whose values it takes */
  unsigned uses;               /* a bit for each name that it depends on */
  int is_same;
  const double *values;        /* else its values along the run */
} operation;

struct trm_formula {
  operation list[MOST_OPERATIONS];
  size_t count;
  unsigned stale;              /* names placed since the last computation */
  int is_new;
  double *rows;                /* TRM_FORMULA_RUN values for each operation */
};

/* ---- functions --------------------------------------------------------------- */

static const double ln2_high = 0x1.62e42fefa0000p-1, ln2_low = 0x1.cf79abc9e3b39p-40;

double trm_formula_exp(double x)
{
  if (!(x < 709.0)) return x > 0 ? INFINITY : x;
  if (x < -745.0) return 0.0;
  const double k = rint(x / 0x1.62e42fefa39efp-1);
  const double r = (x - k * ln2_high) - k * ln2_low;
  double sum = 1.0;
  for (int i = 14; i > 0; i--) sum = 1.0 + r / i * sum;
  if (k < -1000.0) return ldexp(sum, (int)k);
  const uint64_t bits = (uint64_t)(1023 + (int)k) << 52; /* 2^k; ldexp takes its time */
  double scale;
  memcpy(&scale, &bits, sizeof scale);
  return sum * scale;
}

double trm_formula_log(double x)
{
  int e;
  if (!(x > 0.0) || isinf(x)) return x == 0.0 ? -INFINITY : x > 0 ? x : NAN;
  double m = frexp(x, &e);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2.0;
    e--;
  }
  const double s = (m - 1.0) / (m + 1.0), s2 = s * s;
  double sum = 0.0;
  for (int i = 23; i > 0; i -= 2) sum = sum * s2 + 1.0 / i;
  return e * ln2_high + (2.0 * s * sum + e * ln2_low);
}

/* sin (odd 1) or cos (odd 0) of |r| <= pi/4. */
static double series(double r, int odd)
{
  const double r2 = r * r;
  double sum = 1.0;
  for (int i = 18 + odd; i > odd; i -= 2) sum = 1.0 - r2 / (i * (i - 1)) * sum;
  return odd ? r * sum : sum;
}

static double turn(double x, int quarter)
{
  if (!(fabs(x) <= 1e5)) return NAN;
  const double k = rint(x * 0x1.45f306dc9c883p-1);
  const double r = ((x - k * 0x1.921fb54400000p+0) - k * 0x1.0b4611a600000p-34) -
                   k * 0x1.3198a2e037073p-69;
  const long which = (long)k + quarter;
  const double value = series(r, (which & 1) == 0);
  return (which & 2) ? -value : value;
}

double trm_formula_sin(double x) { return turn(x, 0); }
double trm_formula_cos(double x) { return turn(x, 1); }

static double power(double a, double b)
{
  if (b == rint(b) && fabs(b) <= 64.0) {
    double product = 1.0;
    for (int i = 0; i < (int)fabs(b); i++) product *= a;
    return b < 0 ? 1.0 / product : product;
  }
  return a == 0.0 && b > 0.0 ? 0.0 : trm_formula_exp(b * trm_formula_log(a));
}

static double cosine_hyperbolic(double x)
{
  const double e = trm_formula_exp(fabs(x));
  return 0.5 * (e + 1.0 / e);
}

static double tangent_hyperbolic(double x)
{
  const double e = trm_formula_exp(-2.0 * fabs(x)), t = (1.0 - e) / (1.0 + e);
  return x < 0 ? -t : t;
}

/* ---- values ------------------------------------------------------------------ */

static double apply_one(operation_kind kind, double a)
{
  switch (kind) {
  case NEGATE: return -a;
  case ABS: return fabs(a);
  case SQRT: return sqrt(a);
  case EXP: return trm_formula_exp(a);
  case LOG: return trm_formula_log(a);
  case SIN: return trm_formula_sin(a);
  case COS: return trm_formula_cos(a);
  case TANH: return tangent_hyperbolic(a);
  case COSH: return cosine_hyperbolic(a);
  case SECH: return 1.0 / cosine_hyperbolic(a);
  default: return floor(a);
  }
}

static double apply_two(operation_kind kind, double a, double b)
{
  switch (kind) {
  case ADD: return a + b;
  case SUBTRACT: return a - b;
  case MULTIPLY: return a * b;
  case DIVIDE: return a / b;
  case POWER: return power(a, b);
  case LESS: return a < b;
  case LESS_EQUAL: return a <= b;
  case MIN: return a < b ? a : b;
  default: return a > b ? a : b;
  }
}

static int operands(operation_kind kind)
{
  if (kind == NUMBER || kind == NAME) return 0;
  if (kind == CHOOSE) return 3;
  return kind == NEGATE || (kind >= ABS && kind <= FLOOR) ? 1 : 2;
}

/* Values of an operand: one, or along the run. */
typedef struct operand { const double *values; size_t step; } operand;

static operand operand_of(const trm_formula *formula, size_t index)
{
  const operation *from = &formula->list[index];
  const operand one = { &from->number, 0 }, many = { from->values, 1 };
  return from->is_same ? one : many;
}

static void apply(const trm_formula *formula, const operation *now, size_t count, double *to)
{
  const operation_kind kind = now->kind;
  const operand a = operand_of(formula, now->from[0]);
  if (operands(kind) == 1) {
    for (size_t k = 0; k < count; k++) to[k] = apply_one(kind, a.values[k * a.step]);
    return;
  }
  const operand b = operand_of(formula, now->from[1]);
  if (operands(kind) == 2) {
    for (size_t k = 0; k < count; k++)
      to[k] = apply_two(kind, a.values[k * a.step], b.values[k * b.step]);
    return;
  }
  const operand c = operand_of(formula, now->from[2]);
  for (size_t k = 0; k < count; k++)
    to[k] = a.values[k * a.step] != 0.0 ? b.values[k * b.step] : c.values[k * c.step];
}

void trm_formula_place(trm_formula *formula, size_t name, const double *values, int is_same)
{
  for (size_t i = 0; i < formula->count; i++) {
    operation *now = &formula->list[i];
    if (now->kind != NAME || now->name != name) continue;
    now->is_same = is_same;
    now->values = values;
    now->number = values[0];
  }
  formula->stale |= 1u << name;
}

void trm_formula_values(trm_formula *formula, size_t count, double *out)
{
  for (size_t i = 0; i < formula->count; i++) {
    operation *now = &formula->list[i];
    const int operand_count = operands(now->kind);
    if (operand_count == 0 || (!formula->is_new && !(now->uses & formula->stale))) continue;
    now->is_same = 1;
    for (int k = 0; k < operand_count; k++) now->is_same &= formula->list[now->from[k]].is_same;
    double *row = formula->rows + i * TRM_FORMULA_RUN;
    now->values = row;
    apply(formula, now, now->is_same ? 1 : count, row);
    now->number = row[0];
  }
  formula->is_new = 0;
  formula->stale = 0;
  const operand last = operand_of(formula, formula->count - 1);
  for (size_t k = 0; k < count; k++) out[k] = last.values[k * last.step];
}

/* What each operation makes, the formula's names being `values`. */
static void compute(const trm_formula *formula, const double *values, double *done)
{
  for (size_t i = 0; i < formula->count; i++) {
    const operation *now = &formula->list[i];
    const size_t *from = now->from;
    const int count = operands(now->kind);
    done[i] = now->kind == NUMBER ? now->number
            : now->kind == NAME ? values[now->name]
            : count == 1 ? apply_one(now->kind, done[from[0]])
            : count == 2 ? apply_two(now->kind, done[from[0]], done[from[1]])
            : done[from[0]] != 0.0 ? done[from[1]] : done[from[2]];
  }
}

double trm_formula_value(const trm_formula *formula, const double *values)
{
  double done[MOST_OPERATIONS];
  compute(formula, values, done);
  return done[formula->count - 1];
}

/* ---- for other machines ------------------------------------------------------- */

unsigned trm_formula_uses(const trm_formula *formula)
{
  return formula->list[formula->count - 1].uses;
}

typedef struct stacking {
  const trm_formula *formula;
  const double *done;          /* values of what depends on no name */
  int32_t *codes;
  double *numbers;
  size_t room, count, depth, deepest;
} stacking;

/* Operation `at` and all that it takes its values from. */
static void put(stacking *s, size_t at)
{
  static const char letters[] = "#$+-*/^~<{?aqegscthifmM";
  const operation *now = &s->formula->list[at];
  const int is_number = now->uses == 0, count = is_number ? 0 : operands(now->kind);
  for (int i = 0; i < count; i++) put(s, now->from[i]);
  if (s->count < s->room) {
    s->codes[s->count] = is_number ? '#' : letters[now->kind] + 256 * (int32_t)now->name;
    s->numbers[s->count] = s->done[at];
  }
  s->count++;
  s->depth += 1 - (size_t)count;
  if (s->depth > s->deepest) s->deepest = s->depth;
}

trm_status trm_formula_stack(const trm_formula *formula, const char *origin, size_t room,
                             int32_t *codes, double *numbers, size_t *count)
{
  static const double names[TRM_FORMULA_NAMES];
  double done[MOST_OPERATIONS];
  compute(formula, names, done);
  stacking s = { formula, done, codes, numbers, room, 0, 0, 0 };
  put(&s, formula->count - 1);
  if (s.deepest > TRM_FORMULA_STACK || s.count > room)
    return TRM_FAIL(INPUT, "%s: the formula has %zu operations and keeps up to %zu values at once, "
                    "and on a device it may have %zu and keep %d; make it simpler", origin,
                    s.count, s.deepest, room, (int)TRM_FORMULA_STACK);
  *count = s.count;
  return TRM_OK;
}

/* ---- parsing ----------------------------------------------------------------- */

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
      TRM_TRY(parse_arguments(in, operands(functions[i].kind)));
      return emit(in, functions[i].kind, 0.0, 0);
    }
  return mistake(in, "unknown name");
}

static trm_status parse_atom(parser *in)
{
  if (take(in, "(")) {
    TRM_TRY(parse_choice(in));
    return take(in, ")") ? TRM_OK : mistake(in, "')' expected");
  }
  const unsigned char c = (unsigned char)*in->next;
  if (isdigit(c) || c == '.') {
    char *end;
    const double number = strtod(in->next, &end);
    if (end == in->next) return mistake(in, "a number expected");
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
    const size_t count = (size_t)operands(now->kind);
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
  if (status == TRM_OK && *in.next) status = mistake(&in, "the end expected");
  if (status == TRM_OK) status = link_operations(formula);
  if (status == TRM_OK) *out = formula;
  else free(formula);
  return status;
}

void trm_formula_destroy(trm_formula **formula)
{
  if (!formula) return;
  if (*formula) free((*formula)->rows);
  free(*formula);
  *formula = NULL;
}
