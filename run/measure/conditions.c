/* conditions.c - /proc, /sys and NVML, as JSON. */
#include "run/measure/conditions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "run/measure/build_flags.h"
#include "run/measure/clock.h"
#include "run/measure/machine.h"
#include "run/surroundings.h"
#include "run/text/json.h"

enum { LINE_BYTES = 512, CORE_LIMIT = 4096 };

/* ---- files ------------------------------------------------------------------- */

/* The first line of a file without its end; 0, with errno, when the file or the line is missing. */
static int read_line(const char *root, const char *path, char *line, size_t bytes)
{
  char whole[LINE_BYTES];
  snprintf(whole, sizeof whole, "%s%s", root, path);
  errno = 0;
  FILE *file = fopen(whole, "re");
  if (!file) return 0;
  const int is_read = fgets(line, (int)bytes, file) != NULL;
  fclose(file);
  if (is_read) line[strcspn(line, "\n")] = 0;
  return is_read;
}

/* The value of "model name	: X" in a file of such lines. */
static int find_value(const char *root, const char *path, const char *key, char *value,
                      size_t bytes)
{
  char whole[LINE_BYTES], line[LINE_BYTES];
  int found = 0;
  snprintf(whole, sizeof whole, "%s%s", root, path);
  FILE *file = fopen(whole, "re");
  if (!file) return 0;
  while (!found && fgets(line, sizeof line, file)) {
    const char *colon = strchr(line, ':');
    if (!colon || strncmp(line, key, strlen(key)) != 0) continue;
    colon += 1 + strspn(colon + 1, " \t");
    snprintf(value, bytes, "%.*s", (int)strcspn(colon, "\n"), colon);
    found = 1;
  }
  fclose(file);
  return found;
}

/* ---- what others did ------------------------------------------------------------ */

/* Busy seconds of all processors: user, nice, system, irq, softirq of the first line of /proc/stat
 * (proc(5)). Idle time, waiting for disks, and time that a host took from this machine are not
 * counted. */
static double busy_seconds(const char *root)
{
  char line[LINE_BYTES];
  unsigned long long user, nice, system, idle, wait, irq = 0, soft = 0;
  if (!read_line(root, "/proc/stat", line, sizeof line)) return NAN;
  if (sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle, &wait,
             &irq, &soft) < 5)
    return NAN;
  return (double)(user + nice + system + irq + soft) / (double)sysconf(_SC_CLK_TCK);
}

static double seconds_of(const struct timeval *time)
{
  return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

void conditions_begin(const char *root, conditions_clock *out)
{
  struct rusage usage = {0};
  getrusage(RUSAGE_SELF, &usage);
  *out = (conditions_clock){clock_now(), busy_seconds(root),
                            seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime), NAN, NAN};
  (void)machine_seconds(root, &out->all, &out->stolen);
}

/* Processors that others kept busy, on average since begin. */
static double others_busy(const char *root, const conditions_clock *begin)
{
  conditions_clock now;
  conditions_begin(root, &now);
  const double wall = now.seconds - begin->seconds;
  if (!(wall > 0.2)) return NAN; /* the kernel counts in hundredths of a second */
  return fmax(0, ((now.busy - begin->busy) - (now.own - begin->own)) / wall);
}

/* The part of all processors' time since begin that a host took for other machines. */
static double stolen_part(const char *root, const conditions_clock *begin)
{
  conditions_clock now;
  conditions_begin(root, &now);
  const double all = now.all - begin->all;
  return all > 0.2 ? (now.stolen - begin->stolen) / all : (double)NAN;
}

/* ---- the machine ------------------------------------------------------------------ */

static void unknown(json_t *reasons, const char *what, const char *path)
{
  char text[LINE_BYTES];
  snprintf(text, sizeof text, "%s: %s", path, errno ? strerror(errno) : "it says nothing of this");
  json_object_set_new(reasons, what, json_text(text));
}

/* The value of "flags", a line of some thousand characters, has this word. */
static int has_flag(const char *flags, const char *word)
{
  const size_t length = strlen(word);
  for (const char *at = flags; (at = strstr(at, word)); at += length)
    if (at[-1] == ' ' && (at[length] == ' ' || at[length] == '\n')) return 1;
  return 0;
}

/* The best of configure's instruction sets (--with-isa) that the processor has, told by the last
 * extensions of each; null, with the reason, where there are no flags. */
static json_t *best_set(const char *root, json_t *reasons)
{
  char path[LINE_BYTES], *line = NULL;
  const char *set = NULL;
  size_t room = 0;
  snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
  errno = 0;
  FILE *file = fopen(path, "re");
  while (file && !set && getline(&line, &room, file) > 0)
    if (strncmp(line, "flags", 5) == 0)
      set = has_flag(line, "avx512vl") ? "v4" : has_flag(line, "avx2") ? "v3" : "baseline";
  if (!set) unknown(reasons, "instruction_set", "/proc/cpuinfo");
  if (file) fclose(file);
  free(line);
  return set ? json_text(set) : json_null();
}

/* Clocks of all processors now, from cpufreq or else /proc/cpuinfo: least and most, in Hz. */
static json_t *clocks(const char *root, json_t *reasons)
{
  char path[128], line[LINE_BYTES];
  double least = INFINITY, most = 0;
  for (int core = 0; core < CORE_LIMIT; core++) {
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", core);
    if (!read_line(root, path, line, sizeof line)) break;
    const double hertz = 1e3 * strtod(line, NULL);
    least = fmin(least, hertz);
    most = fmax(most, hertz);
  }
  if (!(most > 0) && find_value(root, "/proc/cpuinfo", "cpu MHz", line, sizeof line))
    least = most = 1e6 * strtod(line, NULL);
  if (most > 0)
    return json_pack("{s:o, s:o}", "least", json_number(least), "most", json_number(most));
  unknown(reasons, "clock_hz", "/sys/devices/system/cpu/cpu0/cpufreq");
  return json_null();
}

/* The highest clock of any processor, in Hz; null: the system does not tell. */
static json_t *most_clock(const char *root)
{
  char path[128], line[LINE_BYTES];
  double most = 0;
  for (int core = 0; core < CORE_LIMIT; core++) {
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/cpuinfo_max_freq", core);
    if (!read_line(root, path, line, sizeof line)) break;
    most = fmax(most, 1e3 * strtod(line, NULL));
  }
  return json_number(most > 0 ? most : (double)NAN);
}

/* The first line of a file, or the value of a key in it; null, with the reason, where it is
 * missing. */
static json_t *fact(const char *root, const char *path, const char *key, const char *what,
                    json_t *reasons)
{
  char line[LINE_BYTES];
  if (key ? find_value(root, path, key, line, sizeof line)
          : read_line(root, path, line, sizeof line)) return json_text(line);
  unknown(reasons, what, path);
  return json_null();
}

/* as_number: a fact that is a number. as_flag: true if the fact has a text. */
static json_t *as_number(json_t *text)
{
  json_t *out = json_is_string(text) ? json_number(strtod(json_string_value(text), NULL))
                                     : json_null();
  json_decref(text);
  return out;
}

static json_t *as_flag(json_t *text)
{
  json_t *out = json_is_string(text) ? json_true() : json_null();
  json_decref(text);
  return out;
}

/* Processors that a control group grants (cpu.max, "200000 100000"); null: no limit, or unknown */
static json_t *granted(const char *root)
{
  char line[LINE_BYTES];
  double quota, period;
  if (!read_line(root, "/sys/fs/cgroup/cpu.max", line, sizeof line)) return json_null();
  if (sscanf(line, "%lf %lf", &quota, &period) != 2 || !(period > 0)) return json_null();
  return json_number(quota / period);
}

/* Settings of the program and its libraries: {"OMP_PLACES": "cores"}. */
static json_t *variables(void)
{
  json_t *out = json_object();
  for (size_t i = 0; i < environment_variable_count; i++) {
    const char *value = getenv(environment_variables[i].name);
    if (value) json_object_set_new(out, environment_variables[i].name, json_text(value));
  }
  return out;
}

json_t *conditions_host(const char *root, const conditions_clock *begin)
{
  struct utsname system = {0};
  char text[LINE_BYTES];
  json_t *out = json_object(), *reasons = json_object();
  const int allowed = surroundings_cores();
  uname(&system);
  snprintf(text, sizeof text, "%s %s %s", system.sysname, system.release, system.machine);
  json_object_set_new(out, "name", json_text(system.nodename));
  json_object_set_new(out, "system", json_text(text));
  json_object_set_new(out, "processor",
                      fact(root, "/proc/cpuinfo", "model name", "processor", reasons));
  json_object_set_new(out, "instruction_set", best_set(root, reasons));
  json_object_set_new(out, "cores", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
  json_object_set_new(out, "cores_allowed", allowed ? json_integer(allowed) : json_null());
  json_object_set_new(out, "cores_granted", granted(root));
  if (surroundings_limited())
    json_object_set_new(out, "cores_asked", json_integer(surroundings_limited()));
  json_object_set_new(out, "memory_bytes", json_number((double)sysconf(_SC_PHYS_PAGES) *
                                                       (double)sysconf(_SC_PAGESIZE)));
  /* memory that is checked has a controller under EDAC; without one nothing is known */
  json_object_set_new(out, "ecc", as_flag(fact(root, "/sys/devices/system/edac/mc/mc0/mc_name",
                                               NULL, "ecc", reasons)));
  json_object_set_new(out, "governor",
                      fact(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL,
                           "governor", reasons));
  json_object_set_new(out, "clock_hz", clocks(root, reasons));
  json_object_set_new(out, "clock_max_hz", most_clock(root));
  json_object_set_new(out, "load",
                      as_number(fact(root, "/proc/loadavg", NULL, "load", reasons)));
  const double others = others_busy(root, begin);
  json_object_set_new(out, "others_busy_cores", json_number(others));
  if (!isfinite(others))
    json_object_set_new(reasons, "others_busy_cores",
                        json_text("/proc/stat does not tell, or the run took less than 0.2 s"));
  json_object_set_new(out, "stolen_part", json_number(stolen_part(root, begin)));
  json_object_set_new(out, "machine", machine_json(root));
  json_object_set_new(out, "environment", variables());
  json_object_set_new(out, "unknown", reasons);
  return out;
}

json_t *conditions_gpu(const nvml *gpu, const char *why)
{
  nvml_state state;
  char slowed[160];
  if (!gpu) return json_pack("{s:o}", "missing", json_text(why));
  nvml_read(gpu, &state);
  json_t *out = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "clock_hz", json_number(state.clock_hz),
                          "clock_max_hz", json_number(state.clock_max_hz), "memory_clock_hz",
                          json_number(state.memory_clock_hz), "memory_clock_max_hz",
                          json_number(state.memory_clock_max_hz), "power_limit_watts",
                          json_number(state.power_limit_watts), "temperature_celsius",
                          json_number(state.temperature_celsius));
  json_object_set_new(out, "ecc", state.ecc < 0 ? json_null() : json_boolean(state.ecc));
  json_object_set_new(out, "processes",
                      state.processes < 0 ? json_null() : json_integer(state.processes));
  nvml_slowed_text(state.slowed, slowed, sizeof slowed);
  json_object_set_new(out, "slowed_by", state.slowed < 0 ? json_null() : json_text(slowed));
  return out;
}

/* ---- the program ------------------------------------------------------------------- */

json_t *conditions_build(void)
{
#ifdef __clang__
  const char *compiler = "clang " __clang_version__;
#else
  const char *compiler = "gcc " __VERSION__;
#endif
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "compiler", json_text(compiler), "flags",
                   json_text(build_flags), "kernel_flags", json_text(build_kernel_flags),
                   "kernel_flags_strict", json_text(build_strict_flags), "kernel_flags_fast",
                   json_text(build_fast_flags), "instruction_sets", json_text(build_isas));
}

json_t *conditions_command(void)
{
  char text[16384];
  json_t *out = json_array();
  FILE *file = fopen("/proc/self/cmdline", "re");
  if (!file) return out;
  const size_t bytes = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[bytes] = 0;
  for (size_t at = 0; at < bytes; at += strlen(text + at) + 1)
    json_array_append_new(out, json_text(text + at));
  return out;
}
