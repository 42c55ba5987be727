/* io_grids.c - grids of heights in files: what the file does not say is asked for, and files of
 * other formats are told the command that converts them. */
#include "tests/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/grid.h"

static char path[1024];

static const char *write_bytes(const char *name, const char *bytes, size_t count)
{
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  assert_int_equal(fclose(file), 0);
  return path;
}

static const char *write_text(const char *name, const char *text)
{
  return write_bytes(name, text, strlen(text));
}

#define HEAD "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n"

static void refused(const char *text, const char *part)
{
  trm_grid grid;
  TEST_FAILS(trm_grid_read(write_text("bed.asc", text), "", &grid), TRM_ERROR_INPUT, part);
}

/* With so many cells without a height. */
static void missing(const char *text, size_t count)
{
  trm_grid grid;
  TEST_OK(trm_grid_read(write_text("bed.asc", text), "", &grid));
  assert_int_equal(grid.missing, count);
  trm_grid_free(&grid);
}

static void marks_are_found_however_they_are_written(void)
{
  missing(HEAD "NODATA_value -3.40282e+38\n1 2 3 4 5 -3.4028234663852886e+38\n", 1);
  missing(HEAD "NODATA_value -3.4028234663852886e+38\n1 2 3 4 5 -3.40282e+38\n", 1);
  missing(HEAD "NODATA_value 1e20\n1 2 3 4 5 1.00000002004087734e+20\n", 1);
  missing(HEAD "NODATA_value -9999.9\n1 2 3 4 5 -9999.900390625\n", 1);
  missing(HEAD "nodata nan\n1 2 3 4 nan 5\n", 1);
  missing(HEAD "1 2 3 4 -9999 5\n", 1);
  missing(HEAD "NODATA_value -9999\n1 2 3 4 -9998 -5000\n", 0);
}

static void marks_that_are_not_declared_are_told(void)
{
  refused(HEAD "-5 -5 -5 1e20 -5 -5\n", "cell (0, 0) is 1e+20 m, as programs mark cells without "
                                        "one");
  refused(HEAD "NODATA_value nan\n-5 -5 -5 -5 -5 -9999\n", "cell (2, 0) is -9999 m, as programs");
  refused(HEAD "-5 -6 -5 -5 -4 -32768\n", "declare it (NODATA_value -32768 in the head");
  refused(HEAD "-5 -6 32767 -5 -4 3\n", "cell (2, 1) is 32767 m");
  missing(HEAD "-5 -6 -999 -1500 -4 3\n", 0);            /* a depth among depths */
  missing(HEAD "0 0 0 1 1 1\n", 0);
}

static void a_height_far_from_all_others_is_named(void)
{
  trm_grid grid;
  TEST_OK(trm_grid_read(write_text("bed.asc", HEAD "-5 -6 -5 -5 4000 -5\n"), "", &grid));
  assert_non_null(strstr(grid.caution, "cell (1, 0) is 4000 m, where all others lie between -6 "
                                       "and -5"));
  trm_grid_free(&grid);
  TEST_OK(trm_grid_read(write_text("bed.asc", HEAD "-5 -6 -5 -5 40 -5\n"), "", &grid));
  assert_string_equal(grid.caution, "");
  trm_grid_free(&grid);
}

static void a_head_says_each_thing_once(void)
{
  refused("ncols 3\nncols 3\nnrows 2\ncellsize 1\n1 2 3 4 5 6\n", "bed.asc:2: the head has ncols "
                                                            "twice");
  refused("ncols 3\nnrows 2\nxllcorner 0\nxllcenter 1\ncellsize 1\n1 2 3 4 5 6\n",
          "the head has xllcorner and xllcenter; leave one out");
  refused("ncols 3\nnrows 2\ncellsize 1\ndx 2\ndy 2\n1 2 3 4 5 6\n", "has cellsize and dx; leave "
                                                            "one");
  refused("ncols 3\nrows 2\ncellsize 1\n1 2 3 4 5 6\n", "bed.asc:2: 'rows' is no word of the head");
  refused("ncols 3\nnrows 2\ncellsize 0,5\n1 2 3 4 5 6\n", "'0,5' is not a number");
}

#define DEGREES "ncols 3\nnrows 2\nxllcorner -9.5\nyllcorner 59.9958333\ncellsize 0.004166666667\n"

/* A degree has 6371 km pi / 180; at 60 degrees north half as much along x. */
static void degrees_are_converted_or_asked_for(void)
{
  static const char *const heights = "-200 -200 -200 -200 -200 -200\n";
  const double side = 0.004166666667 * 6371000.0 * acos(-1.0) / 180.0;
  char text[512];
  trm_grid grid;
  snprintf(text, sizeof text, DEGREES "%s", heights);
  remove(write_text("bed.prj", ""));
  refused(text, "look like degrees; name the unit in a file beside it: echo GEOGCS >'");
  write_text("bed.prj", "GEOGCS[\"WGS "
                        "84\",DATUM[\"WGS_1984\"],UNIT[\"degree\",0.0174532925199433]]");
  TEST_OK(trm_grid_read(write_text("bed.asc", text), "", &grid));
  TEST_CLOSE(grid.dy, side, 1e-9 * side);
  TEST_CLOSE(grid.dx, 0.5 * side, 1e-5 * side);
  trm_grid_free(&grid);
  write_text("bed.prj", "LOCAL_CS\n");
  TEST_OK(trm_grid_read(write_text("bed.asc", text), "", &grid));
  assert_true(grid.dx == 0.004166666667);
  trm_grid_free(&grid);
  write_text("bed.prj", "PROJCS[\"x\",GEOGCS[\"y\",UNIT[\"degree\",0.0174]],UNIT[\"US survey "
                        "foot\",0.3048]]");
  refused(text, "its unit is 'US survey foot', not metres");
  remove(write_text("bed.prj", ""));
  missing("ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 0.05\n-0.3 -0.2 -0.1 -0.3 -0.3 "
          "0.1\n", 0);
  missing("ncols 3\nnrows 2\nxllcorner 512000\nyllcorner 4100000\ncellsize 10\n1600 1 2 3 4 "
          "5\n", 0);
}

static void files_of_other_formats_are_told_how_to_convert_them(void)
{
#define GDAL "; convert it: gdal_translate -of AAIGrid '"
  static const struct { const char *bytes; size_t count; const char *part; } all[] = {
    { "II*\0rest", 8, "bed.asc is a GeoTIFF" GDAL }, { "MM\0*rest", 8, "is a GeoTIFF" GDAL },
    { "II+\0rest", 8, "is a BigTIFF" GDAL }, { "DSAA\n3 2\n", 9, "is a Surfer grid" GDAL },
    { "DSBB....", 8, "is a Surfer grid" GDAL }, { "DSRB....", 8, "is a Surfer grid" GDAL },
    { "north: 3\nsouth: 0\n", 18, "is a GRASS grid" GDAL }, { "GRIB....", 8, "is a GRIB "
                                                            "file" GDAL },
    { "0 0 -5\n1 0 -5\n", 14, "is a table of points (x y z)" GDAL },
    { "x,y,z\n0,0,-5\n1,0,-5\n", 20, "is a table of points (x y z)" GDAL },
    { "3 ncols\n2 nrows\n0 xlower\n", 25, "is topography of GeoClaw (numbers before" },
    { "   3   mx\n   2 my\n", 18, "is topography of GeoClaw (numbers before" },
    { "1 2 3 4\n5 6 7 8\n", 16, "has numbers alone; an ESRI ASCII grid begins with" },
    { "\x1f\x8b\x08", 3, "is compressed; unpack it with gunzip" },
    { "PK\3\4rest", 8, "is a zip archive; unpack it" }, { "\x89PNG\r\n", 6, "is a picture "
                                                            "(PNG)" } };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    trm_grid grid;
    TEST_FAILS(trm_grid_read(write_bytes("bed.asc", all[i].bytes, all[i].count), "", &grid),
               TRM_ERROR_INPUT, all[i].part);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(marks_are_found_however_they_are_written),
    TEST_HOST(marks_that_are_not_declared_are_told),
    TEST_HOST(a_height_far_from_all_others_is_named),
    TEST_HOST(a_head_says_each_thing_once),
    TEST_HOST(degrees_are_converted_or_asked_for),
    TEST_HOST(files_of_other_formats_are_told_how_to_convert_them),
  };
  return TEST_RUN(argc, argv, cases);
}
