# solvers/lbm3d: solver_lbm3d.so.
noinst_LTLIBRARIES += solvers/liblbm3d.la
solver_libs += solvers/liblbm3d.la
pluginexec_LTLIBRARIES += solvers/solver_lbm3d.la
solver_plugins += solvers/solver_lbm3d.la
solvers_liblbm3d_la_CPPFLAGS = $(AM_CPPFLAGS) # which also gives its objects names of their own
solvers_solver_lbm3d_la_SOURCES =
solvers_solver_lbm3d_la_LDFLAGS = $(solver_plugin_flags)
solvers_solver_lbm3d_la_LIBADD = solvers/liblbm3d.la solvers/liblattice.la $(solver_plugin_libs)
noinst_HEADERS += solvers/lbm3d/kernels/lbm3d_params.h solvers/lbm3d/kernels/lbm3d_constants.h \
  solvers/lbm3d/kernels/lbm3d_pairs.h solvers/lbm3d/kernels/lbm3d_regularised.h solvers/lbm3d/kernels/lbm3d_mrt.h \
  solvers/lbm3d/kernels/lbm3d_cumulant.h solvers/lbm3d/kernels/d3q27.h solvers/lbm3d/kernels/lbm3d_lattice.h \
  solvers/lbm3d/kernels/lbm3d_links.h solvers/lbm3d/kernels/lbm3d_given.h solvers/lbm3d/kernels/lbm3d_neighbours.h solvers/lbm3d/kernels/lbm3d_rows.h solvers/lbm3d/kernels/lbm3d_step.h solvers/lbm3d/kernels/lbm3d_levels_places.h solvers/lbm3d/kernels/lbm3d_levels_step.h solvers/lbm3d/kernels/lbm3d_sums.h \
  solvers/lbm3d/kernels/lbm3d_stored_place.h solvers/lbm3d/kernels/lbm3d_stored_walls.h \
  solvers/lbm3d/kernels/lbm3d_folded.h \
  solvers/lbm3d/kernels/lbm3d_folded_reals.h solvers/lbm3d/kernels/lbm3d_stored_params.h \
  solvers/lbm3d/kernels/lbm3d_stored_span.h solvers/lbm3d/kernels/lbm3d_stored_cell.h \
  solvers/lbm3d/kernels/lbm3d_stored_shown.h solvers/lbm3d/kernels/lbm3d_curl.h \
  solvers/lbm3d/kernels/lbm3d_moments_params.h solvers/lbm3d/kernels/lbm3d_moments_tile.h \
  solvers/lbm3d/kernels/lbm3d_moments_cell.h solvers/lbm3d/kernels/lbm3d_moments_items.h \
  solvers/lbm3d/kernels/lbm3d_moments_span.h \
  solvers/lbm3d/kernels/lbm3d_levels_params.h solvers/lbm3d/kernels/lbm3d_levels_constants.h \
  solvers/lbm3d/kernels/lbm3d_levels_lattice.h solvers/lbm3d/kernels/lbm3d_levels_interface.h \
  solvers/lbm3d/kernels/lbm3d_levels_side.h solvers/lbm3d/kernels/lbm3d_levels_edge.h \
  solvers/lbm3d/kernels/lbm3d_levels_links.h
solvers_liblbm3d_la_SOURCES = solvers/lbm3d/lbm3d.c solvers/lbm3d/lbm3d.h \
  solvers/lbm3d/scene.c solvers/lbm3d/walls/surface.c solvers/lbm3d/walls/links.c solvers/lbm3d/walls/sides.c solvers/lbm3d/lumen.c \
  solvers/lbm3d/probes.c solvers/lbm3d/shear.c solvers/lbm3d/start.c solvers/lbm3d/memory.c \
  solvers/lbm3d/share.c solvers/lbm3d/steps.c solvers/lbm3d/declarations.c solvers/lbm3d/stored.c \
  solvers/lbm3d/moments.c \
  solvers/lbm3d/levels/levels.c solvers/lbm3d/levels/levels.h solvers/lbm3d/levels/levels_tables.c \
  solvers/lbm3d/levels/levels_steps.c solvers/lbm3d/levels/levels_pushes.c solvers/lbm3d/levels/levels_walls.c solvers/lbm3d/means.c \
  solvers/lbm3d/bounds.c solvers/lbm3d/programs.c
nodist_solvers_liblbm3d_la_SOURCES = solvers/lbm3d/kernels/lbm3d.k.c \
  solvers/lbm3d/kernels/lbm3d_trt.k.c \
  solvers/lbm3d/kernels/lbm3d_regularised.k.c \
  solvers/lbm3d/kernels/lbm3d_mrt.k.c \
  solvers/lbm3d/kernels/lbm3d_cumulant.k.c \
  solvers/lbm3d/kernels/lbm3d_stored.k.c \
  solvers/lbm3d/kernels/lbm3d_moments.k.c \
  solvers/lbm3d/kernels/lbm3d_levels.k.c \
  solvers/lbm3d/kernels/lbm3d_levels_trt.k.c \
  solvers/lbm3d/kernels/lbm3d_levels_regularised.k.c \
  solvers/lbm3d/kernels/lbm3d_levels_mrt.k.c \
  solvers/lbm3d/kernels/lbm3d_levels_cumulant.k.c \
  solvers/lbm3d/kernels/lbm3d_means.k.c
solvers_liblbm3d_la_LIBADD = $(call trm_kernel_objects,solvers/lbm3d/kernels/lbm3d) \
  $(call trm_kernel_objects,solvers/lbm3d/kernels/lbm3d_trt) \
  $(call trm_kernel_objects,solvers/lbm3d/kernels/lbm3d_regularised) \
  $(call trm_kernel_objects,solvers/lbm3d/kernels/lbm3d_mrt) \
  $(call trm_kernel_objects,solvers/lbm3d/kernels/lbm3d_cumulant) \
  $(call trm_kernel_objects,solvers/lbm3d/kernels/lbm3d_stored) \
  $(call trm_kernel_objects,solvers/lbm3d/kernels/lbm3d_moments) \
  $(call trm_kernel_objects,solvers/lbm3d/kernels/lbm3d_levels) \
  $(call trm_kernel_objects,solvers/lbm3d/kernels/lbm3d_levels_trt) \
  $(call trm_kernel_objects,solvers/lbm3d/kernels/lbm3d_levels_regularised) \
  $(call trm_kernel_objects,solvers/lbm3d/kernels/lbm3d_levels_mrt) \
  $(call trm_kernel_objects,solvers/lbm3d/kernels/lbm3d_levels_cumulant) \
  $(call trm_kernel_objects,solvers/lbm3d/kernels/lbm3d_means)
# A collision has texts of its own for the steps alone: each variant compiles all kernels of its text.
lbm3d_VARIANTS = d3q27 cumulant
lbm3d_trt_VARIANTS = d3q27
lbm3d_regularised_VARIANTS = d3q27
lbm3d_stored_VARIANTS = cumulant
lbm3d_levels_VARIANTS = d3q27 cumulant
lbm3d_levels_trt_VARIANTS = d3q27
lbm3d_levels_regularised_VARIANTS = d3q27
lbm3d_means_VARIANTS = d3q27
TRM_KERNEL_TEXTS += solvers/lbm3d/kernels/lbm3d \
  solvers/lbm3d/kernels/lbm3d_trt \
  solvers/lbm3d/kernels/lbm3d_regularised \
  solvers/lbm3d/kernels/lbm3d_mrt \
  solvers/lbm3d/kernels/lbm3d_cumulant \
  solvers/lbm3d/kernels/lbm3d_stored \
  solvers/lbm3d/kernels/lbm3d_moments \
  solvers/lbm3d/kernels/lbm3d_levels \
  solvers/lbm3d/kernels/lbm3d_levels_trt \
  solvers/lbm3d/kernels/lbm3d_levels_regularised \
  solvers/lbm3d/kernels/lbm3d_levels_mrt \
  solvers/lbm3d/kernels/lbm3d_levels_cumulant \
  solvers/lbm3d/kernels/lbm3d_means
EXTRA_DIST += solvers/lbm3d/kernels/lbm3d.k \
  solvers/lbm3d/kernels/lbm3d_trt.k \
  solvers/lbm3d/kernels/lbm3d_regularised.k \
  solvers/lbm3d/kernels/lbm3d_mrt.k \
  solvers/lbm3d/kernels/lbm3d_cumulant.k \
  solvers/lbm3d/kernels/lbm3d_stored.k \
  solvers/lbm3d/kernels/lbm3d_moments.k \
  solvers/lbm3d/kernels/lbm3d_levels.k \
  solvers/lbm3d/kernels/lbm3d_levels_trt.k \
  solvers/lbm3d/kernels/lbm3d_levels_regularised.k \
  solvers/lbm3d/kernels/lbm3d_levels_mrt.k \
  solvers/lbm3d/kernels/lbm3d_levels_cumulant.k \
  solvers/lbm3d/kernels/lbm3d_means.k \
  solvers/lbm3d/README.md
