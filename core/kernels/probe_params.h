/* The operations of the strict probe on three operands a, b, c: X(name, text for messages,
 * expression). Contraction, reciprocals in place of divisions, other orders of a sum, approximate
 * roots and flushed subnormals each change the bits of at least one. */
#define PROBE_OPERATIONS(X) \
  X(ADD, "a + b", a + b) \
  X(SUBTRACT, "a - b", a - b) \
  X(MULTIPLY, "a * b", a * b) \
  X(DIVIDE, "a / b", a / b) \
  X(SQRT, "sqrt(|a|)", trm_sqrt(trm_fabs(a))) \
  X(FMA, "fma(a, b, c)", trm_fma(a, b, c)) \
  X(RINT, "rint(a)", trm_rint(a)) \
  X(FLOOR, "floor(a)", trm_floor(a)) \
  X(PRODUCT_SUM, "a * b + c, rounded twice", a * b + c) \
  X(PRODUCTS, "a * b - b * c, rounded three times", a * b - b * c) \
  X(BY_LITERAL, "a / 3", a / R(3.0)) \
  X(BY_VALUE, "a / n", a / (real)p.divisor) \
  X(PER_ROOT, "1 / sqrt(|a|), rounded twice", R(1.0) / trm_sqrt(trm_fabs(a))) \
  X(IN_ORDER, "(a + b) - a, in this order", (a + b) - a) \
  X(SMALLER, "a < b ? a : b", a < b ? a : b)

enum probe_operation {
#define PROBE_NUMBER(name, text, expression) PROBE_##name,
  PROBE_OPERATIONS(PROBE_NUMBER)
#undef PROBE_NUMBER
  PROBE_OPERATION_COUNT
};

typedef struct probe_params {
  int divisor;            /* n of a / n: a value that all cells share */
  int unused;
} probe_params;
