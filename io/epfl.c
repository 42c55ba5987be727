/* epfl.c - finds, reads and writes the course's raw files. */
#include <config.h>

#include "io/epfl.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/file.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the course's files are little-endian and read here as they are"
#endif

enum { LEAST_NX = 5, MOST_NX = 46340 };

/* ---- finding --------------------------------------------------------------- */

/* "Data_nx201_500km_T0.2" at the end of a path: its numbers. */
static trm_status read_name(const char *prefix, trm_epfl_case *out)
{
  const char *slash = strrchr(prefix, '/'), *name = slash ? slash + 1 : prefix;
  unsigned long nx = 0;
  double size = 0, end = 0;
  int used = 0;
  const int found = sscanf(name, "Data_nx%lu_%lfkm_T%lf%n", &nx, &size, &end, &used);
  if (found != 3 || name[used])
    return TRM_FAIL(INPUT, "%s: not a name of the course; its files begin like "
                    "Data_nx201_500km_T0.2",
                    prefix);
  if (nx < LEAST_NX || nx > MOST_NX || !(size > 0) || !(end > 0))
    return TRM_FAIL(INPUT, "%s: nx is %lu, the size %g km and the end %g h; nx lies between %d and "
                    "%d, "
                    "the others are positive", prefix, nx, size, end, LEAST_NX, MOST_NX);
  *out = (trm_epfl_case){ nx, size, end };
  return TRM_OK;
}

/* The only Data_*_h.bin of a folder, without its end. */
static trm_status search_folder(const char *path, char **prefix)
{
  static const char end[] = "_h.bin";
  DIR *folder = opendir(path);
  char *found = NULL;
  int count = 0;
  if (!folder)
    return TRM_FAIL(IO, "%s: cannot be opened: %s; check its mode", path, strerror(errno));
  for (const struct dirent *entry; (entry = readdir(folder));) {
    const size_t length = strlen(entry->d_name);
    if (strncmp(entry->d_name, "Data_", 5) != 0 || length < sizeof end ||
        strcmp(entry->d_name + length - (sizeof end - 1), end) != 0)
      continue;
    free(found);
    found = strndup(entry->d_name, length - (sizeof end - 1));
    count++;
  }
  closedir(folder);
  trm_status status = TRM_OK;
  if (count != 1)
    status = TRM_FAIL(INPUT, "%s: holds %d files Data_*_h.bin; %s", path, count,
                      count ? "name one case by its beginning, such as Data_nx201_500km_T0.2"
                            : "put the course's files there, or name their beginning");
  else if (!found) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for a path");
  else status = trm_path_join(path, found, prefix);
  free(found);
  return status;
}

/* A path to one of the files, or to their beginning. */
static char *strip(const char *path)
{
  static const char *const ends[] = { "_h.bin", "_hu.bin", "_hv.bin", "_Zdx.bin", "_Zdy.bin" };
  const size_t length = strlen(path);
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    const size_t end = strlen(ends[i]);
    if (length > end && strcmp(path + length - end, ends[i]) == 0)
      return strndup(path, length - end);
  }
  return strdup(path);
}

trm_status trm_epfl_find(const char *path, char **prefix, trm_epfl_case *out)
{
  struct stat about;
  char *found = NULL;
  trm_status status = TRM_OK;
  if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) status = search_folder(path, &found);
  else if (!(found = strip(path))) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for a path");
  if (status == TRM_OK) status = read_name(found, out);
  if (status == TRM_OK) *prefix = found;
  else free(found);
  return status;
}

/* ---- values ---------------------------------------------------------------- */

static trm_status read_values(const char *path, FILE *file, size_t nx, double *values)
{
  const size_t wanted = nx * nx * sizeof(double);
  struct stat about;
  if (fstat(fileno(file), &about) != 0)
    return TRM_FAIL(IO, "%s: %s", path, strerror(errno));
  if ((size_t)about.st_size != wanted)
    return TRM_FAIL(INPUT, "%s: %lld bytes; %zu x %zu values of 8 bytes are %zu: copy it again, or "
                    "correct the nx in its name", path, (long long)about.st_size, nx, nx, wanted);
  double *column = malloc(nx * sizeof *column);
  if (!column) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a row of %s", path);
  trm_status status = TRM_OK;
  for (size_t x = 0; x < nx && status == TRM_OK; x++) {
    if (fread(column, sizeof *column, nx, file) != nx)
      status = TRM_FAIL(IO, "%s: cannot be read: %s", path,
                        ferror(file) ? strerror(errno) : "it ends too early");
    for (size_t y = 0; y < nx; y++) values[y * nx + x] = column[y];
  }
  free(column);
  return status;
}

trm_status trm_epfl_read(const char *prefix, const char *name, size_t nx, double *values)
{
  char *path = NULL;
  if (asprintf(&path, "%s_%s.bin", prefix, name) < 0)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for a path");
  FILE *file = fopen(path, "rb");
  trm_status status = file ? read_values(path, file, nx, values)
                           : TRM_FAIL(IO, "%s: cannot be opened: %s; the five files of a case lie "
                                      "beside each other", path, strerror(errno));
  if (file) fclose(file);
  free(path);
  return status;
}

trm_status trm_epfl_write(const char *path, size_t nx, const double *values)
{
  double *column = malloc(nx * sizeof *column);
  if (!column) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a row of %s", path);
  trm_file *file = NULL;
  trm_status status = trm_file_create(path, &file);
  for (size_t x = 0; x < nx && status == TRM_OK; x++) {
    for (size_t y = 0; y < nx; y++) column[y] = values[y * nx + x];
    status = trm_file_write(file, column, nx * sizeof *column);
  }
  if (status == TRM_OK) status = trm_file_commit(&file);
  else trm_file_discard(&file);
  free(column);
  return status;
}
