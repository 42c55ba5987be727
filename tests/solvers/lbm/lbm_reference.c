/* lbm_reference.c - the course's time step, literally. */
#include "tests/solvers/lbm/lbm_reference.h"

#include <math.h>
#include <stdlib.h>

/* 0 rest, 1 E, 2 N, 3 W, 4 S, 5 NE, 6 NW, 7 SW, 8 SE */
static const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const long double w[9] = {4.0L / 9, 1.0L / 9, 1.0L / 9, 1.0L / 9, 1.0L / 9,
                                 1.0L / 36, 1.0L / 36, 1.0L / 36, 1.0L / 36};

void lbm_reference_begin(lbm_reference *lattice, int nx, int ny, long double density,
                         long double accel, long double omega, const uint8_t *solid)
{
  const size_t cells = (size_t)nx * (size_t)ny;
  *lattice = (lbm_reference){.nx = nx, .ny = ny, .density = density, .accel = accel,
                             .omega = omega, .solid = solid};
  for (int k = 0; k < 9; k++) {
    lattice->f[k] = malloc(cells * sizeof(long double));
    lattice->streamed[k] = malloc(cells * sizeof(long double));
    if (!lattice->f[k] || !lattice->streamed[k]) abort();
    for (size_t i = 0; i < cells; i++) lattice->f[k][i] = density * w[k];
  }
}

void lbm_reference_end(lbm_reference *lattice)
{
  for (int k = 0; k < 9; k++) {
    free(lattice->f[k]);
    free(lattice->streamed[k]);
  }
}

static void accelerate(lbm_reference *l)
{
  const long double a = l->density * l->accel / 9, d = l->density * l->accel / 36;
  for (int x = 0; x < l->nx; x++) {
    const int i = (l->ny - 2) * l->nx + x;
    if (l->solid[i]) continue;
    if (l->f[3][i] - a <= 0 || l->f[6][i] - d <= 0 || l->f[7][i] - d <= 0) continue;
    l->f[1][i] += a;
    l->f[5][i] += d;
    l->f[8][i] += d;
    l->f[3][i] -= a;
    l->f[6][i] -= d;
    l->f[7][i] -= d;
  }
}

/* Every population moves one cell along its velocity. */
static void stream(lbm_reference *l)
{
  for (int k = 0; k < 9; k++)
    for (int y = 0; y < l->ny; y++)
      for (int x = 0; x < l->nx; x++) {
        const int to_x = (x + ex[k] + l->nx) % l->nx, to_y = (y + ey[k] + l->ny) % l->ny;
        l->streamed[k][to_y * l->nx + to_x] = l->f[k][y * l->nx + x];
      }
}

static void rebound(lbm_reference *l)
{
  for (int i = 0; i < l->nx * l->ny; i++)
    for (int k = 0; l->solid[i] && k < 9; k++) l->f[k][i] = l->streamed[opposite[k]][i];
}

static void moments(long double *const f[9], int i, long double *rho, long double *ux,
                    long double *uy)
{
  long double density = 0, x = 0, y = 0;
  for (int k = 0; k < 9; k++) {
    density += f[k][i];
    x += ex[k] * f[k][i];
    y += ey[k] * f[k][i];
  }
  *rho = density;
  *ux = x / density;
  *uy = y / density;
}

void lbm_reference_moments(const lbm_reference *lattice, int i, long double *rho, long double *ux,
                           long double *uy)
{
  moments(lattice->f, i, rho, ux, uy);
}

/* feq_k = w_k rho (1 + e.u / cs^2 + (e.u)^2 / (2 cs^4) - u^2 / (2 cs^2)), cs^2 = 1/3 */
static void collide(lbm_reference *l)
{
  const long double cs2 = 1.0L / 3;
  for (int i = 0; i < l->nx * l->ny; i++) {
    if (l->solid[i]) continue;
    long double rho, ux, uy;
    moments(l->streamed, i, &rho, &ux, &uy);
    for (int k = 0; k < 9; k++) {
      const long double eu = ex[k] * ux + ey[k] * uy, u2 = ux * ux + uy * uy;
      const long double feq =
          w[k] * rho * (1 + eu / cs2 + eu * eu / (2 * cs2 * cs2) - u2 / (2 * cs2));
      l->f[k][i] = l->streamed[k][i] + l->omega * (feq - l->streamed[k][i]);
    }
  }
}

long double lbm_reference_step(lbm_reference *lattice)
{
  long double sum = 0;
  int fluid = 0;
  accelerate(lattice);
  stream(lattice);
  rebound(lattice);
  collide(lattice);
  for (int i = 0; i < lattice->nx * lattice->ny; i++) {
    if (lattice->solid[i]) continue;
    long double rho, ux, uy;
    moments(lattice->f, i, &rho, &ux, &uy);
    sum += sqrtl(ux * ux + uy * uy);
    fluid++;
  }
  return sum / fluid;
}
