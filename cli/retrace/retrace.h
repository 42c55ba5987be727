/* retrace.h - a published report, measured again: each of its tables on each device, and a verdict
 * for each number and each claim.
 *
 * A report is a file of data (cli/retrace/reports/NAME.json): its tables with the published
 * numbers, the keys that make each row, its claims. The rows are those of a study (study.h), which
 * verifies them, times them in turns and keeps them. Times of two machines are never compared: a
 * verdict compares the ratio of two rows of a table with the published ratio. */
#ifndef TRIREME_CLI_RETRACE_H
#define TRIREME_CLI_RETRACE_H

#include "cli/report/page.h"
#include "cli/study/study.h"
#include "run/measure/profile.h"

/* A verdict compares with the published ratio; this factor is the most that "reproduced" allows. */
#define RETRACE_FACTOR 1.5
/* A report of single runs cannot tell apart two rows that differ by less. */
#define RETRACE_APART 0.03
/* A share, or a rate, is as that of the bytes: within this part of it. */
#define RETRACE_BY_BYTES 0.15

enum { RETRACE_NONE = -1, RETRACE_SIDES = 3, RETRACE_REASON = 1024 };

typedef enum retrace_verdict {
  RETRACE_FREE,                /* no verdict: a base, an addition, or the report does not tell */
  RETRACE_REPRODUCED, RETRACE_OTHER_SIZE, RETRACE_NOT_SEEN, RETRACE_OPPOSITE, RETRACE_UNTESTABLE,
  RETRACE_VERDICTS
} retrace_verdict;

/* "same sign, other size"; "-" where there is none. */
const char *retrace_verdict_name(retrace_verdict verdict);

/* A row of a table on a device. */
typedef struct retrace_entry {
  const json_t *table, *row;   /* of the report */
  size_t table_index, device;
  long at;                     /* the row of the study; RETRACE_NONE: it cannot run here */
  long against;                /* the entry that its factor is held against, or RETRACE_NONE */
  char missing[400];           /* why it cannot run */
  int is_elsewhere;            /* 1: a row of another kind of device; it is not shown */
  double published;            /* factor of the report; NaN: none */
  double factor;               /* factor here; NaN: unknown */
  interval range;
  retrace_verdict verdict;
  char reason[RETRACE_REASON];
} retrace_entry;

typedef struct retrace_claim {
  const json_t *claim;
  size_t device;
  retrace_verdict verdict;
  char reason[RETRACE_REASON]; /* also a claim's numbers */
} retrace_claim;

typedef struct retrace {
  study of;
  json_t *report;              /* owned */
  trm_implementation *list;    /* owned; one a row that can run */
  char (*names)[128];          /* owned; their names */
  char (*devices)[128];        /* owned; as --on names them */
  trm_device_info *infos;      /* owned; of these devices, as far as a row runs on them */
  size_t device_count;
  size_t *halvings;            /* owned; of each table's sides (--quick) */
  double shrink;               /* --sizes: cells of a table's longest side; 0: as published */
  retrace_entry *entries;      /* owned; by table, device, row */
  size_t entry_count;
  retrace_claim *claims;       /* owned; by claim, device */
  size_t claim_count;
} retrace;

/* The report of that name; owned by the caller. */
trm_status retrace_read(const char *name, json_t **out);

/* retrace.c: lists the rows; nothing runs but, for --quick, a few steps of each table. Close it in
 * any case. */
trm_status retrace_open(retrace *out, const arguments *args);
void retrace_close(retrace *all);
/* Whether a device's speed says nothing of the report's devices: PoCL runs on the processor. */
int retrace_is_emulated(const retrace *all, size_t device);
/* The cells of a table as it runs here: "128 x 128"; whether these are fewer than published. */
int retrace_size(const retrace *all, size_t table, char *text, size_t bytes);

/* Three digits, up to 1e9 without an exponent: "1.02", "-0.5", "4380". */
#define RETRACE_NUMBER(value) retrace_number(value, (char[32]){0})
const char *retrace_number(double value, char text[32]);
/* "1.02 (0.99 to 1.1)": a ratio and its interval. */
#define RETRACE_RATIO(value, low, high) retrace_ratio(value, low, high, (char[96]){0})
const char *retrace_ratio(double value, double low, double high, char text[96]);

/* retrace_judge.c: verdicts, after the study ran. */
void retrace_judge(retrace *all);
/* The verdict of a ratio alone: published > 0, and not within RETRACE_APART of 1. */
retrace_verdict retrace_compare(double published, double here, const interval *range);
/* The entry of that row of that table (its id) on a device; NULL: there is none. */
const retrace_entry *retrace_find(const retrace *all, const char *table, size_t device,
                                  const char *row);
/* The row of the study that was timed for it; NULL: none was. */
const study_row *retrace_timed(const retrace *all, const retrace_entry *entry);
/* The same row if its result is as it must be: no speed of a wrong result is judged. */
const study_row *retrace_trusted(const retrace *all, const retrace_entry *entry);
#define RETRACE_TOO_FEW "too few runs for a verdict; give --runs=5 or more"
int retrace_has_runs(const interval *range);
/* Why one row is faster or slower than another, from counts and prices; "unexplained" with the rest
 * where these do not tell. range: of their ratio. */
void retrace_explain(const retrace *all, const study_row *before, const study_row *after,
                     const interval *range, char text[RETRACE_REASON]);
/* Whether the time saved is that of a claim's "parts" (["transfers"]), at this device's prices and
 * up to RETRACE_FACTOR. With "is_most" it may be less. 0 also where prices are unknown. text: both
 * times, and the rate of transfers. */
int retrace_has_parts(const retrace *all, const json_t *claim, const study_row *before,
                      const study_row *after, char text[RETRACE_REASON]);
/* A reason why no verdict on speed is possible on this device; NULL: one is. where: "gpu", "host"
 * or "any". */
const char *retrace_untestable(const retrace *all, size_t device, const char *where);
/* A ratio against limits: above, most (its largest), least, within (of 1), under (it is slower);
 * NaN: not given. `above` and `under` need a ratio that can be told from 1. A noisy ratio is within
 * `most`, `least` and `within` if its median is; if not, nothing is seen. */
typedef struct retrace_limits { double above, most, least, within, under; } retrace_limits;
int retrace_is_limited(const retrace_limits *limits);
retrace_limits retrace_limits_of(const json_t *of);
retrace_verdict retrace_limit(const retrace_limits *limits, double here, const interval *range);
/* retrace_claims.c */
void retrace_judge_claims(retrace *all);
/* A claim's verdict and reason. */
void retrace_say(retrace_claim *of, retrace_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The row of a claim's table; NULL: its speed is not judged, and the claim says why. */
const study_row *retrace_row_of(const retrace *all, retrace_claim *of, const char *name);

/* retrace_kernels.c: claims about kernels, by these kinds. */
void retrace_judge_shares(retrace *all, retrace_claim *of);
void retrace_judge_few(retrace *all, retrace_claim *of);
void retrace_judge_bound(retrace *all, retrace_claim *of);
void retrace_judge_share(retrace *all, retrace_claim *of);
void retrace_judge_kernel(retrace *all, retrace_claim *of);
/* A claim's "kernels": [{"name", "kernels", "published": share of the published sum}, ...].
 * Reproduced: each share within the factor, and no two reversed that differ by RETRACE_APART both
 * there and here. Shares as of the declared bytes are the reason of another verdict. */
void retrace_compare_shares(retrace_claim *of, const profile_table *table);

/* retrace_page.c, retrace_json.c: all of it as a page with its tables (is_brief: the verdicts
 * alone), and as a document. */
void retrace_compose(page *out, const retrace *all, int is_brief);
json_t *retrace_json(const retrace *all);

#endif
