/* sharing.c - the functions of sharing.h and trireme.h about several devices, for a device that may
 * be a part of a run. On any other device declarations change nothing. */
#include "core/domain/parts.h"

#include <string.h>

/* ---- declarations ------------------------------------------------------------------ */

static trm_status check_rows(const trm_buffer *buffer, const trm_by_rows *rows)
{
  const size_t size = trm_type_size(rows->type);
  const trm_layout *l = &rows->layout;
  if (size == 0 || rows->nx == 0 || rows->ny == 0 || rows->nz == 0 || rows->components == 0)
    return TRM_FAIL(INVALID, "trm_buffer_rows: buffer \"%s\": %zu components of %zu x %zu x %zu "
                    "values of type %d; each is 1 or more, of a known type", buffer->name,
                    rows->components, rows->nx, rows->ny, rows->nz, (int)rows->type);
  const size_t all = rows->ny * rows->nz, end = rows->lists * (all + 1);
  const size_t last = (rows->components - 1) * l->component +
                      (!rows->starts ? (all - 1) * l->row : end ? rows->starts[end - 1] : 0);
  for (size_t i = 1; rows->starts && i < end; i++)
    if (rows->starts[i] < rows->starts[i - 1])
      return TRM_FAIL(INVALID, "trm_buffer_rows: buffer \"%s\": a row begins before the one "
                      "before it", buffer->name);
  const size_t row = rows->starts ? 0 : rows->nx + l->ghosts;
  if (l->first < l->ghosts || (l->first + last + row) * size > buffer->bytes)
    return TRM_FAIL(INVALID, "trm_buffer_rows: the rows do not lie inside buffer \"%s\" of %zu "
                    "bytes", buffer->name, buffer->bytes);
  return TRM_OK;
}

void trm_buffer_rows_called(trm_buffer *buffer, const char *one, const char *several)
{
  if (buffer && buffer->part) buffer->part->called = (domain_names){ one, several };
}

trm_status trm_buffer_rows(trm_buffer *buffer, const trm_by_rows *rows)
{
  if (!buffer || !rows) return TRM_FAIL(INVALID, "trm_buffer_rows: buffer or rows is NULL");
  TRM_TRY(check_rows(buffer, rows));
  return buffer->part ? domain_buffer_declare(buffer, rows) : TRM_OK;
}

trm_status trm_buffer_adjacency(trm_buffer *buffer, const trm_adjacency *near)
{
  if (!buffer || !near) return TRM_FAIL(INVALID, "trm_buffer_adjacency: buffer or near is NULL");
  return buffer->part && domain_of(buffer->device) ? domain_buffer_adjacency(buffer, near) : TRM_OK;
}

void trm_device_replicate(trm_device *device, int on)
{
  if (device && device->domain) device->is_replicated = on;
}

/* ---- questions --------------------------------------------------------------------- */

trm_status trm_device_spent(trm_device *device, size_t m, trm_spent *out)
{
  const domain_device *domain = device ? device->domain : NULL;
  if (!domain || !out) return TRM_FAIL(INVALID, "trm_device_spent: one device");
  if (m >= domain->parts)
    return TRM_FAIL(UNSUPPORTED, "trm_device_spent: device %zu of %zu", m, domain->parts);
  *out = m == domain->part ? device->spent : domain->peers[m].tally.spent;
  return TRM_OK;
}

trm_status trm_device_own(const trm_device *device, size_t rows, size_t m, size_t *first,
                          size_t *count)
{
  const domain_device *domain = device ? device->domain : NULL;
  if (!domain || m >= domain->parts || !first || !count)
    return TRM_FAIL(INVALID, "trm_device_own: no device %zu of several, or nowhere to write", m);
  const domain_span own = domain_plan_own(domain->plan, rows, 1, m);
  *first = own.first;
  *count = own.count;
  return TRM_OK;
}

int trm_buffer_takes(const trm_buffer *buffer, size_t offset, size_t bytes)
{
  const domain_device *domain = buffer && buffer->part ? buffer->device->domain : NULL;
  return !domain || domain->is_alone || domain_buffer_takes(buffer, offset, bytes);
}

int trm_device_is_part(const trm_device *device) { return device && device->domain; }

size_t trm_device_parts(const trm_device *device, size_t most, trm_device_part *out)
{
  return device && device->domain ? domain_describe_parts(device->domain, most, out) : 0;
}

uint64_t trm_device_part_bytes(const trm_device *device, size_t m)
{
  const domain_device *domain = device ? device->domain : NULL;
  return domain && m < domain->parts ? domain->peers[m].tally.most_bytes : 0;
}

static int is_whole_alike(const trm_device_info *a, const trm_device_info *b)
{
  return strcmp(a->backend, b->backend) == 0 && strcmp(a->whole, b->whole) == 0;
}

const char *trm_device_whole(const trm_device *device, size_t m)
{
  const domain_device *domain = device ? device->domain : NULL;
  if (!domain || m >= domain->parts) return NULL;
  const trm_device_info *info = &domain->peers[m].info;
  for (size_t i = 0; i < m; i++)
    if (is_whole_alike(&domain->peers[i].info, info)) return NULL;
  return info->whole[0] ? info->whole : NULL;
}
