/* Variables of the environment: the first byte says how often each value is repeated, as paths on
 * clusters are long; a line of the rest is NAME=VALUE. Every reader of them ends, says why in one
 * line, and what a probe process's entry is kept under tells any two values apart. */
#include <string.h>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/message.h"
#include "core/cache.h"
#include "core/modules.h"
#include "tests/fuzz/fuzz.h"

#include "core/plugins/probe_cache.c"   /* its own functions are looked at */

enum { MOST_DOUBLINGS = 8, FOLDER_BYTES = 64 };

/* core/isa.c asks this list which instruction sets were built. */
TRM_DECLARE_MODULES(reduce);
static const trm_host_module built = {.abi = TRM_HOST_MODULE_ABI, .isa = "baseline"};
const trm_host_module *const TRM_MODULES(reduce)[] = {&built, NULL};

static const char *const folders[] = {"TRIREME_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
static const char *const others[] = {
  "TRIREME_BACKEND_PATH", "TRIREME_SOLVER_PATH", "TRIREME_ISA", "TRIREME_STEPS", "TRIREME_BACKEND",
  "TRIREME_THREADS", "TRIREME_PRECISION", "TRIREME_OUTPUT", "TRIREME_SET", "NO_COLOR", "TERM",
  "OMP_PLACES", "OMP_PROC_BIND", "GOMP_SPINCOUNT", "LANG"
};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char *const *find(const char *const *names, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0) return &names[i];
  return NULL;
}

static int is_listed(const char *name)
{
  for (size_t i = 0; i < COUNT(variables); i++)
    if (strcmp(variables[i].name, name) == 0) return 1;
  return 0;
}

static void clear(void)
{
  for (size_t i = 0; i < COUNT(folders); i++) unsetenv(folders[i]);
  for (size_t i = 0; i < COUNT(others); i++) unsetenv(others[i]);
  for (size_t i = 0; i < COUNT(variables); i++) unsetenv(variables[i].name);
}

/* What is made by a reader lies in the private folder. */
static void set_folder(const char *name, const char *value)
{
  char path[2 * FOLDER_BYTES];
  if (strstr(value, "..")) return;
  snprintf(path, sizeof path, "%s/made/%.*s", fuzz_folder(), (int)FOLDER_BYTES, value);
  setenv(name, value[0] ? path : "", 1);
}

static void set(const char *name, const char *value, unsigned doublings)
{
  const size_t length = strlen(value), times = (size_t)1 << doublings;
  char *text = malloc(length * times + 1);
  FUZZ_CHECK(text);
  for (size_t i = 0; i < times; i++) memcpy(text + i * length, value, length + 1);
  if (find(folders, COUNT(folders), name)) set_folder(name, text);
  else if (find(others, COUNT(others), name) || is_listed(name)) setenv(name, text, 1);
  free(text);
}

static int same(void (*put)(FILE *out), const trmi_cache_key *key)
{
  trmi_cache_key again;
  hash_text(put, &again);
  return memcmp(&again, key, sizeof again) == 0;
}

static void read_surroundings(void)
{
  trmi_cache_key drivers, all;
  hash_text(put_drivers, &drivers);
  hash_text(put_all, &all);
  const char *path = getenv("POCL_DEVICES");
  char *longer = NULL;
  FUZZ_CHECK(asprintf(&longer, "%sx", path ? path : "") > 0);
  setenv("POCL_DEVICES", longer, 1);
  free(longer);
  FUZZ_CHECK(!same(put_drivers, &drivers) && !same(put_all, &all));
}

static void read_all(void)
{
  char program[] = "trireme", *words[] = {program, NULL};
  const char *isas[TRMI_MAX_ISAS];
  arguments args;
  trm_context *context = NULL;
  size_t count;
  trmi_cache *cache = trmi_cache_open(NULL, NULL);
  trmi_cache_close(&cache);
  (void)fuzz_accepted(trmi_isa_list(isas, &count));
  if (fuzz_accepted(trm_context_create(NULL, &context))) trm_context_destroy(&context);
  for (size_t i = 0; i < command_count; i++) {
    (void)fuzz_accepted(arguments_parse(commands[i].bit, commands[i].name, 1, words, &args));
    arguments_clear(&args);
  }
  FUZZ_CHECK(strlen(colour_begin(stdout, COLOUR_BAD)) < 8);
  environment_prepare(0, NULL);
  read_surroundings();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char made[FOLDER_BYTES];
  if (size < 1) return 0;
  char *text = fuzz_text(data + 1, size - 1), *state = NULL;
  clear();
  for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
    char *equals = strchr(line, '=');
    if (!equals) continue;
    *equals = '\0';
    set(line, equals + 1, data[0] % MOST_DOUBLINGS);
  }
  read_all();
  free(text);
  snprintf(made, sizeof made, "%s/made", fuzz_folder());
  fuzz_remove(made);
  return 0;
}
