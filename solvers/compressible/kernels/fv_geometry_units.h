/* The units at walls, what they see of others, and blocks that have marks: as cut_lists.c and cut.c
 * have it. */

/* ---- units --------------------------------------------------------------------------- */

/* Cells that are not whole, or have one beside them. */
TRM_GROUP_KERNEL3(fv_geometry_beside, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RW(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  FV_EACH_PART(part, p.nears * FV_LEAF_PARTS) {
    const int leaf = part / FV_LEAF_PARTS;
    const int slot = ints[p.leaf + (trm_index)leaf * FV_LEAF_INTS];
    TRM_IN(int) kind = FV_CELL(FV_CELL_KIND + p.now) + (trm_index)leaf * FV_CELLS;
    TRM_OUT(int) beside = FV_CELL(FV_CELL_BESIDE) + (trm_index)leaf * FV_CELLS;
    TRM_SERIAL(lane, FV_CUT_GROUP) {
      const fv_view v = fv_look(p, near, ints, reals);
      const int i = fv_in_turn(part % FV_LEAF_PARTS * FV_CUT_GROUP + lane);
      int is = kind[i] != FV_KIND_WHOLE;
      TRM_UNROLL for (int f = 0; f < FV_CUT_BESIDE; f++) {
        const int to = fv_within_block(i, f);
        is |= (to >= 0 ? kind[to] : fv_kind(&v, fv_beyond(&v, slot * FV_CELLS + i, f))) !=
              FV_KIND_WHOLE;
      }
      beside[i] = is;
    }
  }
}

/* Whether cell i of a leaf, the number of whose first cell is this, is a unit's master that is
 * listed. */
TRM_INLINE int fv_is_listed(const fv_view *v, TRM_IN(int) beside, const int slot,
                            const trm_index first, const int i)
{
  const int kind = v->kind[first + i], cell = slot * FV_CELLS + i;
  int is = beside[first + i] || v->held[first + i] != R(1.0);
  TRM_UNROLL for (int f = 0; f < FV_CUT_BESIDE; f++) {
    const int to = fv_within_block(i, f);
    const trm_index by = to >= 0 ? first + to : fv_index(v, fv_beyond(v, cell, f));
    is |= by >= 0 && beside[by];
  }
  return is && kind != FV_KIND_SOLID &&
         (kind < 0 || FV_VIEW_KIND(v, FV_R_MASTER, kind) == cell);
}

/* Their numbers in their part of the leaf. */
TRM_GROUP_KERNEL3(fv_geometry_close, fv_tallies, fv_geometry_params, TRM_RO(int) near,
                  TRM_RW(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_tallies, s);
  FV_EACH_PART(part, p.nears * FV_LEAF_PARTS) {
    const int leaf = part / FV_LEAF_PARTS, first = part % FV_LEAF_PARTS * FV_CUT_GROUP;
    const int slot = ints[p.leaf + (trm_index)leaf * FV_LEAF_INTS];
    const trm_index begin = (trm_index)leaf * FV_CELLS;
    TRM_SERIAL(lane, FV_CUT_GROUP) {
      const fv_view v = fv_look(p, near, ints, reals);
      s.of[0][lane] = fv_is_listed(&v, FV_CELL(FV_CELL_BESIDE), slot, begin,
                                   fv_in_turn(first + lane));
    }
    FV_TALLY_UP(s, 1)
    TRM_SERIAL(lane, FV_CUT_GROUP) {
      FV_CELL(FV_CELL_UNIT)[begin + fv_in_turn(first + lane)] =
        s.of[0][lane] ? FV_BEFORE(s, 0, lane) : -1;
    }
    TRM_SERIAL(c, FV_COUNTS) {
      ints[p.counts + (trm_index)part * FV_COUNTS + c] = c == 0 ? FV_ALL(s, 0) : 0;
    }
  }
}

/* Among all: each has slopes by its own number. */
TRM_GROUP_KERNEL2(fv_geometry_units, TRM_NO_SHARED, fv_geometry_params, TRM_RW(int) spots,
                  TRM_RW(int) ints)
{
  TRM_GROUP1(group);
  FV_EACH_PART(part, p.nears * FV_LEAF_PARTS) {
    const int leaf = part / FV_LEAF_PARTS, first = FV_NUMBER_OF(1, part, 0);
    const int slot = ints[p.leaf + (trm_index)leaf * FV_LEAF_INTS];
    TRM_SERIAL(lane, FV_CUT_GROUP) {
      const int i = fv_in_turn(part % FV_LEAF_PARTS * FV_CUT_GROUP + lane);
      const trm_index at = (trm_index)leaf * FV_CELLS + i;
      const int own = FV_CELL(FV_CELL_UNIT)[at], number = own < 0 ? -1 : first + own;
      const int fits = number < p.most_units;
      if (!fits) ints[FV_TOTAL_FAULT] = 1;
      FV_CELL(FV_CELL_UNIT)[at] = FV_CELL(FV_CELL_SLOPE)[at] = fits ? number : -1;
      FV_CELL(FV_CELL_OTHER)[at] = 0;
      if (number >= 0 && fits) spots[number] = slot * FV_CELLS + i;
    }
  }
}

/* ---- what units see ------------------------------------------------------------------ */

/* A face, as a unit sees it at side f of one of its cells; other: the cell of the unit beyond. */
typedef struct fv_sight { fv_spot beside, other; int is_whole; } fv_sight;

/* The cell of a cell's unit: its own or its master. */
TRM_INLINE fv_spot fv_unit_spot(const fv_view *v, const fv_spot s, const int kind)
{
  return kind >= 0 && FV_VIEW_KIND(v, FV_R_MASTER, kind) != s.cell
           ? fv_spot_of(v, FV_VIEW_KIND(v, FV_R_MASTER, kind)) : s;
}

/* What lies beyond a unit's cell, of this kind, at each side; whether gas passes to another unit
 * there. All is asked for at once. */
typedef struct fv_sights { fv_sight at[6]; int sees[6]; } fv_sights;

TRM_INLINE void fv_look_around(const fv_view *v, const int master, const fv_spot own,
                               const int kind, fv_sights *s)
{
  TRM_UNROLL for (int f = 0; f < FV_CUT_BESIDE; f++) {
    const int is_open = kind < 0 || FV_VIEW_CUT(v, kind)[FV_CUT_OPEN + f] > R(0.0);
    const fv_spot beside = fv_spot_beyond(v, own, f);
    const int beyond = fv_kind_at(v, beside);
    const fv_spot other = fv_unit_spot(v, beside, beyond);
    s->at[f].beside = beside;
    s->at[f].other = other;
    s->at[f].is_whole = kind < 0 && beyond < 0;
    s->sees[f] = is_open && beyond != FV_KIND_SOLID && other.cell != master;
  }
}

/* Whether a unit numbers it, and not the one beyond, j, -1 for one that is not listed: the first
 * one in the order of groups, and in a group of sides. */
TRM_INLINE int fv_is_own(const int unit, const int f, const int j)
{
  const int group = unit / FV_CUT_GROUP, other = j / FV_CUT_GROUP;
  return j < 0 || (group == other ? f % 2 == 0 : group < other);
}

/* Of a group's units the faces that each numbers at a side, then those with sizes; joins. */
#define FV_SEEN_JOINS 12
#define FV_SEEN 13
typedef struct fv_all_seen { int of[FV_SEEN][FV_CUT_GROUP], part[FV_SEEN][FV_EIGHTS]; } fv_all_seen;

TRM_INLINE int fv_count_sights(const fv_geometry_params p, const fv_view *v, const int unit,
                               const int master, TRM_OUT(int) ints, int *seen)
{
  int is_beyond = 0;
  fv_spot own = fv_spot_of(v, master);
  for (int kind = fv_kind_at(v, own), left = 1; left;) {
    fv_sights s;
    int unit_at[6];
    fv_look_around(v, master, own, kind, &s);
    TRM_UNROLL for (int f = 0; f < FV_CUT_BESIDE; f++) {
      const trm_index to = s.sees[f] ? fv_at(s.at[f].other) : -1;
      unit_at[f] = to < 0 ? -1 : v->unit[to];
    }
    TRM_UNROLL for (int f = 0; f < FV_CUT_BESIDE; f++) {
      const trm_index to = s.sees[f] ? fv_at(s.at[f].other) : -1;
      const int is_own = s.sees[f] && fv_is_own(unit, f, unit_at[f]);
      is_beyond |= s.sees[f] && to < 0;
      if (unit_at[f] < 0 && to >= 0) FV_CELL(FV_CELL_OTHER)[to] = 1;
      seen[f] += is_own;
      seen[6 + f] += is_own && !s.at[f].is_whole;
      seen[FV_SEEN_JOINS] += s.sees[f];
    }
    seen[FV_SEEN_JOINS] += kind >= 0 && kind < ints[FV_TOTAL_CUTS];
    kind = fv_next(v, kind);
    left = kind >= 0;
    if (left) own = fv_spot_of(v, FV_VIEW_KIND(v, FV_R_CELL, kind));
  }
  return is_beyond;
}

TRM_GROUP_KERNEL4(fv_geometry_sights, fv_all_seen, fv_geometry_params, TRM_RO(int) near,
                  TRM_RO(int) spots, TRM_RW(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_all_seen, s);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = group * FV_CUT_GROUP + lane;
    int seen[FV_SEEN];
    for (int k = 0; k < FV_SEEN; k++) seen[k] = 0;
    if (i < FV_UNITS) {
      const fv_view v = fv_look(p, near, ints, reals);
      if (fv_count_sights(p, &v, i, spots[i], ints, seen)) ints[FV_TOTAL_FAULT] = 1;
      for (int k = 0; k < FV_SEEN; k++) FV_UNIT(FV_U_SEEN + k)[i] = seen[k];
    }
    for (int k = 0; k < FV_SEEN; k++) s.of[k][lane] = seen[k];
  }
  FV_TALLY_UP(s, FV_SEEN)
  TRM_SERIAL(c, FV_COUNTS) {
    int sum = c == 2 ? FV_ALL(s, FV_SEEN_JOINS) : 0;
    for (int f = 0; f < 6 && c < 2; f++) sum += FV_ALL(s, 6 * c + f);
    ints[p.group_counts + (trm_index)group * FV_COUNTS + c] = sum;
  }
}

/* The unit that a mark of a block names (cut.c). */
TRM_INLINE int fv_mark_of(const fv_view *v, const int cell)
{
  return fv_kind(v, cell) == FV_KIND_SOLID ? FV_KIND_SOLID : fv_unit_at(v, cell);
}

/* Units beside those that are listed, and blocks that have marks, in order. */
TRM_GROUP_KERNEL3(fv_geometry_others, fv_ranks, fv_geometry_params, TRM_RO(int) near,
                  TRM_RW(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_ranks, s);
  const int slot = ints[p.leaf + (trm_index)group * FV_LEAF_INTS];
  TRM_OUT(int) other = FV_CELL(FV_CELL_OTHER) + (trm_index)group * FV_CELLS;
  TRM_SERIAL(k, FV_CELLS) {
    const fv_view v = fv_look(p, near, ints, reals);
    s.flag[k] = fv_mark_of(&v, slot * FV_CELLS + k) != -1;
  }
  FV_RANK_ALL(s)
  TRM_SERIAL(q, FV_LEAF_PARTS) {
    TRM_OUT(int) counts = ints + p.counts + ((trm_index)group * FV_LEAF_PARTS + q) * FV_COUNTS;
    counts[1] = counts[3] = q == 0 && s.all > 0;
    counts[2] = 0;
  }
  TRM_SERIAL(k, FV_CELLS) { s.flag[k] = other[fv_in_turn(k)]; }
  FV_RANK_ALL(s)
  TRM_SERIAL(k, FV_CELLS) {
    other[fv_in_turn(k)] =
      s.flag[k] ? fv_rank(&s, k) - fv_rank(&s, k / FV_CUT_GROUP * FV_CUT_GROUP) : -1;
  }
  TRM_SERIAL(q, FV_LEAF_PARTS) {
    const int next = q + 1 < FV_LEAF_PARTS ? fv_rank(&s, (q + 1) * FV_CUT_GROUP) : s.all;
    ints[p.counts + ((trm_index)group * FV_LEAF_PARTS + q) * FV_COUNTS] =
      next - fv_rank(&s, q * FV_CUT_GROUP);
  }
}

/* Slopes of the former; marks and kinds of the latter. The last groups are of solid leaves. */
TRM_GROUP_KERNEL7(fv_geometry_blocks, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RW(int) spots, TRM_RW(int) numbers, TRM_RW(int) marks, TRM_RW(int) pieces,
                  TRM_RW(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  FV_EACH_PART(part, (p.nears + p.solids) * FV_LEAF_PARTS) {
    const int leaf = part / FV_LEAF_PARTS, of = part % FV_LEAF_PARTS, is_near = leaf < p.nears;
    const int slot = ints[p.leaf + (trm_index)leaf * FV_LEAF_INTS];
    const int last = ints[FV_TOTAL_WALLED];
    const int next = !is_near ? 0 : leaf + 1 < p.nears
                       ? FV_NUMBER_OF(1, (leaf + 1) * FV_LEAF_PARTS, 1) : last;
    const int number = is_near ? FV_NUMBER_OF(1, leaf * FV_LEAF_PARTS, 1) : last + leaf - p.nears;
    const int is_walled = !is_near || next > number;
    const int first = is_near ? ints[FV_TOTAL_UNITS] + FV_NUMBER_OF(1, part, 0) : 0;
    TRM_OUT(int) mark = marks + (trm_index)number * (FV_CELLS + 1);
    TRM_OUT(int) piece = pieces + (trm_index)number * FV_CELLS;
    TRM_SERIAL(lane, FV_CUT_GROUP) {
      const fv_view v = fv_look(p, near, ints, reals);
      const int i = fv_in_turn(of * FV_CUT_GROUP + lane), cell = slot * FV_CELLS + i;
      if (is_walled) {
        mark[1 + i] = is_near ? fv_mark_of(&v, cell) : FV_KIND_SOLID;
        piece[i] = is_near ? fv_kind(&v, cell) : FV_KIND_SOLID;
      }
      const trm_index at = (trm_index)leaf * FV_CELLS + i;
      if (is_near && FV_CELL(FV_CELL_OTHER)[at] >= 0) {
        const int slope = first + FV_CELL(FV_CELL_OTHER)[at], fits = slope < p.most_sloped;
        FV_CELL(FV_CELL_SLOPE)[at] = fits ? slope : -1;
        if (fits) spots[slope] = cell;
        else ints[FV_TOTAL_FAULT] = 1;
      }
    }
    TRM_SERIAL(one, of == 0) {
      numbers[slot] = is_walled ? number : -1;
      if (is_walled) mark[0] = slot;
      if (part == 0) ints[FV_TOTAL_SLOPED] = ints[FV_TOTAL_UNITS] + ints[FV_TOTAL_OTHERS];
    }
  }
}
