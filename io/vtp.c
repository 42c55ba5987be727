/* vtp.c - bodies as VTK's points: a few lines of XML, then the bytes of each array behind their
 * number (UInt64). VTK wants the components of a body together, so they are interleaved here. */
#include <config.h>

#include "io/vtp.h"
#include "io/vtk.h"

static size_t array_bytes(const trm_array *a)
{
  return a->nx * (size_t)a->components * trm_type_size(a->type);
}

static trm_status declare(trm_file *file, const trm_array *a, size_t *offset)
{
  TRM_TRY(trm_file_print(file, "        <DataArray type=\"%s\" Name=\"", trmi_vtk_type(a->type)));
  TRM_TRY(trmi_vtk_name(file, a->name));
  TRM_TRY(trm_file_print(file, "\" NumberOfComponents=\"%d\" format=\"appended\" "
                         "offset=\"%zu\"/>\n", a->components, *offset));
  *offset += sizeof(uint64_t) + array_bytes(a);
  return TRM_OK;
}

static trm_status write_array(trm_file *file, const trm_array *a)
{
  const uint64_t bytes = array_bytes(a);
  const size_t size = trm_type_size(a->type);
  TRM_TRY(trm_file_write(file, &bytes, sizeof bytes));
  for (size_t i = 0; i < a->nx; i++)
    for (size_t c = 0; c < (size_t)a->components; c++)
      TRM_TRY(trm_file_write(file, (const uint8_t *)a->data + (c * a->nx + i) * size, size));
  return TRM_OK;
}

/* Each body's own vertex: `first`, first + 1, ... */
static trm_status write_numbers(trm_file *file, size_t count, uint64_t first)
{
  const uint64_t bytes = count * sizeof(uint64_t);
  TRM_TRY(trm_file_write(file, &bytes, sizeof bytes));
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t number = first + i;
    TRM_TRY(trm_file_write(file, &number, sizeof number));
  }
  return TRM_OK;
}

static trm_status write_head(trm_file *file, const trm_vtp *v)
{
  static const char *const verts[] = {"connectivity", "offsets"};
  const size_t count = v->points->nx;
  size_t offset = 0;
  TRM_TRY(trm_file_print(file,
                         "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                         "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <PolyData>\n"));
  TRM_TRY(trmi_vtk_when(file, v->time, v->step));
  TRM_TRY(trm_file_print(file, "    <Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\">\n"
                         "      <Points>\n", count, count));
  TRM_TRY(declare(file, v->points, &offset));
  TRM_TRY(trm_file_print(file, "      </Points>\n      <Verts>\n"));
  for (int i = 0; i < 2; i++) {
    TRM_TRY(trm_file_print(file, "        <DataArray type=\"UInt64\" Name=\"%s\" "
                           "format=\"appended\" offset=\"%zu\"/>\n", verts[i], offset));
    offset += (count + 1) * sizeof(uint64_t);
  }
  TRM_TRY(trm_file_print(file, "      </Verts>\n      <PointData>\n"));
  for (size_t i = 0; i < v->field_count; i++) TRM_TRY(declare(file, &v->fields[i], &offset));
  return trm_file_print(file, "      </PointData>\n    </Piece>\n  </PolyData>\n"
                        "  <AppendedData encoding=\"raw\">\n_");
}

static trm_status write_all(trm_file *file, const trm_vtp *v)
{
  TRM_TRY(write_head(file, v));
  TRM_TRY(write_array(file, v->points));
  TRM_TRY(write_numbers(file, v->points->nx, 0));
  TRM_TRY(write_numbers(file, v->points->nx, 1));
  for (size_t i = 0; i < v->field_count; i++) TRM_TRY(write_array(file, &v->fields[i]));
  return trm_file_print(file, "\n  </AppendedData>\n</VTKFile>\n");
}

trm_status trm_vtp_write(const char *path, const trm_vtp *bodies)
{
  trm_file *file = NULL;
  TRM_TRY(trm_file_create(path, &file));
  const trm_status status = write_all(file, bodies);
  if (status == TRM_OK) return trm_file_commit(&file);
  trm_file_discard(&file);
  return status;
}
