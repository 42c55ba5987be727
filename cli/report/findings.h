/* findings.h - files of results in one form for a report: a list of findings. A finding is the runs
 * of one case on one device, from one run.json (or several of the same). Or it is a contender of a
 * compare.json or study.json.
 *
 * Files are data from elsewhere: a member that is absent or of another type is unknown, never a
 * crash and never zero. */
#ifndef TRIREME_CLI_FINDINGS_H
#define TRIREME_CLI_FINDINGS_H

#include "run/measure/trial.h"
#include "core/trireme.h"

enum { FINDING_LIMIT = 512 };

typedef struct result_file {
  char *path;                  /* owned */
  json_t *document;            /* owned */
  const char *kind;            /* "run", "compare", "study", "bench" */
  int schema;
  json_t *roles;               /* owned; of its keys: {"grid.nx": "size", "lbm.omega": "set"} */
} result_file;

typedef struct finding {
  trial of;
  const result_file *file;
  const json_t *data;          /* the contender, or the whole of a run */
  json_t *config;              /* owned; every key as text, the contender's own values put in */
  char label[160];             /* tells it from all others: device, size, the keys that differ */
  char place[96];              /* the device, with its machine where there are several */
  char series[160];            /* the same without keys that change the number of cells */
  char team[160];              /* the same without the number of threads */
  char crew[160];              /* the case and those keys without the devices that share it */
  char machine[64];
  const char *solver, *name;   /* of the case */
  int is_aside;                /* made for its profile, beside a comparison on that device */
  sample rate;
  size_t base;                 /* what its speed is held against: the first finding of as many
                                * cells; for a study's, or a profile's beside one: in its file */
  double ratio, ratio_low, ratio_high; /* to it; NaN low: no interval is known */
  double confidence;           /* of the interval */
  int is_paired;               /* runs took turns; else the interval is from worst against best */
} finding;

typedef struct findings {
  result_file *files;
  size_t file_count;
  finding *list;
  size_t count;
  int is_mixed;                /* 1: of different cases, as asked for */
} findings;

/* Reads files, and the result files of folders. Refused: files that cannot be read, are no results
 * of this program, or were written by a newer version; results of different cases, with the
 * differences, unless `mixed`. Clear it in any case. */
trm_status findings_read(findings *out, char *const *paths, size_t count, int mixed);
void findings_clear(findings *all);
/* Lists the results in the folders of a folder that holds no result itself, a line each; returns
 * their number. */
size_t findings_list(const char *folder, FILE *out);

/* findings_match.c: refuses different cases, joins runs that are the same, labels, relates. */
trm_status findings_match(findings *all);
/* The speed of one over that of another: by rounds where their runs took turns, else from worst
 * against best. *range: NaN where one of them has a single run; *paired may be NULL. */
double finding_ratio(const finding *one, const finding *base, interval *range, int *paired);
/* A key's value; NULL where the file does not tell. A file's path is another on each machine; its
 * name tells. */
const char *finding_value(const finding *one, const char *key);

/* findings_family.c: the roles of a file's keys, guessed where it is an older one that does not
 * tell. */
json_t *findings_roles(const result_file *file);
/* For two findings of the same solver but of different sizes: whether this key may differ. It may
 * if it is the size, the number of steps, or a file of that size ("obstacles_128x128.dat"). It may
 * also if no command set it and two cases set it whose names differ only in the size. */
int finding_key_goes_with_size(const finding *a, const finding *b, const char *key);
/* The keys of the last kind with their values: "lbm.accel (0.005, 0.01)"; "" if there are none. */
void findings_say_siblings(const findings *all, char *text, size_t bytes);

#endif
