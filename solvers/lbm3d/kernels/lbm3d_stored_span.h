/* lbm3d_stored_span.h - the step of stored populations on a host (lbm3d_stored.k). */

/* A host takes the populations of a part of a row into its first cache, collides them, and puts
 * them back. Each way of storing has its short loops; the long loops are compiled once. */
#undef TRM_SPAN
#define TRM_SPAN (512 / (int)sizeof(real))

/* n elements from column `from` of a periodic row on, which may begin or end one beyond it. */
TRM_ONCE void stored_take(real *to, TRM_IN(real) f, const stored_params p, const trm_index row,
                          const int from, const int n)
{
  const int first = from < 0, last = from + n > p.nx, count = n - first - last;
  const trm_index at = row + from + first;
  real *inner = to + first;
  if (p.fold) {
    for (int i = 0; i < n; i++) to[i] = stored_get(f, p.is_16, row + stored_column(p, from + i));
    return;
  }
  if (p.is_16) {
    TRM_EACH(i, count) { inner[i] = stored_get(f, 1, at + i); }
  } else {
    TRM_EACH(i, count) { inner[i] = stored_get(f, 0, at + i); }
  }
  if (first) to[0] = stored_get(f, p.is_16, row + p.nx - 1);
  if (last) to[n - 1] = stored_get(f, p.is_16, row);
}

TRM_ONCE void stored_leave(TRM_OUT(real) f, const real *values, const stored_params p,
                           const trm_index row, const int from, const int n)
{
  const int first = from < 0, last = from + n > p.nx, count = n - first - last;
  const trm_index at = row + from + first;
  const real *inner = values + first;
  if (p.fold) {
    for (int i = 0; i < n; i++)
      stored_put(f, p.is_16, row + stored_column(p, from + i), values[i]);
    return;
  }
  if (p.is_16) {
    TRM_EACH(i, count) { stored_put(f, 1, at + i, inner[i]); }
  } else {
    TRM_EACH(i, count) { stored_put(f, 0, at + i, inner[i]); }
  }
  if (first) stored_put(f, p.is_16, row + p.nx - 1, values[0]);
  if (last) stored_put(f, p.is_16, row, values[n - 1]);
}

typedef struct stored_line { real f[LBM3D_Q][TRM_SPAN]; } stored_line;
#define STORED_HERE(k) line->f[k][i]

/* In solid cells nothing moves. */
TRM_INLINE void stored_collide(stored_line *line, const stored_params p, const int i,
                               const trm_mask wall, const int forced, const int eddy, real *energy,
                               real *change)
{
  LBM3D_NAMES(STORED_HERE);
  real own_energy, own_change;
  STORED_COLLIDE(own_energy, own_change);
#define STORED_BACK(a, b, row, column, from_row, from_column) \
  line->f[a][i] = wall ? R(0.0) : h##a; \
  line->f[b][i] = wall ? R(0.0) : h##b
  line->f[0][i] = wall ? R(0.0) : h0;
  LBM3D_TIES(STORED_BACK);
  *energy = wall ? R(0.0) : own_energy;
  *change = wall ? R(0.0) : own_change;
}

#define STORED_LOOP(name, forced, eddy) \
  TRM_ONCE void name(stored_line *line, const stored_params p, const int n, const trm_mask *wall, \
                     real *energy, real *change) \
  { \
    TRM_EACH(i, n) { \
      stored_collide(line, p, i, wall[i], forced, eddy, energy + i, change + i); \
    } \
  }
STORED_LOOP(stored_collide_line, 0, 0)
STORED_LOOP(stored_collide_forced, 1, 0)
STORED_LOOP(stored_collide_eddies, 1, 1)

/* A population as it will be stored (of a zero either sign). The sum with 1.5 * 2^13 times its
 * power of two rounds it to 11 bits, as 16-bit numbers are, and at 2^-24 of their unit where they
 * are denormal. Three operations of integers (positive numbers are ordered as their bits) and two
 * of reals, that all have vectors. Fast arithmetic would take the difference for the value. */
TRM_INLINE real stored_one(const real value)
{
#if TRM_STRICT_KERNEL && !TRM_F64_KERNEL
  const trm_bits size = (trm_bits)trm_word_of(value) & 0x7f800000u;
  const trm_word large = (trm_word)(size + 0x06c00000u);
  const trm_word least = 0x37c00000; /* 0.75 * 2^-15 */
  const real shift = trm_real_of(large > least ? large : least);
  return (value + shift) - shift;
#else
  return trm_low_half(trm_two_halves(value * STORED_PER_UNIT, R(0.0))) * STORED_UNIT;
#endif
}

/* The sum of two. */
TRM_INLINE real stored_two(const real a, const real b)
{
  return stored_one(a) + stored_one(b);
}

TRM_ONCE void stored_keep_mass(stored_line *line, const real *change, const int n)
{
  TRM_EACH(i, n) { STORED_KEEP_MASS(change[i]); }
}

/* Where the span's population k comes from, and where it goes. */
TRM_INLINE trm_index stored_row(const stored_params p, const trm_index y, const trm_index z,
                                const int dy, const int dz, const int slot)
{
  return p.first + slot * p.component +
         (trm_index)(stored_wrapped((int)z + dz, p.nz) * (trm_index)p.ny +
                     stored_wrapped((int)y + dy, p.ny)) * p.row;
}

/* For two lattices, or for one: the cells x + e_a of a pair a, b take part. */
TRM_ONCE void stored_gather(stored_line *line, TRM_IN(real) f, const stored_params p,
                            const trm_index y, const trm_index z, const int begin, const int n)
{
  stored_take(line->f[0], f, p, stored_row(p, y, z, 0, 0, 0), begin, n);
  for (int k = 1; k < LBM3D_Q; k++) {
    const int own = p.in_place && k % 2 == 1;
    const int slot = !p.in_place ? k : own ? k + 1 - p.odd : k - 1 + p.odd;
    const int ex = own ? 0 : -stored_ex[k], ey = own ? 0 : -stored_ey[k],
              ez = own ? 0 : -stored_ez[k];
    stored_take(line->f[k], f, p, stored_row(p, y, z, ey, ez, slot), begin + ex, n);
  }
}

TRM_ONCE void stored_scatter(TRM_OUT(real) g, const stored_line *line, const stored_params p,
                             const trm_index y, const trm_index z, const int begin, const int n)
{
  stored_leave(g, line->f[0], p, stored_row(p, y, z, 0, 0, 0), begin, n);
  for (int k = 1; k < LBM3D_Q; k++) {
    const int goes = p.in_place && k % 2 == 1;
    const int slot = !p.in_place ? k : goes ? k + p.odd : k - p.odd;
    const int ex = goes ? stored_ex[k] : 0, ey = goes ? stored_ey[k] : 0,
              ez = goes ? stored_ez[k] : 0;
    stored_leave(g, line->f[k], p, stored_row(p, y, z, ey, ez, slot), begin + ex, n);
  }
}

#define STORED_CELLS(f, g, is_16, in_place, forced, eddy) \
  stored_line line; \
  const int begin = TRM_FIRST < TRM_FINAL ? TRM_FIRST : TRM_FINAL, n = TRM_FINAL + 1 - begin; \
  stored_gather(&line, f, p, y, z, begin, n); \
  (eddy ? stored_collide_eddies : forced ? stored_collide_forced : stored_collide_line)( \
    &line, p, n, wall, energy, change); \
  if (is_16) stored_keep_mass(&line, change, n); \
  stored_scatter(g, &line, p, y, z, begin, n)
