/* Lax-Friedrichs as a step that shares a launch with others (shallow.dt_every): the same cell as
 * shallow_lf, a row a row, reached by lines. Away from the edges of the grid a cell gives all its
 * neighbours the same, so a compiler that sees several of them makes it once. */

typedef struct shallow_lf_source { real h, hu, hv, inverse; } shallow_lf_source;
TRM_INLINE shallow_lf_source shallow_lf_get(TRM_LINE_IN(real) line, const shallow_params p,
                                            const shallow_numbers n, const int x)
{
  const real h = TRM_GET(line, 0, p.component, x);
  const shallow_lf_source cell = { h, TRM_GET(line, 1, p.component, x),
                                   TRM_GET(line, 2, p.component, x),
                                   TRM_MEMO(line, x, shallow_lf_inverse(n, h)) };
  return cell;
}

/* The reciprocal of the depth that a neighbour has; at an edge, of the cell's own. */
#if TRM_HAS_MEMO
#define SHALLOW_LF_INVERSE(h) (is_edge ? own.inverse : far.inverse)
#else
#define SHALLOW_LF_INVERSE(h) shallow_lf_inverse(n, h)
#endif

/* The cell beyond an edge: the cell itself, with its momentum across the edge times `flip`. */
TRM_INLINE shallow_gift shallow_lf_give_x(const shallow_numbers n, const shallow_lf_source far,
                                          const shallow_lf_source own, const int is_edge,
                                          const real flip)
{
  const real h = is_edge ? own.h : far.h, hu = is_edge ? flip * own.hu : far.hu;
  return shallow_give(n, h, hu, is_edge ? own.hv : far.hv, SHALLOW_LF_INVERSE(h));
}
TRM_INLINE shallow_gift shallow_lf_give_y(const shallow_numbers n, const shallow_lf_source far,
                                          const shallow_lf_source own, const int is_edge,
                                          const real flip)
{
  const real h = is_edge ? own.h : far.h, hv = is_edge ? flip * own.hv : far.hv;
  return shallow_give(n, h, hv, is_edge ? own.hu : far.hu, SHALLOW_LF_INVERSE(h));
}

/* The edges' factors for a momentum across them. */
typedef struct shallow_lf_edges { real west, east, south, north; } shallow_lf_edges;
/* Which of them a cell is at. */
typedef struct shallow_lf_place { int west, east, south, north; } shallow_lf_place;

/* Steps cell x; returns what shallow_speed says of it. */
TRM_INLINE real shallow_lf_one_step(TRM_LINE_IN(real) c, TRM_LINE_IN(real) s, TRM_LINE_IN(real) n,
                                    TRM_LINE_OUT(real) to, const real bed_x, const real bed_y,
                                    const shallow_params p, const shallow_numbers numbers,
                                    const shallow_lf_edges edges, const shallow_lf_place at,
                                    const real rate, const real pull, const real live, const int x,
                                    const int west, const int east)
{
  const shallow_lf_source own = shallow_lf_get(c, p, numbers, x);
  const shallow_lf_source w = shallow_lf_get(c, p, numbers, west);
  const shallow_lf_source e = shallow_lf_get(c, p, numbers, east);
  const shallow_lf_source b = shallow_lf_get(s, p, numbers, x);
  const shallow_lf_source t = shallow_lf_get(n, p, numbers, x);
  const shallow_lf_cell old = { own.h, own.hu, own.hv };
  const shallow_lf_cell cell =
    shallow_lf_step(numbers, rate, pull, live, old,
                    shallow_lf_give_x(numbers, w, own, at.west, edges.west),
                    shallow_lf_give_x(numbers, e, own, at.east, edges.east),
                    shallow_lf_give_y(numbers, b, own, at.south, edges.south),
                    shallow_lf_give_y(numbers, t, own, at.north, edges.north), bed_x, bed_y);
  TRM_SET(to, 0, p.component, x, cell.h);
  TRM_SET(to, 1, p.component, x, cell.hu);
  TRM_SET(to, 2, p.component, x, cell.hv);
  return shallow_speed(numbers, cell.h, cell.hu, cell.hv, SHALLOW_LAX_FRIEDRICHS);
}

/* A slope of the bed. The numbers are as wide as y, which has 32 bits where several steps share a
 * launch. Neighbouring cells share the sum, so a GPU computes few addresses. */
#define SHALLOW_LF_SLOPE(component) column[y * p.bed_row + p.bed_first + component]

TRM_ROW_KERNEL5(shallow_lf_line, 1, shallow_params, TRM_FROM(real) u, TRM_TO(real) v,
                TRM_RO(real) beds, TRM_RO(real) clock, TRM_RW(real) part)
{
  TRM_ROW(y);
  TRM_LINE_IN(real) c = TRM_LINE(u, p.first, p.row, y);
  TRM_LINE_IN(real) s = TRM_LINE_SOUTH(u, p.first, p.row, y);
  TRM_LINE_IN(real) n = TRM_LINE_NORTH(u, p.first, p.row, y);
  TRM_LINE_OUT(real) to = TRM_LINE(v, p.first, p.row, y);
  const real dt = clock[SHALLOW_DT], live = clock[SHALLOW_LIVE];
  const real rate = R(0.5) * dt * p.inv_dx, pull = dt * p.g;
  const shallow_lf_edges edges = { SHALLOW_FLIP(p.west), SHALLOW_FLIP(p.east),
                                   SHALLOW_FLIP(p.south), SHALLOW_FLIP(p.north) };
  SHALLOW_NUMBERS(numbers);
  TRM_LEAVES(speed);
  TRM_CELLS(x) {
    TRM_IN(real) column = beds + x;
#if !TRM_BY_SPAN
    TRM_APART(column);
#endif
    const shallow_lf_place at = { TRM_IS_WEST(x), TRM_IS_EAST(x), TRM_IS_SOUTH(y),
                                  TRM_IS_NORTH(y) };
    TRM_ADD(speed, x) =
      shallow_lf_one_step(c, s, n, to, TRM_INVARIANT(0, SHALLOW_LF_SLOPE(p.bed_component)),
                          TRM_INVARIANT(1, SHALLOW_LF_SLOPE(p.bed_component + p.bed_component)), p,
                          numbers, edges, at, rate, pull, live, x, TRM_WEST(x), TRM_EAST(x));
  }
  TRM_FOLD_MAX(speed, part + p.part + (trm_index)y * TRM_LEAVES_OF(TRM_NX));
}
