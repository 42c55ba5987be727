/* clock.h - seconds on a clock that never jumps. */
#ifndef TRIREME_RUN_CLOCK_H
#define TRIREME_RUN_CLOCK_H

/* Seconds since clock_start was called (at the start of main). */
double clock_now(void);
void clock_start(void);

#endif
