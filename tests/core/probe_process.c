/* probe_process.c - plugins that end or hang whoever loads them are met by a process of their own
 * first: what is said of them, that others still load, and that it costs once. */
#include "tests/core/plugin_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A copy of the rough plugin as trireme_NAME.so; a copy, since it looks at its own file's name. */
static void add_rough(const char *folder, const char *name)
{
  size_t count;
  char *bytes = read_plugin("rough", &count);
  add_file(folder, name, bytes, count);
  free(bytes);
}

static const char *mark_path(void)
{
  static char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/mark", test_folder());
  return path;
}

static long marks(void)
{
  struct stat status;
  return stat(mark_path(), &status) == 0 ? (long)status.st_size : 0;
}

/* A cache folder of the case's own, and no marks. */
static void begin(const char *name)
{
  char cache[PATH_BYTES];
  snprintf(cache, sizeof cache, "%s/cache-%s", test_folder(), name);
  setenv("TRIREME_CACHE_DIR", cache, 1);
  setenv("TRIREME_TEST_MARK", mark_path(), 1);
  unsetenv("TRIREME_PROBE_SECONDS");
  unlink(mark_path());
}

/* ---- what is said ---------------------------------------------------------------- */

static void refuse_rough(const char *name, const char *words)
{
  begin(name);
  add_rough(name, name);
  assert_refused(name, name, TRM_BACKEND_BROKEN, words);
  trm_context *context = context_of(name);
  char file[PATH_BYTES];
  plugin_path(file, name, name);
  assert_text(info_of(context, name)->reason, file);
  assert_text(info_of(context, name)->cure, "update or remove");
  trm_context_destroy(&context);
}

static void a_constructor_that_aborts_is_told_with_its_signal_and_place(void)
{
  refuse_rough("abort", "the process that tried it first was ended by signal 6 (Aborted), in ");
  assert_text(trm_error_last()->text, "trireme_abort.so; ");
}

static void a_constructor_with_a_bad_address_is_told_likewise(void)
{
  refuse_rough("wild", "was ended by signal 11 (Segmentation fault), in ");
}

static void a_constructor_that_leaves_is_told_with_its_status(void)
{
  refuse_rough("leave", "left with exit status 3 before it was through");
}

static void a_constructor_that_hangs_is_given_up(void)
{
  begin("hang");
  setenv("TRIREME_PROBE_SECONDS", "4", 1);
  add_rough("hang", "hang");
  assert_refused("hang", "hang", TRM_BACKEND_BROKEN, "was still at it after 4 s");
}

/* As it would hang in the end of whoever loads it. */
static void a_destructor_that_hangs_is_given_up(void)
{
  begin("stuck");
  setenv("TRIREME_PROBE_SECONDS", "2", 1);
  add_rough("stuck", "stuck");
  assert_refused("stuck", "stuck", TRM_BACKEND_BROKEN,
                 "was through, but did not end within 2 s");
}

static void a_destructor_that_crashes_is_told(void)
{
  refuse_rough("fall", "was ended by signal 11 (Segmentation fault) as it ended, in ");
  assert_text(trm_error_last()->text, "trireme_fall.so; ");
  refuse_rough("quit", "left with exit status 4 as it ended");
}

/* The program around may have its children reaped by the system. */
static void a_program_that_ignores_its_children_still_has_probe_processes(void)
{
  begin("ignored");
  add_rough("ignored", "abort");
  void (*before)(int) = signal(SIGCHLD, SIG_IGN);
  assert_refused("ignored", "abort", TRM_BACKEND_BROKEN,
                 "the process that tried it first ended before it was through");
  signal(SIGCHLD, before);
}

/* ---- how often it is done ---------------------------------------------------------- */

/* Another process, whose descriptors of this mask are closed, asks for the plugin. */
static pid_t begin_process(const char *folder, const char *name, unsigned closed)
{
  fflush(NULL);
  setenv("TRIREME_BACKEND_PATH", make_folder(folder), 1);
  const pid_t child = fork();
  if (child == 0) {
    trm_context *context = NULL;
    trm_device *device = NULL;
    for (int i = 0; i < 3; i++)
      if (closed >> i & 1) close(i);
    if (trm_context_create(NULL, &context) != TRM_OK) _exit(1);
    _exit(trm_device_open(context, name, NULL, &device) == TRM_OK ? 1 : 0);
  }
  return child;
}

/* The marks afterwards. */
static long marks_after(pid_t child)
{
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  return marks();
}

static long marks_after_another_process(const char *folder, const char *name)
{
  return marks_after(begin_process(folder, name, 0));
}

static void a_good_plugin_is_tried_once_and_again_when_its_file_changes(void)
{
  char path[PATH_BYTES];
  const struct timespec long_ago[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
  begin("plain");
  add_rough("plain", "plain");
  assert_int_equal(marks_after_another_process("plain", "plain"), 2); /* tried, and loaded */
  assert_int_equal(marks_after_another_process("plain", "plain"), 3);
  plugin_path(path, "plain", "plain");
  assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
  assert_int_equal(marks_after_another_process("plain", "plain"), 5);
}

static void a_bad_plugin_is_tried_once(void)
{
  begin("again");
  add_rough("again", "wild");
  assert_int_equal(marks_after_another_process("again", "wild"), 1);
  assert_int_equal(marks_after_another_process("again", "wild"), 1);
}

static void a_probe_process_that_somebody_else_ended_is_not_kept(void)
{
  begin("victim");
  add_rough("victim", "victim");
  assert_int_equal(marks_after_another_process("victim", "victim"), 1);
  assert_int_equal(marks_after_another_process("victim", "victim"), 2);
}

static void without_a_cache_folder_each_process_probes_again(void)
{
  begin("homeless");
  setenv("TRIREME_CACHE_DIR", "/proc/none", 1);
  add_rough("homeless", "plain");
  assert_int_equal(marks_after_another_process("homeless", "plain"), 2);
  assert_int_equal(marks_after_another_process("homeless", "plain"), 4);
}

static void probe_processes_can_be_switched_off(void)
{
  begin("off");
  setenv("TRIREME_PROBE_SECONDS", "0", 1);
  add_rough("off", "plain");
  assert_int_equal(marks_after_another_process("off", "plain"), 1);
}

/* ---- whoever asks ---------------------------------------------------------------------- */

/* As daemons and cron may start a program. */
static void closed_descriptors_do_not_fail_a_probe_process(void)
{
  for (unsigned closed = 1; closed < 8; closed++) {
    char name[16];
    snprintf(name, sizeof name, "closed-%u", closed);
    begin(name);
    add_rough(name, "plain");
    assert_int_equal(marks_after(begin_process(name, "plain", closed)), 2);
  }
}

/* ---- what is never opened ------------------------------------------------------------ */

/* A trireme_cuda.so in the working directory, with paths that elsewhere would mean that folder. */
static void the_working_directory_is_never_searched(void)
{
  static const char *const paths[] = {NULL, "", ".", ":", "::", "./", "working", ".:/nowhere:"};
  char here[PATH_BYTES];
  begin("working");
  add_rough("working", "cuda");
  assert_int_equal(marks_after_another_process("working", "cuda"), 2); /* it tells */
  unlink(mark_path());
  assert_non_null(getcwd(here, sizeof here));
  assert_int_equal(chdir(make_folder("working")), 0);
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    const trm_backend_info *list;
    trm_context *context = NULL;
    size_t count;
    if (paths[i]) setenv("TRIREME_BACKEND_PATH", paths[i], 1);
    else unsetenv("TRIREME_BACKEND_PATH");
    TEST_OK(trm_context_create(NULL, &context));
    TEST_OK(trm_backend_list(context, &list, &count));
    trm_context_destroy(&context);
  }
  assert_int_equal(chdir(here), 0);
  assert_int_equal(marks(), 0);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_constructor_that_aborts_is_told_with_its_signal_and_place),
    TEST_HOST(a_constructor_with_a_bad_address_is_told_likewise),
    TEST_HOST(a_constructor_that_leaves_is_told_with_its_status),
    TEST_HOST(a_constructor_that_hangs_is_given_up),
    TEST_HOST(a_destructor_that_hangs_is_given_up),
    TEST_HOST(a_destructor_that_crashes_is_told),
    TEST_HOST(a_program_that_ignores_its_children_still_has_probe_processes),
    TEST_HOST(a_good_plugin_is_tried_once_and_again_when_its_file_changes),
    TEST_HOST(a_bad_plugin_is_tried_once),
    TEST_HOST(a_probe_process_that_somebody_else_ended_is_not_kept),
    TEST_HOST(without_a_cache_folder_each_process_probes_again),
    TEST_HOST(probe_processes_can_be_switched_off),
    TEST_HOST(closed_descriptors_do_not_fail_a_probe_process),
    TEST_HOST(the_working_directory_is_never_searched),
  };
  umask(022); /* plugins that everybody can write are refused */
  return TEST_RUN(argc, argv, cases);
}
