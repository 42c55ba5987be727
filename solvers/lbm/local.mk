# solvers/lbm: flows between boundaries, a part of solvers/libsolvers.la.
noinst_HEADERS += solvers/lbm/channel/channel_params.h solvers/lbm/channel/channel_constants.h \
  solvers/lbm/channel/channel_record.h
solvers_libsolvers_la_SOURCES += solvers/lbm/channel/channel.c solvers/lbm/channel/channel.h \
  solvers/lbm/channel/channel_options.h solvers/lbm/channel/channel_scene.c solvers/lbm/channel/channel_links.c \
  solvers/lbm/channel/channel_start.c solvers/lbm/channel/channel_memory.c solvers/lbm/channel/channel_share.c solvers/lbm/channel/channel_steps.c \
  solvers/lbm/channel/channel_declarations.c solvers/lbm/units.c solvers/lbm/units.h solvers/lbm/channel/shapes.c solvers/lbm/channel/shapes.h
nodist_solvers_libsolvers_la_SOURCES += solvers/lbm/channel/cylinder.k.c solvers/lbm/channel/channel.k.c
solvers_libsolvers_la_LIBADD += $(call trm_kernel_objects,solvers/lbm/channel/cylinder) \
  $(call trm_kernel_objects,solvers/lbm/channel/channel)
channel_VARIANTS = regularised
TRM_KERNEL_TEXTS += solvers/lbm/channel/cylinder solvers/lbm/channel/channel
EXTRA_DIST += solvers/lbm/channel/cylinder.k solvers/lbm/channel/channel.k
