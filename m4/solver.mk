# solver.mk - builds, checks and installs a solver from outside the tree (GNU make). A Makefile says
#
#   SOLVER = heat
#   include $(shell pkg-config --variable=makedir trireme)/solver.mk
#
# and gets, from heat.c (SOURCES), heat.k (KERNELS) and the headers beside them, solver_heat.so with
# every host instance of each kernel text and the texts themselves; test.sh is what `make check` runs.
# Install elsewhere with solverdir=DIR, and name that folder in TRIREME_SOLVER_PATH.

PKG_CONFIG ?= pkg-config
trm_variable = $(shell $(PKG_CONFIG) --variable=$(1) trireme)
top_srcdir := $(call trm_variable,headerdir)
solverdir ?= $(call trm_variable,plugindir)
TRIREME ?= $(call trm_variable,program)

CFLAGS ?= -O2 -g
SOURCES ?= $(SOLVER).c
KERNELS ?= $(SOLVER)
WARN_CFLAGS ?= -Wall -Wextra
$(foreach f,$(filter -ffast-math -Ofast -funsafe-math-optimizations -fassociative-math -freciprocal-math \
  -ffinite-math-only -fno-signed-zeros -fcx-limited-range -fsingle-precision-constant -mdaz-ftz \
  -ffp-model=fast,$(CC) $(CFLAGS) $(LDFLAGS)),$(error $(f) would change the bits of strict runs of the \
  whole program; leave it out, and use --math=fast at run time))

# What kernel-rules.mk wants: one compiler, no libtool.
srcdir = .
AWK ?= awk
MKDIR_P = mkdir -p
AM_V_CC = $(if $(V),,@echo '  CC      ' $@;)
AM_V_GEN = $(if $(V),,@echo '  GEN     ' $@;)
# The instruction sets of the installed program: make TRM_ISAS="baseline v3" for others.
TRM_ISAS ?= $(call trm_variable,isas)
TRM_KERNEL_TEXTS = $(KERNELS)
TRM_KERNEL_COMPILE = $(CC) -fPIC

all: solver_$(SOLVER).so
trm_folder := $(dir $(lastword $(MAKEFILE_LIST)))
include $(trm_folder)kernel-objects.mk
TRM_OBJECT = o
TRM_KERNEL_CHECK = $(addprefix $(trm_folder),$(TRM_KERNEL_CHECKS))
include $(trm_folder)kernel-rules.mk
# Else make would look how these are made, and find rules of a solver or a kernel of their names.
$(trm_folder)solver.mk $(trm_folder)kernel-objects.mk $(trm_folder)kernel-rules.mk: ;

trm_objects = $(SOURCES:.c=.o) $(KERNELS:=.k.o) $(foreach k,$(KERNELS),$(call trm_kernel_objects,$(k)))
trm_depends = $(SOURCES:.c=.d) $(KERNELS:=.k.d)
$(trm_depends): ;
-include $(wildcard $(trm_depends))

$(SOURCES:.c=.o) $(KERNELS:=.k.o): %.o: %.c
	$(AM_V_CC)$(CC) -std=c11 $(WARN_CFLAGS) -fPIC -fvisibility=hidden -I$(top_srcdir) \
	  $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
solver_$(SOLVER).so: $(trm_objects)
	$(AM_V_GEN)$(CC) -shared $(CFLAGS) $(LDFLAGS) -o $@ $(trm_objects) \
	  $(shell $(PKG_CONFIG) --libs trireme-solver) $(LIBS) -lm

check: all
	@TRIREME='$(TRIREME)' TRIREME_SOLVER_PATH='$(CURDIR)' TRM_ISAS='$(TRM_ISAS)' sh ./test.sh
install: all
	install -d '$(DESTDIR)$(solverdir)'
	install -m 755 solver_$(SOLVER).so '$(DESTDIR)$(solverdir)/solver_$(SOLVER).so'
uninstall:
	rm -f '$(DESTDIR)$(solverdir)/solver_$(SOLVER).so'
clean: clean-kernels
	rm -f solver_$(SOLVER).so $(trm_objects) $(trm_depends)
	rm -rf check
.PHONY: all check install uninstall clean clean-local
