# solvers/compressible: compressible flow: solver_compressible.so.
noinst_LTLIBRARIES += solvers/libcompressible.la
solver_libs += solvers/libcompressible.la
pluginexec_LTLIBRARIES += solvers/solver_compressible.la
solver_plugins += solvers/solver_compressible.la
solvers_libcompressible_la_CPPFLAGS = $(AM_CPPFLAGS) # which also gives its objects names of their own
solvers_solver_compressible_la_SOURCES =
solvers_solver_compressible_la_LDFLAGS = $(solver_plugin_flags)
solvers_solver_compressible_la_LIBADD = solvers/libcompressible.la $(solver_plugin_libs)
noinst_HEADERS += solvers/compressible/kernels/fv_params.h solvers/compressible/kernels/fv_clock.h solvers/compressible/kernels/fv_block.h \
  solvers/compressible/kernels/fv_convective_flux.h solvers/compressible/kernels/fv_flux.h solvers/compressible/kernels/fv_stage.h solvers/compressible/kernels/fv_far.h solvers/compressible/kernels/fv_boundary.h \
  solvers/compressible/kernels/fv_update.h solvers/compressible/kernels/fv_stage_host.h solvers/compressible/kernels/fv_stage_gpu.h \
  solvers/compressible/kernels/fv_record.h solvers/compressible/kernels/fv_interface.h solvers/compressible/kernels/fv_unit.h solvers/compressible/kernels/fv_cut_flow.h \
  solvers/compressible/kernels/fv_cut_lists.h solvers/compressible/kernels/fv_cut_stencils.h \
  solvers/compressible/kernels/fv_restrict.h solvers/compressible/kernels/fv_step_record.h solvers/compressible/kernels/fv_indicator.h solvers/compressible/kernels/fv_adapt.h \
  solvers/compressible/kernels/fv_integrals.h solvers/compressible/kernels/fv_summands.h solvers/compressible/kernels/fv_cut_integrals.h solvers/compressible/kernels/fv_start.h solvers/compressible/kernels/fv_local_step.h solvers/compressible/kernels/fv_dual.h solvers/compressible/kernels/fv_multigrid.h \
  solvers/compressible/kernels/fv_formula.h solvers/compressible/kernels/fv_edges.h solvers/compressible/kernels/fv_diagnostics.h solvers/compressible/kernels/fv_source.h \
  solvers/compressible/kernels/fv_implementations.h solvers/compressible/kernels/fv_push.h solvers/compressible/boundaries/edges.h solvers/compressible/solver/implementations.h solvers/compressible/mesh/adapt.h \
  solvers/compressible/implicit/dual.h solvers/compressible/bodies/bodies.h \
  solvers/compressible/cutcells/cut_cell.h solvers/compressible/cutcells/cut.h solvers/compressible/cutcells/cut_maker.h solvers/compressible/cutcells/cut_heirs.h \
  solvers/compressible/kernels/fv_neighbours.h solvers/compressible/kernels/fv_geometry_params.h solvers/compressible/kernels/fv_geometry_places.h \
  solvers/compressible/kernels/fv_geometry_view.h solvers/compressible/kernels/fv_geometry_numbers.h \
  solvers/compressible/kernels/fv_geometry_surfaces.h solvers/compressible/kernels/fv_geometry_bodies.h solvers/compressible/kernels/fv_geometry_cells.h \
  solvers/compressible/kernels/fv_geometry_cut.h solvers/compressible/kernels/fv_geometry_records.h solvers/compressible/kernels/fv_geometry_groups.h \
  solvers/compressible/kernels/fv_geometry_chains.h solvers/compressible/kernels/fv_geometry_units.h solvers/compressible/kernels/fv_geometry_faces.h \
  solvers/compressible/kernels/fv_geometry_walls.h solvers/compressible/kernels/fv_geometry_heirs.h solvers/compressible/kernels/fv_geometry_gifts.h \
  solvers/compressible/kernels/fv_geometry_entries.h solvers/compressible/kernels/fv_geometry_paces.h \
  solvers/compressible/kernels/fv_plane.h solvers/compressible/kernels/fv_convex.h \
  solvers/compressible/kernels/fv_volumes_params.h solvers/compressible/kernels/fv_volumes_bodies.h \
  solvers/compressible/kernels/fv_volumes_find.h solvers/compressible/kernels/fv_volumes_cut.h \
  solvers/compressible/kernels/fv_volumes_walls.h solvers/compressible/kernels/fv_volumes_link.h \
  solvers/compressible/kernels/fv_volumes_faces.h solvers/compressible/kernels/fv_volumes_begin.h \
  solvers/compressible/kernels/fv_volumes_weights.h solvers/compressible/kernels/fv_volumes_neighbours.h \
  solvers/compressible/kernels/fv_volumes_flow.h solvers/compressible/kernels/fv_volumes_leaf.h \
  solvers/compressible/kernels/fv_volumes_flow_walls.h solvers/compressible/kernels/fv_volumes_flow_stress.h \
  solvers/compressible/kernels/fv_volumes_flow_grip.h solvers/compressible/kernels/fv_sponge.h \
  solvers/compressible/kernels/fv_volumes_flow_source.h \
  solvers/compressible/kernels/fv_volumes_flow_dual.h \
  solvers/compressible/kernels/fv_volumes_flow_integrals.h \
  solvers/compressible/kernels/fv_volumes_outer.h solvers/compressible/kernels/fv_volumes_flow_outer.h \
  solvers/compressible/kernels/fv_volumes_sheets.h solvers/compressible/kernels/fv_volumes_gaps.h \
  solvers/compressible/kernels/fv_volumes_flow_stage.h \
  solvers/compressible/kernels/fv_volumes_tree.h solvers/compressible/kernels/fv_volumes_tree_faces.h \
  solvers/compressible/kernels/fv_volumes_tree_begin.h solvers/compressible/kernels/fv_volumes_maps.h
solvers_libcompressible_la_SOURCES = solvers/compressible/solver/compressible.c solvers/compressible/solver/fv.h solvers/compressible/solver/options.h \
  solvers/compressible/solver/start.c solvers/compressible/solver/programs.c \
  solvers/compressible/solver/steps.c solvers/compressible/boundaries/sides.c solvers/compressible/mesh/levels.c solvers/compressible/mesh/level_limit.c solvers/compressible/solver/declarations.c \
  solvers/compressible/solver/memory.c solvers/compressible/mesh/adapt.c \
  solvers/compressible/bodies/bodies.c solvers/compressible/bodies/body_ends.c solvers/compressible/bodies/slits.c solvers/compressible/bodies/paths.c solvers/compressible/bodies/paths_ahead.c solvers/compressible/cutcells/cut_cell.c solvers/compressible/cutcells/cut.c \
  solvers/compressible/cutcells/cut_maker.c solvers/compressible/cutcells/cut_corners.c solvers/compressible/cutcells/cut_sides.c solvers/compressible/cutcells/cut_find.c solvers/compressible/cutcells/cut_groups.c solvers/compressible/cutcells/cut_fresh.c solvers/compressible/cutcells/cut_faces.c solvers/compressible/cutcells/cut_lists.c \
  solvers/compressible/cutcells/cut_turns.c solvers/compressible/cutcells/cut_rows.c solvers/compressible/cutcells/cut_heirs.c solvers/compressible/cutcells/cut_covered.c \
  solvers/compressible/cutcells/cut_gifts.c solvers/compressible/cutcells/cut_entries.c solvers/compressible/bodies/walls.c solvers/compressible/bodies/motion.c \
  solvers/compressible/solver/integrals.c solvers/compressible/solver/share.c solvers/compressible/boundaries/edges.c solvers/compressible/solver/sources.c \
  solvers/compressible/solver/diagnostics.c solvers/compressible/mesh/tagging.c solvers/compressible/implicit/dual.c solvers/compressible/implicit/multigrid.c solvers/compressible/implicit/transfer.c \
  solvers/compressible/solver/implementations.c solvers/compressible/solver/implementation_lists.c \
  solvers/compressible/solver/implementation_launch.c solvers/compressible/cutcells/geometry.c solvers/compressible/cutcells/geometry_leaves.c solvers/compressible/cutcells/geometry_known.c \
  solvers/compressible/cutcells/geometry_lists.c solvers/compressible/cutcells/geometry_launch.c solvers/compressible/cutcells/geometry.h \
  solvers/compressible/cutcells/geometry_parts.h \
  solvers/compressible/bodies/facets.c solvers/compressible/bodies/facets_bins.c \
  solvers/compressible/bodies/facets_surface.c solvers/compressible/bodies/facets_images.c \
  solvers/compressible/bodies/facets.h \
  solvers/compressible/cutcells/volumes_launch.c solvers/compressible/cutcells/volumes_launch.h \
  solvers/compressible/cutcells/volumes_flow.c solvers/compressible/cutcells/volumes_flow.h \
  solvers/compressible/cutcells/volumes_bodies.c solvers/compressible/cutcells/volumes_run.c \
  solvers/compressible/cutcells/volumes_show.c solvers/compressible/cutcells/volumes_memory.c solvers/compressible/cutcells/volumes_run.h \
  solvers/compressible/cutcells/volumes_regrid.c solvers/compressible/cutcells/volumes_share.c
nodist_solvers_libcompressible_la_SOURCES = solvers/compressible/kernels/fv_ausm.k.c \
  solvers/compressible/kernels/fv_ausm_plus.k.c \
  solvers/compressible/kernels/fv_hllc.k.c \
  solvers/compressible/kernels/fv_common.k.c \
  solvers/compressible/kernels/fv_cut.k.c \
  solvers/compressible/kernels/fv_dual.k.c \
  solvers/compressible/kernels/fv_implementations.k.c \
  solvers/compressible/kernels/fv_push.k.c \
  solvers/compressible/kernels/fv_geometry.k.c \
  solvers/compressible/kernels/fv_volumes.k.c \
  solvers/compressible/kernels/fv_volumes_trees.k.c
solvers_libcompressible_la_LIBADD = $(call trm_kernel_objects,solvers/compressible/kernels/fv_ausm) \
  $(call trm_kernel_objects,solvers/compressible/kernels/fv_ausm_plus) \
  $(call trm_kernel_objects,solvers/compressible/kernels/fv_hllc) \
  $(call trm_kernel_objects,solvers/compressible/kernels/fv_common) \
  $(call trm_kernel_objects,solvers/compressible/kernels/fv_cut) \
  $(call trm_kernel_objects,solvers/compressible/kernels/fv_dual) \
  $(call trm_kernel_objects,solvers/compressible/kernels/fv_implementations) \
  $(call trm_kernel_objects,solvers/compressible/kernels/fv_push) \
  $(call trm_kernel_objects,solvers/compressible/kernels/fv_geometry) \
  $(call trm_kernel_objects,solvers/compressible/kernels/fv_volumes) \
  $(call trm_kernel_objects,solvers/compressible/kernels/fv_volumes_trees)
# A flux has a text of its own for the stages alone: each variant compiles all kernels of its text.
fv_ausm_VARIANTS = flat
fv_ausm_plus_VARIANTS = flat
fv_hllc_VARIANTS = flat
fv_common_VARIANTS = flat
fv_cut_VARIANTS = flat
fv_dual_VARIANTS = flat
fv_implementations_VARIANTS = flat
fv_push_VARIANTS = flat
fv_geometry_VARIANTS = flat
fv_geometry_ONLY = f64.strict
fv_volumes_VARIANTS = flat
fv_volumes_ONLY = f64.strict
fv_volumes_trees_VARIANTS = flat
fv_volumes_trees_ONLY = f64.strict
# rows of a block are too short to be taken apart for alignment
fv_ausm_KFLAGS = $(SHORT_ROWS_CFLAGS)
fv_ausm_plus_KFLAGS = $(SHORT_ROWS_CFLAGS)
fv_hllc_KFLAGS = $(SHORT_ROWS_CFLAGS)
fv_common_KFLAGS = $(SHORT_ROWS_CFLAGS)
fv_cut_KFLAGS = $(SHORT_ROWS_CFLAGS)
fv_dual_KFLAGS = $(SHORT_ROWS_CFLAGS)
fv_implementations_KFLAGS = $(SHORT_ROWS_CFLAGS)
fv_push_KFLAGS = $(SHORT_ROWS_CFLAGS)
fv_geometry_KFLAGS = $(SHORT_ROWS_CFLAGS)
TRM_KERNEL_TEXTS += solvers/compressible/kernels/fv_ausm \
  solvers/compressible/kernels/fv_ausm_plus \
  solvers/compressible/kernels/fv_hllc \
  solvers/compressible/kernels/fv_common \
  solvers/compressible/kernels/fv_cut \
  solvers/compressible/kernels/fv_dual \
  solvers/compressible/kernels/fv_implementations \
  solvers/compressible/kernels/fv_push \
  solvers/compressible/kernels/fv_geometry \
  solvers/compressible/kernels/fv_volumes \
  solvers/compressible/kernels/fv_volumes_trees
EXTRA_DIST += solvers/compressible/kernels/fv_ausm.k \
  solvers/compressible/kernels/fv_ausm_plus.k \
  solvers/compressible/kernels/fv_hllc.k \
  solvers/compressible/kernels/fv_common.k \
  solvers/compressible/kernels/fv_cut.k \
  solvers/compressible/kernels/fv_dual.k \
  solvers/compressible/kernels/fv_implementations.k \
  solvers/compressible/kernels/fv_push.k \
  solvers/compressible/kernels/fv_geometry.k \
  solvers/compressible/kernels/fv_volumes.k \
  solvers/compressible/kernels/fv_volumes_trees.k
