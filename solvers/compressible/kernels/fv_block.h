/* The block of a group, in its shared memory, and the values of a cell.
 *
 * The block's planes, two more on each side and two cells around each, pass through a ring of four.
 * Arrays hold slots of FV_VALUES x FV_CELLS reals: w the values u, v, w, rho, T; q the conserved
 * rho, rho u, rho v, rho w, rho E. near[slot][27]: the 27 slots about a slot, itself in the
 * middle. */

#define FV_PITCH (FV_SX + 4)
#define FV_PLANE (FV_PITCH * (FV_SY + 4) + 4) /* every row's cell 0 at a multiple of 16 bytes */
#define FV_RING (FV_SZ > 1 ? 4 : 1)
#define FV_RING_REALS (FV_RING * FV_PLANE) /* of one value */
#define FV_AT(x, y) (((y) + 2) * FV_PITCH + (x) + 4)
#define FV_RING_PLANE(z) (FV_SZ > 1 ? (((z) + 4) & 3) * FV_PLANE : 0)

/* The sum of three values, one by each axis. It has the same bits in any order, since the largest
 * is added last. So a flow does not depend on the axes' names. NaN stays NaN. */
TRM_INLINE real fv_of_axes(const real x, const real y, const real z)
{
  const real more = x > y ? x : y, less = x > y ? y : x;
  const real most = more > z ? more : z, rest = more > z ? z : more;
  return (less + rest) + most;
}
TRM_INLINE real fv_square(const real x, const real y, const real z)
{
  return fv_of_axes(x * x, y * y, z * z);
}

/* The sum over the parts of a cell, x fastest; it does not depend on the axes' names either. */
#if FV_SZ > 1
#define FV_OF_PARTS(part) \
  (((part)[0] + (part)[7]) + (fv_of_axes((part)[1], (part)[2], (part)[4]) + \
                              fv_of_axes((part)[3], (part)[5], (part)[6])))
#else
#define FV_OF_PARTS(part) (((part)[0] + (part)[3]) + ((part)[1] + (part)[2]))
#endif

/* Where the part k of a block's cell at x, y, z lies in the block of its level. */
#define FV_PART_AT(k, x, y, z) \
  ((((2 * (z) + ((k) >> 2)) & (FV_SZ - 1)) * FV_SY + \
    ((2 * (y) + ((k) >> 1 & 1)) & (FV_SY - 1))) * FV_SX + ((2 * (x) + ((k) & 1)) & (FV_SX - 1)))

/* A value of the cell at x, y, z of a slot's block; a cell beyond its sides lies in a neighbouring
 * block. */
#define FV_VALUE(v, x, y, z) \
  w[(trm_index)near[slot * FV_NEAR_INTS + ((z) < 0 ? 0 : (z) < FV_SZ ? 9 : 18) + \
                    ((y) < 0 ? 0 : (y) < FV_SY ? 3 : 6) + ((x) < 0 ? 0 : (x) < FV_SX ? 1 : 2)] * \
      FV_BLOCK + (v) * FV_CELLS + \
    ((((z) & (FV_SZ - 1)) * FV_SY + ((y) & (FV_SY - 1))) * FV_SX + ((x) & (FV_SX - 1)))]

/* Twice h times a value's slope at x, y, z. */
#define FV_SLOPE_X(v) (FV_VALUE(v, x + 1, y, z) - FV_VALUE(v, x - 1, y, z))
#define FV_SLOPE_Y(v) (FV_VALUE(v, x, y + 1, z) - FV_VALUE(v, x, y - 1, z))
#if FV_SZ > 1
#define FV_SLOPE_Z(v) (FV_VALUE(v, x, y, z + 1) - FV_VALUE(v, x, y, z - 1))
#else
#define FV_SLOPE_Z(v) R(0.0)
#endif

/* Whether a leaf looks at a cell of the ghost whose numbers begin at `first`. */
#define FV_IS_WANTED(x, y, z) \
  ((x) >= ghosts[first + FV_GHOST_FROM] && (x) < ghosts[first + FV_GHOST_TO] && \
   (y) >= ghosts[first + FV_GHOST_FROM + 1] && (y) < ghosts[first + FV_GHOST_TO + 1] && \
   (z) >= ghosts[first + FV_GHOST_FROM + 2] && (z) < ghosts[first + FV_GHOST_TO + 2])

/* The parameters at a leaf's level. */
TRM_INLINE fv_params fv_at_level(const fv_params p, const int level)
{
  const real scale = (real)(1 << level);
  fv_params own = p;
  own.inv_h = p.inv_h * scale;
  own.diffusion = p.diffusion * (scale * scale);
  return own;
}

typedef struct fv_cell { real u, v, w, rho, t; } fv_cell;

/* The values of a cell from the conserved ones. */
TRM_INLINE fv_cell fv_values(const fv_params p, const real q0, const real q1, const real q2,
                             const real q3, const real q4)
{
  const real inverse = trm_near_reciprocal(q0);
  fv_cell c;
  c.u = q1 * inverse;
  c.v = q2 * inverse;
  c.w = q3 * inverse;
  c.rho = q0;
  c.t = p.heat * trm_fma(q4, inverse,
                         R(-0.5) * fv_square(c.u, c.v, c.w));
  return c;
}

/* The viscosity at T, as a multiple of `viscosity` (Sutherland, Phil. Mag. 36 (1893) 507). */
TRM_INLINE real fv_viscosity(const fv_params p, const real t)
{
  const real at = t * p.per_reference;
  return (R(1.0) + p.sutherland) * (at * trm_near_sqrt(at)) *
         trm_near_reciprocal(at + p.sutherland);
}

/* The limit of the step: cfl / dt of this cell alone. It is set by the fastest wave along one axis,
 * and by the stream along all axes together, by p.oblique. NaN where density or pressure is not
 * positive. Then the step's length and all later values are NaN too; the other functions here would
 * turn such a cell into numbers. form: FV_FORM_OF(p), or a constant where a loop is for one form
 * (fv_stage_host.h). */
#define fv_rate(p, c) fv_rate_of(p, c, FV_FORM_OF(p))
TRM_INLINE real fv_rate_of(const fv_params p, const fv_cell c, const int form)
{
  const real sound = trm_sqrt(c.rho > R(0.0) ? c.t : R(-1.0));
  const real u = trm_fabs(c.u), v = trm_fabs(c.v), w = trm_fabs(c.w);
  const real one = trm_more(trm_more(u, v), w) + sound;
  const real all = trm_fma(R(0.5), sound, (u + v) + w);
  real thick = p.diffusion;
  if (form & FV_SUTHERLAND) thick = thick * fv_viscosity(p, c.t);
  return trm_more(trm_more(one, p.oblique * all) * p.inv_h, thick * trm_near_reciprocal(c.rho));
}

#define FV_STORE(to, i, cell) \
  do { \
    (to)[i] = (cell).u; \
    (to)[FV_CELLS + (i)] = (cell).v; \
    (to)[2 * FV_CELLS + (i)] = (cell).w; \
    (to)[3 * FV_CELLS + (i)] = (cell).rho; \
    (to)[4 * FV_CELLS + (i)] = (cell).t; \
  } while (0)
