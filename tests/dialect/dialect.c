/* dialect.c - programs, settings and fields of the dialect's tests. */
#include "tests/dialect/dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules.h"

/* ---- programs ---------------------------------------------------------------------------- */

TRM_DECLARE_MODULES(dialect);
TRM_DECLARE_MODULES(dialect_groups);
TRM_DECLARE_MODULES(dialect_large);
TRM_DECLARE_MODULES(dialect_tools);
extern const char trm_text_dialect[], trm_text_dialect_groups[], trm_text_dialect_large[];
extern const char trm_text_dialect_tools[];


const trm_program_source dialect_source = { "dialect", "tests/dialect/dialect.k", trm_text_dialect,
                                            TRM_MODULES(dialect) };
const trm_program_source dialect_groups_source = {
  "dialect_groups", "tests/dialect/dialect_groups.k", trm_text_dialect_groups,
  TRM_MODULES(dialect_groups) };
const trm_program_source dialect_large_source = { "dialect_large", "tests/dialect/dialect_large.k",
                                                  trm_text_dialect_large,
                                                  TRM_MODULES(dialect_large) };
const trm_program_source dialect_tools_source = { "dialect_tools", "tests/dialect/dialect_tools.k",
                                                  trm_text_dialect_tools,
                                                  TRM_MODULES(dialect_tools) };

/* ---- settings ---------------------------------------------------------------------------- */

typedef struct setting {
  const char *isa; /* NULL: a GPU's */
  int gx, gy, group;
} setting;

static const setting host_settings[] = {
  { "baseline", 0, 0, 0 }, { "x86-64-v3", 0, 0, 0 }, { "x86-64-v4", 0, 0, 0 },
  { "reverse", 0, 0, 0 },
};
static const setting gpu_settings[] = {
  { NULL, 64, 1, 64 }, { NULL, 128, 2, 128 }, { NULL, 256, 1, 256 },
};

static trm_status open_run(trm_device *device, const trm_program_source *source,
                           const trm_program_options *options, dialect_run *run)
{
  memset(run, 0, sizeof *run);
  run->device = device;
  run->type = trm_real_type(options->precision);
  run->size = trm_type_size(run->type);
  run->want = &dialect_values_of[options->precision];
  TRM_TRY(trm_program_create(device, source, options, &run->program));
  run->info = trm_program_describe(run->program);
  return TRM_OK;
}

void dialect_run_open(trm_device *device, const trm_program_source *source,
                      const trm_program_options *options, dialect_run *run)
{
  TEST_OK(open_run(device, source, options, run));
}

void dialect_run_close(dialect_run *run)
{
  trm_program_destroy(&run->program);
}

/* Nonzero when the setting could be run here. */
static int run_setting(trm_device *device, const trm_program_source *source, const char *variant,
                       const setting *chosen, trm_precision precision, dialect_body *body)
{
  const trm_program_options options = { .precision = precision, .math = TRM_STRICT,
                                        .variant = variant, .row_group_x = chosen->gx,
                                        .row_group_y = chosen->gy, .group = chosen->group };
  dialect_run run;
  print_message("%s, %s %s %d x %d, %d\n", source->name, trm_precision_name(precision),
                chosen->isa ? chosen->isa : "", chosen->gx, chosen->gy, chosen->group);
  if (chosen->isa) setenv("TRIREME_ISA", chosen->isa, 1);
  const trm_status status = open_run(device, source, &options, &run);
  unsetenv("TRIREME_ISA");
  if (status == TRM_ERROR_UNSUPPORTED && chosen->isa) return 0; /* not for this processor */
  test_ok(status, "trm_program_create", __FILE__, __LINE__);
  if (chosen->isa) assert_string_equal(run.info->isa, chosen->isa);
  else assert_int_equal(run.info->group, chosen->group);
  body(&run);
  dialect_run_close(&run);
  return 1;
}

void dialect_each(trm_device *device, const trm_program_source *source, const char *variant,
                  dialect_body *body)
{
  const trm_device_info *about = trm_device_describe(device);
  const setting *settings = about->is_host ? host_settings : gpu_settings;
  const size_t count = about->is_host ? sizeof host_settings / sizeof *host_settings
                                      : sizeof gpu_settings / sizeof *gpu_settings;
  int ran = 0;
  for (size_t i = 0; i < count; i++)
    for (int f64 = 0; f64 <= about->has_f64; f64++)
      if (test_takes(device, i, f64 ? TRM_F64 : TRM_F32))
        ran += run_setting(device, source, variant, &settings[i], f64 ? TRM_F64 : TRM_F32,
                           body);
  assert_true(ran >= 1 + about->has_f64);
}

void dialect_launch(const dialect_run *run, const char *kernel, int nx, int ny, int nz,
                    const dialect_params *params, trm_buffer *const *buffers, size_t count)
{
  const trm_extent extent = { nx, ny, nz, 0 };
  unsigned char bytes[TRM_MAX_PARAM_BYTES];
  const size_t size = run->want->params(params, bytes);
  trm_kernel *found = NULL;
  TEST_OK(trm_program_kernel(run->program, kernel, &found));
  TEST_OK(trm_kernel_launch(found, &extent, bytes, size, buffers, count));
}

/* ---- on openmp ---------------------------------------------------------------- */

void dialect_each_checked(const trm_program_source *source, dialect_body *const *bodies)
{
  const trm_device_options options = { .threads = 3 };
  setenv("TRIREME_DEBUG_BUFFERS", "1", 1);
  trm_device *device = test_open("openmp", &options);
  unsetenv("TRIREME_DEBUG_BUFFERS");
  for (; *bodies; bodies++) dialect_each(device, source, NULL, *bodies);
  TEST_OK(trm_device_finish(device));
  trm_device_close(&device);
}

enum { RACING = 256 };

static void race(trm_device *device, const char *isa, const trm_program_source *source,
                 const char *kernel, int nx, const float *start, size_t count,
                 float values[RACING])
{
  const trm_program_options options = { .precision = TRM_F32, .math = TRM_STRICT };
  const dialect_params params = { .a = 0.0 };
  dialect_run run;
  if (isa) setenv("TRIREME_ISA", isa, 1);
  dialect_run_open(device, source, &options, &run);
  unsetenv("TRIREME_ISA");
  trm_buffer *buffer = dialect_upload(&run, start, count * sizeof *start);
  dialect_launch(&run, kernel, nx, 1, 1, &params, &buffer, 1);
  TEST_OK(trm_buffer_read(buffer, 0, RACING * sizeof *values, values));
  trm_buffer_destroy(&buffer);
  dialect_run_close(&run);
}

void dialect_expect_race(const trm_program_source *source, const char *kernel, int nx,
                         const float *start, size_t count)
{
  const trm_device_options options = { .threads = 1 }; /* the thread sanitizer would find it too */
  float forwards[RACING], backwards[RACING];
  trm_device *device = test_open("openmp", &options);
  if (!test_has_isa("reverse")) {
    trm_device_close(&device);
    TEST_SKIP("this build has no reverse instances (configure --with-isa=native,reverse)");
  }
  race(device, NULL, source, kernel, nx, start, count, forwards);
  race(device, "reverse", source, kernel, nx, start, count, backwards);
  assert_memory_not_equal(forwards, backwards, sizeof forwards);
  trm_device_close(&device);
}

/* ---- memory ------------------------------------------------------------------------------ */

void *dialect_room(const dialect_run *run, size_t count)
{
  void *made = calloc(count, run->size);
  assert_non_null(made);
  return made;
}

trm_buffer *dialect_upload(const dialect_run *run, const void *data, size_t bytes)
{
  trm_buffer *made = NULL;
  TEST_OK(trm_buffer_create(run->device, bytes, "values", &made));
  TEST_OK(trm_buffer_write(made, 0, bytes, data));
  return made;
}

trm_buffer *dialect_poison(const dialect_run *run, size_t bytes)
{
  void *data = malloc(bytes);
  assert_non_null(data);
  memset(data, 0xFF, bytes);
  trm_buffer *made = dialect_upload(run, data, bytes);
  free(data);
  return made;
}

double dialect_get(const dialect_run *run, const void *values, size_t i)
{
  return run->type == TRM_TYPE_F32 ? ((const float *)values)[i] : ((const double *)values)[i];
}

void dialect_put(const dialect_run *run, void *values, size_t i, double value)
{
  if (run->type == TRM_TYPE_F32) ((float *)values)[i] = (float)value;
  else ((double *)values)[i] = value;
}

double dialect_rounded(const dialect_run *run, double value)
{
  return run->type == TRM_TYPE_F32 ? (double)(float)value : value;
}

void dialect_expect(const dialect_run *run, trm_buffer *buffer, const void *values, size_t count)
{
  void *found = dialect_room(run, count);
  TEST_OK(trm_buffer_read(buffer, 0, count * run->size, found));
  TEST_SAME_BITS(found, values, count, run->type);
  free(found);
}

static size_t row_begin(const dialect_field *field, int row)
{
  return field->layout.first + (size_t)row * field->layout.row;
}

/* Puts rows of values (NULL: zeros) between poison; ghost columns too. */
static unsigned char *lay_out(const dialect_run *run, const dialect_field *field,
                              const void *values)
{
  const size_t bytes = field->layout.elements * run->size, nx = (size_t)field->nx * run->size;
  unsigned char *all = malloc(bytes);
  assert_non_null(all);
  memset(all, 0xFF, bytes);
  for (int row = 0; values && row < field->ny * field->nz; row++) {
    unsigned char *to = all + row_begin(field, row) * run->size;
    const unsigned char *from = (const unsigned char *)values + (size_t)row * nx;
    memcpy(to, from, nx);
    for (size_t ghost = 0; ghost < field->layout.ghosts; ghost++) { /* also of a shorter row */
      unsigned char *west = to - (ghost + 1) * run->size, *east = to + nx + ghost * run->size;
      memcpy(west, west + nx, run->size);
      memcpy(east, east - nx, run->size);
    }
  }
  return all;
}

dialect_field dialect_field_make(const dialect_run *run, int nx, int ny, int nz,
                                 const void *values)
{
  return dialect_field_wide(run, nx, ny, nz, trm_device_describe(run->device)->ghost_columns,
                            values);
}

dialect_field dialect_field_wide(const dialect_run *run, int nx, int ny, int nz, int ghosts,
                                 const void *values)
{
  dialect_field made = { .nx = nx, .ny = ny, .nz = nz };
  TEST_OK(trm_layout_ghosts(run->device, run->type, (size_t)nx, (size_t)ny, (size_t)nz, 1,
                            (size_t)ghosts, &made.layout));
  unsigned char *all = lay_out(run, &made, values);
  made.buffer = dialect_upload(run, all, made.layout.elements * run->size);
  free(all);
  return made;
}

void dialect_use(dialect_params *params, const dialect_field *field)
{
  params->first = (trm_index)field->layout.first;
  params->row = (trm_index)field->layout.row;
}

void dialect_field_expect(const dialect_run *run, const dialect_field *field, const void *values)
{
  const size_t count = field->layout.elements, size = run->size;
  const size_t ghosts = field->layout.ghosts * size;
  unsigned char *right = lay_out(run, field, values), *found = malloc(count * size);
  assert_non_null(found);
  TEST_OK(trm_buffer_read(field->buffer, 0, count * size, found));
  for (int row = 0; ghosts && row < field->ny * field->nz; row++) { /* a kernel may fill them */
    const size_t begin = row_begin(field, row) * size, end = begin + (size_t)field->nx * size;
    memcpy(right + begin - ghosts, found + begin - ghosts, ghosts);
    memcpy(right + end, found + end, ghosts);
  }
  TEST_SAME_BITS(found, right, count, run->type);
  free(right);
  free(found);
}
