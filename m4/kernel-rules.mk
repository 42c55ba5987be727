# kernel-rules.mk - host instances of kernel texts, and the texts as C arrays (GNU make).
#
# A program NAME lives in DIR/NAME.k. Its host instances are the libtool objects
#   DIR/NAME.PRECISION.MATH.ISA.lo            (and, for a variant, DIR/NAME.PRECISION.MATH.ISA.VARIANT.lo)
# for the names in TRM_INSTANCES; DIR/NAME.k.c defines `const char trm_text_NAME[]`.
# The kernel flags come after the user's CFLAGS, so that nothing there changes strict bits.

TRM_KERNEL_HEADER ?= $(top_srcdir)/core/kernel.h
TRM_KERNEL_CPPFLAGS ?= -I$(top_srcdir)

TRM_KFLAGS = -std=gnu11 -O3 -fopenmp-simd -fno-math-errno -fno-trapping-math -fvisibility=hidden
TRM_KFLAGS_f32 = -DTRM_F64_KERNEL=0
TRM_KFLAGS_f64 = -DTRM_F64_KERNEL=1
TRM_KFLAGS_strict = -DTRM_STRICT_KERNEL=1 -fno-fast-math -ffp-contract=off -fno-math-errno -fno-trapping-math
TRM_KFLAGS_fast = -DTRM_STRICT_KERNEL=0 -ffp-contract=fast -fassociative-math -fno-signed-zeros -freciprocal-math
TRM_KFLAGS_baseline = -DTRM_ISA=baseline -DTRM_ISA_NAME='"baseline"'
TRM_KFLAGS_v3 = -DTRM_ISA=v3 -DTRM_ISA_NAME='"x86-64-v3"' -march=x86-64-v3
TRM_KFLAGS_v4 = -DTRM_ISA=v4 -DTRM_ISA_NAME='"x86-64-v4"' -march=x86-64-v4 -mprefer-vector-width=512
TRM_KFLAGS_reverse = -DTRM_ISA=reverse -DTRM_ISA_NAME='"reverse"' -DTRM_REVERSE=1

trm_word = $(word $(1),$(subst ., ,$(2)))
# $(1): stem (f32.strict.v3[.variant])
trm_kernel_flags = $(TRM_KFLAGS) $(TRM_KFLAGS_$(call trm_word,1,$(1))) $(TRM_KFLAGS_$(call trm_word,2,$(1))) \
  $(TRM_KFLAGS_$(call trm_word,3,$(1))) \
  $(if $(call trm_word,4,$(1)),-DTRM_VARIANT=$(call trm_word,4,$(1)) -DTRM_VARIANT_$(call trm_word,4,$(1))=1)

# $(1): DIR/NAME; declares the rules of one program.
define trm_kernel_program
$(1).%.lo: $(1).k $$(TRM_KERNEL_HEADER)
	@$$(MKDIR_P) $$(@D)
	$$(AM_V_CC)$$(LIBTOOL) $$(AM_V_lt) --tag=CC --mode=compile $$(CC) $$(TRM_KERNEL_CPPFLAGS) $$(CPPFLAGS) \
	  $$(CFLAGS) $$(call trm_kernel_flags,$$*) -DTRM_PROGRAM=$(notdir $(1)) \
	  -include $$(TRM_KERNEL_HEADER) -x c -c -o $$@ $$<
$(1).k.c: $(1).k
	@$$(MKDIR_P) $$(@D)
	$$(AM_V_GEN){ echo 'extern const char trm_text_$(notdir $(1))[];'; echo 'const char trm_text_$(notdir $(1))[] = {'; \
	  od -An -v -tx1 $$< | sed 's/ \(..\)/0x\1,/g'; echo '0};'; } >$$@.tmp && mv $$@.tmp $$@
endef

$(foreach p,$(TRM_KERNEL_TEXTS),$(eval $(call trm_kernel_program,$(p))))
