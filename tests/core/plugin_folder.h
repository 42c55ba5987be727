/* plugin_folder.h - folders of plugins for the tests of the registry.
 *
 * A file is loaded once a process, so every case has a folder to itself, below test_folder(). */
#ifndef TRIREME_TESTS_PLUGIN_FOLDER_H
#define TRIREME_TESTS_PLUGIN_FOLDER_H

#include "tests/harness.h"

enum { PATH_BYTES = 1024 };

/* test_folder()/name, made; the text lives until the next call. */
const char *make_folder(const char *name);

/* Where the plugin `name` of that folder lies. */
void plugin_path(char path[PATH_BYTES], const char *folder, const char *name);

/* Puts a link to one of the plugins of the tests, or a file of these bytes, under that path. */
void add_link(const char *folder, const char *name, const char *plugin);
void add_file(const char *folder, const char *name, const void *bytes, size_t count);

/* A plugin of the tests, whole; the caller frees it. */
char *read_plugin(const char *plugin, size_t *count);

/* A context that searches test_folder()/folder. */
trm_context *context_of(const char *folder);
const trm_backend_info *info_of(trm_context *context, const char *name);

void assert_text(const char *text, const char *part);

/* Listed with this state, with `reason` in its reason and a cure, and refused with both by name; a
 * plugin that works, put beside it, is ready. */
void assert_refused(const char *folder, const char *name, trm_backend_state state,
                    const char *reason);

#endif
