/* params.h - the parameters of kernels, declared once, in the header that kernel and host share.
 *
 * The header holds one struct whose reals are `real`: float or double in a kernel. The host
 * includes the header with `real` as double and fills that struct. The framework converts it to the
 * precision of the run. The names and offsets of the members are read from the kernel text, which
 * the build embeds with its headers. Members are real, trm_index, int or trm_bits; single values,
 * or arrays of a literal length. Usable without the rest of the framework. */
#ifndef TRIREME_FRAMEWORK_PARAMS_H
#define TRIREME_FRAMEWORK_PARAMS_H

#include "core/trireme.h"

/* The types that the header uses. */
typedef double real;
typedef int64_t trm_index;

enum { TRM_FRAMEWORK_MEMBERS = TRM_MAX_PARAM_BYTES / 4 };

typedef struct trm_framework_member {
  char name[48];
  char kind;                   /* 'r' real, 'x' trm_index, 'i' int or trm_bits */
  size_t count;                /* elements of an array; 1 for a single value */
  size_t at[2];                /* byte offset: with real as float [TRM_F32], as double [TRM_F64] */
} trm_framework_member;

typedef struct trm_framework_params {
  char name[64];               /* "heat_params" */
  size_t bytes[2];             /* sizeof, by precision */
  size_t count;
  trm_framework_member members[TRM_FRAMEWORK_MEMBERS];
} trm_framework_params;

/* Reads `typedef struct NAME { ... }` from a kernel text. TRM_ERROR_INVALID, quoting the text
 * found, if the struct is missing or a member has another type. */
TRM_API trm_status trm_framework_params_read(const char *text, const char *name,
                                             trm_framework_params *out);

/* The member of that name; NULL when it does not exist. */
TRM_API const trm_framework_member *trm_framework_params_find(const trm_framework_params *params,
                                                              const char *name);

/* Converts the struct with real as double to params->bytes[precision] bytes at `packed`; padding
 * becomes 0. */
TRM_API void trm_framework_params_pack(const trm_framework_params *params, trm_precision precision,
                                       const void *doubles, void *packed);

#endif
