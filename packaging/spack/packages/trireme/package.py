import os

from spack.package import *

try:  # since Spack 1.0 build systems lie in the repository of packages
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:  # before, spack.package has them
    pass


class Trireme(AutotoolsPackage):
    """Flow and N-body solvers, each written once in plain C, that run on OpenMP, OpenCL and CUDA
    with the same bits everywhere. The CUDA backend is always built: it opens NVIDIA's driver and
    NVRTC at run time."""

    # The recipe is part of the repository that it builds.
    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), *[".."] * 4))

    license("BSD-2-Clause")

    version("main", branch="main")

    variant("openmp", default=True, description="Build the OpenMP backend")
    variant("opencl", default=False, description="Build the OpenCL backend")
    variant("openmpi", default=False, description="Run over the ranks of Open MPI")
    variant("mpich", default=False, description="Run over the ranks of MPICH")
    variant("png", default=True, description="Write pictures")
    variant("fonts", default=True, description="Write texts in pictures in a font of the system")
    variant("view", default=True, description="Show a run on a page of this machine")
    variant("netcdf", default=True, description="Read bathymetry from netCDF files")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("autoconf@2.71:", type="build")
    depends_on("automake@1.16:", type="build")
    depends_on("libtool@2.4:", type="build")
    depends_on("m4", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("libconfig")
    depends_on("jansson")
    depends_on("xxhash")
    depends_on("zlib-api")
    depends_on("opencl", when="+opencl")
    depends_on("openmpi", when="+openmpi")
    depends_on("mpich", when="+mpich")
    depends_on("libpng", when="+png")
    depends_on("fontconfig", when="+fonts")
    depends_on("libmicrohttpd", when="+view")
    depends_on("netcdf-c", when="+netcdf")
    depends_on("cmocka", type="test")

    build_directory = "build"
    sanity_check_is_file = [os.path.join("bin", "trireme")]

    def autoreconf(self, spec, prefix):
        Executable("./bootstrap")()

    def configure_args(self):
        args = ["--with-cuda=yes", "--with-cuda-toolkit=no", "--with-mpi-abi=no", "--with-isa=all"]
        for feature in ("openmp", "opencl", "openmpi", "mpich", "png", "fonts", "view", "netcdf"):
            args.extend(self.with_or_without(feature))
        args.append("--with-cmocka=" + ("yes" if self.run_tests else "no"))
        return args
