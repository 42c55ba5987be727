/* vti.c - VTK XML image data: a few lines of XML, then the fields (vtk.c).
 */
#include <config.h>

#include "io/vti.h"
#include "io/vtk.h"

#include <stdlib.h>

/* One layer of cells is a plane without thickness: ParaView shows it as a picture, and one that is
 * a cell thick as the outline of a volume. */
static size_t layers(const trm_array *f) { return f->nz > 1 ? f->nz : 0; }

/* places: where in the file the digits of each field's offset stand. */
static trm_status write_head(trm_file *file, const trm_vti *v, uint64_t *places)
{
  const trm_array *f = v->fields;
  TRM_TRY(trm_file_print(file,
                         "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" "
                         "byte_order=\"LittleEndian\" header_type=\"UInt64\" "
                         "compressor=\"vtkZLibDataCompressor\">\n"
                         "  <ImageData WholeExtent=\"0 %zu 0 %zu 0 %zu\" Origin=\"%.17g %.17g "
                         "%.17g\" "
                         "Spacing=\"%.17g %.17g %.17g\">\n",
                         f->nx, f->ny, layers(f), v->origin[0], v->origin[1], v->origin[2],
                         v->spacing[0], v->spacing[1], v->spacing[2]));
  TRM_TRY(trmi_vtk_when(file, v->time, v->step));
  TRM_TRY(trm_file_print(file, "    <Piece Extent=\"0 %zu 0 %zu 0 %zu\">\n      <CellData>\n",
                         f->nx, f->ny, layers(f)));
  for (size_t i = 0; i < v->field_count; i++)
    TRM_TRY(trmi_vtk_array(file, &v->fields[i], &places[i]));
  return trm_file_print(file, "      </CellData>\n    </Piece>\n  </ImageData>\n");
}

static trm_status write_all(trm_file *file, const trm_vti *v, const trm_array_source *source)
{
  uint64_t *places = malloc(v->field_count * sizeof *places);
  trm_status status = places ? write_head(file, v, places)
                             : TRM_FAIL(NO_HOST_MEMORY, "no memory to write %zu fields",
                                        v->field_count);
  if (status == TRM_OK) status = trmi_vtk_values(file, v->fields, places, v->field_count, source);
  free(places);
  return status;
}

trm_status trm_vti_stream(const char *path, const trm_vti *image, const trm_array_source *source)
{
  if (!image->field_count) return TRM_FAIL(INVALID, "'%s' would hold no field; give one", path);
  const trm_array *first = image->fields;
  for (size_t i = 0; i < image->field_count; i++) {
    const trm_array *f = &image->fields[i];
    TRM_TRY(source ? trm_array_shape(f, NULL) : trm_array_elements(f, NULL));
    if (f->nx != first->nx || f->ny != first->ny || f->nz != first->nz)
      return TRM_FAIL(INVALID,
                      "'%s' holds one grid, and the fields '%s' and '%s' differ in shape; write "
                      "them to two files",
                      path, first->name, f->name);
  }
  trm_file *file = NULL;
  TRM_TRY(trm_file_create(path, &file));
  const trm_status status = write_all(file, image, source);
  if (status == TRM_OK) return trm_file_commit(&file);
  trm_file_discard(&file);
  return status;
}
