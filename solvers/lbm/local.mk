# solvers/lbm: solver_lbm.so, the driven box and flows between boundaries.
noinst_LTLIBRARIES += solvers/liblbm.la
solver_libs += solvers/liblbm.la
pluginexec_LTLIBRARIES += solvers/solver_lbm.la
solver_plugins += solvers/solver_lbm.la
solvers_liblbm_la_CPPFLAGS = $(AM_CPPFLAGS) # which also gives its objects names of their own
solvers_solver_lbm_la_SOURCES =
solvers_solver_lbm_la_LDFLAGS = $(solver_plugin_flags)
solvers_solver_lbm_la_LIBADD = solvers/liblbm.la solvers/liblattice.la $(solver_plugin_libs)
# Units and bounds of lattices, in two and in three dimensions.
noinst_LTLIBRARIES += solvers/liblattice.la
solver_libs += solvers/liblattice.la
solvers_liblattice_la_SOURCES = solvers/lbm/units.c solvers/lbm/units.h solvers/lbm/bounds.c solvers/lbm/bounds.h
noinst_HEADERS += solvers/lbm/driven/lbm_params.h solvers/lbm/d2q9.h solvers/lbm/driven/lbm_cell.h \
  solvers/lbm/driven/lbm_implementations_cell.h
solvers_liblbm_la_SOURCES = solvers/lbm/box.c solvers/lbm/box.h solvers/lbm/driven/lbm.c \
  solvers/lbm/driven/lbm.h solvers/lbm/driven/steps.c solvers/lbm/driven/bristol.c \
  solvers/lbm/driven/implementation.c solvers/lbm/driven/implementation.h solvers/lbm/driven/implementations.c \
  solvers/lbm/driven/form.c solvers/lbm/driven/leaves.c \
  solvers/lbm/driven/reach.c
nodist_solvers_liblbm_la_SOURCES = solvers/lbm/driven/lbm.k.c solvers/lbm/driven/lbm_implementations.k.c
solvers_liblbm_la_LIBADD = $(call trm_kernel_objects,solvers/lbm/driven/lbm) \
  $(call trm_kernel_objects,solvers/lbm/driven/lbm_implementations)
lbm_implementations_KFLAGS = -O2 -fno-ivopts # 34 kernels, which no host needs faster
TRM_KERNEL_TEXTS += solvers/lbm/driven/lbm solvers/lbm/driven/lbm_implementations
EXTRA_DIST += solvers/lbm/driven/lbm.k solvers/lbm/driven/lbm_implementations.k solvers/lbm/README.md
noinst_HEADERS += solvers/lbm/channel/channel_params.h solvers/lbm/channel/channel_constants.h \
  solvers/lbm/channel/channel_record.h
solvers_liblbm_la_SOURCES += solvers/lbm/channel/channel.c solvers/lbm/channel/channel.h \
  solvers/lbm/channel/channel_options.h solvers/lbm/channel/channel_scene.c solvers/lbm/channel/channel_links.c \
  solvers/lbm/channel/channel_start.c solvers/lbm/channel/channel_study.c solvers/lbm/channel/channel_memory.c solvers/lbm/channel/channel_share.c solvers/lbm/channel/channel_steps.c \
  solvers/lbm/channel/channel_declarations.c solvers/lbm/channel/shapes.c solvers/lbm/channel/shapes.h
nodist_solvers_liblbm_la_SOURCES += solvers/lbm/channel/cylinder.k.c solvers/lbm/channel/channel.k.c
solvers_liblbm_la_LIBADD += $(call trm_kernel_objects,solvers/lbm/channel/cylinder) \
  $(call trm_kernel_objects,solvers/lbm/channel/channel)
channel_VARIANTS = regularised
TRM_KERNEL_TEXTS += solvers/lbm/channel/cylinder solvers/lbm/channel/channel
EXTRA_DIST += solvers/lbm/channel/cylinder.k solvers/lbm/channel/channel.k
