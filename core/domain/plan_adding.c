/* plan_adding.c - how a launch that is added to a plan is cut by rows. */
#include "core/domain/plan_adding.h"

static const cut uncut = { 0, 1, 0 };

held *adding_buffer(const adding *a, uint32_t i) { return &a->plan->buffers[a->buffers[i]]; }

const domain_rows *adding_rows(const adding *a, uint32_t i) { return &adding_buffer(a, i)->rows; }

int adding_writes(const adding *a, uint32_t i)
{
  return a->command->kind == TRM_COMMAND_LAUNCH ? a->command->declaration->access[i] == 'w'
                                                : i == 0;
}

int adding_is_group(const adding *a)
{
  return a->command->declaration->kind == TRM_KERNEL_GROUP;
}

int adding_is_list(const adding *a) { return a->how->each > 0 && !adding_is_group(a); }

static int is_over_blocks(const domain_rows *b, size_t rows)
{
  return b->plane == 1 && b->grain > 1 && b->total != rows &&
         domain_units(b->total, b->grain) == rows;
}

int adding_is_like(const domain_rows *b, const cut *by)
{
  if (!b->is_cut) return 0;
  if (by->by_blocks) return domain_units(b->total, b->grain) == domain_units(by->rows, by->grain);
  if (b->total == by->rows) return b->grain == by->grain;
  return by->grain == 1 && is_over_blocks(b, by->rows);
}

cut adding_find_cut(const adding *a, size_t rows)
{
  cut by = { rows, 1, a->how->each > 0 && a->how->halo > 0 && adding_is_group(a) };
  int has_written = 0;
  for (uint32_t i = 0; i < a->command->buffer_count; i++) {
    const domain_rows *b = adding_rows(a, i);
    if (adding_writes(a, i) && b->is_cut && b->total == rows) by.grain = b->grain;
  }
  for (uint32_t i = 0; i < a->command->buffer_count; i++) {
    if (!adding_writes(a, i)) continue;
    if (!adding_is_like(adding_rows(a, i), &by)) return uncut;
    has_written = 1;
  }
  return has_written ? by : uncut;
}

cut adding_cut_written(const adding *a)
{
  for (uint32_t i = 0; i < a->command->buffer_count; i++) {
    const domain_rows *b = adding_rows(a, i);
    if (adding_writes(a, i)) return b->is_cut ? adding_find_cut(a, b->total) : uncut;
  }
  return uncut;
}

const domain_rows *adding_items(const adding *a) { return adding_rows(a, a->how->counts - 1); }

size_t adding_plane(const adding *a)
{
  if (adding_is_list(a)) return adding_items(a)->plane;
  return a->command->extent.nz > 1 ? (size_t)a->command->extent.ny : 1;
}

int adding_halo(const adding *a)
{
  return adding_is_list(a) || a->how->halo > 0 ? a->how->halo : a->command->declaration->halo;
}

size_t adding_beside(const adding *a) { return (size_t)a->how->in_place; }

size_t adding_reach(const adding *a) { return (size_t)adding_halo(a) + adding_beside(a); }

int adding_has_row(const adding *a, size_t m, size_t row)
{
  for (uint32_t i = 0; i < a->command->buffer_count; i++) {
    const held *b = adding_buffer(a, i);
    const size_t total = b->rows.total;
    const int is_like = adding_is_like(&b->rows, &a->by) && total == a->by.rows;
    if (is_like ? domain_rows_in(b->valid[m], total, row) == 0 : b->valid[m].count < total)
      return 0;
  }
  return 1;
}
