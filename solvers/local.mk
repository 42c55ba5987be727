# solvers: one folder each, and what follows from their declarations. Each is a file solver_NAME.so, as one from
# outside is; its code is a convenience library, so that tests reach the inside as well.
nobase_pkginclude_HEADERS += solvers/solver.h solvers/implementations.h
# The list of solvers, for what runs a case.
noinst_LTLIBRARIES += solvers/libcatalogue.la
solvers_libcatalogue_la_SOURCES = solvers/catalogue.c solvers/catalogue.h
# All of them, linked into a test.
noinst_LTLIBRARIES += solvers/libsolvers.la
solvers_libsolvers_la_SOURCES = solvers/registry.c solvers/registry.h
solvers_libsolvers_la_LIBADD = $(solver_libs) io/libio.la solvers/libtrireme-solver.la -lm
solver_libs =
solver_plugins =
solver_plugin_flags = -module -avoid-version -shared -no-undefined
solver_plugin_libs = io/libio.la solvers/libtrireme-solver.la core/libtrireme.la -lm
