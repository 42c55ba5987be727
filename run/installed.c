/* installed.c - installed cases, found by their names. */
#include "run/installed.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *folder_of(void)
{
  const char *given = getenv("TRIREME_CASES");
  return given && given[0] ? given : TRM_CASES;
}

char *installed_find(const char *name)
{
  char *path = NULL, *file = NULL;
  struct stat about; /* of a file: whoever lists cases does not wait for a pipe */
  if (name[0] == '.' || strchr(name, '/')) return NULL;
  if (asprintf(&path, "%s/%s", folder_of(), name) < 0) return NULL;
  const int is_there = asprintf(&file, "%s/case.conf", path) >= 0 && stat(file, &about) == 0 &&
                       S_ISREG(about.st_mode);
  free(file);
  if (is_there) return path;
  free(path);
  return NULL;
}

trm_status installed_list(installed_cases *out)
{
  struct dirent **entries = NULL;
  *out = (installed_cases){.names = NULL};
  snprintf(out->folder, sizeof out->folder, "%s", folder_of());
  const int count = scandir(out->folder, &entries, NULL, alphasort);
  if (count < 0) return TRM_OK;
  out->names = calloc((size_t)count + 1, sizeof *out->names);
  int lost = !out->names;
  for (int i = 0; i < count; i++) {
    char *path = lost ? NULL : installed_find(entries[i]->d_name);
    if (path) {
      out->names[out->count] = strdup(entries[i]->d_name);
      if (out->names[out->count]) out->count++;
      else lost = 1;
    }
    free(path);
    free(entries[i]);
  }
  free(entries);
  if (!lost) return TRM_OK;
  installed_clear(out);
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the list of cases");
}

void installed_clear(installed_cases *cases)
{
  for (size_t i = 0; i < cases->count; i++) free(cases->names[i]);
  free(cases->names);
  *cases = (installed_cases){.names = NULL};
}

void installed_line(const installed_cases *cases, size_t index, char text[INSTALLED_LINE])
{
  char path[2048], line[INSTALLED_LINE];
  size_t used = 0;
  snprintf(path, sizeof path, "%s/%s/case.conf", cases->folder, cases->names[index]);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file) && line[0] == '#' && used < INSTALLED_LINE - 1) {
    line[strcspn(line, "\n")] = 0;
    const char *end = strstr(line, ". ");
    const size_t length = strlen(line);
    const int is_last = end || (length > 1 && line[length - 1] == '.');
    if (end) line[end - line + 1] = 0;
    used += (size_t)snprintf(text + used, INSTALLED_LINE - used, "%s%s", used ? " " : "",
                             line + 1 + strspn(line + 1, " "));
    if (is_last) break;
  }
  if (file) fclose(file);
  text[used < INSTALLED_LINE ? used : INSTALLED_LINE - 1] = 0;
}
