/* plugin_files.c - the sentence for each file that is no plugin or cannot be loaded. */
#include "tests/core/plugin_folder.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

/* The working plugin with some bytes of its ELF header changed. */
static void add_changed(const char *name, size_t at, const void *change, size_t bytes)
{
  size_t count;
  char *whole = read_plugin("fake", &count);
  memcpy(whole + at, change, bytes);
  add_file(name, name, whole, count);
  free(whole);
}

static void another_architecture_is_named_with_our_own(void)
{
  const ElfW(Half) arm = EM_AARCH64, x86 = EM_X86_64;
  ElfW(Ehdr) own;
  size_t count;
  char *whole = read_plugin("fake", &count);
  memcpy(&own, whole, sizeof own);
  free(whole);
  const int is_arm = own.e_machine == EM_AARCH64;
  add_changed("alien", offsetof(ElfW(Ehdr), e_machine), is_arm ? &x86 : &arm, sizeof arm);
  assert_refused("alien", "alien", TRM_BACKEND_CANNOT_LOAD,
                 is_arm ? "is built for x86-64, this program for AArch64" : "is built for AArch64");
}

static void each_architecture_has_its_name(void)
{
  static const struct { ElfW(Half) machine; const char *name; } machines[] = {
    { EM_386, "32-bit x86" }, { EM_ARM, "32-bit ARM" }, { EM_PPC64, "POWER" }, { EM_S390, "s390" },
    { EM_RISCV, "RISC-V" }, { 4711, "ELF machine 4711" },
  };
  for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
    char file[16], words[64];
    snprintf(file, sizeof file, "machine%zu", i);
    snprintf(words, sizeof words, "is built for %s, this program for ", machines[i].name);
    add_changed(file, offsetof(ElfW(Ehdr), e_machine), &machines[i].machine, sizeof(ElfW(Half)));
    assert_refused(file, file, TRM_BACKEND_CANNOT_LOAD, words);
  }
}

static void another_word_size_or_byte_order_is_refused(void)
{
  const unsigned char narrow = sizeof(void *) == 8 ? ELFCLASS32 : ELFCLASS64, big = ELFDATA2MSB;
  add_changed("narrow", EI_CLASS, &narrow, 1);
  assert_refused("narrow", "narrow", TRM_BACKEND_CANNOT_LOAD, "is built for");
  add_changed("big", EI_DATA, &big, 1);
  assert_refused("big", "big", TRM_BACKEND_CANNOT_LOAD, "(of the other byte order)");
}

static void an_object_that_is_no_shared_one_is_refused(void)
{
  const ElfW(Half) relocatable = ET_REL;
  add_changed("unlinked", offsetof(ElfW(Ehdr), e_type), &relocatable, sizeof relocatable);
  assert_refused("unlinked", "unlinked", TRM_BACKEND_CANNOT_LOAD,
                 "is not a shared object, but ELF type 1");
}

static void what_the_linker_refuses_is_told_in_its_own_words(void)
{
  const unsigned char version = EV_CURRENT + 1;
  add_changed("future", EI_VERSION, &version, 1);
  assert_refused("future", "future", TRM_BACKEND_CANNOT_LOAD,
                 "trireme_future.so: ELF file version");
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
  assert_refused("open", "open", TRM_BACKEND_CANNOT_LOAD, "everybody can write to the file");
  trm_context *context = context_of("open");
  assert_text(info_of(context, "open")->cure, "chmod o-w");
  trm_context_destroy(&context);
}

/* A folder of that mode with the working plugin in it, as a file or as a link to it. */
static void open_folder_is_refused(const char *name, mode_t mode)
{
  char path[PATH_BYTES];
  size_t count;
  char *bytes = read_plugin("fake", &count);
  add_file(name, name, bytes, count);
  free(bytes);
  snprintf(path, sizeof path, "%s", make_folder(name));
  assert_int_equal(chmod(path, mode), 0);
  trm_context *context = context_of(name);
  const trm_backend_info *info = info_of(context, name);
  trm_device *device = NULL;
  assert_int_equal(info->state, TRM_BACKEND_CANNOT_LOAD);
  assert_text(info->reason, "is not trusted: everybody can write to the folder");
  assert_text(info->reason, path);
  assert_text(info->cure, "chmod o-w");
  TEST_FAILS(trm_device_open(context, name, NULL, &device), TRM_ERROR_NOT_READY,
             "everybody can write to the folder");
  trm_context_destroy(&context);
}

static void a_folder_that_everybody_can_write_is_not_trusted(void)
{
  open_folder_is_refused("public", 0777);
  open_folder_is_refused("sticky", 01777);
}

static void a_folder_inside_one_that_everybody_can_write_is_not_trusted(void)
{
  char path[PATH_BYTES];
  size_t count;
  char *bytes = read_plugin("fake", &count);
  snprintf(path, sizeof path, "%s", make_folder("outer"));
  add_file("outer/inner", "inner", bytes, count);
  free(bytes);
  assert_int_equal(chmod(path, 0777), 0);
  trm_context *context = context_of("outer/inner");
  assert_int_equal(info_of(context, "inner")->state, TRM_BACKEND_CANNOT_LOAD);
  assert_text(info_of(context, "inner")->reason, path);
  trm_context_destroy(&context);
  assert_int_equal(chmod(path, 01777), 0); /* as /tmp: nobody else can move what lies in it */
  context = context_of("outer/inner");
  trm_device *device = NULL;
  TEST_FAILS(trm_device_open(context, "inner", NULL, &device), TRM_ERROR_NOT_READY,
             "does not export trm_backend_inner");
  trm_context_destroy(&context);
}

/* A link from a safe folder to a file that lies where everybody can put another. */
static void a_link_into_a_folder_that_everybody_can_write_is_not_trusted(void)
{
  char path[PATH_BYTES], target[PATH_BYTES];
  size_t count;
  char *bytes = read_plugin("fake", &count);
  add_file("shared", "linked", bytes, count);
  free(bytes);
  assert_int_equal(chmod(make_folder("shared"), 0777), 0);
  plugin_path(target, "shared", "linked");
  make_folder("linking");
  plugin_path(path, "linking", "linked");
  assert_int_equal(symlink(target, path), 0);
  assert_refused("linking", "linked", TRM_BACKEND_CANNOT_LOAD,
                 "everybody can write to the folder");
}

/* Root would run what another user may change; what others load is their own matter. */
static void root_loads_nothing_that_another_user_may_write(void)
{
  char path[PATH_BYTES], folder[PATH_BYTES];
  size_t count;
  if (geteuid() != 0) TEST_SKIP("only root can give a file away");
  char *bytes = read_plugin("fake", &count);
  add_file("theirs", "theirs", bytes, count);
  add_file("group", "group", bytes, count);
  free(bytes);
  plugin_path(path, "theirs", "theirs");
  assert_int_equal(chown(path, 1001, 0), 0);
  assert_refused("theirs", "theirs", TRM_BACKEND_CANNOT_LOAD, "user 1001 can write to the file");
  trm_context *context = context_of("theirs");
  assert_text(info_of(context, "theirs")->cure, "chown root ");
  trm_context_destroy(&context);
  plugin_path(path, "group", "group");
  assert_int_equal(chown(path, 0, 1001), 0);
  assert_int_equal(chmod(path, 0664), 0);
  assert_refused("group", "group", TRM_BACKEND_CANNOT_LOAD, "group 1001 can write to the file");
  snprintf(folder, sizeof folder, "%s", make_folder("theirs"));
  assert_int_equal(chown(folder, 1001, 0), 0);
  context = context_of("theirs");
  assert_text(info_of(context, "theirs")->reason, "user 1001 can write to the folder");
  trm_context_destroy(&context);
}

/* Root may read every file by its capabilities, which this thread takes off or puts on again. */
static void set_capabilities(int on)
{
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  assert_int_equal(syscall(SYS_capget, &head, data), 0);
  for (int i = 0; i < 2; i++) data[i].effective = on ? data[i].permitted : 0;
  assert_int_equal(syscall(SYS_capset, &head, data), 0);
}

static void a_file_that_cannot_be_read_is_refused(void)
{
  char path[PATH_BYTES];
  add_file("locked", "locked", "x", 1);
  plugin_path(path, "locked", "locked");
  assert_int_equal(chmod(path, 0), 0);
  set_capabilities(0);
  trm_context *context = context_of("locked");
  const trm_backend_info *info = info_of(context, "locked");
  set_capabilities(1);
  assert_int_equal(info->state, TRM_BACKEND_CANNOT_LOAD);
  assert_text(info->reason, "trireme_locked.so cannot be opened: Permission denied");
  assert_text(info->cure, "chmod a+r");
  trm_context_destroy(&context);
}

static void so_few_open_files_that_none_can_be_read_are_told(void)
{
  struct rlimit before;
  add_file("few", "few", "x", 1);
  const int next = open("/dev/null", O_RDONLY);
  close(next);
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  const struct rlimit few = {(rlim_t)next + 1, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
  trm_context *context = context_of("few");
  const trm_backend_info *info = info_of(context, "few");
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
  assert_int_equal(info->state, TRM_BACKEND_CANNOT_LOAD);
  assert_text(info->reason, "trireme_few.so cannot be opened: Too many open files");
  assert_text(info->cure, "raise the limit on open files (ulimit -n)");
  trm_context_destroy(&context);
}

static void a_folder_that_cannot_be_read_is_named(void)
{
  trm_context *context = NULL;
  trm_device *device = NULL;
  add_link("closed", "fake", "fake");
  assert_int_equal(chmod(make_folder("closed"), 0), 0);
  set_capabilities(0);
  setenv("TRIREME_BACKEND_PATH", make_folder("closed"), 1);
  TEST_OK(trm_context_create(NULL, &context));
  set_capabilities(1);
  TEST_FAILS(trm_device_open(context, "fake", NULL, &device), TRM_ERROR_NOT_FOUND,
             "/closed of TRIREME_BACKEND_PATH cannot be read: Permission denied");
  trm_context_destroy(&context);
}

static void a_name_that_is_no_word_is_refused(void)
{
  add_file("names", "Two-Words", "x", 1);
  assert_refused("names", "Two-Words", TRM_BACKEND_CANNOT_LOAD, "is not a name for a backend");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_text_file_is_refused),
    TEST_HOST(an_empty_file_is_refused),
    TEST_HOST(a_cut_object_is_refused_at_any_length),
    TEST_HOST(a_missing_library_is_named),
    TEST_HOST(another_architecture_is_named_with_our_own),
    TEST_HOST(each_architecture_has_its_name),
    TEST_HOST(another_word_size_or_byte_order_is_refused),
    TEST_HOST(an_object_that_is_no_shared_one_is_refused),
    TEST_HOST(what_the_linker_refuses_is_told_in_its_own_words),
    TEST_HOST(a_folder_is_refused),
    TEST_HOST(a_pipe_is_refused_without_waiting_for_it),
    TEST_HOST(a_link_that_leads_nowhere_is_refused),
    TEST_HOST(a_file_that_everybody_can_write_is_not_trusted),
    TEST_HOST(a_folder_that_everybody_can_write_is_not_trusted),
    TEST_HOST(a_folder_inside_one_that_everybody_can_write_is_not_trusted),
    TEST_HOST(a_link_into_a_folder_that_everybody_can_write_is_not_trusted),
    TEST_HOST(root_loads_nothing_that_another_user_may_write),
    TEST_HOST(a_file_that_cannot_be_read_is_refused),
    TEST_HOST(so_few_open_files_that_none_can_be_read_are_told),
    TEST_HOST(a_folder_that_cannot_be_read_is_named),
    TEST_HOST(a_name_that_is_no_word_is_refused),
  };
  umask(022); /* plugins that everybody can write are refused */
  return TEST_RUN(argc, argv, cases);
}
