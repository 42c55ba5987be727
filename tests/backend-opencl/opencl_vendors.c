/* opencl_vendors.c - drivers registered for one question, asked in a process of its own. */
#include "tests/backend-opencl/opencl_vendors.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

const char system_vendors[] = "/etc/OpenCL/vendors";

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

/* Runs `tell` in a fresh process, with one more variable in its environment (NULL: unset). */
static void in_child(void (*tell)(int), const char *name, const char *value, void *out,
                     size_t bytes)
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
    tell(ends[1]);
  }
  close(ends[1]);
  while (got < bytes) {
    const ssize_t n = read(ends[0], (char *)out + got, bytes - got);
    if (n <= 0) break;
    got += (size_t)n;
  }
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(got, bytes);
}

void ask(const char *name, const char *value, answer *out)
{
  char folder[700];
  struct stat about;
  const int is_drivers = strcmp(name, "OCL_ICD_VENDORS") == 0;
  if (is_drivers && value && stat(value, &about) == 0 && S_ISDIR(about.st_mode)) {
    snprintf(folder, sizeof folder, "%s/", value);
    value = folder;
  }
  in_child(answer_in_child, name, value, out, sizeof *out);
  assert_true(out->found);
}

void make_vendors(const char *name, char *path, size_t bytes)
{
  snprintf(path, bytes, "%s/%s", test_folder(), name);
  assert_int_equal(mkdir(path, 0700), 0);
}

void write_icd(const char *folder, const char *name, const char *line)
{
  char path[700];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "%s\n", line);
  assert_int_equal(fclose(file), 0);
}

/* ---- what the ICD loader itself says ------------------------------------------- */

const char vendors[] = "OCL_ICD_VENDORS", filenames[] = "OCL_ICD_FILENAMES";
const char failing_driver[] = TEST_PLUGINS "/failing_driver.so";

static void count_in_child(int out)
{
  cl_uint count = 0;
  if (clGetPlatformIDs(0, NULL, &count) != CL_SUCCESS) count = 0;
  _exit(write(out, &count, sizeof count) != (ssize_t)sizeof count);
}

int loader_reads(const char *name)
{
  static int asked;
  char folder[600], place[32];
  cl_uint plain = 0, changed = 0;
  in_child(count_in_child, name, NULL, &plain, sizeof plain);
  snprintf(place, sizeof place, "asked-%d", asked++);
  make_vendors(place, folder, sizeof folder);
  if (plain == 0) write_icd(folder, "failing.icd", failing_driver);
  in_child(count_in_child, name, strcmp(name, filenames) == 0 ? failing_driver : folder, &changed,
           sizeof changed);
  return changed != plain;
}

void need_loader_that_reads_vendors(void)
{
  static int known, reads;
  if (!known) reads = loader_reads(vendors);
  known = 1;
  if (!reads) TEST_SKIP("the ICD loader of this machine does not read %s", vendors);
}

void copy_icds(const char *folder)
{
  DIR *registered = opendir(system_vendors);
  for (struct dirent *entry; registered && (entry = readdir(registered));) {
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
  if (registered) closedir(registered);
}

