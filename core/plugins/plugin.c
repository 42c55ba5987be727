/* plugin.c - one plugin file: from a path to a table that can be trusted.
 *
 * Every refusal has its own sentence and its own cure. The file is looked at before the dynamic
 * linker sees it, because a cut object can kill the process there instead of failing. An opened
 * file stays open: drivers leave threads and handlers behind that must not be unmapped. */
#include "core/internal.h"
#include "core/plugins/plugin.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void trmi_say(char *out, size_t bytes, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(out, bytes, format, arguments);
  va_end(arguments);
}

#define REFUSE TRMI_REFUSE
#define CURE TRMI_CURE

/* ---- the file, before the dynamic linker ---------------------------------- */

/* "x86-64", or the number of a machine that is rare. */
static const char *machine_name(unsigned machine, unsigned class, char text[32])
{
  switch (machine) {
  case EM_386: return "32-bit x86";
  case EM_X86_64: return class == ELFCLASS32 ? "x86-64 with 32-bit pointers" : "x86-64";
  case EM_ARM: return "32-bit ARM";
  case EM_AARCH64: return "AArch64";
  case EM_PPC64: return "POWER";
  case EM_S390: return "s390";
  case EM_RISCV: return "RISC-V";
  default: trmi_say(text, 32, "ELF machine %u", machine); return text;
  }
}

/* The library's own ELF header, as it lies in memory, says what this process can load. Class, byte
 * order and machine stand at the same place in every ELF header. */
static int is_for_this_machine(trmi_plugin *plugin, const ElfW(Ehdr) *head)
{
  Dl_info own;
  char theirs[32], ours[32];
  if (!dladdr(trm_text_kernel_header, &own)) return 1; /* dlopen will say */
  const ElfW(Ehdr) *here = own.dli_fbase;
  if (head->e_ident[EI_CLASS] == here->e_ident[EI_CLASS] &&
      head->e_ident[EI_DATA] == here->e_ident[EI_DATA] && head->e_machine == here->e_machine)
    return 1;
  REFUSE(plugin, CANNOT_LOAD, "%s is built for %s%s, this program for %s", plugin->file,
         machine_name(head->e_machine, head->e_ident[EI_CLASS], theirs),
         head->e_ident[EI_DATA] == here->e_ident[EI_DATA] ? "" : " (of the other byte order)",
         machine_name(here->e_machine, here->e_ident[EI_CLASS], ours));
  CURE(plugin, "install the plugin that was built for this machine");
  return 0;
}

/* Do all segments lie inside the file? */
static int segments_inside(int fd, const ElfW(Ehdr) *head, off_t size)
{
  if (head->e_phentsize != sizeof(ElfW(Phdr))) return 1; /* left to dlopen's own words */
  for (unsigned i = 0; i < head->e_phnum; i++) {
    ElfW(Phdr) segment;
    const off_t at = (off_t)head->e_phoff + (off_t)(i * sizeof segment);
    if (at < 0 || pread(fd, &segment, sizeof segment, at) != (ssize_t)sizeof segment) return 0;
    if (segment.p_type == PT_NULL) continue;
    if (segment.p_offset > (uint64_t)size || segment.p_filesz > (uint64_t)size - segment.p_offset)
      return 0;
  }
  return 1;
}

static int check_object(trmi_plugin *plugin, int fd, off_t size)
{
  ElfW(Ehdr) head;
  memset(&head, 0, sizeof head);
  const ssize_t got = pread(fd, &head, sizeof head, 0);
  if (got < 0) {
    REFUSE(plugin, CANNOT_LOAD, "%s cannot be read: %s", plugin->file, strerror(errno));
    CURE(plugin, "check the disk, then install the plugin again");
    return 0;
  }
  if (got < SELFMAG || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) {
    REFUSE(plugin, CANNOT_LOAD, "%s is not a shared object: it has no ELF header", plugin->file);
    CURE(plugin, "remove the file, or install the plugin again (make install)");
    return 0;
  }
  if (got >= (ssize_t)sizeof head) {
    if (!is_for_this_machine(plugin, &head)) return 0;
    if (head.e_type != ET_DYN) {
      REFUSE(plugin, CANNOT_LOAD, "%s is not a shared object, but ELF type %u", plugin->file,
             (unsigned)head.e_type);
      CURE(plugin, "remove the file, or install the plugin again (make install)");
      return 0;
    }
  }
  if (got < (ssize_t)sizeof head || !segments_inside(fd, &head, size)) {
    REFUSE(plugin, CANNOT_LOAD, "%s is cut short: its parts reach beyond its %lld bytes",
           plugin->file, (long long)size);
    CURE(plugin, "install the plugin again (make install); check that the disk is not full");
    return 0;
  }
  return 1;
}

/* Root may load files of root and of the owner of this library, as the library is loaded already.
 * Where root has no number (a user namespace), "/" belongs to it. */
static void find_strangers(const struct stat *status, int *user, int *group)
{
  Dl_info own;
  struct stat base, top;
  *user = *group = 0;
  if (geteuid() != 0 || !dladdr(trm_text_kernel_header, &own) || stat(own.dli_fname, &base) != 0 ||
      stat("/", &top) != 0)
    return;
  *user = status->st_uid != 0 && status->st_uid != base.st_uid && status->st_uid != top.st_uid;
  *group = (status->st_mode & S_IWGRP) && status->st_gid != 0 && status->st_gid != base.st_gid &&
           status->st_gid != top.st_gid;
}

/* is_fixed: a sticky bit would keep what lies in the folder where it is. */
static int others_write(const char *path, const struct stat *status, int is_fixed, trmi_open *out)
{
  int user, group;
  find_strangers(status, &user, &group);
  const int all = (status->st_mode & S_IWOTH) && !(is_fixed && (status->st_mode & S_ISVTX));
  if (!user && !group && !all) return 0;
  trmi_say(out->where, sizeof out->where, "the %s %.600s",
           S_ISDIR(status->st_mode) ? "folder" : "file", path);
  trmi_say(out->cure, sizeof out->cure, "%s %.600s",
           all ? "chmod o-w" : user ? "chown root" : "chmod g-w", path);
  if (all) trmi_say(out->who, sizeof out->who, "everybody");
  else trmi_say(out->who, sizeof out->who, "%s %u", user ? "user" : "group",
                (unsigned)(user ? status->st_uid : status->st_gid));
  return 1;
}

/* A user who can write to a folder on the way can put another file there. In a folder with the
 * sticky bit, such as /tmp, nobody can replace another user's files, but anybody can add files. */
int trmi_is_open(const char *path, trmi_open *out)
{
  char part[PATH_MAX];
  struct stat status;
  if (!realpath(path, part)) return 0; /* whoever opens it will say */
  for (int is_fixed = 0;;) {
    const char *name = part[0] ? part : "/";
    if (stat(name, &status) == 0) {
      if (others_write(name, &status, is_fixed, out)) return 1;
      is_fixed = S_ISDIR(status.st_mode);
    }
    char *slash = strrchr(part, '/');
    if (!slash) return 0;
    *slash = '\0';
  }
}

static int check_file(trmi_plugin *plugin)
{
  struct stat status;
  trmi_open others;
  if (stat(plugin->file, &status) != 0) {
    REFUSE(plugin, CANNOT_LOAD, "%s cannot be reached: %s", plugin->file, strerror(errno));
    CURE(plugin, "mend or remove the link, or install the plugin again");
    return 0;
  }
  if (!S_ISREG(status.st_mode)) {
    REFUSE(plugin, CANNOT_LOAD, "%s is %s, not a regular file", plugin->file,
           S_ISDIR(status.st_mode) ? "a folder" : "a device, socket or pipe");
    CURE(plugin, "remove it, or take its folder out of %s", plugin->kind->variable);
    return 0;
  }
  if (trmi_is_open(plugin->file, &others)) {
    REFUSE(plugin, CANNOT_LOAD, TRMI_NOT_TRUSTED, plugin->file, others.who, others.where);
    CURE(plugin, "%s", others.cure);
    return 0;
  }
  const int fd = open(plugin->file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) {
    const int error = errno;
    REFUSE(plugin, CANNOT_LOAD, "%s cannot be opened: %s", plugin->file, strerror(error));
    CURE(plugin, "%s", error == EMFILE || error == ENFILE
                         ? "raise the limit on open files (ulimit -n)"
                         : "give the user the right to read it (chmod a+r)");
    return 0;
  }
  const int sound = check_object(plugin, fd, status.st_size);
  close(fd);
  return sound;
}

/* ---- the library's own folders ----------------------------------------------- */

int trmi_library_folder(char folder[PATH_MAX])
{
  static const char tree[] = "/core/.libs";
  Dl_info own;
  folder[0] = '\0';
  if (dladdr(trm_text_kernel_header, &own) && own.dli_fname && own.dli_fname[0] == '/')
    trmi_say(folder, PATH_MAX, "%.*s", (int)(strrchr(own.dli_fname, '/') - own.dli_fname),
             own.dli_fname);
  const size_t length = strlen(folder), end = sizeof tree - 1;
  if (length <= end || strcmp(folder + length - end, tree) != 0) return 0;
  folder[length - end] = '\0';
  return 1;
}

void trmi_own_folder(const char *part, char *path, size_t bytes)
{
  char folder[PATH_MAX];
  if (trmi_library_folder(folder)) {
    trmi_say(path, bytes, "%s/%s/.libs", folder, part);
    return;
  }
  trmi_say(path, bytes, "%s/trireme", folder);
  if (!folder[0] || access(path, F_OK) != 0) trmi_say(path, bytes, "%s", TRM_PLUGIN_DIR);
}

/* ---- dlopen ---------------------------------------------------------------- */

/* The linker names a library that it cannot find as "libX.so.1: cannot open shared object file". */
static int is_missing_library(const trmi_plugin *plugin, const char *words, char *library,
                              size_t bytes)
{
  const char *colon = strstr(words, ": cannot open shared object file");
  if (!colon || strncmp(words, plugin->file, strlen(plugin->file)) == 0) return 0;
  trmi_say(library, bytes, "%.*s", (int)(colon - words), words);
  return 1;
}

/* The cause of a failed dlopen, where it is a table of another ABI: its code may need functions
 * that this library does not have. */
static int is_of_another_abi(trmi_plugin *plugin, const char *symbol)
{
  uint32_t abi;
  return plugin->kind->is_table && trmi_plugin_abi_in_file(plugin->file, symbol, &abi) &&
         abi != plugin->kind->abi && !trmi_plugin_has_size(plugin, &abi, 0);
}

static void *open_object(trmi_plugin *plugin, const char *symbol)
{
  dlerror();
  void *object = dlopen(plugin->file, RTLD_NOW | RTLD_LOCAL);
  if (object) return object;
  const char *words = dlerror();
  char library[256];
  if (!words) words = "dlopen failed without a message";
  if (is_missing_library(plugin, words, library, sizeof library)) {
    REFUSE(plugin, MISSING_LIBRARY, "%s", words);
    CURE(plugin, "install the package that holds %s%s", library,
         strncmp(library, "libOpenCL", 9) == 0 ? " (Debian: apt install ocl-icd-libopencl1)"
         : strncmp(library, "libgomp", 7) == 0 ? " (Debian: apt install libgomp1)" : "");
  } else if (!is_of_another_abi(plugin, symbol)) {
    REFUSE(plugin, CANNOT_LOAD, "%s", words);
    CURE(plugin, "%s", TRMI_REBUILD);
  }
  return NULL;
}

/* ---- the table ------------------------------------------------------------- */

int trmi_plugin_has_size(trmi_plugin *plugin, const void *table, size_t expected)
{
  uint32_t abi, bytes;
  CURE(plugin, "%s", TRMI_REBUILD);
  memcpy(&abi, table, sizeof abi);
  if (abi != plugin->kind->abi) {
    REFUSE(plugin, ABI_MISMATCH, "%s was built for ABI %u, this library has ABI %u", plugin->file,
           (unsigned)abi, (unsigned)plugin->kind->abi);
    return 0;
  }
  memcpy(&bytes, (const char *)table + sizeof abi, sizeof bytes);
  if (bytes != expected) {
    REFUSE(plugin, ABI_MISMATCH, "%s has a table of %u bytes, this library expects %zu",
           plugin->file, (unsigned)bytes, expected);
    return 0;
  }
  return 1;
}

int trmi_plugin_is_whole(trmi_plugin *plugin, const char *missing, const char *name)
{
  if (missing) {
    REFUSE(plugin, BROKEN, "%s lacks the entry %s", plugin->file, missing);
    CURE(plugin, "%s", TRMI_REBUILD);
    return 0;
  }
  if (!name || strcmp(name, plugin->name) != 0) {
    REFUSE(plugin, BROKEN, "%s calls itself \"%s\", its file says \"%s\"", plugin->file,
           name ? name : "", plugin->name);
    CURE(plugin, "give the file its own name back");
    return 0;
  }
  return 1;
}

static void *find_symbol(trmi_plugin *plugin, void *object, const char *symbol)
{
  void *address = dlsym(object, symbol);
  if (!address) {
    REFUSE(plugin, BROKEN, "%s does not export %s", plugin->file, symbol);
    CURE(plugin, "it is not a Trireme plugin, or its file was renamed: remove it, or give it its "
                 "own name back");
  }
  return address;
}

/* A run on the other parts is told what the probe process left out. */
static void warn_of_parts(const trmi_plugin *plugin)
{
  for (size_t i = 0; plugin->table && i < plugin->result->bad_count; i++)
    trmi_log(TRM_LOG_WARNING, "%s %s goes without %s: %s", plugin->kind->noun, plugin->name,
             plugin->result->bad[i].name, plugin->result->bad[i].words);
}

static void load_tried(trmi_plugin *plugin, const char *symbol)
{
  const char *words = trmi_probe_process_words(plugin->result, "");
  if (words) {
    REFUSE(plugin, BROKEN, "%s is not loaded: %s", plugin->file, words);
    CURE(plugin, "update or remove the named object, or the plugin itself; it is tried again "
                 "when its files change, and after an hour");
    return;
  }
  void *object = open_object(plugin, symbol);
  if (!object) return;
  void *address = find_symbol(plugin, object, symbol);
  if (address) plugin->kind->accept(plugin, address);
  trmi_log(TRM_LOG_DEBUG, "%s is loaded: %s", plugin->file, trm_backend_state_text(plugin->state));
  warn_of_parts(plugin);
}

void trmi_plugin_load(trmi_plugin *plugin)
{
  char symbol[96];
  trmi_probe_result result = { .bad_count = 0 };
  if (plugin->loaded) return;
  plugin->loaded = 1;
  if (!check_file(plugin)) return;
  trmi_say(symbol, sizeof symbol, "%s%s", plugin->kind->symbol, plugin->name);
  if (!plugin->is_own) trmi_probe_process_run(plugin->kind->noun, symbol, plugin->file, &result);
  plugin->result = &result;
  load_tried(plugin, symbol);
  plugin->result = NULL;
}

/* ---- the process's list ----------------------------------------------------- */

static trmi_plugin *plugins; /* under the registry's lock; lives as long as the process */

trmi_plugin *trmi_plugin_get(const trmi_kind *kind, const char *name, const char *file)
{
  for (trmi_plugin *plugin = plugins; plugin; plugin = plugin->next)
    if (plugin->kind == kind && strcmp(plugin->file, file) == 0 && strcmp(plugin->name, name) == 0)
      return plugin;
  trmi_plugin *plugin = calloc(1, sizeof *plugin);
  if (!plugin) return NULL;
  plugin->name = strdup(name);
  plugin->file = strdup(file);
  if (!plugin->name || !plugin->file) {
    free(plugin->name);
    free(plugin->file);
    free(plugin);
    return NULL;
  }
  plugin->kind = kind;
  plugin->state = TRM_BACKEND_CANNOT_LOAD;
  plugin->next = plugins;
  plugins = plugin;
  return plugin;
}
