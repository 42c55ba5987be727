/* probe.c - does a device compute what strict arithmetic promises?
 *
 * One launch computes every operation of probe_params.h on 512 triples of operands: random ones,
 * sums that cancel, divisions next to a tie, halves, and subnormals. The bits must be those of
 * exact arithmetic rounded once an operation. Their hashes stand below; tests/core/probe_golden.py
 * computes them from rational numbers, and a test compares. So a device is not measured against
 * this host, which may itself have been set to flush subnormals. */
#include "core/internal.h"
#include "core/modules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t trm_index;
typedef double real; /* the host needs no `real` of the operations, only their names and number */
#include "core/kernels/probe_params.h"

enum { CELLS = 512, OPERANDS = 3, DIVISOR = 7 };

extern const char trm_text_probe[];
TRM_DECLARE_MODULES(probe);
const trm_program_source trmi_probe_source = {
  "probe", "core/kernels/probe.k", trm_text_probe, TRM_MODULES(probe)
};

static const char *const texts[PROBE_OPERATION_COUNT] = {
#define TEXT(name, text, expression) text,
  PROBE_OPERATIONS(TEXT)
#undef TEXT
};

/* By precision and operation. */
static const uint64_t golden[2][PROBE_OPERATION_COUNT] = {
  {
    UINT64_C(0x15c6b71a2b132ec5), UINT64_C(0xbfc9abb908d1d632), UINT64_C(0x0e98bcf9a009aae7),
    UINT64_C(0xeafd12d4bc469213), UINT64_C(0xd79d7cd59ba842df), UINT64_C(0x5022d3a247b54379),
    UINT64_C(0x39684d4c7d38d97d), UINT64_C(0x652bcc68020c5ba3), UINT64_C(0x71ac01a99d1ab2a9),
    UINT64_C(0x17ca871b308cee13), UINT64_C(0x309109144ff196ea), UINT64_C(0xea9f23532a8b4776),
    UINT64_C(0x593640d14d1c3ba5), UINT64_C(0x396f0780c3c9bfa5), UINT64_C(0x12d1aec0e5e380ba),
  },
  {
    UINT64_C(0x353240f9a28aac49), UINT64_C(0x64a22a116a52756f), UINT64_C(0x3dd7f2b0aabeecb7),
    UINT64_C(0xb45af297778be11c), UINT64_C(0x3f998d09eed9fcfe), UINT64_C(0x56f47b49f675bae8),
    UINT64_C(0x5c4bd695fa5a8fed), UINT64_C(0xf4dccde2efc33043), UINT64_C(0xf0ef39f904647c2e),
    UINT64_C(0x1f71fdfb4eb19356), UINT64_C(0x32c6bf407c6a8ed1), UINT64_C(0x843c9463580d09f2),
    UINT64_C(0x5ab1694270babc83), UINT64_C(0xcebfc96acfc077d4), UINT64_C(0xe2830765297cfe01),
  },
};

/* ---- operands -------------------------------------------------------------- */

/* One precision: how its numbers are laid out, and access to them as bits. */
typedef struct format {
  int mantissa, bias;
  size_t bytes;
} format;

static const format formats[2] = { { 23, 127, 4 }, { 52, 1023, 8 } };

static void put_bits(const format *form, void *array, size_t i, uint64_t bits)
{
  const uint32_t word = (uint32_t)bits;
  if (form->bytes == 4) memcpy((char *)array + 4 * i, &word, 4);
  else memcpy((char *)array + 8 * i, &bits, 8);
}

static uint64_t get_bits(const format *form, const void *array, size_t i)
{
  uint32_t word;
  uint64_t bits;
  if (form->bytes == 4) {
    memcpy(&word, (const char *)array + 4 * i, 4);
    return word;
  }
  memcpy(&bits, (const char *)array + 8 * i, 8);
  return bits;
}

static double get_value(const format *form, const void *array, size_t i)
{
  float small;
  double value;
  if (form->bytes == 4) {
    memcpy(&small, (const char *)array + 4 * i, 4);
    return (double)small;
  }
  memcpy(&value, (const char *)array + 8 * i, 8);
  return value;
}

/* splitmix64 */
static uint64_t next_word(uint64_t *state)
{
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Bits of an operand (which: 0 a, 1 b, 2 c), in integers only. */
static uint64_t operand(const format *form, int kind, int which, uint64_t word)
{
  const int m = form->mantissa;
  const uint64_t mask = (UINT64_C(1) << m) - 1;
  const int pick = (int)(word >> 52 & 0x7ff);
  uint64_t mantissa = word & mask;
  int exponent = form->bias + pick % 21 - 10;       /* anything ordinary */
  if (kind == 0) {                                  /* of one size: sums that cancel */
    exponent = form->bias + pick % 3 - 1;
  } else if (kind == 1) {                           /* next to a power of two: hard divisions */
    mantissa = pick & 1 ? mask - (mantissa & 15) : mantissa & 15;
    exponent = form->bias;
  } else if (kind == 2) {                           /* products that underflow by degrees */
    exponent = which < 2 ? (form->bias - pick % 8) / 2 : pick % 4;
  } else if (kind == 3) {                           /* subnormal, beside an ordinary b */
    exponent = which == 1 ? form->bias + pick % 5 - 2 : 0;
  } else if (kind == 4 && which == 0) {             /* halves */
    const uint64_t number = (word & (2 * mask + 1)) >> pick % (m + 1) | 1;
    int top = 0;
    while (number >> (top + 1)) top++;
    mantissa = number << (m - top) & mask;
    exponent = form->bias + top - 1;
  }
  const uint64_t sign = word >> 63 << (form->bytes * 8 - 1);
  return sign | (uint64_t)exponent << m | mantissa;
}

static void fill_operands(const format *form, void *operands)
{
  uint64_t state = 0;
  for (size_t i = 0; i < CELLS; i++)
    for (int which = 0; which < OPERANDS; which++)
      put_bits(form, operands, (size_t)which * CELLS + i,
               operand(form, (int)(i % 6), which, next_word(&state)));
  put_bits(form, operands, 0, 0);                   /* both zeros */
  put_bits(form, operands, 6, UINT64_C(1) << (form->bytes * 8 - 1));
}

/* ---- judging --------------------------------------------------------------- */

static uint64_t hash_of(const format *form, const void *results, size_t operation)
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a, a word at a time */
  for (size_t i = 0; i < CELLS; i++)
    hash = (hash ^ get_bits(form, results, operation * CELLS + i)) * UINT64_C(0x100000001b3);
  return hash;
}

static int is_subnormal(const format *form, uint64_t bits)
{
  const uint64_t magnitude = bits & ~(UINT64_C(1) << (form->bytes * 8 - 1));
  return magnitude != 0 && magnitude >> form->mantissa == 0;
}

/* The results of this host, by the instance that it runs; NULL when its own bits are wrong, too. */
static const void *host_results(const format *form, trm_precision precision, const void *operands,
                                void *results, size_t operation)
{
  const trm_extent extent = { CELLS, 1, 1, 0 };
  const probe_params params = { DIVISOR, 0 };
  const char *isa;
  if (trmi_isa_best(&isa) != TRM_OK) return NULL;
  for (const trm_host_module *const *m = TRM_MODULES(probe); *m; m++) {
    if ((*m)->precision != precision || (*m)->math != TRM_STRICT) continue;
    if (strcmp((*m)->isa, isa) != 0) continue;
    void *inputs = malloc(OPERANDS * CELLS * form->bytes);
    if (!inputs) return NULL;
    memcpy(inputs, operands, OPERANDS * CELLS * form->bytes);
    void *const buffers[] = { inputs, results };
    (*m)->kernels[0].run(&extent, 0, 1, &params, buffers);
    free(inputs);
    return hash_of(form, results, operation) == golden[precision][operation] ? results : NULL;
  }
  return NULL;
}

/* Names the operation and, where this host can tell, the first triple that goes wrong. */
static trm_status refuse(const trm_device *device, trm_precision precision, size_t operation,
                         const void *operands, const void *results)
{
  static const char cure[] = "use --math=fast there, or another device or driver";
  const format *form = &formats[precision];
  const char *name = trm_precision_name(precision);
  char label[256];
  trmi_device_label(device, label, sizeof label);
  void *room = malloc(PROBE_OPERATION_COUNT * CELLS * form->bytes);
  const void *right = room ? host_results(form, precision, operands, room, operation) : NULL;
  size_t i = 0, at = operation * CELLS;
  while (right && i < CELLS && get_bits(form, right, at + i) == get_bits(form, results, at + i))
    i++;
  trm_status status;
  if (right && i < CELLS) {
    const int small = is_subnormal(form, get_bits(form, operands, i)) ||
                      is_subnormal(form, get_bits(form, operands, CELLS + i)) ||
                      is_subnormal(form, get_bits(form, right, at + i));
    status = TRM_FAIL(UNSUPPORTED,
                      "%s is refused for strict arithmetic: %s in %s%s gives %a instead of %a for "
                      "a = %a, b = %a, c = %a; %s",
                      label, texts[operation], name, small ? ", with subnormal numbers," : "",
                      get_value(form, results, at + i), get_value(form, right, at + i),
                      get_value(form, operands, i), get_value(form, operands, CELLS + i),
                      get_value(form, operands, 2 * CELLS + i), cure);
  } else {
    status = TRM_FAIL(UNSUPPORTED, "%s is refused for strict arithmetic: %s in %s differs from "
                                   "IEEE 754; %s", label, texts[operation], name, cure);
  }
  free(room);
  return status;
}

/* ---- running --------------------------------------------------------------- */

static trm_status compute(trm_device *device, trm_precision precision, const void *operands,
                          size_t operand_bytes, void *results, size_t result_bytes)
{
  const trm_program_options options = { .precision = precision, .math = TRM_STRICT };
  const trm_extent extent = { CELLS, 1, 1, 0 };
  const probe_params params = { DIVISOR, 0 };
  trm_program *program = NULL;
  trm_kernel *kernel;
  trm_buffer *buffers[2] = { NULL, NULL };
  trm_status status = trm_program_create(device, &trmi_probe_source, &options, &program);
  if (status == TRM_OK) status = trm_program_kernel(program, "probe_arithmetic", &kernel);
  if (status == TRM_OK)
    status = trm_buffer_create(device, operand_bytes, "operands of the strict probe", &buffers[0]);
  if (status == TRM_OK)
    status = trm_buffer_create(device, result_bytes, "results of the strict probe", &buffers[1]);
  if (status == TRM_OK) status = trm_buffer_write(buffers[0], 0, operand_bytes, operands);
  if (status == TRM_OK)
    status = trm_kernel_launch(kernel, &extent, &params, sizeof params, buffers, 2);
  if (status == TRM_OK) status = trm_buffer_read(buffers[1], 0, result_bytes, results);
  trm_buffer_destroy(&buffers[1]);
  trm_buffer_destroy(&buffers[0]);
  trm_program_destroy(&program);
  return status;
}

trm_status trmi_probe_strict(trm_device *device, trm_precision precision)
{
  const format *form = &formats[precision];
  const size_t operand_bytes = OPERANDS * CELLS * form->bytes;
  const size_t result_bytes = PROBE_OPERATION_COUNT * CELLS * form->bytes;
  void *operands = malloc(operand_bytes), *results = malloc(result_bytes);
  trm_status status = TRM_OK;
  if (!operands || !results) {
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the strict probe");
  } else {
    fill_operands(form, operands);
    status = compute(device, precision, operands, operand_bytes, results, result_bytes);
  }
  for (size_t k = 0; k < PROBE_OPERATION_COUNT && status == TRM_OK; k++)
    if (hash_of(form, results, k) != golden[precision][k])
      status = refuse(device, precision, k, operands, results);
  free(results);
  free(operands);
  return status;
}
