/* clock.c - the program's one clock, counted from its start. */
#include "run/measure/clock.h"

#include <time.h>

static struct timespec origin;

void clock_start(void)
{
  clock_gettime(CLOCK_MONOTONIC, &origin);
}

double clock_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - origin.tv_sec) + 1e-9 * (double)(now.tv_nsec - origin.tv_nsec);
}
