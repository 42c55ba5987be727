/* formula_values.c - the values of a formula: at one place, along a run of places, or as a list of
 * codes that a kernel works through. */
#include <config.h>

#include "io/formula_operations.h"

#include <math.h>
#include <string.h>

/* ---- on the host ------------------------------------------------------------- */

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
  case TANH: return formula_tanh(a);
  case COSH: return formula_cosh(a);
  case SECH: return 1.0 / formula_cosh(a);
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
  case POWER: return formula_power(a, b);
  case LESS: return a < b;
  case LESS_EQUAL: return a <= b;
  case MIN: return a < b ? a : b;
  default: return a > b ? a : b;
  }
}

int formula_operands(operation_kind kind)
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

/* Arithmetic and comparisons work on LANES values at once, and the compiler makes vectors of
 * these. Functions such as sin work on one value. */
enum { LANES = 8 };

#define LANES_OF(value) \
  for (int l = 0; l < LANES; l++) made[l] = (value); \
  break

static int apply_lanes(operation_kind kind, const double a[LANES], const double b[LANES],
                       double to[LANES])
{
  double made[LANES];
  switch (kind) {
  case NEGATE: LANES_OF(-a[l]);
  case ABS: LANES_OF(fabs(a[l]));
  case SQRT: LANES_OF(sqrt(a[l]));
  case ADD: LANES_OF(a[l] + b[l]);
  case SUBTRACT: LANES_OF(a[l] - b[l]);
  case MULTIPLY: LANES_OF(a[l] * b[l]);
  case DIVIDE: LANES_OF(a[l] / b[l]);
  case LESS: LANES_OF(a[l] < b[l]);
  case LESS_EQUAL: LANES_OF(a[l] <= b[l]);
  case MIN: LANES_OF(a[l] < b[l] ? a[l] : b[l]);
  case MAX: LANES_OF(a[l] > b[l] ? a[l] : b[l]);
  default: return 0;
  }
  memcpy(to, made, sizeof made);
  return 1;
}

static const double *lanes_of(const operand *from, size_t at, const double same[LANES])
{
  return from->step ? from->values + at : same;
}

/* The values so far; the others are computed one by one. */
static size_t apply_vectors(operation_kind kind, const operand *a, const operand *b, size_t count,
                            double *to)
{
  double left[LANES], right[LANES];
  size_t k = 0;
  for (int l = 0; l < LANES; l++) {
    left[l] = a->values[0];
    right[l] = b->values[0];
  }
  while (k + LANES <= count &&
         apply_lanes(kind, lanes_of(a, k, left), lanes_of(b, k, right), to + k))
    k += LANES;
  return k;
}

static void apply(const trm_formula *formula, const operation *now, size_t count, double *to)
{
  const operation_kind kind = now->kind;
  const int operands = formula_operands(kind);
  const operand a = operand_of(formula, now->from[0]);
  const operand b = operands > 1 ? operand_of(formula, now->from[1]) : a;
  const operand c = operands > 2 ? operand_of(formula, now->from[2]) : a;
  size_t k = operands < 3 && count >= LANES ? apply_vectors(kind, &a, &b, count, to) : 0;
  for (; k < count; k++) {
    const double x = a.values[k * a.step], y = b.values[k * b.step];
    to[k] = operands == 1 ? apply_one(kind, x)
            : operands == 2 ? apply_two(kind, x, y) : x != 0.0 ? y : c.values[k * c.step];
  }
}

/* A number that was there before makes nothing stale. */
void trm_formula_place(trm_formula *formula, size_t name, const double *values, int is_same)
{
  int is_changed = 0;
  for (size_t i = 0; i < formula->count; i++) {
    operation *now = &formula->list[i];
    if (now->kind != NAME || now->name != name) continue;
    is_changed |= !is_same || !now->is_same || memcmp(&now->number, values, sizeof *values) != 0;
    now->is_same = is_same;
    now->values = values;
    now->number = values[0];
  }
  if (is_changed) formula->stale |= 1u << name;
}

void trm_formula_values(trm_formula *formula, size_t count, double *out)
{
  for (size_t i = 0; i < formula->count; i++) {
    operation *now = &formula->list[i];
    const int operand_count = formula_operands(now->kind);
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

/* Computes each operation; the formula's names have `values`. */
static void compute(const trm_formula *formula, const double *values, double *done)
{
  for (size_t i = 0; i < formula->count; i++) {
    const operation *now = &formula->list[i];
    const size_t *from = now->from;
    const int count = formula_operands(now->kind);
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
  const double *done;          /* values of operations that depend on no name */
  int32_t *codes;
  double *numbers;
  size_t room, count, depth, deepest;
} stacking;

/* Operation `at` and all that it takes its values from. */
static void put(stacking *s, size_t at)
{
  static const char letters[] = "#$+-*/^~<{?aqegscthifmM";
  const operation *now = &s->formula->list[at];
  const int is_number = now->uses == 0, count = is_number ? 0 : formula_operands(now->kind);
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
