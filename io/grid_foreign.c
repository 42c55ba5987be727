/* grid_foreign.c - grids in formats that are not read: what they are, and the command that converts
 * them. Binary ones are known by their first bytes, text by its first words. */
#include <config.h>

#include "io/grid.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/number.h"

typedef struct format {
  const char *begin;
  size_t length;
  const char *name;
} format;

/* What GDAL reads. */
static const format converted[] = {
  { "II*\0", 4, "a GeoTIFF" }, { "MM\0*", 4, "a GeoTIFF" }, { "II+\0", 4, "a BigTIFF" },
  { "MM\0+", 4, "a BigTIFF" }, { "DSAA", 4, "a Surfer grid" }, { "DSBB", 4, "a Surfer grid" },
  { "DSRB", 4, "a Surfer grid" }, { "GRIB", 4, "a GRIB file" },
  { "EHFA_HEADER_TAG", 15, "an ERDAS Imagine picture" }, { "\x0e\x03\x13\x01", 4, "an HDF4 file" },
  { "\0\0\0\x0cjP", 6, "a JPEG 2000 picture" }, { "SIMPLE  =", 9, "a FITS file" },
  { "<VRTDataset", 11, "a virtual raster of GDAL" }, { "north:", 6, "a GRASS grid" },
  { "south:", 6, "a GRASS grid" }, { "proj:", 5, "a GRASS grid" }
};
/* Formats that may hold a grid, and formats that cannot. */
static const struct { format of; const char *cure; } others[] = {
  { { "\x1f\x8b", 2, "compressed" }, "unpack it with gunzip" },
  { { "BZh", 3, "compressed" }, "unpack it with bunzip2" },
  { { "\xfd" "7zXZ", 5, "compressed" }, "unpack it with unxz" },
  { { "PK\3\4", 4, "a zip archive" }, "unpack it with unzip, and name the grid in it" },
  { { "LASF", 4, "a cloud of points (LAS)" }, "make a grid of it (pdal, writers.gdal)" },
  { { "\x89PNG", 4, "a picture (PNG), which has no heights in metres" },
    "name an ESRI ASCII grid or a netCDF file" },
  { { "\xff\xd8\xff", 3, "a picture (JPEG), which has no heights in metres" },
    "name an ESRI ASCII grid or a netCDF file" }
};

static trm_status refuse_converted(const char *path, const char *name)
{
  return TRM_FAIL(INPUT, "%s is %s; convert it: gdal_translate -of AAIGrid '%s' bed.asc", path,
                  name, path);
}

/* The numbers of the line at *at, which then is the next one; -1: not numbers alone. */
static int numbers_on_line(const char **at)
{
  static const char gaps[] = " \t,;";
  const char *end = *at + strcspn(*at, "\r\n");
  int count = 0;
  for (const char *c = *at + strspn(*at, gaps); c < end && count >= 0; c += strspn(c, gaps)) {
    char *after;
    (void)trm_number(c, &after);
    count = after > c && (after >= end || strchr(gaps, *after)) ? count + 1 : -1;
    c = after;
  }
  *at = end + strspn(end, "\r\n");
  return count;
}

/* "4 ncols", "-120.5 xlower". */
static int is_number_first(const char *text)
{
  static const char *const names[] = { "ncols", "mx", "nrows", "my" };
  char *after;
  (void)trm_number(text, &after);
  if (after == text || !isspace((unsigned char)*after)) return 0;
  const char *word = after + strspn(after, " \t");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const size_t length = strlen(names[i]);
    if (strncasecmp(word, names[i], length) == 0 && !isalnum((unsigned char)word[length])) return 1;
  }
  return 0;
}

static trm_status check_text(const char *path, const char *text)
{
  if (is_number_first(text))
    return TRM_FAIL(INPUT, "%s is topography of GeoClaw (numbers before their names); convert it: "
                    "sed -E '1,6s/^ *(\\S+) +(\\S+)/\\2 \\1/;1,6s/^mx/ncols/;1,6s/^my/nrows/;"
                    "1,6s/^([xy])(lower|ll) /\\1llcenter /' '%s' >bed.asc", path, path);
  const char *at = text;
  const int first = numbers_on_line(&at);
  const char *again = at;
  const int second = *at ? numbers_on_line(&again) : 0;
  const int is_table = isalpha((unsigned char)*text) && second == 3;
  const int is_key = strncasecmp(text, "n", 1) == 0 && (strncasecmp(text, "ncols", 5) == 0 ||
                                                        strncasecmp(text, "nrows", 5) == 0);
  if ((first == 3 && second == 3) || (is_table && !is_key))
    return refuse_converted(path, "a table of points (x y z)");
  if (first > 0 && second > 0)
    return TRM_FAIL(INPUT, "%s has numbers alone; an ESRI ASCII grid begins with lines ncols, "
                           "nrows, "
                    "xllcorner, yllcorner and cellsize: put these before them", path);
  return TRM_OK;
}

trm_status trmi_grid_check_foreign(const char *path, const char *head, size_t bytes)
{
  const char *text = head;
  while (text < head + bytes && *text && isspace((unsigned char)*text)) text++;
  for (size_t i = 0; i < sizeof converted / sizeof *converted; i++) {
    const format *f = &converted[i];
    const char *at = isalpha((unsigned char)f->begin[0]) ? text : head;
    if ((size_t)(head + bytes - at) >= f->length && memcmp(at, f->begin, f->length) == 0)
      return refuse_converted(path, f->name);
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (bytes >= others[i].of.length && memcmp(head, others[i].of.begin, others[i].of.length) == 0)
      return TRM_FAIL(INPUT, "%s is %s; %s", path, others[i].of.name, others[i].cure);
  return check_text(path, text);
}
