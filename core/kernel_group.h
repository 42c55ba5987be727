/* kernel_group.h - the part of the dialect (kernel.h) for group kernels whose items do more than
 * one step side by side. It has loops of every item, items that walk, the 32 lanes of a sub-group,
 * and the largest of many values. */
#ifndef TRM_KERNEL_GROUP_H
#define TRM_KERNEL_GROUP_H

/* TRM_PHASE { TRM_TILE(i, j, ni, nj, lane) { ... } ... } is one phase of several loops; no loop may
 * read values that another loop writes. A tile is ni x nj values, i along the row. A GPU gives them
 * out one by one, the first to item `lane` (modulo the group). So narrow tiles leave no lane idle,
 * and short loops follow one another. On a host they are two loops. */
#if defined(TRM_HOST)
#define TRM_PHASE
#if defined(TRM_REVERSE)
#define TRM_TILE(i, j, ni, nj, lane) for (int j = (nj) - 1; j >= 0; j--) TRM_COUNT(i, ni)
#else
#define TRM_TILE(i, j, ni, nj, lane) for (int j = 0; j < (nj); j++) TRM_COUNT(i, ni)
#endif
#else
#define TRM_PHASE for (int trm_once = 1; trm_once; trm_once = 0, TRM_BARRIER)
#define TRM_TILE(i, j, ni, nj, lane) \
  for (int trm_t = (TRM_LOCAL_X + TRM_GROUP - (lane) % TRM_GROUP) % TRM_GROUP, j = 0, i = 0; \
       trm_t < (ni) * (nj) && (j = trm_t / (ni), i = trm_t - j * (ni), 1); trm_t += TRM_GROUP)
#endif

/* TRM_SWEEP(t, j, end, step) { ... } is a phase in which every item t runs a loop over j = 0, step,
 * ... below end. A GPU's item runs the loop itself; on a host the items are the inner loop, which
 * is the one that compilers vectorise.
 * TRM_SERIAL(i, n) { ... } is TRM_EACH for items that walk, branch and count: no loop for a host to
 * vectorise.
 * TRM_LANES(t) { ... } is a phase of 32 lanes, the first items of the group; where a group has
 * more items, those rest. TRM_LANES_SWEEP(t, j, end): every lane runs a loop over j. */
#if defined(TRM_HOST)
#define TRM_SWEEP(t, j, end, step) for (int j = 0; j < (end); j += (step)) TRM_ITEMS(t)
#if defined(TRM_REVERSE)
#define TRM_SERIAL(i, n) for (int i = (n) - 1; i >= 0; i--)
#else
#define TRM_SERIAL(i, n) for (int i = 0; i < (n); i++)
#endif
#define TRM_LANES(t) TRM_COUNT(t, 32)
#define TRM_LANES_SWEEP(t, j, end) for (int j = 0; j < (end); j++) TRM_LANES(t)
#else
#define TRM_SWEEP(t, j, end, step) TRM_ITEMS(t) for (int j = 0; j < (end); j += (step))
#define TRM_SERIAL(i, n) TRM_EACH(i, n)
#if TRM_GROUP == 32
#define TRM_LANES(t) TRM_ITEMS(t)
#else
#define TRM_LANES(t) TRM_EACH(t, 32)
#endif
#if defined(TRM_NVIDIA)
#define TRM_LANES_SWEEP(t, j, end) TRM_LANES(t) _Pragma("unroll 4") for (int j = 0; j < (end); j++)
#else
#define TRM_LANES_SWEEP(t, j, end) TRM_LANES(t) for (int j = 0; j < (end); j++)
#endif
#endif

/* TRM_BRING(to, from, bytes): 16 or 8 bytes on their way from a device's array to the group's
 * shared memory; `bytes` is a constant, and both places are multiples of it. TRM_ARRIVED; ends the
 * phase: an item waits for the bytes it brought. Where a GPU copies without its registers, the
 * phase does its other work meanwhile. */
#if defined(TRM_NVIDIA_COPIES) || (defined(TRM_CUDA) && __CUDA_ARCH__ >= 800)
#if defined(TRM_CUDA)
#define TRM_PLACE(to) ((unsigned)__cvta_generic_to_shared(to))
#else
#define TRM_PLACE(to) ((uint)(size_t)(to))
#endif
#define TRM_BRING(to, from, bytes) \
  do { \
    if ((bytes) == 16) \
      TRM_ASM volatile("cp.async.cg.shared.global [%0], [%1], 16;" \
                       : : "r"(TRM_PLACE(to)), "l"((size_t)(from)) : "memory"); \
    else \
      TRM_ASM volatile("cp.async.ca.shared.global [%0], [%1], 8;" \
                       : : "r"(TRM_PLACE(to)), "l"((size_t)(from)) : "memory"); \
  } while (0)
#define TRM_ARRIVED TRM_ASM volatile("cp.async.wait_all;" : : : "memory")
#else
#define TRM_BRING(to, from, bytes) \
  do { \
    for (int trm_i = 0; trm_i < (bytes) / (int)sizeof *(to); trm_i++) \
      (to)[trm_i] = (from)[trm_i]; \
  } while (0)
#define TRM_ARRIVED
#endif

/* Lanes that sort themselves into lists: TRM_RANK(kind, rank, kinds, found). kind and rank are
 * TRM_PRIVATE(int); each of the 32 lanes has a kind from 0 to 3. For kinds 1 to 3, rank becomes the
 * number of lanes before this one with the same kind. The number of all lanes with kind k goes to
 * found[k]; kind 0 gets neither. The arrays int kinds[32] and int found[4] lie in the group's
 * shared memory. Stands between phases; the lanes read found in a phase after it, and in another
 * one before the next. */
#if defined(TRM_HOST)
#define TRM_RANK(kind, rank, kinds, found) \
  do { \
    for (int trm_k = 0; trm_k < 4; trm_k++) (found)[trm_k] = 0; \
    for (int trm_t = 0; trm_t < 32; trm_t++) rank[trm_t] = (found)[kind[trm_t]]++; \
  } while (0)
#elif defined(TRM_NVIDIA)
#if defined(TRM_CUDA)
#define trm_vote(is) __ballot_sync(0xffffffffu, is)
#else
TRM_INLINE uint trm_vote(const int is)
{
  uint word;
  TRM_ASM volatile("{ .reg .pred trm_is; setp.ne.s32 trm_is, %1, 0; "
                   "vote.sync.ballot.b32 %0, trm_is, 0xffffffff; }" : "=r"(word) : "r"(is));
  return word;
}
#endif
#define TRM_RANK(kind, rank, kinds, found) \
  TRM_LANES(trm_t) { \
    const trm_bits trm_1 = trm_vote(kind == 1), trm_2 = trm_vote(kind == 2); \
    const trm_bits trm_3 = trm_vote(kind == 3); \
    const trm_bits trm_own = kind == 1 ? trm_1 : kind == 2 ? trm_2 : trm_3; \
    rank = trm_ones(trm_own & (((trm_bits)1 << trm_t) - 1)); \
    if (trm_t == 0) { \
      (found)[1] = trm_ones(trm_1); \
      (found)[2] = trm_ones(trm_2); \
      (found)[3] = trm_ones(trm_3); \
    } \
  }
#else
#define TRM_RANK(kind, rank, kinds, found) \
  TRM_LANES(trm_t) { (kinds)[trm_t] = kind; } \
  TRM_LANES(trm_t) { \
    rank = 0; \
    for (int trm_k = 0; trm_k < trm_t; trm_k++) rank += (kinds)[trm_k] == kind; \
    if (trm_t == 31) { \
      for (int trm_k = 0; trm_k < 4; trm_k++) (found)[trm_k] = kind == trm_k; \
      for (int trm_k = 0; trm_k < trm_t; trm_k++) (found)[(kinds)[trm_k]]++; \
    } \
  }
#endif

/* TRM_LARGEST(lane, v, count): lane[0] = the largest of v[0 .. count - 1], all of which are at
 * least 0. A NaN is kept; 0 if count is 0. The array real lane[256] lies in the group's shared
 * memory. An item of a GPU loads all its values before the first barrier; with a barrier in each
 * round it would wait for memory each time. */
#if defined(TRM_HOST)
#define TRM_LARGEST(lane, v, count) \
  TRM_EACH(trm_i, 256) { (lane)[trm_i] = R(0.0); } \
  for (int trm_k = 0; trm_k < (count); trm_k += 256) { \
    const int trm_left = (count) - trm_k < 256 ? (count) - trm_k : 256; \
    TRM_EACH(trm_i, trm_left) { (lane)[trm_i] = trm_more((lane)[trm_i], (v)[trm_k + trm_i]); } \
  } \
  for (int trm_half = 128; trm_half > 0; trm_half /= 2) \
    TRM_EACH(trm_i, trm_half) { \
      (lane)[trm_i] = trm_more((lane)[trm_i], (lane)[trm_i + trm_half]); \
    }
#else
#define TRM_LARGEST(lane, v, count) \
  TRM_LARGEST_(lane, v, 256, trm_i, trm_i, (count), 256, R(0.0)) \
  TRM_LARGEST_(lane, lane, 16, trm_i, trm_i + 16, 256, 16, (lane)[trm_i]) \
  TRM_LARGEST_(lane, lane, 1, 0, 1, 16, 1, (lane)[0])
#define TRM_LARGEST_(lane, v, lanes, to, first, end, step, start) \
  TRM_EACH(trm_i, lanes) { \
    real trm_most = start; \
    for (int trm_k = first; trm_k < (end); trm_k += step) \
      trm_most = trm_more(trm_most, (v)[trm_k]); \
    (lane)[to] = trm_most; \
  }
#endif

/* For schedules under TRM_BY_SPAN.
 * TRM_SHEET(i, j, ni, nj, pitch, lane) is a TRM_TILE whose body asks for j * pitch + i alone. A
 * host goes through all rows in one loop, with j = 0 and i from 0 to nj * pitch. Otherwise each row
 * that is a few values longer than a vector would leave a rest. So the arrays of the body have
 * room, and harmless values, between the rows and behind the last row. TRM_COPY(to, from, n): n
 * reals, a constant; a host makes it a few wide moves. TRM_ASK(from): a host asks for that line of
 * memory, which it will read soon. */
#if defined(TRM_HOST)
#define TRM_SHEET(i, j, ni, nj, pitch, lane) \
  for (int j = 0; j < 1; j++) TRM_COUNT(i, (nj) * (pitch))
#define TRM_COPY(to, from, n) memcpy(to, from, (n) * sizeof(real))
#define TRM_ASK(from) __builtin_prefetch(from)
#else
#define TRM_SHEET(i, j, ni, nj, pitch, lane) TRM_TILE(i, j, ni, nj, lane)
#define TRM_COPY(to, from, n) for (int trm_i = 0; trm_i < (n); trm_i++) (to)[trm_i] = (from)[trm_i]
#define TRM_ASK(from)
#endif

#endif
