/* manual.c - writes the man page of `trireme` from the tables that --help prints. Run by the build,
 * not installed: `manual man`. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "run/surroundings.h"
#include "run/settings.h"
#include "solvers/catalogue.h"

/* ---- roff ------------------------------------------------------------------ */

/* Text with roff's own characters made literal; no line of it begins with a control character. */
static void roff(const char *text)
{
  for (int at_start = 1; *text; at_start = *text++ == '\n') {
    if (at_start && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
    if (*text == '-') fputs("\\-", stdout);
    else if (*text == '\\') fputs("\\e", stdout);
    else putchar(*text);
  }
}

static void section(const char *title) { printf("\n.SH %s\n", title); }

/* A bold term, what follows it in italics (or NULL), and its text. */
static void item(const char *term, const char *argument, const char *text)
{
  fputs(".TP\n\\fB", stdout);
  roff(term);
  fputs("\\fR", stdout);
  if (argument) {
    fputs("\\fI", stdout);
    roff(argument);
    fputs("\\fR", stdout);
  }
  putchar('\n');
  roff(text);
  putchar('\n');
}

static void man_options(unsigned command_bit)
{
  for (size_t i = 0; i < named_option_count; i++) {
    const named_option *option = &named_options[i];
    char name[64];
    if (!(option->commands & command_bit)) continue;
    const int is_needed = option->argument && option->argument[0] != '[';
    snprintf(name, sizeof name, "--%s%s", option->name, is_needed ? "=" : "");
    item(name, option->argument, option->help);
  }
}

static void man_commands(void)
{
  section("COMMANDS");
  for (size_t i = 0; i < command_count; i++) {
    const command *each = &commands[i];
    printf(".SS trireme %s ", each->name);
    roff(each->operands);
    printf("\n");
    roff(each->summary);
    printf(".\n.PP\n");
    roff(each->help);
    printf("\n");
    man_options(each->bit);
  }
}

static void man_keys(void)
{
  section("KEYS OF EVERY CASE");
  printf("A key takes its value from the default, case.conf, the environment, \\fB\\-\\-set\\fR or "
         "the named option;\nof several, the last in this list wins.\n");
  for (size_t i = 0; i < program_keys.option_count; i++)
    item(program_keys.options[i].key, NULL, program_keys.options[i].help);
}

/* Whether an entry of that name stands before entry `at`: an installed program's, which this one
 * passes over. */
static int is_behind(const trm_solver_entry *list, size_t at)
{
  for (size_t s = 0; s < at; s++)
    if (strcmp(list[s].name, list[at].name) == 0) return 1;
  return 0;
}

/* The keys of the program's own solvers; 0 when a solver cannot be opened. */
static int man_keys_of_solvers(void)
{
  trm_catalogue *catalogue = NULL;
  const trm_solver_entry *list;
  size_t count;
  if (trm_catalogue_create(&catalogue) != TRM_OK ||
      trm_catalogue_list(catalogue, &list, &count) != TRM_OK)
    return 0;
  for (size_t s = 0; s < count; s++) {
    const trm_solver_type *type = list[s].type;
    char title[96];
    if (!trm_catalogue_owns(list[s].name) || is_behind(list, s)) continue;
    if (!type) {
      fprintf(stderr, "manual: %s: %s\n", list[s].name, list[s].reason);
      return 0;
    }
    snprintf(title, sizeof title, "KEYS OF THE SOLVER %s", type->name);
    section(title);
    roff(type->summary);
    printf(".\n");
    for (size_t i = 0; i < type->option_count; i++)
      item(type->options[i].key, NULL, type->options[i].help);
  }
  trm_catalogue_destroy(&catalogue);
  return 1;
}

static void man_environment(void)
{
  section("ENVIRONMENT");
  for (size_t i = 0; i < named_option_count; i++) {
    const named_option *option = &named_options[i];
    char variable[64], text[96];
    if (!option->key) continue;
    named_option_variable(option, variable, sizeof variable);
    snprintf(text, sizeof text, "the default of --%s", option->name);
    item(variable, NULL, text);
  }
  for (size_t i = 0; i < environment_variable_count; i++)
    item(environment_variables[i].name, NULL, environment_variables[i].help);
}

static void man_exit_status(void)
{
  section("EXIT STATUS");
#define MAN_EXIT(name, value, text) item(#value, NULL, text);
  EXIT_CODES(MAN_EXIT)
#undef MAN_EXIT
}

static int man(void)
{
  printf(".TH TRIREME 1 \"\" \"trireme %s\" \"User Commands\"\n", trm_version());
  section("NAME");
  printf("trireme \\- one solver, written once, on OpenMP, OpenCL and CUDA\n");
  section("SYNOPSIS");
  for (size_t i = 0; i < command_count; i++) {
    printf("%s.B trireme %s\n[\\fIOPTION\\fR]... ", i ? ".br\n" : "", commands[i].name);
    roff(commands[i].operands);
    printf("\n");
  }
  section("DESCRIPTION");
  printf("Runs a solver on the backend that was named, so that the same run can be compared CPU "
         "against GPU.\nIn strict arithmetic, the default, every field and every sum has the same "
         "bits on every backend.\nResults (tables, JSON) go to standard output; progress, warnings "
         "and errors to standard error.\n");
  man_commands();
  man_keys();
  if (!man_keys_of_solvers()) return 0;
  man_environment();
  man_exit_status();
  section("SEE ALSO");
  printf(".BR trireme (3)\n");
  return 1;
}

int main(int argc, char **argv)
{
  if (argc != 2 || strcmp(argv[1], "man") != 0) {
    fprintf(stderr, "usage: manual man\n");
    return 2;
  }
  if (!man()) return 1;
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
