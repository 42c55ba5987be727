/* loader.c - the ICD loader that serves this process, and the variables that it reads.
 *
 * There are three families. ocl-icd reads OCL_ICD_VENDORS (a folder, one .icd file, or one driver)
 * and OPENCL_VENDOR_PATH; Khronos' reads OCL_ICD_VENDORS (a folder) and OCL_ICD_FILENAMES; Khronos'
 * before 2019, and loaders derived from it, read no variable. No loader tells its family. But a
 * loader can only read a variable whose name is among its constants, so these are searched. */
#include "opencl.h"

#include <link.h>
#include <string.h>

typedef struct search {
  uintptr_t inside;                      /* an address of the loader */
  const char *word;
  const char *file;                      /* the loader's; NULL: not met */
  int found;
} search;

static int holds(const struct dl_phdr_info *object, uintptr_t address)
{
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && address - (object->dlpi_addr + part->p_vaddr) < part->p_memsz)
      return 1;
  }
  return 0;
}

static int find_object(struct dl_phdr_info *object, size_t bytes, void *data)
{
  search *of = data;
  (void)bytes;
  if (!holds(object, of->inside)) return 0;
  of->file = object->dlpi_name;
  for (int i = 0; i < object->dlpi_phnum && !of->found; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || (part->p_flags & (PF_R | PF_W)) != PF_R) continue;
    const char *memory = (const char *)(object->dlpi_addr + part->p_vaddr);
    of->found = memmem(memory, part->p_filesz, of->word, strlen(of->word)) != NULL;
  }
  return 1;
}

int ocl_loader_knows(const char *word)
{
  search of = {(uintptr_t)clGetPlatformIDs, word, NULL, 0};
  dl_iterate_phdr(find_object, &of);
  return of.found;
}

const char *ocl_loader_file(void)
{
  search of = {(uintptr_t)clGetPlatformIDs, "", NULL, 0};
  dl_iterate_phdr(find_object, &of);
  return of.file && *of.file ? of.file : "in this program";
}
