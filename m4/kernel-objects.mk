# kernel-objects.mk - the names of the host instances of kernel texts; their rules are in kernel-rules.mk.
# Variables only: automake puts these before the rules that depend on them.

# Each instance is a stem PRECISION.MATH.ISA. The set `reverse`, a test, runs cells and phases backwards, in
# strict arithmetic alone.
TRM_INSTANCES = $(foreach i,$(TRM_ISAS),f32.strict.$(i) f64.strict.$(i) \
  $(if $(filter reverse,$(i)),,f32.fast.$(i) f64.fast.$(i)))
# $(call trm_kernel_objects,DIR/NAME); TRM_OBJECT is what they end with: lo, or o where there is no libtool.
# NAME_ONLY = f64.strict: of a program that runs in no other precision and arithmetic.
TRM_OBJECT = lo
# NAME_PLAIN = 1: where there are instances it is compiled once more without optimisation and vectors
# (run.host_build = plain).
trm_instances_of = $(filter $(or $($(notdir $(1))_ONLY:=.%),%),$(TRM_INSTANCES)) \
  $(if $(TRM_INSTANCES),$(if $($(notdir $(1))_PLAIN),f32.strict.plain f64.strict.plain))
trm_kernel_objects = $(foreach i,$(call trm_instances_of,$(1)),$(1).$(i).$(TRM_OBJECT) \
  $(foreach v,$($(notdir $(1))_VARIANTS),$(1).$(i).$(v).$(TRM_OBJECT)))
# $(call trm_kernel_modules,DIR/NAME): the symbols of their tables (core/kernel_host.h).
trm_kernel_modules = $(addprefix trm_module_$(notdir $(1))_,$(subst .,_,$(patsubst \
  $(1).%.$(TRM_OBJECT),%,$(call trm_kernel_objects,$(1)))))
