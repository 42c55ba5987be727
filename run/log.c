/* log.c - the lines of a run, in memory and in log.txt. */
#include "run/log.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/place.h"

static void keep(run_log *log, const char *kind, const char *text)
{
  if (!log->kept) log->kept = open_memstream(&log->text, &log->bytes);
  if (log->kept) fprintf(log->kept, "%s%s\n", kind, text);
  if (!log->file) return;
  (void)trm_file_print(log->file, "%s%s\n", kind, text);
  (void)trm_file_flush(log->file); /* what was said before a kill can be read */
}

void log_receive(void *to, trm_log_level level, const char *text)
{
  static const char *const kinds[] = {"warning: ", "", "debug: "};
  run_log *log = to;
  keep(log, kinds[level], text);
  if (log->listener) log->listener(log->user, level, text);
}

void log_record(run_log *log, const char *format, ...)
{
  FORMAT_TEXT(text);
  keep(log, "", text);
}

void log_say(run_log *log, trm_log_level level, const char *format, ...)
{
  FORMAT_TEXT(text);
  log_receive(log, level, text);
}

trm_status log_take_up(run_log *log, const char *folder)
{
  static const size_t most = (size_t)64 << 20;
  char *path = NULL, *text = NULL;
  size_t bytes = 0;
  TRM_TRY(trm_path_join(folder, "log.txt", &path));
  struct stat about;
  const int is_there = trmi_place_stat(path, &about) == 0;
  const trm_status status = is_there
    ? trm_file_load_kept(AT_FDCWD, path, path, most, &text, &bytes) : TRM_OK;
  free(path);
  if (!log->kept) log->kept = open_memstream(&log->text, &log->bytes);
  if (status == TRM_OK && log->kept && bytes > 0) fwrite(text, 1, bytes, log->kept);
  free(text);
  return status;
}

trm_status log_open(run_log *log, const char *path)
{
  if (log->kept && fflush(log->kept) != 0)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the first lines of %s", path);
  TRM_TRY(trm_file_create(path, &log->file));
  TRM_TRY(trm_file_write(log->file, log->text, log->bytes));
  return trm_file_publish(log->file);
}

trm_status log_close(run_log *log)
{
  return log->file ? trm_file_commit(&log->file) : TRM_OK;
}

void log_clear(run_log *log)
{
  (void)log_close(log);
  if (log->kept) fclose(log->kept);
  free(log->text);
  *log = (run_log){0};
}
