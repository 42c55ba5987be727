/* netcdf.c - bathymetry from netCDF files, through libnetcdf; what is read is said in grid.h.
 *
 * Rows are read in blocks: all of them, or each block when it is wanted. Threads take turns, since
 * libnetcdf serves one at a time.
 *
 * A variable's last two dimensions are the grid. The axis that names itself x, longitude or the
 * like (CF: axis, standard_name, units, else its name) is x, in either order. */
#include <config.h>

#include "core/number.h"
#include "io/file.h"
#include "io/grid.h"

#ifdef HAVE_NETCDF

#include <ctype.h>
#include <math.h>
#include <netcdf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct axis {
  char name[NC_MAX_NAME + 1];
  size_t count;
  double first, step;          /* centres, in the file's order */
  double metres;               /* a unit's; 0: degrees */
  int is_x, is_y;              /* as far as it says so */
  int has_unit;                /* its own, or degrees by its name */
} axis;

typedef struct source {
  const char *path;
  int file, variable;
  char name[NC_MAX_NAME + 1];
  axis slow, fast;
} source;

#define CALL(in, call) \
  do { \
    const int code_ = (call); \
    if (code_ != NC_NOERR) \
      return TRM_FAIL(INPUT, "%s: cannot be read: %s", (in)->path, nc_strerror(code_)); \
  } while (0)

/* A text attribute, cut to fit; empty if it is missing. In netCDF-4 it is characters, or a list of
 * strings, of which the first is taken. */
static void text_of(const source *in, int variable, const char *name, char *out, size_t bytes)
{
  size_t length = 0;
  nc_type type;
  *out = '\0';
  if (nc_inq_att(in->file, variable, name, &type, &length) != NC_NOERR || length == 0) return;
  if (type == NC_CHAR) {
    char *text = calloc(length + 1, 1);
    if (text && nc_get_att_text(in->file, variable, name, text) == NC_NOERR)
      snprintf(out, bytes, "%s", text);
    free(text);
  } else if (type == NC_STRING) {
    char **texts = calloc(length, sizeof *texts);
    if (texts && nc_get_att_string(in->file, variable, name, texts) == NC_NOERR) {
      snprintf(out, bytes, "%s", texts[0] ? texts[0] : "");
      nc_free_string(length, texts);
    }
    free(texts);
  }
}

/* The numbers of an attribute, which may be written as text, with blanks or commas between: to be
 * freed; none: *count 0. */
static trm_status numbers_of(const source *in, int variable, const char *name, double **out,
                             size_t *count)
{
  nc_type type;
  size_t length = 0;
  *out = NULL;
  *count = 0;
  if (nc_inq_att(in->file, variable, name, &type, &length) != NC_NOERR || length == 0)
    return TRM_OK;
  char text[256];
  const int is_text = type == NC_CHAR || type == NC_STRING;
  if (is_text) text_of(in, variable, name, text, sizeof text);
  *out = calloc(is_text ? sizeof text : length, sizeof **out);
  if (!*out) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the %s of %s", name, in->path);
  const int code = is_text ? NC_NOERR : nc_get_att_double(in->file, variable, name, *out);
  const char *at = text;
  char *end = text;
  if (!is_text) *count = length;
  for (; is_text && *(at += strspn(at, ", \t\r\n")); at = end) {
    (*out)[(*count)++] = trm_number(at, &end);
    if (end == at || (*end && !strchr(", \t\r\n", *end))) break;
  }
  if (code == NC_NOERR && (!is_text || (!*at && *count > 0))) return TRM_OK;
  free(*out);
  *out = NULL;
  *count = 0;
  return TRM_FAIL(INPUT, "%s: the attribute %s is %s%.40s%s, no number; mend it (ncatted -a "
                  "%s,VARIABLE,o,d,NUMBER)", in->path, name, is_text ? "'" : "of a type of its own",
                  is_text ? text : "", is_text ? "'" : "", name);
}

/* One number, where there is the attribute. */
static trm_status number_of(const source *in, int variable, const char *name, double *out)
{
  double *all;
  size_t count;
  TRM_TRY(numbers_of(in, variable, name, &all, &count));
  if (count == 1) *out = *all;
  free(all);
  if (count > 1)
    return TRM_FAIL(INPUT, "%s: the attribute %s holds %zu numbers; it is one: mend it", in->path,
                    name, count);
  return TRM_OK;
}

static int is_one_of(const char *word, const char *const *words)
{
  while (*words && strcmp(word, *words) != 0) words++;
  return *words != NULL;
}

/* Metres to a unit; 0 for degrees, negative for an unknown unit. */
static double metres_of(const char *units)
{
  static const char *const metres[] = { "", "m", "metre", "metres", "meter", "meters", NULL };
  static const char *const kilometres[] = { "km", "kilometre", "kilometres", "kilometer",
                                            "kilometers", NULL };
  static const char *const centimetres[] = { "cm", "centimetre", "centimetres", "centimeter",
                                             "centimeters", NULL };
  static const char *const degrees[] = {
    "deg", "degree", "degrees", "degree_north", "degrees_north", "degree_n", "degrees_n", "degreen",
    "degreesn", "degree_east", "degrees_east", "degree_e", "degrees_e", "degreee", "degreese",
    "decimal_degrees", "decimal degrees", NULL
  };
  char word[32];
  size_t length = 0;
  units += strspn(units, " ");
  for (; units[length] && length + 1 < sizeof word; length++)
    word[length] = (char)tolower((unsigned char)units[length]);
  while (length > 0 && word[length - 1] == ' ') length--;
  word[length] = '\0';
  return is_one_of(word, degrees) ? 0.0 : is_one_of(word, metres) ? 1.0
         : is_one_of(word, kilometres) ? 1000.0 : is_one_of(word, centimetres) ? 0.01 : -1.0;
}

/* ---- axes -------------------------------------------------------------------- */

static int is_one_of_any_case(const char *word, const char *const *words)
{
  while (*words && strcasecmp(word, *words) != 0) words++;
  return *words != NULL;
}

/* An axis of this name is in degrees where no unit says otherwise. */
static int is_longitude(const char *name)
{
  static const char *const names[] = { "lon", "lons", "long", "longitude", "longitudes", NULL };
  return is_one_of_any_case(name, names);
}

static int is_latitude(const char *name)
{
  static const char *const names[] = { "lat", "lats", "latitude", "latitudes", NULL };
  return is_one_of_any_case(name, names);
}

static void name_axis(const source *in, int variable, axis *out)
{
  static const char *const x_names[] = { "x", "easting", NULL };
  static const char *const y_names[] = { "y", "northing", NULL };
  char which[8], standard[64], units[32];
  text_of(in, variable, "axis", which, sizeof which);
  text_of(in, variable, "standard_name", standard, sizeof standard);
  text_of(in, variable, "units", units, sizeof units);
  out->is_x = strcasecmp(which, "X") == 0 || strcmp(standard, "longitude") == 0 ||
              strcmp(standard, "projection_x_coordinate") == 0 ||
              strncmp(units, "degrees_e", 9) == 0 || strncmp(units, "degree_e", 8) == 0 ||
              is_one_of_any_case(out->name, x_names) || is_longitude(out->name);
  out->is_y = strcasecmp(which, "Y") == 0 || strcmp(standard, "latitude") == 0 ||
              strcmp(standard, "projection_y_coordinate") == 0 ||
              strncmp(units, "degrees_n", 9) == 0 || strncmp(units, "degree_n", 8) == 0 ||
              is_one_of_any_case(out->name, y_names) || is_latitude(out->name);
  out->has_unit = units[strspn(units, " ")] != '\0';
  if (out->has_unit || !(strcmp(standard, "longitude") == 0 || strcmp(standard, "latitude") == 0 ||
                         is_longitude(out->name) || is_latitude(out->name))) return;
  out->metres = 0.0;
  out->has_unit = 1;
}

/* Positions may be packed as heights are. */
static trm_status unpack_axis(const source *in, int variable, size_t count, double *at)
{
  double scale = 1.0, offset = 0.0;
  TRM_TRY(number_of(in, variable, "scale_factor", &scale));
  TRM_TRY(number_of(in, variable, "add_offset", &offset));
  for (size_t i = 0; i < count; i++) at[i] = at[i] * scale + offset;
  return TRM_OK;
}

/* Single precision tells 360 degrees to 3e-5 of one; a cell of GEBCO's is 4e-3. */
static trm_status check_steps(const source *in, const double *at, axis *out)
{
  const size_t n = out->count;
  out->first = at[0];
  out->step = (at[n - 1] - at[0]) / (double)(n - 1);
  for (size_t i = 0; i < n; i++)
    if (!(fabs(at[i] - (out->first + (double)i * out->step)) <= 0.02 * fabs(out->step)) ||
        out->step == 0.0)
      return TRM_FAIL(INPUT, "%s: the axis '%s' is not regular: value %zu is %.12g where %.12g "
                             "would "
                      "be; interpolate the file to a regular grid", in->path, out->name, i, at[i],
                      out->first + (double)i * out->step);
  return TRM_OK;
}

static trm_status read_axis(const source *in, int dimension, axis *out)
{
  int variable, dimensions, along;
  char units[32];
  CALL(in, nc_inq_dim(in->file, dimension, out->name, &out->count));
  if (nc_inq_varid(in->file, out->name, &variable) != NC_NOERR ||
      nc_inq_varndims(in->file, variable, &dimensions) != NC_NOERR || dimensions != 1 ||
      nc_inq_vardimid(in->file, variable, &along) != NC_NOERR || along != dimension)
    return TRM_FAIL(INPUT, "%s: the dimension '%s' of '%s' has no variable of the same name with "
                    "the places of its cells", in->path, out->name, in->name);
  if (out->count < 2)
    return TRM_FAIL(INPUT, "%s: the axis '%s' has one value; a grid needs two", in->path,
                    out->name);
  text_of(in, variable, "units", units, sizeof units);
  out->metres = metres_of(units);
  if (out->metres < 0)
    return TRM_FAIL(INPUT, "%s: the axis '%s' is in '%s'; m, km and degrees are known", in->path,
                    out->name, units);
  name_axis(in, variable, out);
  TRM_TRY(trmi_file_require(in->path, (uint64_t)out->count * sizeof(double)));
  double *at = calloc(out->count, sizeof *at);
  if (!at) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the axis '%s'", out->name);
  const int code = nc_get_var_double(in->file, variable, at);
  trm_status status = code == NC_NOERR
    ? unpack_axis(in, variable, out->count, at)
    : TRM_FAIL(INPUT, "%s: the axis '%s' cannot be read: %s", in->path, out->name,
               nc_strerror(code));
  if (status == TRM_OK) status = check_steps(in, at, out);
  free(at);
  return status;
}

/* ---- the variable ------------------------------------------------------------ */

/* Values on a grid: numbers, two dimensions that are longer than 1, and these the last. */
static int is_grid(const source *in, int variable, int dimensions[2])
{
  int count, all[NC_MAX_VAR_DIMS];
  nc_type type;
  if (nc_inq_var(in->file, variable, NULL, &type, &count, all, NULL) != NC_NOERR) return 0;
  if (count < 2 || type == NC_CHAR || type > NC_UINT64) return 0;
  for (int i = 0; i < count; i++) {
    size_t length;
    if (nc_inq_dimlen(in->file, all[i], &length) != NC_NOERR) return 0;
    if (length != 0 && (length > 1) != (i >= count - 2)) return 0;
  }
  dimensions[0] = all[count - 2];
  dimensions[1] = all[count - 1];
  return 1;
}

/* A dimension without records has no values in the file. */
static trm_status check_records(const source *in)
{
  int count, all[NC_MAX_VAR_DIMS];
  CALL(in, nc_inq_var(in->file, in->variable, NULL, NULL, &count, all, NULL));
  for (int i = 0; i < count; i++) {
    char name[NC_MAX_NAME + 1];
    size_t length;
    CALL(in, nc_inq_dim(in->file, all[i], name, &length));
    if (length == 0)
      return TRM_FAIL(INPUT, "%s: '%s' holds no values: its dimension '%s' has no records; write "
                      "one, or name another file", in->path, in->name, name);
  }
  return TRM_OK;
}

static trm_status find_variable(source *in, const char *wanted, int dimensions[2])
{
  int count = 0, found = 0, ignored[2];
  CALL(in, nc_inq_nvars(in->file, &count));
  for (int v = 0; v < count; v++) {
    char name[NC_MAX_NAME + 1];
    CALL(in, nc_inq_varname(in->file, v, name));
    if ((*wanted && strcmp(name, wanted) != 0) || !is_grid(in, v, found ? ignored : dimensions))
      continue;
    if (!found++) {
      in->variable = v;
      snprintf(in->name, sizeof in->name, "%s", name);
    } else {
      return TRM_FAIL(INPUT, "%s: holds more than one grid, '%s' and '%s'; name the one that is "
                      "meant (shallow.bed_variable and the like)", in->path, in->name, name);
    }
  }
  if (found) return check_records(in);
  if (*wanted)
    return TRM_FAIL(INPUT, "%s: has no variable '%s' on a grid of two dimensions", in->path,
                    wanted);
  return TRM_FAIL(INPUT, "%s: has no variable on a grid of two dimensions", in->path);
}

/* ---- values -------------------------------------------------------------------- */

/* netCDF's value for unwritten elements. Bytes have no such value. */
static double default_fill(nc_type type)
{
  switch (type) {
  case NC_SHORT: return NC_FILL_SHORT;
  case NC_USHORT: return NC_FILL_USHORT;
  case NC_INT: return NC_FILL_INT;
  case NC_UINT: return NC_FILL_UINT;
  case NC_INT64: return (double)NC_FILL_INT64;
  case NC_UINT64: return (double)NC_FILL_UINT64;
  case NC_FLOAT: return (double)NC_FILL_FLOAT;
  case NC_DOUBLE: return NC_FILL_DOUBLE;
  default: return NAN;
  }
}

/* How numbers of the file become heights. */
typedef struct packing {
  double fill;                 /* stands for no value, as netCDF's own or _FillValue */
  double *missing, *filled;    /* so do these, of missing_value and of _FillValue */
  size_t missing_count, filled_count;
  int is_single;               /* the file's numbers have single precision, and marks of them */
  double least, most;          /* a number beyond them counts as missing */
  double lowest, highest;      /* a number that unpacks to a value beyond these counts as missing
                                * too */
  double wrap;                 /* is added to negative ones, which were written as unsigned; or 0 */
  double scale, offset, sign;
} packing;

/* Classic files have no unsigned integers. */
static double wrap_of(const source *in, nc_type type)
{
  char is_unsigned[8];
  text_of(in, in->variable, "_Unsigned", is_unsigned, sizeof is_unsigned);
  if (strcasecmp(is_unsigned, "true") != 0) return 0.0;
  return type == NC_BYTE ? 256.0 : type == NC_SHORT ? 65536.0 : type == NC_INT ? 4294967296.0 : 0.0;
}

static double wrapped(const packing *p, double number)
{
  return number < 0 ? number + p->wrap : number;
}

/* A mark as the file's numbers can hold it. */
static double as_written(const packing *p, double mark)
{
  if (p->is_single && isfinite(mark)) mark = (double)(float)mark;
  return wrapped(p, mark);
}

/* missing_value and _FillValue may be lists, and text. */
static trm_status read_marks(const source *in, const char *name, const packing *p, double **out,
                             size_t *count)
{
  TRM_TRY(numbers_of(in, in->variable, name, out, count));
  for (size_t i = 0; i < *count; i++) (*out)[i] = as_written(p, (*out)[i]);
  return TRM_OK;
}

/* The netCDF User's Guide: a limit is in the file's packed numbers. If its type differs from
 * theirs, it is in unpacked numbers. */
static void add_limit(const source *in, nc_type of, const char *name, double limit,
                      packing *p, int is_least)
{
  nc_type type;
  if (nc_inq_atttype(in->file, in->variable, name, &type) != NC_NOERR) return;
  const int is_packed = p->scale != 1.0 || p->offset != 0.0;
  if (type == of || !is_packed) *(is_least ? &p->least : &p->most) = as_written(p, limit);
  else *(is_least ? &p->lowest : &p->highest) = limit;
}

static trm_status read_limits(const source *in, nc_type type, packing *p)
{
  double *range, limit = NAN;
  size_t count;
  TRM_TRY(numbers_of(in, in->variable, "valid_range", &range, &count));
  for (size_t i = 0; i < 2 && count == 2; i++)
    add_limit(in, type, "valid_range", range[i], p, i == 0);
  free(range);
  if (count != 0 && count != 2)
    return TRM_FAIL(INPUT, "%s: valid_range of '%s' holds %zu numbers, not two; mend it", in->path,
                    in->name, count);
  TRM_TRY(number_of(in, in->variable, "valid_min", &limit));
  if (!isnan(limit)) add_limit(in, type, "valid_min", limit, p, 1);
  limit = NAN;
  TRM_TRY(number_of(in, in->variable, "valid_max", &limit));
  if (!isnan(limit)) add_limit(in, type, "valid_max", limit, p, 0);
  return TRM_OK;
}

/* A depth by its name is one, unless "positive" says otherwise. */
static double sign_of(const source *in)
{
  char positive[16], standard[64];
  text_of(in, in->variable, "positive", positive, sizeof positive);
  text_of(in, in->variable, "standard_name", standard, sizeof standard);
  const int is_depth = strcmp(standard, "depth") == 0 ||
                       strncmp(standard, "sea_floor_depth", strlen("sea_floor_depth")) == 0;
  if (positive[0]) return strcasecmp(positive, "down") == 0 ? -1.0 : 1.0;
  return is_depth ? -1.0 : 1.0;
}

static trm_status read_packing(const source *in, packing *p)
{
  char units[32];
  nc_type type;
  *p = (packing){ .scale = 1.0, .least = -INFINITY, .most = INFINITY, .lowest = -INFINITY,
                  .highest = INFINITY };
  CALL(in, nc_inq_vartype(in->file, in->variable, &type));
  text_of(in, in->variable, "units", units, sizeof units);
  const double metres = metres_of(units);
  if (metres <= 0)
    return TRM_FAIL(INPUT, "%s: '%s' is in '%s'; heights in m, cm and km are known", in->path,
                    in->name, units);
  p->wrap = wrap_of(in, type);
  p->is_single = type == NC_FLOAT;
  p->fill = wrapped(p, default_fill(type));
  TRM_TRY(read_marks(in, "_FillValue", p, &p->filled, &p->filled_count));
  if (p->filled_count) p->fill = p->filled[0];
  TRM_TRY(number_of(in, in->variable, "scale_factor", &p->scale));
  TRM_TRY(number_of(in, in->variable, "add_offset", &p->offset));
  if (p->scale == 0.0)
    return TRM_FAIL(INPUT, "%s: the scale_factor of '%s' is 0, which makes all heights equal; "
                           "mend it",
                    in->path, in->name);
  p->sign = sign_of(in) * metres;
  TRM_TRY(read_limits(in, type, p));
  return read_marks(in, "missing_value", p, &p->missing, &p->missing_count);
}

static int is_missing(const packing *p, double number, double unpacked)
{
  if (!isfinite(number) || number == p->fill || number < p->least || number > p->most ||
      unpacked < p->lowest || unpacked > p->highest)
    return 1;
  for (size_t i = 0; i < p->missing_count; i++)
    if (number == p->missing[i]) return 1;
  for (size_t i = 1; i < p->filled_count; i++)
    if (number == p->filled[i]) return 1;
  return 0;
}

/* Pieces of lines of the file, for messages: value i of the block has this number in the file. */
typedef struct lines {
  size_t first, piece, line;   /* the first value's number; values of a piece, of a line */
} lines;

static size_t number_in_file(const lines *at, size_t i)
{
  return at->first + i / at->piece * at->line + i % at->piece;
}

/* Packed numbers become heights in metres, in place; missing ones NaN. */
static trm_status unpack(const source *in, const packing *p, const lines *at, size_t count,
                         double *values, size_t *missing)
{
  for (size_t i = 0; i < count; i++) {
    const double number = wrapped(p, values[i]), unpacked = number * p->scale + p->offset;
    const int is_none = is_missing(p, number, unpacked);
    if (!is_none && !isfinite(p->sign * unpacked))
      return TRM_FAIL(INPUT, "%s: value %zu of '%s' is %.12g, which scale_factor %.12g and "
                      "add_offset %.12g make %g; mend them", in->path, number_in_file(at, i),
                      in->name, number, p->scale, p->offset, p->sign * unpacked);
    values[i] = is_none ? NAN : p->sign * unpacked;
    *missing += (size_t)is_none;
  }
  return TRM_OK;
}

/* ---- the grid ------------------------------------------------------------------ */

static void place(const axis *a, double metres, double *origin, double *side)
{
  const double last = a->first + (double)(a->count - 1) * a->step;
  *side = fabs(a->step) * metres;
  *origin = fmin(a->first, last) * metres - 0.5 * *side;
}

static trm_status place_axes(const source *in, const axis *x, const axis *y, trm_grid *out)
{
  if ((x->metres == 0.0) != (y->metres == 0.0))
    return TRM_FAIL(INPUT, "%s: one of the axes '%s' and '%s' is in degrees, the other is not",
                    in->path, x->name, y->name);
  const double middle = y->first + 0.5 * (double)(y->count - 1) * y->step;
  out->nx = x->count;
  out->ny = y->count;
  place(x, x->metres > 0 ? x->metres : 1, &out->x0, &out->dx);
  place(y, y->metres > 0 ? y->metres : 1, &out->y0, &out->dy);
  out->has_unit = x->has_unit && y->has_unit;
  if (!isfinite(out->x0) || !isfinite(out->dx) || !isfinite(out->y0) || !isfinite(out->dy))
    return TRM_FAIL(INPUT, "%s: the axes '%s' and '%s' reach beyond the largest number; write them "
                    "in another unit", in->path, in->fast.name, in->slow.name);
  return x->metres == 0.0 ? trmi_grid_from_degrees(in->path, middle, out) : TRM_OK;
}

enum { BLOCK_VALUES = 1 << 19 }; /* in memory at once */

struct trm_grid_source {
  char *path;
  source in;
  packing how;
  int is_x_fast, is_open;
  size_t rows;                 /* of a block */
  double *raw;                 /* a block in the file's order */
};

static const axis *y_of(const trm_grid_source *s)
{
  return s->is_x_fast ? &s->in.slow : &s->in.fast;
}

/* The file's order becomes rows from south to north, from west to east. */
static void arrange(const trm_grid_source *s, size_t nx, size_t rows, double *to)
{
  const axis *x = s->is_x_fast ? &s->in.fast : &s->in.slow;
  for (size_t row = 0; row < rows; row++)
    for (size_t column = 0; column < nx; column++) {
      const size_t i = x->step > 0 ? column : nx - 1 - column;
      const size_t j = y_of(s)->step > 0 ? row : rows - 1 - row;
      to[row * nx + column] = s->raw[s->is_x_fast ? j * nx + i : i * rows + j];
    }
}

/* At most as many rows as a block has. */
static trm_status read_rows(const trm_grid_source *s, const trm_grid *grid, size_t first,
                            size_t rows, double *to, size_t *missing)
{
  const source *in = &s->in;
  const size_t nx = grid->nx, j = y_of(s)->step > 0 ? first : grid->ny - first - rows;
  const lines at = s->is_x_fast ? (lines){ j * nx, nx, nx } : (lines){ j, rows, grid->ny };
  size_t start[NC_MAX_VAR_DIMS] = { 0 }, counts[NC_MAX_VAR_DIMS];
  int dimensions;
  CALL(in, nc_inq_varndims(in->file, in->variable, &dimensions));
  for (int d = 0; d < dimensions; d++) counts[d] = 1;
  start[dimensions - (s->is_x_fast ? 2 : 1)] = j;
  counts[dimensions - (s->is_x_fast ? 2 : 1)] = rows;
  counts[dimensions - (s->is_x_fast ? 1 : 2)] = nx;
  const int code = nc_get_vara_double(in->file, in->variable, start, counts, s->raw);
  if (code != NC_NOERR)
    return TRM_FAIL(INPUT, "%s: '%s' cannot be read: %s", in->path, in->name, nc_strerror(code));
  TRM_TRY(unpack(in, &s->how, &at, rows * nx, s->raw, missing));
  arrange(s, nx, rows, to);
  return TRM_OK;
}

/* In the order of the file. */
static trm_status read_all(const trm_grid_source *s, trm_grid *out)
{
  for (size_t done = 0, rows; done < out->ny; done += rows) {
    rows = out->ny - done < s->rows ? out->ny - done : s->rows;
    const size_t first = y_of(s)->step > 0 ? done : out->ny - done - rows;
    TRM_TRY(read_rows(s, out, first, rows, out->values + first * out->nx, &out->missing));
  }
  return TRM_OK;
}

static trm_status make_room(trm_grid_source *s, int is_by_rows, trm_grid *out)
{
  const size_t most = BLOCK_VALUES / out->nx;
  size_t count, bytes;
  TRM_TRY(trm_size_mul(out->nx, out->ny, s->path, &count));
  TRM_TRY(trm_size_mul(count, sizeof(double), s->path, &bytes));
  s->rows = most < 1 ? 1 : most < out->ny ? most : out->ny;
  const size_t block = s->rows * out->nx * sizeof(double);
  if (is_by_rows) bytes = block;
  TRM_TRY(trmi_file_require(s->path, (uint64_t)bytes + block));
  s->raw = malloc(block);
  out->values = malloc(bytes);
  return s->raw && out->values
         ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for the %zu values of %s", count, s->path);
}

static trm_status find_grid(trm_grid_source *s, const char *variable, trm_grid *out)
{
  source *in = &s->in;
  int dimensions[2];
  TRM_TRY(find_variable(in, variable, dimensions));
  TRM_TRY(read_axis(in, dimensions[0], &in->slow));
  TRM_TRY(read_axis(in, dimensions[1], &in->fast));
  const int fast = in->fast.is_x || in->slow.is_y, slow = in->slow.is_x || in->fast.is_y;
  if (fast && slow)
    return TRM_FAIL(INPUT, "%s: the axes '%s' and '%s' do not say which of them is x", in->path,
                    in->slow.name, in->fast.name);
  s->is_x_fast = !slow;
  TRM_TRY(place_axes(in, slow ? &in->slow : &in->fast, slow ? &in->fast : &in->slow, out));
  return read_packing(in, &s->how);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* With the lock. */
static trm_status open_grid(trm_grid_source *s, const char *variable, int is_by_rows,
                            trm_grid *out)
{
  const int code = nc_open(s->path, NC_NOWRITE, &s->in.file);
  if (code != NC_NOERR)
    return TRM_FAIL(INPUT, "%s: cannot be opened as netCDF: %s", s->path, nc_strerror(code));
  s->is_open = 1;
  TRM_TRY(find_grid(s, variable, out));
  TRM_TRY(make_room(s, is_by_rows, out));
  return is_by_rows ? TRM_OK : read_all(s, out);
}

void trmi_netcdf_close(trm_grid_source **handle)
{
  trm_grid_source *s = *handle;
  if (!s) return;
  *handle = NULL;
  pthread_mutex_lock(&lock);
  if (s->is_open) nc_close(s->in.file);
  pthread_mutex_unlock(&lock);
  free(s->how.missing);
  free(s->how.filled);
  free(s->raw);
  free(s->path);
  free(s);
}

trm_status trm_netcdf_read(const char *path, const char *variable, int is_by_rows, trm_grid *out)
{
  trm_grid grid = { 0 };
  trm_grid_source *s = calloc(1, sizeof *s);
  if (s) s->in.path = s->path = strdup(path);
  if (!s || !s->path) {
    free(s);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory to read %s", path);
  }
  pthread_mutex_lock(&lock);
  const trm_status status = open_grid(s, variable, is_by_rows, &grid);
  pthread_mutex_unlock(&lock);
  if (status == TRM_OK && is_by_rows) grid.source = s;
  else trmi_netcdf_close(&s);
  if (status == TRM_OK) *out = grid;
  else trm_grid_free(&grid);
  return status;
}

trm_status trmi_netcdf_hold(trm_grid *grid, size_t row, size_t wanted)
{
  const trm_grid_source *s = grid->source;
  const size_t rest = grid->ny - row, rows = rest < s->rows ? rest : s->rows;
  size_t missing = 0;
  if (row >= grid->held && row < grid->held + grid->held_rows &&
      (wanted <= grid->held + grid->held_rows - row || wanted > s->rows))
    return TRM_OK;
  grid->held_rows = 0;
  pthread_mutex_lock(&lock);
  const trm_status status = read_rows(s, grid, row, rows, grid->values, &missing);
  pthread_mutex_unlock(&lock);
  if (status != TRM_OK) return status;
  grid->held = row;
  grid->held_rows = rows;
  return TRM_OK;
}

#else

void trmi_netcdf_close(trm_grid_source **source) { *source = NULL; }

trm_status trmi_netcdf_hold(trm_grid *grid, size_t row, size_t wanted)
{
  (void)grid, (void)row, (void)wanted;
  return TRM_OK;
}

trm_status trm_netcdf_read(const char *path, const char *variable, int is_by_rows, trm_grid *out)
{
  (void)variable;
  (void)is_by_rows;
  (void)out;
  return TRM_FAIL(UNSUPPORTED, "%s: a netCDF file, and this build has no libnetcdf; install "
                  "libnetcdf-dev, configure and build again, or convert the file to an ESRI ASCII "
                  "grid (gdal_translate -of AAIGrid)", path);
}

#endif
