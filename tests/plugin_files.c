/* plugin_files.c - the sentence for each file that is no plugin, or one that cannot be loaded. */
#include "tests/plugin_folder.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void a_text_file_is_refused(void)
{
  add_file("text", "text", "not a plugin\n", 13);
  assert_refused("text", "text", TRM_BACKEND_CANNOT_LOAD, "it has no ELF header");
}

static void an_empty_file_is_refused(void)
{
  add_file("blank", "blank", "", 0);
  assert_refused("blank", "blank", TRM_BACKEND_CANNOT_LOAD, "it has no ELF header");
}

/* Bytes up to the end of the last segment; debugging symbols may follow. */
static size_t end_of_segments(const char *bytes)
{
  ElfW(Ehdr) head;
  size_t end = 0;
  memcpy(&head, bytes, sizeof head);
  for (size_t i = 0; i < head.e_phnum; i++) {
    ElfW(Phdr) segment;
    memcpy(&segment, bytes + head.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_offset + segment.p_filesz > end) end = segment.p_offset + segment.p_filesz;
  }
  return end;
}

/* The dynamic linker would be killed by a bus error on some of these. */
static void a_cut_object_is_refused_at_any_length(void)
{
  size_t whole;
  char *bytes = read_plugin("fake", &whole);
  const size_t lengths[] = { 10, 63, 64, 100, 1000, 4096, 5000,
                             end_of_segments(bytes) - 1 };
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    char name[32];
    snprintf(name, sizeof name, "cut%zu", lengths[i]);
    add_file(name, name, bytes, lengths[i]);
    assert_refused(name, name, TRM_BACKEND_CANNOT_LOAD, "is cut short");
  }
  free(bytes);
}

static void a_missing_library_is_named(void)
{
  static const char wanted[] = "libc.so.6";
  size_t count, i = 0;
  char *bytes = read_plugin("fake", &count);
  while (i + sizeof wanted <= count && memcmp(bytes + i, wanted, sizeof wanted) != 0) i++;
  if (i + sizeof wanted > count) TEST_SKIP("the plugin does not name %s", wanted);
  bytes[i + 3] = 'x';
  add_file("orphan", "orphan", bytes, count);
  free(bytes);
  assert_refused("orphan", "orphan", TRM_BACKEND_MISSING_LIBRARY,
                 "libx.so.6: cannot open shared object file");
  trm_context *context = context_of("orphan");
  assert_text(info_of(context, "orphan")->cure, "install the package that holds libx.so.6");
  trm_context_destroy(&context);
}

static void what_the_linker_refuses_is_told_in_its_own_words(void)
{
  size_t count;
  char *bytes = read_plugin("fake", &count);
  bytes[18] ^= 0x40; /* e_machine */
  add_file("alien", "alien", bytes, count);
  free(bytes);
  assert_refused("alien", "alien", TRM_BACKEND_CANNOT_LOAD, "cannot open shared object file");
}

static void a_folder_is_refused(void)
{
  make_folder("folder");
  make_folder("folder/trireme_folder.so");
  assert_refused("folder", "folder", TRM_BACKEND_CANNOT_LOAD, "is a folder, not a regular file");
}

static void a_pipe_is_refused_without_waiting_for_it(void)
{
  char path[PATH_BYTES];
  make_folder("pipe");
  plugin_path(path, "pipe", "pipe");
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_refused("pipe", "pipe", TRM_BACKEND_CANNOT_LOAD, "not a regular file");
}

static void a_link_that_leads_nowhere_is_refused(void)
{
  add_link("dangling", "dangling", "that_is_not_there");
  assert_refused("dangling", "dangling", TRM_BACKEND_CANNOT_LOAD, "No such file or directory");
}

static void a_file_that_everybody_can_write_is_not_trusted(void)
{
  char path[PATH_BYTES];
  size_t count;
  char *bytes = read_plugin("fake", &count);
  add_file("open", "open", bytes, count);
  free(bytes);
  plugin_path(path, "open", "open");
  assert_int_equal(chmod(path, 0666), 0);
  assert_refused("open", "open", TRM_BACKEND_CANNOT_LOAD, "can be written by everybody");
  trm_context *context = context_of("open");
  assert_text(info_of(context, "open")->cure, "chmod o-w");
  trm_context_destroy(&context);
}

static void a_file_that_cannot_be_read_is_refused(void)
{
  char path[PATH_BYTES];
  if (geteuid() == 0) TEST_SKIP("root can read every file");
  add_file("locked", "locked", "x", 1);
  plugin_path(path, "locked", "locked");
  assert_int_equal(chmod(path, 0), 0);
  assert_refused("locked", "locked", TRM_BACKEND_CANNOT_LOAD, "Permission denied");
}

static void a_name_that_is_no_word_is_refused(void)
{
  add_file("names", "Two-Words", "x", 1);
  assert_refused("names", "Two-Words", TRM_BACKEND_CANNOT_LOAD, "is no name for a backend");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_text_file_is_refused),
    TEST_HOST(an_empty_file_is_refused),
    TEST_HOST(a_cut_object_is_refused_at_any_length),
    TEST_HOST(a_missing_library_is_named),
    TEST_HOST(what_the_linker_refuses_is_told_in_its_own_words),
    TEST_HOST(a_folder_is_refused),
    TEST_HOST(a_pipe_is_refused_without_waiting_for_it),
    TEST_HOST(a_link_that_leads_nowhere_is_refused),
    TEST_HOST(a_file_that_everybody_can_write_is_not_trusted),
    TEST_HOST(a_file_that_cannot_be_read_is_refused),
    TEST_HOST(a_name_that_is_no_word_is_refused),
  };
  umask(022); /* plugins that everybody can write are refused */
  return TEST_RUN(argc, argv, cases);
}
