/* comm.c - parts as threads of this process: the cases of comm_cases.c on 1, 2, 3, 5 and 8 parts.
 * comm_over.sh has them for ranks. */
#include "tests/harness.h"
#include "tests/core/comm_cases.h"

#include "core/domain/threads.h"

#include <string.h>

static const int sizes[] = { 1, 2, 3, 5, 8 };

static void threads_pass_each_case(void)
{
  for (size_t i = 0; i < comm_case_count; i++)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      const trm_status status = domain_threads_run(sizes[k], comm_cases[i].run, NULL);
      if (status != TRM_OK)
        fail_msg("%s, %d parts: %s", comm_cases[i].name, sizes[k], trm_error_last()->text);
    }
}

/* Threads meet in another order each time. */
static void threads_pass_each_case_again(void)
{
  const int times = test_runs_long() ? 2000 : 60;
  for (int i = 0; i < times; i++)
    for (size_t k = 0; k + 1 < comm_case_count; k++) /* the last one takes its time */
      if (i % 10 == 0 || k != 2)
        TEST_OK(domain_threads_run(2 + i % 4, comm_cases[k].run, NULL));
}

static void threads_know_why_a_run_ends(void)
{
  for (int i = 0; i < 50; i++)
    for (size_t k = 0; k < comm_end_count; k++) {
      if (!comm_ends[k].in_threads) continue;
      const trm_status status = domain_threads_run(3, comm_ends[k].run, NULL);
      const char *text = trm_error_last()->text;
      if (status == TRM_OK || (!strstr(text, comm_ends[k].in_threads) && !strstr(text, "disk is")))
        fail_msg("%s: status %d, %s", comm_ends[k].name, (int)status, text);
    }
}

/* After a failure each call fails with the same sentence, and nothing is left of its messages. */
static trm_status fail_twice(void *user, const domain_comm *c)
{
  char words[2][64] = { "", "" };
  void *requests[2];
  (void)user;
  if (c->place.rank == 1) return TRM_OK;
  for (int i = 0; i < 2; i++)
    TRM_TRY(c->table->receive(c->handle, 1, i, words[i], sizeof words[i], &requests[i]));
  const trm_status status = c->table->wait(c->handle, &requests[0]);
  char first[256];
  strncpy(first, trm_error_last()->text, sizeof first - 1);
  first[sizeof first - 1] = 0;
  const trm_status again = c->table->wait(c->handle, &requests[1]);
  if (status == TRM_OK || again != status || strcmp(first, trm_error_last()->text) != 0)
    return trm_error_record(TRM_ERROR_INVALID, __FILE__, __LINE__, "then: %s",
                            trm_error_last()->text);
  return again;
}

static void a_broken_link_stays_broken(void)
{
  TEST_FAILS(domain_threads_run(2, fail_twice, NULL), TRM_ERROR_DEVICE,
             "part 1 has ended, and part 0 waits for it");
}

static trm_status write_to_nobody(void *user, const domain_comm *c)
{
  void *request;
  int word = 0;
  (void)user;
  return c->table->send(c->handle, 2, 0, &word, sizeof word, &request);
}

static void parts_that_are_not_there_are_refused(void)
{
  TEST_FAILS(domain_threads_run(2, write_to_nobody, NULL), TRM_ERROR_INVALID,
             "a message between part");
  TEST_FAILS(domain_threads_run(0, write_to_nobody, NULL), TRM_ERROR_INVALID, "0 parts");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(threads_pass_each_case),
    TEST_HOST(threads_pass_each_case_again),
    TEST_HOST(threads_know_why_a_run_ends),
    TEST_HOST(a_broken_link_stays_broken),
    TEST_HOST(parts_that_are_not_there_are_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
