/* Output files appear whole or not at all; folders are checked and never shared. */
#include "tests/harness.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/csv.h"
#include "io/file.h"

static const char *path_of(const char *name)
{
  static char paths[4][4096];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, 4096, "%s/%s", test_folder(), name);
  return path;
}

static size_t count_entries(const char *path)
{
  size_t count = 0;
  DIR *folder = opendir(path);
  assert_non_null(folder);
  for (struct dirent *e = readdir(folder); e; e = readdir(folder))
    count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
  closedir(folder);
  return count;
}

static void holds(const char *path, const char *expected)
{
  char *text = NULL;
  TEST_OK(trm_file_load(path, 1 << 20, &text, NULL));
  assert_string_equal(text, expected);
  free(text);
}

static void a_file_appears_at_commit(void)
{
  trm_file *file = NULL;
  TEST_OK(trm_folder_create(path_of("commit")));
  TEST_OK(trm_file_create(path_of("commit/a.txt"), &file));
  TEST_OK(trm_file_print(file, "%d %s\n", 7, "oars"));
  TEST_OK(trm_file_write(file, "end", 3));
  assert_int_equal(access(path_of("commit/a.txt"), F_OK), -1);
  TEST_OK(trm_file_commit(&file));
  assert_null(file);
  holds(path_of("commit/a.txt"), "7 oars\nend");
  assert_int_equal(count_entries(path_of("commit")), 1);
}

static void a_discarded_file_leaves_nothing_and_the_old_one_stands(void)
{
  trm_file *file = NULL;
  TEST_OK(trm_folder_create(path_of("discard")));
  TEST_OK(trm_file_save(path_of("discard/a.txt"), "old", 3));
  TEST_OK(trm_file_create(path_of("discard/a.txt"), &file));
  TEST_OK(trm_file_print(file, "new"));
  trm_file_discard(&file);
  assert_null(file);
  trm_file_discard(&file);
  holds(path_of("discard/a.txt"), "old");
  assert_int_equal(count_entries(path_of("discard")), 1);
}

static void a_file_gets_the_permissions_of_any_new_file(void)
{
  struct stat info;
  const mode_t mask = umask(027);
  TEST_OK(trm_file_save(path_of("mode.txt"), "x", 1));
  umask(mask);
  assert_int_equal(stat(path_of("mode.txt"), &info), 0);
  assert_int_equal(info.st_mode & 0777, 0640);
}

static int synced;
__attribute__((visibility("default"))) int fsync(int file);
int fsync(int file)
{
  char name[64], path[256];
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(name, path, sizeof path);
  synced += length > 0; /* before it has its name */
  return 0;
}

static void a_text_that_is_kept_is_on_the_disk_first(void)
{
  const char *path = path_of("kept.txt");
  TEST_OK(trm_file_save(path, "a", 1));
  assert_int_equal(synced, 0);
  TEST_OK(trm_file_keep(path, "b", 1));
  assert_int_equal(synced, 1);
  holds(path, "b");
}

static void a_link_is_followed(void)
{
  struct stat info;
  TEST_OK(trm_file_save(path_of("target.txt"), "old", 3));
  assert_int_equal(symlink("target.txt", path_of("link.txt")), 0);
  TEST_OK(trm_file_save(path_of("link.txt"), "new", 3));
  assert_int_equal(lstat(path_of("link.txt"), &info), 0);
  assert_true(S_ISLNK(info.st_mode));
  holds(path_of("target.txt"), "new");
  assert_int_equal(symlink("nowhere", path_of("dangling")), 0);
  TEST_FAILS(trm_file_save(path_of("dangling"), "x", 1), TRM_ERROR_IO,
             "the symbolic link leads nowhere");
}

static void what_is_not_a_regular_file_is_never_replaced(void)
{
  struct stat info;
  TEST_FAILS(trm_file_save("/dev/full", "x", 1), TRM_ERROR_IO,
             "'/dev/full': it exists and is not a");
  assert_int_equal(stat("/dev/full", &info), 0);
  assert_true(S_ISCHR(info.st_mode));
  TEST_FAILS(trm_file_save(test_folder(), "x", 1), TRM_ERROR_IO, "is a folder; name another file");
}

static void places_that_cannot_be_written_are_named_with_a_cure(void)
{
  trm_file *file = NULL;
  TEST_OK(trm_file_save(path_of("plain"), "x", 1));
  TEST_FAILS(trm_file_create(path_of("none/a.txt"), &file), TRM_ERROR_IO, "make the folder first");
  TEST_FAILS(trm_file_create(path_of("plain/a.txt"), &file), TRM_ERROR_IO,
             "plain/a.txt': Not a dir");
  TEST_FAILS(trm_file_create("", &file), TRM_ERROR_IO, "has no name");
  assert_null(file);
  TEST_FAILS(trm_folder_check(path_of("none")), TRM_ERROR_IO, "make the folder first");
  TEST_FAILS(trm_folder_check(path_of("plain")), TRM_ERROR_IO, "it is a file; name a folder");
  TEST_FAILS(trm_folder_create(path_of("plain")), TRM_ERROR_IO, "a file of that name exists");
  TEST_FAILS(trm_folder_create(path_of("plain/deeper")), TRM_ERROR_IO, "plain': a file");
}

static void a_writable_folder_is_left_as_it_was(void)
{
  TEST_OK(trm_folder_create(path_of("deep/er/est")));
  TEST_OK(trm_folder_create(path_of("deep/er/est")));
  TEST_OK(trm_folder_check(path_of("deep/er/est")));
  assert_int_equal(count_entries(path_of("deep/er/est")), 0);
}

static void a_folder_without_permission_is_refused(void)
{
  const uid_t user = geteuid(), nobody = 65534;
  TEST_OK(trm_folder_create(path_of("closed")));
  assert_int_equal(chmod(path_of("closed"), 0555), 0);
  assert_int_equal(chmod(test_folder(), 0711), 0);
  if (user == 0) assert_int_equal(seteuid(nobody), 0);     /* root may write anywhere */
  const trm_status status = trm_folder_check(path_of("closed"));
  if (user == 0) assert_int_equal(seteuid(user), 0);
  assert_int_equal(chmod(path_of("closed"), 0700), 0);
  assert_int_equal(status, TRM_ERROR_IO);
  assert_non_null(strstr(trm_error_last()->text, "Permission denied"));
  assert_non_null(strstr(trm_error_last()->text, "change its permissions"));
}

/* Writes to a disk with room for 64 KiB, as far as this process can tell. */
static trm_status save_in_small_space(const char *path, size_t count)
{
  struct rlimit before, small;
  char *bytes = calloc(1, count);
  assert_non_null(bytes);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 65536;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  const trm_status status = trm_file_save(path, bytes, count);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  free(bytes);
  return status;
}

static void a_full_disk_is_told_and_loses_nothing(void)
{
  TEST_OK(trm_folder_create(path_of("full")));
  TEST_OK(trm_file_save(path_of("full/a.dat"), "old", 3));
  TEST_OK(save_in_small_space(path_of("full/small.dat"), 65536));
  /* Found by the last flush, and by a write in the middle. */
  TEST_FAILS(save_in_small_space(path_of("full/a.dat"), 70000), TRM_ERROR_IO,
             "full/a.dat': File too large");
  TEST_FAILS(save_in_small_space(path_of("full/a.dat"), 5000000), TRM_ERROR_IO, "ulimit -f");
  holds(path_of("full/a.dat"), "old");
  assert_int_equal(count_entries(path_of("full")), 2);
}

static void after_a_failed_write_the_file_cannot_be_committed(void)
{
  struct rlimit before, small;
  trm_file *file = NULL;
  char *bytes = calloc(1, 3 << 20);
  TEST_OK(trm_folder_create(path_of("once")));
  TEST_OK(trm_file_create(path_of("once/a.dat"), &file));
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 4096;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  const trm_status first = trm_file_write(file, bytes, 3 << 20);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  assert_int_equal(first, TRM_ERROR_IO);
  TEST_FAILS(trm_file_write(file, "x", 1), TRM_ERROR_IO, "File too large");
  TEST_FAILS(trm_file_print(file, "x"), TRM_ERROR_IO, "File too large");
  TEST_FAILS(trm_file_commit(&file), TRM_ERROR_IO, "File too large");
  assert_null(file);
  assert_int_equal(count_entries(path_of("once")), 0);
  free(bytes);
}

static void files_are_read_whole_within_a_limit(void)
{
  char *text = NULL, *big = malloc(100000);
  size_t bytes = 0;
  memset(big, 'a', 100000);
  TEST_OK(trm_file_save(path_of("big.txt"), big, 100000));
  TEST_OK(trm_file_load(path_of("big.txt"), 100000, &text, &bytes));
  assert_int_equal(bytes, 100000);
  assert_memory_equal(text, big, 100000);
  assert_int_equal(text[100000], 0);
  free(text);
  text = NULL;
  TEST_FAILS(trm_file_load(path_of("big.txt"), 99999, &text, &bytes), TRM_ERROR_INPUT,
             "larger than the 99999 bytes");
  TEST_FAILS(trm_file_load(path_of("none"), 10, &text, &bytes), TRM_ERROR_IO, "check the name");
  TEST_FAILS(trm_file_load(test_folder(), 10, &text, &bytes), TRM_ERROR_IO, "it is a folder");
  assert_null(text);
  free(big);
}

static void two_runs_never_share_a_folder(void)
{
  char *first = NULL, *second = NULL, *third = NULL, *odd = NULL;
  const char *root = path_of("results");
  TEST_OK(trm_results_create(root, "box", &first));
  TEST_OK(trm_results_create(root, "box", &second));
  TEST_OK(trm_folder_create(path_of("results/box-0041")));
  TEST_OK(trm_folder_create(path_of("results/box-99x")));
  TEST_OK(trm_folder_create(path_of("results/boxes-0050")));
  TEST_OK(trm_results_create(root, "box", &third));
  TEST_OK(trm_results_create(root, "../a b/c", &odd));
  assert_string_equal(strrchr(first, '/'), "/box-0001");
  assert_string_equal(strrchr(second, '/'), "/box-0002");
  assert_string_equal(strrchr(third, '/'), "/box-0042");
  assert_string_equal(strrchr(odd, '/'), "/..-a-b-c-0001");
  assert_int_equal(access(third, W_OK), 0);
  free(first);
  free(second);
  free(third);
  free(odd);
  TEST_OK(trm_file_save(path_of("taken"), "x", 1));
  TEST_FAILS(trm_results_create(path_of("taken"), "box", &first), TRM_ERROR_IO,
             "a file of that name");
}

static void paths_are_joined(void)
{
  static const char *const cases[][3] = {
    {"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"", "b", "b"}, {"a", "/b", "/b"}, {"/", "b", "/b"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *path = NULL;
    TEST_OK(trm_path_join(cases[i][0], cases[i][1], &path));
    assert_string_equal(path, cases[i][2]);
    free(path);
  }
}

static void a_published_file_grows_under_its_name(void)
{
  trm_file *file = NULL;
  TEST_OK(trm_file_save(path_of("grows"), "old", 3));
  TEST_OK(trm_file_create(path_of("grows"), &file));
  TEST_OK(trm_file_print(file, "one\nend\n"));
  holds(path_of("grows"), "old");
  TEST_OK(trm_file_publish(file));
  holds(path_of("grows"), "one\nend\n");
  TEST_OK(trm_file_back(file, 4));
  TEST_OK(trm_file_print(file, "two\nend\n"));
  holds(path_of("grows"), "one\nend\n");
  TEST_OK(trm_file_flush(file));
  holds(path_of("grows"), "one\ntwo\nend\n");
  TEST_OK(trm_file_commit(&file));
  holds(path_of("grows"), "one\ntwo\nend\n");
}

/* Root gives the link away; whoever is not root cannot, and has no such links. */
static void links_of_others_are_not_followed(void)
{
  char planted[1024];
  if (geteuid() != 0) TEST_SKIP("only root can make links of another user");
  TEST_OK(trm_file_save(path_of("precious"), "mine", 4));
  snprintf(planted, sizeof planted, "%s", path_of("planted"));
  assert_int_equal(symlink("precious", planted), 0);
  assert_int_equal(lchown(planted, 1001, 1001), 0);
  TEST_FAILS(trm_file_save(planted, "x", 1), TRM_ERROR_IO,
             "planted' is a symbolic link of another");
  holds(path_of("precious"), "mine");
  snprintf(planted, sizeof planted, "%s", path_of("elsewhere"));
  assert_int_equal(symlink(".", planted), 0);
  TEST_OK(trm_file_save(path_of("elsewhere/own"), "x", 1));
  assert_int_equal(lchown(planted, 1001, 1001), 0);
  TEST_FAILS(trm_file_save(path_of("elsewhere/precious"), "x", 1), TRM_ERROR_IO,
             "elsewhere' is a symbolic link of another user; remove it, or write to a folder of");
  TEST_FAILS(trm_file_remove(path_of("elsewhere/precious")), TRM_ERROR_IO, "of another user");
  holds(path_of("precious"), "mine");
  TEST_OK(trm_file_remove(path_of("precious")));
  TEST_OK(trm_file_remove(path_of("precious")));
  assert_int_not_equal(access(path_of("precious"), F_OK), 0);
}

/* Who may write to the folder above puts a link in a folder's place while a file is written. */
static void a_folder_stays_the_one_that_was_opened(void)
{
  char before[4096], after[4096];
  trm_file *file = NULL;
  TEST_OK(trm_folder_create(path_of("kept")));
  TEST_OK(trm_folder_create(path_of("shared")));
  TEST_OK(trm_file_save(path_of("kept/out"), "mine", 4));
  TEST_OK(trm_file_create(path_of("shared/out"), &file));
  snprintf(before, sizeof before, "%s", path_of("shared"));
  snprintf(after, sizeof after, "%s", path_of("moved"));
  assert_int_equal(rename(before, after), 0);
  assert_int_equal(symlink("kept", before), 0);
  TEST_OK(trm_file_print(file, "result"));
  TEST_OK(trm_file_commit(&file));
  holds(path_of("moved/out"), "result");
  holds(path_of("kept/out"), "mine");
}

static void links_are_walked_as_the_system_does(void)
{
  TEST_OK(trm_folder_create(path_of("deep/er")));
  assert_int_equal(symlink("deep//er/", path_of("way")), 0);
  assert_int_equal(symlink(path_of("way"), path_of("absolute")), 0);
  assert_int_equal(symlink("../way/./file", path_of("deep/file")), 0);
  assert_int_equal(symlink("round", path_of("round")), 0);
  TEST_OK(trm_file_save(path_of("absolute/../er//file"), "one", 3));
  holds(path_of("deep/er/file"), "one");
  TEST_OK(trm_file_save(path_of("deep/file"), "two", 3));
  holds(path_of("deep/er/file"), "two");
  TEST_OK(trm_file_save(path_of("absolute/new"), "new", 3));
  holds(path_of("deep/er/new"), "new");
  TEST_FAILS(trm_file_save(path_of("round"), "x", 1), TRM_ERROR_IO, "levels of symbolic links");
  TEST_FAILS(trm_file_save(path_of("round/file"), "x", 1), TRM_ERROR_IO, "of symbolic links");
}

/* A writer that is killed leaves its temporary file; the next one takes it away, and no other's. */
static void what_a_killed_writer_left_goes_with_the_next(void)
{
  const char *folder = path_of("killed");
  trm_file *alive = NULL;
  TEST_OK(trm_folder_create(folder));
  TEST_OK(trm_file_create(path_of("killed/alive"), &alive));
  const pid_t child = fork();
  if (child == 0) {
    trm_file *file = NULL;
    _exit(trm_file_create(path_of("killed/lost"), &file) != TRM_OK);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(count_entries(folder), 2);
  TEST_OK(trm_file_save(path_of("killed/next"), "next", 4));
  assert_int_equal(count_entries(folder), 2);
  TEST_OK(trm_file_print(alive, "alive"));
  TEST_OK(trm_file_commit(&alive));
  holds(path_of("killed/alive"), "alive");
  assert_int_equal(count_entries(folder), 2);
}

static void what_has_no_end_is_not_read_to_it(void)
{
  char *text = NULL;
  FILE *sparse = fopen(path_of("sparse"), "w");
  assert_non_null(sparse);
  const int is_made = ftruncate(fileno(sparse), (off_t)1 << 43) == 0;
  fclose(sparse);
  TEST_FAILS(trm_file_load("/dev/zero", SIZE_MAX, &text, NULL), TRM_ERROR_INPUT,
             "'/dev/zero' is larger than the 268435456 bytes");
  TEST_FAILS(trm_file_load("/dev/zero", 1 << 20, &text, NULL), TRM_ERROR_INPUT, "than the 1048576");
  if (!is_made) TEST_SKIP("this file system has no files of 8 TiB");
  TEST_FAILS(trm_file_load(path_of("sparse"), SIZE_MAX, &text, NULL), TRM_ERROR_NO_HOST_MEMORY,
             "sparse': it takes 8192.0 GiB, ");
  TEST_FAILS(trm_file_load(path_of("sparse"), 1 << 20, &text, NULL), TRM_ERROR_INPUT,
             "than the 1048576");
  unlink(path_of("sparse"));
}

static void memory_that_is_not_there_is_named_with_a_cure(void)
{
  TEST_OK(trmi_memory_require("a thing", 1));
  TEST_FAILS(trmi_memory_require("a thing", (uint64_t)1 << 50), TRM_ERROR_NO_HOST_MEMORY,
             "are available; free memory of this machine, or take fewer cells");
}

static void a_series_is_written_with_the_digits_it_needs(void)
{
  trm_file *file = NULL;
  const double speed[] = {0.1, 1.0 / 3.0, 1e-300};
  const double mass[] = {(double)0.1f, copysign((double)NAN, -1), 1e10};
  const trm_csv_column columns[] = {{"mean_speed", "lattice", speed, 0}, {"mass", "", mass, 1}};
  TEST_OK(trm_csv_create(path_of("series.csv"), columns, 2, &file));
  TEST_OK(trm_csv_append(file, 41, columns, 2, 3));
  TEST_OK(trm_file_commit(&file));
  holds(path_of("series.csv"), "step,mean_speed[lattice],mass\n"
                               "41,0.1,0.1\n42,0.3333333333333333,nan\n43,1e-300,1e+10\n");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_file_appears_at_commit),
    TEST_HOST(a_published_file_grows_under_its_name),
    TEST_HOST(links_of_others_are_not_followed),
    TEST_HOST(a_folder_stays_the_one_that_was_opened),
    TEST_HOST(links_are_walked_as_the_system_does),
    TEST_HOST(what_a_killed_writer_left_goes_with_the_next),
    TEST_HOST(what_has_no_end_is_not_read_to_it),
    TEST_HOST(a_discarded_file_leaves_nothing_and_the_old_one_stands),
    TEST_HOST(a_file_gets_the_permissions_of_any_new_file),
    TEST_HOST(a_text_that_is_kept_is_on_the_disk_first),
    TEST_HOST(a_link_is_followed),
    TEST_HOST(what_is_not_a_regular_file_is_never_replaced),
    TEST_HOST(places_that_cannot_be_written_are_named_with_a_cure),
    TEST_HOST(a_writable_folder_is_left_as_it_was),
    TEST_HOST(a_folder_without_permission_is_refused),
    TEST_HOST(a_full_disk_is_told_and_loses_nothing),
    TEST_HOST(after_a_failed_write_the_file_cannot_be_committed),
    TEST_HOST(files_are_read_whole_within_a_limit),
    TEST_HOST(two_runs_never_share_a_folder),
    TEST_HOST(paths_are_joined),
    TEST_HOST(memory_that_is_not_there_is_named_with_a_cure),
    TEST_HOST(a_series_is_written_with_the_digits_it_needs),
  };
  return TEST_RUN(argc, argv, cases);
}
