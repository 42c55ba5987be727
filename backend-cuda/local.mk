# The CUDA backend: opens the driver and NVRTC itself, so no toolkit is needed to build it.
# The convenience library is for the plugin and for tests of its inside.
if WITH_CUDA
pluginexec_LTLIBRARIES += backend-cuda/trireme_cuda.la
noinst_LTLIBRARIES += backend-cuda/libcuda_backend.la
backend_cuda_libcuda_backend_la_SOURCES = \
  backend-cuda/driver_api.h backend-cuda/driver.h backend-cuda/device.h \
  backend-cuda/driver.c backend-cuda/probe.c backend-cuda/device.c backend-cuda/buffer.c \
  backend-cuda/reserved.c backend-cuda/shared.c \
  backend-cuda/queue.c backend-cuda/compile.c backend-cuda/program.c backend-cuda/launch.c backend-cuda/temporal.c \
  backend-cuda/sequence.c backend-cuda/plugin.c
nodist_backend_cuda_libcuda_backend_la_SOURCES = core/kernel_temporal_text.c
backend_cuda_libcuda_backend_la_LIBADD = core/libsteps.la -ldl
backend_cuda_trireme_cuda_la_SOURCES =
backend_cuda_trireme_cuda_la_LDFLAGS = -module -avoid-version -shared -no-undefined
backend_cuda_trireme_cuda_la_LIBADD = backend-cuda/libcuda_backend.la

# Every kernel text of the tree, whoever wrote it, for the test that compiles them all.
backend-cuda/kernel_texts.c: Makefile $(TRM_KERNEL_TEXTS:=.k.c)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN){ echo '/* The kernel texts of this build (made by backend-cuda/local.mk). */'; \
	  echo '#include "backend-cuda/kernel_texts.h"'; \
	  $(foreach t,$(TRM_KERNEL_TEXTS),echo '#include "$(t).k.c"';) \
	  echo 'const cuda_kernel_text cuda_kernel_texts[] = {'; \
	  $(foreach t,$(TRM_KERNEL_TEXTS),echo '  {"$(t).k", trm_text_$(notdir $(t)), "$($(notdir $(t))_VARIANTS)"},';) \
	  echo '  {0, 0, 0}};'; } >$@.tmp && mv $@.tmp $@
CLEANFILES += backend-cuda/kernel_texts.c backend-cuda/kernel_texts.c.tmp

if WITH_CMOCKA
check_LTLIBRARIES += tests/libnvrtc_texts.la
tests_libnvrtc_texts_la_SOURCES = tests/backend-cuda/nvrtc_texts.c tests/backend-cuda/nvrtc_texts.h \
  backend-cuda/kernel_texts.h
nodist_tests_libnvrtc_texts_la_SOURCES = backend-cuda/kernel_texts.c core/kernel_text.c
tests_libnvrtc_texts_la_CPPFLAGS = $(AM_CPPFLAGS) -I. -DTRM_TEXTS_ALONE -DCUDA_TOOLKIT_LIB='"$(CUDA_TOOLKIT_LIB)"'
tests_libnvrtc_texts_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
nvrtc_libs = tests/libnvrtc_texts.la backend-cuda/libcuda_backend.la $(LDADD)
nvrtc_tests = tests/backend-cuda/cuda_compile tests/backend-cuda/cuda_temporal tests/backend-cuda/cuda_ptx
check_PROGRAMS += $(nvrtc_tests)
TESTS += $(nvrtc_tests)
tests_backend_cuda_cuda_compile_LDADD = $(nvrtc_libs)
tests_backend_cuda_cuda_temporal_LDADD = $(nvrtc_libs)
tests_backend_cuda_cuda_ptx_LDADD = $(nvrtc_libs)

# The plugin against a driver and a compiler that are not NVIDIA's; see tests/fake/driver.h.
check_LTLIBRARIES += tests/fake/libcuda.la tests/fake/libnvrtc.la
tests_fake_libcuda_la_SOURCES = tests/fake/driver.c tests/fake/environment.c tests/fake/launch.c tests/fake/mapped.c \
  tests/fake/driver.h tests/fake/internal.h
tests_fake_libcuda_la_LDFLAGS = -shared -rpath /nowhere -version-info 1:0:0
tests_fake_libnvrtc_la_SOURCES = tests/fake/nvrtc.c
tests_fake_libnvrtc_la_LDFLAGS = -shared -rpath /nowhere -module -avoid-version
check_LTLIBRARIES += tests/fake/libcuda_rig.la
tests_fake_libcuda_rig_la_SOURCES = tests/fake/rig.c tests/fake/rig.h
tests_fake_libcuda_rig_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_FOLDER='"$(abs_builddir)/tests/fake/.libs"'
tests_fake_libcuda_rig_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
cuda_rig_libs = tests/fake/libcuda_rig.la backend-cuda/libcuda_backend.la $(LDADD)
cuda_tests = tests/backend-cuda/cuda_probe tests/backend-cuda/cuda_driver tests/backend-cuda/cuda_sequences \
  tests/backend-cuda/cuda_reserved
check_PROGRAMS += $(cuda_tests)
TESTS += $(cuda_tests)
check_PROGRAMS += tests/backend-cuda/cuda_lost
TESTS += tests/backend-cuda/cuda_lost
tests_backend_cuda_cuda_lost_CPPFLAGS = $(tests_fake_libcuda_rig_la_CPPFLAGS)
tests_backend_cuda_cuda_lost_LDADD = $(dispatch_libs)
check_PROGRAMS += tests/backend-cuda/cuda_parts
TESTS += tests/backend-cuda/cuda_parts
tests_backend_cuda_cuda_parts_CPPFLAGS = $(tests_fake_libcuda_rig_la_CPPFLAGS)
tests_backend_cuda_cuda_probe_CPPFLAGS = $(tests_fake_libcuda_rig_la_CPPFLAGS)
tests_backend_cuda_cuda_probe_LDADD = $(cuda_rig_libs)
tests_backend_cuda_cuda_driver_LDADD = $(cuda_rig_libs)
tests_backend_cuda_cuda_sequences_LDADD = $(cuda_rig_libs)
tests_backend_cuda_cuda_reserved_LDADD = $(cuda_rig_libs)
endif

if HAVE_CUDA_TOOLKIT
check_PROGRAMS += tests/backend-cuda/cuda_declarations
TESTS += tests/backend-cuda/cuda_declarations
tests_backend_cuda_cuda_declarations_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
tests_backend_cuda_cuda_declarations_LDADD =
endif
endif
