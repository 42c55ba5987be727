/* Cells, records and units of fv_geometry.k in its two arrays, and what others ask of them. */

/* Where things of cells near walls lie; kept in registers. */
typedef struct fv_view {
  TRM_IN(int) near;            /* fv_clock.h */
  TRM_IN(int) near_of;
  TRM_IN(int) kind;            /* of cells near walls: whole, solid, or a record */
  TRM_IN(int) unit;
  TRM_IN(int) record;
  TRM_IN(real) cut;            /* reals of records */
  TRM_IN(real) held;           /* before the step */
  trm_index records;
  int blocks;
} fv_view;

#define FV_CELL(k) (ints + p.cell + (k) * p.cells)
#define FV_CELL_REAL(k) (reals + p.cell_real + (k) * p.cells)
#define FV_REC(k) (ints + p.record + (trm_index)(k) * p.records)
#define FV_REC_REAL(k) (reals + p.record_real + (trm_index)(k) * p.records)
#define FV_UNIT(k) (ints + p.unit + (trm_index)(k) * p.units)
#define FV_UNIT_REAL(k) (reals + p.unit_real + (trm_index)(k) * p.units)
#define FV_VIEW_KIND(v, k, i) (v)->record[(k) * (v)->records + (i)]
#define FV_VIEW_CUT(v, i) ((v)->cut + FV_R_CUT * (v)->records + (trm_index)(i) * FV_CUT_REALS)

TRM_INLINE fv_view fv_look(const fv_geometry_params p, TRM_IN(int) near, TRM_IN(int) ints,
                           TRM_IN(real) reals)
{
  fv_view v;
  v.near = near;
  v.near_of = ints + p.near_of;
  v.kind = ints + p.cell + (FV_CELL_KIND + p.now) * p.cells;
  v.unit = ints + p.cell + FV_CELL_UNIT * p.cells;
  v.record = ints + p.record;
  v.cut = reals + p.record_real;
  v.held = reals + p.cell_real + (FV_CELL_HELD + !p.now) * p.cells;
  v.records = p.records;
  v.blocks = p.blocks;
  return v;
}

/* Of counts that are too large for their room, what is within it is done, and the host goes on. */
TRM_INLINE int fv_within(const trm_index count, const trm_index room)
{
  return (int)(count < room ? count : room);
}
#define FV_ROOM_GROUPS(p) \
  ((((p).records > (p).units ? (p).records : (p).units) + FV_CUT_GROUP - 1) / FV_CUT_GROUP + 1)
#define FV_CUTS fv_within(ints[FV_TOTAL_CUTS], p.most_records)
#define FV_RECORDS \
  fv_within((trm_index)ints[FV_TOTAL_CUTS] + ints[FV_TOTAL_MASTERS], p.most_records)
#define FV_UNITS fv_within(ints[FV_TOTAL_UNITS], p.most_units)
#define FV_SLOPED \
  fv_within((trm_index)ints[FV_TOTAL_UNITS] + ints[FV_TOTAL_OTHERS], p.most_sloped)

/* Parts of a leaf's cells, FV_CUT_GROUP each, in the order of lists; a group makes some of all. */
#define FV_LEAF_PARTS (FV_CELLS / FV_CUT_GROUP)
#define FV_EACH_PART(part, all) \
  for (int part = group * p.each; part < (group + 1) * p.each && part < (all); part++)

/* The place k of a block's cells in the order of lists (fv_cell_in_turn), and back. */
TRM_INLINE int fv_in_turn(const int k)
{
#if FV_SZ > 1
  const int part = k >> 9, z = (k >> 6 & 7) + (part >> 2 << 3);
#else
  const int part = k >> 6, z = 0;
#endif
  const int x = (k & 7) + ((part & 1) << 3), y = (k >> 3 & 7) + ((part >> 1 & 1) << 3);
  return (z * FV_SY + y) * FV_SX + x;
}
TRM_INLINE int fv_turn_of(const int i)
{
  const int x = i % FV_SX, y = i / FV_SX % FV_SY, z = i / (FV_SX * FV_SY);
  const int part = (x >> 3) + (y >> 3 << 1) + (z >> 3 << 2);
  return (part << (FV_SZ > 1 ? 9 : 6)) + ((z & 7) << 6) + ((y & 7) << 3) + (x & 7);
}

/* Cells beyond a face. */
TRM_INLINE int fv_beyond(const fv_view *v, const int cell, const int f)
{
  const int by = f / 2 == 0 ? 1 : f / 2 == 1 ? 3 : 9;
  return fv_cut_next_to(v->near, cell, 13 + (f % 2 ? by : -by));
}

TRM_INLINE int fv_is_ghost(const fv_view *v, const int cell)
{
  return cell / FV_CELLS >= v->blocks;
}

/* Among cells near walls; -1: it lies in no leaf near them. */
TRM_INLINE trm_index fv_index(const fv_view *v, const int cell)
{
  const int of = fv_is_ghost(v, cell) ? -1 : v->near_of[cell / FV_CELLS];
  return of < 0 ? -1 : (trm_index)of * FV_CELLS + cell % FV_CELLS;
}

TRM_INLINE int fv_kind(const fv_view *v, const int cell)
{
  const int of = fv_is_ghost(v, cell) ? FV_KIND_WHOLE : v->near_of[cell / FV_CELLS];
  return of < 0 ? of : v->kind[(trm_index)of * FV_CELLS + cell % FV_CELLS];
}

/* A cell, and which of the leaves near walls its own is: -1 all gas, or no leaf; -2 solid. */
typedef struct fv_spot { int cell, of; } fv_spot;

TRM_INLINE fv_spot fv_spot_of(const fv_view *v, const int cell)
{
  fv_spot s;
  s.cell = cell;
  s.of = fv_is_ghost(v, cell) ? FV_KIND_WHOLE : v->near_of[cell / FV_CELLS];
  return s;
}

/* The cell of a block beyond face f of its cell i; -1: it lies in another. */
TRM_INLINE int fv_within_block(const int i, const int f)
{
  const int axis = f / 2, stride = axis == 0 ? 1 : axis == 1 ? FV_SX : FV_SX * FV_SY;
  const int at = axis == 0 ? i % FV_SX : axis == 1 ? i / FV_SX % FV_SY : i / (FV_SX * FV_SY);
  const int last = (axis == 0 ? FV_SX : axis == 1 ? FV_SY : FV_SZ) - 1;
  return f % 2 ? (at == last ? -1 : i + stride) : at == 0 ? -1 : i - stride;
}

/* The cell beyond face f of one, and its leaf: most lie in the same. */
TRM_INLINE fv_spot fv_spot_beyond(const fv_view *v, const fv_spot s, const int f)
{
  const int in = s.cell % FV_CELLS, by = fv_within_block(in, f);
  fv_spot to;
  if (by < 0) return fv_spot_of(v, fv_beyond(v, s.cell, f));
  to.cell = s.cell - in + by;
  to.of = s.of;
  return to;
}

TRM_INLINE trm_index fv_at(const fv_spot s)
{
  return s.of < 0 ? -1 : (trm_index)s.of * FV_CELLS + s.cell % FV_CELLS;
}
TRM_INLINE int fv_kind_at(const fv_view *v, const fv_spot s)
{
  return s.of < 0 ? s.of : v->kind[(trm_index)s.of * FV_CELLS + s.cell % FV_CELLS];
}

/* A cell's unit, -1: none. */
TRM_INLINE int fv_unit_in(const fv_view *v, const fv_spot s)
{
  const int kind = fv_kind_at(v, s);
  if (s.of < 0 || kind == FV_KIND_SOLID) return -1;
  const trm_index at = kind < 0 ? fv_at(s) : fv_index(v, FV_VIEW_KIND(v, FV_R_MASTER, kind));
  return at < 0 ? -1 : v->unit[at];
}
TRM_INLINE int fv_unit_at(const fv_view *v, const int cell)
{
  return fv_unit_in(v, fv_spot_of(v, cell));
}

/* The record of a unit's next cell, -1: there is none; of its first one this is fv_kind. */
TRM_INLINE int fv_next(const fv_view *v, const int record)
{
  return record >= 0 ? FV_VIEW_KIND(v, FV_R_NEXT, record) : -1;
}

/* A way along axes to the cell beside one with this number (fv_neighbours.h). */
TRM_INLINE int fv_way_along(const int k, const int axis)
{
  return (axis == 0 ? k % 3 : axis == 1 ? k / 3 % 3 : k / 9) - 1;
}
TRM_INLINE int fv_way(const int k)
{
  int far = 0;
  for (int a = 0; a < 3; a++) far += fv_way_along(k, a) != 0;
  return far;
}

/* A side of a cell of leaf `of`, and a place in one of its cells. */
TRM_INLINE real fv_width(const fv_geometry_params p, TRM_IN(int) leaf)
{
  return p.h / (real)(1 << leaf[1]);
}
TRM_INLINE real fv_place(const fv_geometry_params p, TRM_IN(int) leaf, const int axis,
                         const int at, const real within)
{
  const int side = axis == 0 ? FV_SX : axis == 1 ? FV_SY : FV_SZ;
  return p.origin[axis] + ((real)(leaf[2 + axis] * side + at) + within) * fv_width(p, leaf);
}
TRM_INLINE int fv_at_along(const int i, const int axis)
{
  return axis == 0 ? i % FV_SX : axis == 1 ? i / FV_SX % FV_SY : i / (FV_SX * FV_SY);
}
