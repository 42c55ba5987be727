/* formula_operations.h - what a formula is once it is read: a list of operations, each after those
 * whose values it takes. Shared by formula.c, formula_values.c and formula_math.c alone. */
#ifndef TRM_FORMULA_OPERATIONS_H
#define TRM_FORMULA_OPERATIONS_H

#include "io/formula.h"

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

/* How many operations it takes its values from. */
int formula_operands(operation_kind kind);

/* As the exponential function and the others of formula.h, the same bits everywhere. */
double formula_power(double a, double b);
double formula_cosh(double x);
double formula_tanh(double x);

#endif
