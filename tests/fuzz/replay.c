/* replay.c - gives a target its corpus, and each input cut short at every length: a test.
 *
 * Without arguments the corpus is $srcdir/tests/data/corpus/NAME, NAME being the program's. With
 * TRIREME_FUZZ in the environment, in a build with --enable-fuzzer, it is libFuzzer instead. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/file.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_CUTS = 200 }; /* of an input; a longer one is cut at fewer places */

static size_t inputs, cuts;

/* A copy that ends where the bytes end, so that a sanitizer sees a read beyond them. */
static void give(const char *text, size_t bytes)
{
  uint8_t *copy = malloc(bytes ? bytes : 1);
  FUZZ_CHECK(copy);
  memcpy(copy, text, bytes);
  LLVMFuzzerTestOneInput(copy, bytes);
  free(copy);
}

static void replay_file(const char *path)
{
  char *text = NULL;
  size_t bytes = 0;
  FUZZ_CHECK(trm_file_load(path, (size_t)1 << 30, &text, &bytes) == TRM_OK);
  const size_t step = bytes / MOST_CUTS + 1;
  give(text, bytes);
  for (size_t cut = 0; cut < bytes; cut += step, cuts++) give(text, cut);
  inputs++;
  free(text);
}

static void replay(const char *path)
{
  struct stat about;
  FUZZ_CHECK(stat(path, &about) == 0);
  if (!S_ISDIR(about.st_mode)) {
    replay_file(path);
    return;
  }
  DIR *list = opendir(path);
  FUZZ_CHECK(list);
  for (const struct dirent *entry; (entry = readdir(list));) {
    char *inside = NULL;
    if (entry->d_name[0] == '.') continue;
    FUZZ_CHECK(trm_path_join(path, entry->d_name, &inside) == TRM_OK);
    replay_file(inside);
    free(inside);
  }
  closedir(list);
}

#ifdef TRM_FUZZER
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one)(const uint8_t *data, size_t size));
#endif

int main(int argc, char **argv)
{
#ifdef TRM_FUZZER
  if (getenv("TRIREME_FUZZ")) return LLVMFuzzerRunDriver(&argc, &argv, LLVMFuzzerTestOneInput);
#endif
  const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
  if (strncmp(name, "lt-", 3) == 0) name += 3; /* libtool's wrapped program */
  const int is_test = argc == 1 || !argv[1][0];   /* tests/run gives an empty word */
  for (int i = 1; !is_test && i < argc; i++) replay(argv[i]);
  if (is_test) {
    const char *source = getenv("srcdir");
    char corpus[4096];
    snprintf(corpus, sizeof corpus, "%s/tests/data/corpus/%s", source ? source : ".", name);
    replay(corpus);
  }
  printf("%s 1 - %s: %zu inputs of the corpus, and %zu cuts of them, keep the reader's promises\n"
         "1..1\n",
         inputs ? "ok" : "not ok", name, inputs, cuts);
  return inputs ? 0 : 1;
}
