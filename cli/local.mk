# cli: the program `trireme`, one file a command; all but main.c is a library, so that tests reach it.
# What runs a case is libtrireme-run (run/local.mk); the program has the same objects in it, for
# compare, study, tune and bench use parts of it that the library shows nobody.
bin_PROGRAMS += cli/trireme
cli_trireme_SOURCES = cli/main.c
# An installed program finds its libraries without ldconfig having been run. It exports nothing: what
# plugins need is in the libraries that they link.
cli_trireme_LDFLAGS = -Wl,--enable-new-dtags,-rpath,$(libdir)
cli_trireme_LDADD = cli/libcli.la

noinst_LTLIBRARIES += cli/libcli.la
cli_libcli_la_SOURCES =
# cli/: what speaks to a terminal
cli_libcli_la_SOURCES += \
  cli/arguments.c cli/arguments.h cli/command.c cli/command.h cli/command_backends.c \
  cli/command_bench.c cli/command_cases.c cli/command_compare.c \
  cli/command_completion.c cli/command_devices.c cli/command_exercise.c cli/command_new_solver.c \
  cli/command_movie.c cli/command_predict.c cli/command_report.c cli/command_resume.c cli/command_retrace.c cli/command_run.c cli/command_solvers.c cli/command_study.c \
  cli/command_tune.c cli/environment.c cli/environment.h cli/listing.c cli/listing.h cli/message.c \
  cli/message.h cli/process.c cli/process.h cli/profile_table.c cli/progress.c cli/progress.h \
  cli/run_table.c cli/run_table.h cli/running.c cli/running.h cli/template.h cli/template_folder.c cli/terminal.c cli/terminal.h
# cli/compare/: the same run with several backends or values
cli_libcli_la_SOURCES += \
  cli/compare/comparison.c cli/compare/comparison.h cli/compare/comparison_bisect.c \
  cli/compare/comparison_difference.c cli/compare/comparison_json.c \
  cli/compare/comparison_rows.c \
  cli/compare/candidate.c cli/compare/candidate.h cli/compare/candidate_keep.c cli/compare/candidate_keep.h \
  cli/compare/vary.c cli/compare/vary.h
# cli/compare/bisect/: the first launch, field and cell that differ
cli_libcli_la_SOURCES += \
  cli/compare/bisect/bisection.c cli/compare/bisect/bisection.h \
  cli/compare/bisect/bisection_report.c cli/compare/bisect/bisection_stage.c \
  cli/compare/bisect/bisection_view.c \
  cli/compare/bisect/trail.c cli/compare/bisect/trail.h
# cli/study/: ladders, sweeps, tuning
cli_libcli_la_SOURCES += \
  cli/study/study.c cli/study/study.h cli/study/study_cases.c \
  cli/study/study_json.c cli/study/study_run.c \
  cli/study/study_why.c cli/study/tuning.c cli/study/tuning.h
# cli/predict/: a case on a device that is not here
cli_libcli_la_SOURCES += \
  cli/predict/predict.h cli/predict/predict_command.c cli/predict/predict_json.c \
  cli/predict/predict_model.c cli/predict/predict_page.c cli/predict/predict_read.c \
  cli/predict/predict_same.c
# cli/retrace/: published reports, measured again
cli_libcli_la_SOURCES += \
  cli/retrace/reports.h cli/retrace/retrace.c cli/retrace/retrace.h cli/retrace/retrace_case.c \
  cli/retrace/retrace_claims.c cli/retrace/retrace_kernels.c \
  cli/retrace/retrace_quick.c cli/retrace/retrace_rows.h \
  cli/retrace/retrace_judge.c cli/retrace/retrace_json.c cli/retrace/retrace_page.c
# cli/movie/: frames in, a moving picture out
cli_libcli_la_SOURCES += cli/movie/encoder.c cli/movie/encoder.h cli/movie/movie.c cli/movie/movie.h
# cli/view/: a page, or the terminal, that shows a run
cli_libcli_la_SOURCES += cli/view/view.c cli/view/view.h cli/view/view_http.c cli/view/view_parts.h \
  cli/view/view_picture.c cli/view/view_picture.h cli/view/view_terminal.c cli/view/view_terminal.h
# cli/report/: stored results in, a page out
cli_libcli_la_SOURCES += \
  cli/report/chart.c cli/report/chart.h cli/report/chart_bars.c cli/report/chart_lines.c \
  cli/report/chart_map.c cli/report/chart_parts.h cli/report/report_data.c cli/report/report_data.h \
  cli/report/report_family.c cli/report/report_former.c cli/report/report_match.c cli/report/markup.c cli/report/markup.h \
  cli/report/page.c cli/report/page.h \
  cli/report/page_html.c cli/report/page_markdown.c cli/report/page_terminal.c \
  cli/report/fairness.h cli/report/fairness_known.c cli/report/fairness_machine.c \
  cli/report/fairness_whole.c \
  cli/report/section_agreement.c \
  cli/report/section_conditions.c cli/report/section_devices.c cli/report/section_fairness.c cli/report/section_ladder.c \
  cli/report/section_run.c \
  cli/report/section_peaks.c cli/report/section_sizes.c cli/report/section_speed.c cli/report/section_time.c \
  cli/report/sections.c cli/report/sections.h cli/report/sweep.c cli/report/sweep.h
nodist_cli_libcli_la_SOURCES = cli/template.c cli/retrace/reports.c cli/view/view_page.c
cli_libcli_la_CPPFLAGS = $(AM_CPPFLAGS) -DTRM_PKGCONFIG='"$(pkgconfigdir)"' $(JANSSON_CFLAGS) $(VIEW_CFLAGS) $(XXHASH_CFLAGS)
cli_libcli_la_LIBADD = run/librun.la $(VIEW_LIBS)

# The man page and the completions, from the tables of --help; nothing is run when the build is for
# another machine.
if RUNS_HERE
noinst_PROGRAMS += cli/manual
cli_manual_SOURCES = cli/manual.c
cli_manual_LDADD = cli/libcli.la
man_MANS += cli/trireme.1
cli/trireme.1: cli/manual$(EXEEXT) $(solver_plugins)
	$(AM_V_GEN)cli/manual$(EXEEXT) man >$@.tmp && mv $@.tmp $@
bashdir = $(datadir)/bash-completion/completions
zshdir = $(datadir)/zsh/site-functions
fishdir = $(datadir)/fish/vendor_completions.d
nodist_bash_DATA = cli/completion/trireme
nodist_zsh_DATA = cli/completion/_trireme
nodist_fish_DATA = cli/completion/trireme.fish
cli/completion/trireme cli/completion/_trireme cli/completion/trireme.fish: cli/trireme$(EXEEXT)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)case $@ in *.fish) shell=fish ;; */_*) shell=zsh ;; *) shell=bash ;; esac; \
	  cli/trireme$(EXEEXT) completion $$shell >$@.tmp && mv $@.tmp $@
CLEANFILES += cli/trireme.1 cli/completion/trireme cli/completion/_trireme cli/completion/trireme.fish
endif

# The page of a view, as texts.
cli/view/view_page.c: cli/view/view.html cli/view/view.js
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN){ echo '#include "cli/view/view_parts.h"'; \
	  for name in page:html script:js; do \
	    echo "const char view_$${name%:*}[] = {"; \
	    od -An -v -tx1 "$(top_srcdir)/cli/view/view.$${name#*:}" | sed 's/ \(..\)/0x\1,/g'; echo '0};'; \
	  done; } >$@.tmp && mv $@.tmp $@
CLEANFILES += cli/view/view_page.c cli/view/view_page.c.tmp
EXTRA_DIST += cli/view/view.html cli/view/view.js

# The files of `trireme new-solver` and, by difficulty, of `trireme exercise`, as texts.
template_files = Makefile README.md case.conf solver.c solver.k solver_params.h test.sh
exercises = bristol-1 cylinder-1 nbody-1 bristol-2 zfs-1 bristol-3 cylinder-2 nbody-2 shallow-1 zfs-2
exercise_reports = bristol cylinder nbody shallow zfs
exercise_files = HOWTO.md Makefile exercise.h grade.sh bristol-cylinder/d2q9.h bristol/box.h cylinder/channel.h \
  nbody/bodies.h shallow/water.h zfs/gas.h \
  $(foreach r,$(exercise_reports),$(r)/host.c $(r)/case.conf) \
  $(foreach e,$(exercises),$(e)/README.md $(e)/params.h $(e)/steps.h $(e)/reference.k $(e)/kernel.k)
template_paths = $(template_files:%=solvers/template/%) $(exercise_files:%=solvers/exercises/%)
cli/template.c: $(template_paths)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN){ echo '#include "cli/template.h"'; n=0; \
	  for path in $(template_paths); do \
	    n=`expr $$n + 1`; echo "static const char text_$$n[] = {"; \
	    od -An -v -tx1 "$(top_srcdir)/$$path" | sed 's/ \(..\)/0x\1,/g'; echo '0};'; \
	  done; n=0; \
	  echo 'const template_file template_files[] = {'; \
	  for file in $(template_files); do n=`expr $$n + 1`; echo "  { \"$$file\", text_$$n },"; done; \
	  echo '  { 0, 0 } };'; echo 'const template_file exercise_files[] = {'; \
	  for file in $(exercise_files); do n=`expr $$n + 1`; echo "  { \"$$file\", text_$$n },"; done; \
	  echo '  { 0, 0 } };'; } >$@.tmp && mv $@.tmp $@
CLEANFILES += cli/template.c cli/template.c.tmp
EXTRA_DIST += $(template_paths)

# The published reports that `trireme study --retrace` measures again, as texts.
reports = bristol cylinder nbody shallow zfs
cli/retrace/reports.c: $(reports:%=cli/retrace/reports/%.json)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN){ echo '#include "cli/retrace/reports.h"'; \
	  for name in $(reports); do echo "static const char text_$$name[] = {"; \
	    od -An -v -tx1 "$(top_srcdir)/cli/retrace/reports/$$name.json" | sed 's/ \(..\)/0x\1,/g'; echo '0};'; \
	  done; echo 'const report_text report_texts[] = {'; \
	  for name in $(reports); do echo "  { \"$$name\", text_$$name },"; done; \
	  echo '  { 0, 0 } };'; } >$@.tmp && mv $@.tmp $@
CLEANFILES += cli/retrace/reports.c cli/retrace/reports.c.tmp
EXTRA_DIST += $(reports:%=cli/retrace/reports/%.json)
