/* predict.h - the time of a case on a device that is not here, from kept results.
 *
 * The model of a step (docs/predict.md has its reasons):
 *
 *   time = ((bytes / copy)^1.5 + arithmetic^1.5)^(2/3) + launches * price + transfers
 *
 * The solver declares the bytes, the copy is the device's roof. The arithmetic is the rest of a
 * step that was measured elsewhere, without bytes, launches and transfers. It goes along with the
 * roofs of fused multiply-adds: a device of twice the roof needs half the time. A prediction for a
 * device takes steps that were measured on devices of other names alone. Nothing is run. */
#ifndef TRIREME_CLI_PREDICT_H
#define TRIREME_CLI_PREDICT_H

#include <jansson.h>

#include "run/case.h"
#include "run/measure/roofs.h"

enum { PREDICT_TEXT = 128, PREDICT_REASON = 800 };

/* A device, as results tell it. Devices of one name are one device, also with several backends;
 * PoCL puts more before the name ("pthread-skylake-avx512-AMD EPYC"). */
typedef struct predict_device {
  char name[PREDICT_TEXT], backend[32];
  int is_host;                 /* a processor, by any backend */
  double threads;              /* of a host; NaN: not told */
  device_roofs roofs;
  double copy;                 /* bytes a second: bench's, else the best beside a run; NaN: never
                                * measured */
  int is_benched;              /* 1: the copy is bench's */
  double sheet_f32, sheet_f64; /* operations a second by the vendor's data sheet; NaN */
} predict_device;

/* A step that was measured. */
typedef struct predict_row {
  char solver[32], work[PREDICT_TEXT], shape[96], precision[8], math[8];
  char source[PREDICT_TEXT];   /* the file, or where the file says that it stands */
  const trm_solver_type *type; /* NULL: not installed */
  size_t device;               /* of predict_data.devices */
  json_t *config;              /* owned; every key of the case, at its default where the file lacks
                                * it */
  double updates;              /* of a step */
  double seconds, bytes, flops; /* of a step; NaN: not told */
  double memory;               /* bytes that the case takes on the device; NaN: not told */
  double copy;                 /* bytes a second, measured beside this run; NaN: see the device */
  double launches, transferred; /* of a step; NaN: not counted */
  double replayed;             /* launches that a recording made, of these */
  double least, most;          /* seconds of the fastest and slowest run; NaN: one run */
  int at_once;                 /* the most steps of one pass over memory */
  int is_counted;              /* 1: a study counted that they are so many */
  char missing[PREDICT_REASON]; /* why it cannot be used; "" */
} predict_row;

typedef struct predict_data {
  predict_device *devices;
  size_t device_count;
  predict_row *rows;
  size_t row_count;
  size_t *sources;             /* owned; room for all rows */
  json_t **documents;          /* owned */
  size_t document_count;
} predict_data;

/* Reads run.json, compare.json, study.json, `trireme bench --json`, and results of
 * docs/measure/measure.py; a folder stands for the files in it. Clear it in any case. */
trm_status predict_read(predict_data *out, const char *list);
void predict_clear(predict_data *all);

/* The work whose time is wanted: that of a case, or of a row. */
typedef struct predict_work {
  const char *solver, *precision, *math;
  const json_t *config;
} predict_work;

/* predict_command.c: every key of the case that a command names. */
trm_status predict_read_command(predict_row *to, const json_t *words);

/* predict_same.c: every key of the row's solver at its default. */
trm_status predict_begin_config(predict_row *to);
/* Values of the file, under today's names. A candidate's are texts, which take the key's type. */
void predict_put_config(predict_row *to, const json_t *from);
/* Whether a row does the same work in the same way; then *scale is how many times as many updates a
 * step of `of` has. */
int predict_is_same(const predict_work *of, const predict_row *row, double *scale);

typedef enum predict_bound {
  BOUND_BYTES, BOUND_ARITHMETIC, BOUND_LAUNCHES, BOUND_TRANSFERS, BOUND_CACHES
} predict_bound;
extern const char *const predict_bounds[];

typedef struct prediction {
  double seconds, low, high;   /* of a step; NaN: not predictable */
  double bytes, arithmetic, launches, transfers; /* seconds each; NaN: not counted */
  double flops;                /* seconds that the declared operations take at the roof; NaN */
  predict_bound bound;
  int is_cached;               /* 1: of a host's step that is faster than its copy: caches are a
                                * part of its arithmetic */
  int is_by_sheet;             /* 1: a data sheet's figures stand for the roof of arithmetic */
  size_t *sources, source_count; /* rows; the data's, until the next prediction */
  char missing[PREDICT_REASON]; /* why not; "" */
} prediction;

prediction predict_step(const predict_data *all, const predict_work *of, size_t device);

/* predict_json.c: the caller's. chosen: the case; on: a part of devices' names, or NULL. */
json_t *predict_json(const predict_data *all, const run_case *chosen, const char *on);
/* predict_page.c */
trm_status predict_print(const json_t *document);

#endif
