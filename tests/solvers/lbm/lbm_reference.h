/* lbm_reference.h - the course's time step as a textbook has it, in long double on one thread: four
 * loops over whole arrays, periodic by remainder, no fused operation, nothing of the solver's. */
#ifndef TRIREME_TESTS_LBM_REFERENCE_H
#define TRIREME_TESTS_LBM_REFERENCE_H

#include <stdint.h>

typedef struct lbm_reference {
  int nx, ny;
  long double density, accel, omega;
  const uint8_t *solid;       /* nx * ny, the caller's */
  long double *f[9], *streamed[9];
} lbm_reference;

/* At rest; accelerated is made by the first step. */
void lbm_reference_begin(lbm_reference *lattice, int nx, int ny, long double density,
                         long double accel, long double omega, const uint8_t *solid);
/* One step; the mean speed over fluid cells after it. */
long double lbm_reference_step(lbm_reference *lattice);
/* Density and velocity of cell i = y * nx + x. */
void lbm_reference_moments(const lbm_reference *lattice, int i, long double *rho, long double *ux,
                           long double *uy);
void lbm_reference_end(lbm_reference *lattice);

#endif
