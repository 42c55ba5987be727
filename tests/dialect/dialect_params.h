/* dialect_params.h - parameters of the tests' kernels in dialect.k, dialect_groups.k and
 * dialect_large.k; the struct is listed as X(type, name), so that its layout can be told member by
 * member on every device. Larger members first. */
#define DIALECT_MEMBERS(X) \
  X(trm_index, first)      /* layout of the fields of reals: elements */ \
  X(trm_index, row) \
  X(trm_index, flag_first) /* layout of the flags: bytes */ \
  X(trm_index, flag_row) \
  X(trm_index, distance)   /* beyond 2^31 */ \
  X(real, a) \
  X(real, b) \
  X(real, c) \
  X(int, count) \
  X(int, sides) \
  X(int, unused)

#define DIALECT_MEMBER(type, name) type name;

/* Its size is not a multiple of 16 in either precision; it has arrays among its members. */
#define DIALECT_MIXED_MEMBERS(X) \
  X(real, weights[3]) \
  X(real, scale) \
  X(int, shape[3]) \
  X(int, flag) \
  X(int, last)

typedef struct dialect_params {
  DIALECT_MEMBERS(DIALECT_MEMBER)
} dialect_params;
typedef struct dialect_mixed {
  DIALECT_MIXED_MEMBERS(DIALECT_MEMBER)
} dialect_mixed;

enum {
  DIALECT_FUNCTIONS = 11,  /* what dialect_functions computes of each pair of operands */
  DIALECT_TILE_X = 37,     /* the tile of dialect_transpose */
  DIALECT_TILE_Y = 29,
  DIALECT_LARGE = 60 << 10 /* bytes of shared memory of dialect_large */
};
