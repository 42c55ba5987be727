/* reach.c - how fast the driven row of the box becomes: what the method cannot bear is refused, or
 * told before the first step. A step adds density * accel / 3 to a cell's momentum. */
#include "solvers/lbm/driven/lbm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/lbm/bounds.h"

/* The Reynolds number of a cell above which a closed box was seen to diverge. */
#define MOST_CELL_REYNOLDS 100.0

/* At a wall a flow is laminar up to this distance from it, in units of the wall's friction. */
#define THIN 5.0
/* Walls at the row's ends leave so much of the speed at least (64 x 64 cells: 0.70 to 0.95). */
#define LEFT_BY_ENDS 0.65

/* How walls hold the row: the mean force on a cell by viscosity and speed; 1 where each of its
 * cells lies beside a solid one. */
typedef struct hold { double by; int is_at_wall; } hold;

/* Fluid cells from the driven row to the next solid one, up (step 1) or down (-1), across periodic
 * sides, of each column; -1: none. Row by row, as the mask lies. */
static void find_gaps(const lbm_box *box, const uint8_t *mask, int step, int *gaps)
{
  const int nx = box->nx, ny = box->ny, row = ny - 2;
  int left = nx;
  for (int x = 0; x < nx; x++) gaps[x] = -1;
  for (int k = 1; k < ny && left > 0; k++) {
    const uint8_t *line = mask + (size_t)((row + step * k + ny * 2) % ny) * (size_t)nx;
    if (!memchr(line, 1, (size_t)nx)) continue;
    for (int x = 0; x < nx; x++) {
      if (!line[x] || gaps[x] >= 0) continue;
      gaps[x] = k - 1;
      left--;
    }
  }
}

static trm_status find_hold(const lbm_box *box, const uint8_t *mask, hold *out)
{
  const uint8_t *driven_row = mask + (size_t)(box->ny - 2) * (size_t)box->nx;
  int *up = malloc(2 * (size_t)box->nx * sizeof *up), *down = up + box->nx, driven = 0;
  hold all = { 0.0, 1 };
  if (!up) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the walls beside a row");
  find_gaps(box, mask, 1, up);
  find_gaps(box, mask, -1, down);
  for (int x = 0; x < box->nx; x++) {
    if (driven_row[x]) continue;
    driven++;
    all.is_at_wall &= up[x] == 0 || down[x] == 0;
    if (up[x] >= 0) all.by += 1.0 / (up[x] + 0.5) + 1.0 / (down[x] + 0.5);
  }
  free(up);
  if (driven > 0) all.by /= driven;
  *out = all;
  return TRM_OK;
}

/* The speed after `steps` steps, the least of three: free; with momentum that spreads to both sides
 * (without walls it stays in the box); with walls that hold the row. */
static double speed_of(const lbm_box *box, const hold *by, double push, double viscosity,
                       double steps)
{
  static const double pi = 3.14159265358979323846;
  const double mean = by->by > 0.0 ? 0.0 : push * steps / box->ny;
  const double spread = push * sqrt(steps / (pi * viscosity)) + mean;
  return fmin(fmin(push * steps, spread), push / (viscosity * by->by));
}

static void say(lbm_solver *lbm, const char *text)
{
  const size_t used = strlen(lbm->caution);
  (void)snprintf(lbm->caution + used, sizeof lbm->caution - used, "%s%s", used ? "; also, " : "",
                 text);
  lbm->box.base.caution = lbm->caution;
}

/* The viscosity that is enough: the speed falls with it, between walls as 1 / viscosity. */
static void warn_of_cells(lbm_solver *lbm, double reynolds, double viscosity, int is_held)
{
  char text[400];
  const double more = reynolds / MOST_CELL_REYNOLDS;
  const double enough = viscosity * (is_held ? sqrt(more) : more);
  (void)snprintf(text, sizeof text, "lbm.omega = %.6g: at the speed that lbm.accel may drive the "
                 "flow to, a cell has the Reynolds number %.3g, and above %g a box was seen to "
                 "diverge: make lbm.omega %.3g or less", lbm->box.omega, reynolds,
                 MOST_CELL_REYNOLDS, lbm_round_down(2.0 / (6.0 * enough + 1.0)));
  say(lbm, text);
}

trm_status lbm_check_reach(lbm_solver *lbm, const trm_config *config, const uint8_t *mask)
{
  const lbm_box *box = &lbm->box;
  const double accel = trm_config_real(config, "lbm.accel"), push = accel / 3.0;
  const double viscosity = (2.0 / box->omega - 1.0) / 6.0, steps = lbm_steps_of(config, 1.0);
  TRM_TRY(lbm_check_viscosity(config, "lbm.omega", viscosity, box->real_type == TRM_TYPE_F32));
  if (accel == 0.0) return TRM_OK;
  hold by = { 0.0, 1 };
  TRM_TRY(find_hold(box, mask, &by));
  const double speed = speed_of(box, &by, push, viscosity, steps);
  const double mach = speed * sqrt(3.0);
  if (!isfinite(speed)) return TRM_OK; /* how many steps there will be is not known */
  const int is_held = by.is_at_wall && 0.5 * sqrt(push) < THIN * viscosity;
  if (is_held && LEFT_BY_ENDS * mach > LBM_MACH)
    return lbm_refuse_force(config, "lbm.accel", accel, mach);
  if (mach > LBM_MACH) {
    char text[400];
    (void)snprintf(text, sizeof text, LBM_FORCE_CAUTION, "lbm.accel", accel, mach, LBM_MACH,
                   lbm_force_cure(accel, mach));
    say(lbm, text);
  }
  if (speed > MOST_CELL_REYNOLDS * viscosity)
    warn_of_cells(lbm, speed / viscosity, viscosity, by.by > 0.0 &&
                  speed >= push / (viscosity * by.by));
  return TRM_OK;
}
