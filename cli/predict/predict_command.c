/* predict_command.c - the case that a kept command names, as it is read today. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/predict/predict.h"

#include "cli/arguments.h"
#include "run/installed.h"
#include "run/json_parts.h"
#include "run/text/text.h"

enum { WORD_LIMIT = 64 };

/* The command's words after "trireme run" as a case: options that name a key, --set, an operand. */
typedef struct row_command {
  const char *operand;         /* a solver, or an installed case; "": none */
  setting settings[WORD_LIMIT];
  char texts[WORD_LIMIT][PREDICT_TEXT];
  size_t setting_count;
  int is_set;                  /* 1: the next word is KEY=VALUE */
  const named_option *option;  /* whose value is the next word */
  char *fault;                 /* predict_row.missing */
} row_command;

static void refuse(row_command *to, const char *what, const char *word)
{
  if (!to->fault[0])
    snprintf(to->fault, PREDICT_REASON, "its command is not read: %s '%.100s'", what, word);
}

static void add_setting(row_command *to, const char *key, const char *value)
{
  static char origin[] = "its command";
  char *text = to->texts[to->setting_count];
  const size_t length = strlen(key);
  if (length + 1 + strlen(value) + 1 > PREDICT_TEXT) {
    refuse(to, "too long is", value);
    return;
  }
  memcpy(text, key, length + 1);
  strcpy(text + length + 1, value);
  to->settings[to->setting_count++] = (setting){text, text + length + 1, origin, TRM_RANK_SET};
}

/* "grid.nx=64" */
static void add_pair(row_command *to, const char *pair)
{
  char key[PREDICT_TEXT];
  const size_t length = strcspn(pair, "=");
  if (!pair[length] || length >= sizeof key) {
    refuse(to, "no KEY=VALUE is", pair);
    return;
  }
  memcpy(key, pair, length);
  key[length] = 0;
  add_setting(to, key, pair + length + 1);
}

static const named_option *find_option(const char *name, size_t length)
{
  for (size_t i = 0; i < named_option_count; i++)
    if ((named_options[i].commands & COMMAND_RUN) && strlen(named_options[i].name) == length &&
        strncmp(named_options[i].name, name, length) == 0)
      return &named_options[i];
  return NULL;
}

static void add_option(row_command *to, const char *word)
{
  const size_t length = strcspn(word, "=");
  const named_option *option = find_option(word + 2, length - 2);
  const char *value = word[length] ? word + length + 1 : NULL;
  if (!option) refuse(to, "no option of run is", word);
  else if (strcmp(option->name, "set") == 0 && value) add_pair(to, value);
  else if (strcmp(option->name, "set") == 0) to->is_set = 1;
  else if (option->argument && option->argument[0] != '[' && !value) to->option = option;
  else if (option->key) add_setting(to, option->key, option->argument ? value : "true");
}

static void add_word(row_command *to, const char *word)
{
  const named_option *option = to->option;
  if (to->is_set) {
    to->is_set = 0;
    add_pair(to, word);
  } else if (option) {
    to->option = NULL;
    if (option->key) add_setting(to, option->key, word);
  } else if (strncmp(word, "--", 2) == 0) add_option(to, word);
  else if (to->operand) refuse(to, "a case has no files here, such as", word);
  else to->operand = word;
}

static void add_words(row_command *to, const json_t *words)
{
  const json_t *word;
  size_t i;
  json_array_foreach((json_t *)words, i, word) {
    const char *text = json_string_value(word);
    if (!text) refuse(to, "no text is one of its words, after", i ? "trireme" : "");
    else if (i == 1 && strcmp(text, "run") != 0) refuse(to, "no run is", text);
    else if (i >= WORD_LIMIT) refuse(to, "it has more than 64 words, as", text);
    else if (i >= 2) add_word(to, text);
    if (to->fault[0]) return;
  }
  if (to->is_set || to->option) refuse(to, "a value is missing after", "its last word");
  else if (!to->operand) snprintf(to->fault, PREDICT_REASON, "its command is not kept");
}

/* A solver's name, or the folder of an installed case in *folder. Results may name any file, a pipe
 * too: no file is opened, and no case of the present folder. */
static void find_operand(row_command *to, char **folder)
{
  const trm_solver_type *type;
  if (!strchr(to->operand, '/') && solver_find(to->operand, &type) == TRM_OK) return;
  *folder = strchr(to->operand, '/') ? NULL : installed_find(to->operand);
  if (*folder) to->operand = *folder;
  else refuse(to, "neither a solver nor an installed case is", to->operand);
}

static trm_status take_case(predict_row *to, const row_command *read)
{
  run_case chosen = {0};
  const case_request wanted = {.operands = &read->operand, .operand_count = 1,
                               .settings = read->settings, .setting_count = read->setting_count,
                               .may_be_endless = 1};
  const trm_status status = case_create(&wanted, &chosen);
  if (status != TRM_OK)
    snprintf(to->missing, sizeof to->missing, "its command is not read today: %.300s",
             trm_error_last()->text);
  else {
    const run_settings *settings = &chosen.settings;
    to->config = json_config(chosen.config);
    to->type = chosen.type;
    text_copy(to->solver, sizeof to->solver, chosen.type->name);
    text_copy(to->precision, sizeof to->precision, trm_precision_name(settings->solver.precision));
    text_copy(to->math, sizeof to->math, trm_math_name(settings->solver.math));
  }
  case_clear(&chosen);
  return status == TRM_ERROR_NO_HOST_MEMORY ? status : TRM_OK;
}

trm_status predict_read_command(predict_row *to, const json_t *words)
{
  char *folder = NULL;
  trm_status status = TRM_OK;
  row_command *read = calloc(1, sizeof *read);
  if (!read) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the results");
  read->fault = to->missing;
  add_words(read, words);
  if (!to->missing[0]) find_operand(read, &folder);
  if (!to->missing[0]) status = take_case(to, read);
  free(folder);
  free(read);
  return status;
}
