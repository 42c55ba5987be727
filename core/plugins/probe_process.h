/* probe_process.h - a plugin is met first by a process of its own (core-internal).
 *
 * A driver can end or hang the process that opens it: in a constructor, while it looks for devices,
 * in its compiler. So trireme-probe, a small program beside the plugins, does all that first. If it
 * dies, its end becomes a sentence here. The outcome is kept in the cache folder as long as no file
 * that the probe process met has changed, so it costs once. */
#ifndef TRMI_PROBE_PROCESS_H
#define TRMI_PROBE_PROCESS_H

#include "core/trireme.h"

enum { TRMI_PROBE_PARTS = 8 };

typedef struct trmi_probe_part {
  char name[160];               /* as its plugin called it (backend.h); "": the plugin itself */
  char words[512];              /* what became of the process that tried it */
  int is_repeatable;            /* the part itself failed, so another probe would end in the same
                                 * way */
} trmi_probe_part;

typedef struct trmi_probe_result {
  size_t bad_count;
  trmi_probe_part bad[TRMI_PROBE_PARTS];
  char *files;                  /* shared objects that it had loaded, a line each; may be NULL */
} trmi_probe_result;

/* Tries the file, or recalls the outcome of an earlier probe. out->files is freed. The table of a
 * plugin with noun "backend" is asked for and probed; any other plugin is only loaded. Without the
 * program, or with TRIREME_PROBE_SECONDS=0, nothing is tried and every part counts as good; the log
 * says so. */
void trmi_probe_process_run(const char *noun, const char *symbol, const char *file,
                            trmi_probe_result *out);

/* How the probe of a part ended, or NULL: the part is good. */
const char *trmi_probe_process_words(const trmi_probe_result *result, const char *part);

/* ---- between the two files ------------------------------------------------- */

/* probe_cache.c: 1 when an entry of an earlier probe process still holds. */
int trmi_probe_cache_read(const char *noun, const char *symbol, const char *file,
                          trmi_probe_result *out);
void trmi_probe_cache_write(const char *noun, const char *symbol, const char *file,
                            const trmi_probe_result *result);

#endif
