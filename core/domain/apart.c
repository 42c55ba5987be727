/* apart.c - memory of single rows: derived rows, and rows of other parts that a table of neighbours
 * names. They do not follow the part's own rows, so each row has memory for itself. */
#include "core/domain/parts.h"

#include <stdlib.h>
#include <string.h>

/* All bytes have memory. */
static int is_whole(const trm_buffer *buffer)
{
  return buffer->device->info.whole[0] || buffer->device->domain->is_checked;
}

static trm_status visit_row(trm_buffer *buffer, size_t row, domain_visit_fn *visit)
{
  const domain_rows *b = domain_rows_of(buffer);
  if (row < b->total)
    return domain_each_beside(b, (domain_span){ row, 0 }, (domain_span){ row, 1 }, 1, visit,
                              buffer);
  const domain_span derived = domain_bytes_derived(b, row - b->total);
  return visit(buffer, derived.first, derived.count);
}

static trm_status make_apart(trm_buffer *buffer, size_t rows)
{
  if (!buffer->part->apart) buffer->part->apart = calloc(rows + 1, 1);
  return buffer->part->apart ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for the neighbours of "
                                                 "%zu rows", rows);
}

trm_status domain_buffer_hold_apart(trm_buffer *buffer, domain_span rows)
{
  const size_t total = domain_rows_of(buffer)->total;
  const domain_span held = buffer->part->held;
  TRM_TRY(make_apart(buffer, total + domain_rows_of(buffer)->derived));
  unsigned char *apart = buffer->part->apart;
  for (size_t r = rows.first; r < rows.first + rows.count && !is_whole(buffer); r++) {
    if (apart[r] || (r < total && domain_rows_in(held, total, r))) continue;
    TRM_TRY(visit_row(buffer, r, domain_buffer_hold_piece));
    apart[r] = 1;
  }
  return TRM_OK;
}

trm_status domain_buffer_drop_apart(trm_buffer *buffer, domain_span rows)
{
  unsigned char *apart = buffer->part->apart;
  for (size_t r = rows.first; apart && r < rows.first + rows.count; r++) {
    if (!apart[r]) continue;
    TRM_TRY(visit_row(buffer, r, domain_buffer_drop_piece));
    apart[r] = 0;
  }
  return TRM_OK;
}

trm_status domain_buffer_drop_all_apart(trm_buffer *buffer)
{
  const domain_rows *b = domain_rows_of(buffer);
  domain_valid_of(buffer)[buffer->device->domain->parts].count = 0;
  return domain_buffer_drop_apart(buffer, (domain_span){ 0, b->total + b->derived });
}

/* Until a launch computes them, derived rows need no memory. */
trm_status domain_buffer_adjacency(trm_buffer *buffer, const trm_adjacency *table)
{
  domain_device *domain = buffer->device->domain;
  const domain_rows *b = domain_rows_of(buffer);
  if (!b->is_cut || b->total != table->rows || buffer->part->apart)
    return TRM_FAIL(INVALID, "trm_buffer_adjacency: buffer \"%s\" has %zu rows where the table has "
                    "%zu; declare them before, by trm_buffer_rows, and the table once",
                    buffer->name, b->is_cut ? b->total : 0, table->rows);
  TRM_TRY(make_apart(buffer, table->rows + table->derived));
  TRM_TRY(domain_plan_near(domain->plan, buffer->part->number, table));
  const size_t from = domain_bytes_declared(b);
  return from < b->bytes && !b->is_tight && !is_whole(buffer)
         ? trmi_buffer_drop(buffer, from, b->bytes - from) : TRM_OK;
}

static trm_status refuse(const trm_buffer *buffer, size_t slab)
{
  return TRM_FAIL(INVALID, "trm_buffer_slabs: buffer \"%s\": slab %zu does not lie in a row, or "
                  "its strides are no row; declare a table (trm_buffer_adjacency) and at most %d "
                  "slabs",
                  buffer->name, slab, TRM_SLABS);
}

static trm_status take_slabs(trm_buffer *buffer, const trm_slabs *slabs)
{
  const domain_rows *b = domain_rows_of(buffer);
  if (!buffer->part->apart || slabs->count > TRM_SLABS || b->starts || b->ghosts ||
      b->components != 1 || b->row != b->nx)
    return refuse(buffer, slabs->count);
  for (size_t i = 0; i < slabs->count; i++) {
    const trm_slab *s = &slabs->slab[i];
    if (s->count * s->stride != b->row || s->first + s->values > s->stride)
      return refuse(buffer, i);
  }
  return domain_plan_slabs(buffer->device->domain->plan, buffer->part->number, slabs);
}

trm_status trm_buffer_slabs(trm_buffer *buffer, const trm_slabs *slabs)
{
  if (!buffer || !slabs) return TRM_FAIL(INVALID, "trm_buffer_slabs: buffer or slabs is NULL");
  return buffer->part && domain_of(buffer->device) ? take_slabs(buffer, slabs) : TRM_OK;
}
