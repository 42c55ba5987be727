/* device.c - see device.h: how a device becomes that of a part, what it says of itself, and how
 * part 0 and the others speak between batches. */
#include "core/counters.h"
#include "core/domain/pack.h"
#include "core/domain/objects.h"
#include "core/domain/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- calls of the part's own -------------------------------------------------------- */

domain_device *domain_of(const trm_device *device)
{
  return device->domain && !device->domain->is_inside ? device->domain : NULL;
}

int domain_shares(const trm_device *device, trm_buffer *const *buffers, size_t count)
{
  if (!domain_of(device)) return 0;
  for (size_t i = 0; i < count; i++)
    if (buffers[i]->part) return 1;
  return !device->domain->is_alone;
}

domain_visit domain_enter(trm_device *device)
{
  const domain_visit visit = { device->trace, device->counters };
  device->domain->is_inside++;
  device->trace = NULL;
  return visit;
}

/* Memory counts, commands and copies do not. */
void domain_leave(trm_device *device, const domain_visit *visit)
{
  const trm_counters now = device->counters;
  device->domain->is_inside--;
  device->trace = visit->trace;
  device->counters = visit->counters;
  device->counters.held_bytes = now.held_bytes;
  device->counters.most_bytes = now.most_bytes;
}

/* ---- life ------------------------------------------------------------------------ */

void domain_device_free(trm_device *device)
{
  domain_device *domain = device->domain;
  if (!domain) return;
  device->domain = NULL;
  if (domain->part > 0) domain_saving_free(&domain->files); /* part 0: the caller's */
  domain_post_destroy(&domain->post);
  domain_exchange_destroy(&domain->plain);
  domain_direct_destroy(&domain->direct);
  domain_plan_destroy(&domain->plan);
  free(domain->buffers);
  free(domain->balance);
  free(domain->weights);
  free(domain->peers);
  free(domain);
}

void domain_device_close(trm_device *device)
{
  if (!device->domain) return;
  domain_device *domain = device->domain;
  const domain_visit visit = domain_enter(device);
  if (domain->direct) {
    trmi_device_wait(device);
    domain_direct_leave(domain->direct, domain_post_is_lost(domain->post));
    domain_direct_destroy(&domain->direct);
  }
  pack_free(device);
  domain_leave(device, &visit);
}

/* As many as there is room for, and how many more. */
static void name_devices(const domain_device *domain, char *out, size_t bytes)
{
  char one[64], more[32];
  *out = 0;
  for (size_t m = 0; m < domain->parts; m++) {
    const trm_device_info *info = &domain->peers[m].info;
    snprintf(one, sizeof one, "%s%s:%zu", m ? ", " : "", info->backend, info->index);
    snprintf(more, sizeof more, " and %zu more", domain->parts - m);
    const size_t kept = m + 1 < domain->parts ? strlen(more) : 0;
    if (strlen(out) + strlen(one) + kept >= bytes) {
      trmi_append(out, bytes, "%s", more);
      return;
    }
    trmi_append(out, bytes, "%s", one);
  }
}

static void log_whole(const trm_device *device)
{
  const domain_device *domain = device->domain;
  trmi_log_to(device->context);
  for (size_t m = 0; m < domain->parts && domain->part == 0; m++) {
    const trm_device_info *one = &domain->peers[m].info;
    const char *why = trm_device_whole(device, m);
    if (why)
      trmi_log(TRM_LOG_INFO, "%s:%zu has memory for whole buffers, not for its own rows alone: %s",
               one->backend, one->index, why);
  }
}

/* A fact is that of all devices, or serves the device that needs most. */
static void describe(domain_device *domain)
{
  trm_device_info *out = &domain->shown;
  *out = domain->peers[0].info;
  snprintf(out->backend, sizeof out->backend, "devices");
  out->index = domain->parts;
  out->pci[0] = 0;
  out->memory_bytes = 0;
  out->compute_units = 0;
  for (size_t m = 0; m < domain->parts; m++) {
    const trm_device_info *one = &domain->peers[m].info;
    if (one->max_buffer_bytes &&
        (!out->max_buffer_bytes || one->max_buffer_bytes < out->max_buffer_bytes))
      out->max_buffer_bytes = one->max_buffer_bytes;
    out->has_f64 &= one->has_f64;
    out->compute_units += one->compute_units;
    if (one->row_align_bytes > out->row_align_bytes) out->row_align_bytes = one->row_align_bytes;
    if (one->ghost_columns > out->ghost_columns) out->ghost_columns = one->ghost_columns;
    if (strcmp(one->fused, out->fused) != 0)
      snprintf(out->fused, sizeof out->fused, "different numbers on different devices");
    if (strcmp(one->driver, out->driver) != 0) snprintf(out->driver, sizeof out->driver, "several");
    if (strcmp(one->compiler, out->compiler) != 0)
      snprintf(out->compiler, sizeof out->compiler, "several");
  }
  name_devices(domain, out->name, sizeof out->name);
}

/* ---- rows that parts make ------------------------------------------------------------ */

void trm_device_made_rows(const trm_device *device, size_t rows, size_t block, size_t *first,
                          size_t *count)
{
  const domain_device *domain = device ? domain_of(device) : NULL;
  domain_span own = { 0, rows };
  if (domain && !domain->is_alone)
    own = domain_plan_own(domain->plan, rows, block, domain->part);
  *first = own.first;
  *count = own.count;
}

trm_status trm_device_complete_rows(trm_device *device, trm_status own, void *values, size_t rows,
                                    size_t block, size_t bytes)
{
  domain_device *domain = device ? domain_of(device) : NULL;
  if (!domain || domain->is_alone) return own;
  size_t *counts = calloc(domain->parts, sizeof *counts);
  if (!counts && own == TRM_OK)
    own = TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu parts", domain->parts);
  for (size_t m = 0; counts && m < domain->parts; m++)
    counts[m] = domain_plan_own(domain->plan, rows, block, m).count * bytes;
  trm_status status = domain_agree_within(domain, own);
  if (status == TRM_OK)
    status = domain_post_note(domain->post, domain->comm.table->allgather(domain->comm.handle,
                                                                         values, counts));
  free(counts);
  return status;
}

/* ---- a part's device ----------------------------------------------------------------- */

static trm_status fill(trm_device *device, domain_device *domain, const double *weights)
{
  enum { SHARE = 16 };          /* of the smallest part's rows, computed twice at most */
  domain->weights = calloc(domain->parts, sizeof *domain->weights);
  domain->peers = calloc(domain->parts, sizeof *domain->peers);
  if (!domain->weights || !domain->peers)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu parts", domain->parts);
  memcpy(domain->weights, weights, domain->parts * sizeof *weights);
  TRM_TRY(domain_plan_create(weights, domain->parts, SHARE, &domain->plan));
  TRM_TRY(domain_post_create(&domain->comm, &domain->post));
  TRM_TRY(domain_exchange_create(&domain->plain));
  domain_peer *own = &domain->peers[domain->part];
  own->info = device->info;
  own->is_whole = device->info.whole[0] != 0;
  own->device = device;
  snprintf(own->node, sizeof own->node, "%s", domain->comm.place.node);
  if (!domain->comm.is_one_process) own->plugin = objects_hash_of(device->table);
  return TRM_OK;
}

/* Two builds of a backend need not agree about bits, nor about the kernels that they take. */
static trm_status compare_plugins(const domain_device *domain)
{
  for (size_t m = 1; m < domain->parts; m++) {
    const domain_peer *own = &domain->peers[m];
    size_t first = 0;
    while (strcmp(domain->peers[first].info.backend, own->info.backend) != 0) first++;
    if (own->plugin != domain->peers[first].plugin)
      return TRM_FAIL(INVALID, "rank %zu on %s has another build of the backend \"%s\" than rank "
                      "%zu on %s; install the same one on all machines, and set "
                      "TRIREME_BACKEND_PATH alike", m, own->node, own->info.backend, first,
                      domain->peers[first].node);
  }
  return TRM_OK;
}

static int is_reached(const domain_device *domain, size_t m, size_t other)
{
  const trm_backend *table = domain->peers[m].device->table;
  return m != other && table->arrive && domain->peers[other].device->table == table;
}

/* On part 0, before there are buffers: launches and copies of each device may reach the others. */
static trm_status give_access(const domain_device *domain)
{
  for (size_t m = 0; m < domain->parts; m++)
    for (size_t from = 0; from < domain->parts; from++) {
      const trm_device *device = domain->peers[m].device, *other = domain->peers[from].device;
      int can;
      if (is_reached(domain, m, from) && device->table->peer_access)
        TRM_TRY(device->table->peer_access(device->handle, other->handle, &can));
    }
  return TRM_OK;
}

/* Other ranks of this machine whose devices are of a backend that shares memory with them. All such
 * ranks have at least one other, or none meets. */
static trm_status meet_ranks(trm_device *device, domain_device *domain)
{
  const domain_peer *own = &domain->peers[domain->part];
  size_t count = 0, *near = calloc(domain->parts, sizeof *near);
  if (!near) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu parts", domain->parts);
  for (size_t m = 0; m < domain->parts && device->table->adopt; m++) {
    const domain_peer *other = &domain->peers[m];
    if (m != domain->part && strcmp(other->node, own->node) == 0 &&
        strcmp(other->info.backend, own->info.backend) == 0)
      near[count++] = m;
  }
  const domain_visit visit = domain_enter(device);
  trm_status status = TRM_OK;
  if (count > 0) status = domain_direct_create(device, &domain->comm, &domain->direct);
  if (count > 0 && status == TRM_OK) status = domain_direct_meet(domain->direct, near, count);
  domain_leave(device, &visit);
  free(near);
  return status;
}

/* Rows go from device to device where both are of one backend that can, in this process or on this
 * machine. */
static trm_status find_direct(trm_device *device, domain_device *domain)
{
  if (!domain->comm.is_one_process) return meet_ranks(device, domain);
  for (size_t m = 0; m < domain->parts; m++) {
    if (!is_reached(domain, domain->part, m)) continue;
    if (!domain->direct) TRM_TRY(domain_direct_create(device, &domain->comm, &domain->direct));
    TRM_TRY(domain_direct_open(domain->direct, m));
  }
  return domain->part == 0 ? give_access(domain) : TRM_OK;
}

trm_status domain_device_join(trm_device *device, const domain_comm *comm, const double *weights)
{
  const char *debug = getenv("TRIREME_DEBUG_BUFFERS");
  if (comm->place.size == 1) return TRM_OK;
  domain_device *domain = calloc(1, sizeof *domain);
  if (!domain)
    return domain_agree(comm, TRM_FAIL(NO_HOST_MEMORY, "no memory for %d parts",
                                       comm->place.size));
  domain->comm = *comm;
  domain->parts = (size_t)comm->place.size;
  domain->part = (size_t)comm->place.rank;
  trm_status status = domain_check_read(&domain->is_checked);
  domain->holds_unused = !device->info.is_host || (debug && strcmp(debug, "rows") == 0);
  device->domain = domain;
  if (status == TRM_OK) status = fill(device, domain, weights);
  status = domain_agree(comm, status);
  if (status == TRM_OK) status = domain_gather(&domain->comm, domain->peers, sizeof *domain->peers);
  if (status == TRM_OK) status = domain_agree(comm, compare_plugins(domain));
  if (status == TRM_OK) status = domain_agree(comm, find_direct(device, domain));
  if (status != TRM_OK) {
    domain_device_free(device);
    return status;
  }
  describe(domain);
  log_whole(device);
  device->info.row_align_bytes = domain->shown.row_align_bytes;
  device->info.ghost_columns = domain->shown.ghost_columns;
  return TRM_OK;
}

void domain_device_keep(trm_device *device, void *kept)
{
  if (device->domain) device->domain->kept = kept;
}

void *domain_device_kept(const trm_device *device)
{
  return device->domain ? device->domain->kept : NULL;
}

/* ---- agreement --------------------------------------------------------------------- */

trm_status domain_failure(const domain_device *domain)
{
  TRM_TRY(trmi_error_again(&domain->failed));
  return domain_post_check(domain->post);
}

trm_status domain_agree_now(domain_device *domain, trm_status own)
{
  /* A failure of a launch came before that of the call. */
  if (own == TRM_OK || domain->failed.status != TRM_OK) own = domain_failure(domain);
  if (domain_post_is_lost(domain->post)) return own;
  return domain_agree(&domain->comm, own);
}

/* Once a call has failed on all parts, nobody waits for this one. */
trm_status domain_agree_within(domain_device *domain, trm_status own)
{
  TRM_TRY(trmi_error_again(&domain->over));
  const trm_status status = domain_agree_now(domain, own);
  trmi_error_first(&domain->over, status);
  return status;
}

trm_status trm_device_agree(trm_device *device, trm_status own)
{
  domain_device *domain = device ? domain_of(device) : NULL;
  return domain && !domain->is_alone ? domain_agree_within(domain, own) : own;
}

trm_status domain_device_agree(trm_device *device, trm_status own)
{
  domain_device *domain = device->domain;
  if (!domain) return own;
  const trm_error over = domain->over;
  domain->over.status = TRM_OK;
  TRM_TRY(trmi_error_again(&over));
  if (own == TRM_OK) own = trm_device_finish(device);
  TRM_TRY(domain_agree_now(domain, own));
  domain_tally *all = calloc(domain->parts, sizeof *all);
  if (!all) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu parts", domain->parts);
  all[domain->part] = (domain_tally){ device->spent, device->counters.held_bytes,
                                      device->counters.most_bytes, domain->moved };
  const trm_status status =
    domain_post_note(domain->post, domain_gather(&domain->comm, all, sizeof *all));
  for (size_t m = 0; m < domain->parts && status == TRM_OK; m++) domain->peers[m].tally = all[m];
  free(all);
  if (status == TRM_OK) trmi_error_first(&domain->failed, domain_weigh(device));
  return status;
}

int domain_device_way(const trm_device *device, domain_way *out)
{
  const domain_device *domain = device->domain;
  if (!domain) return 0;
  *out = (domain_way){ .carrier = domain->comm.place.library,
                       .direct_by = domain->comm.is_one_process ? NULL : device->table->shared_by };
  for (size_t m = 0; m < domain->parts; m++) {
    const domain_tally *one = &domain->peers[m].tally;
    out->moved.messages += one->moved.messages;
    out->moved.host_bytes += one->moved.host_bytes;
    out->moved.direct_bytes += one->moved.direct_bytes;
    out->moved.other_bytes += one->moved.other_bytes;
    out->seconds += one->spent.rows;
  }
  return 1;
}

/* ---- part 0 and the others ------------------------------------------------------------ */

/* Between records of the caller. */
typedef struct asked {
  uint64_t number, offset, bytes;
} asked;

trm_status domain_device_broadcast(trm_device *device, void *bytes, size_t count)
{
  domain_device *domain = device->domain;
  const domain_comm *comm = &domain->comm;
  TRM_TRY(domain_post_check(domain->post));
  return domain_post_note(domain->post, comm->table->broadcast(comm->handle, 0, bytes, count));
}

trm_status domain_device_tell(trm_device *device, const domain_record *record)
{
  domain_record sent = *record;
  if (!device->domain) return TRM_OK;
  TRM_TRY(domain_device_broadcast(device, &sent, sizeof sent));
  device->domain->is_alone = 0;
  return TRM_OK;
}

void domain_device_alone(trm_device *device)
{
  if (device->domain) device->domain->is_alone = 1;
}

trm_status domain_ask(trm_device *device, uint32_t kind, const trm_buffer *buffer, size_t offset,
                      size_t bytes)
{
  const asked what = { buffer->part->number, offset, bytes };
  domain_record record = { .kind = kind };
  memcpy(record.bytes, &what, sizeof what);
  return domain_device_broadcast(device, &record, sizeof record);
}

static trm_status take(trm_device *device, trm_buffer *buffer, const asked *what)
{
  unsigned char *bytes = malloc(what->bytes);
  if (!bytes) /* the others would wait for ever */
    return domain_post_note(device->domain->post, TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu "
                                                           "bytes", (size_t)what->bytes));
  trm_status status = domain_device_broadcast(device, bytes, what->bytes);
  if (status == TRM_OK)
    status = domain_agree_now(device->domain, domain_buffer_written(buffer, what->offset,
                                                                    what->bytes, bytes));
  free(bytes);
  return status;
}

static trm_status serve(trm_device *device, const domain_record *record)
{
  domain_device *domain = device->domain;
  asked what;
  if (record->kind != DOMAIN_READ && record->kind != DOMAIN_WRITE)
    return domain_saving_serve(device, record);
  memcpy(&what, record->bytes, sizeof what);
  trm_buffer *buffer = what.number < domain->buffer_count ? domain->buffers[what.number] : NULL;
  if (!buffer)
    return domain_post_note(domain->post, TRM_FAIL(INVALID, "part 0 asks for buffer %zu, which "
                                                   "part %zu has not", (size_t)what.number,
                                                   domain->part));
  if (record->kind == DOMAIN_WRITE) return take(device, buffer, &what);
  return domain_agree_now(domain, domain_buffer_give(buffer, what.offset, what.bytes));
}

/* A failure was agreed on: part 0 knows it, and says what comes next. */
trm_status domain_device_hear(trm_device *device, domain_record *out)
{
  domain_device *domain = device->domain;
  for (;;) {
    domain_record record = { .kind = 0 };
    TRM_TRY(domain_device_broadcast(device, &record, sizeof record));
    if (record.kind >= DOMAIN_KINDS) {
      *out = record;
      return TRM_OK;
    }
    const trm_status status = serve(device, &record);
    if (domain_post_is_lost(domain->post)) return status;
  }
}

/* ---- asking ------------------------------------------------------------------------- */

size_t domain_describe_parts(const domain_device *domain, size_t most, trm_device_part *out)
{
  for (size_t m = 0; m < domain->parts && m < most && out; m++) {
    const domain_span none = { 0, 0 };
    const domain_span own = domain->total
                            ? domain_plan_own(domain->plan, domain->total, domain->grain, m) : none;
    const domain_peer *peer = &domain->peers[m];
    out[m] = (trm_device_part){ &peer->info, domain->weights[m], own.first, own.count,
                                domain->comm.is_one_process ? 0 : (int)m, peer->node };
  }
  return domain->parts;
}

/* Parts that share a device take their memory from it together. */
trm_status domain_require(trm_device *device, uint64_t bytes, const char *what)
{
  const domain_device *domain = device->domain;
  const domain_peer *own = &domain->peers[domain->part];
  double all = 0, part = 0;
  for (size_t m = 0; m < domain->parts; m++) all += domain->weights[m];
  for (size_t m = 0; m < domain->parts; m++) {
    const domain_peer *other = &domain->peers[m];
    if (strcmp(other->info.backend, own->info.backend) == 0 &&
        other->info.index == own->info.index && strcmp(other->node, own->node) == 0)
      part += other->is_whole ? 1 : domain->weights[m] / all;
  }
  const domain_visit visit = domain_enter(device);
  const trm_status status = trm_device_require(device, (uint64_t)(part * (double)bytes), what);
  domain_leave(device, &visit);
  return status;
}
