/* config.h - the values that describe a run: typed options, where they come from, and their checks.
 *
 * A config is made for a list of option tables (the program's own and one solver's). Values arrive
 * in the order of precedence: default < case.conf < environment < --set < named option. Each value
 * remembers its origin, so that every message can name the file and line or the option. An unknown
 * key is refused with the nearest known one; a value outside its range with the range. */
#ifndef TRIREME_CONFIG_H
#define TRIREME_CONFIG_H

#include "core/nearest.h"
#include "core/trireme.h"

typedef enum trm_option_type {
  TRM_OPTION_INTEGER, TRM_OPTION_REAL, TRM_OPTION_STRING, TRM_OPTION_BOOLEAN, TRM_OPTION_FILE
} trm_option_type;

/* Flags of an option. */
enum {
  TRM_OPTION_EXCLUSIVE = 1,    /* the bounds themselves are not allowed */
  TRM_OPTION_SAME_RESULT = 2,  /* a promise: any other value gives the same bits in strict
                                * arithmetic (the form of a kernel, the size of a group) */
  TRM_OPTION_ONCE = 4,         /* belongs to one run: trm_config_print leaves it out */
  TRM_OPTION_SIZED = 8,        /* a file for the case's own size_keys, refused with others */
  TRM_OPTION_FORMULA = 16,     /* of a string: a number may stand in a case without quotes */
  TRM_OPTION_NUMBERS = 32,     /* of a string: it lists numbers, words beside them or not; nan, inf,
                                * what is too large or small and hexadecimal ones are refused */
  TRM_OPTION_AUTO = 64         /* of a real: "auto" is a value too, as which it is NaN: the solver
                                * chooses by the rest of the case */
};

/* A key of a case: "lbm.omega". Ranges are inclusive unless said; NaN bounds mean none. */
typedef struct trm_option {
  const char *key;
  trm_option_type type;
  const char *unit;            /* "1", "lattice", "m"; "" for strings */
  const char *fallback;        /* default as text; NULL: the case must set it */
  double minimum, maximum;     /* integers and reals */
  int flags;                   /* TRM_OPTION_EXCLUSIVE, TRM_OPTION_SAME_RESULT */
  const char *choices;         /* strings: "a|b|c", or NULL */
  const char *help;            /* one line */
} trm_option;

/* The name that a key had in the last version. It is read for one version more, with a warning that
 * names the new key. */
typedef struct trm_former_key {
  const char *former, *key;
  int place;                   /* 0: the whole value; n: the n-th number of a list "x y z" */
} trm_former_key;

/* Values after defaults, case file, environment, --set and named options; checked against the
 * solver's options before create sees them. Opaque. */
typedef struct trm_config trm_config;

TRM_API int64_t trm_config_integer(const trm_config *config, const char *key);
TRM_API double trm_config_real(const trm_config *config, const char *key);
TRM_API int trm_config_boolean(const trm_config *config, const char *key);
/* Belongs to the config. A FILE is a path, already resolved against the case's folder; "" unset. */
TRM_API const char *trm_config_string(const trm_config *config, const char *key);
/* The number of a string's value among the choices of its option, from 0 on: an enum with the same
 * order. -1: the option has no choices. */
TRM_API int trm_config_choice(const trm_config *config, const char *key);
/* A string of three numbers "x y z"; TRM_ERROR_INPUT where it is anything else. */
TRM_API trm_status trm_config_three(const trm_config *config, const char *key, double out[3]);
/* Where a value comes from, for messages: "case.conf:12", "--set lbm.omega", "the default". */
TRM_API const char *trm_config_origin(const trm_config *config, const char *key);
/* 1 where a value differs from the option's default. A used.conf gives every key, and a key that a
 * solver would not read is refused only if its value differs. */
TRM_API int trm_config_is_given(const trm_config *config, const char *key);

/* A key that a solver looks at only where another has one of these values ("box|file"; NULL:
 * where it is given). */
typedef struct trm_option_need {
  const char *key, *other, *values;
} trm_option_need;
/* Refuses a key that is set while the key it depends on does not have one of the required
 * values. */
TRM_API trm_status trm_config_check_needs(const trm_config *config, const trm_option_need *needs,
                                          size_t count);
/* 1 where a value is given so by a command, a variable or a program, not by the case's file. */
TRM_API int trm_config_is_asked(const trm_config *config, const char *key);
/* As trm_config_check_needs, for keys that are refused only if they are set explicitly. These
 * belong to a method that a case chooses and a user may change (nbody.theta of a case with a tree,
 * and --set nbody.force=pairs). */
TRM_API trm_status trm_config_check_asked(const trm_config *config, const trm_option_need *needs,
                                          size_t count);
/* Sets a value from text on behalf of `origin` (a course file's line); checked like any other. */
TRM_API trm_status trm_config_set(trm_config *config, const char *key, const char *text,
                                  const char *origin);

/* ---- for the program ------------------------------------------------------ */

typedef enum trm_origin_rank {
  TRM_RANK_DEFAULT, TRM_RANK_CASE, TRM_RANK_ENVIRONMENT, TRM_RANK_SET, TRM_RANK_OPTION
} trm_origin_rank;

/* tables[i] has counts[i] options and outlives the config. */
TRM_API trm_status trm_config_create(const trm_option *const *tables, const size_t *counts,
                                     size_t table_count, trm_config **out);
TRM_API void trm_config_destroy(trm_config **config);

/* From now on a value that is set under a former name is that of the new key. Both names in one
 * place (two lines of a case, two --set) are refused. Each call adds a list, which outlives the
 * config. */
TRM_API trm_status trm_config_accept_former(trm_config *config, const trm_former_key *list,
                                            size_t count);
/* The present name of a key, also of a former one; NULL: there is no such key. */
TRM_API const char *trm_config_present_key(const trm_config *config, const char *key);
/* The warnings about former names that were set, a line for a case's file and for each other
 * origin; "" without any. malloc'd, the caller's. */
TRM_API trm_status trm_config_warnings(const trm_config *config, char **text);

/* The solver that a case.conf names (`solver = "lbm"`), before its options are known, and the
 * line where it does; text is malloc'd and the caller's. */
TRM_API trm_status trm_case_solver(const char *path, char **solver, unsigned *line);

/* Reads a case.conf (libconfig); relative FILE values are resolved against its folder. */
TRM_API trm_status trm_config_read(trm_config *config, const char *path);

/* As trm_config_set, with the rank that decides which of two values wins. */
TRM_API trm_status trm_config_set_ranked(trm_config *config, const char *key, const char *text,
                                         trm_origin_rank rank, const char *origin);

/* Values present, required ones set; call once after the last set. */
TRM_API trm_status trm_config_check(const trm_config *config);

/* The whole config as a case.conf that gives the same run again, without the keys of
 * TRM_OPTION_ONCE. The solver's name comes first, and FILE values are absolute paths. malloc'd, to
 * be freed by the caller. */
TRM_API trm_status trm_config_print(const trm_config *config, const char *solver, char **text);

/* Every option in table order, for --json and listings. */
TRM_API size_t trm_config_count(const trm_config *config);
TRM_API const trm_option *trm_config_option(const trm_config *config, size_t index);
/* The value as text, "" when unset. Belongs to the config. */
TRM_API const char *trm_config_text(const trm_config *config, const char *key);

#endif
