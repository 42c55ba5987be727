/* opencl_source.c - logs of compilers that overlook #line, put into our files and lines. */
#include "tests/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend-opencl/opencl.h"

/* Line by line of the whole: 1 TRM_OPENCL, 2-3 the defines, 4 #line, 5-7 the dialect, 8 empty,
 * 9 #line, 10-12 the text, of which 11 is another #line. */
static const trm_build small = {
  .name = "blend",
  .dialect_file = "core/kernel.h",
  .dialect = "first\nsecond\nthird\n",
  .file = "tests/blend.k",
  .text = "one\n#line 40 \"tests/part.k\"\nforty",
  .defines = "#define TRM_F64_KERNEL 0\n#define TRM_GROUP 256\n",
};

static void assert_log(const trm_build *build, const char *log, const char *expected)
{
  ocl_source source;
  ocl_source_make(build, &source);
  char *text = ocl_source_log(&source, log);
  assert_non_null(text);
  assert_string_equal(text, expected);
  free(text);
}

static void every_line_of_the_whole_has_its_file_and_line(void)
{
  assert_log(&small, "<kernel>:1:9: error: a", "<defines>:1:9: error: a");
  assert_log(&small, "<kernel>:3:9: error: a", "<defines>:3:9: error: a");
  assert_log(&small, "<kernel>:5:1: error: a", "core/kernel.h:1:1: error: a");
  assert_log(&small, "<kernel>:7:1: error: a", "core/kernel.h:3:1: error: a");
  assert_log(&small, "<kernel>:10:2: error: a", "tests/blend.k:1:2: error: a");
  assert_log(&small, "<kernel>:12:2: error: a", "tests/part.k:40:2: error: a");
}

static void registers_are_read_from_a_compilers_words(void)
{
  static const char words[] =
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'blend' for 'sm_90'\n"
      "ptxas info    : Function properties for blend\n"
      "ptxas         .     16 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 34 registers, 560 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'blend_more' for 'sm_90'\n"
      "ptxas info    : Used 12 registers, 560 bytes cmem[0]\n";
  int registers = -1, bytes = -1;
  ocl_words_read(words, "blend", &registers, &bytes);
  assert_int_equal(registers, 34);
  assert_int_equal(bytes, 16);
  registers = bytes = -1;
  ocl_words_read(words, "blend_more", &registers, &bytes);
  assert_int_equal(registers, 12);
  assert_int_equal(bytes, -1); /* those of the other kernel are not its own */
  registers = -1;
  ocl_words_read(words, "mix", &registers, &bytes);
  ocl_words_read("", "blend", &registers, &bytes);
  assert_int_equal(registers, -1);
}

static void all_other_words_of_a_log_stay(void)
{
  static const char plain[] = "warning: no place\n  TRM_CELLS(x) { <kernel>: y; }\n"
                              "<kernel>:x <kernel>:7 of tests/blend.k:4:26: note\n";
  assert_log(&small, "", "");
  assert_log(&small, plain, plain);
  assert_log(&small,
             "In file included from <kernel>:6:\n<kernel>:10:26: error: 100% %s of x\n  x\n  ^\n"
             "<kernel>:5:3: note: expanded from here\n1 error generated.\n",
             "In file included from core/kernel.h:2:\ntests/blend.k:1:26: error: 100% %s of x\n"
             "  x\n  ^\ncore/kernel.h:1:3: note: expanded from here\n1 error generated.\n");
}

/* The end of a text is the line after its last. */
static void lines_beyond_the_end_do_no_harm(void)
{
  assert_log(&small, "<kernel>:13:1: error: end", "tests/part.k:41:1: error: end");
  assert_log(&small, "<kernel>:99999999999999999999999:1: e", "tests/part.k:41:1: e");
  assert_log(&small, "<kernel>:0:1: e", "<kernel>:0:1: e");
}

/* The whole text as the driver gets it, with the real dialect before it: its line numbers, counted
 * here by hand, lead back to the solver's file. */
static void lines_are_those_of_the_text_that_the_driver_gets(void)
{
  extern const char trm_text_kernel_header[];
  trm_build real = small;
  ocl_source source;
  char log[64];
  unsigned long line = 1;
  real.dialect = trm_text_kernel_header;
  real.text = "one\ntwo\nhere\n";
  ocl_source_make(&real, &source);
  for (size_t i = 0; i < OCL_SOURCE_PARTS; i++) {
    const char *end = source.parts[i] == real.text ? strstr(real.text, "here\n") : NULL;
    for (const char *at = source.parts[i]; *at && at != end; at++)
      line += *at == '\n';
  }
  snprintf(log, sizeof log, "<kernel>:%lu:26: error: use", line);
  assert_log(&real, log, "tests/blend.k:3:26: error: use");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(every_line_of_the_whole_has_its_file_and_line),
    TEST_HOST(registers_are_read_from_a_compilers_words),
    TEST_HOST(all_other_words_of_a_log_stay),
    TEST_HOST(lines_beyond_the_end_do_no_harm),
    TEST_HOST(lines_are_those_of_the_text_that_the_driver_gets),
  };
  return TEST_RUN(argc, argv, cases);
}
