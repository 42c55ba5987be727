/* cuda_ptx.c - NVRTC makes a CUBIN of every kernel text, and the PTX on the way to it keeps
 * strict's promise: each operation rounds once, in its own precision, and a kernel waits for the
 * one before it.
 *
 * PTX is read as text: one instruction a line, its operation before the first blank. */
#include "tests/backend-cuda/nvrtc_texts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- code for a device --------------------------------------------------------------------- */

static int is_one_of(const instance *i, const char *const *texts)
{
  for (; *texts; texts++)
    if (strstr(i->file, *texts)) return 1;
  return 0;
}

/* An option of the compiler acts on every text alike: a text of each family shows it, and where the
 * tests are long each text. */
static const char *const families[] = { "/reduce.k", "/lbm.k", "/shallow_hllc.k", "/nbody_force.k",
                                        "/fv_common.k", "/lbm3d_trt.k", NULL };
static int is_shown_by_others(const instance *i)
{
  return !test_runs_long() && !is_one_of(i, families);
}

/* ptxas alone parses inline assembly and measures static shared memory: these texts have such
 * assembly of their own. */
static const char *const assembled[] = { "/fv_ausm.k", "/lbm3d_stored.k", NULL };

static trm_precision wanted;

static void make_cubin(const instance *i)
{
  size_t bytes;
  if (i->precision != wanted || (is_shown_by_others(i) && !is_one_of(i, assembled))) return;
  char *cubin = cubin_of(i, &bytes);
  assert_true(bytes > 64);
  assert_memory_equal(cubin, "\177ELF", 4);
  free(cubin);
}

/* A case a precision, since each case has a limit of time. ptxas takes whatever PTX NVRTC makes:
 * group memory is measured out at the launch. It takes as long again as NVRTC, so a text of each
 * family and each text of `assembled` become CUBINs in f32; where the tests are long, all do. The
 * cases below compile each text as far as PTX, which shows NVRTC's warnings. */
static void make_cubins(trm_precision precision)
{
  wanted = precision;
  each_text(TRM_STRICT, PLAIN, make_cubin);
}

static void texts_in_f32_become_cubins_without_a_warning(void) { make_cubins(TRM_F32); }
static void texts_in_f64_become_cubins_without_a_warning(void)
{
  test_is_long();
  make_cubins(TRM_F64);
}

static void make_others(trm_precision precision)
{
  test_is_long();
  wanted = precision;
  each_text(TRM_STRICT, VARIANTS, make_cubin);
  each_text(TRM_FAST, PLAIN, make_cubin);
}

static void every_variant_and_fast_text_in_f32_becomes_a_cubin(void) { make_others(TRM_F32); }
static void every_variant_and_fast_text_in_f64_becomes_a_cubin(void) { make_others(TRM_F64); }

/* A form of Lax-Friedrichs in three kernels, as solvers/shallow/implementation.c writes it. */
#define WATER(padded, constants, slopes, results, pitch, shuffles, gather, table) \
  "#define IMPL_ONE 1\n#define IMPL_TILE_X 10\n#define IMPL_TILE_Y 10\n" \
  "#define IMPL_TABLE_VALUES R(1.0), R(1.0), R(1.0), R(1.0), R(1.0), R(1.0)\n" \
  "#define IMPL_PADDED " #padded "\n#define IMPL_CONSTANTS " #constants \
  "\n#define IMPL_SLOPES " #slopes "\n#define IMPL_RESULTS " #results \
  "\n#define IMPL_PITCH " #pitch "\n#define IMPL_SHUFFLES " #shuffles \
  "\n#define IMPL_GATHER " #gather "\n#define IMPL_TILED 1\n" \
  "#define IMPL_CONSTANTS_IN_TABLE " #table "\n"

/* Forms that a GPU alone compiles, and groups of any shape. */
typedef struct gpu_form { const char *file, *lines; int columns, rows; } gpu_form;
static const gpu_form gpu_forms[] = {
  {"/lbm_implementations.k", "#define IMPL_ONE 1\n#define IMPL_ONE_arrays 1\n"
                             "#define IMPL_ONE_arrays_mask 1\n", 10, 10},
  {"/lbm_implementations.k", "#define IMPL_ONE 1\n#define IMPL_ONE_structs 1\n"
                             "#define IMPL_ONE_structs_select 1\n", 32, 4},
  {"/cylinder.k", "#define CYLINDER_ACROSS 1\n", 8, 128},
  {"/nbody_force.k", "#define NBODY_LOADS 16\n#define NBODY_EACH 1\n#define NBODY_TARGETS 0\n",
   0, 0},
  {"/nbody_force.k", "#define NBODY_LOADS 4\n#define NBODY_EACH 8\n#define NBODY_TARGETS 4\n",
   0, 0},
  {"/nbody_force.k", "#define NBODY_LOADS 0\n#define NBODY_EACH 1\n#define NBODY_TARGETS 0\n"
                     "#define NBODY_REREAD 1\n", 0, 0},
  {"/shallow_implementations.k", WATER(1, 2, 1, 1, 13, 1, 1, 1), 10, 10},
};

/* The form's text as an instance, with other lines if these are given. */
static instance instance_of(const gpu_form *form, const char *lines, trm_precision precision)
{
  for (size_t t = 0; cuda_kernel_texts[t].file; t++)
    if (strstr(cuda_kernel_texts[t].file, form->file))
      return (instance){cuda_kernel_texts[t].file, cuda_kernel_texts[t].text,
                        trm_text_kernel_header, "", precision, TRM_STRICT,
                        lines ? lines : form->lines, form->columns, form->rows};
  fail_msg("no text %s", form->file);
  abort();
}

static void forms_of_gpus_become_cubins(void)
{
  need_nvrtc();
  for (size_t k = 0; k < sizeof gpu_forms / sizeof *gpu_forms; k++) {
    size_t bytes;
    const instance i = instance_of(&gpu_forms[k], NULL, k % 2 ? TRM_F32 : TRM_F64);
    char *cubin = compile(&i, (cuda_target){ARCH, 0}, &bytes);
    assert_memory_equal(cubin, "\177ELF", 4);
    free(cubin);
  }
}

/* A run says its form (solver/programs.c), so that branches and their variables go. */
static void forms_of_flow_compile_without_a_warning(void)
{
  static const gpu_form flows[] = {{"/fv_ausm.k", "#define FV_FORM 0\n", 0, 0},
                                   {"/fv_ausm.k", "#define FV_FORM 16\n", 0, 0}};
  need_nvrtc();
  for (size_t k = 0; k < sizeof flows / sizeof *flows; k++) {
    size_t bytes;
    const instance i = instance_of(&flows[k], NULL, k % 2 ? TRM_F64 : TRM_F32);
    free(compile(&i, (cuda_target){ARCH, 1}, &bytes));
  }
}

/* How often the operation stands in a kernel of the PTX; beginnings count: "ld.shared". */
static int count_in(const char *ptx, const char *kernel, const char *operation)
{
  char heading[128];
  int found = 0;
  snprintf(heading, sizeof heading, ".entry %s(", kernel);
  const char *begin = strstr(ptx, heading), *end = begin ? strstr(begin, "\n}") : NULL;
  if (!end) fail_msg("no kernel %s", kernel);
  for (const char *at = begin; (at = strstr(at, operation)) && at < end; at++) found++;
  return found;
}

typedef void check_fn(const char *operation, const char *line, const instance *i);
static void each_instruction(char *ptx, const instance *i, check_fn *check);
static check_fn check_strict;

static int count_of_water(const char *lines, const char *kernel, const char *operation)
{
  static const gpu_form water = {"/shallow_implementations.k", NULL, 10, 10};
  size_t bytes;
  const instance i = instance_of(&water, lines, TRM_F32);
  char *ptx = compile(&i, (cuda_target){ARCH, 1}, &bytes);
  const int found = count_in(ptx, kernel, operation);
  free(ptx);
  return found;
}

/* Each form does what its keys say: so many loads and stores, and none of another form's. */
static void forms_have_the_instructions_that_they_name(void)
{
  static const struct {
    const char *lines, *kernel, *operation;
    int least, most;
  } asked[] = {
    {WATER(0, 0, 0, 0, 12, 0, 0, 0), "shallow_update", "ld.global", 19, 19},
    {WATER(0, 0, 0, 0, 12, 0, 0, 0), "shallow_update", ".shared", 0, 0},
    {WATER(0, 1, 0, 0, 12, 0, 0, 0), "shallow_update", "ld.global", 24, 24},
    {WATER(0, 2, 0, 0, 12, 0, 0, 1), "shallow_update", "ld.const", 5, 5},
    /* of a side above 2^24, f32 has no exact number */
    {WATER(0, 1, 0, 0, 12, 0, 0, 0), "shallow_update", "cvt.rzi", 0, 0},
    {WATER(0, 2, 0, 0, 12, 0, 0, 1), "shallow_update", "cvt.rzi", 0, 0},
    {WATER(0, 0, 1, 1, 12, 0, 0, 0), "shallow_update_tile", "bar.sync", 3, 3},
    {WATER(0, 0, 0, 0, 12, 0, 0, 0), "shallow_update_tile", "bar.sync", 2, 2},
    {WATER(0, 0, 1, 0, 12, 0, 0, 0), "shallow_update_tile", "ld.shared", 17, 17},
    {WATER(0, 0, 0, 0, 12, 0, 0, 0), "shallow_update_tile", "ld.shared", 15, 15},
    {WATER(0, 0, 0, 0, 12, 0, 0, 0), "shallow_maximum", "shfl", 0, 0},
    {WATER(0, 0, 0, 0, 12, 1, 0, 0), "shallow_maximum", "shfl", 10, 99},
    {WATER(0, 0, 0, 0, 12, 0, 0, 0), "shallow_maximum", "atom.", 0, 0},
    {WATER(0, 0, 0, 0, 12, 0, 1, 0), "shallow_maximum", "atom.global.max", 1, 9},
    {WATER(0, 0, 0, 0, 12, 0, 2, 0), "shallow_maximum", "atom.global.cas", 1, 9},
  };
  need_nvrtc();
  for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
    const int found = count_of_water(asked[k].lines, asked[k].kernel, asked[k].operation);
    if (found < asked[k].least || found > asked[k].most)
      fail_msg("%s has %d %s where %d to %d are asked, with\n%s", asked[k].kernel, found,
               asked[k].operation, asked[k].least, asked[k].most, asked[k].lines);
  }
  assert_true(count_of_water(WATER(1, 0, 0, 0, 12, 0, 0, 0), "shallow_update", "setp") <
              count_of_water(WATER(0, 0, 0, 0, 12, 0, 0, 0), "shallow_update", "setp"));
}

/* With read-only loads, all that a kernel only reads is loaded so, and nothing is waited for. */
static void loads_are_read_only_where_launches_do_not_overlap(void)
{
  static const struct { gpu_form of; const char *kernel; int least, written; } asked[] = {
    {{"/shallow_implementations.k", WATER(0, 0, 0, 0, 12, 0, 0, 0), 16, 16}, "shallow_update", 19,
     0},
    {{"/nbody_force.k", "#define NBODY_LOADS 16\n#define NBODY_EACH 1\n#define NBODY_TARGETS 0\n",
      0, 0}, "nbody_force_plain", 1, 3}, /* sums of segments before */
    {{"/fv_implementations.k", "", 0, 0}, "fv_list_faces", 20, 0},
  };
  size_t bytes;
  need_nvrtc();
  for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
    char lines[1024];
    instance i = instance_of(&asked[k].of, NULL, TRM_F32);
    char *plain = compile(&i, (cuda_target){ARCH, 1}, &bytes);
    snprintf(lines, sizeof lines, "%s%s", cuda_read_only_text.before, i.lines);
    i.lines = lines;
    char *other = compile(&i, (cuda_target){ARCH, 1}, &bytes);
    const int loads = count_in(other, asked[k].kernel, "ld.global");
    assert_int_equal(count_in(plain, asked[k].kernel, "ld.global.nc"), 0);
    assert_int_equal(count_in(other, asked[k].kernel, "ld.global.nc") + asked[k].written, loads);
    assert_true(loads - asked[k].written >= asked[k].least);
    assert_int_equal(count_in(plain, asked[k].kernel, "griddepcontrol.wait"), 1);
    assert_int_equal(count_in(other, asked[k].kernel, "griddepcontrol"), 0);
    each_instruction(other, &i, check_strict);
    free(plain);
    free(other);
  }
}

/* Before compute capability 6.0 no instruction adds doubles. This NVRTC compiles for none of those
 * devices, so the dialect is told of a later limit. */
static void doubles_are_added_by_swaps_where_there_is_no_instruction(void)
{
  static const gpu_form push = {"/fv_push.k", NULL, 0, 0};
  static const char limit[] = "__CUDA_ARCH__ >= 600";
  size_t bytes;
  need_nvrtc();
  instance i = instance_of(&push, "", TRM_F64);
  char *dialect = strdup(trm_text_kernel_header), *at = strstr(dialect, limit);
  assert_non_null(at);
  at[sizeof limit - 4] = '9'; /* 999 */
  at[sizeof limit - 3] = at[sizeof limit - 2] = '9';
  i.dialect = dialect;
  char *swapped = compile(&i, (cuda_target){ARCH, 1}, &bytes);
  assert_int_equal(count_in(swapped, "fv_push_both", "atom.global.add"), 0);
  assert_true(count_in(swapped, "fv_push_both", "atom.global.cas") > 0);
  free(swapped);
  free(dialect);
}

/* The PTX on the way to a CUBIN is the PTX that is asked for by itself. */
static void both_ways_lead_to_one_ptx(void)
{
  size_t bytes;
  need_nvrtc();
  const instance i = {cuda_kernel_texts[0].file, cuda_kernel_texts[0].text, trm_text_kernel_header,
                      "", TRM_F32, TRM_STRICT, NULL, 0, 0};
  char *alone = compile(&i, (cuda_target){ARCH, 1}, &bytes), *on_the_way = ptx_of(&i);
  assert_string_equal(alone, on_the_way);
  free(alone);
  free(on_the_way);
}

/* ---- instructions -------------------------------------------------------------------------- */

/* Calls check(operation, line, i) for every instruction of a PTX text. */
static void each_instruction(char *ptx, const instance *i, check_fn *check)
{
  char *rest = NULL;
  for (char *line = strtok_r(ptx, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char operation[128];
    const char *p = line + strspn(line, " \t");
    if (*p == '@') p += strcspn(p, " \t"), p += strspn(p, " \t");
    snprintf(operation, sizeof operation, "%.*s", (int)strcspn(p, " \t;"), p);
    if (isalpha((unsigned char)operation[0])) check(operation, line, i);
  }
}

static int begins(const char *operation, const char *name)
{
  const size_t length = strlen(name);
  return strncmp(operation, name, length) == 0 && operation[length] == '.';
}

static int is_float(const char *operation)
{
  return strstr(operation, ".f32") || strstr(operation, ".f64");
}

static int arithmetic_seen, contractions_seen;

/* The guesses that kernel_math.h asks for by name and refines to the rounded number. */
static int is_refined(const char *operation, const instance *i)
{
  return i->precision == TRM_F32 &&
         (begins(operation, "rcp.approx.ftz") || begins(operation, "rsqrt.approx.ftz"));
}

static void check_strict(const char *operation, const char *line, const instance *i)
{
  static const char *const rounded[] = {"add", "sub", "mul", "div", "sqrt", "fma", "mad", "rcp"};
  if (!is_float(operation) || is_refined(operation, i)) return;
  if (strstr(operation, ".ftz")) fail_msg("%s flushes subnormals: %s", describe(i), line);
  if (strstr(operation, ".approx")) fail_msg("%s approximates: %s", describe(i), line);
  if (strstr(operation, ".full")) fail_msg("%s divides inexactly: %s", describe(i), line);
  for (size_t k = 0; k < sizeof rounded / sizeof rounded[0]; k++)
    if (begins(operation, rounded[k])) {
      arithmetic_seen++;
      if (!strstr(operation, ".rn")) fail_msg("%s may be contracted: %s", describe(i), line);
    }
}

/* Texts whose loads in f64 are read too: what they load was written by the launch before, or its
 * index is read from memory. */
static const char *const loading[] = { "/shallow_lf.k", "/fv_ausm.k", "/fv_implementations.k",
                                       "/fv_push.k", "/nbody_tree.k", "/nbody_walk.k", NULL };

/* Each text is read in f32, and these and one of each family in f64; where the tests are long, each
 * is. With tests/dialect/nvidia_opencl.sh, clang reads each text in f64. */
static int is_passed_over(const instance *i)
{
  if (i->precision == TRM_F32 || test_runs_long()) return 0;
  return *i->variant || !(is_one_of(i, families) || is_one_of(i, loading));
}

static void read_strict(const instance *i)
{
  if (is_passed_over(i)) return;
  char *ptx = ptx_of(i);
  each_instruction(ptx, i, check_strict);
  free(ptx);
}

static void strict_ptx_rounds_every_operation(void)
{
  arithmetic_seen = 0;
  each_text(TRM_STRICT, ALL, read_strict);
  assert_true(arithmetic_seen > 100);
}

/* ---- contraction -------------------------------------------------------------------------- */

/* The dialect with its fma written as a product and a sum. */
static char *dialect_without_fma(void)
{
  static const char *const forms[] = {"define trm_fma(a, b, c) fmaf(a, b, c)",
                                      "define trm_fma(a, b, c) fma(a, b, c)"};
  char *dialect = strdup(trm_text_kernel_header);
  int replaced = 0;
  for (size_t k = 0; k < 2; k++)
    for (char *p = dialect; (p = strstr(p, forms[k])); replaced++) {
      static const char plain[] = "define trm_fma(a, b, c) ((a)*(b)+(c))";
      const size_t length = strlen(forms[k]), shorter = sizeof plain - 1;
      assert_true(shorter <= length + 4);
      char *longer = malloc(strlen(dialect) + shorter + 1);
      const size_t before = (size_t)(p - dialect);
      memcpy(longer, dialect, before);
      memcpy(longer + before, plain, shorter);
      strcpy(longer + before + shorter, p + length);
      free(dialect);
      dialect = longer;
      p = dialect + before + shorter;
    }
  assert_true(replaced >= 2);
  return dialect;
}

static void check_no_fma(const char *operation, const char *line, const instance *i)
{
  if (is_float(operation) && (begins(operation, "fma") || begins(operation, "mad")))
    fail_msg("%s: a product and a sum were contracted: %s", describe(i), line);
}

static void count_fma(const char *operation, const char *line, const instance *i)
{
  (void)line;
  (void)i;
  contractions_seen += is_float(operation) && begins(operation, "fma");
}

static char *plain_dialect;

/* One option of the compiler forbids it, in both precisions: f64 where the tests are long. Of the
 * fast texts so many are read as show something. */
enum { SHOWN = 100 };
static void read_plain(const instance *given)
{
  size_t bytes;
  instance i = *given;
  if (i.precision == TRM_F64 && !test_runs_long()) return;
  if (i.math == TRM_FAST ? contractions_seen > SHOWN : is_shown_by_others(given)) return;
  i.dialect = plain_dialect;
  char *ptx = compile(&i, (cuda_target){ARCH, 1}, &bytes);
  each_instruction(ptx, &i, i.math == TRM_STRICT ? check_no_fma : count_fma);
  free(ptx);
}

/* The fast texts show that the search would find one. */
static void strict_ptx_has_no_fma_that_the_text_did_not_write(void)
{
  plain_dialect = dialect_without_fma();
  contractions_seen = 0;
  each_text(TRM_FAST, PLAIN, read_plain);
  assert_true(contractions_seen > SHOWN);
  each_text(TRM_STRICT, PLAIN, read_plain);
  free(plain_dialect);
}

static void nor_has_a_variant(void)
{
  test_is_long();
  plain_dialect = dialect_without_fma();
  each_text(TRM_STRICT, VARIANTS, read_plain);
  free(plain_dialect);
}

/* ---- precision and order ----------------------------------------------------------------- */

static void check_no_f64(const char *operation, const char *line, const instance *i)
{
  if (strstr(operation, ".f64")) fail_msg("%s computes in f64: %s", describe(i), line);
}

static void read_f32(const instance *i)
{
  if (i->precision != TRM_F32 || (i->math == TRM_FAST && is_shown_by_others(i))) return;
  char *ptx = ptx_of(i);
  each_instruction(ptx, i, check_no_f64);
  free(ptx);
}

/* A fast text differs from the strict one in options of the compiler: variants where the tests are
 * long. */
static int what_is_fast(void)
{
  return test_runs_long() ? ALL : PLAIN;
}

static void f32_ptx_has_no_f64_operation(void)
{
  each_text(TRM_STRICT, ALL, read_f32);
  each_text(TRM_FAST, what_is_fast(), read_f32);
}

/* Programmatic dependent launch is only correct if a kernel touches no memory before it waits. */
static int waited, entries_seen;
static char kernel_name[128];

static void check_wait(const char *operation, const char *line, const instance *i)
{
  static const char *const memory[] = {"ld.global", "st.global", "ld.shared", "st.shared", "atom",
                                       "red", "bar", "ret", "ld.weak", "ld", "st", "cp"};
  if (strcmp(operation, "griddepcontrol.wait") == 0) waited = 1;
  if (begins(operation, "ld") && strstr(operation, ".nc"))
    fail_msg("%s, %s: a non-coherent load of memory that other launches write: %s",
             describe(i), kernel_name, line);
  /* Local memory is an item's own: no other launch sees it. */
  if (begins(operation, "ld.local") || begins(operation, "st.local")) return;
  if (waited || strncmp(operation, "ld.param", 8) == 0) return;
  for (size_t k = 0; k < sizeof memory / sizeof memory[0]; k++)
    if (strcmp(operation, memory[k]) == 0 || begins(operation, memory[k]))
      fail_msg("%s, %s: memory is touched, or the kernel left, before griddepcontrol.wait: %s",
               describe(i), kernel_name, line);
}

static void read_wait(const instance *i)
{
  if (i->math == TRM_FAST && (i->precision == TRM_F64 ? !test_runs_long() : is_shown_by_others(i)))
    return;
  if (is_passed_over(i)) return;
  char *ptx = ptx_of(i), *next;
  for (char *entry = strstr(ptx, ".entry "); entry; entry = next) {
    next = strstr(entry + 1, ".entry ");
    if (next) next[-1] = '\0';
    waited = 0;
    entries_seen++;
    (void)sscanf(entry, ".entry %127[^( ]", kernel_name);
    char *body = strdup(entry);
    each_instruction(body, i, check_wait);
    free(body);
    if (!waited) fail_msg("%s, %s: no griddepcontrol.wait", describe(i), kernel_name);
  }
  free(ptx);
}

static void every_kernel_waits_for_the_one_before_it_first(void)
{
  if (!strstr(trm_text_kernel_header, "griddepcontrol.wait"))
    TEST_SKIP("the dialect has no griddepcontrol.wait: launches are never overlapped");
  entries_seen = 0;
  each_text(TRM_STRICT, ALL, read_wait);
  each_text(TRM_FAST, what_is_fast(), read_wait);
  assert_true(entries_seen > 3);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(texts_in_f32_become_cubins_without_a_warning),
    TEST_HOST(texts_in_f64_become_cubins_without_a_warning),
    TEST_HOST(every_variant_and_fast_text_in_f32_becomes_a_cubin),
    TEST_HOST(every_variant_and_fast_text_in_f64_becomes_a_cubin),
    TEST_HOST(forms_of_gpus_become_cubins),
    TEST_HOST(forms_of_flow_compile_without_a_warning),
    TEST_HOST(forms_have_the_instructions_that_they_name),
    TEST_HOST(loads_are_read_only_where_launches_do_not_overlap),
    TEST_HOST(doubles_are_added_by_swaps_where_there_is_no_instruction),
    TEST_HOST(both_ways_lead_to_one_ptx),
    TEST_HOST(strict_ptx_rounds_every_operation),
    TEST_HOST(strict_ptx_has_no_fma_that_the_text_did_not_write),
    TEST_HOST(nor_has_a_variant),
    TEST_HOST(f32_ptx_has_no_f64_operation),
    TEST_HOST(every_kernel_waits_for_the_one_before_it_first),
  };
  return TEST_RUN(argc, argv, cases);
}
