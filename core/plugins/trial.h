/* trial.h - a plugin is met first by a process of its own (core-internal).
 *
 * A driver can end or hang the process that opens it: in a constructor, while it looks for devices,
 * in its compiler. So trireme-trial, a small program beside the plugins, does all that first. If it
 * dies, its end becomes a sentence here. The outcome is kept in the cache folder as long as no file
 * that the trial met has changed, so it costs once. */
#ifndef TRMI_TRIAL_H
#define TRMI_TRIAL_H

#include "core/trireme.h"

enum { TRMI_TRIAL_PARTS = 8 };

typedef struct trmi_trial_part {
  char name[160];               /* as its plugin called it (backend.h); "": the plugin itself */
  char words[512];              /* what became of the process that tried it */
  int is_settled;               /* the part itself failed, so another trial would end in the same
                                 * way */
} trmi_trial_part;

typedef struct trmi_trial {
  size_t bad_count;
  trmi_trial_part bad[TRMI_TRIAL_PARTS];
  char *files;                  /* shared objects that it had loaded, a line each; may be NULL */
} trmi_trial;

/* Tries the file, or recalls the outcome of an earlier trial. out->files is freed. The table of a
 * plugin with noun "backend" is asked for and probed; any other plugin is only loaded. Without the
 * program, or with TRIREME_TRIAL_SECONDS=0, nothing is tried and every part counts as good; the log
 * says so. */
void trmi_trial_make(const char *noun, const char *symbol, const char *file, trmi_trial *out);

/* How the trial of a part ended, or NULL: the part is good. */
const char *trmi_trial_words(const trmi_trial *trial, const char *part);

/* ---- between the two files ------------------------------------------------- */

/* trial_note.c: 1 when a note of an earlier trial still holds. */
int trmi_trial_recall(const char *noun, const char *symbol, const char *file, trmi_trial *out);
void trmi_trial_note(const char *noun, const char *symbol, const char *file,
                     const trmi_trial *trial);

#endif
