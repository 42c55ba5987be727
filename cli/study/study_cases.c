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
      return TRM_FAIL(INPUT, "--sizes=%s: '%s' is no size; write for example --sizes=128,256,1024",
                      text, word);
    all->sizes[count] = strdup(word);
    if (!all->sizes[count++]) return no_memory();
  }
  return count ? TRM_OK : TRM_FAIL(INPUT, "--sizes=%s: no size is given; write for example "
                                   "--sizes=128,256,1024", text);
}

/* Where a case's path has NxN in its name ("cases/bristol-128x128"), the one beside it of another
 * size: malloc'd; NULL where there is none. */
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
    if (option->type == TRM_OPTION_FILE && trm_config_string(chosen->config, option->key)[0])
      return TRM_FAIL(INPUT, "--sizes=%s: the file of %s belongs to this case's own size, and "
                      "there is no case of %s x %s beside it; clear it with --set %s=, or write "
                      "that case", size, option->key, size, size, option->key);
  }
  return TRM_OK;
}

/* ---- cases -------------------------------------------------------------------- */

/* The arguments of one size and one rung: those of the command line with settings after them. */
typedef struct narrowed {
  arguments args;
  setting *settings;
  size_t count;                /* of settings that are owned here */
  char *operand, *operands[1];
} narrowed;

static trm_status add_setting(narrowed *to, const char *key, size_t key_bytes, const char *text,
                              size_t text_bytes, const char *origin)
{
  setting *added = &to->settings[to->args.setting_count];
  *added = (setting){strndup(key, key_bytes), strndup(text, text_bytes), strdup(origin),
                     TRM_RANK_OPTION};
  if (!added->key || !added->text || !added->origin) {
    free(added->key);
    free(added->text);
    free(added->origin);
    return no_memory();
  }
  to->args.setting_count++;
  to->count++;
  return TRM_OK;
}

/* "lbm.variant=best run.wavefront=1" */
static trm_status add_rung(narrowed *to, const trm_rung *rung)
{
  char origin[96];
  snprintf(origin, sizeof origin, "rung '%s' of the ladder", rung->name);
  for (const char *at = rung->settings + strspn(rung->settings, " "); *at;) {
    const size_t key = strcspn(at, "= "), value = strcspn(at + key + 1, " ");
    if (at[key] != '=')
      return TRM_FAIL(INVALID, "%s: its settings '%s' are not of the form KEY=VALUE", origin,
                      rung->settings);
    TRM_TRY(add_setting(to, at, key, at + key + 1, value, origin));
    at += key + 1 + value;
    at += strspn(at, " ");
  }
  return TRM_OK;
}

static trm_status set_size(narrowed *to, const trm_solver_type *type, const char *size)
{
  if (!type->size_keys)
    return TRM_FAIL(INPUT, "--sizes=%s: solver '%s' has no size to set; use --vary=KEY=A,B", size,
                    type->name);
  const char *rest = type->size_keys;
  char key[64];
  while ((rest = list_next(rest, key, sizeof key)))
    TRM_TRY(add_setting(to, key, strlen(key), size, strlen(size), "--sizes"));
  return TRM_OK;
}

static trm_status narrow(const study *all, const run_case *plain, const char *size,
                         const trm_rung *rung, narrowed *out)
{
  enum { ROOM = 64 };
  *out = (narrowed){.args = *all->args};
  out->settings = calloc(all->args->setting_count + ROOM, sizeof *out->settings);
  if (!out->settings) return no_memory();
  if (all->args->setting_count)
    memcpy(out->settings, all->args->settings,
           all->args->setting_count * sizeof *out->settings);
  out->args.settings = out->settings;
  if (size) {
    out->operand = all->args->operand_count == 1 ? sibling(all->args->operands[0], size) : NULL;
    if (out->operand) {
      out->operands[0] = out->operand;
      out->args.operands = out->operands;
    } else {
      TRM_TRY(refuse_files(plain, size));
      TRM_TRY(set_size(out, plain->type, size));
    }
  }
  return rung ? add_rung(out, rung) : TRM_OK;
}

static void narrow_end(narrowed *of)
{
  const size_t borrowed = of->args.setting_count - of->count;
  for (size_t i = 0; of->settings && i < of->count; i++) {
    free(of->settings[borrowed + i].key);
    free(of->settings[borrowed + i].text);
    free(of->settings[borrowed + i].origin);
  }
  free(of->settings);
  free(of->operand);
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
    for (size_t r = 0; r < rungs; r++) {
      narrowed one;
      trm_status status = narrow(all, plain, all->sizes ? all->sizes[s] : NULL,
                                 all->is_ladder ? &plain->type->ladder->rungs[r] : NULL, &one);
      if (status == TRM_OK)
        status = variation_create(&one.args, &all->variations[all->variation_count++]);
      narrow_end(&one);
      TRM_TRY(status);
    }
  return TRM_OK;
}
