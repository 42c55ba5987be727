/* plan_near.c - launches of a plan over rows whose neighbours a table names (near.h). */
#include "core/domain/plan_adding.h"

static trm_status refuse(const adding *a, uint32_t i)
{
  return TRM_FAIL(UNSUPPORTED, "kernel %s reads rows of buffer argument %u by a table; declare the "
                  "table by trm_buffer_adjacency", a->command->declaration->name, (unsigned)i);
}

static trm_status find(const adding *a, uint32_t i, domain_near **out)
{
  *out = adding_buffer(a, i)->near;
  if (!*out) return refuse(a, i);
  return domain_near_find(*out, a->plan->sums);
}

/* ---- rows of others ------------------------------------------------------------ */

/* One run, from its own part. After a launch of one part alone it comes from there. */
static trm_status add_run(const adding *a, uint32_t i, size_t m, const domain_near_run *run)
{
  const held *b = adding_buffer(a, i);
  const domain_span rows = { run->first, run->count };
  const domain_run own = { run->from, run->first, run->count };
  const trm_slab *slab = b->has_slabs && run->slab ? domain_near_slab(b->near, run->slab) : NULL;
  return adding_has(b, run->from, rows) ? adding_run(a->plan, a->buffers[i], m, &own, slab)
                                        : adding_missing(a->plan, a->buffers[i], m, rows, slab);
}

trm_status adding_need_near(const adding *a, uint32_t i, size_t m)
{
  domain_plan *plan = a->plan;
  held *b = adding_buffer(a, i);
  domain_near *near;
  size_t count;
  TRM_TRY(find(a, i, &near));
  TRM_TRY(adding_need(plan, a->buffers[i], m,
                      domain_plan_own(plan, b->rows.total, b->rows.grain, m)));
  if (b->valid[m].count >= b->rows.total) return TRM_OK;
  b->then[plan->parts].count = 1;
  if (b->valid[plan->parts].count) return TRM_OK;
  const domain_near_run *runs = domain_near_runs(near, m, &count);
  for (size_t k = 0; k < count; k++) TRM_TRY(add_run(a, i, m, &runs[k]));
  return TRM_OK;
}

size_t adding_inner(const adding *a, size_t m)
{
  size_t least = SIZE_MAX;
  for (uint32_t i = 0; i < a->command->buffer_count; i++) {
    if (!(a->how->adjacent >> i & 1)) continue;
    const size_t inner = domain_near_inner(adding_buffer(a, i)->near, m);
    if (inner < least) least = inner;
  }
  return least < SIZE_MAX ? least : 0;
}

/* ---- derived rows ---------------------------------------------------------------- */

const domain_near *adding_near_written(const adding *a)
{
  for (uint32_t i = 0; i < a->command->buffer_count; i++)
    if (adding_writes(a, i)) return adding_buffer(a, i)->near;
  return NULL;
}

static trm_status check_window(const adding *a, const domain_near *near)
{
  const size_t count = a->how->each ? (size_t)a->command->extent.nx : 1;
  const size_t end = (size_t)a->how->derived - 1 + count;
  if (end <= domain_near_derived(near)) return TRM_OK;
  return TRM_FAIL(INVALID, "kernel %s computes derived rows up to number %zu, of %zu",
                  a->command->declaration->name, end, domain_near_derived(near));
}

/* All rows stay as valid as they are. */
trm_status adding_derived(const adding *a)
{
  domain_plan *plan = a->plan;
  plan->who = EACH_ITS_DERIVED;
  for (size_t m = 0; m < plan->parts; m++)
    for (uint32_t i = 0; i < a->command->buffer_count; i++) {
      domain_near *near;
      if (adding_writes(a, i)) {
        TRM_TRY(find(a, i, &near));
        TRM_TRY(check_window(a, near));
      }
      TRM_TRY(a->how->adjacent >> i & 1 ? adding_need_near(a, i, m)
                                        : adding_need_all(plan, a->buffers[i], m));
    }
  adding_move(plan);
  return TRM_OK;
}

/* The sources of a derived row that part 0 has not. */
static trm_status gather(const adding *a, uint32_t i)
{
  const domain_plan *plan = a->plan;
  const held *b = adding_buffer(a, i);
  domain_near *near;
  size_t count;
  TRM_TRY(find(a, i, &near));
  TRM_TRY(check_window(a, near));
  const int32_t *rows = domain_near_sources(near, (size_t)a->how->derived - 1, &count);
  for (size_t k = 0; k < count; k++) {
    const domain_span row = { (size_t)rows[k], 1 };
    const size_t owner = domain_owner(plan->sums, plan->parts, b->rows.total, b->rows.grain,
                                      row.first);
    if (!adding_has(b, 0, row))
      TRM_TRY(add_run(a, i, 0, &(domain_near_run){ owner, row.first, 1, 0 }));
  }
  return TRM_OK;
}

/* Part 0 alone, which reads the sources of one derived row, and all of the other buffers. */
trm_status adding_gathered(const adding *a)
{
  domain_plan *plan = a->plan;
  plan->who = FIRST_ALONE;
  for (uint32_t i = 0; i < a->command->buffer_count; i++)
    TRM_TRY(a->how->adjacent >> i & 1 ? gather(a, i) : adding_need_all(plan, a->buffers[i], 0));
  adding_move(plan);
  adding_written_alone(a);
  return TRM_OK;
}
