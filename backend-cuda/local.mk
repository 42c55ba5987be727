# The CUDA backend: opens the driver and NVRTC itself, so no toolkit is needed to build it.
pluginexec_LTLIBRARIES += backend-cuda/trireme_cuda.la
cuda_sources = \
  backend-cuda/driver_api.h backend-cuda/driver.h backend-cuda/device.h \
  backend-cuda/driver.c backend-cuda/probe.c backend-cuda/device.c backend-cuda/buffer.c \
  backend-cuda/compile.c backend-cuda/program.c backend-cuda/launch.c backend-cuda/sequence.c
backend_cuda_trireme_cuda_la_SOURCES = $(cuda_sources) backend-cuda/plugin.c
backend_cuda_trireme_cuda_la_LDFLAGS = -module -avoid-version -shared -no-undefined
backend_cuda_trireme_cuda_la_LIBADD = -ldl
