/* Rates of units, as motion.c has them; lists for a state of single precision; and cells of leaves
 * near walls when these are others. */

/* A unit's rate to that of a whole cell: by its openings and the gas that it holds (motion.c). */
TRM_INLINE real fv_pace_of(const fv_geometry_params p, const fv_view *v, TRM_IN(int) units,
                           TRM_IN(int) joins, TRM_IN(int) faces, TRM_IN(real) sizes,
                           TRM_IN(int) ints, TRM_IN(real) reals, const int u)
{
  TRM_IN(real) gas = FV_CELL_REAL(FV_CELL_HELD + p.now);
  const int master = units[3 * u], kind = fv_kind(v, master);
  real held = gas[fv_index(v, master)], most = R(0.0), open[3] = { R(0.0), R(0.0), R(0.0) };
  if ((kind < 0 || fv_next(v, kind) < 0) && held > R(0.81)) return R(1.0);
  for (int i = fv_next(v, kind); i >= 0; i = fv_next(v, i))
    held += gas[fv_index(v, FV_VIEW_KIND(v, FV_R_CELL, i))];
  for (int e = units[3 * u + 1]; e < units[3 * u + 4]; e++)
    if (joins[e] / 2 < ints[FV_TOTAL_FACES]) {
      TRM_IN(int) face = faces + 4 * (trm_index)(joins[e] / 2);
      open[face[0] & FV_FACE_AXIS] +=
        R(0.5) * (face[0] & FV_FACE_WHOLE
                    ? R(1.0) : *FV_CUT_ENTRY(sizes, FV_FACE_SIZES, face[3] / (FV_FACE_LEVEL + 1)));
    }
  for (int a = 0; a < 3; a++) most = trm_max(most, open[a]);
  return most / held > R(1.25) ? most / held : R(1.0);
}

TRM_GROUP_KERNEL8(fv_geometry_paces, TRM_NO_SHARED, fv_geometry_params, TRM_RO(int) near,
                  TRM_RO(int) units, TRM_RO(int) joins, TRM_RO(int) faces, TRM_RO(real) sizes,
                  TRM_RW(real) paces, TRM_RO(int) ints, TRM_RO(real) reals)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int u = group * FV_CUT_GROUP + lane;
    if (u < FV_UNITS && ints[FV_TOTAL_JOINS] <= p.rooms[2] && !ints[FV_TOTAL_FAULT]) {
      const fv_view v = fv_look(p, near, ints, reals);
      paces[u] = fv_pace_of(p, &v, units, joins, faces, sizes, ints, reals, u);
    }
  }
}

/* For a state of single precision. */
TRM_GROUP_KERNEL2(fv_geometry_round, TRM_NO_SHARED, fv_geometry_params, TRM_RO(real) from,
                  TRM_RW(trm_single) to)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, FV_ROUNDED) {
    const trm_index i = (trm_index)group * FV_ROUNDED + lane;
    if (i < p.each) to[i] = (trm_single)from[i];
  }
}

/* What cells are and hold goes to leaves' new numbers. Each leaf has its last one where marks of
 * corners will be: -1, it was all gas, -2, solid. Into what the next step will make. */
TRM_GROUP_KERNEL2(fv_geometry_renumber, TRM_NO_SHARED, fv_geometry_params, TRM_RW(int) ints,
                  TRM_RW(real) reals)
{
  TRM_GROUP1(group);
  const int was = ints[p.marks + group];
  TRM_SERIAL(i, FV_CELLS) {
    const trm_index to = (trm_index)group * FV_CELLS + i, from = (trm_index)was * FV_CELLS + i;
    FV_CELL(FV_CELL_KIND + !p.now)[to] = was < 0 ? was : FV_CELL(FV_CELL_KIND + p.now)[from];
    FV_CELL_REAL(FV_CELL_HELD + !p.now)[to] =
      was < 0 ? was == FV_KIND_WHOLE ? R(1.0) : R(0.0) : FV_CELL_REAL(FV_CELL_HELD + p.now)[from];
  }
}
