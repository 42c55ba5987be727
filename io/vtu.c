/* vtu.c - VTK XML unstructured grids: cells of several sizes. */
#include <config.h>

#include "io/vtk.h"
#include "io/vtu.h"

#include <stdlib.h>
#include <string.h>

/* The arrays of a file in their order; offsets and types are made here. */
enum { POINTS, CONNECTIVITY, OFFSETS, TYPES, FIELDS };
enum { VTK_PIXEL = 8, VTK_VOXEL = 11 };

typedef struct with_cells {
  const trm_vtu *grid;
  const trm_array_source *source;
} with_cells;

static trm_status read_part(void *user, const trm_array *array, size_t component, size_t first,
                            size_t count, void *out)
{
  const with_cells *all = user;
  int32_t *offsets = out;
  if (strcmp(array->name, "types") == 0)
    memset(out, all->grid->corners == 4 ? VTK_PIXEL : VTK_VOXEL, count);
  else if (strcmp(array->name, "offsets") == 0)
    for (size_t i = 0; i < count; i++)
      offsets[i] = (int32_t)((first + i + 1) * (size_t)all->grid->corners);
  else return all->source->read(all->source->user, array, component, first, count, out);
  return TRM_OK;
}

static trm_status write_head(trm_file *file, const trm_vtu *grid, const trm_array *arrays,
                             uint64_t *places)
{
  TRM_TRY(trm_file_print(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" "
                         "version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
                         "compressor=\"vtkZLibDataCompressor\">\n  <UnstructuredGrid>\n"));
  TRM_TRY(trmi_vtk_when(file, grid->time, grid->step));
  TRM_TRY(trm_file_print(file, "    <Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n"
                         "      <Points>\n", grid->point_count, grid->cell_count));
  TRM_TRY(trmi_vtk_array(file, &arrays[POINTS], &places[POINTS]));
  TRM_TRY(trm_file_print(file, "      </Points>\n      <Cells>\n"));
  for (int i = CONNECTIVITY; i <= TYPES; i++)
    TRM_TRY(trmi_vtk_array(file, &arrays[i], &places[i]));
  TRM_TRY(trm_file_print(file, "      </Cells>\n      <CellData>\n"));
  for (size_t i = FIELDS; i < FIELDS + grid->field_count; i++)
    TRM_TRY(trmi_vtk_array(file, &arrays[i], &places[i]));
  return trm_file_print(file, "      </CellData>\n    </Piece>\n  </UnstructuredGrid>\n");
}

static trm_status write_all(const char *path, const trm_vtu *grid, const trm_array *arrays,
                            uint64_t *places, const trm_array_source *source)
{
  trm_file *file = NULL;
  TRM_TRY(trm_file_create(path, &file));
  trm_status status = write_head(file, grid, arrays, places);
  if (status == TRM_OK)
    status = trmi_vtk_values(file, arrays, places, FIELDS + grid->field_count, source);
  if (status == TRM_OK) return trm_file_commit(&file);
  trm_file_discard(&file);
  return status;
}

trm_status trm_vtu_stream(const char *path, const trm_vtu *grid, const trm_array_source *source)
{
  const size_t cells = grid->cell_count, corners = (size_t)grid->corners;
  if (cells > INT32_MAX / corners || grid->point_count > INT32_MAX)
    return TRM_FAIL(OVERFLOW, "'%s' would hold %zu cells, and their corners are more than numbers "
                    "of 31 bits can count; take fewer cells, or npy files", path, cells);
  const trm_array frame[FIELDS] = {
    { "Points", "", TRM_TYPE_F64, 3, grid->point_count, 1, 1, NULL },
    { "connectivity", "", TRM_TYPE_I32, 1, cells * corners, 1, 1, NULL },
    { "offsets", "", TRM_TYPE_I32, 1, cells, 1, 1, NULL },
    { "types", "", TRM_TYPE_U8, 1, cells, 1, 1, NULL } };
  const size_t count = FIELDS + grid->field_count;
  with_cells all = { grid, source };
  trm_array *arrays = malloc(count * sizeof *arrays);
  uint64_t *places = malloc(count * sizeof *places);
  trm_status status = TRM_OK;
  if (!arrays || !places)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory to write %zu fields", grid->field_count);
  else {
    memcpy(arrays, frame, sizeof frame);
    memcpy(arrays + FIELDS, grid->fields, grid->field_count * sizeof *arrays);
    status = write_all(path, grid, arrays, places, &(trm_array_source){ read_part, &all });
  }
  free(arrays);
  free(places);
  return status;
}
