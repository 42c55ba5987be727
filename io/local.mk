# io: case files, the course's formats, pictures, VTK, NumPy and CSV; linked into the program and
# into solvers that read files.
noinst_LTLIBRARIES += io/libio.la
nobase_pkginclude_HEADERS += io/config.h
io_libio_la_SOURCES = \
  io/array.c io/array.h io/ascii_grid.c io/ascii_grid.h io/bristol.c \
  io/bristol.h io/bristol_check.c io/bristol_results.c \
  io/canvas.c io/canvas.h io/case.c io/config.c io/config_internal.h \
  io/config_print.c io/csv.c io/csv.h io/cure.h io/decimal.c io/decimal.h io/difference.c \
  io/difference.h io/epfl.c io/epfl.h io/file.c io/file.h io/folder.c io/formula.c io/formula.h io/grid.c io/grid.h \
  io/lines.c io/lines.h io/literals.c \
  io/literals.h io/mask.c io/mask.h io/netcdf.c io/npy.c io/npy.h io/picture.c io/png.c io/png.h \
  io/table.c io/table.h io/viridis.c io/vti.c io/vti.h
io_libio_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBCONFIG_CFLAGS) $(LIBPNG_CFLAGS) $(NETCDF_CFLAGS)
io_libio_la_LIBADD = $(LIBCONFIG_LIBS) $(LIBPNG_LIBS) $(NETCDF_LIBS) -lm
