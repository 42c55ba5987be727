/* plugin_abi.c - the ABI number of a plugin that cannot be loaded. A plugin of another ABI may need
 * a function that this library does not have any more: then dlopen fails, and the linker's message
 * does not tell the cause. The number is the first one of the plugin's table, read from its
 * file. */
#include "core/plugins/plugin.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct elf_file { const char *bytes; size_t size; } elf_file;

/* `count` items of `size` bytes at `offset`; NULL if the file does not have them all. */
static const void *part_of(const elf_file *file, uint64_t offset, uint64_t count, size_t size)
{
  if (offset > file->size || count > (file->size - offset) / size) return NULL;
  return file->bytes + offset;
}

static const ElfW(Ehdr) *header_of(const elf_file *file)
{
  const ElfW(Ehdr) *header = part_of(file, 0, 1, sizeof *header);
  const int is_ours = header && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
                      header->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
  return is_ours ? header : NULL;
}

/* The value of an exported object: its address relative to the base; 0 if it is missing, or a
 * function. */
static uint64_t value_of(const elf_file *file, const ElfW(Ehdr) *header, const char *symbol)
{
  const size_t length = strlen(symbol) + 1;
  const ElfW(Shdr) *sections = part_of(file, header->e_shoff, header->e_shnum, sizeof *sections);
  for (size_t i = 0; sections && i < header->e_shnum; i++) {
    if (sections[i].sh_type != SHT_DYNSYM || sections[i].sh_link >= header->e_shnum) continue;
    const size_t count = sections[i].sh_size / sizeof(ElfW(Sym));
    const ElfW(Sym) *symbols = part_of(file, sections[i].sh_offset, count, sizeof *symbols);
    const uint64_t names = sections[sections[i].sh_link].sh_offset;
    for (size_t k = 0; symbols && k < count; k++) {
      const char *name = part_of(file, names + symbols[k].st_name, length, 1);
      if (name && memcmp(name, symbol, length) == 0)
        return ELF64_ST_TYPE(symbols[k].st_info) == STT_OBJECT ? symbols[k].st_value : 0;
    }
  }
  return 0;
}

static int read_number(const elf_file *file, const char *symbol, uint32_t *number)
{
  const ElfW(Ehdr) *header = header_of(file);
  if (!header || header->e_shoff % sizeof(void *) != 0 || header->e_phoff % sizeof(void *) != 0)
    return 0;
  const uint64_t value = value_of(file, header, symbol);
  const ElfW(Phdr) *segments = part_of(file, header->e_phoff, header->e_phnum, sizeof *segments);
  for (size_t i = 0; value && segments && i < header->e_phnum; i++) {
    const uint64_t first = segments[i].p_vaddr;
    if (segments[i].p_type != PT_LOAD || value < first || value - first >= segments[i].p_filesz)
      continue;
    const void *at = part_of(file, segments[i].p_offset + (value - first), 1, sizeof *number);
    if (at) memcpy(number, at, sizeof *number);
    return at != NULL;
  }
  return 0;
}

int trmi_plugin_abi_in_file(const char *path, const char *symbol, uint32_t *number)
{
  struct stat about;
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  int is_found = 0;
  if (fstat(descriptor, &about) == 0 && about.st_size > 0) {
    void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes != MAP_FAILED) {
      const elf_file file = { bytes, (size_t)about.st_size };
      is_found = read_number(&file, symbol, number);
      munmap(bytes, file.size);
    }
  }
  close(descriptor);
  return is_found;
}
