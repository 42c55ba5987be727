/* results_numbered.c - the outputs of single steps, for a run that is resumed at one of them. They
 * are on the disk before a checkpoint relies on them, and removed where the run will make them
 * again. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/results.h"
#include "io/place.h"

/* "velocity-00001000.npy" of this run; its step. */
static int is_numbered(const session *run, const char *file, uint64_t *step)
{
  static const char *const suffixes[] = {".png", ".vti", ".vtu", ".htg", ".vtp", ".npy"};
  const char *dash = strrchr(file, '-');
  const size_t length = dash ? (size_t)(dash - file) : 0;
  const size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;
  int is_name = (length == 6 && strncmp(file, "fields", 6) == 0) ||
                (length == 6 && strncmp(file, "bodies", 6) == 0) ||
                (length == 11 && strncmp(file, "streamlines", 11) == 0), is_suffix = 0;
  for (size_t i = 0; dash && i < run->solver->field_count; i++) {
    const char *name = run->solver->fields[i].name;
    is_name |= strlen(name) == length && strncmp(file, name, length) == 0;
  }
  for (size_t i = 0; dash && i < sizeof suffixes / sizeof suffixes[0]; i++)
    is_suffix |= strcmp(dash + 1 + digits, suffixes[i]) == 0;
  if (!is_name || !is_suffix || digits < 8 || digits > 16) return 0;
  *step = strtoull(dash + 1, NULL, 10);
  return 1;
}

/* Calls visit with the path of each such file whose step is at least this one. */
static trm_status each_in(const char *path_of, const session *run, uint64_t step,
                          trm_status (*visit)(const char *path))
{
  const int opened = trmi_place_open(path_of, O_RDONLY | O_DIRECTORY);
  DIR *folder = opened >= 0 ? fdopendir(opened) : NULL;
  trm_status status = TRM_OK;
  uint64_t found;
  for (struct dirent *entry = folder ? readdir(folder) : NULL; entry && status == TRM_OK;
       entry = readdir(folder)) {
    char *path = NULL;
    if (!is_numbered(run, entry->d_name, &found) || found < step) continue;
    status = trm_path_join(path_of, entry->d_name, &path);
    if (status == TRM_OK) status = visit(path);
    free(path);
  }
  if (folder) closedir(folder);
  else if (opened >= 0) close(opened);
  return status;
}

/* The same of the frames of a movie. */
static trm_status each_from(const results *out, const session *run, uint64_t step,
                            trm_status (*visit)(const char *path))
{
  char *frames = NULL;
  TRM_TRY(each_in(out->folder, run, step, visit));
  if (out->movie < 0) return TRM_OK;
  TRM_TRY(trm_path_join(out->folder, "frames", &frames));
  const trm_status status = each_in(frames, run, step, visit);
  free(frames);
  return status;
}

trm_status results_rewind(const results *out, const session *run, uint64_t step)
{
  TRM_TRY(results_cut_frames(out, run, step));
  return each_from(out, run, step + 1, trm_file_remove);
}

static trm_status sync_file(const char *path)
{
  struct stat about;
  const int file = trmi_place_open(path, O_RDONLY | O_NONBLOCK);
  const int is_ours = file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode);
  const int error = file < 0 || (is_ours && fsync(file) != 0) ? errno : 0;
  if (file >= 0) close(file);
  return error ? TRM_FAIL(IO, "cannot write '%s': %s", path, strerror(error)) : TRM_OK;
}

trm_status results_sync(const results *out, const session *run, uint64_t step)
{
  char *list = NULL;
  struct stat about;
  TRM_TRY(each_from(out, run, step, sync_file));
  if (out->movie < 0) return TRM_OK;
  TRM_TRY(results_path_of_list(out, run, &list));
  const trm_status status = trmi_place_stat(list, &about) == 0 ? sync_file(list) : TRM_OK;
  free(list);
  return status;
}
