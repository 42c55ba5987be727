/* netCDF files: the bytes say which dimensions, variables, attributes and values a file is written
 * with, and the reader keeps its promise on it. Damaged files are libnetcdf's affair, which asks
 * for gigabytes where a length is wrong: bytes do not become a file as they are. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/grid.h"
#include "tests/fuzz/fuzz.h"

#ifdef HAVE_NETCDF
#include <netcdf.h>

enum { MOST_DIMENSIONS = 4, MOST_LENGTH = 5, MOST_CELLS = 625 };

typedef struct tape { const uint8_t *data; size_t left; } tape;

/* Zero behind the end. */
static unsigned next(tape *in)
{
  if (in->left == 0) return 0;
  in->left--;
  return *in->data++;
}

/* A small number, or any eight bytes. */
static double next_number(tape *in)
{
  const unsigned kind = next(in);
  uint8_t bytes[8];
  double value;
  if (kind < 250) return (double)kind - 125.0;
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)next(in);
  memcpy(&value, bytes, sizeof value);
  return value;
}

static const char *next_of(tape *in, const char *const *words, size_t count)
{
  return words[next(in) % count];
}
#define NEXT_OF(in, words) next_of(in, words, sizeof(words) / sizeof *(words))

static const char *const names[] = { "x", "y", "lon", "lat", "time", "a", "b", "z", "depth" };

static void add_attribute(tape *in, int file, int variable)
{
  static const char *const keys[] = { "units", "axis", "standard_name", "positive", "_FillValue",
                                      "missing_value", "scale_factor", "add_offset" };
  static const char *const words[] = { "m", "km", "cm", "degrees_east", "degrees_north", "degree",
                                       "X", "Y", "longitude", "projection_y_coordinate", "down",
                                       "up", "feet" };
  static const nc_type types[] = { NC_DOUBLE, NC_FLOAT, NC_SHORT, NC_INT, NC_BYTE };
  const char *key = NEXT_OF(in, keys);
  double numbers[3];
  char text[32];
  const unsigned kind = next(in);
  if (kind % 4 == 0) {
    const char *word = NEXT_OF(in, words);
    nc_put_att_text(file, variable, key, strlen(word), word);
  } else if (kind % 4 == 1) {
    const size_t length = next(in) % sizeof text;
    for (size_t i = 0; i < length; i++) text[i] = (char)next(in);
    nc_put_att_text(file, variable, key, length, text);
  } else {
    const size_t count = kind % 16 == 2 ? 3 : 1;
    for (size_t i = 0; i < count; i++) numbers[i] = next_number(in);
    nc_put_att_double(file, variable, key, types[next(in) % 5], count, numbers);
  }
}

static void add_variable(tape *in, int file, const int *dimensions, size_t count)
{
  static const nc_type types[] = { NC_FLOAT, NC_DOUBLE, NC_SHORT, NC_INT, NC_BYTE, NC_CHAR,
                                   NC_UINT64 };
  int along[MOST_DIMENSIONS], variable;
  const char *name = NEXT_OF(in, names);
  const nc_type type = types[next(in) % 7];
  const size_t axes = next(in) % (MOST_DIMENSIONS + 1);
  for (size_t i = 0; i < axes; i++) along[i] = dimensions[next(in) % count];
  if (nc_def_var(file, name, type, (int)axes, along, &variable) != NC_NOERR) return;
  for (unsigned left = next(in) % 6; left > 0; left--) add_attribute(in, file, variable);
}

/* Some of a variable's cells, from its start. */
static void fill(tape *in, int file, int variable)
{
  size_t start[MOST_DIMENSIONS] = { 0 }, lengths[MOST_DIMENSIONS], cells = 1;
  double values[MOST_CELLS];
  int axes, along[NC_MAX_VAR_DIMS];
  if (nc_inq_varndims(file, variable, &axes) != NC_NOERR || axes > MOST_DIMENSIONS) return;
  if (nc_inq_vardimid(file, variable, along) != NC_NOERR) return;
  for (int i = 0; i < axes; i++) {
    if (nc_inq_dimlen(file, along[i], &lengths[i]) != NC_NOERR) return;
    if (lengths[i] == 0) lengths[i] = 1 + next(in) % MOST_LENGTH; /* unlimited so far */
    cells *= lengths[i];
  }
  if (cells > MOST_CELLS) return;
  for (size_t i = 0; i < cells; i++) values[i] = next_number(in);
  nc_put_vara_double(file, variable, start, lengths, values);
}

static int write_file(tape *in, const char *path)
{
  static const int kinds[] = { 0, NC_64BIT_OFFSET, NC_64BIT_DATA };
  int file, dimensions[MOST_DIMENSIONS];
  size_t count = 0;
  FUZZ_CHECK(nc_create(path, NC_CLOBBER | kinds[next(in) % 3], &file) == NC_NOERR);
  for (unsigned left = 1 + next(in) % MOST_DIMENSIONS; left > 0; left--) {
    const char *name = NEXT_OF(in, names);
    const size_t length = next(in) % (MOST_LENGTH + 1); /* 0: unlimited */
    if (nc_def_dim(file, name, length, &dimensions[count]) == NC_NOERR) count++;
  }
  const unsigned variables = count ? next(in) % 6 : 0;
  for (unsigned i = 0; i < variables; i++) add_variable(in, file, dimensions, count);
  int defined = 0;
  nc_inq_nvars(file, &defined);
  if (nc_enddef(file) != NC_NOERR) { /* nc_close would keep one of libnetcdf's 65 535 numbers */
    nc_abort(file);
    return 0;
  }
  for (int v = 0; v < defined; v++) fill(in, file, v);
  return nc_close(file) == NC_NOERR;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  trm_grid grid;
  tape in = { data, size };
  char *path = fuzz_file("bed.nc", NULL, 0);
  const char *wanted = next(&in) % 4 ? "" : NEXT_OF(&in, names);
  if (write_file(&in, path) && fuzz_accepted(trm_grid_read(path, wanted, &grid))) {
    size_t missing = 0;
    FUZZ_CHECK(grid.nx > 1 && grid.ny > 1 && grid.dx > 0 && grid.dy > 0);
    FUZZ_CHECK(isfinite(grid.x0) && isfinite(grid.y0) && isfinite(grid.dx) && isfinite(grid.dy));
    for (size_t i = 0; i < grid.nx * grid.ny; i++) missing += isfinite(grid.values[i]) ? 0 : 1;
    FUZZ_CHECK(missing == grid.missing);
    trm_grid_free(&grid);
  }
  free(path);
  return 0;
}

#else

/* Nothing is read: every file that begins as netCDF does is refused with the cure. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  trm_grid grid;
  char *path = fuzz_file("bed.nc", data, size);
  FUZZ_CHECK(!fuzz_accepted(trm_netcdf_read(path, "", 0, &grid)));
  free(path);
  return 0;
}

#endif
