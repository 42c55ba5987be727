/* vendor.c - drivers that are registered with the ICD loader and do not work.
 *
 * The loader passes over a driver whose library cannot be loaded without a word. This reads the
 * same folder of NAME.icd files, each naming one library, and says what is wrong with each. */
#include "opencl.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char default_path[] = "/etc/OpenCL/vendors";

static const char *vendors_path(void)
{
  const char *path = secure_getenv("OCL_ICD_VENDORS");
  if (!path) path = secure_getenv("OPENCL_VENDOR_PATH");
  return path && *path ? path : default_path;
}

static int is_icd(const char *name)
{
  const size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".icd") == 0;
}

/* A library that the loader uses is still loaded; why another is not, dlopen knows. */
static void complain_library(const char *icd, const char *library, char *text, size_t bytes)
{
  void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle) {
    dlclose(handle);
    return;
  }
  handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (!handle) {
    ocl_append(text, bytes, "%s%s: %s", *text ? "; " : "", icd, dlerror());
    return;
  }
  ocl_append(text, bytes,
             "%s%s: %s loads but offers no platform (its kernel driver or device may be missing)",
             *text ? "; " : "", icd, library);
  dlclose(handle);
}

static void complain_file(const char *path, char *text, size_t bytes)
{
  char library[PATH_MAX] = "";
  FILE *file = fopen(path, "r");
  if (!file) {
    ocl_append(text, bytes, "%s%s: %s", *text ? "; " : "", path, strerror(errno));
    return;
  }
  if (!fgets(library, sizeof library, file)) library[0] = 0;
  fclose(file);
  library[strcspn(library, " \t\r\n")] = 0;
  if (*library)
    complain_library(path, library, text, bytes);
  else
    ocl_append(text, bytes, "%s%s: names no library", *text ? "; " : "", path);
}

void ocl_vendor_complaints(char *text, size_t bytes)
{
  const char *path = vendors_path();
  struct dirent **entries = NULL;
  struct stat status;
  const int exists = stat(path, &status) == 0;
  if (!exists && strcmp(path, default_path) == 0) {
    ocl_append(text, bytes, "%s%s: %s", *text ? "; " : "", path, strerror(errno));
    return;
  }
  if (!exists || !S_ISDIR(status.st_mode)) { /* the loader takes one driver here too */
    if (is_icd(path))
      complain_file(path, text, bytes);
    else
      complain_library("the loader's environment", path, text, bytes);
    return;
  }
  const int count = scandir(path, &entries, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    char full[PATH_MAX];
    const int length = snprintf(full, sizeof full, "%s/%s", path, entries[i]->d_name);
    if (is_icd(entries[i]->d_name) && length > 0 && (size_t)length < sizeof full)
      complain_file(full, text, bytes);
    free(entries[i]);
  }
  free(entries);
}
