/* params.h - the parameters of kernels, declared once, in the header that kernel and host share.
 *
 * The header holds one struct whose reals are `real`: float or double in a kernel. The host
 * includes it with `real` as double, fills that form, and the framework converts it to the
 * precision of the run. What the members are called and where they lie is read from the kernel
 * text, which the build embeds with its headers. Members are real, trm_index, int or trm_bits,
 * single or arrays of a literal length. Usable without the rest of the framework. */
#ifndef TRIREME_FRAMEWORK_PARAMS_H
#define TRIREME_FRAMEWORK_PARAMS_H

#include "core/trireme.h"

/* What the header is written in. */
typedef double real;
typedef int64_t trm_index;

enum { TRM_FRAMEWORK_MEMBERS = TRM_MAX_PARAM_BYTES / 4 };

typedef struct trm_framework_member {
  char name[48];
  char kind;                   /* 'r' real, 'x' trm_index, 'i' int or trm_bits */
  size_t count;                /* elements of an array; 1 */
  size_t at[2];                /* byte offset: with real as float [TRM_F32], as double [TRM_F64] */
} trm_framework_member;

typedef struct trm_framework_params {
  char name[64];               /* "heat_params" */
  size_t bytes[2];             /* sizeof, by precision */
  size_t count;
  trm_framework_member members[TRM_FRAMEWORK_MEMBERS];
} trm_framework_params;

/* Reads `typedef struct NAME { ... }` from a kernel text. TRM_ERROR_INVALID, saying what stands
 * there, if there is none or a member is of another kind. */
TRM_API trm_status trm_framework_params_read(const char *text, const char *name,
                                             trm_framework_params *out);

/* The member of that name; NULL when there is none. */
TRM_API const trm_framework_member *trm_framework_params_find(const trm_framework_params *params,
                                                              const char *name);

/* Converts the struct with real as double to params->bytes[precision] bytes at `packed`; padding
 * becomes 0. */
TRM_API void trm_framework_params_pack(const trm_framework_params *params, trm_precision precision,
                                       const void *doubles, void *packed);

#endif
