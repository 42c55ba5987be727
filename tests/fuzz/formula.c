/* Formulas of case files: what is accepted has a value everywhere. */
#include <stdlib.h>

#include "io/formula.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = {"x", "y", "lx"};
  static const double values[][3] = {{0, 0, 0}, {1.5, -2.5, 10}, {-1e300, 1e300, 1e-300}};
  trm_formula *formula = NULL;
  char *text = fuzz_text(data, size);
  if (fuzz_accepted(trm_formula_create(text, names, 3, "case.conf:1", &formula)))
    for (int i = 0; i < 3; i++) {
      double out[2];
      for (size_t name = 0; name < 3; name++)
        trm_formula_place(formula, name, values[i] + (name == 2 ? 1 : name), name == 1);
      trm_formula_values(formula, 2, out);
    }
  trm_formula_destroy(&formula);
  free(text);
  return 0;
}
