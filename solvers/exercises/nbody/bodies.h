/* bodies.h - the pull of one body on another, for all kernels. */
typedef struct pull { real x, y, z; } pull;

/* The acceleration a of a body, and that by a body of this mass at the distance d from it; G is
 * 1. */
TRM_INLINE pull bodies_pulled(const pull a, const real dx, const real dy, const real dz,
                              const real mass, const real softening2)
{
  const real r2 = trm_fma(dx, dx, trm_fma(dy, dy, trm_fma(dz, dz, softening2)));
  const real by = mass / (r2 * trm_sqrt(r2));
  pull b;
  b.x = trm_fma(by, dx, a.x);
  b.y = trm_fma(by, dy, a.y);
  b.z = trm_fma(by, dz, a.z);
  return b;
}
