# solvers: one folder each, and what follows from their declarations.
noinst_LTLIBRARIES += solvers/libsolvers.la
nobase_pkginclude_HEADERS += solvers/solver.h solvers/ladder.h
noinst_HEADERS += solvers/lbm/driven/lbm_params.h solvers/lbm/d2q9.h solvers/lbm/driven/lbm_cell.h \
  solvers/lbm/driven/rung_cell.h \
  solvers/nbody/kernels/nbody_params.h \
  solvers/nbody/kernels/tree_params.h \
  solvers/nbody/kernels/tree_node.h
solvers_libsolvers_la_SOURCES = solvers/catalogue.c solvers/catalogue.h solvers/registry.c \
  solvers/lbm/box.c solvers/lbm/box.h solvers/lbm/driven/lbm.c solvers/lbm/driven/lbm.h solvers/lbm/driven/steps.c solvers/lbm/driven/bristol.c \
  solvers/lbm/driven/rung.c solvers/lbm/driven/rung.h solvers/lbm/driven/rung_ladder.c \
  solvers/nbody/nbody.c solvers/nbody/nbody.h solvers/nbody/steps.c solvers/nbody/initial.c \
  solvers/nbody/random.c solvers/nbody/bodies.c solvers/nbody/files.c solvers/nbody/density.c solvers/nbody/traffic.c \
  solvers/nbody/tree.c solvers/nbody/programs.c solvers/nbody/load.c \
  solvers/nbody/declarations.c
nodist_solvers_libsolvers_la_SOURCES = solvers/lbm/driven/lbm.k.c solvers/lbm/driven/rung.k.c solvers/nbody/kernels/nbody.k.c \
  solvers/nbody/kernels/nbody_force.k.c \
  solvers/nbody/kernels/nbody_hermite.k.c solvers/nbody/kernels/nbody_tree.k.c \
  solvers/nbody/kernels/nbody_walk.k.c
solvers_libsolvers_la_CPPFLAGS = $(AM_CPPFLAGS) -DTRM_PLUGIN_DIR='"$(pkglibdir)"'
solvers_libsolvers_la_LIBADD = $(call trm_kernel_objects,solvers/lbm/driven/lbm) \
  $(call trm_kernel_objects,solvers/lbm/driven/rung) \
  $(call trm_kernel_objects,solvers/nbody/kernels/nbody) \
  $(call trm_kernel_objects,solvers/nbody/kernels/nbody_force) \
  $(call trm_kernel_objects,solvers/nbody/kernels/nbody_hermite) \
  $(call trm_kernel_objects,solvers/nbody/kernels/nbody_tree) \
  $(call trm_kernel_objects,solvers/nbody/kernels/nbody_walk) solvers/libtrireme-solver.la -lm
nbody_force_VARIANTS = naive unroll2 unroll4 unroll8 targets2 targets4
TRM_KERNEL_TEXTS += solvers/lbm/driven/lbm solvers/lbm/driven/rung solvers/nbody/kernels/nbody solvers/nbody/kernels/nbody_force \
  solvers/nbody/kernels/nbody_hermite solvers/nbody/kernels/nbody_tree \
  solvers/nbody/kernels/nbody_walk
EXTRA_DIST += solvers/lbm/driven/lbm.k solvers/lbm/driven/rung.k solvers/lbm/README.md solvers/nbody/README.md \
  solvers/nbody/kernels/nbody.k solvers/nbody/kernels/nbody_force.k \
  solvers/nbody/kernels/nbody_hermite.k \
  solvers/nbody/kernels/nbody_tree.k solvers/nbody/kernels/nbody_walk.k
