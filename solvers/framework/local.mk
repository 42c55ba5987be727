# libtrireme-solver: what a solver is written with, here and outside: keys of cases (io/config.h) and
# files, what follows from declarations (solver.h), and the framework. Programs and plugins link it.
nobase_pkginclude_HEADERS += solvers/framework/forest.h solvers/framework/framework.h solvers/framework/memory.h solvers/framework/params.h \
  solvers/framework/program.h solvers/framework/stepper.h
lib_LTLIBRARIES += solvers/libtrireme-solver.la
solvers_libtrireme_solver_la_SOURCES = \
  solvers/framework/check.c solvers/framework/declare.c solvers/framework/forest.c solvers/framework/forest_slots.c \
  solvers/framework/forest_slots.h solvers/framework/internal.h solvers/framework/framework.c \
  solvers/framework/memory.c solvers/framework/params.c solvers/framework/program.c solvers/framework/steps.c solvers/framework/stepper.c \
  solvers/framework/stepping.c solvers/framework/types.c \
  solvers/blocks.c solvers/field.c solvers/field.h solvers/fingerprint.c \
  io/case.c io/case.h io/config.c io/config_former.c io/config_internal.h io/config_print.c io/cure.h io/file.c io/file.h \
  io/folder.c io/place.c io/place.h io/literals.c io/literals.h
solvers_libtrireme_solver_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBCONFIG_CFLAGS) $(XXHASH_CFLAGS)
solvers_libtrireme_solver_la_LDFLAGS = -version-info 0:0:0 -no-undefined
solvers_libtrireme_solver_la_LIBADD = core/libtrireme.la $(LIBCONFIG_LIBS) $(XXHASH_LIBS) -lm
