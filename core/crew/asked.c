/* asked.c - what a solver or a program asks of several devices: whose rows are whose, what each has
 * spent, and what each is to carry out itself. */
#include "core/counters.h"
#include "core/crew/crew.h"
#include "core/domain/parts.h"

#include <string.h>

void trm_device_replicate(trm_device *device, int on)
{
  if (device && device->is_crew) device->is_replicated = on;
}

trm_status trm_device_spent(trm_device *device, size_t m, trm_spent *out)
{
  const domain_device *domain = device ? device->domain : NULL;
  if (!device || !(device->is_crew || domain) || !out)
    return TRM_FAIL(INVALID, "trm_device_spent: one device");
  if (domain && m < domain->parts) {
    *out = m == domain->part ? device->spent : domain->peers[m].tally.spent;
    return TRM_OK;
  }
  if (domain) return TRM_FAIL(UNSUPPORTED, "trm_device_spent: device %zu of %zu", m, domain->parts);
  const crew_device *crew = device->handle;
  if (m >= crew->count)
    return TRM_FAIL(UNSUPPORTED, "trm_device_spent: device %zu of %zu", m, crew->count);
  trm_device *member = crew->members[m].device;
  if (member->is_remote) return remote_spent(member, member->is_exact, out);
  if (!crew->drivers) {
    *out = member->spent;
    return TRM_OK;
  }
  const crew_times times = drivers_times(crew->drivers, m);
  *out = (trm_spent){ times.launches, times.rows };
  return TRM_OK;
}

trm_status trm_device_own(const trm_device *device, size_t rows, size_t m, size_t *first,
                          size_t *count)
{
  const crew_device *crew = device && device->is_crew ? device->handle : NULL;
  const domain_device *domain = device ? device->domain : NULL;
  const size_t parts = crew ? crew->count : domain ? domain->parts : 0;
  if (m >= parts || !first || !count)
    return TRM_FAIL(INVALID, "trm_device_own: no device %zu of several, or nowhere to write", m);
  const domain_span own = domain_own(crew ? crew->weights : domain->weights, parts, rows, 1, m);
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

int trm_device_is_one_process(const trm_device *device)
{
  return device && device->is_crew && ((const crew_device *)device->handle)->drivers != NULL;
}

size_t trm_device_parts(const trm_device *device, size_t most, trm_device_part *out)
{
  if (device && device->domain) return domain_describe_parts(device->domain, most, out);
  if (!device || !device->is_crew) return 0;
  const crew_device *crew = device->handle;
  for (size_t m = 0; m < crew->count && m < most && out; m++) {
    const crew_span own = crew->total ? crew_own(crew, crew->total, crew->grain, m)
                            : (crew_span){ 0, 0 };
    out[m] = (trm_device_part){ trm_device_describe(crew->members[m].device),
                                crew->weights[m], own.first, own.count,
                                crew->members[m].rank, ranks_node(crew->members[m].rank) };
  }
  return crew->count;
}

/* ---- memory ---------------------------------------------------------------------- */

void trmi_crew_memory(const trm_device *device, uint64_t *held, uint64_t *most)
{
  const crew_device *crew = device->handle;
  *held = *most = 0;
  for (size_t m = 0; m < crew->count; m++) {
    const trm_counters *one = &crew->members[m].device->counters;
    if (one->held_bytes > *held) *held = one->held_bytes;
    if (one->most_bytes > *most) *most = one->most_bytes;
  }
}

uint64_t trm_device_part_bytes(const trm_device *device, size_t m)
{
  const crew_device *crew = device && device->is_crew ? device->handle : NULL;
  const domain_device *domain = device ? device->domain : NULL;
  if (domain) return m < domain->parts ? domain->peers[m].tally.most_bytes : 0;
  return crew && m < crew->count ? crew->members[m].device->counters.most_bytes : 0;
}

static int is_whole_alike(const trm_device_info *a, const trm_device_info *b)
{
  return strcmp(a->backend, b->backend) == 0 && strcmp(a->whole, b->whole) == 0;
}

static const trm_device_info *info_of(const trm_device *device, size_t m)
{
  const crew_device *crew = device->is_crew ? device->handle : NULL;
  if (device->domain) return &device->domain->peers[m].info;
  return &crew->members[m].device->info;
}

const char *trm_device_whole(const trm_device *device, size_t m)
{
  if (!device || m >= trm_device_parts(device, 0, NULL)) return NULL;
  const trm_device_info *info = info_of(device, m);
  for (size_t i = 0; i < m; i++)
    if (is_whole_alike(info_of(device, i), info)) return NULL;
  return info->whole[0] ? info->whole : NULL;
}

/* Members that share a device take their memory from it together. A device that takes whole buffers
 * needs all. */
trm_status trmi_crew_require(trm_device *device, uint64_t bytes, const char *what)
{
  const crew_device *crew = device->handle;
  double all = 0;
  for (size_t m = 0; m < crew->count; m++) all += crew->weights[m];
  for (size_t m = 0; m < crew->count; m++) {
    double part = 0;
    for (size_t i = 0; i < crew->count; i++) {
      const crew_member *other = &crew->members[i];
      if (crew_is_same(other, &crew->members[m]))
        part += other->device->info.whole[0] ? 1 : crew->weights[i] / all;
    }
    TRM_TRY(trm_device_require(crew->members[m].device, (uint64_t)(part * (double)bytes), what));
  }
  return TRM_OK;
}

void trmi_crew_name(const trm_buffer *buffer)
{
  const crew_device *crew = buffer->device->handle;
  const crew_buffer *parts = buffer->handle;
  for (size_t m = 0; m < crew->count; m++)
    memcpy(parts->parts[m]->name, buffer->name, sizeof buffer->name);
}
