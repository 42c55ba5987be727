/* programs.c - programs of the run's device, from the texts that a case needs: the stage with the
 * case's flux, the other kernels over blocks, cells at walls, dual time. */
#include "solvers/compressible/solver/fv.h"

#include <stdio.h>
#include <stdlib.h>

#define TEXT(name_) \
  { #name_, "solvers/compressible/kernels/" #name_ ".k", trm_text_##name_, TRM_MODULES(name_) }

extern const char trm_text_fv_ausm[], trm_text_fv_ausm_plus[], trm_text_fv_hllc[],
  trm_text_fv_common[], trm_text_fv_cut[], trm_text_fv_dual[];
TRM_DECLARE_MODULES(fv_ausm);
TRM_DECLARE_MODULES(fv_ausm_plus);
TRM_DECLARE_MODULES(fv_hllc);
TRM_DECLARE_MODULES(fv_common);
TRM_DECLARE_MODULES(fv_cut);
TRM_DECLARE_MODULES(fv_dual);
static const trm_program_source ausm = TEXT(fv_ausm), ausm_plus = TEXT(fv_ausm_plus),
                                hllc = TEXT(fv_hllc), common = TEXT(fv_common),
                                cut = TEXT(fv_cut), dual = TEXT(fv_dual);

static const char *const of_stage[] = { [FV_STAGE % FV_NEXT] = "fv_stage", NULL };
static const char *const of_blocks[] = { "fv_boundary", "fv_restrict", "fv_prolong", "fv_start",
  "fv_match", "fv_peak", "fv_clock", "fv_observe", "fv_fold", "fv_integrals", "fv_source",
  "fv_move", "fv_indicator", "fv_edges", "fv_probe", "fv_average", "fv_averaged", "fv_steepness",
  [FV_BLOCKS_END % FV_NEXT] = NULL };
static const char *const of_walls[] = { "fv_cut_stencil", "fv_cut_slopes", "fv_cut_fluxes",
  "fv_cut_sums", "fv_cut_update", "fv_cut_integrals", "fv_cut_parts", "fv_cut_forces",
  "fv_cut_surface", "fv_cut_inherit", "fv_cut_hold", [FV_WALLS_END % FV_NEXT] = NULL };
static const char *const of_dual[] = { "fv_begin", "fv_norm", "fv_pseudo_clock", "fv_dual_sums",
  "fv_down", "fv_up", "fv_soften", "fv_cut_down", "fv_cut_rest", "fv_cut_unite",
  [FV_DUAL_END % FV_NEXT] = NULL };

/* Devices that compile a text know the case's form by then; hosts' instances have them all. Cells
 * at walls alone ask it for the flux: no other text is compiled again where that is another one. */
static trm_status write_text(const fv_solver *fv, const trm_program_source *source, char **text)
{
  const int form = source == &cut ? fv->p.form : fv->p.form & ~(FV_BY_PLUS | FV_BY_HLLC);
  if (asprintf(text, "#define FV_FORM %d\n#line 1 \"%s\"\n%s", form, source->file,
               source->text) >= 0) return TRM_OK;
  *text = NULL;
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the text of the kernels");
}

static trm_status build(fv_solver *fv, int number, const trm_program_source *given,
                        const char *const *kernels, const trm_solver_options *run)
{
  trm_program_source source = *given;
  const trm_framework_recipe recipe = { &source, fv->n[2] == 1 ? "flat" : NULL, "fv_params",
                                        sizeof(fv_params), kernels };
  char *text;
  TRM_TRY(write_text(fv, given, &text));
  source.text = text;
  const trm_status status = trm_framework_program_create(fv->base.device, &recipe, run,
                                                         &fv->programs[number]);
  free(text);
  return status;
}

trm_status fv_build_programs(fv_solver *fv, const trm_solver_options *run)
{
  const trm_program_source *stage = fv->p.form & FV_BY_HLLC ? &hllc
                                    : fv->p.form & FV_BY_PLUS ? &ausm_plus : &ausm;
  trm_solver_options how = *run, others = *run;
  if (run->group == 0 && fv->n[2] > 1 && !trm_device_describe(fv->base.device)->is_host) {
    how.group = FV_SOLID_SIDE * FV_SOLID_SIDE; /* an item a column of a block (fv_stage_gpu.h) */
    others.group = run->precision == TRM_F32 ? 128 : 64; /* docs/measurements.md */
  }
  TRM_TRY(build(fv, FV_STAGE / FV_NEXT, stage, of_stage, &how));
  TRM_TRY(build(fv, FV_BLOCKS / FV_NEXT, &common, of_blocks, &others));
  if (fv->cut) TRM_TRY(build(fv, FV_WALLS / FV_NEXT, &cut, of_walls, &how));
  if (fv->dual.is_on) TRM_TRY(build(fv, FV_DUAL_TIME / FV_NEXT, &dual, of_dual, &how));
  return TRM_OK;
}

void fv_free_programs(fv_solver *fv)
{
  for (int i = 0; i < FV_PROGRAMS; i++) trm_framework_program_destroy(&fv->programs[i]);
}
