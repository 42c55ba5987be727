/* trial_note.c - how the trial of a plugin went, kept in the cache folder.
 *
 * The note's key holds what is known before a trial: the plugin's file, the variables and folders
 * by which drivers are found, this start of the machine. The note lists every shared object that
 * the trial had loaded; one that has changed voids it. A bad outcome is believed for an hour. */
#include "core/internal.h"
#include "core/plugin.h"
#include "core/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { NOTE_FORMAT = 1, BELIEVED_S = 60 * 60, KEY_BYTES = 16384 };

/* What decides which drivers there are. */
static const char *const watched_paths[] = {"/etc/ld.so.cache", "/etc/OpenCL/vendors"};
static const char *const watched_variables[] = {
  "LD_LIBRARY_PATH", "LD_PRELOAD", "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH",
  "POCL_DEVICES", "RUSTICL_ENABLE", "TRIREME_NVRTC"
};

/* Two files with the same text are the same file, unchanged. */
static void identify(const char *path, char *text, size_t bytes)
{
  struct stat status;
  if (stat(path, &status) != 0) trmi_say(text, bytes, "absent");
  else trmi_say(text, bytes, "%llx:%llx:%lld:%lld.%09ld", (unsigned long long)status.st_dev,
                (unsigned long long)status.st_ino, (long long)status.st_size,
                (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

static void append_path(const char *path, char *text)
{
  char identity[96];
  identify(path, identity, sizeof identity);
  trmi_append(text, KEY_BYTES, "%s %s\n", identity, path);
}

/* Drivers may differ between the machines that share a home, and after a restart. */
static void append_boot(char *text)
{
  char boot[64] = "";
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file && !fgets(boot, sizeof boot, file)) boot[0] = '\0';
  if (file) fclose(file);
  trmi_append(text, KEY_BYTES, "%s\n", boot);
}

/* The environment as the process began: plugins set variables of their drivers. */
static const char *surroundings(void)
{
  static char text[KEY_BYTES / 2];   /* under the registry's lock */
  if (text[0]) return text;
  append_boot(text);
  for (size_t i = 0; i < sizeof watched_paths / sizeof *watched_paths; i++)
    append_path(watched_paths[i], text);
  for (size_t i = 0; i < sizeof watched_variables / sizeof *watched_variables; i++) {
    const char *value = getenv(watched_variables[i]);
    trmi_append(text, sizeof text, "%s=%s\n", watched_variables[i], value ? value : "");
    if (value && value[0] == '/') append_path(value, text);
  }
  return text;
}

static void make_key(const char *noun, const char *symbol, const char *file, trmi_cache_key *key)
{
  char text[KEY_BYTES];
  trmi_say(text, sizeof text, "note %d\n%s\n", (int)NOTE_FORMAT, surroundings());
  append_path(file, text);
  const trm_build about = {.name = symbol, .text = text};
  trmi_cache_key_make(noun, &about, "trial", key);
}

/* Notes are few and small; a folder that cannot be had costs a trial each time, and whoever opens
 * it for programs says why. */
static trmi_cache *notes(void)
{
  return trmi_cache_open(NULL, NULL);
}

/* ---- writing -------------------------------------------------------------------- */

void trmi_trial_note(const char *noun, const char *symbol, const char *file,
                     const trmi_trial *trial)
{
  trmi_cache_key key;
  char *text = NULL;
  size_t bytes = 0;
  for (size_t i = 0; i < trial->bad_count; i++)
    if (!trial->bad[i].is_settled) return;
  trmi_cache *cache = notes();
  FILE *note = cache ? open_memstream(&text, &bytes) : NULL;
  if (note) {
    fprintf(note, "t %lld\n", (long long)time(NULL));
    for (size_t i = 0; i < trial->bad_count; i++)
      fprintf(note, "b %s\nw %s\n", trial->bad[i].name, trial->bad[i].words);
    for (const char *line = trial->files; line && *line;) {
      char path[4096], identity[96];
      const size_t length = strcspn(line, "\n");
      trmi_say(path, sizeof path, "%.*s", (int)length, line);
      identify(path, identity, sizeof identity);
      fprintf(note, "f %s %s\n", identity, path);
      line += length + (line[length] == '\n');
    }
    if (fclose(note) == 0) {
      make_key(noun, symbol, file, &key);
      trmi_cache_write(cache, &key, text, bytes);
    }
    free(text);
  }
  trmi_cache_close(&cache);
}

/* ---- reading -------------------------------------------------------------------- */

/* 0: this line voids the note. */
static int take_line(char *line, trmi_trial *out)
{
  char *rest = line + 2, *blank;
  char identity[96];
  switch (line[0]) {
  case 'b':
    if (out->bad_count == TRMI_TRIAL_PARTS) return 0;
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
    return line[0] == 't';
  }
}

static int holds(char *text, trmi_trial *out)
{
  char *rest = NULL;
  long long when = 0;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    if (strlen(line) < 2 || !take_line(line, out)) return 0;
    if (line[0] == 't') when = strtoll(line + 2, NULL, 10);
  }
  const long long now = (long long)time(NULL);
  return out->bad_count == 0 || (when <= now && when > now - BELIEVED_S);
}

int trmi_trial_recall(const char *noun, const char *symbol, const char *file, trmi_trial *out)
{
  trmi_cache_key key;
  void *bytes = NULL;
  size_t count = 0;
  int good = 0;
  trmi_cache *cache = notes();
  if (!cache) return 0;
  make_key(noun, symbol, file, &key);
  if (trmi_cache_read(cache, &key, &bytes, &count)) {
    char *text = strndup(bytes, count);
    good = text && holds(text, out);
    free(text);
    free(bytes);
  }
  trmi_cache_close(&cache);
  if (!good) memset(out, 0, sizeof *out);
  return good;
}
