/* command.h - the commands of the program `trireme`, and its exit codes, on which scripts can rely.
 *
 * Each command is one file, command_NAME.c, with one function. Results (tables, JSON) go to stdout;
 * progress, warnings and errors go to stderr. */
#ifndef TRIREME_CLI_COMMAND_H
#define TRIREME_CLI_COMMAND_H

#include "cli/arguments.h"

#define EXIT_CODES(X) \
  X(GOOD, 0, "success") \
  X(DIFFER, 1, "compare, study, tune: results differ that must agree") \
  X(CANNOT, 2, \
    "bad input, a backend that is not ready, a file that cannot be written, a failed row") \
  X(DIVERGED, 3, "a run produced values that are not finite") \
  X(STOPPED, 75, "stopped early: by the user, or when the time of --for was over")

typedef enum exit_code {
#define EXIT_CODE_ENUM(name, value, text) EXIT_##name = value,
  EXIT_CODES(EXIT_CODE_ENUM)
#undef EXIT_CODE_ENUM
} exit_code;

typedef struct command {
  const char *name;
  unsigned bit;          /* COMMAND_xxx of arguments.h: which options it takes */
  const char *operands;  /* "CASE | SOLVER FILES...", or "" */
  const char *summary;   /* one line */
  const char *help;      /* a paragraph for `trireme COMMAND --help` */
  exit_code (*run)(const arguments *args);
} command;

extern const command commands[];
extern const size_t command_count;

exit_code command_run(const arguments *args);
exit_code command_resume(const arguments *args);
exit_code command_compare(const arguments *args);
exit_code command_cases(const arguments *args);
exit_code command_completion(const arguments *args);
exit_code command_bench(const arguments *args);
exit_code command_tune(const arguments *args);
exit_code command_movie(const arguments *args);
exit_code command_report(const arguments *args);
exit_code command_backends(const arguments *args);
exit_code command_devices(const arguments *args);
exit_code command_solvers(const arguments *args);
exit_code command_predict(const arguments *args);
exit_code command_study(const arguments *args);
exit_code command_retrace(const arguments *args); /* of `study --retrace` */
exit_code command_new_solver(const arguments *args);
exit_code command_exercise(const arguments *args);

/* The command of that name, or NULL. */
const command *command_find(const char *name);
/* The command, or option of the program, nearest to an unknown word; or NULL. */
const char *command_nearest(const char *name);

void command_help(const command *chosen);
/* The keys of that name, of every case and of each solver, or all those of the solver of that
 * name. */
exit_code help_on_key(const char *word);
/* The keys of the solver that is named, by itself or by a case. */
exit_code help_on_solver(const char *operand);
void program_help(void);
void program_version(void);

#endif
