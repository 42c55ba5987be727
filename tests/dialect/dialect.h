/* dialect.h - what the tests of the dialect share: the programs, the settings that each is built
 * with (precisions; instruction sets on a host, group shapes on a GPU), fields that notice every
 * stray write, and the expected values of each kernel in plain C. */
#ifndef TRIREME_TESTS_DIALECT_H
#define TRIREME_TESTS_DIALECT_H

#include "tests/harness.h"

/* The host's own view of the parameters is in f64; dialect_values.params makes the kernel's. */
typedef int64_t trm_index;
typedef uint8_t uchar;
#define real double
#include "tests/dialect/dialect_params.h"
#undef real

extern const trm_program_source dialect_source;        /* rows; variant "negated" */
extern const trm_program_source dialect_groups_source;
extern const trm_program_source dialect_large_source;
extern const trm_program_source dialect_tools_source;

/* ---- expected values, one table a precision; fields are dense, without padding --------- */

typedef struct dialect_values {
  size_t (*params)(const dialect_params *from, void *to); /* returns the bytes written */
  size_t (*mixed)(const dialect_mixed *from, void *to);
  void (*numbers)(void *to, size_t count, unsigned seed); /* of many sizes, both signs */
  void (*operands)(void *to, size_t count);               /* two rows for dialect_functions */
  void (*line)(const void *f, void *g, int nx, double a);
  void (*smooth)(const void *f, void *g, int nx, int ny, double a);
  void (*wide)(const void *f, void *g, int nx, int ny);
  void (*space)(const void *f, void *g, int nx, int ny, int nz);
  void (*reach)(const void *f, void *g, int nx, int ny, int nz);
  void (*sums)(const void *f, const uchar *flags, void *g, void *open, void *square, int nx, int ny,
               double b);
  void (*functions)(const void *f, void *g, int nx, double a);
  void (*literals)(void *g, int nx);
  void (*count_up)(void *g, int nx, int ny);              /* x in every row */
  void (*arity)(const void *arrays, int inputs, void *g, int n, double a);
  void (*group_numbers)(void *g, int nx, int ny, int nz, int count, int base);
  void (*transpose)(const void *f, void *g, int across, int down);
  void (*scan)(const void *f, void *g, int groups, int count);
  void (*pairs)(const void *f, void *g, int n);
  void (*backwards)(const void *f, void *g, int groups, int count);
  double (*difference)(const void *a, const void *b, size_t count); /* largest, absolute */
} dialect_values;
extern const dialect_values dialect_values_of[2]; /* by trm_precision */

/* ---- one program on one device --------------------------------------------------------- */

typedef struct dialect_run {
  trm_device *device;
  trm_program *program;
  const trm_program_info *info;
  trm_type type;                 /* of `real` */
  size_t size;                   /* its bytes */
  const dialect_values *want;
} dialect_run;

typedef void dialect_body(const dialect_run *run);

/* Calls body with the strict program in f32 and (where the device has it) f64, for every
 * instruction set that this host has, forwards and backwards, or every group shape of a GPU. */
void dialect_each(trm_device *device, const trm_program_source *source, const char *variant,
                  dialect_body *body);
/* One of them; destroyed by dialect_run_close. */
void dialect_run_open(trm_device *device, const trm_program_source *source,
                      const trm_program_options *options, dialect_run *run);
void dialect_run_close(dialect_run *run);

/* Each body, the list ends with NULL, on openmp with three threads and poisoned buffers. */
void dialect_each_checked(const trm_program_source *source, dialect_body *const *bodies);

void dialect_launch(const dialect_run *run, const char *kernel, int nx, int ny, int nz,
                    const dialect_params *params, trm_buffer *const *buffers, size_t count);

/* A kernel in f32 whose cells or items race, in place on these values with an extent of nx:
 * forwards and backwards on openmp, the first 256 values differ. */
void dialect_expect_race(const trm_program_source *source, const char *kernel, int nx,
                         const float *start, size_t count);

/* ---- memory ---------------------------------------------------------------------------- */

void *dialect_room(const dialect_run *run, size_t count); /* zeros, of type real; free */
trm_buffer *dialect_upload(const dialect_run *run, const void *data, size_t bytes);
/* `bytes` of 0xFF: a NaN in either precision. */
trm_buffer *dialect_poison(const dialect_run *run, size_t bytes);
/* The buffer's first values are these. */
void dialect_expect(const dialect_run *run, trm_buffer *buffer, const void *values, size_t count);

/* Element i of reals, as a double; put rounds it, as rounded does. */
double dialect_get(const dialect_run *run, const void *values, size_t i);
void dialect_put(const dialect_run *run, void *values, size_t i, double value);
double dialect_rounded(const dialect_run *run, double value);

/* A field of reals in rows, its surroundings poisoned; ghost columns filled if values are given. */
typedef struct dialect_field {
  trm_layout layout;
  trm_buffer *buffer;
  int nx, ny, nz;
} dialect_field;
dialect_field dialect_field_make(const dialect_run *run, int nx, int ny, int nz,
                                 const void *values);
/* The same with so many ghost columns on a host. */
dialect_field dialect_field_wide(const dialect_run *run, int nx, int ny, int nz, int ghosts,
                                 const void *values);
/* params->first and row are the field's. */
void dialect_use(dialect_params *params, const dialect_field *field);
/* Its cells are these values, and nothing else but ghost columns was written. */
void dialect_field_expect(const dialect_run *run, const dialect_field *field, const void *values);

#endif
