/* Constants shared by fv_implementations.k and its host side, solver/implementations.c. */
#ifndef TRIREME_FV_IMPLEMENTATIONS_H
#define TRIREME_FV_IMPLEMENTATIONS_H

/* Faces of a group, of one axis: the list has a multiple of them. The 12 cells about each have room
 * in the place of a block's ring, which is smallest in two dimensions. */
#define FV_LISTED (FV_FLAT_SIDE > 8 ? 32 : 8)

/* Beside a face's axis in the list: a copy of its last face, which fills a group up. */
#define FV_COPY_OF_FACE 8

/* Bits of FV_STRUCTS: the five values of a cell that faces load, or those of a face's flux, lie
 * side by side. A GPU's compiler knows them. Hosts find them in p.interfaces: a grid of one level,
 * as all these forms have, has none. */
#define FV_STRUCTS_OF_CELLS 1
#define FV_STRUCTS_OF_FLUXES 2
#ifndef FV_STRUCTS
#define FV_STRUCTS (p.interfaces)
#endif

/* Where value v of a face's flux lies, and of a cell's state, which is FV_VALUE_STEP from the next
 * one. Cell `at` of a slot has the number slot * FV_CELLS + at. */
#define FV_FLUX_AT(face, v) \
  (FV_STRUCTS & FV_STRUCTS_OF_FLUXES ? (trm_index)(face) * FV_VALUES + (v) \
                                     : (trm_index)(v) * p.faces + (face))
#define FV_LISTED_AT(cell) ((trm_index)((cell) / FV_CELLS) * FV_BLOCK + (cell) % FV_CELLS)
#define FV_STATE_AT(cell) \
  (FV_STRUCTS & FV_STRUCTS_OF_CELLS ? (trm_index)(cell) * FV_VALUES : FV_LISTED_AT(cell))
#define FV_VALUE_STEP (FV_STRUCTS & FV_STRUCTS_OF_CELLS ? 1 : FV_CELLS)

#endif
