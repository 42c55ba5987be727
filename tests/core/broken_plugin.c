/* broken_plugin.c - plugins that must be refused, all in one file, trireme_broken.so.
 *
 * tests/core/registry.c links to it under the name of each symbol: trireme_old.so asks for
 * trm_backend_old, and so on. It is built for make check alone. */
#include <stdio.h>

#include "core/backend.h"

TRM_API trm_backend_entry trm_backend_old, trm_backend_short, trm_backend_lacking,
    trm_backend_halved, trm_backend_queueless, trm_backend_unheld, trm_backend_misnamed,
    trm_backend_refuser, trm_backend_mute, trm_backend_silent, trm_backend_hollow,
    trm_backend_driverless;

/* ---- tables ------------------------------------------------------------------ */

/* Of another ABI: nothing behind the number may be looked at, and there is nothing. */
const trm_backend *trm_backend_old(uint32_t abi, const trm_services *services)
{
  static const _Alignas(trm_backend) uint32_t number = TRM_BACKEND_ABI + 41;
  const void *const table = &number;
  (void)abi, (void)services;
  return table;
}

/* Of this ABI's number, but cut behind the size. */
const trm_backend *trm_backend_short(uint32_t abi, const trm_services *services)
{
  static const _Alignas(trm_backend) uint32_t head[2] = { TRM_BACKEND_ABI, sizeof head };
  const void *const table = head;
  (void)abi, (void)services;
  return table;
}

const trm_backend *trm_backend_refuser(uint32_t abi, const trm_services *services)
{
  services->fail(TRM_ERROR_NOT_READY, __FILE__, __LINE__, "I was made for ABI %u, not %u", abi + 1,
                 abi);
  return NULL;
}

const trm_backend *trm_backend_mute(uint32_t abi, const trm_services *services)
{
  (void)abi, (void)services;
  return NULL;
}

/* ---- whole tables with one thing wrong --------------------------------------- */

/* Never called: a refused or an unready plugin is asked for nothing but its probe. */
static trm_status entry(void) { return TRM_ERROR_DEVICE; }

#define ANY(type) ((type)(void (*)(void))entry)

static void leave_nothing(trm_probe *out) { (void)out; }

static void claim_to_be_ready(trm_probe *out) { out->state = TRM_BACKEND_READY; }

static void miss_a_driver(trm_probe *out)
{
  out->state = TRM_BACKEND_NO_DRIVER;
  snprintf(out->reason, sizeof out->reason, "libdriver.so.1: not there");
  snprintf(out->cure, sizeof out->cure, "install the driver");
}

static void fill(trm_backend *table, const char *name, void (*probe)(trm_probe *))
{
  static const trm_backend types;
#define SET(member) table->member = ANY(__typeof__(types.member));
  table->abi = TRM_BACKEND_ABI;
  table->bytes = sizeof *table;
  table->name = name;
  table->summary = "broken, for the tests";
  table->probe = probe;
  SET(describe) SET(open) SET(close) SET(finish)
  SET(buffer_create) SET(buffer_destroy) SET(buffer_write) SET(buffer_read)
  SET(program_build) SET(program_destroy) SET(kernel_get) SET(enqueue)
  SET(event_create) SET(event_destroy) SET(event_record) SET(event_elapsed)
#undef SET
}

#define BROKEN(name, label, probe, harm) \
  const trm_backend *trm_backend_##name(uint32_t abi, const trm_services *services) \
  { \
    static trm_backend table; \
    (void)abi, (void)services; \
    fill(&table, label, probe); \
    harm; \
    return &table; \
  }

BROKEN(lacking, "lacking", miss_a_driver, table.finish = NULL)
BROKEN(halved, "halved", miss_a_driver,
       table.sequence_create = ANY(__typeof__(table.sequence_create)))
BROKEN(queueless, "queueless", miss_a_driver, table.arrive = ANY(__typeof__(table.arrive)))
BROKEN(unheld, "unheld", miss_a_driver,
       table.buffer_reserve = ANY(__typeof__(table.buffer_reserve)))
BROKEN(misnamed, "cuda", miss_a_driver, (void)0)
BROKEN(silent, "silent", leave_nothing, (void)0)
BROKEN(hollow, "hollow", claim_to_be_ready, (void)0)
BROKEN(driverless, "driverless", miss_a_driver, (void)0)
