/* Formulas along runs of places: the bits of places computed one by one, for every operation. */
#include "tests/harness.h"

#include <string.h>

#include "io/formula_slopes.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *const names[] = { "x", "y", "z", "n" };
static const double step = 1e-3;

static const char *const texts[] = {
  "7", "x", "y", "n", "x+y", "x-n", "x*z", "x/y", "-x^3", "y^x", "x<y", "x<=5.5", "x>y", "x>=y",
  "x<y?z:n", "abs(x-4)", "sqrt(x)", "exp(-x^2)", "log(x*y)", "sin(3*x)", "cos(y-x)", "tanh(x-z)",
  "cosh(0.1*x)", "sech(x)", "min(x,y)", "max(x,z)", "floor(0.4*x)", "pi*n*sin(x)*cos(2*y)/(1+z)" };

static double value_at(const char *text, double x, double y, double z, double n)
{
  trm_formula *formula = NULL;
  TEST_OK(trm_formula_create(text, names, COUNT(names), "a test", &formula));
  const double value = trm_formula_value(formula, (const double[]){ x, y, z, n });
  trm_formula_destroy(&formula);
  return value;
}

/* Place p of the cell at `at`: its middle, or before or after it along an axis. */
static void hold(const char *text, size_t p, const double at[3], double n, double value)
{
  double where[] = { at[0], at[1], at[2] };
  if (p > 0) where[(p - 1) / 2] += p % 2 ? -step : step;
  const double expected = value_at(text, where[0], where[1], where[2], n);
  if (memcmp(&expected, &value, sizeof value) != 0)
    fail_msg("%s, place %zu, at %g %g %g: %.17g, alone %.17g", text, p, at[0], at[1], at[2], value,
             expected);
}

/* Rows of a run of so many cells; the second and the third have one z. */
static void hold_run(const char *text, trm_formula_slopes *slopes, size_t places, double first,
                     size_t count)
{
  static double values[TRM_SLOPES_PLACES][TRM_FORMULA_RUN];
  double x[TRM_FORMULA_RUN];
  const double n = first + 3.0;
  for (size_t i = 0; i < count; i++) x[i] = first + 0.25 * (double)i;
  trm_formula_slopes_run(slopes, x, count, &n);
  for (int row = 0; row < 3; row++) {
    const double rest[] = { 1.5 + row, 0.75 - 0.5 * (row > 0) };
    trm_formula_slopes_row(slopes, rest, values);
    for (size_t p = 0; p < places; p++)
      for (size_t i = 0; i < count; i++)
        hold(text, p, (const double[]){ x[i], rest[0], rest[1] }, n, values[p][i]);
  }
}

static void a_run_of_places_has_the_bits_of_each_place(void)
{
  for (size_t t = 0; t < COUNT(texts); t++)
    for (int is_sloped = 0; is_sloped < 2; is_sloped++) {
      trm_formula_slopes *slopes = NULL;
      const size_t places = is_sloped ? TRM_SLOPES_PLACES : 1;
      TEST_OK(trm_formula_slopes_create(texts[t], names, COUNT(names), "a test", 3,
                                        is_sloped ? step : 0.0, &slopes));
      hold_run(texts[t], slopes, places, 0.5, 37);
      hold_run(texts[t], slopes, places, 9.75, TRM_FORMULA_RUN);
      hold_run(texts[t], slopes, places, 4.0, 8);
      trm_formula_slopes_destroy(&slopes);
    }
}

/* A copy that is made between two uses knows nothing of their places, nor does the other. */
static void a_copy_has_places_of_its_own(void)
{
  double x[8], found[2][8];
  for (int i = 0; i < 8; i++) x[i] = 0.5 * i + 0.25;
  for (size_t t = 0; t < COUNT(texts); t++) {
    trm_formula *both[2] = { NULL };
    TEST_OK(trm_formula_create(texts[t], names, COUNT(names), "a test", &both[0]));
    for (int k = 0; k < 2; k++) {
      const double rest[] = { 1.5 + k, 2.0 - k, 7.0 + k };
      if (k == 1) TEST_OK(trm_formula_copy(both[0], &both[1]));
      trm_formula_place(both[k], 0, x + 4 * k, 0);
      for (size_t i = 0; i < 3; i++) trm_formula_place(both[k], i + 1, &rest[i], 1);
      trm_formula_values(both[k], 4, found[k]);
    }
    const double y = 1.25;
    trm_formula_place(both[0], 1, &y, 1);
    trm_formula_values(both[0], 4, found[0]);
    for (int i = 0; i < 4; i++) {
      const double expected[] = { value_at(texts[t], x[i], y, 2.0, 7.0),
                                  value_at(texts[t], x[4 + i], 2.5, 1.0, 8.0) };
      for (int k = 0; k < 2; k++)
        if (memcmp(&expected[k], &found[k][i], sizeof(double)) != 0)
          fail_msg("%s: %.17g at place %d of %s, alone %.17g", texts[t], found[k][i], i,
                   k ? "the copy" : "the first", expected[k]);
    }
    for (int k = 0; k < 2; k++) trm_formula_destroy(&both[k]);
  }
}

static void what_is_no_formula_is_refused_at_its_place(void)
{
  trm_formula_slopes *slopes = NULL;
  TEST_FAILS(trm_formula_slopes_create("1+sine(x)", names, COUNT(names), "case.conf:3", 3, step,
                                       &slopes), TRM_ERROR_INPUT, "sine");
  TEST_FAILS(trm_formula_slopes_create("x+1e400", names, COUNT(names), "case.conf:3", 3, step,
                                       &slopes), TRM_ERROR_INPUT, "too large");
  TEST_FAILS(trm_formula_slopes_create("0x5*x", names, COUNT(names), "case.conf:3", 3, step,
                                       &slopes), TRM_ERROR_INPUT, "hexadecimal");
  assert_null(slopes);
}

int main(int argc, char **argv)
{
  static const test_case all[] = {
    TEST_HOST(a_run_of_places_has_the_bits_of_each_place),
    TEST_HOST(a_copy_has_places_of_its_own),
    TEST_HOST(what_is_no_formula_is_refused_at_its_place),
  };
  return TEST_RUN(argc, argv, all);
}
