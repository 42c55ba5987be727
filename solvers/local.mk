# solvers: one folder each, and what follows from their declarations.
noinst_LTLIBRARIES += solvers/libsolvers.la
nobase_pkginclude_HEADERS += solvers/solver.h
noinst_HEADERS += solvers/field.h solvers/lbm/lbm_params.h solvers/lbm/rung_params.h solvers/lbm/rung_cell.h \
  solvers/nbody/kernels/nbody_params.h \
  solvers/nbody/kernels/nbody_root.h solvers/nbody/kernels/tree_params.h \
  solvers/nbody/kernels/tree_node.h
solvers_libsolvers_la_SOURCES = solvers/catalogue.c solvers/catalogue.h solvers/field.c solvers/fingerprint.c solvers/registry.c \
  solvers/lbm/lbm.c solvers/lbm/lbm.h solvers/lbm/steps.c solvers/lbm/bristol.c \
  solvers/lbm/rung.c solvers/lbm/rung.h solvers/lbm/rung_ladder.c \
  solvers/nbody/nbody.c solvers/nbody/nbody.h solvers/nbody/steps.c solvers/nbody/initial.c \
  solvers/nbody/random.c solvers/nbody/bodies.c solvers/nbody/files.c solvers/nbody/density.c solvers/nbody/traffic.c \
  solvers/nbody/tree.c solvers/nbody/programs.c solvers/nbody/load.c \
  solvers/nbody/declarations.c
nodist_solvers_libsolvers_la_SOURCES = solvers/lbm/lbm.k.c solvers/lbm/rung_split.k.c \
  solvers/lbm/rung_fused.k.c solvers/nbody/kernels/nbody.k.c \
  solvers/nbody/kernels/nbody_force.k.c \
  solvers/nbody/kernels/nbody_hermite.k.c solvers/nbody/kernels/nbody_tree.k.c \
  solvers/nbody/kernels/nbody_walk.k.c
solvers_libsolvers_la_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS) -DTRM_PLUGIN_DIR='"$(pkglibdir)"'
solvers_libsolvers_la_LIBADD = $(call trm_kernel_objects,solvers/lbm/lbm) \
  $(call trm_kernel_objects,solvers/lbm/rung_split) $(call trm_kernel_objects,solvers/lbm/rung_fused) \
  $(call trm_kernel_objects,solvers/nbody/kernels/nbody) \
  $(call trm_kernel_objects,solvers/nbody/kernels/nbody_force) \
  $(call trm_kernel_objects,solvers/nbody/kernels/nbody_hermite) \
  $(call trm_kernel_objects,solvers/nbody/kernels/nbody_tree) \
  $(call trm_kernel_objects,solvers/nbody/kernels/nbody_walk) $(XXHASH_LIBS) -lm
nbody_force_VARIANTS = naive unroll2 unroll4 unroll8 targets2 targets4
TRM_KERNEL_TEXTS += solvers/lbm/lbm solvers/lbm/rung_split solvers/lbm/rung_fused solvers/nbody/kernels/nbody solvers/nbody/kernels/nbody_force \
  solvers/nbody/kernels/nbody_hermite solvers/nbody/kernels/nbody_tree \
  solvers/nbody/kernels/nbody_walk
EXTRA_DIST += solvers/lbm/lbm.k solvers/lbm/rung_split.k solvers/lbm/rung_fused.k solvers/lbm/README.md solvers/nbody/README.md \
  solvers/nbody/kernels/nbody.k solvers/nbody/kernels/nbody_force.k \
  solvers/nbody/kernels/nbody_hermite.k \
  solvers/nbody/kernels/nbody_tree.k solvers/nbody/kernels/nbody_walk.k
