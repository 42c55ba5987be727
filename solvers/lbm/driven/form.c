/* form.c - the form of a step: the properties that lbm.implementation names, with the changes that
 * the case's keys ask for. Combinations without sense are refused. */
#include "solvers/lbm/driven/implementation.h"

#include <string.h>

static const implementation_form named[] = {
  { "bristol-copied", LBM_EACH_STEP, LBM_SPLIT, LBM_SWAP, LBM_STRUCTS, LBM_BRANCH, LBM_ITEM, 0 },
  { "bristol-resident", LBM_EACH_RUN, LBM_SPLIT, LBM_SWAP, LBM_STRUCTS, LBM_BRANCH, LBM_ITEM, 0 },
  { "bristol-fused", LBM_EACH_RUN, LBM_FUSED, LBM_COMMAND, LBM_STRUCTS, LBM_BRANCH, LBM_ITEM, 0 },
  { "bristol-swapped", LBM_EACH_RUN, LBM_FUSED, LBM_SWAP, LBM_STRUCTS, LBM_BRANCH, LBM_ITEM, 0 },
  { "bristol-arrays", LBM_EACH_RUN, LBM_FUSED, LBM_SWAP, LBM_ARRAYS, LBM_BRANCH, LBM_ITEM, 0 },
  { "bristol-tree", LBM_EACH_RUN, LBM_FUSED, LBM_SWAP, LBM_ARRAYS, LBM_BRANCH, LBM_TREE, 0 },
  { "bristol-selects", LBM_EACH_RUN, LBM_FUSED, LBM_SWAP, LBM_ARRAYS, LBM_SELECT, LBM_TREE, 0 },
};

static const trm_option keys[] = { LBM_FORM_KEYS };

/* The number of the key's value among its choices after the first, "named"; -1: named. */
static int number_of(const trm_config *config, const trm_option *key)
{
  return trm_config_choice(config, key->key) - 1;
}

static trm_status refuse_best(const trm_config *config, const char *key)
{
  return TRM_FAIL(INPUT, "%s: %s = %s changes a step of the ladder; lbm.implementation = best is "
                  "the solver's own kernel; choose "
                  "lbm.implementation = bristol-selects, or another bristol- name",
                  trm_config_origin(config, key), key, trm_config_string(config, key));
}

/* Values that leave nothing to do for another key that is given. */
static trm_status check(const trm_config *config, const implementation_form *form)
{
  if (form->split == LBM_SPLIT && strcmp(trm_config_string(config, "lbm.back"), "named") != 0)
    return TRM_FAIL(INPUT, "%s: lbm.back = %s: the kernels of lbm.split = true end in the old "
                    "lattice, and nothing goes back; leave lbm.back out, or set lbm.split = false",
                    trm_config_origin(config, "lbm.back"), trm_config_string(config, "lbm.back"));
  if (form->sum == LBM_ITEM && form->fold == LBM_HOST)
    return TRM_FAIL(INPUT, "%s: lbm.fold = host: the one item of lbm.sum = item adds all speeds "
                    "and leaves no sums; choose lbm.sum = group or lbm.sum = tree",
                    trm_config_origin(config, "lbm.fold"));
  return TRM_OK;
}

trm_status lbm_form_read(const trm_config *config, implementation_form *out, int *is_best)
{
  const char *name = trm_config_string(config, "lbm.implementation");
  implementation_form form = { 0 };
  int *const values[] = { &form.transfer, &form.split, &form.back, &form.layout, &form.walls,
                          &form.sum, &form.fold }; /* as LBM_FORM_KEYS */
  for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
    if (strcmp(named[i].name, name) == 0) form = named[i];
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    const int number = number_of(config, &keys[i]);
    if (number < 0) continue;
    if (!form.name) return refuse_best(config, keys[i].key);
    *values[i] = number;
  }
  TRM_TRY(check(config, &form));
  *is_best = !form.name;
  *out = form;
  return TRM_OK;
}
