/* openmp_table.h - the OpenMP plugin's table as its own tests call it, without libtrireme's device
 * in between; errors are recorded by libtrireme. */
#ifndef TRIREME_TESTS_OPENMP_TABLE_H
#define TRIREME_TESTS_OPENMP_TABLE_H

#include <string.h>

#include "backend-openmp/openmp.h"
#include "tests/harness.h"

trm_backend_entry trm_backend_openmp;

static inline void log_nothing(trm_log_level level, const char *format, ...)
{
  (void)level;
  (void)format;
}

static inline const trm_backend *table(void)
{
  static trm_services services = {TRM_BACKEND_ABI, sizeof services, trm_error_record,
                                  log_nothing, NULL, 0, NULL};
  return trm_backend_openmp(TRM_BACKEND_ABI, &services);
}

static inline void *open_team(int threads, int wavefront)
{
  const trm_device_options options = {.threads = threads, .wavefront = wavefront};
  trm_device_info info;
  void *device = NULL;
  memset(&info, 0, sizeof info);
  TEST_OK(table()->open(0, &options, &info, &device));
  assert_int_equal(info.threads, threads);
  return device;
}

#endif
