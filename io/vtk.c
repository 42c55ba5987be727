/* vtk.c - what the writers of VTK's XML formats share. */
#include <config.h>

#include "io/vtk.h"

const char *trmi_vtk_type(trm_type type)
{
  switch (type) {
  case TRM_TYPE_F32: return "Float32";
  case TRM_TYPE_F64: return "Float64";
  case TRM_TYPE_I32: return "Int32";
  case TRM_TYPE_U8: break;
  }
  return "UInt8";
}

trm_status trmi_vtk_name(trm_file *file, const char *text)
{
  for (; *text; text++) {
    const char *escape = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;" : NULL;
    TRM_TRY(escape ? trm_file_print(file, "%s", escape) : trm_file_print(file, "%c", *text));
  }
  return TRM_OK;
}

trm_status trmi_vtk_when(trm_file *file, double time, uint64_t step)
{
  return trm_file_print(file,
                        "    <FieldData>\n"
                        "      <DataArray type=\"Float64\" Name=\"TimeValue\" "
                        "NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>\n"
                        "      <DataArray type=\"UInt64\" Name=\"STEP\" NumberOfTuples=\"1\" "
                        "format=\"ascii\">%llu</DataArray>\n    </FieldData>\n",
                        time, (unsigned long long)step);
}
