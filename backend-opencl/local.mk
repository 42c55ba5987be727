# The OpenCL plugin: links the ICD loader only; drivers are found at run time.
if WITH_OPENCL
pluginexec_LTLIBRARIES += backend-opencl/trireme_opencl.la
backend_opencl_trireme_opencl_la_SOURCES = \
  backend-opencl/opencl.h \
  backend-opencl/ballast.c \
  backend-opencl/binary.c \
  backend-opencl/buffer.c \
  backend-opencl/command.c \
  backend-opencl/describe.c \
  backend-opencl/device.c \
  backend-opencl/error.c \
  backend-opencl/event.c \
  backend-opencl/kernel.c \
  backend-opencl/loader.c \
  backend-opencl/temporal.c \
  backend-opencl/platform.c \
  backend-opencl/plugin.c \
  backend-opencl/pocl.c \
  backend-opencl/program.c \
  backend-opencl/resources.c \
  backend-opencl/sequence.c \
  backend-opencl/source.c \
  backend-opencl/check_device.c \
  backend-opencl/vendor.c
backend_opencl_trireme_opencl_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENCL_CFLAGS)
backend_opencl_trireme_opencl_la_LDFLAGS = -module -avoid-version -shared -no-undefined
nodist_backend_opencl_trireme_opencl_la_SOURCES = core/kernel_temporal_text.c
backend_opencl_trireme_opencl_la_LIBADD = core/libsteps.la $(OPENCL_LIBS)
endif
