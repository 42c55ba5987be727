# trireme_openmp.so: this host's cores. Only this folder is compiled with OpenMP. Its code is a
# convenience library, so that tests/backend-openmp/openmp_team can call the inside as well.
if WITH_OPENMP
noinst_LTLIBRARIES += backend-openmp/libopenmp_backend.la
backend_openmp_libopenmp_backend_la_SOURCES = \
  backend-openmp/openmp.h \
  backend-openmp/buffer.c \
  backend-openmp/machine.c \
  backend-openmp/plugin.c \
  backend-openmp/sequence.c \
  backend-openmp/team.c \
  backend-openmp/wavefront.c
backend_openmp_libopenmp_backend_la_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)

pluginexec_LTLIBRARIES += backend-openmp/trireme_openmp.la
backend_openmp_trireme_openmp_la_SOURCES =
backend_openmp_trireme_openmp_la_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
backend_openmp_trireme_openmp_la_LDFLAGS = -module -avoid-version -shared -no-undefined
backend_openmp_trireme_openmp_la_LIBADD = backend-openmp/libopenmp_backend.la
endif
