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

/* "openmp@3*2" becomes "openmp*2" where it is of this rank. */
static int take_entry(const char *entry, size_t length, int rank, char *out, size_t bytes)
{
  const char *at = memchr(entry, '@', length);
  char *end = NULL;
  if (!at || strtol(at + 1, &end, 10) != rank || end == at + 1) return 0;
  trmi_append(out, bytes, "%s%.*s%.*s", *out ? "," : "", (int)(at - entry), entry,
              (int)(length - (size_t)(end - entry)), end);
  return 1;
}

trm_status domain_ranks_names(const char *devices, char **out)
{
  char *full = NULL;
  int rank = 0, is_each = 1;
  *out = NULL;
  TRM_TRY(ranks_names(devices, &full));
  const size_t bytes = strlen(full) + 1;
  char *names = calloc(bytes, 1);
  for (const char *at = full; at && names && is_each; rank++) {
    const size_t length = strcspn(at, ",");
    is_each = take_entry(at, length, rank, names, bytes);
    at = at[length] ? at + length + 1 : NULL;
  }
  free(full);
  if (!names) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the names of devices");
  if (is_each && rank == domain_ranks()) *out = names;
  else free(names);
  return TRM_OK;
}
