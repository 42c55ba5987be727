/* plugin_folder.c - folders of plugins for the tests of the registry. */
#include "tests/core/plugin_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- folders of plugins -------------------------------------------------------- */

const char *make_folder(const char *name)
{
  static char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  if (mkdir(path, 0755) != 0 && errno != EEXIST) fail_msg("mkdir %s: %s", path, strerror(errno));
  return path;
}

void plugin_path(char path[PATH_BYTES], const char *folder, const char *name)
{
  snprintf(path, PATH_BYTES, "%s/%s/trireme_%s.so", test_folder(), folder, name);
}

void add_link(const char *folder, const char *name, const char *plugin)
{
  char path[PATH_BYTES], target[PATH_BYTES];
  make_folder(folder);
  plugin_path(path, folder, name);
  snprintf(target, sizeof target, "%s/trireme_%s.so", TEST_PLUGINS, plugin);
  if (symlink(target, path) != 0) fail_msg("symlink %s: %s", path, strerror(errno));
}

static void add_working(const char *folder)
{
  char path[PATH_BYTES];
  make_folder(folder);
  plugin_path(path, folder, "fake");
  if (access(path, F_OK) != 0) add_link(folder, "fake", "fake");
}

char *read_plugin(const char *plugin, size_t *count)
{
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/trireme_%s.so", TEST_PLUGINS, plugin);
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s: %s", path, strerror(errno));
  fseek(file, 0, SEEK_END);
  *count = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*count);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *count, file), *count);
  fclose(file);
  return bytes;
}

void add_file(const char *folder, const char *name, const void *bytes, size_t count)
{
  char path[PATH_BYTES];
  make_folder(folder);
  plugin_path(path, folder, name);
  FILE *file = fopen(path, "wb");
  if (!file) fail_msg("%s: %s", path, strerror(errno));
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  assert_int_equal(fclose(file), 0);
}

/* ---- asking -------------------------------------------------------------------- */

trm_context *context_of(const char *folder)
{
  trm_context *context = NULL;
  setenv("TRIREME_BACKEND_PATH", make_folder(folder), 1);
  TEST_OK(trm_context_create(NULL, &context));
  return context;
}

const trm_backend_info *info_of(trm_context *context, const char *name)
{
  const trm_backend_info *list;
  size_t count;
  TEST_OK(trm_backend_list(context, &list, &count));
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i].name, name) == 0) return &list[i];
  fail_msg("%s is not listed", name);
  return NULL;
}

void assert_text(const char *text, const char *part)
{
  if (!strstr(text, part)) fail_msg("\"%s\" does not say \"%s\"", text, part);
}

void assert_refused(const char *folder, const char *name, trm_backend_state state,
                    const char *reason)
{
  add_working(folder);
  trm_context *context = context_of(folder);
  const trm_backend_info *info = info_of(context, name);
  trm_device *device = NULL;
  assert_int_equal(info_of(context, "fake")->state, TRM_BACKEND_READY);
  if (info->state != state)
    fail_msg("%s: %s instead of %s: %s", name, trm_backend_state_text(info->state),
             trm_backend_state_text(state), info->reason);
  assert_text(info->reason, reason);
  assert_true(info->cure[0] != '\0');
  assert_int_equal(info->device_count, 0);
  TEST_FAILS(trm_device_open(context, name, NULL, &device), TRM_ERROR_NOT_READY, reason);
  assert_text(trm_error_last()->text, trm_backend_state_text(state));
  assert_text(trm_error_last()->text, info->cure);
  assert_null(device);
  trm_context_destroy(&context);
}
