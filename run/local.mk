# libtrireme-run: what it takes to run a case, for programs of one's own. Only names
# that begin with trm_run_ are visible outside; solvers, formats and measurements are inside.
lib_LTLIBRARIES += run/libtrireme-run.la
pkginclude_HEADERS = run/trireme-run.h
run_libtrireme_run_la_SOURCES =
run_libtrireme_run_la_LDFLAGS = -version-info 0:0:0 -no-undefined \
  -export-symbols-regex '^trm_run_' -Wl,--enable-new-dtags,-rpath,$(libdir)
run_libtrireme_run_la_LIBADD = run/librun.la

# The same for Python: one file, which knows where the library is installed.
pythondir = $(pkgdatadir)/python
nodist_python_DATA = python/trireme.py
python/trireme.py: python/trireme.py.in Makefile
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)sed -e 's#[@]libdir[@]#$(libdir)#' -e 's#[@]VERSION[@]#$(VERSION)#' \
	  $(top_srcdir)/python/trireme.py.in >$@.tmp && mv $@.tmp $@
EXTRA_DIST += python/trireme.py.in
CLEANFILES += python/trireme.py python/trireme.py.tmp

noinst_LTLIBRARIES += run/librun.la
run_librun_la_SOURCES =
# run/: what it takes to run a case
run_librun_la_SOURCES += \
  run/batch.c run/batch.h run/case.c run/case.h run/divergence.c \
  run/divergence.h run/installed.c run/installed.h run/json_parts.c run/json_parts.h run/keep.c run/keep.h \
  run/input_files.c run/input_files.h run/keep_inputs.c run/log.c run/log.h run/parts.c run/parts.h run/parts_case.c run/parts_case.h run/parts_inputs.c run/parts_inputs.h run/resume.c run/resume.h \
  run/results.c run/results_collection.c run/results_fields.c \
  run/results_memory.c run/results_select.c run/results_picture.c \
  run/results_picture.h run/results_streams.c \
  run/results_streams.h run/results_frames.c run/results_levels.c \
  run/results_cells.c \
  run/results_numbered.c run/results.h run/run.c run/run.h \
  run/run_parts.h run/run_results.c run/run_values.c run/session.c run/session_fields.c \
  run/session.h run/settings.c run/settings.h run/summary.c run/summary.h \
  run/surroundings.c run/surroundings.h
# run/measure/: clocks, roofs, profiles, energy, conditions
run_librun_la_SOURCES += \
  run/measure/build_flags.h run/measure/cached.c run/measure/cached.h run/measure/roofs.c \
  run/measure/roofs.h run/measure/roofs_arithmetic.c run/measure/roofs_launches.c \
  run/measure/roofs_parts.h run/measure/clock.c run/measure/clock.h run/measure/conditions.c \
  run/measure/conditions.h run/measure/machine.c run/measure/machine.h run/measure/energy.c run/measure/energy.h run/measure/scaling.c run/measure/scaling.h run/measure/node.c run/measure/node.h run/measure/nvml.c \
  run/measure/nvml.h run/measure/powercap.c run/measure/powercap.h run/measure/profile.c run/measure/profile.h run/measure/profile_floor.c \
  run/measure/profile_parts.h run/measure/profile_rows.c \
  run/measure/profile_show.c run/measure/roofs_file.c run/measure/statistics.c \
  run/measure/statistics.h run/measure/benchmark.c run/measure/benchmark.h
# run/text/: JSON, CSV and texts
run_librun_la_SOURCES += \
  run/text/csv.c run/text/csv.h run/text/json.c run/text/json.h run/text/members.c \
  run/text/members.h run/text/text.c run/text/text.h
# what runs take from tune
run_librun_la_SOURCES += run/tuned.c run/tuned.h
nodist_run_librun_la_SOURCES = run/measure/bench.k.c run/measure/serial.k.c \
  run/measure/build_flags.c
run_librun_la_CPPFLAGS = $(AM_CPPFLAGS) -DTRM_CASES='"$(pkgdatadir)/cases"' $(JANSSON_CFLAGS) $(XXHASH_CFLAGS)
run_librun_la_LIBADD = $(call trm_kernel_objects,run/measure/bench) \
  $(call trm_kernel_objects,run/measure/serial) solvers/libcatalogue.la io/libcheckpoint.la io/libio.la \
  core/libtrireme.la $(JANSSON_LIBS) $(XXHASH_LIBS) -lm
noinst_HEADERS += run/measure/bench_params.h run/measure/serial_params.h
TRM_KERNEL_TEXTS += run/measure/bench run/measure/serial
EXTRA_DIST += run/measure/bench.k run/measure/serial.k

# The flags of this build, for run.json. $(1): name, $(2): text. Those that keep the build's folder out
# of a program name it: they are left out, for they change no instruction.
path_flags = -ffile-prefix-map=% -fdebug-prefix-map=% -fmacro-prefix-map=%
trm_flag_line = printf 'const char %s[] = "%s";\n' $(1) \
  "$$(printf %s '$(subst ','\'',$(strip $(filter-out $(path_flags),$(2))))' | sed 's/[\\"]/\\&/g')"
run/measure/build_flags.c: Makefile
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN){ echo '#include "run/measure/build_flags.h"'; \
	  $(call trm_flag_line,build_flags,$(CPPFLAGS) $(CHECK_CFLAGS) $(CFLAGS)); \
	  $(call trm_flag_line,build_kernel_flags,$(filter-out $(WARN_CFLAGS),$(TRM_KFLAGS))); \
	  $(call trm_flag_line,build_strict_flags,$(TRM_KFLAGS_strict)); \
	  $(call trm_flag_line,build_fast_flags,$(TRM_KFLAGS_fast)); \
	  $(call trm_flag_line,build_isas,$(TRM_ISAS)); } >$@.tmp && mv $@.tmp $@
CLEANFILES += run/measure/build_flags.c run/measure/build_flags.c.tmp
