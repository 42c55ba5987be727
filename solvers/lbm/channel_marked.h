/* channel_marked.h - the few cells of a row kernel that need more than the rest: CHANNEL_MARKED(words, ranks,
 * x, i) { ... } runs for each cell x of the row whose bit is set in words (as in TRM_BITS); i is its
 * number among all marked cells, ranks[x / 32] being the number of the first one in the word. It follows
 * a TRM_CELLS loop, may overwrite what that stored for the cell, and may branch: a host goes from
 * bit to bit. */
#if defined(TRM_HOST)
#define CHANNEL_MARKED(words, ranks, x, i) \
  for (int trm_word = trm_begin / 32, x = 0, i = 0; trm_word * 32 < trm_end; trm_word++) \
    for (trm_bits trm_left = (i = (int)(ranks)[trm_word], (words)[trm_word]); \
         trm_left && (x = trm_word * 32 + __builtin_ctz(trm_left), 1); \
         trm_left &= trm_left - 1, i++)
#else
#define CHANNEL_MARKED(words, ranks, x, i) \
  for (TRM_UNUSED int x = trm_x, i = 0, trm_once = channel_is_marked(words, ranks, trm_x, trm_inside, &i); \
       trm_once; trm_once = 0)
#if defined(TRM_CUDA)
#define CHANNEL_COUNT_BITS(word) __popc(word)
#else
#define CHANNEL_COUNT_BITS(word) ((int)popcount(word))
#endif
TRM_INLINE int channel_is_marked(TRM_IN(trm_bits) words, TRM_IN(trm_bits) ranks, const int x,
                                 const int inside, int *number)
{
  const trm_bits word = inside ? words[x / 32] : 0, bit = (trm_bits)1 << x % 32;
  if ((word & bit) == 0) return 0;
  *number = (int)ranks[x / 32] + CHANNEL_COUNT_BITS(word & (bit - 1));
  return 1;
}
#endif
