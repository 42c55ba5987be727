/* template.h - folders with sources to start from: a new solver (solvers/template) and the
 * exercises (solvers/exercises). The build embeds the files (template.c); template_folder.c
 * writes them. */
#ifndef TRIREME_CLI_TEMPLATE_H
#define TRIREME_CLI_TEMPLATE_H

#include "core/trireme.h"

typedef struct template_file {
  const char *name, *text;
} template_file;

/* End with a NULL name. In a new solver "solver" at the beginning of a file's name, and @name@ in
 * its text, stand for the solver's name. Of exercises a name is FOLDER/FILE;
 * cli/command_exercise.c says which of them an exercise takes. */
extern const template_file template_files[];
extern const template_file exercise_files[];

/* A mark and the text that takes its place; a list ends with a NULL mark. @pkgconfig@, the folder
 * of trireme.pc, is always replaced. */
typedef struct template_mark {
  const char *mark, *value;
} template_mark;

/* FOLDER/solver.k becomes FOLDER/NAME.k, where `word` is "solver"; malloc'd, the caller's. */
trm_status template_path(const char *folder, const char *file, const char *word, const char *name,
                         char **out);
/* Writes the text with each mark replaced. */
trm_status template_write(const char *path, const char *text, const template_mark *marks);
/* A new folder; one that exists is refused. `command` is in the cure: "new-solver heat". */
trm_status template_make_folder(const char *folder, const char *command);

#endif
