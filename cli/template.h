/* template.h - the files of a new solver (solvers/template), as the build embeds them (template.c).
 *
 * "solver" at the beginning of a file's name, and @name@ in its text, stand for the solver's
 * name. */
#ifndef TRIREME_CLI_TEMPLATE_H
#define TRIREME_CLI_TEMPLATE_H

typedef struct template_file {
  const char *name, *text;
} template_file;

/* Ends with a NULL name. */
extern const template_file template_files[];

#endif
