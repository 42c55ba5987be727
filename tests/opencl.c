/* opencl.c - what only the OpenCL plugin does: platforms that are missing or broken, PoCL's private
 * cache, compiler messages, binaries, and arguments kept between launches.
 *
 * A process looks for platforms once, so the questions about platforms are asked in children. */
#include "tests/harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char system_vendors[] = "/etc/OpenCL/vendors";

/* ---- platforms, asked in a child -------------------------------------------- */

typedef struct answer {
  int found;                       /* the plugin's file was considered */
  trm_backend_state state;
  size_t device_count;
  char reason[1024], cure[640];
  char pocl_cache[512];            /* POCL_CACHE_DIR after the probe */
} answer;

static void answer_in_child(int out)
{
  answer told = {0};
  trm_context *context = NULL;
  const trm_backend_info *list = NULL;
  size_t count = 0;
  if (trm_context_create(NULL, &context) != TRM_OK) exit(1);
  if (trm_backend_list(context, &list, &count) != TRM_OK) exit(1);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(list[i].name, "opencl") != 0) continue;
    told.found = 1;
    told.state = list[i].state;
    told.device_count = list[i].device_count;
    snprintf(told.reason, sizeof told.reason, "%s", list[i].reason);
    snprintf(told.cure, sizeof told.cure, "%s", list[i].cure);
  }
  if (getenv("POCL_CACHE_DIR"))
    snprintf(told.pocl_cache, sizeof told.pocl_cache, "%s", getenv("POCL_CACHE_DIR"));
  trm_context_destroy(&context);
  if (write(out, &told, sizeof told) != (ssize_t)sizeof told) exit(1);
  exit(0); /* with the destructors of all plugins */
}

/* One more variable in the environment (NULL: unset), and the answer of a fresh process. */
static void ask(const char *name, const char *value, answer *out)
{
  int ends[2], status = 0;
  size_t got = 0;
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    close(ends[0]);
    if (value ? setenv(name, value, 1) : unsetenv(name)) exit(1);
    answer_in_child(ends[1]);
  }
  close(ends[1]);
  while (got < sizeof *out) {
    const ssize_t n = read(ends[0], (char *)out + got, sizeof *out - got);
    if (n <= 0) break;
    got += (size_t)n;
  }
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(got, sizeof *out);
  assert_true(out->found);
}

static void make_folder(const char *name, char *path, size_t bytes)
{
  snprintf(path, bytes, "%s/%s", test_folder(), name);
  assert_int_equal(mkdir(path, 0700), 0);
}

static void write_icd(const char *folder, const char *name, const char *line)
{
  char path[700];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "%s\n", line);
  assert_int_equal(fclose(file), 0);
}

/* The machine's own drivers, registered in another folder too. */
static void copy_icds(const char *folder)
{
  DIR *vendors = opendir(system_vendors);
  for (struct dirent *entry; vendors && (entry = readdir(vendors));) {
    char path[700], line[256] = "";
    snprintf(path, sizeof path, "%s/%s", system_vendors, entry->d_name);
    FILE *file = strstr(entry->d_name, ".icd") ? fopen(path, "r") : NULL;
    if (!file) continue;
    if (fgets(line, sizeof line, file)) {
      line[strcspn(line, "\r\n")] = 0;
      write_icd(folder, entry->d_name, line);
    }
    fclose(file);
  }
  if (vendors) closedir(vendors);
}

static void without_a_platform_there_is_a_reason_and_a_cure(void)
{
  char folder[600];
  answer told;
  make_folder("empty", folder, sizeof folder);
  ask("OCL_ICD_VENDORS", folder, &told);
  assert_int_equal(told.state, TRM_BACKEND_NO_DRIVER);
  assert_int_equal(told.device_count, 0);
  assert_non_null(strstr(told.reason, "no platform"));
  assert_non_null(strstr(told.cure, "pocl-opencl-icd"));
}

static void a_driver_that_cannot_be_loaded_is_named_when_it_is_the_only_one(void)
{
  char folder[600];
  answer told;
  make_folder("only-broken", folder, sizeof folder);
  write_icd(folder, "broken.icd", "/nonexistent/libmissing-driver.so");
  ask("OCL_ICD_VENDORS", folder, &told);
  assert_int_equal(told.state, TRM_BACKEND_NO_DRIVER);
  assert_non_null(strstr(told.reason, "broken.icd"));
  assert_non_null(strstr(told.reason, "libmissing-driver.so"));
}

static void a_broken_driver_hides_no_other_and_is_named(void)
{
  char folder[600];
  answer alone, told;
  ask("OCL_ICD_VENDORS", system_vendors, &alone);
  if (alone.state != TRM_BACKEND_READY)
    TEST_SKIP("no driver of this machine works: %s", alone.reason);
  make_folder("mixed", folder, sizeof folder);
  write_icd(folder, "a-broken.icd", "/nonexistent/libmissing-driver.so");
  copy_icds(folder);
  ask("OCL_ICD_VENDORS", folder, &told);
  assert_int_equal(told.state, TRM_BACKEND_READY);
  assert_int_equal(told.device_count, alone.device_count);
  assert_non_null(strstr(told.reason, "a-broken.icd"));
  assert_non_null(strstr(told.reason, "libmissing-driver.so"));
}

static void the_cache_of_pocl_is_private_and_goes_with_the_process(void)
{
  answer told;
  struct stat about;
  ask("POCL_CACHE_DIR", NULL, &told);
  assert_non_null(strstr(told.pocl_cache, "/trireme-pocl-"));
  assert_int_not_equal(stat(told.pocl_cache, &about), 0);
}

static void a_chosen_cache_of_pocl_is_kept(void)
{
  char folder[600];
  answer told;
  struct stat about;
  make_folder("chosen", folder, sizeof folder);
  ask("POCL_CACHE_DIR", folder, &told);
  assert_string_equal(told.pocl_cache, folder);
  assert_int_equal(stat(folder, &about), 0);
}

/* ---- a program with one kernel ---------------------------------------------- */

enum { NX = 97, NY = 5, CELLS = NX * NY };

typedef struct blend_params {
  float weight;
  int row;
} blend_params;

static const char blend_text[] =
    "typedef struct blend_params { real weight; int row; } blend_params;\n"
    "TRM_ROW_KERNEL2(blend, 0, blend_params, TRM_RO(real) from, TRM_RW(real) to)\n"
    "{\n"
    "  TRM_ROW(y);\n"
    "  TRM_CELLS(x) {\n"
    "    to[y * p.row + x] = trm_sqrt(from[y * p.row + x]) / p.weight + to[y * p.row + x];\n"
    "  }\n"
    "}\n";

static void blend_host(const trm_extent *extent, int64_t begin, int64_t end, const void *params,
                       void *const *buffers)
{
  const blend_params *p = params;
  const float *from = buffers[0];
  float *to = buffers[1];
  for (int64_t y = begin; y < end; y++)
    for (int64_t x = 0; x < extent->nx; x++)
      to[y * p->row + x] = __builtin_sqrtf(from[y * p->row + x]) / p->weight + to[y * p->row + x];
}

static const trm_host_kernel blend_kernels[] = {
  { "blend", TRM_KERNEL_ROW, 0, 2, sizeof(blend_params), 0, "rw", blend_host },
};
static const trm_host_module blend_module = {
  TRM_HOST_MODULE_ABI, "blend", "baseline", "", TRM_F32, TRM_STRICT, 64, 1, blend_kernels,
};
static const trm_host_module *const blend_modules[] = { &blend_module, NULL };

static trm_status make_program(trm_device *device, const char *text, trm_program **program)
{
  const trm_program_source source = { "blend", "tests/blend.k", text, blend_modules };
  const trm_program_options options = { .precision = TRM_F32, .math = TRM_STRICT };
  return trm_program_create(device, &source, &options, program);
}

static void start_values(float *from, float *to)
{
  for (int i = 0; i < CELLS; i++) {
    from[i] = 0.37f * (float)i + 0.11f;
    to[i] = 1.0f / (float)(i + 3);
  }
}

static void launch(trm_kernel *kernel, trm_buffer *from, trm_buffer *to, float weight)
{
  const trm_extent extent = { NX, NY, 1, 0 };
  const blend_params params = { weight, NX };
  trm_buffer *const buffers[] = { from, to };
  TEST_OK(trm_kernel_launch(kernel, &extent, &params, sizeof params, buffers, 2));
}

/* One launch on the device; result: CELLS values. */
static void blend_once(trm_device *device, trm_program *program, float *result)
{
  float from[CELLS];
  trm_buffer *buffers[2] = { NULL, NULL };
  trm_kernel *kernel = NULL;
  start_values(from, result);
  TEST_OK(trm_program_kernel(program, "blend", &kernel));
  TEST_OK(trm_buffer_create(device, sizeof from, "from", &buffers[0]));
  TEST_OK(trm_buffer_create(device, sizeof from, "to", &buffers[1]));
  TEST_OK(trm_buffer_write(buffers[0], 0, sizeof from, from));
  TEST_OK(trm_buffer_write(buffers[1], 0, sizeof from, result));
  launch(kernel, buffers[0], buffers[1], 3.0f);
  TEST_OK(trm_buffer_read(buffers[1], 0, sizeof from, result));
  trm_buffer_destroy(&buffers[0]);
  trm_buffer_destroy(&buffers[1]);
}

static void expected_values(float weight, float *result)
{
  float from[CELLS];
  const trm_extent extent = { NX, NY, 1, 0 };
  const blend_params params = { weight, NX };
  void *const buffers[] = { from, result };
  start_values(from, result);
  blend_host(&extent, 0, NY, &params, buffers);
}

static void a_cached_binary_gives_the_bits_of_a_fresh_build(void)
{
  float fresh[CELLS], cached[CELLS], expected[CELLS];
  trm_program *program = NULL;
  char text[sizeof blend_text + 600];
  trm_device *device = test_open("opencl", NULL);
  /* a text of this run's own, so that the first build cannot be a cached one */
  snprintf(text, sizeof text, "/* %s */\n%s", test_folder(), blend_text);
  TEST_OK(make_program(device, text, &program));
  assert_int_equal(trm_program_describe(program)->from_cache, 0);
  blend_once(device, program, fresh);
  trm_program_destroy(&program);
  TEST_OK(make_program(device, text, &program));
  assert_int_equal(trm_program_describe(program)->from_cache, 1);
  blend_once(device, program, cached);
  trm_program_destroy(&program);
  expected_values(3.0f, expected);
  TEST_SAME_BITS(fresh, expected, CELLS, TRM_TYPE_F32);
  TEST_SAME_BITS(cached, expected, CELLS, TRM_TYPE_F32);
  trm_device_close(&device);
}

static void a_build_error_names_our_file_and_line(void)
{
  trm_program *program = NULL;
  trm_device *device = test_open("opencl", NULL);
  TEST_FAILS(make_program(device,
                          "TRM_ROW_KERNEL1(blend, 0, trm_extent, TRM_RW(real) to)\n"
                          "{\n"
                          "  TRM_ROW(y);\n"
                          "  TRM_CELLS(x) { to[x] = no_such_variable; }\n"
                          "}\n",
                          &program),
             TRM_ERROR_BUILD, "tests/blend.k:4");
  assert_null(program);
  TEST_FAILS(make_program(device, "#error no\n", &program), TRM_ERROR_BUILD, "tests/blend.k:1");
  trm_device_close(&device);
}

/* Kernels remember their arguments; a driver may give a new buffer the handle of an old one. */
static void a_new_buffer_is_not_taken_for_one_that_is_gone(void)
{
  float from[CELLS], to[CELLS], expected[CELLS];
  trm_program *program = NULL;
  trm_kernel *kernel = NULL;
  trm_buffer *input = NULL, *output = NULL;
  trm_device *device = test_open("opencl", NULL);
  TEST_OK(make_program(device, blend_text, &program));
  TEST_OK(trm_program_kernel(program, "blend", &kernel));
  for (int round = 0; round < 8; round++) {
    start_values(from, to);
    TEST_OK(trm_buffer_create(device, sizeof from, "one", round % 2 ? &output : &input));
    TEST_OK(trm_buffer_create(device, sizeof to, "other", round % 2 ? &input : &output));
    TEST_OK(trm_buffer_write(input, 0, sizeof from, from));
    TEST_OK(trm_buffer_write(output, 0, sizeof to, to));
    launch(kernel, input, output, (float)(1 + round / 2));
    TEST_OK(trm_buffer_read(output, 0, sizeof to, to));
    expected_values((float)(1 + round / 2), expected);
    TEST_SAME_BITS(to, expected, CELLS, TRM_TYPE_F32);
    trm_buffer_destroy(&output);
    trm_buffer_destroy(&input);
  }
  trm_program_destroy(&program);
  trm_device_close(&device);
}

static void a_replay_does_what_its_launches_do(void)
{
  enum { TIMES = 3 };
  float values[CELLS], from[CELLS], to[CELLS];
  trm_program *program = NULL;
  trm_kernel *kernel = NULL;
  trm_buffer *input = NULL, *output = NULL;
  trm_sequence *sequence = NULL;
  trm_device *device = test_open("opencl", NULL);
  const trm_extent extent = { NX, NY, 1, 0 };
  void *const host[] = { from, to };
  start_values(from, to);
  TEST_OK(make_program(device, blend_text, &program));
  TEST_OK(trm_program_kernel(program, "blend", &kernel));
  TEST_OK(trm_buffer_create(device, sizeof from, "from", &input));
  TEST_OK(trm_buffer_create(device, sizeof to, "to", &output));
  TEST_OK(trm_buffer_write(input, 0, sizeof from, from));
  TEST_OK(trm_buffer_write(output, 0, sizeof to, to));
  TEST_OK(trm_sequence_begin(device));
  for (int i = 0; i < 4; i++) launch(kernel, input, output, (float)(i + 2));
  TEST_OK(trm_sequence_end(device, &sequence));
  launch(kernel, input, output, 9.0f); /* must not change what was recorded */
  TEST_OK(trm_sequence_replay(sequence, TIMES));
  TEST_OK(trm_buffer_read(output, 0, sizeof values, values));
  blend_host(&extent, 0, NY, &(blend_params){ 9.0f, NX }, host);
  for (int i = 0; i < 4 * TIMES; i++)
    blend_host(&extent, 0, NY, &(blend_params){ (float)(i % 4 + 2), NX }, host);
  TEST_SAME_BITS(values, to, CELLS, TRM_TYPE_F32);
  trm_sequence_destroy(&sequence);
  trm_buffer_destroy(&output);
  trm_buffer_destroy(&input);
  trm_program_destroy(&program);
  trm_device_close(&device);
}

/* A driver of a CPU would take any number, and the system would kill the process later. */
static void memory_is_refused_when_it_is_all_in_use_and_comes_back(void)
{
  enum { MOST = 64 };
  trm_buffer *buffers[MOST] = { NULL };
  trm_device *device = test_open("opencl", NULL);
  const trm_device_info *info = trm_device_describe(device);
  const size_t bytes = (size_t)info->max_buffer_bytes;
  int count = 0;
  trm_status status = TRM_OK;
  assert_true(bytes > 0 && info->memory_bytes / bytes < MOST);
  while (count < MOST &&
         (status = trm_buffer_create(device, bytes, "field", &buffers[count])) == TRM_OK)
    count++;
  TEST_FAILS(status, TRM_ERROR_NO_DEVICE_MEMORY, "MiB are available");
  assert_true(count > 0 && count < MOST);
  assert_null(buffers[count]);
  for (int i = 0; i < count; i++) trm_buffer_destroy(&buffers[i]);
  TEST_OK(trm_buffer_create(device, bytes, "field", &buffers[0]));
  trm_buffer_destroy(&buffers[0]);
  trm_device_close(&device);
}

int main(int argc, char **argv)
{
  /* those that ask in a child come first: the parent has opened no driver then */
  static const test_case cases[] = {
    TEST_HOST(without_a_platform_there_is_a_reason_and_a_cure),
    TEST_HOST(a_driver_that_cannot_be_loaded_is_named_when_it_is_the_only_one),
    TEST_HOST(a_broken_driver_hides_no_other_and_is_named),
    TEST_HOST(the_cache_of_pocl_is_private_and_goes_with_the_process),
    TEST_HOST(a_chosen_cache_of_pocl_is_kept),
    TEST_HOST(a_cached_binary_gives_the_bits_of_a_fresh_build),
    TEST_HOST(a_build_error_names_our_file_and_line),
    TEST_HOST(a_new_buffer_is_not_taken_for_one_that_is_gone),
    TEST_HOST(a_replay_does_what_its_launches_do),
    TEST_HOST(memory_is_refused_when_it_is_all_in_use_and_comes_back),
  };
  return TEST_RUN(argc, argv, cases);
}
