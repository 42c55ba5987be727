/* harness.c - runs a program's cases and prints TAP.
 *
 * Each case is a cmocka group of one, so that cmocka catches failed assertions and signals, while
 * the lines that automake's TAP driver reads are ours. What a case prints is held back and shown
 * as diagnostics only when it fails. */
#include "tests/harness.h"

#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_BACKENDS = 8, NAME_BYTES = 160 };

static trm_context *context;
static struct backend {
  char name[32];
  trm_device *device;
  char reason[1200]; /* why it is not ready; "" when it is */
} backends[MAX_BACKENDS];
static size_t backend_count;

static const test_case *current;
static trm_device *current_device;
static char current_name[NAME_BYTES];
static char skip_reason[1200];
static char folder[512];
static FILE *captured;
static int report_fd = 1; /* where TAP goes while stdout is captured */

/* ---- what a case prints ----------------------------------------------------- */

/* All but cmocka's own headings; of much, the end. Called from a signal handler too, hence read and
 * write. */
static void show_captured(void)
{
  static char bytes[1 << 16];
  const off_t all = lseek(fileno(captured), 0, SEEK_END);
  const off_t most = (off_t)sizeof bytes - 1;
  (void)lseek(fileno(captured), all > most ? all - most : 0, SEEK_SET);
  const ssize_t got = read(fileno(captured), bytes, sizeof bytes - 1);
  bytes[got > 0 ? got : 0] = '\0';
  for (char *line = bytes; *line;) {
    const size_t length = strcspn(line, "\n");
    const int heading = strncmp(line, "[ RUN ", 6) == 0 || strncmp(line, "[=====", 6) == 0;
    if (strncmp(line, "[  FAILED", 9) == 0) break;
    if (!heading && (write(report_fd, "# ", 2) != 2 || write(report_fd, line, length) < 0 ||
                     write(report_fd, "\n", 1) != 1))
      break;
    line += length;
    line += *line == '\n';
  }
}

static void capture_begin(int saved[2])
{
  fflush(stdout);
  fflush(stderr);
  if (ftruncate(fileno(captured), 0) != 0) perror("ftruncate");
  (void)lseek(fileno(captured), 0, SEEK_SET);
  saved[0] = dup(1);
  saved[1] = dup(2);
  report_fd = saved[0];
  dup2(fileno(captured), 1);
  dup2(fileno(captured), 2);
}

static void capture_end(const int saved[2])
{
  fflush(stdout);
  fflush(stderr);
  dup2(saved[0], 1);
  dup2(saved[1], 2);
  close(saved[0]);
  close(saved[1]);
  report_fd = 1;
}

/* Abort and a case that hangs end the program; the log shall still say where and why. */
static void bail_out(int signal_number)
{
  static const char hang[] = "Bail out! a case took longer than its time limit: ";
  static const char aborted[] = "Bail out! abort in: ";
  const char *text = signal_number == SIGALRM ? hang : aborted;
  show_captured();
  if (write(report_fd, text, strlen(text)) > 0 &&
      write(report_fd, current_name, strlen(current_name)) > 0)
    (void)!write(report_fd, "\n", 1);
  _exit(99);
}

/* ---- backends --------------------------------------------------------------- */

static int listed(const char *words, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = words; at && *at;) {
    const size_t word = strcspn(at, " ,");
    if (word == length && strncmp(at, name, length) == 0) return 1;
    at += word;
    at += strspn(at, " ,");
  }
  return 0;
}

int test_is_required(const char *name)
{
  return listed(getenv("TRIREME_REQUIRE"), name);
}

static void log_line(void *user, trm_log_level level, const char *text)
{
  (void)user;
  fprintf(stderr, "log %d: %s\n", (int)level, text);
}

trm_context *test_context(void)
{
  if (!context) {
    trm_context_options options = {0};
    options.log = log_line;
    TEST_OK(trm_context_create(&options, &context));
  }
  return context;
}

/* Fills reason when the backend is not ready. */
static void ask_backend(struct backend *backend)
{
  const trm_backend_info *list = NULL;
  size_t count = 0;
  trm_context_options options = {0};
  options.log = log_line;
  if ((!context && trm_context_create(&options, &context) != TRM_OK) ||
      trm_backend_list(context, &list, &count) != TRM_OK) {
    snprintf(backend->reason, sizeof backend->reason, "%s", trm_error_last()->text);
    return;
  }
  if (backend->name[0] == '(') return; /* opened, it says what is missing */
  snprintf(backend->reason, sizeof backend->reason, "no such backend");
  for (size_t i = 0; i < count; i++) {
    if (strcmp(list[i].name, backend->name) != 0) continue;
    if (list[i].state == TRM_BACKEND_READY) {
      backend->reason[0] = '\0';
      return;
    }
    snprintf(backend->reason, sizeof backend->reason, "%s: %s",
             trm_backend_state_text(list[i].state), list[i].reason);
  }
}

/* "(openmp:0)" is the name of a device. */
static size_t name_length(const char *names)
{
  return *names == '(' ? strcspn(names, ")") + 1 : strcspn(names, " ,");
}

/* Adds the names of a list that are not there yet. */
static void add_backends(const char *names)
{
  while (names && *names && backend_count < MAX_BACKENDS) {
    struct backend *backend = &backends[backend_count];
    snprintf(backend->name, sizeof backend->name, "%.*s", (int)name_length(names), names);
    int is_new = backend->name[0] != '\0';
    for (size_t i = 0; i < backend_count; i++)
      is_new &= strcmp(backends[i].name, backend->name) != 0;
    if (is_new) {
      ask_backend(backend);
      backend_count++;
    }
    names += name_length(names);
    names += strspn(names, " ,");
  }
}

static void find_backends(void)
{
  const char *chosen = getenv("TRIREME_TEST_BACKENDS");
  if (chosen && *chosen) {
    add_backends(chosen);
    return;
  }
  add_backends("openmp opencl cuda");
  add_backends(getenv("TRIREME_REQUIRE"));
}

trm_device *test_open(const char *backend, const trm_device_options *options)
{
  trm_device *device = NULL;
  char name[32];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(backend, ":"), backend);
  const trm_status status = trm_device_open(test_context(), backend, options, &device);
  if (status == TRM_ERROR_NOT_READY && !test_is_required(name))
    TEST_SKIP("%s", trm_error_last()->text);
  test_ok(status, backend, __FILE__, __LINE__);
  return device;
}

int test_has_isa(const char *isa)
{
  trm_device *device = NULL;
  setenv("TRIREME_ISA", isa, 1);
  const trm_status status = trm_device_open(test_context(), "openmp", NULL, &device);
  unsetenv("TRIREME_ISA");
  trm_device_close(&device);
  return status == TRM_OK;
}

const char *test_backend(trm_device *device)
{
  return trm_device_describe(device)->backend;
}

/* ---- files ------------------------------------------------------------------ */

const char *test_data(const char *name)
{
  static char path[1024];
  const char *source = getenv("srcdir");
  snprintf(path, sizeof path, "%s/tests/data/%s", source ? source : ".", name);
  return path;
}

const char *test_folder(void)
{
  if (!folder[0]) {
    const char *state = getenv("TRIREME_TEST_STATE");
    snprintf(folder, sizeof folder, "%s/test-XXXXXX", state ? state : "/tmp");
    if (!mkdtemp(folder)) fail_msg("cannot make a folder like %s", folder);
  }
  return folder;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where)
{
  (void)about;
  (void)kind;
  (void)where;
  return remove(path);
}

/* ---- known values ----------------------------------------------------------- */

/* The value under this name; empty: no line has it. */
static void read_known(const char *name, char *value, size_t bytes)
{
  char line[256];
  const size_t length = strlen(name);
  FILE *file = fopen(test_data("fingerprints.csv"), "r");
  value[0] = 0;
  if (!file) fail_msg("%s cannot be read", test_data("fingerprints.csv"));
  while (!value[0] && fgets(line, sizeof line, file))
    if (strncmp(line, name, length) == 0 && line[length] == ',')
      snprintf(value, bytes, "%.*s", (int)strcspn(line + length + 1, "\r\n"), line + length + 1);
  fclose(file);
}

void test_is_known(const char *value, const char *name, ...)
{
  char whole[128], known[128];
  const char *blessed = getenv("TRIREME_TEST_BLESS");
  va_list arguments;
  va_start(arguments, name);
  vsnprintf(whole, sizeof whole, name, arguments);
  va_end(arguments);
  print_message("# %s,%s\n", whole, value);
  if (blessed) {
    FILE *file = fopen(blessed, "a");
    if (!file || fprintf(file, "%s,%s\n", whole, value) < 0 || fclose(file) != 0)
      fail_msg("%s cannot be written", blessed);
    return;
  }
  read_known(whole, known, sizeof known);
  if (strcmp(value, known) != 0)
    fail_msg("%s: found %s, known is %s (tests/data/fingerprints.csv)", whole, value,
             known[0] ? known : "none");
}

/* ---- assertions ------------------------------------------------------------- */

void test_ok(trm_status status, const char *call, const char *file, int line)
{
  if (status == TRM_OK) return;
  const trm_error *error = trm_error_last();
  print_error("%s: %s\n  %s (%s:%d)\n", call, trm_status_text(status), error->text,
              error->file ? error->file : "?", error->line);
  _fail(file, line);
}

void test_fails(trm_status status, trm_status expected, const char *part, const char *call,
                const char *file, int line)
{
  const char *text = trm_error_last()->text;
  if (status == TRM_OK) {
    print_error("%s succeeded, but should have failed: %s\n", call, trm_status_text(expected));
  } else if (status != expected) {
    print_error("%s: status is '%s', expected '%s'\n  %s\n", call, trm_status_text(status),
                trm_status_text(expected), text);
  } else if (part && !strstr(text, part)) {
    print_error("%s: the message does not say '%s':\n  %s\n", call, part, text);
  } else {
    return;
  }
  _fail(file, line);
}

void test_close(double a, double b, double tolerance, const char *text, const char *file, int line)
{
  if (fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b))) return;
  print_error("%s is %.17g, expected %.17g within %g relative\n", text, a, b, tolerance);
  _fail(file, line);
}

static void print_element(const void *array, size_t i, trm_type type)
{
  switch (type) {
  case TRM_TYPE_F32: print_error("%.9g", (double)((const float *)array)[i]); break;
  case TRM_TYPE_F64: print_error("%.17g", ((const double *)array)[i]); break;
  case TRM_TYPE_I32: print_error("%ld", (long)((const int32_t *)array)[i]); break;
  case TRM_TYPE_U8: print_error("%u", (unsigned)((const uint8_t *)array)[i]); break;
  }
}

void test_same_bits(const void *a, const void *b, size_t count, trm_type type, const char *text,
                    const char *file, int line)
{
  const size_t size = trm_type_size(type);
  size_t differing = 0, first = 0;
  for (size_t i = 0; i < count; i++) {
    if (memcmp((const char *)a + i * size, (const char *)b + i * size, size) == 0) continue;
    if (differing++ == 0) first = i;
  }
  if (differing == 0) return;
  print_error("%s: %zu of %zu elements differ, first at %zu: ", text, differing, count, first);
  print_element(a, first, type);
  print_error(" expected ");
  print_element(b, first, type);
  print_error("\n");
  _fail(file, line);
}

void test_remark(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  (void)dprintf(report_fd, "# ");
  (void)vdprintf(report_fd, format, arguments);
  (void)dprintf(report_fd, "\n");
  va_end(arguments);
}

void test_skip(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(skip_reason, sizeof skip_reason, format, arguments);
  va_end(arguments);
  skip();
  abort(); /* skip() does not return while a case runs */
}

int test_runs_long(void)
{
  const char *value = getenv("TRIREME_TEST_LONG");
  return value && *value;
}

void test_is_long(void)
{
  if (!test_runs_long()) TEST_SKIP("long: run by make check-long");
}

void test_is_long_elsewhere(trm_device *device)
{
  size_t first = 0;
  while (first < backend_count && backends[first].reason[0]) first++;
  if (first < backend_count && device != backends[first].device && !test_runs_long())
    TEST_SKIP("long: run on %s, and here by make check-long", backends[first].name);
}

int test_spares(trm_device *device)
{
  const trm_device_info *info = trm_device_describe(device);
  return !info->is_host && !info->pci[0] && !test_runs_long();
}

void test_is_spared(trm_device *device)
{
  if (test_spares(device)) TEST_SKIP("long: compiled for a processor by make check-long");
}

int test_takes(trm_device *device, size_t which, trm_precision precision)
{
  if (!trm_device_describe(device)->has_f64) return precision == TRM_F32;
  if (!test_spares(device)) return 1;
  return precision == (which % 2 ? TRM_F64 : TRM_F32);
}

static int drives_a_gpu(const char *backend)
{
  const trm_device_info *list = NULL;
  size_t count = 0;
  TEST_OK(trm_device_list(test_context(), &list, &count));
  for (size_t i = 0; i < count; i++)
    if (list[i].pci[0] && strcmp(list[i].backend, backend) == 0) return 1;
  return 0;
}

void test_is_long_once(trm_device *device)
{
  const struct backend *one = NULL;
  test_is_long();
  for (size_t i = 0; i < backend_count; i++)
    if (!backends[i].reason[0] && (!one || drives_a_gpu(backends[i].name))) one = &backends[i];
  if (one && device != one->device) TEST_SKIP("run on %s", one->name);
}

void test_is_for_a_gpu(trm_device *device)
{
  test_is_long_once(device);
  if (!trm_device_describe(device)->pci[0]) TEST_SKIP("hours on a processor: run on a GPU");
}

void test_needs_f64(trm_device *device)
{
  if (!trm_device_describe(device)->has_f64)
    TEST_SKIP("%s has no double precision", trm_device_describe(device)->name);
}

/* ---- running ---------------------------------------------------------------- */

static void body(void **state)
{
  (void)state;
  if (current->host) {
    current->host();
  } else {
    current->device(current_device);
    /* errors of the device surface here at the latest */
    TEST_OK(trm_device_finish(current_device));
  }
}

static void print_name(const test_case *which, const struct backend *backend)
{
  if (backend)
    snprintf(current_name, sizeof current_name, "%s[%.31s]", which->name, backend->name);
  else
    snprintf(current_name, sizeof current_name, "%s", which->name);
  for (char *at = current_name; *at; at++)
    if (*at == '_') *at = ' ';
}

static const char *one_line(char *text)
{
  for (char *at = text; *at; at++)
    if (*at == '\n' || *at == '#') *at = ' ';
  return text;
}

static void run_case(const test_case *which, struct backend *backend, int number)
{
  const struct CMUnitTest test = {which->name, body, NULL, NULL, NULL};
  const char *limit = getenv("TRIREME_TEST_SECONDS");
  int saved[2], failed = 0;
  if (backend && backend->reason[0]) {
    const int must = test_is_required(backend->name);
    printf("%s %d - %s%s%s\n", must ? "not ok" : "ok", number, current_name,
           must ? "" : " # SKIP ", must ? "" : one_line(backend->reason));
    if (must) printf("# %s is required, but %s\n", backend->name, backend->reason);
    return;
  }
  current = which;
  skip_reason[0] = '\0';
  capture_begin(saved);
  signal(SIGABRT, bail_out); /* each time: a driver may have put its own in between */
  signal(SIGALRM, bail_out);
  alarm(limit ? (unsigned)atoi(limit) : 600);
  if (backend && !backend->device &&
      trm_device_open(context, backend->name, NULL, &backend->device) != TRM_OK) {
    fprintf(stderr, "%s\n", trm_error_last()->text);
    failed = 1;
  } else {
    current_device = backend ? backend->device : NULL;
    failed = _cmocka_run_group_tests(which->name, &test, 1, NULL, NULL) != 0;
  }
  alarm(0);
  capture_end(saved);
  if (failed) {
    printf("not ok %d - %s\n", number, current_name);
    fflush(stdout);
    show_captured();
    if (backend) backend->device = NULL; /* what it holds is unknown: the next gets a new one */
  } else {
    printf("ok %d - %s%s%s\n", number, current_name, skip_reason[0] ? " # SKIP " : "",
           one_line(skip_reason));
  }
  fflush(stdout);
}

/* Runs (or, with run 0, counts) the cases whose names contain the filter. */
static int each_case(const test_case *cases, size_t count, const char *filter, int run)
{
  int number = 0;
  for (size_t i = 0; i < count; i++) {
    for (size_t b = 0; b < (cases[i].host ? 1 : backend_count); b++) {
      struct backend *backend = cases[i].host ? NULL : &backends[b];
      print_name(&cases[i], backend);
      if (filter && !strstr(current_name, filter) && !strstr(cases[i].name, filter)) continue;
      number++;
      if (run) run_case(&cases[i], backend, number);
    }
  }
  return number;
}

int test_run(int argc, char **argv, const test_case *cases, size_t count)
{
  const char *filter = argc > 1 ? argv[1] : NULL;
  int devices = 0;
  captured = tmpfile();
  if (!captured) {
    printf("Bail out! no temporary file can be made\n");
    return 99;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  cmocka_set_message_output(CM_OUTPUT_STDOUT);
  for (size_t i = 0; i < count; i++) devices += cases[i].device != NULL;
  if (devices > 0) find_backends();
  printf("1..%d\n", each_case(cases, count, filter, 0));
  fflush(stdout);
  each_case(cases, count, filter, 1);
  for (size_t b = 0; b < backend_count; b++) trm_device_close(&backends[b].device);
  trm_context_destroy(&context);
  if (folder[0]) nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  fclose(captured);
  return 0;
}
