/* d2q9.h - the lattice of nine velocities, for the kernels of every flow and for their host sides.
 *
 * Populations: 0 rest, 1 E, 2 N, 3 W, 4 S, 5 NE, 6 NW, 7 SW, 8 SE; structure of arrays. */
#ifndef TRIREME_LBM_D2Q9_H
#define TRIREME_LBM_D2Q9_H

enum {
  D2Q9 = 9,
  LBM_BATCH_LIMIT = 65536    /* steps whose values fit the series' buffer */
};

/* Velocities, and each one's opposite. */
#define D2Q9_EX { 0, 1, 0, -1, 0, 1, -1, -1, 1 }
#define D2Q9_EY { 0, 0, 1, 0, -1, 1, 1, -1, -1 }
#define D2Q9_BACK { 0, 3, 4, 1, 2, 7, 8, 5, 6 }

/* Population k of a row of cells; p: a kernel's parameters. */
#define D2Q9_AT(f, k) ((f) + (trm_index)(k) * p.component)

#define D2Q9_GET(f, k, x) D2Q9_AT(f, k)[x]
#define D2Q9_SET(f, k, x, value) D2Q9_AT(f, k)[x] = (value)

/* The same of a line of the lattice that a kernel steps (TRM_LINE). */
#define D2Q9_LINE_GET(line, k, x) TRM_GET(line, k, p.component, x)
#define D2Q9_LINE_SET(line, k, x, value) TRM_SET(line, k, p.component, x, value)

/* The populations that stream to cell x, f0 to f8: population k comes from x - e_k. c, s, n: this
 * row and its southern and northern neighbour. GET: how a population of a row is read. */
#define D2Q9_LOAD_BY(GET, c, s, n, x, west, east) \
  const real f0 = GET(c, 0, x); \
  const real f1 = GET(c, 1, west); \
  const real f2 = GET(s, 2, x); \
  const real f3 = GET(c, 3, east); \
  const real f4 = GET(n, 4, x); \
  const real f5 = GET(s, 5, west); \
  const real f6 = GET(s, 6, east); \
  const real f7 = GET(n, 7, east); \
  const real f8 = GET(n, 8, west)
#define D2Q9_LOAD(c, s, n, x, west, east) D2Q9_LOAD_BY(D2Q9_GET, c, s, n, x, west, east)
#define D2Q9_LOAD_LINES(c, s, n, x, west, east) D2Q9_LOAD_BY(D2Q9_LINE_GET, c, s, n, x, west, east)

#define D2Q9_STORE_BY(SET, g, x, g0, g1, g2, g3, g4, g5, g6, g7, g8) \
  SET(g, 0, x, g0); SET(g, 1, x, g1); SET(g, 2, x, g2); \
  SET(g, 3, x, g3); SET(g, 4, x, g4); SET(g, 5, x, g5); \
  SET(g, 6, x, g6); SET(g, 7, x, g7); SET(g, 8, x, g8)
#define D2Q9_STORE(g, x, g0, g1, g2, g3, g4, g5, g6, g7, g8) \
  D2Q9_STORE_BY(D2Q9_SET, g, x, g0, g1, g2, g3, g4, g5, g6, g7, g8)

/* g0 to g8, or where the cell is solid what came, sent back. */
#define D2Q9_STORE_OR_BACK_BY(SET, g, x, wall) \
  D2Q9_STORE_BY(SET, g, x, wall ? f0 : g0, wall ? f3 : g1, wall ? f4 : g2, wall ? f1 : g3, \
                wall ? f2 : g4, wall ? f7 : g5, wall ? f8 : g6, wall ? f5 : g7, wall ? f6 : g8)
#define D2Q9_STORE_OR_BACK(g, x, wall) D2Q9_STORE_OR_BACK_BY(D2Q9_SET, g, x, wall)

/* The three lines that a step reads, and the one that it writes. */
#define D2Q9_LINES(f, g) \
  TRM_LINE_IN(real) c = TRM_LINE(f, p.first, p.row, y); \
  TRM_LINE_IN(real) s = TRM_LINE_SOUTH(f, p.first, p.row, y); \
  TRM_LINE_IN(real) n = TRM_LINE_NORTH(f, p.first, p.row, y); \
  TRM_LINE_OUT(real) to = TRM_LINE(g, p.first, p.row, y)

/* The ghosts of a periodic row: of the populations that a neighbour pulls from there. */
#define D2Q9_WRAP(g) \
  TRM_WRAP_WEST(D2Q9_AT(g, 1)); \
  TRM_WRAP_EAST(D2Q9_AT(g, 3)); \
  TRM_WRAP_WEST(D2Q9_AT(g, 5)); \
  TRM_WRAP_EAST(D2Q9_AT(g, 6)); \
  TRM_WRAP_EAST(D2Q9_AT(g, 7)); \
  TRM_WRAP_WEST(D2Q9_AT(g, 8))

/* Density of f0 to f8; and momentum. */
#define D2Q9_DENSITY(rho) \
  const real to_east = f1 + f5 + f8, to_west = f3 + f6 + f7; \
  const real to_north = f2 + f5 + f6, to_south = f4 + f7 + f8; \
  const real rho = (to_east + to_west) + ((f2 + f4) + f0)
#define D2Q9_MOMENTS(rho, mx, my) \
  D2Q9_DENSITY(rho); \
  const real mx = to_east - to_west, my = to_north - to_south

/* even_.., odd_..: halves of w rho (1 + 3 e.u + 4.5 (e.u)^2 - 1.5 u^2) along x, y and the diagonals
 * up (NE) and down (SE); rest: rho (1 - 1.5 u^2). */
#define D2Q9_EQUILIBRIUM(rho, ux, uy) \
  const real jx = rho * ux, jy = rho * uy; \
  const real up = ux + uy, down = ux - uy, j_up = jx + jy, j_down = jx - jy; \
  const real rest = trm_fma(R(-1.5), trm_fma(jx, ux, jy * uy), rho); \
  const real odd_x = R(0.3333333333333333333) * jx, odd_y = R(0.3333333333333333333) * jy; \
  const real odd_up = R(0.08333333333333333333) * j_up; \
  const real odd_down = R(0.08333333333333333333) * j_down; \
  const real even_x = R(0.1111111111111111111) * trm_fma(R(4.5) * jx, ux, rest); \
  const real even_y = R(0.1111111111111111111) * trm_fma(R(4.5) * jy, uy, rest); \
  const real even_up = R(0.02777777777777777778) * trm_fma(R(4.5) * j_up, up, rest); \
  const real even_down = R(0.02777777777777777778) * trm_fma(R(4.5) * j_down, down, rest)

#endif
