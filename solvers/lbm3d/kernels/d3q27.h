/* d3q27.h - the lattices of 19 and 27 velocities, for kernels and host.
 *
 * Population 0 rests; k odd and k + 1 are opposite: 1 E, 3 N, 5 up; 7 to 18 across an edge of the
 * cell, (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, -1, 0), (1, 0, -1), (0, 1, -1); 19 to 26, of the
 * larger lattice, to the corners (1, 1, 1), (1, 1, -1), (1, -1, 1), (-1, 1, 1). The stored number
 * is a population less its weight, which in f32 keeps three digits more; structure of arrays. */
#ifndef TRIREME_D3Q27_H
#define TRIREME_D3Q27_H

enum { D3Q27 = 27, D3Q19 = 19 };

#define D3_EX { 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 0, 0, 1, -1, 1, -1, 0, 0, \
                1, -1, 1, -1, 1, -1, -1, 1 }
#define D3_EY { 0, 0, 0, 1, -1, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 1, -1, \
                1, -1, 1, -1, -1, 1, 1, -1 }
#define D3_EZ { 0, 0, 0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, 0, 0, -1, 1, -1, 1, \
                1, -1, -1, 1, 1, -1, 1, -1 }
#define D3_BACK(k) ((k) == 0 ? 0 : (((k) - 1) ^ 1) + 1)

/* Population k of a row of cells; p: a kernel's parameters. */
#define D3_AT(f, k) ((f) + (trm_index)(k) * p.component)

/* The nine rows that a row of cells pulls from: below, middle, above; south, centre, north. */
#define D3_ROWS \
  TRM_IN(real) bs, TRM_IN(real) bc, TRM_IN(real) bn, TRM_IN(real) ms, TRM_IN(real) mc, \
  TRM_IN(real) mn, TRM_IN(real) as, TRM_IN(real) ac, TRM_IN(real) an

/* The same of a cell's own populations. */
#define D3_ONE_ROW(c) \
  TRM_IN(real) bs = c; TRM_IN(real) bc = c; TRM_IN(real) bn = c; TRM_IN(real) ms = c; \
  TRM_IN(real) mc = c; TRM_IN(real) mn = c; TRM_IN(real) as = c; TRM_IN(real) ac = c; \
  TRM_IN(real) an = c; \
  (void)bs, (void)bc, (void)bn, (void)ms, (void)mn, (void)as, (void)ac, (void)an

/* The populations that stream to cell x: k comes from x - e_k. */
#define D3_LOAD19(x, west, east) \
  const real f0 = D3_AT(mc, 0)[x], f1 = D3_AT(mc, 1)[west], f2 = D3_AT(mc, 2)[east]; \
  const real f3 = D3_AT(ms, 3)[x], f4 = D3_AT(mn, 4)[x]; \
  const real f5 = D3_AT(bc, 5)[x], f6 = D3_AT(ac, 6)[x]; \
  const real f7 = D3_AT(ms, 7)[west], f8 = D3_AT(mn, 8)[east]; \
  const real f9 = D3_AT(bc, 9)[west], f10 = D3_AT(ac, 10)[east]; \
  const real f11 = D3_AT(bs, 11)[x], f12 = D3_AT(an, 12)[x]; \
  const real f13 = D3_AT(mn, 13)[west], f14 = D3_AT(ms, 14)[east]; \
  const real f15 = D3_AT(ac, 15)[west], f16 = D3_AT(bc, 16)[east]; \
  const real f17 = D3_AT(as, 17)[x], f18 = D3_AT(bn, 18)[x]
#define D3_LOAD27(x, west, east) \
  D3_LOAD19(x, west, east); \
  const real f19 = D3_AT(bs, 19)[west], f20 = D3_AT(an, 20)[east]; \
  const real f21 = D3_AT(as, 21)[west], f22 = D3_AT(bn, 22)[east]; \
  const real f23 = D3_AT(bn, 23)[west], f24 = D3_AT(as, 24)[east]; \
  const real f25 = D3_AT(bs, 25)[east], f26 = D3_AT(an, 26)[west]

#define D3_WRAP19(g) \
  TRM_WRAP_WEST(D3_AT(g, 1)); TRM_WRAP_EAST(D3_AT(g, 2)); \
  TRM_WRAP_WEST(D3_AT(g, 7)); TRM_WRAP_EAST(D3_AT(g, 8)); \
  TRM_WRAP_WEST(D3_AT(g, 9)); TRM_WRAP_EAST(D3_AT(g, 10)); \
  TRM_WRAP_WEST(D3_AT(g, 13)); TRM_WRAP_EAST(D3_AT(g, 14)); \
  TRM_WRAP_WEST(D3_AT(g, 15)); TRM_WRAP_EAST(D3_AT(g, 16))
#define D3_WRAP27(g) \
  D3_WRAP19(g); \
  TRM_WRAP_WEST(D3_AT(g, 19)); TRM_WRAP_EAST(D3_AT(g, 20)); \
  TRM_WRAP_WEST(D3_AT(g, 21)); TRM_WRAP_EAST(D3_AT(g, 22)); \
  TRM_WRAP_WEST(D3_AT(g, 23)); TRM_WRAP_EAST(D3_AT(g, 24)); \
  TRM_WRAP_WEST(D3_AT(g, 26)); TRM_WRAP_EAST(D3_AT(g, 25))

#endif
