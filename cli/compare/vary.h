/* vary.h - the cases of a sweep: every combination of the values of --vary=KEY=A,B,...
 *
 * Each --vary is an axis; the last one turns fastest. Every case is read and checked before
 * anything runs. Cases that differ only in keys that promise the same result
 * (TRM_OPTION_SAME_RESULT) are a family: their strict runs must have the same bits. */
#ifndef TRIREME_CLI_VARY_H
#define TRIREME_CLI_VARY_H

#include <jansson.h>

#include "cli/arguments.h"
#include "run/case.h"

enum { VARY_CASE_LIMIT = 256 };

typedef struct vary_axis {
  char *key;                   /* "run.precision" */
  char *name;                  /* as written: "precision" */
  char **values;
  size_t count;
  int same_result;             /* the key's promise */
} vary_axis;

typedef struct variation {
  vary_axis *axes;             /* none without --vary */
  size_t axis_count;
  run_case *cases;             /* one without --vary */
  size_t case_count;
} variation;

/* Clear it in any case. Refused: an unknown key; a key given twice (also by --set or its own
 * option, whose value would be dropped); a key about files (output.*); a list without values; a
 * value that the key does not allow; a device beside --on; more cases than VARY_CASE_LIMIT. */
trm_status variation_create(const arguments *args, variation *out);

/* A comparison alone takes every device where neither --on nor --vary is given: fails if the
 * command line or a variable names one. */
trm_status variation_check_every_device(const arguments *args);
void variation_clear(variation *all);

/* Case number `index` once more, for the caller to change: clear it in any case. */
trm_status variation_case(const arguments *args, const variation *all, size_t index,
                          run_case *out);

/* The value of an axis in a case, as written. */
const char *variation_value(const variation *all, size_t index, size_t axis);

/* The varied keys with their values, and whether each promises the same result. */
json_t *variation_json(const variation *all);

/* The first case of the family that a case belongs to. */
size_t variation_family(const variation *all, size_t index);

#endif
