/* streams_write.c - lines along a velocity as VTK's poly data: little-endian, in one appended
 * section of raw bytes. */
#include <config.h>

#include "io/streams.h"
#include "io/vtk.h"

typedef struct written { const trm_stream_flow *flow; const trm_streams *streams; } written;

static trm_status declare(trm_file *file, const char *type, const char *name, int components,
                          size_t bytes, size_t *offset)
{
  TRM_TRY(trm_file_print(file,
                         "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                         "format=\"appended\" offset=\"%zu\"/>\n",
                         type, name, components, *offset));
  *offset += sizeof(uint64_t) + bytes;
  return TRM_OK;
}

static trm_status write_head(trm_file *file, const trm_streams *s, uint64_t step, double time)
{
  const size_t number = sizeof(uint64_t), values = s->points * sizeof(float);
  size_t offset = 0;
  TRM_TRY(trm_file_print(file,
                         "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                         "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <PolyData>\n"));
  TRM_TRY(trmi_vtk_when(file, time, step));
  TRM_TRY(trm_file_print(file, "    <Piece NumberOfPoints=\"%zu\" NumberOfLines=\"%zu\">\n"
                         "      <Points>\n", s->points, s->count));
  TRM_TRY(declare(file, "Float32", "points", 3, 3 * values, &offset));
  TRM_TRY(trm_file_print(file, "      </Points>\n      <Lines>\n"));
  TRM_TRY(declare(file, "UInt64", "connectivity", 1, s->points * number, &offset));
  TRM_TRY(declare(file, "UInt64", "offsets", 1, s->count * number, &offset));
  TRM_TRY(trm_file_print(file, "      </Lines>\n      <PointData>\n"));
  TRM_TRY(declare(file, "Float32", "speed", 1, values, &offset));
  TRM_TRY(declare(file, "Float32", "time", 1, values, &offset));
  return trm_file_print(file, "      </PointData>\n    </Piece>\n  </PolyData>\n"
                        "  <AppendedData encoding=\"raw\">\n_");
}

static trm_status write_places(trm_file *file, const written *w)
{
  const uint64_t bytes = w->streams->points * 3 * sizeof(float);
  TRM_TRY(trm_file_write(file, &bytes, sizeof bytes));
  for (size_t i = 0; i < w->streams->points; i++) {
    float at[3];
    for (int a = 0; a < 3; a++)
      at[a] = (float)(w->flow->origin[a] + w->flow->side[a] * (double)w->streams->at[i][a]);
    TRM_TRY(trm_file_write(file, at, sizeof at));
  }
  return TRM_OK;
}

/* 0, 1, ...; or where each line ends. */
static trm_status write_numbers(trm_file *file, size_t count, const size_t *ends)
{
  const uint64_t bytes = count * sizeof(uint64_t);
  TRM_TRY(trm_file_write(file, &bytes, sizeof bytes));
  for (size_t i = 0; i < count; i++) {
    const uint64_t number = ends ? ends[i] : i;
    TRM_TRY(trm_file_write(file, &number, sizeof number));
  }
  return TRM_OK;
}

static trm_status write_values(trm_file *file, const float *values, size_t count)
{
  const uint64_t bytes = count * sizeof *values;
  TRM_TRY(trm_file_write(file, &bytes, sizeof bytes));
  return count ? trm_file_write(file, values, count * sizeof *values) : TRM_OK;
}

static trm_status write_all(trm_file *file, const written *w, uint64_t step, double time)
{
  const trm_streams *s = w->streams;
  TRM_TRY(write_head(file, s, step, time));
  TRM_TRY(write_places(file, w));
  TRM_TRY(write_numbers(file, s->points, NULL));
  TRM_TRY(write_numbers(file, s->count, s->first + 1));
  TRM_TRY(write_values(file, s->speed, s->points));
  TRM_TRY(write_values(file, s->time, s->points));
  return trm_file_print(file, "\n  </AppendedData>\n</VTKFile>\n");
}

trm_status trm_streams_write(const char *path, const trm_stream_flow *flow,
                             const trm_streams *streams, uint64_t step, double time)
{
  const written what = {flow, streams};
  trm_file *file = NULL;
  TRM_TRY(trm_file_create(path, &file));
  const trm_status status = write_all(file, &what, step, time);
  if (status == TRM_OK) return trm_file_commit(&file);
  trm_file_discard(&file);
  return status;
}
