/* vendor.c - drivers that are registered with the ICD loader and do not work.
 *
 * The loader silently skips a driver whose library cannot be loaded. This file looks where the
 * present loader looks, by the rules of its family (loader.c), and says what is wrong. */
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
static const char vendors[] = "OCL_ICD_VENDORS", folder[] = "OPENCL_VENDOR_PATH",
                  filenames[] = "OCL_ICD_FILENAMES";

/* Only ocl-icd has a variable for the folder alone. */
static int is_ocl_icd(void)
{
  return ocl_loader_knows(folder);
}

static int is_icd(const char *name)
{
  const size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".icd") == 0;
}

/* ---- one driver ------------------------------------------------------------ */

/* A library that the loader uses is still loaded; why another is not, dlopen knows. */
static void complain_library(const char *where, const char *library, char *text, size_t bytes)
{
  void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle) {
    dlclose(handle);
    return;
  }
  handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (!handle) {
    ocl_append(text, bytes, "%s%s: %s", *text ? "; " : "", where, dlerror());
    return;
  }
  ocl_append(text, bytes,
             "%s%s: %s loads but offers no platform (its kernel driver or device may be missing)",
             *text ? "; " : "", where, library);
  dlclose(handle);
}

/* ocl-icd takes the first line of the file for the library's name, the others the whole file; they
 * drop one end of line, and nothing else. */
static void complain_file(const char *path, char *text, size_t bytes)
{
  char library[PATH_MAX];
  FILE *file = fopen(path, "r");
  if (!file) {
    ocl_append(text, bytes, "%s%s: %s", *text ? "; " : "", path, strerror(errno));
    return;
  }
  size_t length = fread(library, 1, sizeof library - 1, file);
  fclose(file);
  if (length > 0 && library[length - 1] == '\n') length--;
  library[length] = 0;
  if (is_ocl_icd()) library[strcspn(library, "\n")] = 0;
  length = strlen(library);
  if (length == 0)
    ocl_append(text, bytes, "%s%s: names no library", *text ? "; " : "", path);
  else if (strpbrk(library, "\r\n") || strchr(" \t", library[length - 1]))
    ocl_append(text, bytes, "%s%s: must hold the library's name and nothing else, not even blanks",
               *text ? "; " : "", path);
  else
    complain_library(path, library, text, bytes);
}

static void complain_folder(const char *path, char *text, size_t bytes)
{
  struct dirent **entries = NULL;
  const int count = scandir(path, &entries, NULL, alphasort);
  if (count < 0)
    ocl_append(text, bytes, "%s%s: %s", *text ? "; " : "",
               *path ? path : "OCL_ICD_VENDORS is empty", strerror(errno));
  for (int i = 0; i < count; i++) {
    char full[PATH_MAX];
    const int length = snprintf(full, sizeof full, "%s/%s", path, entries[i]->d_name);
    if (is_icd(entries[i]->d_name) && length > 0 && (size_t)length < sizeof full)
      complain_file(full, text, bytes);
    free(entries[i]);
  }
  free(entries);
}

/* The folder that is built into the loader, where it is the usual one. */
static void complain_default(char *text, size_t bytes)
{
  if (ocl_loader_knows(default_path)) complain_folder(default_path, text, bytes);
}

/* ---- by the loader's rules --------------------------------------------------- */

static void complain_ocl_icd(char *text, size_t bytes)
{
  const char *path = secure_getenv(vendors), *other = secure_getenv(folder);
  char full[PATH_MAX];
  struct stat status;
  if (other && !*other) other = NULL;
  if (!path || !*path) {
    if (other) complain_folder(other, text, bytes);
    else complain_default(text, bytes);
  } else if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
    complain_folder(path, text, bytes);
  } else if (is_icd(path)) {
    const int length = snprintf(full, sizeof full, "%s/%s", other ? other : default_path, path);
    const int beside = !strchr(path, '/') && length > 0 && (size_t)length < sizeof full &&
                       stat(full, &status) == 0;
    complain_file(beside ? full : path, text, bytes);
  } else {
    complain_library(vendors, path, text, bytes);
  }
}

static void complain_khronos(char *text, size_t bytes)
{
  const char *path = ocl_loader_knows(vendors) ? secure_getenv(vendors) : NULL;
  const char *files = ocl_loader_knows(filenames) ? secure_getenv(filenames) : NULL;
  while (files && *files) {
    char library[PATH_MAX];
    const size_t length = strcspn(files, ":");
    snprintf(library, sizeof library, "%.*s", (int)length, files);
    if (length > 0) complain_library(filenames, library, text, bytes);
    files += length + (files[length] == ':');
  }
  if (path) complain_folder(path, text, bytes);
  else complain_default(text, bytes);
}

void ocl_vendor_complaints(char *text, size_t bytes)
{
  const char *variables[] = {vendors, folder, filenames};
  if (is_ocl_icd()) complain_ocl_icd(text, bytes);
  else complain_khronos(text, bytes);
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
    const char *value = getenv(variables[i]);
    if (value && *value && !ocl_loader_knows(variables[i]))
      ocl_append(text, bytes, "%s%s is set, but the ICD loader %s does not read it",
                 *text ? "; " : "", variables[i], ocl_loader_file());
  }
}
