/* machine.c - /proc/cpuinfo, /proc/stat and /sys, read for the layout of a machine. */
#include "run/measure/machine.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/text/json.h"

enum { LINE_BYTES = 512, CORE_LIMIT = 4096 };

__attribute__((format(printf, 4, 5)))
static int read_line(const char *root, char *line, size_t bytes, const char *format, ...)
{
  char path[LINE_BYTES];
  va_list list;
  const int used = snprintf(path, sizeof path, "%s", root);
  va_start(list, format);
  vsnprintf(path + used, sizeof path - (size_t)used, format, list);
  va_end(list);
  FILE *file = fopen(path, "re");
  const int is_read = file && fgets(line, (int)bytes, file) != NULL;
  if (file) fclose(file);
  if (is_read) line[strcspn(line, "\n")] = 0;
  return is_read;
}

int machine_seconds(const char *root, double *all, double *stolen)
{
  char line[LINE_BYTES];
  unsigned long long time[8] = {0};
  if (!read_line(root, line, sizeof line, "/proc/stat")) return 0;
  const int count = sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &time[0], &time[1],
                           &time[2], &time[3], &time[4], &time[5], &time[6], &time[7]);
  const double tick = (double)sysconf(_SC_CLK_TCK);
  if (count < 8) return 0;
  *all = 0;
  for (int i = 0; i < 8; i++) *all += (double)time[i] / tick;
  *stolen = (double)time[7] / tick;
  return 1;
}

/* The flag `hypervisor` of a processor; -1: there are no flags. */
static int is_virtual(const char *root)
{
  char path[LINE_BYTES], *line = NULL;
  size_t room = 0;
  int found = -1;
  snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
  FILE *file = fopen(path, "re");
  while (file && found < 0 && getline(&line, &room, file) > 0)
    if (strncmp(line, "flags", 5) == 0) found = strstr(line, " hypervisor") != NULL;
  if (file) fclose(file);
  free(line);
  return found;
}

/* The number of processors in a list such as "0-3,8"; 0: the text is no list. */
static int listed(const char *list)
{
  int count = 0;
  for (const char *at = list; *at;) {
    char *end;
    const long first = strtol(at, &end, 10);
    if (end == at) return 0;
    long last = first;
    if (*end == '-') {
      at = end + 1;
      last = strtol(at, &end, 10);
      if (end == at || last < first) return 0;
    }
    count += (int)(last - first) + 1;
    at = end + (*end == ',');
    if (*end && *end != ',') return 0;
  }
  return count;
}

static json_t *known(int count) { return count > 0 ? json_integer(count) : json_null(); }

static int count_sockets(const char *root)
{
  char line[LINE_BYTES];
  int ids[64], count = 0;
  for (int core = 0; core < CORE_LIMIT; core++) {
    if (!read_line(root, line, sizeof line,
                   "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", core)) break;
    const int id = atoi(line);
    int i = 0;
    while (i < count && ids[i] != id) i++;
    if (i == count && count < 64) ids[count++] = id;
  }
  return count;
}

static int count_nodes(const char *root)
{
  char path[LINE_BYTES];
  int count = 0;
  snprintf(path, sizeof path, "%s/sys/devices/system/node", root);
  DIR *folder = opendir(path);
  for (struct dirent *one; folder && (one = readdir(folder));)
    count += strncmp(one->d_name, "node", 4) == 0 && one->d_name[4] >= '0' &&
             one->d_name[4] <= '9';
  if (folder) closedir(folder);
  return count;
}

/* The largest cache of the first processor. */
static json_t *last_cache(const char *root)
{
  char size[64], shared[LINE_BYTES];
  for (int index = 4; index >= 0; index--) {
    if (!read_line(root, size, sizeof size, "/sys/devices/system/cpu/cpu0/cache/index%d/size",
                   index)) continue;
    char *unit;
    double bytes = strtod(size, &unit);
    if (*unit == 'K') bytes *= 1024;
    if (*unit == 'M') bytes *= 1048576;
    if (!read_line(root, shared, sizeof shared,
                   "/sys/devices/system/cpu/cpu0/cache/index%d/shared_cpu_list", index))
      shared[0] = 0;
    return json_pack("{s:o, s:o}", "bytes", json_number(bytes), "processors",
                     known(listed(shared)));
  }
  return json_null();
}

json_t *machine_json(const char *root)
{
  char vendor[128] = "", siblings[LINE_BYTES] = "";
  const int is_one = is_virtual(root);
  const char *chip = getenv("TRIREME_CHIP_CORES");
  if (!read_line(root, vendor, sizeof vendor, "/sys/class/dmi/id/sys_vendor")) vendor[0] = 0;
  if (!read_line(root, siblings, sizeof siblings,
                 "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list")) siblings[0] = 0;
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "virtual",
                   is_one < 0 ? json_null() : json_boolean(is_one), "vendor",
                   vendor[0] ? json_text(vendor) : json_null(), "sockets",
                   known(count_sockets(root)), "threads_per_core", known(listed(siblings)),
                   "memory_nodes", known(count_nodes(root)), "last_cache", last_cache(root),
                   "chip_cores", chip && *chip ? json_text(chip) : json_null());
}
