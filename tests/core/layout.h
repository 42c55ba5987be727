/* layout.h - where the members of structs lie, as a table of what was recorded, and its check. For
 * the tests of binary interfaces: abi (core) and solver_abi. */
#ifndef TRIREME_TESTS_LAYOUT_H
#define TRIREME_TESTS_LAYOUT_H

#include "tests/harness.h"

#include <stddef.h>

typedef struct layout_row { const char *what; size_t found, recorded; } layout_row;
#define SIZE(type, bytes) { "sizeof(" #type ")", sizeof(type), bytes }
#define AT(type, member, offset) { #type "." #member, offsetof(type, member), offset }

static inline void layout_is_as_recorded(const layout_row *rows, size_t count)
{
  int wrong = 0;
  if (sizeof(void *) != 8) TEST_SKIP("the layout is recorded for 64-bit machines");
  for (size_t i = 0; i < count; i++) {
    if (rows[i].found == rows[i].recorded) continue;
    print_error("%s is %zu, recorded %zu\n", rows[i].what, rows[i].found, rows[i].recorded);
    wrong++;
  }
  assert_int_equal(wrong, 0);
}

#endif
