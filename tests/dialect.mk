# The dialect's features on every backend, and the kernels that docs/dialect.md teaches.
if WITH_CMOCKA
check_LTLIBRARIES += tests/libdialect.la
tests_libdialect_la_SOURCES = tests/dialect.c tests/dialect.h tests/dialect_params.h \
  tests/dialect_expected.c tests/dialect_expected.h
nodist_tests_libdialect_la_SOURCES = tests/dialect.k.c tests/dialect_groups.k.c \
  tests/dialect_large.k.c
# after AM_CFLAGS: expected values are rounded at every operation
tests_libdialect_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) -ffp-contract=off
tests_libdialect_la_LIBADD = $(call trm_kernel_objects,tests/dialect) \
  $(call trm_kernel_objects,tests/dialect_groups) $(call trm_kernel_objects,tests/dialect_large) -lm
dialect_VARIANTS = negated
TRM_KERNEL_TEXTS += tests/dialect tests/dialect_groups tests/dialect_large

check_PROGRAMS += tests/dialect_rows tests/dialect_arithmetic tests/dialect_phases
TESTS += tests/dialect_rows tests/dialect_arithmetic tests/dialect_phases
tests_dialect_arithmetic_SOURCES = tests/dialect_arithmetic.c
tests_dialect_arithmetic_LDADD = tests/libdialect.la $(LDADD)
tests_dialect_rows_SOURCES = tests/dialect_rows.c
tests_dialect_rows_LDADD = tests/libdialect.la $(LDADD)
tests_dialect_phases_SOURCES = tests/dialect_phases.c
tests_dialect_phases_LDADD = tests/libdialect.la $(LDADD)
endif
EXTRA_DIST += tests/dialect.k tests/dialect_groups.k tests/dialect_large.k

if WITH_CMOCKA
check_PROGRAMS += tests/dialect_page
TESTS += tests/dialect_page
tests_dialect_page_SOURCES = tests/dialect_page.c tests/dialect_page_params.h
nodist_tests_dialect_page_SOURCES = tests/dialect_page.k.c
tests_dialect_page_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) -ffp-contract=off
tests_dialect_page_LDADD = $(call trm_kernel_objects,tests/dialect_page) $(LDADD)
TRM_KERNEL_TEXTS += tests/dialect_page
endif
TESTS += tests/dialect_page.sh
EXTRA_DIST += tests/dialect_page.k tests/dialect_page.sh docs/dialect.md
