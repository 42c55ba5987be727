# solvers: one folder each, and what follows from their declarations.
noinst_LTLIBRARIES += solvers/libsolvers.la
noinst_HEADERS += solvers/solver.h solvers/field.h solvers/lbm/lbm_params.h
solvers_libsolvers_la_SOURCES = solvers/field.c solvers/fingerprint.c solvers/registry.c \
  solvers/lbm/lbm.c solvers/lbm/lbm.h solvers/lbm/steps.c solvers/lbm/bristol.c
nodist_solvers_libsolvers_la_SOURCES = solvers/lbm/lbm.k.c
solvers_libsolvers_la_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS)
solvers_libsolvers_la_LIBADD = $(call trm_kernel_objects,solvers/lbm/lbm) $(XXHASH_LIBS) -lm
TRM_KERNEL_TEXTS += solvers/lbm/lbm
EXTRA_DIST += solvers/lbm/lbm.k solvers/lbm/README.md
