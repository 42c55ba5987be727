/* balance.c - weights of parts that are measured. After some launches each part times its next
 * ones. Then rows are shared out in proportion to how many of them each part did in a second. That
 * is repeated later, when clocks and caches are warm.
 *
 * The clocks are gathered when all agree, so all parts come to the same weights. Rows go to their
 * new parts as any others, before the launch that reads them. At the next agreement a part gives
 * back the memory of rows that are not its own any more. */
#include "core/domain/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 16, TIMED = 64 }; /* launches */

struct domain_balance {
  uint64_t next;                /* launches at which the next measurement begins, or ends */
  int is_timed, has_moved, is_told; /* is_told: that rows stay as they are */
  double numbers[];             /* of each part: its clock when it began to be timed, its rate */
};

trm_status domain_device_measure(trm_device *device)
{
  domain_device *domain = device->domain;
  if (!domain) return TRM_OK;
  domain->balance = calloc(1, sizeof *domain->balance + 2 * domain->parts * sizeof(double));
  if (domain->balance) domain->balance->next = FIRST;
  return domain_agree(&domain->comm, domain->balance ? TRM_OK
                                     : TRM_FAIL(NO_HOST_MEMORY, "no memory for the devices' "
                                                "weights"));
}

static size_t rows_of(const domain_device *domain, size_t m)
{
  return domain_plan_own(domain->plan, domain->total, domain->grain, m).count;
}

/* ---- what is told --------------------------------------------------------------------- */

void domain_name_part(const domain_device *domain, size_t m, char *out, size_t bytes)
{
  const trm_device_info *info = &domain->peers[m].info;
  char of_rank[32] = "";
  if (!domain->comm.is_one_process) snprintf(of_rank, sizeof of_rank, "@%zu", m);
  snprintf(out, bytes, "%s:%zu%s", info->backend, info->index, of_rank);
}

static void tell_cut(const trm_device *device)
{
  const domain_device *domain = device->domain;
  char text[1024] = "", name[96];
  if (domain->part > 0) return;
  for (size_t m = 0; m < domain->parts; m++) {
    domain_name_part(domain, m, name, sizeof name);
    trmi_append(text, sizeof text, "%s%s %zu", m ? ", " : "", name,
                rows_of(domain, m));
  }
  trmi_log_to(device->context);
  trmi_log(TRM_LOG_INFO, "rows are shared out anew, as the devices were measured: %s of %zu", text,
           domain->total);
}

static void tell_idle(const trm_device *device, size_t m)
{
  const domain_device *domain = device->domain;
  char name[96];
  if (domain->part > 0 || domain->balance->is_told) return;
  domain->balance->is_told = 1;
  domain_name_part(domain, m, name, sizeof name);
  trmi_log_to(device->context);
  trmi_log(TRM_LOG_WARNING, "the devices' weights were measured, and rows stay as they are shared "
           "out: %s is so slow that it would have none of %zu rows; name the devices without it",
           name, domain->fewest);
}

/* ---- weights -------------------------------------------------------------------------- */

static void set_weights(domain_device *domain, const double *weights)
{
  memcpy(domain->weights, weights, domain->parts * sizeof *weights);
  domain_plan_weigh(domain->plan, weights);
}

/* The rate of each part, if all would end together a twentieth earlier than the slowest does. */
static int find_rates(const domain_device *domain, const double *begin, double *rates)
{
  double most = 0, all = 0;
  for (size_t m = 0; m < domain->parts; m++) {
    const double seconds = domain->peers[m].tally.spent.launches - begin[m];
    if (!(seconds > 0)) return 0;
    rates[m] = (double)rows_of(domain, m) / seconds;
    all += rates[m];
    if (seconds > most) most = seconds;
  }
  return (double)domain->total / all <= 0.95 * most;
}

/* Each part keeps a row of every buffer. */
static void change_weights(trm_device *device)
{
  domain_device *domain = device->domain;
  domain_balance *balance = domain->balance;
  double *rates = balance->numbers + domain->parts;
  if (!find_rates(domain, balance->numbers, rates)) return;
  for (size_t m = 0; m < domain->parts; m++) {
    if (domain_own(rates, domain->parts, domain->fewest, 1, m).count > 0) continue;
    tell_idle(device, m);
    return;
  }
  set_weights(domain, rates);
  domain->cut++;
  balance->has_moved = 1;
  tell_cut(device);
}

/* ---- at each agreement ------------------------------------------------------------------ */

/* Exchanges that were kept reckon with this memory. */
static trm_status give_back(domain_device *domain)
{
  trm_status status = TRM_OK;
  for (size_t i = 0; i < domain->buffer_count && status == TRM_OK; i++)
    if (domain->buffers[i]) status = domain_buffer_trim(domain->buffers[i]);
  domain->cut++;
  domain->balance->has_moved = 0;
  return status;
}

static void begin_timing(domain_device *domain)
{
  domain_balance *balance = domain->balance;
  for (size_t m = 0; m < domain->parts; m++)
    balance->numbers[m] = domain->peers[m].tally.spent.launches;
}

trm_status domain_weigh(trm_device *device)
{
  domain_device *domain = device->domain;
  domain_balance *balance = domain->balance;
  if (!balance) return TRM_OK;
  const trm_status status = balance->has_moved ? give_back(domain) : TRM_OK;
  if (domain->launched < balance->next) return status;
  if (balance->is_timed) change_weights(device);
  else begin_timing(domain);
  balance->next = balance->is_timed ? 8 * domain->launched : domain->launched + TIMED;
  balance->is_timed = !balance->is_timed;
  device->is_exact = balance->is_timed;
  return status;
}
