/* host_work.c - work that threads of the host share beside a device. */
#include "tests/harness.h"

#include "core/host_work.h"

#include <dirent.h>
#include <stdatomic.h>
#include <string.h>

static const int counts[] = { 1, 2, 3, 7 };

static trm_device *open_with(int threads)
{
  trm_device *device = test_open("openmp", &(trm_device_options){ .threads = threads });
  assert_int_equal(trm_device_host_threads(device), threads);
  return device;
}

enum { NUMBERS = 5000 };
typedef struct tally {
  int threads;
  atomic_int times[NUMBERS];
} tally;

static trm_status count_number(void *user, size_t i, int thread)
{
  tally *t = user;
  if (thread < 0 || thread >= t->threads) return TRM_FAIL(INVALID, "thread %d", thread);
  atomic_fetch_add(&t->times[i], 1);
  return TRM_OK;
}

/* Of many rounds one after the other, long ones and short ones. */
static void each_number_is_done_once(void)
{
  static const size_t some[] = { 0, 1, 2, 3, 17, NUMBERS };
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    static tally t;
    trm_device *device = open_with(counts[k]);
    memset(&t, 0, sizeof t);
    t.threads = counts[k];
    for (int round = 0; round < 600; round++)
      TEST_OK(trm_device_host_each(device, some[round % 6], count_number, &t));
    for (size_t i = 0; i < NUMBERS; i++) {
      int times = 0;
      for (size_t s = 0; s < 6; s++) times += 100 * (i < some[s]);
      assert_int_equal(atomic_load(&t.times[i]), times);
    }
    trm_device_close(&device);
  }
}

static trm_status fail_late(void *user, size_t i, int thread)
{
  (void)thread;
  return i % 100 < *(const size_t *)user ? TRM_OK : TRM_FAIL(INPUT, "number %zu", i);
}

static void the_failure_of_the_least_number_is_told(void)
{
  const size_t good = 37;
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    trm_device *device = open_with(counts[k]);
    for (int round = 0; round < 200; round++) {
      TEST_FAILS(trm_device_host_each(device, NUMBERS, fail_late, (void *)&good), TRM_ERROR_INPUT,
                 "number 37");
      TEST_OK(trm_device_host_each(device, good, fail_late, (void *)&good));
    }
    trm_device_close(&device);
  }
}

static int threads_of_process(void)
{
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  if (!tasks) test_skip("there is no /proc/self/task");
  for (const struct dirent *one; (one = readdir(tasks));) count += one->d_name[0] != '.';
  closedir(tasks);
  return count;
}

static trm_status nothing(void *user, size_t i, int thread)
{
  (void)user;
  (void)i;
  (void)thread;
  return TRM_OK;
}

static void threads_come_when_needed_and_go_with_the_device(void)
{
  trm_device *device = open_with(7);
  const int before = threads_of_process();
  TEST_OK(trm_device_host_each(device, 1, nothing, NULL));
  assert_int_equal(threads_of_process(), before);
  TEST_OK(trm_device_host_each(device, 100, nothing, NULL));
  assert_int_equal(threads_of_process(), before + 6);
  trm_device_close(&device);
  assert_true(threads_of_process() <= before);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(each_number_is_done_once),
    TEST_HOST(the_failure_of_the_least_number_is_told),
    TEST_HOST(threads_come_when_needed_and_go_with_the_device),
  };
  return TEST_RUN(argc, argv, cases);
}
