/* template_folder.c - writes the files of a template, with the marks in them replaced. */
#include "cli/template.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/cure.h"
#include "io/file.h"

/* The text with each mark replaced; malloc'd, the caller's. */
static trm_status fill_in(const char *text, const char *mark, const char *value, char **out)
{
  const size_t marks = strlen(mark), length = strlen(value);
  size_t bytes = strlen(text) + 1;
  for (const char *at = strstr(text, mark); at; at = strstr(at + marks, mark)) bytes += length;
  char *filled = malloc(bytes), *to = filled;
  if (!filled) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the files of a folder");
  for (const char *at; (at = strstr(text, mark)); text = at + marks) {
    to = mempcpy(to, text, (size_t)(at - text));
    to = mempcpy(to, value, length);
  }
  strcpy(to, text);
  *out = filled;
  return TRM_OK;
}

trm_status template_path(const char *folder, const char *file, const char *word, const char *name,
                         char **out)
{
  char target[96];
  const size_t length = strlen(word);
  const int is_named = strncmp(file, word, length) == 0;
  snprintf(target, sizeof target, "%s%s", is_named ? name : "", is_named ? file + length : file);
  return trm_path_join(folder, target, out);
}

trm_status template_write(const char *path, const char *text, const template_mark *marks)
{
  char *filled = NULL;
  trm_status status = fill_in(text, "@pkgconfig@", TRM_PKGCONFIG, &filled);
  for (; marks->mark && status == TRM_OK; marks++) {
    char *before = filled;
    filled = NULL;
    status = fill_in(before, marks->mark, marks->value, &filled);
    free(before);
  }
  if (status == TRM_OK) status = trm_file_save(path, filled, strlen(filled));
  free(filled);
  return status;
}

trm_status template_make_folder(const char *folder, const char *command)
{
  if (mkdir(folder, 0777) == 0) return TRM_OK;
  if (errno == EEXIST)
    return TRM_FAIL(IO, "'%s' exists already, and nothing in it is touched; name another folder: "
                    "trireme %s DIR", folder, command);
  const int error = errno;
  return TRM_FAIL(IO, "cannot make the folder '%s': %s; %s", folder, strerror(error),
                  trmi_cure(error));
}
