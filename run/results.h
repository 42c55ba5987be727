/* results.h - the folder of a run: run.json, used.conf, log.txt, series.csv, fields, pictures.
 *
 * The folder is made and tested before the run starts. Each file is written under a temporary name
 * and renamed, so it is complete or absent. The files log.txt, series.csv and fields.pvd grow while
 * the run goes on, and run.json says "running" until it ends. A run that is killed leaves these
 * files. */
#ifndef TRIREME_RUN_RESULTS_H
#define TRIREME_RUN_RESULTS_H

#include <jansson.h>
#include <sys/stat.h>

#include "run/log.h"
#include "run/session.h"
#include "io/file.h"

typedef struct results {
  char *folder;              /* owned */
  int lock;                  /* the folder, locked against other runs; -1: none */
  const run_case *chosen;
  run_log *log;              /* the caller's */
  int *selected;             /* one flag for each field: 1: it is written */
  int *pictured;             /* one flag for each field: 1: it is also shown as a picture */
  int movie;                 /* the field of output.movie; -1: none */
  trm_file *series, *collection; /* owned, open: series.csv and fields.pvd, or NULL */
  uint64_t rows;             /* lines of series.csv written so far */
  double flushed;            /* when the lines were flushed, on the program's clock */
  char *collected;           /* for a resumed run: fields.pvd so far, or NULL; owned */
} results;

/* Identifies a folder and the run.json that a run wrote into it, to recognise both later. */
typedef struct results_mark { struct stat folder, document; } results_mark;
trm_status results_mark_own(const results *out, results_mark **marks, size_t *count);

/* Folders to which the run has written before. */
typedef struct results_own {
  const results *out;        /* present folder */
  const results_mark *marks; /* earlier folders */
  size_t count;
} results_own;

/* Makes the folder (output.folder, or results/NAME-NNNN), tries to write there, opens the log and
 * writes used.conf. The session knows the fields. Unknown names in output.fields are refused. A
 * folder that holds results is refused too, unless they are this run's own. Call results_close in
 * any case. */
trm_status results_open(results *out, const run_case *chosen, const session *run, run_log *log,
                        const results_own *own);
/* Refuses output.folder where it holds results, as results_open does. Nothing is made. A folder
 * where another run writes is left to results_open. */
trm_status results_check_folder(const run_case *chosen);
/* 1: the case `chosen` would write into the folder of `out`. */
int results_is_same(const results *out, const run_case *chosen);
/* Says where the files are if another folder has taken the name. */
void results_tell_place(const results *out);
/* The folder of a command that makes several runs ("compare"): results/NAME-compare-NNNN, with log
 * and used.conf of the first case. is_again: continues an interrupted study. */
trm_status results_open_plain(results *out, const run_case *chosen, const char *what,
                              run_log *log, int is_again);
/* Opens log.txt again, and writes used.conf with the present values of the case. */
trm_status results_begin(const results *out);
void results_close(results *out);

/* Chooses the fields to write and to show, by output.fields. An unknown name is refused. */
trm_status results_select(results *out, const session *run);
/* Whether the case asks for the solver's own files, and the solver has such files. */
int results_have_exports(const results *out, const session *run);

/* The number of the field of that name, which the key gives. An unknown name is refused with the
 * nearest name, or with the existing names. */
trm_status results_find_field(const run_case *chosen, const session *run, const char *key,
                              const char *name, size_t *found);

/* Bytes of the host's memory beside the solver's own: the fields of an output, the series, and room
 * for hashing and writing both. A run to a time has an unknown number of steps, and so of values in
 * its series; these are not counted. */
typedef struct results_memory { double fields, series, room; } results_memory;
trm_status results_foresee(const run_case *chosen, const session *run, results_memory *need);

/* Refuses a run if the host has no room for its series and for the fields of an output. Call it
 * after the solver has allocated its memory. */
trm_status results_require(const results *out, const session *run);

/* Writes the selected fields in their present state, in every chosen format. Names carry the step.
 * The last files have a name without the step; if fields are also written during the run, they have
 * a second name with it. */
trm_status results_write_fields(results *out, session *run, int last);

/* Writes the selected fields on blocks of several levels, cell by cell as a .vtu file, or as the
 * trees of an .htg file. These formats are refused by results_check_leaves if there are no such
 * fields. */
trm_status results_write_leaves(const results *out, session *run, const char *path);
trm_status results_write_trees(const results *out, session *run, const char *path);
trm_status results_check_leaves(const results *out, const session *run);
/* Writes the fluid cells of a grid, for a solver that has a field `solid`, as a .vtu file. */
trm_status results_write_cells(const results *out, session *run, const char *path);
int results_has_cells(const results *out, const session *run);

/* Removes the numbered files of steps after this one. A run that is resumed there writes its own
 * files again. */
trm_status results_rewind(const results *out, const session *run, uint64_t step);

/* Numbered files of this step and of later ones are on the disk when it returns. */
trm_status results_sync(const results *out, const session *run, uint64_t step);

/* The field with the position of each body, if it is selected, or NULL. Lists of the same bodies go
 * with it into one file. */
const trm_field *results_places(const results *out, const session *run);
int results_is_of_bodies(const trm_field *places, const trm_field *field);

/* Adds a line to fields.pvd: the file `path`, at time `time`. last: the run ends with it. */
trm_status results_collect(results *out, const char *path, double time, int part, int last);
/* fields.pvd so far, malloc'd, to be freed by the caller; NULL: there is none. */
trm_status results_read_collection(const results *out, char **text);

/* Writes the present frame of output.movie, reduced to at most 960 x 540 values, into the folder
 * frames: FIELD-STEP.npy (f32; NaN an obstacle, -inf no value yet) and a line "step,time" of
 * FIELD.csv. results_begin_frames writes FIELD.json, which describes the pictures. */
trm_status results_begin_frames(const results *out, const session *run);
trm_status results_write_frame(const results *out, session *run);
/* The path of FIELD.csv, malloc'd, to be freed by the caller. results_cut_frames removes the lines
 * after this step from that file. */
trm_status results_path_of_list(const results *out, const session *run, char **path);
trm_status results_cut_frames(const results *out, const session *run, uint64_t step);

/* Appends the values of the series that series.csv lacks; the first call makes the file. last:
 * closes it. */
trm_status results_write_series(results *out, const session *run, int last);
/* The solver's own files. */
trm_status results_write_exports(const results *out, session *run);

/* Writes folder/name: a JSON document, which the caller keeps, or a text. */
trm_status results_write_document(const results *out, const char *name, json_t *document);
trm_status results_write_text(const results *out, const char *name, const char *text);

#endif
