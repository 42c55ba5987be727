/* probe_cache.c - how the probe process of a plugin ended, kept in the cache folder.
 *
 * The entry's key holds the facts known before a probe: the plugin's file; the variables, files and
 * limits of drivers; this start of the machine. The entry lists every shared object that the probe
 * process had loaded; one that has changed voids it. A bad outcome is valid for an hour, and only
 * in the same surroundings. A full temporary folder, a missing variable, or a damaged file in a
 * driver's cache is not the plugin's fault. */
#include "core/internal.h"
#include "core/plugins/plugin.h"
#include "core/plugins/probe_process.h"

#include <dirent.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum { ENTRY_FORMAT = 3, BELIEVED_S = 60 * 60, ROOM_MIB = 16, MOST_CACHED = 4000 };

/* The variables that decide which drivers exist, and whether they can work. */
static const char default_vendors[] = "/etc/OpenCL/vendors";
typedef struct variable {
  const char *name, *between;   /* between its elements, each a file or folder; NULL: no path */
} variable;
static const variable variables[] = {
  {"LD_LIBRARY_PATH", ":;"}, {"LD_PRELOAD", ": "}, {"OCL_ICD_VENDORS", ":"},
  {"OCL_ICD_FILENAMES", ":"}, {"OPENCL_VENDOR_PATH", ":"}, {"TRIREME_NVRTC", ":"},
  {"PATH", NULL}, {"TMPDIR", NULL}
};
/* Drivers' own variables: PoCL ends the process for some values of them. */
static const char *const prefixes[] = {
  "AMD_", "CL_", "CUDA_", "GALLIUM_", "GPU_", "HSA_", "LIBGL_", "LP_", "MESA_", "NEO", "OCL_",
  "OPENCL_", "POCL_", "ROCR_", "RUSTICL_", "ZE_"
};
static const unsigned limits[] = { /* an enumeration or an int, by library */
  RLIMIT_AS, RLIMIT_DATA, RLIMIT_STACK, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_MEMLOCK
};

/* ---- files ---------------------------------------------------------------------- */

/* Two files with the same text are the same file, unchanged. */
static void identify(const char *path, char *text, size_t bytes)
{
  struct stat status;
  if (stat(path, &status) != 0) trmi_say(text, bytes, "absent");
  else trmi_say(text, bytes, "%llx:%llx:%lld:%lld.%09ld", (unsigned long long)status.st_dev,
                (unsigned long long)status.st_ino, (long long)status.st_size,
                (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

static void put_file(FILE *out, const char *path)
{
  char identity[96];
  identify(path, identity, sizeof identity);
  fprintf(out, "%s %s\n", identity, path);
}

static int is_icd(const char *name)
{
  const size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".icd") == 0;
}

/* The file that registers a driver, and the driver, which may be put there later. */
static void put_icd(FILE *out, const char *path)
{
  char library[PATH_MAX] = "";
  struct stat status;
  put_file(out, path);
  FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "re") : NULL;
  if (file && fgets(library, sizeof library, file)) {
    library[strcspn(library, "\r\n")] = '\0';
    put_file(out, library);
  }
  if (file) fclose(file);
}

/* A folder's own entry changes only when a file comes, goes or is renamed. */
static void put_vendors(FILE *out, const char *folder)
{
  struct dirent **entries;
  put_file(out, folder);
  const int count = scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    char path[PATH_MAX];
    trmi_say(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
    if (is_icd(entries[i]->d_name)) put_icd(out, path);
    free(entries[i]);
  }
  if (count >= 0) free(entries);
}

static void put_element(FILE *out, const char *name, const char *path)
{
  if (is_icd(path)) put_icd(out, path);
  else if (strncmp(name, "OCL_", 4) == 0 || strncmp(name, "OPENCL_", 7) == 0)
    put_vendors(out, path);
  else put_file(out, path);
}

/* An empty element is the working directory. */
static void put_variable(FILE *out, const variable *about)
{
  const char *value = getenv(about->name);
  fprintf(out, "%s=%s\n", about->name, value ? value : "");
  for (const char *rest = value; rest && *rest && about->between;) {
    char path[PATH_MAX];
    const size_t length = strcspn(rest, about->between);
    trmi_say(path, sizeof path, "%.*s", length > 0 ? (int)length : 1, length > 0 ? rest : ".");
    put_element(out, about->name, path);
    rest += length + (rest[length] != '\0');
  }
}

/* ---- what is around a probe process --------------------------------------------------- */

/* Drivers may differ between the machines that share a home, and after a restart. */
static void put_boot(FILE *out)
{
  char boot[64] = "";
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file && !fgets(boot, sizeof boot, file)) boot[0] = '\0';
  if (file) fclose(file);
  fprintf(out, "%s\n", boot);
}

static int by_text(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int begins_with_one(const char *entry, const char *const *words, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (strncmp(entry, words[i], strlen(words[i])) == 0) return 1;
  return 0;
}

static int is_of_driver(const char *entry)
{
  return begins_with_one(entry, prefixes, sizeof prefixes / sizeof *prefixes);
}

/* Where a shell stands is of no concern; all else may be, whichever driver it is. */
static int is_not_of_boundary(const char *entry)
{
  static const char *const places[] = {"_=", "PWD=", "OLDPWD=", "SHLVL=", "COLUMNS=", "LINES="};
  return !begins_with_one(entry, places, sizeof places / sizeof *places);
}

static void put_environment(FILE *out, int (*is_wanted)(const char *entry))
{
  size_t count = 0;
  while (environ[count]) count++;
  char **sorted = calloc(count + 1, sizeof *sorted);
  if (!sorted) return;
  memcpy(sorted, environ, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, by_text);
  for (size_t i = 0; i < count; i++)
    if (is_wanted(sorted[i])) fprintf(out, "%s\n", sorted[i]);
  free(sorted);
}

static void put_drivers(FILE *out)
{
  struct rlimit limit;
  fprintf(out, "note %d\n", (int)ENTRY_FORMAT);
  put_boot(out);
  put_file(out, "/etc/ld.so.cache");
  put_vendors(out, default_vendors);
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    put_variable(out, &variables[i]);
  put_environment(out, is_of_driver);
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (getrlimit(limits[i], &limit) == 0)
      fprintf(out, "limit %u %llx\n", limits[i], (unsigned long long)limit.rlim_cur);
}

/* Drivers keep compiled programs in folders. A damaged file in such a folder ends the process that
 * reads it; removing the file mends that. */
static const char *const cache_names[] = { "POCL_CACHE_DIR", "CUDA_CACHE_PATH",
                                           "MESA_SHADER_CACHE_DIR", "RUSTICL_CACHE_DIR",
                                           "CL_CACHE_DIR" };
enum { CACHES = sizeof cache_names / sizeof *cache_names };
static char cache_folders[CACHES][PATH_MAX];
static FILE *caches;            /* under the registry's lock, as nftw hands nothing on */
static int cache_files;

static void find_caches(void)
{
  for (size_t i = 0; i < CACHES; i++) {
    const char *folder = getenv(cache_names[i]);
    trmi_say(cache_folders[i], PATH_MAX, "%s", folder ? folder : "");
  }
}

static int put_cached(const char *path, const struct stat *status, int flag, struct FTW *place)
{
  (void)flag, (void)place;
  fprintf(caches, "%s %lld %lld.%09ld\n", path, (long long)status->st_size,
          (long long)status->st_mtim.tv_sec, status->st_mtim.tv_nsec);
  return ++cache_files > MOST_CACHED;
}

static void put_caches(FILE *out)
{
  caches = out;
  cache_files = 0;
  for (size_t i = 0; i < CACHES; i++) {
    const char *folder = cache_folders[i];
    if (folder[0] && nftw(folder, put_cached, 16, FTW_PHYS) != 0 && cache_files > MOST_CACHED)
      fprintf(out, "too many files, believed never: %lld\n", (long long)time(NULL));
  }
}

/* All but the files of those folders, which are many. */
static void put_all(FILE *out)
{
  const char *temporary = secure_getenv("TMPDIR");
  struct statvfs disk;
  put_drivers(out);
  if (statvfs(temporary && temporary[0] ? temporary : "/tmp", &disk) != 0 ||
      (uint64_t)disk.f_bavail * disk.f_frsize < (uint64_t)ROOM_MIB << 20)
    fprintf(out, "no room for temporary files\n");
  put_environment(out, is_not_of_boundary);
}

/* A hash of the whole variable is kept, whatever its length. */
static void hash_text(void (*put)(FILE *out), trmi_cache_key *out)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&text, &bytes);
  if (stream) put(stream);
  const int is_whole = stream && fclose(stream) == 0;
  const trm_build about = {.text = is_whole ? text : "no memory"};
  trmi_cache_key_make("surroundings", &about, "probe", out);
  free(text);
}

typedef struct surroundings {
  char drivers[33];             /* of the entry's key */
  char all[33], files[33];      /* of a bad outcome; files: "" until they are looked at */
} surroundings;

static void print_hash(const trmi_cache_key *key, char text[33])
{
  for (size_t i = 0; i < sizeof key->bytes; i++) trmi_say(text + 2 * i, 3, "%02x", key->bytes[i]);
}

/* As the process began: plugins set variables of their drivers. */
static surroundings *survey(void)
{
  static surroundings found;    /* under the registry's lock */
  trmi_cache_key key;
  if (found.drivers[0]) return &found;
  hash_text(put_drivers, &key);
  print_hash(&key, found.drivers);
  hash_text(put_all, &key);
  print_hash(&key, found.all);
  find_caches();
  return &found;
}

/* The surroundings in which a bad outcome holds. A good one needs no look at thousands of files. */
static void print_surroundings(char text[67])
{
  surroundings *found = survey();
  trmi_cache_key key;
  if (!found->files[0]) {
    hash_text(put_caches, &key);
    print_hash(&key, found->files);
  }
  trmi_say(text, 67, "%s %s", found->all, found->files);
}

static void make_key(const char *noun, const char *symbol, const char *file, trmi_cache_key *key)
{
  char identity[96], text[PATH_MAX + 192];
  identify(file, identity, sizeof identity);
  trmi_say(text, sizeof text, "%s\n%s %s\n", survey()->drivers, identity, file);
  const trm_build about = {.name = symbol, .text = text};
  trmi_cache_key_make(noun, &about, "probe", key);
}

/* Entries are few and small. Without a usable folder each start costs a probe process; the code
 * that opens the folder for programs reports the reason. */
static trmi_cache *open_cache(void)
{
  return trmi_cache_open(NULL, NULL);
}

/* ---- writing -------------------------------------------------------------------- */

void trmi_probe_cache_write(const char *noun, const char *symbol, const char *file,
                            const trmi_probe_result *result)
{
  trmi_cache_key key;
  char *text = NULL;
  size_t bytes = 0;
  for (size_t i = 0; i < result->bad_count; i++)
    if (!result->bad[i].is_repeatable) return;
  trmi_cache *cache = open_cache();
  FILE *entry = cache ? open_memstream(&text, &bytes) : NULL;
  if (entry) {
    char here[67] = "";
    if (result->bad_count > 0) print_surroundings(here);
    fprintf(entry, "t %lld\ns %s\n", (long long)time(NULL), here);
    for (size_t i = 0; i < result->bad_count; i++)
      fprintf(entry, "b %s\nw %s\n", result->bad[i].name, result->bad[i].words);
    for (const char *line = result->files; line && *line;) {
      char path[4096], identity[96];
      const size_t length = strcspn(line, "\n");
      trmi_say(path, sizeof path, "%.*s", (int)length, line);
      identify(path, identity, sizeof identity);
      fprintf(entry, "f %s %s\n", identity, path);
      line += length + (line[length] == '\n');
    }
    if (fclose(entry) == 0) {
      make_key(noun, symbol, file, &key);
      trmi_cache_write(cache, &key, text, bytes);
    }
    free(text);
  }
  trmi_cache_close(&cache);
}

/* ---- reading -------------------------------------------------------------------- */

/* 0: this line voids the entry. */
static int take_line(char *line, trmi_probe_result *out)
{
  char *rest = line + 2, *blank;
  char identity[96];
  switch (line[0]) {
  case 'b':
    if (out->bad_count == TRMI_PROBE_PARTS) return 0;
    trmi_say(out->bad[out->bad_count++].name, sizeof out->bad[0].name, "%s", rest);
    return 1;
  case 'w':
    if (out->bad_count == 0) return 0;
    trmi_say(out->bad[out->bad_count - 1].words, sizeof out->bad[0].words, "%s", rest);
    return 1;
  case 'f':
    blank = strchr(rest, ' ');
    if (!blank) return 0;
    *blank = '\0';
    identify(blank + 1, identity, sizeof identity);
    return strcmp(identity, rest) == 0;
  default:
    return line[0] == 't' || line[0] == 's';
  }
}

static int holds(char *text, trmi_probe_result *out)
{
  char *rest = NULL, here[67];
  const char *there = "";
  long long when = 0;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    if (strlen(line) < 2 || !take_line(line, out)) return 0;
    if (line[0] == 't') when = strtoll(line + 2, NULL, 10);
    if (line[0] == 's') there = line + 2;
  }
  if (out->bad_count == 0) return 1;
  print_surroundings(here);
  const long long now = (long long)time(NULL);
  return strcmp(there, here) == 0 && when <= now && when > now - BELIEVED_S;
}

int trmi_probe_cache_read(const char *noun, const char *symbol, const char *file,
                          trmi_probe_result *out)
{
  trmi_cache_key key;
  void *bytes = NULL;
  size_t count = 0;
  int good = 0;
  char here[67];
  trmi_cache *cache = open_cache();
  if (!cache) return 0;
  make_key(noun, symbol, file, &key);
  if (trmi_cache_read(cache, &key, &bytes, &count)) {
    char *text = strndup(bytes, count);
    good = text && holds(text, out);
    free(text);
    free(bytes);
  }
  trmi_cache_close(&cache);
  if (good) return 1;
  print_surroundings(here); /* those before the probe, which follows */
  memset(out, 0, sizeof *out);
  return 0;
}
