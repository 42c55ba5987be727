# solvers/nbody: solver_nbody.so, gravity between bodies.
noinst_LTLIBRARIES += solvers/libnbody.la
solver_libs += solvers/libnbody.la
pluginexec_LTLIBRARIES += solvers/solver_nbody.la
solver_plugins += solvers/solver_nbody.la
solvers_libnbody_la_CPPFLAGS = $(AM_CPPFLAGS) # which also gives its objects names of their own
solvers_solver_nbody_la_SOURCES =
solvers_solver_nbody_la_LDFLAGS = $(solver_plugin_flags)
solvers_solver_nbody_la_LIBADD = solvers/libnbody.la $(solver_plugin_libs)
noinst_HEADERS += solvers/nbody/kernels/nbody_params.h \
  solvers/nbody/kernels/tree_params.h \
  solvers/nbody/kernels/tree_node.h
solvers_libnbody_la_SOURCES = \
  solvers/nbody/nbody.c solvers/nbody/nbody.h solvers/nbody/steps.c solvers/nbody/initial.c \
  solvers/nbody/random.c solvers/nbody/bodies.c solvers/nbody/check.c solvers/nbody/files.c solvers/nbody/density.c solvers/nbody/traffic.c \
  solvers/nbody/tree.c solvers/nbody/programs.c solvers/nbody/load.c \
  solvers/nbody/declarations.c
nodist_solvers_libnbody_la_SOURCES = solvers/nbody/kernels/nbody.k.c \
  solvers/nbody/kernels/nbody_force.k.c \
  solvers/nbody/kernels/nbody_hermite.k.c solvers/nbody/kernels/nbody_tree.k.c \
  solvers/nbody/kernels/nbody_walk.k.c
solvers_libnbody_la_LIBADD = $(call trm_kernel_objects,solvers/nbody/kernels/nbody) \
  $(call trm_kernel_objects,solvers/nbody/kernels/nbody_force) \
  $(call trm_kernel_objects,solvers/nbody/kernels/nbody_hermite) \
  $(call trm_kernel_objects,solvers/nbody/kernels/nbody_tree) \
  $(call trm_kernel_objects,solvers/nbody/kernels/nbody_walk)
nbody_force_VARIANTS = naive unroll2 unroll4 unroll8 targets2 targets4
TRM_KERNEL_TEXTS += solvers/nbody/kernels/nbody solvers/nbody/kernels/nbody_force \
  solvers/nbody/kernels/nbody_hermite solvers/nbody/kernels/nbody_tree \
  solvers/nbody/kernels/nbody_walk
EXTRA_DIST += solvers/nbody/README.md \
  solvers/nbody/kernels/nbody.k solvers/nbody/kernels/nbody_force.k \
  solvers/nbody/kernels/nbody_hermite.k \
  solvers/nbody/kernels/nbody_tree.k solvers/nbody/kernels/nbody_walk.k
