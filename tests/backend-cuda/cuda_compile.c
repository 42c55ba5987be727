/* cuda_compile.c - NVRTC compiles every kernel text, and the PTX keeps strict's promise.
 *
 * No GPU is needed. NVRTC is taken from TRIREME_NVRTC, the loader's path or the toolkit that
 * configure found; where there is none the cases are skipped, or fail when TRIREME_REQUIRE names
 * "nvrtc". PTX is read as text: one instruction a line, its operation before the first blank. */
#include "tests/harness.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend-cuda/device.h"
#include "backend-cuda/kernel_texts.h"

extern const char trm_text_kernel_header[];

enum { ARCH = 90 };

static void log_nothing(trm_log_level level, const char *format, ...)
{
  (void)level;
  (void)format;
}

/* ---- NVRTC ------------------------------------------------------------------------ */

static int is_required(const char *word)
{
  const char *list = getenv("TRIREME_REQUIRE");
  const size_t length = strlen(word);
  for (const char *p = list ? strstr(list, word) : NULL; p; p = strstr(p + 1, word))
    if ((p == list || strchr(" ,", p[-1])) && (!p[length] || strchr(" ,", p[length]))) return 1;
  return 0;
}

/* The toolkit's NVRTC, where the loader does not know it. */
static const char *open_toolkit(const char *problem)
{
  glob_t found;
  if (!*CUDA_TOOLKIT_LIB || glob(CUDA_TOOLKIT_LIB "/libnvrtc.so.[0-9]*", 0, NULL, &found) != 0)
    return problem;
  setenv("TRIREME_NVRTC", found.gl_pathv[0], 1);
  globfree(&found);
  return cuda_nvrtc_open(99000);
}

/* Opens NVRTC once; skips or fails the case where there is none. */
static void need_nvrtc(void)
{
  static const trm_services services = {TRM_BACKEND_ABI, sizeof services, trm_error_record,
                                        log_nothing, NULL, 0};
  static const char *problem = "not looked for";
  if (!cuda_services) {
    cuda_services = &services;
    problem = cuda_nvrtc_open(99000);
    if (problem && !getenv("TRIREME_NVRTC")) problem = open_toolkit(problem);
  }
  if (!problem) return;
  if (is_required("nvrtc")) fail_msg("no NVRTC: %s", problem);
  TEST_SKIP("no NVRTC: %s", problem);
}

/* ---- every text in every instance --------------------------------------------------- */

typedef struct instance {
  const char *file, *text, *dialect;
  const char *variant;
  trm_precision precision;
  trm_math math;
} instance;

static const char *describe(const instance *i)
{
  static char text[256];
  snprintf(text, sizeof text, "%s %s %s%s%s", i->file, i->precision == TRM_F64 ? "f64" : "f32",
           i->math == TRM_STRICT ? "strict" : "fast", *i->variant ? " " : "", i->variant);
  return text;
}

/* As solvers/fv has it: in three dimensions an item a column of a block (fv_columns.h). */
static int group_of(const instance *i)
{
  const int by_columns = strstr(i->file, "/fv.k") || strstr(i->file, "/fv_common.k");
  return by_columns && !strstr(i->variant, "flat") ? 64 : 256;
}

/* NULL (with the case failed) when it does not compile. */
static char *compile(const instance *i, cuda_target target, size_t *bytes)
{
  char defines[512], *log = NULL;
  void *image = NULL;
  snprintf(defines, sizeof defines,
           "#define TRM_F64_KERNEL %d\n#define TRM_STRICT_KERNEL %d\n#define TRM_ROW_GX 128\n"
           "#define TRM_ROW_GY 1\n#define TRM_GROUP %d\n%s%s%s", i->precision == TRM_F64,
           i->math == TRM_STRICT, group_of(i), *i->variant ? "#define TRM_VARIANT_" : "",
           i->variant, *i->variant ? " 1\n" : "");
  const trm_build build = {.name = i->file, .dialect_file = "core/kernel.h", .dialect = i->dialect,
                           .file = i->file, .text = i->text, .defines = defines,
                           .precision = i->precision, .math = i->math, .row_group_x = 128,
                           .row_group_y = 1, .group = group_of(i)};
  if (cuda_compile(&build, target, NULL, &log, &image, bytes) != TRM_OK)
    fail_msg("%s: %s", describe(i), trm_error_last()->text);
  if (log) fail_msg("%s: the compiler warns: %s", describe(i), log);
  return image;
}

/* The PTX of a text as it is: several cases read it, and NVRTC takes long. */
static char *ptx_of(const instance *i)
{
  static struct { char *what, *ptx; } kept[1024];
  size_t at = 0, bytes;
  while (at < sizeof kept / sizeof *kept - 1 && kept[at].what &&
         strcmp(kept[at].what, describe(i)) != 0)
    at++;
  if (!kept[at].what) {
    kept[at].ptx = compile(i, (cuda_target){ARCH, 1}, &bytes);
    kept[at].what = strdup(describe(i));
  }
  assert_string_equal(kept[at].what, describe(i));
  return strdup(kept[at].ptx);
}

typedef void visit_fn(const instance *i);

static void visit_variants(instance i, const char *variants, visit_fn *visit)
{
  char names[256], *rest = NULL;
  snprintf(names, sizeof names, "%s", variants);
  i.variant = "";
  visit(&i);
  for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
    i.variant = name;
    visit(&i);
  }
}

/* Calls visit for every text x precision x variant in one arithmetic; at least one. */
static void each_text(trm_math math, visit_fn *visit)
{
  need_nvrtc();
  assert_non_null(cuda_kernel_texts[0].file);
  for (const cuda_kernel_text *t = cuda_kernel_texts; t->file; t++)
    for (int f64 = 0; f64 < 2; f64++)
      visit_variants((instance){.file = t->file, .text = t->text, .dialect = trm_text_kernel_header,
                                .precision = f64 ? TRM_F64 : TRM_F32, .math = math},
                     t->variants, visit);
}

static trm_precision wanted;

static void make_cubin(const instance *i)
{
  size_t bytes;
  if (i->precision != wanted) return;
  char *cubin = compile(i, (cuda_target){ARCH, 0}, &bytes);
  assert_true(bytes > 64);
  assert_memory_equal(cubin, "\177ELF", 4);
  free(cubin);
}

static void make_cubin_of_text(const instance *i)
{
  if (!*i->variant) make_cubin(i);
}

static void make_cubin_of_variant(const instance *i)
{
  if (*i->variant) make_cubin(i);
}

/* A case a precision, since each case has a limit of time. */
static void make_cubins(trm_precision precision)
{
  wanted = precision;
  each_text(TRM_STRICT, make_cubin_of_text);
  each_text(TRM_FAST, make_cubin_of_text);
}

static void every_text_in_f32_becomes_a_cubin_without_a_warning(void) { make_cubins(TRM_F32); }
static void every_text_in_f64_becomes_a_cubin_without_a_warning(void) { make_cubins(TRM_F64); }

/* The cases below compile every variant as far as PTX; ptxas takes much longer with it. */
static void make_cubins_of_variants(trm_precision precision)
{
  test_is_long();
  wanted = precision;
  each_text(TRM_STRICT, make_cubin_of_variant);
}

static void every_variant_in_f32_becomes_a_cubin(void) { make_cubins_of_variants(TRM_F32); }
static void every_variant_in_f64_becomes_a_cubin(void) { make_cubins_of_variants(TRM_F64); }

/* What the dialect defines and a text leaves unused is nobody's mistake. NVRTC keeps silent about
 * other files than the text's own, so the dialect is made a part of it. */
static void a_text_that_uses_little_of_the_dialect_has_no_warning(void)
{
  static const char *const texts[] = {
    "",
    "TRM_ROW_KERNEL1(fill, 0, trm_extent, TRM_RW(real) to)\n"
    "{\n  TRM_ROW(y);\n  TRM_CELLS(x) { to[y * TRM_NX + x] = R(1.0); }\n}\n",
    "TRM_GROUP_KERNEL1(fill, TRM_NO_SHARED, trm_extent, TRM_RW(real) to)\n"
    "{\n  TRM_ITEMS(t) { to[t] = R(1.0); }\n}\n",
  };
  need_nvrtc();
  for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
    for (int form = 0; form < 4; form++) {
      const size_t dialect = strlen(trm_text_kernel_header);
      size_t bytes;
      char *whole = malloc(dialect + strlen(texts[t]) + 1);
      const instance i = {"little.k", whole, "", "", form & 1 ? TRM_F64 : TRM_F32,
                          form & 2 ? TRM_FAST : TRM_STRICT};
      assert_non_null(whole);
      memcpy(whole, trm_text_kernel_header, dialect);
      strcpy(whole + dialect, texts[t]);
      free(compile(&i, (cuda_target){ARCH, 1}, &bytes));
      free(whole);
    }
}

/* ---- reading PTX ----------------------------------------------------------------------- */

/* Calls check(operation, line, i) for every instruction of a PTX text. */
typedef void check_fn(const char *operation, const char *line, const instance *i);

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

static void read_strict(const instance *i)
{
  char *ptx = ptx_of(i);
  each_instruction(ptx, i, check_strict);
  free(ptx);
}

static void strict_ptx_rounds_every_operation(void)
{
  arithmetic_seen = 0;
  each_text(TRM_STRICT, read_strict);
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

static void read_plain(const instance *given)
{
  size_t bytes;
  instance i = *given;
  i.dialect = plain_dialect;
  char *ptx = compile(&i, (cuda_target){ARCH, 1}, &bytes);
  each_instruction(ptx, &i, i.math == TRM_STRICT ? check_no_fma : count_fma);
  free(ptx);
}

static void read_plain_text(const instance *i)
{
  if (!*i->variant) read_plain(i);
}

static void read_plain_variant(const instance *i)
{
  if (*i->variant) read_plain(i);
}

/* The fast texts, of which those without a variant do, show that the search would find one. */
static void strict_ptx_has_no_fma_that_the_text_did_not_write(void)
{
  plain_dialect = dialect_without_fma();
  contractions_seen = 0;
  each_text(TRM_FAST, read_plain_text);
  assert_true(contractions_seen > 10);
  each_text(TRM_STRICT, read_plain_text);
  free(plain_dialect);
}

/* One option of the compiler forbids it in all of them. */
static void nor_has_a_variant(void)
{
  test_is_long();
  plain_dialect = dialect_without_fma();
  each_text(TRM_STRICT, read_plain_variant);
  free(plain_dialect);
}

/* ---- precision and order ----------------------------------------------------------------- */

static void check_no_f64(const char *operation, const char *line, const instance *i)
{
  if (strstr(operation, ".f64")) fail_msg("%s computes in f64: %s", describe(i), line);
}

static void read_f32(const instance *i)
{
  if (i->precision != TRM_F32) return;
  char *ptx = ptx_of(i);
  each_instruction(ptx, i, check_no_f64);
  free(ptx);
}

static void f32_ptx_has_no_f64_operation(void)
{
  each_text(TRM_STRICT, read_f32);
  each_text(TRM_FAST, read_f32);
}

/* Programmatic dependent launch is only correct if a kernel touches no memory before it waits. */
static int waited, entries_seen;

static void check_wait(const char *operation, const char *line, const instance *i)
{
  static const char *const memory[] = {"ld.global", "st.global", "ld.shared", "st.shared", "atom",
                                       "red", "bar", "ret", "ld.weak", "ld", "st", "cp"};
  if (strcmp(operation, "griddepcontrol.wait") == 0) waited = 1;
  if (begins(operation, "ld") && strstr(operation, ".nc"))
    fail_msg("%s: a non-coherent load of what the launch before it may write: %s", describe(i),
             line);
  /* Local memory is an item's own: no other launch sees it. */
  if (begins(operation, "ld.local") || begins(operation, "st.local")) return;
  if (waited || strncmp(operation, "ld.param", 8) == 0) return;
  for (size_t k = 0; k < sizeof memory / sizeof memory[0]; k++)
    if (strcmp(operation, memory[k]) == 0 || begins(operation, memory[k]))
      fail_msg("%s: memory is touched, or the kernel left, before griddepcontrol.wait: %s",
               describe(i), line);
}

static void read_wait(const instance *i)
{
  char *ptx = ptx_of(i), *next;
  for (char *entry = strstr(ptx, ".entry "); entry; entry = next) {
    next = strstr(entry + 1, ".entry ");
    if (next) next[-1] = '\0';
    waited = 0;
    entries_seen++;
    char *body = strdup(entry);
    each_instruction(body, i, check_wait);
    free(body);
    if (!waited) fail_msg("%s: a kernel without griddepcontrol.wait", describe(i));
  }
  free(ptx);
}

static void every_kernel_waits_for_the_one_before_it_first(void)
{
  if (!strstr(trm_text_kernel_header, "griddepcontrol.wait"))
    TEST_SKIP("the dialect has no griddepcontrol.wait: launches are never overlapped");
  entries_seen = 0;
  each_text(TRM_STRICT, read_wait);
  each_text(TRM_FAST, read_wait);
  assert_true(entries_seen > 3);
}

/* ---- several steps a launch ---------------------------------------------------------------- */

/* What march.c asks of a driver while it builds: here all code has so many bytes of values that do
 * not fit in registers. */
static int spilled;
static cu_result load(cu_module *module, const void *image)
{
  (void)image;
  *module = NULL;
  return CU_OK;
}
static cu_result find(cu_function *function, cu_module module, const char *name)
{
  (void)module, (void)name;
  *function = NULL;
  return CU_OK;
}
static cu_result tell(int *value, cu_attribute attribute, cu_function function)
{
  (void)function;
  assert_int_equal(attribute, CU_FUNC_LOCAL_BYTES);
  *value = spilled;
  return CU_OK;
}
static cu_result unload(cu_module module)
{
  (void)module;
  return CU_OK;
}

/* The images of a build, whose lengths are in their heads: how many, and of which the strips are
 * the roomy ones. */
static void count_images(const unsigned char *image, size_t bytes, int *count, int *roomy)
{
  const uint64_t mark = CUDA_MARCH_MARK;
  uint64_t length;
  *count = *roomy = 0;
  for (size_t at = 0; at + 16 < bytes; at += 16) {
    if (memcmp(image + at, &mark, sizeof mark) != 0) continue;
    memcpy(&length, image + at + 8, sizeof length);
    ++*count;
    if (length >> 62 & 1) ++*roomy;
  }
}

/* The lattice's step as march.c has it compiled: every shape becomes a CUBIN; strips that spill are
 * compiled in another shape. */
static void a_stepping_kernel_compiles_for_several_steps_a_launch(void)
{
  static const trm_stepping steps = {0, 1, 9, 4, 24, 28, 32, 1, 1};
  static const trm_host_kernel kernel = {.name = "lbm_step", .kind = TRM_KERNEL_ROW, .halo = 1,
                                         .buffer_count = 4, .access = "rwrw", .steps = &steps};
  static const trm_host_module module = {.kernel_count = 1, .kernels = &kernel};
  const cuda_kernel_text *text = cuda_kernel_texts;
  need_nvrtc();
  while (text->file && !strstr(text->file, "/lbm.k")) text++;
  assert_non_null(text->file);
  cu.cuModuleLoadData = load;
  cu.cuModuleGetFunction = find;
  cu.cuFuncGetAttribute = tell;
  cu.cuModuleUnload = unload;
  for (int f64 = 0; f64 < 2; f64++) {
    cuda_gpu gpu = {.target = {ARCH, 0}};
    const trm_build build = {
      .name = "lbm", .dialect_file = "core/kernel.h", .dialect = trm_text_kernel_header,
      .file = text->file, .text = text->text, .precision = f64 ? TRM_F64 : TRM_F32,
      .defines = f64 ? "#define TRM_F64_KERNEL 1\n#define TRM_STRICT_KERNEL 1\n"
                       "#define TRM_GROUP 64\n"
                     : "#define TRM_F64_KERNEL 0\n#define TRM_STRICT_KERNEL 1\n"
                       "#define TRM_GROUP 64\n",
      .module = &module};
    assert_int_equal(cuda_march_count(&gpu, &build), TRM_STEPS_SHAPES);
    for (spilled = 0; spilled <= 8; spilled += 8) {
      void *image = NULL;
      size_t bytes = 0;
      int count, roomy;
      TEST_OK(cuda_march_build(&gpu, &build, &image, &bytes));
      assert_true(bytes > 10000);
      count_images(image, bytes, &count, &roomy);
      assert_int_equal(count, TRM_STEPS_SHAPES);
      assert_int_equal(roomy, spilled ? 2 : 0);
      free(image);
    }
    gpu.target.arch = 75;
    assert_int_equal(cuda_march_count(&gpu, &build), 0);
  }
}

/* ---- messages ---------------------------------------------------------------------------- */

static void a_mistake_is_reported_with_our_file_and_line(void)
{
  size_t bytes;
  void *image = NULL;
  const trm_build build = {.name = "broken", .dialect_file = "core/kernel.h",
                           .dialect = trm_text_kernel_header, .file = "solvers/broken/broken.k",
                           .text = "\n\nint f(void) { return undeclared_name; }\n",
                           .defines = "#define TRM_F64_KERNEL 0\n#define TRM_STRICT_KERNEL 1\n"
                                      "#define TRM_ROW_GX 128\n#define TRM_ROW_GY 1\n"
                                      "#define TRM_GROUP 256\n"};
  need_nvrtc();
  TEST_FAILS(cuda_compile(&build, (cuda_target){ARCH, 0}, NULL, NULL, &image, &bytes),
             TRM_ERROR_BUILD, "solvers/broken/broken.k(3)");
  TEST_FAILS(cuda_compile(&build, (cuda_target){ARCH, 0}, NULL, NULL, &image, &bytes),
             TRM_ERROR_BUILD, "undeclared_name");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(every_text_in_f32_becomes_a_cubin_without_a_warning),
    TEST_HOST(every_text_in_f64_becomes_a_cubin_without_a_warning),
    TEST_HOST(every_variant_in_f32_becomes_a_cubin),
    TEST_HOST(every_variant_in_f64_becomes_a_cubin),
    TEST_HOST(a_text_that_uses_little_of_the_dialect_has_no_warning),
    TEST_HOST(strict_ptx_rounds_every_operation),
    TEST_HOST(strict_ptx_has_no_fma_that_the_text_did_not_write),
    TEST_HOST(nor_has_a_variant),
    TEST_HOST(f32_ptx_has_no_f64_operation),
    TEST_HOST(every_kernel_waits_for_the_one_before_it_first),
    TEST_HOST(a_stepping_kernel_compiles_for_several_steps_a_launch),
    TEST_HOST(a_mistake_is_reported_with_our_file_and_line),
  };
  return TEST_RUN(argc, argv, cases);
}
