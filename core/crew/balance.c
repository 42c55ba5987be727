/* balance.c - weights of devices that are measured. After some launches the next ones are waited
 * for and timed; then rows are shared out in proportion to how many of them each device did in a
 * second. That is repeated later, when clocks and caches are warm. Rows move to where the new cut
 * wants them when they are read there, as any others. Bits do not depend on the cut. */
#include "core/crew/crew.h"

#include <stdlib.h>

enum { TIMED = 64 };           /* launches */

typedef struct crew_balance {
  size_t launches, next;       /* so far; at which the next measurement begins */
  int is_timed;
} crew_balance;

trm_status crew_balance_begin(crew_device *crew)
{
  if (!crew->drivers)
    return TRM_FAIL(INPUT, "the weight auto is measured where all devices are of one process; over "
                    "ranks name numbers, as in \"cuda@0*2,cuda@1\"");
  crew->balance = calloc(1, sizeof *crew->balance);
  if (!crew->balance) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the devices' weights");
  crew->balance->next = 16;
  return TRM_OK;
}

/* Each device keeps a unit of every buffer. */
static int all_have_some(const crew_device *crew)
{
  for (size_t m = 0; m < crew->count; m++)
    if (crew_own(crew, crew->fewest, 1, m).count == 0) return 0;
  return 1;
}

/* Where all would end together earlier than the slowest does now. */
static void change_weights(crew_device *crew)
{
  enum { MOST = 64 };
  double most = 0, all = 0, rate[MOST], before[MOST];
  if (crew->count > MOST) return;
  for (size_t m = 0; m < crew->count; m++) {
    const double seconds = drivers_times(crew->drivers, m).launches;
    const double rows = (double)crew_own(crew, crew->total, crew->grain, m).count;
    if (!(seconds > 0)) return;
    rate[m] = rows / seconds;
    before[m] = crew->members[m].weight;
    all += rate[m];
    if (seconds > most) most = seconds;
  }
  if ((double)crew->total / all > 0.95 * most) return;
  for (size_t m = 0; m < crew->count; m++) crew->members[m].weight = rate[m] / all;
  const int is_cut = all_have_some(crew);
  for (size_t m = 0; m < crew->count && !is_cut; m++) crew->members[m].weight = before[m];
}

trm_status crew_weigh(crew_device *crew)
{
  crew_balance *balance = crew->balance;
  balance->launches++;
  if (balance->launches < balance->next) return TRM_OK;
  if (!balance->is_timed) {
    drivers_clear(crew->drivers, 1);
    balance->is_timed = 1;
    balance->next += TIMED;
    return TRM_OK;
  }
  change_weights(crew);
  drivers_clear(crew->drivers, 0);
  balance->is_timed = 0;
  balance->next *= 8;
  return TRM_OK;
}
