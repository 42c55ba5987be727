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

static trm_status read_cells(void *user, size_t first, size_t count, void *velocity,
                             void *pressure, uint8_t *solid)
{
  const trm_field *fields = ((const lbm_solver *)user)->box.fields;
  char *second = (char *)velocity + count * trm_type_size(fields[1].type);
  TRM_TRY(trm_field_read_part(&fields[1], 0, first, count, velocity));
  TRM_TRY(trm_field_read_part(&fields[1], 1, first, count, second));
  TRM_TRY(trm_field_read_part(&fields[3], 0, first, count, pressure));
  return trm_field_read_part(&fields[4], 0, first, count, solid);
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
  const lbm_box *box = &((lbm_solver *)solver)->box;
  status = trm_bristol_write_state(path, (size_t)box->nx, (size_t)box->ny, box->real_type,
                                   read_cells, solver);
  free(path);
  return status;
}
