/* command_exercise.c - `trireme exercise`: lists the exercises, or writes the folder of one.
 *
 * A file of solvers/exercises that lies in no folder belongs to all exercises. A folder with a
 * number has the name of its exercise; any other names its reports: bristol, bristol-cylinder. A
 * title is the first line of a README.md; the build lists the exercises by difficulty. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "cli/template.h"
#include "cli/terminal.h"
#include "run/summary.h"
#include "run/text/json.h"

enum { NAME_LIMIT = 32, MOST = 32 };

/* "bristol-3" of its README.md "bristol-3/README.md"; 0: another file. */
static int names_exercise(const template_file *file, char name[NAME_LIMIT])
{
  const char *end = strstr(file->name, "/README.md");
  if (!end || end - file->name >= NAME_LIMIT) return 0;
  snprintf(name, NAME_LIMIT, "%.*s", (int)(end - file->name), file->name);
  return 1;
}

/* "# bristol-3: one kernel" without the name. */
static int title_length(const template_file *file, const char **title)
{
  const char *colon = strchr(file->text, ':');
  *title = colon ? colon + 2 : file->text;
  return (int)strcspn(*title, "\n");
}

static int belongs(const template_file *file, const char *exercise)
{
  const size_t folder = strcspn(file->name, "/"), length = strcspn(exercise, "-");
  char where[NAME_LIMIT * 2], word[NAME_LIMIT];
  if (!file->name[folder]) return 1;
  snprintf(where, sizeof where, "%.*s", (int)folder, file->name);
  if (strpbrk(where, "0123456789")) return strcmp(where, exercise) == 0;
  snprintf(word, sizeof word, "%.*s", (int)length, exercise);
  return strstr(where, word) != NULL;
}

static trm_status check_name(const char *name)
{
  static char names[MOST][NAME_LIMIT];
  const char *list[MOST];
  size_t count = 0;
  for (const template_file *file = exercise_files; file->name && count < MOST; file++) {
    if (!names_exercise(file, names[count])) continue;
    if (strcmp(names[count], name) == 0) return TRM_OK;
    list[count] = names[count];
    count++;
  }
  const char *near = trm_nearest_name(name, list, count);
  return TRM_FAIL(INPUT, "'%s' is no exercise; %s%s%s", name, near ? "did you mean '" : "'trireme "
                  "exercise' lists them", near ? near : "", near ? "'?" : "");
}

/* ---- a folder -------------------------------------------------------------------- */

/* The path of a file in the folder: what lies behind its own folder's name; kernel.k becomes
 * bristol_3.k, as the solver is called. */
static trm_status path_of(const char *folder, const template_file *file, const char *solver,
                          char **out)
{
  const char *slash = strchr(file->name, '/');
  return template_path(folder, slash ? slash + 1 : file->name, "kernel", solver, out);
}

static trm_status write_files(const char *folder, const char *exercise, const char *solver)
{
  const template_mark marks[] = { { "@name@", solver }, { "@exercise@", exercise },
                                  { NULL, NULL } };
  trm_status status = TRM_OK;
  for (const template_file *file = exercise_files; file->name && status == TRM_OK; file++) {
    char *path = NULL;
    if (!belongs(file, exercise)) continue;
    status = path_of(folder, file, solver, &path);
    if (status == TRM_OK) status = template_write(path, file->text, marks);
    free(path);
  }
  return status;
}

/* Removes half-written files after a failure; the folder was made here. */
static void remove_files(const char *folder, const char *exercise, const char *solver)
{
  for (const template_file *file = exercise_files; file->name; file++) {
    char *path = NULL;
    if (belongs(file, exercise) && path_of(folder, file, solver, &path) == TRM_OK)
      (void)unlink(path);
    free(path);
  }
  (void)rmdir(folder);
}

static trm_status make_exercise(const char *folder, const char *exercise)
{
  char solver[NAME_LIMIT], words[NAME_LIMIT + 16];
  TRM_TRY(check_name(exercise));
  snprintf(solver, sizeof solver, "%s", exercise);
  *strchr(solver, '-') = '_';
  snprintf(words, sizeof words, "exercise %s", exercise);
  TRM_TRY(template_make_folder(folder, words));
  const trm_status status = write_files(folder, exercise, solver);
  if (status != TRM_OK) remove_files(folder, exercise, solver);
  return status;
}

/* ---- what is shown --------------------------------------------------------------- */

static trm_status list_json(void)
{
  json_t *document = json_document("exercises"), *list = json_array();
  char name[NAME_LIMIT];
  const char *title;
  for (const template_file *file = exercise_files; file->name; file++) {
    if (!names_exercise(file, name)) continue;
    const int length = title_length(file, &title);
    json_array_append_new(list, json_pack("{s:s, s:o}", "name", name, "title",
                                          json_stringn(title, (size_t)length)));
  }
  json_object_set_new(document, "exercises", list);
  return listing_show(document);
}

static exit_code list_exercises(const arguments *args)
{
  char name[NAME_LIMIT], text[256];
  const char *title;
  if (args->json) return message_failure(list_json());
  for (const template_file *file = exercise_files; file->name; file++) {
    if (!names_exercise(file, name)) continue;
    const int length = title_length(file, &title);
    snprintf(text, sizeof text, "%.*s", length, title);
    terminal_print(printf("%-11s ", name), 12, text);
  }
  return EXIT_GOOD;
}

static trm_status folder_json(const char *folder, const char *exercise)
{
  json_t *document = json_document("exercise");
  json_object_set_new(document, "name", json_text(exercise));
  json_object_set_new(document, "folder", json_text(folder));
  return listing_show(document);
}

exit_code command_exercise(const arguments *args)
{
  if (args->operand_count == 0) return list_exercises(args);
  if (args->operand_count > 2)
    return message_failure(TRM_FAIL(INPUT, "'trireme exercise' takes the name of an exercise, and "
                                           "a folder if that has another name: trireme exercise "
                                           "bristol-1"));
  const char *exercise = args->operands[0];
  const char *folder = args->operand_count == 2 ? args->operands[1] : exercise;
  const trm_status status = make_exercise(folder, exercise);
  if (status != TRM_OK) return message_failure(status);
  if (args->json) return message_failure(folder_json(folder, exercise));
  char *word = report_shell_path(folder);
  printf("%s: the task is in %s/README.md\n  cd %s && make grade\n", exercise, folder,
         word ? word : folder);
  free(word);
  return EXIT_GOOD;
}
