/* powercap.c - files of /sys/class/powercap. */
#include "run/measure/powercap.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number in a file; 0, with errno, when it cannot be read. */
static int read_number(const char *folder, const char *name, double *out)
{
  char path[192], text[64], *end;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  errno = EINVAL;
  const int is_read = fgets(text, sizeof text, file) != NULL;
  fclose(file);
  if (!is_read) return 0;
  *out = strtod(text, &end);
  return end != text;
}

static int is_kind(const char *folder, const char *kind)
{
  char path[192], name[64] = "";
  snprintf(path, sizeof path, "%s/name", folder);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  const int is_read = fgets(name, sizeof name, file) != NULL;
  fclose(file);
  return is_read && strncmp(name, kind, strlen(kind)) == 0;
}

/* 1: it is of the kind, and can be read. */
static int read_zone(const char *folder, const char *kind, energy_zone *out, char *why,
                     size_t bytes)
{
  double microjoules;
  if (!is_kind(folder, kind) || why[0]) return 0;
  if (!read_number(folder, "energy_uj", &microjoules) ||
      !read_number(folder, "max_energy_range_uj", &out->range)) {
    snprintf(why, bytes, "%s/energy_uj cannot be read: %s%s", folder, strerror(errno),
             errno == EACCES ? "; let root run this, or chmod a+r it" : "");
    return 0;
  }
  snprintf(out->path, sizeof out->path, "%s", folder);
  return 1;
}

/* A package is "intel-rapl:0". Its parts, "intel-rapl:0:0", are counted in it already, but for its
 * memory. "intel-rapl-mmio:0" is the same counter by another interface. */
static int may_be(const char *name, int is_package)
{
  const char *number = strncmp(name, "intel-rapl:", 11) == 0 ? name + 11 : NULL;
  return number && (strchr(number, ':') == NULL) == is_package;
}

size_t powercap_find(const char *powercap, const char *kind, energy_zone zones[ENERGY_ZONES],
                     char *why, size_t bytes)
{
  const int is_package = strcmp(kind, "package") == 0;
  size_t count = 0;
  DIR *listing = opendir(powercap);
  if (!listing) {
    snprintf(why, bytes, "this system shows no counters of its packages: %s: %s", powercap,
             strerror(errno));
    return 0;
  }
  for (struct dirent *entry; (entry = readdir(listing));) {
    char folder[sizeof zones[0].path];
    if (!may_be(entry->d_name, is_package) || count == ENERGY_ZONES) continue;
    const int length = snprintf(folder, sizeof folder, "%s/%s", powercap, entry->d_name);
    if (length > 0 && (size_t)length < sizeof folder)
      count += (size_t)read_zone(folder, kind, &zones[count], why, bytes);
  }
  closedir(listing);
  if (count == 0 && !why[0])
    snprintf(why, bytes, "no %s of this %s has a counter in %s",
             is_package ? "package" : "memory", is_package ? "processor" : "machine", powercap);
  return why[0] ? 0 : count;
}

int powercap_take(energy_zone *zones, size_t count, int is_first, double *joules, char *why,
                  size_t bytes)
{
  for (size_t i = 0; i < count; i++) {
    double now;
    if (!read_number(zones[i].path, "energy_uj", &now)) {
      snprintf(why, bytes, "%s/energy_uj could not be read on the way: %s", zones[i].path,
               strerror(errno));
      return 0;
    }
    const double taken = now - zones[i].last;
    if (!is_first) *joules += 1e-6 * (taken < 0 ? taken + zones[i].range : taken);
    zones[i].last = now;
  }
  return 1;
}
