/* command_completion.c - `trireme completion`: scripts for shells, and the words that they ask for.
 *
 * The scripts know nothing but how to ask: `trireme completion words -- WORD...` answers from the
 * tables of commands, options and keys, and from the devices, solvers and cases of this machine. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "cli/template.h"
#include "cli/template.h"
#include "run/installed.h"
#include "solvers/catalogue.h"

static const struct { const char *shell, *text; } scripts[] = {
  {"bash",
   "# Completion of trireme for bash: written by 'trireme completion bash'.\n"
   "_trireme()\n{\n"
   "  local line=${COMP_LINE:0:COMP_POINT} IFS=$' \\t\\n' word words\n"
   "  read -ra words <<<\"$line\"\n"
   "  test \"${line% }\" = \"$line\" || words+=(\"\")\n"
   "  word=${words[${#words[@]}-1]}\n"
   "  IFS=$'\\n'\n"
   "  COMPREPLY=($(\"${words[0]}\" completion words -- \"${words[@]:1}\" 2>/dev/null))\n"
   "  # bash completes what follows the last '='\n"
   "  case $word in *=*) COMPREPLY=(\"${COMPREPLY[@]#\"${word%=*}=\"}\") ;; esac\n"
   "  case ${COMPREPLY[0]-} in *=) compopt -o nospace ;; esac\n"
   "}\n"
   "complete -o default -F _trireme trireme\n"},
  {"zsh",
   "#compdef trireme\n"
   "# Completion of trireme for zsh: written by 'trireme completion zsh'.\n"
   "_trireme()\n{\n"
   "  local -a found\n"
   "  found=(${(f)\"$($words[1] completion words -- \"${(@)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
   "  compadd -S '' -- ${(M)found:#*=}\n"
   "  compadd -- ${found:#*=}\n"
   "  _files\n"
   "}\n"
   "compdef _trireme trireme\n"},
  {"fish",
   "# Completion of trireme for fish: written by 'trireme completion fish'.\n"
   "complete -c trireme -a '(trireme completion words -- (commandline -opc)[2..-1] "
   "(commandline -ct) 2>/dev/null)'\n"},
};
enum { SCRIPTS = sizeof scripts / sizeof scripts[0] };

/* The word to complete, and the fixed text before the varying part: "--precision=".
 * "--precision=". */
typedef struct asked {
  const char *word;
  char *const *words;      /* those before it */
  size_t count;
  char before[96];
} asked;

static void offer(const asked *q, const char *text, size_t length, const char *end)
{
  char word[256];
  snprintf(word, sizeof word, "%s%.*s%s", q->before, (int)length, text, end);
  if (strncmp(word, q->word, strlen(q->word)) == 0) puts(word);
}

/* "a|b|c", or "[=A|b]" where it may be left out. Words in capitals are not offered: the user must
 * replace them. */
static void offer_choices(const asked *q, const char *choices)
{
  while (choices && *choices) {
    choices += strspn(choices, "[=|]");
    const size_t length = strcspn(choices, "|]");
    if (length && !isupper((unsigned char)*choices)) offer(q, choices, length, "");
    choices += length;
  }
}

static void offer_key(asked *q, const trm_option *option)
{
  const size_t length = strlen(option->key), before = strlen(q->before);
  if (strncmp(q->word + before, option->key, length) != 0 || q->word[before + length] != '=') {
    offer(q, option->key, length, "=");
    return;
  }
  snprintf(q->before + before, sizeof q->before - before, "%.60s=", option->key);
  offer_choices(q, option->type == TRM_OPTION_BOOLEAN ? "true|false" : option->choices);
  q->before[before] = 0;
}

static int is_named(const asked *q, const char *name)
{
  for (size_t i = 1; i < q->count; i++)
    if (strcmp(q->words[i], name) == 0) return 1;
  return 0;
}

/* Words that may follow 'help': a command, a solver or a key. */
static void offer_names_of(const asked *q, const trm_solver_type *type)
{
  for (size_t i = 0; i < type->option_count; i++)
    offer(q, type->options[i].key, strlen(type->options[i].key), "");
}

static trm_status offer_help(const asked *q)
{
  trm_catalogue *catalogue = NULL;
  const trm_solver_entry *list;
  size_t count;
  TRM_TRY(trm_catalogue_create(&catalogue));
  const trm_status status = trm_catalogue_list(catalogue, &list, &count);
  for (size_t i = 0; i < command_count; i++)
    offer(q, commands[i].name, strlen(commands[i].name), "");
  offer_names_of(q, &program_keys);
  for (size_t i = 0; status == TRM_OK && i < count; i++) {
    offer(q, list[i].name, strlen(list[i].name), "");
    if (list[i].type) offer_names_of(q, list[i].type);
  }
  trm_catalogue_destroy(&catalogue);
  return status;
}

/* Keys of every case and of the solver that is named, else of every solver; or their names. */
static trm_status offer_from_solvers(asked *q, int keys)
{
  trm_catalogue *catalogue = NULL;
  const trm_solver_entry *list;
  size_t count;
  TRM_TRY(trm_catalogue_create(&catalogue));
  const trm_status status = trm_catalogue_list(catalogue, &list, &count);
  size_t first = 0;
  while (keys && first < count && !is_named(q, list[first].name)) first++;
  if (first < count && keys) list += first, count = 1;
  for (size_t i = 0; keys && i < program_keys.option_count; i++)
    offer_key(q, &program_keys.options[i]);
  for (size_t i = 0; status == TRM_OK && i < count; i++) {
    if (!keys) offer(q, list[i].name, strlen(list[i].name), "");
    for (size_t k = 0; keys && list[i].type && k < list[i].type->option_count; k++)
      offer_key(q, &list[i].type->options[k]);
  }
  trm_catalogue_destroy(&catalogue);
  return status;
}

static trm_status offer_devices(const asked *q)
{
  trm_context *context = NULL;
  const trm_device_info *list;
  size_t count = 0;
  char text[96];
  TRM_TRY(listing_context(&context));
  const trm_status status = trm_device_list(context, &list, &count);
  for (size_t i = 0; i < count; i++) {
    if (list[i].index == 0) offer(q, list[i].backend, strlen(list[i].backend), "");
    snprintf(text, sizeof text, "%s:%zu", list[i].backend, list[i].index);
    offer(q, text, strlen(text), "");
  }
  trm_context_destroy(&context);
  return status;
}

static trm_status offer_cases(const asked *q)
{
  installed_cases cases;
  TRM_TRY(installed_list(&cases));
  for (size_t i = 0; i < cases.count; i++) offer(q, cases.names[i], strlen(cases.names[i]), "");
  installed_clear(&cases);
  return TRM_OK;
}

static trm_status offer_values(asked *q, const named_option *option)
{
  if (strcmp(option->name, "set") == 0 || strcmp(option->name, "vary") == 0)
    return offer_from_solvers(q, 1);
  const char *key = option->key ? option->key : "";
  if (strcmp(option->name, "on") == 0 || strcmp(key, "run.backend") == 0 ||
      strcmp(key, "run.devices") == 0)
    return offer_devices(q);
  if (strchr(option->argument, '|')) offer_choices(q, option->argument);
  return TRM_OK;
}

/* The option of the command that a word begins with ("--set=..."), or is. */
static const named_option *option_of(const command *chosen, const char *word)
{
  const size_t length = strcspn(word, "=");
  for (size_t i = 0; length > 2 && i < named_option_count; i++)
    if ((named_options[i].commands & chosen->bit) && named_options[i].argument &&
        strlen(named_options[i].name) == length - 2 &&
        strncmp(named_options[i].name, word + 2, length - 2) == 0)
      return &named_options[i];
  return NULL;
}

static trm_status offer_operands(asked *q, const command *chosen)
{
  if (chosen->bit & COMMAND_COMPLETION)
    for (size_t i = 0; i < SCRIPTS; i++) offer(q, scripts[i].shell, strlen(scripts[i].shell), "");
  for (const template_file *file = exercise_files; (chosen->bit & COMMAND_EXERCISE) && file->name;
       file++)
    if (strstr(file->name, "/README.md")) offer(q, file->name, strcspn(file->name, "/"), "");
  if (chosen->bit & COMMAND_OF_CASES) TRM_TRY(offer_cases(q));
  return chosen->bit & (COMMAND_OF_CASES | COMMAND_SOLVERS) ? offer_from_solvers(q, 0) : TRM_OK;
}

static trm_status offer_words(char *const *words, size_t count)
{
  asked q = {.word = words[count - 1], .words = words, .count = count - 1};
  const command *chosen = count > 1 ? command_find(words[0]) : NULL;
  for (size_t i = 0; count == 1 && i < command_count; i++)
    offer(&q, commands[i].name, strlen(commands[i].name), "");
  if (count == 1) offer_choices(&q, "help|--help|--version");
  if (count == 2 && strcmp(words[0], "help") == 0) return offer_help(&q);
  if (!chosen) return TRM_OK;
  const named_option *option = count > 2 ? option_of(chosen, words[count - 2]) : NULL;
  if (option && !strchr(words[count - 2], '=')) return offer_values(&q, option);
  option = strchr(q.word, '=') ? option_of(chosen, q.word) : NULL;
  if (option) {
    snprintf(q.before, sizeof q.before, "--%.60s=", option->name);
    return offer_values(&q, option);
  }
  if (q.word[0] != '-') return offer_operands(&q, chosen);
  snprintf(q.before, sizeof q.before, "--");
  for (size_t i = 0; i < named_option_count; i++)
    if (named_options[i].commands & chosen->bit)
      offer(&q, named_options[i].name, strlen(named_options[i].name),
            named_options[i].argument ? "=" : "");
  return TRM_OK;
}

exit_code command_completion(const arguments *args)
{
  const char *shell = args->operand_count > 0 ? args->operands[0] : "";
  if (strcmp(shell, "words") == 0 && args->operand_count > 1)
    return message_failure(offer_words(args->operands + 1, args->operand_count - 1));
  for (size_t i = 0; i < SCRIPTS; i++)
    if (strcmp(shell, scripts[i].shell) == 0 && args->operand_count == 1) {
      fputs(scripts[i].text, stdout);
      return EXIT_GOOD;
    }
  return message_failure(TRM_FAIL(INPUT, "'trireme completion' takes the name of a shell: bash, "
                                  "zsh or fish"));
}
