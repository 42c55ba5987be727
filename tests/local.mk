# tests: one program a subject, cmocka cases printed as TAP. A new one needs one line,
#   test_programs += tests/FOLDER/NAME
# and where it is made of more than tests/FOLDER/NAME.c, tests_FOLDER_NAME_SOURCES.
test_programs =
test_scripts =

test_programs += tests/core/dispatch_devices tests/core/dispatch_refusals tests/core/dispatch_sequences
tests_core_dispatch_devices_LDADD = $(dispatch_libs)
tests_core_dispatch_refusals_LDADD = $(dispatch_libs)
tests_core_dispatch_sequences_LDADD = $(dispatch_libs)

# what core asks of a backend, seen by a plugin that fails on demand
test_programs += tests/core/dispatch_backend
tests_core_dispatch_backend_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_PLUGINS='"$(abs_builddir)/tests/.libs"'
tests_core_dispatch_backend_LDADD = $(dispatch_libs)

# plugins that work and plugins that do not, linked to by the program
test_programs += tests/core/registry tests/core/plugin_files
tests_core_registry_SOURCES = tests/core/registry.c tests/core/plugin_folder.c tests/core/plugin_folder.h
tests_core_plugin_files_SOURCES = tests/core/plugin_files.c tests/core/plugin_folder.c tests/core/plugin_folder.h
tests_core_plugin_files_CPPFLAGS = $(tests_core_registry_CPPFLAGS)
test_programs += tests/core/probe_process
tests_core_probe_process_SOURCES = tests/core/probe_process.c tests/core/plugin_folder.c tests/core/plugin_folder.h
tests_core_probe_process_CPPFLAGS = $(tests_core_registry_CPPFLAGS)
tests_core_registry_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_PLUGINS='"$(abs_builddir)/tests/.libs"'
# the result of a probe process is an entry of the program cache
test_programs += tests/core/probe_cache
tests_core_probe_cache_SOURCES = tests/core/probe_cache.c core/cache.c tests/core/cache_folder.c tests/core/cache_folder.h
tests_core_probe_cache_CPPFLAGS = $(tests_core_registry_CPPFLAGS)
tests_core_probe_cache_LDADD = $(LDADD) $(XXHASH_LIBS)
test_scripts += tests/core/probe_program.sh
EXTRA_DIST += tests/core/probe_program.sh
test_plugin_flags = -module -avoid-version -shared -rpath /nowhere
# the rows of parts
test_programs += tests/core/partition
tests_core_partition_SOURCES = tests/core/partition.c core/domain/partition.c core/domain/partition.h core/domain/tree.c core/domain/tree.h
# faults in kernels' rows, which a check on parts finds
test_programs += tests/core/check_rows
tests_core_check_rows_LDADD = $(dispatch_libs)
# parts as threads, and as ranks of each MPI: one text for both
test_programs += tests/core/comm
comm_sources = tests/core/comm_cases.c tests/core/comm_cases.h core/domain/agree.c core/domain/domain.h
tests_core_comm_SOURCES = tests/core/comm.c core/domain/threads.c core/domain/threads.h core/domain/thread_messages.c core/domain/thread_part.h $(comm_sources)
check_PROGRAMS += tests/core/comm_over
tests_core_comm_over_SOURCES = tests/core/comm_over.c $(comm_sources)
tests_core_comm_over_LDADD = core/libtrireme.la -ldl
test_scripts += tests/core/comm_over.sh
EXTRA_DIST += tests/core/comm_over.sh

tests_core_abi_SOURCES = tests/core/abi.c tests/core/layout.h
tests_solvers_solver_abi_SOURCES = tests/solvers/solver_abi.c tests/core/layout.h
test_programs += tests/core/abi tests/core/host_work tests/core/cache tests/core/cache_life tests/core/probe tests/core/reduction tests/core/sort tests/core/steps
cache_sources = core/cache.c tests/core/cache_folder.c tests/core/cache_folder.h
tests_core_cache_SOURCES = tests/core/cache.c $(cache_sources)
tests_core_cache_CPPFLAGS = $(tests_core_registry_CPPFLAGS)
tests_core_cache_LDADD = $(LDADD) $(XXHASH_LIBS)
own_disk = tests/cli/own_disk.c tests/cli/own_disk.h
tests_core_cache_life_SOURCES = tests/core/cache_life.c $(own_disk) $(cache_sources)
tests_core_cache_life_CPPFLAGS = $(tests_core_registry_CPPFLAGS)
tests_core_cache_life_LDADD = $(dispatch_libs) $(XXHASH_LIBS)
tests_core_probe_CPPFLAGS = $(tests_core_registry_CPPFLAGS)
tests_core_probe_LDADD = $(dispatch_libs)
tests_core_reduction_SOURCES = tests/core/reduction.c
tests_core_steps_LDADD = core/libsteps.la $(LDADD)
nodist_tests_core_reduction_SOURCES = core/kernels/reduce.k.c
tests_core_reduction_CPPFLAGS = $(AM_CPPFLAGS)
tests_core_reduction_LDADD = $(call trm_kernel_objects,core/kernels/reduce) $(LDADD)

# files in and out
test_programs += tests/io/io_config tests/io/io_bristol tests/io/io_files tests/io/io_pictures tests/io/io_picture_frame tests/io/io_scales tests/io/io_render tests/io/io_streams tests/io/io_apng \
  tests/io/io_formats tests/io/io_formula tests/io/io_difference tests/io/io_json tests/io/io_grids tests/io/io_stl tests/solvers/fields
io_libs = io/libio.la $(LDADD)
run_libs = tests/libruns.la solvers/libsolvers.la $(XXHASH_LIBS) $(io_libs)
tests_io_io_config_LDADD = $(io_libs)
tests_io_io_bristol_LDADD = $(io_libs)
tests_io_io_files_LDADD = $(io_libs)
tests_io_io_scales_LDADD = $(io_libs)
tests_io_io_pictures_LDADD = tests/libdrawn.la $(io_libs)
tests_io_io_picture_frame_LDADD = tests/libdrawn.la $(io_libs)
tests_io_io_streams_LDADD = $(io_libs)
tests_io_io_render_LDADD = $(io_libs)
tests_io_io_apng_CPPFLAGS = $(AM_CPPFLAGS) $(LIBPNG_CFLAGS) $(ZLIB_CFLAGS)
tests_io_io_apng_LDADD = $(io_libs) $(LIBPNG_LIBS) $(ZLIB_LIBS)
tests_io_io_formats_LDADD = $(io_libs) $(ZLIB_LIBS)
tests_io_io_formula_LDADD = $(io_libs)
tests_io_io_difference_LDADD = $(io_libs)
tests_io_io_stl_LDADD = $(io_libs)
tests_io_io_grids_LDADD = $(io_libs)
check_PROGRAMS += tests/io/read_back
tests_io_read_back_SOURCES = tests/io/read_back.c
tests_io_read_back_LDADD = $(run_libs)
test_scripts += tests/io/made_files.sh tests/io/gdal_files.sh
EXTRA_DIST += tests/io/made_files.sh tests/io/made_files.py tests/io/gdal_files.sh tests/io/gdal_files.py
tests_io_io_json_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_io_io_json_LDADD = io/libcheckpoint.la $(io_libs) $(JANSSON_LIBS)
tests_solvers_fields_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS)
tests_solvers_fields_LDADD = $(run_libs)

# the lattice-Boltzmann solver, through the contract of solvers
test_programs += tests/solvers/lbm/lbm_same tests/solvers/lbm/lbm_implementations tests/solvers/lbm/lbm_forms tests/solvers/lbm/lbm_physics tests/solvers/lbm/lbm_contract tests/solvers/lbm/lbm_bristol
tests_solvers_lbm_lbm_same_LDADD = $(run_libs)
tests_solvers_lbm_lbm_implementations_LDADD = $(run_libs)
tests_solvers_lbm_lbm_forms_LDADD = $(run_libs)
tests_solvers_lbm_lbm_physics_SOURCES = tests/solvers/lbm/lbm_physics.c tests/solvers/lbm/lbm_reference.c tests/solvers/lbm/lbm_reference.h
tests_solvers_lbm_lbm_physics_LDADD = $(run_libs)
tests_solvers_lbm_lbm_contract_LDADD = $(run_libs)
tests_solvers_lbm_lbm_bristol_LDADD = $(run_libs)
test_programs += tests/solvers/lbm/lbm_cylinder tests/solvers/lbm/lbm_channel tests/solvers/lbm/lbm_scene tests/solvers/lbm/schaefer_turek
test_programs += tests/solvers/lbm/lbm_bounds
tests_solvers_lbm_lbm_bounds_LDADD = $(run_libs)
tests_solvers_lbm_lbm_scene_CPPFLAGS = $(AM_CPPFLAGS) $(LIBPNG_CFLAGS)
tests_solvers_lbm_lbm_scene_LDADD = $(run_libs)
tests_solvers_lbm_schaefer_turek_LDADD = $(run_libs)
tests_solvers_lbm_lbm_channel_LDADD = $(run_libs)
tests_solvers_lbm_lbm_cylinder_LDADD = $(run_libs)
test_scripts += tests/solvers/lbm/bristol_reference.sh tests/solvers/lbm/lbm_units.sh tests/solvers/lbm/several_steps.sh
EXTRA_DIST += tests/solvers/lbm/bristol_reference.sh tests/solvers/lbm/lbm_units.sh tests/solvers/lbm/several_steps.sh

# lattice Boltzmann in three dimensions
test_programs += tests/solvers/lbm3d/lbm3d tests/solvers/lbm3d/lbm3d_stored \
  tests/solvers/lbm3d/lbm3d_known tests/solvers/lbm3d/lbm3d_tubes
tests_solvers_lbm3d_lbm3d_LDADD = $(run_libs)
tests_solvers_lbm3d_lbm3d_known_LDADD = $(run_libs)
tests_solvers_lbm3d_lbm3d_tubes_LDADD = $(run_libs)
test_programs += tests/solvers/lbm3d/lbm3d_levels
tests_solvers_lbm3d_lbm3d_levels_LDADD = $(run_libs)
test_programs += tests/solvers/lbm3d/lbm3d_edges
tests_solvers_lbm3d_lbm3d_edges_LDADD = $(run_libs)
EXTRA_DIST += tests/data/lbm3d_levels_2d.txt tests/solvers/lbm3d/levels_2d.py
test_programs += tests/solvers/lbm3d/lbm3d_walls
tests_solvers_lbm3d_lbm3d_walls_LDADD = $(run_libs)
test_programs += tests/solvers/lbm3d/lbm3d_density
tests_solvers_lbm3d_lbm3d_density_LDADD = $(run_libs)
test_programs += tests/solvers/lbm3d/lbm3d_periodic
tests_solvers_lbm3d_lbm3d_periodic_LDADD = $(run_libs)
test_programs += tests/solvers/lbm3d/lbm3d_bounds
tests_solvers_lbm3d_lbm3d_bounds_LDADD = $(run_libs)
tests_solvers_lbm3d_lbm3d_stored_LDADD = $(run_libs)
test_programs += tests/solvers/lbm3d/lbm3d_means tests/solvers/lbm3d/lbm3d_moments
tests_solvers_lbm3d_lbm3d_moments_LDADD = $(run_libs)
tests_solvers_lbm3d_lbm3d_means_LDADD = $(run_libs)
test_programs += tests/solvers/lbm3d/lbm3d_cavity tests/solvers/lbm3d/lbm3d_vortices
tests_solvers_lbm3d_lbm3d_cavity_LDADD = $(run_libs)
tests_solvers_lbm3d_lbm3d_vortices_LDADD = $(run_libs)
test_programs += tests/solvers/lbm3d/lbm3d_sphere tests/solvers/lbm3d/lbm3d_nose
tests_solvers_lbm3d_lbm3d_sphere_LDADD = $(run_libs)
tests_solvers_lbm3d_lbm3d_nose_LDADD = $(run_libs)
EXTRA_DIST += tests/data/cavity_re1000.csv
test_scripts += tests/solvers/lbm3d/lbm3d_run.sh
EXTRA_DIST += tests/solvers/lbm3d/lbm3d_run.sh

# every field of every solver, on every backend, on several devices, and in other slots
test_programs += tests/solvers/same_fields tests/solvers/same_slots tests/solvers/lists tests/solvers/former_keys
tests_solvers_same_fields_LDADD = $(run_libs)
test_programs += tests/solvers/same_threads
tests_solvers_same_threads_LDADD = tests/libruns.la cli/libcli.la $(run_libs)
tests_solvers_same_slots_LDADD = $(run_libs)
tests_solvers_lists_LDADD = $(run_libs)
tests_solvers_former_keys_LDADD = cli/libcli.la solvers/libsolvers.la $(LDADD)

# gravity
test_programs += tests/solvers/nbody/nbody_reference tests/solvers/nbody/nbody_tree tests/solvers/nbody/nbody_bits \
  tests/solvers/nbody/nbody_files tests/solvers/nbody/nbody_places tests/solvers/nbody/nbody_units
tests_solvers_nbody_nbody_reference_LDADD = $(run_libs)
tests_solvers_nbody_nbody_tree_LDADD = $(run_libs)
tests_solvers_nbody_nbody_bits_LDADD = $(run_libs)
tests_solvers_nbody_nbody_units_LDADD = $(run_libs)
tests_solvers_nbody_nbody_files_LDADD = $(run_libs)
tests_solvers_nbody_nbody_places_LDADD = $(run_libs)
test_scripts += tests/solvers/nbody/nbody_output.sh
EXTRA_DIST += tests/solvers/nbody/nbody_output.sh
EXTRA_DIST += tests/data/nbody_cube.txt tests/data/nbody_box.txt tests/data/nbody_set_f32.bin \
  tests/data/nbody_set_f64.bin

# compressible flow, and the blocks it stands on
test_programs += tests/solvers/compressible/compressible tests/solvers/compressible/compressible_sides tests/solvers/compressible/compressible_shocks \
  tests/solvers/compressible/compressible_levels tests/solvers/compressible/compressible_adapt tests/solvers/compressible/compressible_bodies tests/solvers/compressible/compressible_between \
  tests/solvers/compressible/compressible_cylinder tests/solvers/compressible/compressible_surface \
  tests/solvers/compressible/compressible_motion tests/solvers/compressible/compressible_redistribution tests/solvers/compressible/compressible_volumes tests/solvers/compressible/compressible_geometry \
  tests/solvers/compressible/compressible_closed \
  tests/solvers/compressible/compressible_drag tests/solvers/compressible/compressible_paths \
  tests/solvers/compressible/compressible_kept tests/solvers/compressible/compressible_integrals \
  tests/solvers/compressible/compressible_dual \
  tests/solvers/compressible/compressible_edges tests/solvers/compressible/compressible_sources \
  tests/solvers/compressible/compressible_far tests/solvers/compressible/compressible_forms tests/solvers/compressible/compressible_units \
  tests/solvers/compressible/compressible_diagnostics tests/solvers/compressible/compressible_implementations \
  tests/solvers/compressible/compressible_axes tests/solvers/compressible/compressible_blocks \
  tests/solvers/compressible/compressible_steps tests/solvers/compressible/compressible_times \
  tests/solvers/framework/forest
tests_solvers_compressible_compressible_LDADD = $(run_libs)
tests_solvers_compressible_compressible_sides_LDADD = $(run_libs)
tests_solvers_compressible_compressible_shocks_LDADD = $(run_libs)
tests_solvers_compressible_compressible_bodies_LDADD = $(run_libs)
tests_solvers_compressible_compressible_between_LDADD = $(run_libs)
tests_solvers_compressible_compressible_cylinder_LDADD = $(run_libs)
tests_solvers_compressible_compressible_surface_LDADD = $(run_libs)
tests_solvers_compressible_compressible_motion_LDADD = $(run_libs)
tests_solvers_compressible_compressible_redistribution_LDADD = $(run_libs)
tests_solvers_compressible_compressible_volumes_LDADD = $(run_libs)
tests_solvers_compressible_compressible_geometry_LDADD = $(run_libs)
tests_solvers_compressible_compressible_closed_LDADD = $(run_libs)
tests_solvers_compressible_compressible_drag_LDADD = $(run_libs)
tests_solvers_compressible_compressible_paths_LDADD = $(run_libs)
tests_solvers_compressible_compressible_kept_LDADD = $(run_libs)
tests_solvers_compressible_compressible_implementations_LDADD = $(run_libs)
tests_solvers_compressible_compressible_axes_LDADD = $(run_libs)
tests_solvers_compressible_compressible_blocks_LDADD = $(run_libs)
tests_solvers_compressible_compressible_steps_LDADD = $(run_libs)
tests_solvers_compressible_compressible_times_LDADD = $(run_libs)
tests_solvers_compressible_compressible_diagnostics_LDADD = $(run_libs)
tests_solvers_compressible_compressible_sources_LDADD = $(run_libs)
tests_solvers_compressible_compressible_edges_LDADD = $(run_libs)
tests_solvers_compressible_compressible_far_LDADD = $(run_libs)
tests_solvers_compressible_compressible_forms_LDADD = $(run_libs)
tests_solvers_compressible_compressible_units_LDADD = $(run_libs)
EXTRA_DIST += tests/solvers/compressible/far_field.py
# the cut cells to come: the shapes that planes leave of a cell
test_programs += tests/solvers/compressible/cut_shapes
tests_solvers_compressible_cut_shapes_SOURCES = tests/solvers/compressible/cut_shapes.c \
  tests/solvers/compressible/exact_shapes.c tests/solvers/compressible/exact_shapes.h \
  tests/solvers/compressible/cut_shapes_params.h
nodist_tests_solvers_compressible_cut_shapes_SOURCES = tests/solvers/compressible/cut_shapes.k.c
tests_solvers_compressible_cut_shapes_LDADD = $(call trm_kernel_objects,tests/solvers/compressible/cut_shapes) $(LDADD)
cut_shapes_ONLY = f32.strict f64.strict
TRM_KERNEL_TEXTS += tests/solvers/compressible/cut_shapes
EXTRA_DIST += tests/solvers/compressible/cut_shapes.k
# and the facets of bodies
test_programs += tests/solvers/compressible/cut_facets
tests_solvers_compressible_cut_facets_LDADD = $(run_libs)
# and the maps over cells that facets cut
test_programs += tests/solvers/compressible/cut_volumes
tests_solvers_compressible_cut_volumes_SOURCES = tests/solvers/compressible/cut_volumes.c \
  tests/solvers/compressible/cut_step.c tests/solvers/compressible/cut_step.h
tests_solvers_compressible_cut_volumes_LDADD = $(run_libs)
test_programs += tests/solvers/compressible/cut_walls
tests_solvers_compressible_cut_walls_SOURCES = tests/solvers/compressible/cut_walls.c \
  tests/solvers/compressible/cut_step.c tests/solvers/compressible/cut_step.h
tests_solvers_compressible_cut_walls_LDADD = $(run_libs)
test_programs += tests/solvers/compressible/cut_parts
tests_solvers_compressible_cut_parts_SOURCES = tests/solvers/compressible/cut_parts.c \
  tests/solvers/compressible/cut_step.c tests/solvers/compressible/cut_step.h
tests_solvers_compressible_cut_parts_LDADD = $(run_libs)
test_programs += tests/solvers/compressible/cut_weights
tests_solvers_compressible_cut_weights_SOURCES = tests/solvers/compressible/cut_weights.c \
  tests/solvers/compressible/cut_step.c tests/solvers/compressible/cut_step.h
tests_solvers_compressible_cut_weights_LDADD = $(run_libs)
# and the flow in their control volumes
test_programs += tests/solvers/compressible/cut_stream
tests_solvers_compressible_cut_stream_SOURCES = tests/solvers/compressible/cut_stream.c \
  tests/solvers/compressible/cut_flow.c tests/solvers/compressible/cut_flow.h \
  tests/solvers/compressible/cut_step.c tests/solvers/compressible/cut_step.h
tests_solvers_compressible_cut_stream_LDADD = $(run_libs)
test_programs += tests/solvers/compressible/cut_outer
tests_solvers_compressible_cut_outer_SOURCES = tests/solvers/compressible/cut_outer.c \
  tests/solvers/compressible/cut_flow.c tests/solvers/compressible/cut_flow.h \
  tests/solvers/compressible/cut_step.c tests/solvers/compressible/cut_step.h
tests_solvers_compressible_cut_outer_CPPFLAGS = $(AM_CPPFLAGS) -DCUT_SIDE=8 -DCUT_LEAVES=3
tests_solvers_compressible_cut_outer_LDADD = $(run_libs)
# and the same in two dimensions
test_programs += tests/solvers/compressible/cut_flat
tests_solvers_compressible_cut_flat_SOURCES = $(tests_solvers_compressible_cut_outer_SOURCES)
tests_solvers_compressible_cut_flat_CPPFLAGS = $(AM_CPPFLAGS) -DTRM_VARIANT_flat -DCUT_SIDE=16
tests_solvers_compressible_cut_flat_LDADD = $(run_libs)
test_programs += tests/solvers/compressible/cut_gaps
tests_solvers_compressible_cut_gaps_SOURCES = tests/solvers/compressible/cut_gaps.c \
  tests/solvers/compressible/cut_flow.c tests/solvers/compressible/cut_flow.h \
  tests/solvers/compressible/cut_step.c tests/solvers/compressible/cut_step.h
tests_solvers_compressible_cut_gaps_CPPFLAGS = $(AM_CPPFLAGS) -DCUT_SIDE=8
tests_solvers_compressible_cut_gaps_LDADD = $(run_libs)
test_programs += tests/solvers/compressible/cut_sides
tests_solvers_compressible_cut_sides_SOURCES = tests/solvers/compressible/cut_sides.c \
  tests/solvers/compressible/cut_flow.c tests/solvers/compressible/cut_flow.h \
  tests/solvers/compressible/cut_step.c tests/solvers/compressible/cut_step.h
tests_solvers_compressible_cut_sides_CPPFLAGS = $(AM_CPPFLAGS) -DCUT_SIDE=8
tests_solvers_compressible_cut_sides_LDADD = $(run_libs)
test_programs += tests/solvers/compressible/cut_sides_flat
tests_solvers_compressible_cut_sides_flat_SOURCES = $(tests_solvers_compressible_cut_sides_SOURCES)
tests_solvers_compressible_cut_sides_flat_CPPFLAGS = $(AM_CPPFLAGS) -DTRM_VARIANT_flat -DCUT_SIDE=16
tests_solvers_compressible_cut_sides_flat_LDADD = $(run_libs)
test_programs += tests/solvers/compressible/cut_shut
tests_solvers_compressible_cut_shut_SOURCES = tests/solvers/compressible/cut_shut.c \
  tests/solvers/compressible/cut_flow.c tests/solvers/compressible/cut_flow.h \
  tests/solvers/compressible/cut_step.c tests/solvers/compressible/cut_step.h
tests_solvers_compressible_cut_shut_CPPFLAGS = $(AM_CPPFLAGS) -DCUT_SIDE=8
tests_solvers_compressible_cut_shut_LDADD = $(run_libs)
test_programs += tests/solvers/compressible/cut_tree
tests_solvers_compressible_cut_tree_SOURCES = tests/solvers/compressible/cut_tree.c \
  tests/solvers/compressible/cut_pieces.c tests/solvers/compressible/cut_pieces.h \
  tests/solvers/compressible/cut_step.c tests/solvers/compressible/cut_step.h
tests_solvers_compressible_cut_tree_LDADD = $(run_libs)
tests_solvers_compressible_compressible_integrals_LDADD = $(run_libs)
tests_solvers_compressible_compressible_dual_LDADD = $(run_libs)
tests_solvers_compressible_compressible_adapt_LDADD = $(run_libs)
tests_solvers_compressible_compressible_levels_LDADD = $(run_libs)
tests_solvers_framework_forest_LDADD = $(run_libs)

# shallow water, through the contract of solvers; the EPFL course's references, through the program
test_programs += tests/solvers/shallow/shallow tests/solvers/shallow/shallow_known tests/solvers/shallow/shallow_units tests/solvers/shallow/shallow_refusals tests/solvers/shallow/shallow_tsunami tests/solvers/shallow/shallow_forms
tests_solvers_shallow_shallow_LDADD = $(run_libs)
tests_solvers_shallow_shallow_known_LDADD = $(run_libs)
tests_solvers_shallow_shallow_units_LDADD = $(run_libs)
tests_solvers_shallow_shallow_refusals_LDADD = $(run_libs)
tests_solvers_shallow_shallow_forms_LDADD = $(run_libs)
tests_solvers_shallow_shallow_tsunami_LDADD = $(run_libs)
test_programs += tests/solvers/shallow/shallow_edges tests/solvers/shallow/shallow_given \
  tests/solvers/shallow/shallow_heights
tests_solvers_shallow_shallow_edges_LDADD = $(run_libs)
tests_solvers_shallow_shallow_given_LDADD = $(run_libs)
tests_solvers_shallow_shallow_heights_LDADD = $(run_libs)
EXTRA_DIST += tests/solvers/shallow/staggered.py
test_scripts += tests/solvers/shallow/shallow_course.sh tests/solvers/shallow/shallow_netcdf.sh \
  tests/solvers/shallow/shallow_output.sh tests/solvers/shallow/dt_every.sh
EXTRA_DIST += tests/solvers/shallow/shallow_course.sh tests/solvers/shallow/shallow_netcdf.sh \
  tests/solvers/shallow/shallow_output.sh tests/solvers/shallow/dt_every.sh

# the framework, by a solver of its own
test_programs += tests/solvers/framework/framework tests/solvers/framework/framework_parts tests/solvers/framework/framework_refusals
tests_solvers_framework_framework_LDADD = tests/libpond.la $(LDADD)
test_programs += tests/solvers/framework/framework_threads
tests_solvers_framework_framework_threads_LDADD = tests/libpond.la $(LDADD)
tests_solvers_framework_framework_parts_LDADD = solvers/libtrireme-solver.la $(LDADD)
tests_solvers_framework_framework_refusals_LDADD = tests/libpond.la $(LDADD)
EXTRA_DIST += tests/solvers/framework/pond.k

# solvers from outside: their plugins, and one made by the installed program
test_programs += tests/solvers/solver_plugins tests/solvers/solver_abi
tests_solvers_solver_plugins_CPPFLAGS = $(tests_core_registry_CPPFLAGS)
tests_solvers_solver_plugins_LDADD = solvers/libcatalogue.la $(run_libs)
test_scripts += tests/solvers/new_solver.sh tests/solvers/exercises.sh tests/core/new_backend.sh
EXTRA_DIST += tests/solvers/new_solver.sh tests/solvers/exercises.sh tests/core/new_backend.sh
# The solved kernels of the exercises; nobody installs them.
EXTRA_DIST += $(exercises:%=tests/data/exercises/%.k)

# the program: its time loop, and the program itself
test_programs += tests/cli/study
tests_cli_study_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_cli_study_LDADD = cli/libcli.la $(LDADD)
test_programs += tests/cli/cli_session
tests_cli_cli_session_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_cli_cli_session_LDADD = cli/libcli.la $(LDADD)
# libtrireme-run as a program of one's own has it: nothing of the program is linked
test_programs += tests/cli/library
tests_cli_library_LDADD = run/libtrireme-run.la solvers/libtrireme-solver.la $(LDADD)
test_scripts += tests/cli/library_symbols.sh tests/cli/python.sh tests/cli/library_page.sh tests/cli/vtk.sh tests/cli/measure.sh
EXTRA_DIST += tests/cli/library_symbols.sh tests/cli/python.sh tests/cli/library_page.sh tests/cli/measure.sh tests/cli/python_cases.py \
  tests/cli/vtk.sh tests/cli/vtk_reads.py tests/cli/vtu_reads.py tests/cli/htg_reads.py
# checkpoints: on the disk; where a system call fails, and after a loss of power; their program is
# linked so that its system calls can be made to fail (--wrap)
kept_sources = tests/io/kept.c tests/io/kept.h
kept_libs = io/libcheckpoint.la io/libio.la $(JANSSON_LIBS) $(XXHASH_LIBS) $(LDADD)
test_programs += tests/io/io_checkpoint
tests_io_io_checkpoint_SOURCES = tests/io/io_checkpoint.c $(kept_sources)
tests_io_io_checkpoint_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_io_io_checkpoint_LDADD = $(kept_libs)
test_programs += tests/io/io_checkpoint_faults
tests_io_io_checkpoint_faults_SOURCES = tests/io/io_checkpoint_faults.c $(kept_sources)
tests_io_io_checkpoint_faults_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_io_io_checkpoint_faults_LDFLAGS = -Wl,--wrap=open,--wrap=openat,--wrap=mkdirat,--wrap=write \
  -Wl,--wrap=fallocate,--wrap=fsync,--wrap=fdatasync,--wrap=close,--wrap=renameat,--wrap=unlinkat
tests_io_io_checkpoint_faults_LDADD = $(kept_libs)
# checkpoints: through the program, and every solver in parts on changing backends
test_scripts += tests/cli/resume.sh tests/cli/checkpoints_page.sh
EXTRA_DIST += tests/cli/resume.sh tests/cli/checkpoints_page.sh
test_programs += tests/cli/checkpoints tests/cli/kills tests/cli/times
tests_cli_kills_LDADD = tests/libprogram.la $(LDADD)
tests_cli_checkpoints_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_cli_times_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_cli_times_LDADD = tests/libprogram.la run/libtrireme-run.la solvers/libtrireme-solver.la $(kept_libs)
tests_cli_checkpoints_LDADD = tests/libprogram.la run/libtrireme-run.la solvers/libtrireme-solver.la $(kept_libs)
# the machine's counters and conditions, on folders and a management library of our own
test_programs += tests/cli/energy
tests_cli_energy_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) -DFAKE_FOLDER='"$(abs_builddir)/tests/fake/.libs"'
tests_cli_energy_LDADD = cli/libcli.la $(LDADD)
check_LTLIBRARIES += tests/fake/libnvidia-ml.la
tests_fake_libnvidia_ml_la_SOURCES = tests/fake/nvml.c tests/fake/nvml.h
tests_fake_libnvidia_ml_la_LDFLAGS = -shared -rpath /nowhere -version-info 1:0:0
test_scripts += tests/cli/results.sh tests/cli/report.sh tests/cli/pictures.sh tests/cli/movie.sh tests/cli/view.sh tests/cli/view_terminal.sh
EXTRA_DIST += tests/cli/pictures.sh tests/cli/movie.sh tests/cli/view.sh tests/cli/view_terminal.sh tests/cli/view_client.py tests/cli/view_terminal_cases.py tests/cli/results.sh tests/cli/vtu_gas.py tests/cli/report.sh $(report_data:%=tests/data/report/%.json)
report_data = compare devices differ old other run-a run-b study sweep
test_scripts += tests/cli/cli_input.sh tests/cli/cli_run.sh tests/cli/cli_same.sh tests/cli/devices.sh tests/cli/ranks.sh tests/cli/ranks_mpich.sh tests/cli/ranks_mpi_abi.sh tests/cli/ranks_choice.sh tests/cli/ranks_parts.sh tests/cli/ranks_parts_mpich.sh tests/cli/parts.sh tests/cli/cli_vary.sh tests/cli/cli_study.sh tests/cli/cases.sh
test_scripts += tests/backend-cuda/cuda_states.sh tests/core/raised.sh tests/core/at_once.sh tests/cli/process.sh
test_scripts += tests/cli/retrace.sh tests/cli/predict.sh tests/cli/verdicts.sh
EXTRA_DIST += tests/cli/retrace.sh tests/cli/reports.py tests/cli/predict.sh tests/cli/predict.py \
  tests/cli/verdicts.sh tests/cli/verdicts.py
test_scripts += tests/cli/terminal.sh tests/cli/installed.sh tests/cli/former_keys.sh
EXTRA_DIST += tests/cli/former_keys.sh $(former_data:%=tests/data/former/%)
former_data = block.stl lake.asc path.txt tide.txt $(former_kept:%=kept/%) \
  $(former_cases:%=%.conf) $(former_cases:%=%.old.conf)
former_kept = log.txt run.json used.conf series.csv checkpoint/series/00000000-00000001.npy \
  $(former_step:%=checkpoint/step-00000001/%)
former_step = case.conf manifest.json manifest.xxh128 populations.00000000.npy \
  statistics.00000000.npy
former_cases = block bodies box channel driven force lake lists moving pool small surface
EXTRA_DIST += tests/cli/installed.sh tests/cli/terminal.sh tests/cli/terminal_cases.py
EXTRA_DIST += tests/core/at_once.sh tests/cli/process.sh
test_scripts += tests/cli/storm.sh tests/backend-opencl/rusticl.sh
EXTRA_DIST += tests/cli/storm.sh tests/backend-opencl/rusticl.sh
EXTRA_DIST += tests/backend-cuda/cuda_states.sh tests/core/raised.sh
EXTRA_DIST += tests/cli/cli_input.sh tests/cli/cli_run.sh tests/cli/cli_same.sh tests/cli/devices.sh tests/cli/ranks.sh tests/cli/ranks_mpich.sh tests/cli/ranks_mpi_abi.sh tests/cli/ranks_choice.sh tests/cli/ranks_parts.sh tests/cli/ranks_parts_mpich.sh tests/cli/parts.sh tests/cli/cli_vary.sh tests/cli/cli_study.sh tests/cli/cases.sh

if WITH_OPENMP
test_programs += tests/backend-openmp/openmp_device tests/backend-openmp/openmp_team
tests_backend_openmp_openmp_device_SOURCES = tests/backend-openmp/openmp_device.c tests/backend-openmp/openmp_table.h
tests_backend_openmp_openmp_device_LDFLAGS = $(OPENMP_CFLAGS)
tests_backend_openmp_openmp_device_LDADD = backend-openmp/libopenmp_backend.la $(LDADD)
tests_backend_openmp_openmp_team_SOURCES = tests/backend-openmp/openmp_team.c tests/backend-openmp/openmp_table.h
tests_backend_openmp_openmp_team_LDFLAGS = $(OPENMP_CFLAGS)
tests_backend_openmp_openmp_team_LDADD = backend-openmp/libopenmp_backend.la $(LDADD)
endif

if WITH_OPENCL
test_programs += tests/backend-opencl/opencl tests/backend-opencl/opencl_source tests/backend-opencl/opencl_platforms tests/backend-opencl/opencl_probe_process
tests_backend_opencl_opencl_source_SOURCES = tests/backend-opencl/opencl_source.c backend-opencl/source.c
nodist_tests_backend_opencl_opencl_source_SOURCES = core/kernel_text.c
tests_backend_opencl_opencl_source_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
opencl_vendors = tests/backend-opencl/opencl_vendors.c tests/backend-opencl/opencl_vendors.h
tests_backend_opencl_opencl_platforms_SOURCES = tests/backend-opencl/opencl_platforms.c $(opencl_vendors)
tests_backend_opencl_opencl_platforms_CPPFLAGS = $(tests_core_registry_CPPFLAGS) $(OPENCL_CFLAGS)
tests_backend_opencl_opencl_platforms_LDADD = $(LDADD) $(OPENCL_LIBS)
tests_backend_opencl_opencl_probe_process_SOURCES = tests/backend-opencl/opencl_probe_process.c $(opencl_vendors)
tests_backend_opencl_opencl_probe_process_CPPFLAGS = $(tests_core_registry_CPPFLAGS) $(OPENCL_CFLAGS)
tests_backend_opencl_opencl_probe_process_LDADD = $(LDADD) $(OPENCL_LIBS)
check_LTLIBRARIES += tests/failing_driver.la
tests_failing_driver_la_SOURCES = tests/backend-opencl/failing_driver.c
tests_failing_driver_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
tests_failing_driver_la_LDFLAGS = $(test_plugin_flags)
endif

if WITH_CMOCKA
check_LTLIBRARIES += tests/libharness.la
tests_libharness_la_SOURCES = tests/harness.h tests/harness.c
tests_libharness_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
# What every test program links with unless it has an own _LDADD.
LDADD = tests/libharness.la core/libtrireme.la $(CMOCKA_LIBS) -lm
check_PROGRAMS += $(test_programs)
TESTS += $(test_programs)

check_LTLIBRARIES += tests/libdrawn.la
tests_libdrawn_la_SOURCES = tests/io/drawn.c tests/io/drawn.h
tests_libdrawn_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBPNG_CFLAGS)
tests_libdrawn_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)

check_LTLIBRARIES += tests/libpond.la
tests_libpond_la_SOURCES = tests/solvers/framework/pond.c tests/solvers/framework/pond_made.c tests/solvers/framework/pond.h \
  tests/solvers/framework/pond_params.h
nodist_tests_libpond_la_SOURCES = tests/solvers/framework/pond.k.c
tests_libpond_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_libpond_la_LIBADD = $(call trm_kernel_objects,tests/solvers/framework/pond) solvers/libtrireme-solver.la

# the same as a plugin
check_LTLIBRARIES += tests/solver_pond.la
tests_solver_pond_la_SOURCES = tests/solvers/framework/pond.c tests/solvers/framework/pond.h tests/solvers/framework/pond_params.h
nodist_tests_solver_pond_la_SOURCES = tests/solvers/framework/pond.k.c
tests_solver_pond_la_CPPFLAGS = $(AM_CPPFLAGS) # which also gives its objects names of their own
tests_solver_pond_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_solver_pond_la_LDFLAGS = $(test_plugin_flags)
tests_solver_pond_la_LIBADD = $(call trm_kernel_objects,tests/solvers/framework/pond) solvers/libtrireme-solver.la

# runs of the solvers, for their tests
check_LTLIBRARIES += tests/libruns.la
tests_libruns_la_SOURCES = tests/solvers/flow_run.c tests/solvers/flow_run.h \
  tests/solvers/compressible/fv_run.c tests/solvers/compressible/fv_run.h \
  tests/solvers/lbm/lbm_run.c tests/solvers/lbm/lbm_run.h tests/solvers/lbm/lbm_cases.h \
  tests/solvers/lbm3d/collisions.h tests/solvers/lbm3d/tube.c tests/solvers/lbm3d/tube.h \
  tests/solvers/nbody/nbody_run.c tests/solvers/nbody/nbody_run.h \
  tests/solvers/same_cases.c tests/solvers/same_run.c tests/solvers/same_run.h \
  tests/solvers/shallow/shallow_run.c tests/solvers/shallow/shallow_run.h \
  tests/solvers/values.c tests/solvers/values.h
tests_libruns_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(XXHASH_CFLAGS)

# the dispatch interface, with kernels of its own
check_LTLIBRARIES += tests/libdispatch.la
tests_libdispatch_la_SOURCES = tests/core/dispatch.c tests/core/dispatch.h tests/core/dispatch_params.h
nodist_tests_libdispatch_la_SOURCES = tests/core/dispatch.k.c
tests_libdispatch_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_libdispatch_la_LIBADD = $(call trm_kernel_objects,tests/core/dispatch)
dispatch_VARIANTS = twice
TRM_KERNEL_TEXTS += tests/core/dispatch tests/solvers/framework/pond
dispatch_libs = tests/libdispatch.la $(LDADD)
check_LTLIBRARIES += tests/trireme_strange.la
tests_trireme_strange_la_SOURCES = tests/core/strange_backend.c
tests_trireme_strange_la_LDFLAGS = $(test_plugin_flags)

check_LTLIBRARIES += tests/trireme_fake.la tests/trireme_broken.la tests/trireme_rough.la
tests_trireme_fake_la_SOURCES = tests/core/fake_backend.c tests/core/fake_flaws.h core/kernels/probe_params.h
tests_trireme_fake_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_FLAWS
tests_trireme_fake_la_LDFLAGS = $(test_plugin_flags)
tests_trireme_fake_la_LIBADD = -lm
tests_trireme_broken_la_SOURCES = tests/core/broken_plugin.c
tests_trireme_broken_la_LDFLAGS = $(test_plugin_flags)
tests_trireme_rough_la_SOURCES = tests/core/rough_plugin.c
tests_trireme_rough_la_LDFLAGS = $(test_plugin_flags)

check_LTLIBRARIES += tests/broken_solver.la
tests_broken_solver_la_SOURCES = tests/solvers/broken_solver.c
tests_broken_solver_la_LDFLAGS = $(test_plugin_flags)
check_LTLIBRARIES += tests/former_solver.la
tests_former_solver_la_SOURCES = tests/solvers/former_solver.c
tests_former_solver_la_LDFLAGS = $(test_plugin_flags) -Wl,-z,undefs

# errors of one unit in the last place, planted, and what compare --bisect finds of them
check_LTLIBRARIES += tests/solver_plant.la
tests_solver_plant_la_SOURCES = tests/cli/plant_solver.c tests/cli/plant_params.h
nodist_tests_solver_plant_la_SOURCES = tests/cli/plant.k.c
tests_solver_plant_la_CPPFLAGS = $(AM_CPPFLAGS) # which also gives its objects names of their own
tests_solver_plant_la_LDFLAGS = $(test_plugin_flags)
tests_solver_plant_la_LIBADD = $(call trm_kernel_objects,tests/cli/plant) solvers/libtrireme-solver.la
TRM_KERNEL_TEXTS += tests/cli/plant
TRM_KERNEL_UNCHECKED = tests/cli/plant # errors in one target are what it is for
test_scripts += tests/cli/bisect.sh tests/cli/tune.sh tests/cli/profile.sh
EXTRA_DIST += tests/cli/tune.sh docs/tune.md docs/bristol.md tests/cli/profile.sh docs/profile.md
test_programs += tests/cli/bisection
tests_cli_bisection_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS)
tests_cli_bisection_LDADD = cli/libcli.la $(XXHASH_LIBS) $(LDADD)
EXTRA_DIST += tests/cli/plant.k tests/cli/bisect.sh docs/bisect.md

# the program on a device whose calls fail, and with memory that fails
check_LTLIBRARIES += tests/trireme_fault.la tests/failing_memory.la tests/comm_fault.la
tests_trireme_fault_la_SOURCES = tests/cli/fault_backend.c
tests_trireme_fault_la_LDFLAGS = $(test_plugin_flags)
tests_trireme_fault_la_LIBADD = -ldl
tests_failing_memory_la_SOURCES = tests/cli/failing_memory.c
tests_failing_memory_la_LDFLAGS = $(test_plugin_flags)
tests_comm_fault_la_SOURCES = tests/cli/comm_fault.c
tests_comm_fault_la_LDFLAGS = $(test_plugin_flags)
check_LTLIBRARIES += tests/stand_in/comm_mpi_abi.la
tests_stand_in_comm_mpi_abi_la_SOURCES = tests/cli/comm_fault.c
tests_stand_in_comm_mpi_abi_la_CPPFLAGS = $(AM_CPPFLAGS) -DSTAND_IN_NAME=mpi_abi
tests_stand_in_comm_mpi_abi_la_LDFLAGS = $(test_plugin_flags)
check_LTLIBRARIES += tests/libprogram.la
tests_libprogram_la_SOURCES = tests/cli/program.c tests/cli/program.h
tests_libprogram_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_programs += tests/cli/faults tests/cli/memory_faults tests/cli/full_disk
tests_cli_full_disk_SOURCES = tests/cli/full_disk.c $(own_disk)
tests_cli_full_disk_LDADD = tests/libprogram.la $(LDADD)
tests_cli_memory_faults_CPPFLAGS = $(tests_core_registry_CPPFLAGS)
tests_cli_memory_faults_LDADD = tests/libprogram.la $(LDADD)
tests_cli_faults_CPPFLAGS = $(tests_core_registry_CPPFLAGS)
tests_cli_faults_LDADD = tests/libprogram.la $(LDADD)

# run by harness.sh, not by make check
check_PROGRAMS += tests/peak
tests_peak_SOURCES = tests/cli/peak.c
tests_peak_LDADD =
check_PROGRAMS += tests/harness_sample
test_scripts += tests/harness.sh
endif

# The program without libtool's script before it, which takes twice as long as the program to start: tests start it
# thousands of times.
check_PROGRAMS += cli/started/trireme
cli_started_trireme_SOURCES = cli/main.c
cli_started_trireme_LDFLAGS = -no-install
cli_started_trireme_LDADD = cli/libcli.la

# counts for traffic.sh; a library of counted kernels calls back into it
check_PROGRAMS += tests/dialect/traffic
tests_dialect_traffic_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_dialect_traffic_LDFLAGS = -export-dynamic
tests_dialect_traffic_LDADD = cli/libcli.la -ldl
test_scripts += tests/dialect/traffic.sh
EXTRA_DIST += tests/dialect/traffic.sh tests/dialect/traffic_ops.awk tests/dialect/traffic_twins.sh

# kernels that are wrong on purpose, and ours in the host's check mode
if WITH_CMOCKA
check_PROGRAMS += tests/dialect/planted
TESTS += tests/dialect/planted
tests_dialect_planted_LDADD = tests/libdialect.la $(dispatch_libs)
endif
test_scripts += tests/dialect/host_check.sh tests/dialect/oclgrind.sh
EXTRA_DIST += tests/dialect/host_check.sh

test_scripts += tests/dialect/kernels.sh tests/dialect/nvidia_opencl.sh tests/dialect/kernel_check.sh tests/build/configure.sh tests/core/probe_golden.sh tests/cli/manual.sh tests/build/packaging.sh \
  $(block_sides)
block_sides = tests/solvers/compressible/block_sides.sh tests/solvers/lbm3d/lbm3d_block_sides.sh \
  tests/solvers/lbm3d/lbm3d_block_sides_bodies.sh tests/solvers/lbm3d/lbm3d_block_sides_walls.sh \
  tests/solvers/lbm3d/lbm3d_block_sides_nose.sh
EXTRA_DIST += tests/cli/manual.sh tests/build/packaging.sh $(block_sides) tests/solvers/other_sides.sh \
  tests/solvers/lbm3d/lbm3d_other_sides.sh
EXTRA_DIST += tests/core/probe_golden.py
TESTS += $(test_scripts)
EXTRA_DIST += tests/harness.sh tests/dialect/kernels.sh tests/dialect/nvidia_opencl.sh tests/dialect/kernel_check.sh tests/build/configure.sh tests/core/probe_golden.sh tests/tap.sh tests/dialect/contraction.k
EXTRA_DIST += tests/core/dispatch.k
EXTRA_DIST += tests/data/README.md tests/data/fingerprints.csv tests/data/cylinder_420x180.txt tests/data/cylinder_sums.txt \
  tests/data/bristol_128x128.av_vels tests/data/bristol_128x128.final_state \
  tests/data/bristol_128x256.av_vels tests/data/bristol_128x256.final_state

TEST_EXTENSIONS = .sh
# A shell in the background gives its children an ignored SIGINT; tests that interrupt need it.
default_int = $$(env --default-signal=INT true 2>/dev/null && echo --default-signal=INT)
LOG_DRIVER = env $(default_int) AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/tests/timed.sh $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(SHELL)

# PoCL compiles in three quarters of the time without its vectoriser, which the long tests have.
test_pocl = $(test_state)/pocl$(if $(TRIREME_TEST_LONG),-long)
quick_pocl = if test -z '$(TRIREME_TEST_LONG)'; then \
  POCL_WORK_GROUP_METHOD=$${POCL_WORK_GROUP_METHOD-loops}; export POCL_WORK_GROUP_METHOD; fi
# Pinning is off since several programs may run at once, and on a busy machine a driver is not hanging
# yet; the rest keeps a run inside the build tree.
test_state = $(abs_builddir)/tests/state
# A backend from outside is tested by TRIREME_BACKEND_PATH=FOLDER TRIREME_REQUIRE=NAME.
test_plugins = $(abs_builddir)/backend-openmp/.libs:$(abs_builddir)/backend-opencl/.libs:$(abs_builddir)/backend-cuda/.libs
AM_TESTS_ENVIRONMENT = \
  (umask 077 && $(MKDIR_P) $(test_state)/cache $(test_pocl) $(test_state)/solvers); \
  TRIREME_BACKEND_PATH='$(test_plugins)$(TRIREME_BACKEND_PATH:%=:%)'; export TRIREME_BACKEND_PATH; \
  TRIREME_SOLVER_PATH='$(test_state)/solvers'; export TRIREME_SOLVER_PATH; \
  TRIREME_CACHE_DIR='$(test_state)/cache'; export TRIREME_CACHE_DIR; \
  TRIREME_CASES='$(abs_top_srcdir)/cases'; export TRIREME_CASES; \
  POCL_CACHE_DIR='$(test_pocl)'; export POCL_CACHE_DIR; \
  $(quick_pocl); \
  TRIREME_TEST_STATE='$(test_state)'; export TRIREME_TEST_STATE; \
  TRIREME_REQUIRE='$(TRIREME_REQUIRE)'; export TRIREME_REQUIRE; \
  TRIREME_TEST_LONG='$(TRIREME_TEST_LONG)'; export TRIREME_TEST_LONG; \
  unset TRIREME_TEST_BLESS; \
  TRIREME='$(abs_builddir)/cli/started/trireme$(EXEEXT)'; export TRIREME; \
  FAKE_FOLDER='$(abs_builddir)/tests/fake/.libs'; export FAKE_FOLDER; \
  CC='$(CC)'; AWK='$(AWK)'; OBJDUMP='$(OBJDUMP)'; MAKE='$(MAKE)'; export CC AWK OBJDUMP MAKE; \
  LIBTOOL='$(LIBTOOL_SHELL) $(abs_builddir)/libtool'; export LIBTOOL; \
  TRM_ISAS='$(TRM_ISAS)'; TRM_KERNEL_TEXTS='$(TRM_KERNEL_TEXTS)'; export TRM_ISAS TRM_KERNEL_TEXTS; \
  TRM_CFLAGS='$(CPPFLAGS) $(CFLAGS)'; export TRM_CFLAGS; \
  OMP_PROC_BIND=false; export OMP_PROC_BIND; \
  TRIREME_PROBE_SECONDS=$${TRIREME_PROBE_SECONDS-300}; export TRIREME_PROBE_SECONDS; \
  GOMP_SPINCOUNT=0; OMP_WAIT_POLICY=passive; export GOMP_SPINCOUNT OMP_WAIT_POLICY; \
  unset TRIREME_ISA TRM_KFLAGS_TOOL;

# What these tests look at is installed before any test runs: libtool links libraries anew, in place,
# when they are installed, and a program that starts meanwhile would meet half of one.
installed_tests = tests/solvers/new_solver.sh tests/solvers/exercises.sh
install_for_tests = rm -rf $(test_state)/installed && $(MKDIR_P) $(test_state) && \
  $(MAKE) $(AM_MAKEFLAGS) install DESTDIR='$(test_state)/installed' >$(test_state)/install.log 2>&1 || \
  { cat $(test_state)/install.log; exit 1; }

# In place of automake's rule: the same, and then one line that a machine can read, after failures
# too. A run in which nothing passed failed.
check-TESTS: $(check_PROGRAMS) $(check_LTLIBRARIES)
	@rm -f $(TEST_LOGS) $(TEST_LOGS:.log=.trs) $(TEST_SUITE_LOG)
	@$(if $(filter $(installed_tests),$(TESTS)),$(install_for_tests))
	@status=0; $(MAKE) $(AM_MAKEFLAGS) $(TEST_SUITE_LOG) || status=1; \
	$(SHELL) $(top_srcdir)/tests/slowest.sh tests/times.txt $(TEST_LOGS:.log=); \
	cat $(TEST_LOGS:.log=.trs) 2>/dev/null | $(AWK) -f $(top_srcdir)/tests/tally.awk || status=1; \
	exit $$status
EXTRA_DIST += tests/tally.awk tests/slowest.sh tests/timed.sh
CLEANFILES += tests/times.txt $(TEST_LOGS:.log=.cpu)

# Everything that make check builds, without running it. After `all`, in a make of its own: beside it in
# one call (make -j2 all check-programs) both would make the same files.
check-programs test-programs prepare-test: all
	@$(MAKE) $(AM_MAKEFLAGS) $@-now
check-programs-now: $(check_PROGRAMS) $(check_LTLIBRARIES)
# The programs without the plugins: quickstart check links them by a faster linker.
test-programs-now: $(check_PROGRAMS)
# The readers that check-fuzz runs, alone. Those of io and core are compiled with the flags of the tree; solvers and
# program, which mostly wait for them, without optimisation: clang with sanitizers takes six tenths of the time then.
fuzz-programs: io/libio.la io/libcheckpoint.la core/libtrireme.la tests/fuzz/libfuzz.la
	@$(MAKE) $(AM_MAKEFLAGS) $(fuzz_targets) CFLAGS='$(CFLAGS) -O0'

# tests/run: what one test (TEST) needs, and that test alone with cases whose names contain TEST_CASE. Programs are
# linked with libraries that make knows; plugins are opened, by those that name their folder. A script may start all.
test_variable = $($(subst -,_,$(subst /,_,$(TEST)))_$(1))
opens_plugins = $(findstring tests/,$(call test_variable,CPPFLAGS))$(findstring cuda_rig,$(call test_variable,LDADD))
test_plugin_libraries = $(filter-out tests/lib%.la tests/fuzz/lib%.la,$(check_LTLIBRARIES))
list-tests:
	@printf '%s\n' $(TESTS)
prepare-test-now: $(if $(filter %.sh,$(TEST)),$(check_LTLIBRARIES) $(check_PROGRAMS), \
    $(if $(opens_plugins),$(test_plugin_libraries)) cli/started/trireme$(EXEEXT) $(TEST)$(EXEEXT))
	@$(if $(filter $(installed_tests),$(TEST)),$(install_for_tests))
run-test:
	@$(AM_TESTS_ENVIRONMENT) srcdir='$(srcdir)'; export srcdir; \
	test -z '$(BLESSED)' || { TRIREME_TEST_BLESS='$(BLESSED)'; export TRIREME_TEST_BLESS; }; \
	case '$(TEST)' in \
	  *.sh) env $(default_int) $(SHELL) '$(srcdir)/$(TEST)' "$$TEST_CASE" ;; \
	  *) env $(default_int) './$(TEST)$(EXEEXT)' "$$TEST_CASE" ;; \
	esac; echo "exit status $$?"
.PHONY: list-tests prepare-test prepare-test-now run-test
test_scripts += tests/build/depends.sh
EXTRA_DIST += tests/build/depends.sh
# words of ours that gave way to the field's
test_scripts += tests/build/retired_words.sh
EXTRA_DIST += tests/build/retired_words.sh tests/build/retired-words.awk tests/data/retired-words.txt
test_scripts += tests/by_hand.sh
EXTRA_DIST += tests/run tests/by_hand.sh
# the pages at the root, and the recipes of packages
test_scripts += tests/front_door.sh
EXTRA_DIST += tests/front_door.sh tests/front_door.py

# The suite under other tools, each in a tree of its own (docs/testing.md).
check_tools = check-sets check-warnings check-asan check-fuzz check-tsan check-valgrind check-oclgrind check-coverage
CLANG = clang
GCC = gcc
FUZZ_SECONDS = 60
# about compilers and builds, not about what our programs do
build_tests = tests/harness.sh tests/dialect/kernels.sh tests/dialect/nvidia_opencl.sh tests/dialect/kernel_check.sh tests/build/configure.sh tests/core/probe_golden.sh \
  tests/cli/manual.sh tests/build/packaging.sh tests/build/retired_words.sh $(block_sides) tests/solvers/new_solver.sh tests/solvers/exercises.sh tests/dialect/dialect_shown.sh tests/dialect/traffic.sh \
  tests/backend-cuda/cuda_declarations
# where threads meet
thread_tests = tests/backend-openmp/openmp_device tests/backend-openmp/openmp_team tests/core/dispatch_devices tests/core/dispatch_sequences \
  tests/core/comm tests/core/registry tests/core/cache_life tests/core/host_work tests/core/reduction tests/dialect/dialect_rows tests/dialect/dialect_phases \
  tests/solvers/lbm/lbm_same tests/solvers/nbody/nbody_bits tests/solvers/nbody/nbody_tree tests/solvers/shallow/shallow tests/cli/cli_session
# what valgrind, fifty times slower, is given
memory_tests = tests/backend-openmp/openmp_device tests/core/dispatch_devices tests/core/dispatch_refusals \
  tests/core/dispatch_sequences tests/core/abi tests/core/cache tests/core/reduction tests/io/io_config tests/io/io_bristol \
  tests/io/io_files tests/io/io_formats tests/io/io_difference tests/solvers/fields tests/solvers/nbody/nbody_files
read_tests = tests/io/io_config tests/io/io_bristol tests/io/io_files tests/io/io_formats tests/io/io_pictures \
  tests/io/io_picture_frame \
  tests/io/io_difference tests/solvers/fields tests/solvers/nbody/nbody_files tests/solvers/shallow/shallow_refusals tests/solvers/shallow/shallow_course.sh \
  tests/core/abi tests/core/cache tests/core/cache_life tests/core/registry \
  tests/core/plugin_files tests/core/probe_process tests/core/probe_cache tests/core/probe_program.sh tests/backend-opencl/opencl_probe_process \
  tests/solvers/solver_plugins \
  tests/core/dispatch_backend tests/core/dispatch_devices tests/core/dispatch_refusals tests/solvers/shallow/shallow_netcdf.sh \
  tests/solvers/shallow/shallow_output.sh tests/cli/cli_input.sh $(fuzz_targets)
$(check_tools): $(BUILT_SOURCES)
	+@srcdir='$(top_srcdir)' MAKE='$(MAKE)' SHELL='$(SHELL)' CLANG='$(CLANG)' GCC='$(GCC)' \
	  TRIREME='$(abs_builddir)/cli/trireme$(EXEEXT)' FUZZ_SECONDS='$(FUZZ_SECONDS)' \
	  FUZZ_TARGETS='$(notdir $(fuzz_targets))' RUN_TESTS='$(filter-out $(build_tests),$(TESTS))' \
	  TSAN_TESTS='$(thread_tests)' VALGRIND_TESTS='$(memory_tests)' \
	  COVERAGE_TESTS='$(read_tests)' $(SHELL) $(top_srcdir)/tests/checked.sh $(@:check-%=%)
EXTRA_DIST += tests/checked.sh tests/dialect/oclgrind.sh tests/lsan.supp tests/tsan.supp tests/valgrind.supp

# The suite with the cases that take longer than a few seconds (test_is_long, skip_unless_long), then
# all of the above, one after the other. What fails does not keep back the rest.
check-long:
	@status=0; TRIREME_TEST_SECONDS=$${TRIREME_TEST_SECONDS-7200}; export TRIREME_TEST_SECONDS; \
	$(MAKE) $(AM_MAKEFLAGS) check TRIREME_TEST_LONG=1 || status=1; \
	for tool in $(check_tools); do $(MAKE) $(AM_MAKEFLAGS) $$tool || status=1; done; \
	exit $$status
# The storm alone, with a seed of its own: check-long has it among the long cases.
check-storm:
	@TRIREME_STORM_SEED=$${TRIREME_STORM_SEED-$$(date +%s)}; export TRIREME_STORM_SEED; \
	TRIREME_TEST_SECONDS=$${TRIREME_TEST_SECONDS-7200}; export TRIREME_TEST_SECONDS; status=0; \
	$(MAKE) $(AM_MAKEFLAGS) check TRIREME_TEST_LONG=1 TESTS='tests/cli/storm.sh tests/cli/full_disk' || \
	  status=1; \
	sed -n 's/^# \(.*tried .*\|TRIREME_STORM_SEED.*\)/check-storm: \1/p' tests/cli/storm.log; exit $$status
.PHONY: check-long check-storm check-programs check-programs-now test-programs test-programs-now fuzz-programs $(check_tools)

installcheck-local:
	srcdir='$(top_srcdir)' DESTDIR='$(DESTDIR)' bindir='$(bindir)' libdir='$(libdir)' pkglibdir='$(pkglibdir)' \
	  pkgdatadir='$(pkgdatadir)' \
	  EXEEXT='$(EXEEXT)' $(SHELL) $(top_srcdir)/tests/build/installed.sh
EXTRA_DIST += tests/build/installed.sh

clean-local:
	-rm -rf tests/state tests/run.log checked
