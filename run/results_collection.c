/* results_collection.c - fields.pvd: the files of fields so far with their times, for ParaView. */
#include "run/results.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char collection_end[] = "  </Collection>\n</VTKFile>\n";

trm_status results_read_collection(const results *out, char **text)
{
  char *path = NULL;
  if (!out->collection) {
    *text = out->collected ? strdup(out->collected) : NULL;
    return *text || !out->collected ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for fields.pvd");
  }
  TRM_TRY(trm_path_join(out->folder, "fields.pvd", &path));
  const trm_status status = trm_file_load(path, SIZE_MAX, text, NULL);
  free(path);
  return status;
}

static trm_status open_collection(results *out)
{
  static const char head[] =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n";
  const size_t end = sizeof collection_end - 1;
  const size_t known = out->collected ? strlen(out->collected) : 0;
  char *path = NULL;
  TRM_TRY(trm_path_join(out->folder, "fields.pvd", &path));
  const trm_status status = trm_file_create(path, &out->collection);
  free(path);
  TRM_TRY(status);
  if (known > end) return trm_file_write(out->collection, out->collected, known - end);
  return trm_file_print(out->collection, "%s", head);
}

/* The end of the file makes room for one line more, and comes again. */
trm_status results_collect(results *out, const char *path, double time, int part, int last)
{
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  const int is_first = !out->collection;
  if (is_first) TRM_TRY(open_collection(out));
  else TRM_TRY(trm_file_back(out->collection, sizeof collection_end - 1));
  TRM_TRY(trm_file_print(out->collection,
                         "    <DataSet timestep=\"%.17g\" part=\"%d\" file=\"%s\"/>\n%s",
                         time, part, name, collection_end));
  if (last) return trm_file_commit(&out->collection);
  return is_first ? trm_file_publish(out->collection) : trm_file_flush(out->collection);
}
