/* file.h - output files that are complete or absent, result folders, and whole-file reading.
 *
 * A file is written under a temporary name in the folder of its target and renamed by commit. A
 * reader never meets half a file, and a failed run never destroys the file of an earlier run. Every
 * write is checked; every error names the path and the system's own words. */
#ifndef TRIREME_FILE_H
#define TRIREME_FILE_H

#include "core/trireme.h"

#include <stdint.h>

typedef struct trm_file trm_file;

/* Opens a temporary file beside `path`. A path that exists and is not a regular file is refused. A
 * symbolic link is followed if it, and each folder on the way to it, belongs to this user or to
 * root. Another user's link may lead into files of this user alone. */
TRM_API trm_status trm_file_create(const char *path, trm_file **out);

/* After a failed write every later write fails too, with the first cause, so a writer may check
 * once in a while; commit tells it in any case. */
TRM_API trm_status trm_file_write(trm_file *file, const void *bytes, size_t count);
TRM_API trm_status trm_file_print(trm_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The position of the next byte, counted from the beginning; trm_file_seek sets it, to fill in
 * values that were unknown before. */
TRM_API uint64_t trm_file_position(const trm_file *file);
TRM_API trm_status trm_file_seek(trm_file *file, uint64_t position);

/* For a file that grows while a run goes on, and that may be read meanwhile. Bytes written so far
 * appear under its name; trm_file_flush makes later bytes appear too. After trm_file_back, the next
 * write replaces the last bytes. From then on, any failure removes the file. */
TRM_API trm_status trm_file_publish(trm_file *file);
TRM_API trm_status trm_file_flush(trm_file *file);
TRM_API trm_status trm_file_back(trm_file *file, size_t bytes);

/* The descriptor of the temporary file, for a program that writes it in our place. */
TRM_API int trmi_file_descriptor(const trm_file *file);

/* Flushes, closes, renames. Frees the file and clears the handle, whether it succeeds or not. On
 * failure (a full disk) the temporary file is removed, and an earlier file at the path stays. */
TRM_API trm_status trm_file_commit(trm_file **file);

/* The same, but a file that has the name and holds other bytes stands, and is refused with this
 * cure; NULL: it is written over. */
TRM_API trm_status trm_file_commit_new(trm_file **file, const char *cure);

/* Gives the file up and removes the temporary one. Accepts NULL. */
TRM_API void trm_file_discard(trm_file **file);

/* The whole text at `path` in one call: create, write, commit. */
TRM_API trm_status trm_file_save(const char *path, const void *bytes, size_t count);
/* The same, kept through a failure of the machine: on the disk before it has its name. */
TRM_API trm_status trm_file_keep(const char *path, const void *bytes, size_t count);

/* Takes away a file that may be there, by the same path as one is made. */
TRM_API trm_status trm_file_remove(const char *path);

/* Gives a whole file a second name, without a second copy where the file system knows links. A file
 * that had that name before is removed. */
TRM_API trm_status trm_file_link(const char *path, const char *second);

/* Reads a whole file; *text is malloc'd, the caller's, and followed by a NUL that *bytes (may be
 * NULL) does not count. It refuses folders, files larger than limit or than the memory, and files
 * without a size (a pipe, a device) that give more than 256 MiB. */
TRM_API trm_status trm_file_load(const char *path, size_t limit, char **text, size_t *bytes);

/* trm_file_load for a file that a run wrote: anything else of that name, such as a pipe that would
 * be waited for, is refused. folder: a descriptor of the folder that contains the name, which must
 * then be no link, or AT_FDCWD. path: for messages. */
TRM_API trm_status trm_file_load_kept(int folder, const char *name, const char *path, size_t limit,
                                      char **text, size_t *bytes);

/* Bytes of the mark of UTF-8 that some editors put before a text: 3, or 0 without a mark. */
TRM_API size_t trmi_text_mark(const char *text, size_t bytes);
/* Reads a whole text like trm_file_load, without that mark. */
TRM_API trm_status trm_file_load_text(const char *path, size_t limit, char **text, size_t *bytes);

/* Refuses what gives its contents once, as a pipe, where they are read more than once. A missing
 * file is left to the function that opens it. */
TRM_API trm_status trm_file_require_lasting(const char *path);

/* Refuses a file whose contents would take more bytes than this process can still have. */
TRM_API trm_status trmi_file_require(const char *path, uint64_t bytes);
/* The same of memory for anything: ask before it is filled, since the system gives what it does not
 * have, and then ends the process. */
TRM_API trm_status trmi_memory_require(const char *what, uint64_t bytes);

/* ---- folders --------------------------------------------------------------- */

/* Makes the folder and its parents; one that exists already is fine. */
TRM_API trm_status trm_folder_create(const char *path);

/* Takes away a folder and all that is in it, without following links; what is not there is fine. */
TRM_API trm_status trm_folder_remove(const char *path);

/* Tries, by making and removing a file of some bytes, that results can be written there: call it
 * before a run, not after. */
TRM_API trm_status trm_folder_check(const char *path);

/* Keeps a folder for this run until *lock is given back. Another run that asks for it meanwhile is
 * refused, where the file system knows locks. Files written below this path go into this very
 * folder, even if another folder takes the name. *lock is -1 if the folder does not exist. */
TRM_API trm_status trm_folder_lock(const char *path, int *lock);
/* Accepts -1; sets it to that. */
TRM_API void trm_folder_unlock(int *lock);

/* Makes ROOT/NAME-NNNN with the lowest number above those that exist, from 0001. Made with mkdir,
 * so two runs never share one. *path is malloc'd and the caller's. Characters of name other than
 * letters, digits, '.', '_' and '-' become '-'. */
TRM_API trm_status trm_results_create(const char *root, const char *name, char **path);

/* folder/name, malloc'd and the caller's; an absolute name, or an empty folder, gives the name. */
TRM_API trm_status trm_path_join(const char *folder, const char *name, char **path);

#endif
