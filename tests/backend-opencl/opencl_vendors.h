/* opencl_vendors.h - the OpenCL plugin's answer under drivers that a test registers.
 *
 * A process looks for platforms once, so each question is asked in a child. */
#ifndef TRIREME_TESTS_OPENCL_VENDORS_H
#define TRIREME_TESTS_OPENCL_VENDORS_H

#include "tests/harness.h"

extern const char system_vendors[];      /* the folder in which drivers are registered */
extern const char vendors[], filenames[]; /* variables that ICD loaders read */
extern const char failing_driver[];      /* failing_driver.c, built */

typedef struct answer {
  int found;                       /* the plugin's file was considered */
  trm_backend_state state;
  size_t device_count;
  char reason[1024], cure[640];
  char pocl_cache[512];            /* POCL_CACHE_DIR after the probe */
} answer;

/* The answer of a fresh process, with one more variable in its environment (NULL: unset). A folder
 * of drivers ends with a slash: the loader of CUDA's toolkit puts the names of files right behind
 * it. */
void ask(const char *name, const char *value, answer *out);

/* Below test_folder(). */
void make_vendors(const char *name, char *path, size_t bytes);
void write_icd(const char *folder, const char *name, const char *line);
/* The machine's own drivers, registered in another folder too. */
void copy_icds(const char *folder);

/* Whether a variable changes what the loader finds. */
int loader_reads(const char *name);
/* Skips the case where the environment cannot hide the machine's platforms. */
void need_loader_that_reads_vendors(void);

#endif
