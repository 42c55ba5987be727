# cli: the program `trireme`, one file a command; all but main.c is a library, so that tests reach it.
bin_PROGRAMS += cli/trireme
cli_trireme_SOURCES = cli/main.c
# An installed program finds its library without ldconfig having been run, and solver plugins find
# the functions of io/config.h in the program.
cli_trireme_LDFLAGS = -Wl,--enable-new-dtags,-rpath,$(libdir) -export-dynamic
cli_trireme_LDADD = cli/libcli.la

noinst_LTLIBRARIES += cli/libcli.la
cli_libcli_la_SOURCES = \
  cli/arguments.c cli/arguments.h cli/batch.c cli/batch.h cli/case.c cli/case.h cli/ceiling.c \
  cli/ceiling.h cli/clock.c cli/clock.h cli/command.c cli/command.h cli/command_backends.c \
  cli/command_bench.c cli/command_compare.c cli/command_devices.c cli/command_run.c \
  cli/command_new_solver.c cli/command_solvers.c cli/command_study.c cli/study.c \
  cli/study.h cli/study_cases.c cli/study_crossing.c cli/study_json.c cli/study_report.c cli/study_roofs.c \
  cli/study_run.c cli/study_why.c cli/comparison.c cli/comparison.h cli/comparison_difference.c \
  cli/comparison_json.c cli/comparison_report.c cli/conditions.c cli/conditions.h cli/divergence.c \
  cli/divergence.h cli/build_flags.h cli/energy.c cli/energy.h cli/nvml.c cli/nvml.h \
  cli/chart.c cli/chart.h cli/chart_bars.c cli/chart_lines.c cli/chart_map.c cli/chart_parts.h \
  cli/command_report.c cli/findings.c cli/findings.h cli/findings_family.c cli/findings_match.c \
  cli/page.c cli/page.h \
  cli/page_html.c cli/page_markdown.c cli/section_agreement.c cli/section_conditions.c \
  cli/section_fairness.c cli/section_ladder.c cli/section_sizes.c cli/section_speed.c \
  cli/section_time.c cli/sections.h \
  cli/environment.c cli/environment.h cli/json.c cli/json.h cli/listing.c cli/listing.h \
  cli/message.c cli/message.h cli/process.c cli/process.h cli/progress.c cli/progress.h cli/report.c cli/report.h \
  cli/results.c cli/results.h cli/session.c cli/session.h cli/settings.c cli/settings.h \
  cli/statistics.c cli/statistics.h cli/template.h cli/vary.c cli/vary.h
nodist_cli_libcli_la_SOURCES = cli/bench.k.c cli/serial.k.c cli/template.c cli/build_flags.c
# what bench measures, and keeps for runs that are profiled
cli_libcli_la_SOURCES += cli/ceiling_arithmetic.c cli/ceiling_launches.c cli/ceiling_parts.h \
  cli/cached.c cli/cached.h cli/roofs.c cli/roofs.h
# run --profile
cli_libcli_la_SOURCES += cli/profile.c cli/profile.h cli/profile_floor.c cli/profile_parts.h \
  cli/profile_roofs.c cli/profile_rows.c cli/profile_show.c
# tune, and what runs take from it
cli_libcli_la_SOURCES += cli/command_tune.c cli/tuned.c cli/tuned.h cli/tuning.c cli/tuning.h
# compare --bisect and --replay
cli_libcli_la_SOURCES += cli/bisection.c cli/bisection.h cli/bisection_json.h cli/bisection_report.c \
  cli/bisection_stage.c cli/bisection_stage.h cli/bisection_view.c cli/comparison_bisect.c \
  cli/kept_launch.c cli/kept_launch.h cli/kept_launch_read.c cli/kept_launch_repeat.c cli/replay.c \
  cli/trail.c cli/trail.h
cli_libcli_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(XXHASH_CFLAGS)
cli_libcli_la_LIBADD = $(call trm_kernel_objects,cli/bench) \
  $(call trm_kernel_objects,cli/serial) solvers/libsolvers.la io/libio.la \
  core/libtrireme.la $(JANSSON_LIBS) -lm
noinst_HEADERS += cli/bench_params.h cli/serial_params.h
TRM_KERNEL_TEXTS += cli/bench cli/serial
EXTRA_DIST += cli/bench.k cli/serial.k

# The flags of this build, for run.json. $(1): name, $(2): text. Those that keep the build's folder out
# of a program name it: they are left out, for they change no instruction.
path_flags = -ffile-prefix-map=% -fdebug-prefix-map=% -fmacro-prefix-map=%
trm_flag_line = printf 'const char %s[] = "%s";\n' $(1) \
  "$$(printf %s '$(subst ','\'',$(strip $(filter-out $(path_flags),$(2))))' | sed 's/[\\"]/\\&/g')"
cli/build_flags.c: Makefile
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN){ echo '#include "cli/build_flags.h"'; \
	  $(call trm_flag_line,build_flags,$(CPPFLAGS) $(CHECK_CFLAGS) $(CFLAGS)); \
	  $(call trm_flag_line,build_kernel_flags,$(filter-out $(WARN_CFLAGS),$(TRM_KFLAGS))); \
	  $(call trm_flag_line,build_strict_flags,$(TRM_KFLAGS_strict)); \
	  $(call trm_flag_line,build_fast_flags,$(TRM_KFLAGS_fast)); \
	  $(call trm_flag_line,build_isas,$(TRM_ISAS)); } >$@.tmp && mv $@.tmp $@
CLEANFILES += cli/build_flags.c cli/build_flags.c.tmp

# The man page and bash's completion, from the tables of --help; nothing is run when the build is for
# another machine.
if RUNS_HERE
noinst_PROGRAMS += cli/manual
cli_manual_SOURCES = cli/manual.c
cli_manual_LDADD = cli/libcli.la
man_MANS += cli/trireme.1
completionsdir = $(datadir)/bash-completion/completions
nodist_completions_DATA = cli/completion/trireme
cli/trireme.1: cli/manual$(EXEEXT)
	$(AM_V_GEN)cli/manual$(EXEEXT) man >$@.tmp && mv $@.tmp $@
cli/completion/trireme: cli/manual$(EXEEXT)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)cli/manual$(EXEEXT) bash >$@.tmp && mv $@.tmp $@
CLEANFILES += cli/trireme.1 cli/completion/trireme
endif

# The files of `trireme new-solver`, as texts.
template_files = Makefile README.md case.conf solver.c solver.k solver_params.h test.sh
cli/template.c: $(template_files:%=solvers/template/%)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN){ echo '#include "cli/template.h"'; n=0; \
	  for file in $(template_files); do \
	    n=`expr $$n + 1`; echo "static const char text_$$n[] = {"; \
	    od -An -v -tx1 "$(top_srcdir)/solvers/template/$$file" | sed 's/ \(..\)/0x\1,/g'; echo '0};'; \
	  done; n=0; \
	  echo 'const template_file template_files[] = {'; \
	  for file in $(template_files); do n=`expr $$n + 1`; echo "  { \"$$file\", text_$$n },"; done; \
	  echo '  { 0, 0 } };'; } >$@.tmp && mv $@.tmp $@
CLEANFILES += cli/template.c cli/template.c.tmp
EXTRA_DIST += $(template_files:%=solvers/template/%)
