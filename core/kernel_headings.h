/* kernel_headings.h - the part of the dialect (kernel.h) that opens a kernel, a macro for each
 * number of arrays, 1 to 12 (TRM_MAX_BUFFERS):
 *   TRM_ROW_KERNELn(name, halo, params, n arrays)
 *   TRM_GROUP_KERNELn(name, shared struct or TRM_NO_SHARED, params, n arrays)
 * OpenCL C 1.2 has no macros of variable arity. TRM_IO(#A0) learns from its first word how a kernel
 * uses an array; no other macro sees that word unexpanded. */
#ifndef TRM_KERNEL_HEADINGS_H
#define TRM_KERNEL_HEADINGS_H

/* TRM_RO, TRM_FROM; TRM_RW, TRM_TO */
#define TRM_IO(text) ((text)[4] != 'T' && (text)[5] != 'W' ? 'r' : 'w')

#define TRM_ARRAYS_1 b[0]
#define TRM_ARRAYS_2 TRM_ARRAYS_1, b[1]
#define TRM_ARRAYS_3 TRM_ARRAYS_2, b[2]
#define TRM_ARRAYS_4 TRM_ARRAYS_3, b[3]
#define TRM_ARRAYS_5 TRM_ARRAYS_4, b[4]
#define TRM_ARRAYS_6 TRM_ARRAYS_5, b[5]
#define TRM_ARRAYS_7 TRM_ARRAYS_6, b[6]
#define TRM_ARRAYS_8 TRM_ARRAYS_7, b[7]
#define TRM_ARRAYS_9 TRM_ARRAYS_8, b[8]
#define TRM_ARRAYS_10 TRM_ARRAYS_9, b[9]
#define TRM_ARRAYS_11 TRM_ARRAYS_10, b[10]
#define TRM_ARRAYS_12 TRM_ARRAYS_11, b[11]

#define TRM_ROW_KERNEL1(name, halo, P, A0) \
  TRM_ROW_KERNEL_(name, halo, P, 1, (A0, TRM_ROW_HIDDEN(P)), \
    (TRM_IO(#A0)))
#define TRM_ROW_KERNEL2(name, halo, P, A0, A1) \
  TRM_ROW_KERNEL_(name, halo, P, 2, (A0, A1, TRM_ROW_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1)))
#define TRM_ROW_KERNEL3(name, halo, P, A0, A1, A2) \
  TRM_ROW_KERNEL_(name, halo, P, 3, (A0, A1, A2, TRM_ROW_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2)))
#define TRM_ROW_KERNEL4(name, halo, P, A0, A1, A2, A3) \
  TRM_ROW_KERNEL_(name, halo, P, 4, (A0, A1, A2, A3, TRM_ROW_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3)))
#define TRM_ROW_KERNEL5(name, halo, P, A0, A1, A2, A3, A4) \
  TRM_ROW_KERNEL_(name, halo, P, 5, (A0, A1, A2, A3, A4, TRM_ROW_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4)))
#define TRM_ROW_KERNEL6(name, halo, P, A0, A1, A2, A3, A4, A5) \
  TRM_ROW_KERNEL_(name, halo, P, 6, (A0, A1, A2, A3, A4, A5, TRM_ROW_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4), TRM_IO(#A5)))
#define TRM_ROW_KERNEL7(name, halo, P, A0, A1, A2, A3, A4, A5, A6) \
  TRM_ROW_KERNEL_(name, halo, P, 7, (A0, A1, A2, A3, A4, A5, A6, TRM_ROW_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4), TRM_IO(#A5), TRM_IO(#A6)))
#define TRM_ROW_KERNEL8(name, halo, P, A0, A1, A2, A3, A4, A5, A6, A7) \
  TRM_ROW_KERNEL_(name, halo, P, 8, (A0, A1, A2, A3, A4, A5, A6, A7, TRM_ROW_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4), TRM_IO(#A5), TRM_IO(#A6), \
    TRM_IO(#A7)))
#define TRM_ROW_KERNEL9(name, halo, P, A0, A1, A2, A3, A4, A5, A6, A7, A8) \
  TRM_ROW_KERNEL_(name, halo, P, 9, (A0, A1, A2, A3, A4, A5, A6, A7, A8, TRM_ROW_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4), TRM_IO(#A5), TRM_IO(#A6), \
    TRM_IO(#A7), TRM_IO(#A8)))
#define TRM_ROW_KERNEL10(name, halo, P, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9) \
  TRM_ROW_KERNEL_(name, halo, P, 10, (A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, \
    TRM_ROW_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4), TRM_IO(#A5), TRM_IO(#A6), \
    TRM_IO(#A7), TRM_IO(#A8), TRM_IO(#A9)))
#define TRM_ROW_KERNEL11(name, halo, P, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10) \
  TRM_ROW_KERNEL_(name, halo, P, 11, (A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, \
    TRM_ROW_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4), TRM_IO(#A5), TRM_IO(#A6), \
    TRM_IO(#A7), TRM_IO(#A8), TRM_IO(#A9), TRM_IO(#A10)))
#define TRM_ROW_KERNEL12(name, halo, P, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11) \
  TRM_ROW_KERNEL_(name, halo, P, 12, (A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, \
    TRM_ROW_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4), TRM_IO(#A5), TRM_IO(#A6), \
    TRM_IO(#A7), TRM_IO(#A8), TRM_IO(#A9), TRM_IO(#A10), TRM_IO(#A11)))

#define TRM_GROUP_KERNEL1(name, S, P, A0) \
  TRM_GROUP_KERNEL_(name, S, P, 1, (A0, TRM_GROUP_HIDDEN(P)), \
    (TRM_IO(#A0)))
#define TRM_GROUP_KERNEL2(name, S, P, A0, A1) \
  TRM_GROUP_KERNEL_(name, S, P, 2, (A0, A1, TRM_GROUP_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1)))
#define TRM_GROUP_KERNEL3(name, S, P, A0, A1, A2) \
  TRM_GROUP_KERNEL_(name, S, P, 3, (A0, A1, A2, TRM_GROUP_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2)))
#define TRM_GROUP_KERNEL4(name, S, P, A0, A1, A2, A3) \
  TRM_GROUP_KERNEL_(name, S, P, 4, (A0, A1, A2, A3, TRM_GROUP_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3)))
#define TRM_GROUP_KERNEL5(name, S, P, A0, A1, A2, A3, A4) \
  TRM_GROUP_KERNEL_(name, S, P, 5, (A0, A1, A2, A3, A4, TRM_GROUP_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4)))
#define TRM_GROUP_KERNEL6(name, S, P, A0, A1, A2, A3, A4, A5) \
  TRM_GROUP_KERNEL_(name, S, P, 6, (A0, A1, A2, A3, A4, A5, TRM_GROUP_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4), TRM_IO(#A5)))
#define TRM_GROUP_KERNEL7(name, S, P, A0, A1, A2, A3, A4, A5, A6) \
  TRM_GROUP_KERNEL_(name, S, P, 7, (A0, A1, A2, A3, A4, A5, A6, TRM_GROUP_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4), TRM_IO(#A5), TRM_IO(#A6)))
#define TRM_GROUP_KERNEL8(name, S, P, A0, A1, A2, A3, A4, A5, A6, A7) \
  TRM_GROUP_KERNEL_(name, S, P, 8, (A0, A1, A2, A3, A4, A5, A6, A7, TRM_GROUP_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4), TRM_IO(#A5), TRM_IO(#A6), \
    TRM_IO(#A7)))
#define TRM_GROUP_KERNEL9(name, S, P, A0, A1, A2, A3, A4, A5, A6, A7, A8) \
  TRM_GROUP_KERNEL_(name, S, P, 9, (A0, A1, A2, A3, A4, A5, A6, A7, A8, TRM_GROUP_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4), TRM_IO(#A5), TRM_IO(#A6), \
    TRM_IO(#A7), TRM_IO(#A8)))
#define TRM_GROUP_KERNEL10(name, S, P, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9) \
  TRM_GROUP_KERNEL_(name, S, P, 10, (A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, \
    TRM_GROUP_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4), TRM_IO(#A5), TRM_IO(#A6), \
    TRM_IO(#A7), TRM_IO(#A8), TRM_IO(#A9)))
#define TRM_GROUP_KERNEL11(name, S, P, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10) \
  TRM_GROUP_KERNEL_(name, S, P, 11, (A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, \
    TRM_GROUP_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4), TRM_IO(#A5), TRM_IO(#A6), \
    TRM_IO(#A7), TRM_IO(#A8), TRM_IO(#A9), TRM_IO(#A10)))
#define TRM_GROUP_KERNEL12(name, S, P, A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11) \
  TRM_GROUP_KERNEL_(name, S, P, 12, (A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, \
    TRM_GROUP_HIDDEN(P)), \
    (TRM_IO(#A0), TRM_IO(#A1), TRM_IO(#A2), TRM_IO(#A3), TRM_IO(#A4), TRM_IO(#A5), TRM_IO(#A6), \
    TRM_IO(#A7), TRM_IO(#A8), TRM_IO(#A9), TRM_IO(#A10), TRM_IO(#A11)))

/* Whether cell x of row y is at that edge of the grid. For kernels that step a field: where several
 * steps share a launch, kernel_steps.h has them, and cells inside need not ask. */
#if !defined(TRM_STEPS)
#define TRM_INVARIANT(k, value) (*&(value)) /* of arrays that no step changes: held there */
#define TRM_INVARIANT_BITS(words, name) TRM_BITS(words, name)
#define TRM_MEMO(line, x, value) (value) /* of cell x of that line alone: held there */
#define TRM_HAS_MEMO 0
#define TRM_IN_STRIP 0
#define TRM_IN_TILE 0
#define TRM_IS_WEST(x) ((x) == 0)
#define TRM_IS_EAST(x) ((x) == TRM_NX - 1)
#define TRM_IS_SOUTH(y) ((y) == 0)
#define TRM_IS_NORTH(y) ((y) == TRM_NY - 1)
#endif

#endif
