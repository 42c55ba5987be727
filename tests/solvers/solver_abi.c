/* solver_abi.c - the layout of all structs that a solver from outside and the library share, as of
 * TRM_SOLVER_ABI 17, and of those that a plugin for MPI shares with it, as of TRM_COMM_ABI 2.
 *
 * A difference means that plugins built before are read wrongly: give TRM_SOLVER_ABI (or
 * TRM_COMM_ABI) a new number, then record the new layout here. abi.c has the structs of core. */
#include "tests/core/layout.h"

#include "core/comm.h"
#include "core/sharing.h"
#include "solvers/framework/forest.h"
#include "solvers/framework/kit.h"
#include "solvers/ladder.h"

static const layout_row of_solvers[] = {
  SIZE(trm_option, 72),
    AT(trm_option, key, 0), AT(trm_option, type, 8), AT(trm_option, unit, 16),
    AT(trm_option, fallback, 24), AT(trm_option, minimum, 32), AT(trm_option, maximum, 40),
    AT(trm_option, flags, 48), AT(trm_option, choices, 56), AT(trm_option, help, 64),
  SIZE(trm_blocks, 72),
    AT(trm_blocks, side, 0), AT(trm_blocks, roots, 12), AT(trm_blocks, count, 24),
    AT(trm_blocks, slot, 32), AT(trm_blocks, level, 40), AT(trm_blocks, place, 48),
    AT(trm_blocks, solid, 56), AT(trm_blocks, version, 64),
  SIZE(trm_layout, 40),
    AT(trm_layout, first, 0), AT(trm_layout, row, 8), AT(trm_layout, component, 16),
    AT(trm_layout, elements, 24), AT(trm_layout, ghosts, 32),
  SIZE(trm_rows, 32),
    AT(trm_rows, first, 0), AT(trm_rows, count, 8), AT(trm_rows, total, 16),
    AT(trm_rows, ghosts, 24),
  SIZE(trm_by_rows, 128),
    AT(trm_by_rows, type, 0), AT(trm_by_rows, nx, 8), AT(trm_by_rows, ny, 16),
    AT(trm_by_rows, nz, 24), AT(trm_by_rows, components, 32), AT(trm_by_rows, layout, 40),
    AT(trm_by_rows, is_output, 80), AT(trm_by_rows, lists, 88), AT(trm_by_rows, starts, 96),
    AT(trm_by_rows, block, 104), AT(trm_by_rows, reach, 112), AT(trm_by_rows, is_bounded, 120),
    AT(trm_by_rows, is_repeated, 124),
  SIZE(trm_near, 32),
    AT(trm_near, rows, 0), AT(trm_near, made, 8), AT(trm_near, begins, 16), AT(trm_near, reads, 24),
  SIZE(trm_sharing, 40),
    AT(trm_sharing, each, 0), AT(trm_sharing, whole, 4), AT(trm_sharing, near, 8),
    AT(trm_sharing, by, 12), AT(trm_sharing, beside, 16), AT(trm_sharing, halo, 24),
    AT(trm_sharing, kept, 28), AT(trm_sharing, is_of_gpus, 32), AT(trm_sharing, anew, 36),
  SIZE(trm_device_part, 48),
    AT(trm_device_part, info, 0), AT(trm_device_part, weight, 8), AT(trm_device_part, first, 16),
    AT(trm_device_part, rows, 24), AT(trm_device_part, rank, 32), AT(trm_device_part, node, 40),
  SIZE(trm_field, 216),
    AT(trm_field, name, 0), AT(trm_field, unit, 8), AT(trm_field, help, 16),
    AT(trm_field, type, 24), AT(trm_field, components, 28), AT(trm_field, nx, 32),
    AT(trm_field, ny, 40), AT(trm_field, nz, 48), AT(trm_field, buffer, 56),
    AT(trm_field, layout, 64), AT(trm_field, flags, 104), AT(trm_field, in_picture, 108),
    AT(trm_field, rows, 112), AT(trm_field, blocks, 144), AT(trm_field, stride, 152),
    AT(trm_field, scale, 160), AT(trm_field, middle, 168), AT(trm_field, bring, 176),
    AT(trm_field, put, 184), AT(trm_field, owner, 192), AT(trm_field, terms, 200),
    AT(trm_field, offset, 208),
  SIZE(trm_series, 64),
    AT(trm_series, name, 0), AT(trm_series, unit, 8), AT(trm_series, buffer, 16),
    AT(trm_series, type, 24), AT(trm_series, divisor, 32), AT(trm_series, first, 40),
    AT(trm_series, terms, 48), AT(trm_series, offset, 56),
  SIZE(trm_traffic, 40),
    AT(trm_traffic, kernel, 0), AT(trm_traffic, bytes_read, 8), AT(trm_traffic, bytes_written, 16),
    AT(trm_traffic, flops, 24), AT(trm_traffic, calls_per_step, 32),
  SIZE(trm_kept, 40),
    AT(trm_kept, name, 0), AT(trm_kept, type, 8), AT(trm_kept, buffer, 16),
    AT(trm_kept, first, 24), AT(trm_kept, count, 32),
  SIZE(trm_result, 24),
    AT(trm_result, name, 0), AT(trm_result, unit, 8), AT(trm_result, value, 16),
  SIZE(trm_solver, 248),
    AT(trm_solver, type, 0), AT(trm_solver, device, 8), AT(trm_solver, fields, 16),
    AT(trm_solver, field_count, 24), AT(trm_solver, series, 32), AT(trm_solver, series_count, 40),
    AT(trm_solver, traffic, 48), AT(trm_solver, traffic_count, 56), AT(trm_solver, results, 64),
    AT(trm_solver, result_count, 72), AT(trm_solver, cells, 80), AT(trm_solver, step, 88),
    AT(trm_solver, time, 96), AT(trm_solver, batch_limit, 104), AT(trm_solver, program, 112),
    AT(trm_solver, origin, 120), AT(trm_solver, spacing, 144), AT(trm_solver, counted, 168),
    AT(trm_solver, length_unit, 176), AT(trm_solver, time_unit, 184), AT(trm_solver, kept, 192),
    AT(trm_solver, kept_count, 200), AT(trm_solver, unkept, 208), AT(trm_solver, caution, 216),
    AT(trm_solver, remedy, 224), AT(trm_solver, unexported, 232),
    AT(trm_solver, has_ended, 240),
  SIZE(trm_solver_options, 20),
    AT(trm_solver_options, precision, 0), AT(trm_solver_options, math, 4),
    AT(trm_solver_options, row_group_x, 8), AT(trm_solver_options, row_group_y, 12),
    AT(trm_solver_options, group, 16),
  SIZE(trm_run_seconds, 32),
    AT(trm_run_seconds, init, 0), AT(trm_run_seconds, compute, 8),
    AT(trm_run_seconds, collate, 16), AT(trm_run_seconds, total, 24),
  SIZE(trm_solver_type, 192),
    AT(trm_solver_type, abi, 0), AT(trm_solver_type, bytes, 4), AT(trm_solver_type, name, 8),
    AT(trm_solver_type, summary, 16), AT(trm_solver_type, update_name, 24),
    AT(trm_solver_type, options, 32), AT(trm_solver_type, option_count, 40),
    AT(trm_solver_type, files_usage, 48), AT(trm_solver_type, configure, 56),
    AT(trm_solver_type, create, 64), AT(trm_solver_type, advance, 72),
    AT(trm_solver_type, observe, 80), AT(trm_solver_type, finish, 88),
    AT(trm_solver_type, export_files, 96), AT(trm_solver_type, destroy, 104),
    AT(trm_solver_type, account, 112), AT(trm_solver_type, ladder, 120),
    AT(trm_solver_type, size_keys, 128), AT(trm_solver_type, memory, 136),
    AT(trm_solver_type, restore, 144), AT(trm_solver_type, reshape, 152),
    AT(trm_solver_type, state_version, 160), AT(trm_solver_type, print, 168),
    AT(trm_solver_type, former_keys, 176), AT(trm_solver_type, former_key_count, 184),
  SIZE(trm_rung, 32),
    AT(trm_rung, name, 0), AT(trm_rung, settings, 8), AT(trm_rung, changes, 16),
    AT(trm_rung, saves, 24),
  SIZE(trm_burden, 24),
    AT(trm_burden, serial_values, 0), AT(trm_burden, groups, 8),
    AT(trm_burden, divergent_groups, 16),
  SIZE(trm_ladder, 24),
    AT(trm_ladder, rungs, 0), AT(trm_ladder, rung_count, 8), AT(trm_ladder, burden, 16),
};

static const layout_row of_the_kit[] = {
  SIZE(trm_program_source, 32),
    AT(trm_program_source, name, 0), AT(trm_program_source, file, 8),
    AT(trm_program_source, text, 16), AT(trm_program_source, modules, 24),
  SIZE(trm_forest_shape, 88),
    AT(trm_forest_shape, side, 0), AT(trm_forest_shape, roots, 12),
    AT(trm_forest_shape, level, 24), AT(trm_forest_shape, is_periodic, 28),
    AT(trm_forest_shape, finest, 40), AT(trm_forest_shape, wants, 48),
    AT(trm_forest_shape, affords, 56), AT(trm_forest_shape, user, 64),
    AT(trm_forest_shape, slots, 72), AT(trm_forest_shape, shuffle, 80),
  SIZE(trm_ghost, 72),
    AT(trm_ghost, slot, 0), AT(trm_ghost, kind, 4), AT(trm_ghost, source, 8),
    AT(trm_ghost, part, 40), AT(trm_ghost, from, 44), AT(trm_ghost, to, 50),
    AT(trm_ghost, level, 56), AT(trm_ghost, place, 60),
  SIZE(trm_forest, 280),
    AT(trm_forest, shape, 0), AT(trm_forest, blocks, 88), AT(trm_forest, slots, 160),
    AT(trm_forest, ghosts, 168), AT(trm_forest, ghost_count, 176), AT(trm_forest, first, 184),
    AT(trm_forest, level, 224), AT(trm_forest, place, 232), AT(trm_forest, near, 240),
    AT(trm_forest, table, 248), AT(trm_forest, leaf_slot, 256), AT(trm_forest, leaf_level, 264),
    AT(trm_forest, leaf_place, 272),
  SIZE(trm_kit_field, 72),
    AT(trm_kit_field, name, 0), AT(trm_kit_field, unit, 8), AT(trm_kit_field, help, 16),
    AT(trm_kit_field, components, 24), AT(trm_kit_field, swaps, 28),
    AT(trm_kit_field, is_flags, 32), AT(trm_kit_field, flags, 36),
    AT(trm_kit_field, in_picture, 40), AT(trm_kit_field, middle, 48),
    AT(trm_kit_field, is_computed, 56), AT(trm_kit_field, start, 64),
  SIZE(trm_kit_launch, 24),
    AT(trm_kit_launch, kernel, 0), AT(trm_kit_launch, arrays, 8), AT(trm_kit_launch, flops, 16),
  SIZE(trm_kit_series, 32),
    AT(trm_kit_series, name, 0), AT(trm_kit_series, unit, 8), AT(trm_kit_series, leaves, 16),
    AT(trm_kit_series, fold, 24),
  SIZE(trm_kit_plan, 2512),
    AT(trm_kit_plan, type, 0), AT(trm_kit_plan, source, 8), AT(trm_kit_plan, params, 16),
    AT(trm_kit_plan, params_bytes, 24), AT(trm_kit_plan, dimensions, 32),
    AT(trm_kit_plan, steps, 40), AT(trm_kit_plan, time_unit, 48), AT(trm_kit_plan, own_bytes, 56),
    AT(trm_kit_plan, prepare, 64), AT(trm_kit_plan, fields, 72), AT(trm_kit_plan, step, 1224),
    AT(trm_kit_plan, observe, 1608), AT(trm_kit_plan, series, 1992),
    AT(trm_kit_plan, release, 2504),
  SIZE(trm_kit, 320),
    AT(trm_kit, base, 0), AT(trm_kit, plan, 248), AT(trm_kit, precision, 256),
    AT(trm_kit, nx, 260), AT(trm_kit, ny, 264), AT(trm_kit, nz, 268), AT(trm_kit, spacing, 272),
    AT(trm_kit, dt, 296), AT(trm_kit, own, 304), AT(trm_kit, inside, 312),
  SIZE(trm_kit_buffer, 40),
    AT(trm_kit_buffer, buffer, 0), AT(trm_kit_buffer, name, 8), AT(trm_kit_buffer, count, 16),
    AT(trm_kit_buffer, type, 24), AT(trm_kit_buffer, is_zero, 28), AT(trm_kit_buffer, first, 32),
  SIZE(trm_kit_cell, 16),
    AT(trm_kit_cell, component, 0), AT(trm_kit_cell, x, 4), AT(trm_kit_cell, y, 8),
    AT(trm_kit_cell, z, 12),
  SIZE(trm_kit_shape, 64),
    AT(trm_kit_shape, type, 0), AT(trm_kit_shape, nx, 4), AT(trm_kit_shape, ny, 8),
    AT(trm_kit_shape, nz, 12), AT(trm_kit_shape, components, 16), AT(trm_kit_shape, layout, 24),
  SIZE(trm_kit_params, 5208),
    AT(trm_kit_params, name, 0), AT(trm_kit_params, bytes, 64), AT(trm_kit_params, count, 80),
    AT(trm_kit_params, members, 88),
  SIZE(trm_kit_program, 5608),
    AT(trm_kit_program, program, 0), AT(trm_kit_program, precision, 8),
    AT(trm_kit_program, params, 16), AT(trm_kit_program, kernels, 5224),
  SIZE(trm_kit_recipe, 40),
    AT(trm_kit_recipe, source, 0), AT(trm_kit_recipe, variant, 8), AT(trm_kit_recipe, params, 16),
    AT(trm_kit_recipe, params_bytes, 24), AT(trm_kit_recipe, kernels, 32),
  SIZE(trm_kit_stepper, 128),
    AT(trm_kit_stepper, device, 0), AT(trm_kit_stepper, user, 8), AT(trm_kit_stepper, current, 16),
    AT(trm_kit_stepper, most, 24), AT(trm_kit_stepper, fewest, 32),
    AT(trm_kit_stepper, launch, 40), AT(trm_kit_stepper, after, 48),
    AT(trm_kit_stepper, sequences, 56),
  SIZE(trm_kit_folder, 72),
    AT(trm_kit_folder, user, 0), AT(trm_kit_folder, slots, 8), AT(trm_kit_folder, sums, 16),
    AT(trm_kit_folder, window, 24), AT(trm_kit_folder, type, 32), AT(trm_kit_folder, series, 40),
    AT(trm_kit_folder, batch, 48), AT(trm_kit_folder, step, 56), AT(trm_kit_folder, fold, 64),
};

static const layout_row of_ranks[] = {
  SIZE(trm_comm_place, 208),
    AT(trm_comm_place, rank, 0), AT(trm_comm_place, size, 4), AT(trm_comm_place, node_rank, 8),
    AT(trm_comm_place, node_size, 12), AT(trm_comm_place, node, 16),
    AT(trm_comm_place, library, 80),
  SIZE(trm_comm, 72),
    AT(trm_comm, abi, 0), AT(trm_comm, bytes, 4), AT(trm_comm, name, 8), AT(trm_comm, summary, 16),
    AT(trm_comm, open, 24), AT(trm_comm, close, 32), AT(trm_comm, abort, 40),
    AT(trm_comm, send, 48), AT(trm_comm, receive, 56), AT(trm_comm, post, 64),
};

static void structs_of_solvers_lie_as_recorded(void)
{
  layout_is_as_recorded(of_solvers, sizeof of_solvers / sizeof *of_solvers);
  assert_int_equal(TRM_SOLVER_ABI, 17);
}

static void structs_of_the_kit_lie_as_recorded(void)
{
  layout_is_as_recorded(of_the_kit, sizeof of_the_kit / sizeof *of_the_kit);
}

static void structs_of_ranks_lie_as_recorded(void)
{
  layout_is_as_recorded(of_ranks, sizeof of_ranks / sizeof *of_ranks);
  assert_int_equal(TRM_COMM_ABI, 2);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(structs_of_solvers_lie_as_recorded),
    TEST_HOST(structs_of_the_kit_lie_as_recorded),
    TEST_HOST(structs_of_ranks_lie_as_recorded),
  };
  return TEST_RUN(argc, argv, cases);
}
