/* objects.c - see objects.h. */
#include "core/domain/objects.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

trm_status objects_of(const void *address, char *path, size_t bytes, uintptr_t *base)
{
  Dl_info info;
  struct link_map *map = NULL;
  if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
    return TRM_FAIL(INVALID, "a function lies in no file that another rank could open");
  snprintf(path, bytes, "%s", map->l_name[0] ? map->l_name : "/proc/self/exe");
  *base = map->l_addr;
  return TRM_OK;
}

trm_status objects_at(const char *path, uintptr_t *base)
{
  trmi_open others = { .who = "" };
  struct link_map *map = NULL;
  const int is_program = strcmp(path, "/proc/self/exe") == 0;
  if (!is_program && trmi_is_open(path, &others))
    return TRM_FAIL(INVALID, TRMI_NOT_TRUSTED "; %s", path, others.who, others.where, others.cure);
  void *object = dlopen(is_program ? NULL : path, RTLD_NOW | RTLD_LOCAL);
  if (!object || dlinfo(object, RTLD_DI_LINKMAP, &map) != 0)
    return TRM_FAIL(NOT_FOUND, "%s; install the same program on all machines", dlerror());
  *base = map->l_addr;
  return TRM_OK;
}

/* Read in pieces: a limit on memory would not let a program of its size be mapped once more. */
static uint64_t hash_of(int fd)
{
  unsigned char piece[16384];
  ssize_t count = -1;
  XXH3_state_t *state = XXH3_createState();
  if (!state) return 0;
  (void)XXH3_64bits_reset(state);
  while ((count = read(fd, piece, sizeof piece)) > 0)
    (void)XXH3_64bits_update(state, piece, (size_t)count);
  const uint64_t hash = count == 0 ? XXH3_64bits_digest(state) : 0;
  XXH3_freeState(state);
  return hash;
}

uint64_t objects_hash(const char *path)
{
  static char last[1024];
  static uint64_t hash;
  if (strcmp(path, last) == 0) return hash;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const uint64_t found = fd >= 0 ? hash_of(fd) : 0;
  if (fd >= 0) close(fd);
  if (!found) return 0;
  hash = found;
  snprintf(last, sizeof last, "%s", path);
  return hash;
}

uint64_t objects_hash_of(const void *address)
{
  char path[4096];
  uintptr_t base;
  return objects_of(address, path, sizeof path, &base) == TRM_OK ? objects_hash(path) : 0;
}
