# kernel-objects.mk - the names of the host instances of kernel texts; their rules are in kernel-rules.mk.
# Variables only: automake puts these before the rules that depend on them.

# Each instance is a stem PRECISION.MATH.ISA; the reverse ones run cells and phases backwards (a test).
TRM_INSTANCES = $(foreach i,$(TRM_ISAS),f32.strict.$(i) f64.strict.$(i) f32.fast.$(i) f64.fast.$(i)) \
  f32.strict.reverse f64.strict.reverse
# $(call trm_kernel_objects,DIR/NAME); TRM_OBJECT is what they end with: lo, or o where there is no libtool.
TRM_OBJECT = lo
trm_kernel_objects = $(foreach i,$(TRM_INSTANCES),$(1).$(i).$(TRM_OBJECT) \
  $(foreach v,$($(notdir $(1))_VARIANTS),$(1).$(i).$(v).$(TRM_OBJECT)))
