/* scaling.h - what several devices that share one run gain over fewer (strong scaling). */
#ifndef TRIREME_CLI_SCALING_H
#define TRIREME_CLI_SCALING_H

typedef struct scaling {
  double devices, fewest;      /* that share the run; on which it is held against */
  double speedup, efficiency;  /* 1: none; 1: a perfect speed-up */
  double lost;                 /* seconds of each step beyond those of a perfect speed-up */
} scaling;

/* Seconds are those of a step. */
static inline scaling scaling_of(double devices, double seconds, double fewest,
                                 double seconds_of_fewest)
{
  const double perfect = seconds_of_fewest * fewest / devices;
  return (scaling){ devices, fewest, seconds_of_fewest / seconds, perfect / seconds,
                    seconds - perfect };
}

#endif
