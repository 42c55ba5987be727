/* machine.c - facts about this host: its processor, memory and caches, and how the OpenMP runtime
 * of this process binds threads. Reads only; what the system does not tell is left empty or 0. */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend-openmp/openmp.h"

/* The value of the first line "key : value" of a file of /proc; false when the key is missing. */
static bool proc_value(const char *path, const char *key, char *value, size_t bytes)
{
  char line[512];
  bool found = false;
  FILE *file = fopen(path, "re");
  if (!file) return false;
  while (!found && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (!colon || strncmp(line, key, strlen(key)) != 0) continue;
    colon += 1 + strspn(colon + 1, " \t");
    colon[strcspn(colon, "\n")] = '\0';
    snprintf(value, bytes, "%s", colon);
    found = true;
  }
  fclose(file);
  return found;
}

static void describe_compiler(char *text, size_t bytes)
{
#ifdef __clang__
  snprintf(text, bytes, "clang %s", __clang_version__);
#else
  snprintf(text, bytes, "gcc %s", __VERSION__);
#endif
}

void trmo_machine_describe(trm_device_info *info)
{
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (!proc_value("/proc/cpuinfo", "model name", info->name, sizeof info->name))
    snprintf(info->name, sizeof info->name, "this host's processor");
  if (!proc_value("/proc/cpuinfo", "vendor_id", info->vendor, sizeof info->vendor))
    info->vendor[0] = '\0';
  trmo_machine_runtime(info->driver, sizeof info->driver);
  describe_compiler(info->compiler, sizeof info->compiler);
  info->memory_bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
  info->max_buffer_bytes = 0;
  info->has_f64 = 1;
  info->is_host = 1;
  info->compute_units = omp_get_num_procs();
  info->row_group_x = 512;   /* kernel.h: TRM_SPAN cells of one row at a time, TRM_GROUP items */
  info->row_group_y = 1;
  info->group = 64;
  info->row_align_bytes = 64;
  info->ghost_columns = 1;
}

/* The runtime is named by the file that this process has loaded: a program may bring its own. */
void trmo_machine_runtime(char *text, size_t bytes)
{
  static const struct {
    int date;
    const char *version;
  } known[] = {{202111, "5.2"}, {202011, "5.1"}, {201811, "5.0"}, {201511, "4.5"}, {201307, "4.0"}};
  int (*const function)(void) = omp_get_max_threads;
  const char *version = "3.1 or older";
  char path[4096], *file = path;
  void *address;
  Dl_info found;

  for (size_t i = sizeof known / sizeof known[0]; i-- > 0;)
    if (_OPENMP >= known[i].date) version = known[i].version;
  memcpy(&address, &function, sizeof address);
  if (!dladdr(address, &found) || !found.dli_fname || !realpath(found.dli_fname, path))
    snprintf(path, sizeof path, "OpenMP runtime");
  if (strrchr(path, '/')) file = strrchr(path, '/') + 1;
  snprintf(text, bytes, "%.80s (OpenMP %s)", file, version);
}

/* Bound threads are bound to the places that the user, or the program, named before this runtime
 * was loaded. */
void trmo_machine_pinning(char *text, size_t bytes)
{
  const char *places = getenv("OMP_PLACES");
  const size_t length = places ? strspn(places, "abcdefghijklmnopqrstuvwxyz_") : 0;
  if (omp_get_proc_bind() == omp_proc_bind_false)
    snprintf(text, bytes, "none");
  else if (length > 0)
    snprintf(text, bytes, "%.*s", (int)length, places);
  else
    snprintf(text, bytes, "places");
}

/* The user's OMP_NUM_THREADS. Without it, within OMP_THREAD_LIMIT: a thread for each place (a core,
 * not each of its hardware threads), or the runtime's choice from the process's affinity. */
int trmo_machine_threads(void)
{
  const int places = omp_get_num_places(), limit = omp_get_thread_limit();
  int threads = omp_get_max_threads();
  if (getenv("OMP_NUM_THREADS")) return threads;
  if (places > 0 && places < threads) threads = places;
  return threads < limit ? threads : limit;
}

uint64_t trmo_machine_memory_available(void)
{
  char value[64];
  if (!proc_value("/proc/meminfo", "MemAvailable", value, sizeof value)) return 0;
  return (uint64_t)strtoull(value, NULL, 10) * 1024u;
}

/* The cache sizes of a common desktop processor stand in for sizes that the system does not tell;
 * they affect speed only. */
trmo_caches trmo_machine_caches(void)
{
  const long first = sysconf(_SC_LEVEL1_DCACHE_SIZE), own = sysconf(_SC_LEVEL2_CACHE_SIZE);
  const long last = sysconf(_SC_LEVEL3_CACHE_SIZE);
  trmo_caches caches = {.first = first > 0 ? first : 32 << 10,
                        .own = own > 0 ? own : 1 << 20,
                        .last = last > 0 ? last : 8 << 20};
  return caches;
}
