# The dialect's features on every backend, and the kernels that docs/dialect.md teaches.
if WITH_CMOCKA
check_LTLIBRARIES += tests/libdialect.la
tests_libdialect_la_SOURCES = tests/dialect/dialect.c tests/dialect/dialect.h tests/dialect/dialect_params.h \
  tests/dialect/dialect_expected.c tests/dialect/dialect_expected.h
nodist_tests_libdialect_la_SOURCES = tests/dialect/dialect.k.c tests/dialect/dialect_groups.k.c \
  tests/dialect/dialect_large.k.c tests/dialect/dialect_tools.k.c
# after AM_CFLAGS: expected values are rounded at every operation
tests_libdialect_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) -ffp-contract=off
tests_libdialect_la_LIBADD = $(call trm_kernel_objects,tests/dialect/dialect) \
  $(call trm_kernel_objects,tests/dialect/dialect_groups) $(call trm_kernel_objects,tests/dialect/dialect_large) \
  $(call trm_kernel_objects,tests/dialect/dialect_tools) -lm
dialect_VARIANTS = negated
TRM_KERNEL_TEXTS += tests/dialect/dialect tests/dialect/dialect_groups tests/dialect/dialect_large \
  tests/dialect/dialect_tools

tools_tests = tests/dialect/dialect_tools tests/dialect/dialect_lanes tests/dialect/dialect_halves
check_PROGRAMS += $(tools_tests)
TESTS += $(tools_tests)
tests_dialect_dialect_tools_CFLAGS = $(tests_libdialect_la_CFLAGS)
tests_dialect_dialect_tools_LDADD = tests/libdialect.la $(LDADD)
tests_dialect_dialect_lanes_CFLAGS = $(tests_libdialect_la_CFLAGS)
tests_dialect_dialect_lanes_LDADD = tests/libdialect.la $(LDADD)
tests_dialect_dialect_halves_LDADD = tests/libdialect.la $(LDADD)
check_PROGRAMS += tests/dialect/dialect_rows tests/dialect/dialect_arithmetic tests/dialect/dialect_phases
TESTS += tests/dialect/dialect_rows tests/dialect/dialect_arithmetic tests/dialect/dialect_phases
tests_dialect_dialect_arithmetic_LDADD = tests/libdialect.la $(LDADD)
tests_dialect_dialect_rows_LDADD = tests/libdialect.la $(LDADD)
tests_dialect_dialect_phases_LDADD = tests/libdialect.la $(LDADD)
endif
EXTRA_DIST += tests/dialect/dialect.k tests/dialect/dialect_tools.k tests/dialect/dialect_groups.k tests/dialect/dialect_large.k

if WITH_CMOCKA
check_PROGRAMS += tests/dialect/dialect_page
TESTS += tests/dialect/dialect_page
tests_dialect_dialect_page_SOURCES = tests/dialect/dialect_page.c tests/dialect/dialect_page_params.h
nodist_tests_dialect_dialect_page_SOURCES = tests/dialect/dialect_page.k.c
tests_dialect_dialect_page_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) -ffp-contract=off
tests_dialect_dialect_page_LDADD = $(call trm_kernel_objects,tests/dialect/dialect_page) $(LDADD)
TRM_KERNEL_TEXTS += tests/dialect/dialect_page
endif
TESTS += tests/dialect/dialect_shown.sh
EXTRA_DIST += tests/dialect/dialect_page.k tests/dialect/dialect_shown.sh docs/dialect.md
