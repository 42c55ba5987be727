/* memory.c - how much memory of this machine the process can still have.
 *
 * A container or a batch job has a limit of its own, below what the machine has; who goes beyond is
 * killed without a word. Both versions of Linux's control groups are read; where neither tells, the
 * machine's own number stands. */
#include "core/internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file of one number, or of lines "key number"; UINT64_MAX: no such file, key or number. */
static uint64_t read_number(const char *path, const char *key)
{
  char line[256];
  const size_t length = strlen(key);
  uint64_t found = UINT64_MAX;
  FILE *file = fopen(path, "re");
  while (file && found == UINT64_MAX && fgets(line, sizeof line, file)) {
    char *end, *text = line + length + strspn(line + length, " ");
    if (strncmp(line, key, length) != 0) continue;
    const unsigned long long number = strtoull(text, &end, 10);
    if (end != text) found = number;
  }
  if (file) fclose(file);
  return found;
}

typedef struct version {
  const char *mark;              /* what a line of /proc/self/cgroup has behind its number */
  const char *folder, *limit, *usage;
} version;
static const version versions[] = {
  {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"},
  {"::", "/sys/fs/cgroup", "memory.max", "memory.current"},
};

/* The rest of a group's limit; the system would give back pages of files that nobody uses. */
static uint64_t left_in(const version *kind, const char *group)
{
  char path[PATH_MAX + 256];
  snprintf(path, sizeof path, "%s%s/%s", kind->folder, group, kind->limit);
  const uint64_t limit = read_number(path, "");
  snprintf(path, sizeof path, "%s%s/%s", kind->folder, group, kind->usage);
  const uint64_t usage = read_number(path, "");
  if (limit == UINT64_MAX || usage == UINT64_MAX) return UINT64_MAX;
  snprintf(path, sizeof path, "%s%s/memory.stat", kind->folder, group);
  const uint64_t idle = read_number(path, "inactive_file ");
  const uint64_t taken = idle != UINT64_MAX && idle < usage ? usage - idle : usage;
  return taken < limit ? limit - taken : 0;
}

/* The least of a group and those around it. Inside a container the path may not be there, but the
 * root is the container's own. */
static uint64_t left_in_all(const version *kind, char *group)
{
  uint64_t least = left_in(kind, "");
  for (char *slash = group + strlen(group); slash; slash = strrchr(group, '/')) {
    *slash = '\0';
    const uint64_t left = left_in(kind, group);
    if (left < least) least = left;
  }
  return least;
}

const char *trmi_amount(uint64_t bytes, uint64_t other, char *text, size_t size)
{
  const uint64_t larger = bytes > other ? bytes : other;
  const int is_gibi = larger >= (uint64_t)10 << 30;
  const double value = (double)bytes / (is_gibi ? 1073741824.0 : 1048576.0);
  if (larger < 1 << 20) snprintf(text, size, "%llu bytes", (unsigned long long)bytes);
  else snprintf(text, size, "%.*f %s", value < 0.1 ? 4 : 1, value, is_gibi ? "GiB" : "MiB");
  return text;
}

uint64_t trmi_host_memory(void)
{
  char line[PATH_MAX];
  uint64_t least = read_number("/proc/meminfo", "MemAvailable:");
  if (least < UINT64_MAX / 1024) least *= 1024;
  FILE *file = fopen("/proc/self/cgroup", "re");
  while (file && fgets(line, sizeof line, file))
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
      char *at = strchr(line, ':');
      if (!at || strncmp(at, versions[i].mark, strlen(versions[i].mark)) != 0) continue;
      at += strlen(versions[i].mark);
      at[strcspn(at, "\n")] = '\0';
      const uint64_t left = left_in_all(&versions[i], at);
      if (left < least) least = left;
      break;
    }
  if (file) fclose(file);
  return least == UINT64_MAX ? 0 : least;
}
