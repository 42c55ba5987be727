/* Values of sides by formula of x, y, z and t, or by a table in time. They are computed before each
 * stage, at its time, for each cell's face at such a side. */

/* A table's value at a time: linear between points, constant beyond them. Times, then values. */
TRM_INLINE real fv_table(TRM_IN(real) table, const int points, const real time)
{
  int low = 0, high = points - 1;
  if (points == 0) return R(0.0);
  if (time <= table[0]) return table[points];
  if (time >= table[high]) return table[points + high];
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (table[middle] <= time) low = middle;
    else high = middle;
  }
  const real part = (time - table[low]) / (table[high] - table[low]);
  return table[points + low] + part * (table[points + high] - table[points + low]);
}

/* Value k at a place. */
#define FV_EDGE_FORMULA(k) \
  fv_formula(codes + head[2 * (k)], numbers + head[2 * (k)], head[2 * (k) + 1], names)

/* A group has an entry of the list. A wall's values are those at the side; where gas passes, those
 * in the middles of both cells beyond it, which slopes are taken from. */
TRM_GROUP_KERNEL5(fv_edges, TRM_NO_SHARED, fv_params, TRM_RO(int) list, TRM_RO(int) codes,
                  TRM_RO(real) numbers, TRM_RO(real) clock, TRM_RW(real) edges)
{
  TRM_GROUP1(group);
  TRM_IN(int) entry = list + (trm_index)group * FV_EDGE_INTS;
  TRM_OUT(real) to = edges + (trm_index)group * FV_EDGE_REALS * FV_FACES;
  const int side = entry[0], axis = side / 2;
  const real out = side % 2 == 0 ? R(-0.5) : R(0.5);
  TRM_IN(int) head = codes + side * FV_CODE_SIDE;
  const int level = entry[1];
  const real h = level < 0 ? numbers[3] * (real)(1 << -level) : numbers[3] / (real)(1 << level);
  const real time = clock[FV_TIME] + trm_fma(p.when, clock[FV_DT], clock[FV_TIME_REST]);
  const real table = fv_table(numbers + head[FV_CODE_TABLE], head[FV_CODE_TABLE + 1], time);
  TRM_SERIAL(i, FV_FACES) {
    const int a = i % (axis == 0 ? FV_SY : FV_SX), b = i / (axis == 0 ? FV_SY : FV_SX);
    const real x = (real)entry[2] + (axis == 0 ? R(0.0) : (real)a + R(0.5));
    const real y = (real)entry[3] + (axis == 1 ? R(0.0) : (real)(axis == 0 ? a : b) + R(0.5));
    const real z = (real)entry[4] + (axis == 2 ? R(0.0) : (real)b + R(0.5));
    fv_names names;
    names.value[0] = trm_fma(x, h, numbers[0]);
    names.value[1] = trm_fma(y, h, numbers[1]);
    names.value[2] = trm_fma(z, h, numbers[2]);
    names.value[3] = time;
    names.value[4] = table;
    const int kind = head[FV_CODE_KINDS + (FV_EDGE_FORMULA(FV_SIDE_VALUES) != R(0.0) ? 1 : 0)];
    for (int layer = 0; layer < 2; layer++) {
      const real beyond = kind <= FV_CLOSED ? R(0.0) : out * (real)(2 * layer + 1);
      TRM_OUT(real) of = to + layer * FV_EDGE_VALUES * FV_FACES + i;
      if (axis == 0) names.value[0] = trm_fma(x + beyond, h, numbers[0]);
      if (axis == 1) names.value[1] = trm_fma(y + beyond, h, numbers[1]);
      if (axis == 2) names.value[2] = trm_fma(z + beyond, h, numbers[2]);
      for (int k = 0; k < FV_SIDE_VALUES; k++) of[k * FV_FACES] = FV_EDGE_FORMULA(k);
      of[FV_SIDE_VALUES * FV_FACES] = (real)kind;
    }
  }
}

/* The values of a side at a cell's face: the side's own, or, where the ghost has an entry of
 * fv_edges, by formula. The kind of side comes last. */
typedef struct fv_given { real value[FV_EDGE_VALUES]; } fv_given;

TRM_INLINE fv_given fv_side(const fv_params p, TRM_IN(real) sides, TRM_IN(real) edges,
                            const int side, const int entry, const int layer, const int face)
{
  fv_given to;
  for (int k = 0; k < FV_EDGE_VALUES; k++)
    to.value[k] = entry >= 0 ? edges[(((trm_index)entry * 2 + layer) * FV_EDGE_VALUES + k) *
                                       FV_FACES + face]
                : k < FV_SIDE_VALUES ? sides[side * FV_SIDE_VALUES + k] : (real)p.kind[side];
  return to;
}
#define FV_KIND(given) ((int)(given).value[FV_SIDE_VALUES])
