/* checkpoint.h - the state of a run on disk: a whole one or none, whatever ends the writer.
 *
 *   FOLDER/checkpoint/step-00012800/   manifest.json  manifest.xxh128  case.conf
 *                                      populations.00000000.npy ...
 *   FOLDER/checkpoint/series/          00000000-00012800.npy ...
 *
 * A generation is a folder of parts, written as `.new` and given its name by one rename when all of
 * it is on the disk. Each part is a .npy file of whole rows of one array. The manifest has the size
 * and the XXH128 of every file, and manifest.xxh128 has the XXH128 of the manifest. Two generations
 * are kept. The series are in segments that no later generation changes, and that no two neighbours
 * share. Each generation continues the segments of the last but one, so that a spoiled segment
 * leaves one generation whole.
 *
 * manifest.json: what the caller says of the run (solver, precision, ...), and
 *   schema, kind     1, "checkpoint"
 *   step, time       the state's; the time as "%a" prints it
 *   arrays           [{name, type, shape: [components, rows, nx],
 *                      parts: [{file, first, count, bytes, xxh128}]}], first and count in rows
 *   series           {count, segments: [{file, first, count, bytes, xxh128}]}, in steps
 *   files            [{file, bytes, xxh128}]: texts of the caller's */
#ifndef TRIREME_CHECKPOINT_H
#define TRIREME_CHECKPOINT_H

#include <jansson.h>

#include "core/saving.h"
#include "io/durable.h"

enum { TRM_CHECKPOINT_SCHEMA = 2, TRM_CHECKPOINT_NAME = 128 };

/* ---- writing ---------------------------------------------------------------- */

/* `rows` rows of nx elements in each of `components` components; a grid has ny * nz rows, blocks
 * have those of all leaves, one after the other. */
typedef struct trm_checkpoint_array {
  const char *name;
  trm_type type;
  size_t components, rows, nx;
} trm_checkpoint_array;

typedef struct trm_checkpoint trm_checkpoint;

/* folder: of the results. Removes the files that an interrupted writer left unfinished. */
trm_status trm_checkpoint_begin(const char *folder, uint64_t step, double time,
                                trm_checkpoint **out);

/* A part of an array, `rows` rows from row `first` on, those of an array in their order: opened,
 * written in any pieces (component, row, x), and ended. */
trm_status trm_checkpoint_part(trm_checkpoint *checkpoint, const trm_checkpoint_array *array,
                               size_t first, size_t rows);
trm_status trm_checkpoint_write(trm_checkpoint *checkpoint, const void *elements, size_t bytes);
trm_status trm_checkpoint_end(trm_checkpoint *checkpoint);

/* Where ranks share the device (trmi_saving_is_shared): call it once, before parts of which each
 * rank writes its own rows. *blind: malloc'd, the rank that cannot write, why, and the cure, or
 * NULL; rank 0 then writes for it. */
trm_status trm_checkpoint_share(trm_checkpoint *checkpoint, const trm_device *device,
                                char **blind);
/* All rows of such an array, in the order of the file, and the end. */
trm_status trm_checkpoint_shared_part(trm_checkpoint *checkpoint,
                                      const trm_checkpoint_array *array);
trm_status trm_checkpoint_runs(trm_checkpoint *checkpoint, const trm_buffer *buffer,
                               trm_type type, const trmi_run *runs, size_t count);
trm_status trm_checkpoint_shared_end(trm_checkpoint *checkpoint, int *is_finite);

/* A file of the caller's. */
trm_status trm_checkpoint_text(trm_checkpoint *checkpoint, const char *name, const char *text);

/* Which segments the last two generations have; {0}: none is known, and all is written. */
typedef struct trm_checkpoint_past { json_t *before, *last; } trm_checkpoint_past;

/* The series: series[i] has a value a step. Values that the last generation but one has are not
 * written again. */
trm_status trm_checkpoint_series(trm_checkpoint *checkpoint, const trm_checkpoint_past *past,
                                 double *const *series, size_t count);
/* Continues a generation that was written or found: `manifest` is its manifest; NULL: it could not
 * be written, and the written part is unknown. */
void trm_checkpoint_follow(trm_checkpoint_past *past, const json_t *manifest);
void trm_checkpoint_forget(trm_checkpoint_past *past);

/* Completes the manifest, which stays the caller's, and makes the generation the newest one. Then
 * all generations but the last two, and the files that only those needed, are removed. Frees the
 * checkpoint in any case; on failure the generations before stand as they were. */
trm_status trm_checkpoint_commit(trm_checkpoint **checkpoint, json_t *manifest);
/* Gives it up. Accepts NULL. */
void trm_checkpoint_drop(trm_checkpoint **checkpoint);

/* Bytes of all files written so far. */
uint64_t trm_checkpoint_bytes(const trm_checkpoint *checkpoint);

/* ---- reading ---------------------------------------------------------------- */

typedef struct trm_manifest_file {
  char name[TRM_CHECKPOINT_NAME];
  size_t first, count;           /* rows of a part, steps of a segment */
  uint64_t bytes, start;         /* of the file; where its data begin */
  char hash[TRM_HASH_TEXT];
} trm_manifest_file;

typedef struct trm_manifest_array {
  char name[TRM_CHECKPOINT_NAME];
  trm_type type;
  size_t components, rows, nx;
  trm_manifest_file *parts;      /* in the order of their rows, without a gap */
  size_t part_count;
} trm_manifest_array;

typedef struct trm_manifest {
  json_t *json;                  /* all of it */
  int schema;                    /* 1: its fingerprint is of version 1 (solvers/fingerprint.c) */
  uint64_t step;
  double time;
  trm_manifest_array *arrays;
  trm_manifest_file *segments, *files;
  size_t array_count, series_count, segment_count, file_count;
} trm_manifest;

/* Refuses a manifest that contradicts itself: names that are no plain names of files, sizes that do
 * not follow from the shapes, missing or repeated rows or steps. */
trm_status trm_manifest_read(const char *text, size_t bytes, trm_manifest *out);
void trm_manifest_clear(trm_manifest *manifest);

typedef struct trm_found {
  char *path;                    /* of the generation, for messages */
  int folder, series;            /* descriptors */
  trm_manifest manifest;
  char *refused;                 /* the faults of newer generations; "": there are none newer "":
                                  * nothing */
} trm_found;

/* The newest intact generation below a folder of results: every byte is as written.
 * TRM_ERROR_NOT_FOUND if the folder has no generation, TRM_ERROR_INPUT with every reason if none is
 * intact. */
trm_status trm_checkpoint_find(const char *folder, trm_found **out);
void trm_checkpoint_close(trm_found **found);

/* The array of that name, or NULL. */
const trm_manifest_array *trm_checkpoint_array_of(const trm_found *found, const char *name);
/* Reads rows of one component into caller's memory, from all parts that hold them. */
trm_status trm_checkpoint_rows(const trm_found *found, const trm_manifest_array *array,
                               size_t component, size_t row, size_t rows, void *to);
/* All values of series number i, one a step. */
trm_status trm_checkpoint_values(const trm_found *found, size_t i, double *to);
/* A text; malloc'd and the caller's. */
trm_status trm_checkpoint_read(const trm_found *found, const char *name, char **text);

#endif
