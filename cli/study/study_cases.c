/* study_cases.c - the cases of a study: the command line's, once for each size and each rung. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/study/study.h"

static trm_status no_memory(void) { return TRM_FAIL(NO_HOST_MEMORY, "no memory for the study"); }

/* ---- sizes ------------------------------------------------------------------- */

trm_status study_read_sizes(study *all, const char *text)
{
  size_t count = 0;
  const char *rest = text;
  char word[32];
  all->sizes = calloc(strlen(text) + 2, sizeof *all->sizes);
  if (!all->sizes) return no_memory();
  while ((rest = list_next(rest, word, sizeof word))) {
    char *end;
    const long long size = strtoll(word, &end, 10);
    if (*end || size < 1 || size > 1 << 30)
      return TRM_FAIL(INPUT, "--sizes=%s: '%s' is not a size; write for example --sizes=128,256,"
                      "1024", text, word);
    all->sizes[count] = strdup(word);
    if (!all->sizes[count++]) return no_memory();
  }
  return count ? TRM_OK : TRM_FAIL(INPUT, "--sizes=%s: no size is given; write for example "
                                   "--sizes=128,256,1024", text);
}

/* Where a case's path has NxN in its name ("cases/bristol-128x128"), the one beside it of another
 * size: malloc'd; NULL if there is none. */
static char *sibling(const char *path, const char *size)
{
  for (const char *x = strchr(path, 'x'); x; x = strchr(x + 1, 'x')) {
    const char *begin = x;
    while (begin > path && begin[-1] >= '0' && begin[-1] <= '9') begin--;
    const size_t digits = (size_t)(x - begin), more = strspn(x + 1, "0123456789");
    if (digits == 0 || more != digits || strncmp(begin, x + 1, digits) != 0) continue;
    char *name = NULL;
    if (asprintf(&name, "%.*s%sx%s%s", (int)(begin - path), path, size, size, x + 1 + more) < 0)
      return NULL;
    if (access(name, R_OK) == 0) return name;
    free(name);
  }
  return NULL;
}

/* A case of another size whose files are of its own would be another flow. */
static trm_status refuse_files(const run_case *chosen, const char *size)
{
  for (size_t i = 0; i < trm_config_count(chosen->config); i++) {
    const trm_option *option = trm_config_option(chosen->config, i);
    if (option->type == TRM_OPTION_FILE && trm_config_string(chosen->config, option->key)[0] &&
        !case_scales(chosen, option->key))
      return TRM_FAIL(INPUT, "--sizes=%s: the file of %s belongs to this case's own size, and "
                      "there is no case of %s x %s beside it; clear it with --set %s=, or write "
                      "that case", size, option->key, size, size, option->key);
  }
  return TRM_OK;
}

/* ---- cases -------------------------------------------------------------------- */

enum { ROOM = 64 };

/* Adds a setting for each word of the list, which it cuts up: "KEY=VALUE", or "KEY" with this
 * value. */
static trm_status add_settings(arguments *to, char *list, const char *separators, char *value,
                               char *origin)
{
  char *rest = list;
  for (char *word; (word = strtok_r(rest, separators, &rest));) {
    char *equals = strchr(word, '=');
    if (!value && !equals)
      return TRM_FAIL(INVALID, "%s: its settings have '%s', which is not of the form KEY=VALUE",
                      origin, word);
    if (equals) *equals++ = 0;
    to->settings[to->setting_count++] = (setting){word, value ? value : equals, origin,
                                                  TRM_RANK_OPTION};
  }
  return TRM_OK;
}

/* What a rung or a size sets must not be set by the command too (nor be varied, which
 * variation_create refuses): one of the two would be dropped, and a row have the name of what it is
 * not. `given`: the settings of the command line, which stand before those of sizes and rungs. */
static trm_status check_own(const arguments *args, size_t given)
{
  for (size_t i = given; i < args->setting_count; i++) {
    const setting *own = &args->settings[i];
    for (size_t k = 0; k < given; k++) {
      const setting *other = &args->settings[k];
      if (other->rank >= TRM_RANK_SET && strcmp(other->key, own->key) == 0 &&
          strcmp(other->text, own->text) != 0)
        return TRM_FAIL(INPUT, "%s: %s sets %s itself, to %s; leave it out", other->origin,
                        own->origin, own->key, own->text);
    }
  }
  return TRM_OK;
}

/* Nor what says how large a case is where --sizes takes cases that are so large themselves. */
static trm_status check_sized(const arguments *args, const char *size_keys,
                              const variation *cases)
{
  char key[64];
  for (const char *rest = size_keys; rest && (rest = list_next(rest, key, sizeof key));) {
    for (size_t i = 0; i < cases->axis_count; i++)
      if (strcmp(cases->axes[i].key, key) == 0)
        return TRM_FAIL(INPUT, "--vary=%s: --sizes takes cases of these sizes; leave out one of "
                        "the two", cases->axes[i].name);
    for (size_t i = 0; i < args->setting_count; i++)
      if (args->settings[i].rank >= TRM_RANK_SET && strcmp(args->settings[i].key, key) == 0)
        return TRM_FAIL(INPUT, "%s: --sizes takes cases of these sizes; leave out one of the two",
                        args->settings[i].origin);
  }
  return TRM_OK;
}

/* The command line's case with one size (or NULL) and one rung (or NULL): its settings come after
 * those of the command line. */
static trm_status narrow(const study *all, const run_case *plain, char *size, const trm_rung *rung,
                         variation *out)
{
  static char of_sizes[] = "--sizes";
  char origin[96], *operand = NULL, *operands[1];
  const size_t given = all->args->setting_count;
  const char *size_keys = plain->type->size_keys;
  arguments args = *all->args;
  char *keys = strdup(size_keys ? size_keys : ""), *rungs = strdup(rung ? rung->settings : "");
  args.settings = calloc(given + ROOM, sizeof *args.settings);
  trm_status status = keys && rungs && args.settings ? TRM_OK : no_memory();
  if (status == TRM_OK && given) memcpy(args.settings, all->args->settings,
                                        given * sizeof *args.settings);
  if (size && args.operand_count == 1) operand = sibling(args.operands[0], size);
  if (operand) {
    operands[0] = operand;
    args.operands = operands;
  } else if (size && status == TRM_OK) {
    status = refuse_files(plain, size);
    if (status == TRM_OK && !size_keys)
      status = TRM_FAIL(INPUT, "--sizes=%s: solver '%s' has no size to set; use --vary=KEY=A,B",
                        size, plain->type->name);
    if (status == TRM_OK) status = add_settings(&args, keys, ",", size, of_sizes);
  }
  snprintf(origin, sizeof origin, "rung '%s' of the ladder", rung ? rung->name : "");
  if (status == TRM_OK) status = add_settings(&args, rungs, " ", NULL, origin);
  if (status == TRM_OK) status = variation_create(&args, out);
  if (status == TRM_OK) status = check_own(&args, given);
  if (status == TRM_OK && operand) status = check_sized(all->args, size_keys, out);
  free(args.settings);
  free(operand);
  free(keys);
  free(rungs);
  return status;
}

trm_status study_read_cases(study *all, const run_case *plain)
{
  const size_t rungs = all->is_ladder ? plain->type->ladder->rung_count : 1;
  size_t sizes = 0;
  while (all->sizes && all->sizes[sizes]) sizes++;
  if (sizes == 0) sizes = 1;
  all->variations = calloc(sizes * rungs, sizeof *all->variations);
  if (!all->variations) return no_memory();
  for (size_t s = 0; s < sizes; s++)
    for (size_t r = 0; r < rungs; r++)
      TRM_TRY(narrow(all, plain, all->sizes ? all->sizes[s] : NULL,
                     all->is_ladder ? &plain->type->ladder->rungs[r] : NULL,
                     &all->variations[all->variation_count++]));
  return TRM_OK;
}
