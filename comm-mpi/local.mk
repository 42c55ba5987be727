# The comm plugins: one source, once for each MPI, and once for the common interface of MPI 5.
comm_mpi_files = comm-mpi/mpi.c comm-mpi/plugin.h comm-mpi/signs.c
EXTRA_DIST += $(comm_mpi_files)
if WITH_OPENMPI
pluginexec_LTLIBRARIES += comm-mpi/comm_openmpi.la
comm_mpi_comm_openmpi_la_SOURCES = $(comm_mpi_files)
comm_mpi_comm_openmpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENMPI_CFLAGS) -DTRM_COMM_NAME=openmpi
comm_mpi_comm_openmpi_la_LDFLAGS = -module -avoid-version -shared
comm_mpi_comm_openmpi_la_LIBADD = $(OPENMPI_LIBS)
endif
if WITH_MPICH
pluginexec_LTLIBRARIES += comm-mpi/comm_mpich.la
comm_mpi_comm_mpich_la_SOURCES = $(comm_mpi_files)
comm_mpi_comm_mpich_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPICH_CFLAGS) -DTRM_COMM_NAME=mpich
comm_mpi_comm_mpich_la_LDFLAGS = -module -avoid-version -shared
comm_mpi_comm_mpich_la_LIBADD = $(MPICH_LIBS)
endif
if WITH_MPI_ABI
pluginexec_LTLIBRARIES += comm-mpi/comm_mpi_abi.la
comm_mpi_comm_mpi_abi_la_SOURCES = $(comm_mpi_files)
comm_mpi_comm_mpi_abi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_ABI_CFLAGS) -DTRM_COMM_NAME=mpi_abi
comm_mpi_comm_mpi_abi_la_LDFLAGS = -module -avoid-version -shared
comm_mpi_comm_mpi_abi_la_LIBADD = $(MPI_ABI_LIBS)
endif
