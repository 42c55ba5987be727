/* A step of Lax-Friedrichs: spans of a host, cells of a GPU. */

/* ---- by span ---- */

/* Long spans: a core's prefetcher starts anew with each. */
#undef TRM_SPAN
#define TRM_SPAN (8192 / (int)sizeof(real))

/* Cell x of a row; the reciprocals of its and its neighbours' depths are at hand. */
#define SHALLOW_LF_GIVE_X(at, inverse) \
  shallow_give(n, SHALLOW_H(row)[at], SHALLOW_HU(row)[at], SHALLOW_HV(row)[at], inverse)
#define SHALLOW_LF_GIVE_Y(from, inverse, flip) \
  shallow_give(n, SHALLOW_H(from)[x], (flip) * SHALLOW_HV(from)[x], SHALLOW_HU(from)[x], inverse)
TRM_INLINE real shallow_lf_at(TRM_IN(real) before, TRM_IN(real) row, TRM_IN(real) after,
                              TRM_IN(real) bed, TRM_OUT(real) to, const real west,
                              const real east, const real south, const real north,
                              const shallow_params p, const shallow_numbers n, const real rate,
                              const real pull, const real live, const int x,
                              const real flip_s, const real flip_n)
{
  const shallow_lf_cell old = { SHALLOW_H(row)[x], SHALLOW_HU(row)[x], SHALLOW_HV(row)[x] };
  const shallow_lf_cell cell =
    shallow_lf_step(n, rate, pull, live, old, SHALLOW_LF_GIVE_X(x - 1, west),
                    SHALLOW_LF_GIVE_X(x + 1, east), SHALLOW_LF_GIVE_Y(before, south, flip_s),
                    SHALLOW_LF_GIVE_Y(after, north, flip_n),
                    bed[p.bed_component + x], bed[2 * (trm_index)p.bed_component + x]);
  SHALLOW_H(to)[x] = cell.h;
  SHALLOW_HU(to)[x] = cell.hu;
  SHALLOW_HV(to)[x] = cell.hv;
  return shallow_speed(n, cell.h, cell.hu, cell.hv, SHALLOW_LAX_FRIEDRICHS);
}

/* ---- by cell ---- */

/* An item of a GPU takes SHALLOW_LF_CELLS cells of a row, which is one load, through a block of
 * p.rows rows from south to north. Each cell is loaded once, and its reciprocal and its flux along
 * y are computed once. */
#if TRM_F64_KERNEL
#define SHALLOW_LF_CELLS (SHALLOW_LF_BYTES / 8)
#else
#define SHALLOW_LF_CELLS (SHALLOW_LF_BYTES / 4)
#endif
#define SHALLOW_LF_EACH(j) TRM_UNROLL for (int j = 0; j < SHALLOW_LF_CELLS; j++)
#define SHALLOW_ITEMS TRM_CELLS /* no loop over cells: an item has several */

typedef struct shallow_lf_cells {
  real h[SHALLOW_LF_CELLS], hu[SHALLOW_LF_CELLS], hv[SHALLOW_LF_CELLS];
} shallow_lf_cells;

TRM_INLINE shallow_lf_cells shallow_lf_load(const shallow_params p, TRM_IN(real) row, const int x)
{
  shallow_lf_cells c;
  trm_read(c.h, SHALLOW_H(row) + x, SHALLOW_LF_CELLS);
  trm_read(c.hu, SHALLOW_HU(row) + x, SHALLOW_LF_CELLS);
  trm_read(c.hv, SHALLOW_HV(row) + x, SHALLOW_LF_CELLS);
  return c;
}

TRM_INLINE shallow_lf_cell shallow_lf_one(const shallow_params p, TRM_IN(real) row, const int x)
{
  const shallow_lf_cell c = { SHALLOW_H(row)[x], SHALLOW_HU(row)[x], SHALLOW_HV(row)[x] };
  return c;
}

/* Cells beyond the eastern edge become its mirror image; left: cells inside. */
TRM_INLINE shallow_lf_cells shallow_lf_trim(shallow_lf_cells c, const int left, const real flip)
{
  if (left < SHALLOW_LF_CELLS) {
    TRM_UNROLL for (int j = 1; j < SHALLOW_LF_CELLS; j++) {
      c.h[j] = j < left ? c.h[j] : c.h[j - 1];
      c.hu[j] = j < left ? c.hu[j] : j == left ? flip * c.hu[j - 1] : c.hu[j - 1];
      c.hv[j] = j < left ? c.hv[j] : c.hv[j - 1];
    }
  }
  return c;
}

/* f64: the row three further on is asked for, so that its load, a row later, finds it in the second
 * cache: 20 % faster on an H200. Four or five rows ahead gain less; f32, with more items at work,
 * gains next to nothing. */
#if TRM_F64_KERNEL
#define SHALLOW_LF_AHEAD 3
#define SHALLOW_LF_ASK(by) \
  do { \
    TRM_IN(real) ahead = row + (trm_index)(by) * p.row; \
    TRM_IN(real) ahead_bed = bed + (trm_index)(by) * p.bed_row; \
    trm_prefetch(SHALLOW_H(ahead) + x); \
    trm_prefetch(SHALLOW_HU(ahead) + x); \
    trm_prefetch(SHALLOW_HV(ahead) + x); \
    trm_prefetch(ahead_bed + p.bed_component + x); \
    trm_prefetch(ahead_bed + 2 * (trm_index)p.bed_component + x); \
  } while (0)
#else
#define SHALLOW_LF_AHEAD 0
#define SHALLOW_LF_ASK(by) do { } while (0)
#endif

/* The cells from x on, in each row of a block; returns the largest value of shallow_speed. For each
 * row, h, hu, hv and 1 / h stay in registers; the next row is being loaded while a row is
 * computed. */
TRM_INLINE real shallow_lf_column(TRM_IN(real) before, TRM_IN(real) row, TRM_IN(real) after,
                                  TRM_IN(real) bed, TRM_OUT(real) to, TRM_IN(real) clock,
                                  const shallow_params p, const shallow_numbers n, const int x,
                                  const int nx, const int rows, const real flip_s,
                                  const real flip_n)
{
  const int left = nx - x, west_x = x > 0 ? x - 1 : 0;
  const int east_x = left > SHALLOW_LF_CELLS ? x + SHALLOW_LF_CELLS : nx - 1;
  const real flip_w = x > 0 ? R(1.0) : SHALLOW_FLIP(p.west), flip_edge = SHALLOW_FLIP(p.east);
  const real flip_e = left > SHALLOW_LF_CELLS ? R(1.0) : flip_edge;
  if (rows >= SHALLOW_LF_AHEAD) SHALLOW_LF_ASK(SHALLOW_LF_AHEAD - 1);
  shallow_lf_cells south = shallow_lf_load(p, before, x);
  shallow_lf_cells here = shallow_lf_load(p, row, x);
  shallow_lf_cells next = shallow_lf_load(p, rows == 1 ? after : row + p.row, x);
  shallow_lf_cell w = shallow_lf_one(p, row, west_x), e = shallow_lf_one(p, row, east_x);
  real bed_x[SHALLOW_LF_CELLS], bed_y[SHALLOW_LF_CELLS];
  trm_read(bed_x, bed + p.bed_component + x, SHALLOW_LF_CELLS);
  trm_read(bed_y, bed + 2 * (trm_index)p.bed_component + x, SHALLOW_LF_CELLS);
  const real dt = clock[SHALLOW_DT], live = clock[SHALLOW_LIVE];
  const real rate = R(0.5) * dt * p.inv_dx, pull = dt * p.g;
  real south_inverse[SHALLOW_LF_CELLS], inverse[SHALLOW_LF_CELLS], most = R(0.0);
  south = shallow_lf_trim(south, left, flip_edge);
  here = shallow_lf_trim(here, left, flip_edge);
  SHALLOW_LF_EACH(j) {
    south.hv[j] *= flip_s;
    south_inverse[j] = shallow_lf_inverse(n, south.h[j]);
    inverse[j] = shallow_lf_inverse(n, here.h[j]);
  }
  TRM_ROLL for (int k = 0; k < rows; k++) {
    const int is_last = k == rows - 1;
    if (k + SHALLOW_LF_AHEAD < rows) SHALLOW_LF_ASK(SHALLOW_LF_AHEAD);
    shallow_lf_cells north = shallow_lf_trim(next, left, flip_edge);
    real north_inverse[SHALLOW_LF_CELLS];
    shallow_gift past = shallow_give(n, w.h, flip_w * w.hu, w.hv, shallow_lf_inverse(n, w.h));
    const shallow_gift east = shallow_give(n, e.h, flip_e * e.hu, e.hv, shallow_lf_inverse(n, e.h));
    SHALLOW_LF_EACH(j) {
      north.hv[j] *= is_last ? flip_n : R(1.0);
      north_inverse[j] = shallow_lf_inverse(n, north.h[j]);
    }
    if (!is_last) {
      row += p.row;
      next = shallow_lf_load(p, k + 1 == rows - 1 ? after : row + p.row, x);
      w = shallow_lf_one(p, row, west_x);
      e = shallow_lf_one(p, row, east_x);
    }
    shallow_lf_cells made;
    shallow_gift now = shallow_give(n, here.h[0], here.hu[0], here.hv[0], inverse[0]);
    SHALLOW_LF_EACH(j) {
      const int i = j + 1 < SHALLOW_LF_CELLS ? j + 1 : j;
      const shallow_gift then = j + 1 == SHALLOW_LF_CELLS
        ? east : shallow_give(n, here.h[i], here.hu[i], here.hv[i], inverse[i]);
      const shallow_lf_cell old = { here.h[j], here.hu[j], here.hv[j] };
      const shallow_lf_cell cell =
        shallow_lf_step(n, rate, pull, live, old, past, then,
                        shallow_give(n, south.h[j], south.hv[j], south.hu[j], south_inverse[j]),
                        shallow_give(n, north.h[j], north.hv[j], north.hu[j], north_inverse[j]),
                        bed_x[j], bed_y[j]);
      const real speed = shallow_speed(n, cell.h, cell.hu, cell.hv, SHALLOW_LAX_FRIEDRICHS);
      most = trm_more(most, j < left ? speed : R(0.0));
      made.h[j] = cell.h;
      made.hu[j] = cell.hu;
      made.hv[j] = cell.hv;
      past = now;
      now = then;
    }
    trm_write(SHALLOW_H(to) + x, made.h, SHALLOW_LF_CELLS);
    trm_write(SHALLOW_HU(to) + x, made.hu, SHALLOW_LF_CELLS);
    trm_write(SHALLOW_HV(to) + x, made.hv, SHALLOW_LF_CELLS);
    if (!is_last) {
      bed += p.bed_row;
      trm_read(bed_x, bed + p.bed_component + x, SHALLOW_LF_CELLS);
      trm_read(bed_y, bed + 2 * (trm_index)p.bed_component + x, SHALLOW_LF_CELLS);
    }
    to += p.row;
    south = here;
    here = north;
    SHALLOW_LF_EACH(j) { south_inverse[j] = inverse[j]; inverse[j] = north_inverse[j]; }
  }
  return most;
}

/* A launch's row is a block of p.rows rows. A host makes each reciprocal once, and keeps those of
 * three rows. */
TRM_ROW_KERNEL5(shallow_lf, 1, shallow_params, TRM_RO(real) u, TRM_RW(real) v, TRM_RO(real) beds,
                TRM_RO(real) clock, TRM_RW(real) part)
{
  TRM_ROW(block);
  const int y0 = (int)block * p.rows, rows = y0 + p.rows < p.ny ? p.rows : p.ny - y0;
  const int is_north = y0 + rows == p.ny;
  const real flip_s = y0 == 0 ? SHALLOW_FLIP(p.south) : R(1.0);
  const real flip_n = is_north ? SHALLOW_FLIP(p.north) : R(1.0);
  TRM_IN(real) row = u + p.first + (trm_index)y0 * p.row;
  TRM_IN(real) before = row - (y0 == 0 ? 0 : p.row);
  TRM_IN(real) after = row + (trm_index)(is_north ? rows - 1 : rows) * p.row;
  TRM_OUT(real) to = v + p.first + (trm_index)y0 * p.row;
  TRM_IN(real) bed = beds + p.bed_first + (trm_index)y0 * p.bed_row;
  SHALLOW_NUMBERS(numbers);
  TRM_LEAVES(speed);
  if (TRM_BY_SPAN) {
    const real dt = clock[SHALLOW_DT], live = clock[SHALLOW_LIVE];
    const real rate = R(0.5) * dt * p.inv_dx, pull = dt * p.g;
    TRM_STRIP(a); TRM_STRIP(b); TRM_STRIP(c);
    real *south = a, *here = b, *north = c;
    TRM_REACH(x, 1, 1) { TRM_ON(b, x) = shallow_lf_inverse(numbers, SHALLOW_H(row)[x]); }
    TRM_CELLS(x) {
      TRM_ON(a, x) = shallow_lf_inverse(numbers, SHALLOW_H(before)[x]);
      TRM_ADD(speed, x) = R(0.0);
    }
    for (int k = 0; k < rows; k++) {
      TRM_IN(real) next = k + 1 < rows ? row + p.row : after;
      const real flip_a = k == 0 ? flip_s : R(1.0), flip_b = k + 1 == rows ? flip_n : R(1.0);
      TRM_ON(north, TRM_FIRST - 1) = shallow_lf_inverse(numbers, SHALLOW_H(next)[TRM_FIRST - 1]);
      TRM_ON(north, TRM_FINAL + 1) = shallow_lf_inverse(numbers, SHALLOW_H(next)[TRM_FINAL + 1]);
      TRM_CELLS(x) {
        TRM_ON(north, x) = shallow_lf_inverse(numbers, SHALLOW_H(next)[x]);
        const real most =
          shallow_lf_at(before, row, next, bed, to, TRM_ON(here, x - 1), TRM_ON(here, x + 1),
                        TRM_ON(south, x), TRM_ON(north, x), p, numbers, rate, pull, live, x, flip_a,
                        flip_b);
        TRM_ADD(speed, x) = trm_more(TRM_ADD(speed, x), most);
      }
      SHALLOW_GHOSTS(to, bed, y0 + k, 1);
      real *turned = south;
      south = here;
      here = north;
      north = turned;
      before = row;
      row = next;
      to += p.row;
      bed += p.bed_row;
    }
  }
  if (!TRM_BY_SPAN) {
    SHALLOW_ITEMS(item) {
      const int x = item * SHALLOW_LF_CELLS; /* beyond the row: see shallow_width */
      TRM_ADD(speed, item) = x < p.nx ? shallow_lf_column(before, row, after, bed, to, clock, p,
                                                          numbers, x, p.nx, rows, flip_s, flip_n)
                                      : R(0.0);
    }
  }
  TRM_FOLD_MAX(speed, part + block * TRM_LEAVES_OF(TRM_NX));
}
