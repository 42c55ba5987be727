# solvers/shallow: solver_shallow.so.
noinst_LTLIBRARIES += solvers/libshallow.la
solver_libs += solvers/libshallow.la
pluginexec_LTLIBRARIES += solvers/solver_shallow.la
solver_plugins += solvers/solver_shallow.la
solvers_libshallow_la_CPPFLAGS = $(AM_CPPFLAGS) # which also gives its objects names of their own
solvers_solver_shallow_la_SOURCES =
solvers_solver_shallow_la_LDFLAGS = $(solver_plugin_flags)
solvers_solver_shallow_la_LIBADD = solvers/libshallow.la $(solver_plugin_libs)
noinst_HEADERS += solvers/shallow/shallow_params.h solvers/shallow/shallow_clock.h \
  solvers/shallow/shallow_numbers.h solvers/shallow/shallow_common.h solvers/shallow/shallow_lf_cell.h \
  solvers/shallow/shallow_implementations_params.h solvers/shallow/implementation.h \
  solvers/shallow/shallow_lf.h solvers/shallow/shallow_lf_line.h \
  solvers/shallow/shallow_hllc.h solvers/shallow/shallow_record.h \
  solvers/shallow/shallow_observe.h solvers/shallow/shallow_passage.h
solvers_libshallow_la_SOURCES = solvers/shallow/shallow.c solvers/shallow/shallow.h \
  solvers/shallow/scene.c solvers/shallow/scene.h solvers/shallow/memory.c \
  solvers/shallow/declarations.c solvers/shallow/steps.c solvers/shallow/course.c \
  solvers/shallow/sides.c solvers/shallow/lengths.c solvers/shallow/share.c \
  solvers/shallow/form.c solvers/shallow/implementation.c \
  solvers/shallow/heights.c solvers/shallow/balance.c solvers/shallow/numbers.c
nodist_solvers_libshallow_la_SOURCES = solvers/shallow/shallow.k.c \
  solvers/shallow/shallow_lf.k.c solvers/shallow/shallow_hllc.k.c \
  solvers/shallow/shallow_implementations.k.c
solvers_libshallow_la_LIBADD = $(call trm_kernel_objects,solvers/shallow/shallow) \
  $(call trm_kernel_objects,solvers/shallow/shallow_lf) \
  $(call trm_kernel_objects,solvers/shallow/shallow_hllc) \
  $(call trm_kernel_objects,solvers/shallow/shallow_implementations)
shallow_PLAIN = 1
shallow_lf_PLAIN = 1
shallow_hllc_PLAIN = 1
shallow_implementations_PLAIN = 1
TRM_KERNEL_TEXTS += solvers/shallow/shallow solvers/shallow/shallow_lf solvers/shallow/shallow_hllc \
  solvers/shallow/shallow_implementations
EXTRA_DIST += solvers/shallow/shallow.k solvers/shallow/shallow_lf.k \
  solvers/shallow/shallow_hllc.k solvers/shallow/shallow_implementations.k solvers/shallow/README.md
