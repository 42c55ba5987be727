/* program.c - a kernel text, built for one device.
 *
 * Checks the options, picks the host instance, and has strict arithmetic proved by the probe.
 * Writes the defines that go before the text, and takes a binary from the cache or builds one. */
#include "core/domain/parts.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "core/program_text.h"

enum { WARP = 32, MOST_ITEMS = 1024, DEFINES_BYTES = 512 };

/* ---- checks --------------------------------------------------------------- */

static trm_status check_source(const trm_program_source *source)
{
  if (!source) return TRM_FAIL(INVALID, "trm_program_create: source is NULL");
  if (!source->name || !source->file || !source->text || !source->modules || !source->modules[0])
    return TRM_FAIL(INVALID, "trm_program_create: a source has a name, a file, a text and at least "
                             "one host instance; fill in all four");
  return TRM_OK;
}

/* A variant becomes part of a macro's name. */
static int is_word(const char *text)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  return strspn(text, letters) == strlen(text) && strlen(text) < 64;
}

static trm_status check_options(const trm_device *device, const char *name,
                                const trm_program_options *options)
{
  char label[256];
  trmi_device_label(device, label, sizeof label);
  if (options->precision != TRM_F32 && options->precision != TRM_F64)
    return TRM_FAIL(INVALID, "program \"%s\": unknown precision %d; choose TRM_F32 or TRM_F64",
                    name, (int)options->precision);
  if (options->math != TRM_STRICT && options->math != TRM_FAST)
    return TRM_FAIL(INVALID, "program \"%s\": unknown arithmetic %d; choose TRM_STRICT or TRM_FAST",
                    name, (int)options->math);
  if (options->variant && !is_word(options->variant))
    return TRM_FAIL(INVALID,
                    "program \"%s\": variant \"%s\" is not a word of letters, digits and _", name,
                    options->variant);
  if (options->precision == TRM_F64 && !device->info.has_f64)
    return TRM_FAIL(UNSUPPORTED,
                    "program \"%s\": %s has no double precision; use f32 or another device", name,
                    label);
  return TRM_OK;
}

/* A text that says so runs its row kernels in groups of any shape (kernel_gpu.h). */
static int takes_any_shape(const trm_program_source *source)
{
  return strstr(source->text, "#define TRM_ANY_GROUP 1") != NULL;
}

static trm_status check_rows(const trm_program_source *source, const trm_device_info *device,
                             int x, int y)
{
  const char *name = source->name;
  const int is_whole = x % WARP == 0;
  if (x < 1 || x > MOST_ITEMS || (!is_whole && !takes_any_shape(source)))
    return TRM_FAIL(INVALID, "program \"%s\": row group %d x %d: its kernels add %d neighbouring "
                    "cells, so x is a multiple of %d, at most %d; choose such a run.group", name, x,
                    y, WARP, WARP, MOST_ITEMS);
  if (y < 1 || y > MOST_ITEMS / x)
    return TRM_FAIL(INVALID,
                    "program \"%s\": row group %d x %d: y is 1 or more and x times y at most %d",
                    name, x, y, MOST_ITEMS);
  if (!is_whole && device->is_host)
    return TRM_FAIL(UNSUPPORTED, "program \"%s\": row group %d x %d: not testable here: a host has "
                    "no groups; choose a device of opencl or cuda", name, x, y);
  return TRM_OK;
}

static trm_status check_shapes(const trm_program_source *source, const trm_device_info *device,
                               const trm_program_info *info)
{
  const int group = info->group;
  TRM_TRY(check_rows(source, device, info->row_group_x, info->row_group_y));
  if (group < WARP || group % WARP != 0 || group > MOST_ITEMS)
    return TRM_FAIL(INVALID, "program \"%s\": group %d: a group is a multiple of %d, at most %d",
                    source->name, group, WARP, MOST_ITEMS);
  return TRM_OK;
}

/* The shapes as asked, else the device's. Asked-for shapes are checked on every device, so that a
 * mistake is found on any; a host's own are fixed by the dialect and reported as such. */
static trm_status choose_shapes(trm_program *program, const trm_program_source *source,
                                const trm_program_options *options)
{
  static const trm_device_info any = { .row_group_x = WARP, .row_group_y = 1, .group = WARP };
  const trm_device_info *device = &program->device->info;
  const trm_device_info *defaults = device->is_host ? &any : device;
  trm_program_info *info = &program->info;
  info->row_group_x = options->row_group_x ? options->row_group_x : defaults->row_group_x;
  info->row_group_y = options->row_group_y ? options->row_group_y : defaults->row_group_y;
  info->group = options->group ? options->group : defaults->group;
  TRM_TRY(check_shapes(source, device, info));
  if (!device->is_host) return TRM_OK;
  info->row_group_x = device->row_group_x;
  info->row_group_y = device->row_group_y;
  info->group = program->module->group;
  return TRM_OK;
}

/* ---- building ------------------------------------------------------------- */

static void write_defines(const trm_program_info *info, int is_cut, char *text, size_t bytes)
{
  text[0] = 0;
  if (is_cut) trmi_append(text, bytes, "#define TRM_CUT 1\n");
  trmi_append(text, bytes, "#define TRM_F64_KERNEL %d\n", info->precision == TRM_F64);
  trmi_append(text, bytes, "#define TRM_STRICT_KERNEL %d\n", info->math == TRM_STRICT);
  trmi_append(text, bytes, "#define TRM_ROW_GX %d\n", info->row_group_x);
  trmi_append(text, bytes, "#define TRM_ROW_GY %d\n", info->row_group_y);
  trmi_append(text, bytes, "#define TRM_GROUP %d\n", info->group);
  if (*info->variant) trmi_append(text, bytes, "#define TRM_VARIANT_%s 1\n", info->variant);
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Nonzero when core is to keep the program and its key could be made. Without the backend's own
 * line, a binary of another driver could be taken for one of this driver. */
static int make_key(trm_device *device, const trm_build *build, trmi_cache_key *key)
{
  const trm_backend *table = device->table;
  char line[1024] = "";
  if (!device->context->cache || !table->program_binary || !table->program_load) return 0;
  if (table->program_key) {
    trm_error kept;
    trmi_error_keep(&kept);
    const trm_status status = table->program_key(device->handle, build, line, sizeof line);
    if (status != TRM_OK)
      trmi_log(TRM_LOG_WARNING, "program \"%s\" is not cached: %s", build->name,
               trm_error_last()->text);
    trmi_error_restore(&kept);
    if (status != TRM_OK || !*line) return 0;
  }
  trmi_cache_key_make(table->name, build, line, key);
  return 1;
}

/* Nonzero when a cached binary was loaded. One that the backend refuses is deleted. */
static int load_cached(trm_device *device, const trm_build *build, const trmi_cache_key *key,
                       void **handle)
{
  void *bytes = NULL;
  size_t count = 0;
  if (!trmi_cache_read(device->context->cache, key, &bytes, &count)) return 0;
  trm_error kept;
  trmi_error_keep(&kept);
  const trm_status status =
      device->table->program_load(device->handle, build, bytes, count, handle);
  free(bytes);
  if (status == TRM_OK) return 1;
  trmi_log(TRM_LOG_INFO, "program \"%s\": the cached binary was refused and is built anew: %s",
           build->name, trm_error_last()->text);
  trmi_error_restore(&kept);
  trmi_cache_remove(device->context->cache, key);
  return 0;
}

static void store(trm_device *device, const trm_build *build, const trmi_cache_key *key,
                  void *handle)
{
  void *bytes = NULL;
  size_t count = 0;
  trm_error kept;
  trmi_error_keep(&kept);
  if (device->table->program_binary(device->handle, handle, &bytes, &count) == TRM_OK)
    trmi_cache_write(device->context->cache, key, bytes, count);
  else
    trmi_log(TRM_LOG_WARNING, "program \"%s\" is not cached: %s", build->name,
             trm_error_last()->text);
  trmi_error_restore(&kept);
  free(bytes);
}

static trm_status build_program(trm_program *program, const trm_program_source *source)
{
  trm_device *device = program->device;
  trm_program_info *info = &program->info;
  char defines[DEFINES_BYTES];
  write_defines(info, device->domain != NULL, defines, sizeof defines);
  const trm_build build = {
    .name = source->name, .dialect_file = "core/kernel.h", .dialect = trm_text_kernel_header,
    .file = source->file, .text = source->text, .defines = defines,
    .precision = info->precision, .math = info->math, .row_group_x = info->row_group_x,
    .row_group_y = info->row_group_y, .group = info->group, .module = program->module,
  };
  trmi_cache_key key;
  char *log = NULL;
  const double begin = now();
  trmi_log_to(device->context);
  const int cached = make_key(device, &build, &key);
  info->from_cache = cached && load_cached(device, &build, &key, &program->handle);
  if (!info->from_cache) {
    const trm_status status = device->table->program_build(device->handle, &build, &log,
                                                           &program->handle);
    if (log && *log) trmi_log(TRM_LOG_WARNING, "program \"%s\": %s", source->name, log);
    free(log);
    TRM_TRY(status);
    if (cached) store(device, &build, &key, program->handle);
  }
  info->build_seconds = now() - begin;
  return TRM_OK;
}

/* ---- life ----------------------------------------------------------------- */

static trm_status prove_strict(trm_device *device, const trm_program_source *source,
                               const trm_program_options *options)
{
  if (options->math != TRM_STRICT || device->is_strict[options->precision] ||
      source == &trmi_probe_source || source == &trmi_reduce_source)
    return TRM_OK;
  /* no trace: the probe's program and buffers are freed before a hook could read them */
  const trmi_trace_hooks *trace = device->trace;
  device->trace = NULL;
  if (device->domain) device->domain->is_inside++; /* no part waits for another one's probe */
  const trm_status status = trmi_probe_strict(device, options->precision);
  if (device->domain) device->domain->is_inside--;
  device->trace = trace;
  if (status == TRM_OK) device->is_strict[options->precision] = 1;
  return status;
}

static trm_status fill(trm_program *program, const trm_program_source *source,
                       const trm_program_options *options)
{
  const trm_host_module *module = program->module;
  trm_program_info *info = &program->info;
  snprintf(program->name, sizeof program->name, "%s", source->name);
  info->precision = options->precision;
  info->math = options->math;
  info->variant = module->variant;
  info->isa = program->device->info.is_host ? module->isa : "";
  TRM_TRY(choose_shapes(program, source, options));
  program->kernels = calloc((size_t)module->kernel_count, sizeof *program->kernels);
  if (!program->kernels)
    return TRM_FAIL(NO_HOST_MEMORY, "program \"%s\": out of host memory", source->name);
  for (int i = 0; i < module->kernel_count; i++) {
    program->kernels[i].program = program;
    program->kernels[i].declaration = &module->kernels[i];
  }
  TRM_TRY(prove_strict(program->device, source, options));
  return build_program(program, source);
}

static uint64_t hash_text(const char *text)
{
  const uint64_t dialect = XXH3_64bits(trm_text_kernel_header, strlen(trm_text_kernel_header));
  return XXH3_64bits_withSeed(text, strlen(text), dialect);
}

uint64_t trmi_program_text(const trm_program_info *info)
{
  const size_t before = offsetof(trm_program, info);
  return info ? ((const trm_program *)(const void *)((const char *)info - before))->text : 0;
}

trm_status trm_program_create(trm_device *device, const trm_program_source *source,
                              const trm_program_options *options, trm_program **out)
{
  const trm_host_module *module;
  if (!device) return TRM_FAIL(INVALID, "trm_program_create: device is NULL");
  if (!options || !out) return TRM_FAIL(INVALID, "trm_program_create: options or out is NULL");
  TRM_TRY(check_source(source));
  TRM_TRY(trmi_device_idle(device, "trm_program_create"));
  TRM_TRY(check_options(device, source->name, options));
  TRM_TRY(trmi_module_pick(device, source, options, &module));
  trm_program *program = calloc(1, sizeof *program);
  if (!program)
    return TRM_FAIL(NO_HOST_MEMORY, "program \"%s\": out of host memory", source->name);
  program->holders = 1;
  program->device = device;
  trmi_device_retain(device);
  program->module = module;
  program->text = hash_text(source->text);
  trm_status status = fill(program, source, options);
  if (status != TRM_OK) {
    trmi_program_release(program);
    return status;
  }
  *out = program;
  return TRM_OK;
}

const trm_program_info *trm_program_describe(const trm_program *program)
{
  return program ? &program->info : NULL;
}

void trm_program_destroy(trm_program **program)
{
  if (!program || !*program) return;
  trmi_program_release(*program);
  *program = NULL;
}

const char *trmi_program_name(const trm_program *program)
{
  return program ? program->name : "";
}

void trmi_program_retain(trm_program *program)
{
  program->holders++;
}

/* Code goes only when nothing runs it any more. */
void trmi_program_release(trm_program *program)
{
  if (trmi_is_forked() || --program->holders != 0) return;
  trm_device *device = program->device;
  if (program->handle) {
    trm_error kept;
    trmi_error_keep(&kept);
    if (!device->recording) trmi_device_wait(device);
    device->table->program_destroy(device->handle, program->handle);
    trmi_error_restore(&kept);
  }
  free(program->kernels);
  free(program);
  trmi_device_release(device);
}

trm_status trmi_program_share(trm_device *device, const trm_program_source *source,
                              const trm_program_options *options, trmi_shared_program *shared,
                              trm_program **out)
{
  if (shared->program) trmi_program_retain(shared->program);
  else TRM_TRY(trm_program_create(device, source, options, &shared->program));
  shared->users++;
  *out = shared->program;
  return TRM_OK;
}

void trmi_program_unshare(trmi_shared_program *shared, trm_program **program)
{
  if (--shared->users == 0) shared->program = NULL;
  trm_program_destroy(program);
}
