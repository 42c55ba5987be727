/* lbm3d_levels_places.h - where the populations of a slot's cells lie. */

/* The number in `near` of the block where a cell lies, counted from a block's corner. */
#define LEVELS_BEYOND(i) ((i) < 0 ? 0 : (i) < LEVELS_SIDE ? 1 : 2)
#define LEVELS_BESIDE(x, y, z) \
  (9 * LEVELS_BEYOND(z) + 3 * LEVELS_BEYOND(y) + LEVELS_BEYOND(x))
#define LEVELS_BLOCK (LBM3D_Q * LEVELS_CELLS)
#define LEVELS_AT(slot, k, cell) \
  ((trm_index)(slot) * LEVELS_BLOCK + (trm_index)(k) * LEVELS_CELLS + (cell))
