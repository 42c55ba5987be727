/* manual.c - writes the man page of `trireme` and its completion for bash from the tables that
 * --help prints. Run by the build, not installed: `manual man`, `manual bash`. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/run/surroundings.h"
#include "cli/run/settings.h"

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
    snprintf(name, sizeof name, "--%s%s", option->name, option->argument ? "=" : "");
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
  printf("A value is taken from, in rising order: the default, case.conf, the environment, "
         "\\fB\\-\\-set\\fR, the named option.\n");
  for (size_t i = 0; i < program_option_count; i++)
    item(program_options[i].key, NULL, program_options[i].help);
  for (const trm_solver_type *const *type = trm_solver_types(); *type; type++) {
    char title[96];
    snprintf(title, sizeof title, "KEYS OF THE SOLVER %s", (*type)->name);
    section(title);
    roff((*type)->summary);
    printf(".\n");
    for (size_t i = 0; i < (*type)->option_count; i++)
      item((*type)->options[i].key, NULL, (*type)->options[i].help);
  }
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

static void man(void)
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
  man_environment();
  man_exit_status();
  section("SEE ALSO");
  printf(".BR trireme (3)\n");
}

/* ---- bash ------------------------------------------------------------------ */

/* "f32|f64" as words; an argument that is no list of choices completes as a file name. */
static void bash_values(void)
{
  printf("  case $before in\n");
  for (size_t i = 0; i < named_option_count; i++) {
    const char *argument = named_options[i].argument;
    if (!argument || !strchr(argument, '|')) continue;
    printf("    --%s) words='", named_options[i].name);
    for (const char *c = argument; *c; c++) putchar(*c == '|' ? ' ' : *c);
    printf("' ;;\n");
  }
  printf("    --backend | --on) words=$(trireme backends 2>/dev/null |\n"
         "      sed -n 's/^\\([a-z][^ ]*\\)  *ready.*/\\1/p') ;;\n"
         "    --set) words='");
  for (size_t i = 0; i < program_option_count; i++) printf("%s= ", program_options[i].key);
  for (const trm_solver_type *const *type = trm_solver_types(); *type; type++)
    for (size_t i = 0; i < (*type)->option_count; i++) printf("%s= ", (*type)->options[i].key);
  printf("'; compopt -o nospace ;;\n"
         "  esac\n");
}

static void bash_options(void)
{
  printf("    case ${COMP_WORDS[1]} in\n");
  for (size_t i = 0; i < command_count; i++) {
    printf("      %s) words='", commands[i].name);
    for (size_t j = 0; j < named_option_count; j++)
      if (named_options[j].commands & commands[i].bit)
        printf("--%s%s ", named_options[j].name, named_options[j].argument ? "=" : "");
    printf("' ;;\n");
  }
  printf("    esac\n");
}

static void bash(void)
{
  printf("# Completion of trireme for bash; written by the build from the tables of --help.\n"
         "_trireme()\n{\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "  COMPREPLY=()\n"
         "  # bash splits words at '=': --precision = f32\n"
         "  test \"$word\" = '=' && word= && before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  test \"$before\" = '=' && before=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  if test \"$COMP_CWORD\" = 1; then\n"
         "    COMPREPLY=($(compgen -W '");
  for (size_t i = 0; i < command_count; i++) printf("%s ", commands[i].name);
  printf("--help --version' -- \"$word\"))\n    return\n  fi\n");
  bash_values();
  printf("  if test -z \"$words\" && test \"${word#-}\" != \"$word\"; then\n");
  bash_options();
  printf("    compopt -o nospace\n  fi\n"
         "  if test -n \"$words\"; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  else compopt -o default; fi\n"
         "}\n"
         "complete -F _trireme trireme\n");
}

int main(int argc, char **argv)
{
  if (argc == 2 && strcmp(argv[1], "man") == 0) man();
  else if (argc == 2 && strcmp(argv[1], "bash") == 0) bash();
  else {
    fprintf(stderr, "usage: manual man|bash\n");
    return 2;
  }
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
