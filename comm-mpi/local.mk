# The comm plugins: one source, once for each MPI.
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
