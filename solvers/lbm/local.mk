# solvers/lbm: flows between boundaries, a part of solvers/libsolvers.la.
noinst_HEADERS += solvers/lbm/channel_params.h solvers/lbm/channel_constants.h \
  solvers/lbm/channel_record.h
solvers_libsolvers_la_SOURCES += solvers/lbm/channel.c solvers/lbm/channel.h \
  solvers/lbm/channel_options.h solvers/lbm/channel_scene.c solvers/lbm/channel_links.c \
  solvers/lbm/channel_start.c solvers/lbm/channel_memory.c solvers/lbm/channel_steps.c \
  solvers/lbm/channel_declarations.c solvers/lbm/shapes.c solvers/lbm/shapes.h
nodist_solvers_libsolvers_la_SOURCES += solvers/lbm/cylinder.k.c solvers/lbm/channel.k.c
solvers_libsolvers_la_LIBADD += $(call trm_kernel_objects,solvers/lbm/cylinder) \
  $(call trm_kernel_objects,solvers/lbm/channel)
channel_VARIANTS = regularised
TRM_KERNEL_TEXTS += solvers/lbm/cylinder solvers/lbm/channel
EXTRA_DIST += solvers/lbm/cylinder.k solvers/lbm/channel.k
