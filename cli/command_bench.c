/* command_bench.c - `trireme bench`: the roofs of each device, measured now. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "run/measure/roofs.h"
#include "cli/message.h"
#include "run/json_parts.h"
#include "run/settings.h"
#include "run/text/json.h"

enum { DEFAULT_RUNS = 5, DEVICE_LIMIT = 32, SPEC_BYTES = 128 };

typedef struct bench_list {
  char specs[DEVICE_LIMIT][SPEC_BYTES];
  size_t count;
} bench_list;

static trm_status add(bench_list *list, const char *spec)
{
  if (list->count == DEVICE_LIMIT)
    return TRM_FAIL(INPUT, "more than %d devices; name fewer with --on=LIST", DEVICE_LIMIT);
  snprintf(list->specs[list->count++], SPEC_BYTES, "%s", spec);
  return TRM_OK;
}

static trm_status find_devices(trm_context *context, const char *on, bench_list *list)
{
  char word[SPEC_BYTES];
  if (on) {
    while ((on = list_next(on, word, sizeof word))) TRM_TRY(add(list, word));
    return TRM_OK;
  }
  const trm_device_info *devices = NULL;
  size_t count = 0;
  TRM_TRY(trm_device_list(context, &devices, &count));
  for (size_t i = 0; i < count; i++) {
    snprintf(word, sizeof word, "%s:%zu", devices[i].backend, devices[i].index);
    TRM_TRY(add(list, word));
  }
  return count ? TRM_OK : TRM_FAIL(NOT_READY, "no backend is ready; 'trireme backends' says why");
}

/* Rates in `unit`, of which a second has `scale`. */
static void print_rate(const char *label, const sample *rate, double scale, const char *unit)
{
  printf("  %-34s %9.2f %-8s median %9.2f, spread %4.1f %%\n", label, rate->most / scale, unit,
         rate->median / scale, 100 * sample_spread(rate));
}

static void print_latency(const char *label, const sample *seconds)
{
  printf("  %-34s %9.3f us       median %9.3f, spread %4.1f %%\n", label, 1e6 * seconds->least,
         1e6 * seconds->median, 100 * sample_spread(seconds));
}

static void print_device(const trm_device_info *device)
{
  printf("%s:%zu %s; %s", device->backend, device->index, device->name, device->driver);
  if (device->threads > 0)
    printf("; %d threads, pinning %s, %s", device->threads, device->pinning, device->isa);
  printf("\n");
}

static void print_roofs(const device_roofs *measured)
{
  char copy_bytes[32], nine_bytes[32];
  listing_bytes(measured->copy_bytes, copy_bytes, sizeof copy_bytes);
  listing_bytes(measured->nine_bytes, nine_bytes, sizeof nine_bytes);
  print_rate("copy command", &measured->copy_command, 1e9, "GB/s");
  print_rate("copy kernel", &measured->copy_kernel, 1e9, "GB/s");
  printf("  %-34s %9.2f GB/s     arrays of %s\n", "copy roof, the better of the two",
         1e-9 * roof_copy(measured), copy_bytes);
  print_rate("triad, a = b + s c", &measured->triad, 1e9, "GB/s");
  print_rate("read, a sum", &measured->read, 1e9, "GB/s");
  print_rate("nine-stream copy", &measured->nine, 1e9, "GB/s");
  printf("  %-34s %9.3f          lattices of %s\n", "  its part of the copy roof",
         measured->nine.most / roof_copy(measured), nine_bytes);
  for (int i = 0; i < ROOF_SETS; i++) {
    char label[40];
    snprintf(label, sizeof label, "copy within %d MiB", 1 << 2 * i);
    if (measured->within[i].count > 0) print_rate(label, &measured->within[i], 1e9, "GB/s");
  }
  print_rate("fused multiply-adds, f32", &measured->fma_f32, 1e9, "GFLOP/s");
  if (measured->fma_f64.count > 0)
    print_rate("fused multiply-adds, f64", &measured->fma_f64, 1e9, "GFLOP/s");
  else printf("  %-34s not available: the device has no f64\n", "fused multiply-adds, f64");
  print_latency("launch, plain", &measured->launch_plain);
  print_latency("launch, recorded", &measured->launch_recorded);
  print_rate("transfer to the device", &measured->to_device, 1e9, "GB/s");
  print_rate("transfer from the device", &measured->from_device, 1e9, "GB/s");
  print_latency("transfer of four bytes", &measured->transfer);
}

/* For later runs; a bench whose figures cannot be kept is a bench all the same. */
static void keep(const trm_context *context, const trm_device *device, const device_roofs *measured)
{
  char *path = NULL;
  if (roofs_store(context, device, measured, &path) == TRM_OK)
    message_note("kept for 'trireme run --profile': %s", path);
  else message_warning("the figures are not kept: %s", trm_error_last()->text);
  free(path);
}

static trm_status measure_device(trm_context *context, const char *spec, int runs, json_t *array)
{
  trm_device *device = NULL;
  device_roofs measured;
  TRM_TRY(device_open(context, spec, NULL, "--on", &device));
  const trm_status status = roof_measure(device, ROOF_ALL, runs, &measured);
  if (status == TRM_OK && array) {
    json_t *one = json_roofs_of(&measured, 1);
    json_object_set_new(one, "device", json_device(trm_device_describe(device)));
    json_array_append_new(array, one);
  } else if (status == TRM_OK) {
    print_device(trm_device_describe(device));
    print_roofs(&measured);
  }
  if (status == TRM_OK) keep(context, device, &measured);
  trm_device_close(&device);
  return status;
}

/* Every device is opened before anything is measured: one that is not ready stops all. */
static trm_status check_devices(trm_context *context, const bench_list *list)
{
  for (size_t i = 0; i < list->count; i++) {
    trm_device *device = NULL;
    TRM_TRY(device_open(context, list->specs[i], NULL, "--on", &device));
    trm_device_close(&device);
  }
  return TRM_OK;
}

static trm_status measure_all(trm_context *context, const arguments *args, const bench_list *list)
{
  const int runs = args->runs ? args->runs : DEFAULT_RUNS;
  json_t *document = args->json ? json_document("bench") : NULL, *array = NULL;
  if (document) {
    array = json_array();
    json_object_set_new(document, "devices", array);
  }
  trm_status status = TRM_OK;
  for (size_t i = 0; i < list->count && status == TRM_OK; i++)
    status = measure_device(context, list->specs[i], runs, array);
  if (status == TRM_OK && document) return listing_show(document);
  json_decref(document);
  if (status == TRM_OK)
    printf("Best of %d repetitions; each byte read and each byte written counts; spread is (most - "
           "least) / median.\n", runs);
  return status;
}

exit_code command_bench(const arguments *args)
{
  bench_list *list = calloc(1, sizeof *list);
  trm_context *context = NULL;
  trm_status status = list ? listing_begin(args, 0, "bench", &context)
                           : TRM_FAIL(NO_HOST_MEMORY, "no memory for the list of devices");
  if (status == TRM_OK) status = find_devices(context, args->on, list);
  if (status == TRM_OK) status = listing_start_drivers(context);
  if (status == TRM_OK) status = check_devices(context, list);
  if (status == TRM_OK) status = measure_all(context, args, list);
  const exit_code code = message_failure(status);
  trm_context_destroy(&context);
  free(list);
  return code;
}
