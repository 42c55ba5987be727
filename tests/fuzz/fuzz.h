/* fuzz.h - readers fed with bytes that nobody would write.
 *
 * A target is one file with LLVMFuzzerTestOneInput: it gives the bytes to a reader and checks what
 * the reader promises. Linked with replay.c it is a test of `make check`, which reads the corpus
 * (corpus/NAME); linked with libFuzzer (`make fuzz`) it looks for more. */
#ifndef TRIREME_TESTS_FUZZ_H
#define TRIREME_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "core/trireme.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes the bytes as the file `name` of a private folder that is removed at the end; its path
 * belongs to the caller. */
char *fuzz_file(const char *name, const uint8_t *data, size_t size);
/* That folder, and whatever lies in a folder with it. */
const char *fuzz_folder(void);
void fuzz_remove(const char *path);

/* The bytes as a string: malloc'd, cut at the first zero byte. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Ends the process, as a finding, when a promise is broken. */
#define FUZZ_CHECK(condition) \
  do { if (!(condition)) fuzz_broken(#condition, __FILE__, __LINE__); } while (0)
_Noreturn void fuzz_broken(const char *condition, const char *file, int line);

/* 1 for TRM_OK; 0 for a refusal, whose record must say why in one line. */
int fuzz_accepted(trm_status status);

#endif
