/* context.c - a context: which plugins there are, the program cache, and where the log goes. */
#include "core/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TRM_PLUGIN_DIR
#error "TRM_PLUGIN_DIR is the folder of the installed plugins; core/local.mk defines it"
#endif

static _Thread_local const trm_context *log_context;

void trmi_log_to(const trm_context *context)
{
  log_context = context;
}

void trmi_log(trm_log_level level, const char *format, ...)
{
  const trm_context *context = log_context;
  if (!context || !context->log) return;
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length >= 0) context->log(context->log_user, level, text);
}

trm_status trm_context_create(const trm_context_options *options, trm_context **out)
{
  if (!out) return TRM_FAIL(INVALID, "trm_context_create: out is NULL");
  trm_context *context = calloc(1, sizeof *context);
  if (!context) return TRM_FAIL(NO_HOST_MEMORY, "trm_context_create: out of host memory");
  atomic_init(&context->holders, 1);
  pthread_mutex_init(&context->lock, NULL);
  if (options) {
    context->log = options->log;
    context->log_user = options->log_user;
  }
  trmi_log_to(context);
  const trm_status status = trmi_registry_create(&trmi_backend_kind, TRM_PLUGIN_DIR,
                                                 &context->registry);
  if (status != TRM_OK) {
    trmi_context_release(context);
    return status;
  }
  if (!options || !options->no_cache)
    context->cache = trmi_cache_open(context->log, context->log_user);
  *out = context;
  return TRM_OK;
}

void trmi_context_say(const trm_context *context, trm_log_level level, const char *format, ...)
{
  if (!context->log) return;
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  context->log(context->log_user, level, text);
}

const char *trmi_context_folder(const trm_context *context)
{
  return context ? trmi_cache_folder(context->cache) : "";
}

void trm_context_destroy(trm_context **context)
{
  if (!context || !*context) return;
  trmi_context_release(*context);
  *context = NULL;
}

void trmi_context_retain(trm_context *context)
{
  atomic_fetch_add(&context->holders, 1);
}

void trmi_context_release(trm_context *context)
{
  if (atomic_fetch_sub(&context->holders, 1) != 1) return;
  if (log_context == context) log_context = NULL;
  trmi_cache_close(&context->cache);
  trmi_registry_destroy(&context->registry);
  pthread_mutex_destroy(&context->lock);
  free(context->devices);
  free(context);
}

trm_status trm_backend_list(trm_context *context, const trm_backend_info **list, size_t *count)
{
  if (!context) return TRM_FAIL(INVALID, "trm_backend_list: context is NULL");
  if (!list || !count) return TRM_FAIL(INVALID, "trm_backend_list: list or count is NULL");
  trmi_log_to(context);
  return trmi_registry_list(context->registry, list, count);
}

/* Appends the devices of one ready backend. A device that its plugin cannot describe is left out
 * with a warning: it must not hide the others. */
static trm_status list_backend(trm_context *context, const char *name, trm_device_info **list,
                               size_t *count)
{
  const trm_backend *table;
  size_t devices;
  TRM_TRY(trmi_backend_find(context->registry, name, &table, &devices));
  trm_device_info *grown = realloc(*list, (*count + devices + 1) * sizeof **list);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "trm_device_list: out of host memory");
  *list = grown;
  for (size_t index = 0; index < devices; index++) {
    if (trmi_registry_describe(table, index, &grown[*count]) == TRM_OK)
      *count += 1;
    else
      trmi_log(TRM_LOG_WARNING, "%s:%zu is left out of the list: %s", name, index,
               trm_error_last()->text);
  }
  return TRM_OK;
}

/* Nonzero when an earlier file already serves this name. */
static int is_shadowed(const trm_backend_info *backends, size_t b)
{
  for (size_t i = 0; i < b; i++)
    if (backends[i].state == TRM_BACKEND_READY && strcmp(backends[i].name, backends[b].name) == 0)
      return 1;
  return 0;
}

/* Under the context's lock. */
static trm_status list_devices(trm_context *context, const trm_backend_info *backends,
                               size_t backend_count)
{
  trm_device_info *devices = NULL;
  size_t count = 0;
  for (size_t b = 0; b < backend_count; b++) {
    if (backends[b].state != TRM_BACKEND_READY || is_shadowed(backends, b)) continue;
    const trm_status status = list_backend(context, backends[b].name, &devices, &count);
    if (status != TRM_OK) {
      free(devices);
      return status;
    }
  }
  context->devices = devices;
  context->device_count = count;
  return TRM_OK;
}

trm_status trm_device_list(trm_context *context, const trm_device_info **list, size_t *count)
{
  const trm_backend_info *backends;
  size_t backend_count;
  trm_status status = TRM_OK;
  if (!list || !count) return TRM_FAIL(INVALID, "trm_device_list: list or count is NULL");
  TRM_TRY(trm_backend_list(context, &backends, &backend_count));
  pthread_mutex_lock(&context->lock);
  if (!context->devices) status = list_devices(context, backends, backend_count);
  if (status == TRM_OK) {
    *list = context->devices;
    *count = context->device_count;
  }
  pthread_mutex_unlock(&context->lock);
  return status;
}
