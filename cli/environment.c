/* environment.c - OpenMP's settings, and the plugins and cases of a build tree. */
#include "cli/environment.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/message.h"
#include "run/installed.h"
#include "run/surroundings.h"
#include "core/nearest.h"
#include "io/case.h"

/* Removes the last part of a path; 0 when only one part is left. */
static int parent(char *path)
{
  char *slash = strrchr(path, '/');
  if (!slash || slash == path) return 0;
  *slash = 0;
  return 1;
}

static int ends_with(const char *text, const char *end)
{
  const size_t a = strlen(text), b = strlen(end);
  return a >= b && strcmp(text + a - b, end) == 0;
}

/* The build tree in which this very program file was linked. It is found by config.status in TREE:
 * libtool leaves the file in TREE/cli/.libs (or TREE/cli when it needs no wrapper). */
static int find_build_tree(char *tree, size_t bytes)
{
  const ssize_t length = readlink("/proc/self/exe", tree, bytes - 1);
  if (length <= 0) return 0;
  tree[length] = 0;
  if (!parent(tree)) return 0;
  if (ends_with(tree, "/.libs") && !parent(tree)) return 0;
  if (!ends_with(tree, "/cli") || !parent(tree)) return 0;
  char mark[PATH_MAX + 32];
  snprintf(mark, sizeof mark, "%s/config.status", tree);
  return access(mark, F_OK) == 0;
}

static void use_plugins_of(const char *tree, const char *folders, const char *variable)
{
  char pattern[PATH_MAX + 32];
  snprintf(pattern, sizeof pattern, "%s/%s/.libs", tree, folders);
  glob_t found;
  if (glob(pattern, 0, NULL, &found) != 0) return;
  size_t bytes = 1;
  for (size_t i = 0; i < found.gl_pathc; i++) bytes += strlen(found.gl_pathv[i]) + 1;
  char *list = calloc(bytes, 1);
  for (size_t i = 0; list && i < found.gl_pathc; i++) {
    if (i > 0) strcat(list, ":");
    strcat(list, found.gl_pathv[i]);
  }
  if (list) setenv(variable, list, 0);
  free(list);
  globfree(&found);
}

/* The cases of the sources that this tree was built from, as its Makefile names them. */
static void use_cases_of(const char *tree)
{
  static const char key[] = "abs_top_srcdir = ";
  char line[PATH_MAX + 64];
  snprintf(line, sizeof line, "%s/Makefile", tree);
  FILE *file = fopen(line, "re");
  while (file && fgets(line, sizeof line - sizeof "/cases", file)) {
    if (strncmp(line, key, strlen(key)) != 0) continue;
    strcpy(line + strcspn(line, "\n"), "/cases");
    if (access(line + strlen(key), F_OK) == 0) setenv("TRIREME_CASES", line + strlen(key), 0);
    break;
  }
  if (file) fclose(file);
}

/* ---- several devices of openmp ---------------------------------------------- */

static int names_two(const char *text)
{
  const char *first = strstr(text, "openmp");
  return first && strstr(first + 1, "openmp");
}

/* A case that names its devices itself, as the one of a folder that is resumed does. A path that is
 * no case names no devices; the command will report it. */
static int case_names_two(const char *path)
{
  struct stat status;
  char *devices = NULL;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  if (trm_case_text(path, "run.devices", &devices) != TRM_OK) return 0;
  const int found = names_two(devices);
  free(devices);
  return found;
}

static int case_in_names_two(const char *folder, const char *file)
{
  char path[PATH_MAX];
  const int length = snprintf(path, sizeof path, "%s/%s", folder, file);
  return length > 0 && (size_t)length < sizeof path && case_names_two(path);
}

/* A case's file, its folder, that of a run, or the name of an installed case. */
static int operand_names_two(const char *operand)
{
  if (case_names_two(operand) || case_in_names_two(operand, "case.conf") ||
      case_in_names_two(operand, "used.conf"))
    return 1;
  char *installed = access(operand, F_OK) == 0 ? NULL : installed_find(operand);
  const int found = installed && case_in_names_two(installed, "case.conf");
  free(installed);
  return found;
}

static int is_output(int i, char *const *argv)
{
  return strncmp(argv[i], "--output", 8) == 0 || strncmp(argv[i], "-o", 2) == 0 ||
         strcmp(argv[i - 1], "--output") == 0 || strcmp(argv[i - 1], "-o") == 0;
}

static int names_devices(const char *word)
{
  return strncmp(word, "--backend", 9) == 0 || strncmp(word, "--devices", 9) == 0 ||
         strstr(word, "run.backend=") || strstr(word, "run.devices=");
}

/* Each team of threads would be bound to the first cores. The command line counts before the
 * environment, and that before the case. */
static int has_several_hosts(int argc, char *const *argv)
{
  const char *devices = getenv("TRIREME_DEVICES"), *backend = getenv("TRIREME_BACKEND");
  int is_named = 0;
  for (int i = 1; i < argc; i++) {
    if (is_output(i, argv) || access(argv[i], F_OK) == 0) continue; /* a path */
    if (names_two(argv[i])) return 1;
    is_named |= names_devices(argv[i]);
  }
  if (is_named) return 0;
  if (devices && *devices) return names_two(devices);
  for (int i = 2; i < argc && !(backend && *backend); i++)
    if (argv[i][0] != '-' && !is_output(i, argv) && operand_names_two(argv[i])) return 1;
  return 0;
}

static void use_build_tree(void)
{
  char tree[PATH_MAX];
  if (!find_build_tree(tree, sizeof tree)) return;
  use_plugins_of(tree, "backend-*", "TRIREME_BACKEND_PATH");
  use_plugins_of(tree, "comm-*", "TRIREME_COMM_PATH");
  use_cases_of(tree);
}

void environment_prepare(int argc, char *const *argv)
{
  surroundings_record();
  use_build_tree(); /* cases are found by it */
  setenv("OMP_PLACES", "cores", 0);
  setenv("OMP_PROC_BIND", has_several_hosts(argc, argv) ? "false" : "close", 0);
  /* endless spinning cost a factor of 30 on a shared machine */
  setenv("GOMP_SPINCOUNT", "10000", 0);
}

/* ---- variables that are none --------------------------------------------------- */

static const char prefix[] = "TRIREME_";
/* A user of other variables with this prefix has names of his own; only a name that begins alike
 * counts as misspelt. */
enum { OWN = sizeof prefix - 1, MOST_NAMES = 128, ALIKE = 2 };

/* Without the prefix, by which all would be alike; names has room for MOST_NAMES. */
static size_t list_variables(char texts[MOST_NAMES][64], const char **names)
{
  size_t count = 0;
  for (size_t i = 0; i < named_option_count && count < MOST_NAMES; i++) {
    if (!named_options[i].key) continue;
    named_option_variable(&named_options[i], texts[count], sizeof texts[count]);
    names[count] = texts[count] + OWN;
    count++;
  }
  for (size_t i = 0; i < environment_variable_count && count < MOST_NAMES; i++)
    if (strncmp(environment_variables[i].name, prefix, OWN) == 0)
      names[count++] = environment_variables[i].name + OWN;
  return count;
}

void environment_warn(void)
{
  char texts[MOST_NAMES][64], name[64];
  const char *names[MOST_NAMES];
  const size_t count = list_variables(texts, names);
  for (char *const *at = environ; *at; at++) {
    if (strncmp(*at, prefix, OWN) != 0) continue;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(*at + OWN, "="), *at + OWN);
    size_t i = 0;
    while (i < count && strcmp(names[i], name) != 0) i++;
    const char *nearest = i < count ? NULL : trm_nearest_name(name, names, count);
    if (nearest && strncmp(nearest, name, ALIKE) == 0)
      message_warning("%s%s is no variable of trireme, and is not heeded; the nearest is %s%s",
                      prefix, name, prefix, nearest);
  }
}
