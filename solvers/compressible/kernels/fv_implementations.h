/* Constants shared by fv_implementations.k and its host side, solver/implementations.c. */
#ifndef TRIREME_FV_IMPLEMENTATIONS_H
#define TRIREME_FV_IMPLEMENTATIONS_H

/* Faces of a group, of one axis: the list has a multiple of them. The 12 cells about each have room
 * in the place of a block's ring, which is smallest in two dimensions. */
#define FV_LISTED (FV_FLAT_SIDE > 8 ? 32 : 8)

/* Beside a face's axis in the list: a copy of its last face, which fills a group up. */
#define FV_COPY_OF_FACE 8

#endif
