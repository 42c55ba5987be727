/* bristol.c - the Bristol course's own files in and out of the lattice-Boltzmann solver. */
#include "solvers/lbm/driven/lbm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/bristol.h"
#include "io/file.h"

trm_status lbm_configure(trm_config *config, size_t count, const char *const *files)
{
  static const char *const keys[TRM_BRISTOL_VALUES] = {
    "grid.nx", "grid.ny", "run.steps", "lbm.reynolds_dim", "lbm.density", "lbm.accel", "lbm.omega"
  };
  if (count != 2)
    return TRM_FAIL(INPUT, "lbm takes two files, PARAMS and OBSTACLES (as in `trireme run lbm "
                    "input_128x128.params obstacles_128x128.dat`), not %zu", count);
  trm_bristol_params params;
  trm_status status = trm_bristol_read_params(files[0], &params);
  const trm_error cause = *trm_error_last();
  if (status != TRM_OK && trm_bristol_read_params(files[1], &params) == TRM_OK)
    return TRM_FAIL(INPUT, "'%s' holds the parameters, and comes first: trireme run lbm %s %s",
                    files[1], files[1], files[0]);
  if (status != TRM_OK)
    return trm_error_record(status, cause.file, cause.line, "%s", cause.text);
  for (int i = 0; i < TRM_BRISTOL_VALUES; i++) {
    char origin[4096];
    snprintf(origin, sizeof origin, "%s:%d", files[0], params.line[i]);
    TRM_TRY(trm_config_set(config, keys[i], params.text[i], origin));
  }
  return trm_config_set(config, "lbm.obstacles", files[1], "the command line");
}

static trm_status read_field(const trm_field *field, void **out)
{
  size_t count, bytes;
  TRM_TRY(trm_field_elements(field, &count));
  TRM_TRY(trm_size_mul(count, trm_type_size(field->type), field->name, &bytes));
  void *values = malloc(bytes);
  if (!values) return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes of %s", bytes, field->name);
  const trm_status status = trm_field_read(field, values);
  if (status != TRM_OK) {
    free(values);
    return status;
  }
  *out = values;
  return TRM_OK;
}

static trm_status write_state(const lbm_solver *lbm, const char *path)
{
  void *velocity = NULL, *pressure = NULL, *solid = NULL;
  trm_status status = read_field(&lbm->box.fields[1], &velocity);
  if (status == TRM_OK) status = read_field(&lbm->box.fields[3], &pressure);
  if (status == TRM_OK) status = read_field(&lbm->box.fields[4], &solid);
  if (status == TRM_OK)
    status = trm_bristol_write_state(path, (size_t)lbm->box.nx, (size_t)lbm->box.ny,
                                     lbm->box.real_type, velocity, pressure, solid);
  free(solid);
  free(pressure);
  free(velocity);
  return status;
}

void lbm_say(const trm_solver *solver, const trm_run_seconds *seconds, FILE *out)
{
  fprintf(out, "==done==\n");
  for (size_t i = 0; i < solver->result_count; i++)
    if (strcmp(solver->results[i].name, "reynolds") == 0)
      fprintf(out, "Reynolds number:\t\t%.12E\n", solver->results[i].value);
  fprintf(out, "Elapsed Init time:\t\t\t%.6f (s)\n", seconds->init);
  fprintf(out, "Elapsed Compute time:\t\t\t%.6f (s)\n", seconds->compute);
  fprintf(out, "Elapsed Collate time:\t\t\t%.6f (s)\n", seconds->collate);
  fprintf(out, "Elapsed Total time:\t\t\t%.6f (s)\n", seconds->total);
}

trm_status lbm_export(trm_solver *solver, const char *folder, double *const *series,
                      size_t step_count)
{
  char *path;
  TRM_TRY(trm_path_join(folder, "av_vels.dat", &path));
  trm_status status = trm_bristol_write_series(path, series[0], step_count);
  free(path);
  TRM_TRY(status);
  TRM_TRY(trm_path_join(folder, "final_state.dat", &path));
  status = write_state((const lbm_solver *)solver, path);
  free(path);
  return status;
}
