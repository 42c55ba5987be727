/* config_former.c - keys under the names that they had in the last version. */
#include <config.h>

#include "io/config_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MOST = 8 };

typedef struct trmi_former_use {
  const trm_former_key *former;
  char *origin;
  trm_origin_rank rank;
} trmi_former_use;

const trm_former_key *trmi_config_former(const trm_config *config, const char *key)
{
  for (size_t i = 0; i < config->former_count; i++)
    if (strcmp(config->former[i]->former, key) == 0) return config->former[i];
  return NULL;
}

trm_status trm_config_accept_former(trm_config *config, const trm_former_key *list, size_t count)
{
  if (count == 0) return TRM_OK;
  const trm_former_key **grown = realloc(config->former,
                                         (config->former_count + count) * sizeof *grown);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for former keys");
  config->former = grown;
  for (size_t i = 0; i < count; i++) {
    if (trmi_config_find(config, list[i].former))
      return TRM_FAIL(INVALID, "the former key '%s' is declared as an option too; remove one of "
                      "them", list[i].former);
    if (!trmi_config_find(config, list[i].key))
      return TRM_FAIL(INVALID, "the former key '%s' stands for '%s', which is not declared; "
                      "declare it", list[i].former, list[i].key);
    config->former[config->former_count++] = &list[i];
  }
  return TRM_OK;
}

const char *trm_config_present_key(const trm_config *config, const char *key)
{
  const trm_former_key *former = trmi_config_former(config, key);
  const trmi_value *value = trmi_config_find(config, former ? former->key : key);
  return value ? value->option->key : NULL;
}

const trm_option *trmi_config_declared(const trm_config *config, const char *key,
                                       trm_option *of_number)
{
  const trm_former_key *former = trmi_config_former(config, key);
  const trmi_value *value = trmi_config_find(config, former ? former->key : key);
  *of_number = (trm_option){.key = key, .type = TRM_OPTION_REAL};
  return former && former->place ? of_number : value ? value->option : NULL;
}

/* The fewest digits that give the number again, as a person would write them. */
static void print_number(double number, char *text, size_t bytes)
{
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, bytes, "%.*g", digits, number);
    if (strtod(text, NULL) == number) return;
  }
}

trm_status trmi_config_with_number(const char *list, int place, double number, char **text)
{
  char digits[32], *out = NULL;
  size_t bytes = 0;
  print_number(number, digits, sizeof digits);
  FILE *stream = open_memstream(&out, &bytes);
  if (!stream) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a list of numbers");
  for (int i = 1; i <= NUMBERS_MOST && (*list || i <= place); i++) {
    const size_t length = strcspn(list, " ");
    if (i > 1) fputc(' ', stream);
    if (i == place) fputs(digits, stream);
    else if (length == 0) fputc('0', stream);
    else fprintf(stream, "%.*s", (int)length, list);
    list += length;
    list += strspn(list, " ");
  }
  const int failed = ferror(stream);
  if (fclose(stream) != 0 || failed) {
    free(out);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for a list of numbers");
  }
  *text = out;
  return TRM_OK;
}

trm_status trmi_config_check_names(const trmi_value *value, const trm_former_key *former,
                                   trm_origin_rank rank, const char *origin)
{
  const trm_former_key *before = value->former;
  if (!value->is_set || value->rank != rank || rank == TRM_RANK_DEFAULT || before == former)
    return TRM_OK;
  if (before && former && before->place != former->place) return TRM_OK;
  const char *name = former ? former->former : before->former;
  return TRM_FAIL(INPUT, "%s and %s: %s and %s are one key, which is given twice; leave %s out, "
                         "its "
                  "former name", value->origin, origin,
                  before ? before->former : value->option->key,
                  former ? former->former : value->option->key, name);
}

/* ---- warnings ---------------------------------------------------------------- */

trm_status trmi_config_note_former(trm_config *config, const trm_former_key *former,
                                   trm_origin_rank rank, const char *origin)
{
  for (size_t i = 0; i < config->use_count; i++)
    if (config->uses[i].former == former && strcmp(config->uses[i].origin, origin) == 0)
      return TRM_OK;
  trmi_former_use *grown = realloc(config->uses, (config->use_count + 1) * sizeof *grown);
  if (grown) config->uses = grown;
  char *copy = grown ? strdup(origin) : NULL;
  if (!copy) return TRM_FAIL(NO_HOST_MEMORY, "no memory to note the former key '%s'",
                             former->former);
  grown[config->use_count++] = (trmi_former_use){former, copy, rank};
  return TRM_OK;
}

void trmi_config_forget_former(trm_config *config)
{
  for (size_t i = 0; i < config->use_count; i++) free(config->uses[i].origin);
  free(config->uses);
  free(config->former);
  config->former = NULL;
  config->former_count = 0;
  config->uses = NULL;
  config->use_count = 0;
}

/* Length of the path in the origin "case.conf:7"; 0: the origin is no case file. */
static size_t file_length(const trmi_former_use *use)
{
  const char *colon = strrchr(use->origin, ':');
  return use->rank == TRM_RANK_CASE && colon ? (size_t)(colon - use->origin) : 0;
}

static int is_same_file(const trmi_former_use *a, const trmi_former_use *b)
{
  const size_t length = file_length(a);
  return length > 0 && length == file_length(b) && strncmp(a->origin, b->origin, length) == 0;
}

static void print_name(FILE *stream, const trm_config *config, const trmi_former_use *use)
{
  static const char *const places[] = {"", "first", "second", "third"};
  const trm_former_key *former = use->former;
  if (former->place)
    fprintf(stream, "%s is now the %s number of %s = \"%s\"", former->former,
            places[former->place], former->key, trm_config_text(config, former->key));
  else
    fprintf(stream, "%s is now %s", former->former, former->key);
}

/* Prints the line of all uses in one file. The first use prints it, the others print nothing. */
static void print_line(FILE *stream, const trm_config *config, size_t index)
{
  const trmi_former_use *uses = config->uses, *first = &uses[index];
  size_t names = 1;
  for (size_t i = 0; i < index; i++)
    if (is_same_file(&uses[i], first)) return;
  for (size_t i = index + 1; i < config->use_count; i++) names += is_same_file(first,
      &uses[i]) != 0;
  if (names == 1) fprintf(stream, "%s: ", first->origin);
  else fprintf(stream, "%.*s: ", (int)file_length(first), first->origin);
  print_name(stream, config, first);
  for (size_t i = index + 1; i < config->use_count; i++)
    if (is_same_file(first, &uses[i])) {
      fputs(", ", stream);
      print_name(stream, config, &uses[i]);
    }
  fprintf(stream, "; the former name%s still read in this version, not in the next\n",
          names == 1 ? " is" : "s are");
}

trm_status trm_config_warnings(const trm_config *config, char **text)
{
  char *out = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&out, &bytes);
  if (!stream) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the warnings of a case");
  for (size_t i = 0; i < config->use_count; i++) print_line(stream, config, i);
  const int failed = ferror(stream);
  if (fclose(stream) != 0 || failed) {
    free(out);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the warnings of a case");
  }
  *text = out;
  return TRM_OK;
}
