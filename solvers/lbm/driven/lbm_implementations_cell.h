/* lbm_implementations_cell.h - how the implementations reach the populations of a cell: nine
 * side by side, or each in an array of its own. */

#define IMPL_STRUCTS(f, k, x, y) (f)[((y) * TRM_NX + (x)) * 9 + (k)]
#define IMPL_ARRAYS(f, k, x, y) (f)[p.first + (trm_index)(k) * p.component + (y) * p.row + (x)]

/* Periodic neighbours along x, on every device: there are no ghost columns here. */
#define IMPL_WEST(x) ((x) == 0 ? TRM_NX - 1 : (x) - 1)
#define IMPL_EAST(x) ((x) == TRM_NX - 1 ? 0 : (x) + 1)

/* f0 to f8: what streams to the cell, f_k(x - e_k); or its own. */
#define IMPL_FROM(AT, f, x, y, west, east, south, north) \
  const real f0 = AT(f, 0, x, y), f1 = AT(f, 1, west, y), f2 = AT(f, 2, x, south); \
  const real f3 = AT(f, 3, east, y), f4 = AT(f, 4, x, north), f5 = AT(f, 5, west, south); \
  const real f6 = AT(f, 6, east, south), f7 = AT(f, 7, east, north); \
  const real f8 = AT(f, 8, west, north)
#define IMPL_PULL(AT, f, x, y, south, north) \
  IMPL_FROM(AT, f, x, y, IMPL_WEST(x), IMPL_EAST(x), south, north)
#define IMPL_LOAD(AT, f, x, y) IMPL_FROM(AT, f, x, y, x, x, y, y)
#define IMPL_STORE(AT, f, x, y, g0, g1, g2, g3, g4, g5, g6, g7, g8) \
  AT(f, 0, x, y) = (g0); AT(f, 1, x, y) = (g1); AT(f, 2, x, y) = (g2); AT(f, 3, x, y) = (g3); \
  AT(f, 4, x, y) = (g4); AT(f, 5, x, y) = (g5); AT(f, 6, x, y) = (g6); AT(f, 7, x, y) = (g7); \
  AT(f, 8, x, y) = (g8)
/* After a collision; what came; what came, sent back. */
#define IMPL_STORE_NEW(AT, f, x, y) IMPL_STORE(AT, f, x, y, g0, g1, g2, g3, g4, g5, g6, g7, g8)
#define IMPL_STORE_SAME(AT, f, x, y) IMPL_STORE(AT, f, x, y, f0, f1, f2, f3, f4, f5, f6, f7, f8)
#define IMPL_STORE_BACK(AT, f, x, y) IMPL_STORE(AT, f, x, y, f0, f3, f4, f1, f2, f7, f8, f5, f6)

/* Row ny - 2 of the lattice before a step. Where it is fluid and would stay positive, density *
 * accel moves from the western populations to the eastern ones. */
#define IMPL_ACCELERATE(AT, f, x, y, wall) \
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
