/* A stage on a block, plane by plane: fluxes of all faces of a plane, then its cells. For hosts,
 * flat blocks, and groups of any size. */

/* Faces across x, FV_ROW_X to a row, which has one more than cells. A host goes through all rows of
 * a plane as they lie in the ring. The exception is rows of 8 doubles, where the places between
 * rows cost as much as one further face of each row. It has `open` by face. */
#if TRM_BY_SPAN
#if FV_SZ > 1 && TRM_F64_KERNEL
#define FV_ROW_X (FV_SX + 1)
#define FV_ROWS_X TRM_TILE(x, y, FV_SX + 1, FV_SY, 0)
#else
#define FV_ROW_X FV_PITCH
#define FV_ROWS_X TRM_SHEET(x, y, FV_SX + 1, FV_SY, FV_PITCH, 0)
#endif
#define FV_OPENS_X FV_FACES_X
#define FV_OPEN_AT(x, y) ((y) * FV_ROW_X + (x))
#define FV_OPEN_X(open) \
  { \
    const real fv_west = FV_IS_CLOSED(0, 12) ? R(0.0) : R(1.0); \
    const real fv_east = FV_IS_CLOSED(1, 14) ? R(0.0) : R(1.0); \
    TRM_TILE(x, y, FV_ROW_X, FV_SY, 0) { \
      (open)[FV_OPEN_AT(x, y)] = x == 0 ? fv_west : x == FV_SX ? fv_east : R(1.0); \
    } \
  }
#else
#define FV_ROW_X (FV_SX + 1)
#define FV_ROWS_X TRM_TILE(x, y, FV_SX + 1, FV_SY, 0)
#define FV_OPENS_X (FV_SX + 1)
#define FV_OPEN_AT(x, y) (x)
#endif
#define FV_FACES_X (FV_ROW_X * FV_SY)
#define FV_FACES_Y (FV_SX * (FV_SY + 1))
#define FV_FACES_Z (FV_SZ > 1 ? FV_SX * FV_SY : 1) /* flat: none, and no 20 KiB of memory */
#define FV_FIRST_PLANE (FV_SZ > 1 ? -1 : 0) /* above it lie the first faces */

typedef struct fv_shared {
  real w[FV_VALUES * FV_RING_REALS];
  real x[FV_VALUES * FV_FACES_X], y[FV_VALUES * FV_FACES_Y];
  real z[2][FV_VALUES * FV_FACES_Z]; /* below and above the plane at hand, in turn */
  real speed[FV_SX * FV_SY];
  real open_x[FV_OPENS_X], open_y[FV_SY + 1], open_z[FV_SZ + 1]; /* 0: no mass goes through */
  int near[27];
} fv_shared;

/* FV_BRING(k): plane k of the block, from -2 on, with the cells around it. */
#if TRM_BY_SPAN
#define FV_BRING(k) \
  fv_bring(s.w + FV_RING_PLANE(k), w, s.near + ((k) < 0 ? 0 : (k) < FV_SZ ? 9 : 18), \
           ((k) & (FV_SZ - 1)) * FV_SX * FV_SY);
/* Row by row: the compiler makes a few wide copies of each row; of the plain text's loops it makes
 * many for each cell. near: the nine blocks about the plane. The next plane above is prefetched,
 * which needs other lines of memory than this one: in f32 64^3 cells take 0.9 of the time. */
TRM_INLINE void fv_bring(real *ring, TRM_IN(real) w, const int *near, const int plane)
{
  const int above = (plane + FV_SX * FV_SY) % FV_CELLS - plane; /* from the last plane: any */
  for (int y = -2; y < FV_SY + 2; y++) {
    const int *row = near + (y < 0 ? 0 : y < FV_SY ? 3 : 6);
    const int at = plane + (y & (FV_SY - 1)) * FV_SX;
    TRM_IN(real) west = w + (trm_index)row[0] * FV_BLOCK + at + FV_SX - 2;
    TRM_IN(real) own = w + (trm_index)row[1] * FV_BLOCK + at;
    TRM_IN(real) east = w + (trm_index)row[2] * FV_BLOCK + at;
    real *to = ring + FV_AT(0, y);
    for (int v = 0; v < FV_VALUES; v++) {
      TRM_COPY(to + v * FV_RING_REALS - 2, west + v * FV_CELLS, 2);
      TRM_COPY(to + v * FV_RING_REALS, own + v * FV_CELLS, FV_SX);
      TRM_COPY(to + v * FV_RING_REALS + FV_SX, east + v * FV_CELLS, 2);
      if (FV_SZ > 1) {
        TRM_ASK(west + v * FV_CELLS + above);
        TRM_ASK(own + v * FV_CELLS + above);
        TRM_ASK(east + v * FV_CELLS + above);
      }
    }
  }
}
#else
/* Copies cell `from` of a slot to place `to` of the ring. */
#define FV_FETCH(to, slot, from) \
  do { \
    TRM_IN(real) fv_from = w + (trm_index)(slot) * FV_BLOCK + (from); \
    s.w[to] = fv_from[0]; \
    s.w[FV_RING_REALS + (to)] = fv_from[FV_CELLS]; \
    s.w[2 * FV_RING_REALS + (to)] = fv_from[2 * FV_CELLS]; \
    s.w[3 * FV_RING_REALS + (to)] = fv_from[3 * FV_CELLS]; \
    s.w[4 * FV_RING_REALS + (to)] = fv_from[4 * FV_CELLS]; \
  } while (0)

#define FV_BRING(k) \
  { \
    const int fv_low = (k) < 0 ? 0 : (k) < FV_SZ ? 9 : 18, fv_ring_plane = FV_RING_PLANE(k); \
    const int fv_plane = ((k) & (FV_SZ - 1)) * FV_SX * FV_SY; \
    TRM_TILE(x, row, FV_SX, FV_SY + 4, 0) { \
      const int y = row - 2, y_near = y < 0 ? 1 : y < FV_SY ? 4 : 7; \
      FV_FETCH(fv_ring_plane + FV_AT(x, y), s.near[fv_low + y_near], \
               fv_plane + (y & (FV_SY - 1)) * FV_SX + x); \
    } \
    TRM_TILE(side, row, 4, FV_SY + 4, FV_SX * (FV_SY + 4)) { \
      const int y = row - 2, y_near = y < 0 ? 1 : y < FV_SY ? 4 : 7; \
      const int x = side < 2 ? side - 2 : FV_SX + side - 2; \
      FV_FETCH(fv_ring_plane + FV_AT(x, y), s.near[fv_low + y_near + (side < 2 ? -1 : 1)], \
               fv_plane + (y & (FV_SY - 1)) * FV_SX + (x & (FV_SX - 1))); \
    } \
  }
#endif

/* Keeps a flux, as five arrays of `faces`: mass, momentum by axis, energy. */
#define FV_KEEP(to, faces, i, flux, n, a, b) \
  do { \
    (to)[i] = (flux).mass; \
    (to)[(1 + (n)) * (faces) + (i)] = (flux).along; \
    (to)[(1 + (a)) * (faces) + (i)] = (flux).across_a; \
    (to)[(1 + (b)) * (faces) + (i)] = (flux).across_b; \
    (to)[4 * (faces) + (i)] = (flux).energy; \
  } while (0)

/* FV_EACH_FORM(text, k, what) is text(k, what, form) for the case's form. A host has a loop for
 * each form, without a test at each face; a GPU tests. FV_EACH_LAW: of the form, only the viscosity
 * matters, and `more`. */
#if TRM_BY_SPAN
#define FV_EACH_FORM(text, k, what) \
  { \
    if ((FV_FORM_OF(p) & (FV_LIMITED | FV_SUTHERLAND)) == 0) text(k, what, 0) \
    else if (!(FV_FORM_OF(p) & FV_SUTHERLAND)) text(k, what, FV_LIMITED) \
    else if (!(FV_FORM_OF(p) & FV_LIMITED)) text(k, what, FV_SUTHERLAND) \
    else text(k, what, (FV_LIMITED | FV_SUTHERLAND)) \
  }
#define FV_EACH_LAW(text, k, what, more) \
  { \
    if (FV_FORM_OF(p) & FV_SUTHERLAND) text(k, what, (FV_SUTHERLAND | (more))) \
    else text(k, what, (more)) \
  }
#else
#define FV_EACH_FORM(text, k, what) text(k, what, FV_FORM_OF(p))
#define FV_EACH_LAW(text, k, what, more) text(k, what, FV_FORM_OF(p))
#endif

/* Faces above plane k. */
#define FV_FLUX_Z(k, lane) FV_EACH_FORM(FV_FLUX_Z_OF, k, lane)
#define FV_FLUX_Z_OF(k, lane, form) \
  { \
    const int fv_m = FV_RING_PLANE((k) - 1), fv_c = FV_RING_PLANE(k); \
    const int fv_d = FV_RING_PLANE((k) + 1), fv_e = FV_RING_PLANE((k) + 2); \
    TRM_TILE(x, y, FV_SX, FV_SY, lane) { \
      const int at = FV_AT(x, y); \
      const fv_flux f = fv_face(own, form, s.w, s.open_z[(k) + 1], 2, 0, 1, fv_m + at, \
                                fv_c + at, fv_d + at, fv_e + at, 1, -1, FV_PITCH, -FV_PITCH); \
      FV_KEEP(s.z[((k) + 1) & 1], FV_FACES_Z, y * FV_SX + x, f, 2, 0, 1); \
    } \
  }

/* Faces west of each cell of plane k and east of the last, south and north. */
#define FV_FLUX_XY(k) FV_EACH_FORM(FV_FLUX_XY_OF, k, FV_FACES_X)
#define FV_FLUX_XY_OF(k, lane, form) \
  { \
    const int fv_here = FV_RING_PLANE(k); \
    const int fv_up = FV_RING_PLANE((k) + 1) - fv_here, fv_down = \
        FV_RING_PLANE((k) - 1) - fv_here; \
    FV_ROWS_X { \
      const int at = fv_here + FV_AT(x - 1, y); \
      const fv_flux f = fv_face(own, form, s.w, s.open_x[FV_OPEN_AT(x, y)], 0, 1, 2, at - 1, \
                                at, at + 1, at + 2, FV_PITCH, -FV_PITCH, fv_up, fv_down); \
      FV_KEEP(s.x, FV_FACES_X, y * FV_ROW_X + x, f, 0, 1, 2); \
    } \
    TRM_TILE(x, y, FV_SX, FV_SY + 1, lane) { \
      const int at = fv_here + FV_AT(x, y - 1); \
      const fv_flux f = fv_face(own, form, s.w, s.open_y[y], 1, 2, 0, at - FV_PITCH, at, \
                                at + FV_PITCH, at + 2 * FV_PITCH, fv_up, fv_down, 1, -1); \
      FV_KEEP(s.y, FV_FACES_Y, y * FV_SX + x, f, 1, 2, 0); \
    } \
  }

/* The flux of value v out of a cell of plane k; i: its column. */
#if FV_SZ > 1
#define FV_LEAVE(x, y, z) fv_of_axes(x, y, z)
#define FV_OUT_Z(k, v, i) (s.z[((k) + 1) & 1][(v) * FV_FACES_Z + (i)] - \
                           s.z[(k) & 1][(v) * FV_FACES_Z + (i)])
#else
#define FV_LEAVE(x, y, z) (((x) + (y)) + (z))
#define FV_OUT_Z(k, v, i) R(0.0)
#endif
#define FV_LEAVES(k, v) \
  FV_LEAVE(s.x[(v) * FV_FACES_X + y * FV_ROW_X + x + 1] - \
             s.x[(v) * FV_FACES_X + y * FV_ROW_X + x], \
           s.y[(v) * FV_FACES_Y + i + FV_SX] - s.y[(v) * FV_FACES_Y + i], FV_OUT_Z(k, v, i))

#define FV_UPDATE_CELLS(k) \
  { \
    if (FV_FORM_OF(p) & FV_IN_DUAL) { \
      if (p.is_last == FV_RESIDUAL) FV_UPDATE_PLANE_OF(k, FV_RESIDUAL, FV_IN_DUAL) \
      else if (p.is_last) FV_EACH_LAW(FV_UPDATE_PLANE_OF, k, 1, FV_IN_DUAL) \
      else FV_EACH_LAW(FV_UPDATE_PLANE_OF, k, 0, FV_IN_DUAL) \
    } else if (p.is_last) FV_EACH_LAW(FV_UPDATE_PLANE_OF, k, 1, 0) \
    else FV_UPDATE_PLANE_OF(k, 0, 0) \
  }
#define FV_UPDATE_PLANE_OF(k, is_last, form) \
  TRM_TILE(x, y, FV_SX, FV_SY, 0) { \
    const int i = y * FV_SX + x, at = (k) * FV_SX * FV_SY + i; \
    FV_STATE(before, at); \
    const fv_state leaves = { FV_LEAVES(k, 0), FV_LEAVES(k, 1), FV_LEAVES(k, 2), \
                              FV_LEAVES(k, 3), FV_LEAVES(k, 4) }; \
    FV_UPDATE_CELL(at, before, leaves, is_last, form, s.speed[i]) \
  }

/* Keeps plane k's part of the fluxes through the sides at interfaces. Values of `faces`, from
 * number `at` of a row on, `step` apart, go to the side's row k, or, for the bottom and the top,
 * row by row. */
#define FV_KEEP_ROW(side, k, from, faces, at, step) \
  if (near[slot * FV_NEAR_INTS + FV_KEPT + (side)] >= 0) { \
    TRM_OUT(real) fv_to = flux + (trm_index)near[slot * FV_NEAR_INTS + FV_KEPT + (side)] * \
                          (FV_VALUES * FV_FACES) + (k) * FV_SX; \
    TRM_TILE(i, v, FV_SX, FV_VALUES, 0) { \
      fv_to[v * FV_FACES + i] = (from)[v * (faces) + (at) + i * (step)]; \
    } \
  }
#define FV_KEEP_SIDES(k) \
  { \
    FV_KEEP_ROW(0, k, s.x, FV_FACES_X, 0, FV_ROW_X) \
    FV_KEEP_ROW(1, k, s.x, FV_FACES_X, FV_SX, FV_ROW_X) \
    FV_KEEP_ROW(2, k, s.y, FV_FACES_Y, 0, 1) \
    FV_KEEP_ROW(3, k, s.y, FV_FACES_Y, FV_SX * FV_SY, 1) \
    if (FV_SZ > 1 && (k) == 0) FV_KEEP_PLANE(4, s.z[0]) \
    if (FV_SZ > 1 && (k) == FV_SZ - 1) FV_KEEP_PLANE(5, s.z[FV_SZ & 1]) \
  }
#define FV_KEEP_PLANE(side, from) \
  for (int row = 0; row < FV_SY; row++) \
    FV_KEEP_ROW(side, row, from, FV_FACES_Z, row * FV_SX, 1)
