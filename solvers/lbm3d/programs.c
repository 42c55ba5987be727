/* programs.c - the texts of kernels on rows and on blocks: steps with the case's collision, and the
 * kernels that all collisions have. */
#include "solvers/lbm3d/levels/levels.h"

#include <string.h>

#define TEXT(name_) \
  { #name_, "solvers/lbm3d/kernels/" #name_ ".k", trm_text_##name_, TRM_MODULES(name_) }
#define DECLARE(name) \
  extern const char trm_text_##name[]; \
  TRM_DECLARE_MODULES(name)

DECLARE(lbm3d);
DECLARE(lbm3d_trt);
DECLARE(lbm3d_regularised);
DECLARE(lbm3d_mrt);
DECLARE(lbm3d_cumulant);
DECLARE(lbm3d_levels);
DECLARE(lbm3d_levels_trt);
DECLARE(lbm3d_levels_regularised);
DECLARE(lbm3d_levels_mrt);
DECLARE(lbm3d_levels_cumulant);

/* The texts that every collision needs, and the texts of each collision's steps: of rows, of
 * blocks. */
static const trm_program_source common[2] = { TEXT(lbm3d), TEXT(lbm3d_levels) };
static const struct { const char *collision; trm_program_source steps[2]; } all[] = {
  { "bgk", { TEXT(lbm3d_trt), TEXT(lbm3d_levels_trt) } },
  { "trt", { TEXT(lbm3d_trt), TEXT(lbm3d_levels_trt) } },
  { "regularised", { TEXT(lbm3d_regularised), TEXT(lbm3d_levels_regularised) } },
  { "mrt", { TEXT(lbm3d_mrt), TEXT(lbm3d_levels_mrt) } },
  { "cumulant", { TEXT(lbm3d_cumulant), TEXT(lbm3d_levels_cumulant) } } };

/* A text of steps has no variant for the lattice where its collision has one lattice alone. */
static const char *variant_of_steps(const lbm3d_solver *flow)
{
  return strcmp(flow->variant, "d3q27") == 0 ? flow->variant : NULL;
}

trm_status lbm3d_build(lbm3d_solver *flow, const trm_framework_recipe *of,
                       const trm_solver_options *run)
{
  const int is_blocks = flow->levels != NULL;
  const char *const step[] = { of->kernels[STEP], NULL };
  const char *kernels[TRM_FRAMEWORK_KERNELS] = { NULL };
  trm_framework_recipe steps = *of, others = *of;
  size_t i = 0;
  while (strcmp(all[i].collision, flow->collision) != 0) i++;
  for (int k = 0; of->kernels[k]; k++) kernels[k] = of->kernels[k == STEP ? STEP + 1 : k];
  steps.source = &all[i].steps[is_blocks];
  steps.variant = variant_of_steps(flow);
  steps.kernels = step;
  others.source = &common[is_blocks];
  others.variant = *flow->variant ? flow->variant : NULL;
  others.kernels = kernels;
  TRM_TRY(trm_framework_program_create(flow->base.device, &steps, run, &flow->steps));
  return trm_framework_program_create(flow->base.device, &others, run, &flow->program);
}

const trm_framework_program *lbm3d_program_of(const lbm3d_solver *flow, int kernel)
{
  return kernel == STEP && flow->steps.program ? &flow->steps : &flow->program;
}
