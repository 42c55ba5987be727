/* command_bench.c - `trireme bench`: the ceilings of each device, measured now. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ceiling.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "cli/settings.h"

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

static void print_rate(const char *label, const sample *rate, const char *note)
{
  printf("  %-34s %9.2f GB/s   median %9.2f, spread %4.1f %%%s\n", label, 1e-9 * rate->most,
         1e-9 * rate->median, 100 * sample_spread(rate), note);
}

static void print_latency(const char *label, const sample *seconds)
{
  printf("  %-34s %9.3f us     median %9.3f, spread %4.1f %%\n", label, 1e6 * seconds->least,
         1e6 * seconds->median, 100 * sample_spread(seconds));
}

static void print_ceiling(const trm_device_info *device, const ceiling *measured)
{
  char copy_bytes[32], nine_bytes[32];
  listing_bytes(measured->copy_bytes, copy_bytes, sizeof copy_bytes);
  listing_bytes(measured->nine_bytes, nine_bytes, sizeof nine_bytes);
  printf("%s:%zu %s; %s", device->backend, device->index, device->name, device->driver);
  if (device->threads > 0)
    printf("; %d threads, pinning %s, %s", device->threads, device->pinning, device->isa);
  printf("\n");
  print_rate("copy command", &measured->copy_command, "");
  print_rate("copy kernel", &measured->copy_kernel, "");
  printf("  %-34s %9.2f GB/s   arrays of %s\n", "copy ceiling, the better of the two",
         1e-9 * ceiling_copy(measured), copy_bytes);
  print_rate("nine-stream copy", &measured->nine, "");
  printf("  %-34s %9.3f           lattices of %s\n", "  its part of the copy ceiling",
         measured->nine.most / ceiling_copy(measured), nine_bytes);
  print_latency("launch, plain", &measured->launch_plain);
  print_latency("launch, recorded", &measured->launch_recorded);
}

static trm_status measure_device(trm_context *context, const char *spec, int runs, json_t *array)
{
  trm_device *device = NULL;
  ceiling measured;
  TRM_TRY(listing_device(context, spec, NULL, "--on", &device));
  const trm_status status = ceiling_measure(device, runs, &measured);
  if (status == TRM_OK && array) {
    json_t *one = json_ceiling(&measured, 1);
    json_object_set_new(one, "device", json_device(trm_device_describe(device)));
    json_array_append_new(array, one);
  } else if (status == TRM_OK) {
    print_ceiling(trm_device_describe(device), &measured);
  }
  trm_device_close(&device);
  return status;
}

/* Every device is opened before anything is measured: one that is not ready stops all. */
static trm_status check_devices(trm_context *context, const bench_list *list)
{
  for (size_t i = 0; i < list->count; i++) {
    trm_device *device = NULL;
    TRM_TRY(listing_device(context, list->specs[i], NULL, "--on", &device));
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
  if (status == TRM_OK && document) return json_show(document);
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
