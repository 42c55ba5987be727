/* registry.c - the search path of a kind of plugin, and the plugins found on it.
 *
 * Folders are read in the order of the path and files in the order of their names, so the list is
 * the same each time. The first file of a name is the plugin; later ones of the same name are
 * listed as passed over. The program's own plugins stand first; a known name without a file stands
 * at the end with its cure. */
#include "core/internal.h"
#include "core/nearest.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct candidate {
  char *name, *path;
  trmi_plugin *plugin;          /* NULL: never to be opened; what follows says why */
  int is_own;                   /* lies in the kind's own folder */
  trm_backend_state state;
  char reason[1024], cure[640];
} candidate;

struct trmi_registry {
  const trmi_kind *kind;
  candidate *candidates;
  size_t count;
  char *folders;                /* where was looked, for messages */
  const char *variable;         /* who says so: the kind's variable, or the installation */
  int own_is_known;             /* its own folder has been searched */
  char complaints[1024];        /* "; ..." for each element of the path that was not searched */
  trm_backend_info *infos;      /* made by the first list */
};

/* The plugin list of the process (plugin.c) and every call of accept and describe. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- candidates ------------------------------------------------------------ */

static trm_status no_memory(const trmi_kind *kind)
{
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the list of %ss", kind->noun);
}

static candidate *find_candidate(const trmi_registry *registry, const char *name)
{
  for (size_t i = 0; i < registry->count; i++)
    if (name[0] && strcmp(registry->candidates[i].name, name) == 0) return &registry->candidates[i];
  return NULL;
}

static trm_status add(trmi_registry *registry, const char *name, const char *path, candidate **out)
{
  candidate *grown = realloc(registry->candidates, (registry->count + 1) * sizeof *grown);
  if (!grown) return no_memory(registry->kind);
  registry->candidates = grown;
  candidate *added = &grown[registry->count];
  memset(added, 0, sizeof *added);
  added->name = strdup(name);
  added->path = strdup(path);
  if (!added->name || !added->path) {
    free(added->name);
    free(added->path);
    return no_memory(registry->kind);
  }
  registry->count++;
  *out = added;
  return TRM_OK;
}

#define REASON TRMI_REFUSE
#define CURE TRMI_CURE

/* NAME is part of a C symbol and of "NAME:DEVICE". */
static int is_name(const char *name)
{
  const size_t length = strlen(name);
  return length > 0 && length < sizeof((trm_device_info *)0)->backend &&
         strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

static int is_same_file(const char *a, const char *b)
{
  struct stat one, other;
  return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

static void drop_last(trmi_registry *registry)
{
  candidate *last = &registry->candidates[--registry->count];
  free(last->name);
  free(last->path);
}

static int is_known(const trmi_kind *kind, const char *name)
{
  for (const trmi_known *known = kind->known; known->name; known++)
    if (strcmp(known->name, name) == 0) return 1;
  return 0;
}

static trm_status add_file(trmi_registry *registry, const char *name, const char *path,
                           const trmi_open *others)
{
  const trmi_kind *kind = registry->kind;
  candidate *added;
  char file[PATH_MAX];
  TRM_TRY(add(registry, name, path, &added));
  const candidate *first = find_candidate(registry, name);
  /* the own folder is on the path too */
  if (first != added && first->is_own && is_same_file(first->path, path)) {
    drop_last(registry);
    return TRM_OK;
  }
  if (!is_name(name)) {
    REASON(added, CANNOT_LOAD, "\"%s\" is not a name for a %s: small letters, digits and _, at "
                               "most 31 of them", name, kind->noun);
    CURE(added, "rename or remove the file");
  } else if (others->who[0]) {
    REASON(added, CANNOT_LOAD, TRMI_NOT_TRUSTED, path, others->who, others->where);
    CURE(added, "%s", others->cure);
  } else if (kind->own && registry->own_is_known && is_known(kind, name)) {
    REASON(added, CANNOT_LOAD, "passed over: the %s %s is a part of this program", kind->noun,
           name);
    CURE(added, "rename the %s, with its table, or remove the file", kind->noun);
  } else if (first != added) {
    REASON(added, CANNOT_LOAD, "passed over: %s comes first on the search path", first->path);
    CURE(added, "remove one of the two, or change %s", kind->variable);
  } else {
    /* A broken link is loaded by its own path, so that the message names it. */
    pthread_mutex_lock(&lock);
    added->plugin = trmi_plugin_get(kind, name, realpath(path, file) ? file : path);
    pthread_mutex_unlock(&lock);
    if (!added->plugin) return no_memory(kind);
  }
  return TRM_OK;
}

/* ---- the search path --------------------------------------------------------- */

/* The NAME of PREFIX NAME .so; 0 when the file is called otherwise. */
static int name_of(const trmi_kind *kind, const char *file, char *name, size_t bytes)
{
  const size_t prefix = strlen(kind->prefix), length = strlen(file);
  if (strncmp(file, kind->prefix, prefix) != 0 || length < prefix + 3 ||
      strcmp(file + length - 3, ".so") != 0)
    return 0;
  trmi_say(name, bytes, "%.*s", (int)(length - prefix - 3), file + prefix);
  return 1;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
  return strcmp((*a)->d_name, (*b)->d_name);
}

/* An element that is not searched is an entry of the list, and part of every "not found". */
static trm_status add_complaint(trmi_registry *registry, const char *element,
                                trm_backend_state state, const char *reason, const char *cure)
{
  candidate *added;
  TRM_TRY(add(registry, "", element, &added));
  added->state = state;
  trmi_say(added->reason, sizeof added->reason, "%s", reason);
  CURE(added, "%s", cure);
  trmi_append(registry->complaints, sizeof registry->complaints, "; %s", reason);
  return TRM_OK;
}

static trm_status scan_folder(trmi_registry *registry, const char *folder, int is_named)
{
  struct dirent **entries;
  char reason[PATH_MAX + 128], cure[128];
  trmi_open others = {.who = ""};
  const int found = scandir(folder, &entries, NULL, by_name);
  if (found < 0) {
    if (!is_named) return TRM_OK;
    trmi_say(reason, sizeof reason, "the folder %s of %s cannot be read: %s", folder,
             registry->kind->variable, strerror(errno));
    trmi_say(cure, sizeof cure, "mend or remove that element of %s", registry->kind->variable);
    return add_complaint(registry, folder, TRM_BACKEND_NOT_FOUND, reason, cure);
  }
  trm_status status = TRM_OK;
  if (found > 0) (void)trmi_is_open(folder, &others);
  for (int i = 0; i < found; i++) {
    char path[PATH_MAX], name[NAME_MAX + 1];
    const char *file = entries[i]->d_name;
    trmi_say(path, sizeof path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
             file);
    if (status == TRM_OK && name_of(registry->kind, file, name, sizeof name))
      status = add_file(registry, name, path, &others);
    free(entries[i]);
  }
  free(entries);
  return status;
}

static trm_status scan_element(trmi_registry *registry, const char *element)
{
  char reason[PATH_MAX + 128];
  if (element[0] == '/') return scan_folder(registry, element, 1);
  trmi_say(reason, sizeof reason, "the element \"%s\" of %s is not an absolute path, so it is not "
           "searched", element, registry->kind->variable);
  return add_complaint(registry, element, TRM_BACKEND_CANNOT_LOAD, reason,
                       "write the folder in full, from / on");
}

/* Empty elements are left out: elsewhere they mean the working directory, which is never
 * searched. */
static trm_status scan_path(trmi_registry *registry, const char *path)
{
  char *copy = strdup(path), *rest = NULL;
  if (!copy) return no_memory(registry->kind);
  trm_status status = TRM_OK;
  for (char *element = strtok_r(copy, ":", &rest); element && status == TRM_OK;
       element = strtok_r(NULL, ":", &rest))
    status = scan_element(registry, element);
  if (path[strspn(path, ":")] == '\0')
    trmi_append(registry->complaints, sizeof registry->complaints,
                "; %s names no folder", registry->kind->variable);
  free(copy);
  return status;
}

/* The program's own plugins come first, whatever the variable says. */
static trm_status scan_own(trmi_registry *registry)
{
  char folder[PATH_MAX];
  if (!registry->kind->own) return TRM_OK;
  trmi_own_folder(registry->kind->own, folder, sizeof folder);
  TRM_TRY(scan_folder(registry, folder, 0));
  for (size_t i = 0; i < registry->count; i++) {
    candidate *own = &registry->candidates[i];
    own->is_own = is_known(registry->kind, own->name);
    if (own->is_own && own->plugin) own->plugin->is_own = 1;
  }
  registry->own_is_known = 1;
  return TRM_OK;
}

static trm_status add_missing(trmi_registry *registry)
{
  const trmi_kind *kind = registry->kind;
  for (const trmi_known *known = kind->known; known->name; known++) {
    candidate *added;
    if (find_candidate(registry, known->name)) continue;
    TRM_TRY(add(registry, known->name, "", &added));
    REASON(added, NOT_FOUND, "there is no file %s%s.so in %s%s", kind->prefix, known->name,
           registry->folders, registry->complaints);
    if (registry->complaints[0])
      CURE(added, "mend %s: readable folders, written from / on, between colons", kind->variable);
    else
      CURE(added, "%s", known->cure);
  }
  return TRM_OK;
}

trm_status trmi_registry_create(const trmi_kind *kind, const char *default_path,
                                trmi_registry **out)
{
  const char *path = secure_getenv(kind->variable);
  const int is_named = path && path[0];
  if (!default_path) default_path = TRM_PLUGIN_DIR;
  trmi_registry *registry = calloc(1, sizeof *registry);
  if (!registry) return no_memory(kind);
  registry->kind = kind;
  registry->variable = is_named ? kind->variable : "as installed";
  registry->folders = strdup(is_named ? path : default_path);
  trm_status status = registry->folders ? scan_own(registry) : no_memory(kind);
  if (status == TRM_OK)
    status = is_named ? scan_path(registry, path) : scan_folder(registry, default_path, 0);
  if (status == TRM_OK) status = add_missing(registry);
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
  if (!registry->infos)
    trmi_log(TRM_LOG_DEBUG, "%ss are sought in %s (%s)", registry->kind->noun, registry->folders,
             registry->variable);
  if (!registry->infos) registry->infos = calloc(registry->count, sizeof *registry->infos);
  for (size_t i = 0; registry->infos && i < registry->count; i++) {
    if (registry->candidates[i].plugin) trmi_plugin_load(registry->candidates[i].plugin);
    fill_info(&registry->candidates[i], &registry->infos[i]);
  }
  pthread_mutex_unlock(&lock);
  if (!registry->infos) return no_memory(registry->kind);
  *list = registry->infos;
  *count = registry->count;
  return TRM_OK;
}

int trmi_registry_has_file(const trmi_registry *registry, const char *name)
{
  const candidate *found = find_candidate(registry, name);
  return found && found->path[0];
}

/* Each name once; names has room for count of the registry. */
static size_t collect_names(const trmi_registry *registry, const char **names)
{
  size_t count = 0;
  for (size_t i = 0; i < registry->count; i++) {
    const char *name = registry->candidates[i].name;
    if (name[0] && find_candidate(registry, name) == &registry->candidates[i])
      names[count++] = name;
  }
  return count;
}

const char *trmi_registry_nearest(const trmi_registry *registry, const char *name)
{
  const char **names = calloc(registry->count + 1, sizeof *names);
  if (!names) return NULL;
  const char *nearest = trm_nearest_name(name, names, collect_names(registry, names));
  free(names);
  return nearest;
}

static trm_status unknown(const trmi_registry *registry, const char *name)
{
  const char **names = calloc(registry->count, sizeof *names);
  char near[128] = "", all[512] = "";
  if (!names) return no_memory(registry->kind);
  const size_t count = collect_names(registry, names);
  for (size_t i = 0; i < count; i++) trmi_append(all, sizeof all, "%s%s", i ? ", " : "", names[i]);
  trmi_suggestion(name, names, count, near, sizeof near);
  free(names);
  return TRM_FAIL(NOT_FOUND, "there is no %s \"%s\"%s; those known here are %s%s",
                  registry->kind->noun, name, near, all, registry->complaints);
}

trm_status trmi_registry_check_name(const trmi_registry *registry, const char *name)
{
  return find_candidate(registry, name) ? TRM_OK : unknown(registry, name);
}

trm_status trmi_registry_find(trmi_registry *registry, const char *name,
                              const void **table, size_t *device_count)
{
  trm_backend_info info;
  const candidate *found = find_candidate(registry, name);
  if (!found) return unknown(registry, name);
  pthread_mutex_lock(&lock);
  if (found->plugin) trmi_plugin_load(found->plugin);
  fill_info(found, &info);
  pthread_mutex_unlock(&lock);
  if (info.state != TRM_BACKEND_READY)
    return TRM_FAIL(NOT_READY, "%s %s is not ready (%s): %s; %s%s%s", registry->kind->noun,
                    info.name, trm_backend_state_text(info.state), info.reason,
                    info.cure[0] ? info.cure : "`trireme ",
                    info.cure[0] ? "" : registry->kind->noun,
                    info.cure[0] ? "" : "s` shows every file considered");
  *table = found->plugin->table;
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
