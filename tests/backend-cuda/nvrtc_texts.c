/* nvrtc_texts.c - see nvrtc_texts.h. */
#include "tests/backend-cuda/nvrtc_texts.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- NVRTC ------------------------------------------------------------------------ */

static void log_nothing(trm_log_level level, const char *format, ...)
{
  (void)level;
  (void)format;
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

void need_nvrtc(void)
{
  static const trm_services services = {TRM_BACKEND_ABI, sizeof services, trm_error_record,
                                        log_nothing, NULL, 0, NULL};
  static const char *problem = "not looked for";
  if (!cuda_services) {
    cuda_services = &services;
    problem = cuda_nvrtc_open(99000);
    if (problem && !getenv("TRIREME_NVRTC")) problem = open_toolkit(problem);
  }
  if (!problem) return;
  if (test_is_required("nvrtc")) fail_msg("no NVRTC: %s", problem);
  TEST_SKIP("no NVRTC: %s", problem);
}

/* ---- every text in every instance --------------------------------------------------- */

const char *describe(const instance *i)
{
  static char text[256];
  snprintf(text, sizeof text, "%s %s %s%s%s", i->file, i->precision == TRM_F64 ? "f64" : "f32",
           i->math == TRM_STRICT ? "strict" : "fast", *i->variant ? " " : "", i->variant);
  return text;
}

/* As solvers/compressible has it: in three dimensions an item is a column (fv_stage_gpu.h). */
static int group_of(const instance *i)
{
  static const char *const by_columns[] = { "/fv_ausm", "/fv_hllc", "/fv_common", "/fv_cut",
                                            "/fv_dual" };
  const int is_flat = strcmp(i->variant, "flat") == 0;
  for (size_t k = 0; k < sizeof by_columns / sizeof *by_columns && !is_flat; k++)
    if (strstr(i->file, by_columns[k])) return 64;
  return 256;
}

char *compile(const instance *i, cuda_target target, size_t *bytes)
{
  char defines[512], *log = NULL;
  const int columns = i->columns ? i->columns : 128, rows = i->rows ? i->rows : 1;
  void *image = NULL;
  snprintf(defines, sizeof defines,
           "#define TRM_F64_KERNEL %d\n#define TRM_STRICT_KERNEL %d\n#define TRM_ROW_GX %d\n"
           "#define TRM_ROW_GY %d\n#define TRM_GROUP %d\n%s%s%s%s", i->precision == TRM_F64,
           i->math == TRM_STRICT, columns, rows, group_of(i),
           *i->variant ? "#define TRM_VARIANT_" : "", i->variant, *i->variant ? " 1\n" : "",
           i->lines ? i->lines : "");
  const trm_build build = {.name = i->file, .dialect_file = "core/kernel.h", .dialect = i->dialect,
                           .file = i->file, .text = i->text, .defines = defines,
                           .precision = i->precision, .math = i->math, .row_group_x = columns,
                           .row_group_y = rows, .group = group_of(i)};
  if (cuda_compile(&build, target, NULL, &log, &image, bytes) != TRM_OK)
    fail_msg("%s: %s", describe(i), trm_error_last()->text);
  if (log) fail_msg("%s: the compiler warns: %s", describe(i), log);
  return image;
}

static struct { char *what, *ptx; } kept[1024];
static size_t kept_count;

static const char *find_ptx(const instance *i)
{
  for (size_t at = 0; at < kept_count; at++)
    if (strcmp(kept[at].what, describe(i)) == 0) return kept[at].ptx;
  return NULL;
}

static const char *keep_ptx(const instance *i, char *ptx)
{
  assert_non_null(ptx);
  assert_true(kept_count < sizeof kept / sizeof *kept);
  kept[kept_count].what = strdup(describe(i));
  return kept[kept_count++].ptx = ptx;
}

char *ptx_of(const instance *i)
{
  size_t bytes;
  const char *ptx = find_ptx(i);
  return strdup(ptx ? ptx : keep_ptx(i, compile(i, (cuda_target){ARCH, 1}, &bytes)));
}

/* In place of nvrtcGetCUBIN: takes the PTX of the same program as well. */
static nvrtc_result (*get_cubin)(nvrtc_program program, char *cubin);
static char *ptx_of_cubin;

static nvrtc_result get_both(nvrtc_program program, char *cubin)
{
  size_t bytes = 0;
  if (nvrtc.nvrtcGetPTXSize(program, &bytes) == 0 && bytes > 0) ptx_of_cubin = malloc(bytes);
  if (ptx_of_cubin && nvrtc.nvrtcGetPTX(program, ptx_of_cubin) != 0) ptx_of_cubin[0] = 0;
  return get_cubin(program, cubin);
}

char *cubin_of(const instance *i, size_t *bytes)
{
  ptx_of_cubin = NULL;
  get_cubin = nvrtc.nvrtcGetCUBIN;
  nvrtc.nvrtcGetCUBIN = get_both;
  char *cubin = compile(i, (cuda_target){ARCH, 0}, bytes);
  nvrtc.nvrtcGetCUBIN = get_cubin;
  keep_ptx(i, ptx_of_cubin);
  return cubin;
}

static void visit_variants(instance i, const char *variants, int what, visit_fn *visit)
{
  char names[256], *rest = NULL;
  snprintf(names, sizeof names, "%s", variants);
  i.variant = "";
  if (what & PLAIN) visit(&i);
  for (i.variant = strtok_r(names, " ", &rest); i.variant; i.variant = strtok_r(NULL, " ", &rest))
    if (what & VARIANTS) visit(&i);
}

void each_text(trm_math math, int what, visit_fn *visit)
{
  need_nvrtc();
  assert_non_null(cuda_kernel_texts[0].file);
  for (const cuda_kernel_text *t = cuda_kernel_texts; t->file; t++)
    for (int f64 = 0; f64 < 2; f64++)
      visit_variants((instance){.file = t->file, .text = t->text, .dialect = trm_text_kernel_header,
                                .precision = f64 ? TRM_F64 : TRM_F32, .math = math},
                     t->variants, what, visit);
}
