/* agree.c - whether all parts succeeded; else each part knows the first failure. */
#include "core/domain/domain.h"
#include "core/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct failure {
  int32_t status;
  char text[sizeof((trm_error *)0)->text];
} failure;

static failure keep_last(trm_status own)
{
  failure out = { .status = (int32_t)own };
  if (own != TRM_OK) snprintf(out.text, sizeof out.text, "%s", trm_error_last()->text);
  return out;
}

/* The part's own failure came before that of the link. */
static trm_status fail_link(const failure *own, trm_status link)
{
  if (own->status == TRM_OK) return link;
  return trm_error_record((trm_status)own->status, __FILE__, __LINE__, "%s", own->text);
}

trm_status domain_agree(const domain_comm *comm, trm_status own)
{
  const trm_comm_place *place = &comm->place;
  failure first = keep_last(own);
  int64_t most = own == TRM_OK ? 0 : place->size - place->rank; /* the lowest part has the most */
  trm_status link = comm->table->maxima(comm->handle, &most, 1);
  if (link != TRM_OK) return fail_link(&first, link);
  if (most == 0) return TRM_OK;
  const int from = place->size - (int)most;
  link = comm->table->broadcast(comm->handle, from, &first, sizeof first);
  if (link != TRM_OK) return fail_link(&first, link);
  first.text[sizeof first.text - 1] = 0;
  if (from == 0 || !*comm->called)
    return trm_error_record((trm_status)first.status, __FILE__, __LINE__, "%s", first.text);
  return trm_error_record((trm_status)first.status, __FILE__, __LINE__, "%s %d: %s", comm->called,
                          from, first.text);
}

trm_status domain_gather(const domain_comm *comm, void *all, size_t each)
{
  const size_t parts = (size_t)comm->place.size;
  size_t *counts = calloc(parts, sizeof *counts);
  if (!counts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu parts", parts);
  for (size_t m = 0; m < parts; m++) counts[m] = each;
  const trm_status status = comm->table->allgather(comm->handle, all, counts);
  free(counts);
  return status;
}
