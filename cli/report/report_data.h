/* report_data.h - files of results in one form for a report: a list of rows. A row is the runs of
 * one case on one device, from one run.json or several, or a candidate of a compare.json or
 * study.json.
 *
 * Files are data from elsewhere: a member that is absent or of another type is unknown, never a
 * crash and never zero. */
#ifndef TRIREME_CLI_REPORT_DATA_H
#define TRIREME_CLI_REPORT_DATA_H

#include "run/measure/benchmark.h"
#include "core/trireme.h"

enum { REPORT_LIMIT = 512 };

typedef struct result_file {
  char *path;                  /* owned */
  json_t *document;            /* owned */
  const char *kind;            /* "run", "compare", "study", "bench" */
  int schema;
  json_t *roles;               /* owned; of its keys: {"grid.nx": "size", "lbm.omega": "set"} */
} result_file;

typedef struct report_row {
  benchmark of;
  const result_file *file;
  const json_t *data;          /* the candidate, or the whole of a run */
  json_t *config;              /* owned; every key as text, the candidate's own values put in */
  char label[160];             /* tells it from all others: device, size, the keys that differ */
  char place[96];              /* the device, with its machine where there are several */
  char series[160];            /* the same without keys that change the number of cells */
  char team[160];              /* the same without the number of threads */
  char device_group[160];      /* the case and those keys without the devices that share it */
  char work[160];              /* the keys that differ and change the result, but for the size */
  char machine[64];
  const char *solver, *name;   /* of the case */
  int is_aside;                /* made for its profile, beside a comparison on that device */
  sample rate;
  size_t base;                 /* what its speed is held against: the first row with a speed of as
                                * many cells; for a study's, or a profile's beside one: in its
                                * file */
  double ratio, ratio_low, ratio_high; /* to it; NaN low: no interval is known */
  double confidence;           /* of the interval */
  int is_paired;               /* runs took turns; else the interval is from worst against best */
} report_row;

typedef struct report_data {
  result_file *files;
  size_t file_count;
  report_row *list;
  size_t count;
  int is_mixed;                /* 1: of different cases, as asked for */
} report_data;

/* Reads files, and the result files of folders. Refused: files that cannot be read, are no results
 * of this program, or were written by a newer version; results of different cases, with the
 * differences, unless `mixed`. Clear it in any case. */
trm_status report_data_read(report_data *out, char *const *paths, size_t count, int mixed);
void report_data_clear(report_data *all);
/* Lists the results in the folders of a folder that holds no result itself, a line each; returns
 * their number. */
size_t report_data_list(const char *folder, FILE *out);

/* report_former.c: gives the keys of an older version's results their present names. A solver that
 * is not here leaves them as they are. */
void report_take_present_keys(json_t *document);

/* report_match.c: refuses different cases, joins runs that are the same, labels, relates. */
trm_status report_data_match(report_data *all);
/* The speed of one over that of another: by rounds where their runs took turns, else from worst
 * against best. *range: NaN where one of them has a single run; *paired may be NULL. */
double report_row_ratio(const report_row *one, const report_row *base, interval *range,
                        int *paired);
/* 1: their speeds are of the same work, but for its size. */
int report_row_same_work(const report_row *a, const report_row *b);
/* 1: the same compiler and flags made the programs of both documents. */
int report_data_same_build(const json_t *a, const json_t *b);
/* 1: no processor, by any backend. */
int report_row_is_gpu(const report_row *one);
/* 1: rows of several sizes. */
int report_data_sizes_differ(const report_data *all);
/* A key's value; NULL where the file does not tell. A file's path is another on each machine; its
 * name tells. */
const char *report_row_value(const report_row *one, const char *key);

/* report_family.c: the roles of a file's keys, guessed where it is an older one that does not
 * tell. */
json_t *report_data_roles(const result_file *file);
/* For two rows of the same solver but of different sizes: whether this key may differ. It may
 * if it is the size, the number of steps, or a file of that size ("obstacles_128x128.dat"). It may
 * also if no command set it and two cases set it whose names differ only in the size. */
int report_row_key_goes_with_size(const report_row *a, const report_row *b, const char *key);
/* The keys of the last kind with their values: "lbm.accel (0.005, 0.01)"; "" if there are none. */
void report_data_say_siblings(const report_data *all, char *text, size_t bytes);

#endif
