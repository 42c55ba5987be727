/* io_json.c - JSON that is written and read where the n-th request for memory fails, or all from it
 * on, for every n. */
#include "tests/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_kept.h"

enum { KEYS = 400 };

static long requests, wanted;     /* the request that fails; 0: none */
static int is_lasting;            /* all after it fail too */

static void *ask(size_t bytes)
{
  requests++;
  const int fails = wanted && (requests == wanted || (is_lasting && requests > wanted));
  return fails ? NULL : malloc(bytes);
}

/* Keys of many lengths, so that the text's buffer grows at keys as well as at values. */
static json_t *make_document(void)
{
  json_t *document = json_object();
  char key[64];
  for (int i = 0; i < KEYS; i++) {
    snprintf(key, sizeof key, "%.*s%d", i % 37, "a key that is at times as long as this", i);
    json_object_set_new(document, key, json_integer(i));
  }
  assert_int_equal(json_object_size(document), KEYS);
  return document;
}

static void write_or_refuse(void)
{
  json_t *document = make_document();
  char *good = trmi_json_dumps(document, JSON_INDENT(2));
  assert_non_null(good);
  int is_done = 0;
  for (long n = 1; !is_done; n++) {
    requests = 0;
    wanted = n;
    char *text = trmi_json_dumps(document, JSON_INDENT(2));
    wanted = 0;
    is_done = requests < n;
    if (is_done) assert_non_null(text);
    if (!is_done && text) fail_msg("request %ld of %ld: a text in spite of it", n, requests);
    if (text) assert_string_equal(text, good);
    free(text);
  }
  assert_true(requests > 3);
  free(good);
  json_decref(document);
}

static void read_or_refuse(void)
{
  json_t *document = make_document(), *read = NULL;
  char *text = trmi_json_dumps(document, JSON_COMPACT);
  trm_status status = TRM_ERROR_NO_HOST_MEMORY;
  for (long n = 1; status != TRM_OK; n++) {
    requests = 0;
    wanted = n;
    status = trmi_json_parse("a file", text, strlen(text), &read);
    wanted = 0;
    assert_true(status == TRM_OK || status == TRM_ERROR_NO_HOST_MEMORY);
    assert_true(status == TRM_OK ? requests < n : requests >= n);
  }
  assert_int_equal(json_equal(read, document), 1);
  json_decref(read);
  free(text);
  json_decref(document);
}

static void a_text_is_whole_or_none(void)
{
  for (is_lasting = 0; is_lasting < 2; is_lasting++) write_or_refuse();
}

static void a_text_that_is_not_read_is_no_bad_text(void)
{
  for (is_lasting = 0; is_lasting < 2; is_lasting++) read_or_refuse();
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_text_is_whole_or_none),
    TEST_HOST(a_text_that_is_not_read_is_no_bad_text),
  };
  json_set_alloc_funcs(ask, free);
  return TEST_RUN(argc, argv, cases);
}
