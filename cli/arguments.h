/* arguments.h - the command line, read once: options, settings of the case, operands.
 *
 * One table lists every option of every command (arguments.c). An option that stands for a key of
 * the case (--steps for run.steps) becomes a setting; the others become members of `arguments`. */
#ifndef TRIREME_CLI_ARGUMENTS_H
#define TRIREME_CLI_ARGUMENTS_H

#include <stddef.h>

#include "core/trireme.h"
#include "run/case.h"

enum {
  COMMAND_RUN = 1, COMMAND_COMPARE = 2, COMMAND_BENCH = 4, COMMAND_BACKENDS = 8,
  COMMAND_DEVICES = 16, COMMAND_SOLVERS = 32, COMMAND_NEW_SOLVER = 64, COMMAND_REPORT = 128,
  COMMAND_STUDY = 256, COMMAND_TUNE = 512, COMMAND_CASE_LIST = 1024,
  COMMAND_COMPLETION = 2048, COMMAND_RESUME = 4096, COMMAND_MOVIE = 8192,
  COMMAND_EXERCISE = 16384,
  COMMAND_PREDICT = 32768,
  COMMAND_CASES = COMMAND_RUN | COMMAND_COMPARE | COMMAND_STUDY | COMMAND_TUNE,
  COMMAND_OF_CASES = COMMAND_CASES | COMMAND_PREDICT, /* take a case as operand */
  COMMAND_KEYED = COMMAND_CASES | COMMAND_RESUME, /* take keys of a case */
  COMMAND_WORK = COMMAND_KEYED | COMMAND_PREDICT, /* take those that say what a step does */
  COMMAND_ALL = 65535
};

typedef struct arguments {
  int help, json, quiet, verbose, dry_run;
  int bisect, tuned;           /* compare */
  int cpu_cores;               /* compare: cores of the processor's side; 0: all */
  int no_tuned, profile;       /* run */
  int brief, explain;          /* how much is printed of a result */
  int ladder;                  /* study: along the solver's ladder */
  const char *retrace;         /* study: the name of a report, or NULL */
  int quick;                   /* study --retrace: smaller, where a row takes long */
  const char *page;            /* study --retrace: a file for the page, or NULL */
  const char *sizes;           /* study: "128,256", or NULL */
  double seconds;              /* study: of a timed run; 0: the default */
  int runs;                    /* compare, bench, study: repetitions; 0: the default */
  const char *on;              /* compare, bench: "openmp,opencl:1", or NULL */
  const char *from;            /* predict: "h200.json,results/box", or NULL */
  const char *output;          /* report: the page, or NULL */
  const char *field, *fps, *to, *range, *size, *steps; /* movie: as given, or NULL */
  const char *view;            /* run, resume: the port, "" for any; NULL: no view */
  int again;                   /* compare, study, report: what is there is made anew */
  int mixed;                   /* report: results of different cases are wanted */
  const char **vary;           /* compare: "precision=f32,f64", one a --vary */
  size_t vary_count;
  setting *settings;           /* owned: environment, then --set and named options in order */
  size_t setting_count;
  char *const *operands;       /* what is not an option, in order */
  size_t operand_count;
} arguments;

/* A named option, for parsing and for help. */
typedef struct named_option {
  const char *name;            /* "steps" */
  const char *argument;        /* "N", or NULL: takes none */
  const char *key;             /* "run.steps", or NULL: not a key of the case */
  unsigned commands;           /* COMMAND_xxx that take it */
  const char *help;
} named_option;

extern const named_option named_options[];
extern const size_t named_option_count;

/* Reads argv after the command's name; permutes it (operands last). */
trm_status arguments_parse(unsigned command_bit, const char *command_name, int argc, char **argv,
                           arguments *out);
void arguments_clear(arguments *args);

/* Warns if the command line sets a key twice. One of the settings counts; their kinds decide which,
 * and then their order. */
void arguments_warn(const arguments *args);

/* The case that they ask for. */
case_request arguments_case(const arguments *args);

/* "TRIREME_STEPS": the environment variable that stands for a named option with a key. */
void named_option_variable(const named_option *option, char *text, size_t bytes);

#endif
