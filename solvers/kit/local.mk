# libtrireme-solver: what a solver is written with, here and outside: keys of cases (io/config.h) and
# files, what follows from declarations (solver.h), and the kit. Programs and plugins link it.
nobase_pkginclude_HEADERS += solvers/kit/forest.h solvers/kit/kit.h solvers/kit/memory.h solvers/kit/params.h \
  solvers/kit/program.h solvers/kit/stepper.h
lib_LTLIBRARIES += solvers/libtrireme-solver.la
solvers_libtrireme_solver_la_SOURCES = \
  solvers/kit/check.c solvers/kit/declare.c solvers/kit/forest.c solvers/kit/forest_slots.c \
  solvers/kit/forest_slots.h solvers/kit/inside.h solvers/kit/kit.c \
  solvers/kit/memory.c solvers/kit/params.c solvers/kit/program.c solvers/kit/steps.c solvers/kit/stepper.c \
  solvers/kit/stepping.c solvers/kit/types.c \
  solvers/blocks.c solvers/field.c solvers/field.h solvers/fingerprint.c \
  io/case.c io/case.h io/config.c io/config_internal.h io/config_print.c io/cure.h io/file.c io/file.h \
  io/folder.c io/place.c io/place.h io/literals.c io/literals.h
solvers_libtrireme_solver_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBCONFIG_CFLAGS) $(XXHASH_CFLAGS)
solvers_libtrireme_solver_la_LDFLAGS = -version-info 0:0:0 -no-undefined
solvers_libtrireme_solver_la_LIBADD = core/libtrireme.la $(LIBCONFIG_LIBS) $(XXHASH_LIBS) -lm
