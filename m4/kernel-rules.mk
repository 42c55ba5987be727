# kernel-rules.mk - host instances of kernel texts, and the texts as C arrays (GNU make).
#
# A program NAME lives in DIR/NAME.k; TRM_KERNEL_TEXTS lists DIR/NAME. Its host instances are the
# objects $(call trm_kernel_objects,DIR/NAME) (kernel-objects.mk), DIR/NAME.PRECISION.MATH.ISA.lo, and for a
# variant V of NAME_VARIANTS also DIR/NAME.PRECISION.MATH.ISA.V.lo; DIR/NAME.k.c defines
# `const char trm_text_NAME[]`, with the files that the text includes put in place, and the list of all host
# instances, trm_modules_NAME (core/modules.h). NAME_KFLAGS are flags of that program alone.
# The kernel flags come after the user's CFLAGS, so that nothing there changes strict bits.
# A tree of ours takes these rules into its Makefile, a solver from outside includes them (solver.mk).

TRM_KERNEL_HEADER ?= $(top_srcdir)/core/kernel.h
# What finds a text's mistakes before its compilers do; texts named in TRM_KERNEL_UNCHECKED are spared.
TRM_KERNEL_CHECKS = kernel-check.awk kernel-check-flow.awk kernel-check-body.awk
TRM_KERNEL_CHECK ?= $(addprefix $(top_srcdir)/m4/,$(TRM_KERNEL_CHECKS))
TRM_KERNEL_CPPFLAGS ?= -I$(top_srcdir)
TRM_OBJECT ?= lo
TRM_KERNEL_COMPILE ?= $(LIBTOOL) $(AM_V_lt) --tag=CC --mode=compile $(CC)

TRM_KFLAGS = $(WARN_CFLAGS) $(KERNEL_DEBUG_CFLAGS) -std=gnu11 -O3 -fopenmp-simd -fno-math-errno -fno-trapping-math -fvisibility=hidden
TRM_KFLAGS_f32 = -DTRM_F64_KERNEL=0
TRM_KFLAGS_f64 = -DTRM_F64_KERNEL=1
TRM_KFLAGS_strict = -DTRM_STRICT_KERNEL=1 -fno-fast-math -ffp-contract=off -fno-math-errno -fno-trapping-math
TRM_KFLAGS_fast = -DTRM_STRICT_KERNEL=0 -ffp-contract=fast -fassociative-math -fno-signed-zeros -freciprocal-math
TRM_KFLAGS_baseline = -DTRM_ISA=baseline -DTRM_ISA_NAME='"baseline"'
TRM_KFLAGS_v3 = -DTRM_ISA=v3 -DTRM_ISA_NAME='"x86-64-v3"' -march=x86-64-v3
TRM_KFLAGS_v4 = -DTRM_ISA=v4 -DTRM_ISA_NAME='"x86-64-v4"' -march=x86-64-v4 -mprefer-vector-width=512
TRM_KFLAGS_plain = -O0 -DTRM_ISA=plain -DTRM_ISA_NAME='"plain"'
# For tests alone (TRIREME_ISA=reverse, --with-isa=...,reverse): compiled in a fifth of the time.
TRM_KFLAGS_reverse = -O0 -DTRM_ISA=reverse -DTRM_ISA_NAME='"reverse"' -DTRM_REVERSE=1
# What a sanitizer's build asks of kernels alone, from the environment (tests/checked.sh).
TRM_KFLAGS_TOOL ?=
# TRM_KFLAGS_MATH.ISA, such as TRM_KFLAGS_fast.v3: flags of these alone, with which quickstart check compiles in less
# time: fast ones with -O0, strict ones with these. gcc vectorises the same loops over cells with them, in code that is slower.
TRM_KFLAGS_quick = -O2 -fvect-cost-model=dynamic -fira-region=one -fno-gcse

trm_word = $(word $(1),$(subst ., ,$(2)))
# $(1): stem (f32.strict.v3 or f32.strict.v3.VARIANT)
trm_kernel_flags = $(TRM_KFLAGS) $(TRM_KFLAGS_$(call trm_word,1,$(1))) $(TRM_KFLAGS_$(call trm_word,2,$(1))) \
  $(TRM_KFLAGS_$(call trm_word,3,$(1))) $(TRM_KFLAGS_TOOL) \
  $(TRM_KFLAGS_$(call trm_word,2,$(1)).$(call trm_word,3,$(1))) \
  $(if $(call trm_word,4,$(1)),-DTRM_VARIANT=$(call trm_word,4,$(1)) -DTRM_VARIANT_$(call trm_word,4,$(1))=1)

# A recipe: $< as the C array $(1), followed by the lines that the command $(3) prints, with the files of its #include "..." lines put in place ("# include"
# stays); $(2) is its name in the compilers' messages. A file that cannot be read ends the build: a
# GPU's compiler would get a text with a hole. $@.d names the files for make, as gcc -MMD -MP does.
trm_embed = $(AWK) -v folder="$$(dirname $<)/" -v name='$(2)' -v target='$@' 'BEGIN { rules = target ".d"; \
      printf "" > rules } /^\#include "/ { split($$0, part, "\""); file = folder part[2]; \
      print target ": " file "\n" file ":" > rules; print "\#line 1 \"" part[2] "\""; \
      while ((got = (getline text < file)) > 0) print text; close(file); \
      if (got < 0) { print name ":" NR ": \#include \"" part[2] "\": " file " cannot be read; it lies " \
        "beside the text that includes it" > "/dev/stderr"; exit 1 } \
      print "\#line " NR + 1 " \"" name "\""; next } { print }' $< >$@.text && \
  { echo 'extern const char $(1)[];'; echo 'const char $(1)[] = {'; \
  od -An -v -tx1 $@.text | sed 's/ \(..\)/0x\1,/g'; echo '0};'; $(3) } >$@.tmp && rm -f $@.text && mv $@.tmp $@

# $(1): DIR/NAME; a command that prints the list of its host instances; a program that wants texts alone defines
# TRM_TEXTS_ALONE.
trm_list = echo '\#ifndef TRM_TEXTS_ALONE'; echo '$(foreach m,$(call trm_kernel_modules,$(1)),extern const struct trm_host_module $(m);)'; \
  echo 'extern const struct trm_host_module *const trm_modules_$(notdir $(1))[];'; \
  echo 'const struct trm_host_module *const trm_modules_$(notdir $(1))[] = {'; \
  echo '$(foreach m,$(call trm_kernel_modules,$(1)),&$(m),) 0};'; echo '\#endif';
# The lists change with configure's options and with NAME_VARIANTS.
trm_makefile := $(firstword $(MAKEFILE_LIST))

# $(1): DIR/NAME; declares the rules of one program.
define trm_kernel_rules
# a source: make's own rules would link it from the .k.c
$(1).k: ;
$(1).%.$$(TRM_OBJECT): $(1).k
	@$$(MKDIR_P) $$(@D)
	$$(AM_V_CC)$$(TRM_KERNEL_COMPILE) $$(TRM_KERNEL_CPPFLAGS) $$(CPPFLAGS) $$(CFLAGS) \
	  $$(call trm_kernel_flags,$$*) $$($(notdir $(1))_KFLAGS) -DTRM_PROGRAM=$(notdir $(1)) \
	  -MMD -MP -MT $$@ -MF $$@.d -include $$(TRM_KERNEL_HEADER) -x c -c -o $$@ $$<
$(1).k.c: $(1).k $$(TRM_KERNEL_CHECK) $$(trm_makefile)
	@$$(MKDIR_P) $$(@D)
	@$(if $(filter $(1),$(TRM_KERNEL_UNCHECKED)),:,$$(AWK) $$(addprefix -f ,$$(TRM_KERNEL_CHECK)) $$<)
	$$(AM_V_GEN)$$(call trm_embed,trm_text_$(notdir $(1)),$(1).k,$$(call trm_list,$(1)))
trm_clean_files += $(1).k.c $(1).k.c.tmp $(1).k.c.text $(1).k.c.d $$(call trm_kernel_objects,$(1)) \
  $$(addsuffix .d,$$(call trm_kernel_objects,$(1))) $$(addsuffix .vec,$$(call trm_kernel_objects,$(1)))
$(1).k.c.d $$(addsuffix .d,$$(call trm_kernel_objects,$(1))): ;
-include $$(wildcard $(1).k.c.d $(1).*.$$(TRM_OBJECT).d)
endef

$(foreach p,$(TRM_KERNEL_TEXTS),$(eval $(call trm_kernel_rules,$(p))))

clean-local: clean-kernels
clean-kernels:
	-rm -f $(trm_clean_files)
.PHONY: clean-kernels
