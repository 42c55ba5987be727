/* command_new_solver.c - `trireme new-solver`: a folder with a solver that works, to start from. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "run/summary.h"
#include "cli/template.h"
#include "run/text/json.h"
#include "io/file.h"
#include "solvers/catalogue.h"

enum { NAME_LIMIT = 31 };

/* The name becomes a part of file names, C names and keys. */
static trm_status check_name(const char *name)
{
  const size_t length = strlen(name);
  if (!islower((unsigned char)name[0]) || length > NAME_LIMIT ||
      strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != length)
    return TRM_FAIL(INPUT, "'%s' is not a name for a solver: a small letter, then small letters, "
                    "digits and _, at most %d in all", name, NAME_LIMIT);
  if (strncmp(name, "trm_", 4) == 0 || strcmp(name, "trm") == 0)
    return TRM_FAIL(INPUT,
                    "'%s' is not a name for a solver: the prefix trm belongs to the library",
                    name);
  static const char *const taken[] = {"run", "grid", "output"};
  for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
    if (strcmp(name, taken[i]) == 0)
      return TRM_FAIL(INPUT, "'%s' is not a name for a solver: a group of keys has this name; "
                             "choose another", name);
  if (trm_catalogue_owns(name))
    return TRM_FAIL(INPUT, "'%s' is one of this program's own solvers, and a plugin cannot take "
                    "its place; choose another name", name);
  return TRM_OK;
}

static trm_status path_of(const char *folder, const char *file, const char *name, char **out)
{
  return template_path(folder, file, "solver", name, out);
}

static trm_status write_file(const char *folder, const template_file *file, const char *name)
{
  const template_mark marks[] = { { "@name@", name }, { NULL, NULL } };
  char *path = NULL;
  trm_status status = path_of(folder, file->name, name, &path);
  if (status == TRM_OK) status = template_write(path, file->text, marks);
  free(path);
  return status;
}

/* Removes half-written files after a failure; the folder was made here. */
static void remove_files(const char *folder, const char *name)
{
  for (const template_file *file = template_files; file->name; file++) {
    char *path = NULL;
    if (path_of(folder, file->name, name, &path) == TRM_OK) (void)unlink(path);
    free(path);
  }
  (void)rmdir(folder);
}

static trm_status make_solver(const char *folder, const char *name)
{
  char words[NAME_LIMIT + 16];
  TRM_TRY(check_name(name));
  snprintf(words, sizeof words, "new-solver %s", name);
  TRM_TRY(template_make_folder(folder, words));
  trm_status status = TRM_OK;
  for (const template_file *file = template_files; file->name && status == TRM_OK; file++)
    status = write_file(folder, file, name);
  if (status != TRM_OK) remove_files(folder, name);
  return status;
}

static trm_status show_json(const char *folder, const char *name)
{
  json_t *document = json_document("new-solver"), *files = json_array();
  for (const template_file *file = template_files; file->name; file++) {
    char *path = NULL;
    const trm_status status = path_of(folder, file->name, name, &path);
    if (status == TRM_OK) json_array_append_new(files, json_text(path));
    free(path);
  }
  json_object_set_new(document, "name", json_text(name));
  json_object_set_new(document, "folder", json_text(folder));
  json_object_set_new(document, "files", files);
  return listing_show(document);
}

exit_code command_new_solver(const arguments *args)
{
  if (args->operand_count < 1 || args->operand_count > 2)
    return message_failure(TRM_FAIL(INPUT, "'trireme new-solver' takes the name of a solver, and a "
                                           "folder if that has another name: trireme new-solver "
                                           "heat"));
  const char *name = args->operands[0];
  const char *folder = args->operand_count == 2 ? args->operands[1] : name;
  const trm_status status = make_solver(folder, name);
  if (status != TRM_OK) return message_failure(status);
  if (args->json) return message_failure(show_json(folder, name));
  char *word = report_shell_path(folder);
  printf("%s: a solver of the heat equation, to change into yours (%s/README.md)\n"
         "  cd %s && make && make check && make install\n"
         "  trireme run %s\n", name, folder, word ? word : folder, name);
  free(word);
  return EXIT_GOOD;
}
