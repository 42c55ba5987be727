/* traffic.c - counts what the kernels of a case load, store and compute, and holds the solver's
 * declarations against it. Run by traffic.sh, not by make check.
 *
 *   traffic KERNELS.so STEPS TOLERANCE CASE [OPTION]...
 *
 * KERNELS.so holds the host instances anew, compiled so that each load, store and operation calls
 * back. The case runs on the openmp backend as ever; before each launch of its steps the counted
 * twin of the kernel runs on copies of the buffers, and must then have left what the launch leaves.
 * A byte that is touched several times counts once, one that is read after the launch itself wrote
 * it does not count as read (solver.h: trm_traffic). */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/listing.h"
#include "run/session.h"
#include "core/trace.h"

enum { READ = 1, WRITTEN = 2, KERNELS = 64 };
static const double little = 0.001;

/* ---- what a counted kernel calls --------------------------------------------------- */

typedef struct region {
  trm_buffer *buffer;
  unsigned char *bytes, *marks;
  size_t count;
} region;

static region regions[TRM_MAX_BUFFERS];
static size_t region_count;
static const unsigned char *lowest, *highest; /* where regions lie */
static double operations;

static region *region_of(const unsigned char *at)
{
  if (at < lowest || at >= highest) return NULL; /* parameters, the stack */
  for (size_t i = 0; i < region_count; i++)
    if (at >= regions[i].bytes && at < regions[i].bytes + regions[i].count) return &regions[i];
  return NULL;
}

/* Without a branch, so that the bytes of a word are marked together. */
static inline void mark(const void *at, size_t bytes, unsigned char how)
{
  region *found = region_of(at);
  if (!found) return;
  unsigned char *marks = found->marks + ((const unsigned char *)at - found->bytes);
  for (size_t i = 0; i < bytes; i++) {
    const unsigned is_known = how == READ ? marks[i] / WRITTEN : 0U;
    marks[i] = (unsigned char)(marks[i] | (how & ~is_known));
  }
}

#define TRACED(bytes) \
  TRM_API void __sanitizer_cov_load##bytes(const void *at); \
  void __sanitizer_cov_load##bytes(const void *at) { mark(at, bytes, READ); } \
  TRM_API void __sanitizer_cov_store##bytes(const void *at); \
  void __sanitizer_cov_store##bytes(const void *at) { mark(at, bytes, WRITTEN); }
TRACED(1)
TRACED(2)
TRACED(4)
TRACED(8)
TRACED(16)

TRM_API void trm_traffic_operations(int count);
TRM_API void trm_traffic_copy(void *to, const void *from, uint64_t bytes, int is_volatile);
TRM_API void trm_traffic_set(void *to, unsigned char value, uint64_t bytes, int is_volatile);

void trm_traffic_operations(int count)
{
  operations += count;
}

void trm_traffic_copy(void *to, const void *from, uint64_t bytes, int is_volatile)
{
  (void)is_volatile;
  mark(from, bytes, READ);
  mark(to, bytes, WRITTEN);
  memmove(to, from, bytes);
}

void trm_traffic_set(void *to, unsigned char value, uint64_t bytes, int is_volatile)
{
  (void)is_volatile;
  mark(to, bytes, WRITTEN);
  memset(to, value, bytes);
}

/* ---- launches ---------------------------------------------------------------------- */

enum { BYTES_READ, BYTES_WRITTEN, FLOPS, FIGURES };
typedef struct row { const char *kernel; double calls, sums[FIGURES]; } row;

typedef struct counter {
  void *library;
  int is_counting;             /* in steps only */
  row rows[KERNELS];
  size_t row_count;
} counter;

static row *row_named(counter *all, const char *kernel)
{
  for (size_t i = 0; i < all->row_count; i++)
    if (strcmp(all->rows[i].kernel, kernel) == 0) return &all->rows[i];
  if (all->row_count == KERNELS) return NULL;
  all->rows[all->row_count].kernel = kernel;
  return &all->rows[all->row_count++];
}

/* The twin of a launch's kernel that tells of `what`: "touches" or "operations". */
static trm_status twin_of(const counter *all, const trmi_seen *seen, const char *what,
                          const trm_host_kernel **out)
{
  const trm_program_info *info = trm_program_describe(seen->program);
  const char *name = seen->command->declaration->name;
  char symbol[256];
  snprintf(symbol, sizeof symbol, "trm_module_%s_%s_%s_%s%s%s",
           trmi_program_name(seen->program), trm_precision_name(info->precision),
           trm_math_name(info->math), what, info->variant[0] ? "_" : "", info->variant);
  const trm_host_module *module = dlsym(all->library, symbol);
  for (int k = 0; module && k < module->kernel_count; k++)
    if (strcmp(module->kernels[k].name, name) == 0) {
      *out = &module->kernels[k];
      return TRM_OK;
    }
  return TRM_FAIL(NOT_FOUND, "no counted twin of kernel '%s': %s is not among the kernels", name,
                  symbol);
}

static void forget_regions(void)
{
  for (size_t i = 0; i < region_count; i++) {
    free(regions[i].bytes);
    free(regions[i].marks);
  }
  region_count = 0;
  lowest = highest = NULL;
}

/* A copy of each buffer of the launch; a buffer that is given twice has one. */
static trm_status copy_buffers(const trmi_seen *seen, void **pointers)
{
  forget_regions();
  for (uint32_t i = 0; i < seen->command->buffer_count; i++) {
    size_t r = 0;
    while (r < region_count && regions[r].buffer != seen->buffers[i]) r++;
    if (r == region_count) {
      const size_t bytes = trm_buffer_bytes(seen->buffers[i]);
      regions[r] = (region){seen->buffers[i], aligned_alloc(64, (bytes + 63) / 64 * 64),
                            calloc(bytes, 1), bytes};
      region_count++;
      if (!regions[r].bytes || !regions[r].marks)
        return TRM_FAIL(NO_HOST_MEMORY, "no memory for a copy of a buffer");
      if (!lowest || regions[r].bytes < lowest) lowest = regions[r].bytes;
      if (regions[r].bytes + bytes > highest) highest = regions[r].bytes + bytes;
      TRM_TRY(trm_buffer_read(seen->buffers[i], 0, bytes, regions[r].bytes));
    }
    pointers[i] = regions[r].bytes;
  }
  return TRM_OK;
}

static trm_status run_twin(const counter *all, const trmi_seen *seen, const char *what)
{
  const trm_command *launch = seen->command;
  const trm_extent *n = &launch->extent;
  const trm_host_kernel *twin = NULL;
  void *pointers[TRM_MAX_BUFFERS];
  TRM_TRY(twin_of(all, seen, what, &twin));
  TRM_TRY(copy_buffers(seen, pointers));
  const int64_t rows = (int64_t)n->ny * n->nz;
  operations = 0;
  twin->run(n, 0, twin->kind == TRM_KERNEL_ROW ? rows : rows * n->nx, launch->params, pointers);
  return TRM_OK;
}

static trm_status count_launch(const counter *all, const trmi_seen *seen, row *to)
{
  TRM_TRY(run_twin(all, seen, "operations"));
  to->sums[FLOPS] += operations;
  TRM_TRY(run_twin(all, seen, "touches"));
  size_t bytes_read = 0, bytes_written = 0;
  for (size_t r = 0; r < region_count; r++)
    for (size_t i = 0; i < regions[r].count; i++) {
      bytes_read += (regions[r].marks[i] & READ) != 0;
      bytes_written += (regions[r].marks[i] & WRITTEN) != 0;
    }
  to->sums[BYTES_READ] += (double)bytes_read;
  to->sums[BYTES_WRITTEN] += (double)bytes_written;
  return TRM_OK;
}

static trm_status before(void *user, const trmi_seen *seen)
{
  counter *all = user;
  const trm_command *command = seen->command;
  const int is_launch = command->kind == TRM_COMMAND_LAUNCH;
  if (!all->is_counting) return TRM_OK;
  row *to = row_named(all, is_launch                            ? command->declaration->name
                           : command->kind == TRM_COMMAND_COPY ? "copy"
                                                                : "fill");
  if (!to) return TRM_FAIL(OVERFLOW, "more than %d kernels", KERNELS);
  to->calls++;
  if (is_launch) return count_launch(all, seen, to);
  to->sums[BYTES_READ] += command->kind == TRM_COMMAND_COPY ? (double)command->bytes : 0;
  to->sums[BYTES_WRITTEN] += (double)command->bytes;
  return TRM_OK;
}

static trm_status after(void *user, const trmi_seen *seen)
{
  trm_status status = TRM_OK;
  (void)user;
  for (size_t r = 0; r < region_count && status == TRM_OK; r++) {
    void *found = malloc(regions[r].count);
    status = found ? trm_buffer_read(regions[r].buffer, 0, regions[r].count, found)
                   : TRM_FAIL(NO_HOST_MEMORY, "no memory for a buffer");
    if (status == TRM_OK && memcmp(found, regions[r].bytes, regions[r].count) != 0)
      status = TRM_FAIL(INVALID, "kernel '%s' and its counted twin leave different values in '%s'",
                        seen->command->declaration->name, trmi_buffer_name(regions[r].buffer));
    free(found);
  }
  forget_regions();
  return status;
}

/* ---- the case ----------------------------------------------------------------------- */

static trm_status take_steps(counter *all, session *run, uint64_t steps, double *made)
{
  const trm_solver_type *type = run->chosen->type;
  uint64_t left = steps;
  *made = 0;
  all->is_counting = 1;
  while (left > 0) {
    uint64_t done = 0, most = run->solver->batch_limit;
    TRM_TRY(type->advance(run->solver, left < most ? left : most, (double)INFINITY, 0, &done));
    TRM_TRY(trm_device_finish(run->device));
    left -= done;
    if (type->account) TRM_TRY(type->account(run->solver, done, &done));
    *made += (double)done;
  }
  all->is_counting = 0;
  return TRM_OK;
}

static const row *find(const counter *all, const char *kernel)
{
  static const row none;
  for (size_t i = 0; i < all->row_count; i++)
    if (strcmp(all->rows[i].kernel, kernel) == 0) return &all->rows[i];
  return &none;
}

static const trm_traffic *declaration(const trm_solver *solver, const char *kernel)
{
  for (size_t t = 0; t < solver->traffic_count; t++)
    if (strcmp(solver->traffic[t].kernel, kernel) == 0) return &solver->traffic[t];
  return NULL;
}

/* All kernels of a step together. */
static row whole_of(const counter *all)
{
  row whole = {.kernel = "all"};
  for (size_t i = 0; i < all->row_count; i++)
    for (int f = 0; f < FIGURES; f++) whole.sums[f] += all->rows[i].sums[f];
  return whole;
}

/* Within the tolerance, or too little to matter: of the order of a thousandth of all that is moved
 * or computed. Not known (NaN) is not a claim. */
static int is_right(double declared, double counted, double tolerance, double all)
{
  return isnan(declared) || fabs(counted - declared) <= tolerance * fmax(counted, declared) ||
         fabs(counted - declared) <= little * all;
}

static int judge(const row *counted, const trm_traffic *declared, const row *whole, double steps,
                 double tolerance)
{
  const double figures[FIGURES] = {declared->bytes_read, declared->bytes_written, declared->flops};
  const double calls = fmax(counted->calls, 1);
  int are_right = declared->calls_per_step == 0 ||
                  is_right(declared->calls_per_step * steps, counted->calls, 0.01, 0);
  printf("%-18s %9.4g %-9.4g%s", declared->kernel, declared->calls_per_step,
         counted->calls / steps, are_right ? " " : "!");
  for (int f = 0; f < FIGURES; f++) {
    const int right = is_right(figures[f] * counted->calls, counted->sums[f], tolerance,
                               whole->sums[f]);
    printf(" %12.6g %-12.6g%s", figures[f], counted->sums[f] / calls, right ? " " : "!");
    are_right &= right;
  }
  printf("\n");
  return are_right;
}

/* Kernels that are not declared must not matter. */
static int judge_others(const counter *all, const trm_solver *solver, const row *whole,
                        double steps)
{
  row others = {.kernel = "others"};
  int are_right = 1;
  for (size_t i = 0; i < all->row_count; i++) {
    const row *one = &all->rows[i];
    if (declaration(solver, one->kernel)) continue;
    printf("%-18s         - %-9.4g ", one->kernel, one->calls / steps);
    for (int f = 0; f < FIGURES; f++) {
      printf("            - %-12.6g ", one->sums[f] / one->calls);
      others.sums[f] += one->sums[f];
    }
    printf("\n");
  }
  for (int f = 0; f < FIGURES; f++)
    are_right &= others.sums[f] <= 20 * little * whole->sums[f];
  if (!are_right) printf("what is not declared is more than a fiftieth of the whole!\n");
  return are_right;
}

static int judge_all(const counter *all, const trm_solver *solver, double steps, double tolerance)
{
  const row whole = whole_of(all);
  int are_right = judge_others(all, solver, &whole, steps);
  printf("%-18s calls a step         bytes read                 bytes written"
         "              operations\n", "declared counted");
  for (size_t t = 0; t < solver->traffic_count; t++)
    are_right &= judge(find(all, solver->traffic[t].kernel), &solver->traffic[t], &whole, steps,
                       tolerance);
  return are_right;
}

static trm_status count_case(counter *all, const run_case *chosen, uint64_t steps,
                             double tolerance, int *are_right)
{
  const trmi_trace_hooks trace = {.user = all, .before = before, .after = after};
  trm_context *context = NULL;
  trm_device *device = NULL;
  session run = {0};
  double made = 0;
  trm_status status = listing_context(&context);
  if (status == TRM_OK)
    status = device_open(context, "openmp", &chosen->settings.device, "traffic", &device);
  if (status == TRM_OK) {
    trmi_device_trace(device, &trace);
    status = session_begin(&run, chosen, device, NULL);
  }
  if (status == TRM_OK) status = take_steps(all, &run, steps, &made);
  if (status == TRM_OK) *are_right = judge_all(all, run.solver, made, tolerance);
  all->is_counting = 0;
  session_end(&run);
  trm_device_close(&device);
  trm_context_destroy(&context);
  return status;
}

int main(int argc, char **argv)
{
  static counter all;
  arguments args = {0};
  run_case chosen = {0};
  int are_right = 0;
  if (argc < 5) return 2;
  all.library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!all.library) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  trm_status status = arguments_parse(COMMAND_RUN, "run", argc - 3, argv + 3, &args);
  const case_request wanted = arguments_case(&args);
  if (status == TRM_OK) status = case_create(&wanted, &chosen);
  if (status == TRM_OK)
    status = count_case(&all, &chosen, (uint64_t)strtoull(argv[2], NULL, 10), strtod(argv[3], NULL),
                        &are_right);
  if (status != TRM_OK) fprintf(stderr, "%s\n", trm_error_last()->text);
  case_clear(&chosen);
  arguments_clear(&args);
  return status != TRM_OK ? 2 : !are_right;
}
