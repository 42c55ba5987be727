# tests/fuzz: readers and their corpus; see fuzz.h and docs/testing.md.
fuzz_targets = tests/fuzz/params tests/fuzz/obstacles tests/fuzz/case \
  tests/fuzz/command tests/fuzz/bodies tests/fuzz/npy tests/fuzz/grid tests/fuzz/epfl \
  tests/fuzz/formula tests/fuzz/hydrograph tests/fuzz/netcdf tests/fuzz/cache tests/fuzz/note \
  tests/fuzz/environment tests/fuzz/manifest tests/fuzz/report tests/fuzz/stl
check_PROGRAMS += $(fuzz_targets)
TESTS += $(fuzz_targets)
EXTRA_DIST += tests/data/corpus

check_LTLIBRARIES += tests/fuzz/libfuzz.la
tests_fuzz_libfuzz_la_SOURCES = tests/fuzz/fuzz.h tests/fuzz/fuzz.c tests/fuzz/replay.c
fuzz_libs = tests/fuzz/libfuzz.la solvers/libsolvers.la cli/libcli.la $(FUZZER_LIBS)

tests_fuzz_params_LDADD = $(fuzz_libs)
tests_fuzz_obstacles_LDADD = $(fuzz_libs)
tests_fuzz_case_LDADD = $(fuzz_libs)
tests_fuzz_command_LDADD = $(fuzz_libs)
tests_fuzz_bodies_LDADD = $(fuzz_libs)
tests_fuzz_npy_LDADD = $(fuzz_libs)
tests_fuzz_stl_LDADD = $(fuzz_libs)
tests_fuzz_grid_LDADD = $(fuzz_libs)
tests_fuzz_epfl_LDADD = $(fuzz_libs)
tests_fuzz_formula_LDADD = $(fuzz_libs)
tests_fuzz_hydrograph_LDADD = $(fuzz_libs)
tests_fuzz_netcdf_CPPFLAGS = $(AM_CPPFLAGS) $(NETCDF_CFLAGS)
tests_fuzz_netcdf_LDADD = $(fuzz_libs) $(NETCDF_LIBS)
tests_fuzz_manifest_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_fuzz_manifest_LDADD = $(fuzz_libs)
tests_fuzz_report_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_fuzz_report_LDADD = $(fuzz_libs)

# core's own functions are compiled in: the library keeps them to itself
fuzz_cached = tests/fuzz/cached.c tests/fuzz/cached.h core/cache.c
tests_fuzz_cache_SOURCES = tests/fuzz/cache.c $(fuzz_cached)
tests_fuzz_cache_LDADD = $(fuzz_libs) $(XXHASH_LIBS)
tests_fuzz_note_SOURCES = tests/fuzz/note.c core/plugins/probe_cache.c core/names.c $(fuzz_cached)
tests_fuzz_note_LDADD = $(fuzz_libs) $(XXHASH_LIBS)
tests_fuzz_environment_SOURCES = tests/fuzz/environment.c core/isa.c core/names.c core/cache.c
tests_fuzz_environment_LDADD = $(fuzz_libs) $(XXHASH_LIBS)
