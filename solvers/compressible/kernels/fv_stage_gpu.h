/* A stage on a block where a group has an item for each of its columns of cells (a GPU). An item
 * goes up its column and computes the fluxes west, south and above of its cell; it loads the
 * neighbours once for all three. The fluxes at the east and the north rim are computed for two
 * planes at a time, by the two halves of the group in turn. A plane of the ring is loaded while the
 * cells two planes below are updated. */

#define FV_COLUMNS (FV_SX * FV_SY)

/* Item i's column, and a column's item: even rows first, so that the lanes that load together find
 * their values in different banks of the shared memory. */
#define FV_COLUMN_X(i) ((i) % FV_SX)
#define FV_COLUMN_Y(i) (2 * ((i) / FV_SX) % FV_SY + (i) / FV_SX / (FV_SY / 2))
#define FV_COLUMN(x, y) (((y) / 2 + (y) % 2 * (FV_SY / 2)) * FV_SX + (x))

/* A plane of the ring is loaded in pieces of 16 bytes: the block's own rows, the two rows on either
 * side, the two cells at each end of its own rows, and the four corners. */
#define FV_PIECE (16 / (int)sizeof(real)) /* reals */
#define FV_PIECES (6 * FV_SX * FV_SY / (4 * FV_PIECE) + 2 * FV_SY + 4)

/* Faces of one direction: west (or south) of each item's cell; then the rim's, of two planes. */
#define FV_FACES_IN (FV_COLUMNS + 2 * FV_SY)

typedef struct fv_shared {
  real w[FV_VALUES * FV_RING_REALS]; /* first: its pieces are multiples of 16 bytes */
  real x[FV_VALUES * FV_FACES_IN], y[FV_VALUES * FV_FACES_IN];
  real speed[FV_COLUMNS];
  real open_x[FV_SX + 1], open_y[FV_SY + 1], open_z[FV_SZ + 1]; /* 0: no mass goes through */
  int near[27];
  int piece[FV_PIECES];
} fv_shared;

/* The bits of piece t of a plane. 0 to 3: the row of three blocks and the block in it that it comes
 * from. 4 and 5: its planes: 0 all, 1 those from -1 to FV_SZ, 2 the block's own. 6: it has two
 * cells whatever their size. 8 to 15: the first cell's place there. From 16 on: its place here. */
TRM_INLINE int fv_piece(const int t)
{
  const int row = FV_SX / FV_PIECE; /* pieces */
  const int outside = t - row * FV_SY, side = outside - 4 * row, corner = side - 2 * FV_SY;
  int x, y, planes;
  if (outside < 0) {
    x = t % row * FV_PIECE;
    y = t / row;
    planes = 0;
  } else if (side < 0) {
    const int line = outside / row;
    x = outside % row * FV_PIECE;
    y = line < 2 ? line - 2 : FV_SY + line - 2;
    planes = line == 0 || line == 3 ? 2 : 1;
  } else if (corner < 0) {
    x = side < FV_SY ? -2 : FV_SX;
    y = side % FV_SY;
    planes = 1;
  } else {
    x = corner % 2 ? FV_SX : -2;
    y = corner / 2 ? FV_SY : -1;
    planes = 2;
  }
  return ((y < 0 ? 0 : y < FV_SY ? 3 : 6) + (x < 0 ? 0 : x < FV_SX ? 1 : 2)) | planes << 4 |
         (side >= 0) << 6 | ((y & (FV_SY - 1)) * FV_SX + (x & (FV_SX - 1))) << 8 |
         FV_AT(x, y) << 16;
}

/* Asks for plane k of the ring, from -2 to FV_SZ + 1. */
#define FV_BRING(k) \
  { \
    const int fv_low = (k) < 0 ? 0 : (k) < FV_SZ ? 9 : 18, fv_ring_plane = FV_RING_PLANE(k); \
    const int fv_plane = ((k) & (FV_SZ - 1)) * FV_COLUMNS; \
    const int fv_planes = (k) < -1 || (k) > FV_SZ ? 0 : (k) < 0 || (k) == FV_SZ ? 1 : 2; \
    TRM_TILE(t, one, FV_PIECES, 1, 0) { \
      const int piece = s.piece[t + one]; \
      if ((piece >> 4 & 3) <= fv_planes) { \
        TRM_IN(real) from = w + (trm_index)s.near[fv_low + (piece & 15)] * FV_BLOCK + fv_plane + \
                            (piece >> 8 & 255); \
        TRM_LOCAL real *place = s.w + fv_ring_plane + (piece >> 16); \
        TRM_UNROLL for (int v = 0; v < FV_VALUES; v++) { \
          if (FV_PIECE > 2 && (piece >> 6 & 1)) \
            TRM_BRING(place + v * FV_RING_REALS, from + v * FV_CELLS, 2 * (int)sizeof(real)); \
          else TRM_BRING(place + v * FV_RING_REALS, from + v * FV_CELLS, 16); \
        } \
      } \
    } \
  }

/* A flux along axis n, whose other axes are a and b, as values by axis. */
#define FV_ALONG_X(f) { f.mass, f.along, f.across_a, f.across_b, f.energy }
#define FV_ALONG_Y(f) { f.mass, f.across_b, f.along, f.across_a, f.energy }
#define FV_ALONG_Z(f) { f.mass, f.across_a, f.across_b, f.along, f.energy }

/* The flux above the column's cell of plane k, of the planes k - 1 to k + 2. */
#define FV_ABOVE(k, at) \
  fv_face(own, FV_FORM_OF(p), s.w, s.open_z[(k) + 1], 2, 0, 1, FV_RING_PLANE((k) - 1) + (at), \
          FV_RING_PLANE(k) + (at), FV_RING_PLANE((k) + 1) + (at), FV_RING_PLANE((k) + 2) + (at), \
          1, -1, FV_PITCH, -FV_PITCH)

#define FV_COLUMN_BELOW \
  TRM_TILE(i, one, FV_COLUMNS, 1, 0) { \
    const int at = FV_AT(FV_COLUMN_X(i), FV_COLUMN_Y(i) + one); \
    const fv_flux f = FV_ABOVE(-1, at); \
    const fv_state fv_z = FV_ALONG_Z(f); \
    TRM_OF(below, i) = fv_z; \
    TRM_OF(speed, i) = R(0.0); \
  }

/* East of the last cells of planes k and k + 1, and north. */
#define FV_RIM_FLUXES(k) \
  { \
    TRM_TILE(r, one, 4 * FV_SY, 1, (k) / 2 % 2 * (FV_COLUMNS / 2)) { \
      const int is_north = r / (2 * FV_SY), on = (k) + (r / FV_SY & 1), o = r % FV_SY + one; \
      const int here = FV_RING_PLANE(on), up = FV_RING_PLANE(on + 1) - here, down = \
          FV_RING_PLANE(on - 1) - here; \
      const int step = is_north ? FV_PITCH : 1; \
      const int c = here + (is_north ? FV_AT(o, FV_SY - 1) : FV_AT(FV_SX - 1, o)); \
      const int n = is_north, a = n + 1, b = is_north ? 0 : 2; \
      const fv_flux f = fv_face(own, FV_FORM_OF(p), s.w, \
                                is_north ? s.open_y[FV_SY] : s.open_x[FV_SX], n, a, b, c - step, \
                                c, c + step, c + 2 * step, is_north ? up : FV_PITCH, \
                                is_north ? down : -FV_PITCH, is_north ? 1 : up, \
                                is_north ? -1 : down); \
      TRM_LOCAL real *fluxes = is_north ? s.y : s.x; \
      const int to = FV_RIM(on, o); \
      fluxes[to] = f.mass; \
      fluxes[(1 + n) * FV_FACES_IN + to] = f.along; \
      fluxes[(1 + a) * FV_FACES_IN + to] = f.across_a; \
      fluxes[(1 + b) * FV_FACES_IN + to] = f.across_b; \
      fluxes[4 * FV_FACES_IN + to] = f.energy; \
    } \
  }
#define FV_RIM(k, o) (FV_COLUMNS + (k) % 2 * FV_SY + (o))

/* West, south and above each cell of plane k. */
#define FV_COLUMN_FLUXES(k) \
  TRM_TILE(i, one, FV_COLUMNS, 1, 0) { \
    const int x = FV_COLUMN_X(i), y = FV_COLUMN_Y(i) + one, at = FV_AT(x, y); \
    const int here = FV_RING_PLANE(k), c = here + at; \
    const int up = FV_RING_PLANE((k) + 1) - here, down = FV_RING_PLANE((k) - 1) - here; \
    FV_STATE(fv_q, (k) * FV_COLUMNS + y * FV_SX + x); \
    const fv_flux f = fv_face(own, FV_FORM_OF(p), s.w, s.open_x[x], 0, 1, 2, c - 2, c - 1, c, \
                              c + 1, FV_PITCH, -FV_PITCH, up, down); \
    const fv_flux g = fv_face(own, FV_FORM_OF(p), s.w, s.open_y[y], 1, 2, 0, c - 2 * FV_PITCH, \
                              c - FV_PITCH, c, c + FV_PITCH, up, down, 1, -1); \
    const fv_flux h = FV_ABOVE(k, at); \
    const fv_state fv_x = FV_ALONG_X(f), fv_y = FV_ALONG_Y(g), fv_z = FV_ALONG_Z(h); \
    TRM_OF(before, i) = fv_q; \
    TRM_OF(west, i) = fv_x; \
    TRM_OF(south, i) = fv_y; \
    TRM_OF(above, i) = fv_z; \
    FV_SHOW(s.x, i, fv_x) \
    FV_SHOW(s.y, i, fv_y) \
  }
#define FV_SHOW(to, i, flux) \
  (to)[i] = (flux).mass; \
  (to)[FV_FACES_IN + (i)] = (flux).u; \
  (to)[2 * FV_FACES_IN + (i)] = (flux).v; \
  (to)[3 * FV_FACES_IN + (i)] = (flux).w; \
  (to)[4 * FV_FACES_IN + (i)] = (flux).energy;

/* The cells of plane k. */
#define FV_COLUMN_LEAVES(v, value) \
  fv_of_axes(s.x[(v) * FV_FACES_IN + east] - TRM_OF(west, i).value, \
             s.y[(v) * FV_FACES_IN + north] - TRM_OF(south, i).value, \
             TRM_OF(above, i).value - TRM_OF(below, i).value)
#define FV_UPDATE_COLUMN(k) \
  TRM_TILE(i, one, FV_COLUMNS, 1, 0) { \
    const int x = FV_COLUMN_X(i), y = FV_COLUMN_Y(i) + one; \
    const int at = (k) * FV_COLUMNS + y * FV_SX + x; \
    const int east = x < FV_SX - 1 ? i + 1 : FV_RIM(k, y); \
    const int north = y < FV_SY - 1 ? FV_COLUMN(x, y + 1) : FV_RIM(k, x); \
    const fv_state leaves = { FV_COLUMN_LEAVES(0, mass), FV_COLUMN_LEAVES(1, u), \
                              FV_COLUMN_LEAVES(2, v), FV_COLUMN_LEAVES(3, w), \
                              FV_COLUMN_LEAVES(4, energy) }; \
    FV_UPDATE_CELL(at, TRM_OF(before, i), leaves, p.is_last, FV_FORM_OF(p), TRM_OF(speed, i)) \
    TRM_OF(below, i) = TRM_OF(above, i); \
  }

/* Keeps plane k's part of the fluxes through the sides at interfaces: in the side's row k, or,
 * for the bottom and the top, all of it. */
#define FV_KEPT_AT(side) \
  (flux + (trm_index)near[slot * FV_NEAR_INTS + FV_KEPT + (side)] * (FV_VALUES * FV_FACES))
#define FV_IS_KEPT(side) (near[slot * FV_NEAR_INTS + FV_KEPT + (side)] >= 0)
#define FV_KEEP_ROW(side, k, from, at) \
  if (FV_IS_KEPT(side)) { \
    TRM_OUT(real) fv_to = FV_KEPT_AT(side) + (k) * FV_SX; \
    TRM_TILE(o, v, FV_SX, FV_VALUES, 0) { \
      fv_to[v * FV_FACES + o] = (from)[v * FV_FACES_IN + (at)]; \
    } \
  }
#define FV_KEEP_PLANE(side, from) \
  if (FV_IS_KEPT(side)) { \
    TRM_OUT(real) fv_to = FV_KEPT_AT(side); \
    TRM_TILE(i, one, FV_COLUMNS, 1, 0) { \
      const int at = (FV_COLUMN_Y(i) + one) * FV_SX + FV_COLUMN_X(i); \
      fv_to[at] = TRM_OF(from, i).mass; \
      fv_to[FV_FACES + at] = TRM_OF(from, i).u; \
      fv_to[2 * FV_FACES + at] = TRM_OF(from, i).v; \
      fv_to[3 * FV_FACES + at] = TRM_OF(from, i).w; \
      fv_to[4 * FV_FACES + at] = TRM_OF(from, i).energy; \
    } \
  }
#define FV_KEEP_SIDES(k) \
  { \
    FV_KEEP_ROW(0, k, s.x, FV_COLUMN(0, o)) \
    FV_KEEP_ROW(1, k, s.x, FV_RIM(k, o)) \
    FV_KEEP_ROW(2, k, s.y, FV_COLUMN(o, 0)) \
    FV_KEEP_ROW(3, k, s.y, FV_RIM(k, o)) \
    if ((k) == 0) FV_KEEP_PLANE(4, below) \
    if ((k) == FV_SZ - 1) FV_KEEP_PLANE(5, above) \
  }
