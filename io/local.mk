# io: case files, the course's formats, pictures, VTK, NumPy and CSV; linked into the program and
# into solvers that read files. Cases, keys and files as such are libtrireme-solver's (solvers/framework/local.mk).
noinst_LTLIBRARIES += io/libio.la
nobase_pkginclude_HEADERS += io/config.h
io_libio_la_SOURCES = \
  io/apng.c io/apng.h io/array.c io/array.h io/ascii_grid.c io/ascii_grid.h io/bristol.c \
  io/bristol.h io/bristol_results.c \
  io/image.c io/image.h io/colours.c io/colours.h io/csv.c io/csv.h io/decimal.c io/decimal.h io/difference.c \
  io/difference.h io/bitmap_font.c io/epfl.c io/epfl.h io/formula.c io/formula.h io/formula_math.c \
  io/formula_operations.h io/formula_slopes.c io/formula_slopes.h io/formula_values.c io/grid.c io/grid_check.c io/grid_foreign.c io/grid.h \
  io/font.c io/lines.c io/lines.h io/mask.c io/mask.h io/netcdf.c io/npy.c io/npy.h io/picture.c io/picture.h \
  io/picture_around.c io/picture_range.c io/picture_view.h io/plane.c io/plane.h \
  io/png.c io/png.h io/render.c io/render.h io/scale.c io/scale.h io/stl.c io/stl_closed.c io/stl_corners.c io/stl_corners.h io/stl_crossing.c \
  io/stl_distance.c io/stl.h io/stl_pairs.c io/stl_pairs.h \
  io/stl_rays.c io/stl_slant.c io/stl_slant.h io/stl_tree.h io/streams.c io/streams.h io/streams_write.c io/table.c io/table.h \
  io/vti.c io/vti.h \
  io/htg.c io/htg.h io/vtk.c io/vtk.h io/vtp.c io/vtp.h io/vtu.c io/vtu.h
io_libio_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBPNG_CFLAGS) $(FONTS_CFLAGS) $(NETCDF_CFLAGS) $(ZLIB_CFLAGS)
io_libio_la_LIBADD = solvers/libtrireme-solver.la $(LIBPNG_LIBS) $(FONTS_LIBS) $(NETCDF_LIBS) $(ZLIB_LIBS) -lm

# checkpoints: linked where runs are
noinst_LTLIBRARIES += io/libcheckpoint.la
io_libcheckpoint_la_SOURCES = io/checkpoint.c io/checkpoint.h io/checkpoint_find.c \
  io/checkpoint_manifest.c io/durable.c io/durable.h io/json_kept.c io/json_kept.h
io_libcheckpoint_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(XXHASH_CFLAGS)
io_libcheckpoint_la_LIBADD = $(JANSSON_LIBS) $(XXHASH_LIBS)
