/* registry.c - the search path, and a context's view of the plugins found on it.
 *
 * Folders are read in the order of the path and files in the order of their names, so the list is
 * the same each time. The first file of a name is the backend; later ones of the same name are
 * listed as passed over. The known backends without a file stand at the end with their cure. */
#include "core/internal.h"
#include "core/plugin.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct candidate {
  char *name, *path;
  trmi_plugin *plugin;          /* NULL: never to be opened; state, reason and cure say why */
  trm_backend_state state;
  char reason[1024], cure[640];
} candidate;

struct trmi_registry {
  candidate *candidates;
  size_t count;
  char *folders;                /* where was looked, for messages */
  trm_backend_info *infos;      /* made by the first list */
};

/* The plugin list of the process (plugin.c) and every call of probe and describe. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct { const char *name, *cure; } known[] = {
  { "openmp", "install the plugin (make install), or name its folder in TRIREME_BACKEND_PATH" },
  { "opencl", "configure with --with-opencl=yes, build and install again, or name the folder of "
              "trireme_opencl.so in TRIREME_BACKEND_PATH" },
  { "cuda", "configure with --with-cuda=yes, build and install again, or name the folder of "
            "trireme_cuda.so in TRIREME_BACKEND_PATH" },
};
enum { KNOWN_COUNT = sizeof known / sizeof known[0] };

static const trm_services services = {
  TRM_BACKEND_ABI, sizeof(trm_services), trm_error_record, trmi_log
};

const trm_services *trmi_registry_services(void)
{
  return &services;
}

/* ---- candidates ------------------------------------------------------------ */

static candidate *find_candidate(const trmi_registry *registry, const char *name)
{
  for (size_t i = 0; i < registry->count; i++)
    if (name[0] && strcmp(registry->candidates[i].name, name) == 0) return &registry->candidates[i];
  return NULL;
}

static trm_status add(trmi_registry *registry, const char *name, const char *path, candidate **out)
{
  candidate *grown = realloc(registry->candidates, (registry->count + 1) * sizeof *grown);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the list of backends");
  registry->candidates = grown;
  candidate *added = &grown[registry->count];
  memset(added, 0, sizeof *added);
  added->name = strdup(name);
  added->path = strdup(path);
  if (!added->name || !added->path) {
    free(added->name);
    free(added->path);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the list of backends");
  }
  registry->count++;
  *out = added;
  return TRM_OK;
}

#define REASON(added, code, ...) \
  do { \
    (added)->state = TRM_BACKEND_##code; \
    trmi_say((added)->reason, sizeof (added)->reason, __VA_ARGS__); \
  } while (0)
#define CURE(added, ...) trmi_say((added)->cure, sizeof (added)->cure, __VA_ARGS__)

/* NAME is part of a C symbol and of "NAME:DEVICE". */
static int is_name(const char *name)
{
  const size_t length = strlen(name);
  return length > 0 && length < sizeof((trm_device_info *)0)->backend &&
         strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

static trm_status add_file(trmi_registry *registry, const char *name, const char *path)
{
  const int is_second = find_candidate(registry, name) != NULL;
  candidate *added;
  char file[PATH_MAX];
  TRM_TRY(add(registry, name, path, &added));
  if (!is_name(name)) {
    REASON(added, CANNOT_LOAD, "\"%s\" is no name for a backend: small letters, digits and _, at "
                               "most 31 of them", name);
    CURE(added, "rename or remove the file");
  } else if (is_second) {
    REASON(added, CANNOT_LOAD, "passed over: %s comes first on the search path",
           find_candidate(registry, name)->path);
    CURE(added, "remove one of the two, or change TRIREME_BACKEND_PATH");
  } else {
    /* A link that leads nowhere is loaded by its own path, which then says so. */
    pthread_mutex_lock(&lock);
    added->plugin = trmi_plugin_get(name, realpath(path, file) ? file : path);
    pthread_mutex_unlock(&lock);
    if (!added->plugin) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the list of backends");
  }
  return TRM_OK;
}

/* ---- the search path --------------------------------------------------------- */

static int is_plugin_file(const struct dirent *entry)
{
  const char *dot = strrchr(entry->d_name, '.');
  return strncmp(entry->d_name, "trireme_", 8) == 0 && dot && strcmp(dot, ".so") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
  return strcmp((*a)->d_name, (*b)->d_name);
}

static trm_status scan_folder(trmi_registry *registry, const char *folder, int is_named)
{
  struct dirent **entries;
  const int found = scandir(folder, &entries, is_plugin_file, by_name);
  if (found < 0) {
    candidate *added;
    if (!is_named) return TRM_OK;
    const int error = errno;
    TRM_TRY(add(registry, "", folder, &added));
    REASON(added, NOT_FOUND, "the folder %s of TRIREME_BACKEND_PATH cannot be read: %s", folder,
           strerror(error));
    CURE(added, "mend or remove that element of TRIREME_BACKEND_PATH");
    return TRM_OK;
  }
  trm_status status = TRM_OK;
  for (int i = 0; i < found; i++) {
    char path[PATH_MAX], name[NAME_MAX + 1];
    const char *file = entries[i]->d_name;
    trmi_say(name, sizeof name, "%.*s", (int)(strlen(file) - 8 - 3), file + 8);
    trmi_say(path, sizeof path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
             file);
    if (status == TRM_OK) status = add_file(registry, name, path);
    free(entries[i]);
  }
  free(entries);
  return status;
}

static trm_status scan_element(trmi_registry *registry, const char *element)
{
  candidate *added;
  if (element[0] == '/') return scan_folder(registry, element, 1);
  TRM_TRY(add(registry, "", element, &added));
  REASON(added, CANNOT_LOAD, "the element \"%s\" of TRIREME_BACKEND_PATH is not an absolute path, "
                             "so it is not searched", element);
  CURE(added, "write the folder in full, from / on");
  return TRM_OK;
}

/* Empty elements are left out: elsewhere they mean the working directory, which is never
 * searched. */
static trm_status scan_path(trmi_registry *registry, const char *path)
{
  char *copy = strdup(path), *rest = NULL;
  if (!copy) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the list of backends");
  trm_status status = TRM_OK;
  for (char *element = strtok_r(copy, ":", &rest); element && status == TRM_OK;
       element = strtok_r(NULL, ":", &rest))
    status = scan_element(registry, element);
  free(copy);
  return status;
}

static trm_status add_known(trmi_registry *registry)
{
  for (size_t i = 0; i < KNOWN_COUNT; i++) {
    candidate *added;
    if (find_candidate(registry, known[i].name)) continue;
    TRM_TRY(add(registry, known[i].name, "", &added));
    REASON(added, NOT_FOUND, "there is no file trireme_%s.so in %s", known[i].name,
           registry->folders);
    CURE(added, "%s", known[i].cure);
  }
  return TRM_OK;
}

trm_status trmi_registry_create(const char *default_path, trmi_registry **out)
{
  const char *path = secure_getenv("TRIREME_BACKEND_PATH");
  const int is_named = path && path[0];
  trmi_registry *registry = calloc(1, sizeof *registry);
  if (!registry) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the list of backends");
  registry->folders = strdup(is_named ? path : default_path);
  trm_status status = registry->folders
      ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for the list of backends");
  if (status == TRM_OK)
    status = is_named ? scan_path(registry, path) : scan_folder(registry, default_path, 0);
  if (status == TRM_OK) status = add_known(registry);
  if (status != TRM_OK) {
    trmi_registry_destroy(&registry);
    return status;
  }
  *out = registry;
  return TRM_OK;
}

void trmi_registry_destroy(trmi_registry **registry)
{
  if (!registry || !*registry) return;
  for (size_t i = 0; i < (*registry)->count; i++) {
    free((*registry)->candidates[i].name);
    free((*registry)->candidates[i].path);
  }
  free((*registry)->candidates);
  free((*registry)->folders);
  free((*registry)->infos);
  free(*registry);
  *registry = NULL;
}

/* ---- asking ------------------------------------------------------------------ */

static void fill_info(const candidate *entry, trm_backend_info *info)
{
  const trmi_plugin *plugin = entry->plugin;
  info->name = entry->name;
  info->path = entry->path;
  info->summary = plugin ? plugin->summary : "";
  info->version = plugin ? plugin->version : "";
  info->state = plugin ? plugin->state : entry->state;
  info->reason = plugin ? plugin->reason : entry->reason;
  info->cure = plugin ? plugin->cure : entry->cure;
  info->device_count = plugin ? plugin->device_count : 0;
}

trm_status trmi_registry_list(trmi_registry *registry, const trm_backend_info **list,
                              size_t *count)
{
  pthread_mutex_lock(&lock);
  if (!registry->infos) registry->infos = calloc(registry->count, sizeof *registry->infos);
  for (size_t i = 0; registry->infos && i < registry->count; i++) {
    if (registry->candidates[i].plugin) trmi_plugin_load(registry->candidates[i].plugin);
    fill_info(&registry->candidates[i], &registry->infos[i]);
  }
  pthread_mutex_unlock(&lock);
  if (!registry->infos) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the list of backends");
  *list = registry->infos;
  *count = registry->count;
  return TRM_OK;
}

static trm_status unknown(const trmi_registry *registry, const char *name)
{
  const char **names = calloc(registry->count, sizeof *names);
  char near[128] = "", all[512] = "";
  size_t count = 0;
  if (!names) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the list of backends");
  for (size_t i = 0; i < registry->count; i++) {
    const char *other = registry->candidates[i].name;
    if (!other[0] || find_candidate(registry, other) != &registry->candidates[i]) continue;
    trmi_append(all, sizeof all, "%s%s", count ? ", " : "", other);
    names[count++] = other;
  }
  trmi_suggestion(name, names, count, near, sizeof near);
  free(names);
  return TRM_FAIL(NOT_FOUND, "there is no backend \"%s\"%s; those known here are %s", name,
                  near, all);
}

trm_status trmi_registry_find(trmi_registry *registry, const char *name,
                              const trm_backend **backend, size_t *device_count)
{
  trm_backend_info info;
  const candidate *found = find_candidate(registry, name);
  if (!found) return unknown(registry, name);
  pthread_mutex_lock(&lock);
  if (found->plugin) trmi_plugin_load(found->plugin);
  fill_info(found, &info);
  pthread_mutex_unlock(&lock);
  if (info.state != TRM_BACKEND_READY)
    return TRM_FAIL(NOT_READY, "backend %s is not ready (%s): %s; %s", info.name,
                    trm_backend_state_text(info.state), info.reason,
                    info.cure[0] ? info.cure : "`trireme backends` shows every file considered");
  *backend = found->plugin->backend;
  if (device_count) *device_count = info.device_count;
  return TRM_OK;
}

trm_status trmi_registry_describe(const trm_backend *backend, size_t index, trm_device_info *out)
{
  trm_device_info info;
  memset(&info, 0, sizeof info);
  pthread_mutex_lock(&lock);
  const trm_status status = backend->describe(index, &info);
  pthread_mutex_unlock(&lock);
  if (status != TRM_OK) return status;
  trmi_say(info.backend, sizeof info.backend, "%s", backend->name);
  info.index = index;
  *out = info;
  return TRM_OK;
}
