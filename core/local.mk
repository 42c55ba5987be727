# libtrireme: the dispatch interface.
nobase_pkginclude_HEADERS += core/trireme.h core/host_module.h core/counters.h core/host_work.h core/backend.h core/sharing.h core/comm.h core/kernel.h core/kernel_gpu.h \
  core/kernel_blocks.h core/kernel_group.h core/kernel_headings.h core/kernel_host.h core/kernel_temporal.h core/kernel_math.h core/kernel_steps.h core/kernel_strips.h core/kernel_warps.h core/device_options.h core/modules.h core/nearest.h core/number.h
lib_LTLIBRARIES += core/libtrireme.la
core_libtrireme_la_SOURCES = \
  core/backend.c \
  core/buffer.c \
  core/cache.c \
  core/cache.h \
  core/context.c \
  core/saving.h \
  core/device.c \
  core/domain/agree.c \
  core/domain/launcher.c core/domain/launcher.h \
  core/domain/objects.c core/domain/objects.h \
  core/domain/pack.c core/domain/pack.h \
  core/domain/saver.c core/domain/saver.h \
  core/domain/sharing.c \
  core/domain/balance.c core/domain/buffers.c core/domain/check.c \
  core/domain/device.c \
  core/domain/device.h \
  core/domain/direct.c \
  core/domain/direct.h \
  core/domain/domain.h \
  core/domain/exchange.c \
  core/domain/exchange.h \
  core/domain/launches.c core/domain/passes.c \
  core/domain/apart.c \
  core/domain/named.c \
  core/domain/named.h \
  core/domain/near.c core/domain/near.h \
  core/domain/parts.h \
  core/domain/partition.c \
  core/domain/partition.h \
  core/domain/plan.c \
  core/domain/plan.h \
  core/domain/plan_adding.c \
  core/domain/plan_adding.h \
  core/domain/plan_near.c core/domain/plan_share.c \
  core/domain/post.c \
  core/domain/ranks.c \
  core/domain/ranks.h \
  core/domain/rows.c \
  core/domain/saving.c \
  core/domain/rows.h \
  core/domain/thread_messages.c \
  core/domain/thread_part.h \
  core/domain/threads.c \
  core/domain/threads.h \
  core/domain/tree.c \
  core/domain/tree.h \
  core/error.c \
  core/event.c \
  core/host_team.c \
  core/internal.h \
  core/isa.c core/isa_features.h \
  core/kernel.c \
  core/layout.c \
  core/memory.c \
  core/module.c \
  core/names.c \
  core/nearest.c \
  core/number.c \
  core/point.h \
  core/plugins/plugin.c core/plugins/plugin_abi.c \
  core/plugins/plugin.h \
  core/probe.c \
  core/probe.h \
  core/kernels/probe_params.h \
  core/program.c \
  core/program_text.h \
  core/kernels/reduce_params.h \
  core/reduction.c \
  core/plugins/registry.c \
  core/plugins/registry.h \
  core/sequence.c \
  core/sort.c \
  core/fused.c \
  core/kernels/sort_params.h \
  core/plugins/probe_process.c \
  core/plugins/probe_process.h \
  core/plugins/probe_cache.c \
  core/trace.c \
  core/trace.h
nodist_core_libtrireme_la_SOURCES = core/kernels/reduce.k.c core/kernels/sort.k.c core/kernels/probe.k.c core/kernel_text.c
core_libtrireme_la_CPPFLAGS = $(AM_CPPFLAGS) $(XXHASH_CFLAGS) -DTRM_PLUGIN_DIR='"$(pkglibdir)"'
core_libtrireme_la_LDFLAGS = -version-info 0:0:0 -no-undefined
core_libtrireme_la_LIBADD = $(call trm_kernel_objects,core/kernels/reduce) \
  $(call trm_kernel_objects,core/kernels/sort) \
  $(call trm_kernel_objects,core/kernels/probe) $(XXHASH_LIBS) -ldl -lm
# For plugins of GPUs: it needs nothing of the library.
noinst_LTLIBRARIES += core/libsteps.la
core_libsteps_la_SOURCES = core/steps.c core/steps.h
TRM_KERNEL_TEXTS += core/kernels/reduce core/kernels/sort core/kernels/probe

# Meets each plugin before the library does; it lies beside the plugins.
pluginexec_PROGRAMS += core/trireme-probe
core_trireme_probe_SOURCES = core/plugins/probe_program.c
core_trireme_probe_LDADD = -ldl
EXTRA_DIST += core/kernels/reduce.k core/kernels/sort.k core/kernels/probe.k

# The dialect as text: what the GPU compilers get before a solver's kernels.
core/kernel_text.c: core/kernel.h
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(call trm_embed,trm_text_kernel_header,core/kernel.h)
core/kernel_temporal_text.c: core/kernel_temporal.h
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(call trm_embed,trm_text_kernel_temporal,core/kernel_temporal.h)
-include core/kernel_text.c.d core/kernel_temporal_text.c.d
CLEANFILES += core/kernel_text.c core/kernel_text.c.tmp core/kernel_text.c.text core/kernel_text.c.d \
  core/kernel_temporal_text.c core/kernel_temporal_text.c.tmp core/kernel_temporal_text.c.text core/kernel_temporal_text.c.d

# The man page of the library is its headers.
man_MANS += core/trireme.3
manual_headers = $(top_srcdir)/core/trireme.h $(top_srcdir)/core/host_module.h
core/trireme.3: $(manual_headers) core/manual.awk
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(AWK) -v version=$(VERSION) -f $(top_srcdir)/core/manual.awk $(manual_headers) >$@.tmp && mv $@.tmp $@
CLEANFILES += core/trireme.3
EXTRA_DIST += core/manual.awk
