/* lbm_cell.h - one cell of the driven box, for lbm.k and every implementation. The same
 * operations in the same order give all of them the same bits. */

/* From f0 to f8 to g0 to g8: (1 - omega) f + omega feq, feq = w (rho + 3 e.m + (4.5 (e.m)^2 - 1.5
 * m^2) / rho): the part odd in e apart from the even part. The quotient enters as late as possible:
 * a processor can do the rest while it divides (a host runs 15 % faster so than with velocities).
 * per_rho carries the 1.5 of feq. In CUDA's strips of several steps a launch, a cell without the
 * division's branch is slower. On an H200 4096^2 in f32 takes 166 us a step without the branch and
 * 158 with it. By NVIDIA's OpenCL it takes 176 without and 202 with it. */
#define LBM_COLLIDE \
  D2Q9_DENSITY(rho); \
  const real per_rho = TRM_IN_STRIP ? R(1.5) / rho : trm_quotient(R(1.5), rho); \
  const real mx = to_east - to_west, my = to_north - to_south; \
  const real up = mx + my, down = mx - my; \
  const real m2 = trm_fma(mx, mx, my * my); \
  const real odd_x = R(3.0) * p.omega_axis * mx, odd_y = R(3.0) * p.omega_axis * my; \
  const real odd_up = R(3.0) * p.omega_diagonal * up; \
  const real odd_down = R(3.0) * p.omega_diagonal * down; \
  const real rest_axis = trm_fma(-per_rho, p.omega_axis * m2, p.omega_axis * rho); \
  const real rest_diagonal = R(0.25) * rest_axis; \
  const real even_x = trm_fma(per_rho, odd_x * mx, rest_axis); \
  const real even_y = trm_fma(per_rho, odd_y * my, rest_axis); \
  const real even_up = trm_fma(per_rho, odd_up * up, rest_diagonal); \
  const real even_down = trm_fma(per_rho, odd_down * down, rest_diagonal); \
  real g0 = trm_fma(R(4.0), rest_axis, p.keep * f0); \
  real g1 = trm_fma(p.keep, f1, odd_x) + even_x; \
  real g2 = trm_fma(p.keep, f2, odd_y) + even_y; \
  real g3 = trm_fma(p.keep, f3, -odd_x) + even_x; \
  real g4 = trm_fma(p.keep, f4, -odd_y) + even_y; \
  real g5 = trm_fma(p.keep, f5, odd_up) + even_up; \
  real g6 = trm_fma(p.keep, f6, -odd_down) + even_down; \
  real g7 = trm_fma(p.keep, f7, -odd_up) + even_up; \
  real g8 = trm_fma(p.keep, f8, odd_down) + even_down

/* 1.5 times the speed, after LBM_COLLIDE. */
#define LBM_SPEED (trm_sqrt(m2) * per_rho)
