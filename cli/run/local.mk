# libtrireme-run: what it takes to run a case, for programs of one's own. Only names
# that begin with trm_run_ are visible outside; solvers, formats and measurements are inside.
lib_LTLIBRARIES += cli/run/libtrireme-run.la
pkginclude_HEADERS = cli/run/trireme-run.h
cli_run_libtrireme_run_la_SOURCES =
cli_run_libtrireme_run_la_LDFLAGS = -version-info 0:0:0 -no-undefined \
  -export-symbols-regex '^trm_run_' -Wl,--enable-new-dtags,-rpath,$(libdir)
cli_run_libtrireme_run_la_LIBADD = cli/run/librun.la

# The same for Python: one file, which knows where the library is installed.
pythondir = $(pkgdatadir)/python
nodist_python_DATA = python/trireme.py
python/trireme.py: python/trireme.py.in Makefile
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)sed -e 's#[@]libdir[@]#$(libdir)#' -e 's#[@]VERSION[@]#$(VERSION)#' \
	  $(top_srcdir)/python/trireme.py.in >$@.tmp && mv $@.tmp $@
EXTRA_DIST += python/trireme.py.in
CLEANFILES += python/trireme.py python/trireme.py.tmp

noinst_LTLIBRARIES += cli/run/librun.la
cli_run_librun_la_SOURCES =
# cli/run/: what it takes to run a case
cli_run_librun_la_SOURCES += \
  cli/run/batch.c cli/run/batch.h cli/run/case.c cli/run/case.h cli/run/divergence.c \
  cli/run/divergence.h cli/run/installed.c cli/run/installed.h cli/run/json_parts.c cli/run/json_parts.h cli/run/keep.c cli/run/keep.h \
  cli/run/keep_inputs.c cli/run/log.c cli/run/log.h cli/run/resume.c cli/run/resume.h \
  cli/run/results.c cli/run/results_collection.c cli/run/results_fields.c \
  cli/run/results_memory.c cli/run/results_select.c cli/run/results_picture.c \
  cli/run/results_picture.h cli/run/results_streams.c \
  cli/run/results_streams.h cli/run/results_frames.c cli/run/results_levels.c \
  cli/run/results_cells.c \
  cli/run/results_numbered.c cli/run/results.h cli/run/run.c cli/run/run.h \
  cli/run/run_parts.h cli/run/run_results.c cli/run/run_values.c cli/run/session.c cli/run/session_fields.c \
  cli/run/session.h cli/run/settings.c cli/run/settings.h cli/run/summary.c cli/run/summary.h \
  cli/run/surroundings.c cli/run/surroundings.h
# cli/measure/: clocks, ceilings, profiles, energy, conditions
cli_run_librun_la_SOURCES += \
  cli/measure/build_flags.h cli/measure/cached.c cli/measure/cached.h cli/measure/ceiling.c \
  cli/measure/ceiling.h cli/measure/ceiling_arithmetic.c cli/measure/ceiling_launches.c \
  cli/measure/ceiling_parts.h cli/measure/clock.c cli/measure/clock.h cli/measure/conditions.c \
  cli/measure/conditions.h cli/measure/energy.c cli/measure/energy.h cli/measure/exchange.c cli/measure/exchange.h cli/measure/scaling.c cli/measure/scaling.h cli/measure/nvml.c \
  cli/measure/nvml.h cli/measure/profile.c cli/measure/profile.h cli/measure/profile_floor.c \
  cli/measure/profile_parts.h cli/measure/profile_rows.c \
  cli/measure/profile_show.c cli/measure/roofs.c cli/measure/statistics.c \
  cli/measure/statistics.h cli/measure/trial.c cli/measure/trial.h
# cli/text/: JSON, CSV and texts
cli_run_librun_la_SOURCES += \
  cli/text/csv.c cli/text/csv.h cli/text/json.c cli/text/json.h cli/text/members.c \
  cli/text/members.h cli/text/text.c cli/text/text.h
# what runs take from tune
cli_run_librun_la_SOURCES += cli/study/tuned.c cli/study/tuned.h
nodist_cli_run_librun_la_SOURCES = cli/measure/bench.k.c cli/measure/serial.k.c \
  cli/measure/build_flags.c
cli_run_librun_la_CPPFLAGS = $(AM_CPPFLAGS) -DTRM_CASES='"$(pkgdatadir)/cases"' $(JANSSON_CFLAGS) $(XXHASH_CFLAGS)
cli_run_librun_la_LIBADD = $(call trm_kernel_objects,cli/measure/bench) \
  $(call trm_kernel_objects,cli/measure/serial) solvers/libcatalogue.la io/libcheckpoint.la io/libio.la \
  core/libtrireme.la $(JANSSON_LIBS) $(XXHASH_LIBS) -lm
noinst_HEADERS += cli/measure/bench_params.h cli/measure/serial_params.h
TRM_KERNEL_TEXTS += cli/measure/bench cli/measure/serial
EXTRA_DIST += cli/measure/bench.k cli/measure/serial.k

# The flags of this build, for run.json. $(1): name, $(2): text. Those that keep the build's folder out
# of a program name it: they are left out, for they change no instruction.
path_flags = -ffile-prefix-map=% -fdebug-prefix-map=% -fmacro-prefix-map=%
trm_flag_line = printf 'const char %s[] = "%s";\n' $(1) \
  "$$(printf %s '$(subst ','\'',$(strip $(filter-out $(path_flags),$(2))))' | sed 's/[\\"]/\\&/g')"
cli/measure/build_flags.c: Makefile
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN){ echo '#include "cli/measure/build_flags.h"'; \
	  $(call trm_flag_line,build_flags,$(CPPFLAGS) $(CHECK_CFLAGS) $(CFLAGS)); \
	  $(call trm_flag_line,build_kernel_flags,$(filter-out $(WARN_CFLAGS),$(TRM_KFLAGS))); \
	  $(call trm_flag_line,build_strict_flags,$(TRM_KFLAGS_strict)); \
	  $(call trm_flag_line,build_fast_flags,$(TRM_KFLAGS_fast)); \
	  $(call trm_flag_line,build_isas,$(TRM_ISAS)); } >$@.tmp && mv $@.tmp $@
CLEANFILES += cli/measure/build_flags.c cli/measure/build_flags.c.tmp
