/* environment.c - the fake driver's settings from TRIREME_FAKE_CUDA, for programs of a test:
 * "devices=0", "init=34", "memory=100000 any=1 fatal_launch=5 fatal=719". */
#include "tests/fake/internal.h"

static const struct { const char *name; size_t offset; int is_size; } settings[] = {
#define INT(name, member) {name, offsetof(fake_driver, member), 0}
#define SIZE(name, member) {name, offsetof(fake_driver, member), 1}
  INT("version", version), INT("devices", device_count), INT("capability", capability),
  INT("init", init_result), INT("module", module_result), INT("instantiate", instantiate_result),
  INT("retain", retain_result), INT("whole", is_whole), SIZE("memory", memory_bytes),
  INT("any", takes_any),
  SIZE("refused_launch", refused_launch), SIZE("fatal_launch", fatal_launch),
  INT("refused", refused_result), INT("fatal", fatal_result),
};

static void set(const char *name, size_t length, const char *value)
{
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    if (strlen(settings[i].name) != length || strncmp(settings[i].name, name, length)) continue;
    char *at = (char *)&fake_driver_state + settings[i].offset;
    const size_t number = strtoull(value, NULL, 10);
    const int small = (int)number;
    memcpy(at, settings[i].is_size ? (const void *)&number : &small,
           settings[i].is_size ? sizeof number : sizeof small);
    return;
  }
  fprintf(stderr, "TRIREME_FAKE_CUDA: no setting %.*s\n", (int)length, name);
  abort();
}

__attribute__((constructor)) static void read_settings(void)
{
  const char *word = getenv("TRIREME_FAKE_CUDA");
  if (word) fake_driver_state = (fake_driver)FAKE_HEALTHY;
  while (word && *(word += strspn(word, " "))) {
    const size_t length = strcspn(word, "=");
    if (word[length]) set(word, length, word + length + 1);
    word += strcspn(word, " ");
  }
}
