/* balance.c - weights of devices that are measured. After some launches the next ones are waited
 * for and timed; then rows are shared out in proportion to how many of them each device did in a
 * second. That is repeated later, when clocks and caches are warm. Over ranks each times its own
 * devices; rank 0 asks for it, and decides. Rows move to where the new cut
 * wants them when they are read there, as any others. Bits do not depend on the cut. */
#include "core/crew/crew.h"

#include <stdlib.h>

enum { TIMED = 64 };           /* launches */

typedef struct crew_balance {
  size_t launches, next;       /* so far; at which the next measurement begins */
  int is_timed, is_told;       /* is_told: that rows stay as they are */
  double rates[];              /* rows a second of each device, then its weight before; then what it
                                * had spent when it began to be timed */
} crew_balance;

trm_status crew_balance_begin(crew_device *crew)
{
  crew->balance = calloc(1, sizeof *crew->balance + 3 * crew->count * sizeof(double));
  if (!crew->balance) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the devices' weights");
  crew->balance->next = 16;
  return TRM_OK;
}

/* Seconds of shared launches so far. is_exact: from now on each is waited for. */
static trm_status read_clock(const crew_device *crew, size_t m, int is_exact, double *seconds)
{
  trm_device *device = crew->members[m].device;
  trm_spent spent = device->spent;
  if (crew->drivers) {
    *seconds = drivers_times(crew->drivers, m).launches;
    return TRM_OK;
  }
  if (device->is_remote) TRM_TRY(remote_spent(device, is_exact, &spent));
  device->is_exact = is_exact;
  *seconds = spent.launches;
  return TRM_OK;
}

/* Each device keeps a unit of every buffer; else the first that would have none. */
static const crew_member *find_idle(const crew_device *crew)
{
  for (size_t m = 0; m < crew->count; m++)
    if (crew_own(crew, crew->fewest, 1, m).count == 0) return &crew->members[m];
  return NULL;
}

static void tell_idle(crew_device *crew, const crew_member *idle)
{
  char name[64];
  if (crew->balance->is_told) return;
  crew->balance->is_told = 1;
  crew_name_member(idle, name, sizeof name);
  trmi_log(TRM_LOG_WARNING, "the devices' weights were measured, and rows stay as they are shared "
           "out: %s is so slow that it would have none of %zu %s; name the devices without it",
           name, crew->fewest,
           crew->fewest == 1 ? crew->fewest_called.one : crew->fewest_called.several);
}

static void tell_cut(const crew_device *crew)
{
  char text[1024] = "";
  for (size_t m = 0; m < crew->count; m++) {
    char name[64];
    crew_name_member(&crew->members[m], name, sizeof name);
    trmi_append(text, sizeof text, "%s%s %zu", m ? ", " : "", name,
                crew_own(crew, crew->total, crew->grain, m).count);
  }
  trmi_log(TRM_LOG_INFO, "rows are shared out anew, as the devices were measured: %s of %zu", text,
           crew->total);
}

/* Where all would end together earlier than the slowest does now. */
static trm_status change_weights(crew_device *crew)
{
  double most = 0, all = 0, *rate = crew->balance->rates, *before = rate + crew->count;
  const double *begin = before + crew->count;
  int is_known = 1;
  for (size_t m = 0; m < crew->count; m++) {
    double seconds;
    TRM_TRY(read_clock(crew, m, 0, &seconds));
    seconds -= begin[m];
    const double rows = (double)crew_own(crew, crew->total, crew->grain, m).count;
    is_known = is_known && seconds > 0;
    rate[m] = rows / seconds;
    before[m] = crew->weights[m];
    all += rate[m];
    if (seconds > most) most = seconds;
  }
  if (!is_known || (double)crew->total / all > 0.95 * most) return TRM_OK;
  for (size_t m = 0; m < crew->count; m++) crew->weights[m] = rate[m] / all;
  const crew_member *idle = find_idle(crew);
  for (size_t m = 0; m < crew->count && idle; m++) crew->weights[m] = before[m];
  if (idle) {
    tell_idle(crew, idle);
    return TRM_OK;
  }
  crew->cut++;
  tell_cut(crew);
  return TRM_OK;
}

trm_status crew_weigh(crew_device *crew)
{
  crew_balance *balance = crew->balance;
  double *begin = balance->rates + 2 * crew->count;
  balance->launches++;
  if (balance->launches < balance->next) return TRM_OK;
  if (!balance->is_timed) {
    if (crew->drivers) drivers_clear(crew->drivers, 1);
    for (size_t m = 0; m < crew->count; m++) TRM_TRY(read_clock(crew, m, 1, &begin[m]));
    balance->is_timed = 1;
    balance->next += TIMED;
    return TRM_OK;
  }
  TRM_TRY(change_weights(crew));
  if (crew->drivers) drivers_clear(crew->drivers, 0);
  balance->is_timed = 0;
  balance->next *= 8;
  return TRM_OK;
}
