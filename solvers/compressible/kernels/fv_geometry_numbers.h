/* Numbers of things in order: of a block's cells, of a group's items, and of all by sums of
 * counts. */

/* Of a block's cells in the order of lists those with a flag, before each. */
typedef struct fv_ranks { int flag[FV_CELLS], before[FV_CELLS / 32], all; } fv_ranks;

TRM_INLINE void fv_rank_word(TRM_LOCAL fv_ranks *s, const int w)
{
  int sum = 0;
  for (int k = 0; k < 32; k++) sum += s->flag[32 * w + k];
  s->before[w] = sum;
}
TRM_INLINE void fv_rank_words(TRM_LOCAL fv_ranks *s)
{
  int sum = 0;
  for (int w = 0; w < FV_CELLS / 32; w++) {
    const int own = s->before[w];
    s->before[w] = sum;
    sum += own;
  }
  s->all = sum;
}
TRM_INLINE int fv_rank(const TRM_LOCAL fv_ranks *s, const int k)
{
  int rank = s->before[k / 32];
  for (int i = k / 32 * 32; i < k; i++) rank += s->flag[i];
  return rank;
}
#define FV_RANK_ALL(s) \
  TRM_SERIAL(w, FV_CELLS / 32) { fv_rank_word(&(s), w); } \
  TRM_SERIAL(one, 1) { fv_rank_words(&(s)); }

/* The same of the items of a group, with several counts each: `of` these, in a struct with `part`
 * for sums of eight. */
#define FV_EIGHTS (FV_CUT_GROUP / 8)
typedef struct fv_tallies {
  int of[FV_COUNTS][FV_CUT_GROUP], part[FV_COUNTS][FV_EIGHTS];
} fv_tallies;
TRM_INLINE int fv_sum_eight(const TRM_LOCAL int *of)
{
  int sum = 0;
  TRM_UNROLL for (int i = 0; i < 8; i++) sum += of[i];
  return sum;
}
TRM_INLINE int fv_sum_before(const TRM_LOCAL int *of, const TRM_LOCAL int *part, const int item)
{
  int sum = 0;
  for (int i = 0; i < item / 8; i++) sum += part[i];
  for (int i = item / 8 * 8; i < item; i++) sum += of[i];
  return sum;
}
#define FV_TALLY_UP(s, columns) \
  TRM_SERIAL(one, (columns) * FV_EIGHTS) { \
    const int column = one / FV_EIGHTS, eight = one % FV_EIGHTS; \
    (s).part[column][eight] = fv_sum_eight((s).of[column] + 8 * eight); \
  }
#define FV_BEFORE(s, column, item) fv_sum_before((s).of[column], (s).part[column], item)
#define FV_ALL(s, column) FV_BEFORE(s, column, FV_CUT_GROUP)

/* Counts become numbers of the first: in each chunk of FV_CUT_GROUP counts, then of chunks, whose
 * sums lie behind all counts. */
#define FV_CHUNKS_OF(p, is_leaf) \
  ((is_leaf) ? (p).counts + FV_COUNTS * ((p).cells / FV_CUT_GROUP) \
             : (p).group_counts + FV_COUNTS * FV_ROOM_GROUPS(p))
#define FV_NUMBER_OF(is_leaf, i, c) \
  (ints[((is_leaf) ? p.counts : p.group_counts) + (trm_index)(i) * FV_COUNTS + (c)] + \
   ints[FV_CHUNKS_OF(p, is_leaf) + (trm_index)((i) / FV_CUT_GROUP) * FV_COUNTS + (c)])

/* How many counts a scan has. */
TRM_INLINE int fv_scanned(const fv_geometry_params p, TRM_IN(int) ints, const int what)
{
  const trm_index things = what < 0 ? 0 : what == FV_TOTAL_UNITS ? FV_UNITS
                             : what == FV_TOTAL_SLOPED ? FV_SLOPED : FV_CUTS;
  return what < 0 ? p.nears * FV_LEAF_PARTS : (int)((things + FV_CUT_GROUP - 1) / FV_CUT_GROUP);
}

TRM_GROUP_KERNEL1(fv_geometry_scan, fv_tallies, fv_geometry_params, TRM_RW(int) ints)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_tallies, s);
  const int parts = p.nears * FV_LEAF_PARTS;
  const int first = p.scan[0] < 0 ? (parts + FV_CUT_GROUP - 1) / FV_CUT_GROUP : group + 1;
  const int k = group >= first, what = p.scan[3 * k], chunk = k ? group - first : group;
  const int columns = p.scan[3 * k + 2], n = fv_scanned(p, ints, what);
  TRM_OUT(int) of = ints + (what < 0 ? p.counts : p.group_counts);
  TRM_OUT(int) sums = ints + FV_CHUNKS_OF(p, what < 0) + (trm_index)chunk * FV_COUNTS;
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = chunk * FV_CUT_GROUP + lane;
    for (int c = 0; c < columns; c++)
      s.of[c][lane] = i < n ? of[(trm_index)i * FV_COUNTS + c] : 0;
  }
  FV_TALLY_UP(s, columns)
  TRM_SERIAL(lane, FV_CUT_GROUP) {
    const int i = chunk * FV_CUT_GROUP + lane;
    for (int c = 0; c < columns && i < n; c++)
      of[(trm_index)i * FV_COUNTS + c] = FV_BEFORE(s, c, lane);
  }
  TRM_SERIAL(c, columns) {
    if (chunk * FV_CUT_GROUP < n) sums[c] = FV_ALL(s, c);
  }
}

/* The same of chunks, and totals. */
#define FV_SCAN_ITEMS 256
typedef struct fv_scan_sums { int of[FV_SCAN_ITEMS], part[16]; } fv_scan_sums;

TRM_GROUP_KERNEL1(fv_geometry_chunks, fv_scan_sums, fv_geometry_params, TRM_RW(int) ints)
{
  TRM_GROUP1(group);
  TRM_SHARED(fv_scan_sums, s);
  const int k = group >= p.scan[2], what = p.scan[3 * k], c = k ? group - p.scan[2] : group;
  const int n = (fv_scanned(p, ints, what) + FV_CUT_GROUP - 1) / FV_CUT_GROUP;
  const int each = (n + FV_SCAN_ITEMS - 1) / FV_SCAN_ITEMS;
  TRM_OUT(int) of = ints + FV_CHUNKS_OF(p, what < 0) + c;
  TRM_SERIAL(i, FV_SCAN_ITEMS) {
    const int end = (i + 1) * each < n ? (i + 1) * each : n;
    int sum = 0;
    for (int j = i * each; j < end; j++) sum += of[(trm_index)j * FV_COUNTS];
    s.of[i] = sum;
  }
  TRM_SERIAL(i, 16) {
    int sum = 0;
    for (int j = 0; j < 16; j++) sum += s.of[16 * i + j];
    s.part[i] = sum;
  }
  TRM_SERIAL(one, 1) {
    int sum = 0;
    for (int j = 0; j < 16; j++) {
      const int own = s.part[j];
      s.part[j] = sum;
      sum += own;
    }
    ints[p.scan[3 * k + 1] + c] = sum;
  }
  TRM_SERIAL(i, FV_SCAN_ITEMS) {
    const int end = (i + 1) * each < n ? (i + 1) * each : n;
    int sum = s.part[i / 16];
    for (int j = i / 16 * 16; j < i; j++) sum += s.of[j];
    for (int j = i * each; j < end; j++) {
      const int own = of[(trm_index)j * FV_COUNTS];
      of[(trm_index)j * FV_COUNTS] = sum;
      sum += own;
    }
  }
}
