/* lbm3d_stored_place.h - where populations lie that are kept in less memory, and how one is read,
 * written and rounded (lbm3d_stored.k). Rows of two lattices of reals are a case of it. */

#define STORED_UNIT R(0.000030517578125) /* 2^-15: of what 16 bits count */
#define STORED_PER_UNIT R(32768.0)

/* Element i of a lattice, which is of 16-bit numbers where is_16. */
TRM_INLINE real stored_get(TRM_IN(real) f, const int is_16, const trm_index i)
{
#if !TRM_F64_KERNEL
  if (is_16) return trm_load_half((TRM_IN(trm_float16))f, i) * STORED_UNIT;
#endif
  (void)is_16;
  return f[i];
}

TRM_INLINE void stored_put(TRM_OUT(real) f, const int is_16, const trm_index i, const real value)
{
#if !TRM_F64_KERNEL
  if (is_16) trm_store_half((TRM_OUT(trm_float16))f, i, value * STORED_PER_UNIT);
  else
#endif
    f[i] = value;
  (void)is_16;
}

TRM_CONSTANT int stored_ex[D3Q27] = D3_EX;
TRM_CONSTANT int stored_ey[D3Q27] = D3_EY;
TRM_CONSTANT int stored_ez[D3Q27] = D3_EZ;

TRM_INLINE int stored_wrapped(const int i, const int n)
{
  return i < 0 ? i + n : i >= n ? i - n : i;
}

/* Where cell x of a row lies in it; x may be one beyond an end. */
TRM_INLINE int stored_column(const stored_params p, const int x)
{
  const int at = stored_wrapped(x, p.nx);
  return !p.fold ? at : at < p.fold ? 2 * at : 2 * (at - p.fold) + 1;
}

/* Where population k of cell (x, y, z) lies that a collision left there. */
TRM_INLINE trm_index stored_place(const stored_params p, const int x, const int y, const int z,
                                  const int k)
{
  const int goes = p.in_place && k % 2 == 1;
  const int slot = !p.in_place || k == 0 ? k : k % 2 == 1 ? k + 1 - p.odd : k - 1 + p.odd;
  const int at_y = goes ? stored_wrapped(y + stored_ey[k], p.ny) : y;
  const int at_z = goes ? stored_wrapped(z + stored_ez[k], p.nz) : z;
  return p.first + slot * p.component + ((trm_index)at_z * p.ny + at_y) * p.row +
         stored_column(p, goes ? x + stored_ex[k] : x);
}

/* Its value, of the cell (dx, dy, dz) from the one in b. */
TRM_INLINE real stored_value(TRM_IN(real) f, const stored_params p, const int x, const int y,
                             const int z, const int k)
{
  return stored_get(f, p.is_16, stored_place(p, x, y, z, k));
}
