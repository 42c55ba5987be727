/* abi.c - the layout of everything that crosses the border to a plugin, as of TRM_BACKEND_ABI 18.
 *
 * A difference means that plugins built before are read wrongly: give TRM_BACKEND_ABI (or
 * TRM_HOST_MODULE_ABI) a new number, then record the new layout here. The numbers are those of
 * 64-bit machines; elsewhere the test is skipped. */
#include "tests/core/layout.h"

#include <stdio.h>
#include <string.h>

#include "core/backend.h"

static const layout_row layout[] = {
  SIZE(trm_services, 48),
    AT(trm_services, abi, 0), AT(trm_services, bytes, 4), AT(trm_services, fail, 8),
    AT(trm_services, log, 16), AT(trm_services, part, 24), AT(trm_services, in_probe_process, 32),
    AT(trm_services, copy, 40),
  SIZE(trm_probe, 1168),
    AT(trm_probe, state, 0), AT(trm_probe, reason, 4), AT(trm_probe, cure, 516),
    AT(trm_probe, version, 1028), AT(trm_probe, device_count, 1160),
  SIZE(trm_build, 80),
    AT(trm_build, name, 0), AT(trm_build, dialect_file, 8), AT(trm_build, dialect, 16),
    AT(trm_build, file, 24), AT(trm_build, text, 32), AT(trm_build, defines, 40),
    AT(trm_build, precision, 48), AT(trm_build, math, 52), AT(trm_build, row_group_x, 56),
    AT(trm_build, row_group_y, 60), AT(trm_build, group, 64), AT(trm_build, module, 72),
  SIZE(trm_command, 464),
    AT(trm_command, kind, 0), AT(trm_command, kernel, 8), AT(trm_command, declaration, 16),
    AT(trm_command, extent, 24), AT(trm_command, param_bytes, 40),
    AT(trm_command, buffer_count, 44), AT(trm_command, params, 48), AT(trm_command, buffers, 304),
    AT(trm_command, offset, 400), AT(trm_command, source_offset, 408),
    AT(trm_command, bytes, 416), AT(trm_command, pattern, 424),
    AT(trm_command, pattern_bytes, 432), AT(trm_command, first_row, 440),
    AT(trm_command, rows, 448), AT(trm_command, sharing, 456),
  SIZE(trm_kernel_resources, 224),
    AT(trm_kernel_resources, group_items, 0), AT(trm_kernel_resources, registers, 4),
    AT(trm_kernel_resources, local_bytes, 8), AT(trm_kernel_resources, shared_bytes, 12),
    AT(trm_kernel_resources, resident_groups, 16), AT(trm_kernel_resources, occupancy, 24),
    AT(trm_kernel_resources, reason, 32),
  SIZE(trm_backend, 336),
    AT(trm_backend, abi, 0), AT(trm_backend, bytes, 4), AT(trm_backend, name, 8),
    AT(trm_backend, summary, 16), AT(trm_backend, probe, 24), AT(trm_backend, describe, 32),
    AT(trm_backend, open, 40), AT(trm_backend, close, 48), AT(trm_backend, finish, 56),
    AT(trm_backend, free_memory, 64), AT(trm_backend, buffer_create, 72),
    AT(trm_backend, buffer_destroy, 80), AT(trm_backend, buffer_write, 88),
    AT(trm_backend, buffer_read, 96), AT(trm_backend, program_build, 104),
    AT(trm_backend, program_binary, 112), AT(trm_backend, program_load, 120),
    AT(trm_backend, program_destroy, 128), AT(trm_backend, program_key, 136),
    AT(trm_backend, kernel_get, 144), AT(trm_backend, enqueue, 152),
    AT(trm_backend, event_create, 160), AT(trm_backend, event_destroy, 168),
    AT(trm_backend, event_record, 176), AT(trm_backend, event_elapsed, 184),
    AT(trm_backend, sequence_create, 192), AT(trm_backend, sequence_replay, 200),
    AT(trm_backend, sequence_destroy, 208), AT(trm_backend, kernel_resources, 216),
    AT(trm_backend, sequence_fused, 224), AT(trm_backend, queue_wait, 232),
    AT(trm_backend, queue_record, 240), AT(trm_backend, arrive, 248),
    AT(trm_backend, queue_use, 256), AT(trm_backend, queue_mark, 264),
    AT(trm_backend, peer_access, 272), AT(trm_backend, queue_mark_shared, 280),
    AT(trm_backend, share, 288), AT(trm_backend, adopt, 296), AT(trm_backend, shared_by, 304),
    AT(trm_backend, buffer_reserve, 312), AT(trm_backend, buffer_hold, 320),
    AT(trm_backend, buffer_drop, 328),
  SIZE(trm_backend_info, 64),
    AT(trm_backend_info, name, 0), AT(trm_backend_info, path, 8),
    AT(trm_backend_info, summary, 16), AT(trm_backend_info, version, 24),
    AT(trm_backend_info, state, 32), AT(trm_backend_info, reason, 40),
    AT(trm_backend_info, cure, 48), AT(trm_backend_info, device_count, 56),
  SIZE(trm_device_info, 896),
    AT(trm_device_info, backend, 0), AT(trm_device_info, index, 32),
    AT(trm_device_info, name, 40), AT(trm_device_info, vendor, 168),
    AT(trm_device_info, driver, 296), AT(trm_device_info, compiler, 424),
    AT(trm_device_info, memory_bytes, 552), AT(trm_device_info, max_buffer_bytes, 560),
    AT(trm_device_info, has_f64, 568), AT(trm_device_info, is_host, 572),
    AT(trm_device_info, compute_units, 576), AT(trm_device_info, threads, 580),
    AT(trm_device_info, pinning, 584), AT(trm_device_info, isa, 616),
    AT(trm_device_info, row_group_x, 648), AT(trm_device_info, row_group_y, 652),
    AT(trm_device_info, group, 656), AT(trm_device_info, row_align_bytes, 660),
    AT(trm_device_info, ghost_columns, 664), AT(trm_device_info, pci, 668),
    AT(trm_device_info, fused, 700), AT(trm_device_info, whole, 796),
  SIZE(trm_device_options, 48),
    AT(trm_device_options, threads, 0), AT(trm_device_options, wavefront, 4),
    AT(trm_device_options, steps_per_launch, 8), AT(trm_device_options, plain_replay, 12),
    AT(trm_device_options, shape_columns, 16), AT(trm_device_options, shape_rows, 20),
    AT(trm_device_options, shape_is_tile, 24), AT(trm_device_options, plain_host, 28),
    AT(trm_device_options, residency, 32), AT(trm_device_options, no_overlap, 40),
    AT(trm_device_options, read_only_loads, 44),
  SIZE(trm_extent, 16),
    AT(trm_extent, nx, 0), AT(trm_extent, ny, 4), AT(trm_extent, nz, 8),
    AT(trm_extent, unused, 12),
  SIZE(trm_host_kernel, 64),
    AT(trm_host_kernel, name, 0), AT(trm_host_kernel, kind, 8), AT(trm_host_kernel, halo, 12),
    AT(trm_host_kernel, buffer_count, 16), AT(trm_host_kernel, param_bytes, 20),
    AT(trm_host_kernel, shared_bytes, 24), AT(trm_host_kernel, access, 32),
    AT(trm_host_kernel, run, 40), AT(trm_host_kernel, steps, 48),
    AT(trm_host_kernel, overlap, 56),
  SIZE(trm_stepping, 36),
    AT(trm_stepping, from, 0), AT(trm_stepping, to, 4), AT(trm_stepping, components, 8),
    AT(trm_stepping, index_bytes, 12), AT(trm_stepping, first, 16), AT(trm_stepping, row, 20),
    AT(trm_stepping, component, 24), AT(trm_stepping, is_scratch, 28), AT(trm_stepping, edges, 32),
  SIZE(trm_host_module, 56),
    AT(trm_host_module, abi, 0), AT(trm_host_module, program, 8), AT(trm_host_module, isa, 16),
    AT(trm_host_module, variant, 24), AT(trm_host_module, precision, 32),
    AT(trm_host_module, math, 36), AT(trm_host_module, group, 40),
    AT(trm_host_module, kernel_count, 44), AT(trm_host_module, kernels, 48),
};

/* Numbers that plugins carry in their code. */
static const struct { const char *what; int found, recorded; } numbers[] = {
#define NUMBER(name, value) { #name, (int)name, value }
  NUMBER(TRM_ERROR_OK, 0), NUMBER(TRM_ERROR_INVALID, 1), NUMBER(TRM_ERROR_OVERFLOW, 2),
  NUMBER(TRM_ERROR_NO_HOST_MEMORY, 3), NUMBER(TRM_ERROR_NO_DEVICE_MEMORY, 4),
  NUMBER(TRM_ERROR_NOT_FOUND, 5), NUMBER(TRM_ERROR_NOT_READY, 6), NUMBER(TRM_ERROR_UNSUPPORTED, 7),
  NUMBER(TRM_ERROR_BUILD, 8), NUMBER(TRM_ERROR_DEVICE, 9), NUMBER(TRM_ERROR_INPUT, 10),
  NUMBER(TRM_ERROR_IO, 11), NUMBER(TRM_ERROR_DIVERGED, 12), NUMBER(TRM_ERROR_INTERRUPTED, 13),
  NUMBER(TRM_BACKEND_READY, 0), NUMBER(TRM_BACKEND_NO_DRIVER, 1), NUMBER(TRM_BACKEND_NO_DEVICE, 2),
  NUMBER(TRM_BACKEND_DRIVER_TOO_OLD, 3), NUMBER(TRM_BACKEND_MISSING_LIBRARY, 4),
  NUMBER(TRM_BACKEND_ABI_MISMATCH, 5), NUMBER(TRM_BACKEND_CANNOT_LOAD, 6),
  NUMBER(TRM_BACKEND_NOT_FOUND, 7), NUMBER(TRM_BACKEND_BROKEN, 8),
  NUMBER(TRM_LOG_WARNING, 0), NUMBER(TRM_LOG_INFO, 1), NUMBER(TRM_LOG_DEBUG, 2),
  NUMBER(TRM_F32, 0), NUMBER(TRM_F64, 1), NUMBER(TRM_STRICT, 0), NUMBER(TRM_FAST, 1),
  NUMBER(TRM_KERNEL_ROW, 0), NUMBER(TRM_KERNEL_GROUP, 1), NUMBER(TRM_MAX_BUFFERS, 12),
  NUMBER(TRM_MAX_PARAM_BYTES, 256), NUMBER(TRM_COMMAND_LAUNCH, 0), NUMBER(TRM_COMMAND_COPY, 1),
  NUMBER(TRM_COMMAND_FILL, 2), NUMBER(TRM_BACKEND_ABI, 18), NUMBER(TRM_HOST_MODULE_ABI, 5),
};

/* What is handed over and given back by each entry. */
static const struct { const char *what; int is_recorded; } signatures[] = {
#define IS(type, member, ...) \
  { #type "." #member, \
    __builtin_types_compatible_p(__typeof__(((type *)0)->member), __VA_ARGS__) }
  IS(trm_services, fail, trm_status (*)(trm_status, const char *, int, const char *, ...)),
  IS(trm_services, log, void (*)(trm_log_level, const char *, ...)),
  IS(trm_services, part, const char *(*)(const char *)),
  IS(trm_backend, probe, void (*)(trm_probe *)),
  IS(trm_backend, describe, trm_status (*)(size_t, trm_device_info *)),
  IS(trm_backend, open,
     trm_status (*)(size_t, const trm_device_options *, trm_device_info *, void **)),
  IS(trm_backend, close, void (*)(void *)),
  IS(trm_backend, finish, trm_status (*)(void *)),
  IS(trm_backend, free_memory, trm_status (*)(void *, uint64_t *)),
  IS(trm_backend, buffer_create, trm_status (*)(void *, size_t, void **)),
  IS(trm_backend, buffer_destroy, void (*)(void *, void *)),
  IS(trm_backend, buffer_write, trm_status (*)(void *, void *, size_t, size_t, const void *)),
  IS(trm_backend, buffer_read, trm_status (*)(void *, void *, size_t, size_t, void *)),
  IS(trm_backend, program_build, trm_status (*)(void *, const trm_build *, char **, void **)),
  IS(trm_backend, program_binary, trm_status (*)(void *, void *, void **, size_t *)),
  IS(trm_backend, program_load,
     trm_status (*)(void *, const trm_build *, const void *, size_t, void **)),
  IS(trm_backend, program_destroy, void (*)(void *, void *)),
  IS(trm_backend, program_key, trm_status (*)(void *, const trm_build *, char *, size_t)),
  IS(trm_backend, kernel_get, trm_status (*)(void *, void *, const trm_host_kernel *, void **)),
  IS(trm_backend, enqueue, trm_status (*)(void *, const trm_command *)),
  IS(trm_backend, event_create, trm_status (*)(void *, void **)),
  IS(trm_backend, event_destroy, void (*)(void *, void *)),
  IS(trm_backend, event_record, trm_status (*)(void *, void *)),
  IS(trm_backend, event_elapsed, trm_status (*)(void *, void *, void *, double *)),
  IS(trm_backend, sequence_create, trm_status (*)(void *, const trm_command *, size_t, void **)),
  IS(trm_backend, sequence_replay, trm_status (*)(void *, void *, size_t)),
  IS(trm_backend, sequence_destroy, void (*)(void *, void *)),
  IS(trm_backend, kernel_resources,
     trm_status (*)(void *, const trm_command *, trm_kernel_resources *)),
  IS(trm_backend, sequence_fused, int (*)(void *, void *, size_t, const char **)),
  IS(trm_backend, queue_wait, trm_status (*)(void *, trm_queue, void *)),
  IS(trm_backend, queue_record, trm_status (*)(void *, trm_queue, void *)),
  IS(trm_backend, arrive, trm_status (*)(void *, void *, size_t, void *, void *, size_t, size_t)),
  IS(trm_backend, queue_use, trm_status (*)(void *, trm_queue)),
  IS(trm_backend, queue_mark, trm_status (*)(void *, void **)),
  IS(trm_backend, peer_access, trm_status (*)(void *, void *, int *)),
  IS(trm_backend, queue_mark_shared, trm_status (*)(void *, void **)),
  IS(trm_backend, share, trm_status (*)(void *, void *, void *, trm_shared *)),
  IS(trm_backend, adopt, trm_status (*)(void *, const trm_shared *, void **, void **)),
  IS(trm_backend, shared_by, const char *),
  IS(trm_backend, buffer_reserve, trm_status (*)(void *, size_t, void **)),
  IS(trm_backend, buffer_hold, trm_status (*)(void *, void *, size_t, size_t)),
  IS(trm_backend, buffer_drop, trm_status (*)(void *, void *, size_t, size_t)),
  IS(trm_host_kernel, run,
     void (*)(const trm_extent *, int64_t, int64_t, const void *, void *const *)),
};

static void entries_take_and_give_what_is_recorded(void)
{
  int wrong = 0;
  for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
    if (signatures[i].is_recorded) continue;
    print_error("%s has other arguments than recorded\n", signatures[i].what);
    wrong++;
  }
  assert_int_equal(wrong, 0);
}

static void structs_lie_as_recorded(void)
{
  layout_is_as_recorded(layout, sizeof layout / sizeof *layout);
}

static void numbers_are_as_recorded(void)
{
  int wrong = 0;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (numbers[i].found == numbers[i].recorded) continue;
    print_error("%s is %d, recorded %d\n", numbers[i].what, numbers[i].found, numbers[i].recorded);
    wrong++;
  }
  assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(structs_lie_as_recorded),
    TEST_HOST(entries_take_and_give_what_is_recorded),
    TEST_HOST(numbers_are_as_recorded),
  };
  return TEST_RUN(argc, argv, cases);
}
