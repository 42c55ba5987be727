/* study_cases.c - the cases of a study: the command line's, once for each size and each
 * implementation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/study/study.h"
#include "core/number.h"

static trm_status no_memory(void) { return TRM_FAIL(NO_HOST_MEMORY, "no memory for the study"); }

/* ---- sizes ------------------------------------------------------------------- */

enum { SIDES = 3, LARGEST_SIDE = 1 << 30 };

/* "128" for all sides, or "128x256" for each: how many there are; 0: the text is something else. */
static size_t read_size(const char *text, int64_t side[SIDES])
{
  const size_t count = trm_shape(text, side, SIDES);
  for (size_t i = 0; i < count; i++)
    if (side[i] < 1 || side[i] > LARGEST_SIDE) return 0;
  return count;
}

/* "128", "128x256": in digits, as rows are named. */
static void size_text(const int64_t *side, size_t count, char *text, size_t bytes)
{
  size_t used = 0;
  text[0] = 0;
  for (size_t i = 0; i < count && used < bytes; i++)
    used += (size_t)snprintf(text + used, bytes - used, "%s%lld", i ? "x" : "",
                             (long long)side[i]);
}

trm_status study_read_sizes(study *all, const char *text)
{
  size_t count = 0;
  const char *rest = text;
  char word[96], digits[64];
  int64_t side[SIDES];
  all->sizes = calloc(strlen(text) + 2, sizeof *all->sizes);
  if (!all->sizes) return no_memory();
  while ((rest = list_next(rest, word, sizeof word))) {
    const size_t sides = read_size(word, side);
    if (!sides)
      return TRM_FAIL(INPUT, "--sizes=%s: '%s' is not a size; write for example --sizes=128,256,"
                      "1024, or --sizes=128x256 for sides that differ", text, word);
    size_text(side, sides, digits, sizeof digits);
    all->sizes[count] = strdup(digits);
    if (!all->sizes[count++]) return no_memory();
  }
  return count ? TRM_OK : TRM_FAIL(INPUT, "--sizes=%s: no size is given; write for example "
                                   "--sizes=128,256,1024", text);
}

/* If a case's path has a size in its name ("cases/bristol-128x256"), the path of the same case with
 * another size, of as many sides: malloc'd; NULL if that does not exist. A size of one number is
 * that of each side. */
static char *sibling(const char *path, const char *size)
{
  static const char parts[] = "0123456789x";
  for (const char *begin = path + strcspn(path, parts), *end; *begin;
       begin = end + strcspn(end, parts)) {
    const size_t length = strspn(begin, parts);
    int64_t was[SIDES], side[SIDES];
    char text[64], wanted[64], *name = NULL;
    end = begin + length;
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : 0), begin);
    const size_t sides = trm_shape(text, was, SIDES), given = read_size(size, side);
    if (sides < 2 || (given != 1 && given != sides)) continue;
    for (size_t i = given; i < sides; i++) side[i] = side[0];
    size_text(side, sides, wanted, sizeof wanted);
    if (asprintf(&name, "%.*s%s%s", (int)(begin - path), path, wanted, end) < 0) return NULL;
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
                      "there is no case of that size beside it; clear it with --set %s=, or write "
                      "that case", size, option->key, option->key);
  }
  return TRM_OK;
}

/* ---- cases -------------------------------------------------------------------- */

enum { ROOM = 64 };

trm_status study_add_settings(arguments *to, char *list, char *origin)
{
  char *rest = list;
  for (char *word; (word = strtok_r(rest, " ", &rest));) {
    char *equals = strchr(word, '=');
    if (!equals)
      return TRM_FAIL(INVALID, "%s: its settings have '%s', which is not of the form KEY=VALUE",
                      origin, word);
    *equals++ = 0;
    to->settings[to->setting_count++] = (setting){word, equals, origin, TRM_RANK_OPTION};
  }
  return TRM_OK;
}

/* A setting for each of the solver's keys of size, which `list` is cut up into. `texts`: room for
 * the numbers of the size. */
static trm_status add_size(arguments *to, char *list, const char *size, char texts[SIDES][24],
                           const char *solver)
{
  static char of_sizes[] = "--sizes";
  int64_t side[SIDES];
  size_t keys = 0;
  const size_t sides = read_size(size, side);
  char names[128], *rest = list;
  snprintf(names, sizeof names, "%s", list);
  for (char *key; (key = strtok_r(rest, ",", &rest)); keys++) {
    const int64_t value = side[sides == 1 ? 0 : keys < sides ? keys : sides - 1];
    if (keys == SIDES) break;
    snprintf(texts[keys], sizeof texts[keys], "%lld", (long long)value);
    to->settings[to->setting_count++] = (setting){key, texts[keys], of_sizes, TRM_RANK_OPTION};
  }
  if (keys == 0)
    return TRM_FAIL(INPUT, "--sizes=%s: solver '%s' has no size to set; use --vary=KEY=A,B", size,
                    solver);
  if (sides == 1 || sides == keys) return TRM_OK;
  return TRM_FAIL(INPUT, "--sizes=%s has %zu numbers, and the size of solver '%s' has %zu (%s); "
                         "give one number for all, or %zu", size, sides, solver, keys, names, keys);
}

trm_status study_plain_case(const study *all, run_case *out)
{
  const case_request wanted = arguments_case(all->args);
  const trm_solver_type *type = NULL;
  setting settings[ROOM];
  arguments sized = {.settings = settings};
  char texts[SIDES][24];
  *out = (run_case){0};
  if (!all->sizes || wanted.operand_count == 0 ||
      case_solver(wanted.operands[0], &type) != TRM_OK || !type->size_keys)
    return case_create(&wanted, out);
  char *keys = strdup(type->size_keys);
  if (!keys) return no_memory();
  /* a size of the wrong number of sides is refused later, where it is used */
  if (add_size(&sized, keys, all->sizes[0], texts, type->name) != TRM_OK) sized.setting_count = 0;
  for (size_t i = 0; i < sized.setting_count; i++) settings[i].rank = TRM_RANK_DEFAULT;
  const trm_status status = case_create_with(&wanted, settings, sized.setting_count, out);
  free(keys);
  return status;
}

trm_status study_check_own(const arguments *args, size_t given, const trm_config *config)
{
  for (size_t i = given; i < args->setting_count; i++) {
    const setting *own = &args->settings[i];
    for (size_t k = 0; k < given; k++) {
      const setting *other = &args->settings[k];
      const char *key = trm_config_present_key(config, other->key); /* of a former name too */
      if (other->rank >= TRM_RANK_SET && key && strcmp(key, own->key) == 0 &&
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

/* The command line's case with one size (or NULL) and one implementation (or NULL). Its settings
 * come after those of the command line. */
static trm_status narrow(const study *all, const run_case *plain, char *size,
                         const trm_implementation *implementation, variation *out)
{
  char origin[96], texts[SIDES][24], *operand = NULL, *operands[1];
  const size_t given = all->args->setting_count;
  const char *size_keys = plain->type->size_keys;
  arguments args = *all->args;
  char *keys = strdup(size_keys ? size_keys : "");
  char *settings = strdup(implementation ? implementation->settings : "");
  args.settings = calloc(given + ROOM, sizeof *args.settings);
  trm_status status = keys && settings && args.settings ? TRM_OK : no_memory();
  if (status == TRM_OK && given) memcpy(args.settings, all->args->settings,
                                        given * sizeof *args.settings);
  if (size && args.operand_count == 1) operand = sibling(args.operands[0], size);
  if (operand) {
    operands[0] = operand;
    args.operands = operands;
  } else if (size && status == TRM_OK) {
    status = refuse_files(plain, size);
    if (status == TRM_OK) status = add_size(&args, keys, size, texts, plain->type->name);
  }
  snprintf(origin, sizeof origin, "implementation '%s' of the ladder",
           implementation ? implementation->name : "");
  if (status == TRM_OK) status = study_add_settings(&args, settings, origin);
  if (status == TRM_OK) status = variation_create(&args, out);
  if (status == TRM_OK) status = study_check_own(&args, given, plain->config);
  if (status == TRM_OK && operand) status = check_sized(all->args, size_keys, out);
  free(args.settings);
  free(operand);
  free(keys);
  free(settings);
  return status;
}

trm_status study_read_cases(study *all, const run_case *plain)
{
  const size_t count = all->is_ladder ? plain->type->implementations->count : 1;
  size_t sizes = 0;
  while (all->sizes && all->sizes[sizes]) sizes++;
  if (sizes == 0) sizes = 1;
  all->variations = calloc(sizes * count, sizeof *all->variations);
  if (!all->variations) return no_memory();
  for (size_t s = 0; s < sizes; s++)
    for (size_t r = 0; r < count; r++)
      TRM_TRY(narrow(all, plain, all->sizes ? all->sizes[s] : NULL,
                     all->is_ladder ? &plain->type->implementations->list[r] : NULL,
                     &all->variations[all->variation_count++]));
  return TRM_OK;
}
