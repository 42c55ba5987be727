# solvers/fv: compressible flow: solver_compressible.so.
noinst_LTLIBRARIES += solvers/libcompressible.la
solver_libs += solvers/libcompressible.la
pluginexec_LTLIBRARIES += solvers/solver_compressible.la
solver_plugins += solvers/solver_compressible.la
solvers_libcompressible_la_CPPFLAGS = $(AM_CPPFLAGS) # which also gives its objects names of their own
solvers_solver_compressible_la_SOURCES =
solvers_solver_compressible_la_LDFLAGS = $(solver_plugin_flags)
solvers_solver_compressible_la_LIBADD = solvers/libcompressible.la $(solver_plugin_libs)
noinst_HEADERS += solvers/fv/fv_params.h solvers/fv/fv_clock.h solvers/fv/fv_block.h \
  solvers/fv/fv_carry.h solvers/fv/fv_flux.h solvers/fv/fv_stage.h solvers/fv/fv_far.h solvers/fv/fv_shell.h \
  solvers/fv/fv_settle.h solvers/fv/fv_planes.h solvers/fv/fv_columns.h \
  solvers/fv/fv_record.h solvers/fv/fv_jump.h solvers/fv/fv_unit.h solvers/fv/fv_cut_flow.h \
  solvers/fv/fv_cut_lists.h solvers/fv/fv_cut_looks.h \
  solvers/fv/fv_mean.h solvers/fv/fv_note.h solvers/fv/fv_sense.h solvers/fv/fv_adapt.h \
  solvers/fv/fv_integrals.h solvers/fv/fv_pace.h solvers/fv/fv_dual.h solvers/fv/fv_multigrid.h \
  solvers/fv/fv_formula.h solvers/fv/fv_edges.h solvers/fv/fv_watch.h solvers/fv/fv_source.h \
  solvers/fv/fv_rungs.h solvers/fv/edges.h solvers/fv/rungs.h solvers/fv/adapt.h \
  solvers/fv/dual.h solvers/fv/bodies.h \
  solvers/fv/cut_cell.h solvers/fv/cut.h solvers/fv/cut_maker.h solvers/fv/cut_heirs.h \
  solvers/fv/fv_beside.h solvers/fv/fv_geometry_params.h solvers/fv/fv_geometry_places.h \
  solvers/fv/fv_geometry_view.h solvers/fv/fv_geometry_numbers.h \
  solvers/fv/fv_geometry_surfaces.h solvers/fv/fv_geometry_bodies.h solvers/fv/fv_geometry_cells.h \
  solvers/fv/fv_geometry_cut.h solvers/fv/fv_geometry_records.h solvers/fv/fv_geometry_groups.h \
  solvers/fv/fv_geometry_chains.h solvers/fv/fv_geometry_units.h solvers/fv/fv_geometry_faces.h \
  solvers/fv/fv_geometry_walls.h solvers/fv/fv_geometry_heirs.h solvers/fv/fv_geometry_gifts.h \
  solvers/fv/fv_geometry_entries.h solvers/fv/fv_geometry_paces.h
solvers_libcompressible_la_SOURCES = solvers/fv/compressible.c solvers/fv/fv.h solvers/fv/options.h \
  solvers/fv/start.c \
  solvers/fv/steps.c solvers/fv/sides.c solvers/fv/levels.c solvers/fv/depth.c solvers/fv/declarations.c \
  solvers/fv/memory.c solvers/fv/adapt.c \
  solvers/fv/bodies.c solvers/fv/body_ends.c solvers/fv/slits.c solvers/fv/paths.c solvers/fv/paths_ahead.c solvers/fv/cut_cell.c solvers/fv/cut.c \
  solvers/fv/cut_maker.c solvers/fv/cut_corners.c solvers/fv/cut_sides.c solvers/fv/cut_find.c solvers/fv/cut_groups.c solvers/fv/cut_fresh.c solvers/fv/cut_faces.c solvers/fv/cut_lists.c \
  solvers/fv/cut_turns.c solvers/fv/cut_rows.c solvers/fv/cut_heirs.c solvers/fv/cut_covered.c \
  solvers/fv/cut_gifts.c solvers/fv/cut_entries.c solvers/fv/walls.c solvers/fv/motion.c \
  solvers/fv/integrals.c solvers/fv/share.c solvers/fv/edges.c solvers/fv/sources.c \
  solvers/fv/watch.c solvers/fv/wishes.c solvers/fv/dual.c solvers/fv/multigrid.c solvers/fv/nests.c \
  solvers/fv/rungs.c solvers/fv/geometry.c solvers/fv/geometry_leaves.c solvers/fv/geometry_known.c \
  solvers/fv/geometry_lists.c solvers/fv/geometry_launch.c solvers/fv/geometry.h \
  solvers/fv/geometry_parts.h
nodist_solvers_libcompressible_la_SOURCES = solvers/fv/fv.k.c solvers/fv/fv_common.k.c \
  solvers/fv/fv_rungs.k.c solvers/fv/fv_geometry.k.c
solvers_libcompressible_la_LIBADD = $(call trm_kernel_objects,solvers/fv/fv) \
  $(call trm_kernel_objects,solvers/fv/fv_common) \
  $(call trm_kernel_objects,solvers/fv/fv_rungs) \
  $(call trm_kernel_objects,solvers/fv/fv_geometry)
fv_VARIANTS = flat plus flatplus hllc flathllc dual flatdual
fv_common_VARIANTS = flat
fv_rungs_VARIANTS = flat
fv_geometry_VARIANTS = flat
fv_geometry_ONLY = f64.strict
# rows of a block are too short to be taken apart for alignment
fv_KFLAGS = $(SHORT_ROWS_CFLAGS)
fv_common_KFLAGS = $(SHORT_ROWS_CFLAGS)
fv_rungs_KFLAGS = $(SHORT_ROWS_CFLAGS)
fv_geometry_KFLAGS = $(SHORT_ROWS_CFLAGS)
TRM_KERNEL_TEXTS += solvers/fv/fv solvers/fv/fv_common solvers/fv/fv_rungs solvers/fv/fv_geometry
EXTRA_DIST += solvers/fv/fv.k solvers/fv/fv_common.k solvers/fv/fv_rungs.k solvers/fv/fv_geometry.k
