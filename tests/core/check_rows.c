/* check_rows.c - TRIREME_CHECK_ROWS on three parts of a run. A kernel that reads beyond its halo is
 * named, and a kernel that writes rows of other parts, also in a recorded sequence. A kernel that
 * touches its own rows alone is not named. */
#include "tests/core/dispatch.h"

#include <math.h>
#include <stdlib.h>

#include "core/domain/device.h"
#include "core/domain/threads.h"

enum { PARTS = 3 };

/* Arrays of a part: row y of `further` lies where row y + 1 of a and b does. */
typedef struct arrays {
  trm_device *device;
  trm_program *program;
  trm_kernel *scale;
  trm_layout layout;
  trm_buffer *a, *b, *further;
} arrays;

/* A fault that is planted, behind launches without fault. */
typedef struct planted {
  trm_buffer *(*from)(const arrays *all), *(*to)(const arrays *all);
  int is_recorded, is_planted;
} planted;

static trm_buffer *a_of(const arrays *all) { return all->a; }
static trm_buffer *b_of(const arrays *all) { return all->b; }
static trm_buffer *further_of(const arrays *all) { return all->further; }

static trm_status make(const arrays *all, size_t shift, trm_buffer **out)
{
  trm_by_rows rows = { .type = TRM_TYPE_F32, .nx = DISPATCH_NX, .ny = DISPATCH_NY, .nz = 1,
                       .components = 1, .layout = all->layout };
  const float zero = 0;
  const size_t bytes = (rows.layout.elements + 2 * rows.layout.row) * sizeof(float);
  rows.layout.first += shift;
  TRM_TRY(trm_buffer_create(all->device, bytes, "rows", out));
  TRM_TRY(trm_buffer_rows(*out, &rows));
  return trm_buffer_fill(*out, 0, bytes, &zero, sizeof zero);
}

static trm_status open_arrays(arrays *all)
{
  const trm_program_options options = { .precision = TRM_F32, .math = TRM_STRICT };
  TRM_TRY(trm_layout_rows(all->device, TRM_TYPE_F32, DISPATCH_NX, DISPATCH_NY, 1, 1, &all->layout));
  TRM_TRY(trm_program_create(all->device, &dispatch_source, &options, &all->program));
  TRM_TRY(trm_program_kernel(all->program, "dispatch_scale", &all->scale));
  TRM_TRY(make(all, 0, &all->a));
  TRM_TRY(make(all, 0, &all->b));
  return make(all, all->layout.row, &all->further);
}

/* `shift` elements further on in both. */
static trm_status scale(const arrays *all, trm_buffer *from, trm_buffer *to, size_t shift,
                        float factor)
{
  const trm_extent extent = { DISPATCH_NX, DISPATCH_NY, 1, 0 };
  const dispatch_params params = { .first = (trm_index)(all->layout.first + shift),
                                   .row = (trm_index)all->layout.row, .factor = factor };
  return trm_kernel_launch(all->scale, &extent, &params, sizeof params,
                           (trm_buffer *const[]){ from, to }, 2);
}

static trm_status launch(const planted *fault, const arrays *all)
{
  trm_sequence *sequence = NULL;
  if (!fault->is_recorded)
    return scale(all, fault->from(all), fault->to(all), all->layout.row, 1.0f);
  TRM_TRY(trm_sequence_begin(all->device));
  trm_status status = scale(all, all->a, all->b, 0, 1.0f);
  if (status == TRM_OK)
    status = scale(all, fault->from(all), fault->to(all), all->layout.row, 1.0f);
  if (status == TRM_OK) status = trm_sequence_end(all->device, &sequence);
  if (status == TRM_OK) status = trm_sequence_replay(sequence, 1);
  trm_sequence_destroy(&sequence);
  return status;
}

static trm_status work(const planted *fault, arrays *all)
{
  TRM_TRY(open_arrays(all));
  TRM_TRY(scale(all, all->a, all->b, 0, 1.0f));
  TRM_TRY(scale(all, all->b, all->a, 0, NAN)); /* no number, but one's own */
  TRM_TRY(scale(all, all->b, all->a, 0, 2.0f));
  return fault->is_planted ? launch(fault, all) : TRM_OK;
}

static trm_status run_part(void *user, const domain_comm *comm)
{
  static const double weights[PARTS] = { 1, 1, 1 };
  const trm_device_options one_thread = { .threads = 1 };
  arrays all = { .device = NULL };
  TRM_TRY(trm_device_open(test_context(), "openmp", &one_thread, &all.device));
  trm_status status = domain_device_join(all.device, comm, weights);
  if (status == TRM_OK) status = domain_device_agree(all.device, work(user, &all));
  trm_buffer_destroy(&all.a);
  trm_buffer_destroy(&all.b);
  trm_buffer_destroy(&all.further);
  trm_program_destroy(&all.program);
  trm_device_close(&all.device);
  return status;
}

static trm_status run(planted fault)
{
  setenv("TRIREME_CHECK_ROWS", "1", 1);
  const trm_status status = domain_threads_run(PARTS, run_part, &fault);
  unsetenv("TRIREME_CHECK_ROWS");
  return status;
}

static void no_fault_is_found_in_own_rows(void)
{
  trm_device *one = test_open("openmp", NULL);
  trm_device_close(&one);
  TEST_OK(run((planted){ .is_planted = 0 }));
}

static void a_kernel_that_reads_beyond_its_halo_is_named(void)
{
  TEST_FAILS(run((planted){ a_of, further_of, 0, 1 }), TRM_ERROR_INVALID,
             "kernel dispatch_scale left in row ");
  TEST_FAILS(run((planted){ a_of, further_of, 1, 1 }), TRM_ERROR_INVALID,
             "kernel dispatch_scale left in row ");
}

static void a_kernel_that_writes_rows_of_others_is_named(void)
{
  TEST_FAILS(run((planted){ further_of, a_of, 0, 1 }), TRM_ERROR_INVALID,
             "kernel dispatch_scale wrote row ");
  TEST_FAILS(run((planted){ further_of, b_of, 1, 1 }), TRM_ERROR_INVALID,
             "kernel dispatch_scale wrote row ");
}

/* Without the check nobody notices. */
static void only_a_check_finds_it(void)
{
  planted fault = { further_of, a_of, 0, 1 };
  TEST_OK(domain_threads_run(PARTS, run_part, &fault));
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(no_fault_is_found_in_own_rows),
    TEST_HOST(a_kernel_that_reads_beyond_its_halo_is_named),
    TEST_HOST(a_kernel_that_writes_rows_of_others_is_named),
    TEST_HOST(only_a_check_finds_it),
  };
  return TEST_RUN(argc, argv, cases);
}
