/* rung_cell.h - one cell of the D2Q9 lattice, as every rung of the ladder works it out: the
 * operations of lbm.k in their order, so that each rung has the bits of every other. */
#ifndef TRIREME_LBM_RUNG_CELL_H
#define TRIREME_LBM_RUNG_CELL_H

/* Populations: 0 rest, 1 E, 2 N, 3 W, 4 S, 5 NE, 6 NW, 7 SW, 8 SE. */
typedef struct rung_cell { real f0, f1, f2, f3, f4, f5, f6, f7, f8; } rung_cell;

/* Where population k of a cell lies: nine side by side, or each in an array of its own. */
#define RUNG_STRUCTS(f, k, x, y) (f)[((y) * TRM_NX + (x)) * 9 + (k)]
#define RUNG_ARRAYS(f, k, x, y) (f)[p.first + (trm_index)(k) * p.component + (y) * p.row + (x)]

/* Periodic neighbours along x, on every device: there are no ghost columns here. */
#define RUNG_WEST(x) ((x) == 0 ? TRM_NX - 1 : (x) - 1)
#define RUNG_EAST(x) ((x) == TRM_NX - 1 ? 0 : (x) + 1)

/* t_k(x) = f_k(x - e_k) */
#define RUNG_PULL(AT, f, x, y, south, north) \
  { AT(f, 0, x, y), AT(f, 1, RUNG_WEST(x), y), AT(f, 2, x, south), AT(f, 3, RUNG_EAST(x), y), \
    AT(f, 4, x, north), AT(f, 5, RUNG_WEST(x), south), AT(f, 6, RUNG_EAST(x), south), \
    AT(f, 7, RUNG_EAST(x), north), AT(f, 8, RUNG_WEST(x), north) }
#define RUNG_LOAD(AT, f, x, y) \
  { AT(f, 0, x, y), AT(f, 1, x, y), AT(f, 2, x, y), AT(f, 3, x, y), AT(f, 4, x, y), \
    AT(f, 5, x, y), AT(f, 6, x, y), AT(f, 7, x, y), AT(f, 8, x, y) }
#define RUNG_STORE(AT, f, x, y, cell) \
  do { \
    AT(f, 0, x, y) = (cell).f0; \
    AT(f, 1, x, y) = (cell).f1; \
    AT(f, 2, x, y) = (cell).f2; \
    AT(f, 3, x, y) = (cell).f3; \
    AT(f, 4, x, y) = (cell).f4; \
    AT(f, 5, x, y) = (cell).f5; \
    AT(f, 6, x, y) = (cell).f6; \
    AT(f, 7, x, y) = (cell).f7; \
    AT(f, 8, x, y) = (cell).f8; \
  } while (0)

/* What came goes back. */
TRM_INLINE rung_cell rung_bounce(const rung_cell t)
{
  const rung_cell g = { t.f0, t.f3, t.f4, t.f1, t.f2, t.f7, t.f8, t.f5, t.f6 };
  return g;
}

typedef struct rung_moments { real rho, per_rho, mx, my, m2; } rung_moments;

/* Density rho and momentum m = rho u; per_rho carries the 1.5 of feq. */
TRM_INLINE rung_moments rung_moments_of(const rung_cell t)
{
  const real to_east = t.f1 + t.f5 + t.f8, to_west = t.f3 + t.f6 + t.f7;
  const real to_north = t.f2 + t.f5 + t.f6, to_south = t.f4 + t.f7 + t.f8;
  rung_moments m;
  m.rho = (to_east + to_west) + ((t.f2 + t.f4) + t.f0);
  m.per_rho = R(1.5) / m.rho;
  m.mx = to_east - to_west;
  m.my = to_north - to_south;
  m.m2 = trm_fma(m.mx, m.mx, m.my * m.my);
  return m;
}

/* 1.5 times the speed */
TRM_INLINE real rung_speed_of(const rung_moments m) { return trm_sqrt(m.m2) * m.per_rho; }

/* (1 - omega) t + omega feq, feq = w (rho + 3 e.m + (4.5 (e.m)^2 - 1.5 m^2) / rho) */
TRM_INLINE rung_cell rung_relax(const rung_cell t, const rung_moments m, const rung_params p)
{
  const real up = m.mx + m.my, down = m.mx - m.my;
  const real odd_x = R(3.0) * p.omega_axis * m.mx, odd_y = R(3.0) * p.omega_axis * m.my;
  const real odd_up = R(3.0) * p.omega_diagonal * up;
  const real odd_down = R(3.0) * p.omega_diagonal * down;
  const real rest_axis = trm_fma(-m.per_rho, p.omega_axis * m.m2, p.omega_axis * m.rho);
  const real rest_diagonal = R(0.25) * rest_axis;
  const real even_x = trm_fma(m.per_rho, odd_x * m.mx, rest_axis);
  const real even_y = trm_fma(m.per_rho, odd_y * m.my, rest_axis);
  const real even_up = trm_fma(m.per_rho, odd_up * up, rest_diagonal);
  const real even_down = trm_fma(m.per_rho, odd_down * down, rest_diagonal);
  rung_cell g;
  g.f0 = trm_fma(R(4.0), rest_axis, p.keep * t.f0);
  g.f1 = trm_fma(p.keep, t.f1, odd_x) + even_x;
  g.f2 = trm_fma(p.keep, t.f2, odd_y) + even_y;
  g.f3 = trm_fma(p.keep, t.f3, -odd_x) + even_x;
  g.f4 = trm_fma(p.keep, t.f4, -odd_y) + even_y;
  g.f5 = trm_fma(p.keep, t.f5, odd_up) + even_up;
  g.f6 = trm_fma(p.keep, t.f6, -odd_down) + even_down;
  g.f7 = trm_fma(p.keep, t.f7, -odd_up) + even_up;
  g.f8 = trm_fma(p.keep, t.f8, odd_down) + even_down;
  return g;
}

/* Row ny - 2 of the lattice before a step: where it is fluid and would stay positive, density *
 * accel moves from the populations to the west to those to the east. */
#define RUNG_ACCELERATE(AT, f, x, y, wall) \
  do { \
    if (!(wall) && AT(f, 3, x, y) > p.accel_axis && AT(f, 6, x, y) > p.accel_diagonal && \
        AT(f, 7, x, y) > p.accel_diagonal) { \
      AT(f, 1, x, y) += p.accel_axis; \
      AT(f, 5, x, y) += p.accel_diagonal; \
      AT(f, 8, x, y) += p.accel_diagonal; \
      AT(f, 3, x, y) -= p.accel_axis; \
      AT(f, 6, x, y) -= p.accel_diagonal; \
      AT(f, 7, x, y) -= p.accel_diagonal; \
    } \
  } while (0)

#endif
