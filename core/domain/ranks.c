/* ranks.c - see ranks.h. */
#include "core/domain/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/crew/ranks.h"

int domain_ranks(void) { return ranks_place()->size; }

trm_status domain_ranks_begin(domain_rank_fn *run, const void *bytes, size_t count,
                              domain_comm *out)
{
  ranks_called called;
  uintptr_t at, base;
  unsigned char *told = malloc(sizeof called + count);
  if (!told) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the orders of ranks");
  memset(&called, 0, sizeof called);
  memcpy(&at, &run, sizeof at);
  trm_status status = ranks_object_of((const void *)at, called.path, sizeof called.path, &base);
  called.offset = (uint64_t)(at - base);
  memcpy(told, &called, sizeof called);
  memcpy(told + sizeof called, bytes, count);
  for (int rank = 1; rank < domain_ranks() && status == TRM_OK; rank++) {
    ranks_message message = { .bytes = sizeof called + count };
    status = remote_tell(rank, RANKS_CALL, &message, told);
  }
  free(told);
  if (status == TRM_OK) *out = ranks_comm();
  return status;
}

trm_status domain_ranks_names(const char *devices, char **out)
{
  const size_t ranks = (size_t)domain_ranks();
  size_t entries = 1;
  for (const char *c = devices; *c; c++) entries += *c == ',';
  if (strchr(devices, '@'))
    return TRM_FAIL(INPUT, "devices \"%s\": a rank has one device, and @ names none of another "
                    "rank; start as many ranks as devices, and name one for each in the order of "
                    "ranks", devices);
  if (ranks > 1 && entries > 1 && entries != ranks)
    return TRM_FAIL(INPUT, "devices \"%s\": %zu devices for %zu ranks; name one for each, in the "
                    "order of ranks", devices, entries, ranks);
  const size_t copies = entries > 1 ? 1 : ranks, bytes = (strlen(devices) + 1) * copies;
  char *names = calloc(bytes, 1);
  if (!names) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the names of devices");
  for (size_t i = 0; i < copies; i++)
    trmi_append(names, bytes, "%s%s", i ? "," : "", devices);
  *out = names;
  return TRM_OK;
}
