/* kernel_host.h - the part of the dialect (kernel.h) that makes host instances. It has loops over a
 * row's cells and a group's items, and the table of kernels for the library. */
#ifndef TRM_KERNEL_HOST_H
#define TRM_KERNEL_HOST_H

#define TRM_SPAN 512 /* cells of a row handled at once, in L1; a text may define it anew */
#define TRM_GROUP 64 /* items to a group on a host */

#define TRM_NX (trm_n->nx)
#define TRM_NY (trm_n->ny)
#define TRM_NZ (trm_n->nz)
#define TRM_ROW1 (void)trm_row
#define TRM_ROW(y) const trm_index y = trm_row
#define TRM_ROW3(y, z) const trm_index z = trm_row / TRM_NY, y = trm_row - z * TRM_NY
#define TRM_BY_SPAN 1
#define TRM_FIRST trm_begin
#define TRM_FINAL (trm_end - 1)
#define TRM_LINES(x) for (int x = trm_begin; x < trm_end; x += TRM_STRIP_PAD)
#define TRM_WEST(x) ((x) - 1)
#define TRM_EAST(x) ((x) + 1)

#if defined(TRM_REVERSE) /* cells, phases and spans backwards: a test of independence */
#define TRM_CELLS(x) for (int x = trm_end - 1; x >= trm_begin; x--)
#define TRM_SERIAL_CELLS(x) TRM_CELLS(x)
#define TRM_COUNT(i, n) for (int i = (n) - 1; i >= 0; i--)
#define TRM_SPANS(nx) for (int trm_begin = ((nx) - 1) / TRM_SPAN * TRM_SPAN; trm_begin >= 0; \
                           trm_begin -= TRM_SPAN)
#define TRM_LAST_SPAN (trm_begin == 0)
#else
#define TRM_CELLS(x) _Pragma("omp simd") for (int x = trm_begin; x < trm_end; x++)
#define TRM_SERIAL_CELLS(x) for (int x = trm_begin; x < trm_end; x++) /* no promise */
#define TRM_COUNT(i, n) _Pragma("omp simd") for (int i = 0; i < (n); i++)
#define TRM_SPANS(nx) for (int trm_begin = 0; trm_begin < (nx); trm_begin += TRM_SPAN)
#define TRM_LAST_SPAN (trm_end == TRM_NX)
#endif

/* Ghost columns of a finished row: the western one repeats the last cell, the eastern one the
 * first. A kernel fills those that its neighbours read. */
#define TRM_WRAP_WEST(row) do { if (TRM_LAST_SPAN) (row)[-1] = (row)[TRM_NX - 1]; } while (0)
#define TRM_WRAP_EAST(row) do { if (TRM_LAST_SPAN) (row)[TRM_NX] = (row)[0]; } while (0)
/* Both sides, so many columns each (trm_layout_ghosts), also of a row that is shorter. */
#define TRM_WRAP(row, columns) \
  do { \
    for (int trm_i = 0; TRM_LAST_SPAN && trm_i < (columns); trm_i++) { \
      (row)[-1 - trm_i] = (row)[TRM_NX - 1 - trm_i]; \
      (row)[TRM_NX + trm_i] = (row)[trm_i]; \
    } \
  } while (0)

/* Flags, a byte a cell, widened once a span: TRM_FLAGS(solid_row, wall); TRM_FLAG(wall, x). The
 * row is read up to the next multiple of 64 cells; a trm_layout_rows of bytes has room for that. */
#define TRM_FLAGS(bytes, name) \
  trm_mask name[TRM_SPAN] __attribute__((aligned(64))); \
  trm_widen(name, (bytes) + trm_begin, trm_end - trm_begin)
#define TRM_FLAG(name, x) (name[(x) - trm_begin])
TRM_INLINE void trm_widen(trm_mask *to, const uchar *from, int n)
{
  for (int block = 0; block < n; block += 64)
    _Pragma("omp simd") for (int i = block; i < block + 64; i++) to[i] = from[i];
}

/* The same of flags that are a bit a cell, cell x in bit x % 32 of word x / 32 of the row:
 * TRM_BITS(solid_row, wall); TRM_BIT(wall, x). A warp of a GPU reads one word. */
#define TRM_BITS(words, name) \
  trm_mask name[TRM_SPAN] __attribute__((aligned(64))); \
  trm_spread(name, (words) + trm_begin / 32, trm_end - trm_begin)
#define TRM_BIT(name, x) (name[(x) - trm_begin])
TRM_INLINE void trm_spread(trm_mask *to, const trm_bits *from, int n)
{
  for (int block = 0; block < n; block += 32, from++) {
    trm_bits word = *from;
    __asm__("" : "+r"(word)); /* else clang vectorises across words with scatters: 20 % of a step */
    _Pragma("omp simd") for (int i = 0; i < 32; i++) to[block + i] = (trm_mask)(word >> i & 1);
  }
}

/* The few cells of a row that need more work than the others. TRM_MARKS(words, ranks, name) makes
 * the row's marks ready, a bit a cell as in TRM_BITS; TRM_MARKED(name, x, i) { ... } then runs for
 * each cell x whose bit is set. Its number among all marked cells of the grid is i; ranks[x / 32]
 * is the number of the first marked cell of the word. It follows a TRM_CELLS loop, may overwrite
 * that loop's result for the cell, and may branch: a host goes from bit to bit. */
#define TRM_MARKS(words, ranks, name) TRM_IN(trm_bits) name = (words), *name##_ranks = (ranks)
#define TRM_MARKED(name, x, i) \
  for (int trm_at = trm_begin / 32, x = 0, i = 0; trm_at * 32 < trm_end; trm_at++) \
    for (trm_bits trm_left = (i = (int)name##_ranks[trm_at], name[trm_at]); \
         trm_left && (x = trm_at * 32 + __builtin_ctz(trm_left), 1); \
         trm_left &= trm_left - 1, i++)

/* One value a cell, to be summed: TRM_LEAVES(speed); TRM_ADD(speed, x) = ...; TRM_FOLD(speed, to);
 * leaf l of the row goes to to[l]. Cells outside the row count +0. */
#define TRM_LEAVES(name) \
  real name[TRM_SPAN] __attribute__((aligned(64))); \
  trm_clear_tail(name, trm_end - trm_begin)
#define TRM_ADD(name, x) name[(x) - trm_begin]
#define TRM_FOLD(name, to) \
  (TRM_WHOLE_ROWS, trm_fold(name, (to) + trm_begin / TRM_LEAF, trm_end - trm_begin))
TRM_INLINE void trm_clear_tail(real *leaves, int n)
{
  for (int i = n; i % TRM_LEAF != 0; i++) leaves[i] = R(0.0);
}
TRM_INLINE void trm_fold(const real *leaves, real *to, int n)
{
  for (int l = 0; l * TRM_LEAF < n; l++) {
    const real *v = leaves + l * TRM_LEAF;
    real s[8];
    _Pragma("omp simd") for (int i = 0; i < 8; i++)
      s[i] = (v[i] + v[i + 16]) + (v[i + 8] + v[i + 24]);
    to[l] = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }
}

/* The largest of one value a cell, in the same leaves (TRM_LEAVES, TRM_ADD): values are not
 * negative; cells outside the row count +0; a NaN is kept. */
#define TRM_FOLD_MAX(name, to) trm_fold_max(name, (to) + trm_begin / TRM_LEAF, trm_end - trm_begin)
TRM_INLINE void trm_fold_max(const real *leaves, real *to, int n)
{
  for (int l = 0; l * TRM_LEAF < n; l++) {
    const real *v = leaves + l * TRM_LEAF;
    real s[8];
    _Pragma("omp simd") for (int i = 0; i < 8; i++)
      s[i] = trm_more(trm_more(v[i], v[i + 16]), trm_more(v[i + 8], v[i + 24]));
    to[l] = trm_more(trm_more(trm_more(s[0], s[4]), trm_more(s[2], s[6])),
                     trm_more(trm_more(s[1], s[5]), trm_more(s[3], s[7])));
  }
}

/* A cell's neighbour on an axis that ends at the grid's edges: TRM_BESIDE(x, -2). Beyond an edge, a
 * host finds ghost columns, which a kernel fills by TRM_GHOST(row, -1, value). A GPU finds the
 * mirror image; TRM_BEYOND_WEST(x) and TRM_BEYOND_EAST(x) tell it to change signs and the like. */
#define TRM_BESIDE(x, by) ((x) + (by))
#define TRM_BEYOND_WEST(x) 0
#define TRM_BEYOND_EAST(x) 0
#define TRM_GHOST(row, at, value) do { if (TRM_LAST_SPAN) (row)[at] = (value); } while (0)
/* Computations for a finished row's ghosts alone: TRM_GHOSTS { ... TRM_GHOST(...) ... } */
#define TRM_GHOSTS if (TRM_LAST_SPAN)

/* A strip: values along a row that reach beyond the cells at hand, computed once a cell on a host
 * and again by each item on a GPU. TRM_STRIP(u); TRM_REACH(x, 2, 2) { TRM_ON(u, x) = ...; } fills
 * it from two cells west to two cells east, at most 4; then
 * TRM_CELLS(x) { ... TRM_ON(u, x + 1) ... }. */
#define TRM_UNROLL
#define TRM_UNROLL_FOUR
#define TRM_ROLL
#define TRM_STRIP_PAD (64 / (int)sizeof(real))
#define TRM_STRIP(name) real name[TRM_SPAN + 2 * TRM_STRIP_PAD] __attribute__((aligned(64)))
#define TRM_ON(name, x) name[(x) - trm_begin + TRM_STRIP_PAD]
#if defined(TRM_REVERSE)
#define TRM_REACH(x, west, east) for (int x = trm_end - 1 + (east); x >= trm_begin - (west); x--)
#else
#define TRM_REACH(x, west, east) \
  _Pragma("omp simd") for (int x = trm_begin - (west); x < trm_end + (east); x++)
#endif

/* One value a cell that lives from one loop over the cells to the next: TRM_KEEP(flux);
 * TRM_KEPT(flux, x) = ...; */
#define TRM_KEEP(name) real name[TRM_SPAN] __attribute__((aligned(64)))
#define TRM_KEPT(name, x) name[(x) - trm_begin]

/* A kernel is an inline function of one span of a row, called from a loop over rows and spans. */
#define TRM_ROW_HIDDEN(P) \
  TRM_UNUSED const P p, TRM_UNUSED const trm_extent *trm_n, TRM_UNUSED trm_index trm_row, \
  TRM_UNUSED int trm_begin, TRM_UNUSED int trm_end
#define TRM_ROW_PASS p, &trm_e, trm_row, trm_begin, trm_end
#define TRM_ROW_KERNEL_(name, halo, P, n, signature, access) \
  TRM_INLINE void trm_##name##_row signature; \
  TRM_FACTS(name, TRM_KERNEL_ROW, halo, n, P, 0, TRM_OVERLAP, access) \
  static void name(const trm_extent *trm_n, int64_t begin, int64_t end, const void *params, \
                   void *const *b) \
  { \
    P p; \
    memcpy(&p, params, sizeof p); \
    const trm_extent trm_e = *trm_n; \
    for (trm_index trm_row = begin; trm_row < end; trm_row++) \
      TRM_SPANS(trm_e.nx) { \
        const int trm_left = trm_e.nx - trm_begin; \
        const int trm_end = trm_begin + (trm_left < TRM_SPAN ? trm_left : TRM_SPAN); \
        trm_##name##_row(TRM_ARRAYS_##n, TRM_ROW_PASS); \
      } \
  } \
  TRM_INLINE void trm_##name##_row signature

#define TRM_SHARED(type, name) type name
#define TRM_PRIVATE(type, name) type name[TRM_GROUP] __attribute__((aligned(64)))
#define TRM_OF(name, t) name[t]
#define TRM_ITEMS(t) TRM_COUNT(t, TRM_GROUP)
#define TRM_EACH(i, n) TRM_COUNT(i, n)
#define TRM_EACH2(i, j, ni, nj) for (int j = 0; j < (nj); j++) TRM_COUNT(i, ni)
typedef struct trm_no_shared { char none; } TRM_NO_SHARED;

/* With several devices, each has its own groups along x, from trm_n->unused on. */
#define TRM_GROUP1(gx) const int gx = trm_n->unused + (int)trm_g
#define TRM_GROUP2(gx, gy) \
  const int gx = trm_n->unused + (int)(trm_g % TRM_NX), gy = (int)(trm_g / TRM_NX)
#define TRM_GROUP3(gx, gy, gz) \
  const int gx = trm_n->unused + (int)(trm_g % TRM_NX), gy = (int)(trm_g / TRM_NX % TRM_NY), \
            gz = (int)(trm_g / TRM_NX / TRM_NY)

#define TRM_GROUP_HIDDEN(P) \
  TRM_UNUSED const P p, TRM_UNUSED const trm_extent *trm_n, TRM_UNUSED int64_t trm_g
#define TRM_GROUP_PASS p, &trm_e, trm_g
#define TRM_GROUP_KERNEL_(name, S, P, n, signature, access) \
  static void trm_##name##_group signature; \
  TRM_FACTS(name, TRM_KERNEL_GROUP, -1, n, P, (sizeof(S) > 1 ? sizeof(S) : 0), 0, access) \
  static void name(const trm_extent *trm_n, int64_t begin, int64_t end, const void *params, \
                   void *const *b) \
  { \
    P p; \
    memcpy(&p, params, sizeof p); \
    const trm_extent trm_e = *trm_n; \
    for (int64_t trm_g = begin; trm_g < end; trm_g++) \
      trm_##name##_group(TRM_ARRAYS_##n, TRM_GROUP_PASS); \
  } \
  static void trm_##name##_group signature

/* The table's facts about a kernel, taken from its heading. */
#define TRM_LIST(...) __VA_ARGS__
#define TRM_FACTS(name, kind, halo, n, P, shared, overlap, access) \
  enum { trm_##name##_kind = kind, trm_##name##_halo = halo, trm_##name##_count = n, \
         trm_##name##_params = sizeof(P), trm_##name##_shared = (int)(shared), \
         trm_##name##_overlap = overlap }; \
  static const char trm_##name##_access[] = { TRM_LIST access, 0 };

#define TRM_TABLE_BEGIN static const trm_host_kernel trm_kernels[] = {
#define TRM_TABLE_AS(name, steps) \
  { #name, (trm_kernel_kind)trm_##name##_kind, trm_##name##_halo, trm_##name##_count, \
    trm_##name##_params, trm_##name##_shared, trm_##name##_access, name, steps, \
    trm_##name##_overlap },
#define TRM_TABLE(name) TRM_TABLE_AS(name, NULL)
/* The kernel steps a field of `components` components from array `from` to array `to`. Members of
 * its parameters P have the layout: first, row, component (any member, if there is one component).
 * is_scratch: 1 if nobody reads the state that a step has read (trm_stepping). */
#define TRM_TABLE_STEPS(name, P, from, to, components, first, row, component, is_scratch) \
  TRM_TABLE_EDGES(name, P, from, to, components, first, row, component, is_scratch, 1)
/* edges: how many times as long as others the first and the last columns take. */
#define TRM_TABLE_EDGES(name, P, from, to, components, first, row, component, is_scratch, edges) \
  TRM_TABLE_AS(name, (&(const trm_stepping){ from, to, components, sizeof ((P *)0)->first, \
    offsetof(P, first), offsetof(P, row), offsetof(P, component), is_scratch, edges }))
#define TRM_PASTE_MODULE(program, real_, math_, isa, variant) \
  trm_module_##program##_##real_##_##math_##_##isa##variant
#define TRM_MODULE_NAME(program, real_, math_, isa, variant) \
  TRM_PASTE_MODULE(program, real_, math_, isa, variant)
#define TRM_QUOTE(text) #text
#define TRM_QUOTED(text) TRM_QUOTE(text)
#if TRM_F64_KERNEL
#define TRM_REAL_WORD f64
#else
#define TRM_REAL_WORD f32
#endif
#if TRM_STRICT_KERNEL
#define TRM_MATH_WORD strict
#else
#define TRM_MATH_WORD fast
#endif
#if defined(TRM_VARIANT)
#define TRM_VARIANT_TEXT TRM_QUOTED(TRM_VARIANT)
#define TRM_PASTE_VARIANT(variant) _##variant
#define TRM_VARIANT_TAIL(variant) TRM_PASTE_VARIANT(variant)
#else
#define TRM_VARIANT_TEXT ""
#define TRM_VARIANT
#define TRM_VARIANT_TAIL(variant)
#endif
#define TRM_TABLE_END \
  }; \
  extern const trm_host_module TRM_MODULE_NAME(TRM_PROGRAM, TRM_REAL_WORD, TRM_MATH_WORD, TRM_ISA, \
                                               TRM_VARIANT_TAIL(TRM_VARIANT)); \
  const trm_host_module TRM_MODULE_NAME(TRM_PROGRAM, TRM_REAL_WORD, TRM_MATH_WORD, TRM_ISA, \
                                        TRM_VARIANT_TAIL(TRM_VARIANT)) = { \
    TRM_HOST_MODULE_ABI, TRM_QUOTED(TRM_PROGRAM), TRM_ISA_NAME, TRM_VARIANT_TEXT, \
    TRM_F64_KERNEL ? TRM_F64 : TRM_F32, TRM_STRICT_KERNEL ? TRM_STRICT : TRM_FAST, TRM_GROUP, \
    (int)(sizeof trm_kernels / sizeof trm_kernels[0]), trm_kernels };

#endif
