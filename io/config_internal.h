/* config_internal.h - the values behind a config, shared by config.c, case.c and config_print.c. */
#ifndef TRIREME_CONFIG_INTERNAL_H
#define TRIREME_CONFIG_INTERNAL_H

#include "io/config.h"

enum { TRMI_CASE_LIMIT = 1 << 24 };  /* bytes of a case file */

typedef struct trmi_value {
  const trm_option *option;
  char *text;                  /* "" when unset */
  char *origin;
  trm_origin_rank rank;
  int is_set;                  /* a value is there, be it the default */
  const trm_former_key *former; /* the name under which it was set; NULL: its present one */
  union {
    int64_t integer;
    double real;
    int boolean;
  } as;
} trmi_value;

struct trm_config {
  trmi_value *values;
  size_t count;
  const trm_former_key **former; /* of all lists */
  size_t former_count;
  struct trmi_former_use *uses; /* of former names, for the warnings */
  size_t use_count;
};

/* config_former.c: former names. */
const trm_former_key *trmi_config_former(const trm_config *config, const char *key);
trm_status trmi_config_note_former(trm_config *config, const trm_former_key *former,
                                   trm_origin_rank rank, const char *origin);
void trmi_config_forget_former(trm_config *config);
/* The value of the whole key after one number of its list has changed; malloc'd, the caller's. */
TRM_API trm_status trmi_config_with_number(const char *list, int place, double number,
                                           char **text);
/* Refuses a key that is given in one place under both names. former: that of the new value, or
 * NULL. */
trm_status trmi_config_check_names(const trmi_value *value, const trm_former_key *former,
                                   trm_origin_rank rank, const char *origin);

/* The type that a value must have under this name; NULL: there is no such key. */
const trm_option *trmi_config_declared(const trm_config *config, const char *key,
                                       trm_option *of_number);

/* NULL when no option has the key. */
trmi_value *trmi_config_find(const trm_config *config, const char *key);

/* TRM_ERROR_NOT_FOUND with the nearest key; origin says where the unknown one was met. */
trm_status trmi_config_unknown(const trm_config *config, const char *key, const char *origin);

/* Whether a value is the word "auto" of an option with TRM_OPTION_AUTO. */
int trmi_config_is_auto(const trm_option *option, const char *text);

/* "an integer", "true or false": the type in words. */
const char *trmi_option_type_text(trm_option_type type);

/* Fewest digits that give the same double again; always with '.', 'e' or both. */
void trmi_real_text(double value, char *text, size_t bytes);

#endif
