/* results.h - the folder of a run: run.json, used.conf, log.txt, series.csv, fields, pictures.
 *
 * The folder is made and tried before the run starts; each file is written under a temporary name
 * and renamed, so a file is complete or absent. log.txt, series.csv and fields.pvd grow while the
 * run goes on, and run.json says "running" until it ends: a run that is killed leaves them. */
#ifndef TRIREME_CLI_RESULTS_H
#define TRIREME_CLI_RESULTS_H

#include <jansson.h>
#include <sys/stat.h>

#include "run/log.h"
#include "run/session.h"
#include "io/file.h"

typedef struct results {
  char *folder;              /* owned */
  int lock;                  /* the folder, from which other runs are kept out; -1: none */
  const run_case *chosen;
  run_log *log;              /* the caller's */
  int *selected;             /* one flag a field: written */
  int *pictured;             /* and shown as a picture */
  int movie;                 /* the field of output.movie; -1: none */
  trm_file *series, *collection; /* owned, open: series.csv and fields.pvd, or NULL */
  uint64_t rows;             /* of the series, written so far */
  double flushed;            /* when they were, on the program's clock */
  char *collected;           /* of a run that goes on: fields.pvd so far, or NULL; owned */
} results;

/* The run.json that a run wrote into a folder, for it to know both again. */
typedef struct results_mark { struct stat folder, document; } results_mark;
trm_status results_mark_own(const results *out, results_mark **marks, size_t *count);

/* What the run has written before. */
typedef struct results_own {
  const results *out;        /* where it writes now */
  const results_mark *marks; /* where it wrote */
  size_t count;
} results_own;

/* Makes the folder (output.folder, or results/NAME-NNNN), tries to write there, opens the log and
 * writes used.conf. The session tells the fields; unknown names in output.fields are refused, and
 * so is a folder that holds results, unless they are this run's own. Call results_close in any
 * case. */
trm_status results_open(results *out, const run_case *chosen, const session *run, run_log *log,
                        const results_own *own);
/* 1: the results go into the same folder as those of the other. */
int results_is_same(const results *out, const run_case *chosen);
/* Says where the files are if another folder has taken the name. */
void results_tell_place(const results *out);
/* The folder of a command that runs more than once ("compare"): results/NAME-compare-NNNN, with log
 * and used.conf of the first case. is_again: a study goes on where it stopped. */
trm_status results_open_plain(results *out, const run_case *chosen, const char *what,
                              run_log *log, int is_again);
/* Opens log.txt where it was closed, and writes used.conf as the case is now. */
trm_status results_begin(const results *out);
void results_close(results *out);

/* Chooses the fields to write and to show, by output.fields; a name that is unknown is refused. */
trm_status results_select(results *out, const session *run);
/* Whether the solver's own files are asked for, and this case has them. */
int results_have_exports(const results *out, const session *run);

/* The number of the field of that name, which the key asks for. A name that is none is refused with
 * the nearest one, or with those there are. */
trm_status results_find_field(const run_case *chosen, const session *run, const char *key,
                              const char *name, size_t *found);

/* Bytes of the host's memory beside the solver's own: the fields of an output, the series, and what
 * both are hashed and written by. A run to a time has an unknown number of steps, and so of values:
 * none are counted. */
typedef struct results_memory { double fields, series, room; } results_memory;
trm_status results_foresee(const run_case *chosen, const session *run, results_memory *need);

/* Refuses a run whose series, and the fields of whose output, the host has no room for. Call it
 * when the solver has its memory. */
trm_status results_require(const results *out, const session *run);

/* The selected fields as they are now, in every chosen format. Names carry the step; the last ones
 * have a name without it, and where fields are written on the way one with it, too. */
trm_status results_write_fields(results *out, session *run, int last);

/* The selected fields on blocks of several levels, cell by cell as a .vtu file, or as the trees of
 * an .htg file; whether there are any where one of these formats was asked for. */
trm_status results_write_leaves(const results *out, session *run, const char *path);
trm_status results_write_trees(const results *out, session *run, const char *path);
trm_status results_check_leaves(const results *out, const session *run);
/* The same of the fluid cells of a grid, of a solver that has a field `solid`. */
trm_status results_write_cells(const results *out, session *run, const char *path);
int results_has_cells(const results *out, const session *run);

/* Takes away the numbered files of steps after this one: a run that goes on from there makes those
 * again that are its own. */
trm_status results_rewind(const results *out, const session *run, uint64_t step);

/* Numbered files of this step and of later ones are on the disk when it returns. */
trm_status results_sync(const results *out, const session *run, uint64_t step);

/* The place of each body, where the fields selected have it, or NULL; which lists go with it into
 * one file. */
const trm_field *results_places(const results *out, const session *run);
int results_is_of_bodies(const trm_field *places, const trm_field *field);

/* A line of fields.pvd: the file of that path, at that time. last: the run ends with it. */
trm_status results_collect(results *out, const char *path, double time, int part, int last);
/* fields.pvd so far, malloc'd and the caller's; NULL: there is none. */
trm_status results_read_collection(const results *out, char **text);

/* The frame of output.movie as it is now, reduced to at most 960 x 540 values, into the folder
 * frames: FIELD-STEP.npy (f32; NaN an obstacle, -inf no value yet) and a line "step,time" of
 * FIELD.csv. results_begin_frames writes FIELD.json, what a picture of it shows. */
trm_status results_begin_frames(const results *out, const session *run);
trm_status results_write_frame(const results *out, session *run);
/* The path of FIELD.csv, malloc'd and the caller's. That file without the lines after this step. */
trm_status results_path_of_list(const results *out, const session *run, char **path);
trm_status results_cut_frames(const results *out, const session *run, uint64_t step);

/* What the series have more than series.csv, which appears as it grows; last: and closes it. */
trm_status results_write_series(results *out, const session *run, int last);
/* The files of the solver's own tradition. */
trm_status results_write_exports(const results *out, session *run);

/* A JSON document, which stays the caller's, or a text, as folder/name. */
trm_status results_write_document(const results *out, const char *name, json_t *document);
trm_status results_write_text(const results *out, const char *name, const char *text);

#endif
