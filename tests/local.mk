# tests: one program a subject, cmocka cases printed as TAP. A new one needs two lines,
#   test_programs += tests/NAME
#   tests_NAME_SOURCES = tests/NAME.c
test_programs =
test_scripts =

test_programs += tests/dispatch_devices tests/dispatch_refusals tests/dispatch_sequences
tests_dispatch_devices_SOURCES = tests/dispatch_devices.c
tests_dispatch_devices_LDADD = $(dispatch_libs)
tests_dispatch_refusals_SOURCES = tests/dispatch_refusals.c
tests_dispatch_refusals_LDADD = $(dispatch_libs)
tests_dispatch_sequences_SOURCES = tests/dispatch_sequences.c
tests_dispatch_sequences_LDADD = $(dispatch_libs)

# what core asks of a backend, seen by a plugin that fails on demand
test_programs += tests/dispatch_backend
tests_dispatch_backend_SOURCES = tests/dispatch_backend.c
tests_dispatch_backend_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_PLUGINS='"$(abs_builddir)/tests/.libs"'
tests_dispatch_backend_LDADD = $(dispatch_libs)

# plugins that work and plugins that do not, linked to by the program
test_programs += tests/registry tests/plugin_files
tests_registry_SOURCES = tests/registry.c tests/plugin_folder.c tests/plugin_folder.h
tests_plugin_files_SOURCES = tests/plugin_files.c tests/plugin_folder.c tests/plugin_folder.h
tests_plugin_files_CPPFLAGS = $(tests_registry_CPPFLAGS)
test_programs += tests/trial
tests_trial_SOURCES = tests/trial.c tests/plugin_folder.c tests/plugin_folder.h
tests_trial_CPPFLAGS = $(tests_registry_CPPFLAGS)
tests_registry_CPPFLAGS = $(AM_CPPFLAGS) -DTEST_PLUGINS='"$(abs_builddir)/tests/.libs"'
# the note of a trial is an entry of the program cache
test_programs += tests/trial_note
tests_trial_note_SOURCES = tests/trial_note.c core/cache.c tests/cache_folder.c tests/cache_folder.h
tests_trial_note_CPPFLAGS = $(tests_registry_CPPFLAGS)
tests_trial_note_LDADD = $(LDADD) $(XXHASH_LIBS)
test_scripts += tests/trial_program.sh
EXTRA_DIST += tests/trial_program.sh
test_plugin_flags = -module -avoid-version -shared -rpath /nowhere

test_programs += tests/abi tests/cache tests/cache_life tests/probe tests/reduction
tests_abi_SOURCES = tests/abi.c
cache_sources = core/cache.c tests/cache_folder.c tests/cache_folder.h
tests_cache_SOURCES = tests/cache.c $(cache_sources)
tests_cache_CPPFLAGS = $(tests_registry_CPPFLAGS)
tests_cache_LDADD = $(LDADD) $(XXHASH_LIBS)
own_disk = tests/own_disk.c tests/own_disk.h
tests_cache_life_SOURCES = tests/cache_life.c $(own_disk) $(cache_sources)
tests_cache_life_CPPFLAGS = $(tests_registry_CPPFLAGS)
tests_cache_life_LDADD = $(dispatch_libs) $(XXHASH_LIBS)
tests_probe_SOURCES = tests/probe.c
tests_probe_CPPFLAGS = $(tests_registry_CPPFLAGS)
tests_probe_LDADD = $(dispatch_libs)
tests_reduction_SOURCES = tests/reduction.c
nodist_tests_reduction_SOURCES = core/reduce.k.c
tests_reduction_CPPFLAGS = $(AM_CPPFLAGS)
tests_reduction_LDADD = $(call trm_kernel_objects,core/reduce) $(LDADD)

# files in and out
test_programs += tests/io_config tests/io_bristol tests/io_files tests/io_pictures \
  tests/io_formats tests/io_difference tests/fields
io_libs = io/libio.la $(LDADD)
tests_io_config_SOURCES = tests/io_config.c
tests_io_config_LDADD = $(io_libs)
tests_io_bristol_SOURCES = tests/io_bristol.c
tests_io_bristol_LDADD = $(io_libs)
tests_io_files_SOURCES = tests/io_files.c
tests_io_files_LDADD = $(io_libs)
tests_io_pictures_SOURCES = tests/io_pictures.c
tests_io_pictures_CPPFLAGS = $(AM_CPPFLAGS) $(LIBPNG_CFLAGS)
tests_io_pictures_LDADD = $(io_libs)
tests_io_formats_SOURCES = tests/io_formats.c
tests_io_formats_LDADD = $(io_libs)
tests_io_difference_SOURCES = tests/io_difference.c
tests_io_difference_LDADD = $(io_libs)
tests_fields_SOURCES = tests/fields.c
tests_fields_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS)
tests_fields_LDADD = solvers/libsolvers.la $(XXHASH_LIBS) $(io_libs)

# the lattice-Boltzmann solver, through the contract of solvers
test_programs += tests/lbm_same tests/lbm_rungs tests/lbm_physics tests/lbm_contract tests/lbm_bristol
lbm_libs = tests/liblbm.la solvers/libsolvers.la $(XXHASH_LIBS) $(io_libs)
tests_lbm_same_SOURCES = tests/lbm_same.c
tests_lbm_same_LDADD = $(lbm_libs)
tests_lbm_rungs_SOURCES = tests/lbm_rungs.c
tests_lbm_rungs_LDADD = $(lbm_libs)
tests_lbm_physics_SOURCES = tests/lbm_physics.c tests/lbm_reference.c tests/lbm_reference.h
tests_lbm_physics_LDADD = $(lbm_libs)
tests_lbm_contract_SOURCES = tests/lbm_contract.c
tests_lbm_contract_LDADD = $(lbm_libs)
tests_lbm_bristol_SOURCES = tests/lbm_bristol.c
tests_lbm_bristol_LDADD = $(lbm_libs)
test_programs += tests/lbm_cylinder tests/lbm_channel tests/lbm_scene tests/schaefer_turek
tests_lbm_scene_SOURCES = tests/lbm_scene.c tests/flow_run.c tests/flow_run.h
tests_lbm_scene_CPPFLAGS = $(AM_CPPFLAGS) $(LIBPNG_CFLAGS)
tests_lbm_scene_LDADD = $(lbm_libs)
tests_schaefer_turek_SOURCES = tests/schaefer_turek.c tests/flow_run.c tests/flow_run.h
tests_schaefer_turek_LDADD = $(lbm_libs)
tests_lbm_channel_SOURCES = tests/lbm_channel.c tests/flow_run.c tests/flow_run.h
tests_lbm_channel_LDADD = $(lbm_libs)
tests_lbm_cylinder_SOURCES = tests/lbm_cylinder.c tests/flow_run.c tests/flow_run.h
tests_lbm_cylinder_LDADD = $(lbm_libs)
test_scripts += tests/lbm_bristol.sh
EXTRA_DIST += tests/lbm_bristol.sh

# gravity; the root in strict arithmetic is compiled here as its kernels are
test_programs += tests/nbody_root tests/nbody_reference tests/nbody_tree tests/nbody_bits \
  tests/nbody_files
nbody_run = tests/nbody_run.c tests/nbody_run.h
nbody_libs = solvers/libsolvers.la $(XXHASH_LIBS) $(io_libs)
tests_nbody_root_SOURCES = tests/nbody_root.c
tests_nbody_root_CFLAGS = $(AM_CFLAGS) -std=gnu11 -fopenmp-simd -ffp-contract=off $(CMOCKA_CFLAGS)
tests_nbody_reference_SOURCES = tests/nbody_reference.c $(nbody_run)
tests_nbody_reference_LDADD = $(nbody_libs)
tests_nbody_tree_SOURCES = tests/nbody_tree.c $(nbody_run)
tests_nbody_tree_LDADD = $(nbody_libs)
tests_nbody_bits_SOURCES = tests/nbody_bits.c $(nbody_run)
tests_nbody_bits_LDADD = $(nbody_libs)
tests_nbody_files_SOURCES = tests/nbody_files.c $(nbody_run)
tests_nbody_files_LDADD = $(nbody_libs)
EXTRA_DIST += tests/data/nbody_cube.txt tests/data/nbody_box.txt tests/data/nbody_set_f32.bin \
  tests/data/nbody_set_f64.bin

# shallow water, through the contract of solvers; the EPFL course's references, through the program
test_programs += tests/shallow tests/shallow_known tests/shallow_refusals tests/shallow_tsunami
shallow_run = tests/shallow_run.c tests/shallow_run.h
shallow_libs = solvers/libsolvers.la $(XXHASH_LIBS) $(io_libs)
tests_shallow_SOURCES = tests/shallow.c $(shallow_run)
tests_shallow_LDADD = $(shallow_libs)
tests_shallow_known_SOURCES = tests/shallow_known.c $(shallow_run)
tests_shallow_known_LDADD = $(shallow_libs)
tests_shallow_refusals_SOURCES = tests/shallow_refusals.c $(shallow_run)
tests_shallow_refusals_LDADD = $(shallow_libs)
tests_shallow_tsunami_SOURCES = tests/shallow_tsunami.c $(shallow_run)
tests_shallow_tsunami_LDADD = $(shallow_libs)
test_scripts += tests/shallow_course.sh tests/shallow_netcdf.sh \
  tests/shallow_output.sh
EXTRA_DIST += tests/shallow_course.sh tests/shallow_netcdf.sh \
  tests/shallow_output.sh

# solvers from outside: their plugins, and one made by the installed program
test_programs += tests/solver_plugins
tests_solver_plugins_SOURCES = tests/solver_plugins.c
tests_solver_plugins_CPPFLAGS = $(tests_registry_CPPFLAGS)
tests_solver_plugins_LDADD = solvers/libsolvers.la $(XXHASH_LIBS) $(io_libs)
test_scripts += tests/new_solver.sh tests/new_backend.sh
EXTRA_DIST += tests/new_solver.sh tests/new_backend.sh

# the program: its time loop, and the program itself
test_programs += tests/study
tests_study_SOURCES = tests/study.c
tests_study_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_study_LDADD = cli/libcli.la $(LDADD)
test_programs += tests/cli_session
tests_cli_session_SOURCES = tests/cli_session.c
tests_cli_session_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_cli_session_LDADD = cli/libcli.la $(LDADD)
# the machine's counters and conditions, on folders and a management library of our own
test_programs += tests/energy
tests_energy_SOURCES = tests/energy.c
tests_energy_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) -DFAKE_FOLDER='"$(abs_builddir)/tests/fake/.libs"'
tests_energy_LDADD = cli/libcli.la $(LDADD)
check_LTLIBRARIES += tests/fake/libnvidia-ml.la
tests_fake_libnvidia_ml_la_SOURCES = tests/fake/nvml.c tests/fake/nvml.h
tests_fake_libnvidia_ml_la_LDFLAGS = -shared -rpath /nowhere -version-info 1:0:0
test_scripts += tests/results.sh tests/report.sh
EXTRA_DIST += tests/results.sh tests/report.sh $(report_data:%=tests/data/report/%.json)
report_data = compare differ old other run-a run-b study sweep
test_scripts += tests/cli_input.sh tests/cli_run.sh tests/cli_same.sh tests/cli_vary.sh tests/cli_study.sh tests/cases.sh
test_scripts += tests/cuda_states.sh tests/raised.sh tests/at_once.sh tests/process.sh
EXTRA_DIST += tests/at_once.sh tests/process.sh
EXTRA_DIST += tests/cuda_states.sh tests/raised.sh
EXTRA_DIST += tests/cli_input.sh tests/cli_run.sh tests/cli_same.sh tests/cli_vary.sh tests/cli_study.sh tests/cases.sh

if WITH_OPENMP
test_programs += tests/openmp_device tests/openmp_team
tests_openmp_device_SOURCES = tests/openmp_device.c tests/openmp_table.h
tests_openmp_device_LDFLAGS = $(OPENMP_CFLAGS)
tests_openmp_device_LDADD = backend-openmp/libopenmp_backend.la $(LDADD)
tests_openmp_team_SOURCES = tests/openmp_team.c tests/openmp_table.h
tests_openmp_team_LDFLAGS = $(OPENMP_CFLAGS)
tests_openmp_team_LDADD = backend-openmp/libopenmp_backend.la $(LDADD)
endif

if WITH_OPENCL
test_programs += tests/opencl tests/opencl_source tests/opencl_platforms tests/opencl_trial
tests_opencl_SOURCES = tests/opencl.c
tests_opencl_source_SOURCES = tests/opencl_source.c backend-opencl/source.c
nodist_tests_opencl_source_SOURCES = core/kernel_text.c
tests_opencl_source_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
opencl_vendors = tests/opencl_vendors.c tests/opencl_vendors.h
tests_opencl_platforms_SOURCES = tests/opencl_platforms.c $(opencl_vendors)
tests_opencl_platforms_CPPFLAGS = $(tests_registry_CPPFLAGS) $(OPENCL_CFLAGS)
tests_opencl_platforms_LDADD = $(LDADD) $(OPENCL_LIBS)
tests_opencl_trial_SOURCES = tests/opencl_trial.c $(opencl_vendors)
tests_opencl_trial_CPPFLAGS = $(tests_registry_CPPFLAGS) $(OPENCL_CFLAGS)
tests_opencl_trial_LDADD = $(LDADD) $(OPENCL_LIBS)
check_LTLIBRARIES += tests/failing_driver.la
tests_failing_driver_la_SOURCES = tests/failing_driver.c
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

check_LTLIBRARIES += tests/liblbm.la
tests_liblbm_la_SOURCES = tests/lbm_run.h tests/lbm_run.c tests/lbm_fingerprints.h
tests_liblbm_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(XXHASH_CFLAGS)

# the dispatch interface, with kernels of its own
check_LTLIBRARIES += tests/libdispatch.la
tests_libdispatch_la_SOURCES = tests/dispatch.c tests/dispatch.h tests/dispatch_params.h
nodist_tests_libdispatch_la_SOURCES = tests/dispatch.k.c
tests_libdispatch_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_libdispatch_la_LIBADD = $(call trm_kernel_objects,tests/dispatch)
dispatch_VARIANTS = twice
TRM_KERNEL_TEXTS += tests/dispatch
dispatch_libs = tests/libdispatch.la $(LDADD)
check_LTLIBRARIES += tests/trireme_strange.la
tests_trireme_strange_la_SOURCES = tests/strange_backend.c
tests_trireme_strange_la_LDFLAGS = $(test_plugin_flags)

check_LTLIBRARIES += tests/trireme_fake.la tests/trireme_broken.la tests/trireme_rough.la
tests_trireme_fake_la_SOURCES = tests/fake_backend.c tests/fake_flaws.h core/probe_params.h
tests_trireme_fake_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_FLAWS
tests_trireme_fake_la_LDFLAGS = $(test_plugin_flags)
tests_trireme_fake_la_LIBADD = -lm
tests_trireme_broken_la_SOURCES = tests/broken_plugin.c
tests_trireme_broken_la_LDFLAGS = $(test_plugin_flags)
tests_trireme_rough_la_SOURCES = tests/rough_plugin.c
tests_trireme_rough_la_LDFLAGS = $(test_plugin_flags)

check_LTLIBRARIES += tests/broken_solver.la
tests_broken_solver_la_SOURCES = tests/broken_solver.c
tests_broken_solver_la_LDFLAGS = $(test_plugin_flags)

# errors of one unit in the last place, planted, and what compare --bisect finds of them
check_LTLIBRARIES += tests/solver_plant.la
tests_solver_plant_la_SOURCES = tests/plant_solver.c tests/plant_params.h
nodist_tests_solver_plant_la_SOURCES = tests/plant.k.c
tests_solver_plant_la_CPPFLAGS = $(AM_CPPFLAGS) # which also gives its objects names of their own
tests_solver_plant_la_LDFLAGS = $(test_plugin_flags)
tests_solver_plant_la_LIBADD = $(call trm_kernel_objects,tests/plant)
TRM_KERNEL_TEXTS += tests/plant
test_scripts += tests/bisect.sh tests/tune.sh tests/profile.sh
EXTRA_DIST += tests/tune.sh docs/tune.md docs/bristol.md tests/profile.sh docs/profile.md
test_programs += tests/bisection
tests_bisection_SOURCES = tests/bisection.c
tests_bisection_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS)
tests_bisection_LDADD = cli/libcli.la $(XXHASH_LIBS) $(LDADD)
EXTRA_DIST += tests/plant.k tests/bisect.sh docs/bisect.md

# the program on a device whose calls fail, and with memory that fails
check_LTLIBRARIES += tests/trireme_fault.la tests/failing_memory.la
tests_trireme_fault_la_SOURCES = tests/fault_backend.c
tests_trireme_fault_la_LDFLAGS = $(test_plugin_flags)
tests_trireme_fault_la_LIBADD = -ldl
tests_failing_memory_la_SOURCES = tests/failing_memory.c
tests_failing_memory_la_LDFLAGS = $(test_plugin_flags)
check_LTLIBRARIES += tests/libprogram.la
tests_libprogram_la_SOURCES = tests/program.c tests/program.h
tests_libprogram_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_programs += tests/faults tests/memory_faults tests/full_disk
tests_full_disk_SOURCES = tests/full_disk.c $(own_disk)
tests_full_disk_LDADD = tests/libprogram.la $(LDADD)
tests_memory_faults_SOURCES = tests/memory_faults.c
tests_memory_faults_CPPFLAGS = $(tests_registry_CPPFLAGS)
tests_memory_faults_LDADD = tests/libprogram.la $(LDADD)
tests_faults_SOURCES = tests/faults.c
tests_faults_CPPFLAGS = $(tests_registry_CPPFLAGS)
tests_faults_LDADD = tests/libprogram.la $(LDADD)

# run by harness.sh, not by make check
check_PROGRAMS += tests/harness_sample
tests_harness_sample_SOURCES = tests/harness_sample.c
test_scripts += tests/harness.sh
endif

# counts for traffic.sh; a library of counted kernels calls back into it
check_PROGRAMS += tests/traffic
tests_traffic_SOURCES = tests/traffic.c
tests_traffic_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_traffic_LDFLAGS = -export-dynamic
tests_traffic_LDADD = cli/libcli.la -ldl
test_scripts += tests/traffic.sh
EXTRA_DIST += tests/traffic.sh tests/traffic_ops.awk tests/traffic_twins.sh

# kernels that are wrong on purpose, and ours in the host's check mode
if WITH_CMOCKA
check_PROGRAMS += tests/planted
TESTS += tests/planted
tests_planted_SOURCES = tests/planted.c
tests_planted_LDADD = tests/libdialect.la $(dispatch_libs)
endif
test_scripts += tests/host_check.sh tests/oclgrind.sh
EXTRA_DIST += tests/host_check.sh

test_scripts += tests/kernels.sh tests/configure.sh tests/probe_golden.sh tests/manual.sh tests/packaging.sh
EXTRA_DIST += tests/manual.sh tests/packaging.sh
EXTRA_DIST += tests/probe_golden.py
TESTS += $(test_scripts)
EXTRA_DIST += tests/harness.sh tests/kernels.sh tests/configure.sh tests/probe_golden.sh tests/tap.sh tests/contraction.k
EXTRA_DIST += tests/dispatch.k
EXTRA_DIST += tests/data/README.md tests/data/cylinder_420x180.txt tests/data/cylinder_sums.txt \
  tests/data/bristol_128x128.av_vels tests/data/bristol_128x128.final_state \
  tests/data/bristol_128x256.av_vels tests/data/bristol_128x256.final_state

TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(SHELL)

# Pinning is off since several programs may run at once, and on a busy machine a driver is not hanging
# yet; the rest keeps a run inside the build tree.
test_state = $(abs_builddir)/tests/state
# A backend from outside is tested by TRIREME_BACKEND_PATH=FOLDER TRIREME_REQUIRE=NAME.
test_plugins = $(abs_builddir)/backend-openmp/.libs:$(abs_builddir)/backend-opencl/.libs:$(abs_builddir)/backend-cuda/.libs
AM_TESTS_ENVIRONMENT = \
  (umask 077 && $(MKDIR_P) $(test_state)/cache $(test_state)/pocl $(test_state)/solvers); \
  TRIREME_BACKEND_PATH='$(test_plugins)$(TRIREME_BACKEND_PATH:%=:%)'; export TRIREME_BACKEND_PATH; \
  TRIREME_SOLVER_PATH='$(test_state)/solvers'; export TRIREME_SOLVER_PATH; \
  TRIREME_CACHE_DIR='$(test_state)/cache'; export TRIREME_CACHE_DIR; \
  POCL_CACHE_DIR='$(test_state)/pocl'; export POCL_CACHE_DIR; \
  TRIREME_TEST_STATE='$(test_state)'; export TRIREME_TEST_STATE; \
  TRIREME_REQUIRE='$(TRIREME_REQUIRE)'; export TRIREME_REQUIRE; \
  TRIREME_TEST_LONG='$(TRIREME_TEST_LONG)'; export TRIREME_TEST_LONG; \
  TRIREME='$(abs_builddir)/cli/trireme$(EXEEXT)'; export TRIREME; \
  FAKE_FOLDER='$(abs_builddir)/tests/fake/.libs'; export FAKE_FOLDER; \
  CC='$(CC)'; AWK='$(AWK)'; OBJDUMP='$(OBJDUMP)'; MAKE='$(MAKE)'; export CC AWK OBJDUMP MAKE; \
  LIBTOOL='$(SHELL) $(abs_builddir)/libtool'; export LIBTOOL; \
  TRM_ISAS='$(TRM_ISAS)'; TRM_KERNEL_TEXTS='$(TRM_KERNEL_TEXTS)'; export TRM_ISAS TRM_KERNEL_TEXTS; \
  OMP_PROC_BIND=false; export OMP_PROC_BIND; \
  TRIREME_TRIAL_SECONDS=$${TRIREME_TRIAL_SECONDS-300}; export TRIREME_TRIAL_SECONDS; \
  GOMP_SPINCOUNT=1000; export GOMP_SPINCOUNT; \
  unset TRIREME_ISA;

# In place of automake's rule: the same, and then one line that a machine can read, after failures
# too. A run in which nothing passed failed.
check-TESTS: $(check_PROGRAMS) $(check_LTLIBRARIES)
	@rm -f $(TEST_LOGS) $(TEST_LOGS:.log=.trs) $(TEST_SUITE_LOG)
	@status=0; $(MAKE) $(AM_MAKEFLAGS) $(TEST_SUITE_LOG) || status=1; \
	cat $(TEST_LOGS:.log=.trs) 2>/dev/null | $(AWK) -f $(top_srcdir)/tests/tally.awk || status=1; \
	exit $$status
EXTRA_DIST += tests/tally.awk

# Everything that make check builds, without running it.
check-programs: $(check_PROGRAMS) $(check_LTLIBRARIES)

# tests/run: what one test (TEST) needs, and that test alone with cases whose names contain TEST_CASE.
list-tests:
	@printf '%s\n' $(TESTS)
prepare-test: all $(check_LTLIBRARIES) $(if $(filter %.sh,$(TEST)),$(check_PROGRAMS),$(TEST)$(EXEEXT))
run-test:
	@$(AM_TESTS_ENVIRONMENT) srcdir='$(srcdir)'; export srcdir; \
	case '$(TEST)' in \
	  *.sh) $(SHELL) '$(srcdir)/$(TEST)' "$$TEST_CASE" ;; \
	  *) './$(TEST)$(EXEEXT)' "$$TEST_CASE" ;; \
	esac; echo "exit status $$?"
.PHONY: list-tests prepare-test run-test
test_scripts += tests/by_hand.sh
EXTRA_DIST += tests/run tests/by_hand.sh

# The suite under other tools, each in a tree of its own (docs/testing.md).
check_tools = check-warnings check-asan check-fuzz check-tsan check-valgrind check-oclgrind check-coverage
CLANG = clang
GCC = gcc
FUZZ_SECONDS = 60
# about compilers and builds, not about what our programs do
build_tests = tests/harness.sh tests/kernels.sh tests/configure.sh tests/probe_golden.sh \
  tests/manual.sh tests/packaging.sh tests/new_solver.sh tests/dialect_page.sh tests/traffic.sh \
  tests/cuda_declarations
# where threads meet
thread_tests = tests/openmp_device tests/openmp_team tests/dispatch_devices tests/dispatch_sequences \
  tests/registry tests/cache_life tests/reduction tests/dialect_rows tests/dialect_phases \
  tests/lbm_same tests/nbody_bits tests/nbody_tree tests/shallow tests/cli_session
# what valgrind, fifty times slower, is given
memory_tests = tests/openmp_device tests/dispatch_devices tests/dispatch_refusals \
  tests/dispatch_sequences tests/abi tests/cache tests/reduction tests/io_config tests/io_bristol \
  tests/io_files tests/io_formats tests/io_difference tests/fields tests/nbody_files
read_tests = tests/io_config tests/io_bristol tests/io_files tests/io_formats tests/io_pictures \
  tests/io_difference tests/fields tests/nbody_files tests/shallow_refusals tests/shallow_course.sh \
  tests/abi tests/cache tests/cache_life tests/registry \
  tests/plugin_files tests/trial tests/trial_note tests/trial_program.sh tests/opencl_trial \
  tests/solver_plugins \
  tests/dispatch_backend tests/dispatch_devices tests/dispatch_refusals tests/shallow_netcdf.sh \
  tests/shallow_output.sh tests/cli_input.sh $(fuzz_targets)
$(check_tools): $(BUILT_SOURCES)
	+@srcdir='$(top_srcdir)' MAKE='$(MAKE)' SHELL='$(SHELL)' CLANG='$(CLANG)' GCC='$(GCC)' \
	  TRIREME='$(abs_builddir)/cli/trireme$(EXEEXT)' FUZZ_SECONDS='$(FUZZ_SECONDS)' \
	  FUZZ_TARGETS='$(notdir $(fuzz_targets))' RUN_TESTS='$(filter-out $(build_tests),$(TESTS))' \
	  TSAN_TESTS='$(thread_tests)' VALGRIND_TESTS='$(memory_tests)' \
	  COVERAGE_TESTS='$(read_tests)' $(SHELL) $(top_srcdir)/tests/checked.sh $(@:check-%=%)
EXTRA_DIST += tests/checked.sh tests/oclgrind.sh tests/lsan.supp tests/tsan.supp tests/valgrind.supp

# The suite with the cases that take longer than a few seconds (test_is_long, skip_unless_long), then
# all of the above, one after the other (two share a tree). What fails does not keep back the rest.
check-long:
	@status=0; TRIREME_TEST_SECONDS=$${TRIREME_TEST_SECONDS-7200}; export TRIREME_TEST_SECONDS; \
	$(MAKE) $(AM_MAKEFLAGS) check TRIREME_TEST_LONG=1 || status=1; \
	for tool in $(check_tools); do $(MAKE) $(AM_MAKEFLAGS) $$tool || status=1; done; \
	exit $$status
.PHONY: check-long check-programs $(check_tools)

installcheck-local:
	srcdir='$(top_srcdir)' DESTDIR='$(DESTDIR)' bindir='$(bindir)' libdir='$(libdir)' pkglibdir='$(pkglibdir)' \
	  EXEEXT='$(EXEEXT)' $(SHELL) $(top_srcdir)/tests/installed.sh
EXTRA_DIST += tests/installed.sh

clean-local:
	-rm -rf tests/state tests/run.log checked
