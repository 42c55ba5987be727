# opencl.m4 - TRM_OPENCL: the OpenCL headers and the ICD loader, as OPENCL_CFLAGS and OPENCL_LIBS.
AC_DEFUN([TRM_OPENCL], [
TRM_MODULE([OPENCL], [OpenCL], [ocl-icd-opencl-dev])
AS_IF([test "x$trm_found" = xno], [
  AC_CHECK_HEADER([CL/cl.h], [
    AC_CHECK_LIB([OpenCL], [clGetPlatformIDs], [
      trm_found=yes trm_where="CL/cl.h and -lOpenCL" OPENCL_LIBS=-lOpenCL OPENCL_CFLAGS=
    ])
  ])
])
])
