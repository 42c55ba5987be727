/* kernel_texts.h - every kernel text of this build, for the tests that compile them all. The list
 * is made by the build (local.mk); it ends with a file of NULL. */
#ifndef TRM_CUDA_KERNEL_TEXTS_H
#define TRM_CUDA_KERNEL_TEXTS_H

typedef struct cuda_kernel_text {
  const char *file, *text;
  const char *variants;            /* names between spaces; "" for none but the default */
} cuda_kernel_text;

extern const cuda_kernel_text cuda_kernel_texts[];

#endif
