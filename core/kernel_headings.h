/* kernel_headings.h - the part of the dialect (kernel.h) that opens a kernel, a macro for each
 * number of arrays:
 *   TRM_ROW_KERNELn(name, halo, params, n arrays)
 *   TRM_GROUP_KERNELn(name, shared struct or TRM_NO_SHARED, params, n arrays) */
#ifndef TRM_KERNEL_HEADINGS_H
#define TRM_KERNEL_HEADINGS_H

#define TRM_LETTER(text) ((text)[5] == 'O' ? 'r' : 'w') /* TRM_RO or TRM_RW */

#define TRM_ROW_KERNEL1(name, halo, P, A0) \
  TRM_ROW_KERNEL_(name, halo, P, 1, (A0, TRM_ROW_HIDDEN(P)), \
    (b[0], TRM_ROW_PASS), \
    TRM_LETTER(#A0), 0, 0, 0, \
    0, 0, 0, 0)
#define TRM_ROW_KERNEL2(name, halo, P, A0, A1) \
  TRM_ROW_KERNEL_(name, halo, P, 2, (A0, A1, TRM_ROW_HIDDEN(P)), \
    (b[0], b[1], TRM_ROW_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), 0, 0, \
    0, 0, 0, 0)
#define TRM_ROW_KERNEL3(name, halo, P, A0, A1, A2) \
  TRM_ROW_KERNEL_(name, halo, P, 3, (A0, A1, A2, TRM_ROW_HIDDEN(P)), \
    (b[0], b[1], b[2], TRM_ROW_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), 0, \
    0, 0, 0, 0)
#define TRM_ROW_KERNEL4(name, halo, P, A0, A1, A2, A3) \
  TRM_ROW_KERNEL_(name, halo, P, 4, (A0, A1, A2, A3, TRM_ROW_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], TRM_ROW_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    0, 0, 0, 0)
#define TRM_ROW_KERNEL5(name, halo, P, A0, A1, A2, A3, A4) \
  TRM_ROW_KERNEL_(name, halo, P, 5, (A0, A1, A2, A3, A4, TRM_ROW_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], TRM_ROW_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), 0, 0, 0)
#define TRM_ROW_KERNEL6(name, halo, P, A0, A1, A2, A3, A4, A5) \
  TRM_ROW_KERNEL_(name, halo, P, 6, (A0, A1, A2, A3, A4, A5, TRM_ROW_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], b[5], TRM_ROW_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), TRM_LETTER(#A5), 0, 0)
#define TRM_ROW_KERNEL7(name, halo, P, A0, A1, A2, A3, A4, A5, A6) \
  TRM_ROW_KERNEL_(name, halo, P, 7, (A0, A1, A2, A3, A4, A5, A6, TRM_ROW_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], b[5], b[6], TRM_ROW_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), TRM_LETTER(#A5), TRM_LETTER(#A6), 0)
#define TRM_ROW_KERNEL8(name, halo, P, A0, A1, A2, A3, A4, A5, A6, A7) \
  TRM_ROW_KERNEL_(name, halo, P, 8, (A0, A1, A2, A3, A4, A5, A6, A7, TRM_ROW_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], TRM_ROW_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), TRM_LETTER(#A5), TRM_LETTER(#A6), TRM_LETTER(#A7))
#define TRM_GROUP_KERNEL1(name, S, P, A0) \
  TRM_GROUP_KERNEL_(name, S, P, 1, (A0, TRM_GROUP_HIDDEN(P)), \
    (b[0], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), 0, 0, 0, \
    0, 0, 0, 0)
#define TRM_GROUP_KERNEL2(name, S, P, A0, A1) \
  TRM_GROUP_KERNEL_(name, S, P, 2, (A0, A1, TRM_GROUP_HIDDEN(P)), \
    (b[0], b[1], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), 0, 0, \
    0, 0, 0, 0)
#define TRM_GROUP_KERNEL3(name, S, P, A0, A1, A2) \
  TRM_GROUP_KERNEL_(name, S, P, 3, (A0, A1, A2, TRM_GROUP_HIDDEN(P)), \
    (b[0], b[1], b[2], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), 0, \
    0, 0, 0, 0)
#define TRM_GROUP_KERNEL4(name, S, P, A0, A1, A2, A3) \
  TRM_GROUP_KERNEL_(name, S, P, 4, (A0, A1, A2, A3, TRM_GROUP_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    0, 0, 0, 0)
#define TRM_GROUP_KERNEL5(name, S, P, A0, A1, A2, A3, A4) \
  TRM_GROUP_KERNEL_(name, S, P, 5, (A0, A1, A2, A3, A4, TRM_GROUP_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), 0, 0, 0)
#define TRM_GROUP_KERNEL6(name, S, P, A0, A1, A2, A3, A4, A5) \
  TRM_GROUP_KERNEL_(name, S, P, 6, (A0, A1, A2, A3, A4, A5, TRM_GROUP_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], b[5], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), TRM_LETTER(#A5), 0, 0)
#define TRM_GROUP_KERNEL7(name, S, P, A0, A1, A2, A3, A4, A5, A6) \
  TRM_GROUP_KERNEL_(name, S, P, 7, (A0, A1, A2, A3, A4, A5, A6, TRM_GROUP_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], b[5], b[6], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), TRM_LETTER(#A5), TRM_LETTER(#A6), 0)
#define TRM_GROUP_KERNEL8(name, S, P, A0, A1, A2, A3, A4, A5, A6, A7) \
  TRM_GROUP_KERNEL_(name, S, P, 8, (A0, A1, A2, A3, A4, A5, A6, A7, TRM_GROUP_HIDDEN(P)), \
    (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], TRM_GROUP_PASS), \
    TRM_LETTER(#A0), TRM_LETTER(#A1), TRM_LETTER(#A2), TRM_LETTER(#A3), \
    TRM_LETTER(#A4), TRM_LETTER(#A5), TRM_LETTER(#A6), TRM_LETTER(#A7))

#endif
