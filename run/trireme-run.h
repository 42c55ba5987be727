/* trireme-run.h - libtrireme-run: open a case, advance it, read its fields while it runs.
 *
 * For programs of your own. `trireme run` and trireme.py are written with this library.
 *
 *     const trm_run_key keys[] = { { .key = "run.backend", .text = "cuda" } };
 *     const trm_run_options options = { .bytes = sizeof options, .keys = keys, .key_count = 1 };
 *     trm_run *run = NULL;
 *     trm_status status = trm_run_open("cases/driven-box", &options, &run);
 *     if (status == TRM_OK) status = trm_run_advance(run, 1000);
 *     if (status == TRM_OK) status = trm_run_write(run, "results/mine");
 *     if (status != TRM_OK) fprintf(stderr, "%s\n", trm_error_last()->text);
 *     trm_run_close(&run);
 *
 * Build with `pkg-config --cflags --libs trireme-run`.
 *
 * Ownership: the caller owns the run that trm_run_open returns, and gives it to
 * trm_run_close. Everything else that a function returns belongs to the run. It stays valid until
 * the next call with this run, unless its comment says longer.
 *
 * Errors: as in core/trireme.h. A function that can fail returns a trm_status, leaves its outputs
 * untouched on failure, and records a message for the calling thread (trm_error_last). The library
 * never prints, never exits, catches no signal and changes no variable of the environment.
 *
 * Threads: one run is used by one thread at a time. Different runs may be used by different threads
 * at the same time, and closed in any order. trm_run_interrupt alone may be called at any time.
 *
 * ABI: a later version with the same soname may add functions. It may add members at the end of the
 * structs that the library fills, and at the end of trm_run_options. The caller sets `bytes` of
 * trm_run_options, which tells the library the members that the caller knows. Everything else
 * raises the soname. */
#ifndef TRIREME_RUN_H
#define TRIREME_RUN_H

#include "core/trireme.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct trm_run trm_run;

/* ---- open and close ------------------------------------------------------- */

/* A key of the case and its value as text: `trireme solvers SOLVER` lists the keys. */
typedef struct trm_run_key {
  const char *key, *text;      /* "lbm.omega", "1.7" */
  const char *origin;          /* the setter, for messages; NULL: "trm_run_open" */
} trm_run_key;

enum {
  TRM_RUN_NO_TUNED = 1,        /* do not take the settings that `trireme tune` has stored */
  TRM_RUN_PROFILE = 2,         /* measure each kernel: in run.json and profile.csv */
  TRM_RUN_MUST_END = 4,        /* refuse a case without an end */
  TRM_RUN_WRITES = 8           /* refuse an output.folder with earlier results before the start */
};

typedef struct trm_run_options {
  size_t bytes;                /* sizeof(trm_run_options) */
  const trm_run_key *keys;     /* applied in order after the case; run.backend is one of them */
  size_t key_count;
  const char *const *files;    /* the solver's own files, if a solver is opened by name */
  size_t file_count;
  unsigned flags;              /* TRM_RUN_xxx */
  trm_log_fn *log;             /* warnings and remarks, at once; NULL: only log.txt has them */
  void *log_user;
  void (*progress)(void *user, const trm_run *run); /* after each batch of steps; NULL: none */
  void *progress_user;
} trm_run_options;

/* Opens a case on a device and puts it into its initial state. `what` is a folder with case.conf, a
 * file of that form, or the name of a solver. options may be NULL. All mistakes of the case are
 * refused here: unknown keys, values out of range, a backend that is not ready, too little
 * memory. */
TRM_API trm_status trm_run_open(const char *what, const trm_run_options *options, trm_run **out);

/* Resumes the run in `folder` from its newest intact checkpoint, on the device that options->keys
 * name. Its results will equal those of a run that was never interrupted. Other values of keys that
 * change results, and changed files of the case, are refused; run.steps and run.end_time may grow.
 * options->files is ignored. The folder is chosen (trm_run_keep). */
TRM_API trm_status trm_run_resume(const char *folder, const trm_run_options *options,
                                  trm_run **out);

/* Accepts NULL; clears the handle. Results that were not written are lost. */
TRM_API void trm_run_close(trm_run **run);

/* ---- description and state of a run ------------------------------------------- */

typedef struct trm_run_info {
  const char *name, *solver;   /* of the case; of its solver */
  const trm_device_info *device;
  trm_precision precision;
  trm_math math;
  uint64_t step;               /* steps done */
  double time;                 /* in the solver's unit of time (steps for lbm) */
  uint64_t end_step;           /* the case's own end: run.steps, UINT64_MAX if that is not set */
  double end_time;             /* the case's own end: run.end_time; INFINITY: none */
  double cells;                /* cells that a step updates */
  const char *counted;         /* name of the updates: "lattice updates" */
  double updates_per_second;   /* so far, without the first batch; 0: not yet known */
  double seconds;              /* in the time loop so far */
  size_t field_count, series_count;
  const char *tuned;           /* a message about stored settings in use; "": none */
  const char *checkpoints;     /* how often, size and room, or why none; "": not wanted */
} trm_run_info;

/* Lives as long as the run; its numbers belong to the state after the last advance. */
TRM_API const trm_run_info *trm_run_describe(const trm_run *run);

/* The value of a key as text, "" if it is not set; NULL if the case has no such key. */
TRM_API const char *trm_run_value(const trm_run *run, const char *key);

/* ---- advance -------------------------------------------------------------- */

/* Makes `steps` steps, even beyond the end of the case. If a value is not finite, it fails with
 * TRM_ERROR_DIVERGED, whose message names step, field and cell; such a run cannot continue. */
TRM_API trm_status trm_run_advance(trm_run *run, uint64_t steps);

/* Advances to `time`, in the solver's unit. A solver that chooses its steps shortens the last step
 * to end there; other solvers end at the first step that reaches it. */
TRM_API trm_status trm_run_advance_to(trm_run *run, double time);

/* Advances to the end that the case names: run.steps or run.end_time, whichever comes first. */
TRM_API trm_status trm_run_finish(trm_run *run);

/* Makes at most `steps` steps, to at most `time` (INFINITY: no limit), and returns after about
 * `seconds` seconds (INFINITY: no limit). Use it in a loop that has other things to do.
 * trm_run_describe tells the step and time reached. It makes at least one step, if one is left. */
TRM_API trm_status trm_run_advance_within(trm_run *run, uint64_t steps, double time,
                                          double seconds);

/* The advance in progress, else the next one, ends after its batch of steps (about 0.1 s, at most
 * some seconds) with TRM_ERROR_INTERRUPTED. The state is that of the last step: it can be read,
 * written and advanced. May be called from another thread and from a signal handler. */
TRM_API void trm_run_interrupt(trm_run *run);

/* The advance in progress, else the next one, writes a checkpoint after its batch of steps into the
 * folder of the results, if one is chosen, and continues. May be called from another thread and
 * from a signal handler. The keys checkpoint.* set the times of other checkpoints. */
TRM_API void trm_run_checkpoint(trm_run *run);

/* ---- fields and series ---------------------------------------------------- */

/* A field's values are a dense array [components][nz][ny][nx], x fastest. */
typedef struct trm_run_field {
  const char *name, *unit, *help;
  trm_type type;
  int components;
  size_t nx, ny, nz;
  size_t bytes;                /* of the whole array */
  int is_state;                /* 1: part of the state, and so of the fingerprint */
} trm_run_field;

/* Number index < field_count; NULL beyond. Lives as long as the run. */
TRM_API const trm_run_field *trm_run_field_at(const trm_run *run, size_t index);
/* By name; TRM_ERROR_NOT_FOUND with the nearest name. */
TRM_API trm_status trm_run_field_find(const trm_run *run, const char *name,
                                      const trm_run_field **out);
/* Reads the field after the last advance into the caller's memory; `bytes` must be the field's
 * bytes. Values that are not finite are read as they are. */
TRM_API trm_status trm_run_field_read(trm_run *run, const char *name, void *destination,
                                      size_t bytes);

/* One value a step. */
typedef struct trm_run_series {
  const char *name, *unit;
  const double *values;        /* values[0] belongs to step 1; valid until the next advance */
  size_t count;                /* steps done */
} trm_run_series;

TRM_API const trm_run_series *trm_run_series_at(const trm_run *run, size_t index);
TRM_API trm_status trm_run_series_find(const trm_run *run, const char *name,
                                       const trm_run_series **out);

/* A number about the whole run ("reynolds"), as in run.json under "results". */
TRM_API trm_status trm_run_result(trm_run *run, const char *name, double *out);

/* 32 hexadecimal digits and a NUL over the state: equal on every backend in strict arithmetic. */
TRM_API trm_status trm_run_fingerprint(trm_run *run, char text[33]);

/* ---- results -------------------------------------------------------------- */

/* Chooses the folder of the results before the run: `folder`; if that is NULL, output.folder; if
 * that is empty, a new results/NAME-NNNN. A folder with results of another run is refused; this
 * run's own results are replaced. The folder is made, locked and tested, and log.txt and used.conf
 * are begun. From now on the fields are written at every multiple of output.every. */
TRM_API trm_status trm_run_keep(trm_run *run, const char *folder);

/* Writes the results of the present state: fields (output.formats, output.fields), series.csv, the
 * solver's own files, run.json, used.conf and log.txt. folder: as for trm_run_keep; NULL after
 * trm_run_keep: the folder chosen there. A run that failed writes series and run.json. fields.pvd
 * lists the .vti files since the last write. */
TRM_API trm_status trm_run_write(trm_run *run, const char *folder);

/* The chosen folder; "" before one is chosen. */
TRM_API const char *trm_run_folder(const trm_run *run);

/* The text of run.json for the present state. */
TRM_API trm_status trm_run_json(trm_run *run, const char **text);

#ifdef __cplusplus
}
#endif
#endif
